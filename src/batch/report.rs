//! Writes the report of a batch from the journals of one folder or of all shards. The run may be
//! complete, in progress or killed.
//!
//! The report has a row for each plan, in the order of the inputs, and then the `fleet` row with
//! the totals. A report without the `fleet` row is incomplete. Only the totals are held in memory;
//! inputs and outcomes are read one by one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::folder::{Folder, RECORDS, REPORT, is_there, read_journal};
use super::journal::{Journal, Listed, Listing, Terms};
use super::outcome::{Outcome, PlanOutcome, PlanResult};
use super::shard::Shard;
use crate::error::{Error, ErrorKind, FolderProblem, Result};
use crate::inert;
use crate::record::counts::Summary;
use crate::record::{FailedAssertion, Label};
use crate::sink::fleet::Totals;
use crate::source::Key;

/// The version of the rows' format. Adding a key does not change it.
pub const REPORT_VERSION: u32 = 1;

/// The JSON Schema of the rows, as JSON text with a final line feed.
pub const SCHEMA: &str = include_str!("schema.json");

/// The totals of a report.
#[derive(Debug, Default)]
pub struct Fleet {
    /// The totals in the `fleet` row.
    pub totals: Totals,
    /// The number of plans that change anything.
    pub changed: u64,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Row<'a> {
    Plan(PlanRow<'a>),
    Fleet(FleetRow<'a>),
}

#[derive(Default, Serialize)]
struct PlanRow<'a> {
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<&'a str>,
    /// `done`, `failed` or `pending`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// The path of the plan's record file.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has_changes: Option<bool>,
    /// The content of the plan's last record.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a Summary>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    failed_assertions: &'a [FailedAssertion<'static>],
}

#[derive(Serialize)]
struct FleetRow<'a> {
    schema_version: u32,
    plansift: &'a str,
    /// Whether no input is pending and no shard is missing.
    complete: bool,
    inputs: u64,
    /// The number of plans that change anything.
    changed: u64,
    #[serde(flatten)]
    totals: &'a Totals,
}

/// Writes the report of a folder's run into the folder and returns the totals.
///
/// # Errors
///
/// Fails if the report cannot be written.
pub fn write_into(folder: &Folder) -> Result<Fleet> {
    write_of(folder, Totals::default())
}

/// Writes the report of a run in progress. It omits the table of workspaces, which takes memory for
/// each workspace.
///
/// # Errors
///
/// Fails if the report cannot be written.
pub fn update(folder: &Folder) -> Result<()> {
    write_of(folder, Totals::without_workspaces()).map(drop)
}

fn write_of(folder: &Folder, totals: Totals) -> Result<Fleet> {
    let mut fleet = Fleet { totals, changed: 0 };
    let part =
        JournalFolder { folder: folder.path(), name: Path::new(""), journal: folder.journal() };
    folder.replace(REPORT, |out| write(&[part], &mut fleet, out))?;
    Ok(fleet)
}

/// The folders of the shards of one batch.
#[derive(Debug)]
pub struct Shards {
    parts: Vec<(PathBuf, Journal)>,
    count: u32,
    missing: Vec<u32>,
}

impl Shards {
    /// Reads the journals of the folders.
    ///
    /// # Errors
    ///
    /// Fails if a folder is not the output of a batch, or does not belong to the same batch as the
    /// others. Returns the folder and the error.
    pub fn open(folders: &[PathBuf]) -> std::result::Result<Shards, (PathBuf, Error)> {
        let mut parts: Vec<(PathBuf, Journal)> = Vec::new();
        let mut numbers: Vec<u32> = Vec::new();
        let (mut names, mut positions) = (HashSet::new(), HashSet::new());
        let mut count = 1;
        for folder in folders {
            let refused = |error| (folder.clone(), error);
            let problem = |problem| refused(Error::new(ErrorKind::Folder(problem)));
            let journal = read_journal(folder).map_err(refused)?;
            let shard = Shard::parse(&journal.terms().shard).map_err(refused)?;
            if let Some((_, first)) = parts.first()
                && (shard.count != count || !is_like(journal.terms(), first.terms()))
            {
                return Err(problem(FolderProblem::OtherShards));
            }
            if numbers.contains(&shard.number) {
                return Err(problem(FolderProblem::ShardTwice));
            }
            let Some(listed) = journal.listed() else {
                return Err(problem(FolderProblem::NoInputs));
            };
            for listed in listed {
                let listed = listed.map_err(refused)?;
                if !names.insert(Key::of(listed.name.as_bytes())) {
                    return Err(problem(FolderProblem::SourceTwice));
                }
                // Two shards of the same batch never share a position.
                if !positions.insert(listed.position) {
                    return Err(problem(FolderProblem::OtherShards));
                }
            }
            count = shard.count;
            numbers.push(shard.number);
            parts.push((folder.clone(), journal));
        }
        let missing = (1..=count).filter(|number| !numbers.contains(number)).collect();
        Ok(Shards { parts, count, missing })
    }

    /// Returns the numbers of the missing shards, and the number of all shards.
    pub fn missing(&self) -> (&[u32], u32) {
        (&self.missing, self.count)
    }

    /// Writes the report of all shards.
    ///
    /// # Errors
    ///
    /// Fails if the report cannot be written, or if a journal can no longer be read.
    pub fn write(&self, out: &mut dyn Write) -> Result<Fleet> {
        let part = |(folder, journal)| JournalFolder { folder, name: folder, journal };
        let parts = self.parts.iter().map(|(folder, journal)| part((folder.as_path(), journal)));
        let parts: Vec<JournalFolder<'_>> = parts.collect();
        let mut fleet = Fleet::default();
        fleet.totals.inputs.missing_shards.clone_from(&self.missing);
        write(&parts, &mut fleet, out)?;
        Ok(fleet)
    }
}

