//! The journal of a batch: the terms of the run, its inputs, and the outcome of each input.
//!
//! ```text
//! 3f9a0c21b45d6e78 {"begun":{"version":2,"plansift":"0.1.0","format":"ndjson",...}}
//! 08b1e5f2a9c34d67 {"inputs":2}
//! c52f9e7d1a30b846 {"input":{"name":"a.json","source":"a.json",...}}
//! 6d7e01c9b8f4a352 {"input":{"name":"b.json","source":"b.json",...}}
//! 8c4413f0c3b5a6d9 "outcomes"
//! 91d3c7a60e8b42f5 {"outcome":{"name":"a.json",...,"plans":[...]}}
//! ```
//!
//! A line is a digest of its text, a space, and the text. Lines are only appended, in groups: the
//! terms, a list of inputs, or some outcomes. Each group begins with a line of its own, and is
//! synced to the disk before the next group is written. So only the last group can be torn: after a
//! crash, or because a run is writing it. Its outcomes before the torn line are valid. A list of
//! inputs is valid only as a whole. The rest is ignored, and cut off when the run is resumed.
//! Damage anywhere else is an error. Later groups override earlier ones.
//!
//! In memory, the journal keeps only the places of the outcomes and of the list of inputs. It reads
//! their content from the file on request.

mod line;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::de::{DeserializeOwned, Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use self::line::{Entry, Lines, Place};
use super::fault::FolderFault;
use super::outcome::{Identity, Outcome};
use super::regular;
use crate::source::Key;
use plansift_core::error::{Error, ErrorKind, Result};

/// The version of the journal's format.
pub const VERSION: u32 = 2;

pub(super) const NAME: &str = "journal";

/// The terms of a batch: every setting that affects the content of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// [`VERSION`].
    pub version: u32,
    /// The version of this program.
    pub plansift: String,
    /// The form of the records: `ndjson`, `json`, `csv` or `csv-raw`.
    pub format: String,
    /// Whether records include resources without changes.
    pub all: bool,
    /// How much of the JSON grammar is checked: `grammar` or `structure`.
    pub check: String,
    /// Whether text before or after a document is an error.
    pub strict: bool,
    /// The digest of the files of `--schemas`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schemas: Option<String>,
    /// The digest of the folder of `--schema-cache`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_cache: Option<String>,
    /// What decides which assertions fail.
    #[serde(flatten)]
    pub assertions: AssertionTerms,
    /// The level of the digests of plans, and what identifies their key; `None` without digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The shard of the inputs, as `i/n`.
    pub shard: String,
}

/// The terms of a batch that are about assertions. Without assertions, they are the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionTerms {
    /// The digest of the files of assertions.
    #[serde(default, rename = "assertions", skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// The digest of the files of sets of types; `None` without such files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub type_sets: Option<String>,
    /// Whether an assertion fails if a pattern in it covers nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict_rules: bool,
}

impl Terms {
    /// Returns the first option that differs between these terms and `others`; `None` if all are
    /// equal.
    pub fn differ(&self, others: &Terms) -> Option<&'static str> {
        let [checked, of_others] = [self, others].map(|terms| &terms.assertions);
        let pairs = [
            (self.plansift != others.plansift, "version of plansift"),
            (self.format != others.format, "--format"),
            (self.all != others.all, "--all"),
            (self.check != others.check, "--check"),
            (self.strict != others.strict, "--strict"),
            (self.schemas != others.schemas, "--schemas"),
            (self.schema_cache != others.schema_cache, "--schema-cache"),
            (checked.files != of_others.files, "--assert"),
            (checked.type_sets != of_others.type_sets, "--type-sets"),
            (checked.strict_rules != of_others.strict_rules, "--strict-rules"),
            (self.digest != others.digest, "--digest"),
            (self.shard != others.shard, "--shard"),
        ];
        pairs.into_iter().find_map(|(differs, option)| differs.then_some(option))
    }
}

/// An input of a batch, as the journal lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// The index of the input among the inputs of all shards.
    pub position: u64,
    /// The name of the record file, without the extension.
    pub name: String,
    /// The input as the user named it.
    pub source: String,
    /// The workspace in the records of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Identifies the input in a later run; `None` for inputs such as pipes, which cannot be
    /// recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

impl Listed {
    /// Returns what an outcome of this input has in common with it.
    fn key(&self) -> (&String, &Option<String>, &Option<Identity>) {
        (&self.name, &self.workspace, &self.identity)
    }
}

/// The part of an input's outcome that concerns its record file; cheaper to parse than [`Outcome`].
#[derive(Debug, Deserialize)]
pub struct OutcomeSummary {
    name: String,
    #[serde(default)]
    workspace: Option<String>,
    #[serde(default)]
    identity: Option<Identity>,
    #[serde(default)]
    records: Option<KnownRecords>,
    plans: Vec<KnownPlan>,
}

impl OutcomeSummary {
    /// Returns the record file of the input, if it has one.
    pub fn into_records(self) -> Option<KnownRecords> {
        self.records
    }

