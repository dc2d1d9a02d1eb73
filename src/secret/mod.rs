//! Finds the secrets of a plan or a state: where overlays mark them, and where they occur again.
//!
//! A *text* is a decoded string, or a number as it is spelled. An *overlay* marks parts of another
//! value as sensitive or unknown (docs/format/plan.md, section 5). The *sides* of a change are
//! `before` and `after`. An *echo* is an unmarked text that equals a secret.
//!
//! ```text
//! pieces ─▶ [`parts`]  values, overlays ─▶ [`marks`]  marked paths ─▶ [`Secrets`]  digests
//! marked paths ─▶ [`marked_paths`]  marks for other sections ─▶ marked constants of the
//!                                                               configuration
//! bytes ─▶ [`echo`]  strings that equal a secret, wherever they occur
//!       ─▶ [`strings`]  strings that may be documents ─▶ [`copies`]  secrets inside documents
//! ```

#[cfg(feature = "redact")]
mod collect;
#[cfg(feature = "redact")]
pub(crate) mod constants;
#[cfg(feature = "redact")]
pub(crate) mod contained;
#[cfg(feature = "redact")]
pub(crate) mod copies;
#[cfg(feature = "redact")]
pub(crate) mod digest;
#[cfg(feature = "redact")]
pub(crate) mod document;
#[cfg(feature = "redact")]
pub(crate) mod echo;
#[cfg(feature = "redact")]
pub(crate) mod first_pass_index;
#[cfg(feature = "redact")]
pub(crate) mod items;
pub(crate) mod mark_changes;
pub(crate) mod marked_paths;
pub(crate) mod marks;
#[cfg(feature = "redact")]
mod meaning;
mod names;
#[cfg(feature = "redact")]
mod nodes;
pub(crate) mod parts;
#[cfg(feature = "redact")]
mod permit;
#[cfg(feature = "redact")]
pub(crate) mod piece_secrets;
#[cfg(feature = "redact")]
mod place;
#[cfg(feature = "redact")]
pub(crate) mod range_secrets;
#[cfg(feature = "redact")]
pub(crate) mod relevant;
#[cfg(feature = "redact")]
mod search;
#[cfg(feature = "redact")]
mod set;
pub(crate) mod steps;
#[cfg(feature = "redact")]
pub(crate) mod strings;
mod subject;
#[cfg(feature = "redact")]
mod syntax;
#[cfg(feature = "redact")]
mod texts;
#[cfg(feature = "redact")]
pub(crate) mod trail;
#[cfg(feature = "redact")]
pub(crate) mod words;
#[cfg(feature = "redact")]
mod yaml;

pub(crate) use crate::json::value::decode;
#[cfg(feature = "redact")]
pub use collect::{Collected, Collecting, FreshSecrets, OnFreshSecrets, collect};
pub use names::Names;
#[cfg(feature = "redact")]
pub use set::Secrets;
#[cfg(feature = "redact")]
pub(crate) use texts::spells_attribute_name;

pub use crate::path::is_attribute_name;
use crate::plan;

/// How secrets are recognised.
#[derive(Clone, Debug)]
pub struct SecretOptions {
    /// How to read the document.
    pub read: plan::PlanOptions,
    /// Minimum length in bytes of a text whose echoes are searched for.
    pub echo_min: usize,
    /// Which texts count as echoes.
    pub echo: EchoOf,
    /// Keys whose values are secret even without a mark.
    pub names: Option<Names>,
}

/// Which texts count as echoes of a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EchoOf {
    /// Texts that equal the secret.
    #[default]
    Whole,
    /// Also texts that contain the secret.
    Part,
}

/// Replaces a secret in the output.
pub const MASK: &str = "(sensitive value)";

/// Replaces an unmarked text that repeats a secret, in a report.
pub const ECHO: &str = "(repeats a sensitive value)";

/// Replaces a secret in `after` if `before` has a different secret.
pub const MASK_CHANGED: &str = "(sensitive value, changed)";

/// The beginning of every mask.
const MASK_START: &[u8] = b"(sensitive value";

/// Length of the longest mask, in bytes.
const MASK_LEN: usize = MASK_START.len() + 34;

/// Returns the parts of a text around the masks in it.
pub(crate) fn outside_masks(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let mut masks = memchr::memmem::find_iter(text, MASK_START).filter_map(|start| {
            let reach = text.len().min(start + MASK_LEN);
            let len = memchr::memchr(b')', &text[start..reach])? + 1;
            is_mask(&text[start..start + len]).then_some(start..start + len)
        });
        let Some(mask) = masks.next() else { return Some(text) };
        rest = Some(&text[mask.end..]);
        Some(&text[..mask.start])
    })
}

/// Whether a text is a mask: [`MASK`], [`MASK_CHANGED`], or a mask with a number or a digest.
pub fn is_mask(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(MASK_START) else { return false };
    let Some(rest) = rest.strip_suffix(b")") else { return false };
    match rest {
        b"" | b", changed" => true,
        [b' ', word @ ..] => {
            word.len() <= 32 && !word.is_empty() && word.iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    }
}
