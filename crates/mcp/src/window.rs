//! The changes of a plan from a number on, the riskiest first. A cache keeps them, so that a client
//! that asks for page after page gets the next pages without a reading of the plan.
//!
//! The place of a change among all is known only at the end of the plan. So a reading keeps the
//! first changes of each risk, as many as have room, and drops the last ones for riskier ones.
//! The rows have no secrets.

use std::sync::{Arc, Mutex, PoisonError};

use plansift_core::error::Result;
use plansift_core::input::FileState;
use plansift_plan::record::{Hidden, Record, Sink};
use plansift_report::compact::Risk;

use crate::answer::size;
use crate::rows::ChangeRow;

/// Maximum memory of the rows of a window, in bytes. It holds several of the largest pages.
const WINDOW_MAX: usize = 4 << 20;
/// Maximum length of a row as JSON text, in bytes.
const ROW_MAX: usize = WINDOW_MAX / 64;
/// Maximum number of windows in a cache.
const WINDOWS_MAX: usize = 4;

const RISKS: usize = Risk::ALL.len();

/// Consecutive changes among those of a plan that meet the filters of a call.
#[derive(Debug)]
pub struct Window {
    /// Number of changes before the window.
    pub start: u64,
    /// Number of all changes that meet the filters.
    pub total: u64,
    /// Number of changes that the filters hide.
    pub filtered_out: u64,
    rows: Vec<ChangeRow>,
}

impl Window {
    /// Returns the rows of the window after the first `start` changes; `None` if the window begins
    /// later, or ends before them.
    pub fn rows(&self, start: u64) -> Option<&[ChangeRow]> {
        if start >= self.total {
            // No change comes after so many.
            return Some(&[]);
        }
        let skipped = usize::try_from(start.checked_sub(self.start)?).ok()?;
        self.rows.get(skipped..)
    }

    /// Whether no change comes after the window.
    pub fn is_last(&self) -> bool {
        self.start.saturating_add(self.rows.len() as u64) >= self.total
    }
}

/// Counts the changes of each risk, and keeps rows until the window is full.
#[derive(Debug)]
pub struct WindowSink {
    /// Number of changes of each risk to pass over.
    skipped: [u64; RISKS],
    counts: [u64; RISKS],
    rows: [Vec<SizedRow>; RISKS],
    /// Risks from this index on keep no more rows.
    open: usize,
    size: usize,
    filtered_out: u64,
}

/// A row, and about its memory in bytes.
#[derive(Debug)]
struct SizedRow {
    row: ChangeRow,
    size: usize,
}

impl WindowSink {
    /// Creates a sink that keeps the first changes.
    pub fn of_first() -> WindowSink {
        WindowSink::new([0; RISKS])
    }

    /// Creates a sink that only counts changes.
    pub fn of_none() -> WindowSink {
        WindowSink::new([u64::MAX; RISKS])
    }

    /// Creates a sink that keeps the changes after the first `start` ones of those that this sink
    /// has counted.
    pub fn after(&self, start: u64) -> WindowSink {
        let mut before = 0;
        WindowSink::new(self.counts.map(|count| {
            let skipped = start.saturating_sub(before);
            before += count;
            skipped
        }))
    }

    fn new(skipped: [u64; RISKS]) -> WindowSink {
        WindowSink {
            skipped,
            counts: [0; RISKS],
            rows: [const { Vec::new() }; RISKS],
            open: RISKS,
            size: 0,
            filtered_out: 0,
        }
    }

    fn note(&mut self, risk: Risk, record: &Record<'_>) {
        let place = Risk::ALL.iter().position(|other| *other == risk).unwrap_or_default();
        let number = self.counts[place];
        self.counts[place] += 1;
        if number < self.skipped[place] || place >= self.open {
            return;
        }
        let row = ChangeRow::of(risk, record).fitting(ROW_MAX);
        let size = size(&row) + size_of::<SizedRow>();
        self.size += size;
        self.rows[place].push(SizedRow { row, size });
        while self.size > WINDOW_MAX
            && let Some(last) = self.rows.iter().rposition(|rows| !rows.is_empty())
        {
            self.open = last;
            self.size -= self.rows[last].pop().map_or(0, |it| it.size);
        }
    }

