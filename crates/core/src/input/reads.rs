//! Limits the size of a read, and retries a read that a signal interrupted.

use std::io::{self, Read};

/// Maximum number of bytes of one read, on any thread.
pub(super) const READ: usize = 256 << 10;

/// Reads some bytes, and retries if a signal interrupts the read.
pub(super) fn read_some(mut reader: impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
