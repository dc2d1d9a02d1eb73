//! The journal of a batch: what it was asked for, its inputs, and what came of each.
//!
//! ```text
//! 3f9a0c21b45d6e78 {"begun":{"version":1,"plansift":"0.1.0","format":"ndjson",...}}
//! 08b1e5f2a9c34d67 {"inputs":[{"name":"a.json","source":"a.json"},...]}
//! 91d3c7a60e8b42f5 {"outcomes":[{"name":"a.json",...,"plans":[...]},...]}
//! ```
//!
//! A line is a digest of its text, a space, and the text. Lines are only ever added, and each is on
//! the disk before the next is written: so only the last one can be torn, by a crash or because it
//! is being written, and what it says does not hold yet. It is cut off when the run is resumed;
//! damage anywhere else is an error. Later lines hold against earlier ones.
//!
//! Of an outcome only its place in the journal is kept, and of the inputs only that of their line:
//! all is read again when it is asked for.

mod line;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::de::{DeserializeOwned, Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use self::line::{Elements, Kind, Line, Lines, Measure, Stretch, TAIL, damaged};
use super::key::Key;
use super::outcome::{Identity, Outcome};
use super::regular;
use crate::error::{Error, ErrorKind, FolderProblem, Result};

/// The version of the journal's shape.
pub const VERSION: u32 = 1;

/// The journal's name in its folder.
pub(super) const NAME: &str = "journal";

/// What a batch was asked for: all that decides what its files hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// [`VERSION`].
    pub version: u32,
    /// The version of this program.
    pub plansift: String,
    /// The form of the records: `ndjson`, `json`, `csv` or `csv-raw`.
    pub format: String,
    /// Whether what stays as it is is written.
    pub all: bool,
    /// How much of the JSON grammar is checked: `grammar` or `structure`.
    pub check: String,
    /// Whether text before or after a document is refused.
    pub strict: bool,
    /// Which inputs, as `i/n`.
    pub shard: String,
}

impl Terms {
    /// What stands in the way of a run with these terms where one with `others` was: the option.
    pub fn differ(&self, others: &Terms) -> Option<&'static str> {
        let pairs = [
            (self.plansift != others.plansift, "version of plansift"),
            (self.format != others.format, "--format"),
            (self.all != others.all, "--all"),
            (self.check != others.check, "--check"),
            (self.strict != others.strict, "--strict"),
            (self.shard != others.shard, "--shard"),
        ];
        pairs.into_iter().find_map(|(differs, option)| differs.then_some(option))
    }
}

/// An input of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its place among all inputs, those of other shards included.
    pub position: u64,
    /// The name of its record file, without the extension.
    pub name: String,
    /// As the user named it.
    pub source: String,
    /// As its records tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// By which it is known again; none of what cannot be read twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

/// What the first line says.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum First {
    Begun(Terms),
}

/// What the outcome of an input says of its records.
#[derive(Debug, Deserialize)]
pub struct Known {
    name: String,
    #[serde(default)]
    workspace: Option<String>,
    #[serde(default)]
    identity: Option<Identity>,
    #[serde(default)]
    records: Option<KnownRecords>,
    plans: Vec<KnownPlan>,
}

impl Known {
    /// Its record file, if it has one.
    pub fn into_records(self) -> Option<KnownRecords> {
        self.records
    }

    /// Whether any of its plans failed.
    pub fn has_failed(&self) -> bool {
        self.plans.iter().any(|plan| matches!(plan.result, KnownResult::Error(_)))
    }
}

/// What a record file was when it was written.
#[derive(Debug, Deserialize)]
pub struct KnownRecords {
    /// Its length in bytes.
    pub len: u64,
    /// The digest of its bytes.
    #[serde(deserialize_with = "digest_of_hex")]
    pub blake3: blake3::Hash,
}

/// A digest from its hexadecimal digits.
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

/// Where an outcome stands in the journal.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    len: u32,
    /// Whether its input is known again.
    is_knowable: bool,
}

/// A journal, and what it says.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// Its length up to the last line that holds.
    len: u64,
    /// How many lines that is.
    lines: u64,
    terms: Terms,
    /// The line of the inputs; none until they were told.
    listed: Option<Line>,
    /// The outcomes, by the names of their record files.
    known: HashMap<Key, Place>,
}

