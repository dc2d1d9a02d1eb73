//! The only error type of the library.
//!
//! A message never quotes input bytes, which may be secret. It names a location by its offset and
//! by the format's own keys, and an unexpected byte by its class ("a letter", "a comma").

mod document;
mod plan_file;
mod store;
mod token_class;

use std::fmt;
use std::io;

pub use self::document::WrongDocument;
pub use self::plan_file::PlanFileFault;
pub use self::store::StoreFault;
pub use self::token_class::TokenClass;
use crate::limits::Limit;

/// The result of a fallible function of the library.
pub type Result<T> = std::result::Result<T, Error>;

/// An error in an input or an output, with its location if known. One machine word in size.
///
/// `{:?}` writes the message, because a `main` that returns an error prints it with `{:?}`. `{:#?}`
/// writes the fields.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    offset: Option<u64>,
    path: Option<String>,
    /// Whether the path is complete. [`Error::within`] then leaves it unchanged.
    is_placed: bool,
    source: Option<io::Error>,
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
    /// A list of actions, or a status, is longer than 1 KiB.
    LongWord,
    /// The address of a module in a configuration is longer than 16 KiB.
    LongModule,
    /// A required key is missing.
    MissingKey(&'static str),
    /// A value does not have the type that the format demands.
    WrongType {
        /// The type that the format demands.
        expected: &'static str,
    },
    /// This version does not support the major `format_version`.
    FormatVersion,
    /// The input is another kind of document, not the JSON of a plan.
    WrongDocument(WrongDocument),
    /// A binary plan file is damaged, or this version cannot read it.
    PlanFile(PlanFileFault),
    /// A string is not a valid path (module `path`).
    Path,
    /// A glob or a pattern for workspace names is invalid.
    Pattern,
    /// A folder, a glob or a list contains no plan.
    NoPlan,
    /// A plan has no configuration.
    NoConfiguration,
    /// A list of names looks like JSON or like binary data.
    NotAList,
    /// The run was stopped before this input was complete.
    Stopped,
    /// A bug of this program: the code that read the input panicked.
    Panicked,
    /// The output folder of a batch, or a folder to merge, cannot be used.
    Folder(FolderProblem),
    /// An object store or a web server did not return what was requested.
    Store(StoreFault),
    /// A value, a type or a schema that tools and providers exchange is invalid. Holds the reason.
    Wire(&'static str),
    /// A file is not the output of `providers schema -json`. Holds the reason.
    SchemaFile(&'static str),
    /// A limit of [`crate::limits::Limits`] was exceeded.
    Limit {
        /// The limit.
        limit: Limit,
        /// Its value in this run.
        value: u64,
    },
}

/// Why the folder of a batch, or a folder to merge, cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FolderProblem {
    /// Another run writes to the folder.
    InUse,
    /// The folder is not empty and has no journal.
    Foreign,
    /// The folder has no journal.
    NoJournal,
    /// A FIFO, a socket, a device or a folder has the name of a file of the batch. The error's
    /// source holds that name.
    NotAFile,
    /// The run that created the folder ended before it listed its inputs.
    NoInputs,
    /// The run that created the folder had another value of this option.
    Begun(&'static str),
    /// The journal is damaged.
    Damaged {
        /// The line, from 1.
        line: u64,
    },
    /// The folder is a shard of another batch: other options or another division into shards.
    OtherShards,
    /// The user named the same shard twice.
    ShardTwice,
    /// An input of the folder is also in another folder.
    SourceTwice,
}

impl FolderProblem {
    fn words(self) -> &'static str {
        match self {
            FolderProblem::InUse => "another run is writing to this folder",
            FolderProblem::Foreign => {
                "this folder is not empty and was not made by `plansift batch`: name another one"
            }
            FolderProblem::NoJournal => "this folder has no output of `plansift batch`",
            FolderProblem::NotAFile => {
                "this folder has something other than a regular file where a file of the batch \
                 belongs: remove it, or name another folder"
            }
            FolderProblem::NoInputs => {
                "the run in this folder has not listed its inputs: run it again"
            }
            FolderProblem::Begun(_) => "this folder was made with another value of",
            FolderProblem::Damaged { .. } => {
                "the journal of this folder is damaged: name another folder, or remove this one to \
                 start over; damaged at line"
            }
            FolderProblem::OtherShards => {
                "this folder is not a shard of the same batch: it was made with other options or \
                 another --shard i/n"
            }
            FolderProblem::ShardTwice => "this shard was given twice",
            FolderProblem::SourceTwice => "an input of this folder is in another one as well",
        }
    }
}

impl fmt::Display for FolderProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())?;
        match self {
            FolderProblem::Begun(option) => {
                write!(f, " {option}: use that value again, or name another folder")
            }
            FolderProblem::Damaged { line } => write!(f, " {line}"),
            _ => Ok(()),
        }
    }
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
    fn make(kind: ErrorKind, offset: Option<u64>, source: Option<io::Error>) -> Error {
        Error(Box::new(Inner { kind, offset, path: None, is_placed: false, source }))
    }

    /// Creates an error without a location.
    pub fn new(kind: ErrorKind) -> Error {
        Error::make(kind, None, None)
    }

    /// Creates an error at `offset`, in bytes from the start of the input.
    pub fn at(kind: ErrorKind, offset: u64) -> Error {
        Error::make(kind, Some(offset), None)
    }

    /// Creates an error for a limit that was exceeded at `offset`.
    pub fn limit(limit: Limit, value: u64, offset: u64) -> Error {
        Error::at(ErrorKind::Limit { limit, value }, offset)
    }

    /// Creates an error caused by the system's error `source`.
    pub fn io(kind: ErrorKind, source: io::Error) -> Error {
        Error::make(kind, None, Some(source))
    }

    /// Creates an error for an input that cannot be read.
    pub(crate) fn read(source: io::Error) -> Error {
        Error::io(ErrorKind::Read, source)
    }

    /// Creates an error for an output that cannot be written.
    pub(crate) fn write(source: io::Error) -> Error {
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

    /// Marks the path as complete. The reader of plan files does so, because it reads one format
    /// through another.
    #[cfg(feature = "planfile")]
    pub(crate) fn placed(mut self) -> Error {
        self.0.is_placed = true;
        self
    }

    /// Sets the offset, unless the error has one.
    pub fn or_at(mut self, offset: u64) -> Error {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
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
        } else if let (ErrorKind::PlanFile(_), Some(member)) = (self.0.kind, &self.0.path) {
            write!(f, "at {member}: ")?;
        }
        self.0.kind.fmt(f)?;
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

/// The start of the message about an invalid schema file.
const NOT_SCHEMAS: &str = "this is not the output of `terraform providers schema -json`";

/// The message about a plan without a configuration.
const NO_CONFIGURATION: &str = "this document has no configuration section: give plansift the \
                                output of `terraform show -json PLANFILE`, or list the source \
                                files in a plan file with `plansift blocks PLANFILE`";

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
            ErrorKind::LongWord => f.write_str(
                "an action list or a status of more than 1024 bytes, which no tool writes: make \
                 the plan again",
            ),
            ErrorKind::LongModule => f.write_str(
                "the address of a module is longer than 16 KiB: nest fewer modules, or give \
                 them shorter names",
            ),
            ErrorKind::MissingKey("format_version") => f.write_str(
                "`format_version` is missing: this is not the whole output of `terraform show \
                 -json PLANFILE`: run it again, or give plansift the plan file",
            ),
            ErrorKind::MissingKey(key) => write!(f, "`{key}` is missing"),
            ErrorKind::WrongType { expected } => write!(f, "expected {expected}"),
            ErrorKind::FormatVersion => {
                f.write_str("unsupported format_version: this plansift reads 0.x and 1.x")
            }
            ErrorKind::WrongDocument(document) => document.fmt(f),
            ErrorKind::PlanFile(fault) => fault.fmt(f),
            ErrorKind::Path => f.write_str("invalid path"),
            ErrorKind::Pattern => f.write_str("invalid pattern"),
            ErrorKind::NoPlan => f.write_str("no plan found here"),
            ErrorKind::NoConfiguration => f.write_str(NO_CONFIGURATION),
            ErrorKind::NotAList => f.write_str(
                "this is not a list of names: to read it as a plan, name it without the @",
            ),
            ErrorKind::Stopped => f.write_str("the run was stopped before this input was done"),
            ErrorKind::Panicked => {
                f.write_str("internal error: this is a bug of plansift, please report it")
            }
            ErrorKind::Folder(problem) => problem.fmt(f),
            ErrorKind::Store(fault) => fault.fmt(f),
            ErrorKind::Wire(reason) => f.write_str(reason),
            ErrorKind::SchemaFile(reason) => write!(f, "{NOT_SCHEMAS}: {reason}: run it again"),
            ErrorKind::Limit { limit, value } => {
                let (name, option) = (limit.name(), limit.option());
                write!(f, "{name} exceeds the limit of {value}: raise it with {option}")
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
}
