//! Sorts objects that may not fit into memory. Sorted runs wait in one nameless temporary file, and
//! are merged in the end.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::nameless_file;
use plansift_core::limits::Limit;

/// Memory of the items of one run, in bytes of their JSON text.
const RUN: usize = 2 << 20;

/// Number of runs of one level that are merged into a run of the next level. So few files are open,
/// and each item is written once for each level.
const LEVEL_RUNS: usize = 16;

/// Memory of the next items of all runs that are merged at once, in bytes. Two runs are always
/// merged at once.
const NEXT_MAX: usize = 4 << 20;

/// Size of the buffer of each run, in bytes.
const BUFFER: usize = 16 << 10;

/// An item that the sorter orders.
pub(crate) trait Sortable: Serialize + DeserializeOwned {
    /// Orders two items. Items that are equal keep their order.
    fn order(&self, other: &Self) -> Ordering;

    /// Orders two items of different documents. Equal items are a pair. Must agree with the order,
    /// but may ignore its last parts.
    fn pairing(&self, other: &Self) -> Ordering {
        self.order(other)
    }
}

/// Collects items, and returns them in order.
pub(crate) struct Sorter<T> {
    items: Vec<T>,
    /// Estimated memory of `items`, in bytes.
    size: usize,
    /// The runs, in the order of their items. Levels never rise.
    runs: Vec<Run>,
    /// Bytes in all temporary files.
    spooled: u64,
    /// Maximum number of bytes in all temporary files.
    spool_max: u64,
    /// Estimates the memory of an item, in bytes.
    size_of: fn(&T) -> usize,
}

/// Sorted items in a temporary file, one on each line.
struct Run {
    file: File,
    /// Bytes in the file.
    len: u64,
    /// Estimated memory of the largest item, in bytes.
    largest: usize,
    /// How many times the items were merged.
    level: u32,
}

/// Whether the next items of these runs fit into memory together.
fn fit(runs: &[Run]) -> bool {
    runs.len() <= 2 || runs.iter().map(|run| run.largest).sum::<usize>() <= NEXT_MAX
}

impl<T: Sortable> Sorter<T> {
    /// Starts without an item. The temporary files may take `spool_max` bytes together.
    pub fn new(spool_max: u64, size_of: fn(&T) -> usize) -> Sorter<T> {
        Sorter { items: Vec::new(), size: 0, runs: Vec::new(), spooled: 0, spool_max, size_of }
    }

    /// Adds an item.
    ///
    /// # Errors
    ///
    /// Fails if a temporary file cannot be written, or is too large.
    pub fn push(&mut self, item: T) -> Result<()> {
        self.size += (self.size_of)(&item);
        self.items.push(item);
        if self.size > RUN { self.spill() } else { Ok(()) }
    }

    /// Writes the items in memory to a run.
    fn spill(&mut self) -> Result<()> {
        let mut items = std::mem::take(&mut self.items);
        self.size = 0;
        items.sort_by(T::order);
        let run = self.write(items.into_iter().map(Ok), 0)?;
        self.runs.push(run);
        while let Some(last) = self.runs.last()
            && let level = last.level
            && let first = self.runs.partition_point(|run| run.level > level)
            && self.runs.len() - first >= LEVEL_RUNS
        {
            let runs = self.runs.split_off(first);
            let runs = self.fitting(runs)?;
            let run = self.merge(runs)?;
            self.runs.push(Run { level: level + 1, ..run });
        }
        Ok(())
    }

    /// Merges neighbors until the next items of all runs fit into memory together.
    fn fitting(&mut self, mut runs: Vec<Run>) -> Result<Vec<Run>> {
        while !fit(&runs) {
            let (mut merged, mut group) = (Vec::new(), Vec::new());
            for run in runs {
                group.push(run);
                if !fit(&group) {
                    let next = group.pop();
                    merged.push(self.merge(std::mem::take(&mut group))?);
                    group.extend(next);
                }
            }
            merged.push(self.merge(group)?);
            runs = merged;
        }
        Ok(runs)
    }

    /// Merges runs whose next items fit into memory together.
    fn merge(&mut self, mut runs: Vec<Run>) -> Result<Run> {
        if runs.len() == 1
            && let Some(run) = runs.pop()
        {
            return Ok(run);
        }
        let len: u64 = runs.iter().map(|run| run.len).sum();
        let level = runs.iter().map(|run| run.level).max().unwrap_or_default();
        let merged = Sorted::of(Vec::new(), runs)?;
        let run = self.write(merged, level)?;
        self.spooled -= len;
        Ok(run)
    }

    /// Writes sorted items to a run.
    fn write(&mut self, items: impl Iterator<Item = Result<T>>, level: u32) -> Result<Run> {
        let mut out = BufWriter::new(nameless_file()?);
        let (mut len, mut largest) = (0, 0);
        for item in items {
            let item = item?;
            largest = largest.max((self.size_of)(&item));
            let mut line = serde_json::to_vec(&item).map_err(|_| Error::new(ErrorKind::Spool))?;
            line.push(b'\n');
            len += line.len() as u64;
            if self.spooled + len > self.spool_max {
                let (limit, value) = (Limit::Spool, self.spool_max);
                return Err(Error::new(ErrorKind::Limit { limit, value }));
            }
            out.write_all(&line).map_err(spool)?;
        }
        let file = out.into_inner().map_err(|error| spool(error.into_error()))?;
        self.spooled += len;
        Ok(Run { file, len, largest, level })
    }

    /// Returns all items in order.
    ///
    /// # Errors
    ///
    /// Fails if a temporary file cannot be written or read.
    pub fn sorted(mut self) -> Result<Sorted<T>> {
        if !fit(&self.runs) && !self.items.is_empty() {
            // To merge the runs takes the memory of the items.
            self.spill()?;
        }
        let runs = std::mem::take(&mut self.runs);
        let runs = self.fitting(runs)?;
        self.items.sort_by(T::order);
        Sorted::of(self.items, runs)
    }
}

