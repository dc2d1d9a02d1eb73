//! A pipe or a device that a reader waits for, but not for ever.
//!
//! A read of an empty pipe blocks in the kernel until a writer writes or goes away, and opening a
//! FIFO blocks until there is a writer. [`Interruptible`] does neither: it opens the file without
//! blocking, polls before each read, and asks between two polls whether to give up. A poll takes a
//! microsecond, and a read that follows it brings up to 1 MiB.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::GiveUp;
use super::stream::Failure;
use crate::error::{Error, ErrorKind};

/// How long a poll waits before the reader asks whether to give up: 50 ms.
const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Opens a file for reading without waiting for the other end of a pipe. The flag means nothing to
/// a regular file.
///
/// # Errors
///
/// It cannot be opened.
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)
}

/// A reader that fails with [`ErrorKind::Stopped`] once it is to give up.
pub(super) struct Interruptible {
    pub file: Arc<File>,
    pub give_up: GiveUp,
}

impl Interruptible {
    /// Waits until a read would not block.
    fn wait(&self) -> io::Result<()> {
        loop {
            if (self.give_up)() {
                return Err(Failure::of(Error::new(ErrorKind::Stopped)));
            }
            match poll(&mut [PollFd::new(&*self.file, PollFlags::IN)], Some(&TICK)) {
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
            match (&*self.file).read(buffer) {
                // Another process took the bytes that the poll announced.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}
