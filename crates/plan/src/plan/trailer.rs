//! Reads what follows a document: nothing, another document, or lines that a CI wrapper printed
//! (docs/format/plan.md, section 13).
//!
//! The reader skips a small amount of plain text. Binary data is an error, and so is a second
//! document where only one is allowed. In both cases, the input is not what the user expects.

use super::preamble::{TEXT_MAX, behind, document_in, skip_space};
use super::{SurroundingText, wrapper};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::Source;
use plansift_core::json::cursor::Cursor;

/// What may follow a document in its input, apart from a wrapper's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedTrailer {
    Nothing,
    Documents,
    /// The rest of an array whose element the document is. After the array, documents may follow.
    Elements,
    /// The end of an array whose element the document is.
    EndOfArray,
}

/// Where a document ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trailer {
    /// The end of the document and of the white space after it.
    pub end: u64,
    /// The end of the array and of the white space after it, if the document is its last element.
    /// Otherwise equals `end`.
    pub outer_end: u64,
    /// The offset of another document, of text before that document, or of the comma before the
    /// next element of an array.
    pub next: Option<u64>,
    /// Bytes of text that were skipped after the document.
    pub text: u64,
}

/// Finds the end of the document that began at `start`. The cursor must be right after the last
/// bracket of the document. Fails if the bytes after the document are not allowed there.
pub(super) fn find<S: Source>(
    cursor: &mut Cursor<S>,
    after: AllowedTrailer,
    surrounding_text: SurroundingText,
    start: u64,
) -> Result<Trailer> {
    let close = cursor.offset();
    let (mut tail, at_end) = match after {
        AllowedTrailer::Elements | AllowedTrailer::EndOfArray => after_element(cursor, after)?,
        AllowedTrailer::Nothing | AllowedTrailer::Documents => {
            let at_end = at_end(cursor, surrounding_text)?;
            let end = cursor.offset().max(close);
            (Trailer { end, outer_end: end, next: None, text: 0 }, at_end)
        }
    };
    if tail.next.is_some() || at_end {
        return Ok(tail);
    }
    let (source, end) = (cursor.source_mut(), tail.outer_end);
    let may_follow = matches!(after, AllowedTrailer::Documents | AllowedTrailer::Elements);
    if may_follow && is_document(source, end, surrounding_text)? {
        tail.next = Some(end);
    } else if surrounding_text == SurroundingText::Refused {
        return Err(Error::at(ErrorKind::Trailing, end));
    } else {
        tail.text = read_text(source, end, close - start)?;
    }
    Ok(tail)
}

impl Trailer {
    /// Ends the read of the document. Fails if the source changed during the read, or is damaged
    /// after the document.
    pub fn leave(&self, source: &mut impl Source) -> Result<()> {
        if self.next.is_some() { unchanged(source) } else { source.finish() }
    }
}

/// Fails with [`ErrorKind::Changed`] if a source has changed. This check replaces `Source::finish`
/// for a source that is not read to its end.
pub(super) fn unchanged(source: &mut impl Source) -> Result<()> {
    if source.changed() { Err(Error::new(ErrorKind::Changed)) } else { Ok(()) }
}

/// Finds the end of an element of an array. If the element is the last one, passes the end of the
/// array and the white space after it. Returns whether the input ends there. The cursor must be
/// right after the element.
fn after_element<S: Source>(
    cursor: &mut Cursor<S>,
    after: AllowedTrailer,
) -> Result<(Trailer, bool)> {
    let next = cursor.peek()?;
    let end = cursor.offset();
    match next {
        Some(b',') if after == AllowedTrailer::Elements => {
            Ok((Trailer { end, outer_end: end, next: Some(end), text: 0 }, false))
        }
        Some(b',') => Err(Error::at(ErrorKind::Trailing, end)),
        Some(b']') => {
            let outer_end = pass_space(cursor.source_mut(), end + 1)?;
            let at_end = behind(cursor.source(), outer_end).is_empty();
            Ok((Trailer { end, outer_end, next: None, text: 0 }, at_end))
        }
        _ => Err(cursor.expected("a comma or the end of the array of plans")),
    }
}

/// Whether only white space follows the document. The cursor must be right after the document.
fn at_end<S: Source>(cursor: &mut Cursor<S>, surrounding_text: SurroundingText) -> Result<bool> {
    let text_is_skipped = surrounding_text == SurroundingText::Skipped;
    match cursor.at_end() {
        Err(error) if is_misplaced(error.kind()) && text_is_skipped => Ok(false),
        other => other,
    }
}

/// Passes the white space that JSON allows at the offset `at`. Returns the end of the white space.
/// Keeps only the rest of the window.
fn pass_space(source: &mut impl Source, mut at: u64) -> Result<u64> {
    loop {
        let rest = behind(source, at);
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let space = rest.iter().take_while(is_space).count();
        at += space as u64;
        if space < rest.len() || !source.fill(at)? {
            return Ok(at);
        }
    }
}

