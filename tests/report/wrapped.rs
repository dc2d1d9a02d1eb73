//! Secrets inside longer texts: in documents, lines and messages.

use serde_json::{Value, json};

use super::{plan_of, report_of};

/// Formats with values.
const FORMATS: [&str; 3] = ["term", "markdown", "html"];

/// Formats without values. plansift writes them while it reads the plan.
const WITHOUT_VALUES: [&str; 5] = ["junit", "sarif", "gitlab", "json", "variables"];

/// The secret.
const CANARY: &str = "Canary-of-it";

/// The members of a change that creates something.
fn created(after: &Value, sensitive: &str) -> String {
    format!(r#""actions":["create"],"before":null,"after":{after},"after_sensitive":{sensitive}"#)
}

/// A plan with the marked value `marked`, and with `text` in places without a mark: as an old, a
/// new and an unchanged value, and in lists. If the secret is a single line, `text` is also part of
/// a longer text, and the id of an import.
fn plan(marked: &str, text: &str) -> String {
    let has_lines = marked.trim().contains('\n');
    let marked = created(&json!({"p": marked}), r#"{"p":true}"#);
    let created = created(&json!({"created": text, "list": [text], "open": "seen"}), "{}");
    let created =
        format!(r#"{created},"importing":{}"#, json!({"id": if has_lines { "x" } else { text }}));
    let update = |before: Value, after: Value| {
        format!(r#""actions":["update"],"before":{before},"after":{after}"#)
    };
    let more = if has_lines { "more\n".to_owned() } else { format!("{text}\nmore\n") };
    let changes = [
        update(
            json!({"t": text, "u": "other", "l": [text]}),
            json!({"t": "x", "u": text, "l": []}),
        ),
        update(json!({"t": text, "same": text}), json!({"t": more, "same": text})),
    ];
    plan_of(&[("a", &marked), ("b", &created), ("c", &changes[0]), ("d", &changes[1])])
}

/// Adds a check to a plan. One of its messages is `text`, the other has `text` as a line.
fn with_checks(plan: &str, text: &str) -> String {
    let line = if text.trim().contains('\n') { text.to_owned() } else { format!("No.\n{text}") };
    let check = json!({
        "address": {"to_display": "check.c"}, "status": "fail",
        "instances": [{"problems": [{"message": text}, {"message": line}]}],
    });
    format!(r#"{},"checks":[{check}]}}"#, &plan[..plan.len() - 1])
}

/// Asserts that no report shows the secret `marked`, although the plan repeats it in `text`.
fn assert_hidden(marked: &str, text: &str) {
    let plan = plan(marked, text);
    for format in WITHOUT_VALUES {
        let report = report_of(&["-o", format], &plan);
        assert!(!report.contains("Canary"), "{text:?} {format}: {report}");
    }
    let plan = if marked.trim().contains('\n') { plan } else { with_checks(&plan, text) };
    for format in FORMATS {
        for more in [&[][..], &["--full"], &["--values", "all"], &["--echo", "contains"]] {
            let args: Vec<&str> = ["-o", format].iter().chain(more).copied().collect();
            let report = report_of(&args, &plan);
            assert!(!report.contains("Canary"), "{text:?} {format} {more:?}: {report}");
        }
    }
    assert!(report_of(&[], &plan).contains("+ open"), "{text:?}");
}

#[test]
fn secrets_are_hidden_in_yaml() {
    for text in [
        "a: 1\n---\nb: Canary-of-it\n",
        "---\nb:\n- Canary-of-it\n---\n{broken\n",
        "- one\n- Canary-of-it\n",
        "k: Canary-of-it",
        "k:\tCanary-of-it",
        "k:\tCanary-of-it\nl:\tm\n",
        "- k: 'Canary-of-it' # a comment\n  {{ template }}\n",
        "{k: [x, Canary-of-it]}",
        "Canary-of-it: x",
        "{{ template }}\nCanary-of-it: x\nk: y\n",
        "# Canary-of-it\n",
    ] {
        assert_hidden(CANARY, text);
    }
    // The secret has several lines.
    let secret = "Canary-of-it\nCanary-two";
    assert_hidden(secret, "a: 1\n---\nb: |\n  Canary-of-it\n  Canary-two\n---\nc: 1\n");
    assert_hidden(secret, "- |-\n  Canary-of-it\n  Canary-two\n- b: 1\n");
}

#[test]
fn secrets_are_hidden_in_json() {
    for text in [
        r#""Canary-of-it""#,
        r#""\u0043anary-of-it""#,
        r#""{\"k\":\"Canary-of-it\"}""#,
        "\u{feff}{\"k\":\"Canary-of-it\"}",
        "{\"a\":1}\n{\"k\":\"Canary-of-it\"}\n",
        "{\"a\":1}\n{\"k\":\"{\\\"l\\\":\\\"Canary-of-it\\\"}\"}\n",
        "{\"k\":\r\"Canary-of-it\"}\r",
        "{\"a\":1}\r{\"k\":\"Canary-of-it\"}\r",
        "x\ry\rCanary-of-it\rz",
        "{\"k\":\n\"Canary-of-it\"\n}\n{\"k\":\n\"x\"}",
    ] {
        assert_hidden(CANARY, text);
    }
    assert_hidden("Canary-of-it\nCanary-two", "{\"a\":1}\n{\"k\":\"Canary-of-it\\nCanary-two\"}\n");
}

#[test]
fn secrets_are_hidden_in_lines_of_any_kind() {
    for text in [
        "export TOKEN=Canary-of-it\n",
        "it's 'Canary-of-it', isn't it\n",
        "password = \"Canary-of-it\"\n",
        "Canary-of-it\n",
        "  Canary-of-it\r\n",
    ] {
        assert_hidden(CANARY, text);
        assert_hidden("Canary-of-it\r\n", text);
    }
}

#[test]
fn secret_documents_are_hidden_in_any_formatting() {
    let marked = r#"{"user":"Canary-u","number":[1,{}],"password":"Canary-p\u00e9"}"#;
    for text in [
        "{\n  \"user\": \"Canary-u\", \"number\": [1, {}],\n  \"password\": \"Canary-pé\"\n}\n",
        r#"{"number":[1.0,{}],"password":"Canary-p\u00e9","user":"Canary-u"}"#,
    ] {
        assert_hidden(text, marked);
        if !text.contains('\n') {
            assert_hidden(marked, text);
        }
        let plan = plan_of(&[
            ("a", &created(&json!({"p": marked}), r#"{"p":true}"#)),
            ("b", &created(&json!({"created": text, "list": [text]}), "{}")),
        ]);
        assert!(!report_of(&[], &plan).contains("Canary"), "{text}");
    }
    // A document with other content is shown.
    for text in [r#"{"user":"Open","number":[{},1]}"#, r#"{"user":"Open","number":[1]}"#] {
        let plan = plan(r#"{"user":"Open","number":[1,{}]}"#, text);
        assert!(report_of(&[], &plan).contains("Open"), "{text}");
    }
}

#[test]
fn only_echo_contains_hides_lines_that_contain_a_secret() {
    let plan = plan(CANARY, "url://Canary-of-it@host");
    assert!(report_of(&[], &plan).contains("url://"));
    assert!(!report_of(&["--echo", "contains"], &plan).contains("url://"));
}
