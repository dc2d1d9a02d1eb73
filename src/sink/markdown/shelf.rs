//! Entries that wait for their turn: in the order of the plans, by class.
//!
//! Of each class as much is kept as can be shown. Where that is everything, what does not fit into
//! a little memory goes to a file without a name, which is gone with the process.

use std::io::{BufReader, Read, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

use super::class::Class;
use super::entry::Entry;
use super::fit::Measure;
use crate::error::Result;
use crate::sink::write_error;

/// Memory of each class, in bytes.
const MEMORY: usize = 1 << 20;

/// All entries.
pub(super) struct Shelf {
    tapes: [Tape; Class::ALL.len()],
    /// What was there when the last plan ended.
    marks: [Tally; Class::ALL.len()],
    measure: Measure,
    max: u64,
}

/// Entries of one class.
struct Tape {
    file: SpooledTempFile,
    tally: Tally,
}

/// What a tape holds.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Things that entries tell of, those that are not kept included.
    count: u64,
    /// Length of the file in bytes.
    bytes: u64,
    /// Size of the heads, and of all.
    heads: u64,
    size: u64,
}

/// How much of an entry would be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    All,
    Head,
    None,
}

/// Length of the numbers before an entry: how many it tells of, whether it is cut, the bytes of its
/// head and of its body.
const NUMBERS: usize = 32;

impl Shelf {
    /// An empty one that keeps of each class what has that size.
    pub fn new(measure: Measure, max: u64) -> Shelf {
        let tape = |_| Tape { file: SpooledTempFile::new(MEMORY), tally: Tally::default() };
        let marks = [Tally::default(); Class::ALL.len()];
        Shelf { tapes: Class::ALL.map(tape), marks, measure, max }
    }

    /// How much is kept of what comes next.
    pub fn room(&self, class: Class) -> Room {
        let tally = &self.tapes[class as usize].tally;
        match self.max {
            max if tally.size < max => Room::All,
            max if tally.heads < max => Room::Head,
            _ => Room::None,
        }
    }

    /// Counts what no entry tells of.
    pub fn count(&mut self, class: Class, count: u64) {
        self.tapes[class as usize].tally.count += count;
    }

    /// Adds an entry, or as much of it as may be shown.
    pub fn add(&mut self, class: Class, entry: &Entry) -> Result<()> {
        self.count(class, entry.count);
        let body = match self.room(class) {
            Room::None => return Ok(()),
            Room::Head => "",
            Room::All => &entry.body,
        };
        let Tape { file, tally } = &mut self.tapes[class as usize];
        let is_cut = entry.is_cut || body.len() < entry.body.len();
        let numbers = [entry.count, u64::from(is_cut), entry.head.len() as u64, body.len() as u64];
        let numbers = numbers.map(u64::to_le_bytes).concat();
        for part in [&numbers, entry.head.as_bytes(), body.as_bytes()] {
            file.write_all(part).map_err(write_error)?;
            tally.bytes += part.len() as u64;
        }
        let head = self.measure.of(&entry.head);
        tally.heads += head;
        tally.size += head + self.measure.of(body);
        Ok(())
    }

    /// Takes note that a plan ends.
    pub fn mark(&mut self) {
        self.marks = self.tapes.each_ref().map(|tape| tape.tally);
    }

    /// Forgets what came since.
    pub fn forget(&mut self) -> Result<()> {
        for (tape, mark) in self.tapes.iter_mut().zip(self.marks) {
            tape.tally = mark;
            tape.file.seek(SeekFrom::Start(mark.bytes)).map_err(write_error)?;
        }
        Ok(())
    }

    /// What the classes tell of, as numbers; none of those without any.
    pub fn counts(&self) -> impl Iterator<Item = (Class, u64)> {
        let counts =
            Class::ALL.into_iter().zip(&self.tapes).map(|(it, tape)| (it, tape.tally.count));
        counts.filter(|(_, count)| *count > 0)
    }

    /// The size of all that is kept.
    pub fn size(&self) -> u64 {
        self.tapes.iter().map(|tape| tape.tally.size).sum()
    }

    /// The size of all heads that are kept.
    pub fn heads(&self) -> u64 {
        self.tapes.iter().map(|tape| tape.tally.heads).sum()
    }

    /// The size of all bodies that are kept and tell of differences.
    pub fn differences(&self) -> u64 {
        let tapes = Class::ALL.into_iter().zip(&self.tapes);
        let tapes = tapes.filter(|(class, _)| class.has_differences());
        tapes.map(|(_, tape)| tape.tally.size - tape.tally.heads).sum()
    }

    /// The entries of a class, from the first.
    pub fn read(&mut self, class: Class) -> Result<Entries<'_>> {
        let Tape { file, tally } = &mut self.tapes[class as usize];
        file.rewind().map_err(write_error)?;
        Ok(Entries(BufReader::new(file.take(tally.bytes))))
    }
}

/// The entries of a class.
pub(super) struct Entries<'s>(BufReader<std::io::Take<&'s mut SpooledTempFile>>);

impl Entries<'_> {
    /// The next one.
    pub fn next(&mut self) -> Result<Option<Entry>> {
        if self.0.buffer().is_empty() && self.0.get_ref().limit() == 0 {
            return Ok(None);
        }
        let mut numbers = [0; NUMBERS];
        self.0.read_exact(&mut numbers).map_err(write_error)?;
        let number = |place: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&numbers[place * 8..][..8]);
            u64::from_le_bytes(bytes)
        };
        let [count, is_cut, head, body] = [0, 1, 2, 3].map(number);
        let [head, body] = [head, body].map(|len| self.text(len));
        let (head, body, is_cut) = (head?, body?, is_cut == 1);
        Ok(Some(Entry { count, head, body, is_cut, full: None }))
    }

    fn text(&mut self, len: u64) -> Result<String> {
        let mut text = String::new();
        (&mut self.0).take(len).read_to_string(&mut text).map_err(write_error)?;
        Ok(text)
    }
}
