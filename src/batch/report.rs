//! What came of all inputs, from the journals: of a run that is over, that goes on, or that was
//! killed; of one folder, or of all shards.
//!
//! A row for each plan in the order of the inputs, then the `fleet` row with what it all amounts
//! to. Without it a report is incomplete. Memory is that of the fleet's table; inputs and outcomes
//! are read one by one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::folder::{Folder, RECORDS, REPORT, is_there, read_journal};
use super::journal::{Journal, Listed, Listing, Terms};
use super::key::Key;
use super::outcome::{Outcome, PlanOutcome, PlanResult};
use super::shard::Shard;
use crate::error::{Error, ErrorKind, FolderProblem, Result};
use crate::inert;
use crate::record::counts::Summary;
use crate::sink::fleet::Totals;

/// The version of the rows' shape: adding a key keeps it.
pub const REPORT_VERSION: u32 = 1;

/// The JSON Schema of the rows, as JSON text with a final line feed.
pub const SCHEMA: &str = include_str!("schema.json");

/// What it all amounts to.
#[derive(Debug, Default)]
pub struct Fleet {
    /// The numbers.
    pub totals: Totals,
    /// Plans that change something.
    pub changed: u64,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Row<'a> {
    Plan(PlanRow<'a>),
    Fleet(FleetRow<'a>),
}

/// What became of a plan.
#[derive(Default, Serialize)]
struct PlanRow<'a> {
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<&'a str>,
    /// `done`, `failed` or `pending`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// Where its records are.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has_changes: Option<bool>,
    /// Its last record.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a Summary>,
}

#[derive(Serialize)]
struct FleetRow<'a> {
    schema_version: u32,
    plansift: &'a str,
    /// Whether nothing is pending or missing.
    complete: bool,
    inputs: u64,
    /// Plans that change something.
    changed: u64,
    #[serde(flatten)]
    totals: &'a Totals,
}

/// The report of a folder's run, into the folder, and what it amounts to.
///
/// # Errors
///
/// It cannot be written.
pub fn write_into(folder: &Folder) -> Result<Fleet> {
    write_of(folder, Totals::default())
}

/// The same of a run that goes on. The table, which takes memory for each workspace, is left out.
///
/// # Errors
///
/// It cannot be written.
pub fn update(folder: &Folder) -> Result<()> {
    write_of(folder, Totals::without_workspaces()).map(drop)
}

fn write_of(folder: &Folder, totals: Totals) -> Result<Fleet> {
    let mut fleet = Fleet { totals, changed: 0 };
    let part = Part { folder: folder.path(), name: Path::new(""), journal: folder.journal() };
    folder.replace(REPORT, |out| write(&[part], &mut fleet, out))?;
    Ok(fleet)
}

/// Folders that are shards of one whole.
#[derive(Debug)]
pub struct Shards {
    parts: Vec<(PathBuf, Journal)>,
    count: u32,
    missing: Vec<u32>,
}

impl Shards {
    /// Reads the journals of folders.
    ///
    /// # Errors
    ///
    /// One of them is none, or does not go with the others: which, and why.
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
                // Parts of one list have no place of it in common.
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

    /// The shards that no folder holds, and how many there are in all.
    pub fn missing(&self) -> (&[u32], u32) {
        (&self.missing, self.count)
    }

    /// Writes the report of all of them.
    ///
    /// # Errors
    ///
    /// It cannot be written, or a journal cannot be read any more.
    pub fn write(&self, out: &mut dyn Write) -> Result<Fleet> {
        let part = |(folder, journal)| Part { folder, name: folder, journal };
        let parts = self.parts.iter().map(|(folder, journal)| part((folder.as_path(), journal)));
        let parts: Vec<Part<'_>> = parts.collect();
        let mut fleet = Fleet::default();
        fleet.totals.missing_shards.clone_from(&self.missing);
        write(&parts, &mut fleet, out)?;
        Ok(fleet)
    }
}

/// Whether two runs had the same terms but for the number of the shard.
fn is_like(one: &Terms, other: &Terms) -> bool {
    Terms { shard: other.shard.clone(), ..one.clone() } == *other
}

/// A folder and its journal.
struct Part<'a> {
    folder: &'a Path,
    /// As it is to be named.
    name: &'a Path,
    journal: &'a Journal,
}

