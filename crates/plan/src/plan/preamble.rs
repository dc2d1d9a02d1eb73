//! Finds where the document begins in an input: after a byte order mark, after text that a CI
//! wrapper printed before it (docs/format/plan.md, section 13), or after the bracket or the comma
//! of an array of documents.

use super::wrong_document::WrongDocument;
use super::{SurroundingText, kind, wrapper};
use plansift_core::error::{Error, ErrorKind, Result, TokenClass};
use plansift_core::input::Source;

/// Maximum number of bytes of text that are skipped before a document, and after it.
pub(super) const TEXT_MAX: usize = 1 << 20;

/// Where a document begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Preamble {
    /// Bytes from the start of the input to the comma before an element of an array, or to the
    /// opening bracket and the white space before it. Equals `start` if the document is not an
    /// element.
    pub outer: u64,
    /// Bytes from the start of the input to the document.
    pub start: u64,
    /// Bytes from the start of the input to the document's first brace, after any white space.
    pub brace: u64,
    /// Bytes of a wrapper's text before the document.
    pub text: u64,
}

impl Preamble {
    fn new(start: u64, brace: u64) -> Preamble {
        Preamble { outer: start, start, brace, text: 0 }
    }

    /// Whether the document is an element of an array.
    pub fn is_element(&self) -> bool {
        self.outer < self.start
    }
}

/// Finds the document that begins at the offset `from`, or after text or the comma of an array at
/// this offset. Fails if there is no document. The error names the kind of the input.
pub(super) fn find(
    source: &mut impl Source,
    from: u64,
    surrounding_text: SurroundingText,
) -> Result<Preamble> {
    let mark = if from == 0 { byte_order_mark(source)? } else { 0 };
    let start = from + mark as u64;
    // Fast path: most inputs begin with a brace, perhaps after white space.
    let (first, space) = skip_space(source, from, start)?;
    let begin = start + space;
    match first {
        Some(b'{') if !is_utf16_unit(source, from, begin)? => {
            return Ok(Preamble::new(start, begin));
        }
        // A document never begins with a comma, so this is the comma after an element.
        Some(b',') if from > 0 && space == 0 => return element(source, from, begin),
        Some(b'[') => match skip_space(source, from, begin + 1)? {
            (Some(b'{'), _) => {
                return Ok(Preamble { outer: start, ..element(source, from, begin)? });
            }
            (Some(b']'), _) => return Err(Error::new(WrongDocument::EmptyArray)),
            (None, inner) if inner <= TEXT_MAX as u64 => {
                return Err(Error::at(ErrorKind::Truncated, begin + 1 + inner));
            }
            _ => {}
        },
        None if space <= TEXT_MAX as u64 => return Err(Error::new(WrongDocument::Empty)),
        _ => {}
    }
    after_text(source, from, start, surrounding_text)
}

/// Finds the document after text at the offset `start`. Keeps the bytes from `keep` on in the
/// window. Fails if there is no document. The error names the kind of the input.
fn after_text(
    source: &mut impl Source,
    keep: u64,
    start: u64,
    surrounding_text: SurroundingText,
) -> Result<Preamble> {
    let at = loop {
        let text = behind(source, start);
        let len = text.len();
        let found = document_in(&text[..len.min(TEXT_MAX)]);
        // Only more bytes show whether the object is a plan.
        let is_certain = found.is_none_or(|at| !is_cut_key(&text[at..]));
        match found {
            Some(at) if is_certain || len >= TEXT_MAX || !source.fill(keep)? => break at,
            None if len >= TEXT_MAX || !source.fill(keep)? => {
                return Err(Error::new(without_document(behind(source, start))));
            }
            _ => {}
        }
    };
    let (before, document) = behind(source, start).split_at(at);
    let brace = start + at as u64;
    let (before, is_element, found) = match before.trim_ascii_end().strip_suffix(b"[") {
        Some(before) => {
            let outer = start + before.len() as u64;
            (before, true, Preamble { outer, start: outer + 1, brace, text: outer - start })
        }
        None => (before, false, Preamble { text: at as u64, ..Preamble::new(brace, brace) }),
    };
    // Configuration and web pages may contain any JSON.
    let syntax = kind::by_syntax(before).filter(|_| !begins_plan(document));
    if let Some(kind) = syntax {
        return Err(Error::new(kind));
    }
    if wrapper::is_inside_array(before) {
        let kind = if is_element { WrongDocument::NestedArray } else { WrongDocument::OtherJson };
        return Err(Error::new(kind));
    }
    match (wrapper::is_text(before), surrounding_text) {
        (false, _) => {
            // The input may be an uncompressed archive that contains plans.
            while behind(source, start).len() < kind::MAGIC_LEN && source.fill(keep)? {}
            let kind = kind::by_magic(behind(source, start));
            Err(Error::new(kind.unwrap_or(WrongDocument::NotJson)))
        }
        (true, SurroundingText::Refused) => Err(Error::new(WrongDocument::TextBefore)),
        (true, SurroundingText::Skipped) => Ok(found),
    }
}

