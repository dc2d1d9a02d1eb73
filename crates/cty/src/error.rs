//! The error of the `wire` module: what is wrong and where. It quotes no input bytes.

use std::fmt;

use plansift_core::error::Fault;

/// A value, a type or a schema that cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: Option<usize>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes end inside a value.
    Truncated,
    /// A declared length is longer than the rest of the bytes.
    Length,
    /// Arrays and maps are nested deeper than their limit.
    Depth,
    /// The byte 0xc1, which MessagePack never uses.
    Reserved,
    /// A map key is not a string.
    Key,
    /// A number is NaN.
    NotANumber,
    /// A number is infinite, which JSON cannot express.
    Infinite,
    /// The text is not JSON.
    Json,
    /// The text is not a type constraint.
    Type,
    /// The value does not have the required type. The message names that type.
    Required(&'static str),
    /// The length of an array differs from the length of the tuple type.
    TupleLength,
    /// The number of entries of a map differs from the number of attributes of the object type.
    ObjectLength,
    /// The object has no such attribute, or has it twice.
    Attribute,
    /// Elements of one collection have different types.
    MixedTypes,
    /// A dynamic value is not a pair of a type and a value.
    Dynamic,
    /// A short encoding expands to too many elements.
    Expansion,
    /// A value is unknown, which JSON cannot express.
    Unknown,
    /// The decimal text of a number would be too long.
    Digits,
    /// The value cannot be converted to the type.
    Conversion,
    /// The text is not a value in the form of [`super::marked`].
    Marked,
    /// The text is not a document of provider schemas.
    Schema,
    /// Data follows the value.
    Trailing,
    /// The data after an unknown value is not a map of refinements.
    Refinement,
}

impl Error {
    /// Creates an error at `offset` bytes from the start of the input.
    pub fn new(kind: ErrorKind, offset: usize) -> Error {
        Error { kind, offset: Some(offset) }
    }

    /// Creates an error without an offset, for a value that has no position in an input.
    pub fn without_offset(kind: ErrorKind) -> Error {
        Error { kind, offset: None }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the offset from the start of the input in bytes, if known.
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }
}

impl From<Error> for ErrorKind {
    fn from(error: Error) -> ErrorKind {
        error.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(offset) = self.offset {
            write!(f, "byte {offset}: ")?;
        }
        write!(f, "{}", self.kind)
    }
}

impl ErrorKind {
    /// Returns a description of the error.
    pub fn message(self) -> &'static str {
        match self {
            ErrorKind::Truncated => "the value ends early",
            ErrorKind::Length => "a length exceeds the bytes that follow",
            ErrorKind::Depth => "the value is nested too deep",
            ErrorKind::Reserved => "expected a value, found the unused byte 0xc1",
            ErrorKind::Key => "a map key is not a string",
            ErrorKind::NotANumber => "a number is NaN",
            ErrorKind::Infinite => "a number is infinite, and JSON has no infinity",
            ErrorKind::Json => "the text is not valid JSON",
            ErrorKind::Type => "the text is not a type constraint",
            ErrorKind::Required(message) => message,
            ErrorKind::TupleLength => "the array has another length than the tuple",
            ErrorKind::ObjectLength => "the map has another number of entries than the object",
            ErrorKind::Attribute => "the object has no such attribute, or has it twice",
            ErrorKind::MixedTypes => "elements of one collection have different types",
            ErrorKind::Dynamic => "a dynamic value is not a pair of a type and a value",
            ErrorKind::Expansion => "a value of few bytes stands for too many elements",
            ErrorKind::Unknown => "the value is unknown, and JSON has no unknown values",
            ErrorKind::Digits => "the text of a number would be too long",
            ErrorKind::Conversion => "the value cannot be converted to the type",
            ErrorKind::Marked => "the text does not show a value with its type",
            ErrorKind::Schema => "the text is not a document of provider schemas",
            ErrorKind::Trailing => "data follows the value",
            ErrorKind::Refinement => "the refinements of an unknown value are damaged",
        }
    }
}

impl Fault for ErrorKind {}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}
