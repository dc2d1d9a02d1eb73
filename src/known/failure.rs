//! Why a check did not pass.

use std::fmt;

/// Why a check did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    kind: FailureKind,
    text: String,
}

/// The kind of a [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// A path has a key where the value is no object.
    MapStep,
    /// A path has an index where the value is no array.
    SliceStep,
    /// A path has a key that the object lacks.
    MissingKey,
    /// A path has an index that the array lacks.
    OutOfRange,
    /// The marks at a path are neither `true` nor `false`.
    NotBool,
    /// A value that should be unknown is known.
    Known,
    /// A value that should be sensitive is not.
    NotSensitive,
    /// A value that should be null is not.
    NotNull,
    /// The check of a known value failed.
    Value,
    /// The document does not have the resource.
    ResourceAbsent,
    /// The document does not have the output.
    OutputAbsent,
    /// A plan that should be empty has changes.
    NotEmpty,
    /// A plan that should have changes is empty.
    Empty,
    /// A resource has other actions.
    Action,
    /// The check names an action type that does not exist.
    ActionType,
    /// A plan that should have no deferred changes has some.
    Deferred,
    /// The resource is not deferred.
    DeferredAbsent,
    /// A resource is deferred for another reason.
    Reason,
    /// The state has no values, or no root module.
    NoValues,
    /// A resource has no identity.
    IdentityAbsent,
    /// An identity has another number of attributes.
    IdentitySize,
    /// An identity lacks an attribute.
    IdentityKey,
    /// The value at the path of a collection is none.
    NotCollection,
    /// The check has no path of a collection.
    NoCollectionPath,
    /// Values that should differ are the same.
    Same,
    /// Values that should be the same differ.
    Different,
    /// The sensitive values of a resource are no object.
    SensitiveNotObject,
    /// Go's library panics here: for a negative index of an array, and for an entry that is `null`
    /// or has no change.
    Panic,
}

impl Failure {
    /// A failure with its text.
    pub fn new(kind: FailureKind, text: impl Into<String>) -> Failure {
        Failure { kind, text: text.into() }
    }

    /// The kind of the failure.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// The text of Go's error, with [`SENSITIVE`](super::SENSITIVE) in place of sensitive values.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The failure with text before its own.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Failure {
        self.text.insert_str(0, outer);
        self
    }

    /// The failure as one of a known value, with text before its own. A panic stays a panic.
    #[must_use]
    pub(crate) fn of_value(self, outer: &str) -> Failure {
        let kind = match self.kind {
            FailureKind::Panic => FailureKind::Panic,
            _ => FailureKind::Value,
        };
        Failure { kind, ..self }.within(outer)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
