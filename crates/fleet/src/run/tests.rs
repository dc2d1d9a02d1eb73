//! Recordings of inputs, compared with reading them directly.

use std::fmt::Display;

use super::*;
use crate::source::InputEntry;
use plansift_core::error::Result;
use plansift_core::input::InputOptions;
use plansift_plan::plan::PlanOptions;
use plansift_plan::record::{Head, Label, Record, RecordOptions};
use plansift_plan::sink::Sink;
use plansift_plan::sink::ndjson::Ndjson;

const INPUT: Label<'_> = Label { source: "plans.json", workspace: Some("w") };

/// Returns a plan with `changes` resource changes.
fn plan(changes: usize) -> String {
    let change = r#"{"address":"a.b","change":{"actions":["create"]}}"#;
    let changes = vec![change; changes].join(",");
    format!(r#"{{"format_version":"1.2","resource_changes":[{changes}],"errored":true}}"#)
}

fn reader() -> PlanReader<'static> {
    let options = RecordOptions::default();
    PlanReader { options, attributes: &AttributeContent::None, assertions: None, impact: None }
}

/// Reads a text as an input of a run.
fn read(text: &str, sink: &mut dyn Sink, events: &mut dyn Events) -> Result<()> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), text).expect("the text is written");
    let entry = InputEntry::of_file(file.path().to_owned());
    let opening = Opening::new(PlanOptions::default(), InputOptions::default());
    let opened = OpenInput::new(&entry, &opening, Passes::One).expect("the file opens");
    DocumentLoop::new(Consumer::Records(reader(), sink), events).documents(INPUT, opened).map(drop)
}

/// Records a text.
fn recorded(text: &str) -> Option<recording::Recording> {
    recording::record(|sink, events| read(text, sink, events))
}

/// Collects the outcomes of plans.
struct Outcomes(Vec<String>);

impl Events for Outcomes {
    fn done(&mut self, label: Label<'_>, outcome: DocumentOutcome) {
        self.0.push(format!("{label:?} {outcome:?}"));
    }

    fn failed(&mut self, label: Label<'_>, error: &dyn Display) {
        panic!("{label:?}: {error}");
    }

    fn remark(&mut self, _: &str, remark: Remark) {
        panic!("{remark}");
    }
}

/// Returns the records that `run` makes, as text, and the outcomes.
fn collected(
    run: impl FnOnce(&mut dyn Sink, &mut dyn Events) -> Result<()>,
) -> (String, Vec<String>) {
    let (mut text, mut outcomes) = (Vec::new(), Outcomes(Vec::new()));
    let mut sink = Ndjson::new(&mut text);
    run(&mut sink, &mut outcomes).and_then(|()| sink.finish()).expect("every record is written");
    drop(sink);
    (String::from_utf8(text).expect("UTF-8"), outcomes.0)
}

#[test]
fn a_recording_replays_the_records_of_its_input() {
    let text = [plan(3), plan(0), plan(200)].join("\n");
    let recording = recorded(&text).expect("all of it");
    let expected = collected(|sink, events| read(&text, sink, events));
    assert_eq!(expected.1.len(), 3);
    let replayed = collected(|sink, events| {
        DocumentLoop::new(Consumer::Records(reader(), sink), events)
            .replay(INPUT, recording)
            .map(drop)
    });
    assert_eq!(replayed, expected);
}

#[test]
fn inputs_with_errors_are_not_recorded() {
    let broken = plan(2).replace("create", "create\\x");
    for text in ["", "[]", &broken, &[plan(1), broken.clone(), plan(1)].join("\n")] {
        assert!(recorded(text).is_none(), "{text}");
    }
}

#[test]
fn recordings_have_a_memory_limit() {
    let mut changes = 1;
    while recorded(&plan(changes)).is_some() {
        changes *= 2;
    }
    assert!((500..100_000).contains(&changes), "{changes}");
    let plans = vec![plan(0); (recording::MAX / recording::PLAN) as usize].join("\n");
    assert!(recorded(&plans).is_some());
    assert!(recorded(&[&plans, "\n", &plan(0)].concat()).is_none());
}

#[test]
fn a_record_without_a_copy_ends_a_recording() {
    let record = Record::Document(Head::of(INPUT));
    assert!(recording::record(|sink, _| sink.record(&record)).is_none());
}
