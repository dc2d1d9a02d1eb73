//! The output formats: each sink writes records in one format.

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
pub mod screen;
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

/// The format of machine-readable records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// See [`ndjson`].
    Ndjson,
    /// See [`json`].
    Json,
    /// See [`csv`].
    Csv(Formulas),
}

impl Form {
    /// Every format, in the order of the help.
    pub const ALL: [Form; 3] = [Form::Ndjson, Form::Json, Form::Csv(Formulas::Quoted)];

    /// Returns the format with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.extension() == name)
    }

    /// What the format is, for the help of a command.
    pub fn description(self) -> &'static str {
        match self {
            Form::Ndjson => "One compact JSON object a line",
            Form::Json => "One JSON array",
            Form::Csv(_) => "Comma-separated values, safe for spreadsheets",
        }
    }

    /// Creates a sink that writes this format to `out`.
    pub fn sink<'a>(self, out: impl std::io::Write + 'a) -> Box<dyn Sink + 'a> {
        match self {
            Form::Ndjson => Box::new(ndjson::Ndjson::new(out)),
            Form::Json => Box::new(json::Json::new(out)),
            Form::Csv(formulas) => Box::new(Csv::new(out, formulas)),
        }
    }

    /// The name of this format, which is also its file extension without the dot.
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

/// Size of an output buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// Decides when to flush: at once for the first rows, so that a waiting reader sees them soon, and
/// then rarely, so that large outputs are written in large chunks.
struct Pace {
    /// Time of the last flush.
    flushed: std::time::Instant,
    /// Number of rows so far.
    rows: u32,
}

impl Pace {
    fn new() -> Pace {
        Pace { flushed: std::time::Instant::now(), rows: 0 }
    }

    /// Counts `rows` more rows and returns whether to flush now.
    fn is_due(&mut self, rows: usize) -> bool {
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

#[cfg(test)]
mod tests;
