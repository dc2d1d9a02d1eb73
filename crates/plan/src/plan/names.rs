//! Checks that no member name of an object occurs twice.
//!
//! Terraform and OpenTofu write names in sorted order. In this order, a comparison with the last
//! name is enough, so the number of sorted names is unlimited. A later name may break the order, so
//! `Names` keeps the digests of the first [`Limits::names`] names. Digests have 64 bits and a
//! random key: the chance that two of a million names collide is one in thirty million.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::limits::{Limit, Limits};

/// The names seen so far in one object.
#[derive(Debug, Default)]
pub(super) struct Names {
    keyed: RandomState,
    digests: HashSet<u64>,
    last: Option<String>,
    /// True while all names are in sorted order.
    is_ordered: bool,
    count: u64,
}

impl Names {
    /// Starts a new object.
    pub(super) fn clear(&mut self) {
        self.digests.clear();
        (self.last, self.is_ordered, self.count) = (None, true, 0);
    }

    /// Records a name at an offset of the input. Fails if the name occurred before, or if there are
    /// too many names in unsorted order.
    pub(super) fn note(&mut self, name: &str, offset: u64, limits: &Limits) -> Result<()> {
        self.is_ordered &= self.last.as_deref().is_none_or(|last| last < name);
        if !self.is_ordered && self.count >= limits.names {
            return Err(Error::limit(Limit::Names, limits.names, offset));
        }
        if self.count < limits.names && !self.digests.insert(self.keyed.hash_one(name)) {
            return Err(Error::at(ErrorKind::DuplicateKey, offset));
        }
        self.count += 1;
        name.clone_into(self.last.get_or_insert_default());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(names: &[&str], max: u64) -> Vec<Option<ErrorKind>> {
        let limits = Limits { names: max, ..Limits::default() };
        let mut noted = Names::default();
        noted.clear();
        names.iter().map(|name| noted.note(name, 0, &limits).err().map(|it| it.kind())).collect()
    }

    #[test]
    fn a_duplicate_name_is_an_error() {
        let twice = Some(ErrorKind::DuplicateKey);
        assert_eq!(kinds(&["a", "b", "b"], 9), [None, None, twice]);
        assert_eq!(kinds(&["b", "a", "c", "a"], 9), [None, None, None, twice]);
        assert_eq!(kinds(&["", ""], 9), [None, twice]);
    }

    #[test]
    fn sorted_names_do_not_count_toward_the_limit() {
        let limit = Some(ErrorKind::Limit { limit: Limit::Names, value: 2 });
        assert_eq!(kinds(&["a", "b", "c", "d"], 2), [None; 4]);
        assert_eq!(kinds(&["a", "b", "c", "c"], 2), [None, None, None, limit]);
        assert_eq!(kinds(&["b", "a", "c"], 2), [None, None, limit]);
    }
}
