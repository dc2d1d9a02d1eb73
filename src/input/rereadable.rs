//! An input that can be read several times, with the same bytes each time.
//!
//! A regular file is opened again for each pass, and each pass ends with a check that the file did
//! not change. Any other input is first spooled to a nameless temporary file. That file has mode
//! 0600 from its creation, and the system deletes it when the process ends, even by a crash. A plan
//! file or a compressed input is encrypted in the temporary file, and so are the parts of such a
//! file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use super::reads::read_some;
use super::seal::Seal;
use super::stream::into_error;
use super::{Identity, Input, InputOptions, State};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limit, Limits};

/// An input that can be read several times.
#[derive(Clone, Debug)]
pub struct Rereadable {
    pub(super) identity: Identity,
    /// Encrypts the temporary file; `None` if the file is not encrypted.
    seal: Option<Seal>,
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

    fn of(file: File, path: Option<&Path>, limits: &Limits) -> Result<Rereadable> {
        match Identity::of(file, path)? {
            Ok(identity) => Ok(Rereadable::of_file(identity)),
            Err(file) => Rereadable::spool(file, limits),
        }
    }

    /// Wraps a regular file without spooling it.
    pub(super) fn of_file(identity: Identity) -> Rereadable {
        Rereadable { identity, seal: None }
    }

    /// Copies a reader to a nameless temporary file. The file is encrypted if the input is
    /// compressed or an archive.
    ///
    /// # Errors
    ///
    /// Fails if the reader or the file fails, or if the input exceeds the limit on spooled inputs.
    pub fn spool(mut reader: impl Read, limits: &Limits) -> Result<Rereadable> {
        let mut head = Vec::new();
        let longest = HEADS.iter().map(|head| head.len()).max().unwrap_or_default() as u64;
        reader.by_ref().take(longest).read_to_end(&mut head).map_err(into_error)?;
        let is_packed = HEADS.iter().any(|packed| head.starts_with(packed));
        let seal = if is_packed { Some(Seal::new().map_err(spool_error)?) } else { None };
        Rereadable::copy(io::Cursor::new(head).chain(reader), seal, limits)
    }

    /// Copies a part of this file, such as a member of an archive, to a nameless temporary file.
    /// The copy is encrypted if this file is.
    ///
    /// # Errors
    ///
    /// Fails like [`Rereadable::spool`].
    pub fn spool_part(&self, reader: impl Read, limits: &Limits) -> Result<Rereadable> {
        let seal = self.seal.as_ref().map(|_| Seal::new()).transpose().map_err(spool_error)?;
        Rereadable::copy(reader, seal, limits)
    }

    fn copy(mut reader: impl Read, seal: Option<Seal>, limits: &Limits) -> Result<Rereadable> {
        let mut file = nameless().map_err(spool_error)?;
        let mut buffer = vec![0; 1 << 20];
        let mut len = 0;
        loop {
            let read = read_some(&mut reader, &mut buffer).map_err(into_error)?;
            if read == 0 {
                break;
            }
            if let Some(seal) = &seal {
                seal.apply(&mut buffer[..read], len);
            }
            len += read as u64;
            if len > limits.spool {
                return Err(Error::limit(Limit::Spool, limits.spool, limits.spool));
            }
            file.write_all(&buffer[..read]).map_err(spool_error)?;
        }
        let state = State::of(&file.metadata().map_err(spool_error)?);
        Ok(Rereadable { identity: Identity { file: Arc::new(file), path: None, state }, seal })
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
        let read = read_at(&self.identity.file, buffer, offset)?;
        if let Some(seal) = &self.seal {
            seal.apply(&mut buffer[..read], offset);
        }
        Ok(read)
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
        if self.seal.is_none()
            && let Some(mapped) = Input::mapped(&identity, options)?
        {
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

/// The first bytes of compressed inputs and archives: gzip, zstd and zip.
const HEADS: [&[u8]; 3] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd], b"PK"];

fn spool_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Spool, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    /// Returns the bytes in the temporary file of a text, and the bytes that are read from that
    /// file.
    fn spooled(text: &[u8], spool: impl Fn(&[u8]) -> Result<Rereadable>) -> (Vec<u8>, Vec<u8>) {
        let file = spool(text).unwrap();
        let mut stored = vec![0; text.len()];
        assert_eq!(read_at(&file.identity.file, &mut stored, 0).unwrap(), text.len());
        let mut input = file.input(&InputOptions::default()).unwrap();
        while input.fill(0).unwrap() {}
        let read = input.window().to_vec();
        let mut part = vec![0; 2];
        assert_eq!(file.read_at(&mut part, 1).unwrap(), 2);
        assert_eq!(part, text[1..3]);
        (stored, read)
    }

    #[test]
    fn a_part_of_a_sealed_file_contains_no_plain_text() {
        for (whole, is_sealed) in [("PK\x03\x04", true), ("a plan", false)] {
            let whole = Rereadable::spool(whole.as_bytes(), &Limits::default()).unwrap();
            let (stored, read) =
                spooled(b"a secret text", |text| whole.spool_part(text, &Limits::default()));
            assert_eq!(read, b"a secret text");
            let has_text = stored.windows(3).any(|part| read.windows(3).any(|text| text == part));
            assert_eq!(has_text, !is_sealed);
        }
    }

    #[test]
    fn spooled_archives_are_sealed_and_texts_are_not() {
        let spool = |text: &[u8]| Rereadable::spool(text, &Limits::default());
        let (stored, read) = spooled(b"PK\x03\x04 and so on", spool);
        assert_eq!(read, b"PK\x03\x04 and so on");
        assert_ne!(stored, read);
        let (stored, read) = spooled(b"{\"format_version\":\"1.2\"}", spool);
        assert_eq!(stored, read);
    }
}
