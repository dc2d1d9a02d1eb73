//! The rows of the table: numbers, grouped by name.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::{Index, IndexMut};

use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use crate::record::ResourceChange;
use crate::record::action::effects_of_word;
use crate::record::counts::{PlanLine, Summary};
use crate::sink::short::short_group;

/// The columns of the table, from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words of the table")]
pub enum Column {
    Add,
    Change,
    Destroy,
    Replace,
    Import,
    Move,
    Forget,
    Drift,
    Checks,
    Errors,
}

impl Column {
    /// All columns, from left to right.
    pub const ALL: [Column; 10] = [
        Column::Add,
        Column::Change,
        Column::Destroy,
        Column::Replace,
        Column::Import,
        Column::Move,
        Column::Forget,
        Column::Drift,
        Column::Checks,
        Column::Errors,
    ];

    /// Returns the column that counts an action. `None` if no column does.
    pub(super) fn of(action: &str) -> Option<Column> {
        Some(match action {
            "create" => Column::Add,
            "update" => Column::Change,
            "delete" => Column::Destroy,
            "replace" => Column::Replace,
            "forget" => Column::Forget,
            _ => return None,
        })
    }

    /// Returns the names of the column: in the table, as an abbreviation, and as a heading.
    pub(in crate::sink) fn words(self) -> [&'static str; 3] {
        match self {
            Column::Add => ["add", "add", "Add"],
            Column::Change => ["change", "chg", "Change"],
            Column::Destroy => ["destroy", "del", "Destroy"],
            Column::Replace => ["replace", "rep", "Replace"],
            Column::Import => ["import", "imp", "Import"],
            Column::Move => ["move", "mov", "Move"],
            Column::Forget => ["forget", "fgt", "Forget"],
            Column::Drift => ["drift", "drf", "Drift"],
            Column::Checks => ["checks", "chk", "Failed checks"],
            Column::Errors => ["errors", "err", "Errors"],
        }
    }

