//! Bytes in: files, pipes and compressed streams, all handed out as windows of one growing text.
//!
//! ```text
//! regular file, plain UTF-8 ─▶ [`mapped`]                          slices of the file itself
//! everything else ─▶ [`compressed`] ─▶ [`encoding`] ─▶ [`ahead`] ─▶ [`stream`]  a moving buffer
//! ```

mod ahead;
mod compressed;
mod encoding;
#[cfg(target_os = "linux")]
mod interruptible;
mod kept;
#[cfg(target_os = "linux")]
mod mapped;
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
use stream::{Failure, Stream};

pub use kept::Kept;

/// Says whether whoever waits for an input is to give up. It is called on any thread.
pub type GiveUp = Arc<dyn Fn() -> bool + Send + Sync>;

/// A document's bytes, handed out in windows.
///
/// Offsets count bytes of the decoded (decompressed, UTF-8) text from its first byte, a UTF-8 byte
/// order mark included. The reader looks at [`Source::window`], and when that is used up asks
/// [`Source::fill`] for more; what it still needs stays in the window, everything before is gone.
pub trait Source {
    /// The bytes at hand.
    fn window(&self) -> &[u8];

    /// The offset of the window's first byte.
    fn offset(&self) -> u64;

    /// Forgets the bytes before the offset `keep` and brings at least one more byte into the
    /// window. `false`: the input has ended and the window is complete.
    ///
    /// # Errors
    ///
    /// What reading, decompressing and decoding can meet; a limit of the input.
    fn fill(&mut self, keep: u64) -> Result<bool>;

    /// Called once after the whole input was read: says whether it held still meanwhile.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Changed`].
    fn finish(&mut self) -> Result<()>;

    /// Whether the input is known to have changed since it was opened.
    fn changed(&mut self) -> bool {
        false
    }

    /// Whether who asks for more now has to wait for another thread that brings it.
    fn is_awaited(&self) -> bool {
        false
    }

    /// All of the text, where it lies in memory as a whole; offsets count from its first byte.
    fn whole(&self) -> Option<Whole> {
        None
    }
}

/// A whole text in memory, for other threads. It says nothing of what the source itself refuses: a
/// limit, an input that changed.
#[derive(Clone)]
pub struct Whole(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl Whole {
    /// A text that whoever holds it keeps in memory.
    pub fn new(text: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Whole {
        Whole(text)
    }

    /// The text.
    pub fn text(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

/// A source that is used for a while.
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

    fn is_awaited(&self) -> bool {
        (**self).is_awaited()
    }

    fn whole(&self) -> Option<Whole> {
        (**self).whole()
    }
}

/// A text already in memory: one window, nothing to fill.
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

/// Whether a file may be mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mapping {
    /// Where it can be.
    #[default]
    Auto,
    /// Never: it is read like a pipe.
    Never,
}

/// How many threads an input may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// Only that of whoever reads it.
    One,
    /// Another one reads ahead of it what cannot be mapped, and expands it, unless it is small.
    #[default]
    Several,
}

/// How to open an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The bounds.
    pub limits: Limits,
    /// Whether files may be mapped.
    pub mapping: Mapping,
    /// How many threads may be used.
    pub threads: Threads,
}

/// A file, a pipe or any reader.
pub struct Input(Kind);

enum Kind {
    #[cfg(target_os = "linux")]
    Mapped(Mapped),
    Stream(Stream),
}

/// What a file was when it was opened, to tell whether it is still the same at the end.
#[derive(Clone, Debug)]
struct Identity {
    file: Arc<File>,
    path: Option<std::path::PathBuf>,
    state: State,
}

/// What changes when someone writes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    len: u64,
    modified: Option<std::time::SystemTime>,
    #[cfg(unix)]
    inode: (u64, u64),
    /// When the inode changed, which no one can set.
    #[cfg(unix)]
    changed: (i64, i64),
}

