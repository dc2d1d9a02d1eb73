//! Indents compact JSON as `jq` does: one member or element per line, two spaces per level.

use std::io::{self, Write};

/// A writer that indents the JSON written to it.
pub struct Indent<W: Write> {
    out: W,
    line: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// True right after the opening bracket of a container.
    just_opened: bool,
    /// Number of bytes written to `out`.
    bytes: u64,
}

impl<W: Write> Indent<W> {
    pub fn new(out: W) -> Indent<W> {
        Indent {
            out,
            line: Vec::new(),
            depth: 0,
            in_string: false,
            escaped: false,
            just_opened: false,
            bytes: 0,
        }
    }

    /// Flushes, and returns the number of bytes written.
    pub fn finish(mut self) -> io::Result<u64> {
        self.flush()?;
        Ok(self.bytes)
    }

    fn new_line(&mut self) {
        self.line.push(b'\n');
        self.line.resize(self.line.len() + 2 * self.depth, b' ');
    }

    fn token(&mut self, byte: u8) {
        let closing = matches!(byte, b'}' | b']');
        if std::mem::take(&mut self.just_opened) && !closing {
            self.new_line();
        } else if closing {
            // An empty container stays on one line.
            let empty = matches!(self.line.last(), Some(b'{' | b'['));
            self.depth -= 1;
            if !empty {
                self.new_line();
            }
            self.line.push(byte);
            return;
        }
        self.line.push(byte);
        match byte {
            b'{' | b'[' => {
                self.depth += 1;
                self.just_opened = true;
            }
            b',' => self.new_line(),
            b':' => self.line.push(b' '),
            b'"' => self.in_string = true,
            _ => {}
        }
    }
}

impl<W: Write> Write for Indent<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if !self.in_string {
                self.token(byte);
                continue;
            }
            self.line.push(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
        }
        // Writes all but the last byte: `token` needs it to see whether a container is empty.
        if self.line.len() > 1 << 16 {
            let last = self.line.len() - 1;
            self.bytes += last as u64;
            self.out.write_all(&self.line[..last])?;
            self.line.drain(..last);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.bytes += self.line.len() as u64;
        self.out.write_all(&self.line)?;
        self.line.clear();
        self.out.flush()
    }
}
