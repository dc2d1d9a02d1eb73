//! Extracts the texts of a marked path, which are the secrets.

use super::meaning::meaning;
use plansift_core::error::Result;
use plansift_core::json::string;
use plansift_core::json::value::decode;
use plansift_core::json::value::{Value, WalkEvent};
use plansift_core::path::is_attribute_name;
use plansift_plan::marks::is_mask;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Secret,
    /// A key that is short or may be an attribute name. It is secret as a step of a path only, and
    /// has no echoes.
    Step,
    /// The digest of the content of a document, which does not depend on the document's spelling.
    /// It has no echoes.
    Meaning,
}

/// Calls `each` with the decoded texts at and below a marked path and their offsets. For a value,
/// also calls `each` with the text without final line ends, and with the digest of its content if
/// the text is a document. Keys count as secrets unless they are short or may be attribute
/// names.
pub(super) fn texts_of(
    value: Value<'_>,
    echo_min: usize,
    decoded: &mut Vec<u8>,
    mut each: impl FnMut(&[u8], Role, u64) -> Result<()>,
) -> Result<()> {
    let mut report = |text: &[u8], role, offset| {
        if text.is_empty() || is_mask(text) { Ok(()) } else { each(text, role, offset) }
    };
    value.walk().try_for_each(|event| match event? {
        event @ WalkEvent::Leaf(_, value) => event.each_text(decoded, |text| {
            if let Some(line) = without_line_ends(text, echo_min) {
                report(line, Role::Secret, value.offset())?;
            }
            if let Some(meaning) = meaning(text, echo_min) {
                report(&meaning, Role::Meaning, value.offset())?;
            }
            report(text, Role::Secret, value.offset())
        }),
        WalkEvent::Key(key) => {
            let text = decode(key, decoded)?;
            let is_word = text.len() < echo_min || is_attribute_name(text);
            report(text, if is_word { Role::Step } else { Role::Secret }, key.offset())
        }
        _ => Ok(()),
    })
}

/// Returns a text without its final line ends, which templates and files add. Returns `None` if the
/// text has no such line ends, or if the rest has fewer than `echo_min` bytes.
pub(super) fn without_line_ends(text: &[u8], echo_min: usize) -> Option<&[u8]> {
    let Some(b'\n' | b'\r') = text.last() else { return None };
    let len = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'))? + 1;
    (len >= echo_min).then(|| &text[..len])
}

/// Whether a key is an attribute name. `raw` is the key as it is spelled between its quotes.
pub(crate) fn spells_attribute_name(raw: &[u8]) -> bool {
    if memchr::memchr(b'\\', raw).is_none() {
        return is_attribute_name(raw);
    }
    let mut decoded = Vec::with_capacity(raw.len());
    string::unescape(raw, &mut decoded).is_ok() && is_attribute_name(&decoded)
}
