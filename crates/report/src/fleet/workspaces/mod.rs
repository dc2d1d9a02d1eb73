//! The workspaces of a fleet, the most severe first: on their own, or compared with an earlier run.
//!
//! On its own, a run is compared with a run in which each workspace is in its desired state. So
//! both lists have the same classes: failures, destroys, planned changes, drift. Terminal, Markdown
//! and HTML lay them out.
//!
//! Workspaces beyond [`WORKSPACES_MAX`](super::WORKSPACES_MAX) are one row.

mod term;

use std::cmp::Reverse;
use std::collections::HashMap;

pub(crate) use self::term::capitalized;
use super::{Failure, Totals};
use crate::phrase::counted;
use plansift_core::error::Result;
use plansift_plan::record::{
    BatchComparison, BeforeAfter, Column, ComparedWorkspace, FleetRow, Record, Transition,
    TransitionCounts, WorkspaceCounts,
};
use plansift_plan::sink::Sink;

/// The workspaces of a run, sorted.
#[derive(Debug)]
pub struct Workspaces<'t> {
    /// The earlier run; `None` if there is none.
    pub(crate) before: Option<&'t Totals>,
    pub(crate) after: &'t Totals,
    /// The workspaces, the most severe first.
    pub(crate) rows: Vec<Workspace<'t>>,
    pub(crate) counts: TransitionCounts,
    /// The number of workspaces with more planned changes, more drift, or both.
    drifted: u64,
}

/// A workspace.
#[derive(Debug)]
pub(crate) struct Workspace<'t> {
    pub name: &'t str,
    /// The counts in the earlier run, if it has the workspace.
    before: Option<&'t FleetRow>,
    /// The counts in the run, if it has the workspace.
    after: Option<&'t FleetRow>,
    /// How the workspace differs, the most severe first; at least one.
    pub transitions: Vec<Transition>,
}

impl<'t> Workspaces<'t> {
    /// Sorts the workspaces of a run.
    pub fn of(run: &'t Totals) -> Workspaces<'t> {
        let rows = run.groups.workspaces.rows();
        let rows = rows.map(|row| Workspace::of(&row.name, None, Some(row)));
        let rows = rows.map(|mut row| {
            row.transitions.retain(|transition| *transition != Transition::New);
            if row.transitions.is_empty() {
                row.transitions.push(Transition::Unchanged);
            }
            row
        });
        Workspaces::sorted(None, run, rows.collect())
    }

    /// Compares two runs.
    pub fn since(before: &'t Totals, after: &'t Totals) -> Workspaces<'t> {
        let earlier = before.groups.workspaces.rows();
        let mut earlier: HashMap<&str, &FleetRow> = earlier.map(|row| (&*row.name, row)).collect();
        let rows = after.groups.workspaces.rows();
        let mut rows: Vec<Workspace<'_>> = rows
            .map(|row| Workspace::of(&row.name, earlier.remove(&*row.name), Some(row)))
            .collect();
        let gone = earlier.into_iter();
        rows.extend(gone.map(|(name, row)| Workspace::of(name, Some(row), None)));
        Workspaces::sorted(Some(before), after, rows)
    }

