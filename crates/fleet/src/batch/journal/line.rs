//! Reads and writes the lines of a journal, which may be larger than memory.
//!
//! A line is a digest of its text, a space, and the text: a JSON object with one member. A list has
//! no spaces between its elements. The first pass over a line checks its digest ([`Lines`]). The
//! second pass reads one element at a time ([`Elements`]).

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use serde::Serialize;

use crate::batch::fault::FolderFault;
use plansift_core::error::{Error, Result};

/// The number of hexadecimal digits of a line's digest.
const DIGITS: usize = 16;

/// The bytes before the text of a line: the digits and a space.
pub(super) const HEAD: u64 = DIGITS as u64 + 1;

/// The kind of list that a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Inputs,
    Outcomes,
}

impl Kind {
    pub fn head(self) -> &'static str {
        match self {
            Kind::Inputs => r#"{"inputs":["#,
            Kind::Outcomes => r#"{"outcomes":["#,
        }
    }
}

/// The end of the text of every list.
pub(super) const TAIL: &str = "]}";

/// A line with a valid digest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The number of the line, from 1.
    pub number: u64,
    /// The offset of the text in the file, in bytes.
    offset: u64,
    /// The length of the text in bytes.
    len: u64,
    digest: blake3::Hash,
}

impl Line {
    /// Whether the line has this text, by length and digest.
    pub fn holds(&self, text: &Measure) -> bool {
        (self.len, self.digest) == (text.len, text.digest.finalize())
    }

    pub fn text(&self, file: &File) -> Result<Vec<u8>> {
        read(file, self.offset, self.len)
    }

    /// Returns the kind of the line's list; `None` if the line holds no list.
    pub fn kind(&self, file: &File) -> Result<Option<Kind>> {
        let longest = Kind::Outcomes.head().len() as u64;
        let start = read(file, self.offset, longest.min(self.len))?;
        let is_begun = |kind: &Kind| start.starts_with(kind.head().as_bytes());
        Ok([Kind::Inputs, Kind::Outcomes].into_iter().find(is_begun))
    }
}

/// Reads `len` bytes of a file at `offset`.
pub(super) fn read(file: &File, offset: u64, len: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = RangeReader { file, range: offset..offset + len }.read_to_end(&mut bytes);
    if read.map_err(Error::read)? as u64 != len {
        return Err(Error::read(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(bytes)
}

/// Reads a byte range of a file. Reading moves the position of the file, which nothing else uses.
#[derive(Debug)]
struct RangeReader<'a> {
    file: &'a File,
    range: Range<u64>,
}

impl Read for RangeReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.range.end - self.range.start;
        let len = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.range.start))?;
        let read = file.read(&mut buffer[..len])?;
        self.range.start += read as u64;
        Ok(read)
    }
}

/// Reads the lines of a journal in order.
pub(super) struct Lines<'a> {
    reader: BufReader<RangeReader<'a>>,
    /// The offset of the next line, in bytes.
    offset: u64,
    number: u64,
}

/// A valid or a broken line.
pub(super) enum ReadLine {
    Whole(Line),
    /// The digest is wrong, or the line feed is missing.
    Broken {
        is_ended: bool,
    },
}

impl<'a> Lines<'a> {
    pub fn of(file: &'a File) -> Lines<'a> {
        let reader = BufReader::new(RangeReader { file, range: 0..u64::MAX });
        Lines { reader, offset: 0, number: 1 }
    }

    /// Returns the offset of the next line, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of the next line, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether the file has no more bytes.
    pub fn are_over(&mut self) -> Result<bool> {
        Ok(self.reader.fill_buf().map_err(Error::read)?.is_empty())
    }

    /// Returns the next line; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<ReadLine>> {
        let (mut head, mut text) = (Vec::new(), Measure::default());
        let mut is_ended = false;
        while !is_ended {
            let bytes = self.reader.fill_buf().map_err(Error::read)?;
            if bytes.is_empty() {
                break;
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let (of_head, of_text) = part.split_at(part.len().min(DIGITS + 1 - head.len()));
            head.extend_from_slice(of_head);
            text.add(of_text);
            is_ended = end.is_some();
            let taken = part.len() + usize::from(is_ended);
            self.reader.consume(taken);
        }
        let read = head.len() as u64 + text.len + u64::from(is_ended);
        if read == 0 {
            return Ok(None);
        }
        let (number, offset) = (self.number, self.offset + HEAD);
        self.offset += read;
        self.number += 1;
        if !is_ended || head != text.head().as_bytes() {
            return Ok(Some(ReadLine::Broken { is_ended }));
        }
        let Measure { len, digest } = text;
        Ok(Some(ReadLine::Whole(Line { number, offset, len, digest: digest.finalize() })))
    }
}

/// Reads the elements of a line's list in order.
pub(super) struct Elements<'a> {
    reader: BufReader<RangeReader<'a>>,
    line: u64,
    /// The offset of the next element in the file, in bytes.
    offset: u64,
    /// The text of the last element.
    text: Vec<u8>,
    is_over: bool,
}

