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
//! Of the outcomes only the places are kept, some 200 bytes an input; they are read again when the
//! report is made.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::outcome::{Identity, Outcome, Written};
use crate::error::{Error, ErrorKind, FolderProblem, Result};

/// The version of the journal's shape.
pub const VERSION: u32 = 1;

/// Hexadecimal digits of a line's digest.
const DIGITS: usize = 16;

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
    /// Whether every byte was checked.
    pub strict: bool,
    /// Which inputs, as `i/n`.
    pub shard: String,
}

impl Terms {
    /// What stands in the way of a run with these terms where one with `others` was: the option.
    pub fn differ(&self, others: &Terms) -> Option<&'static str> {
        let pairs = [
            (self.version != others.version, "version of plansift"),
            (self.plansift != others.plansift, "version of plansift"),
            (self.format != others.format, "--format"),
            (self.all != others.all, "--all"),
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

/// What a line says.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Begun(Terms),
    Inputs(Vec<Listed>),
    #[serde(borrow)]
    Outcomes(Vec<&'a RawValue>),
}

/// What is kept of an outcome.
#[derive(Debug, Deserialize)]
pub struct Known {
    pub(super) name: String,
    #[serde(default)]
    pub(super) workspace: Option<String>,
    #[serde(default)]
    pub(super) identity: Option<Identity>,
    #[serde(default)]
    pub(super) records: Option<Written>,
    plans: Vec<KnownPlan>,
    #[serde(skip)]
    place: Place,
}

impl Known {
    pub(super) fn has_failed(&self) -> bool {
        self.plans.iter().any(|plan| matches!(plan.result, KnownResult::Error(_)))
    }
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
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    offset: u64,
    len: usize,
}

/// A journal, and what it says.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// Its length up to the last line that holds.
    len: u64,
    terms: Terms,
    listed: Vec<Listed>,
    known: HashMap<String, Known>,
}

impl Journal {
    /// The first line of a journal.
    pub(super) fn first_line(terms: &Terms) -> Result<Vec<u8>> {
        line_of(&Line::Begun(terms.clone()))
    }

