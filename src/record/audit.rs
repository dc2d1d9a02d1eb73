//! The records of an audit: the places where secrets are, or may be (docs/format/audit.md).

use std::borrow::Cow;

use serde::Serialize;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
pub struct AuditFinding<'a> {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The top-level key.
    pub section: &'a str,
    /// The address of the element, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<&'a str>,
    /// The key of the element, if it is a member of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    /// The resource type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<&'a str>,
    /// The provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_name: Option<&'a str>,
    /// The path from the element to the place. A very long path ends early. So does a path that
    /// leads into an overlay, because the keys of an overlay may be keys of a secret map.
    pub path: &'a str,
    /// Offset in bytes from the start of the (expanded, decoded) input.
    pub offset: u64,
    /// The marked value that this place repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Cow<'a, SecretOrigin>>,
}

/// The first location of a secret.
#[derive(Clone, Debug, Default, Serialize)]
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the kinds")]
pub struct FindingCounts {
    pub marked: u64,
    pub echo: u64,
    pub key: u64,
    pub equal: u64,
    pub name: u64,
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
pub struct AuditSummary {
    /// Length of the document in bytes.
    pub bytes: u64,
    /// Number of different secrets.
    pub secrets: u64,
    /// Number of findings of each kind.
    #[serde(flatten)]
    pub counts: FindingCounts,
    /// Number of elements without an overlay that says what is sensitive.
    pub unmarked: u64,
}
