//! Stores entries by class, in the order of the plans, until the report is written.
//!
//! Each class keeps as many entries as the report can show. Entries beyond a small memory buffer
//! go to an unnamed temporary file, which disappears with the process. In memory, the entries of a
//! report without a limit would grow with the plan. The entries are stored in a binary form,
//! because a report with JSON in its place took two to three times as long.

use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Take, Write};

use tempfile::SpooledTempFile;

use super::entry::MarkdownEntry;
use super::fit::Measure;
use crate::overview::Class;
use plansift_core::error::Result;
use plansift_plan::sink::write_error;

/// Bytes of entries that each class keeps in memory.
const MEMORY: usize = 1 << 20;

pub(super) struct EntryStore {
    stores: [Store; Class::ALL.len()],
    /// The totals of each class at the end of the last plan.
    marks: [StoreTotals; Class::ALL.len()],
    measure: Measure,
    max: u64,
}

/// The stored entries of one class.
struct Store {
    file: BufWriter<SpooledTempFile>,
    totals: StoreTotals,
}

#[derive(Clone, Copy, Debug, Default)]
struct StoreTotals {
    /// Items that the entries describe, including entries that are not stored.
    count: u64,
    /// Length of the file in bytes.
    bytes: u64,
    /// Size of the heads, in units of the measure.
    heads: u64,
    /// Size of the heads and bodies, in units of the measure.
    size: u64,
}

/// How much of the next entry would be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    All,
    Head,
    None,
}

/// Bytes of the four numbers before a stored entry: its count, whether it is cut, and the lengths
/// of its head and its body in bytes.
const NUMBERS: usize = 32;

impl EntryStore {
    /// Creates an empty store that stores entries up to the size `max` for each class.
    pub fn new(measure: Measure, max: u64) -> EntryStore {
        let file = || BufWriter::new(SpooledTempFile::new(MEMORY));
        let store = |_| Store { file: file(), totals: StoreTotals::default() };
        let marks = [StoreTotals::default(); Class::ALL.len()];
        EntryStore { stores: Class::ALL.map(store), marks, measure, max }
    }

    /// Returns how much of the next entry of a class would be stored.
    pub fn room(&self, class: Class) -> Room {
        let totals = &self.stores[class as usize].totals;
        match self.max {
            max if totals.size < max => Room::All,
            max if totals.heads < max => Room::Head,
            _ => Room::None,
        }
    }

    /// Counts items of a class without storing an entry.
    pub fn count(&mut self, class: Class, count: u64) {
        self.stores[class as usize].totals.count += count;
    }

    /// Adds an entry, or the part of it that the report may show.
    pub fn add(&mut self, class: Class, entry: &MarkdownEntry) -> Result<()> {
        self.count(class, entry.count);
        let body = match self.room(class) {
            Room::None => return Ok(()),
            Room::Head => "",
            Room::All => &entry.body,
        };
        let Store { file, totals } = &mut self.stores[class as usize];
        let is_cut = entry.is_cut || body.len() < entry.body.len();
        let numbers = [entry.count, u64::from(is_cut), entry.head.len() as u64, body.len() as u64];
        let numbers = numbers.map(u64::to_le_bytes).concat();
        for part in [&numbers, entry.head.as_bytes(), body.as_bytes()] {
            file.write_all(part).map_err(write_error)?;
            totals.bytes += part.len() as u64;
        }
        let head = self.measure.of(&entry.head);
        totals.heads += head;
        totals.size += head + self.measure.of(body);
        Ok(())
    }

    pub fn mark(&mut self) {
        self.marks = self.stores.each_ref().map(|store| store.totals);
    }

    /// Drops the entries since the last mark: their plan failed.
    pub fn forget(&mut self) -> Result<()> {
        for (store, mark) in self.stores.iter_mut().zip(self.marks) {
            store.totals = mark;
            store.file.seek(SeekFrom::Start(mark.bytes)).map_err(write_error)?;
        }
        Ok(())
    }

    /// Returns the number of items of each class, without empty classes.
    pub fn counts(&self) -> impl Iterator<Item = (Class, u64)> {
        let stores = Class::ALL.into_iter().zip(&self.stores);
        let counts = stores.map(|(class, store)| (class, store.totals.count));
        counts.filter(|(_, count)| *count > 0)
    }

    pub fn size(&self) -> u64 {
        self.stores.iter().map(|store| store.totals.size).sum()
    }

    /// Returns the size of all stored heads.
    pub fn heads(&self) -> u64 {
        self.stores.iter().map(|store| store.totals.heads).sum()
    }

    /// Returns the size of all stored bodies in classes that show differences.
    pub fn differences(&self) -> u64 {
        let stores = Class::ALL.into_iter().zip(&self.stores);
        let stores = stores.filter(|(class, _)| class.has_differences());
        stores.map(|(_, store)| store.totals.size - store.totals.heads).sum()
    }

    /// Reads the entries of a class, from the first.
    pub fn read(&mut self, class: Class) -> Result<StoredEntries<'_>> {
        let Store { file, totals } = &mut self.stores[class as usize];
        file.rewind().map_err(write_error)?;
        Ok(StoredEntries(BufReader::new(file.get_mut().take(totals.bytes))))
    }
}

pub(super) struct StoredEntries<'s>(BufReader<Take<&'s mut SpooledTempFile>>);

impl StoredEntries<'_> {
    /// Returns the next entry. `None` at the end.
    pub fn next(&mut self) -> Result<Option<MarkdownEntry>> {
        if self.0.buffer().is_empty() && self.0.get_ref().limit() == 0 {
            return Ok(None);
        }
        let mut numbers = [0; NUMBERS];
        self.0.read_exact(&mut numbers).map_err(write_error)?;
        let number = |index: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&numbers[index * 8..][..8]);
            u64::from_le_bytes(bytes)
        };
        let [count, is_cut, head, body] = [0, 1, 2, 3].map(number);
        let [head, body] = [head, body].map(|len| self.text(len));
        let (head, body, is_cut) = (head?, body?, is_cut == 1);
        Ok(Some(MarkdownEntry { count, head, body, is_cut, full: None }))
    }

    fn text(&mut self, len: u64) -> Result<String> {
        let mut text = String::new();
        (&mut self.0).take(len).read_to_string(&mut text).map_err(write_error)?;
        Ok(text)
    }
}
