//! The known members of objects in a state.
//!
//! The JSON decoder of Terraform and OpenTofu takes the last of several members with the same key,
//! and accepts `Type` as `type`. Neither tool writes such keys, so both cases are errors. A reader
//! that chose another member than the tools could treat a secret as a public value.

use super::fault::PlanFileFault;
use plansift_core::error::{Error, Result};
use plansift_core::json::string::decode;
use plansift_core::json::value::{Kind, Value};

/// The known keys of an object, and which of them occurred.
pub(super) struct Keys {
    known: &'static [&'static str],
    /// A bit set of the known keys that occurred.
    met: u32,
}

impl Keys {
    /// Starts without any key seen. `known` has at most 32 keys.
    pub(super) fn of(known: &'static [&'static str]) -> Keys {
        Keys { known, met: 0 }
    }

    /// Returns the known key that equals `raw`, or `None` for an unknown key. `raw` is the JSON
    /// string between the quotes. A repeated key is an error, and so is a known key in another
    /// case.
    pub(super) fn find(&mut self, raw: &[u8], offset: u64) -> Result<Option<&'static str>> {
        let state_fault = || Error::at(PlanFileFault::State, offset);
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

/// Converts a letter to lower case as the tools' JSON decoder does to compare keys: two non-ASCII
/// letters count as `s` and `k`.
fn folded(c: char) -> char {
    match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    }
}

/// Returns the members of an object that have known keys, in the order of `known`.
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

/// Returns the content of a string; empty if the value is null or missing.
pub(super) fn text(value: Option<Value<'_>>) -> Result<String> {
    value.filter(|value| !value.is_null()).map_or(Ok(String::new()), Value::text)
}
