//! Expensive documents: redaction gives the right answer in bounded memory, or fails with the limit
//! that the document exceeds.
//!
//! Each test builds its document twice, with the secrets and with the expected masks.

use std::fs;
use std::process::Output;

use crate::run;

const MASK: &str = "(sensitive value)";
const CHANGED: &str = "(sensitive value, changed)";

/// A resource change from nothing to `after`.
fn created(after: &str, after_sensitive: &str) -> String {
    changed("null", after, after_sensitive)
}

fn changed(before: &str, after: &str, after_sensitive: &str) -> String {
    let names = r#""address":"a.b","mode":"managed","type":"a","name":"b""#;
    let values = format!(r#""before":{before},"after":{after},"after_unknown":{{}}"#);
    let marks = format!(r#""before_sensitive":{{}},"after_sensitive":{after_sensitive}"#);
    format!(r#"{{{names},"change":{{"actions":["update"],{values},{marks}}}}}"#)
}

fn plan(changes: &[String]) -> String {
    format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","))
}

/// Runs `redact` on a file with that text.
fn redact(args: &[&str], text: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    fs::write(&path, text).expect("a file");
    run::plansift().args(["redact", "--stats"]).args(args).arg(path).output().expect("it runs")
}

/// Asserts that `text` redacts to `expected`, and that the peak of memory stays within 64 MiB plus
/// seven times the largest change.
#[track_caller]
fn assert_redacts(args: &[&str], text: &str, expected: &str, largest_change: usize) {
    let output = redact(args, text);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(output.stdout == expected.as_bytes(), "another text");
    if cfg!(target_os = "linux") {
        let max = 64.0 + 7.0 * largest_change as f64 / (1 << 20) as f64;
        let peak = run::peak(&said);
        assert!(peak < max, "{peak} MiB, more than {max}");
    }
}

#[track_caller]
fn is_refused(args: &[&str], text: &str, option: &str) {
    let output = redact(args, text);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(option), "{said}");
}

