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

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::outcome::{Identity, Outcome};
use super::regular;
use crate::error::{Error, ErrorKind, FolderProblem, Result};

/// The version of the journal's shape.
pub const VERSION: u32 = 1;

/// The journal's name in its folder.
pub(super) const NAME: &str = "journal";

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
    /// Taken out, to find it by.
    name: String,
    #[serde(default)]
    workspace: Option<String>,
    #[serde(default)]
    identity: Option<Identity>,
    #[serde(default)]
    records: Option<KnownRecords>,
    plans: Vec<KnownPlan>,
    #[serde(skip)]
    place: Place,
}

impl Known {
    /// Its record file, if it has one.
    pub fn records(&self) -> Option<&KnownRecords> {
        self.records.as_ref()
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

/// A digest from its hexadecimal digits: half the memory.
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
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    line: u64,
    offset: u64,
    len: usize,
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
    /// None until they were told.
    listed: Option<Vec<Listed>>,
    known: HashMap<String, Known>,
}

impl Journal {
    /// The first line of a journal.
    pub(super) fn first_line(terms: &Terms) -> Result<Vec<u8>> {
        line_of(&Line::Begun(terms.clone()))
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
        let mut lines = BufReader::new(&file);
        let (mut number, mut len, mut text) = (1, 0, Vec::new());
        let mut terms = None;
        let (mut listed, mut known) = (None, HashMap::new());
        loop {
            text.clear();
            if lines.read_until(b'\n', &mut text).map_err(read_error)? == 0 {
                break;
            }
            let offset = len + DIGITS as u64 + 1;
            match checked(&text).map(|text| (text, serde_json::from_str(text))) {
                Some((_, Ok(Line::Begun(begun)))) if number == 1 => {
                    if begun.version != VERSION {
                        let problem = FolderProblem::Begun("version of plansift");
                        return Err(Error::new(ErrorKind::Folder(problem)));
                    }
                    terms = Some(begun);
                }
                Some((_, Ok(Line::Inputs(inputs)))) if number > 1 => {
                    listed = Some(inputs);
                    forget_unknowable(&mut known);
                }
                Some((text, Ok(Line::Outcomes(outcomes)))) if number > 1 => {
                    for outcome in outcomes {
                        let place = offset + place_in(text, outcome.get());
                        let (name, one) = kept(outcome.get(), number, place)?;
                        known.insert(name, one);
                    }
                }
                // Torn, if nothing follows. What has no end may get it at this moment.
                None if number > 1
                    && (text.last() != Some(&b'\n')
                        || lines.fill_buf().map_err(read_error)?.is_empty()) =>
                {
                    break;
                }
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
        Ok(Journal { file, len, lines: number - 1, terms, listed, known })
    }

    /// What the batch was asked for.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Its inputs, in their order. A run that was killed early may not have told them.
    pub fn listed(&self) -> Option<&[Listed]> {
        self.listed.as_deref()
    }

    /// What is kept of the outcome of an input; none if it is not done, or is another one since.
    pub fn known(&self, input: &Listed) -> Option<&Known> {
        let is_same =
            |known: &&Known| known.identity == input.identity && known.workspace == input.workspace;
        self.known.get(&input.name).filter(is_same)
    }

    /// How many inputs there are outcomes of that are not listed any more.
    pub fn unlisted(&self) -> usize {
        let listed =
            self.listed.iter().flatten().filter(|input| self.known.contains_key(&input.name));
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
        serde_json::from_slice(&text).map(Some).map_err(|_| damaged(place.line))
    }

    /// Says which inputs there are from now on.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn list(&mut self, inputs: Vec<Listed>) -> Result<()> {
        let is_knowable = inputs.iter().all(|input| input.identity.is_some());
        if self.listed.as_ref() == Some(&inputs) && is_knowable {
            return Ok(());
        }
        let line = Line::Inputs(inputs);
        self.append(&line_of(&line)?)?;
        if let Line::Inputs(inputs) = line {
            self.listed = Some(inputs);
        }
        forget_unknowable(&mut self.known);
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
            let (name, known) = kept(text.get(), self.lines, place)?;
            place += text.get().len() as u64 + 1;
            self.known.insert(name, known);
        }
        Ok(())
    }

