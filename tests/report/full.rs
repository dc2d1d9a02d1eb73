//! Reports lose no value. Long values have lines of their own, differences have context, and
//! `--full` shows everything.

use serde_json::json;

use super::{page, plan_of, report_of};
use crate::run;

const FORMATS: [&str; 3] = ["term", "markdown", "html"];

/// A policy of seven statements. The last one allows everything.
fn policy() -> String {
    let mut statements: Vec<_> = (0..6)
        .map(|number| {
            json!({"Action": [format!("s3:Get{number}*"), "s3:List*"], "Effect": "Allow",
                   "Resource": format!("arn:aws:s3:::a-bucket-with-a-long-name-{number}/*")})
        })
        .collect();
    statements.push(json!({"Action": "*", "Effect": "Allow", "Resource": "*"}));
    json!({"Version": "2012-10-17", "Statement": statements}).to_string()
}

fn change(before: &serde_json::Value, after: &serde_json::Value) -> String {
    let actions = if before.is_null() { "create" } else { "update" };
    let members = format!(r#""actions":["{actions}"],"before":{before},"after":{after}"#);
    plan_of(&[("aws_iam_policy", &members)])
}

#[test]
fn reports_show_every_statement_of_a_new_policy() {
    let plan = change(&json!(null), &json!({"policy": policy()}));
    for format in FORMATS {
        let text = report_of(&["-o", format], &plan);
        let quoted = if format == "html" { r#"\"Action\":\"*\""# } else { r#""Action":"*""# };
        assert!(text.contains(quoted), "{format}: {text}");
        assert!(text.contains("s3:Get5*"), "{format}: {text}");
    }
    let text = report_of(&["--width", "80"], &plan);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("        + policy = jsonencode({\n"), "{text}");
    let text = report_of(&["-o", "markdown"], &plan);
    assert!(text.contains("<summary>Long values: 1</summary>"), "{text}");
    page::read(&text);
}

/// A script of sixty lines before and after a change of two lines, 47 lines apart.
fn scripts() -> [String; 2] {
    let script = |edited: bool| {
        let line = |number: usize| match number {
            5 if edited => "echo new 5\n".to_owned(),
            52 if edited => "echo new 52\n".to_owned(),
            _ => format!("echo {number}\n"),
        };
        format!("#!/bin/sh\n{}", (1..60).map(line).collect::<String>())
    };
    [script(false), script(true)]
}

#[test]
fn two_edits_of_a_text_are_two_hunks() {
    let [before, after] = scripts();
    let plan = change(&json!({"user_data": before}), &json!({"user_data": after}));
    let text = report_of(&[], &plan);
    let expected = "
        ~ user_data = <<-EOT
            … 2 unchanged lines
              echo 2
              echo 3
              echo 4
            - echo 5
            + echo new 5
              echo 6
              echo 7
              echo 8
            … 40 unchanged lines
              echo 49
              echo 50
              echo 51
            - echo 52
            + echo new 52
              echo 53
              echo 54
              echo 55
            … 4 unchanged lines
          EOT
";
    assert!(text.contains(expected), "{text}");
    let text = report_of(&["-o", "markdown"], &plan);
    let expected = "! user_data
      … 2 unchanged lines
      echo 2
      echo 3
      echo 4
-     echo 5
+     echo new 5
      echo 6
";
    assert!(text.contains(expected) && text.contains("+     echo new 52\n"), "{text}");
    let text = report_of(&["-o", "html"], &plan);
    assert!(text.contains(r#"" echo 4","-echo 5","+echo new 5"," echo 6""#), "{text}");
    // `--full` shows all lines.
    for format in FORMATS {
        let text = report_of(&["-o", format, "--full"], &plan);
        let is_whole = format == "html" || !text.contains('…');
        assert!(text.contains("echo 30") && is_whole, "{format}: {text}");
    }
}

#[test]
fn many_differences_are_counted() {
    let text = |edited: bool| -> String {
        let line = |number: usize| match number % 20 {
            7 if edited => format!("new {} {number}\n", "x".repeat(300)),
            _ => format!("{number} {}\n", "y".repeat(100)),
        };
        (0..4000).map(line).collect()
    };
    let plan = change(&json!({"t": text(false)}), &json!({"t": text(true)}));
    for format in FORMATS {
        let excerpt = report_of(&["-o", format], &plan);
        let full = report_of(&["-o", format, "--full"], &plan);
        assert!(!excerpt.contains("3987") && full.contains("3987"), "{format}: {excerpt}");
        let is_counted = match format {
            "html" => excerpt.contains("\"left_out\":"),
            _ => excerpt.contains(" more differences (--full shows them)"),
        };
        assert!(is_counted && excerpt.len() < 100_000, "{format}: {excerpt}");
    }
}

#[test]
fn full_shows_long_values() {
    let long = format!("{}END", "long value ".repeat(10_000));
    let list: Vec<_> = (0..3000).map(|number| format!("element-{number}")).collect();
    let plan = change(&json!({"a": "x", "l": 1}), &json!({"a": long, "l": list}));
    for format in FORMATS {
        let excerpt = report_of(&["-o", format], &plan);
        let full = report_of(&["-o", format, "--full"], &plan);
        assert!(!excerpt.contains("END") && full.contains("END"), "{format}: {excerpt}");
        assert!(!excerpt.contains("t-2999") && full.contains("t-2999"), "{format}: {excerpt}");
        assert!(excerpt.contains("--full") || format == "html", "{format}: {excerpt}");
    }
    // `--full` also shows the attributes that an excerpt only counts.
    let many: serde_json::Map<_, _> =
        (0..12_000).map(|number| (format!("k{number:05}"), json!(number))).collect();
    let plan = change(&json!(null), &json!(many));
    assert!(report_of(&[], &plan).contains("… and 2000 more"));
    assert!(report_of(&["--full"], &plan).contains("k11999 = 11999"));
}

#[test]
fn full_does_not_fold_instances() {
    let element = |index: usize| {
        format!(
            r#"{{"address":"a.b[{index}]","mode":"managed","type":"a","name":"b","index":{index},
            "change":{{"actions":["update"],"before":{{"size":1,"same":"stays"}},
            "after":{{"size":2,"same":"stays"}}}}}}"#
        )
    };
    let changes: Vec<String> = (0..12).map(element).collect();
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","));
    for format in ["term", "markdown"] {
        assert!(report_of(&["-o", format], &plan).contains("(12 alike)"));
        let text = report_of(&["-o", format, "--full"], &plan);
        assert_eq!(text.matches("size = 1 -> 2").count(), 12, "{text}");
        assert_eq!(text.matches("same = \"stays\"").count(), 12, "{text}");
        let text = report_of(&["-o", format, "--full", "--values", "changed"], &plan);
        assert!(!text.contains("stays"), "{text}");
    }
}

