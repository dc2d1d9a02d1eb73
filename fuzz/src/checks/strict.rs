//! The strict check accepts exactly what serde_json does.

use plansift::input::Slice;
use plansift::json::Validation;
use plansift::json::cursor;
use plansift::limits::Limits;

/// Checks `text` both ways.
pub fn check(text: &[u8]) {
    // An object with such a key is not JSON to serde_json but one of its own numbers.
    const PRIVATE: &[u8] = b"$serde_json::private::";
    if text.windows(PRIVATE.len()).any(|part| part == PRIVATE) {
        return;
    }
    let theirs = serde_json::from_slice::<serde_json::Value>(text);
    // Its depth is limited by its stack, ours by an option.
    if theirs.as_ref().is_err_and(|error| error.to_string().starts_with("recursion limit")) {
        return;
    }
    let ours = cursor::check(Slice(text), Validation::Everything, Limits::default());
    match (ours, theirs) {
        (Err(error), Ok(_)) => panic!("refused, although it is JSON: {error}"),
        (Ok(()), Err(error)) => panic!("accepted, although it is not JSON: {error}"),
        _ => {}
    }
}
