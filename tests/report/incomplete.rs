//! Plans that say little about what they change: planning failed, there is no list of changes, or
//! changes are left for a later plan. No report of such a plan looks like one without changes.

use super::{report_of, write};
use crate::run;

/// A plan with these planned values and without `resource_changes`.
fn unlisted(values: &str) -> String {
    format!(r#"{{"format_version":"1.2","terraform_version":"1.9.0","planned_values":{values}}}"#)
}

/// Values of a resource, in the root module and in a child module.
const VALUES: [&str; 3] = [
    r#"{"root_module":{"resources":[{"address":"t.a","mode":"managed","type":"t","name":"a",
        "values":{"a":1}}]}}"#,
    r#"{ "outputs" : {"o":{"sensitive":false,"value":"x"}},
        "root_module" : { "child_modules" : [ {"address":"module.m"} ] } }"#,
    r#"{"root_module":{"child_modules":[{"resources":[{"address":"t.a"}]}]},"outputs":{}}"#,
];

const SAID: &str = "plansift: -: warning: the document has planned_values and no list of changes \
                    (resource_changes): what the plan changes is not known\n";

fn said(command: &[&str], plan: &str) -> (Option<i32>, String) {
    let output = run::piped(command, plan.as_bytes());
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn a_plan_without_a_change_list_is_not_reported_as_unchanged() {
    let with_null = |values| unlisted(&format!("{values},\"resource_changes\":null"));
    for (values, plan) in
        VALUES.into_iter().flat_map(|it| [(it, unlisted(it)), (it, with_null(it))])
    {
        for command in [&["summary", "-"][..], &["changes", "-"], &["report", "-"]] {
            assert_eq!(said(command, &plan), (Some(0), SAID.to_owned()), "{command:?}: {values}");
        }
        assert_eq!(said(&["summary", "--quiet", "-"], &plan), (Some(0), String::new()));
        let (code, _) = said(&["summary", "--detailed-exitcode", "-"], &plan);
        assert_eq!(code, Some(2), "it may change anything");
        for (form, text) in [
            ("term", "\nNo list of changes.\n! This document has no list of changes"),
            ("markdown", "## No list of changes.\n\n**Warning:** This document has no list"),
            ("html", r#""lacks_resource_changes":true"#),
            ("github", "::error title=Plan without a list of changes::-: it has no"),
            ("json", r#""lacks_resource_changes":true"#),
            ("variables", "PLANSIFT_HAS_CHANGES=true\nPLANSIFT_HAS_DESTROY=\n"),
            ("junit", r#"<failure message="This document has no list of changes"#),
            ("code-quality", r#""description":"This document has no list of changes"#),
        ] {
            let report = report_of(&["-o", form], &plan);
            assert!(report.contains(text), "{form}: {report}");
        }
    }
}

#[test]
fn a_document_without_resources_needs_no_list_of_changes() {
    for values in [
        "{}",
        "null",
        r#"{"root_module":{}}"#,
        r#"{"root_module":{ }}"#,
        r#"{"root_module":{"resources":[ ]}}"#,
        r#"{"outputs":{"root_module":{"value":"{\"resources\":[{"}},"root_module":{}}"#,
    ] {
        for plan in [unlisted(values), unlisted(&format!("{values},\"resource_changes\":[]"))] {
            assert_eq!(said(&["summary", "-"], &plan), (Some(0), String::new()), "{values}");
        }
    }
    let listed = format!("{},\"resource_changes\":[]", VALUES[0]);
    assert_eq!(said(&["summary", "-"], &unlisted(&listed)), (Some(0), String::new()));
}

#[test]
fn several_plans_say_which_documents_have_no_list_of_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, values) in [("a.json", VALUES[0]), ("b.json", "{}")] {
        write(&folder, name, unlisted(values));
    }
    for command in [&["summary"][..], &["report", "-o", "markdown"]] {
        let output = run::plansift()
            .current_dir(folder.path())
            .args(command)
            .args(["a.json", "b.json"])
            .output()
            .expect("it runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(text.contains("1 document without a list of changes"), "{text}");
        assert!(text.contains("No changes to resources are known."), "{text}");
        assert!(text.lines().any(|line| line.contains(" 1 without")), "{text}");
    }
}

/// A plan of the corpus.
fn corpus(case: &str) -> std::path::PathBuf {
    run::root().join("corpus/plans").join(case).join("plan.json")
}

/// What machines are told of plans that are not whole: lines of `variables`, the report of
/// `gitlab`, and the levels of SARIF's notifications.
#[test]
fn machine_formats_report_incomplete_plans() {
    for (case, variables, gitlab, sarif) in [
        (
            "errored",
            "ERRORED_PLANS=1\nPLANSIFT_INCOMPLETE_PLANS=1\n",
            "{\"errored_plans\":1}\n",
            r#""executionSuccessful":false,"toolExecutionNotifications":[{"level":"error""#,
        ),
        (
            "incomplete",
            "ERRORED_PLANS=0\nPLANSIFT_INCOMPLETE_PLANS=1\n",
            "{\"create\":1,\"update\":0,\"delete\":0,\"incomplete_plans\":1}\n",
            r#""executionSuccessful":true,"toolExecutionNotifications":[{"level":"warning""#,
        ),
        (
            "deferred",
            "DEFERRED=8\n",
            "{\"create\":1,\"update\":0,\"delete\":0,\"incomplete_plans\":1}\n",
            r#""level":"warning","message":{"text":"plan.json: Some changes are deferred"#,
        ),
        ("rich", "DEFERRED=1\nPLANSIFT_ACTIONS=1\n", "\"incomplete_plans\":1", "warning"),
        (
            "update",
            "DEFERRED=0\nPLANSIFT_ACTIONS=0\nPLANSIFT_PLANS=1\nPLANSIFT_FAILED_PLANS=0\n\
             PLANSIFT_ERRORED_PLANS=0\nPLANSIFT_INCOMPLETE_PLANS=0\n",
            "\"update\"",
            r#""toolExecutionNotifications":[]"#,
        ),
    ] {
        let folder = corpus(case);
        let folder = folder.parent().expect("a folder");
        let report = |form: &str| super::report(folder, &["-o", form, "plan.json"], &[]).out;
        for (form, text) in [("variables", variables), ("gitlab", gitlab), ("sarif", sarif)] {
            assert!(report(form).contains(text), "{case}: {}", report(form));
        }
    }
    assert_eq!(report_of(&["-o", "gitlab"], &unlisted(VALUES[0])), "{\"unlisted_plans\":1}\n");
}

#[test]
fn markdown_names_the_plan_whose_planning_failed() {
    let folder = super::folder(&["errored", "update"], &[]);
    let args = ["-o", "markdown", "errored.json", "update.json"];
    let text = super::report(folder.path(), &args, &[]).out;
    let row = text.lines().find(|line| line.starts_with("| `errored`")).expect("a row");
    assert!(row.ends_with("| planning failed |"), "{text}");
}

/// Markdown and the summary say the same of plans that change no resources.
#[test]
fn summary_and_markdown_agree_on_plans_without_changes() {
    let checks =
        r#""resource_changes":[],"checks":[{"address":{"to_display":"check.c"},"status":"fail"}]"#;
    let output = r#""resource_changes":[],"output_changes":{
        "o":{"actions":["create"],"before":null,"after":1}}"#;
    let drift = r#""resource_changes":[{"address":"t.a","type":"t","name":"a","change":
        {"actions":["no-op"],"before":{},"after":{}}}],"resource_drift":[{"address":"t.a",
        "type":"t","name":"a","change":{"actions":["update"],"before":{"n":1},"after":{"n":2}}}]"#;
    for (members, without, line) in [
        (checks, "2", "No changes to resources."),
        (output, "1", "No changes to resources."),
        (drift, "2", "No changes to resources."),
        (r#""resource_changes":[],"checks":[]"#, "2", "No changes."),
        (r#""resource_changes":[],"errored":true"#, "1", "No changes to resources are known."),
    ] {
        let plan = |members: &str| format!(r#"{{"format_version":"1.2",{members}}}"#);
        let other = plan(r#""resource_changes":[]"#);
        let folder = super::folder(&[], &[("a.json", &plan(members)), ("b.json", &other)]);
        let run = |args: &[&str]| {
            let mut command = run::plansift();
            let output = command.current_dir(folder.path()).args(args).args(["a.json", "b.json"]);
            String::from_utf8(output.output().expect("it runs").stdout).expect("UTF-8")
        };
        let (page, table) = (run(&["report", "-o", "markdown"]), run(&["summary"]));
        assert!(page.contains(&format!("## {line}\n")), "{page}");
        assert!(page.contains(&format!("2 plans, {without} without changes.")), "{page}");
        assert!(table.contains(&format!("\n{line}\n")), "{table}");
        assert!(table.lines().any(|it| it.ends_with(&format!(", {without} without"))), "{table}");
    }
}

/// Terraform says that a plan which only records moves has no changes, and offers to apply it.
#[test]
fn a_plan_that_only_records_moves_is_a_refresh() {
    let plan = r#"{"format_version":"1.2","applyable":false,"complete":true,"resource_drift":[
        {"address":"t.b","previous_address":"t.a","type":"t","name":"b","change":
        {"actions":["no-op"],"before":{"n":1},"after":{"n":1}}}]}"#;
    let text = report_of(&[], plan);
    let line = "\nNo changes to objects.\n";
    assert!(text.contains("t.b  moved from t.a") && text.contains(line), "{text}");
    // The exit code, the rules and the counts agree with `terraform plan -detailed-exitcode`.
    assert_eq!(said(&["summary", "--detailed-exitcode", "-"], plan).0, Some(0));
    for (rule, code) in [("move", 3), ("drift", 0), ("changes", 0)] {
        for command in ["summary", "changes", "report"] {
            let run = said(&[command, "--fail-on", rule, "-"], plan);
            assert_eq!(run.0, Some(code), "{command} {rule}");
        }
    }
    let variables = report_of(&["-o", "variables"], plan);
    assert!(variables.contains("HAS_MOVES=true\n"), "{variables}");
    assert!(variables.contains("HAS_DRIFT=false\n"), "{variables}");
    for form in ["term", "markdown", "html"] {
        let text = report_of(&["-o", form], plan);
        assert!(form == "html" || !text.contains("Changed outside"), "{text}");
        assert!(form != "markdown" || text.contains("<summary>Move or import: 1"), "{text}");
        assert!(form != "html" || !text.contains("\"kind\":\"drift\""), "{text}");
    }
    let summary = run::piped(&["summary", "-"], plan.as_bytes()).stdout;
    let summary = String::from_utf8(summary).expect("UTF-8");
    assert!(summary.contains("\nMoved: 1\n"), "{summary}");
    assert!(!summary.contains("Changed outside"), "{summary}");
    let drifted =
        plan.replace("no-op", "update").replace(r#""after":{"n":1}"#, r#""after":{"n":2}"#);
    for applyable in ["true", "null"] {
        let drifted = drifted.replace("\"applyable\":false", &format!("\"applyable\":{applyable}"));
        assert_eq!(said(&["summary", "--detailed-exitcode", "-"], &drifted).0, Some(2));
        assert_eq!(said(&["summary", "--fail-on", "drift", "-"], &drifted).0, Some(3));
    }
}

/// The tools write a move into one section. A move in both sections is still one move.
#[test]
fn a_move_in_two_sections_is_listed_once() {
    let moved = r#"{"address":"t.b","previous_address":"t.a","type":"t","name":"b","change":
        {"actions":["no-op"],"before":{"n":1},"after":{"n":1}}}"#;
    let sections = ["resource_drift", "resource_changes"].map(|key| format!("\"{key}\":[{moved}]"));
    for [first, second] in [[0, 1], [1, 0]] {
        let (first, second) = (&sections[first], &sections[second]);
        let plan = format!(r#"{{"format_version":"1.2",{first},{second}}}"#);
        for form in ["term", "markdown"] {
            let text = report_of(&["-o", form], &plan);
            assert_eq!(text.matches("moved from").count(), 1, "{text}");
        }
        let summary = run::piped(&["summary", "-"], plan.as_bytes()).stdout;
        let summary = String::from_utf8(summary).expect("UTF-8");
        assert_eq!(summary.matches("(was t.a)").count(), 1, "{summary}");
        assert_eq!(said(&["changes", "--fail-on", "move>1", "-"], &plan).0, Some(0));
        assert_eq!(said(&["changes", "--fail-on", "move", "-"], &plan).0, Some(3));
    }
}
