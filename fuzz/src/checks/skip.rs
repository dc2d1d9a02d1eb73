//! Skipping a value is as strict as the level of validation promises, and no stricter. It accepts
//! every valid value and finds its end. It reports structural errors at the same byte and with the
//! same kind as the grammar check. A walk over a value with checked structure finds its remaining
//! errors.

use plansift::error::{Error, ErrorKind, Result};
use plansift::input::Slice;
use plansift::json::Validation;
use plansift::json::cursor::Cursor;
use plansift::json::outline::Outline;
use plansift::json::value::{Elements, Kind, Members, Value};
use plansift::limits::Limits;
use plansift::scan::Isa;

use super::failure::{Failure, failure};

/// Skips and walks the value at the start of `text`.
pub fn check(text: &[u8]) {
    let skipped = skip(text, Validation::Structure);
    let checked = skip(text, Validation::Grammar);
    match (&skipped, &checked) {
        (skipped, Ok(_)) => assert_eq!(skipped, &checked),
        (_, Err((kind, ..))) if is_structural(*kind) => assert_eq!(skipped, checked),
        (Ok(_), Err(_)) => {}
        (Err((kind, ..)), Err(_)) if !is_structural(*kind) => assert_eq!(skipped, checked),
        // The grammar error comes before the structural error.
        (Err((.., structure)), Err((.., grammar))) => {
            let offset = |place: &Option<(u64, _)>| place.as_ref().map(|place| place.0);
            assert!(offset(grammar) <= offset(structure), "{skipped:?} {checked:?}");
        }
    }
    assert_eq!(outline_and_walk(text).is_ok(), checked.is_ok(), "{checked:?}");
}

/// Whether every level of validation promises to detect this error.
fn is_structural(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Encoding
            | ErrorKind::ControlCharacter
            | ErrorKind::NotAscii
            | ErrorKind::Truncated
            | ErrorKind::MismatchedBracket
            | ErrorKind::Limit { .. }
    )
}

/// The end of the value.
fn skip(text: &[u8], validation: Validation) -> std::result::Result<u64, Failure> {
    let mut cursor = Cursor::new(Slice(text), 0, Isa::best(), validation, Limits::default());
    cursor.skip().map(|()| cursor.offset()).map_err(|error| failure(&error))
}

fn outline_and_walk(text: &[u8]) -> Result<()> {
    let limits = Limits::default();
    let mut cursor = Cursor::new(Slice(text), 0, Isa::best(), Validation::Structure, limits);
    let mut outline = Outline::new();
    cursor.outline(&mut outline)?;
    walk(cursor.value(&mut outline))
}

enum Open<'a> {
    Object(Members<'a>),
    Array(Elements<'a>),
}

/// Reads everything in a value.
fn walk(value: Value<'_>) -> Result<()> {
    let mut open = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            match value.kind()? {
                Kind::Object => open.push(Open::Object(value.members()?)),
                Kind::Array => open.push(Open::Array(value.elements()?)),
                Kind::String => drop(value.text()?),
                Kind::Number | Kind::True | Kind::False | Kind::Null => {}
            }
        }
        next = match open.last_mut() {
            None => return Ok(()),
            Some(Open::Object(members)) => member(members)?,
            Some(Open::Array(elements)) => elements.next().transpose()?,
        };
        if next.is_none() {
            open.pop();
        }
    }
}

fn member<'a>(members: &mut Members<'a>) -> std::result::Result<Option<Value<'a>>, Error> {
    let Some((key, value)) = members.next().transpose()? else { return Ok(None) };
    key.decode()?;
    Ok(Some(value))
}
