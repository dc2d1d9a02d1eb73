//! The journal of a batch: the terms of the run, its inputs, and the outcome of each input.
//!
//! ```text
//! 3f9a0c21b45d6e78 {"begun":{"version":1,"plansift":"0.1.0","format":"ndjson",...}}
//! 08b1e5f2a9c34d67 {"inputs":[{"name":"a.json","source":"a.json"},...]}
//! 91d3c7a60e8b42f5 {"outcomes":[{"name":"a.json",...,"plans":[...]},...]}
//! ```
//!
//! A line is a digest of its text, a space, and the text. Lines are only appended, and each is
//! synced to the disk before the next is written. So only the last line can be torn: after a crash,
//! or because a run is writing it. A torn line is ignored, and cut off when the run is resumed.
//! Damage anywhere else is an error. Later lines override earlier ones.
//!
//! In memory, the journal keeps only the byte ranges of the outcomes and of the line with the
//! inputs. It reads their content from the file on request.

mod line;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::de::{DeserializeOwned, Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use self::line::{Elements, Kind, Line, Lines, Measure, ReadLine, TAIL, damaged};
use super::fault::FolderFault;
use super::outcome::{Identity, Outcome};
use super::regular;
use crate::source::Key;
use plansift_core::error::{Error, ErrorKind, Result};

/// The version of the journal's format.
pub const VERSION: u32 = 1;

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
    /// The digest of the files of assertions; `None` without assertions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertions: Option<String>,
    /// The shard of the inputs, as `i/n`.
    pub shard: String,
}

impl Terms {
    /// Returns the first option that differs between these terms and `others`; `None` if all are
    /// equal.
    pub fn differ(&self, others: &Terms) -> Option<&'static str> {
        let pairs = [
            (self.plansift != others.plansift, "version of plansift"),
            (self.format != others.format, "--format"),
            (self.all != others.all, "--all"),
            (self.check != others.check, "--check"),
            (self.strict != others.strict, "--strict"),
            (self.schemas != others.schemas, "--schemas"),
            (self.schema_cache != others.schema_cache, "--schema-cache"),
            (self.assertions != others.assertions, "--assert"),
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

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum First {
    Begun(Terms),
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

#[derive(Clone, Copy, Debug)]
struct OutcomeRange {
    offset: u64,
    len: u32,
    /// Whether the input has an identity, so that a later run can recognise it.
    has_identity: bool,
}

/// An open journal and an index of its content.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// The length up to the end of the last valid line, in bytes.
    len: u64,
    /// The number of valid lines.
    lines: u64,
    terms: Terms,
    /// The latest line that lists inputs; `None` if no line does.
    listed: Option<Line>,
    /// The byte ranges of the outcomes, by the names of their record files.
    known: HashMap<Key, OutcomeRange>,
}

impl Journal {
    pub(super) fn first_line(terms: &Terms) -> Result<Vec<u8>> {
        let text = serde_json::to_vec(&First::Begun(terms.clone()));
        Ok(line_of(&text.map_err(|error| Error::write(error.into()))?))
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
                return Err(Error::new(FolderFault::NoJournal));
            }
            Err(error) => return Err(error),
        };
        let mut lines = Lines::of(&file);
        let Some(ReadLine::Whole(first)) = lines.next()? else { return Err(damaged(1)) };
        let text = first.text(&file)?;
        let First::Begun(terms) = serde_json::from_slice(&text).map_err(|_| damaged(1))?;
        if terms.version != VERSION {
            return Err(Error::new(FolderFault::Begun("version of plansift")));
        }
        let (mut listed, mut known) = (None, HashMap::new());
        let (mut len, mut number) = (lines.offset(), 1);
        while let Some(line) = lines.next()? {
            match line {
                ReadLine::Whole(line) => match line.kind(&file)? {
                    Some(Kind::Inputs) => {
                        Listing(Elements::of(&line, Kind::Inputs, &file), line.number)
                            .try_for_each(|input| input.map(drop))?;
                        listed = Some(line);
                        drop_without_identity(&mut known);
                    }
                    Some(Kind::Outcomes) => read_outcomes(&line, &file, &mut known)?,
                    None => return Err(damaged(line.number)),
                },
                // A broken last line is torn: a crash cut it off, or a run is still writing it.
                ReadLine::Broken { is_ended } if !is_ended || lines.are_over()? => break,
                ReadLine::Broken { .. } => return Err(damaged(number + 1)),
            }
            (len, number) = (lines.offset(), number + 1);
        }
        drop(lines);
        if access == Access::Append {
            file.set_len(len).map_err(Error::write)?;
        }
        Ok(Journal { file, len, lines: number, terms, listed, known })
    }

