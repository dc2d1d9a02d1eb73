//! What a reader must see first: losses of data, failed checks, errors, and rules that match
//! nothing.

use super::{folder, plan_of, report, report_of, write};
use crate::run;

const DELETE: &str = r#""actions":["delete"],"before":{"n":1},"after":null"#;
const REPLACE: &str = r#""actions":["delete","create"],"before":{"n":1},"after":{"n":2}"#;
const FORGET: &str = r#""actions":["forget"],"before":{"n":1},"after":null"#;

/// A plan with many losses, the losses of data last.
fn losses() -> String {
    let mut changes = vec![("aws_route", DELETE); 20];
    changes.extend([("aws_instance", REPLACE); 20]);
    changes.extend([("aws_db_instance", FORGET), ("aws_db_instance", REPLACE)]);
    changes.extend([("aws_s3_bucket", DELETE); 12]);
    plan_of(&changes)
}

/// The types in the lines of a text that name a loss, in order and without repeats.
fn types(text: &str) -> Vec<&str> {
    let known = ["aws_route", "aws_instance", "aws_db_instance", "aws_s3_bucket"];
    let of_line = |line| known.into_iter().find(|name| str::contains(line, &format!("{name}.r")));
    let mut types: Vec<&str> = text.lines().filter_map(of_line).collect();
    types.dedup();
    types
}

#[test]
fn losses_of_data_come_first_and_are_never_counted_only() {
    let first = ["aws_s3_bucket", "aws_db_instance"];
    let summary = run::piped(&["summary", "-"], losses().as_bytes());
    let summary = String::from_utf8(summary.stdout).expect("UTF-8");
    let list = summary.split("forgotten: 54\n").nth(1).expect("a list");
    assert_eq!(types(list), first, "{summary}");
    assert_eq!(list.matches("aws_s3_bucket.r").count(), 12, "{summary}");
    assert!(list.contains("    and 41 more\n"), "{summary}");
    let text = report_of(&["-o", "markdown"], &losses());
    let list = text.split("<details>").next().expect("a list");
    assert_eq!(types(list), first, "{text}");
    assert!(list.contains("- … and 41 more\n"), "{text}");
    let page = report_of(&["-o", "html"], &losses());
    let list = page.split("forgotten: 54</h2>").nth(1).expect("a list");
    let list = list.split("</section>").next().expect("a list");
    let all = ["aws_s3_bucket", "aws_db_instance", "aws_route", "aws_instance", "aws_db_instance"];
    assert_eq!(types(list), all, "{list}");
    let top = run::piped(&["summary", "--top", "2", "-"], losses().as_bytes());
    let top = String::from_utf8(top.stdout).expect("UTF-8");
    let cut = "aws_s3_bucket.r43\n    and 52 more, of which 11 hold data\n";
    assert!(top.contains(cut), "{top}");
}

#[test]
fn a_rule_that_matches_nothing_is_in_every_report_for_people() {
    let plan = run::root().join("corpus/plans/rich/plan.json");
    let folder = tempfile::tempdir().expect("a folder");
    let path = plan.to_str().expect("UTF-8");
    let rules = ["--fail-on", "check:certifcate", "--fail-on", "delete:aws_lamda", path];
    for (form, [near, other]) in [
        (
            "term",
            [
                "! Rule check:certifcate matches nothing, no check has such an address: did you \
                 mean check.certificate?\n",
                "! Rule delete:aws_lamda matches nothing, no resource has such an address, type or \
                 module.\n",
            ],
        ),
        (
            "markdown",
            [
                "**Warning:** Rule `check:certifcate` matches nothing, no check has such an \
                 address: did you mean `check.certificate`?\n",
                "**Warning:** Rule `delete:aws_lamda` matches nothing, ",
            ],
        ),
        (
            "html",
            [
                "<li class=\"warning mild\">Rule check:certifcate matches nothing, no check has \
                 such an address: did you mean check.certificate?</li>",
                "<li class=\"warning mild\">Rule delete:aws_lamda matches nothing, ",
            ],
        ),
        (
            "github",
            [
                "::warning title=Pattern matches nothing::Rule check:certifcate matches nothing, \
                 no check has such an address: did you mean check.certificate?\n",
                "::warning title=Pattern matches nothing::Rule delete:aws_lamda matches nothing, ",
            ],
        ),
    ] {
        let args: Vec<&str> = ["-q", "-o", form].iter().chain(&rules).copied().collect();
        let run = report(folder.path(), &args, &[]);
        assert_eq!(run.code, Some(0), "{run:?}");
        for words in [near, other] {
            assert!(run.out.contains(words), "{form}: {words}\n{}", run.out);
        }
        // Without any plan, nothing is known about the patterns.
        let args = [&args[..args.len() - 1], &["no-such-plan.json"]].concat();
        assert!(!report(folder.path(), &args, &[]).out.contains("matches nothing"), "{form}");
    }
}

