//! The one error of the library: what is wrong, and where.
//!
//! A message never holds bytes of the input, which may be secrets: it names places by offset and by
//! the format's own keys, and findings by class ("a digit", "a comma").

use std::fmt;
use std::io;

use crate::limits::Limit;

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

/// Something wrong with an input or an output, and its place. One word wide.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    offset: Option<u64>,
    path: Option<String>,
    source: Option<io::Error>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input could not be opened or read.
    Read,
    /// The output could not be written.
    Write,
    /// The input could not be kept in a file to be read again.
    Spool,
    /// The system refuses the memory that the input needs.
    Memory,
    /// The compressed data is damaged or ends early.
    Compressed,
    /// The input changed, shrank or was replaced while it was read.
    Changed,
    /// The text is not UTF-8 (or UTF-16 where a mark announced it).
    Encoding,
    /// A control character inside a string.
    ControlCharacter,
    /// A byte that is not ASCII outside of strings.
    NotAscii,
    /// The input ends inside the document.
    Truncated,
    /// `}` closes `[`, or `]` closes `{`.
    MismatchedBracket,
    /// The grammar wants one thing and another is there.
    Syntax {
        /// What the grammar wants.
        expected: &'static str,
        /// What is there.
        found: Found,
    },
    /// Something stands after the document.
    Trailing,
    /// An escape in a string that JSON does not have, or half of a surrogate pair.
    Escape,
    /// A word that is neither a number nor `true`, `false` or `null`.
    Literal,
    /// A number that JSON does not allow.
    Number,
    /// The same key twice in one object.
    DuplicateKey,
    /// A list of actions, or a status, that is longer than 1 KiB.
    LongWord,
    /// A key that must be there is not.
    MissingKey(&'static str),
    /// A value of another type than the format says.
    WrongType {
        /// The type the format says.
        expected: &'static str,
    },
    /// A major `format_version` that this version does not know.
    FormatVersion,
    /// A document, but not a plan's JSON.
    WrongDocument(WrongDocument),
    /// A text that is not that of a path ([`crate::path`]).
    Path,
    /// A glob, or a rule for names of workspaces, that is none.
    Pattern,
    /// A rule of the user's is not well formed.
    Rule(RuleFault),
    /// A folder, a glob or a list of which no plan comes.
    NoPlan,
    /// A list of names is none: it looks like JSON, or like no text at all.
    NotAList,
    /// The run was told to stop before this was done.
    Stopped,
    /// A bug of this program: it gave up on the input.
    Panicked,
    /// Something about the folder that a batch writes to.
    Folder(FolderProblem),
    /// A store of objects did not give what was asked of it.
    Store(StoreFault),
    /// A bound of [`crate::limits::Limits`].
    Limit {
        /// Which bound.
        limit: Limit,
        /// Its value in this run.
        value: u64,
    },
}

