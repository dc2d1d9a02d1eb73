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

use self::line::{Elements, Kind, Line, Lines, Measure, Stretch, TAIL, damaged};
use super::key::Key;
use super::outcome::{Identity, Outcome};
use super::regular;
use crate::error::{Error, ErrorKind, FolderProblem, Result};

/// The version of the journal's format.
pub const VERSION: u32 = 1;

/// The name of the journal in its folder.
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
    /// The shard of the inputs, as `i/n`.
    pub shard: String,
}

impl Terms {
    /// The first option that differs between these terms and `others`; `None` if all are equal.
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

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum First {
    Begun(Terms),
}

/// The part of an input's outcome that concerns its record file; cheaper to parse than [`Outcome`].
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
    /// The record file of the input, if it has one.
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

/// The byte range of an outcome in the journal.
#[derive(Clone, Copy, Debug)]
struct Place {
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
    /// The latest line with inputs; `None` before the first one.
    listed: Option<Line>,
    /// The byte ranges of the outcomes, by the names of their record files.
    known: HashMap<Key, Place>,
}

impl Journal {
    /// Renders the first line of a journal.
    pub(super) fn first_line(terms: &Terms) -> Result<Vec<u8>> {
        let text = serde_json::to_vec(&First::Begun(terms.clone()));
        Ok(line_of(&text.map_err(|error| write_error(error.into()))?))
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
                        drop_without_identity(&mut known);
                    }
                    Some(Kind::Outcomes) => read_outcomes(&line, &file, &mut known)?,
                    None => return Err(damaged(line.number)),
                },
                // A broken last line is torn. A run may be writing a line without an end right now.
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

    /// The terms of the batch.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The inputs of the batch, in order; `None` if the run was killed before it listed them.
    pub fn listed(&self) -> Option<Listing<'_>> {
        let line = self.listed.as_ref()?;
        Some(Listing(Elements::of(line, Kind::Inputs, &self.file), line.number))
    }

    /// The part of an input's outcome that concerns its record file; `None` if the journal has no
    /// outcome for the input, or if the input has changed since.
    ///
    /// # Errors
    ///
    /// Fails if the journal can no longer be read.
    pub fn known(&self, input: &Listed) -> Result<Option<Known>> {
        let known: Option<Known> = self.find(input)?;
        Ok(known.filter(|known| is_of((&known.name, &known.workspace, &known.identity), input)))
    }

    /// The outcome of an input; `None` if the journal has none, or if the input has changed since.
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
        let Some(&Place { offset, len, .. }) = self.known.get(&key) else { return Ok(None) };
        let text = line::read(&self.file, offset, len.into())?;
        serde_json::from_slice(&text).map(Some).map_err(|_| self.damaged_at(offset))
    }

    /// The error for damage at `offset`, which was intact when the journal was opened.
    fn damaged_at(&self, offset: u64) -> Error {
        let mut lines = Lines::of(&self.file);
        while lines.offset() <= offset && matches!(lines.next(), Ok(Some(_))) {}
        damaged(lines.number() - 1)
    }

    /// The number of outcomes whose inputs are no longer listed.
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
    /// both calls must yield the same inputs.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written.
    pub(super) fn list<I: Iterator<Item = Listed>>(
        &mut self,
        inputs: impl Fn() -> I,
    ) -> Result<()> {
        let mut all_have_identity = true;
        let measured = inputs().inspect(|input| all_have_identity &= input.identity.is_some());
        let text = Measure::of(Kind::Inputs, measured).map_err(write_error)?;
        if all_have_identity && self.listed.as_ref().is_some_and(|line| line.holds(&text)) {
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
        drop_without_identity(&mut self.known);
        Ok(())
    }

    /// Appends outcomes and syncs them to the disk before it returns.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written.
    pub(super) fn add(&mut self, outcomes: &[Outcome]) -> Result<()> {
        let mut text = Kind::Outcomes.head().as_bytes().to_vec();
        let mut places = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            if !places.is_empty() {
                text.push(b',');
            }
            let start = text.len();
            serde_json::to_writer(&mut text, outcome).map_err(|error| write_error(error.into()))?;
            let len = u32::try_from(text.len() - start)
                .map_err(|_| write_error(io::ErrorKind::FileTooLarge.into()))?;
            let offset = self.len + line::HEAD + start as u64;
            let has_identity = outcome.identity.is_some();
            places.push((Key::of(outcome.name.as_bytes()), Place { offset, len, has_identity }));
        }
        text.extend_from_slice(TAIL.as_bytes());
        let line = line_of(&text);
        (&self.file).write_all(&line).map_err(write_error)?;
        self.end_line(line.len() as u64)?;
        self.known.extend(places);
        Ok(())
    }

    /// Syncs a written line of `len` bytes to the disk and counts it.
    fn end_line(&mut self, len: u64) -> Result<()> {
        self.file.sync_data().map_err(write_error)?;
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

/// Indexes the outcomes in a line.
fn read_outcomes(line: &Line, file: &File, known: &mut HashMap<Key, Place>) -> Result<()> {
    let mut elements = Elements::of(line, Kind::Outcomes, file);
    while let Some((offset, text)) = elements.next()? {
        let damaged = || damaged(line.number);
        let one: Known = serde_json::from_slice(text).map_err(|_| damaged())?;
        let len = u32::try_from(text.len()).map_err(|_| damaged())?;
        let has_identity = one.identity.is_some();
        known.insert(Key::of(one.name.as_bytes()), Place { offset, len, has_identity });
    }
    Ok(())
}

/// Whether an outcome belongs to an input: name, workspace and identity are equal.
fn is_of(outcome: (&String, &Option<String>, &Option<Identity>), input: &Listed) -> bool {
    outcome == (&input.name, &input.workspace, &input.identity)
}

/// Drops the outcomes of inputs without an identity, such as pipes. In another run, the same name
/// may yield other plans.
fn drop_without_identity(known: &mut HashMap<Key, Place>) {
    known.retain(|_, place| place.has_identity);
}

/// How to open a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// For reading, even while a run appends to it.
    Read,
    /// For appending. Opening cuts off a torn last line.
    Append,
}

