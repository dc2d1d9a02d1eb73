//! Patterns, with the kinds of things that they name.

use plansift_core::path::{self, AddressPattern};

/// A pattern, and the kind of thing that it names.
#[derive(Clone, Debug)]
pub enum Named {
    /// Resources, by address or type.
    Resource(AddressPattern),
    /// Managed resources, by address or type.
    Managed(AddressPattern),
    /// Resources, by address.
    Address(AddressPattern),
    /// Resources, by type.
    Type(AddressPattern),
    /// Resources, by module address.
    Module(AddressPattern),
    /// Attributes of all resources, or of the resources that the second pattern names. The pattern
    /// may lead into documents in strings.
    Path(path::Pattern, Option<AddressPattern>),
    /// Attributes in reports. Besides the attributes of all resources, these are the values of
    /// documents in strings.
    Attribute(path::Pattern),
    /// Things that are not resources, by name, address or type.
    NonResource(NamedKind, AddressPattern),
    /// Rows of a report: the resources that the pattern names, and outputs, checks and actions with
    /// such an address or type, or in such a module.
    Row(Box<Named>),
}

impl Named {
    /// Whether the pattern is a set of types.
    pub(super) fn is_set(&self) -> bool {
        match self {
            Named::Resource(pattern)
            | Named::Managed(pattern)
            | Named::Address(pattern)
            | Named::Type(pattern)
            | Named::Module(pattern)
            | Named::NonResource(_, pattern) => pattern.is_set(),
            Named::Row(named) => named.is_set(),
            Named::Path(..) | Named::Attribute(_) => false,
        }
    }

    /// Returns what the pattern names among resources.
    pub(super) fn of_row(&self) -> &Named {
        match self {
            Named::Row(named) => named,
            named => named,
        }
    }
}

/// A kind of named thing that is not a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedKind {
    /// An output.
    Output,
    /// An invoked action.
    Action,
    /// A check.
    Check,
}

impl NamedKind {
    /// Returns the explanation of a pattern that matches nothing of this kind.
    pub(super) fn no_match(self) -> &'static str {
        match self {
            NamedKind::Output => "no output has such a name",
            NamedKind::Action => "no action is invoked with such an address or type",
            NamedKind::Check => "no check has such an address",
        }
    }
}
