//! What holds for every redacted document. The program and the library are tested with it.

use serde_json::Value;

use super::agree::{self, Masks};
use super::model::{self, Echo, Options, Redaction};
use super::tree;

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
