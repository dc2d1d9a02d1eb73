//! Writes the findings of an audit as compact JSON, one line for each entry. A stream without its
//! `summary` line is incomplete.

use std::io::{BufWriter, Write};

use crate::audit::{Entry, Ledger};
use crate::error::Result;
use crate::inert;
use crate::sink::{BUFFER, write_error};

/// A ledger that writes entries as lines of JSON.
pub struct Ndjson<W: Write>(BufWriter<inert::Json<W>>);

impl<W: Write> Ndjson<W> {
    /// A ledger that writes to `out`.
    pub fn new(out: W) -> Ndjson<W> {
        Ndjson(BufWriter::with_capacity(BUFFER, inert::Json::new(out)))
    }
}

impl<W: Write> Ledger for Ndjson<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<()> {
        serde_json::to_writer(&mut self.0, entry).map_err(write_error)?;
        self.0.write_all(b"\n").map_err(write_error)
    }

    fn finish(&mut self) -> Result<()> {
        self.0.flush().map_err(write_error)
    }
}
