//! Sensitivity marks: which values of a change, a resource or an output are secret.
//!
//! An *overlay* marks parts of another value as sensitive or unknown (docs/format/plan.md, section
//! 5). The *sides* of a change are `before` and `after`.
//!
//! ```text
//! pieces ─▶ [`parts`]  values, overlays ─▶ [`Marks`]  marked paths
//! marked paths ─▶ [`marked_paths`]  marks for other sections of the document
//! ```

pub mod mark_changes;
pub mod marked_paths;
mod mask;
pub mod parts;
pub mod steps;
mod subject;
mod walk;

pub use self::mask::{ECHO, MASK, MASK_CHANGED, is_mask};
pub use self::walk::SecretNames;
pub use self::{
    mask::outside_masks,
    walk::{MarkReason, MarkSource, Marked, Marks, Step, Subject},
};
