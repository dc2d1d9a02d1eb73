//! The texts of a marked place, which are what is secret of it.

use super::leaves::{Leaf, leaves};
use super::{is_attribute_name, is_mask};
use crate::error::Result;
use crate::json::string;
use crate::json::value::{Kind, Text, Value};

/// Tells the secrets at and below a marked place: decoded texts, and where they stand. Keys are
/// some where their echoes are looked for.
pub(super) fn texts_of(
    value: Value<'_>,
    echo_min: usize,
    decoded: &mut Vec<u8>,
    mut each: impl FnMut(&[u8], u64) -> Result<()>,
) -> Result<()> {
    leaves(value, |leaf| {
        let (text, offset) = match leaf {
            Leaf::Scalar(Kind::String, value) => {
                (decode(value.string()?, decoded)?, value.offset())
            }
            Leaf::Scalar(Kind::Number, value) => (value.raw(), value.offset()),
            Leaf::Scalar(..) | Leaf::Open(_) | Leaf::Close => return Ok(()),
            Leaf::Key(key) => {
                let text = decode(key, decoded)?;
                // A key may be an attribute's name, which is no secret.
                if text.len() < echo_min || is_attribute_name(text) {
                    return Ok(());
                }
                (text, key.offset())
            }
        };
        if text.is_empty() || is_mask(text) { Ok(()) } else { each(text, offset) }
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
