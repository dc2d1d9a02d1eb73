//! Plans that say little about what they change: planning failed, there is no list of changes, or
//! changes are left for a later plan. No report of such a plan looks like one without changes.

use super::report_of;
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
fn a_document_without_a_list_of_changes_is_not_one_without_changes() {
    for values in VALUES {
        let plan = unlisted(values);
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
        std::fs::write(folder.path().join(name), unlisted(values)).expect("a file");
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
