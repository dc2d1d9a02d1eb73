//! Where records go: one format, one file.

pub mod csv;
mod figures;
pub mod filter;
pub mod findings;
pub mod fleet;
pub mod gate;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod ndjson;
mod phrase;
mod row;
pub mod sarif;
pub mod several;
mod short;
mod spool;
pub mod summary;
pub mod term;
mod tool;
pub mod variables;
mod wrap;

use self::csv::{Csv, Formulas};
use crate::error::{Error, ErrorKind};

pub use crate::record::{Rendered, Renderer, Sink};

/// The form of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// [`ndjson`].
    Ndjson,
    /// [`json`].
    Json,
    /// [`csv`].
    Csv(Formulas),
}

impl Form {
    /// A sink that writes to `out`.
    pub fn sink<'a>(self, out: impl std::io::Write + 'a) -> Box<dyn Sink + 'a> {
        match self {
            Form::Ndjson => Box::new(ndjson::Ndjson::new(out)),
            Form::Json => Box::new(json::Json::new(out)),
            Form::Csv(formulas) => Box::new(Csv::new(out, formulas)),
        }
    }

    /// What files of it end with, behind the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Form::Ndjson => "ndjson",
            Form::Json => "json",
            Form::Csv(_) => "csv",
        }
    }
}

fn write_error(error: impl Into<std::io::Error>) -> Error {
    Error::io(ErrorKind::Write, error.into())
}

/// Length of an output's buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// When to flush: what is written first is soon seen by who waits for it, what comes in quantity
/// goes out in large pieces.
struct Pace {
    flushed: std::time::Instant,
    rows: u32,
}

impl Pace {
    fn new() -> Pace {
        Pace { flushed: std::time::Instant::now(), rows: 0 }
    }

    /// Called after so many records: whether to flush now.
    fn is_due(&mut self, rows: usize) -> bool {
        const EARLY: u32 = 16;
        const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);
        let before = self.rows / 64;
        self.rows = self.rows.saturating_add(rows as u32);
        // The clock is not looked at for every row of a plan with millions of them.
        let due =
            self.rows <= EARLY || (self.rows / 64 != before && self.flushed.elapsed() > PAUSE);
        if due {
            self.flushed = std::time::Instant::now();
        }
        due
    }
}

#[cfg(test)]
mod tests;
