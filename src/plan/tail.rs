//! What follows a document: nothing, or lines that a CI wrapper printed (plan-format, section 13).
//!
//! Only a little plain text is stepped over. A second document, or binary rubbish, means that the
//! input is not what its user thinks, and is an error.

use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;

/// How much text after the document is stepped over, in bytes.
const TEXT_MAX: usize = 64 << 10;

/// Reads the text from `start`, the end of the document and of the space after it, to the end of
/// the input, and returns its length in bytes.
///
/// # Errors
///
/// It is more than a wrapper prints, or looks like a document itself.
pub(super) fn pass(source: &mut impl Source, start: u64) -> Result<u64> {
    let trailing = || Error::at(ErrorKind::Trailing, start);
    loop {
        if source.offset() + source.window().len() as u64 - start > TEXT_MAX as u64 {
            return Err(trailing());
        }
        if !source.fill(start)? {
            break;
        }
    }
    let text = &source.window()[(start - source.offset()) as usize..];
    let is_text = |text: &str| !text.contains('\0') && text.lines().all(is_wrapper_line);
    match std::str::from_utf8(text) {
        Ok(text) if is_text(text) => Ok(text.len() as u64),
        _ => Err(trailing()),
    }
}

/// Whether a line cannot be JSON that belongs, or once belonged, to a document.
fn is_wrapper_line(line: &str) -> bool {
    let line = line.trim();
    // A GitHub workflow command escapes the line feed that ended the document.
    let line = line.trim_start_matches("%0A").trim_start_matches("%0D");
    match line.as_bytes() {
        [] => true,
        [b'[', next, ..] => next.is_ascii_alphabetic(),
        [first, ..] => {
            first.is_ascii_alphabetic() || matches!(first, b':' | b'#' | b'=' | b'+' | 0x1b)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Slice;

    #[test]
    fn wrapper_text_is_passed_and_other_things_are_not() {
        let after = |text: &str| pass(&mut Slice(format!("{{}}{text}").as_bytes()), 2).is_ok();
        for text in
            ["%0A\n::set-output name=exitcode::0", "::debug::exitcode: 0\n", "Done.\n\n[info] x"]
        {
            assert!(after(text), "{text:?}");
        }
        for text in ["{}", "x\n{\"a\":1}", "[1]", "}", ",", "\"", "\0", "1"] {
            assert!(!after(text), "{text:?}");
        }
        assert!(!after(&"words\n".repeat(20_000)));
    }
}
