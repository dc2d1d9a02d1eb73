//! An input that can be read several times, with the same bytes each time.
//!
//! A regular file is opened again for each pass, and each pass ends with a check that the file did
//! not change. Any other input is first spooled to a nameless temporary file. That file has mode
//! 0600 from its creation, and the system deletes it when the process ends, even by a crash.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use super::reads::read_some;
use super::stream::into_error;
use super::{FileState, Identity, Input, InputOptions};
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
        Rereadable::of(File::open(path).map_err(Error::read)?, Some(path), limits)
    }

    /// Opens standard input. Spools it now if it is not a regular file at its start.
    ///
    /// # Errors
    ///
    /// Fails if standard input cannot be read or exceeds the limit on spooled inputs.
    #[cfg(unix)]
    pub fn from_stdin(limits: &Limits) -> Result<Rereadable> {
        // A file whose start was consumed cannot be read from its start.
        match super::stdin()? {
            (file, true) => Rereadable::spool(file, limits),
            (file, false) => Rereadable::of(file, None, limits),
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

    /// Keeps an open file that this process has written. Spools it now if it is not a regular file.
    ///
    /// # Errors
    ///
    /// Fails like [`Rereadable::open_file`].
    pub fn from_file(file: File, limits: &Limits) -> Result<Rereadable> {
        Rereadable::of(file, None, limits)
    }

    fn of(file: File, path: Option<&Path>, limits: &Limits) -> Result<Rereadable> {
        match Identity::of(file, path)? {
            Ok(identity) => Ok(Rereadable::of_file(identity)),
            Err(file) => Rereadable::spool(file, limits),
        }
    }

    /// Wraps a regular file without spooling it.
    pub(super) fn of_file(identity: Identity) -> Rereadable {
        Rereadable { identity }
    }

    /// Copies a reader to a nameless temporary file.
    ///
    /// # Errors
    ///
    /// Fails if the reader or the file fails, or if the input exceeds the limit on spooled inputs.
    pub fn spool(mut reader: impl Read, limits: &Limits) -> Result<Rereadable> {
        let mut file = nameless_file()?;
        let mut buffer = vec![0; 1 << 20];
        let mut len = 0;
        loop {
            let read = read_some(&mut reader, &mut buffer).map_err(into_error)?;
            if read == 0 {
                break;
            }
            len += read as u64;
            if len > limits.spool {
                return Err(Error::limit(Limit::Spool, limits.spool, limits.spool));
            }
            file.write_all(&buffer[..read]).map_err(spool_error)?;
        }
        let state = FileState::of(&file.metadata().map_err(spool_error)?);
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

    /// Reads bytes of the file at `offset`, without decompression and decoding. Returns 0 at the
    /// end of the file.
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
    pub fn input(&self, options: &InputOptions) -> Result<Input> {
        let identity = self.identity.clone();
        if let Some(mapped) = Input::mapped(&identity, options)? {
            return Ok(mapped);
        }
        let reader = FromStart { file: self.clone(), at: 0 };
        Input::streamed(Box::new(reader), Some(identity), options)
    }
}

/// A reader of a shared file, with its own position.
struct FromStart {
    file: Rereadable,
    at: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
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

/// Creates a nameless temporary file, which the system deletes when the process ends.
///
/// # Errors
///
/// Fails if the file cannot be created.
pub fn nameless_file() -> Result<File> {
    nameless().map_err(spool_error)
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

fn spool_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Spool, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    #[test]
    fn a_spooled_text_is_read_from_its_start_and_at_offsets() {
        let text = b"PK\x03\x04 and so on";
        let file = Rereadable::spool(&text[..], &Limits::default()).unwrap();
        for _ in 0..2 {
            let mut input = file.input(&InputOptions::default()).unwrap();
            while input.fill(0).unwrap() {}
            assert_eq!(input.window(), text);
        }
        let mut part = [0; 2];
        assert_eq!(file.read_at(&mut part, 1).unwrap(), 2);
        assert_eq!(part, text[1..3]);
    }

    #[test]
    #[cfg(unix)]
    fn only_its_owner_can_open_a_temporary_file() {
        use std::os::unix::fs::PermissionsExt;
        let file = Rereadable::spool(&b"{}"[..], &Limits::default()).unwrap();
        let mode = file.identity.file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
