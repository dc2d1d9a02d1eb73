//! Reads and writes the lines of a journal.
//!
//! A line is a digest of its text, a space, the text, and a line feed. The text is the JSON of an
//! [`Entry`].

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::{Listed, Terms};
use crate::batch::fault::FolderFault;
use plansift_core::error::{Error, Result};

/// The number of hexadecimal digits of a line's digest.
const DIGITS: usize = 16;

/// The maximum length of a line with its line feed, in bytes. Unit tests have a lower limit.
pub(super) const LEN_MAX: u64 = if cfg!(test) { 64 << 10 } else { 256 << 20 };

/// The text of a line, with an outcome of type `O`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry<O> {
    /// The first line.
    Begun(Terms),
    /// Begins a group of this many inputs.
    Inputs(u64),
    Input(Listed),
    /// Begins a group of outcomes.
    Outcomes,
    Outcome(O),
}

impl<O: Serialize> Entry<O> {
    /// Returns the line of this entry, with its line feed.
    pub fn line(&self) -> Result<Vec<u8>> {
        let text = serde_json::to_vec(self).map_err(|error| Error::write(error.into()))?;
        let line = [digest(&text).as_bytes(), b" ", &text, b"\n"].concat();
        match line.len() as u64 > LEN_MAX {
            true => Err(Error::new(FolderFault::LongLine)),
            false => Ok(line),
        }
    }
}

impl<O> Entry<O> {
    /// Whether this entry begins a group.
    fn is_first(&self) -> bool {
        matches!(self, Entry::Begun(_) | Entry::Inputs(_) | Entry::Outcomes)
    }
}

/// The place of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The offset of the line in the file, in bytes.
    pub offset: u64,
    /// The number of the line, from 1.
    pub number: u64,
}

impl Place {
    pub const START: Place = Place { offset: 0, number: 1 };

    /// Returns the place after a line of `len` bytes here.
    pub fn after(self, len: usize) -> Place {
        Place { offset: self.offset + len as u64, number: self.number + 1 }
    }

    /// Returns the error for damage in the line.
    pub fn damaged(self) -> Error {
        Error::new(FolderFault::Damaged { line: self.number })
    }
}

/// Reads the lines of a journal in order.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    reader: BufReader<Rest<'a>>,
    /// The place of the next line.
    next: Place,
    /// The last line.
    line: Vec<u8>,
}

impl<'a> Lines<'a> {
    /// Returns the lines from this place on.
    pub fn from(next: Place, file: &'a File) -> Lines<'a> {
        let rest = Rest { file, offset: next.offset };
        Lines { reader: BufReader::new(rest), next, line: Vec::new() }
    }

    /// Returns the place of the next line.
    pub fn place(&self) -> Place {
        self.next
    }

    /// Returns the next entry; `None` at the end of the file, or if the rest of the file is torn.
    /// Fails if the line is damaged.
    pub fn next<O: DeserializeOwned>(&mut self) -> Result<Option<Entry<O>>> {
        let place = self.next;
        self.read()?;
        let Some(text) = text_of(&self.line) else {
            return if self.is_torn()? { Ok(None) } else { Err(place.damaged()) };
        };
        serde_json::from_slice(text).map(Some).map_err(|_| place.damaged())
    }

    /// Reads the next line, or the next [`LEN_MAX`] bytes of a longer line. At the end of the file,
    /// the line is empty.
    fn read(&mut self) -> Result<()> {
        self.line.clear();
        let read = self.reader.by_ref().take(LEN_MAX).read_until(b'\n', &mut self.line);
        let len = read.map_err(Error::read)?;
        self.next = self.next.after(len);
        Ok(())
    }

    /// Whether the group of the last line, which is broken, is the last group. Then a crash cut the
    /// group off, or a run is writing it. So the end of the file also counts as torn.
    fn is_torn(&mut self) -> Result<bool> {
        let is_cut = |line: &[u8]| !line.ends_with(b"\n") && (line.len() as u64) < LEN_MAX;
        while !is_cut(&self.line) {
            self.read()?;
            let entry = text_of(&self.line).map(serde_json::from_slice::<Entry<IgnoredAny>>);
            if entry.is_some_and(|entry| entry.is_ok_and(|entry| entry.is_first())) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the text of a line; `None` if the digest is wrong, or if the line feed is missing.
fn text_of(line: &[u8]) -> Option<&[u8]> {
    let (head, text) = line.strip_suffix(b"\n")?.split_at_checked(DIGITS + 1)?;
    (head.strip_suffix(b" ") == Some(digest(text).as_bytes())).then_some(text)
}

fn digest(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..DIGITS].to_owned()
}

/// Reads a file from an offset on. Reading moves the position of the file, which nothing else uses.
#[derive(Debug)]
struct Rest<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for Rest<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.offset))?;
        let read = file.read(buffer)?;
        self.offset += read as u64;
        Ok(read)
    }
}
