//! The check of a text on its own.

use super::Validation;
use super::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::limits::Limits;
use crate::scan::Isa;

/// Checks that a text is one JSON value and nothing else.
///
/// # Errors
///
/// Fails if the text is invalid at this level of validation.
pub fn check<S: Source>(source: S, validation: Validation, limits: Limits) -> Result<()> {
    let mut cursor = Cursor::new(source, 0, Isa::best(), validation, limits);
    cursor.skip()?;
    if cursor.at_end()? {
        return Ok(());
    }
    Err(Error::at(ErrorKind::Trailing, cursor.offset()))
}
