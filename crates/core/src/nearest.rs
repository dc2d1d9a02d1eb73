//! Finds the known word closest to a mistyped one, for messages that ask "did you mean ...?".

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::path::module_calls;

const SAMPLE_MAX: usize = 4096;

/// The maximum length of a string to compare, in bytes. The time is quadratic in the length.
const LEN_MAX: usize = 128;

/// Words that users write instead of known words.
const SYNONYMS: [(&str, &str); 16] = [
    ("add", "create"),
    ("dotenv", "variables"),
    ("edit", "update"),
    ("env", "variables"),
    ("err", "error"),
    ("htm", "html"),
    ("md", "markdown"),
    ("modify", "update"),
    ("moved", "move"),
    ("plan", "summary"),
    ("recreate", "replace"),
    ("remove", "delete"),
    ("text", "term"),
    ("txt", "term"),
    ("warn", "warning"),
    ("xml", "junit"),
];

/// Returns the word that is a synonym of `text`, or else the word with the smallest edit distance.
/// Of several such words, the first one wins. Returns `None` if more than a third of the letters
/// would change.
pub fn nearest<W: AsRef<str>>(text: &str, words: impl IntoIterator<Item = W>) -> Option<W> {
    let mut nearest = None;
    let mut least = text.chars().count() / 3 + 1;
    let synonym = SYNONYMS.iter().find(|(other, _)| text.eq_ignore_ascii_case(other));
    for word in words {
        if synonym.is_some_and(|(_, known)| *known == word.as_ref()) {
            return Some(word);
        }
        if let Some(distance) = distance(text, word.as_ref()).filter(|distance| *distance < least) {
            (nearest, least) = (Some(word), distance);
        }
    }
    nearest
}

/// Returns the end of a message that suggests `near`, or an empty string.
pub fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

/// The words that an address may begin with and that users leave out.
const KINDS: [&str; 5] = ["action.", "check.", "data.", "output.", "var."];

/// Returns the known address that is most similar to `text`. An address is also compared without
/// its leading modules and its kind, because the user may have left them out.
pub fn nearest_address(text: &str, known: &[&str]) -> Option<String> {
    let mut ends: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    for &name in known {
        let mut end = name;
        for call in module_calls(name).filter(|call| call.end < name.len()) {
            end = &name[call.end + 1..];
            ends.push((end, name));
        }
        let bare = KINDS.iter().find_map(|kind| end.strip_prefix(kind));
        ends.extend(bare.map(|bare| (bare, name)));
    }
    let nearest = nearest(text, ends.iter().map(|(end, _)| *end))?;
    ends.iter().find(|(end, _)| *end == nearest).map(|(_, name)| (*name).to_owned())
}

/// A bounded sample of names. It keeps the names with the smallest digests, so the order of the
/// names does not matter.
#[derive(Debug, Default)]
pub struct Sample(BTreeMap<u64, String>);

impl Sample {
    /// Adds a name, unless it is too long to compare.
    pub fn add(&mut self, name: &str) {
        if name.is_empty() || name.len() > LEN_MAX {
            return;
        }
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let digest = hasher.finish();
        let is_full = self.0.len() >= SAMPLE_MAX;
        if is_full && self.0.last_key_value().is_some_and(|(last, _)| *last < digest) {
            return;
        }
        self.0.entry(digest).or_insert_with(|| name.to_owned());
        if self.0.len() > SAMPLE_MAX {
            self.0.pop_last();
        }
    }

    /// Returns the names, in the order of their digests.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }
}

/// Returns the edit distance: the number of letters to insert, remove, replace or swap with the
/// next letter. Ignores case. Returns `None` for strings longer than [`LEN_MAX`].
fn distance(a: &str, b: &str) -> Option<usize> {
    if a.len().max(b.len()) > LEN_MAX {
        return None;
    }
    let [a, b] = [a, b].map(|text| text.to_ascii_lowercase().chars().collect::<Vec<_>>());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(letter != other);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == b[j - 1] && a[i - 1] == *other {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_does_not_depend_on_the_order_of_names() {
        let names: Vec<String> = (0..2 * SAMPLE_MAX).map(|number| number.to_string()).collect();
        let (mut one, mut other) = (Sample::default(), Sample::default());
        names.iter().for_each(|name| one.add(name));
        names.iter().rev().for_each(|name| other.add(name));
        assert_eq!((one.0.len(), &one.0), (SAMPLE_MAX, &other.0));
    }

    #[test]
    fn typos_and_synonyms_find_the_intended_word() {
        let words = ["create", "update", "delete", "destroy", "changes", "sensitive-path"];
        for (text, word) in [
            ("deletes", Some("delete")),
            ("Delete", Some("delete")),
            ("dleete", Some("delete")),
            ("destory", Some("destroy")),
            ("change", Some("changes")),
            ("sensitive_path", Some("sensitive-path")),
            ("remove", Some("delete")),
            ("Add", Some("create")),
            ("modify", Some("update")),
            ("shrink", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(text, words), word, "{text}");
        }
        assert_eq!(nearest(&"x".repeat(1000), ["x"]), None);
    }
}
