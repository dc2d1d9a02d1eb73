//! The members of an object in a state that plansift knows.
//!
//! The tools' decoder takes the last of several members with one key, and takes `Type` for `type`.
//! The tools write neither, so both are errors: a reader that disagreed with the tools would take
//! a secret for a public value.

use super::protobuf::fault;
use crate::error::{PlanFileFault, Result};
use crate::json::string::decode;
use crate::json::value::{Kind, Value};

/// The known keys of an object, and which of them occurred.
pub(super) struct Keys {
    known: &'static [&'static str],
    /// A bit for each known key.
    met: u32,
}

impl Keys {
    /// Keys that did not occur yet; at most 32.
    pub(super) fn of(known: &'static [&'static str]) -> Keys {
        Keys { known, met: 0 }
    }

    /// The known key that a key is; `None` for another one. `raw` is the text between the quotes.
    pub(super) fn find(&mut self, raw: &[u8], offset: u64) -> Result<Option<&'static str>> {
        let state_fault = || fault(PlanFileFault::State, offset);
        let key = decode(raw).map_err(|_| state_fault())?;
        let is_like = |known: &&str| key.chars().map(folded).eq(known.chars());
        let Some(place) = self.known.iter().position(is_like) else { return Ok(None) };
        let bit = 1 << place;
        if key != self.known[place] || self.met & bit != 0 {
            return Err(state_fault());
        }
        self.met |= bit;
        Ok(Some(self.known[place]))
    }

    /// Whether a known key occurred.
    pub(super) fn met(&self, key: &str) -> bool {
        self.known.iter().position(|known| *known == key).is_some_and(|at| self.met >> at & 1 == 1)
    }
}

/// The lower case of a letter, as the tools' decoder compares keys: two letters that are not ASCII
/// count as `s` and `k`.
fn folded(c: char) -> char {
    match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    }
}

/// The members of an object with the known keys, in the order of `known`.
pub(super) fn members<'a, const N: usize>(
    value: Value<'a>,
    known: &'static [&'static str; N],
) -> Result<[Option<Value<'a>>; N]> {
    let mut keys = Keys::of(known);
    let mut members = [None; N];
    for member in value.members()? {
        let (key, member) = member?;
        if let Some(found) = keys.find(key.raw(), key.offset())?
            && let Some(place) = known.iter().position(|known| *known == found)
        {
            members[place] = Some(member);
        }
    }
    Ok(members)
}

/// Whether a value is true; false if it is null or missing.
pub(super) fn is_true(value: Option<Value<'_>>) -> Result<bool> {
    let Some(value) = value else { return Ok(false) };
    match value.kind()? {
        Kind::True => Ok(true),
        Kind::False | Kind::Null => Ok(false),
        _ => Err(value.wrong_type("a boolean")),
    }
}

/// The text of a string; empty if it is null or missing.
pub(super) fn text(value: Option<Value<'_>>) -> Result<String> {
    value.filter(|value| !value.is_null()).map_or(Ok(String::new()), Value::text)
}