/// Renders the line of a text, with digest and line feed.
fn line_of(text: &[u8]) -> Vec<u8> {
    let mut measure = Measure::default();
    measure.add(text);
    [measure.head().as_bytes(), text, b"\n"].concat()
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

    /// An outcome of the input: an error with this text, or success.
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

    /// A journal of four lines, two of them with outcomes.
    fn written(path: &Path) -> Journal {
        std::fs::write(path, Journal::first_line(&terms()).expect("a line")).expect("a file");
        let mut journal =
            Journal::open(path.parent().expect("a folder"), Access::Append).expect("a journal");
        let inputs = [listed("a", 1), listed("b", 2), listed("c", 3)];
        list(&mut journal, &inputs);
        let both = [outcome(&inputs[0], None), outcome(&inputs[1], Some("é \" { \n"))];
        journal.add(&both).expect("it is written");
        journal.add(&[outcome(&inputs[1], None)]).expect("it is written");
        journal
    }

    fn list(journal: &mut Journal, inputs: &[Listed]) {
        journal.list(|| inputs.iter().cloned()).expect("it is written");
    }

    fn listed_in(journal: &Journal) -> Vec<Listed> {
        let listed = journal.listed().expect("they were told");
        listed.collect::<Result<_>>().expect("it can be read")
    }

    /// The names of the inputs that are done, and of those that have failed.
    fn statuses(journal: &Journal) -> (Vec<String>, Vec<String>) {
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        for input in listed_in(journal) {
            let known = journal.known(&input).expect("it can be read");
            if let Some(outcome) = journal.outcome(&input).expect("it can be read") {
                assert_eq!(outcome.name, input.name);
                assert_eq!(known.map(|it| it.has_failed()), Some(outcome.has_failed()));
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
        assert_eq!(statuses(&journal), expected);
        let again = Journal::open(folder.path(), Access::Read).expect("a journal");
        assert_eq!(statuses(&again), expected);
        assert_eq!((again.terms(), listed_in(&again)), (&terms(), listed_in(&journal)));
        let len = path.metadata().expect("a file").len();
        list(&mut journal, &listed_in(&again));
        assert_eq!(path.metadata().expect("a file").len(), len);
        // One input with another size, and one input less.
        list(&mut journal, &[listed("a", 5), listed("b", 2)]);
        assert_eq!(statuses(&journal), (vec!["b".to_owned()], Vec::new()));
        assert_eq!(journal.unlisted().expect("it can be read"), 0);
        list(&mut journal, &[listed("c", 3)]);
        assert_eq!(statuses(&journal), (vec![], vec![]));
        assert_eq!(journal.unlisted().expect("it can be read"), 2);
    }

    /// Pins the bytes of a journal, which other versions of this program also read.
    #[test]
    fn a_journal_of_before_is_read_and_written_alike() {
        let lines = concat!(
            r#"73ab48fd061e3d52 {"begun":{"version":1,"plansift":"0.1.0","format":"ndjson","#,
            r#""all":false,"check":"grammar","strict":false,"shard":"1/1"}}"#,
            "\n",
            r#"06ed1c50e36c141c {"inputs":[{"position":0,"name":"b.json","source":"b.json","#,
            r#""workspace":"b","identity":{"len":1,"modified":1767323045000000000}}]}"#,
            "\n",
            r#"62a92184a8fcd7a4 {"outcomes":[{"name":"b.json","source":"b.json","#,
            r#""workspace":"b","identity":{"len":1,"modified":1767323045000000000},"#,
            r#""plans":[{"source":"b.json","workspace":"b","result":{"error":"byte 1: "#,
            r#"the document is incomplete: the input ends here"}}]}]}"#,
            "\n",
        );
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        std::fs::write(&path, lines).expect("it is written");
        let before = Journal::open(folder.path(), Access::Read).expect("a journal");
        let terms = Terms { plansift: "0.1.0".to_owned(), ..terms() };
        let identity = Identity { len: 1, modified: Some(1_767_323_045_000_000_000), etag: None };
        let input = Listed {
            position: 0,
            name: "b.json".to_owned(),
            source: "b.json".to_owned(),
            workspace: Some("b".to_owned()),
            identity: Some(identity),
        };
        assert_eq!((before.terms(), listed_in(&before)), (&terms, vec![input.clone()]));
        let outcome = before.outcome(&input).expect("it can be read").expect("it is done");
        std::fs::write(&path, Journal::first_line(&terms).expect("a line")).expect("a file");
        let mut journal = Journal::open(folder.path(), Access::Append).expect("a journal");
        list(&mut journal, &[input]);
        journal.add(&[outcome]).expect("it is written");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), lines);
    }

    #[test]
    fn what_is_not_known_again_is_done_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let mut journal = written(&path);
        let pipe = Listed { identity: None, ..listed("pipe", 0) };
        let inputs = [listed("a", 1), pipe.clone()];
        list(&mut journal, &inputs);
        journal.add(&[outcome(&pipe, None)]).expect("it is written");
        let both = (vec!["a".to_owned(), "pipe".to_owned()], vec![]);
        assert_eq!(statuses(&journal), both);
        assert_eq!(statuses(&Journal::open(folder.path(), Access::Read).expect("a journal")), both);
        // The next run lists the same inputs.
        list(&mut journal, &inputs);
        let one = (vec!["a".to_owned()], vec![]);
        assert_eq!(statuses(&journal), one);
        assert_eq!(statuses(&Journal::open(folder.path(), Access::Read).expect("a journal")), one);
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
            // The run can continue. Few cases, because each write waits for the disk.
            list(&mut journal, &[listed("a", 1)]);
            journal.add(&[outcome(&listed("a", 1), Some("x"))]).expect("it is written");
            let again = Journal::open(folder.path(), Access::Read).expect("a journal");
            assert_eq!(statuses(&again), (vec![], vec!["a".to_owned()]));
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
                        // Damage to a line feed joins two lines into one, which counts as torn.
                        let expected = match at.cmp(&last) {
                            Ordering::Less => panic!("{at}: {bit:#x} went unnoticed"),
                            Ordering::Equal => (vec![], vec![]),
                            Ordering::Greater => (vec!["a".to_owned()], vec!["b".to_owned()]),
                        };
                        assert_eq!(statuses(&journal), expected, "{at}: {bit:#x}");
                    }
                    Err(error) => assert!(at < last, "{at}: {error}"),
                }
            }
        }
    }
}
