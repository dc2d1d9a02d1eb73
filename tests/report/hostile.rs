//! Texts of a plan that look like markup, links, mentions or commands, in every place of a report.

use pulldown_cmark::{Event, Parser};
use serde_json::{Value, json};

use super::page;
use super::{folder, report};

/// Occurs in each hostile text, so that a test can find the text.
const WORD: &str = "EVIL";

/// Texts that would act as markup or commands if a report did not escape them.
fn texts() -> Vec<String> {
    let texts = [
        "</summary></details><script>EVIL()</script>",
        "<!-- EVIL",
        "--> EVIL",
        "`EVIL` ``EVIL``` **EVIL** _EVIL_ ~~EVIL~~",
        "[EVIL](https://evil.example/EVIL) ![EVIL](https://evil.example/EVIL.png)",
        "@EVIL #EVIL !EVIL $EVIL https://evil.example/EVIL EVIL@evil.example www.EVIL.example",
        "| EVIL | EVIL |\n| --- | --- |",
        "\\| EVIL \\` \\",
        "\n\n## EVIL\n\n- EVIL\n\n<b>EVIL</b>\n\n[EVIL]: https://evil.example",
        "```\nEVIL\n````\n~~~\n# EVIL",
        "\r::error::EVIL\n::set-output name=EVIL::EVIL\n##[error]EVIL",
        "\u{202e}EVIL\u{2066}\u{200b}\u{feff}\u{1b}[31mEVIL\u{0}\u{9b}",
        " EVIL ",
        "`",
        "",
        "&lt;EVIL&gt; &#60;EVIL",
        "EVIL\n</x>\n/approve\n/merge EVIL",
    ];
    let mut texts: Vec<String> = texts.map(str::to_owned).to_vec();
    texts.push(format!("EVIL{}", "`".repeat(5000)));
    texts.push(format!("EVIL{}", "|".repeat(5000)));
    texts.push(format!("EVIL{}", "\u{301}".repeat(100_000)));
    texts
}

fn change(text: &str, action: &str) -> Value {
    json!({
        "address": format!("module.m.{text}"), "previous_address": text,
        "module_address": format!("module.m.{text}"), "mode": "managed",
        "type": text, "name": text, "index": text, "deposed": text, "provider_name": text,
        "action_reason": text,
        "change": {
            "actions": [action],
            "before": {"gone": text, text: {"deep": [text]}, "both": text},
            "after": {"new": text, "both": [text, {text: text}]},
            "after_unknown": {format!("{text}?"): true},
            "replace_paths": [[text]],
            "importing": {"id": text},
        },
    })
}

/// A plan that has `text` in every place.
fn plan(text: &str) -> String {
    let word: String = text.chars().take(200).collect();
    let actions = ["create", "update", "delete", "read", "forget", "no-op", &word];
    let mut changes: Vec<Value> = actions.iter().map(|action| change(text, action)).collect();
    let mut instance = change(text, "update");
    instance["address"] = json!(format!("a.b[\"{text}\"]"));
    for key in ["module_address", "deposed"] {
        instance.as_object_mut().expect("an object").remove(key);
    }
    changes.extend([instance.clone(), instance]);
    json!({
        "format_version": "1.2",
        "terraform_version": text,
        "resource_changes": changes,
        "resource_drift": [change(text, "update"), change(text, "delete")],
        "deferred_changes": [{"reason": text, "resource_change": change(text, "create")}],
        "output_changes": {
            text: {"actions": ["update"], "before": text, "after": {text: text}},
            "o": {"actions": ["create"], "before": null, "after": text},
        },
        "action_invocations": [{
            "address": text, "type": text, "name": text,
            "lifecycle_action_trigger": {"triggering_resource_address": text},
        }],
        "checks": [
            {"address": {"to_display": text, "kind": text}, "status": "fail",
             "instances": [{"status": "fail", "problems": [{"message": text}, {"message": text}]}]},
            {"address": {"to_display": text}, "status": word},
        ],
        "errored": true,
    })
    .to_string()
}

