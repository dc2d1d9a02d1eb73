//! Reads files, pipes and compressed streams as windows of one UTF-8 text.
//!
//! ```text
//! regular file, plain UTF-8 ─▶ [`mapped`]                          slices of the file itself
//! everything else ─▶ [`compressed`] ─▶ [`encoding`] ─▶ [`read_ahead`] ─▶ [`stream`]  a buffer
//! ```

mod buffer;
mod compressed;
mod encoding;
mod hooked;
#[cfg(target_os = "linux")]
mod interruptible;
#[cfg(target_os = "linux")]
mod mapped;
mod mapping;
mod read_ahead;
mod reads;
pub mod regular;
mod rereadable;
mod stream;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
#[cfg(target_os = "linux")]
use interruptible::Interruptible;
#[cfg(target_os = "linux")]
use mapped::Mapped;
use stream::Stream;

pub use compressed::check_expansion;
pub use hooked::{Hook, Hooked};
pub use mapping::Mapping;
pub use rereadable::{Rereadable, nameless_file};
pub use stream::{into_error, into_io_error};

/// Returns true once a blocked read must give up. Any thread may call the function.
pub type GiveUp = Arc<dyn Fn() -> bool + Send + Sync>;

/// The bytes of a document, in windows.
///
/// Offsets count bytes of the decoded (decompressed, UTF-8) text from its first byte, a UTF-8 byte
/// order mark included. The reader consumes [`Source::window`] and calls [`Source::fill`] for more.
/// The argument of `fill` is the offset of the first byte that the reader still needs. Earlier
/// bytes leave the window.
pub trait Source {
    /// Returns the bytes that are in memory now.
    fn window(&self) -> &[u8];

    /// Returns the offset of the window's first byte.
    fn offset(&self) -> u64;

    /// Drops the bytes before the offset `keep` and appends at least one byte to the window.
    /// Returns `false` at the end of the input, when no byte is left to append.
    ///
    /// # Errors
    ///
    /// Fails if reading, decompressing or decoding fails, or if a limit is exceeded.
    fn fill(&mut self, keep: u64) -> Result<bool>;

    /// Checks that the input did not change while it was read. Call it once, after the last byte.
    ///
    /// # Errors
    ///
    /// Fails with [`crate::error::ErrorKind::Changed`] if the input changed.
    fn finish(&mut self) -> Result<()>;

    /// Whether the input is known to have changed since it was opened.
    fn changed(&mut self) -> bool {
        false
    }

    /// Returns the whole text, if it is in memory. Offsets count from its first byte.
    fn shared_text(&self) -> Option<SharedText> {
        None
    }
}

/// A whole text in memory, to share with other threads. Only the source checks limits and changes
/// of the input; a shared text does not.
#[derive(Clone)]
pub struct SharedText(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl SharedText {
    /// Shares a text; the `Arc` keeps it in memory.
    pub fn new(text: Arc<dyn AsRef<[u8]> + Send + Sync>) -> SharedText {
        SharedText(text)
    }

    /// Returns the bytes of the text.
    pub fn text(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl<S: Source> Source for &mut S {
    #[inline]
    fn window(&self) -> &[u8] {
        (**self).window()
    }

    #[inline]
    fn offset(&self) -> u64 {
        (**self).offset()
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        (**self).fill(keep)
    }

    fn finish(&mut self) -> Result<()> {
        (**self).finish()
    }

    fn changed(&mut self) -> bool {
        (**self).changed()
    }

    fn shared_text(&self) -> Option<SharedText> {
        (**self).shared_text()
    }
}

/// A text in memory, as a single window.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a>(pub &'a [u8]);

impl Source for Slice<'_> {
    fn window(&self) -> &[u8] {
        self.0
    }

    fn offset(&self) -> u64 {
        0
    }

    fn fill(&mut self, _keep: u64) -> Result<bool> {
        Ok(false)
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Installs a handler of the signal SIGBUS for the whole process. If another process truncates a
/// mapped file, the reader then fails with [`ErrorKind::Changed`]. Without the handler, the signal
/// ends this process. The handler passes faults outside mapped inputs to the previous handler.
/// Further calls do nothing. No other function of the library installs a signal handler.
///
/// # Errors
///
/// Fails if the system refuses the handler. Systems other than Linux need none.
pub fn catch_truncation() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    mapped::install_handler()?;
    Ok(())
}

/// The threads that an input may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// Only the reader's own thread.
    One,
    /// Also a second thread, which reads and decompresses ahead. Small and mapped inputs do not use
    /// it.
    #[default]
    Several,
}

/// How to open an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct InputOptions {
    /// The limits on the input.
    pub limits: Limits,
    /// Whether files may be mapped into memory.
    pub mapping: Mapping,
    /// The threads that the input may use.
    pub threads: Threads,
}

/// An opened file, pipe or reader.
pub struct Input(Kind);

enum Kind {
    #[cfg(target_os = "linux")]
    Mapped(Mapped),
    Stream(Stream),
}

/// The state of a file when it was opened, to detect changes at the end.
#[derive(Clone, Debug)]
struct Identity {
    file: Arc<File>,
    path: Option<std::path::PathBuf>,
    state: FileState,
}

/// The metadata that changes when a process writes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    len: u64,
    modified: Option<std::time::SystemTime>,
    #[cfg(unix)]
    inode: (u64, u64),
    /// The time of the inode's last change, which no program can set.
    #[cfg(unix)]
    changed: (i64, i64),
}

