//! The error of an input or an output.
//!
//! The [`Cause`] of an error is an [`ErrorKind`], which is about bytes, text or JSON, or a
//! [`Fault`], which another crate defines. [`Error::fault`] returns a fault by its type.
//!
//! A message never quotes input bytes, which may be secret. It names a location by its offset and
//! by the format's own keys, and an unexpected byte by its class ("a letter", "a comma").

mod token_class;

use std::any::Any;
use std::fmt;
use std::io;
use std::sync::Arc;

pub use self::token_class::TokenClass;
use crate::limits::Limit;

/// The result of a fallible function of the library.
pub type Result<T> = std::result::Result<T, Error>;

/// An error in an input or an output, with its location if known. One machine word in size.
///
/// `{:#}` writes the message without the command line option that raises a limit. `{:?}` writes the
/// message, because a `main` that returns an error prints it with `{:?}`. `{:#?}` writes the
/// fields.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    cause: Cause,
    offset: Option<u64>,
    path: Option<String>,
    /// Whether the path is complete. [`Error::within`] then leaves it unchanged.
    is_placed: bool,
    source: Option<io::Error>,
}

/// The cause of an error: an [`ErrorKind`], or the fault of another crate.
#[derive(Clone, Debug)]
pub enum Cause {
    /// An error in bytes, text or JSON, or of the system.
    Kind(ErrorKind),
    /// A fault. Clones share it.
    Fault(Arc<dyn Fault>),
}

/// An error that another crate defines. Its `Display` is the message, without the location.
pub trait Fault: fmt::Debug + fmt::Display + Any + Send + Sync {
    /// Whether the message names the path of an error without an offset. Such a path names a part
    /// that has no offset in the input, such as a member of an archive.
    fn shows_path(&self) -> bool {
        false
    }
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input could not be opened or read.
    Read,
    /// The output could not be written.
    Write,
    /// The input could not be spooled to a temporary file, to be read again.
    Spool,
    /// The system refused the memory that the input needs.
    Memory,
    /// The compressed data is damaged or ends early.
    Compressed,
    /// The input is compressed, and this build cannot decompress.
    NoDecompression,
    /// The input changed, shrank or was replaced while it was read.
    Changed,
    /// The text is not UTF-8 (or not UTF-16 after a UTF-16 byte order mark).
    Encoding,
    /// A string contains a control character.
    ControlCharacter,
    /// A byte outside strings is not ASCII.
    NotAscii,
    /// The input ends inside the document.
    Truncated,
    /// `}` closes `[`, or `]` closes `{`.
    MismatchedBracket,
    /// The input has a token that the grammar does not allow here.
    Syntax {
        /// The token that the grammar expects.
        expected: &'static str,
        /// The class of the token in the input.
        found: TokenClass,
    },
    /// The input has more data after the document.
    Trailing,
    /// A string has an escape that is not valid in JSON, or half of a surrogate pair.
    Escape,
    /// A bare word is neither a number nor `true`, `false` or `null`.
    Literal,
    /// A number is not valid in JSON.
    Number,
    /// An object has the same key twice.
    DuplicateKey,
    /// A required key is missing.
    MissingKey(&'static str),
    /// A value does not have the type that the format demands.
    WrongType {
        /// The type that the format demands.
        expected: &'static str,
    },
    /// A string is not a valid path (module `path`).
    Path,
    /// The run was stopped before this input was complete.
    Stopped,
    /// A bug of this program: the code that read the input panicked.
    Panicked,
    /// Another crate defines the error: [`Error::fault`] returns it.
    Fault,
    /// A limit of [`crate::limits::Limits`] was exceeded.
    Limit {
        /// The limit.
        limit: Limit,
        /// Its value in this run.
        value: u64,
    },
}

/// The location of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// Bytes from the start of the input, after decompression and decoding to UTF-8.
    pub offset: u64,
    /// The path in the document, made of the format's own keys and indices. Empty at the root.
    pub path: &'a str,
}

impl Error {
    fn make(cause: Cause, offset: Option<u64>, source: Option<io::Error>) -> Error {
        Error(Box::new(Inner { cause, offset, path: None, is_placed: false, source }))
    }

