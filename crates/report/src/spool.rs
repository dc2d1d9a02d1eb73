//! Buffers the parts of a report until they can be written in order. The sections of a plan may
//! come in any order.
//!
//! Each part has a small buffer in memory. A longer part moves to an unnamed temporary file, which
//! the system deletes when the process ends.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};

use super::write_error;
use plansift_core::error::Result;

/// Size of the memory buffer of each part, in bytes.
const MEMORY: usize = 1 << 20;

/// The texts of `N` parts.
pub(super) struct Spool<const N: usize> {
    parts: [SpooledText; N],
}

impl<const N: usize> Spool<N> {
    /// Starts with empty parts.
    pub fn new() -> Spool<N> {
        Spool { parts: std::array::from_fn(|_| SpooledText::default()) }
    }

    pub fn part(&mut self, part: usize) -> &mut SpooledText {
        &mut self.parts[part]
    }

    pub fn is_empty(&self, part: usize) -> bool {
        self.parts[part].is_empty()
    }

    /// Moves the text of the part `from` to the end of the part `to`.
    pub fn append(&mut self, from: usize, to: usize) -> Result<()> {
        let mut text = std::mem::take(&mut self.parts[from]);
        let taken = text.take(&mut self.parts[to]);
        self.parts[from] = text;
        taken
    }

    /// Writes the text of a part to `out` and empties the part.
    pub fn take(&mut self, part: usize, out: &mut impl Write) -> Result<()> {
        self.parts[part].take(out)
    }
}

/// A text of any length. Its end is in memory, and the text before its end is in a temporary file.
#[derive(Default)]
pub(super) struct SpooledText {
    end: Vec<u8>,
    /// The file, if the text was ever longer than [`MEMORY`].
    file: Option<File>,
    /// Number of bytes in the file. After them, the file may contain bytes of an earlier text.
    file_len: u64,
    /// The first error of the file. The text is lost then.
    error: Option<io::Error>,
}

impl SpooledText {
    pub fn is_empty(&self) -> bool {
        self.end.is_empty() && self.file_len == 0 && self.error.is_none()
    }

    /// Writes the text to `out` and empties it, also after an error.
    ///
    /// # Errors
    ///
    /// Fails if `out` fails, or if the file failed since the text was last empty.
    pub fn take(&mut self, out: &mut impl Write) -> Result<()> {
        let taken = self.write_to(out);
        self.end.clear();
        self.file_len = 0;
        if taken.is_err() {
            // The position in the file is unknown now.
            self.file = None;
        }
        taken.map_err(write_error)
    }

    fn write_to(&mut self, out: &mut impl Write) -> io::Result<()> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let len = self.file_len;
        if let Some(file) = self.file.as_mut().filter(|_| len > 0) {
            file.rewind()?;
            io::copy(&mut file.take(len), out)?;
            file.rewind()?;
        }
        out.write_all(&self.end)
    }

    /// Moves the end of the text to the file, followed by more bytes.
    fn spill(&mut self, more: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        for bytes in [&self.end, more] {
            file.write_all(bytes)?;
            self.file_len += bytes.len() as u64;
        }
        self.end.clear();
        Ok(())
    }
}

/// Adds to the end of the text. It never fails: [`SpooledText::take`] reports an error of the file.
impl Write for SpooledText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.end.len() + bytes.len() <= MEMORY {
            self.end.extend_from_slice(bytes);
        } else if self.error.is_none() {
            self.error = self.spill(bytes).err();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Like the implementation of [`Write`].
impl fmt::Write for SpooledText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_all(text.as_bytes()).map_err(|_| fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spooled_parts_are_taken_whole_and_in_any_order() {
        let mut spool = Spool::<2>::new();
        for round in 0..2 {
            let long = format!("{round}").repeat(MEMORY - round);
            let mut push = |part: usize, text: &str| {
                fmt::Write::write_str(spool.part(part), text).expect("it never fails");
            };
            push(1, "a");
            push(0, &long);
            push(0, "end");
            push(0, "s");
            assert!(!spool.is_empty(0) && !spool.is_empty(1));
            let mut out = Vec::new();
            [1, 0].into_iter().try_for_each(|part| spool.take(part, &mut out)).expect("memory");
            assert_eq!(out, format!("a{long}ends").into_bytes(), "round {round}");
            assert!(spool.is_empty(0) && spool.is_empty(1));
        }
    }
    #[test]
    fn a_text_can_be_used_again_after_an_error() {
        let mut text = SpooledText::default();
        let long = "a".repeat(2 * MEMORY);
        text.write_all(long.as_bytes()).expect("it never fails");
        let mut full = [0; 10];
        assert!(text.take(&mut &mut full[..]).is_err() && text.is_empty());
        let other = "b".repeat(2 * MEMORY);
        text.write_all(other.as_bytes()).expect("it never fails");
        let mut out = Vec::new();
        text.take(&mut out).expect("memory");
        assert!(out == other.as_bytes());
    }
}
