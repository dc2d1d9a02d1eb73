//! Reports where the secrets of a document are: marked values, their copies elsewhere, and values
//! that look secret but are not marked. It never reports a value.
//!
//! ```text
//! first pass   ─▶ [`crate::secret::Collecting`]  digests, and the first location of each secret
//! second pass  ─▶ pieces ─▶ marks, echoes, names: offsets ─▶ [`walk`]  paths ─▶ [`Ledger`]
//!                 on all threads if the document is in memory, in document order (`lookahead`)
//! ```
//!
//! Memory is limited to a few times the largest piece. The path of a finding starts at its piece
//! and has the keys of the document, so that `jq` accepts it: `change.after.list[1].key` in the
//! element of `resource_changes` that has the reported address.

mod copies;
mod find;
mod lookahead;
mod names;
mod notes;
mod origins;
mod reading;
mod safe_text;
mod walk;

use std::borrow::Cow;

use serde::Serialize;

use crate::error::Result;
use crate::input::Source;
use crate::plan::{Document, Documents};
use crate::secret::{self, Collecting, FreshSecrets};
use origins::Origins;
use safe_text::SafeText;

/// The JSON Schema of the entries of an audit, as text with a final line feed.
pub const SCHEMA: &str = include_str!("schema.json");

/// The options of an audit.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// The options that decide which texts are secret.
    pub secret: secret::SecretOptions,
    /// Whether to search for echoes.
    pub echoes: bool,
    /// Whether to search for keys that look secret and are not marked.
    pub suspects: bool,
}

/// An entry of an audit. Entries come in this order: `audit`, the findings in document order,
/// `summary`.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum AuditEntry<'a> {
    /// A document begins.
    Audit(Head<'a>),
    /// A finding.
    Finding(Finding<'a>),
    /// The document was read to its end.
    Summary(Summary),
}

/// The version of the entries. It increases when a reader of an older version could misread them.
pub const SCHEMA_VERSION: u32 = 1;

/// The audited document.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "kind", rename = "audit")]
pub struct Head<'a> {
    /// The version of the entries.
    pub schema_version: u32,
    /// The name of the input.
    pub source: &'a str,
}

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
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

impl Kind {
    /// All kinds, in the order of the counts.
    pub const ALL: [Kind; 6] =
        [Kind::Marked, Kind::Echo, Kind::Key, Kind::Equal, Kind::Name, Kind::Suspect];

    /// The word for the kind in the output.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Marked => "marked",
            Kind::Echo => "echo",
            Kind::Key => "key",
            Kind::Equal => "equal",
            Kind::Name => "name",
            Kind::Suspect => "suspect",
        }
    }
}

/// A place where a secret is, or may be.
#[derive(Clone, Debug, Serialize)]
pub struct Finding<'a> {
    /// The kind of the finding.
    pub kind: Kind,
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
pub struct Counts {
    pub marked: u64,
    pub echo: u64,
    pub key: u64,
    pub equal: u64,
    pub name: u64,
    pub suspect: u64,
}

impl Counts {
    /// Counts a finding.
    pub fn add(&mut self, kind: Kind) {
        *self.of_mut(kind) += 1;
    }

    /// Adds other counts.
    pub fn add_all(&mut self, other: &Counts) {
        Kind::ALL.into_iter().for_each(|kind| *self.of_mut(kind) += other.of(kind));
    }

    /// Number of findings of a kind.
    pub fn of(&self, kind: Kind) -> u64 {
        *self.clone().of_mut(kind)
    }

    fn of_mut(&mut self, kind: Kind) -> &mut u64 {
        match kind {
            Kind::Marked => &mut self.marked,
            Kind::Echo => &mut self.echo,
            Kind::Key => &mut self.key,
            Kind::Equal => &mut self.equal,
            Kind::Name => &mut self.name,
            Kind::Suspect => &mut self.suspect,
        }
    }

    /// Number of all findings.
    pub fn total(&self) -> u64 {
        Kind::ALL.into_iter().map(|kind| self.of(kind)).sum()
    }

    /// Number of unmarked places that repeat a marked value.
    pub fn echoes(&self) -> u64 {
        self.echo + self.key
    }
}

/// Totals for a document.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(tag = "kind", rename = "summary")]
pub struct Summary {
    /// Length of the document in bytes.
    pub bytes: u64,
    /// Number of different secrets.
    pub secrets: u64,
    /// Number of findings of each kind.
    #[serde(flatten)]
    pub counts: Counts,
    /// Number of elements without an overlay that says what is sensitive.
    pub unmarked: u64,
}

/// Receives the entries of an audit.
pub trait Ledger {
    /// Writes an entry.
    ///
    /// # Errors
    ///
    /// Fails if the entry cannot be written.
    fn entry(&mut self, entry: &AuditEntry<'_>) -> Result<()>;

    /// Called after the last document.
    ///
    /// # Errors
    ///
    /// Fails if something cannot be written.
    fn finish(&mut self) -> Result<()>;
}

/// The result of an audit.
#[derive(Clone, Copy, Debug)]
pub struct Audited {
    /// Facts about the document.
    pub document: Document,
    /// Totals of the findings.
    pub summary: Summary,
}

/// Reports where the secrets of the next document are. `collecting` must read the same input.
///
/// # Errors
///
/// Fails if the document is unreadable or neither a plan nor a state, or if it exceeds a limit. Any
/// error of the ledger is returned.
///
/// # Panics
///
/// Panics if no document is left.
pub fn audit<S: Source, F: FnMut() -> Result<S>>(
    documents: &mut Documents<S>,
    collecting: &mut Collecting<F, S>,
    source: &str,
    options: &AuditOptions,
    ledger: &mut dyn Ledger,
) -> Result<Audited> {
    let mut origins = Origins::default();
    let mut insert = |fresh: &FreshSecrets<'_, '_>| origins.insert(fresh);
    let collected = collecting.collect_before(documents, &options.secret, Some(&mut insert))?;
    ledger.entry(&AuditEntry::Audit(Head { schema_version: SCHEMA_VERSION, source }))?;
    let origins = origins.shown(&SafeText(&collected));
    let (document, summary) = reading::read(documents, &collected, &origins, options, ledger)?;
    ledger.entry(&AuditEntry::Summary(summary))?;
    Ok(Audited { document, summary })
}
