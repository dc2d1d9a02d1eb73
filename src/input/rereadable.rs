//! An input that can be read several times, with the same bytes each time.
//!
//! A regular file is opened again for each pass, and each pass ends with a check that the file did
//! not change. Any other input is first spooled to a nameless temporary file. That file has mode
//! 0600 from its creation, and the system deletes it when the process ends, even by a crash.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use super::stream::Failure;
use super::{Identity, Input, Options, State};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limit, Limits};

/// An input that can be read several times.
#[derive(Clone, Debug)]
pub struct Rereadable {
    pub(super) identity: Identity,
}

impl Rereadable {
    /// Opens a file by its path. Spools the input now if it is not a regular file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened or read, is a directory, or exceeds the limit on spooled
    /// inputs.
    pub fn open_file(path: &Path, limits: &Limits) -> Result<Rereadable> {
        Rereadable::of(File::open(path).map_err(read_error)?, Some(path), limits)
    }

    /// Opens standard input. Spools it now if it is not a regular file at its start.
    ///
    /// # Errors
    ///
    /// Fails if standard input cannot be read or exceeds the limit on spooled inputs.
    #[cfg(unix)]
    pub fn from_stdin(limits: &Limits) -> Result<Rereadable> {
        use std::io::Seek;
        use std::os::fd::AsFd;
        let descriptor = io::stdin().as_fd().try_clone_to_owned().map_err(read_error)?;
        let mut file = File::from(descriptor);
        // A shell may have consumed some bytes, so the file cannot be read from its start.
        match file.stream_position() {
            Ok(1..) => Rereadable::spool(file, limits),
            _ => Rereadable::of(file, None, limits),
        }
    }

    /// Spools standard input now.
    ///
    /// # Errors
    ///
    /// Fails if standard input cannot be read or exceeds the limit on spooled inputs.
    #[cfg(not(unix))]
    pub fn from_stdin(limits: &Limits) -> Result<Rereadable> {
        Rereadable::spool(io::stdin(), limits)
    }

    fn of(file: File, path: Option<&Path>, limits: &Limits) -> Result<Rereadable> {
        let metadata = file.metadata().map_err(read_error)?;
        if metadata.is_dir() {
            return Err(read_error(io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            return Rereadable::spool(file, limits);
        }
        let path = path.map(Path::to_owned);
        Ok(Rereadable {
            identity: Identity { file: Arc::new(file), path, state: State::of(&metadata) },
        })
    }

    /// Copies a reader to a nameless temporary file.
    ///
    /// # Errors
    ///
    /// Fails if the reader or the file fails, or if the input exceeds the limit on spooled inputs.
    pub fn spool(mut reader: impl Read, limits: &Limits) -> Result<Rereadable> {
        let spool_error = |error| Error::io(ErrorKind::Spool, error);
        let mut file = nameless().map_err(spool_error)?;
        let mut buffer = vec![0; 1 << 20];
        let mut len = 0;
        loop {
            let read = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Failure::unwrap(error)),
            };
            len += read as u64;
            if len > limits.spool {
                return Err(Error::limit(Limit::Spool, limits.spool, limits.spool));
            }
            file.write_all(&buffer[..read]).map_err(spool_error)?;
        }
        let state = State::of(&file.metadata().map_err(spool_error)?);
        Ok(Rereadable { identity: Identity { file: Arc::new(file), path: None, state } })
    }

    /// Returns the length of the file in bytes, before decompression and decoding.
    pub fn len(&self) -> u64 {
        self.identity.state.len
    }

    /// Whether the file is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads the stored bytes of the file from `offset` on, without decompression and decoding.
    /// Returns 0 at the end of the file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        read_at(&self.identity.file, buffer, offset)
    }

    /// Checks that the file is unchanged.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Changed`] if the file changed or its path names another file.
    pub fn check(&self) -> Result<()> {
        self.identity.check()
    }

    /// Opens the input at its start. Several readers may be open at the same time.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn input(&self, options: &Options) -> Result<Input> {
        let identity = self.identity.clone();
        if let Some(mapped) = Input::mapped(&identity, options)? {
            return Ok(mapped);
        }
        let reader = FromStart { file: identity.file.clone(), at: 0 };
        Input::streamed(Box::new(reader), Some(identity), options)
    }
}

/// A reader of a shared file, with its own position.
struct FromStart {
    file: Arc<File>,
    at: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, offset);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, offset);
}

/// Creates a nameless file in the temporary folder. Only its owner can open it, with any umask and
/// even through `/proc`.
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
    // For file systems without nameless files: creates a named file and removes the name.
    tempfile::NamedTempFile::new().map(tempfile::NamedTempFile::into_file)
}

fn read_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Read, error)
}
