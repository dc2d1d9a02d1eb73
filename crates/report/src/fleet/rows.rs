//! The rows of the table: numbers, grouped by name.

use std::hash::{BuildHasher, RandomState};
use std::ops::{Index, IndexMut};

use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use crate::short::short_group;
use plansift_plan::record::{ChangeCounts, FleetRow};

/// The name of the row for all names beyond the maximum.
const OTHERS: &str = "(others)";

/// Rows in chunks of [`Chunks::LEN`]. A single list would be copied when it grows, and would take
/// up to three times the memory of its rows during the copy.
#[derive(Clone, Debug, Default)]
struct Chunks(Vec<Vec<FleetRow>>);

impl Chunks {
    /// The number of rows in each chunk but the last.
    const LEN: usize = 1024;

    fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * Chunks::LEN + last.len())
    }

    fn push(&mut self, row: FleetRow) {
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

    fn iter(&self) -> impl Iterator<Item = &FleetRow> {
        self.0.iter().flatten()
    }
}

impl Index<usize> for Chunks {
    type Output = FleetRow;

    fn index(&self, index: usize) -> &FleetRow {
        &self.0[index / Chunks::LEN][index % Chunks::LEN]
    }
}

impl IndexMut<usize> for Chunks {
    fn index_mut(&mut self, index: usize) -> &mut FleetRow {
        &mut self.0[index / Chunks::LEN][index % Chunks::LEN]
    }
}

/// Rows by name, in order of first occurrence. The JSON form is sorted by name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<FleetRow>", into = "Vec<FleetRow>")]
pub(crate) struct Groups {
    rows: Chunks,
    /// Indexes of rows, keyed by the rows' names.
    indexes: HashTable<u32>,
    hasher: RandomState,
    max: usize,
    /// The row for all names beyond `max`.
    others: FleetRow,
}

impl Default for Groups {
    fn default() -> Groups {
        Groups::new(super::GROUPS_MAX)
    }
}

impl From<Vec<FleetRow>> for Groups {
    fn from(rows: Vec<FleetRow>) -> Groups {
        let mut groups = Groups::default();
        for row in &rows {
            let own = if &*row.name == OTHERS { &mut groups.others } else { groups.row(&row.name) };
            own.add(row);
        }
        groups
    }
}

impl From<Groups> for Vec<FleetRow> {
    fn from(groups: Groups) -> Vec<FleetRow> {
        groups.by_name().into_iter().cloned().collect()
    }
}

impl Groups {
    pub(super) fn new(max: usize) -> Groups {
        let others = FleetRow { name: OTHERS.into(), ..FleetRow::default() };
        let (indexes, hasher) = (HashTable::new(), RandomState::new());
        Groups { rows: Chunks::default(), indexes, hasher, max, others }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows().next().is_none()
    }

    /// Returns the row of a name. Adds a missing row up to the maximum. Beyond the maximum, all
    /// names share the row `others`.
    pub(super) fn row(&mut self, name: &str) -> &mut FleetRow {
        let name = &*short_group(name);
        let Groups { rows, indexes, hasher, max, others } = self;
        let hash = hasher.hash_one(name);
        match indexes.find(hash, |&index| &*rows[index as usize].name == name) {
            Some(&index) => &mut rows[index as usize],
            None if rows.len() == *max => others,
            None => {
                let index = rows.len();
                rows.push(FleetRow { name: name.into(), ..FleetRow::default() });
                let hash_of = |&index: &u32| hasher.hash_one(&*rows[index as usize].name);
                indexes.insert_unique(hash, index as u32, hash_of);
                &mut rows[index]
            }
        }
    }

    /// ChangeCounts a resource of the current plan.
    pub(super) fn count(&mut self, name: &str, counts: &ChangeCounts) {
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

    /// Returns all rows, sorted by name.
    pub(super) fn by_name(&self) -> Vec<&FleetRow> {
        let mut rows: Vec<&FleetRow> = self.rows().collect();
        rows.sort_by(|a, b| (&*a.name == OTHERS, &a.name).cmp(&(&*b.name == OTHERS, &b.name)));
        rows
    }

    /// Returns all rows in order of first occurrence.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &FleetRow> {
        let others = Some(&self.others).filter(|others| others.plans > 0 || !others.is_quiet());
        self.rows.iter().chain(others)
    }
}

/// Returns the name of a provider without the default registry of Terraform or OpenTofu.
pub(crate) fn without_registry(provider: &str) -> &str {
    let registries = ["registry.terraform.io/", "registry.opentofu.org/"];
    registries.iter().find_map(|registry| provider.strip_prefix(registry)).unwrap_or(provider)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::short::GROUP_MAX;
    use plansift_plan::record::Column;

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
        let mut counts = ChangeCounts::default();
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