impl Journal {
    /// The first line of a journal.
    pub(super) fn first_line(terms: &Terms) -> Result<Vec<u8>> {
        let text = serde_json::to_vec(&First::Begun(terms.clone()));
        Ok(line_of(&text.map_err(|error| write_error(error.into()))?))
    }

    /// Reads the journal of a folder.
    ///
    /// # Errors
    ///
    /// It is not there, is no regular file, cannot be read, or is damaged other than at its end.
    pub fn open(folder: &Path, access: Access) -> Result<Journal> {
        let mut options = File::options();
        options.read(true).append(access == Access::Append);
        let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let file = match regular::open(folder, NAME, &mut options, ErrorKind::Read) {
            Ok(file) => file,
            Err(error) if error.io_error().is_some_and(is_missing) => {
                return Err(Error::new(ErrorKind::Folder(FolderProblem::NoJournal)));
            }
            Err(error) => return Err(error),
        };
        let mut lines = Lines::of(&file);
        let Some(Stretch::Whole(first)) = lines.next()? else { return Err(damaged(1)) };
        let text = first.text(&file)?;
        let First::Begun(terms) = serde_json::from_slice(&text).map_err(|_| damaged(1))?;
        if terms.version != VERSION {
            let problem = FolderProblem::Begun("version of plansift");
            return Err(Error::new(ErrorKind::Folder(problem)));
        }
        let (mut listed, mut known) = (None, HashMap::new());
        let (mut len, mut number) = (lines.offset(), 1);
        while let Some(stretch) = lines.next()? {
            match stretch {
                Stretch::Whole(line) => match line.kind(&file)? {
                    Some(Kind::Inputs) => {
                        Listing(Elements::of(&line, Kind::Inputs, &file), line.number)
                            .try_for_each(|input| input.map(drop))?;
                        listed = Some(line);
                        forget_unknowable(&mut known);
                    }
                    Some(Kind::Outcomes) => read_outcomes(&line, &file, &mut known)?,
                    None => return Err(damaged(line.number)),
                },
                // Torn, if nothing follows. What has no end may get it at this moment.
                Stretch::Broken { is_ended } if !is_ended || lines.are_over()? => break,
                Stretch::Broken { .. } => return Err(damaged(number + 1)),
            }
            (len, number) = (lines.offset(), number + 1);
        }
        drop(lines);
        if access == Access::Append {
            file.set_len(len).map_err(write_error)?;
        }
        Ok(Journal { file, len, lines: number, terms, listed, known })
    }

