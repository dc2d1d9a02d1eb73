//! Finds echoes: texts in a document's bytes that equal one of its secrets.
//!
//! Every string is tested, keys included, and every number if a number is secret. The scan's masks
//! locate strings ([`plansift_core::scan`]). A filter on the first bytes of a string
//! ([`Secrets::may_begin`]) rejects nearly all of them.
//!
//! If all secrets have at least eight bytes and no secret is a number, and only whole strings
//! count, a fast path (`FindHeads`) skips short strings a block at a time, and locates only the
//! starts of the other strings. The fast path finds the same echoes as the search from quote to
//! quote.
//!
//! The trap: a string or a number can be spelled in many ways. If there is a backslash near the
//! start of a string, the search decodes the start before it applies the filter. It decodes the
//! whole string only if the string passes the filter.

use std::ops::Range;

use super::contained::Contained;
use super::digest::head_of;
use super::set::{HeadFilter, Secrets};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::json::string;
use plansift_core::scan::{BATCH, BLOCK, Block, Code, Detail, Isa, Scanner};
use plansift_core::text_document::may_open_document;

/// A text that equals a secret, or contains one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Echo {
    /// The byte range of the text, including the quotes.
    pub range: Range<usize>,
    pub kind: EchoKind,
    /// The number of the secret; 0 for a text that contains one.
    pub number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EchoKind {
    Value,
    Key,
    Number,
}

/// The secrets to search for.
#[derive(Clone, Copy, Debug)]
pub struct EchoTargets<'s> {
    /// Secrets that a text may equal.
    pub secrets: &'s Secrets,
    /// Secrets that a text may contain. `None` if only whole texts count as echoes.
    pub contained: Option<&'s Contained>,
}

/// Length in bytes of the shortest number whose canonical spelling is longer: `1e9`.
const SHORT: usize = 3;

/// Searches parts of documents for echoes, and reuses its memory.
#[derive(Debug)]
pub struct Echoes {
    isa: Isa,
    blocks: Box<[Block; BATCH]>,
    /// Opening quotes of strings that may be echoes.
    heads: Vec<usize>,
    /// Scratch space for decoded text.
    decoded: Vec<u8>,
}

/// The state of the search in one part of a document.
struct Text<'t> {
    bytes: &'t [u8],
    /// The opening quote of the current string.
    open: Option<usize>,
    /// The end of the last string.
    after: usize,
}

impl Echoes {
    /// Creates a searcher that scans with this instruction set.
    pub fn new(isa: Isa) -> Echoes {
        let blocks = Box::new([Block::default(); BATCH]);
        Echoes { isa, blocks, heads: Vec::new(), decoded: Vec::new() }
    }

    /// Calls `each` with the echoes in a part of a document, in document order. The part must begin
    /// and end outside strings and numbers. Fails if `each` fails. Also fails if the bytes have
    /// changed since they were validated, because another process writes to the file.
    pub fn find(
        &mut self,
        bytes: &[u8],
        targets: &EchoTargets<'_>,
        each: &mut impl FnMut(Echo) -> Result<()>,
    ) -> Result<()> {
        if !targets.secrets.echo() {
            return Ok(());
        }
        let mut scanner = Scanner::new(self.isa, Detail::Strings);
        let mut text = Text { bytes, open: None, after: 0 };
        let whole = bytes.len() - bytes.len() % BLOCK;
        for start in (0..whole).step_by(BATCH * BLOCK) {
            let end = whole.min(start + BATCH * BLOCK);
            self.batch(&mut scanner, &bytes[start..end], start, &mut text, targets, each)?;
        }
        let mut last = [b' '; BLOCK];
        last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
        self.batch(&mut scanner, &last, whole, &mut text, targets, each)?;
        if scanner.in_string() {
            return Err(changed());
        }
        self.numbers(&text, bytes.len(), targets, each)
    }

    fn batch(
        &mut self,
        scanner: &mut Scanner,
        piece: &[u8],
        start: usize,
        text: &mut Text<'_>,
        targets: &EchoTargets<'_>,
        each: &mut impl FnMut(Echo) -> Result<()>,
    ) -> Result<()> {
        let count = piece.len() / BLOCK;
        scanner.scan(piece, &mut self.blocks[..count]);
        if targets.contained.is_none()
            && !targets.secrets.echo_numbers()
            && targets.secrets.echo_min() >= 8
        {
            return self.heads(count, text.bytes, start, targets, each);
        }
        for index in 0..count {
            let mut quotes = self.blocks[index].quotes;
            while quotes != 0 {
                let at = start + index * BLOCK + quotes.trailing_zeros() as usize;
                quotes &= quotes - 1;
                let Some(open) = text.open.take() else {
                    if targets.secrets.echo_numbers() {
                        self.numbers(text, at, targets, each)?;
                    }
                    text.open = Some(at);
                    continue;
                };
                text.after = at + 1;
                if at - open > targets.secrets.echo_min() {
                    self.check_string(text.bytes, open..at + 1, targets, each)?;
                }
            }
        }
        Ok(())
    }

