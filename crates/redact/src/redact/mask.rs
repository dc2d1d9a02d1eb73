//! The masks that replace secrets.

use std::borrow::Cow;

use crate::secret::echo::EchoKind;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::json::value::decode;
use plansift_core::json::value::{Kind, Value, WalkEvent};
use plansift_core::json::{number, string};
use plansift_plan::marks::{MASK, MASK_CHANGED};

/// How secrets are masked.
#[derive(Clone, Debug, Default)]
pub enum Masking {
    /// The text [`MASK`], or [`MASK_CHANGED`].
    #[default]
    Text,
    /// A keyed digest (BLAKE3, 128 bits). Equal secrets have equal digests, in all documents masked
    /// with the same key.
    Digest(Key),
    /// `null`. Hides whether the secret changed.
    Null,
}

/// The key of digests. `Debug` does not print its bytes.
#[derive(Clone)]
pub struct Key([u8; 32]);

/// Minimum length of the bytes that a key is derived from.
pub const KEY_MIN: usize = 16;

impl Key {
    /// Derives a key from the content of a file; `None` if it is shorter than [`KEY_MIN`] bytes.
    pub fn of(bytes: &[u8]) -> Option<Key> {
        let context = "plansift 2026 masks of secrets";
        (bytes.len() >= KEY_MIN).then(|| Key(blake3::derive_key(context, bytes)))
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

/// The text before and after a number or digest in a mask.
pub(super) const NUMBERED: [&str; 2] = ["(sensitive value ", ")"];

/// The replacement of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mask {
    Text,
    Changed,
    /// Replaces a key that equals a secret. Contains the number of the secret.
    Key(u32),
    Digest([u8; 16]),
    Null,
    /// Replaces the overlay of a masked value by `true` or `false`.
    Overlay(bool),
    /// Writes this text in place of the range. An empty text removes the range.
    Added(&'static str),
    /// Replaces a copy inside a document in a string. Has the quotes and escapes of the document.
    Spelled(Box<str>),
}

impl Masking {
    /// The mask of a value. `is_changed` says whether the other side has a different value.
    pub(super) fn of(
        &self,
        value: Value<'_>,
        is_changed: bool,
        buffer: &mut Vec<u8>,
    ) -> Result<Mask> {
        Ok(match self {
            Masking::Text if is_changed => Mask::Changed,
            Masking::Text => Mask::Text,
            Masking::Null => Mask::Null,
            Masking::Digest(key) => Mask::Digest(digest(key, value, buffer)?),
        })
    }

    pub(super) fn of_text(&self, text: &[u8]) -> Mask {
        match self {
            Masking::Text => Mask::Text,
            Masking::Null => Mask::Null,
            Masking::Digest(Key(key)) => {
                let mut hasher = blake3::Hasher::new_keyed(key);
                feed(&mut hasher, b's', text);
                Mask::Digest(half(&hasher))
            }
        }
    }

    /// The mask of an echo with these raw bytes. Fails if the bytes have changed since they were
    /// validated.
    pub(super) fn of_echo(&self, raw: &[u8], kind: EchoKind, is_changed: bool) -> Result<Mask> {
        match (self, raw) {
            (Masking::Digest(_), [b'"', text @ .., b'"']) => {
                let mut decoded = Vec::with_capacity(text.len());
                string::unescape(text, &mut decoded).map_err(|_| Error::new(ErrorKind::Changed))?;
                Ok(self.of_copy(&decoded, kind, is_changed))
            }
            _ => Ok(self.of_copy(raw, kind, is_changed)),
        }
    }

    /// The mask of an unmarked text that repeats a secret. The text of a string is decoded.
    pub(super) fn of_copy(&self, text: &[u8], kind: EchoKind, is_changed: bool) -> Mask {
        match (self, kind) {
            (Masking::Text, _) if is_changed => Mask::Changed,
            (Masking::Digest(_), EchoKind::Number) => {
                self.of_text(number::canonical(text, &mut Vec::new()))
            }
            _ => self.of_text(text),
        }
    }
}

/// The digest of a value. Equal scalars have equal digests in any document. Containers have equal
/// digests if they contain equal scalars under equal keys in the same order. White space does not
/// count.
fn digest(Key(key): &Key, value: Value<'_>, buffer: &mut Vec<u8>) -> Result<[u8; 16]> {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for event in value.walk() {
        match event? {
            WalkEvent::Open(Kind::Object, _) => feed(&mut hasher, b'o', b""),
            WalkEvent::Open(..) => feed(&mut hasher, b'a', b""),
            WalkEvent::Close(_) => feed(&mut hasher, b'c', b""),
            WalkEvent::Key(key) => feed(&mut hasher, b'k', decode(key, buffer)?),
            WalkEvent::Index(_) => {}
            WalkEvent::Leaf(Kind::String, value) => {
                feed(&mut hasher, b's', decode(value.string()?, buffer)?);
            }
            // A number is digested like a string, because an echo of it may be a string.
            WalkEvent::Leaf(Kind::Number, value) => {
                feed(&mut hasher, b's', number::canonical(value.raw(), buffer));
            }
            WalkEvent::Leaf(_, value) => feed(&mut hasher, b'w', value.raw()),
        }
    }
    Ok(half(&hasher))
}

/// Adds a text with its length, so that different sequences of texts have different digest inputs.
fn feed(hasher: &mut blake3::Hasher, kind: u8, text: &[u8]) {
    hasher.update(&[kind]);
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text);
}

fn half(hasher: &blake3::Hasher) -> [u8; 16] {
    let [low @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = *hasher.finalize().as_bytes();
    low
}

impl Mask {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let word = match self {
            Mask::Added(text) => *text,
            Mask::Spelled(text) => text,
            Mask::Null => "null",
            Mask::Overlay(true) => "true",
            Mask::Overlay(false) => "false",
            Mask::Text | Mask::Changed | Mask::Key(_) | Mask::Digest(_) => {
                out.push(b'"');
                out.extend_from_slice(self.text().unwrap_or_default().as_bytes());
                out.push(b'"');
                return;
            }
        };
        out.extend_from_slice(word.as_bytes());
    }

    /// The text of a mask that is a string; `None` for other masks.
    pub(super) fn text(&self) -> Option<Cow<'static, str>> {
        let [open, close] = NUMBERED;
        Some(match self {
            Mask::Text => MASK.into(),
            Mask::Changed => MASK_CHANGED.into(),
            Mask::Key(number) => format!("{open}{number}{close}").into(),
            Mask::Digest(digest) => {
                format!("{open}{:032x}{close}", u128::from_be_bytes(*digest)).into()
            }
            Mask::Null | Mask::Overlay(_) | Mask::Added(_) | Mask::Spelled(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_printed() {
        let key = Key::of(b"a key of sixteen").map(Masking::Digest);
        assert_eq!(format!("{key:?}"), "Some(Digest(Key))");
        assert!(Key::of(b"a key of fifteen"[1..].as_ref()).is_none());
    }
}