    fn sorted(
        before: Option<&'t Totals>,
        after: &'t Totals,
        mut rows: Vec<Workspace<'t>>,
    ) -> Workspaces<'t> {
        rows.sort_by_cached_key(Workspace::weight);
        let mut counts = TransitionCounts::default();
        let transitions = rows.iter().flat_map(|row| &row.transitions);
        transitions.for_each(|transition| counts.count(*transition));
        let drifted = rows.iter().filter(|row| row.drifts_more()).count() as u64;
        Workspaces { before, after, rows, counts, drifted }
    }

    /// Whether a workspace has new failures, destroys, planned changes or drift.
    pub fn has_news(&self) -> bool {
        self.rows.first().is_some_and(|row| row.worst() <= Transition::NewDrift)
    }

    /// Sends a record of each workspace to `sink`, and a record of the totals.
    ///
    /// # Errors
    ///
    /// Fails if the sink fails.
    pub fn write(&self, schema_version: u32, sink: &mut dyn Sink) -> Result<()> {
        let errors = self.errors();
        for row in &self.rows {
            let of = |row: Option<&FleetRow>| row.map(WorkspaceCounts::from);
            sink.record(&Record::ComparedWorkspace(ComparedWorkspace {
                workspace: row.name,
                transitions: &row.transitions,
                error: errors.get(row.name).copied(),
                before: of(row.before),
                after: of(row.after),
            }))?;
        }
        sink.record(&Record::BatchComparison(self.record(schema_version)))
    }

    /// Returns the first error of each workspace.
    fn errors(&self) -> HashMap<&str, &str> {
        let mut errors: HashMap<&str, &str> = HashMap::new();
        for Failure { source, workspace, error } in &self.after.failures {
            errors.entry(workspace.as_ref().unwrap_or(source)).or_insert(error);
        }
        errors
    }

    fn record(&self, schema_version: u32) -> BatchComparison {
        let runs = || self.before.into_iter().chain([self.after]);
        BatchComparison {
            schema_version,
            plansift: env!("CARGO_PKG_VERSION"),
            complete: runs().all(Totals::is_complete),
            workspaces: self.both(|_| 1),
            drifted_workspaces: self.drifted_workspaces(),
            planned_changes: self.both(|row| row.counts.changes()),
            drift: self.both(|row| row.counts[Column::Drift]),
            new_planned_changes_or_drift: self.drifted,
            transitions: self.counts,
        }
    }

    /// Returns the sums of a number of each workspace, in both runs.
    fn both(&self, number: impl Fn(&FleetRow) -> u64) -> BeforeAfter {
        let before = self.rows.iter().filter_map(|row| row.before).map(&number).sum();
        BeforeAfter {
            before,
            after: self.rows.iter().filter_map(|row| row.after).map(number).sum(),
        }
    }

    /// Returns the number of workspaces with planned changes or drift, in both runs.
    fn drifted_workspaces(&self) -> BeforeAfter {
        self.both(|row| u64::from(drifts(row)))
    }

    /// Returns the transitions of some workspace, the most severe first.
    pub(crate) fn transitions(&self) -> impl Iterator<Item = (Transition, u64)> {
        let numbers = Transition::ALL.map(|transition| (transition, self.counts.of(transition)));
        numbers.into_iter().filter(|(_, number)| *number > 0)
    }

    /// Returns the words for a transition. A run on its own is not compared with another one.
    pub(crate) fn words(&self, transition: Transition) -> &'static str {
        let [of_run, since] = match transition {
            Transition::NewFailure => ["failures", "new failures"],
            Transition::NewDestroys => ["destroys", "new destroys"],
            Transition::NewPlannedChanges => ["planned changes", "new planned changes"],
            Transition::NewDrift => ["drift", "new drift"],
            Transition::StillFailing => ["failures", "still failing"],
            Transition::Pending => ["not done yet", "not processed in a run"],
            Transition::Gone => ["gone"; 2],
            Transition::New => ["new"; 2],
            Transition::FewerChanges => ["fewer changes"; 2],
            Transition::Recovered => ["recovered"; 2],
            Transition::Unchanged => ["in the desired state", "unchanged"],
        };
        if self.before.is_some() { since } else { of_run }
    }

    /// Returns the words for the transitions of a workspace, and remarks on its plans.
    pub(crate) fn remarks(&self, row: &Workspace<'_>) -> String {
        let words = row.transitions.iter().map(|transition| self.words(*transition));
        let words = words.collect::<Vec<_>>().join(", ");
        let notes: Vec<&str> = row.problems().into_iter().chain(row.other_changes()).collect();
        if notes.is_empty() { words } else { format!("{words}: {}", notes.join(", ")) }
    }

    /// Returns sentences about the workspaces that are away from their desired state.
    pub(crate) fn state_sentences(&self) -> Vec<String> {
        let before = |words: String| match self.before {
            Some(_) => format!(" (before: {words})"),
            None => String::new(),
        };
        let [all, drifted] = [self.both(|_| 1), self.drifted_workspaces()];
        let away = format!(
            "Away from the desired state: {} of {}{}.",
            drifted.after,
            counted(all.after, "workspace"),
            before(format!("{} of {}", drifted.before, all.before)),
        );
        let is_unknown = |row: &FleetRow| !drifts(row) && (row.lacks_counts() || row.is_pending);
        let unknown = match self.both(|row| u64::from(is_unknown(row))).after {
            0 => String::new(),
            unknown => format!(" Not known: {unknown}."),
        };
        let [planned, drift] =
            [self.both(|row| row.counts.changes()), self.both(|row| row.counts[Column::Drift])];
        let [planned, drift] = [planned, drift]
            .map(|number| format!("{}{}", number.after, before(number.before.to_string())));
        let more =
            || format!("More planned changes or drift: {}.", counted(self.drifted, "workspace"));
        let mut sentences = vec![
            away + &unknown,
            format!("Planned changes: {planned}. Drifted resources: {drift}."),
        ];
        sentences.extend(self.before.map(|_| more()));
        sentences
    }

    /// Returns the columns with a number in some row.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let has_number = |column: &Column| {
            let rows = self.rows.iter().flat_map(|row| [row.before, row.after]).flatten();
            rows.into_iter().any(|row| row.counts[*column] > 0)
        };
        Column::ALL.into_iter().filter(has_number).collect()
    }

    /// Returns the warnings about both runs.
    pub(crate) fn warnings(&self, columns: usize) -> Vec<String> {
        let mut warnings = self.after.warnings(columns);
        if self.before.is_some_and(|before| !before.is_complete()) {
            warnings.push("The earlier run is not complete.".to_owned());
        }
        warnings
    }
}

