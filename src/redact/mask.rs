//! What stands where a secret stood.

use crate::error::{Error, ErrorKind, Result};
use crate::json::value::{Kind, Value};
use crate::json::{number, string};
use crate::secret::echo::EchoKind;
use crate::secret::leaves::{Leaf, leaves};
use crate::secret::{MASK, MASK_CHANGED, decode};

/// The way of masking.
#[derive(Clone, Debug, Default)]
pub enum Masking {
    /// The text [`MASK`], or [`MASK_CHANGED`].
    #[default]
    Text,
    /// A keyed digest (BLAKE3, 128 bits): equal secrets have equal digests, in all documents that
    /// are masked with the same key.
    Digest(Key),
    /// `null`: that something changed is not told.
    Null,
}

/// The key of digests. Its bytes are not shown.
#[derive(Clone)]
pub struct Key([u8; 32]);

/// Least length of what a key is made of, in bytes.
pub const KEY_MIN: usize = 16;

impl Key {
    /// A key made of what a file holds, [`KEY_MIN`] bytes at least; `None`: it is shorter.
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

/// What stands around a number or digest in a mask.
pub(super) const NUMBERED: [&str; 2] = ["(sensitive value ", ")"];

/// What a place is replaced with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mask {
    Text,
    Changed,
    /// A key that is a secret's text, with the secret's number.
    Key(u32),
    Digest([u8; 16]),
    Null,
    /// An overlay whose keys are secret.
    Overlay(bool),
    /// What stands for no secret: a part of the document that was not there.
    Added(&'static str),
}

impl Masking {
    /// The mask of a value, which may be another than that of the other side.
    ///
    /// # Errors
    ///
    /// The value is not well formed.
    pub(super) fn of(
        &self,
        value: Value<'_>,
        is_changed: bool,
        memory: &mut Vec<u8>,
    ) -> Result<Mask> {
        Ok(match self {
            Masking::Text if is_changed => Mask::Changed,
            Masking::Text => Mask::Text,
            Masking::Null => Mask::Null,
            Masking::Digest(key) => Mask::Digest(digest(key, value, memory)?),
        })
    }

    /// The mask of a scalar whose text that is.
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
}

impl Masking {
    /// The mask of an echo, by its bytes.
    ///
    /// # Errors
    ///
    /// They are not what was read before.
    pub(super) fn of_echo(&self, raw: &[u8], kind: EchoKind, is_changed: bool) -> Result<Mask> {
        match (self, kind, raw) {
            (Masking::Text, ..) if is_changed => Ok(Mask::Changed),
            (Masking::Digest(_), EchoKind::Value | EchoKind::Key, [b'"', text @ .., b'"']) => {
                let mut decoded = Vec::with_capacity(text.len());
                string::unescape(text, &mut decoded).map_err(|_| Error::new(ErrorKind::Changed))?;
                Ok(self.of_text(&decoded))
            }
            (Masking::Digest(_), EchoKind::Number, number) => {
                Ok(self.of_text(number::canonical(number, &mut Vec::new())))
            }
            _ => Ok(self.of_text(raw)),
        }
    }
}

/// The same for a scalar, whatever document it stands in, and for containers of the same scalars
/// under the same keys in the same order, whatever the space between them.
fn digest(Key(key): &Key, value: Value<'_>, memory: &mut Vec<u8>) -> Result<[u8; 16]> {
    let mut hasher = blake3::Hasher::new_keyed(key);
    leaves(value, |leaf| {
        match leaf {
            Leaf::Open(Kind::Object) => feed(&mut hasher, b'o', b""),
            Leaf::Open(_) => feed(&mut hasher, b'a', b""),
            Leaf::Close => feed(&mut hasher, b'c', b""),
            Leaf::Key(key) => feed(&mut hasher, b'k', decode(key, memory)?),
            Leaf::Scalar(Kind::String, value) => {
                feed(&mut hasher, b's', decode(value.string()?, memory)?);
            }
            // A number has the digest of a text: an echo of it may be a string.
            Leaf::Scalar(Kind::Number, value) => {
                feed(&mut hasher, b's', number::canonical(value.raw(), memory));
            }
            Leaf::Scalar(_, value) => feed(&mut hasher, b'w', value.raw()),
        }
        Ok(())
    })?;
    Ok(half(&hasher))
}

/// A text after its length, so that two texts are never read as two others.
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
    /// Appends it as JSON.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        let [open, close] = NUMBERED;
        let text = match self {
            Mask::Text => MASK,
            Mask::Changed => MASK_CHANGED,
            Mask::Key(number) => &format!("{open}{number}{close}"),
            Mask::Digest(digest) => &format!("{open}{:032x}{close}", u128::from_be_bytes(digest)),
            Mask::Added(text) => return out.extend_from_slice(text.as_bytes()),
            Mask::Null => return out.extend_from_slice(b"null"),
            Mask::Overlay(true) => return out.extend_from_slice(b"true"),
            Mask::Overlay(false) => return out.extend_from_slice(b"false"),
        };
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    }
}
