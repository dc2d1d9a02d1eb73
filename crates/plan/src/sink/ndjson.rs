//! Writes one record per line, as compact JSON with hidden characters escaped ([`inert::Json`]). A
//! stream without a `summary` line is incomplete.

use std::io::{BufWriter, Write};

use super::{BUFFER, Pace, Rendered, Renderer, Sink, write_error};
use crate::record::Record;
use plansift_core::error::Result;
use plansift_core::inert;

/// Writes records as JSON lines.
pub struct Ndjson<W: Write> {
    out: BufWriter<inert::Json<W>>,
    pace: Pace,
}

impl<W: Write> Ndjson<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Ndjson<W> {
        let out = BufWriter::with_capacity(BUFFER, inert::Json::new(out));
        Ndjson { out, pace: Pace::start() }
    }
}

impl<W: Write> Sink for Ndjson<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        serde_json::to_writer(&mut self.out, record).map_err(write_error)?;
        self.out.write_all(b"\n").map_err(write_error)?;
        if self.pace.is_due(1) { self.out.flush().map_err(write_error) } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }

    fn as_rendered(&mut self) -> Option<&mut dyn Rendered> {
        Some(self)
    }
}

impl<W: Write> Rendered for Ndjson<W> {
    fn renderer(&self) -> Box<dyn Renderer> {
        Box::new(Lines)
    }

    fn write(&mut self, text: &[u8], rows: usize) -> Result<()> {
        self.out.write_all(text).map_err(write_error)?;
        if self.pace.is_due(rows) { self.out.flush().map_err(write_error) } else { Ok(()) }
    }
}

struct Lines;

impl Renderer for Lines {
    fn render(&mut self, row: &Record<'_>, text: &mut Vec<u8>) -> Result<()> {
        serde_json::to_writer(&mut *text, row).map_err(write_error)?;
        text.push(b'\n');
        Ok(())
    }
}
