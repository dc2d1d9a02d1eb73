//! Writes the report of a batch from the journals of one folder or of all shards, or one report of
//! several batches. The run may be complete, in progress or killed.
//!
//! The report has a row for each plan, in the order of the inputs, and then the `fleet` row with
//! the totals. A report without the `fleet` row is incomplete. Only the totals are held in memory;
//! inputs and outcomes are read one by one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::path::{Path, PathBuf};

use super::fault::FolderFault;
use super::folder::{Folder, RECORDS, REPORT, is_there, read_journal};
use super::journal::{Journal, Listed, Listing, Terms};
use super::outcome::{JournaledPlan, Outcome, PlanResult};
use super::shard::Shard;
use crate::source::Key;
use plansift_core::error::{Error, Result};
use plansift_plan::record::{BatchPlan, Label, Record, Sink};
use plansift_plan::sink::ndjson::Ndjson;
use plansift_report::fleet::Totals;

/// The version of the rows' format. Adding a key does not change it.
pub const REPORT_VERSION: u32 = 1;

/// The totals of a report.
#[derive(Debug, Default)]
pub struct Fleet {
    /// The totals in the `fleet` row.
    pub totals: Totals,
    /// The number of plans that change anything.
    pub changed: u64,
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
    let part = JournalFolder::of(folder);
    folder.replace(REPORT, |out| write(&[&[part]], &mut fleet, &mut Ndjson::new(out)))?;
    Ok(fleet)
}

