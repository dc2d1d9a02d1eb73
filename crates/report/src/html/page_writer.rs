//! Writes a page with data: blocks of lines of JSON, before the rest of the page.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::frame::Frame;
use super::inert::push_line;
use crate::{BUFFER, write_error};
use plansift_core::error::Result;

/// The placeholders in a page: for the data, and for the two parts of the overview.
const DATA: &str = "<!-- data -->\n";
const HEAD: &str = "<!-- head -->\n";
const BODY: &str = "<!-- body -->\n";

/// The start and the end of a data block.
const BLOCK: [&str; 2] = ["<script type=\"application/x-ndjson\">\n", "</script>\n"];
/// Bytes after which a block ends: browsers limit the length of a text node.
const BLOCK_LEN: usize = 1 << 20;

/// Writes the data of a page as they come, and its overview at the end.
pub(crate) struct PageWriter<W: Write> {
    out: BufWriter<W>,
    frame: &'static Frame,
    template: &'static str,
    /// Bytes in the open block. `None` if no block is open.
    block_len: Option<usize>,
    has_begun: bool,
}

impl<W: Write> PageWriter<W> {
    #[cfg(test)]
    pub const MARKS: [&'static str; 3] = [DATA, HEAD, BODY];

    pub fn new(out: W, frame: &'static Frame, template: &'static str) -> PageWriter<W> {
        let out = BufWriter::with_capacity(BUFFER, out);
        PageWriter { out, frame, template, block_len: None, has_begun: false }
    }

    /// Returns the parts of the page before and after the data.
    fn parts(&self) -> [String; 2] {
        let (head, tail) = self.template.split_once(DATA).unwrap_or((self.template, ""));
        [self.frame.head() + head, self.frame.tail(tail)]
    }

    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        let [head, _] = self.parts();
        self.write(&head)
    }

    /// Adds lines to the open block, and begins one if none is open.
    pub fn add_lines(
        &mut self,
        push: impl FnOnce(&mut Block<'_, W>) -> serde_json::Result<()>,
    ) -> Result<()> {
        self.begin()?;
        if self.block_len.is_none() {
            self.write(BLOCK[0])?;
        }
        let mut block = Block { out: &mut self.out, len: self.block_len.unwrap_or(BLOCK[0].len()) };
        push(&mut block).map_err(write_error)?;
        self.block_len = Some(block.len);
        if block.len >= BLOCK_LEN { self.end_block() } else { Ok(()) }
    }

    /// Adds the line of a plan or of an input, and an empty line in place of details.
    pub fn plan(&mut self, value: &impl Serialize) -> Result<()> {
        self.add_lines(|out| {
            push_line(value, out)?;
            push_line(&(), out)
        })
    }

    fn end_block(&mut self) -> Result<()> {
        match self.block_len.take() {
            Some(_) => self.write(BLOCK[1]),
            None => Ok(()),
        }
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(write_error)
    }

    /// Writes the rest of the page, with the two parts of the overview.
    pub fn finish(&mut self, head: &str, body: &str) -> Result<()> {
        self.begin()?;
        self.end_block()?;
        let [_, tail] = self.parts();
        let (before_head, rest) = tail.split_once(HEAD).unwrap_or((&tail, ""));
        let (before_body, rest) = rest.split_once(BODY).unwrap_or((rest, ""));
        for part in [before_head, head, before_body, body, rest] {
            self.write(part)?;
        }
        self.out.flush().map_err(write_error)
    }
}

/// Writes to a block, and counts its bytes.
pub(crate) struct Block<'h, W: Write> {
    out: &'h mut BufWriter<W>,
    len: usize,
}

impl<W: Write> Write for Block<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.out.write(bytes)?;
        self.len += len;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