/// What is wrong with a rule. The words in it are those of known rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleFault {
    /// There is nothing.
    Empty,
    /// The word that it begins with is unknown; this one is near to it.
    Unknown(Option<&'static str>),
    /// A rule about paths has no path.
    NoPath(&'static str),
    /// Nothing stands behind a colon, or between two.
    NoPattern(&'static str),
    /// A rule about the whole plan has a pattern.
    NeedlessPattern(&'static str),
    /// Behind `>` stands no whole number, or one that is too large.
    Count(&'static str),
    /// A blank, `>`, `<` or `=` stands in a pattern.
    Stray,
    /// The path is none.
    Path,
    /// The message at the end is no JSON string.
    Message,
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleFault::Empty => f.write_str("the rule is empty"),
            RuleFault::Unknown(None) => f.write_str("no rule begins with this word"),
            RuleFault::Unknown(Some(near)) => {
                write!(f, "no rule begins with this word: did you mean `{near}`?")
            }
            RuleFault::NoPath(word) => write!(f, "a rule like this needs a path: {word}:PATTERN"),
            RuleFault::NoPattern(word) => write!(
                f,
                "a pattern is missing at a colon: `{word}` is about everything, {word}:PATTERN \
                 about a part"
            ),
            RuleFault::NeedlessPattern(word) => {
                write!(f, "`{word}` is about the whole plan and takes no pattern")
            }
            RuleFault::Count(word) => {
                write!(f, "behind '>' stands a whole number, as in {word}>10")
            }
            RuleFault::Stray => f.write_str(
                "a pattern has no blank, '>', '<' or '=' in it, except in quotes; the number comes \
                 last, as in delete:aws_*>3",
            ),
            RuleFault::Path => f.write_str(
                "this is no path: write one like tags.Name, *.password, ingress[0] or \
                 tags[\"a.b\"]",
            ),
            RuleFault::Message => f.write_str(
                "the message is no text in quotes: write it last, as in delete:aws_* \"Ask us.\"",
            ),
        }
    }
}

/// What is wrong with a folder of a batch, or with several that are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FolderProblem {
    /// Another run writes to it.
    InUse,
    /// There is something in it, but no journal.
    Foreign,
    /// There is no journal in it.
    NoJournal,
    /// A FIFO, a socket, a device or a folder stands in the place of one of its files, which the
    /// source names.
    NotAFile,
    /// The run that began it did not get as far as to list its inputs.
    NoInputs,
    /// It was begun with another value of that option.
    Begun(&'static str),
    /// The journal does not hold what it says.
    Damaged {
        /// The line, from 1.
        line: u64,
    },
    /// It is of another division into shards, or of a run with other options.
    OtherShards,
    /// The same shard was given before.
    ShardTwice,
    /// An input of it was in another folder as well.
    SourceTwice,
}

impl FolderProblem {
    fn words(self) -> &'static str {
        match self {
            FolderProblem::InUse => "another run is writing to this folder",
            FolderProblem::Foreign => {
                "this folder is not empty and was not made by `plansift batch`: name another one"
            }
            FolderProblem::NoJournal => "no output of `plansift batch` is here",
            FolderProblem::NotAFile => {
                "this folder has something in the place of a regular file: remove it, or name \
                 another folder"
            }
            FolderProblem::NoInputs => "the run here has not listed its inputs: run it again",
            FolderProblem::Begun(_) => "what is in this folder was made with another",
            FolderProblem::Damaged { .. } => {
                "the journal of this folder is damaged: name another folder, or remove this one to \
                 begin anew; at line"
            }
            FolderProblem::OtherShards => {
                "this is not a part of the same whole: it was made with other options or another \
                 --shard i/n"
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
                write!(f, " {option}: run with that again, or name another folder")
            }
            FolderProblem::Damaged { line } => write!(f, " {line}"),
            _ => Ok(()),
        }
    }
}

/// Why a store of objects, or a web server, gave nothing. Its own words are not repeated: they may
/// quote a request with its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFault {
    /// This build knows no stores.
    Unsupported,
    /// A name of no kind that is known, or without a bucket.
    Name,
    /// A key that the stores' client cannot ask for.
    Key,
    /// A query in the name of an object, where it means nothing and may hold a signature.
    Query,
    /// A web server says nothing of what else it has.
    Listing,
    /// The settings in the environment make no sense.
    Settings,
    /// There are no credentials, or whoever gives them did not.
    Credentials,
    /// There is no such object.
    NotFound,
    /// There is one, perhaps, and it may not be read.
    Denied,
    /// The bucket is elsewhere.
    Elsewhere,
    /// Any other status of HTTP that is no success.
    Status(u16),
    /// No byte came for as long as is waited.
    Silent,
    /// There was no connection, or none with a certificate to trust, or it broke.
    Connection,
    /// The connection broke, and what is missing cannot be asked for.
    Broken,
    /// An answer that is none.
    Answer,
}