#[test]
fn texts_of_a_plan_stay_in_code() {
    for text in texts() {
        let folder = folder(&[], &[("plan.json", &plan(&text))]);
        for args in [&["--all"][..], &["--fit", "3000"], &["--fail-on", "changes"]] {
            let args: Vec<&str> =
                ["-o", "markdown"].iter().chain(args).chain(&["plan.json"]).copied().collect();
            let run = report(folder.path(), &args, &[]);
            assert!(matches!(run.code, Some(0 | 3)), "{text:?}: {run:?}");
            let page = page::read(&run.out);
            assert!(!page.text.contains(WORD), "{text:?}: {}", page.text);
            let is_shown = page.code.iter().any(|code| code.contains(WORD));
            assert!(is_shown || !text.contains(WORD), "{text:?}: {}", run.out);
            let command = run.out.lines().find(|line| line.starts_with('/'));
            assert_eq!(command, None, "{text:?}: a quick action of GitLab");
            let odd = |character: &char| character.is_control() && *character != '\n';
            assert_eq!(run.out.chars().find(odd), None, "{text:?}");
            assert!(
                !run.out.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}']),
                "{text:?}"
            );
        }
    }
}

/// Many changes and an unknown value inside very deep containers. If the report examined the
/// content of a container once for each level, it would take hours.
#[test]
fn deep_nesting_takes_linear_time() {
    const DEPTH: usize = 9000;
    let nest = |inner: &str| format!("{}{inner}{}", r#"{"a":"#.repeat(DEPTH), "}".repeat(DEPTH));
    let side = |value: &str| {
        let members: Vec<String> = (0..500).map(|name| format!(r#""k{name}":{value}"#)).collect();
        nest(&format!("{{{}}}", members.join(",")))
    };
    let change = format!(
        r#""actions":["update"],"before":{},"after":{},"after_unknown":{}"#,
        side("1"),
        side("2"),
        nest(r#"{"u":true}"#)
    );
    let args = ["--limit-paths", "64M"];
    let text = super::report_of(&args, &super::plan_of(&[("a", &change)]));
    assert!(text.contains("1 to change"), "{text}");
}

/// Reports do not compare an import with every secret if no part of the import can be a secret.
#[test]
fn imports_of_null_take_linear_time() {
    const MANY: usize = 150_000;
    let list = |what: &str| vec![what; MANY].join(",");
    let change = format!(
        r#""actions":["create"],"before":null,"after":{{"l":[{}]}},"after_sensitive":{{"l":[{}]}},
           "importing":{{"identity":[{}]}}"#,
        list(r#""x""#),
        list("true"),
        list("null")
    );
    let text = super::report_of(&[], &super::plan_of(&[("a", &change)]));
    assert!(text.contains("1 to import"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_inputs_and_rules_stay_in_code() {
    for text in texts().iter().filter(|text| !text.contains('\0') && !text.trim().is_empty()) {
        let name: String = text.replace('/', "_").chars().take(50).collect();
        let plan = &plan("a.b");
        let folder = folder(&[], &[(&format!("{name}.json"), plan), ("x.json", plan)]);
        std::fs::write(folder.path().join(format!("cut{name}.json")), &plan[..90]).expect("a file");
        let rule = format!("changes:{WORD}*");
        let args = ["-o", "markdown", "--fail-on", "changes", "--fail-on", &rule, "."];
        let run = report(folder.path(), &args, &[]);
        assert_eq!(run.code, Some(4), "{run:?}");
        let page = page::read(&run.out);
        assert!(!page.text.contains(WORD), "{}", page.text);
        let columns = page.rows[0].len();
        assert!(page.rows.iter().all(|row| row.len() == columns), "{:?}", page.rows);
    }
}

#[test]
fn the_parser_finds_markup() {
    // The tests above rely on `page::read`: it panics at markup that reports do not write.
    for bad in ["EVIL", "a <b>", "**EVIL**"] {
        let has_text = Parser::new(bad).any(|event| matches!(event, Event::Text(_)));
        assert!(has_text, "{bad}");
    }
    for bad in ["<b>a</b>", "[a](b)", "# a\n\n<script>", "![a](b)", "<details>\n\na"] {
        assert!(std::panic::catch_unwind(|| page::read(bad)).is_err(), "{bad}");
    }
}