/// Whether two runs have the same terms, apart from the shard.
fn is_like(one: &Terms, other: &Terms) -> bool {
    Terms { shard: other.shard.clone(), ..one.clone() } == *other
}

struct JournalFolder<'a> {
    folder: &'a Path,
    name: &'a Path,
    journal: &'a Journal,
}

impl JournalFolder<'_> {
    /// Returns the path of an outcome's record file below `folder`.
    fn records(&self, folder: &Path, outcome: &Outcome) -> PathBuf {
        let extension = self.journal.terms().format.trim_end_matches("-raw");
        folder.join(RECORDS).join(format!("{}.{extension}", outcome.name))
    }

    /// Returns the outcome of an input; `None` if there is none, or if its record file is missing.
    fn outcome(&self, listed: &Listed) -> Result<Option<Outcome>> {
        let holds = |outcome: &Outcome| match &outcome.records {
            Some(written) => is_there(&self.records(self.folder, outcome), written.len),
            None => true,
        };
        Ok(self.journal.outcome(listed)?.filter(holds))
    }
}

/// Merges the inputs of all folders by position.
struct InOrder<'a> {
    /// The next input and the rest of each folder.
    parts: Vec<(Option<Listed>, Option<Listing<'a>>)>,
    /// The positions of the next inputs, each with the index of its folder.
    next: BinaryHeap<Reverse<(u64, usize)>>,
}

impl<'a> InOrder<'a> {
    fn of(parts: &[JournalFolder<'a>]) -> Result<InOrder<'a>> {
        let mut inputs = InOrder { parts: Vec::new(), next: BinaryHeap::new() };
        for (index, part) in parts.iter().enumerate() {
            inputs.parts.push((None, part.journal.listed()));
            inputs.read(index)?;
        }
        Ok(inputs)
    }

    /// Reads the next input of a folder.
    fn read(&mut self, index: usize) -> Result<()> {
        let (next, rest) = &mut self.parts[index];
        *next = rest.as_mut().and_then(Iterator::next).transpose()?;
        self.next.extend(next.iter().map(|listed| Reverse((listed.position, index))));
        Ok(())
    }

    /// Returns the next input, and the index of its folder.
    fn next(&mut self) -> Result<Option<(Listed, usize)>> {
        let Some(Reverse((_, index))) = self.next.pop() else { return Ok(None) };
        let next = self.parts[index].0.take();
        self.read(index)?;
        Ok(next.map(|listed| (listed, index)))
    }
}

fn write(parts: &[JournalFolder<'_>], fleet: &mut Fleet, out: &mut dyn Write) -> Result<()> {
    let out = &mut inert::Json::new(out);
    let (mut inputs, mut count) = (InOrder::of(parts)?, 0);
    while let Some((listed, index)) = inputs.next()? {
        let part = &parts[index];
        count += 1;
        match part.outcome(&listed)? {
            Some(outcome) => plans(outcome, part, fleet, out)?,
            None => {
                fleet.totals.inputs.pending += 1;
                let (source, workspace) = (&listed.source, listed.workspace.as_deref());
                let plan = PlanRow { source, workspace, status: "pending", ..PlanRow::default() };
                row(&Row::Plan(plan), out)?;
            }
        }
    }
    let Fleet { totals, changed } = &*fleet;
    let all = FleetRow {
        schema_version: REPORT_VERSION,
        plansift: env!("CARGO_PKG_VERSION"),
        complete: totals.inputs.pending == 0 && totals.inputs.missing_shards.is_empty(),
        inputs: count,
        changed: *changed,
        totals,
    };
    row(&Row::Fleet(all), out)
}

/// Writes the rows of an input.
fn plans(
    outcome: Outcome,
    part: &JournalFolder<'_>,
    fleet: &mut Fleet,
    out: &mut dyn Write,
) -> Result<()> {
    let file = part.records(part.name, &outcome);
    let file = file.to_string_lossy();
    let records = outcome.records.is_some().then_some(&*file);
    for PlanOutcome { source, workspace, result } in outcome.plans {
        let workspace = workspace.as_deref();
        let name = workspace.unwrap_or(&source);
        let plan = PlanRow { source: &source, workspace, ..PlanRow::default() };
        match result {
            PlanResult::Done(done) => {
                let (has_changes, summary) = (Some(done.has_changes), Some(&done.summary));
                let failed_assertions = &*done.failed_assertions;
                let plan = PlanRow { has_changes, summary, failed_assertions, ..plan };
                row(&Row::Plan(PlanRow { status: "done", records, ..plan }), out)?;
                for failed in failed_assertions {
                    fleet.totals.fail_assertion(name, failed);
                }
                fleet.changed += u64::from(done.has_changes);
                fleet.totals.add(name, done.tally, &done.summary);
            }
            PlanResult::Error(error) => {
                row(&Row::Plan(PlanRow { status: "failed", error: Some(&error), ..plan }), out)?;
                fleet.totals.fail(Label { source: &source, workspace }, &error);
            }
        }
    }
    Ok(())
}

fn row(row: &Row<'_>, out: &mut dyn Write) -> Result<()> {
    let written = serde_json::to_writer(&mut *out, row).map_err(io::Error::from);
    written.and_then(|()| out.write_all(b"\n")).map_err(Error::write)
}