    /// Whether the column counts effects of applying a plan.
    fn is_of_changes(self) -> bool {
        !matches!(self, Column::Drift | Column::Checks | Column::Errors)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<Column, u64>", into = "BTreeMap<Column, u64>")]
pub(in crate::sink) struct Counts([u64; 10]);

impl Index<Column> for Counts {
    type Output = u64;

    fn index(&self, column: Column) -> &u64 {
        &self.0[column as usize]
    }
}

impl IndexMut<Column> for Counts {
    fn index_mut(&mut self, column: Column) -> &mut u64 {
        &mut self.0[column as usize]
    }
}

impl From<BTreeMap<Column, u64>> for Counts {
    fn from(numbers: BTreeMap<Column, u64>) -> Counts {
        let mut counts = Counts::default();
        numbers.into_iter().for_each(|(column, number)| counts[column] = number);
        counts
    }
}

impl From<Counts> for BTreeMap<Column, u64> {
    fn from(counts: Counts) -> BTreeMap<Column, u64> {
        let numbers = Column::ALL.into_iter().map(|column| (column, counts[column]));
        numbers.filter(|(_, number)| *number > 0).collect()
    }
}

impl Counts {
    pub(super) fn of(summary: &Summary) -> Counts {
        let mut counts = Counts::default();
        for (action, number) in &summary.resource_changes {
            for column in effects_of_word(action).filter_map(Column::of) {
                counts[column] += number;
            }
        }
        counts[Column::Import] = summary.terraform.import;
        counts[Column::Move] = summary.moves();
        // The elements of `resource_drift` with the action `no-op` are moves.
        let drift = summary.resource_drift.iter().filter(|(action, _)| *action != "no-op");
        counts[Column::Drift] = drift.map(|(_, count)| count).sum();
        counts[Column::Checks] = summary.failed_checks();
        counts
    }

    /// Returns the counts of a change. `None` if the resource stays as it is.
    pub(super) fn of_change(change: &ResourceChange<'_>) -> Option<Counts> {
        let mut counts = Counts::default();
        for column in change.effects().filter_map(Column::of) {
            counts[column] = 1;
        }
        counts[Column::Move] = u64::from(change.moved_from().is_some());
        counts[Column::Import] = u64::from(change.importing.is_some());
        (!change.is_settled()).then_some(counts)
    }

    pub(super) fn add(&mut self, other: &Counts) {
        for (number, more) in self.0.iter_mut().zip(other.0) {
            *number += more;
        }
    }

    pub(in crate::sink) fn is_zero(&self) -> bool {
        self.0.iter().all(|&number| number == 0)
    }

    pub(in crate::sink) fn changes(&self) -> u64 {
        Column::ALL.iter().filter(|column| column.is_of_changes()).map(|&column| self[column]).sum()
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::sink) struct Row {
    pub name: Box<str>,
    pub plans: u64,
    pub resources: u64,
    #[serde(default, skip_serializing_if = "Counts::is_zero")]
    pub counts: Counts,
    /// The sum of the plan lines. Only rows of workspaces have it.
    #[serde(skip)]
    pub line: PlanLine,
    /// Whether there is a change or a problem that no column counts.
    #[serde(skip)]
    pub has_more: bool,
    /// Whether planning failed for one of the plans.
    #[serde(skip)]
    pub is_errored: bool,
    /// Whether one of the plans has no list of changes.
    #[serde(skip)]
    pub is_unlisted: bool,
    /// Whether one of the plans fails an assertion with the severity `error`.
    #[serde(skip)]
    pub fails_assertions: bool,
    /// Whether applying a plan of the row leaves changes for a later plan.
    #[serde(skip)]
    pub is_incomplete: bool,
    /// Whether the row is an input without any plan, not a workspace.
    #[serde(skip)]
    pub is_input: bool,
}

/// Whether a number is zero, for serde.
pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Row {
    /// Whether the row has nothing to show.
    pub(in crate::sink) fn is_quiet(&self) -> bool {
        self.counts.is_zero() && !self.has_more && !self.is_errored
    }

    /// Whether none of the plans could be read.
    pub(in crate::sink) fn is_unread(&self) -> bool {
        self.plans == 0 && self.counts[Column::Errors] > 0
    }

    /// Whether one of the plans that were read has, or may have, something to apply.
    pub(in crate::sink) fn has_changes(&self) -> bool {
        self.plans > 0 && (self.counts.changes() > 0 || self.has_more)
    }

    fn add(&mut self, other: &Row) {
        self.counts.add(&other.counts);
        self.line.add(&other.line);
        self.plans += other.plans;
        self.resources += other.resources;
        self.has_more |= other.has_more;
        self.is_errored |= other.is_errored;
        self.is_unlisted |= other.is_unlisted;
        self.is_incomplete |= other.is_incomplete;
        self.fails_assertions |= other.fails_assertions;
    }
}

/// The name of the row for all names beyond the maximum.
const OTHERS: &str = "(others)";

/// Rows in chunks of [`Chunks::LEN`]. A single list would be copied when it grows, and would take
/// up to three times the memory of its rows during the copy.
#[derive(Clone, Debug, Default)]
struct Chunks(Vec<Vec<Row>>);

impl Chunks {
    /// The number of rows in each chunk but the last.
    const LEN: usize = 1024;

    fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * Chunks::LEN + last.len())
    }

    fn push(&mut self, row: Row) {
        match self.0.last_mut() {
            Some(last) if last.len() < Chunks::LEN => last.push(row),
            Some(_) => {
                let mut next = Vec::with_capacity(Chunks::LEN);
                next.push(row);
                self.0.push(next);
            }
            None => self.0.push(vec![row]),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Row> {
        self.0.iter().flatten()
    }
}

impl Index<usize> for Chunks {
    type Output = Row;

    fn index(&self, index: usize) -> &Row {
        &self.0[index / Chunks::LEN][index % Chunks::LEN]
    }
}

impl IndexMut<usize> for Chunks {
    fn index_mut(&mut self, index: usize) -> &mut Row {
        &mut self.0[index / Chunks::LEN][index % Chunks::LEN]
    }
}

/// Rows by name, in order of first occurrence. The JSON form is sorted by name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<Row>", into = "Vec<Row>")]
pub(in crate::sink) struct Groups {
    rows: Chunks,
    /// Indexes of rows, keyed by the rows' names.
    indexes: HashTable<u32>,
    hasher: RandomState,
    max: usize,
    /// The row for all names beyond `max`.
    others: Row,
}

impl Default for Groups {
    fn default() -> Groups {
        Groups::new(super::GROUPS_MAX)
    }
}

impl From<Vec<Row>> for Groups {
    fn from(rows: Vec<Row>) -> Groups {
        let mut groups = Groups::default();
        for row in &rows {
            let own = if &*row.name == OTHERS { &mut groups.others } else { groups.row(&row.name) };
            own.add(row);
        }
        groups
    }
}

impl From<Groups> for Vec<Row> {
    fn from(groups: Groups) -> Vec<Row> {
        let mut rows: Vec<Row> = groups.rows().cloned().collect();
        rows.sort_by(|a, b| (&*a.name == OTHERS, &a.name).cmp(&(&*b.name == OTHERS, &b.name)));
        rows
    }
}

impl Groups {
    pub(super) fn new(max: usize) -> Groups {
        let others = Row { name: OTHERS.into(), ..Row::default() };
        let (indexes, hasher) = (HashTable::new(), RandomState::new());
        Groups { rows: Chunks::default(), indexes, hasher, max, others }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows().next().is_none()
    }

    /// Returns the row of a name. Adds a missing row up to the maximum. Beyond the maximum, all
    /// names share the row `others`.
    pub(super) fn row(&mut self, name: &str) -> &mut Row {
        let name = &*short_group(name);
        let Groups { rows, indexes, hasher, max, others } = self;
        let hash = hasher.hash_one(name);
        match indexes.find(hash, |&index| &*rows[index as usize].name == name) {
            Some(&index) => &mut rows[index as usize],
            None if rows.len() == *max => others,
            None => {
                let index = rows.len();
                rows.push(Row { name: name.into(), ..Row::default() });
                let hash_of = |&index: &u32| hasher.hash_one(&*rows[index as usize].name);
                indexes.insert_unique(hash, index as u32, hash_of);
                &mut rows[index]
            }
        }
    }

    /// Counts a resource of the current plan.
    pub(super) fn count(&mut self, name: &str, counts: &Counts) {
        let row = self.row(name);
        row.counts.add(counts);
        row.resources += 1;
        row.plans = 1;
    }

    pub(super) fn add(&mut self, plan: Groups) {
        for row in plan.rows.iter() {
            self.row(&row.name).add(row);
        }
        self.others.add(&plan.others);
    }

    /// Returns all rows in order of first occurrence.
    pub(in crate::sink) fn rows(&self) -> impl Iterator<Item = &Row> {
        let others = Some(&self.others).filter(|others| others.plans > 0 || !others.is_quiet());
        self.rows.iter().chain(others)
    }
}

/// Returns the name of a provider without the default registry of Terraform or OpenTofu.
pub(in crate::sink) fn without_registry(provider: &str) -> &str {
    let registries = ["registry.terraform.io/", "registry.opentofu.org/"];
    registries.iter().find_map(|registry| provider.strip_prefix(registry)).unwrap_or(provider)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::short::GROUP_MAX;

    #[test]
    fn rows_in_several_chunks_are_found_again() {
        let mut groups = Groups::new(usize::MAX);
        let name = |number: usize| format!("name {number}");
        for number in (0..3 * Chunks::LEN).chain(0..3 * Chunks::LEN) {
            groups.row(&name(number)).plans += 1;
        }
        let rows: Vec<_> = groups.rows().map(|row| (row.name.to_string(), row.plans)).collect();
        assert_eq!(rows, (0..3 * Chunks::LEN).map(|number| (name(number), 2)).collect::<Vec<_>>());
        assert_eq!(groups.rows.len(), 3 * Chunks::LEN);
    }

    #[test]
    fn groups_beyond_the_limit_share_one_row() {
        let mut counts = Counts::default();
        counts[Column::Add] = 1;
        let mut groups = Groups::new(2);
        for name in ["a", "b", "c", "d", "a"] {
            groups.count(name, &counts);
        }
        let mut all = Groups::new(1);
        all.add(groups);
        let rows: Vec<_> = all.rows().map(|row| (&*row.name, row.resources)).collect();
        assert_eq!(rows, [("a", 2), ("(others)", 3)]);
        let mut groups = Groups::new(2);
        for long in ["1", "2"].map(|end| "é".repeat(GROUP_MAX) + end) {
            assert!(groups.row(&long).name.len() < GROUP_MAX);
        }
        assert_eq!(groups.rows.len(), 2);
    }
}
