//! Where the secrets of a document are: what is marked, what repeats it elsewhere, and what looks
//! secret and is not marked. Never a value.
//!
//! ```text
//! once   ─▶ [`crate::secret::Collecting`]  digests, and where each secret was met first
//! again  ─▶ pieces ─▶ marks, echoes, names: offsets ─▶ [`walk`]  paths ─▶ [`Ledger`]
//!           by all threads where the text lies in memory, told in its order (`ahead`)
//! ```
//!
//! Memory is bounded by a few times the largest piece. A finding has a path from its piece down,
//! with the keys as they stand in the document, so that `jq` takes it:
//! `change.after.list[1].key` in the element of `resource_changes` whose address is told.

mod ahead;
mod discreet;
mod find;
mod names;
mod origins;
mod reading;
mod schema;
mod tell;
mod walk;

use std::borrow::Cow;

use serde::Serialize;

use crate::error::Result;
use crate::input::Source;
use crate::plan::{Document, Documents};
use crate::secret::{self, Collecting, Fresh};
use discreet::Discreet;
use origins::Origins;

pub use schema::SCHEMA;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is secret.
    pub secret: secret::Options,
    /// Whether to look for echoes.
    pub echoes: Look,
    /// Whether to look for keys that look secret and are not marked.
    pub suspects: Look,
}

/// Whether to look for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It is looked for.
    For,
    /// It is not.
    Past,
}

/// What an audit tells, in this order: `audit`, the findings as they stand in the document,
/// `summary`.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Entry<'a> {
    /// A document begins.
    Audit(Head<'a>),
    /// A place.
    Finding(Finding<'a>),
    /// The document was read to its end.
    Summary(Summary),
}

/// The version of the entries: greater when a reader of an older one could misread them.
pub const SCHEMA_VERSION: u32 = 1;

/// What is audited.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "kind", rename = "audit")]
pub struct Head<'a> {
    /// The version of the entries.
    pub schema_version: u32,
    /// The name of the input.
    pub source: &'a str,
}

/// What is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A value that is marked.
    Marked,
    /// A value that repeats a marked one.
    Echo,
    /// A key that does.
    Key,
    /// A constant of the configuration, or an identity, that equals a marked value.
    Equal,
    /// A value that is secret because of its key, which was asked for.
    Name,
    /// A text under a key that looks secret, and is not marked.
    Suspect,
}

impl Kind {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Kind; 6] =
        [Kind::Marked, Kind::Echo, Kind::Key, Kind::Equal, Kind::Name, Kind::Suspect];

    /// Its word.
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
    /// What is there.
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
    /// The way to it from the element, or to a place above it: where it is very long, and in
    /// overlays, whose keys may be those of secret maps.
    pub path: &'a str,
    /// Where it stands: bytes from the start of the (expanded, decoded) input.
    pub offset: u64,
    /// What it repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Cow<'a, Of>>,
}

/// The place where a secret was met first.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Of {
    /// The top-level key.
    pub section: &'static str,
    /// The address of the element, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The key of the element, if it is a member of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The way to the marked value from the element. Only so many are remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where the marked value stands.
    pub offset: u64,
}

/// How many findings there are of each kind.
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

    /// The findings of a kind.
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

    /// All findings.
    pub fn total(&self) -> u64 {
        Kind::ALL.into_iter().map(|kind| self.of(kind)).sum()
    }

    /// Places that nobody marked and that repeat a marked one.
    pub fn echoes(&self) -> u64 {
        self.echo + self.key
    }
}

/// What was found in a document.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(tag = "kind", rename = "summary")]
pub struct Summary {
    /// Length of the document.
    pub bytes: u64,
    /// Different secrets.
    pub secrets: u64,
    /// The findings.
    #[serde(flatten)]
    pub counts: Counts,
    /// Elements without any word on what is sensitive in them.
    pub unmarked: u64,
}

/// Whom an audit tells what it finds.
pub trait Ledger {
    /// An entry.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    fn entry(&mut self, entry: &Entry<'_>) -> Result<()>;

    /// The last document was told.
    ///
    /// # Errors
    ///
    /// Something cannot be written.
    fn finish(&mut self) -> Result<()>;
}

/// What was read and found.
#[derive(Clone, Copy, Debug)]
pub struct Audited {
    /// What was read.
    pub document: Document,
    /// What was found.
    pub summary: Summary,
}

/// Tells where the secrets of the next of several documents are; `collecting` reads the same input.
///
/// # Errors
///
/// The document cannot be read, is neither a plan nor a state, or passes a limit; the ledger's own.
///
/// # Panics
///
/// There is no next one.
pub fn audit<S: Source, F: FnMut() -> Result<S>>(
    documents: &mut Documents<S>,
    collecting: &mut Collecting<F, S>,
    source: &str,
    options: &Options,
    ledger: &mut dyn Ledger,
) -> Result<Audited> {
    let mut origins = Origins::default();
    let mut tell = |fresh: &Fresh<'_, '_>| origins.insert(fresh);
    let collected = collecting.collect_before(documents, &options.secret, Some(&mut tell))?;
    ledger.entry(&Entry::Audit(Head { schema_version: SCHEMA_VERSION, source }))?;
    let origins = origins.shown(&Discreet(&collected));
    let (document, summary) = reading::read(documents, &collected, &origins, options, ledger)?;
    ledger.entry(&Entry::Summary(summary))?;
    Ok(Audited { document, summary })
}
