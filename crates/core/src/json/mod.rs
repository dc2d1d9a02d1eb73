//! JSON without Terraform: a cursor over text that arrives in windows, and the values in it.
//!
//! ```text
//! windows ─▶ [`cursor::Cursor`]   enters, skips, and outlines one value at a time
//!                 │
//!            [`outline::Outline`]  where the value's strings and containers end
//!                 │
//!            [`value::Value`]      navigated lazily, any number of times, in constant time a step
//! ```
//!
//! `detached::Detached` is a value that owns its text.

pub mod compact;
// Public for the fuzz targets and the bench.
#[doc(hidden)]
pub mod cursor;
pub mod descent;
// Public for the tests, which read single values.
#[doc(hidden)]
pub mod detached;
mod grammar;
mod leaves;
// Public for the tests, which read single values.
#[doc(hidden)]
pub mod mended;
pub mod number;
// Public for the fuzz targets, which parse byte ranges like a worker.
#[doc(hidden)]
pub mod outline;
pub mod prescan;
mod retained;
pub mod slot_hash;
pub mod string;
mod tokens;
pub mod value;
pub mod word;

use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::limits::Limits;
use crate::scan::Isa;

/// How much of the JSON grammar (RFC 8259) is checked in skipped values. Values that are read are
/// checked against the whole grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// UTF-8, strings, and brackets of matching kind.
    ///
    /// This cannot detect that a range of bytes was lost: the rest may be valid UTF-8 with matching
    /// brackets.
    Structure,
    /// Every byte. Apart from the limit on depth, accepts the same texts as serde_json.
    #[default]
    Grammar,
}

/// Checks that a text is one JSON value and nothing else.
///
/// # Errors
///
/// Fails if the text is invalid at this level of validation.
pub fn check<S: Source>(source: S, validation: Validation, limits: Limits) -> Result<()> {
    let mut cursor = cursor::Cursor::new(source, 0, Isa::best(), validation, limits);
    cursor.skip()?;
    match cursor.at_end()? {
        true => Ok(()),
        false => Err(Error::at(ErrorKind::Trailing, cursor.offset())),
    }
}