#[test]
fn formatting_differences_have_a_remark() {
    let plan = change(
        &json!({"j": r#"{"a":1}"#, "l": ["x", "y"], "m": "if x:\n  a\n  b", "t": "a  b"}),
        &json!({"j": r#"{ "a": 1 }"#, "l": ["y", "x"], "m": "if x:\n  a\nb", "t": "a b"}),
    );
    const REMARK: &str = "(only white space or formatting)";
    for format in ["term", "markdown"] {
        for full in [&[][..], &["--full"]] {
            let args: Vec<&str> = ["-o", format].iter().chain(full).copied().collect();
            let text = report_of(&args, &plan);
            assert_eq!(text.matches(REMARK).count(), 3, "{text}");
            assert!(text.contains(&format!(r#""a  b" -> "a b"  {REMARK}"#)), "{text}");
            assert!(text.contains(r#"["x","y"] -> ["y","x"]  (only the order)"#), "{text}");
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            assert!(lines.iter().any(|line| ["-   b", "-       b"].contains(line)), "{text}");
            // An excerpt shows no members of the document, because its content is the same.
            assert_eq!(text.contains(r#"j = {"a":1}"#), !full.is_empty(), "{text}");
        }
        let text = report_of(&["-o", format, "--ignore", "whitespace,set-order"], &plan);
        assert!(!text.contains("(only") && text.contains("Hidden"), "{text}");
    }
}

#[test]
fn lines_are_as_wide_as_asked_for() {
    let long = "word ".repeat(60);
    let plan = change(&json!({"a": "x"}), &json!({"a": long}));
    for width in [40_usize, 100, 200] {
        let text = report_of(&["--width", &width.to_string()], &plan);
        let lines = text.lines().filter(|line| line.starts_with("        "));
        let widest = lines.map(|line| line.chars().count()).max();
        assert!(widest <= Some(width) && widest > Some(width - 12), "{width}: {text}");
    }
    let text = report_of(&["--width", "0"], &plan);
    assert!(text.contains(&format!(r#"~ a = "x" -> "{long}""#)), "{text}");
    for args in [
        &["--width", "39"][..],
        &["--width", "-1"],
        &["--width", "80", "-o", "html"],
        &["--full", "--values", "none"],
    ] {
        let output = run::plansift().arg("report").args(args).arg("-").output().expect("it runs");
        assert_eq!(output.status.code(), Some(64), "{args:?}");
    }
}

#[test]
fn secrets_are_hidden_in_lines() {
    let text = |end: &str| format!("one\ntwo\n  Canary-of-it\nfour\n{end}\nCanary-of-it\n");
    let plan = plan_of(&[
        (
            "a",
            r#""actions":["create"],"before":null,"after":{"p":"Canary-of-it"},
               "after_sensitive":{"p":true}"#,
        ),
        (
            "b",
            &format!(
                r#""actions":["update"],"before":{},"after":{},
                   "before_sensitive":{{"m":true}},"after_sensitive":{{"m":true}}"#,
                json!({"t": text("x"), "m": "Marked-one\nb\nc"}),
                json!({"t": text("y"), "m": "Marked-two\nb\nc", "n": text("z"), "o": [text("z")]})
            ),
        ),
    ]);
    for format in FORMATS {
        for full in [&[][..], &["--full"]] {
            let args: Vec<&str> = ["-o", format].iter().chain(full).copied().collect();
            let text = report_of(&args, &plan);
            assert!(!text.contains("Canary") && !text.contains("Marked"), "{format}: {text}");
            assert!(text.contains("four"), "{format}: {text}");
        }
    }
    let text = report_of(&[], &plan);
    assert!(
        text.contains("            - x\n            + y\n              (repeats a sens"),
        "{text}"
    );
}

#[test]
fn hostile_lines_are_escaped() {
    let text = |end: &str| format!("a\n::error::x\n{}{end}\n##[error]y\n", "::".repeat(60));
    let plan = change(
        &json!({"t": text("\u{1b}[31m"), "l": 1}),
        &json!({"t": text("\u{202e}"), "l": [text("z"), ":".repeat(300)]}),
    );
    for format in ["term", "markdown"] {
        for full in [&[][..], &["--full", "--width", "0"], &["--width", "40"]] {
            let full = if format == "term" { full } else { &[] };
            let args: Vec<&str> = ["-o", format].iter().chain(full).copied().collect();
            let text = report_of(&args, &plan);
            let is_obeyed = |line: &str| line.trim_start().starts_with("::");
            assert!(!text.lines().any(is_obeyed), "{format}: {text}");
            assert!(!text.contains("##[") && !text.contains(['\u{1b}', '\u{202e}']), "{text}");
        }
    }
}

/// Only the changed members have the mark `# forces replacement`, not those that stay.
#[test]
fn unchanged_members_do_not_force_replacement() {
    let values = [json!(["a", "b", "c"]), json!(["a", "b", "d"])];
    let maps = [json!({"k": 1, "l": 1}), json!({"k": 1, "l": 2})];
    let sides = [0, 1].map(|side| json!({"list": values[side], "map": maps[side], "same": 1}));
    let members = format!(
        r#""actions":["delete","create"],"before":{},"after":{},
        "replace_paths":[["list"],["map"]]"#,
        sides[0], sides[1]
    );
    let plan = plan_of(&[("t", &members)]);
    for format in ["term", "markdown"] {
        let text = report_of(&["--full", "-o", format], &plan);
        let is_marked = |line: &&str| line.contains("# forces replacement");
        assert_eq!(text.lines().filter(is_marked).count(), 2, "{format}: {text}");
        for line in text.lines().filter(is_marked) {
            assert!(line.trim_start().starts_with(['!', '~']), "{format}: {text}");
        }
    }
}

/// Each line of a message is a line of the report. The report omits empty messages.
#[test]
fn messages_of_checks_have_lines() {
    let problems = json!([
        {"message": "One.\n\n  Two:\r\n::error::three\n"}, {"message": ""}, {"message": "Four."},
    ]);
    let checks = json!([{
        "address": {"to_display": "check.c"}, "status": "fail",
        "instances": [{"status": "fail", "problems": problems}],
    }]);
    let plan = plan_of(&[]);
    let plan = format!(r#"{},"checks":{checks}}}"#, &plan[..plan.len() - 1]);
    let text = report_of(&[], &plan);
    let expected = "      check.c  fail
        One.

          Two:
        \\u{3a}:error::three

        Four.
";
    assert!(text.contains(expected), "{text}");
}