impl Part<'_> {
    /// Where the records of an outcome are, in a folder of that name.
    fn records(&self, folder: &Path, outcome: &Outcome) -> PathBuf {
        let extension = self.journal.terms().format.trim_end_matches("-raw");
        folder.join(RECORDS).join(format!("{}.{extension}", outcome.name))
    }

    /// The outcome of an input. One whose records are not there any more does not hold.
    fn outcome(&self, listed: &Listed) -> Result<Option<Outcome>> {
        let holds = |outcome: &Outcome| match &outcome.records {
            Some(written) => is_there(&self.records(self.folder, outcome), written.len),
            None => true,
        };
        Ok(self.journal.outcome(listed)?.filter(holds))
    }
}

/// The inputs of all parts, in order.
struct InOrder<'a> {
    /// Of each part what comes next, and the rest.
    parts: Vec<(Option<Listed>, Option<Listing<'a>>)>,
    /// The positions of what comes next, each with the index of its part.
    next: BinaryHeap<Reverse<(u64, usize)>>,
}

impl<'a> InOrder<'a> {
    fn of(parts: &[Part<'a>]) -> Result<InOrder<'a>> {
        let mut inputs = InOrder { parts: Vec::new(), next: BinaryHeap::new() };
        for (index, part) in parts.iter().enumerate() {
            inputs.parts.push((None, part.journal.listed()));
            inputs.read(index)?;
        }
        Ok(inputs)
    }

    /// Reads the next input of a part.
    fn read(&mut self, index: usize) -> Result<()> {
        let (next, rest) = &mut self.parts[index];
        *next = rest.as_mut().and_then(Iterator::next).transpose()?;
        self.next.extend(next.iter().map(|listed| Reverse((listed.position, index))));
        Ok(())
    }

    /// The next input, and the index of its part.
    fn next(&mut self) -> Result<Option<(Listed, usize)>> {
        let Some(Reverse((_, index))) = self.next.pop() else { return Ok(None) };
        let next = self.parts[index].0.take();
        self.read(index)?;
        Ok(next.map(|listed| (listed, index)))
    }
}

fn write(parts: &[Part<'_>], fleet: &mut Fleet, out: &mut dyn Write) -> Result<()> {
    let out = &mut inert::Json::new(out);
    let (mut inputs, mut count) = (InOrder::of(parts)?, 0);
    while let Some((listed, index)) = inputs.next()? {
        let part = &parts[index];
        count += 1;
        match part.outcome(&listed)? {
            Some(outcome) => plans(outcome, part, fleet, out)?,
            None => {
                fleet.totals.pending += 1;
                let (source, workspace) = (&listed.source, listed.workspace.as_deref());
                row(
                    &Row::Plan(PlanRow {
                        source,
                        workspace,
                        status: "pending",
                        ..PlanRow::default()
                    }),
                    out,
                )?;
            }
        }
    }
    let Fleet { totals, changed } = &*fleet;
    let all = FleetRow {
        schema_version: REPORT_VERSION,
        plansift: env!("CARGO_PKG_VERSION"),
        complete: totals.pending == 0 && totals.missing_shards.is_empty(),
        inputs: count,
        changed: *changed,
        totals,
    };
    row(&Row::Fleet(all), out)
}

/// The rows of an input.
fn plans(outcome: Outcome, part: &Part<'_>, fleet: &mut Fleet, out: &mut dyn Write) -> Result<()> {
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
                row(
                    &Row::Plan(PlanRow { status: "done", records, has_changes, summary, ..plan }),
                    out,
                )?;
                fleet.changed += u64::from(done.has_changes);
                fleet.totals.add(name, done.tally, &done.summary);
            }
            PlanResult::Error(error) => {
                row(&Row::Plan(PlanRow { status: "failed", error: Some(&error), ..plan }), out)?;
                fleet.totals.fail(name, &error);
            }
        }
    }
    Ok(())
}

fn row(row: &Row<'_>, out: &mut dyn Write) -> Result<()> {
    let written = serde_json::to_writer(&mut *out, row).map_err(io::Error::from);
    written.and_then(|()| out.write_all(b"\n")).map_err(|error| Error::io(ErrorKind::Write, error))
}
