//! The formats of records for programs: each sink writes records in one format.

pub mod json;
pub mod ndjson;

use plansift_core::error::{Error, ErrorKind};

pub use crate::record::{NullSink, Rendered, Renderer, Sink};

/// Returns the error of an output that cannot be written.
pub fn write_error(error: impl Into<std::io::Error>) -> Error {
    Error::io(ErrorKind::Write, error.into())
}

/// Size of an output buffer, in bytes.
pub const BUFFER: usize = 64 << 10;

/// Decides when to flush: at once for the first rows, so that a waiting reader sees them soon, and
/// then rarely, so that large outputs are written in large chunks.
pub struct Pace {
    /// Time of the last flush.
    flushed: std::time::Instant,
    rows: u32,
}

impl Pace {
    /// Starts with the first row.
    pub fn start() -> Pace {
        Pace { flushed: std::time::Instant::now(), rows: 0 }
    }

    /// Counts `rows` more rows and returns whether to flush now.
    pub fn is_due(&mut self, rows: usize) -> bool {
        /// Number of first rows that are flushed one by one.
        const EARLY: u32 = 16;
        /// Minimum time between later flushes.
        const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);
        let before = self.rows / 64;
        self.rows = self.rows.saturating_add(rows as u32);
        // Reading the clock for every row would be slow, so it is read about every 64 rows.
        let due =
            self.rows <= EARLY || (self.rows / 64 != before && self.flushed.elapsed() > PAUSE);
        if due {
            self.flushed = std::time::Instant::now();
        }
        due
    }
}
