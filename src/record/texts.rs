//! Decodes the texts of one row into memory that is reused from row to row.
//!
//! All texts are copied first, because another process may modify the file. The copy is then
//! checked for UTF-8 as a whole, which is cheaper than one check for each text.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Result};
use crate::json::string;
use crate::json::value::Text;

/// The buffer for the decoded texts of a row.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
}

impl Texts {
    /// Decodes one text and the optional others.
    ///
    /// # Errors
    ///
    /// Fails if the file was modified since its texts were scanned.
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
        // The scan has checked the UTF-8. If the copy is invalid, or a text does not start and end
        // at a character, the file has changed.
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

/// Decodes an optional text into memory of its own.
pub(super) fn decoded(text: Option<Text<'_>>) -> Result<Option<Cow<'static, str>>> {
    text.map(|text| Ok(text.decode()?.into())).transpose()
}
