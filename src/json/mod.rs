//! JSON without Terraform: a cursor over text that arrives in windows, and values that it hands
//! out.
//!
//! ```text
//! windows ─▶ [`cursor::Cursor`]   enters, skips, and outlines one value at a time
//!                 │
//!            [`outline::Outline`]  where the value's strings and containers end
//!                 │
//!            [`value::Value`]      navigated lazily, any number of times, in constant time a step
//! ```
//!
//! Two short cuts: [`native::Native`] reads an outlined value that stands as the tools write it,
//! [`detached::Detached`] holds copies of values for another thread.

pub(crate) mod brackets;
pub mod cursor;
pub mod detached;
mod grammar;
mod hold;
mod leaves;
pub mod native;
pub mod number;
pub mod outline;
pub(crate) mod sample;
pub(crate) mod skim;
pub mod string;
mod tokens;
pub mod value;
mod want;
pub mod word;

/// How much of the JSON grammar (RFC 8259) is checked in values that are skipped. Values that are
/// read are always held to the whole grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// UTF-8, strings, and brackets of matching kind.
    ///
    /// This cannot notice that a range of bytes was lost: what is left of the two ends may well be
    /// valid UTF-8 with matching brackets.
    Structure,
    /// Every byte. Accepts what serde_json accepts, its depth limit aside.
    #[default]
    Grammar,
}