impl<'t> Workspace<'t> {
    fn of(
        name: &'t str,
        before: Option<&'t FleetRow>,
        after: Option<&'t FleetRow>,
    ) -> Workspace<'t> {
        let holds = holding(before, after);
        let mut transitions: Vec<Transition> = Transition::ALL.into_iter().filter(holds).collect();
        if transitions.is_empty() {
            transitions.push(Transition::Unchanged);
        }
        Workspace { name, before, after, transitions }
    }

    /// Returns the most severe transition.
    pub fn worst(&self) -> Transition {
        self.transitions.first().copied().unwrap_or(Transition::Unchanged)
    }

    /// Returns the sort key: the most severe transition, the additional destroys, the additional
    /// changes and drift, and the name.
    fn weight(&self) -> (Transition, Reverse<[u64; 2]>, &'t str) {
        let more = |number: fn(&FleetRow) -> u64| {
            let [before, after] = [self.before, self.after].map(|row| row.map_or(0, number));
            after.saturating_sub(before)
        };
        let destroys = more(|row| row.counts[Column::Destroy] + row.counts[Column::Replace]);
        let drifted = more(|row| row.counts.changes() + row.counts[Column::Drift]);
        (self.worst(), Reverse([destroys, drifted]), self.name)
    }

    fn drifts_more(&self) -> bool {
        let drifts = [Transition::NewPlannedChanges, Transition::NewDrift];
        self.transitions.iter().any(|transition| drifts.contains(transition))
    }

    /// Returns the numbers in a column, of the earlier run and of the run. A run that did not read
    /// the workspace has no number, except of its errors.
    fn numbers(&self, column: Column) -> [Option<u64>; 2] {
        let is_known = |row: &&FleetRow| row.plans > 0 || column == Column::Errors;
        [self.before, self.after].map(|row| Some(row.filter(is_known)?.counts[column]))
    }

    /// Returns the numbers in a column as text. A zero becomes a dot.
    pub fn cell(&self, column: Column) -> String {
        match self.numbers(column) {
            [Some(before), Some(after)] if before != after => format!("{before} → {after}"),
            [_, Some(0) | None] => "·".to_owned(),
            [_, Some(after)] => after.to_string(),
        }
    }

    /// Returns a remark on a workspace with planned changes that no column counts.
    pub fn other_changes(&self) -> Option<&'static str> {
        let has_others = |row: &FleetRow| row.has_changes() && row.counts.changes() == 0;
        let is_known = |row: &&FleetRow| !row.lacks_counts() && row.counts[Column::Drift] == 0;
        self.after.filter(is_known).filter(|row| has_others(row)).map(|_| "not of resources")
    }

    /// Returns what is wrong with the plans of the run.
    pub fn problems(&self) -> Vec<&'static str> {
        let Some(row) = self.after else { return Vec::new() };
        let problems = [
            (row.counts[Column::Errors] > 0, "not read"),
            (row.is_errored, "planning failed"),
            (row.is_unlisted, "no list of changes"),
            (row.counts[Column::Checks] > 0, "checks failed"),
            (row.fails_assertions, "assertions failed"),
        ];
        problems.into_iter().filter_map(|(holds, words)| holds.then_some(words)).collect()
    }
}

