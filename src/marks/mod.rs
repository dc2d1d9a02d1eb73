//! Sensitivity marks: which values of a change, a resource or an output are secret.
//!
//! An *overlay* marks parts of another value as sensitive or unknown (docs/format/plan.md, section
//! 5). The *sides* of a change are `before` and `after`.
//!
//! ```text
//! pieces ─▶ [`parts`]  values, overlays ─▶ [`Marks`]  marked paths
//! marked paths ─▶ [`marked_paths`]  marks for other sections of the document
//! ```

pub(crate) mod mark_changes;
pub(crate) mod marked_paths;
mod mask;
pub(crate) mod parts;
pub(crate) mod steps;
mod subject;
mod walk;

pub use self::mask::{ECHO, MASK, MASK_CHANGED, is_mask};
pub use self::walk::SecretNames;
pub(crate) use self::{
    mask::outside_masks,
    walk::{MarkReason, MarkSource, Marked, Marks, Step, Subject},
};