    /// What the batch was asked for.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Its inputs, in their order. A run that was killed early may not have told them.
    pub fn listed(&self) -> Option<Listing<'_>> {
        let line = self.listed.as_ref()?;
        Some(Listing(Elements::of(line, Kind::Inputs, &self.file), line.number))
    }

    /// What is known of an input; none if it is not done, or is another one since.
    ///
    /// # Errors
    ///
    /// The journal cannot be read any more.
    pub fn known(&self, input: &Listed) -> Result<Option<Known>> {
        let known: Option<Known> = self.find(input)?;
        Ok(known.filter(|it| is_of((&it.name, &it.workspace, &it.identity), input)))
    }

    /// The outcome of an input; none if it is not done, or is another one since.
    ///
    /// # Errors
    ///
    /// The journal cannot be read any more.
    pub fn outcome(&self, input: &Listed) -> Result<Option<Outcome>> {
        let outcome: Option<Outcome> = self.find(input)?;
        Ok(outcome.filter(|it| is_of((&it.name, &it.workspace, &it.identity), input)))
    }

    /// Reads what stands in the place of the input's outcome.
    fn find<T: DeserializeOwned>(&self, input: &Listed) -> Result<Option<T>> {
        let key = Key::of(input.name.as_bytes());
        let Some(&Place { offset, len, .. }) = self.known.get(&key) else { return Ok(None) };
        let text = line::read(&self.file, offset, len.into())?;
        serde_json::from_slice(&text).map(Some).map_err(|_| self.damaged_at(offset))
    }

    /// The error of a place that is not as it was when the journal was opened.
    fn damaged_at(&self, offset: u64) -> Error {
        let mut lines = Lines::of(&self.file);
        while lines.offset() <= offset && matches!(lines.next(), Ok(Some(_))) {}
        damaged(lines.number() - 1)
    }

    /// How many inputs there are outcomes of that are not listed any more.
    ///
    /// # Errors
    ///
    /// The journal cannot be read any more.
    pub fn unlisted(&self) -> Result<usize> {
        let mut unlisted = self.known.len();
        for input in self.listed().into_iter().flatten() {
            unlisted -= usize::from(self.known.contains_key(&Key::of(input?.name.as_bytes())));
        }
        Ok(unlisted)
    }

    /// Says which inputs there are from now on. They are asked for twice, and must be the same.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn list<I: Iterator<Item = Listed>>(
        &mut self,
        inputs: impl Fn() -> I,
    ) -> Result<()> {
        let mut is_knowable = true;
        let told = inputs().inspect(|input| is_knowable &= input.identity.is_some());
        let text = Measure::of(Kind::Inputs, told).map_err(write_error)?;
        if is_knowable && self.listed.as_ref().is_some_and(|line| line.holds(&text)) {
            return Ok(());
        }
        let mut out = BufWriter::new(&self.file);
        let written = out
            .write_all(text.head().as_bytes())
            .and_then(|()| line::write_list(&mut out, Kind::Inputs, inputs()))
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush());
        written.map_err(write_error)?;
        drop(out);
        let offset = self.len;
        self.end_line(text.line_len())?;
        self.listed = Some(text.line(self.lines, offset));
        forget_unknowable(&mut self.known);
        Ok(())
    }

    /// Says what came of inputs; when it returns, that is on the disk.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn add(&mut self, outcomes: &[Outcome]) -> Result<()> {
        let mut text = Kind::Outcomes.head().as_bytes().to_vec();
        let mut places = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            if !places.is_empty() {
                text.push(b',');
            }
            let start = text.len();
            serde_json::to_writer(&mut text, outcome).map_err(|it| write_error(it.into()))?;
            let len = u32::try_from(text.len() - start)
                .map_err(|_| write_error(io::ErrorKind::FileTooLarge.into()))?;
            let offset = self.len + line::HEAD + start as u64;
            let is_knowable = outcome.identity.is_some();
            places.push((Key::of(outcome.name.as_bytes()), Place { offset, len, is_knowable }));
        }
        text.extend_from_slice(TAIL.as_bytes());
        let line = line_of(&text);
        (&self.file).write_all(&line).map_err(write_error)?;
        self.end_line(line.len() as u64)?;
        self.known.extend(places);
        Ok(())
    }

    /// Brings a line of that length to the disk.
    fn end_line(&mut self, len: u64) -> Result<()> {
        self.file.sync_data().map_err(write_error)?;
        self.len += len;
        self.lines += 1;
        Ok(())
    }
}

/// The inputs that a journal lists, one after the other.
pub struct Listing<'a>(Elements<'a>, u64);

impl Iterator for Listing<'_> {
    type Item = Result<Listed>;

    fn next(&mut self) -> Option<Result<Listed>> {
        let Listing(elements, line) = self;
        let next = elements.next().transpose()?;
        Some(next.and_then(|(_, text)| serde_json::from_slice(text).map_err(|_| damaged(*line))))
    }
}

/// Takes note of the outcomes that a line holds.
fn read_outcomes(line: &Line, file: &File, known: &mut HashMap<Key, Place>) -> Result<()> {
    let mut elements = Elements::of(line, Kind::Outcomes, file);
    while let Some((offset, text)) = elements.next()? {
        let damaged = || damaged(line.number);
        let one: Known = serde_json::from_slice(text).map_err(|_| damaged())?;
        let len = u32::try_from(text.len()).map_err(|_| damaged())?;
        let is_knowable = one.identity.is_some();
        known.insert(Key::of(one.name.as_bytes()), Place { offset, len, is_knowable });
    }
    Ok(())
}

/// Whether an outcome is of an input, by its name, workspace and identity.
fn is_of(outcome: (&String, &Option<String>, &Option<Identity>), input: &Listed) -> bool {
    outcome == (&input.name, &input.workspace, &input.identity)
}

/// Forgets the outcomes of what is not known again, such as pipes: in another run they may be of
/// other plans.
fn forget_unknowable(known: &mut HashMap<Key, Place>) {
    known.retain(|_, place| place.is_knowable);
}

/// What is to be done with a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read, perhaps while a run appends to it.
    Read,
    /// A run appends to it: what is torn at its end is cut off.
    Append,
}

/// The line of a text.
fn line_of(text: &[u8]) -> Vec<u8> {
    let mut measure = Measure::default();
    measure.add(text);
    [measure.head().as_bytes(), text, b"\n"].concat()
}

fn write_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Write, error)
}

#[cfg(test)]
mod tests;
