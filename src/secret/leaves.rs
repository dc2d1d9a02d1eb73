//! Everything at and below a value, in document order. Nothing recurses.

use smallvec::SmallVec;

use super::decode;
use crate::error::Result;
use crate::json::number;
use crate::json::value::{Elements, Kind, Members, Text, Value};

/// What is met.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<'a> {
    /// An object or array begins.
    Open(Kind),
    /// The key of a member, before its value.
    Key(Text<'a>),
    /// Neither an object nor an array.
    Scalar(Kind, Value<'a>),
    /// The last object or array that began ends.
    Close,
}

impl<'a> Leaf<'a> {
    /// The text of a string, decoded, or of a number.
    ///
    /// # Errors
    ///
    /// It is not well formed.
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

    /// Tells the texts that a string or a number is known by: a number by its own and, where that
    /// is another, by the one that all numbers of its value share.
    ///
    /// # Errors
    ///
    /// It is not well formed; what `each` says.
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

    /// Whether one of those texts is such a one.
    ///
    /// # Errors
    ///
    /// It is not well formed.
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

enum Open<'a> {
    Object(Members<'a>),
    Array(Elements<'a>),
}

/// Tells every key and scalar at and below a value, in document order.
///
/// # Errors
///
/// It is not well formed; what `each` says.
pub fn leaves<'a>(root: Value<'a>, mut each: impl FnMut(Leaf<'a>) -> Result<()>) -> Result<()> {
    let mut open = SmallVec::<[Open<'a>; 8]>::new();
    let mut next = Some(root);
    loop {
        if let Some(value) = next.take() {
            let kind = value.kind()?;
            match kind {
                Kind::Object => open.push(Open::Object(value.members()?)),
                Kind::Array => open.push(Open::Array(value.elements()?)),
                _ => each(Leaf::Scalar(kind, value))?,
            }
            if matches!(kind, Kind::Object | Kind::Array) {
                each(Leaf::Open(kind))?;
            }
        }
        next = match open.last_mut() {
            None => return Ok(()),
            Some(Open::Array(elements)) => elements.next().transpose()?,
            Some(Open::Object(members)) => match members.next().transpose()? {
                Some((key, value)) => {
                    each(Leaf::Key(key))?;
                    Some(value)
                }
                None => None,
            },
        };
        if next.is_none() {
            each(Leaf::Close)?;
            open.pop();
        }
    }
}
