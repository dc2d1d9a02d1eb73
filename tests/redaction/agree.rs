//! Compares a redacted text with the oracle's edits of the original.
//!
//! Outside the edits the two texts must have the same bytes. In place of an edit there must be a
//! mask. The comparison leaves some details of a mask open: the number or digest of a secret, and
//! whether the mask says that its value changes. (Another test compares the records of both
//! documents.)

use std::collections::BTreeMap;

use super::model::{Edit, Put, Redaction, is_mask};

/// The kind of masks in a redacted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masks {
    Text,
    Hash,
    Null,
}

/// Describes the first difference from the expected redaction; `None` if there is none.
pub fn difference(
    text: &str,
    redaction: &Redaction,
    redacted: &str,
    masks: Masks,
) -> Option<String> {
    let mut reader = Reader { rest: redacted, masks, numbers: BTreeMap::new() };
    let mut at = 0;
    for edit in &redaction.edits {
        let kept = &text[at..edit.range.start];
        if let Err(found) = reader.kept(kept).and_then(|()| reader.edit(edit)) {
            let context = &text[text[..edit.range.start]
                .floor_char_boundary(at.max(edit.range.start.saturating_sub(200)))..];
            return Some(format!(
                "{found}\nbefore {edit:?}: {}",
                &context[..context.floor_char_boundary(400)]
            ));
        }
        at = edit.range.end;
    }
    match reader.kept(&text[at..]) {
        Ok(()) if reader.rest.is_empty() => None,
        Ok(()) => Some(format!("too much: {}", reader.rest)),
        Err(found) => Some(found),
    }
}

struct Reader<'a> {
    rest: &'a str,
    masks: Masks,
    /// The mask of each key.
    numbers: BTreeMap<String, String>,
}

impl Reader<'_> {
    fn kept(&mut self, kept: &str) -> Result<(), String> {
        if let Some(rest) = self.rest.strip_prefix(kept) {
            self.rest = rest;
            return Ok(());
        }
        let both = kept.bytes().zip(self.rest.bytes());
        let same = both.take_while(|(kept, found)| kept == found).count();
        let around = |text: &str| {
            let start = text.floor_char_boundary(same.saturating_sub(300));
            let end = text.floor_char_boundary((same + 100).min(text.len()));
            text[start..end].to_owned()
        };
        Err(format!("expected {}\nfound    {}", around(kept), around(self.rest)))
    }

    fn edit(&mut self, edit: &Edit) -> Result<(), String> {
        match &edit.put {
            Put::Cut => Ok(()),
            Put::Word(word) => self.kept(&word.to_string()),
            Put::Document(expected) => {
                let found: String = self.written()?;
                let plain = |text: &str| without_details(text, self.masks);
                match plain(&found) == plain(expected) {
                    true => Ok(()),
                    false => Err(format!("`{found}` instead of `{expected}`")),
                }
            }
            Put::Mask | Put::Changed if self.masks == Masks::Null => self.kept("null"),
            Put::Mask | Put::Changed => {
                let mask = self.string()?;
                let is_digest = mask.len() > 40;
                let is_other = is_digest != (self.masks == Masks::Hash);
                if !is_mask(&mask)
                    || is_other
                    || (mask.contains("changed") && edit.put == Put::Mask)
                {
                    return Err(format!("`{mask}` for {:?}", edit.put));
                }
                Ok(())
            }
            Put::Key(key) => {
                let name = self.string()?;
                let number =
                    name.strip_prefix("(sensitive value ").and_then(|it| it.strip_suffix(')'));
                if number.is_none_or(|it| it.is_empty() || it.bytes().any(|b| !b.is_ascii_digit()))
                {
                    return Err(format!("`{name}` for a key"));
                }
                let known = self.numbers.entry(key.clone()).or_insert_with(|| name.clone());
                if *known != name {
                    return Err(format!("`{name}` and `{known}` for one key"));
                }
                Ok(())
            }
        }
    }

    /// Reads and decodes a string.
    fn written(&mut self) -> Result<String, String> {
        let mut strings = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let string = strings.next().and_then(Result::ok).ok_or("no string")?;
        self.rest = &self.rest[strings.byte_offset()..];
        Ok(string)
    }

    /// Reads a string that has no escapes.
    fn string(&mut self) -> Result<String, String> {
        let start: String = self.rest.chars().take(100).collect();
        let inside = self.rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (string, rest) = inside.ok_or_else(|| format!("no string: {start}"))?;
        self.rest = rest;
        Ok(string.to_owned())
    }
}

/// A text without the details of its masks: numbers, digests, and whether a value changes.
fn without_details(text: &str, masks: Masks) -> String {
    const OPEN: &str = "(sensitive value";
    let mut plain = String::new();
    let mut parts = text.split(OPEN);
    plain += parts.next().unwrap_or_default();
    for part in parts {
        let rest = part.split_once(')').map_or(part, |(_, rest)| rest);
        plain += "(*)";
        plain += rest;
    }
    match masks {
        // A mask of `null` may have no quotes.
        Masks::Null => {
            plain.replace("\"(*)\"", "null").replace("'(*)'", "null").replace("(*)", "null")
        }
        Masks::Text | Masks::Hash => plain.replace("'(*)'", "(*)"),
    }
}