/// Whether a workspace has planned changes or drift.
fn drifts(row: &FleetRow) -> bool {
    let is_known = !row.lacks_counts() && !row.is_pending;
    row.counts.changes() + row.counts[Column::Drift] > 0 || (is_known && row.has_changes())
}

/// Returns a predicate: whether a workspace with these counts has a transition. A missing earlier
/// row counts as a row without changes.
fn holding(before: Option<&FleetRow>, after: Option<&FleetRow>) -> impl Fn(&Transition) -> bool {
    let empty = FleetRow::default();
    let [old, new] = [before, after].map(|row| row.unwrap_or(&empty));
    let rises = |column: Column| new.counts[column] > old.counts[column];
    let falls = |column: Column| new.counts[column] < old.counts[column];
    let changes = || Column::ALL.into_iter().filter(|column| column.is_of_changes());
    let [failed, fails] = [old, new].map(FleetRow::fails);
    let is_pending = old.is_pending || new.is_pending;
    let lacks_counts = old.lacks_counts() || new.lacks_counts() || is_pending;
    let fails_more = (new.lacks_counts() && !old.lacks_counts())
        || (new.fails_assertions && !old.fails_assertions)
        || [Column::Errors, Column::Checks].into_iter().any(rises);
    let drifts = rises(Column::Drift);
    // Changes that no column counts, such as changes to outputs.
    let has_others = new.has_changes() && !old.has_changes() && !new.lacks_counts() && !drifts;
    let changes_more = changes().any(rises) || has_others;
    let has_less =
        (old.has_changes() && !new.has_changes()) || changes().chain([Column::Drift]).any(falls);
    let recovers = failed && !fails && !new.is_pending;
    let [is_new, is_gone] = [before.is_none(), after.is_none()];
    let destroys = [Column::Destroy, Column::Replace].into_iter().any(rises);
    move |transition| match transition {
        Transition::Gone => is_gone,
        _ if is_gone => false,
        Transition::NewFailure => fails_more,
        Transition::NewDestroys => destroys,
        Transition::NewPlannedChanges => changes_more,
        Transition::NewDrift => drifts,
        Transition::StillFailing => fails && failed && !fails_more,
        Transition::Pending => is_pending,
        Transition::New => is_new,
        Transition::FewerChanges => has_less && !changes_more && !drifts && !lacks_counts,
        Transition::Recovered => recovers,
        Transition::Unchanged => false,
    }
}
