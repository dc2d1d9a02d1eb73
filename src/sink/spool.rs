//! Buffers the parts of a report until they can be written in order. The sections of a plan may
//! come in any order.
//!
//! Each part has a small buffer in memory. A longer part moves to an unnamed temporary file, which
//! the system deletes when the process ends.

use std::io::{Read, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

use super::write_error;
use crate::error::Result;

/// Size of the memory buffer of each part, in bytes.
const MEMORY: usize = 1 << 20;

/// The texts of `N` parts.
pub(super) struct Spool<const N: usize> {
    parts: [Text; N],
}

struct Text {
    file: SpooledTempFile,
    /// Length in bytes. After this length, the file may contain bytes of an earlier plan.
    len: u64,
}

impl<const N: usize> Spool<N> {
    /// Starts with empty parts.
    pub fn new() -> Spool<N> {
        let parts = std::array::from_fn(|_| Text { file: SpooledTempFile::new(MEMORY), len: 0 });
        Spool { parts }
    }

    pub fn push(&mut self, part: usize, text: &str) -> Result<()> {
        let Text { file, len } = &mut self.parts[part];
        file.write_all(text.as_bytes()).map_err(write_error)?;
        *len += text.len() as u64;
        Ok(())
    }

    pub fn is_empty(&self, part: usize) -> bool {
        self.parts[part].len == 0
    }

    /// Writes the text of a part to `out` and empties the part.
    pub fn take(&mut self, part: usize, out: &mut impl Write) -> Result<()> {
        let Text { file, len } = &mut self.parts[part];
        file.rewind().map_err(write_error)?;
        std::io::copy(&mut file.take(*len), out).map_err(write_error)?;
        file.seek(SeekFrom::Start(0)).map_err(write_error)?;
        *len = 0;
        Ok(())
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
            spool.push(1, "a").expect("room");
            spool.push(0, &long).expect("room");
            spool.push(0, "end").expect("room");
            assert!(!spool.is_empty(0) && !spool.is_empty(1));
            let mut out = Vec::new();
            [1, 0].into_iter().try_for_each(|part| spool.take(part, &mut out)).expect("memory");
            assert_eq!(out, format!("a{long}end").into_bytes(), "round {round}");
            assert!(spool.is_empty(0) && spool.is_empty(1));
        }
    }
}