    /// Tests the strings in `count` blocks that may begin like a secret.
    fn heads(
        &mut self,
        count: usize,
        bytes: &[u8],
        start: usize,
        targets: &EchoTargets<'_>,
        each: &mut impl FnMut(Echo) -> Result<()>,
    ) -> Result<()> {
        let Echoes { blocks, heads, .. } = self;
        heads.clear();
        let (blocks, beginnings) = (&blocks[..count], targets.secrets.beginnings());
        self.isa.run(FindHeads { blocks, bytes, start, beginnings, heads });
        for place in 0..self.heads.len() {
            let open = self.heads[place];
            if begins(bytes, open, targets) {
                let close = close(bytes, open).ok_or_else(changed)?;
                self.check_whole(bytes, open..close + 1, targets, each)?;
            }
        }
        Ok(())
    }

    /// Tests a string. `range` includes the quotes.
    #[inline(always)]
    fn check_string(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        targets: &EchoTargets<'_>,
        each: &mut impl FnMut(Echo) -> Result<()>,
    ) -> Result<()> {
        let raw = &bytes[range.start + 1..range.end - 1];
        // The filter ignores bytes after the string. Reading them avoids a copy.
        let head = match bytes[range.start + 1..].first_chunk() {
            Some(head) => u64::from_le_bytes(*head),
            None => head_of(raw),
        };
        let passes = if has_backslash(head) {
            begins(bytes, range.start, targets)
        } else {
            targets.secrets.may_begin(head)
        };
        if passes && self.check_whole(bytes, range.clone(), targets, each)? {
            return Ok(());
        }
        match targets.contained {
            Some(contained) => Echoes::check_contained(bytes, range, contained, each),
            None => Ok(()),
        }
    }

    /// Tests whether a string contains a secret; keys are exempt. So are strings that may be
    /// documents ([`super::strings`]).
    #[inline(never)]
    fn check_contained(
        bytes: &[u8],
        range: Range<usize>,
        contained: &Contained,
        each: &mut impl FnMut(Echo) -> Result<()>,
    ) -> Result<()> {
        let raw = &bytes[range.start + 1..range.end - 1];
        let is_in = !may_open_document(&bytes[range.clone()])
            && memchr::memchr(b'\\', raw).is_none()
            && contained.is_in(raw);
        if is_in && kind_of_string(bytes, range.end) == EchoKind::Value {
            each(Echo { range, kind: EchoKind::Value, number: 0 })?;
        }
        Ok(())
    }

    /// Tests whether a string that passed the filter is a secret.
    #[inline(never)]
    fn check_whole(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        targets: &EchoTargets<'_>,
        each: &mut impl FnMut(Echo) -> Result<()>,
    ) -> Result<bool> {
        let raw = &bytes[range.start + 1..range.end - 1];
        self.decoded.clear();
        let is_text = string::unescape(raw, &mut self.decoded).is_ok();
        if !is_text || self.decoded.len() < targets.secrets.echo_min() {
            return Ok(false);
        }
        let kind = kind_of_string(bytes, range.end);
        let number = match kind {
            // The mask of a key contains the secret's number. Two keys that differ only in line
            // ends need different masks, so a key must equal the secret exactly.
            EchoKind::Key => targets.secrets.number(&self.decoded),
            _ => targets.secrets.repeated(&self.decoded),
        };
        if let Some(number) = number {
            each(Echo { range, kind, number })?;
        }
        Ok(number.is_some())
    }

    /// Tests the numbers between the last string and `end`.
    fn numbers(
        &mut self,
        text: &Text<'_>,
        end: usize,
        targets: &EchoTargets<'_>,
        each: &mut impl FnMut(Echo) -> Result<()>,
    ) -> Result<()> {
        let between = &text.bytes[text.after.min(end)..end];
        if between.len() < targets.secrets.echo_min().min(SHORT) || !targets.secrets.echo_numbers()
        {
            return Ok(());
        }
        let ends = |byte: &u8| matches!(byte, b',' | b':' | b'[' | b']' | b'{' | b'}' | ..=b' ');
        let mut at = text.after;
        for word in between.split(ends) {
            let range = at..at + word.len();
            at = range.end + 1;
            // Literals are neither numbers nor secrets.
            if matches!(word.first(), Some(b'-' | b'0'..=b'9'))
                && let Some(number) = targets.secrets.echoed_number(word, &mut self.decoded)
            {
                each(Echo { range, kind: EchoKind::Number, number })?;
            }
        }
        Ok(())
    }
}