fn spool(error: std::io::Error) -> Error {
    Error::io(ErrorKind::Spool, error)
}

/// Items in order.
pub(crate) struct Sorted<T> {
    memory: std::vec::IntoIter<T>,
    runs: Vec<BufReader<File>>,
    /// The next item of each source, and the index of its source. The last source is `memory`.
    next: BinaryHeap<Reverse<Next<T>>>,
    /// The error of a run, which comes before all further items.
    error: Option<Error>,
}

struct Next<T> {
    item: T,
    source: usize,
}

impl<T: Sortable> Ord for Next<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.item.order(&other.item).then(self.source.cmp(&other.source))
    }
}

impl<T: Sortable> PartialOrd for Next<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Sortable> PartialEq for Next<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Sortable> Eq for Next<T> {}

impl<T: Sortable> Sorted<T> {
    fn of(items: Vec<T>, runs: Vec<Run>) -> Result<Sorted<T>> {
        let rewound = |Run { mut file, .. }: Run| {
            file.seek(SeekFrom::Start(0)).map_err(spool)?;
            Ok(BufReader::with_capacity(BUFFER, file))
        };
        let runs = runs.into_iter().map(rewound).collect::<Result<Vec<_>>>()?;
        let sources = runs.len() + 1;
        let mut sorted =
            Sorted { memory: items.into_iter(), runs, next: BinaryHeap::new(), error: None };
        for source in 0..sources {
            sorted.fill(source)?;
        }
        Ok(sorted)
    }

    /// Reads the next item of a source.
    fn fill(&mut self, source: usize) -> Result<()> {
        let item = match self.runs.get_mut(source) {
            None => self.memory.next(),
            Some(run) => {
                let mut line = Vec::new();
                run.read_until(b'\n', &mut line).map_err(spool)?;
                match line.is_empty() {
                    true => None,
                    false => Some(
                        serde_json::from_slice(&line).map_err(|_| Error::new(ErrorKind::Spool))?,
                    ),
                }
            }
        };
        self.next.extend(item.map(|item| Reverse(Next { item, source })));
        Ok(())
    }
}

impl<T: Sortable> Iterator for Sorted<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if let Some(error) = self.error.take() {
            self.next.clear();
            return Some(Err(error));
        }
        let Reverse(Next { item, source }) = self.next.pop()?;
        self.error = self.fill(source).err();
        Some(Ok(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::limits::Limit;

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    struct Item {
        key: u32,
        number: u32,
        text: String,
    }

    impl Sortable for Item {
        fn order(&self, other: &Item) -> Ordering {
            self.key.cmp(&other.key)
        }
    }

    /// Returns a sorter with items of 1 KiB whose keys repeat, in no order.
    fn sorter(count: u32, spool_max: u64) -> Result<Sorter<Item>> {
        let mut sorter = Sorter::new(spool_max, |item: &Item| item.text.len());
        for number in 0..count {
            let key = number.wrapping_mul(2_654_435_761) % 1000;
            sorter.push(Item { key, number, text: "x".repeat(1024) })?;
        }
        Ok(sorter)
    }

    /// Checks that all items come, in order. Equal items keep their order.
    fn check(sorter: Sorter<Item>, count: u32) {
        let (mut last, mut seen) = (None, 0);
        for item in sorter.sorted().expect("sorted") {
            let Item { key, number, .. } = item.expect("an item");
            assert!(last <= Some((key, number)), "{count}: {last:?} {key} {number}");
            last = Some((key, number));
            seen += 1;
        }
        assert_eq!(seen, count);
    }

    #[test]
    fn items_come_in_order_from_memory_and_from_runs() {
        // None, some, and so many runs that they are merged.
        for (count, has_runs) in [(10, false), (20_000, true), (300_000, true)] {
            let sorter = sorter(count, u64::MAX).expect("items");
            assert_eq!(!sorter.runs.is_empty(), has_runs, "{count}");
            assert!(sorter.runs.len() < 2 * LEVEL_RUNS, "{count}");
            check(sorter, count);
        }
    }

    #[test]
    fn large_items_of_few_runs_are_in_memory_together() {
        let count = 40;
        let sorter = || {
            let mut sorter = Sorter::new(u64::MAX, |item: &Item| item.text.len());
            for number in 0..count {
                let len = if number % 2 == 0 { RUN / 2 } else { RUN };
                sorter.push(Item { key: number % 7, number, text: "x".repeat(len) }).expect("room");
            }
            sorter
        };
        let sorted = sorter().sorted().expect("sorted");
        let next: usize = sorted.next.iter().map(|Reverse(next)| next.item.text.len()).sum();
        assert!(next <= NEXT_MAX, "{next}");
        check(sorter(), count);
    }

    #[test]
    fn temporary_files_have_a_limit() {
        let error = sorter(20_000, 8 << 20).err().expect("a limit");
        let limit = ErrorKind::Limit { limit: Limit::Spool, value: 8 << 20 };
        assert_eq!(error.kind(), limit);
        assert_eq!(error.location(), None);
        // While runs are merged, each item is in two files.
        let spool_max = (LEVEL_RUNS * RUN) as u64 * 3 / 2;
        let merged = (LEVEL_RUNS * RUN / 1024) as u32;
        assert!(sorter(merged - merged / 16, spool_max).is_ok());
        let error = sorter(merged + merged / 16, spool_max).err().expect("a limit");
        assert_eq!(error.kind(), ErrorKind::Limit { limit: Limit::Spool, value: spool_max });
    }
}
