//! What follows a document: nothing, or lines that a CI wrapper printed (plan-format, section 13).
//!
//! Only a little plain text is stepped over. A second document, or binary rubbish, means that the
//! input is not what its user thinks, and is an error.

use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;

/// How much text after the document is stepped over, in bytes.
const TEXT_MAX: usize = 64 << 10;

/// Reads the text from `start`, the end of the document and of the space after it, to the end of
/// the input, and returns its length in bytes. `document_len`: bytes of the document.
///
/// # Errors
///
/// It is more than a wrapper prints, or looks like a document itself.
pub(super) fn pass(source: &mut impl Source, start: u64, document_len: u64) -> Result<u64> {
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
    let is_text = |text: &str| {
        let mut lines = text.lines();
        !text.contains('\0') && lines.all(|line| is_wrapper_line(line, document_len))
    };
    match std::str::from_utf8(text) {
        Ok(text) if is_text(text) => Ok(text.len() as u64),
        _ => Err(trailing()),
    }
}

/// Whether a text that is to be stepped over has in it what objects are made of: quotes next to
/// punctuation. It may then be a plan itself, or what is left of one.
pub(super) fn holds_json(text: &[u8]) -> bool {
    memchr::memchr_iter(b'"', text).any(|quote| {
        let before = text[..quote].trim_ascii_end().last();
        let after = text[quote + 1..].trim_ascii_start().first();
        before == Some(&b'{') || matches!(after, Some(b':' | b'}' | b']'))
    })
}

/// The wrapper of setup-terraform says again what the command printed, as a workflow command, in
/// which line feeds, carriage returns and percent signs are escaped.
const REPEATS: [&str; 2] = ["::debug::stdout: ", "::set-output name=stdout::"];

/// Whether a line cannot be JSON that belongs, or once belonged, to a document.
fn is_wrapper_line(line: &str, document_len: u64) -> bool {
    if let Some(text) = REPEATS.iter().find_map(|prefix| line.strip_prefix(prefix)) {
        let text = text.trim_end_matches("%0A").trim_end_matches("%0D");
        let escapes = ["%25", "%0A", "%0D"].map(|escape| text.matches(escape).count());
        let len = text.len() - 2 * escapes.iter().sum::<usize>();
        // Of another length it is another document.
        return text.is_empty() || len as u64 == document_len;
    }
    if holds_json(line.as_bytes()) {
        return false;
    }
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
        let after = |text: &str| pass(&mut Slice(format!("{{}}{text}").as_bytes()), 2, 2).is_ok();
        for text in [
            "%0A\n::set-output name=exitcode::0",
            "::debug::exitcode: 0\n",
            "::debug::stdout: {}%0A\n::set-output name=stdout::{}",
            "Done.\n\n[info] x",
        ] {
            assert!(after(text), "{text:?}");
        }
        for text in [
            "{}",
            "x\n{\"a\":1}",
            "[1]",
            "}",
            ",",
            "\"",
            "\0",
            "1",
            "\n[project-b] {\"format_version\":\"1.2\"}",
            "\nNow: { \"a\" : 1 }",
            "\nword \"b\" }",
            "\n::set-output name=stdout::{\"format_version\":\"1.2\"}",
        ] {
            assert!(!after(text), "{text:?}");
        }
        assert!(!after(&"words\n".repeat(20_000)));
    }
}