impl State {
    fn of(metadata: &std::fs::Metadata) -> State {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        State {
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
    /// # Errors
    ///
    /// The file is another now, or its name stands for another.
    fn check(&self) -> Result<()> {
        let now = self.file.metadata().map_err(|error| Error::io(ErrorKind::Read, error))?;
        let mut same = State::of(&now) == self.state;
        if let Some(path) = &self.path {
            same &= std::fs::metadata(path).is_ok_and(|named| State::of(&named) == self.state);
        }
        if same { Ok(()) } else { Err(Error::new(ErrorKind::Changed)) }
    }
}

impl Input {
    /// Opens a file by its path. On Linux the first file that is mapped installs a handler of
    /// SIGBUS for the process, which minds mapped inputs only and hands on all other faults.
    ///
    /// # Errors
    ///
    /// It cannot be opened or read, or is a directory.
    pub fn open_file(path: &Path, options: &Options) -> Result<Input> {
        let read_error = |error| Error::io(ErrorKind::Read, error);
        let file = File::open(path).map_err(read_error)?;
        Input::from_file(file, Some(path), options)
    }

    /// Like [`Input::open_file`], for a reader that does not wait for ever: while nothing comes
    /// through a pipe, `give_up` is asked several times a second whether to stop. Only Linux asks.
    ///
    /// # Errors
    ///
    /// Those of [`Input::open_file`]; [`ErrorKind::Stopped`] once `give_up` says so.
    pub fn open_file_until(path: &Path, options: &Options, give_up: GiveUp) -> Result<Input> {
        #[cfg(target_os = "linux")]
        let opened = interruptible::open(path);
        #[cfg(not(target_os = "linux"))]
        let opened = File::open(path);
        let file = opened.map_err(|error| Error::io(ErrorKind::Read, error))?;
        Input::from_file_until(file, Some(path), options, Some(give_up))
    }

    /// Standard input; mapped where it is a regular file.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    #[cfg(unix)]
    pub fn from_stdin(options: &Options) -> Result<Input> {
        let (file, options) = stdin(options)?;
        Input::from_file(file, None, &options)
    }

    /// Like [`Input::from_stdin`], for a reader that does not wait for ever
    /// ([`Input::open_file_until`]).
    ///
    /// # Errors
    ///
    /// Those of [`Input::open_file_until`].
    #[cfg(unix)]
    pub fn from_stdin_until(options: &Options, give_up: GiveUp) -> Result<Input> {
        let (file, options) = stdin(options)?;
        Input::from_file_until(file, None, &options, Some(give_up))
    }

    /// Standard input, which is not given up here.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    #[cfg(not(unix))]
    pub fn from_stdin_until(options: &Options, _: GiveUp) -> Result<Input> {
        Input::from_stdin(options)
    }

    /// Standard input.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    #[cfg(not(unix))]
    pub fn from_stdin(options: &Options) -> Result<Input> {
        Input::from_reader(Box::new(io::stdin()), options)
    }

    /// Any reader, read in windows.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn from_reader(reader: Box<dyn Read + Send>, options: &Options) -> Result<Input> {
        Input::streamed(reader, None, options)
    }

    fn from_file(file: File, path: Option<&Path>, options: &Options) -> Result<Input> {
        Input::from_file_until(file, path, options, None)
    }

    /// An open file at its start. Of what is no regular file, `give_up` says whether to go on.
    fn from_file_until(
        file: File,
        path: Option<&Path>,
        options: &Options,
        give_up: Option<GiveUp>,
    ) -> Result<Input> {
        let read_error = |error| Error::io(ErrorKind::Read, error);
        let metadata = file.metadata().map_err(read_error)?;
        if metadata.is_dir() {
            return Err(read_error(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let file = Arc::new(file);
        if metadata.is_file() {
            let path = path.map(Path::to_owned);
            let identity = Identity { file: file.clone(), path, state: State::of(&metadata) };
            if let Some(mapped) = Input::mapped(&identity, options)? {
                return Ok(mapped);
            }
            return Input::streamed(Box::new(Shared(file)), Some(identity), options);
        }
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
        Input::streamed(Box::new(Shared(file)), None, options)
    }

    /// A file that is mapped, if it can be.
    #[cfg(target_os = "linux")]
    fn mapped(identity: &Identity, options: &Options) -> Result<Option<Input>> {
        let may_map = options.mapping == Mapping::Auto && identity.state.len > 0;
        if !may_map || !is_plain(&identity.file)? {
            return Ok(None);
        }
        let mapped = Mapped::new(identity.clone(), &options.limits).ok();
        Ok(mapped.map(|mapped| Input(Kind::Mapped(mapped))))
    }

    #[cfg(not(target_os = "linux"))]
    fn mapped(_: &Identity, _: &Options) -> Result<Option<Input>> {
        Ok(None)
    }

    /// What a reader reads, in windows.
    fn streamed(
        reader: Box<dyn Read + Send>,
        identity: Option<Identity>,
        options: &Options,
    ) -> Result<Input> {
        let text = encoding::decode(compressed::expand(reader, options.limits)?)?;
        Ok(Input(Kind::Stream(Stream::new(text, identity, options))))
    }

    /// How much of the input was brought in so far, in bytes of the text.
    pub fn position(&self) -> u64 {
        self.offset() + self.window().len() as u64
    }
}

/// Standard input as a file, and how to open it.
#[cfg(unix)]
fn stdin(options: &Options) -> Result<(File, Options)> {
    use std::os::fd::AsFd;
    let descriptor = io::stdin().as_fd().try_clone_to_owned();
    let file = File::from(descriptor.map_err(|error| Error::io(ErrorKind::Read, error))?);
    // A shell may have read some of it already: only a file at its start is mapped.
    let begun = io::Seek::stream_position(&mut &file).is_ok_and(|position| position > 0);
    let mapping = if begun { Mapping::Never } else { options.mapping };
    Ok((file, Options { mapping, ..*options }))
}

/// An error as a reader can return it, to come out of its [`Input`] as it is.
pub fn carried(error: Error) -> io::Error {
    Failure::of(error)
}

/// Whether a file is neither compressed nor UTF-16, by its first bytes.
#[cfg(target_os = "linux")]
fn is_plain(file: &File) -> Result<bool> {
    use std::os::unix::fs::FileExt;
    let mut head = [0; 4];
    let read = file.read_at(&mut head, 0).map_err(|error| Error::io(ErrorKind::Read, error))?;
    let head = &head[..read];
    Ok(compressed::Format::of(head).is_none() && encoding::Encoding::of(head).is_utf8())
}

/// A file that its identity shares.
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
        match &mut self.0 {
            #[cfg(target_os = "linux")]
            Kind::Mapped(mapped) => mapped.fill(keep),
            Kind::Stream(stream) => stream.fill(keep),
        }
    }

    fn finish(&mut self) -> Result<()> {
        match &mut self.0 {
            #[cfg(target_os = "linux")]
            Kind::Mapped(mapped) => mapped.finish(),
            Kind::Stream(stream) => stream.finish(),
        }
    }

    fn changed(&mut self) -> bool {
        match &mut self.0 {
            #[cfg(target_os = "linux")]
            Kind::Mapped(mapped) => mapped.changed(),
            Kind::Stream(stream) => stream.changed(),
        }
    }

    fn is_awaited(&self) -> bool {
        matches!(&self.0, Kind::Stream(stream) if stream.is_awaited())
    }

    fn whole(&self) -> Option<Whole> {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Kind::Mapped(mapped) => mapped.whole(),
            Kind::Stream(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