impl StoreFault {
    fn fmt(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StoreFault::Unsupported => {
                "this plansift was built without object stores (the feature `stores`)"
            }
            StoreFault::Name => {
                "no address of a plan: s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY, \
                 https://HOST/PATH, http://HOST/PATH and file:///PATH are known"
            }
            StoreFault::Key => {
                "keys with an empty part, `.`, `..` or a control character cannot be read"
            }
            StoreFault::Query => {
                "a query or a user means nothing here: credentials come from the environment"
            }
            StoreFault::Listing => "a web server cannot be listed: name its plans one by one",
            StoreFault::Settings => {
                "the settings of the store in the environment make no sense or lack something"
            }
            StoreFault::Credentials => "no credentials for the store came from the environment",
            StoreFault::NotFound => "there is nothing of that name",
            StoreFault::Denied => "the store refuses access with these credentials",
            StoreFault::Elsewhere => "the bucket is in another region: name that (AWS_REGION)",
            StoreFault::Status(status) => {
                return write!(f, "the store answered with status {status}");
            }
            StoreFault::Silent => {
                "nothing came from the store for as long as is waited (--store-timeout)"
            }
            StoreFault::Connection => {
                "there is no connection to the store, or none to trust, or it broke"
            }
            StoreFault::Broken => "the connection broke, and the store cannot send only the rest",
            StoreFault::Answer => "the store's answer makes no sense",
        })
    }
}

/// The class of what was found, never the bytes themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// `{`.
    ObjectOpen,
    /// `}`.
    ObjectClose,
    /// `[`.
    ArrayOpen,
    /// `]`.
    ArrayClose,
    /// `:`.
    Colon,
    /// `,`.
    Comma,
    /// A string.
    String,
    /// A digit or a minus sign.
    Number,
    /// A letter.
    Letter,
    /// Any other byte.
    Other,
}

impl Found {
    /// The class of a byte outside strings.
    pub fn of(byte: u8) -> Found {
        match byte {
            b'{' => Found::ObjectOpen,
            b'}' => Found::ObjectClose,
            b'[' => Found::ArrayOpen,
            b']' => Found::ArrayClose,
            b':' => Found::Colon,
            b',' => Found::Comma,
            b'"' => Found::String,
            b'-' | b'0'..=b'9' => Found::Number,
            b'a'..=b'z' | b'A'..=b'Z' => Found::Letter,
            _ => Found::Other,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Found::ObjectOpen => "an object",
            Found::ObjectClose => "the end of an object",
            Found::ArrayOpen => "an array",
            Found::ArrayClose => "the end of an array",
            Found::Colon => "a colon",
            Found::Comma => "a comma",
            Found::String => "a string",
            Found::Number => "a number",
            Found::Letter => "a letter",
            Found::Other => "another byte",
        }
    }
}

/// Documents that are piped in by mistake (docs/format/plan.md, section 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrongDocument {
    /// The plan file itself, a ZIP.
    BinaryPlan,
    /// A plan or state that OpenTofu encrypted.
    Encrypted,
    /// `show -json` of a state.
    State,
    /// `show -json` where there is no state.
    EmptyState,
    /// `terraform.tfstate`.
    NativeState,
    /// A file compressed with xz.
    Xz,
    /// A file compressed with bzip2.
    Bzip2,
    /// A ZIP that is no plan file, or a tar archive.
    Archive,
    /// The JSON value `null` alone.
    Null,
    /// The log of `plan -json` or `apply -json`.
    Log,
    /// `providers schema -json`.
    ProviderSchema,
    /// `output -json`.
    Outputs,
    /// `{}`, which is what `output -json` prints when there are none.
    NoOutputs,
    /// `state list`.
    StateList,
    /// `version -json`.
    Version,
    /// `validate -json`.
    Validation,
    /// `metadata functions -json`.
    Functions,
    /// The words of `plan` or `show` without `-json`.
    HumanText,
    /// Nothing at all.
    Empty,
    /// JSON, but nothing known.
    OtherJson,
    /// Text before a document, which `--strict` refuses.
    TextBefore,
    /// Not JSON.
    NotJson,
}

