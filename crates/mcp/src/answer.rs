//! The answers of tools, within a budget.

use plansift_core::inert::visible;
use schemars::JsonSchema;
use serde::Serialize;

/// The budget of an answer without `max_bytes`, in bytes of its JSON text.
pub const BUDGET: u64 = 8_000;
/// The smallest and the largest budget.
pub const BUDGET_MIN: u64 = 2_000;
/// See [`BUDGET_MIN`].
pub const BUDGET_MAX: u64 = 200_000;

/// Maximum length of the text of an error, in bytes.
const ERROR_MAX: usize = 800;
/// Maximum length of a name, in bytes.
pub const NAME_MAX: usize = 400;

/// The answer to a call that cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// What is wrong.
    pub error: String,
    /// What to do.
    pub hint: &'static str,
}

impl Refusal {
    /// Makes hidden characters of the error visible, and shortens it.
    pub fn new(error: impl AsRef<str>, hint: &'static str) -> Refusal {
        let error = visible(error.as_ref());
        let end = error.floor_char_boundary(ERROR_MAX);
        Refusal { error: error[..end].to_owned(), hint }
    }

    /// Says that the server has a bug.
    pub fn internal() -> Refusal {
        Refusal::new("internal error", "this is a bug of plansift, please report it")
    }
}

/// Returns the budget of a call.
pub fn budget(max_bytes: Option<u64>) -> Result<u64, Refusal> {
    match max_bytes.unwrap_or(BUDGET) {
        max @ BUDGET_MIN..=BUDGET_MAX => Ok(max),
        _ => Err(Refusal::new(
            format!("max_bytes is not from {BUDGET_MIN} to {BUDGET_MAX}"),
            "leave max_bytes out for an answer of at most 8000 bytes",
        )),
    }
}

/// The room for the items of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Room(usize);

impl Room {
    /// Returns the room that is left in a budget beside an answer without its items. The numbers in
    /// that answer must be as long as they can become.
    pub fn new(max: u64, frame: &impl Serialize) -> Room {
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        Room(max.saturating_sub(size(frame)))
    }

    /// Returns a part of the room.
    pub fn part(self, divisor: usize) -> Room {
        Room(self.0 / divisor)
    }

    /// Takes the room of an item and a comma, if it is there.
    pub fn take(&mut self, item: &impl Serialize) -> bool {
        let rest = self.0.checked_sub(size(item) + 1);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }
}

/// Returns the length of the JSON text of a value.
pub fn size(value: &impl Serialize) -> usize {
    // The values of answers have no maps with other keys than strings, so they have a text.
    serde_json::to_string(value).map_or(usize::MAX, |text| text.len())
}

/// What an answer leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// The number of items.
    pub count: u64,
    /// How to ask for them.
    pub ask: &'static str,
}

impl LeftOut {
    /// Returns nothing if `count` is 0.
    pub fn of(count: u64, ask: &'static str) -> Option<LeftOut> {
        (count > 0).then_some(LeftOut { count, ask })
    }

    /// Returns the longest text for an ask.
    pub fn most(ask: &'static str) -> Option<LeftOut> {
        LeftOut::of(u64::MAX, ask)
    }
}

/// Shortens a text to `max` bytes, and says how many bytes are missing.
pub fn shortened(text: &str, max: usize) -> String {
    shortened_with(text, max, 0)
}

/// Like [`shortened`], for a text that already lacks `missing` bytes at its end.
pub fn shortened_with(text: &str, max: usize, missing: u64) -> String {
    let end = if text.len() <= max { text.len() } else { text.floor_char_boundary(max) };
    match missing + (text.len() - end) as u64 {
        0 => text.to_owned(),
        missing => format!("{}… ({missing} more bytes)", &text[..end]),
    }
}

/// Whether a flag is false, so that an answer leaves it out.
pub fn is_false(flag: &bool) -> bool {
    !flag
}

/// Whether a number is zero, so that an answer leaves it out.
pub fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_have_a_range() {
        assert_eq!(budget(None), Ok(BUDGET));
        assert_eq!(budget(Some(2_000)), Ok(2_000));
        for max in [0, 1_999, 200_001, u64::MAX] {
            assert!(budget(Some(max)).is_err(), "{max}");
        }
    }

    #[test]
    fn a_room_counts_items_with_their_commas() {
        let mut room = Room::new(12, &["x"]);
        assert!(!room.take(&"abcde") && room.take(&"abcd") && !room.take(&""));
    }

    #[test]
    fn a_shortened_text_says_what_is_missing() {
        assert_eq!(shortened("äö", 4), "äö");
        assert_eq!(shortened("äöü", 5), "äö… (2 more bytes)");
        assert_eq!(shortened_with("ab", 9, 7), "ab… (7 more bytes)");
    }
}
