//! The differences from the answers of Go, by rule.

use plansift::known::SENSITIVE;
use serde_json::Value as Json;

use super::answer::{Answer, has_kind};

/// A reason why an answer differs on purpose.
pub struct Rule {
    pub name: &'static str,
    pub reason: &'static str,
    pub explains: fn(&Json, &Answer) -> bool,
}

pub const RULES: [Rule; 1] = [Rule {
    name: "sensitive",
    reason: "Go quotes a value that is marked sensitive; here the text is masked",
    explains: is_masked,
}];

/// Whether the texts are equal but for the masks, and the kinds are equal. Of a text with a digest,
/// only the beginning of the first line is known.
fn is_masked(vector: &Json, answer: &Answer) -> bool {
    let Answer::Failed(failure) = answer else { return false };
    let parts: Vec<&str> = failure.text().split(SENSITIVE).collect();
    let [first, middle @ .., last] = &parts[..] else { return false };
    if !has_kind(vector, failure) {
        return false;
    }
    if let Some(line) = vector["error_digest"]["first_line"].as_str() {
        return line.starts_with(first) || first.starts_with(line);
    }
    let Some(error) = vector["error"].as_str() else { return false };
    let Some(mut rest) = error.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