impl FileState {
    /// Returns the state of a file.
    pub fn of(metadata: &std::fs::Metadata) -> FileState {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        FileState {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: (metadata.dev(), metadata.ino()),
            #[cfg(unix)]
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

impl Identity {
    /// Returns the identity of a regular file. Returns any other file unchanged in `Ok(Err(_))`,
    /// and fails for a directory.
    fn of(file: File, path: Option<&Path>) -> Result<std::result::Result<Identity, File>> {
        let metadata = file.metadata().map_err(Error::read)?;
        if metadata.is_dir() {
            return Err(Error::read(io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            return Ok(Err(file));
        }
        let (file, path, state) =
            (Arc::new(file), path.map(Path::to_owned), FileState::of(&metadata));
        Ok(Ok(Identity { file, path, state }))
    }

    /// Checks that the file is unchanged. Fails with [`ErrorKind::Changed`] if the file changed or
    /// its path names another file.
    fn check(&self) -> Result<()> {
        let now = self.file.metadata().map_err(Error::read)?;
        let mut is_same = FileState::of(&now) == self.state;
        if let Some(path) = &self.path {
            is_same &=
                std::fs::metadata(path).is_ok_and(|named| FileState::of(&named) == self.state);
        }
        if is_same { Ok(()) } else { Err(Error::new(ErrorKind::Changed)) }
    }
}

impl Input {
    /// Opens a file by its path. The file is mapped only if [`InputOptions::mapping`] allows it.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened or read, or is a directory.
    pub fn open_file(path: &Path, options: &InputOptions) -> Result<Input> {
        let file = File::open(path).map_err(Error::read)?;
        Input::from_file(file, Some(path), options, None)
    }

    /// Opens a file like [`Input::open_file`], but a read of a pipe does not block forever. While
    /// the pipe is empty, the reader calls `give_up` several times a second. Only Linux supports
    /// this; other systems ignore `give_up`.
    ///
    /// # Errors
    ///
    /// Fails like [`Input::open_file`], and with [`ErrorKind::Stopped`] once `give_up` returns
    /// true.
    pub fn open_file_until(path: &Path, options: &InputOptions, give_up: GiveUp) -> Result<Input> {
        #[cfg(target_os = "linux")]
        let opened = interruptible::open(path);
        #[cfg(not(target_os = "linux"))]
        let opened = File::open(path);
        let file = opened.map_err(Error::read)?;
        Input::from_file(file, Some(path), options, Some(give_up))
    }

    /// Opens standard input, which may be mapped if it is a regular file.
    ///
    /// # Errors
    ///
    /// Fails if standard input cannot be read.
    pub fn from_stdin(options: &InputOptions) -> Result<Input> {
        Input::stdin(options, None)
    }

    /// Opens standard input like [`Input::from_stdin`], but a read of a pipe does not block
    /// forever, as in [`Input::open_file_until`].
    ///
    /// # Errors
    ///
    /// Fails like [`Input::open_file_until`].
    pub fn from_stdin_until(options: &InputOptions, give_up: GiveUp) -> Result<Input> {
        Input::stdin(options, Some(give_up))
    }

    #[cfg(unix)]
    fn stdin(options: &InputOptions, give_up: Option<GiveUp>) -> Result<Input> {
        let (file, is_started) = stdin()?;
        // Only a file at its start can be mapped.
        let mapping = if is_started { Mapping::NEVER } else { options.mapping };
        Input::from_file(file, None, &InputOptions { mapping, ..*options }, give_up)
    }

    /// Ignores `give_up` on this system.
    #[cfg(not(unix))]
    fn stdin(options: &InputOptions, _: Option<GiveUp>) -> Result<Input> {
        Input::from_reader(Box::new(io::stdin()), options)
    }

    /// Wraps any reader.
    ///
    /// # Errors
    ///
    /// Fails if the first bytes cannot be read.
    pub fn from_reader(reader: Box<dyn Read + Send>, options: &InputOptions) -> Result<Input> {
        Input::streamed(reader, None, options)
    }

    /// Wraps a reader of UTF-8 text. Unlike [`Input::from_reader`], it neither decompresses nor
    /// decodes what the reader yields.
    pub fn from_plain_reader(reader: Box<dyn Read + Send>, options: &InputOptions) -> Input {
        Input(Kind::Stream(Stream::new(reader, None, options)))
    }

    /// Wraps a file at its start. `give_up` is for pipes and devices.
    fn from_file(
        file: File,
        path: Option<&Path>,
        options: &InputOptions,
        give_up: Option<GiveUp>,
    ) -> Result<Input> {
        let file = match Identity::of(file, path)? {
            Ok(identity) => {
                if let Some(mapped) = Input::mapped(&identity, options)? {
                    return Ok(mapped);
                }
                let reader = Shared(identity.file.clone());
                return Input::streamed(Box::new(reader), Some(identity), options);
            }
            Err(file) => file,
        };
        #[cfg(target_os = "linux")]
        {
            mapped::widen_pipe(&file);
            if let Some(give_up) = give_up {
                let reader = Interruptible { file, give_up };
                return Input::streamed(Box::new(reader), None, options);
            }
        }
        #[cfg(not(target_os = "linux"))]
        drop(give_up);
        Input::streamed(Box::new(file), None, options)
    }

    /// Maps a file; `None` if the file cannot be mapped.
    #[cfg(target_os = "linux")]
    fn mapped(identity: &Identity, options: &InputOptions) -> Result<Option<Input>> {
        let may_map = options.mapping.maps() && identity.state.len > 0;
        if !may_map || !is_plain(&identity.file)? {
            return Ok(None);
        }
        let mapped = Mapped::new(identity.clone(), &options.limits).ok();
        Ok(mapped.map(|mapped| Input(Kind::Mapped(mapped))))
    }

    #[cfg(not(target_os = "linux"))]
    fn mapped(_: &Identity, _: &InputOptions) -> Result<Option<Input>> {
        Ok(None)
    }

    /// Decompresses and decodes a reader, and streams the text.
    fn streamed(
        reader: Box<dyn Read + Send>,
        identity: Option<Identity>,
        options: &InputOptions,
    ) -> Result<Input> {
        let text = encoding::decode(compressed::expand(reader, options.limits)?)?;
        Ok(Input(Kind::Stream(Stream::new(text, identity, options))))
    }

    /// Makes the input readable at any offset. No byte may have left the window yet. Unless the
    /// input is a mapped file, its decompressed and decoded bytes are spooled to a temporary file.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be read or exceeds the limit on spooled inputs.
    pub fn into_rereadable(self, limits: &Limits) -> Result<Rereadable> {
        match self.0 {
            #[cfg(target_os = "linux")]
            Kind::Mapped(mapped) => Ok(Rereadable::of_file(mapped.identity)),
            Kind::Stream(_) => Rereadable::spool(Rest { input: self, taken: 0 }, limits),
        }
    }

    /// Returns the source as a trait object, for calls that are not in the hot path.
    fn source(&mut self) -> &mut dyn Source {
        match &mut self.0 {
            #[cfg(target_os = "linux")]
            Kind::Mapped(mapped) => mapped,
            Kind::Stream(stream) => stream,
        }
    }

    /// Returns the offset of the end of the window, in bytes.
    pub fn position(&self) -> u64 {
        self.offset() + self.window().len() as u64
    }
}

/// A reader of an input from its first byte.
struct Rest {
    input: Input,
    /// The offset of the next byte.
    taken: u64,
}

impl Read for Rest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.input.position() {
            self.input.fill(self.taken).map_err(into_io_error)?;
        }
        let start = (self.taken - self.input.offset()) as usize;
        let rest = &self.input.window()[start..];
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        self.taken += len as u64;
        Ok(len)
    }
}

/// Returns standard input as a file, and whether another process, such as a shell, consumed some of
/// its bytes.
#[cfg(unix)]
fn stdin() -> Result<(File, bool)> {
    use std::os::fd::AsFd;
    let descriptor = io::stdin().as_fd().try_clone_to_owned();
    let file = File::from(descriptor.map_err(Error::read)?);
    let is_started = io::Seek::stream_position(&mut &file).is_ok_and(|position| position > 0);
    Ok((file, is_started))
}

/// Whether the first bytes of a file show that it is neither compressed nor UTF-16 or UTF-32.
#[cfg(target_os = "linux")]
fn is_plain(file: &File) -> Result<bool> {
    use std::os::unix::fs::FileExt;
    let mut head = [0; 4];
    let read = file.read_at(&mut head, 0).map_err(Error::read)?;
    let head = &head[..read];
    Ok(compressed::Format::of(head).is_none() && encoding::Encoding::of(head).is_utf8())
}

/// A reader of a file that an [`Identity`] also owns.
struct Shared(Arc<File>);

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl Source for Input {
    #[inline]
    fn window(&self) -> &[u8] {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Kind::Mapped(mapped) => mapped.window(),
            Kind::Stream(stream) => stream.window(),
        }
    }

    #[inline]
    fn offset(&self) -> u64 {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Kind::Mapped(mapped) => mapped.offset(),
            Kind::Stream(stream) => stream.offset(),
        }
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        self.source().fill(keep)
    }

    fn finish(&mut self) -> Result<()> {
        self.source().finish()
    }

    fn changed(&mut self) -> bool {
        self.source().changed()
    }

    fn shared_text(&self) -> Option<SharedText> {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Kind::Mapped(mapped) => mapped.shared_text(),
            Kind::Stream(_) => None,
        }
    }
}

#[cfg(all(test, feature = "compression"))]
mod tests;