impl WrongDocument {
    fn words(self) -> &'static str {
        match self {
            WrongDocument::BinaryPlan => {
                "this is a binary plan file: run `terraform show -json PLANFILE` \
                 (or `tofu show -json PLANFILE`) and give plansift its output"
            }
            WrongDocument::Encrypted => {
                "this is an encrypted OpenTofu plan or state: run `tofu show -json PLANFILE` \
                 where its key is configured and give plansift the output"
            }
            WrongDocument::State => {
                "this is the JSON of a state, not of a plan: run \
                 `terraform show -json PLANFILE` with the plan file as its argument"
            }
            WrongDocument::EmptyState => {
                "this is the JSON of an empty state, not of a plan: run \
                 `terraform show -json PLANFILE` with the plan file as its argument"
            }
            WrongDocument::NativeState => {
                "this is a native state file (terraform.tfstate): `redact` and `audit` read the \
                 output of `terraform show -json STATEFILE`; for a plan, run \
                 `terraform plan -out PLANFILE`, then `terraform show -json PLANFILE`"
            }
            WrongDocument::Xz => {
                "this is compressed with xz, and plansift reads gzip and zstd: run \
                 `xz -dc FILE | plansift ...`, or compress plans with zstd"
            }
            WrongDocument::Bzip2 => {
                "this is compressed with bzip2, and plansift reads gzip and zstd: run \
                 `bzip2 -dc FILE | plansift ...`, or compress plans with zstd"
            }
            WrongDocument::Archive => {
                "this is an archive (zip or tar): unpack it, and give plansift the output of \
                 `terraform show -json PLANFILE` in it"
            }
            WrongDocument::Null => {
                "this is the JSON value null, as `jq` prints for a key that is not there: give \
                 plansift the whole output of `terraform show -json PLANFILE`"
            }
            WrongDocument::Log => {
                "this is the log of `plan -json` or `apply -json`, which holds no values: run \
                 `terraform plan -out PLANFILE`, then `terraform show -json PLANFILE`"
            }
            WrongDocument::ProviderSchema => {
                "this is a provider schema document (`providers schema -json`), not a plan: run \
                 `terraform show -json PLANFILE`"
            }
            WrongDocument::Outputs => {
                "these are output values (`output -json`), not a plan: run \
                 `terraform show -json PLANFILE`"
            }
            WrongDocument::NoOutputs => {
                "this is an empty object, as `output -json` prints when there are no outputs, \
                 not a plan: run `terraform show -json PLANFILE`"
            }
            WrongDocument::StateList => {
                "this is a list of addresses (`state list`), not a plan: run \
                 `terraform show -json PLANFILE`"
            }
            WrongDocument::Version => {
                "this is the output of `version -json`, not a plan: run \
                 `terraform show -json PLANFILE`"
            }
            WrongDocument::Validation => {
                "this is the output of `validate -json`, not a plan: run \
                 `terraform show -json PLANFILE`"
            }
            WrongDocument::Functions => {
                "this is the output of `metadata functions -json`, not a plan: run \
                 `terraform show -json PLANFILE`"
            }
            WrongDocument::HumanText => {
                "this is the text of `terraform plan` or `show`, not JSON: run \
                 `terraform show -json PLANFILE`"
            }
            WrongDocument::Empty => "the input is empty: did `terraform show -json PLANFILE` fail?",
            WrongDocument::OtherJson => {
                "this JSON is not a plan: run `terraform show -json PLANFILE` \
                 (or `tofu show -json PLANFILE`)"
            }
            WrongDocument::TextBefore => {
                "text stands before the plan, and --strict refuses it: remove the text, or run \
                 without --strict, which skips it"
            }
            WrongDocument::NotJson => "this is not JSON: run `terraform show -json PLANFILE`",
        }
    }
}

/// Where an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// Bytes from the start of the input, after decompression and decoding to UTF-8.
    pub offset: u64,
    /// The place in the document, made of the format's own keys and of indices; empty at the root.
    pub path: &'a str,
}

impl Error {
    /// An error without a place yet.
    pub fn new(kind: ErrorKind) -> Error {
        Error(Box::new(Inner { kind, offset: None, path: None, source: None }))
    }

    /// An error at a byte, `offset` bytes from the start of the input.
    pub fn at(kind: ErrorKind, offset: u64) -> Error {
        Error(Box::new(Inner { kind, offset: Some(offset), path: None, source: None }))
    }