/// Returns the kind of an input in which no document begins. `head` has its first bytes.
fn without_document(head: &[u8]) -> WrongDocument {
    match head.trim_ascii_start().first() {
        Some(b'[' | b'"' | b'-' | b'0'..=b'9') if !is_text(head) && !kind::is_utf16(head) => {
            WrongDocument::OtherJson
        }
        _ => kind::by_first_bytes(head),
    }
}

/// Finds the element of an array after the bracket or the comma at the offset `outer`. Keeps the
/// bytes from `keep` on in the window. Fails if the element is not an object.
fn element(source: &mut impl Source, keep: u64, outer: u64) -> Result<Preamble> {
    let start = outer + 1;
    let (first, space) = skip_space(source, keep, start)?;
    let brace = start + space;
    let found = match first {
        Some(b'{') => return Ok(Preamble { outer, ..Preamble::new(start, brace) }),
        Some(b'[') => return Err(Error::new(WrongDocument::NestedArray).or_at(brace)),
        Some(byte) => TokenClass::of(byte),
        None if space > TEXT_MAX as u64 => TokenClass::Other,
        None => return Err(Error::at(ErrorKind::Truncated, brace)),
    };
    Err(Error::at(ErrorKind::Syntax { expected: "a plan", found }, brace))
}

/// Reads the white space at the offset `from`, and returns the byte after it and the length of the
/// white space. The byte is `None` at the end of the input, and after more than [`TEXT_MAX`] bytes.
/// Keeps the bytes from `keep` on in the window.
pub(super) fn skip_space(
    source: &mut impl Source,
    keep: u64,
    from: u64,
) -> Result<(Option<u8>, u64)> {
    let mut space = 0;
    loop {
        let rest = behind(source, from + space);
        space += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count() as u64;
        match behind(source, from + space).first().copied() {
            _ if space > TEXT_MAX as u64 => return Ok((None, space)),
            Some(byte) => return Ok((Some(byte), space)),
            None if source.fill(keep)? => {}
            None => return Ok((None, space)),
        }
    }
}

/// Whether the brace at the offset `brace` is the first half of a UTF-16 code unit.
fn is_utf16_unit(source: &mut impl Source, keep: u64, brace: u64) -> Result<bool> {
    while behind(source, brace).len() < 2 && source.fill(keep)? {}
    Ok(behind(source, brace).get(1) == Some(&0))
}

/// The part of the window from an offset on.
pub(super) fn behind(source: &impl Source, offset: u64) -> &[u8] {
    &source.window()[(offset - source.offset()) as usize..]
}

/// Length of the byte order mark at the start of the input, in bytes.
fn byte_order_mark(source: &mut impl Source) -> Result<usize> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    while source.window().len() < MARK.len() && MARK.starts_with(source.window()) {
        if !source.fill(0)? {
            break;
        }
    }
    Ok(if source.window().starts_with(MARK) { MARK.len() } else { 0 })
}

/// Whether an input that begins like JSON is plain text, such as `[info]`. In plain text, the
/// second byte is a letter.
fn is_text(head: &[u8]) -> bool {
    head.get(1).is_some_and(u8::is_ascii_alphabetic)
}

