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
    /// A path has a key where the value is not an object.
    MapStep,
    /// A path has an index where the value is not an array.
    SliceStep,
    /// A path has a key that the object lacks.
    MissingKey,
    /// A path has an index that the array lacks.
    OutOfRange,
    /// The marks at a path are neither `true` nor `false`.
    NotBool,
    /// A value that should be unknown is known.
    Known,
    /// A value that should be sensitive is not sensitive.
    NotSensitive,
    /// A value that should be null is not null.
    NotNull,
    /// The check of a known value failed.
    Value,
    /// The document does not contain the resource.
    ResourceAbsent,
    /// The document does not contain the output.
    OutputAbsent,
    /// A plan that should be empty has changes.
    NotEmpty,
    /// A plan that should have changes is empty.
    Empty,
    /// A resource has actions other than expected.
    Action,
    /// The check names an action type that does not exist.
    ActionType,
    /// A plan that should have no deferred changes has deferred changes.
    Deferred,
    /// The resource is not deferred.
    DeferredAbsent,
    /// A resource is deferred for a reason other than expected.
    Reason,
    /// The state has no values, or no root module.
    NoValues,
    /// A resource has no identity.
    IdentityAbsent,
    /// An identity has more or fewer attributes than expected.
    IdentitySize,
    /// An identity lacks an attribute.
    IdentityKey,
    /// The value at the path of a collection is not a collection.
    NotCollection,
    /// The check has no path to a collection.
    NoCollectionPath,
    /// Values that should differ are the same.
    Same,
    /// Values that should be the same differ.
    Different,
    /// The `sensitive_values` of a resource are not an object.
    SensitiveNotObject,
    /// terraform-plugin-testing panics in this case: an array index is negative, a check of a set
    /// contains a number that is `nil`, or an entry of the document is `null` or has no change.
    Panic,
}

impl Failure {
    /// Returns a failure with this text.
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

    /// Returns the failure with `outer` before its text.
    pub fn within(mut self, outer: &str) -> Failure {
        self.text.insert_str(0, outer);
        self
    }

    /// Returns the failure with the kind [`FailureKind::Value`] and with `outer` before its text. A
    /// panic keeps its kind.
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
