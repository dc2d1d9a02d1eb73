//! Reads a MessagePack or JSON value as a sequence of events, and writes its forms in plan JSON.

use std::borrow::Cow;

use plansift_core::error::{Error, Result};
use plansift_core::limits::{Limit, Limits};
use plansift_cty::json_string::write_string;

#[derive(Debug)]
pub(super) enum ValueEvent<'a> {
    Object,
    Array,
    Key(Cow<'a, [u8]>),
    /// An object or an array ends.
    Close,
    Null,
    Unknown(Shape),
    /// A string, a number or a boolean.
    Leaf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    Array,
    Leaf,
    /// The type is not known.
    Any,
}

/// Yields the events of a value, with keys in ascending order.
pub(super) trait Walk<'a> {
    fn next(&mut self) -> Result<ValueEvent<'a>>;

    /// Appends the last leaf as JSON, if JSON can express it. May stop when `out` is longer than
    /// `max` bytes.
    fn write_leaf(&self, max: usize, out: &mut Vec<u8>) -> Result<()>;

    /// The offset of the value, for errors.
    fn offset(&self) -> u64;
}

/// One of the texts that plan JSON has of a value. [`write`] passes it the events of the value.
pub(super) trait ValueForm {
    /// Appends a part of a value. `key` is the key of a member.
    fn part<'a>(
        &mut self,
        key: Option<&[u8]>,
        part: &ValueEvent<'a>,
        walk: &impl Walk<'a>,
    ) -> Result<()>;

    /// The length of the output, in bytes.
    fn len(&self) -> usize;
}

/// Two forms that are written in one walk.
impl<A: ValueForm, B: ValueForm> ValueForm for (A, B) {
    fn part<'a>(
        &mut self,
        key: Option<&[u8]>,
        part: &ValueEvent<'a>,
        walk: &impl Walk<'a>,
    ) -> Result<()> {
        self.0.part(key, part, walk)?;
        self.1.part(key, part, walk)
    }

    fn len(&self) -> usize {
        self.0.len() + self.1.len()
    }
}

/// A form that not every value has.
impl<F: ValueForm> ValueForm for Option<F> {
    fn part<'a>(
        &mut self,
        key: Option<&[u8]>,
        part: &ValueEvent<'a>,
        walk: &impl Walk<'a>,
    ) -> Result<()> {
        self.as_mut().map_or(Ok(()), |form| form.part(key, part, walk))
    }

    fn len(&self) -> usize {
        self.as_ref().map_or(0, ValueForm::len)
    }
}

/// Checks that the JSON text of an element is within [`Limits::change`].
pub(super) fn check_len(len: usize, limits: &Limits, offset: u64) -> Result<()> {
    if len as u64 > limits.change {
        return Err(Error::limit(Limit::Change, limits.change, offset));
    }
    Ok(())
}

/// Writes a form of a value.
pub(super) fn write<'a>(
    walk: &mut impl Walk<'a>,
    form: &mut impl ValueForm,
    limits: &Limits,
) -> Result<()> {
    let mut depth = 0_usize;
    loop {
        check_len(form.len(), limits, walk.offset())?;
        let mut part = walk.next()?;
        let mut key = None;
        if let ValueEvent::Key(text) = part {
            part = walk.next()?;
            key = Some(text);
        }
        form.part(key.as_deref(), &part, walk)?;
        match part {
            ValueEvent::Object | ValueEvent::Array => depth += 1,
            ValueEvent::Close => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return check_len(form.len(), limits, walk.offset());
        }
    }
}

/// Writes the known values, or the tree of unknown values.
pub(super) struct TextWriter<'o> {
    kind: TextKind,
    /// The closing brackets of the open containers.
    closes: Vec<u8>,
    is_first: bool,
    /// The length of `out` from which a string may be cut, because the text is too long anyway.
    max: usize,
    out: &'o mut Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Known,
    Unknown,
}

impl<'o> TextWriter<'o> {
    /// Appends the known values to `out`. An unknown member is left out. An unknown element, or a
    /// value that is unknown as a whole, is null.
    pub(super) fn known(limits: &Limits, out: &'o mut Vec<u8>) -> TextWriter<'o> {
        let max = usize::try_from(limits.change).unwrap_or(usize::MAX);
        TextWriter { kind: TextKind::Known, closes: Vec::new(), is_first: true, max, out }
    }

    /// Appends the tree of unknown values to `out`: true for an unknown value, and false for any
    /// other leaf. Members that are false are left out.
    pub(super) fn unknown(limits: &Limits, out: &'o mut Vec<u8>) -> TextWriter<'o> {
        TextWriter { kind: TextKind::Unknown, ..TextWriter::known(limits, out) }
    }
}

impl ValueForm for TextWriter<'_> {
    fn part<'a>(
        &mut self,
        key: Option<&[u8]>,
        part: &ValueEvent<'a>,
        walk: &impl Walk<'a>,
    ) -> Result<()> {
        let out = &mut *self.out;
        if let ValueEvent::Close = part {
            out.extend(self.closes.pop());
            self.is_first = false;
            return Ok(());
        }
        let is_omitted = match self.kind {
            TextKind::Known => matches!(part, ValueEvent::Unknown(_)),
            TextKind::Unknown => matches!(part, ValueEvent::Null | ValueEvent::Leaf),
        };
        if key.is_some() && is_omitted {
            return Ok(());
        }
        if !self.is_first {
            out.push(b',');
        }
        if let Some(key) = key {
            write_string(key, out);
            out.push(b':');
        }
        self.is_first = matches!(part, ValueEvent::Object | ValueEvent::Array);
        match (part, self.kind) {
            (ValueEvent::Object, _) => {
                out.push(b'{');
                self.closes.push(b'}');
            }
            (ValueEvent::Array, _) => {
                out.push(b'[');
                self.closes.push(b']');
            }
            (ValueEvent::Leaf, TextKind::Known) => walk.write_leaf(self.max, out)?,
            (_, TextKind::Known) => out.extend_from_slice(b"null"),
            (ValueEvent::Unknown(_), TextKind::Unknown) => out.extend_from_slice(b"true"),
            (_, TextKind::Unknown) => out.extend_from_slice(b"false"),
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.out.len()
    }
}