    /// Reads a journal.
    ///
    /// # Errors
    ///
    /// It is not there, cannot be read, or is damaged other than at its end.
    pub fn open(path: &Path, access: Access) -> Result<Journal> {
        let file = match File::options().read(true).append(access == Access::Append).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::new(ErrorKind::Folder(FolderProblem::NoJournal)));
            }
            Err(error) => return Err(read_error(error)),
        };
        let mut lines = BufReader::new(&file);
        let (mut number, mut len, mut text) = (1, 0, Vec::new());
        let mut terms = None;
        let (mut listed, mut known) = (Vec::new(), HashMap::new());
        loop {
            text.clear();
            if lines.read_until(b'\n', &mut text).map_err(read_error)? == 0 {
                break;
            }
            let offset = len + DIGITS as u64 + 1;
            match checked(&text).map(|text| (text, serde_json::from_str(text))) {
                Some((_, Ok(Line::Begun(begun)))) if number == 1 => terms = Some(begun),
                Some((_, Ok(Line::Inputs(inputs)))) if number > 1 => listed = inputs,
                Some((text, Ok(Line::Outcomes(outcomes)))) if number > 1 => {
                    for outcome in outcomes {
                        let place = offset + place_in(text, outcome.get());
                        let one = kept(outcome.get(), place).ok_or_else(|| damaged(number))?;
                        known.insert(one.name.clone(), one);
                    }
                }
                // Torn, if nothing follows.
                None if number > 1 && lines.fill_buf().map_err(read_error)?.is_empty() => break,
                _ => return Err(damaged(number)),
            }
            number += 1;
            len += text.len() as u64;
        }
        drop(lines);
        let terms = terms.ok_or_else(|| damaged(1))?;
        if access == Access::Append {
            file.set_len(len).map_err(write_error)?;
        }
        Ok(Journal { file, len, terms, listed, known })
    }

    /// What the batch was asked for.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Its inputs, in their order.
    pub fn listed(&self) -> &[Listed] {
        &self.listed
    }

    /// What is kept of the outcome of an input; none if it is not done, or is another one since.
    pub fn known(&self, input: &Listed) -> Option<&Known> {
        let is_same =
            |known: &&Known| known.identity == input.identity && known.workspace == input.workspace;
        self.known.get(&input.name).filter(is_same)
    }

    /// How many inputs there are outcomes of that are not listed any more.
    pub fn unlisted(&self) -> usize {
        let listed = self.listed.iter().filter(|input| self.known.contains_key(&input.name));
        self.known.len() - listed.count()
    }

    /// The outcome of an input; none if it is not done, or is another one since.
    ///
    /// # Errors
    ///
    /// The journal cannot be read any more.
    pub fn outcome(&self, input: &Listed) -> Result<Option<Outcome>> {
        let Some(Known { place, .. }) = self.known(input) else { return Ok(None) };
        let mut text = vec![0; place.len];
        // What is appended goes to the end wherever this leaves the file.
        let mut file = &self.file;
        file.seek(SeekFrom::Start(place.offset)).map_err(read_error)?;
        file.read_exact(&mut text).map_err(read_error)?;
        serde_json::from_slice(&text).map(Some).map_err(|_| damaged(0))
    }

    /// Says which inputs there are from now on.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn list(&mut self, inputs: Vec<Listed>) -> Result<()> {
        if inputs == self.listed {
            return Ok(());
        }
        let line = Line::Inputs(inputs);
        self.append(&line_of(&line)?)?;
        if let Line::Inputs(inputs) = line {
            self.listed = inputs;
        }
        Ok(())
    }

    /// Says what came of inputs; when it returns, that is on the disk.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn add(&mut self, outcomes: &[Outcome]) -> Result<()> {
        let texts = outcomes.iter().map(serde_json::value::to_raw_value);
        let texts: Vec<Box<RawValue>> =
            texts.collect::<serde_json::Result<_>>().map_err(|error| write_error(error.into()))?;
        let line = line_of(&Line::Outcomes(texts.iter().map(|text| &**text).collect()))?;
        let offset = self.len + DIGITS as u64 + 1;
        let mut place = offset + r#"{"outcomes":["#.len() as u64;
        self.append(&line)?;
        for text in &texts {
            let known = kept(text.get(), place).ok_or_else(|| damaged(0))?;
            place += text.get().len() as u64 + 1;
            self.known.insert(known.name.clone(), known);
        }
        Ok(())
    }

    fn append(&mut self, line: &[u8]) -> Result<()> {
        (&self.file).write_all(line).map_err(write_error)?;
        self.file.sync_data().map_err(write_error)?;
        self.len += line.len() as u64;
        Ok(())
    }
}

/// What is to be done with a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read, perhaps while a run appends to it.
    Read,
    /// A run appends to it: what is torn at its end is cut off.
    Append,
}

fn kept(outcome: &str, offset: u64) -> Option<Known> {
    let known: Known = serde_json::from_str(outcome).ok()?;
    Some(Known { place: Place { offset, len: outcome.len() }, ..known })
}

/// Where a part of a text begins in it.
fn place_in(text: &str, part: &str) -> u64 {
    (part.as_ptr().addr() - text.as_ptr().addr()) as u64
}

fn line_of(line: &Line<'_>) -> Result<Vec<u8>> {
    let text = serde_json::to_string(line).map_err(|error| write_error(error.into()))?;
    Ok(format!("{} {text}\n", digest(&text)).into_bytes())
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..DIGITS].to_owned()
}

/// The text of a line that is whole.
fn checked(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (digits, text) = line.split_once(' ')?;
    (digits == digest(text)).then_some(text)
}

fn damaged(line: u64) -> Error {
    Error::new(ErrorKind::Folder(FolderProblem::Damaged { line }))
}

fn read_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Read, error)
}

fn write_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Write, error)
}
