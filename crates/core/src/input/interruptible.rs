//! Reads a pipe or a device without blocking forever.
//!
//! A read of an empty pipe blocks in the kernel until a writer writes or closes it, and opening a
//! FIFO blocks until a writer opens it. [`Interruptible`] opens the file without blocking, polls
//! before each read, and calls `give_up` between polls. A poll takes a microsecond, and
//! the read after it returns up to 1 MiB.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::GiveUp;
use super::stream::into_io_error;
use crate::error::{Error, ErrorKind};

/// Time between two checks of `give_up`: 50 ms.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Opens a file for reading without waiting for a writer of a FIFO. `O_NONBLOCK` has no effect on a
/// regular file. Fails if the file cannot be opened.
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)
}

/// A reader that fails with [`ErrorKind::Stopped`] once `give_up` returns true.
pub(super) struct Interruptible {
    pub file: File,
    pub give_up: GiveUp,
}

impl Interruptible {
    /// Blocks until a read would return at once.
    fn wait(&self) -> io::Result<()> {
        loop {
            if (self.give_up)() {
                return Err(into_io_error(Error::new(ErrorKind::Stopped)));
            }
            match poll(&mut [PollFd::new(&self.file, PollFlags::IN)], Some(&TICK)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Read for Interruptible {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.wait()?;
            match (&self.file).read(buffer) {
                // Another process took the bytes that the poll reported.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}
