//! Reads the keys of an object whose members are identified by their names.
//!
//! A key is decoded into a copy, because its bytes leave the window while its value is read.

use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::json::cursor::Cursor;
use crate::json::string;

/// Moves to the next member, and returns its decoded key and the offset of the key. At the end of
/// the object it leaves the object and returns `None`. Fails if there is no key, or if the key is
/// not a valid string.
pub(super) fn next<S: Source>(cursor: &mut Cursor<S>) -> Result<Option<(String, u64)>> {
    let Some(range) = cursor.next_key()? else { return Ok(None) };
    let start = range.start;
    // Copies before checking, because another process may write to the mapped file.
    let (text, mut copy) = (cursor.text(range), Vec::new());
    if let Err(bad) = string::unescape(text, &mut copy) {
        return Err(Error::at(ErrorKind::Escape, start + bad.0 as u64));
    }
    match String::from_utf8(copy) {
        Ok(key) => Ok(Some((key, start - 1))),
        Err(_) => Err(Error::at(ErrorKind::Changed, start)),
    }
}
