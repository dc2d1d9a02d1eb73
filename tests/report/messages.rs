//! Messages of checks with several lines, and line feeds in other texts.

use serde_json::{Value, json};

use crate::run;

/// A plan with a failed check that has these messages.
fn plan(address: &str, messages: &[&str]) -> String {
    let problems: Vec<_> = messages.iter().map(|message| json!({"message": message})).collect();
    let address = json!({"kind": "check", "to_display": address});
    json!({
        "format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": [],
        "checks": [{"address": address, "status": "fail", "instances": [
            {"address": {"to_display": address["to_display"]}, "status": "fail",
            "problems": problems}]}],
    })
    .to_string()
}

const MESSAGE: &str = "The certificate ends soon.\n\nRenew it:\n  1. open\n  2. press\n";

fn written(command: &str, plan: &str) -> String {
    let arguments: Vec<&str> = command.split(' ').collect();
    let output = run::piped(&arguments, plan.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{command}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn messages_of_several_lines_are_printed_as_lines() {
    let plan = plan("check.c", &[MESSAGE]);
    for (command, expected) in [
        (
            "checks",
            "check.c  check  fail    The certificate ends soon.\n\n\
             \u{20}                       Renew it:\n\
             \u{20}                         1. open\n\
             \u{20}                         2. press\n",
        ),
        ("report", "        The certificate ends soon.\n\n        Renew it:\n          1. open\n"),
        (
            "report -o markdown",
            "```\n The certificate ends soon.\n\n Renew it:\n   1. open\n   2. press\n```\n",
        ),
        (
            "report -o github",
            "::-: The certificate ends soon.%0A%0ARenew it:%0A  1. open%0A  2. press\n",
        ),
        (
            "report -o junit",
            "\"fail: The certificate ends soon.&#10;&#10;Renew it:&#10;  1. open&#10;  2. press\"",
        ),
        ("report -o sarif", "failed: The certificate ends soon.\\n\\nRenew it:\\n  1. open\\n"),
        ("report -o code-quality", "failed: The certificate ends soon.\\n\\nRenew it:\\n"),
        (
            "report -o html",
            r#"[["The certificate ends soon.","","Renew it:","  1. open","  2. press"]]"#,
        ),
        ("summary", "  ! check.c fail: The certificate ends soon. …\n"),
    ] {
        let text = written(command, &plan);
        assert!(text.contains(expected), "{command}: {text}");
        assert!(!text.contains("u{a}"), "{command}: {text}");
    }
}

#[test]
fn messages_of_one_line_stay_on_one_line() {
    let plan = plan("check.c", &["one", "two"]);
    assert!(written("checks", &plan).contains("  fail    one; two\n"));
    assert!(written("report -o junit", &plan).contains("\"fail: one; two\""));
    let plan = self::plan("check.c", &["one\n", "two\nlines"]);
    assert!(written("report -o junit", &plan).contains("\"fail: one&#10;&#10;two&#10;lines\""));
}

/// A line of a message must not pass for a line of the report, or for a command.
#[test]
fn lines_of_messages_forge_nothing() {
    let forged = "x\n::error::forged\n##[error]forged\n```\n## forged\n<b>\n\
                  check.d  check  pass\n  ! check.d\r\u{1b}[31m\tforged";
    let plan = plan("check.c", &[forged]);
    for command in [
        "checks",
        "report",
        "report -o markdown",
        "report -o github",
        "report -o junit",
        "report -o sarif",
        "report -o gitlab",
        "report -o html",
        "summary",
    ] {
        let text = written(command, &plan);
        assert!(!text.contains('\u{1b}') && !text.contains("##[error]"), "{command}: {text}");
        let is_command = |line: &str| line.trim_start().starts_with("::error::");
        assert!(!text.lines().any(is_command), "{command}: {text}");
        // A line of the message does not begin a line.
        let begins = |line: &str| {
            ["check.d", "  ! check.d", "## forged", "<b>"].iter().any(|it| line.starts_with(it))
        };
        assert!(!text.lines().any(begins), "{command}: {text}");
    }
    let markdown = written("report -o markdown", &plan);
    let (before, rest) = markdown.split_once("````\n").expect("a fence");
    let (inside, after) = rest.split_once("\n````\n").expect("its end");
    assert!(inside.contains("\n ## forged\n") && inside.contains("check.d\\r\\u{1b}[31m\tforged"));
    assert!(!before.contains("forged") && !after.contains("forged"));
}

#[test]
fn line_feeds_in_other_texts_are_shown_by_their_escape() {
    let plan = plan("check.\"a\nb\tc\rd\"", &["one"]);
    for command in ["checks", "report", "report -o markdown", "report -o junit", "summary"] {
        let text = written(command, &plan);
        assert!(text.contains(r"a\nb\tc\rd"), "{command}: {text}");
    }
    let github = written("report -o github", &plan);
    assert!(github.contains(r"a\nb\tc\rd"), "{github}");
    // Data keeps its value.
    let record = written("changes", &plan);
    let record = record.lines().find(|line| line.contains("check.")).expect("a record");
    let record: Value = serde_json::from_str(record).expect("JSON");
    assert_eq!(record["address"], "check.\"a\nb\tc\rd\"");
}

#[test]
fn messages_are_separate_and_keep_their_tabs() {
    let plan = plan("check.c", &["\n \none\n\ttwo\n\n", "three"]);
    for (command, expected) in [
        ("report", "        one\n            two\n\n        three\n"),
        ("report -o markdown", "```\n one\n \ttwo\n\n three\n```\n"),
        ("report -o junit", "\"fail: one&#10;&#9;two&#10;&#10;three\""),
        ("report -o github", "::-: one%0A\ttwo%0A%0Athree\n"),
        ("report -o sarif", "check.c failed: one\\n\\ttwo\\n\\nthree\""),
        ("checks", "fail    one\n                            two\n"),
    ] {
        let text = written(command, &plan);
        assert!(text.contains(expected), "{command}: {text}");
    }
}

#[test]
fn messages_of_rules_and_assertions_are_printed_as_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let rules = write("rules", "check \"Ask first.\\n\\tThen ask again.\\n\"\n");
    let asserted = "assertions:\n- plan: complete\n  name: whole\n  message: |\n    Ask first.\n\
                    \x20   \tThen ask again.\n";
    let asserted = write("a.yaml", asserted);
    let plan = plan("check.c", &["one"]).replacen('{', "{\"complete\":false,", 1);
    let plan = write("p.json", &plan);
    let run = |args: &[&str]| {
        let output = run::plansift().args(args).arg(&plan).output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (text(output.stdout), text(output.stderr))
    };
    let rule = format!("@{rules}");
    for rules in [["--fail-on", &rule], ["--assert", &asserted]] {
        for (form, expected) in [
            ("term", "        Ask first.\n            Then ask again.\n"),
            ("markdown", ": `Ask first.`<br>`    Then ask again.`\n"),
            ("html", ": Ask first.<br>    Then ask again.</li>"),
            ("github", "%0AAsk first.%0A\tThen ask again.\n"),
            ("junit", ": Ask first.&#10;&#9;Then ask again.\""),
        ] {
            let (text, said) = run(&["report", "-o", form, rules[0], rules[1]]);
            assert!(text.contains(expected), "{form} {rules:?}: {text}");
            assert!(said.ends_with(":\n  Ask first.\n      Then ask again.\n"), "{form}: {said}");
        }
    }
    for (form, expected) in [
        ("text", "\n  Ask first.\n      Then ask again.\n"),
        ("junit", ": Ask first.&#10;&#9;Then ask again.\""),
        ("github", ": Ask first.%0A\tThen ask again.\n"),
        ("sarif", ": Ask first.\\n\\tThen ask again.\""),
    ] {
        let (text, _) = run(&["assert", "--format", form, "--file", &asserted]);
        assert!(text.contains(expected), "{form}: {text}");
    }
}
