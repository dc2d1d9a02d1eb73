//! Reads the keys of an object while the cursor walks it.
//!
//! Each key is decoded into a copy, because its bytes may leave the window before its value ends.

use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::Source;
use plansift_core::json::cursor::Cursor;
use plansift_core::json::string;

/// Moves to the next member. Returns its decoded key and the offset of the key. At the end of the
/// object, leaves the object and returns `None`. Fails if the next token is not a key, or if the
/// key is not a valid string.
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