/// The folders of the shards of one batch, or of several batches that have no shards.
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
    /// Fails if a folder is not the output of a batch, or does not fit the others: it has other
    /// options or another number of shards, or repeats an input. Returns the folder and the error.
    pub fn open(folders: &[PathBuf]) -> std::result::Result<Shards, (PathBuf, Error)> {
        let mut parts: Vec<(PathBuf, Journal)> = Vec::new();
        let mut numbers: Vec<u32> = Vec::new();
        let (mut names, mut positions) = (HashSet::new(), HashSet::new());
        let mut count = 1;
        for folder in folders {
            let refused = |error| (folder.clone(), error);
            let problem = |fault: FolderFault| refused(Error::new(fault));
            let journal = read_journal(folder).map_err(refused)?;
            let shard = Shard::parse(&journal.terms().shard).map_err(refused)?;
            if let Some((_, first)) = parts.first()
                && (shard.count != count || !is_like(journal.terms(), first.terms()))
            {
                return Err(problem(FolderFault::OtherShards));
            }
            if count > 1 && numbers.contains(&shard.number) {
                return Err(problem(FolderFault::ShardTwice));
            }
            let Some(listed) = journal.listed() else {
                return Err(problem(FolderFault::NoInputs));
            };
            for listed in listed {
                let listed = listed.map_err(refused)?;
                if !names.insert(Key::of(listed.name.as_bytes())) {
                    return Err(problem(FolderFault::SourceTwice));
                }
                // Two shards of the same batch never share a position.
                if shard.count > 1 && !positions.insert(listed.position) {
                    return Err(problem(FolderFault::OtherShards));
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

    /// Sends the rows of the report of all folders to `sink`, and returns the totals.
    ///
    /// # Errors
    ///
    /// Fails if the sink fails, or if a journal can no longer be read.
    pub fn write(&self, sink: &mut dyn Sink) -> Result<Fleet> {
        let part = |(folder, journal)| JournalFolder { folder, name: folder, journal };
        let parts = self.parts.iter().map(|(folder, journal)| part((folder.as_path(), journal)));
        let parts: Vec<JournalFolder<'_>> = parts.collect();
        let mut fleet = Fleet::default();
        fleet.totals.inputs.missing_shards.clone_from(&self.missing);
        // Without shards, each folder is a batch.
        let folders_of_batch = if self.count == 1 { 1 } else { parts.len() };
        let batches: Vec<_> = parts.chunks(folders_of_batch).collect();
        write(&batches, &mut fleet, sink)?;
        Ok(fleet)
    }
}

/// Whether two runs have the same terms, apart from the shard.
fn is_like(one: &Terms, other: &Terms) -> bool {
    Terms { shard: other.shard.clone(), ..one.clone() } == *other
}

/// The folder of a batch, with its journal.
pub(super) struct JournalFolder<'a> {
    folder: &'a Path,
    name: &'a Path,
    journal: &'a Journal,
}

impl<'a> JournalFolder<'a> {
    /// Returns the folder of a run. The report names its files relative to the folder.
    pub(super) fn of(folder: &'a Folder) -> JournalFolder<'a> {
        JournalFolder { folder: folder.path(), name: Path::new(""), journal: folder.journal() }
    }

    /// Returns the path of an outcome's record file below `folder`.
    fn records(&self, folder: &Path, outcome: &Outcome) -> PathBuf {
        let extension = self.journal.terms().format.trim_end_matches("-raw");
        folder.join(RECORDS).join(format!("{}.{extension}", outcome.name))
    }

    /// Returns the outcome of an input; `None` if there is none, or if its record file is missing.
    pub(super) fn outcome(&self, listed: &Listed) -> Result<Option<Outcome>> {
        let holds = |outcome: &Outcome| match &outcome.records {
            Some(written) => is_there(&self.records(self.folder, outcome), written.len),
            None => true,
        };
        Ok(self.journal.outcome(listed)?.filter(holds))
    }
}

/// Merges the inputs of the shards of a batch by position.
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

/// Writes the rows of batches, one after the other, and the totals of all of them.
fn write(batches: &[&[JournalFolder<'_>]], fleet: &mut Fleet, sink: &mut dyn Sink) -> Result<()> {
    let mut count = 0;
    for parts in batches {
        count += write_batch(parts, fleet, sink)?;
    }
    let Fleet { totals, changed } = &*fleet;
    sink.record(&Record::Fleet(totals.record(REPORT_VERSION, count, *changed)))?;
    sink.finish()
}

/// Writes the rows of a batch. Returns the number of its inputs.
fn write_batch(parts: &[JournalFolder<'_>], fleet: &mut Fleet, sink: &mut dyn Sink) -> Result<u64> {
    let (mut inputs, mut count) = (InOrder::of(parts)?, 0);
    while let Some((listed, index)) = inputs.next()? {
        let part = &parts[index];
        count += 1;
        match part.outcome(&listed)? {
            Some(outcome) => plans(outcome, part, fleet, sink)?,
            None => {
                let (source, workspace) = (&listed.source, listed.workspace.as_deref());
                fleet.totals.wait(Label { source, workspace });
                let plan =
                    BatchPlan { source, workspace, status: "pending", ..BatchPlan::default() };
                sink.record(&Record::BatchPlan(plan))?;
            }
        }
    }
    Ok(count)
}

/// Writes the rows of an input.
fn plans(
    outcome: Outcome,
    part: &JournalFolder<'_>,
    fleet: &mut Fleet,
    sink: &mut dyn Sink,
) -> Result<()> {
    let file = part.records(part.name, &outcome);
    let file = file.to_string_lossy();
    let records = outcome.records.is_some().then_some(&*file);
    for JournaledPlan { source, workspace, result } in outcome.plans {
        let workspace = workspace.as_deref();
        let name = workspace.unwrap_or(&source);
        let plan = BatchPlan { source: &source, workspace, ..BatchPlan::default() };
        match result {
            PlanResult::Done(done) => {
                let (has_changes, summary) = (Some(done.has_changes), Some(&done.summary));
                let failed_assertions = &*done.failed_assertions;
                let digest = done.digest.as_deref();
                let plan = BatchPlan { has_changes, summary, digest, failed_assertions, ..plan };
                sink.record(&Record::BatchPlan(BatchPlan { status: "done", records, ..plan }))?;
                for failed in failed_assertions {
                    fleet.totals.fail_assertion(name, failed);
                }
                fleet.changed += u64::from(done.has_changes);
                fleet.totals.add(name, done.tally, &done.summary);
            }
            PlanResult::Error(error) => {
                let plan = BatchPlan { status: "failed", error: Some(&error), ..plan };
                sink.record(&Record::BatchPlan(plan))?;
                fleet.totals.fail(Label { source: &source, workspace }, &error);
            }
        }
    }
    Ok(())
}
