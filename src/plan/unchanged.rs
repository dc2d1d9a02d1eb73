//! A resource change that stays as it is, told at a glance.
//!
//! Most elements of `resource_changes` are no-ops whose `before` and `after` are the same bytes. In
//! the order and encoding of the tools (plan-format, section 3) such an element is told from a few
//! comparisons, without finding its containers and without taking it apart. Anything that is not
//! just so (another order, a space, a key that is not listed, `previous_address`, `importing`) is
//! left to [`super::ResourceChange::parse`], which would find the same in an element that is told
//! here.

use crate::json::native::Native;

/// A no-op with the same bytes on both sides: nothing moves, nothing is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unchanged<'a> {
    /// Bytes from the start of the input to its address.
    pub offset: u64,
    /// The overlays, as they stand in the document: objects, arrays, `true` or `false`.
    pub after_unknown: &'a [u8],
    /// See `after_unknown`.
    pub before_sensitive: &'a [u8],
    /// See `after_unknown`.
    pub after_sensitive: &'a [u8],
}

impl<'a> Unchanged<'a> {
    /// Looks at an element of `resource_changes`; `None`: it may be anything.
    pub(super) fn glance(element: Native<'a>) -> Option<Unchanged<'a>> {
        let mut text = element;
        if !text.take(b"{\"address\":") {
            return None;
        }
        let offset = text.offset();
        let known = text.string()
            && (!text.take(b",\"module_address\":") || text.string())
            && text.take(b",\"mode\":")
            && text.string()
            && text.take(b",\"type\":")
            && text.string()
            && text.take(b",\"name\":")
            && text.string()
            && (!text.take(b",\"index\":") || text.small_number() || text.string())
            && text.take(b",\"provider_name\":")
            && text.string()
            && text.take(b",\"change\":{\"actions\":[\"no-op\"],\"before\":");
        if !known {
            return None;
        }
        let before = text.container()?;
        if !(text.take(b",\"after\":") && text.take(before) && text.take(b",\"after_unknown\":")) {
            return None;
        }
        let after_unknown = text.overlay()?;
        if !text.take(b",\"before_sensitive\":") {
            return None;
        }
        let before_sensitive = text.overlay()?;
        if !text.take(b",\"after_sensitive\":") {
            return None;
        }
        let after_sensitive =
            if text.take(before_sensitive) { before_sensitive } else { text.overlay()? };
        for identity in [&b",\"before_identity\":"[..], b",\"after_identity\":"] {
            if text.take(identity) {
                text.container()?;
            }
        }
        (text.take(b"}}") && text.is_at_end()).then_some(Unchanged {
            offset,
            after_unknown,
            before_sensitive,
            after_sensitive,
        })
    }
}