#[test]
fn failed_checks_are_beside_the_plan_line() {
    let rich = folder(&["rich"], &[]);
    let run = report(rich.path(), &["rich.json"], &[]);
    let end = "Actions: 1 to invoke.\n! 2 checks failed.\n! Some changes are deferred to a later \
               plan.\n";
    assert!(run.out.ends_with(end), "{}", run.out);
    let plan = run::root().join("corpus/plans/rich/plan.json");
    let output = run::plansift().arg("summary").arg(plan).output().expect("it runs");
    let summary = String::from_utf8(output.stdout).expect("UTF-8");
    let warnings = "! 2 checks failed.\n! Some changes are deferred to a later plan.\n\nPlan: ";
    assert!(summary.contains(warnings), "{summary}");
}

#[test]
fn plans_that_cannot_be_read_have_a_list_with_their_whole_errors() {
    let folder = folder(&["create", "delete"], &[("cut.json", "{"), ("wrong.json", "[1]")]);
    let inputs = ["create.json", "cut.json", "delete.json", "wrong.json"];
    let errors =
        ["byte 1: the document is incomplete: the input ends here", "this JSON is not a plan: "];
    for command in
        [&["summary"][..], &["summary", "--group-by", "type"], &["report", "-o", "markdown"]]
    {
        let mut run = run::plansift();
        let output = run.args(command).args(inputs).current_dir(folder.path()).output();
        let text = String::from_utf8(output.expect("it runs").stdout).expect("UTF-8");
        let list = text.split("Not read: 2").nth(1).expect("a list of errors");
        for error in errors {
            assert_eq!(list.matches(error).count(), 1, "{command:?}: {error}\n{text}");
        }
        let before = text.split("Not read: 2").next().unwrap_or_default();
        assert!(!before.contains("cut") && !list.contains("| `cut`"), "{command:?}: {text}");
    }
}

#[test]
fn every_plan_that_cannot_be_read_has_a_row_with_its_file() {
    let folder = folder(&["create"], &[]);
    std::fs::create_dir(folder.path().join("f")).expect("a folder");
    // All three have the workspace `f`.
    let files = [
        ("f/plan.json", r#"{"meta":{},"encrypted_data":"x"}"#),
        ("f/plan.out", "no plan"),
        ("f/tfplan.json", "{{"),
    ];
    for (name, text) in files {
        write(&folder, name, text);
    }
    for (command, title) in [
        ("summary .", "Not read: 3"),
        ("batch . --out out", "Not read: 3"),
        ("report . -o markdown", "Not read: 3"),
        ("report . -o html", "Not read: 3"),
        ("report . -o github", ""),
        ("report . -o term", ""),
    ] {
        let mut run = run::plansift();
        let output = run.args(command.split(' ')).current_dir(folder.path()).output();
        let text = String::from_utf8(output.expect("it runs").stdout).expect("UTF-8");
        let at = text.find(title).unwrap_or_else(|| panic!("{command}: no {title}: {text}"));
        let list = &text[at..];
        for (name, _) in files {
            assert!(list.contains(name), "{command}: {name}: {text}");
        }
        // No line has a name without an error.
        assert!(!list.lines().any(|line| line == "f"), "{command}: {text}");
    }
}

#[test]
fn a_missing_module_instance_is_named() {
    let change = |module: &str| {
        format!(
            r#"{{"address":{address},"module_address":{module},"mode":"managed","type":"a",
                "name":"b","action_reason":"delete_because_no_module",
                "change":{{"actions":["delete"],"before":{{"n":1}},"after":null}}}}"#,
            address = serde_json::json!(format!("{module}.a.b")),
            module = serde_json::json!(module),
        )
    };
    let changes = [change(r#"module.x["blue"]"#), change("module.old")].join(",");
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{changes}]}}"#);
    let (term, markdown) = (report_of(&[], &plan), report_of(&["-o", "markdown"], &plan));
    for words in [
        r#"will be destroyed, because module.x["blue"] is no longer in the configuration"#,
        "will be destroyed, because its module is no longer in the configuration",
    ] {
        assert!(term.contains(words), "{words}\n{term}");
        assert!(markdown.replace('`', "").contains(words), "{words}\n{markdown}");
    }
    let summary = run::piped(&["summary", "-"], plan.as_bytes());
    let summary = String::from_utf8(summary.stdout).expect("UTF-8");
    let line = r#"  - module.x["blue"].a.b, module.x["blue"] is no longer in the configuration"#;
    assert!(summary.lines().any(|it| it == line), "{summary}");
}
