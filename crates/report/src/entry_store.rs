//! Stores entries by class, in the order of the plans, until the report is written.
//!
//! Each class keeps as many entries as the report can show. Entries beyond a small memory buffer
//! go to an unnamed temporary file, which disappears with the process. In memory, the entries of a
//! report without a limit would grow with the plan. The entries are stored in a binary form,
//! because a report with JSON in its place took two to three times as long.

use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Take, Write};
use std::marker::PhantomData;

use tempfile::SpooledTempFile;

use crate::fit::Measure;
use plansift_core::error::Result;
use plansift_plan::sink::write_error;

/// Bytes of entries that each class keeps in memory.
const MEMORY: usize = 1 << 20;

/// A section of a report, which has a store of its own.
pub(crate) trait EntryClass: Copy + Ord + 'static {
    /// All classes, in the order of the report and of their numbers.
    const ALL: &'static [Self];

    /// Returns the place of the class in the list of all classes.
    fn place(self) -> usize;

    /// Whether entries show differences or problems. Other entries show only the values of one
    /// side.
    fn has_differences(self) -> bool;
}

/// The text about one item, or about several items that change alike.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub count: u64,
    pub head: String,
    /// The text below the head.
    pub body: String,
    /// The body without any cuts, if that is longer.
    pub full: Option<String>,
    /// Whether the body was dropped because it did not fit.
    pub is_cut: bool,
}

pub(crate) struct EntryStore<C> {
    classes: PhantomData<C>,
    stores: Vec<Store>,
    /// The totals of each class at the end of the last plan.
    marks: Vec<StoreTotals>,
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
    /// Number of stored entries.
    stored: u64,
    /// Size of the heads, in units of the measure.
    heads: u64,
    /// Size of the heads and bodies, in units of the measure.
    size: u64,
}

/// How much of the next entry would be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    All,
    Head,
    None,
}

/// Bytes of the four numbers before a stored entry: its count, whether it is cut, and the lengths
/// of its head and its body in bytes.
const NUMBERS: usize = 32;

impl<C: EntryClass> EntryStore<C> {
    /// Creates an empty store that stores entries up to the size `max` for each class.
    pub fn new(measure: Measure, max: u64) -> EntryStore<C> {
        let file = || BufWriter::new(SpooledTempFile::new(MEMORY));
        let store = |_| Store { file: file(), totals: StoreTotals::default() };
        let stores = C::ALL.iter().map(store).collect();
        let marks = vec![StoreTotals::default(); C::ALL.len()];
        EntryStore { classes: PhantomData, stores, marks, measure, max }
    }

    /// Returns how much of the next entry of a class would be stored.
    pub fn room(&self, class: C) -> Room {
        let totals = &self.stores[class.place()].totals;
        match self.max {
            max if totals.size < max => Room::All,
            max if totals.heads < max => Room::Head,
            _ => Room::None,
        }
    }

    /// Counts items of a class without storing an entry.
    pub fn count(&mut self, class: C, count: u64) {
        self.stores[class.place()].totals.count += count;
    }

    /// Adds an entry, or the part of it that the report may show.
    pub fn add(&mut self, class: C, entry: &Entry) -> Result<()> {
        self.count(class, entry.count);
        let body = match self.room(class) {
            Room::None => return Ok(()),
            Room::Head => "",
            Room::All => &entry.body,
        };
        let Store { file, totals } = &mut self.stores[class.place()];
        let is_cut = entry.is_cut || body.len() < entry.body.len();
        let numbers = [entry.count, u64::from(is_cut), entry.head.len() as u64, body.len() as u64];
        let numbers = numbers.map(u64::to_le_bytes).concat();
        for part in [&numbers, entry.head.as_bytes(), body.as_bytes()] {
            file.write_all(part).map_err(write_error)?;
            totals.bytes += part.len() as u64;
        }
        let head = self.measure.of(&entry.head);
        totals.stored += 1;
        totals.heads += head;
        totals.size += head + self.measure.of(body);
        Ok(())
    }

    pub fn mark(&mut self) {
        self.marks = self.stores.iter().map(|store| store.totals).collect();
    }

    /// Drops the entries since the last mark: their plan failed.
    pub fn forget(&mut self) -> Result<()> {
        for (store, mark) in self.stores.iter_mut().zip(&self.marks) {
            store.totals = *mark;
            store.file.seek(SeekFrom::Start(mark.bytes)).map_err(write_error)?;
        }
        Ok(())
    }

    /// Returns the number of items of each class, without empty classes.
    pub fn counts(&self) -> impl Iterator<Item = (C, u64)> {
        let stores = C::ALL.iter().copied().zip(&self.stores);
        let counts = stores.map(|(class, store)| (class, store.totals.count));
        counts.filter(|(_, count)| *count > 0)
    }

    /// Returns the number of stored entries of a class.
    pub fn stored(&self, class: C) -> u64 {
        self.stores[class.place()].totals.stored
    }

    /// Returns the size of the stored heads of a class.
    pub fn heads(&self, class: C) -> u64 {
        self.stores[class.place()].totals.heads
    }

    /// Returns the size of the stored heads and bodies of a class.
    pub fn size(&self, class: C) -> u64 {
        self.stores[class.place()].totals.size
    }

    /// Returns the size of all stored heads.
    pub fn all_heads(&self) -> u64 {
        C::ALL.iter().map(|class| self.heads(*class)).sum()
    }

    /// Returns the size of all stored heads and bodies.
    pub fn all_size(&self) -> u64 {
        C::ALL.iter().map(|class| self.size(*class)).sum()
    }

    /// Returns the size of all stored bodies in classes that show differences.
    pub fn differences(&self) -> u64 {
        let classes = C::ALL.iter().filter(|class| class.has_differences());
        classes.map(|class| self.size(*class) - self.heads(*class)).sum()
    }

    /// Reads the entries of a class, from the first.
    pub fn read(&mut self, class: C) -> Result<StoredEntries<'_>> {
        let Store { file, totals } = &mut self.stores[class.place()];
        file.rewind().map_err(write_error)?;
        Ok(StoredEntries(BufReader::new(file.get_mut().take(totals.bytes))))
    }
}

pub(crate) struct StoredEntries<'s>(BufReader<Take<&'s mut SpooledTempFile>>);

impl StoredEntries<'_> {
    /// Returns the next entry. `None` at the end.
    pub fn next(&mut self) -> Result<Option<Entry>> {
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
        Ok(Some(Entry { count, head, body, is_cut, full: None }))
    }

    fn text(&mut self, len: u64) -> Result<String> {
        let mut text = String::new();
        (&mut self.0).take(len).read_to_string(&mut text).map_err(write_error)?;
        Ok(text)
    }
}
