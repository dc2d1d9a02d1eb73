//! Walks everything at and below a value, in document order, without recursion.

use smallvec::SmallVec;

use super::{Entries, Kind, Step, Text, Value};
use crate::error::Result;
use crate::json::number;

#[derive(Clone, Copy, Debug)]
pub enum Leaf<'a> {
    /// The start of an object or array.
    Open(Kind, Value<'a>),
    /// The key of a member, before its value.
    Key(Text<'a>),
    /// A value that is neither an object nor an array.
    Scalar(Kind, Value<'a>),
    /// The end of the innermost open object or array.
    Close,
}

impl<'a> Leaf<'a> {
    /// The text of a number, or the decoded text of a string; `None` for other events.
    pub fn text<'t>(self, decoded: &'t mut Vec<u8>) -> Result<Option<&'t [u8]>>
    where
        'a: 't,
    {
        match self {
            Leaf::Scalar(Kind::String, value) => decode(value.string()?, decoded).map(Some),
            Leaf::Scalar(Kind::Number, value) => Ok(Some(value.raw())),
            _ => Ok(None),
        }
    }

    /// Calls `each` with the texts that identify a string or number. A number has two texts if they
    /// differ: its own spelling and the canonical spelling of its value.
    pub fn each_text(
        self,
        decoded: &mut Vec<u8>,
        mut each: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        if let Some(text) = self.text(decoded)? {
            each(text)?;
        }
        if let Leaf::Scalar(Kind::Number, value) = self {
            let shared = number::canonical(value.raw(), decoded);
            if shared != value.raw() {
                each(shared)?;
            }
        }
        Ok(())
    }

    /// Whether `is` accepts one of the texts that [`Leaf::each_text`] reports.
    pub fn has_text(
        self,
        decoded: &mut Vec<u8>,
        mut is: impl FnMut(&[u8]) -> bool,
    ) -> Result<bool> {
        let mut has_text = false;
        self.each_text(decoded, |text| {
            has_text |= is(text);
            Ok(())
        })?;
        Ok(has_text)
    }
}

/// Calls `each` with every event at and below a value, in document order.
pub fn leaves<'a>(root: Value<'a>, mut each: impl FnMut(Leaf<'a>) -> Result<()>) -> Result<()> {
    let mut open = SmallVec::<[Entries<'a>; 8]>::new();
    let mut next = Some(root);
    loop {
        if let Some(value) = next.take() {
            let kind = value.kind()?;
            match Entries::of(value)? {
                Some(entries) => {
                    open.push(entries);
                    each(Leaf::Open(kind, value))?;
                }
                None => each(Leaf::Scalar(kind, value))?,
            }
        }
        let Some(entries) = open.last_mut() else { return Ok(()) };
        match entries.next()? {
            Some((step, value)) => {
                if let Step::Key(key) = step {
                    each(Leaf::Key(key))?;
                }
                next = Some(value);
            }
            None => {
                each(Leaf::Close)?;
                open.pop();
            }
        }
    }
}

/// Decodes a string. Copies it to `decoded` only if it has escapes.
pub(crate) fn decode<'t>(text: Text<'t>, decoded: &'t mut Vec<u8>) -> Result<&'t [u8]> {
    if text.is_plain() {
        return Ok(text.raw());
    }
    decoded.clear();
    text.copy_to(decoded)?;
    Ok(decoded)
}
