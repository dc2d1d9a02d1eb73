//! Reads a document like Go's decoder: in one pass over the text, with the types of terraform-json.
//!
//! The decoder enters sections. It outlines the values in them one element at a time, checks their
//! types, and sends the parts that checks need to a [`Receiver`]. It does not read text after the
//! first value.
//!
//! A repeated list replaces the first list. This differs from Go's decoder in one case: in Go, if
//! an element of the second list lacks a member, it keeps the value of this member from the element
//! of the first list.

use super::shape::{CheckedPart, EXPRESSION_DATA, Field, Shape, find, folded};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::Source;
use plansift_core::json::Validation;
use plansift_core::json::cursor::Cursor;
use plansift_core::json::mended::RepairedSource;
use plansift_core::json::outline::Outline;
use plansift_core::json::string;
use plansift_core::json::value::{Kind, Value};
use plansift_core::limits::Limits;
use plansift_core::scan::Isa;
use plansift_cty::Type;
use plansift_plan::plan::DocumentFault;

/// Receives the parts of a document that checks need.
pub(super) trait Receiver {
    /// A list, map or section begins, or is `null`.
    fn begin(&mut self, part: CheckedPart, container: Container);

    /// Takes an element of a list, or a member of a map and its name. Fails if the element is
    /// invalid.
    fn element(&mut self, part: CheckedPart, name: &str, value: Value<'_>) -> Result<()>;
}

/// A container that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    Null,
    List,
    Object,
}

/// An entered container.
enum Frame {
    Object {
        fields: &'static [Field],
        floats: bool,
        /// The `format_version`, if the object is a document; otherwise `None`.
        version: Option<String>,
    },
    /// A list or a map.
    Elements { is_map: bool, shape: &'static Shape, part: Option<CheckedPart>, floats: bool },
}

/// Reads a document and sends its parts to a receiver. Fails if the document is not JSON, a value
/// has a wrong type, the format version is missing or not supported, or a limit is exceeded.
pub(super) fn decode<S: Source>(
    source: S,
    document: &'static Shape,
    receiver: &mut impl Receiver,
    limits: &Limits,
) -> Result<()> {
    let source = RepairedSource::new(source);
    let mut cursor = Cursor::new(source, 0, Isa::best(), Validation::Grammar, *limits);
    let mut reader = Reader { outline: Outline::new(), frames: Vec::new() };
    let document = ValueContext { shape: document, part: None, name: String::new(), floats: false };
    reader.value(&mut cursor, document, receiver)?;
    if reader.frames.is_empty() {
        return Err(Error::at(DocumentFault::NoFormatVersion, 0));
    }
    while let Some(frame) = reader.frames.last() {
        let key = match frame {
            Frame::Elements { is_map: false, .. } => {
                let start = cursor.offset();
                cursor.next_element()?.then_some(start..start)
            }
            Frame::Object { .. } | Frame::Elements { .. } => cursor.next_key()?,
        };
        let Some(key) = key else {
            reader.close(cursor.offset())?;
            continue;
        };
        let name = match string::decode(cursor.text(key.clone())) {
            Ok(name) => name.into_owned(),
            Err(bad) => return Err(Error::at(ErrorKind::Escape, key.start + bad.0 as u64)),
        };
        let place = match *frame {
            Frame::Elements { shape, part, floats, .. } => {
                Some(ValueContext { shape, part, name, floats })
            }
            Frame::Object { fields, floats, .. } => find(fields, &name)
                .map(|&Field { shape, part, .. }| ValueContext { shape, part, name, floats }),
        };
        match place {
            Some(place) => reader.value(&mut cursor, place, receiver)?,
            None => cursor.skip()?,
        }
    }
    Ok(())
}

/// The position of a value in the document, and its type.
struct ValueContext {
    shape: &'static Shape,
    part: Option<CheckedPart>,
    /// The name of a member.
    name: String,
    floats: bool,
}

struct Reader {
    outline: Outline,
    frames: Vec<Frame>,
}

impl Reader {
    /// Leaves the innermost container.
    fn close(&mut self, offset: u64) -> Result<()> {
        match self.frames.pop() {
            Some(Frame::Object { version: Some(version), .. }) => {
                check_version(&version).map_err(|fault| Error::at(fault, offset))
            }
            _ => Ok(()),
        }
    }

