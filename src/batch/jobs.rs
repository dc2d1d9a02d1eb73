//! The inputs that a batch has to do, by their indexes: what else is told of a job is derived from
//! its input when the job begins.

use std::collections::HashSet;

use super::journal::Listed;
use super::key::Key;
use super::outcome::Identity;
use super::{Entry, Inputs, Location, Shard, Unlisted, file_name};

/// The inputs that are to be done, in order.
#[derive(Debug)]
pub struct Jobs {
    inputs: Inputs,
    /// Indexes of inputs.
    indexes: Vec<usize>,
}

/// An input that is to be done.
#[derive(Debug)]
pub struct Job<'a> {
    /// The input, or what was named in vain.
    pub input: Result<&'a Entry, &'a Unlisted>,
    /// Its names.
    pub listed: Listed,
}

impl Jobs {
    /// The inputs of a shard.
    ///
    /// # Errors
    ///
    /// The name that two of them share, as it is shown.
    pub fn of(inputs: Inputs, shard: Shard) -> Result<Jobs, String> {
        let (mut names, mut indexes) = (HashSet::new(), Vec::new());
        for (index, input) in inputs.entries.iter().enumerate() {
            let input = input.as_ref();
            let bytes = bytes_of(input);
            if !shard.holds(&bytes) {
                continue;
            }
            if !names.insert(Key::of(file_name(&bytes).as_bytes())) {
                return Err(source_of(input));
            }
            indexes.push(index);
        }
        Ok(Jobs { inputs, indexes })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.indexes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.indexes.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Job<'_>> {
        self.indexes.iter().map(|&index| self.job(index))
    }

    /// Keeps those for which `is_kept` holds.
    ///
    /// # Errors
    ///
    /// The first of `is_kept`.
    pub fn retain<E>(
        &mut self,
        mut is_kept: impl FnMut(Job<'_>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut indexes = std::mem::take(&mut self.indexes);
        let mut checked = Ok(());
        indexes.retain(|&index| {
            checked.is_ok()
                && is_kept(self.job(index)).unwrap_or_else(|error| {
                    checked = Err(error);
                    false
                })
        });
        self.indexes = indexes;
        checked
    }

    /// The size of all of them in bytes, as far as it is known.
    pub fn size(&self) -> u64 {
        self.indexes.iter().filter_map(|&index| self.size_of(index)).sum()
    }

    pub(super) fn indexes(&self) -> &[usize] {
        &self.indexes
    }

    /// The size of an input in bytes; none where that is not known.
    pub(super) fn size_of(&self, index: usize) -> Option<u64> {
        self.inputs.entries[index].as_ref().map_or(Some(0), |entry| entry.len)
    }

    /// The job of an input.
    pub(super) fn job(&self, index: usize) -> Job<'_> {
        let input = self.inputs.entries[index].as_ref();
        let entry = input.ok();
        let listed = Listed {
            position: index as u64,
            name: file_name(&bytes_of(input)),
            source: source_of(input),
            workspace: entry.map(|entry| self.inputs.workspace(entry)),
            identity: entry.and_then(Identity::of),
        };
        Job { input, listed }
    }
}

/// What tells an input from others.
fn bytes_of(input: Result<&Entry, &Unlisted>) -> Vec<u8> {
    match input {
        // Two names that are no text may look alike.
        Ok(Entry { location: Location::File(path), .. }) => {
            path.as_os_str().as_encoded_bytes().to_vec()
        }
        _ => source_of(input).into_bytes(),
    }
}

fn source_of(input: Result<&Entry, &Unlisted>) -> String {
    input.map_or_else(|unlisted| unlisted.source.clone(), |entry| entry.source().into_owned())
}
