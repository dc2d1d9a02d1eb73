//! Decodes the strings of a row into a buffer that the next row reuses.
//!
//! Another process may modify the file, so the strings are copied before they are checked. One
//! UTF-8 check of the whole copy is cheaper than a check of each string.

use std::borrow::Cow;

use crate::plan::Index;
use crate::record::JsonText;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::json::string;
use plansift_core::json::string::quoted;
use plansift_core::json::value::Text;

/// The buffer for the decoded strings of a row.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
}

impl Texts {
    /// Decodes `first`, and the strings in `others` that are present. Fails if the file was
    /// modified after the scan.
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
        // The scan has checked the UTF-8. So the file was modified if the copy is not UTF-8, or if
        // a string begins or ends inside a character.
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

/// Decodes an optional string into an owned copy.
pub(super) fn decoded(text: Option<Text<'_>>) -> Result<Option<Cow<'static, str>>> {
    text.map(|text| Ok(text.decode()?.into())).transpose()
}

/// Returns an owned copy of the index of a resource, as JSON text.
pub(super) fn index(index: Option<Index<'_>>) -> Result<Option<JsonText<'static>>> {
    let json = |index| match index {
        Index::Number(number) => Ok(String::from_utf8_lossy(number.raw()).into_owned()),
        Index::String(text) => Ok(quoted(&text.decode()?)),
    };
    Ok(index.map(json).transpose()?.map(JsonText::new))
}
