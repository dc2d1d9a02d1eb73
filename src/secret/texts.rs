//! The texts of a marked place, which are what is secret of it.

use super::leaves::{Leaf, leaves};
use super::{is_attribute_name, is_mask};
use crate::error::Result;
use crate::json::string;
use crate::json::value::{Text, Value};

/// What a text of a marked place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A secret.
    Secret,
    /// A key that may be an attribute's name, or is short: no secret elsewhere, but one as a step
    /// of a path.
    Step,
}

/// Tells the texts at and below a marked place, decoded, and where they stand. Keys are secrets
/// where their echoes are looked for.
pub(super) fn texts_of(
    value: Value<'_>,
    echo_min: usize,
    decoded: &mut Vec<u8>,
    mut each: impl FnMut(&[u8], Role, u64) -> Result<()>,
) -> Result<()> {
    let mut tell = |text: &[u8], role, offset| {
        if text.is_empty() || is_mask(text) { Ok(()) } else { each(text, role, offset) }
    };
    leaves(value, |leaf| match leaf {
        Leaf::Scalar(_, value) => {
            leaf.each_text(decoded, |text| tell(text, Role::Secret, value.offset()))
        }
        Leaf::Open(_) | Leaf::Close => Ok(()),
        Leaf::Key(key) => {
            let text = decode(key, decoded)?;
            let is_word = text.len() < echo_min || is_attribute_name(text);
            tell(text, if is_word { Role::Step } else { Role::Secret }, key.offset())
        }
    })
}

/// Whether a key, as it stands between its quotes in a document, is the name of an attribute.
pub(crate) fn spells_attribute_name(raw: &[u8]) -> bool {
    if memchr::memchr(b'\\', raw).is_none() {
        return is_attribute_name(raw);
    }
    let mut decoded = Vec::with_capacity(raw.len());
    string::unescape(raw, &mut decoded).is_ok() && is_attribute_name(&decoded)
}

/// A text, decoded into memory that is used again.
pub(crate) fn decode<'t>(text: Text<'t>, decoded: &'t mut Vec<u8>) -> Result<&'t [u8]> {
    if text.is_plain() {
        return Ok(text.raw());
    }
    decoded.clear();
    text.copy_to(decoded)?;
    Ok(decoded)
}
