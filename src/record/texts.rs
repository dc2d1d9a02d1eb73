//! The texts of one row, decoded into memory that is kept from row to row.
//!
//! All are copied first, one after the other, and checked to be UTF-8 at once: the file that they
//! stand in may be written to meanwhile, and one look at the copy is cheaper than one at each text.

use crate::error::{Error, ErrorKind, Result};
use crate::json::string;
use crate::json::value::Text;

/// Where the texts of a row are decoded.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
}

impl Texts {
    /// One text, and others that may be there, decoded.
    ///
    /// # Errors
    ///
    /// The file was written to since its texts were scanned.
    pub(super) fn decode<const N: usize>(
        &mut self,
        first: Text<'_>,
        others: [Option<Text<'_>>; N],
    ) -> Result<(&str, [Option<&str>; N])> {
        self.bytes.clear();
        first.copy_to(&mut self.bytes)?;
        let first_end = self.bytes.len();
        let mut ends = [first_end; N];
        for (text, end) in others.iter().zip(&mut ends) {
            if let Some(text) = text {
                text.copy_to(&mut self.bytes)?;
            }
            *end = self.bytes.len();
        }
        let copy = string::utf8(&self.bytes).unwrap_or_default();
        // What is not UTF-8 as a whole, or not between its ends, is not what was scanned.
        let part = |text: Text<'_>, start, end| {
            copy.get(start..end).ok_or_else(|| Error::at(ErrorKind::Changed, text.offset()))
        };
        let (mut decoded, mut start) = ([None; N], first_end);
        for ((text, end), slot) in others.into_iter().zip(ends).zip(&mut decoded) {
            *slot = text.map(|text| part(text, start, end)).transpose()?;
            start = end;
        }
        Ok((part(first, 0, first_end)?, decoded))
    }
}