    /// A limit that was passed at a byte.
    pub fn limit(limit: Limit, value: u64, offset: u64) -> Error {
        Error::at(ErrorKind::Limit { limit, value }, offset)
    }

    /// The system's error as the reason.
    pub fn io(kind: ErrorKind, source: io::Error) -> Error {
        Error(Box::new(Inner { kind, offset: None, path: None, source: Some(source) }))
    }

    /// The same error, its path continued outwards: it happened inside of `outer`.
    pub fn within(mut self, outer: &str) -> Error {
        self.0.path = Some(match self.0.path.take() {
            None => outer.to_owned(),
            Some(inner) if inner.starts_with('[') => format!("{outer}{inner}"),
            Some(inner) => format!("{outer}.{inner}"),
        });
        self
    }

    /// The same error with an offset, unless it has one.
    pub fn or_at(mut self, offset: u64) -> Error {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it is, when it has a place.
    pub fn location(&self) -> Option<Location<'_>> {
        let offset = self.0.offset?;
        Some(Location { offset, path: self.0.path.as_deref().unwrap_or("") })
    }

    /// The system's error behind it.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.source.as_ref()
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
        }
        self.0.kind.fmt(f)?;
        match &self.0.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Read => f.write_str("cannot read the input"),
            ErrorKind::Write => f.write_str("cannot write the output"),
            ErrorKind::Spool => {
                f.write_str("the input could not be kept in a temporary file, to be read twice")
            }
            ErrorKind::Memory => f.write_str(
                "not enough memory for this input: raise the limit (`ulimit -v`), or use fewer \
                 threads",
            ),
            ErrorKind::Compressed => f.write_str("the compressed data is damaged or incomplete"),
            ErrorKind::Changed => f.write_str("the input changed while it was read"),
            ErrorKind::Encoding => f.write_str("the text is not valid UTF-8 or UTF-16"),
            ErrorKind::ControlCharacter => f.write_str("control character in a string"),
            ErrorKind::NotAscii => f.write_str("byte outside of ASCII where no string is open"),
            ErrorKind::Truncated => f.write_str("the document is incomplete: the input ends here"),
            ErrorKind::MismatchedBracket => f.write_str("closing bracket of the wrong kind"),
            ErrorKind::Syntax { expected, found } => {
                write!(f, "expected {expected}, found {}", found.words())
            }
            ErrorKind::Trailing => f.write_str("something follows after the end of the document"),
            ErrorKind::Escape => f.write_str("invalid escape in a string"),
            ErrorKind::Literal => f.write_str("expected a value"),
            ErrorKind::Number => f.write_str("invalid number"),
            ErrorKind::DuplicateKey => f.write_str("the same key twice in one object"),
            ErrorKind::LongWord => f.write_str(
                "an action list or a status of more than 1024 bytes: no tool writes such a plan, \
                 so make it again",
            ),
            ErrorKind::MissingKey(key) => write!(f, "`{key}` is missing"),
            ErrorKind::WrongType { expected } => write!(f, "expected {expected}"),
            ErrorKind::FormatVersion => {
                f.write_str("unsupported format_version: this plansift reads 0.x and 1.x")
            }
            ErrorKind::WrongDocument(document) => f.write_str(document.words()),
            ErrorKind::Path => f.write_str("no path goes on like this"),
            ErrorKind::Pattern => f.write_str("this pattern is not well formed"),
            ErrorKind::Rule(fault) => fault.fmt(f),
            ErrorKind::NoPlan => f.write_str("there is no plan here"),
            ErrorKind::NotAList => f.write_str(
                "this is no list of names: to have it read as a plan, name it without the @",
            ),
            ErrorKind::Stopped => f.write_str("the run was stopped before this was done"),
            ErrorKind::Panicked => {
                f.write_str("internal error: this is a bug of plansift, please report it")
            }
            ErrorKind::Folder(problem) => problem.fmt(f),
            ErrorKind::Store(fault) => fault.fmt(f),
            ErrorKind::Limit { limit, value } => {
                write!(
                    f,
                    "limit on the {} passed ({value}): raise it with {}",
                    limit.name(),
                    limit.option()
                )
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|error| error as _)
    }
}
