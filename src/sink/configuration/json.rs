//! Writes the entries of `config` as JSON: one object a line, or one array. Output without the
//! `summary` entry is incomplete.

use std::io::{BufWriter, Write};

use super::Listing;
use crate::config::Entry;
use crate::error::Result;
use crate::inert;
use crate::sink::{BUFFER, write_error};

/// Writes entries as lines of JSON.
pub struct Ndjson<W: Write>(BufWriter<inert::Json<W>>);

impl<W: Write> Ndjson<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Ndjson<W> {
        Ndjson(BufWriter::with_capacity(BUFFER, inert::Json::new(out)))
    }
}

impl<W: Write> Listing for Ndjson<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<()> {
        serde_json::to_writer(&mut self.0, entry).map_err(write_error)?;
        self.0.write_all(b"\n").map_err(write_error)
    }

    fn finish(&mut self) -> Result<()> {
        self.0.flush().map_err(write_error)
    }
}

/// Writes all entries as one JSON array, one element per line.
pub struct Json<W: Write> {
    out: BufWriter<inert::Json<W>>,
    has_elements: bool,
}

impl<W: Write> Json<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Json<W> {
        let out = BufWriter::with_capacity(BUFFER, inert::Json::new(out));
        Json { out, has_elements: false }
    }
}

impl<W: Write> Listing for Json<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<()> {
        let separator: &[u8] =
            if std::mem::replace(&mut self.has_elements, true) { b",\n" } else { b"[\n" };
        self.out.write_all(separator).map_err(write_error)?;
        serde_json::to_writer(&mut self.out, entry).map_err(write_error)
    }

    fn finish(&mut self) -> Result<()> {
        let end: &[u8] = if self.has_elements { b"\n]\n" } else { b"[]\n" };
        self.out.write_all(end).map_err(write_error)?;
        self.out.flush().map_err(write_error)
    }
}