    /// Returns the terms of the batch.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Returns the inputs of the batch, in order; `None` if the run was killed before it listed
    /// them.
    pub fn listed(&self) -> Option<Listing<'_>> {
        let line = self.listed.as_ref()?;
        Some(Listing(Elements::of(line, Kind::Inputs, &self.file), line.number))
    }

    /// Returns the part of an input's outcome that concerns its record file; `None` if the journal
    /// has no outcome for the input, or if the input has changed since.
    ///
    /// # Errors
    ///
    /// Fails if the journal can no longer be read.
    pub fn known(&self, input: &Listed) -> Result<Option<OutcomeSummary>> {
        let known: Option<OutcomeSummary> = self.find(input)?;
        Ok(known.filter(|known| is_of((&known.name, &known.workspace, &known.identity), input)))
    }

    /// Returns the outcome of an input; `None` if the journal has none, or if the input has changed
    /// since.
    ///
    /// # Errors
    ///
    /// Fails if the journal can no longer be read.
    pub fn outcome(&self, input: &Listed) -> Result<Option<Outcome>> {
        let outcome: Option<Outcome> = self.find(input)?;
        Ok(outcome
            .filter(|outcome| is_of((&outcome.name, &outcome.workspace, &outcome.identity), input)))
    }

    /// Reads and parses the outcome with the name of the input.
    fn find<T: DeserializeOwned>(&self, input: &Listed) -> Result<Option<T>> {
        let key = Key::of(input.name.as_bytes());
        let Some(&OutcomeRange { offset, len, .. }) = self.known.get(&key) else { return Ok(None) };
        let text = line::read(&self.file, offset, len.into())?;
        serde_json::from_slice(&text).map(Some).map_err(|_| self.damaged_at(offset))
    }

    /// Returns the error for damage at `offset`, which was intact when the journal was opened.
    fn damaged_at(&self, offset: u64) -> Error {
        let mut lines = Lines::of(&self.file);
        while lines.offset() <= offset && matches!(lines.next(), Ok(Some(_))) {}
        damaged(lines.number() - 1)
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
    pub(super) fn list<I: Iterator<Item = Listed>>(
        &mut self,
        inputs: impl Fn() -> I,
    ) -> Result<()> {
        let mut all_have_identity = true;
        let measured = inputs().inspect(|input| all_have_identity &= input.identity.is_some());
        let text = Measure::of(Kind::Inputs, measured).map_err(Error::write)?;
        if all_have_identity && self.listed.as_ref().is_some_and(|line| line.holds(&text)) {
            return Ok(());
        }
        let mut out = BufWriter::new(&self.file);
        let written = out
            .write_all(text.head().as_bytes())
            .and_then(|()| line::write_list(&mut out, Kind::Inputs, inputs()))
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush());
        written.map_err(Error::write)?;
        drop(out);
        let offset = self.len;
        self.end_line(text.line_len())?;
        self.listed = Some(text.line(self.lines, offset));
        drop_without_identity(&mut self.known);
        Ok(())
    }

    /// Appends outcomes and syncs them to the disk before it returns. Fails if the journal cannot
    /// be written.
    pub(super) fn add(&mut self, outcomes: &[Outcome]) -> Result<()> {
        let mut text = Kind::Outcomes.head().as_bytes().to_vec();
        let mut ranges = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            if !ranges.is_empty() {
                text.push(b',');
            }
            let start = text.len();
            serde_json::to_writer(&mut text, outcome)
                .map_err(|error| Error::write(error.into()))?;
            let len = u32::try_from(text.len() - start)
                .map_err(|_| Error::write(io::ErrorKind::FileTooLarge.into()))?;
            let offset = self.len + line::HEAD + start as u64;
            let has_identity = outcome.identity.is_some();
            ranges.push((
                Key::of(outcome.name.as_bytes()),
                OutcomeRange { offset, len, has_identity },
            ));
        }
        text.extend_from_slice(TAIL.as_bytes());
        let line = line_of(&text);
        (&self.file).write_all(&line).map_err(Error::write)?;
        self.end_line(line.len() as u64)?;
        self.known.extend(ranges);
        Ok(())
    }

    /// Syncs a written line of `len` bytes to the disk and counts it.
    fn end_line(&mut self, len: u64) -> Result<()> {
        self.file.sync_data().map_err(Error::write)?;
        self.len += len;
        self.lines += 1;
        Ok(())
    }
}

/// Iterates over the inputs that a journal lists.
pub struct Listing<'a>(Elements<'a>, u64);

impl Iterator for Listing<'_> {
    type Item = Result<Listed>;

    fn next(&mut self) -> Option<Result<Listed>> {
        let Listing(elements, line) = self;
        let next = elements.next().transpose()?;
        Some(next.and_then(|(_, text)| serde_json::from_slice(text).map_err(|_| damaged(*line))))
    }
}

fn read_outcomes(line: &Line, file: &File, known: &mut HashMap<Key, OutcomeRange>) -> Result<()> {
    let mut elements = Elements::of(line, Kind::Outcomes, file);
    while let Some((offset, text)) = elements.next()? {
        let damaged = || damaged(line.number);
        let one: OutcomeSummary = serde_json::from_slice(text).map_err(|_| damaged())?;
        let len = u32::try_from(text.len()).map_err(|_| damaged())?;
        let has_identity = one.identity.is_some();
        known.insert(Key::of(one.name.as_bytes()), OutcomeRange { offset, len, has_identity });
    }
    Ok(())
}

/// Whether an outcome belongs to an input: name, workspace and identity are equal.
fn is_of(outcome: (&String, &Option<String>, &Option<Identity>), input: &Listed) -> bool {
    outcome == (&input.name, &input.workspace, &input.identity)
}

/// Drops the outcomes of inputs without an identity, such as pipes. In another run, the same name
/// may yield other plans.
fn drop_without_identity(known: &mut HashMap<Key, OutcomeRange>) {
    known.retain(|_, range| range.has_identity);
}

/// How to open a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// For reading, even while a run appends to it.
    Read,
    /// For appending. Opening cuts off a torn last line.
    Append,
}

/// Renders a line: the digest, a space, `text` and a line feed.
fn line_of(text: &[u8]) -> Vec<u8> {
    let mut measure = Measure::default();
    measure.add(text);
    [measure.head().as_bytes(), text, b"\n"].concat()
}

#[cfg(test)]
pub(super) mod tests;