impl<'a> Elements<'a> {
    /// Returns the elements of a line, which must be of this kind.
    pub fn of(line: &Line, kind: Kind, file: &'a File) -> Elements<'a> {
        const BUFFER: u64 = 64 << 10;
        let offset = line.offset + kind.head().len() as u64;
        let part = RangeReader { file, range: offset..line.offset + line.len };
        let reader = BufReader::with_capacity(BUFFER.min(line.len) as usize, part);
        Elements { reader, line: line.number, offset, text: Vec::new(), is_over: false }
    }

    /// Returns the offset and the text of the next element. The text is valid until the next call.
    /// Fails if the journal cannot be read, or if the text is not a list.
    pub fn next(&mut self) -> Result<Option<(u64, &[u8])>> {
        if self.is_over {
            return Ok(None);
        }
        let (offset, mut nesting) = (self.offset, Nesting::default());
        self.text.clear();
        let end = loop {
            let bytes = self.reader.fill_buf().map_err(Error::read)?;
            if bytes.is_empty() {
                return Err(damaged(self.line));
            }
            let end = bytes.iter().position(|&byte| nesting.ends_at(byte));
            let element = &bytes[..end.unwrap_or(bytes.len())];
            self.text.extend_from_slice(element);
            let (taken, end) = (element.len(), end.map(|at| bytes[at]));
            self.reader.consume(taken + usize::from(end.is_some()));
            if let Some(end) = end {
                break end;
            }
        };
        self.offset += self.text.len() as u64 + 1;
        if end == b']' {
            self.is_over = true;
            let mut rest = Vec::new();
            self.reader.read_to_end(&mut rest).map_err(Error::read)?;
            if rest != TAIL.as_bytes()[1..] {
                return Err(damaged(self.line));
            }
            if self.text.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some((offset, &self.text)))
    }
}

/// Tracks the nesting depth in a JSON text.
#[derive(Default)]
struct Nesting {
    depth: u64,
    is_in_string: bool,
    is_escaped: bool,
}

impl Nesting {
    /// Takes the next byte. Returns whether it ends an element of the outermost list.
    fn ends_at(&mut self, byte: u8) -> bool {
        if self.is_in_string {
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return false;
        }
        match byte {
            b',' | b']' if self.depth == 0 => return true,
            b'"' => self.is_in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        false
    }
}

/// The length and the digest of a text.
#[derive(Debug, Default)]
pub(super) struct Measure {
    len: u64,
    digest: blake3::Hasher,
}

impl Measure {
    /// Measures the text of a list without storing it.
    pub fn of(kind: Kind, elements: impl Iterator<Item = impl Serialize>) -> io::Result<Measure> {
        let mut out = BufWriter::new(Measure::default());
        write_list(&mut out, kind, elements)?;
        Ok(out.into_inner()?)
    }

    /// Returns the digest and the space before the text in its line.
    pub fn head(&self) -> String {
        format!("{} ", &self.digest.finalize().to_hex()[..DIGITS])
    }

    pub fn add(&mut self, text: &[u8]) {
        self.len += text.len() as u64;
        self.digest.update(text);
    }

    /// Returns the line with this text that begins at `offset`.
    pub fn line(&self, number: u64, offset: u64) -> Line {
        Line { number, offset: offset + HEAD, len: self.len, digest: self.digest.finalize() }
    }

    /// Returns the length of the line with its line feed, in bytes.
    pub fn line_len(&self) -> u64 {
        HEAD + self.len + 1
    }
}

impl Write for Measure {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn write_list(
    out: &mut impl Write,
    kind: Kind,
    elements: impl Iterator<Item = impl Serialize>,
) -> io::Result<()> {
    out.write_all(kind.head().as_bytes())?;
    for (index, element) in elements.enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        serde_json::to_writer(&mut *out, &element)?;
    }
    out.write_all(TAIL.as_bytes())
}

pub(super) fn damaged(line: u64) -> Error {
    Error::new(FolderFault::Damaged { line })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the elements of a line with this text; `None` if the list is malformed.
    fn elements(text: &str, kind: Kind) -> Option<Vec<String>> {
        let mut file = tempfile::tempfile().expect("a file");
        let mut measure = Measure::default();
        measure.add(text.as_bytes());
        writeln!(file, "{}{text}", measure.head()).expect("it is written");
        let Ok(Some(ReadLine::Whole(line))) = Lines::of(&file).next() else { panic!("{text}") };
        assert_eq!(line.text(&file).expect("a text"), text.as_bytes());
        assert_eq!(line.kind(&file).expect("it is read"), Some(kind));
        let (mut elements, mut read) = (Elements::of(&line, kind, &file), Vec::new());
        loop {
            match elements.next() {
                Ok(None) => return Some(read),
                Ok(Some((offset, element))) => {
                    let element = String::from_utf8(element.to_vec()).expect("a text");
                    let place = text.len().min((offset - HEAD) as usize);
                    assert!(text[place..].starts_with(&element), "{text}: {element}");
                    read.push(element);
                }
                Err(error) => {
                    assert_eq!(error.fault(), Some(&FolderFault::Damaged { line: 1 }));
                    return None;
                }
            }
        }
    }

    #[test]
    fn a_list_is_split_at_its_top_level_commas() {
        for list in ["", "{}", r#"{};1;"""#, r#"{"a":["]}",{"b":[1,2]}],"c":"\\\"],"};[[],","]"#] {
            let list: Vec<&str> = list.split_terminator(';').collect();
            for kind in [Kind::Inputs, Kind::Outcomes] {
                let text = format!("{}{}{TAIL}", kind.head(), list.join(","));
                assert_eq!(elements(&text, kind).expect("a list"), list);
            }
        }
        let long = format!("{:?}", "[\"\\".repeat(100_000));
        let text = format!("{}{long},{long}{TAIL}", Kind::Inputs.head());
        assert_eq!(elements(&text, Kind::Inputs), Some(vec![long.clone(), long]));
    }

    #[test]
    fn a_malformed_list_is_rejected() {
        for rest in ["", "1", "1,", "1]", "1]}}", "1] }", "\"]}", "1]}1", "[1]}"] {
            assert_eq!(elements(&format!("{}{rest}", Kind::Inputs.head()), Kind::Inputs), None);
        }
    }
}
