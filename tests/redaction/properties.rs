//! What holds for every redacted document. The program and the library are tested with it.

use plansift::input::Slice;
use serde_json::Value;

use super::agree::{self, Masks};
use super::model::{self, Echo, Options, Redaction};
use super::tree;
use crate::{library, naive};

pub const ECHOES: [Echo; 3] = [Echo::Equal, Echo::Contains, Echo::Off];

/// Returns the first property that does not hold for the redaction of `text`, or `None`.
pub fn broken(
    text: &str,
    options: Options,
    redact: impl Fn(&str) -> Result<String, String>,
) -> Option<String> {
    let redaction = model::redaction(text, options);
    let redacted = match redact(text) {
        Ok(redacted) => redacted,
        Err(error) => return Some(error),
    };
    let twice = redact(&redacted);
    agree::difference(text, &redaction, &redacted, Masks::Text)
        .or_else(|| left_over(&redaction, &redacted, options))
        .or_else(|| (twice.as_ref() != Ok(&redacted)).then(|| format!("redacts to {twice:?}")))
}

/// A secret that occurs in a redacted document as a string, as a number, or as a key that is not an
/// attribute name.
fn left_over(redaction: &Redaction, redacted: &str, options: Options) -> Option<String> {
    if let Err(error) = serde_json::from_str::<Value>(redacted) {
        return Some(error.to_string());
    }
    if options.echo == Echo::Off {
        return None;
    }
    let exempt = model::redaction(redacted, options).exempt;
    let document = tree::parse(redacted);
    let nodes = document.all();
    let texts = nodes.iter().filter(|node| !exempt.contains(&node.range.start));
    let texts = texts.filter_map(|node| node.text());
    let keys = nodes.iter().flat_map(|node| node.members()).map(|member| member.key.as_str());
    let keys = keys.filter(|key| !model::is_attribute(key));
    let found = texts.chain(keys).find(|text| redaction.candidates.contains(*text));
    found.map(|text| format!("`{text}` is left"))
}

/// The arguments for the options of the oracle.
pub fn arguments(options: Options) -> Vec<String> {
    let echo = format!("{:?}", options.echo).to_lowercase();
    vec!["--echo".into(), echo, "--echo-min".into(), options.echo_min.to_string()]
}

/// The records of a plan, without those about the text itself.
fn records(text: &str) -> Vec<Value> {
    let (mut records, _) =
        library::records(Slice(text.as_bytes()), &library::all()).expect("a plan");
    records.last_mut().expect("a summary")["bytes"] = Value::Null;
    records
}

/// The differences between the records of a redacted plan and those of the original.
///
/// A value with a mismatched overlay is masked as a whole. The paths inside it are gone, so records
/// show its changes and unknown values as one path; for such a plan only the rest is compared. The
/// `sensitive` list of the original omits paths in drift or deferred changes that only another
/// section marks.
///
/// The records of the original mask an import by the marks of its own change only. `redact` knows
/// more: it masks an import that repeats a long secret of any resource. It also masks an import in
/// drift or in deferred changes that equals a value which only another section marks. Such imports
/// are compared in masked form.
pub fn other_records(text: &str, redacted: &str) -> Option<String> {
    let redaction = model::redaction(text, Options::default());
    let mut both = [records(redacted), records(&with_masked_imports(text, &redaction))];
    for record in &mut both[1] {
        if let Some(importing) = record.get_mut("importing") {
            mask_echoes(importing, &redaction);
        }
    }
    for record in both.iter_mut().flatten() {
        let record = record.as_object_mut().expect("a record");
        let is_of_other_section = matches!(
            record.get("kind").and_then(Value::as_str),
            Some("resource_drift" | "deferred_change")
        );
        let has_foreign_marks = redaction.foreign > 0 && is_of_other_section;
        let is_left_out = |key: &str| match key {
            "sensitive" => has_foreign_marks,
            key => {
                redaction.misfits > 0 && (key.starts_with("changed") || key.starts_with("unknown"))
            }
        };
        record.retain(|key, _| !is_left_out(key));
    }
    naive::difference(&both[0], &both[1])
}

/// A plan in which only the imports of drift and of deferred changes are redacted.
fn with_masked_imports(text: &str, redaction: &Redaction) -> String {
    let document = tree::parse(text);
    let elements = |key: &str| document.get(key).map_or(&[][..], tree::Node::elements).iter();
    let deferred = elements("deferred_changes").filter_map(|it| it.get("resource_change"));
    let changes = elements("resource_drift").chain(deferred).filter_map(|it| it.get("change"));
    let imports: Vec<_> = changes.filter_map(|it| it.get("importing")).collect();
    let is_import = |edit: &&model::Edit| {
        let start = edit.range.start;
        edit.put == model::Put::Mask && imports.iter().any(|it| it.range.contains(&start))
    };
    let mut masked = text.to_owned();
    for edit in redaction.edits.iter().rev().filter(is_import) {
        masked.replace_range(edit.range.clone(), &format!("\"{}\"", model::MASK));
    }
    masked
}

fn mask_echoes(value: &mut Value, redaction: &Redaction) {
    match value {
        Value::String(text) if redaction.candidates.contains(text) => *value = model::MASK.into(),
        Value::Array(elements) => elements.iter_mut().for_each(|it| mask_echoes(it, redaction)),
        Value::Object(members) => members.values_mut().for_each(|it| mask_echoes(it, redaction)),
        _ => {}
    }
}
