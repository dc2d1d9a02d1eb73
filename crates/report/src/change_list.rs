//! A list of changes that stops after a number of lines. The most severe changes come first.

/// A change in a list. The format of the report quoted the strings from the plan.
#[derive(Clone, Debug)]
pub(crate) struct ListedChange {
    /// The name of the plan, if there are several.
    pub plan: Option<String>,
    /// Terraform's symbol of the action.
    pub symbol: &'static str,
    pub name: String,
    /// What happens to the resource, and why.
    pub phrase: String,
}

/// The first changes of each rank, and the number of all changes.
#[derive(Debug)]
pub(crate) struct ChangeList<C = ListedChange> {
    ranks: Vec<Rank<C>>,
    count: u64,
    /// The count at the end of the last plan.
    mark: u64,
}

/// The first changes of a rank.
#[derive(Debug)]
struct Rank<C> {
    changes: Vec<C>,
    /// Maximum length of the list up to this rank.
    max: usize,
    /// The number of changes at the end of the last plan.
    mark: usize,
}

impl<C> ChangeList<C> {
    /// Creates an empty list. `maxes` has the maximum length of the list up to each rank.
    pub fn new(maxes: &[usize]) -> ChangeList<C> {
        let rank = |&max: &usize| Rank { changes: Vec::new(), max, mark: 0 };
        ChangeList { ranks: maxes.iter().map(rank).collect(), count: 0, mark: 0 }
    }

    /// Counts a change of a rank. `listed` returns its line in the list.
    pub fn note(&mut self, rank: usize, listed: impl FnOnce() -> C) {
        self.count += 1;
        let Rank { changes, max, .. } = &mut self.ranks[rank];
        if changes.len() < *max {
            changes.push(listed());
        }
    }

    /// Marks the end of a plan.
    pub fn mark(&mut self) {
        self.mark = self.count;
        self.ranks.iter_mut().for_each(|rank| rank.mark = rank.changes.len());
    }

    /// Drops the changes since the last mark: their plan failed.
    pub fn forget(&mut self) {
        self.count = self.mark;
        self.ranks.iter_mut().for_each(|rank| rank.changes.truncate(rank.mark));
    }

    /// Returns the number of all changes.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the changes that the list names.
    pub fn changes(&self) -> impl Iterator<Item = &C> {
        let room = self.ranks.iter().scan(0, |listed, rank| {
            let taken = rank.changes.len().min(rank.max.saturating_sub(*listed));
            *listed += taken;
            Some(&rank.changes[..taken])
        });
        room.flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str) -> ListedChange {
        ListedChange { plan: None, symbol: "-", name: name.to_owned(), phrase: String::new() }
    }

    fn names(list: &ChangeList) -> Vec<&str> {
        list.changes().map(|change| change.name.as_str()).collect()
    }

    #[test]
    fn a_later_rank_gets_the_room_that_is_left() {
        let mut list = ChangeList::new(&[3, 2]);
        for (rank, name) in [(1, "a"), (1, "b"), (1, "c"), (0, "d")] {
            list.note(rank, || change(name));
        }
        assert_eq!((names(&list), list.count()), (vec!["d", "a"], 4));
        for name in ["e", "f", "g"] {
            list.note(0, || change(name));
        }
        assert_eq!((names(&list), list.count()), (vec!["d", "e", "f"], 7));
    }

    #[test]
    fn the_changes_of_a_failed_plan_are_dropped() {
        let mut list = ChangeList::new(&[3]);
        list.note(0, || change("a"));
        list.mark();
        list.note(0, || change("b"));
        list.forget();
        list.note(0, || change("c"));
        assert_eq!((names(&list), list.count()), (vec!["a", "c"], 2));
    }
}
