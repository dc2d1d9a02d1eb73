//! The records of an audit: the places where secrets are, or may be (docs/format/audit.md).

use std::borrow::Cow;

use serde::Serialize;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// A marked value.
    Marked,
    /// A value that repeats a marked value.
    Echo,
    /// A key that repeats a marked value.
    Key,
    /// A constant of the configuration, or an identity, that equals a marked value.
    Equal,
    /// A value that is secret because its key matches a name that the user gave.
    Name,
    /// A string under a key that looks secret and is not marked.
    Suspect,
}

impl FindingKind {
    /// All kinds, in the order of the counts.
    pub const ALL: [FindingKind; 6] = [
        FindingKind::Marked,
        FindingKind::Echo,
        FindingKind::Key,
        FindingKind::Equal,
        FindingKind::Name,
        FindingKind::Suspect,
    ];

    /// The word for the kind in the output.
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::Marked => "marked",
            FindingKind::Echo => "echo",
            FindingKind::Key => "key",
            FindingKind::Equal => "equal",
            FindingKind::Name => "name",
            FindingKind::Suspect => "suspect",
        }
    }
}

/// A place where a secret is, or may be.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AuditFinding<'a> {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The top-level key of the document that contains the finding, such as `resource_changes`.
    pub section: &'a str,
    /// The address of the element that contains the finding. Absent if the element has no address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<&'a str>,
    /// The key of the element, such as the name of an output. Absent if the element is not a member
    /// of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    /// The resource type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<&'a str>,
    /// The provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_name: Option<&'a str>,
    /// The path of the finding inside the element, in the syntax of `jq`. A path into a document in
    /// a string has the form `jsondecode(PATH).PATH` or `yamldecode(PATH).PATH`. A path into an
    /// overlay ends at the overlay. A path of more than 1 KiB ends at a value around the finding.
    pub path: &'a str,
    /// The offset of the finding in bytes, counted from the start of the input after decompression
    /// and conversion to UTF-8.
    pub offset: u64,
    /// The first marked path with the text that the finding repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Cow<'a, SecretOrigin>>,
}

/// The first location of a secret.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SecretOrigin {
    /// The top-level key.
    pub section: &'static str,
    /// The address of the element, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The key of the element, if it is a member of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The path from the element to the marked value. Absent once the memory for paths is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Offset of the marked value.
    pub offset: u64,
}

/// Numbers of findings of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FindingCounts {
    /// Values that the document marks as sensitive.
    pub marked: u64,
    /// Unmarked values that repeat a marked text.
    pub echo: u64,
    /// Keys that repeat a marked text.
    pub key: u64,
    /// Constants and identities that equal a marked value.
    pub equal: u64,
    /// Values whose keys match a name that the user gave.
    pub name: u64,
    /// Unmarked texts under keys that look secret.
    pub suspect: u64,
}

impl FindingCounts {
    /// Counts a finding.
    pub fn add(&mut self, kind: FindingKind) {
        *self.of_mut(kind) += 1;
    }

    /// Adds other counts.
    pub fn add_all(&mut self, other: &FindingCounts) {
        FindingKind::ALL.into_iter().for_each(|kind| *self.of_mut(kind) += other.of(kind));
    }

    /// Number of findings of a kind.
    pub fn of(&self, kind: FindingKind) -> u64 {
        *self.clone().of_mut(kind)
    }

    fn of_mut(&mut self, kind: FindingKind) -> &mut u64 {
        match kind {
            FindingKind::Marked => &mut self.marked,
            FindingKind::Echo => &mut self.echo,
            FindingKind::Key => &mut self.key,
            FindingKind::Equal => &mut self.equal,
            FindingKind::Name => &mut self.name,
            FindingKind::Suspect => &mut self.suspect,
        }
    }

    /// Number of all findings.
    pub fn total(&self) -> u64 {
        FindingKind::ALL.into_iter().map(|kind| self.of(kind)).sum()
    }

    /// Number of unmarked places that repeat a marked value.
    pub fn echoes(&self) -> u64 {
        self.echo + self.key
    }
}

/// Totals for a document.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AuditSummary {
    /// Length of the document in bytes.
    pub bytes: u64,
    /// Number of different secret texts.
    pub secrets: u64,
    /// Number of findings of each kind.
    #[serde(flatten)]
    pub counts: FindingCounts,
    /// Number of elements that have values, but no overlay that says which values are sensitive.
    pub unmarked: u64,
}