    /// Creates an error without a location, from an [`ErrorKind`] or a [`Fault`].
    pub fn new(cause: impl Into<Cause>) -> Error {
        Error::make(cause.into(), None, None)
    }

    /// Creates an error at `offset`, in bytes from the start of the input.
    pub fn at(cause: impl Into<Cause>, offset: u64) -> Error {
        Error::make(cause.into(), Some(offset), None)
    }

    /// Creates an error for a limit that was exceeded at `offset`.
    pub fn limit(limit: Limit, value: u64, offset: u64) -> Error {
        Error::at(ErrorKind::Limit { limit, value }, offset)
    }

    /// Creates an error caused by the system's error `source`.
    pub fn io(cause: impl Into<Cause>, source: io::Error) -> Error {
        Error::make(cause.into(), None, Some(source))
    }

    /// Creates an error for an input that cannot be read.
    pub fn read(source: io::Error) -> Error {
        Error::io(ErrorKind::Read, source)
    }

    /// Creates an error for an output that cannot be written.
    pub fn write(source: io::Error) -> Error {
        Error::io(ErrorKind::Write, source)
    }

    /// Prepends `outer` to the path of the error, unless the path is complete.
    pub fn within(mut self, outer: &str) -> Error {
        if self.0.is_placed {
            return self;
        }
        self.0.path = Some(match self.0.path.take() {
            None => outer.to_owned(),
            Some(inner) if inner.starts_with('[') => format!("{outer}{inner}"),
            Some(inner) => format!("{outer}.{inner}"),
        });
        self
    }

    /// Marks the path as complete. A reader does so if it reads one format through another.
    pub fn placed(mut self) -> Error {
        self.0.is_placed = true;
        self
    }

    /// Sets the offset, unless the error has one.
    pub fn or_at(mut self, offset: u64) -> Error {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Returns the kind of the error; [`ErrorKind::Fault`] for any fault.
    pub fn kind(&self) -> ErrorKind {
        match self.0.cause {
            Cause::Kind(kind) => kind,
            Cause::Fault(_) => ErrorKind::Fault,
        }
    }

    /// Returns the fault, if the cause of the error is a fault of this type.
    pub fn fault<F: Fault>(&self) -> Option<&F> {
        self.0.cause.fault()
    }

    /// Returns the cause of the error.
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// Returns the location of the error, if known.
    pub fn location(&self) -> Option<Location<'_>> {
        let offset = self.0.offset?;
        Some(Location { offset, path: self.0.path.as_deref().unwrap_or("") })
    }

    /// Returns the system's error that caused this one.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.source.as_ref()
    }
}

impl Cause {
    /// Returns the fault, if it has this type.
    pub fn fault<F: Fault>(&self) -> Option<&F> {
        match self {
            Cause::Kind(_) => None,
            Cause::Fault(fault) => (&**fault as &dyn Any).downcast_ref(),
        }
    }
}

impl From<ErrorKind> for Cause {
    fn from(kind: ErrorKind) -> Cause {
        Cause::Kind(kind)
    }
}

