//! Writes all records as one JSON array, one element per line.
//!
//! A run that ends early leaves the array open, so an incomplete output is not valid JSON. If one
//! of several plans fails, the array has no `summary` record for this plan.

use std::io::{BufWriter, Write};

use super::{BUFFER, Pace, Rendered, Renderer, Sink, write_error};
use crate::record::Record;
use plansift_core::error::Result;
use plansift_core::inert;

/// Writes records as one JSON array.
pub struct Json<W: Write> {
    out: BufWriter<inert::Json<W>>,
    pace: Pace,
    has_elements: bool,
}

impl<W: Write> Json<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Json<W> {
        let out = BufWriter::with_capacity(BUFFER, inert::Json::new(out));
        Json { out, pace: Pace::start(), has_elements: false }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(write_error)
    }
}

impl<W: Write> Sink for Json<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let is_first = !std::mem::replace(&mut self.has_elements, true);
        self.write(if is_first { b"[\n" } else { b",\n" })?;
        serde_json::to_writer(&mut self.out, record).map_err(write_error)?;
        if self.pace.is_due(1) { self.out.flush().map_err(write_error) } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<()> {
        self.write(if self.has_elements { b"\n]\n" } else { b"[]\n" })?;
        self.out.flush().map_err(write_error)
    }

    fn as_rendered(&mut self) -> Option<&mut dyn Rendered> {
        Some(self)
    }
}

impl<W: Write> Rendered for Json<W> {
    fn renderer(&self) -> Box<dyn Renderer> {
        Box::new(Elements)
    }

    fn write(&mut self, text: &[u8], rows: usize) -> Result<()> {
        Json::write(self, text)?;
        if self.pace.is_due(rows) { self.out.flush().map_err(write_error) } else { Ok(()) }
    }
}

/// Renders array elements after the first, each with a leading comma.
struct Elements;

impl Renderer for Elements {
    fn render(&mut self, row: &Record<'_>, text: &mut Vec<u8>) -> Result<()> {
        text.extend_from_slice(b",\n");
        serde_json::to_writer(text, row).map_err(write_error)
    }
}