/// Whether an error is about a byte that JSON does not allow, or about an incomplete character. A
/// wrapper's text may contain both.
fn is_misplaced(kind: ErrorKind) -> bool {
    use ErrorKind::{ControlCharacter, Encoding, NotAscii, Truncated};
    matches!(kind, ControlCharacter | Encoding | NotAscii | Truncated)
}

/// Reads the text after a document, from `start` to the end of the input. Returns the length of the
/// text in bytes. `document_len` is the length of the document in bytes. Fails if the text is too
/// long for a wrapper's text, or looks like a document.
fn read_text(source: &mut impl Source, start: u64, document_len: u64) -> Result<u64> {
    let trailing = || Error::at(ErrorKind::Trailing, start);
    loop {
        if source.offset() + source.window().len() as u64 - start > TEXT_MAX as u64 {
            return Err(trailing());
        }
        if !source.fill(start)? {
            break;
        }
    }
    // Copies before checking, because another process may write to the mapped file.
    let text = source.window()[(start - source.offset()) as usize..].to_vec();
    let may_skip = |text: &str| {
        // A workflow command escapes the line feed at the end of the document.
        let text = text.trim_start_matches("%0A").trim_start_matches("%0D");
        let (repeats, others): (Vec<_>, Vec<_>) =
            text.split_inclusive('\n').partition(|line| repeated(line).is_some());
        repeats.into_iter().filter_map(repeated).all(|text| is_repeat(text, document_len))
            && wrapper::is_text(others.concat().as_bytes())
    };
    match std::str::from_utf8(&text) {
        Ok(text) if may_skip(text) => Ok(text.len() as u64),
        _ => Err(trailing()),
    }
}

/// Whether another document begins at the offset `start`, or after text at `start`. The byte at
/// `start` is not white space.
fn is_document(
    source: &mut impl Source,
    start: u64,
    surrounding_text: SurroundingText,
) -> Result<bool> {
    loop {
        match behind(source, start).first().copied() {
            Some(b'{') => return Ok(true),
            Some(b'[') => match skip_space(source, start, start + 1)?.0 {
                // The first element may begin a line. The line after the document is hidden.
                Some(b'{') | None => return Ok(true),
                Some(_) => {}
            },
            _ => {}
        }
        if surrounding_text == SurroundingText::Refused {
            return Ok(false);
        }
        let text = behind(source, start);
        let text = &text[..text.len().min(TEXT_MAX)];
        if let Some(at) = document_in(text) {
            let before = text[..at].trim_ascii_end();
            let before = before.strip_suffix(b"[").unwrap_or(&text[..at]);
            let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
            let is_repeat = REPEATS.iter().any(|prefix| line.starts_with(prefix.as_bytes()));
            return Ok(!is_repeat && wrapper::is_text(before));
        }
        if text.len() == TEXT_MAX {
            return Ok(false);
        }
        if !source.fill(start)? {
            // The same, after text.
            let before = behind(source, start).trim_ascii_end().strip_suffix(b"[");
            return Ok(before.is_some_and(wrapper::is_text));
        }
    }
}

/// Prefixes of workflow commands that repeat the output of a command. The wrapper of
/// setup-terraform prints these commands. In a command, line feeds, carriage returns and percent
/// signs are escaped.
const REPEATS: [&str; 2] = ["::debug::stdout: ", "::set-output name=stdout::"];

/// Returns the repeated output, if the line is a workflow command that repeats output.
fn repeated(line: &str) -> Option<&str> {
    REPEATS.iter().find_map(|prefix| line.strip_prefix(prefix)).map(str::trim_end)
}

/// Whether repeated output may be a copy of the document. It may be if it is empty or has the
/// length of the document.
///
/// Only the lengths are compared. The bytes of the document are no longer in the window. Keeping
/// them or a digest would cost time for every plan.
fn is_repeat(text: &str, document_len: u64) -> bool {
    let text = text.trim_end_matches("%0A").trim_end_matches("%0D");
    let escapes = ["%25", "%0A", "%0D"].map(|escape| text.matches(escape).count());
    let len = text.len() - 2 * escapes.iter().sum::<usize>();
    text.is_empty() || len as u64 == document_len
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::input::Slice;

    #[test]
    fn wrapper_text_is_skipped_and_documents_are_refused() {
        let after =
            |text: &str| read_text(&mut Slice(format!("{{}}{text}").as_bytes()), 2, 2).is_ok();
        for text in [
            "%0A\n::set-output name=exitcode::0",
            "::debug::exitcode: 0\n",
            "::debug::stdout: {}%0A\n::set-output name=stdout::{}",
            "Done.\n\n[info] x",
            "\n╷\n│ Warning: x\n╵\n",
            "\n2 warnings\n-----\n$ exit\n",
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
            "\n{'a': 1}",
            "\nrue}}]}",
            "\n\u{1b}[0m{\u{1b}[0m\"a\"\u{1b}[0m:\u{1b}[0m1}",
            "\n::set-output name=stdout::{\"format_version\":\"1.2\"}",
        ] {
            assert!(!after(text), "{text:?}");
        }
        assert!(after(&"words\n".repeat(20_000)));
        assert!(!after(&"words\n".repeat(200_000)));
    }
}
