//! An input that is read more than once and must be the same each time.
//!
//! A regular file is, as long as nobody writes to it, which is told at the end of each reading.
//! What comes through a pipe is written to a file without a name first. The mode of that file is
//! 0600 from its creation, and it is gone with the process, however that ends.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use super::stream::Failure;
use super::{Identity, Input, Options, State};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limit, Limits};

/// An input that can be read again.
#[derive(Clone, Debug)]
pub struct Kept {
    identity: Identity,
}

impl Kept {
    /// A file by its path; what is no regular file is read whole, now.
    ///
    /// # Errors
    ///
    /// It cannot be opened or read, is a directory, or is too large to be kept.
    pub fn open_file(path: &Path, limits: &Limits) -> Result<Kept> {
        Kept::of(File::open(path).map_err(read_error)?, Some(path), limits)
    }

    /// Standard input: as it is where it is a regular file, else read whole, now.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is too large to be kept.
    #[cfg(unix)]
    pub fn from_stdin(limits: &Limits) -> Result<Kept> {
        use std::io::Seek;
        use std::os::fd::AsFd;
        let descriptor = io::stdin().as_fd().try_clone_to_owned().map_err(read_error)?;
        let mut file = File::from(descriptor);
        // A shell may have read some of it already.
        match file.stream_position() {
            Ok(1..) => Kept::spool(file, limits),
            _ => Kept::of(file, None, limits),
        }
    }

    /// Standard input, read whole, now.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is too large to be kept.
    #[cfg(not(unix))]
    pub fn from_stdin(limits: &Limits) -> Result<Kept> {
        Kept::spool(io::stdin(), limits)
    }

    fn of(file: File, path: Option<&Path>, limits: &Limits) -> Result<Kept> {
        let metadata = file.metadata().map_err(read_error)?;
        if metadata.is_dir() {
            return Err(read_error(io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            return Kept::spool(file, limits);
        }
        let path = path.map(Path::to_owned);
        Ok(Kept { identity: Identity { file: Arc::new(file), path, state: State::of(&metadata) } })
    }

    /// Reads everything into a file without a name.
    ///
    /// # Errors
    ///
    /// It cannot be read or written, or is too large.
    pub fn spool(mut reader: impl Read, limits: &Limits) -> Result<Kept> {
        let spool_error = |error| Error::io(ErrorKind::Spool, error);
        let mut file = nameless().map_err(spool_error)?;
        let mut buffer = vec![0; 1 << 20];
        let mut len = 0;
        loop {
            let read = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::met(error)),
            };
            len += read as u64;
            if len > limits.spool {
                return Err(Error::limit(Limit::Spool, limits.spool, limits.spool));
            }
            file.write_all(&buffer[..read]).map_err(spool_error)?;
        }
        let state = State::of(&file.metadata().map_err(spool_error)?);
        Ok(Kept { identity: Identity { file: Arc::new(file), path: None, state } })
    }

    /// Its length in bytes, as it stands in the file.
    pub fn len(&self) -> u64 {
        self.identity.state.len
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads it from its start, as often as that is wanted, and also at the same time.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn input(&self, options: &Options) -> Result<Input> {
        let identity = self.identity.clone();
        if let Some(mapped) = Input::mapped(&identity, options)? {
            return Ok(mapped);
        }
        let reader = FromStart { file: identity.file.clone(), at: 0 };
        Input::streamed(Box::new(reader), Some(identity), options)
    }
}

/// A file that is read by a position of its own, not by that of the file.
struct FromStart {
    file: Arc<File>,
    at: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&*self.file, buffer, self.at)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// A file without a name in the folder for temporary files, which its owner alone can open: also
/// through `/proc`, whatever the user's mask is.
fn nameless() -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let mut options = File::options();
        options.read(true).write(true).mode(0o600).custom_flags(libc::O_TMPFILE);
        if let Ok(file) = options.open(tempfile::env::temp_dir()) {
            return Ok(file);
        }
    }
    // Not every file system has files without a name: this one loses its name at once.
    tempfile::NamedTempFile::new().map(tempfile::NamedTempFile::into_file)
}

fn read_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Read, error)
}
