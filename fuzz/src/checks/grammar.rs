//! The full grammar check accepts exactly what serde_json accepts.
//!
//! The start and end of a document are checked token by token. So each text is also tested as an
//! element, with enough white space around it to fill batches of its own.

use plansift::input::Slice;
use plansift::json::{self, Validation};
use plansift::limits::Limits;
use plansift::scan::{BATCH, BLOCK};

/// Checks `text` both ways, alone and as an element.
pub fn check(text: &[u8]) {
    const SPACE: [u8; BATCH * BLOCK - 1] = [b' '; BATCH * BLOCK - 1];
    check_document(text);
    check_document(&[b"[", &SPACE[..], text, &SPACE[..], b" ]"].concat());
}

fn check_document(text: &[u8]) {
    // serde_json treats an object with such a key as one of its own numbers.
    const PRIVATE: &[u8] = b"$serde_json::private::";
    if text.windows(PRIVATE.len()).any(|part| part == PRIVATE) {
        return;
    }
    let theirs = serde_json::from_slice::<serde_json::Value>(text);
    // serde_json limits the depth by its stack, plansift by an option.
    if theirs.as_ref().is_err_and(|error| error.to_string().starts_with("recursion limit")) {
        return;
    }
    let ours = json::check(Slice(text), Validation::Grammar, Limits::default());
    match (ours, theirs) {
        (Err(error), Ok(_)) => panic!("refused, although it is JSON: {error}"),
        (Ok(()), Err(error)) => panic!("accepted, although it is not JSON: {error}"),
        _ => {}
    }
}