/// Locates strings of at least eight bytes that may begin like a secret.
struct FindHeads<'f> {
    blocks: &'f [Block],
    bytes: &'f [u8],
    /// Offset of the first block.
    start: usize,
    beginnings: HeadFilter<'f>,
    /// The opening quotes found.
    heads: &'f mut Vec<usize>,
}

impl Code for FindHeads<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let FindHeads { blocks, bytes, start, beginnings, heads } = self;
        for (index, block) in blocks.iter().enumerate() {
            let quotes = block.quotes;
            // Without a next block, assume an escape there: a string at the end may be short.
            let (next, next_escapes) =
                blocks.get(index + 1).map_or((0, 1), |next| (next.quotes, next.escapes));
            let has_escapes = block.escapes | next_escapes != 0;
            // Quotes with another quote in the next eight bytes; `later` covers those bytes in the
            // next block.
            let mut near = quotes >> 1;
            near |= near >> 1;
            near |= near >> 2;
            near |= near >> 4;
            let later = next << (BLOCK - 8);
            let mut opening = quotes & block.strings & !(near | later | later.wrapping_neg());
            // Bytes after a string do not matter, and reading them avoids a copy.
            let first = start + index * BLOCK;
            let text: Option<&[u8; BLOCK + 8]> = bytes.get(first..).and_then(<[u8]>::first_chunk);
            while opening != 0 {
                let bit = opening.trailing_zeros() as usize % BLOCK;
                opening &= opening - 1;
                let passes =
                    text.and_then(|text| text[bit + 1..].first_chunk()).is_none_or(|head| {
                        let head = u64::from_le_bytes(*head);
                        (has_escapes && has_backslash(head)) || beginnings.may_hold(head)
                    });
                if passes {
                    heads.push(first + bit);
                }
            }
        }
    }
}

/// Whether the string that begins at `open` may begin like a secret. Decodes escapes.
fn begins(bytes: &[u8], open: usize, targets: &EchoTargets<'_>) -> bool {
    let mut head = [0; 8];
    let (mut at, mut len) = (open + 1, 0);
    while len < head.len() {
        match bytes.get(at) {
            None | Some(b'"') => break,
            Some(b'\\') => {
                // The escape is invalid, such as half of a surrogate pair. No secret contains one.
                let Some((character, escape_len)) = string::escape(&bytes[at..]) else {
                    return false;
                };
                at += escape_len;
                for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
                    if let Some(place) = head.get_mut(len) {
                        *place = byte;
                    }
                    len += 1;
                }
            }
            Some(&byte) => {
                head[len] = byte;
                (at, len) = (at + 1, len + 1);
            }
        }
    }
    targets.secrets.may_begin(u64::from_le_bytes(head))
}

/// The closing quote of the string that begins at `open`.
pub(super) fn close(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Whether a string is a key or a value, judged by the byte after it.
pub(super) fn kind_of_string(bytes: &[u8], end: usize) -> EchoKind {
    match bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b':') => EchoKind::Key,
        _ => EchoKind::Value,
    }
}

/// Whether one of eight bytes is a backslash.
#[inline(always)]
fn has_backslash(head: u64) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let zero_at_backslash = head ^ (ONES * b'\\' as u64);
    zero_at_backslash.wrapping_sub(ONES) & !zero_at_backslash & (ONES << 7) != 0
}