/// A plan with `count` secrets, each in a marked place and in a place without a mark.
fn secrets(count: u64, secret: impl Fn(u64) -> String) -> String {
    let marked = |number| created(&format!(r#"{{"s":"{}"}}"#, secret(number)), r#"{"s":true}"#);
    let echo = |number| created(&format!(r#"{{"e":"{}"}}"#, secret(number)), "{}");
    plan(&(0..count).map(marked).chain((0..count).rev().map(echo)).collect::<Vec<_>>())
}

#[test]
fn many_secrets_are_redacted_up_to_the_limit() {
    let secret =
        |number: u64| format!("secret-{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let expected = |count| secrets(count, |_| MASK.to_owned());
    let text = secrets(150_000, secret);
    assert_redacts(&[], &text, &expected(150_000), 0);
    is_refused(&["--limit-secrets", "149999"], &text, "--limit-secrets");
    is_refused(&["--limit-document-marks", "1"], &text, "--limit-document-marks");
    is_refused(&["--echo", "contains"], &text, "--limit-secret-texts");
    // Each secret has 23 bytes.
    let limited = |limit| ["--echo", "contains", "--limit-secret-texts", limit];
    is_refused(&limited("3449999"), &text, "--limit-secret-texts");
    assert_redacts(&limited("3450000"), &text, &expected(150_000), 0);
}

#[test]
fn a_secret_repeated_in_many_changes_is_redacted() {
    let text = |secret: &str| {
        let mut changes = vec![created(&format!(r#"{{"s":"{secret}"}}"#), r#"{"s":true}"#)];
        changes.resize(200_000, created(&format!(r#"{{"s":"{secret}"}}"#), "{}"));
        plan(&changes)
    };
    assert_redacts(&[], &text("the only secret"), &text(MASK), 0);
    assert_redacts(&["--echo", "contains"], &text("the only secret"), &text(MASK), 0);
}

#[test]
fn a_secret_repeated_in_one_change_is_redacted() {
    const COUNT: usize = 300_000;
    let text = |secret: &str, masked: &str| {
        let list = |text: &str| format!(r#"["{text}"{}]"#, format!(r#","{text}""#).repeat(COUNT));
        let [before, after] = [list("another text"), list(masked)]
            .map(|list| format!(r#"{{"name":"{secret}","list":{list}}}"#));
        let marked = created(&format!(r#"{{"s":"{secret}"}}"#), r#"{"s":true}"#);
        let large = changed(&before, &after, "{}");
        (large.len(), plan(&[marked, large]))
    };
    let (len, plan) = text("the only secret", "the only secret");
    assert_redacts(&["--limit-marks", "400000"], &plan, &text(MASK, CHANGED).1, len);
}

#[test]
fn many_marks_in_one_change_are_redacted() {
    const COUNT: usize = 200_000;
    let text = |secret: &str, masked: &str| {
        let list = |text: &str| format!("[{text}{}]", format!(",{text}").repeat(COUNT));
        let object = |text: &str| {
            let members = (0..COUNT).map(|number| format!(r#""k{number:06}":{text}"#));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        };
        let both = |text: &str| format!(r#"{{"list":{},"object":{}}}"#, list(text), object(text));
        let large = changed(&both(secret), &both(masked), &both("true"));
        (large.len(), plan(&[large]))
    };
    let (len, plan) = text(r#""before""#, r#""after""#);
    let quoted = |text: &str| format!("\"{text}\"");
    let raised = ["--limit-marks", "500000"];
    assert_redacts(&raised, &plan, &text(&quoted(MASK), &quoted(CHANGED)).1, len);
}

#[test]
fn secrets_that_are_prefixes_of_each_other_are_redacted() {
    let long = |secret: &str| format!(r#"{{"s":"{secret}"}}"#);
    let text = |of: &dyn Fn(usize) -> String| {
        let marked = |len| created(&long(&of(len)), r#"{"s":true}"#);
        let echoes = (0..50).map(|_| created(&long(&of(20_000)), "{}"));
        plan(&(8..400).map(marked).chain(echoes).collect::<Vec<_>>())
    };
    let (text, expected) = (text(&|len| "a".repeat(len)), text(&|_| MASK.to_owned()));
    assert_redacts(&["--echo", "contains"], &text, &expected, 0);
}

#[test]
fn values_with_misfitting_overlays_are_redacted() {
    let overlay =
        |depth: usize| format!(r#"{{"s":{}true{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let text = |secret: &str| {
        let of = |depth| created(&format!(r#"{{"s":"{secret}"}}"#), &overlay(depth));
        plan(&(0..20_000).map(|number| of(number % 300)).collect::<Vec<_>>())
    };
    assert_redacts(&[], &text("x"), &text(MASK), 0);
}

#[test]
fn long_white_space_counts_toward_the_change_limit() {
    let space = " ".repeat(40 << 20);
    let text = |secret: &str| {
        let marked = created(&format!(r#"{{"s":"{secret}"}}"#), r#"{"s":true}"#);
        plan(&[marked.clone(), format!("{space}{marked}")])
    };
    assert_redacts(&[], &text("secret"), &text(MASK), space.len());
    is_refused(&["--limit-change", "16M"], &text("secret"), "--limit-change");
}

/// `--check structure` ignores an invalid word that plansift skips, even beside an echo.
#[test]
fn check_structure_keeps_invalid_words_beside_echoes() {
    let plan = |text: &str| {
        let after = format!(r#"{{"p":"{text}","list":["{text}"]}}"#);
        let change = changed(&format!(r#"{{"p":"{text}"}}"#), &after, r#"{"p":true}"#);
        plan(&[change.replace("[\"update\"]", "[up\"date\"]")])
    };
    for threads in ["1", "2"] {
        let args = ["--check", "structure", "--threads", threads];
        assert_redacts(&args, &plan("hunter22hunter22"), &plan(MASK), 0);
    }
}
