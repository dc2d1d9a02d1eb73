//! Compares `plansift redact` with an oracle that knows the whole tree.
//!
//! The oracle (`redaction/model.rs`) says which parts of a text are replaced; all other bytes must
//! stay the same. Some checks need no oracle: the output is JSON without the secrets, gives the
//! records of the original, and redacts to itself. `crates/redact/tests/oracle` has the same
//! checks for the library, with random documents.

mod agent;
mod agree;
mod answers;
mod canaries;
mod decisions;
mod documents;
mod elsewhere;
mod encodings;
mod failing;
mod forms;
mod hostile;
pub mod long;
mod marks;
mod model;
mod parts;
mod properties;
mod sections;
mod texts;
mod threads;
mod tree;

use std::path::Path;

use model::Options;
use plansift::input::Source as _;
use properties::{ECHOES, arguments, other_records};
use serde_json::Value;

use crate::{corpus, generated, run, shared_plans};

/// The output of `redact` for a text, or its error.
fn redact(args: &[&str], text: &[u8]) -> Result<String, String> {
    let args: Vec<_> = ["redact"].iter().chain(args).chain(&["-"]).copied().collect();
    let output = run::piped(&args, text);
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout).expect("UTF-8")),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The first property of redacted documents that does not hold, or `None`.
fn difference(text: &str, options: Options) -> Option<String> {
    let args = arguments(options);
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    properties::broken(text, options, |text| redact(&args, text.as_bytes()))
}

/// The document in a file, decompressed and decoded, without surrounding text.
fn document(path: &Path) -> Option<String> {
    let mut input = corpus::open(path).ok()?;
    while input.fill(0).ok()? {}
    let text = String::from_utf8(input.window().to_vec()).ok()?;
    let start = if text.trim_start().starts_with('{') { 0 } else { text.find("{\"format_ver")? };
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let end = start + values.byte_offset();
    let is_wrapped = start > 0 || !text[end..].trim().is_empty();
    let is_ours = value.get("values").is_some() || shared_plans::is_plan(&value);
    is_ours.then(|| if is_wrapped { text[start..end].to_owned() } else { text })
}

/// Checks the redaction of a text with each kind of echo detection.
fn check_text(name: &str, text: &str, report: &mut Vec<String>) {
    for echo in ECHOES {
        let options = Options { echo, ..Options::default() };
        if let Some(difference) = difference(text, options) {
            report.push(format!("{name}, {echo:?}: {difference}"));
        }
    }
}

/// Checks a text with [`check_text`], and compares its records with those of the original.
fn check(name: &str, text: &str, report: &mut Vec<String>) {
    check_text(name, text, report);
    let is_state = tree::parse(text).get("values").is_some();
    let redacted = redact(&[], text.as_bytes()).unwrap_or_default();
    if !is_state && let Some(difference) = other_records(text, &redacted) {
        report.push(format!("{name}, other records: {difference}"));
    }
}

#[test]
fn the_corpus_is_redacted_as_the_oracle_does_it() {
    let mut report = Vec::new();
    let plans = corpus::cases().into_iter().map(|case| case.plan);
    for path in plans.chain(corpus::states()) {
        let text = document(&path).expect("a document");
        if !tree::parse(&text).has_duplicate_keys() {
            check(&path.to_string_lossy(), &text, &mut report);
        }
    }
    assert!(report.is_empty(), "{}", report.join("\n\n"));
}

#[test]
fn real_plans_and_states_are_redacted_as_the_oracle_does_it() {
    let (mut report, mut held) = (Vec::new(), 0);
    // Compares one of four documents by day.
    for (name, path) in shared_plans::files() {
        let Some(text) = document(&path).filter(|text| redact(&[], text.as_bytes()).is_ok()) else {
            continue;
        };
        if !tree::parse(&text).has_duplicate_keys() {
            if run::is_tried(held) {
                check(&name, &text, &mut report);
            }
            held += 1;
        }
    }
    run::assert_enough(held, 400, 120);
    assert!(report.is_empty(), "{}", report.join("\n\n"));
}

#[test]
fn generated_plans_are_redacted_as_the_oracle_does_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut report = Vec::new();
    for shape in ["estate", "busy", "first-run", "policy"] {
        let generated = |layout: &[&str], size| {
            let (text, _) = generated::generated(folder.path(), shape, layout, size);
            String::from_utf8(text).expect("UTF-8")
        };
        for layout in [&[][..], &["--indent", "--sort-keys"]] {
            check(&format!("{shape} {layout:?}"), &generated(layout, 200_000), &mut report);
        }
        // Long enough for several chunks of output. Some keys are secret, so records omit them from
        // paths.
        check_text(&format!("{shape}, long"), &generated(&[], 700_000), &mut report);
    }
    assert!(report.is_empty(), "{}", report.join("\n\n"));
}

#[test]
fn an_import_in_drift_is_masked_by_the_marks_of_its_resource() {
    let change = |address: &str, change: &str| {
        format!(
            r#"{{"address":"{address}","type":"a","name":"b","change":{{"actions":["update"],
                "before":{{"p":"abcde"}},"after":{{"p":"abcde","q":1}},{change}}}}}"#
        )
    };
    let import = r#""importing":{"id":"abcde"},"before_sensitive":{},"after_sensitive":{}"#;
    let marked = change("a.b", r#""before_sensitive":{"p":true},"after_sensitive":{"p":true}"#);
    let plan = |address: &str| {
        let other = change(address, import);
        format!(
            r#"{{"format_version":"1.2","resource_drift":[{other}],
                "deferred_changes":[{{"reason":"x","resource_change":{other}}}],
                "resource_changes":[{marked}]}}"#
        )
    };
    for (address, count) in [("a.b", 0), ("a.other", 2)] {
        let text = plan(address);
        let redacted = redact(&[], text.as_bytes()).expect("a plan");
        assert_eq!(redacted.matches(r#""id":"abcde""#).count(), count, "{redacted}");
        assert_eq!(other_records(&text, &redacted), None, "{redacted}");
    }
}