/// The first key of a plan, with its quotes.
const FIRST_KEY: &[u8] = b"\"format_version\"";

/// Whether a text begins with an object whose first key is `format_version`.
fn begins_plan(text: &[u8]) -> bool {
    let object = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    object.is_some_and(|object| object.starts_with(FIRST_KEY))
}

/// Whether an object ends inside of what may become the key `format_version`.
fn is_cut_key(object: &[u8]) -> bool {
    let key = object[1..].trim_ascii_start();
    key.len() < FIRST_KEY.len() && FIRST_KEY.starts_with(key)
}

/// Returns the first position in a text at which a document seems to begin: an object at the start
/// of a line, or an object whose first key is `format_version`.
pub(super) fn document_in(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(brace) = memchr::memchr(b'{', &text[from..]) {
        let brace = from + brace;
        let rest = text[brace + 1..].trim_ascii_start();
        let begins_line = brace == 0 || text[brace - 1] == b'\n';
        if begins_plan(&text[brace..]) || (begins_line && rest.starts_with(b"\"")) {
            return Some(brace);
        }
        from = brace + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::input::Slice;

    fn find_in(text: &str) -> Result<Preamble> {
        find(&mut Slice(text.as_bytes()), 0, SurroundingText::Skipped)
    }

    #[test]
    fn a_document_is_found_after_a_bom_space_and_text() {
        for (text, start, skipped) in [
            ("{}", 0, 0),
            ("\n  {}", 0, 0),
            ("\u{feff}{}", 3, 0),
            ("[command]/bin/terraform show -json p\n{\"format_version\":\"1.2\"}", 37, 37),
            ("\u{1b}[0m{\"format_version\":\"1.2\"}", 4, 4),
            ("Reading {x} \"a\", {b}\n{ \"a\":1}", 21, 21),
        ] {
            let head = find_in(text).unwrap();
            assert_eq!((head.start, head.text), (start, skipped), "{text:?}");
        }
    }

    #[test]
    fn other_plans_before_the_document_are_refused() {
        for before in [
            "rue}}]}",
            "false\n  ]\n}\n",
            "\u{1b}[1m{\u{1b}[0m\"format_version\"\u{1b}[0m:\"1.2\"}\n",
            "x = {'format_version': '1.2'}\n",
        ] {
            let error = find_in(&format!("{before}{{\"format_version\":\"1.2\"}}")).unwrap_err();
            assert_eq!(error.fault(), Some(&WrongDocument::NotJson), "{before:?}");
        }
    }

    #[test]
    fn text_before_the_document_is_refused_if_asked() {
        let find_in = |text: &str| find(&mut Slice(text.as_bytes()), 0, SurroundingText::Refused);
        for (text, document) in [
            ("[command]/bin/terraform\n{\"format_version\":\"1.2\"}", WrongDocument::TextBefore),
            ("rue}}]}{\"format_version\":\"1.2\"}", WrongDocument::NotJson),
            ("hello", WrongDocument::NotJson),
        ] {
            let error = find_in(text).unwrap_err();
            assert_eq!(error.fault(), Some(&document), "{text:?}");
        }
    }

    #[test]
    fn wrong_documents_are_classified_by_their_beginning() {
        for (text, document) in [
            ("", WrongDocument::Empty),
            (" \n ", WrongDocument::Empty),
            ("\u{feff}", WrongDocument::Empty),
            ("PK\u{3}\u{4}rest", WrongDocument::BinaryPlan),
            ("[1,2]", WrongDocument::OtherJson),
            ("17", WrongDocument::OtherJson),
            ("hello", WrongDocument::NotJson),
            ("module.a[\"b\"].c.d\nc.e", WrongDocument::StateList),
            ("Plan: 1 to add, 0 to change, 0 to destroy.", WrongDocument::HumanText),
        ] {
            let error = find_in(text).unwrap_err();
            assert_eq!(error.fault(), Some(&document), "{text:?}");
        }
    }
}