pub(super) fn changed() -> Error {
    Error::new(ErrorKind::Changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::EchoOf;
    use crate::secret::contained::Texts;
    use plansift_core::limits::Limits;

    fn secrets(texts: &[&str]) -> Secrets {
        let mut secrets = Secrets::new(8, &Limits::default());
        for text in texts {
            secrets.insert(text.as_bytes(), 0).unwrap();
        }
        secrets
    }

    /// The echoes in a text: their kinds and bytes.
    fn found(bytes: &str, targets: &EchoTargets<'_>) -> Vec<(EchoKind, String)> {
        let mut all: Option<Vec<_>> = None;
        for isa in Isa::all() {
            let mut found = Vec::new();
            Echoes::new(isa)
                .find(bytes.as_bytes(), targets, &mut |echo| {
                    found.push((echo.kind, bytes[echo.range].to_owned()));
                    Ok(())
                })
                .unwrap();
            assert_eq!(all.get_or_insert_with(|| found.clone()), &found);
        }
        all.unwrap()
    }

    #[test]
    fn strings_and_keys_are_found_in_every_spelling() {
        let secrets = secrets(&["hunter22", "a\"b\\c/d\u{e9}\u{1f600}e"]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        for text in [
            r#""hunter22""#,
            r#""\u0068unter22""#,
            r#""hunte\u0072\u00322""#,
            r#""a\"b\\c\/d\u00e9\ud83d\ude00e""#,
            "\"a\\u0022b\\u005cc/d\u{e9}\u{1f600}e\"",
        ] {
            for padding in 0..130 {
                let space = " ".repeat(padding);
                let value = format!(r#"{{"k":{space}{text},"other":"hunter2"}}"#);
                assert_eq!(
                    found(&value, &targets),
                    [(EchoKind::Value, text.to_owned())],
                    "{value}"
                );
                let key = format!(r#"{{{space}{text}{space}:1}}"#);
                assert_eq!(found(&key, &targets), [(EchoKind::Key, text.to_owned())], "{key}");
            }
        }
    }

    #[test]
    fn different_or_invalid_texts_are_not_echoes() {
        let secrets = secrets(&["hunter22"]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        for text in [
            r#"["hunter2","hunter222","Hunter22","hunter2\u0000","hunter2\\","",12345678]"#,
            r#"{"a":"\"hunter22\"","b":hunter22}"#,
            r#"["\ud800hunter22","hunter22\ud800","hunter22\x"]"#,
            "",
            "   ",
        ] {
            assert_eq!(found(text, &targets), [], "{text}");
        }
    }

    #[test]
    fn numbers_are_found_by_their_text() {
        let secrets = secrets(&["123456789", "-1.5e-10", "hunter22"]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        let text = r#"[123456789,"123456789",{"a":-1.5e-10},1234567890,[123456789 ],false,true]"#;
        let number = |text: &str| (EchoKind::Number, text.to_owned());
        let expected = [
            number("123456789"),
            (EchoKind::Value, r#""123456789""#.to_owned()),
            number("-1.5e-10"),
            number("123456789"),
        ];
        assert_eq!(found(text, &targets), expected);
    }

    #[test]
    fn numbers_are_found_by_their_value() {
        let secrets = secrets(&["1000000000", "-0.00025"]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        let text = r#"[1e9,1000000000.0,"1e9",100e7,1e8,-1e9,{"a":-25E-5},-0.000250,0.00025]"#;
        let expected = ["1e9", "1000000000.0", "100e7", "-25E-5", "-0.000250"];
        assert_eq!(found(text, &targets), expected.map(|text| (EchoKind::Number, text.to_owned())));
        // Without the grammar check, any bytes may occur here.
        assert_eq!(found("[1e,1x,--,1e99999999999999999999999999999999999999999]", &targets), []);
    }

    #[test]
    fn texts_without_escapes_are_searched_with_echo_contains() {
        let (mut texts, secrets) = (Texts::new(8, &Limits::default()), secrets(&["p@ssw0rd"]));
        texts.push(b"p@ssw0rd", 0).unwrap();
        let contained = Contained::new(&texts, EchoOf::Part);
        let targets = EchoTargets { secrets: &secrets, contained: Some(&contained) };
        let text = r#"{"u":"x p@ssw0rd y","p@ssw0rd key":1,"n":"no","e":"x p@ssw0rd\n"}"#;
        assert_eq!(found(text, &targets), [(EchoKind::Value, r#""x p@ssw0rd y""#.to_owned())]);
    }

    /// A secret number, which disables the fast path. No text of these tests contains the number.
    const NUMBER: &str = "314159265358979";

    #[test]
    fn the_fast_path_finds_the_same_echoes() {
        let texts = ["hunter22", "hunter22 and more", "a\\b\"cdefgh", "p", "hunter2"];
        let without = secrets(&texts);
        let with = secrets(&[&texts[..], &[NUMBER]].concat());
        assert!(with.echo_numbers() && !without.echo_numbers());
        // Strings of all lengths around eight, at all positions in blocks and batches, and one that
        // covers a whole batch.
        let strings = [
            "hunter22",
            "hunter2",
            "",
            "p",
            "hunter22 and more",
            "\\u0068unter22",
            "hunter222",
            "a\\\\b\\\"cdefgh",
            "\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"",
            "\\\\",
        ];
        let list = format!("[\"{}\"]", strings.join("\",\""));
        let echoes = ["hunter22", "hunter22 and more", "\\u0068unter22", "a\\\\b\\\"cdefgh"];
        let values = echoes.map(|text| (EchoKind::Value, format!("\"{text}\"")));
        let key = [(EchoKind::Key, "\"hunter22\"".to_owned())];
        let expected = [&values[..], &key, &values, &values].concat();
        let long = "x".repeat(BATCH * BLOCK + 77);
        for padding in (0..BLOCK).chain(BATCH * BLOCK - 150..BATCH * BLOCK + 2) {
            let space = " ".repeat(padding);
            let text = format!(r#"[{space}{list},"{long}",{{"hunter22":{list}}},12345678,{list}]"#);
            let find = |secrets| found(&text, &EchoTargets { secrets, contained: None });
            assert_eq!(find(&with), expected, "{padding}");
            assert_eq!(find(&without), expected, "{padding}");
        }
    }
}