    /// Whether any plan of the input failed.
    pub fn has_failed(&self) -> bool {
        self.plans.iter().any(|plan| matches!(plan.result, KnownResult::Error(_)))
    }
}

/// The length and digest of a record file when it was written.
#[derive(Debug, Deserialize)]
pub struct KnownRecords {
    /// The length in bytes.
    pub len: u64,
    /// The BLAKE3 digest of the bytes.
    #[serde(deserialize_with = "digest_of_hex")]
    pub blake3: blake3::Hash,
}

/// Deserializes a digest from its hexadecimal digits.
fn digest_of_hex<'de, D: Deserializer<'de>>(
    digits: D,
) -> std::result::Result<blake3::Hash, D::Error> {
    let digits = <&str>::deserialize(digits)?;
    blake3::Hash::from_hex(digits).map_err(D::Error::custom)
}

#[derive(Debug, Deserialize)]
struct KnownPlan {
    result: KnownResult,
}

/// Whether a plan failed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KnownResult {
    Done(IgnoredAny),
    Error(IgnoredAny),
}

/// An outcome in the journal.
#[derive(Clone, Copy, Debug)]
struct KnownOutcome {
    place: Place,
    /// Whether the input has an identity, so that a later run can recognise it.
    has_identity: bool,
}

impl KnownOutcome {
    fn of(name: &str, identity: &Option<Identity>, place: Place) -> (Key, KnownOutcome) {
        let has_identity = identity.is_some();
        (Key::of(name.as_bytes()), KnownOutcome { place, has_identity })
    }
}

/// The inputs of a batch in its journal.
#[derive(Clone, Copy, Debug)]
struct InputList {
    /// The place of the first input.
    first: Place,
    len: u64,
}

/// An open journal and an index of its content.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// The end of the last valid line.
    end: Place,
    terms: Terms,
    /// The latest list of inputs; `None` if there is none.
    listed: Option<InputList>,
    /// The outcomes, by the names of their record files.
    known: HashMap<Key, KnownOutcome>,
}

impl Journal {
    pub(super) fn first_line(terms: &Terms) -> Result<Vec<u8>> {
        Entry::<()>::Begun(terms.clone()).line()
    }

    /// Reads the journal of a folder.
    ///
    /// # Errors
    ///
    /// Fails if the journal is missing, is not a regular file, cannot be read, or is damaged
    /// anywhere but at its end.
    pub fn open(folder: &Path, access: Access) -> Result<Journal> {
        let mut options = File::options();
        options.read(true).append(access == Access::Append);
        let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let file = match regular::open(folder, NAME, &mut options, ErrorKind::Read) {
            Ok(file) => file,
            Err(error) if error.io_error().is_some_and(is_missing) => {
                return Err(Error::new(match folder.is_dir() {
                    true => FolderFault::NoJournal,
                    false => FolderFault::Missing,
                }));
            }
            Err(error) => return Err(error),
        };
        let mut lines = Lines::from(Place::START, &file);
        let Some(Entry::<IgnoredAny>::Begun(terms)) = lines.next()? else {
            return Err(Place::START.damaged());
        };
        if terms.version != VERSION {
            return Err(Error::new(FolderFault::Begun("version of plansift")));
        }
        let (mut end, mut listed, mut known) = (lines.place(), None, HashMap::new());
        // The list that is being read, and the number of its inputs that are still to come.
        let (mut list, mut left) = (None, 0);
        let mut place = end;
        while let Some(entry) = lines.next::<OutcomeSummary>()? {
            match entry {
                Entry::Inputs(len) if left == 0 => {
                    (list, left) = (Some(InputList { first: lines.place(), len }), len);
                }
                Entry::Input(_) if left > 0 => left -= 1,
                Entry::Outcomes if left == 0 => {}
                Entry::Outcome(outcome) if left == 0 => {
                    known.extend([KnownOutcome::of(&outcome.name, &outcome.identity, place)]);
                }
                _ => return Err(place.damaged()),
            }
            place = lines.place();
            if left == 0 {
                end = place;
                if list.is_some() {
                    listed = list.take();
                    drop_without_identity(&mut known);
                }
            }
        }
        if access == Access::Append {
            file.set_len(end.offset).map_err(Error::write)?;
        }
        Ok(Journal { file, end, terms, listed, known })
    }