impl<F: Fault> From<F> for Cause {
    fn from(fault: F) -> Cause {
        Cause::Fault(Arc::new(fault))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.alternate() {
            true => f.debug_tuple("Error").field(&self.0).finish(),
            false => fmt::Display::fmt(self, f),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = self.location() {
            write!(f, "byte {}", location.offset)?;
            if !location.path.is_empty() {
                write!(f, ", at {}", location.path)?;
            }
            f.write_str(": ")?;
        } else if let (Cause::Fault(fault), Some(path)) = (&self.0.cause, &self.0.path)
            && fault.shows_path()
        {
            write!(f, "at {path}: ")?;
        }
        self.0.cause.fmt(f)?;
        match &self.0.source {
            Some(source) => {
                write!(f, ": {source}")?;
                match source.kind() {
                    io::ErrorKind::FileTooLarge => {
                        f.write_str(": raise the limit (`ulimit -f`), or use another disk")
                    }
                    _ => Ok(()),
                }
            }
            None => Ok(()),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Kind(kind) => kind.fmt(f),
            Cause::Fault(fault) => fault.fmt(f),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Read => f.write_str("cannot read the input"),
            ErrorKind::Write => f.write_str("cannot write the output"),
            ErrorKind::Spool => {
                f.write_str("cannot spool the input to a temporary file, to read it twice")
            }
            ErrorKind::Memory => f.write_str(
                "not enough memory for this input: raise the limit (`ulimit -v`), or use fewer \
                 threads",
            ),
            ErrorKind::Compressed => f.write_str("the compressed data is damaged or incomplete"),
            ErrorKind::NoDecompression => f.write_str(
                "the input is compressed, and this plansift was built without the feature \
                 `compression`, which reads it",
            ),
            ErrorKind::Changed => f.write_str("the input changed while it was read"),
            ErrorKind::Encoding => f.write_str("the text is not valid UTF-8 or UTF-16"),
            ErrorKind::ControlCharacter => f.write_str("control character in a string"),
            ErrorKind::NotAscii => f.write_str("byte that is not ASCII outside a string"),
            ErrorKind::Truncated => f.write_str("the document is incomplete: the input ends here"),
            ErrorKind::MismatchedBracket => f.write_str("closing bracket of the wrong kind"),
            ErrorKind::Syntax { expected, found } => {
                write!(f, "expected {expected}, found {}", found.words())
            }
            ErrorKind::Trailing => f.write_str("unexpected data after the end of the document"),
            ErrorKind::Escape => f.write_str("invalid escape in a string"),
            ErrorKind::Literal => f.write_str("expected a value"),
            ErrorKind::Number => f.write_str("invalid number"),
            ErrorKind::DuplicateKey => f.write_str("duplicate key in an object"),
            ErrorKind::MissingKey(key) => write!(f, "`{key}` is missing"),
            ErrorKind::WrongType { expected } => write!(f, "expected {expected}"),
            ErrorKind::Path => f.write_str("invalid path"),
            ErrorKind::Stopped => f.write_str("the run was stopped before this input was done"),
            ErrorKind::Panicked => {
                f.write_str("internal error: this is a bug of plansift, please report it")
            }
            ErrorKind::Fault => f.write_str("a fault of the input"),
            ErrorKind::Limit { limit, value } => {
                write!(f, "{} exceeds the limit of {value}", limit.name())?;
                if f.alternate() { Ok(()) } else { write!(f, ": raise it with {}", limit.option()) }
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|error| error as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_that_fails_prints_the_message() {
        let error = Error::at(ErrorKind::MissingKey("change"), 17).within("resource_changes[2]");
        let message = "byte 17, at resource_changes[2]: `change` is missing";
        assert_eq!(format!("{error:?}"), message);
        assert!(format!("{error:#?}").contains("offset: Some("));
    }

    #[test]
    fn the_alternate_message_names_no_option() {
        let error = Error::limit(Limit::Depth, 7, 17);
        let message = "byte 17: nesting depth exceeds the limit of 7";
        assert_eq!(error.to_string(), format!("{message}: raise it with --limit-depth"));
        assert_eq!(format!("{error:#}"), message);
    }

    /// A fault of a book.
    #[derive(Debug, PartialEq)]
    struct TornPages(u8);

    impl Fault for TornPages {
        fn shows_path(&self) -> bool {
            true
        }
    }

    impl fmt::Display for TornPages {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{} pages are torn", self.0)
        }
    }

    #[test]
    fn a_fault_is_the_message_and_is_found_by_its_type() {
        let error = Error::new(TornPages(3)).within("chapter");
        assert_eq!(error.to_string(), "at chapter: 3 pages are torn");
        assert_eq!(error.kind(), ErrorKind::Fault);
        assert_eq!(error.fault(), Some(&TornPages(3)));
        let again = Error::at(error.cause().clone(), 17);
        assert_eq!(again.to_string(), "byte 17: 3 pages are torn");
        assert_eq!(Error::new(ErrorKind::Read).fault::<TornPages>(), None);
    }
}