    /// Enters or reads the value at the cursor.
    fn value<S: Source>(
        &mut self,
        cursor: &mut Cursor<S>,
        place: ValueContext,
        receiver: &mut impl Receiver,
    ) -> Result<()> {
        let ValueContext { mut shape, part, name, mut floats } = place;
        if let Shape::Floats(inside) = shape {
            (shape, floats) = (inside, true);
        }
        let first = cursor.peek()?;
        let frame = match (shape, first) {
            (Shape::Section(fields), Some(b'{')) => Frame::Object { fields, floats, version: None },
            (Shape::Document(fields), Some(b'{')) => {
                Frame::Object { fields, floats, version: Some(String::new()) }
            }
            (Shape::Map(shape), Some(b'{')) => {
                Frame::Elements { is_map: true, shape, part, floats }
            }
            (Shape::List(shape), Some(b'[')) => {
                Frame::Elements { is_map: false, shape, part, floats }
            }
            _ => return self.element(cursor, shape, floats, part, &name, receiver),
        };
        let container = if first == Some(b'[') {
            cursor.enter_array()?;
            Container::List
        } else {
            cursor.enter_object()?;
            Container::Object
        };
        if let Some(part) = part {
            receiver.begin(part, container);
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Outlines the value at the cursor, checks its type and sends it to the receiver.
    fn element<S: Source>(
        &mut self,
        cursor: &mut Cursor<S>,
        shape: &'static Shape,
        floats: bool,
        part: Option<CheckedPart>,
        name: &str,
        receiver: &mut impl Receiver,
    ) -> Result<()> {
        cursor.outline(&mut self.outline)?;
        let value = cursor.value(&mut self.outline);
        check(value, shape, floats)?;
        let is_container = matches!(
            shape,
            Shape::Section(_) | Shape::Document(_) | Shape::List(_) | Shape::Map(_)
        );
        if let Some(Frame::Object { version: Some(version), .. }) = self.frames.last_mut()
            && folded(name) == "format_version"
            && !value.is_null()
        {
            *version = crate::known::text_of(value);
        }
        match part {
            Some(part) if is_container => receiver.begin(part, Container::Null),
            Some(part) => receiver.element(part, name, value)?,
            None => {}
        }
        Ok(())
    }
}

/// Checks the type of a value and of everything in it.
fn check(value: Value<'_>, shape: &'static Shape, floats: bool) -> Result<()> {
    let mut left = vec![(value, shape)];
    while let Some((value, shape)) = left.pop() {
        let kind = value.kind()?;
        let wrong = |expected| Err(value.wrong_type(expected));
        match (shape, kind) {
            (Shape::Any, _) if !floats => {}
            (Shape::Any, Kind::Number) => {
                if !value.float().is_ok_and(f64::is_finite) {
                    return wrong("a number that fits 64 bits");
                }
            }
            (Shape::Any, Kind::Array | Kind::Object) => inside(value, shape, &mut left)?,
            (Shape::Any, _) => {}
            // `Type::parse` decides whether `null` is valid.
            (Shape::Type, _) => {
                if Type::parse(value.raw()).is_err() {
                    return wrong("a type");
                }
            }
            (_, Kind::Null) => {}
            (Shape::Text, Kind::String) | (Shape::Boolean, Kind::True | Kind::False) => {}
            (Shape::Text, _) => return wrong("a string"),
            (Shape::Boolean, _) => return wrong("true or false"),
            (Shape::Unsigned, Kind::Number) if parses::<u64>(value) => {}
            (Shape::Signed, Kind::Number) if parses::<i64>(value) => {}
            (Shape::Unsigned | Shape::Signed, _) => return wrong("an integer"),
            (Shape::Expression, Kind::Object) => left.push((value, &EXPRESSION_DATA)),
            (Shape::Expression, _) => blocks(value, &mut left)?,
            (
                Shape::Struct(fields) | Shape::Section(fields) | Shape::Document(fields),
                Kind::Object,
            ) => {
                for member in value.members()? {
                    let (name, value) = member?;
                    let name = crate::known::key_of(name);
                    left.extend(find(fields, &name).map(|field| (value, field.shape)));
                }
            }
            (Shape::Map(shape), Kind::Object) | (Shape::List(shape), Kind::Array) => {
                inside(value, shape, &mut left)?;
            }
            (Shape::Floats(shape), _) => left.push((value, shape)),
            (Shape::List(_), _) => return wrong("an array"),
            _ => return wrong("an object"),
        }
    }
    Ok(())
}

/// Values to check, with their types.
type Left<'a> = Vec<(Value<'a>, &'static Shape)>;

/// Adds the elements of an array, or the members of an object.
fn inside<'a>(value: Value<'a>, shape: &'static Shape, left: &mut Left<'a>) -> Result<()> {
    if value.kind()? == Kind::Array {
        for element in value.elements()? {
            left.push((element?, shape));
        }
        return Ok(());
    }
    for member in value.members()? {
        left.push((member?.1, shape));
    }
    Ok(())
}

/// Checks an expression that is a list of blocks. The members of blocks are expressions.
fn blocks<'a>(value: Value<'a>, left: &mut Left<'a>) -> Result<()> {
    for block in value.elements()? {
        let block = block?;
        if block.is_null() {
            continue;
        }
        for member in block.members()? {
            left.push((member?.1, &Shape::Expression));
        }
    }
    Ok(())
}

fn parses<T: std::str::FromStr>(value: Value<'_>) -> bool {
    std::str::from_utf8(value.raw()).is_ok_and(|text| text.parse::<T>().is_ok())
}

/// Checks that a format version is at least 0.1, below 2.0 and not a prerelease.
fn check_version(version: &str) -> std::result::Result<(), DocumentFault> {
    if version.is_empty() {
        return Err(DocumentFault::NoFormatVersion);
    }
    let version = version.strip_prefix('v').unwrap_or(version);
    let (numbers, metadata) = match version.split_once('+') {
        Some((numbers, metadata)) => (numbers, Some(metadata)),
        None => (version, None),
    };
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'~'))
    };
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let segments: Option<Vec<i64>> = numbers
        .split('.')
        .map(|part| Some(part).filter(|part| is_number(part))?.parse().ok())
        .collect();
    let is_supported = match segments.as_deref() {
        Some([0, minor, ..]) => *minor >= 1,
        Some([major, ..]) => *major == 1,
        _ => false,
    };
    match is_supported && metadata.is_none_or(|metadata| metadata.split('.').all(is_part)) {
        true => Ok(()),
        false => Err(DocumentFault::FormatVersion),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_from_0_1_to_below_2_are_supported() {
        for (is_supported, versions) in [
            (true, &["0.1", "1", "1.10", "1.99.9", "v1.2", "1.2+a.b-1"][..]),
            (false, &["", "0", "0.0.9", "2.0", "1.2-beta1", "1.2beta", "1.2+", "1..2", "1.2."]),
            (false, &["vv1.2", "+1", "test"]),
        ] {
            for version in versions {
                assert_eq!(check_version(version).is_ok(), is_supported, "{version}");
            }
        }
    }
}
