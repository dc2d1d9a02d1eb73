//! One record a line, compact JSON. A stream without its `summary` line is incomplete.

use std::io::{BufWriter, Write};

use super::{BUFFER, Pace, Sink, write_error};
use crate::error::Result;
use crate::record::Record;

/// Writes records as lines of JSON.
pub struct Ndjson<W: Write> {
    out: BufWriter<W>,
    pace: Pace,
}

impl<W: Write> Ndjson<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Ndjson<W> {
        Ndjson { out: BufWriter::with_capacity(BUFFER, out), pace: Pace::new() }
    }
}

impl<W: Write> Sink for Ndjson<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        serde_json::to_writer(&mut self.out, record).map_err(write_error)?;
        self.out.write_all(b"\n").map_err(write_error)?;
        if self.pace.is_due() { self.out.flush().map_err(write_error) } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}
