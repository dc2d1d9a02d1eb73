//! The keys of an object whose members are told by their names.
//!
//! They are decoded and kept, because their bytes leave the window while the value is read.

use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::json::cursor::Cursor;
use crate::json::string;

/// Goes to the next member: its key, decoded, and where that stands; `None` leaves the object.
///
/// # Errors
///
/// There is no key, or it is no text.
pub(super) fn next<S: Source>(cursor: &mut Cursor<S>) -> Result<Option<(String, u64)>> {
    let Some(range) = cursor.next_key()? else { return Ok(None) };
    let start = range.start;
    // Copied before it is checked: someone may write to the file.
    let (text, mut copy) = (cursor.text(range), Vec::new());
    if let Err(bad) = string::unescape(text, &mut copy) {
        return Err(Error::at(ErrorKind::Escape, start + bad.0 as u64));
    }
    match String::from_utf8(copy) {
        Ok(key) => Ok(Some((key, start - 1))),
        Err(_) => Err(Error::at(ErrorKind::Changed, start)),
    }
}