    /// Returns the terms of the batch.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Returns the inputs of the batch, in order; `None` if the run was killed before it listed
    /// them.
    pub fn listed(&self) -> Option<Listing<'_>> {
        let InputList { first, len } = self.listed?;
        Some(Listing { lines: Lines::from(first, &self.file), left: len })
    }

    /// Returns the part of an input's outcome that concerns its record file; `None` if the journal
    /// has no outcome for the input, or if the input has changed since.
    ///
    /// # Errors
    ///
    /// Fails if the journal can no longer be read.
    pub fn known(&self, input: &Listed) -> Result<Option<OutcomeSummary>> {
        let known: Option<OutcomeSummary> = self.find(input)?;
        Ok(known.filter(|it| (&it.name, &it.workspace, &it.identity) == input.key()))
    }

    /// Returns the outcome of an input; `None` if the journal has none, or if the input has changed
    /// since.
    ///
    /// # Errors
    ///
    /// Fails if the journal can no longer be read.
    pub fn outcome(&self, input: &Listed) -> Result<Option<Outcome>> {
        let outcome: Option<Outcome> = self.find(input)?;
        Ok(outcome.filter(|it| (&it.name, &it.workspace, &it.identity) == input.key()))
    }

    /// Reads and parses the outcome with the name of the input.
    fn find<T: DeserializeOwned>(&self, input: &Listed) -> Result<Option<T>> {
        let key = Key::of(input.name.as_bytes());
        let Some(&KnownOutcome { place, .. }) = self.known.get(&key) else { return Ok(None) };
        match Lines::from(place, &self.file).next()? {
            Some(Entry::Outcome(outcome)) => Ok(Some(outcome)),
            _ => Err(place.damaged()),
        }
    }

    /// Returns the number of outcomes whose inputs are no longer listed.
    ///
    /// # Errors
    ///
    /// Fails if the journal can no longer be read.
    pub fn unlisted(&self) -> Result<usize> {
        let mut unlisted = self.known.len();
        for input in self.listed().into_iter().flatten() {
            unlisted -= usize::from(self.known.contains_key(&Key::of(input?.name.as_bytes())));
        }
        Ok(unlisted)
    }

    /// Writes a new list of inputs and drops the outcomes of inputs without an identity. Does
    /// nothing if the last list is the same and every input has an identity. Calls `inputs` twice;
    /// both calls must yield the same inputs. Fails if the journal cannot be written.
    pub(super) fn list<I: ExactSizeIterator<Item = Listed>>(
        &mut self,
        inputs: impl Fn() -> I,
    ) -> Result<()> {
        if self.has_listed(inputs())? {
            return Ok(());
        }
        let inputs = inputs();
        let len = inputs.len() as u64;
        let first = self.append(Entry::Inputs(len), inputs.map(Entry::Input))?;
        self.listed = Some(InputList { first, len });
        drop_without_identity(&mut self.known);
        Ok(())
    }

    /// Whether the last list has these inputs, and each has an identity.
    fn has_listed(&self, mut inputs: impl Iterator<Item = Listed>) -> Result<bool> {
        let Some(listed) = self.listed() else { return Ok(false) };
        for input in listed {
            let input = input?;
            if input.identity.is_none() || inputs.next() != Some(input) {
                return Ok(false);
            }
        }
        Ok(inputs.next().is_none())
    }

    /// Appends outcomes and syncs them to the disk before it returns. Fails if the journal cannot
    /// be written.
    pub(super) fn add(&mut self, outcomes: &[Outcome]) -> Result<()> {
        self.append(Entry::Outcomes, outcomes.iter().map(Entry::Outcome)).map(drop)
    }

    /// Appends a group, and syncs it to the disk. Returns the place of its second line.
    fn append<'o>(
        &mut self,
        first: Entry<&'o Outcome>,
        entries: impl Iterator<Item = Entry<&'o Outcome>>,
    ) -> Result<Place> {
        let mut out = BufWriter::new(&self.file);
        let line = first.line()?;
        out.write_all(&line).map_err(Error::write)?;
        let second = self.end.after(line.len());
        let (mut end, mut known) = (second, Vec::new());
        for entry in entries {
            let line = entry.line()?;
            out.write_all(&line).map_err(Error::write)?;
            if let Entry::Outcome(outcome) = entry {
                known.push(KnownOutcome::of(&outcome.name, &outcome.identity, end));
            }
            end = end.after(line.len());
        }
        out.flush().and_then(|()| self.file.sync_data()).map_err(Error::write)?;
        drop(out);
        self.end = end;
        self.known.extend(known);
        Ok(second)
    }
}

/// Iterates over the inputs that a journal lists.
pub struct Listing<'a> {
    lines: Lines<'a>,
    left: u64,
}

impl Iterator for Listing<'_> {
    type Item = Result<Listed>;

    fn next(&mut self) -> Option<Result<Listed>> {
        self.left = self.left.checked_sub(1)?;
        let place = self.lines.place();
        Some(match self.lines.next::<IgnoredAny>() {
            Ok(Some(Entry::Input(listed))) => Ok(listed),
            Ok(_) => Err(place.damaged()),
            Err(error) => Err(error),
        })
    }
}

/// Drops the outcomes of inputs without an identity, such as pipes. In another run, the same name
/// may yield other plans.
fn drop_without_identity(known: &mut HashMap<Key, KnownOutcome>) {
    known.retain(|_, outcome| outcome.has_identity);
}

/// How to open a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// For reading, even while a run appends to it.
    Read,
    /// For appending. Opening cuts off the torn end.
    Append,
}

#[cfg(test)]
pub(super) mod tests;