    /// Returns the window after the first `start` changes.
    pub fn window(self, start: u64) -> Window {
        let rows = self.rows.into_iter().flatten().map(|it| it.row).collect();
        let total = self.counts.iter().sum();
        Window { start, total, filtered_out: self.filtered_out, rows }
    }
}

impl Sink for WindowSink {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if let Some(risk) = Risk::of(record) {
            self.note(risk, record);
        }
        Ok(())
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        let Hidden { changes, failed_checks, others, .. } = *hidden;
        self.filtered_out = changes + failed_checks + others;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What the rows of a window were made from.
#[derive(Debug, PartialEq, Eq)]
pub struct WindowKey {
    /// The name of the plan.
    pub name: String,
    /// The state of a file before the reading.
    pub state: Option<FileState>,
    /// The version of an object.
    pub etag: Option<String>,
    /// The lists of patterns of the call.
    pub filters: [Vec<String>; 6],
}

/// The windows of the last calls.
#[derive(Debug, Default)]
pub struct WindowCache(Mutex<Vec<(WindowKey, Arc<Window>)>>);

impl WindowCache {
    /// Returns the window of a key.
    pub fn get(&self, key: &WindowKey) -> Option<Arc<Window>> {
        let windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        windows.iter().find(|(known, _)| known == key).map(|(_, window)| window.clone())
    }

    /// Keeps a window. It replaces the window of the same filters and plan, in any state, or the
    /// oldest window. Without a state and a version nothing would tell that the plan has changed,
    /// so the cache keeps no window then.
    pub fn keep(&self, key: WindowKey, window: Arc<Window>) {
        if key.state.is_none() && key.etag.is_none() {
            return;
        }
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        windows.retain(|(known, _)| known.name != key.name || known.filters != key.filters);
        if windows.len() == WINDOWS_MAX {
            windows.remove(0);
        }
        windows.push((key, window));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str, filter: &str) -> WindowKey {
        let metadata = std::fs::metadata(env!("CARGO_MANIFEST_DIR")).expect("a folder");
        let mut filters: [Vec<String>; 6] = Default::default();
        filters[0].push(filter.to_owned());
        let state = Some(FileState::of(&metadata));
        WindowKey { name: path.to_owned(), state, etag: None, filters }
    }

    fn window(start: u64, total: u64, rows: usize) -> Window {
        Window { start, total, filtered_out: 0, rows: vec![ChangeRow::default(); rows] }
    }

    #[test]
    fn a_window_has_the_rows_from_its_start_to_its_end() {
        let some = window(10, 100, 20);
        let count = |start: u64| some.rows(start).map(<[ChangeRow]>::len);
        assert_eq!(
            [9, 10, 29, 30, 31, 99].map(count),
            [None, Some(20), Some(1), Some(0), None, None]
        );
        assert_eq!([100, 101, u64::MAX].map(count), [Some(0); 3]);
        assert!(!some.is_last() && window(10, 30, 20).is_last() && window(0, 0, 0).is_last());
    }

    #[test]
    fn a_cache_is_bounded() {
        let cache = WindowCache::default();
        let has = |path: &str| cache.get(&key(path, "a")).is_some();
        for place in 0..9 {
            cache.keep(key(&place.to_string(), "a"), Arc::new(window(0, 0, 0)));
        }
        assert_eq!(["3", "4", "5", "8", "9"].map(has), [false, false, true, true, false]);
        assert!(cache.get(&key("8", "b")).is_none());
        // A file that has changed has one window, not two.
        cache.keep(key("8", "a"), Arc::new(window(0, 7, 0)));
        assert_eq!(cache.get(&key("8", "a")).map(|it| it.total), Some(7));
        assert!(has("5"));
        let unversioned = || WindowKey { state: None, ..key("x", "a") };
        cache.keep(unversioned(), Arc::new(window(0, 0, 0)));
        assert!(cache.get(&unversioned()).is_none());
    }
}