    fn append(&mut self, line: &[u8]) -> Result<()> {
        (&self.file).write_all(line).map_err(write_error)?;
        self.file.sync_data().map_err(write_error)?;
        self.len += line.len() as u64;
        self.lines += 1;
        Ok(())
    }
}

/// Forgets the outcomes of what is not known again, such as pipes: in another run they may be of
/// other plans.
fn forget_unknowable(known: &mut HashMap<String, Known>) {
    known.retain(|_, known| known.identity.is_some());
}

/// What is to be done with a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read, perhaps while a run appends to it.
    Read,
    /// A run appends to it: what is torn at its end is cut off.
    Append,
}

/// What is kept of an outcome that stands there, by the name of its record file.
fn kept(outcome: &str, line: u64, offset: u64) -> Result<(String, Known)> {
    let mut known: Known = serde_json::from_str(outcome).map_err(|_| damaged(line))?;
    known.place = Place { line, offset, len: outcome.len() };
    Ok((std::mem::take(&mut known.name), known))
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

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use crate::batch::outcome::{Done, PlanOutcome, PlanResult};

    fn terms() -> Terms {
        let (plansift, format, shard) = ["0.0.0", "ndjson", "1/1"].map(str::to_owned).into();
        Terms {
            version: VERSION,
            plansift,
            format,
            all: false,
            check: "grammar".to_owned(),
            strict: false,
            shard,
        }
    }

    fn listed(name: &str, len: u64) -> Listed {
        let identity = Some(Identity { len, modified: Some(-1), etag: None });
        let (name, source) = (name.to_owned(), format!("p/{name}"));
        Listed { position: 0, name, source, workspace: None, identity }
    }

    /// An outcome with an error of that text, or none.
    fn outcome(of: &Listed, error: Option<&str>) -> Outcome {
        let Listed { name, source, workspace, identity, .. } = of.clone();
        let result = match error {
            Some(text) => PlanResult::Error(text.to_owned()),
            None => PlanResult::Done(Box::new(Done {
                has_changes: true,
                summary: Default::default(),
                tally: Default::default(),
            })),
        };
        let plans = vec![PlanOutcome { source: source.clone(), workspace: None, result }];
        Outcome { name, source, workspace, identity, records: None, plans }
    }

    /// A journal of four lines, two of them of outcomes.
    fn written(path: &Path) -> Journal {
        std::fs::write(path, Journal::first_line(&terms()).expect("a line")).expect("a file");
        let mut journal =
            Journal::open(path.parent().expect("a folder"), Access::Append).expect("a journal");
        let inputs = [listed("a", 1), listed("b", 2), listed("c", 3)];
        journal.list(inputs.to_vec()).expect("it is written");
        let both = [outcome(&inputs[0], None), outcome(&inputs[1], Some("é \" { \n"))];
        journal.add(&both).expect("it is written");
        journal.add(&[outcome(&inputs[1], None)]).expect("it is written");
        journal
    }

    /// Inputs that are done, and those that have failed.
    fn told(journal: &Journal) -> (Vec<String>, Vec<String>) {
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        for input in journal.listed().expect("they were told") {
            if let Some(outcome) = journal.outcome(input).expect("it can be read") {
                assert_eq!(outcome.name, input.name);
                assert_eq!(journal.known(input).map(Known::has_failed), Some(outcome.has_failed()));
                if outcome.has_failed() { &mut failed } else { &mut done }.push(outcome.name);
            }
        }
        (done, failed)
    }

    #[test]
    fn a_journal_tells_what_was_written_last() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let mut journal = written(&path);
        let expected = (vec!["a".to_owned(), "b".to_owned()], Vec::new());
        assert_eq!(told(&journal), expected);
        let again = Journal::open(folder.path(), Access::Read).expect("a journal");
        assert_eq!(told(&again), expected);
        assert_eq!((again.terms(), again.listed()), (&terms(), journal.listed()));
        let len = path.metadata().expect("a file").len();
        journal.list(again.listed().expect("they were told").to_vec()).expect("nothing is written");
        assert_eq!(path.metadata().expect("a file").len(), len);
        // Another size, and one input less.
        journal.list(vec![listed("a", 5), listed("b", 2)]).expect("it is written");
        assert_eq!(told(&journal), (vec!["b".to_owned()], Vec::new()));
        assert_eq!(journal.unlisted(), 0);
        journal.list(vec![listed("c", 3)]).expect("it is written");
        assert_eq!((told(&journal), journal.unlisted()), ((vec![], vec![]), 2));
    }

    #[test]
    fn what_is_not_known_again_is_done_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let mut journal = written(&path);
        let pipe = Listed { identity: None, ..listed("pipe", 0) };
        let inputs = vec![listed("a", 1), pipe.clone()];
        journal.list(inputs.clone()).expect("it is written");
        journal.add(&[outcome(&pipe, None)]).expect("it is written");
        let both = (vec!["a".to_owned(), "pipe".to_owned()], vec![]);
        assert_eq!(told(&journal), both);
        assert_eq!(told(&Journal::open(folder.path(), Access::Read).expect("a journal")), both);
        // The next run with the same inputs.
        journal.list(inputs).expect("it is written");
        let one = (vec!["a".to_owned()], vec![]);
        assert_eq!(told(&journal), one);
        assert_eq!(told(&Journal::open(folder.path(), Access::Read).expect("a journal")), one);
    }

    #[test]
    fn a_journal_of_another_version_is_told_from_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let newer = Terms { version: VERSION + 1, ..terms() };
        std::fs::write(&path, Journal::first_line(&newer).expect("a line")).expect("a file");
        let kind = Journal::open(folder.path(), Access::Read).expect_err("another version").kind();
        assert_eq!(kind, ErrorKind::Folder(FolderProblem::Begun("version of plansift")));
    }

    #[test]
    fn a_journal_is_cut_where_it_is_torn() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        drop(written(&path));
        let whole = std::fs::read(&path).expect("a file");
        let ends: Vec<usize> = (1..=whole.len()).filter(|&at| whole[at - 1] == b'\n').collect();
        assert_eq!(ends.len(), 4);
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("it is written");
            let opened = Journal::open(folder.path(), Access::Append);
            let Some(&end) = ends.iter().rfind(|&&end| end <= cut) else {
                let kind = opened.expect_err("it does not tell what was begun").kind();
                assert_eq!(kind, ErrorKind::Folder(FolderProblem::Damaged { line: 1 }), "{cut}");
                continue;
            };
            let mut journal = opened.unwrap_or_else(|error| panic!("{cut}: {error}"));
            assert_eq!(path.metadata().expect("a file").len(), end as u64);
            if cut % 16 > 0 {
                continue;
            }
            // And it goes on, which waits for the disk.
            journal.list(vec![listed("a", 1)]).expect("it is written");
            journal.add(&[outcome(&listed("a", 1), Some("x"))]).expect("it is written");
            let again = Journal::open(folder.path(), Access::Read).expect("a journal");
            assert_eq!(told(&again), (vec![], vec!["a".to_owned()]));
        }
    }

    #[test]
    fn damage_is_never_taken_for_the_truth() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        drop(written(&path));
        let whole = std::fs::read(&path).expect("a file");
        let last = whole[..whole.len() - 1].iter().rposition(|&it| it == b'\n').expect("lines");
        for at in 0..whole.len() {
            for bit in [1, 0x20, 0x80] {
                let mut damaged = whole.clone();
                damaged[at] ^= bit;
                std::fs::write(&path, &damaged).expect("it is written");
                match Journal::open(folder.path(), Access::Read) {
                    Ok(journal) => {
                        // Two lines that are one now count as one that is torn.
                        let expected = match at.cmp(&last) {
                            Ordering::Less => panic!("{at}: {bit:#x} went unnoticed"),
                            Ordering::Equal => (vec![], vec![]),
                            Ordering::Greater => (vec!["a".to_owned()], vec!["b".to_owned()]),
                        };
                        assert_eq!(told(&journal), expected, "{at}: {bit:#x}");
                    }
                    Err(error) => assert!(at < last, "{at}: {error}"),
                }
            }
        }
    }
}
