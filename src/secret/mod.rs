//! The secrets of a plan or a state: where they are marked, and where their texts stand again.
//!
//! ```text
//! pieces ─▶ [`parts`]  values, overlays ─▶ [`marks`]  marked places ─▶ [`Secrets`]  digests
//! marked places ─▶ [`places`]  known to other sections ─▶ marked constants of the configuration
//! bytes ─▶ [`echo`]  strings that are a secret's, wherever they stand
//! ```

mod collect;
pub(crate) mod constants;
pub mod contained;
pub(crate) mod digest;
pub mod echo;
pub(crate) mod learned;
pub mod leaves;
pub mod marks;
pub(crate) mod ordered;
pub mod parts;
pub mod places;
mod search;
mod set;
pub(crate) mod steps;
pub(crate) mod survey;
mod texts;
pub mod words;

pub use collect::{Collected, Collecting, Fresh, Takes, Tell, collect};
use regex::Regex;
pub use set::Secrets;
pub(crate) use texts::{decode, spells_attribute_name};

use crate::plan;

/// How secrets are told.
#[derive(Clone, Debug)]
pub struct Options {
    /// How to read.
    pub read: plan::Options,
    /// Least length of a text whose echoes are looked for, in bytes.
    pub echo_min: usize,
    /// Which texts are echoes.
    pub echo: EchoOf,
    /// Keys whose values are secret whether they are marked or not.
    pub names: Option<Regex>,
}

/// Which texts are echoes of a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EchoOf {
    /// Those that are the same text.
    #[default]
    Whole,
    /// Those that contain it, too.
    Part,
}

/// What stands where a secret stood.
pub const MASK: &str = "(sensitive value)";

/// What stands there in `after` where `before` holds another secret.
pub const MASK_CHANGED: &str = "(sensitive value, changed)";

/// Whether a text is one that stands for a secret: one of the two above, or with a number or a
/// digest in it.
pub fn is_mask(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"(sensitive value") else { return false };
    let Some(rest) = rest.strip_suffix(b")") else { return false };
    match rest {
        b"" | b", changed" => true,
        [b' ', word @ ..] => {
            word.len() <= 32 && !word.is_empty() && word.iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    }
}

/// Whether a key may be the name that a provider gave an attribute: a lower-case identifier. Such a
/// key is part of the shape of a document; any other one is data.
pub fn is_attribute_name(key: &[u8]) -> bool {
    let first = key.first().is_some_and(|&byte| byte.is_ascii_lowercase() || byte == b'_');
    first && key.iter().all(|&byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}
