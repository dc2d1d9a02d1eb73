//! Reads the records of a finished batch again, sorted by workspace.
//!
//! The journal says which record files are valid. So the result depends only on the outcomes of the
//! inputs, and not on the order in which the run, or several runs, finished them. In memory are the
//! names of all inputs and one record.

use std::fs::File;
use std::io::{BufRead, BufReader};

use super::folder::Folder;
use super::journal::Listed;
use super::outcome::{JournaledPlan, PlanResult};
use super::regular;
use super::report::JournalFolder;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::record::Label;

/// A part of the result of a batch.
#[derive(Debug)]
pub enum Item<'a> {
    /// A line of a record file, without the line feed.
    Line(&'a [u8]),
    /// A plan that failed: its names and its error.
    Failed(Label<'a>, &'a str),
    /// An input without a result.
    Pending(Label<'a>),
}

/// Reads the result of a batch whose records are NDJSON. The inputs are sorted by workspace and
/// then by name. The lines of an input come before its failed plans.
///
/// # Errors
///
/// Fails if the journal or a record file cannot be read, or with the first error of `take`.
pub fn read(folder: &Folder, take: &mut dyn FnMut(Item<'_>) -> Result<()>) -> Result<()> {
    let listing = folder.journal().listed().into_iter().flatten();
    let mut inputs = listing.collect::<Result<Vec<Listed>>>()?;
    let order = |input: &Listed| (input.workspace.clone(), input.source.clone(), input.position);
    inputs.sort_by_cached_key(order);
    let results = JournalFolder::of(folder);
    let mut line = Vec::new();
    for input in inputs {
        let Some(outcome) = results.outcome(&input)? else {
            let (source, workspace) = (&*input.source, input.workspace.as_deref());
            take(Item::Pending(Label { source, workspace }))?;
            continue;
        };
        if outcome.records.is_some() {
            let name = folder.records_name(&outcome.name);
            let options = &mut File::options();
            let file = regular::open(folder.path(), &name, options.read(true), ErrorKind::Read)?;
            let mut lines = BufReader::new(file);
            while lines.read_until(b'\n', &mut line).map_err(Error::read)? > 0 {
                take(Item::Line(line.trim_ascii_end()))?;
                line.clear();
            }
        }
        for JournaledPlan { source, workspace, result } in &outcome.plans {
            if let PlanResult::Error(error) = result {
                let workspace = workspace.as_deref();
                take(Item::Failed(Label { source, workspace }, error))?;
            }
        }
    }
    Ok(())
}
