//! The parts of a plan that are no changes: its time, its flags, and the attributes that it depends
//! on.

use plansift::error::Result;
use plansift::input::Slice;
use plansift::plan::{self, Answer, Flow, Piece, RelevantAttribute, Section, Visitor};

use crate::run;

/// The scalars that say how far a plan got.
const SCALARS: [Section; 4] =
    [Section::Timestamp, Section::Applyable, Section::Complete, Section::Errored];

/// The pieces of a plan that are no changes.
#[derive(Default)]
struct Facts {
    scalars: Vec<(Section, String)>,
    relevant: Vec<[serde_json::Value; 2]>,
}

impl Visitor for Facts {
    fn section(&mut self, section: Section, _: &str) -> Answer {
        match section == Section::RelevantAttributes || SCALARS.contains(&section) {
            true => Answer::Enter,
            false => Answer::Skip,
        }
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        if piece.section == Section::RelevantAttributes {
            let RelevantAttribute { resource, attribute } = RelevantAttribute::parse(piece.value)?;
            self.relevant.push(
                [resource, attribute]
                    .map(|value| serde_json::from_slice(value.raw()).expect("JSON")),
            );
        } else {
            let text = String::from_utf8(piece.value.raw().to_vec()).expect("UTF-8");
            self.scalars.push((piece.section, text));
        }
        Ok(Flow::Continue)
    }
}

/// Asserts that the facts of a plan are pieces, and returns their numbers.
fn facts_of(text: &[u8]) -> [usize; 2] {
    let mut facts = Facts::default();
    plan::read(Slice(text), &plan::PlanOptions::default(), &mut facts).expect("a plan");
    let document: serde_json::Value = serde_json::from_slice(text).expect("JSON");
    let listed = document["relevant_attributes"].as_array().into_iter().flatten();
    let listed: Vec<_> =
        listed.map(|it| [it["resource"].clone(), it["attribute"].clone()]).collect();
    assert_eq!(facts.relevant, listed);
    for section in SCALARS {
        let sent = facts.scalars.iter().find(|(sent, _)| *sent == section).map(|(_, text)| text);
        let held = document.get(section.name()).map(ToString::to_string);
        assert_eq!(sent, held.as_ref(), "{section:?}");
    }
    [facts.scalars.len(), listed.len()]
}

#[test]
fn the_time_the_flags_and_the_relevant_attributes_are_pieces() {
    let plan = br#"{"format_version":"1.2","relevant_attributes":[{"resource":"a.b",
        "attribute":["c",0,{"d":1}]},{"resource":"e.f","attribute":[]}],
        "timestamp":"2026-01-01T00:00:00Z","applyable":true,"complete":false,"errored":true}"#;
    assert_eq!(facts_of(plan), [4, 2]);
    for tool in ["terraform1.11", "tofu1.12"] {
        let mut met = [0, 0];
        for file in std::fs::read_dir(run::corpus("real").join(tool)).expect("a folder") {
            let path = file.expect("an entry").path();
            if path.to_string_lossy().ends_with(".plan.json") {
                let numbers = facts_of(&std::fs::read(&path).expect("a plan"));
                met = [met[0] + numbers[0], met[1] + numbers[1]];
            }
        }
        assert!(met[0] > 20 && met[1] > 0, "{tool}: {met:?}");
    }
}

#[test]
fn relevant_attributes_become_records_without_the_steps_that_may_be_secret() {
    let plan = br#"{"format_version":"1.2","resource_changes":[],"relevant_attributes":[
        {"resource":"a.b","attribute":["c","CANARY",{"d":"CANARY"}]},
        {"resource":"e.f[\"g\"]","attribute":[]}],"errored":false}"#;
    let written = |args: &[&str]| {
        let output = run::piped(args, plan);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let text = written(&["changes", "--relevant"]);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("relevant")).collect();
    assert_eq!(
        lines,
        [
            r#"{"kind":"relevant_attribute","resource":"a.b","attribute":"c"}"#,
            r#"{"kind":"relevant_attribute","resource":"e.f[\"g\"]"}"#,
        ]
    );
    assert!(!text.contains("CANARY"), "{text}");
    assert!(!written(&["changes", "--all"]).contains("relevant_attribute"));
    let csv = written(&["changes", "--relevant", "--format", "csv"]);
    assert!(csv.contains("\nrelevant_attribute,") && !csv.contains("CANARY"), "{csv}");
}

#[test]
fn the_summary_shows_the_time_and_the_flags() {
    let page = |flags: &str| {
        let plan = format!(r#"{{"format_version":"1.2","resource_changes":[]{flags}}}"#);
        let output = run::piped(&["summary"], plan.as_bytes());
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let flags = r#","timestamp":"2026-01-01T00:00:00Z","applyable":true,"complete":false"#;
    let line = "Plan       made at 2026-01-01T00:00:00Z, applyable, not complete\n";
    assert!(page(flags).contains(line), "{}", page(flags));
    let line = "Plan       not applyable, complete, errored\n";
    let flags = r#","applyable":false,"complete":true,"errored":true"#;
    assert!(page(flags).contains(line), "{}", page(flags));
    assert!(!page("").contains("Plan  "), "{}", page(""));
}
