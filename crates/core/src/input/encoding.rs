//! Decodes UTF-16 to UTF-8. PowerShell redirects output as UTF-16 with a byte order mark.

use std::io::{self, Read};

use super::stream::{into_error, into_io_error};
use crate::error::{Error, ErrorKind, Result};

/// The encoding of a text, by its byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// Not supported: no tool writes plans in UTF-32.
    Utf32,
}

impl Encoding {
    pub(super) fn of(head: &[u8]) -> Encoding {
        match head {
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Encoding::Utf32,
            [0xff, 0xfe, ..] => Encoding::Utf16Le,
            [0xfe, 0xff, ..] => Encoding::Utf16Be,
            _ => Encoding::Utf8,
        }
    }

    /// Whether the text needs no decoding, so that a file can be mapped.
    #[cfg(target_os = "linux")]
    pub(super) fn is_utf8(self) -> bool {
        self == Encoding::Utf8
    }
}

/// A reader that repeats its first bytes, which were read already.
type Peeked = io::Chain<io::Cursor<Vec<u8>>, Box<dyn Read + Send>>;

/// Decodes a reader to UTF-8. Fails if the text is UTF-32, or if the first bytes cannot be read.
pub fn decode(reader: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
    let (head, reader) = peek(reader)?;
    match Encoding::of(&head) {
        Encoding::Utf8 => Ok(Box::new(reader)),
        Encoding::Utf32 => Err(Error::at(ErrorKind::Encoding, 0)),
        encoding => Ok(Box::new(Utf16 {
            reader,
            big_endian: encoding == Encoding::Utf16Be,
            mark: true,
            bytes: Vec::new(),
            high: None,
            text: Vec::new(),
            returned: 0,
            decoded: 0,
            failed: None,
        })),
    }
}

/// Reads up to four bytes. Returns them, and a reader that starts with them again.
pub(super) fn peek(mut reader: Box<dyn Read + Send>) -> Result<(Vec<u8>, Peeked)> {
    let mut head = Vec::new();
    let read = reader.by_ref().take(4).read_to_end(&mut head);
    read.map_err(|error| into_error(error).or_at(0))?;
    Ok((head.clone(), io::Cursor::new(head).chain(reader)))
}

/// A reader that decodes UTF-16 to UTF-8.
struct Utf16<R> {
    reader: R,
    big_endian: bool,
    /// Whether the byte order mark is not read yet.
    mark: bool,
    /// Bytes that are not decoded yet: at most half a code unit between calls.
    bytes: Vec<u8>,
    /// The first half of an unfinished surrogate pair.
    high: Option<u16>,
    text: Vec<u8>,
    /// Number of bytes of `text` that were returned.
    returned: usize,
    /// Number of decoded bytes before `text`.
    decoded: u64,
    /// The error to return after `text`.
    failed: Option<io::Error>,
}

impl<R: Read> Utf16<R> {
    fn refill(&mut self) -> io::Result<bool> {
        const LEN: usize = 64 << 10;
        let half = self.bytes.len();
        self.bytes.resize(half + LEN, 0);
        let read = self.reader.read(&mut self.bytes[half..]);
        self.bytes.truncate(half + *read.as_ref().unwrap_or(&0));
        if read? == 0 {
            return match (half, self.high) {
                (0, None) => Ok(false),
                _ => Err(self.error_here(ErrorKind::Truncated)),
            };
        }
        self.decoded += self.text.len() as u64;
        self.text.clear();
        self.returned = 0;
        let bytes = std::mem::take(&mut self.bytes);
        let (pairs, rest) = bytes.as_chunks();
        self.bytes.extend_from_slice(rest);
        let decode = if self.big_endian { u16::from_be_bytes } else { u16::from_le_bytes };
        let mut units: Vec<u16> = self.high.take().into_iter().collect();
        units.extend(pairs.iter().map(|pair| decode(*pair)));
        if self.mark && !units.is_empty() {
            units.remove(0);
            self.mark = false;
        }
        self.high = units.pop_if(|unit| (0xd800..0xdc00).contains(unit));
        for character in char::decode_utf16(units) {
            let Ok(character) = character else {
                self.failed = Some(self.error_here(ErrorKind::Encoding));
                break;
            };
            self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(true)
    }

    fn error_here(&self, kind: ErrorKind) -> io::Error {
        into_io_error(Error::at(kind, self.decoded + self.text.len() as u64))
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.returned == self.text.len() {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            if !self.refill()? {
                return Ok(0);
            }
        }
        let len = buffer.len().min(self.text.len() - self.returned);
        buffer[..len].copy_from_slice(&self.text[self.returned..self.returned + len]);
        self.returned += len;
        Ok(len)
    }
}
