//! The inputs that a batch has to process. [`Jobs`] stores only their indexes. `Jobs::job` derives
//! the rest of a job from its input when the job begins.

use std::collections::HashSet;

use super::journal::Listed;
use super::outcome::Identity;
use super::{Shard, file_name};
use crate::source::Key;
use crate::source::{InputEntry, Inputs, Location, Unlisted};

/// The inputs to process, in order.
#[derive(Debug)]
pub struct Jobs {
    inputs: Inputs,
    indexes: Vec<usize>,
}

/// An input to process.
#[derive(Debug)]
pub struct Job<'a> {
    /// The input, or a name that yields none.
    pub input: Result<&'a InputEntry, &'a Unlisted>,
    /// The input as the journal lists it.
    pub listed: Listed,
}

impl Jobs {
    /// Returns the jobs of the inputs in a shard.
    ///
    /// # Errors
    ///
    /// Fails if two inputs would have the same record file; returns the name of the second input.
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

    /// Returns the number of jobs.
    pub fn len(&self) -> usize {
        self.indexes.len()
    }

    /// Whether there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.indexes.is_empty()
    }

    /// Iterates over the jobs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Job<'_>> {
        self.indexes.iter().map(|&index| self.job(index))
    }

    /// Keeps the jobs for which `is_kept` returns true.
    ///
    /// # Errors
    ///
    /// Fails with the first error of `is_kept`.
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

    /// Returns the total size of the inputs whose sizes are known, in bytes.
    pub fn size(&self) -> u64 {
        self.indexes.iter().filter_map(|&index| self.size_of(index)).sum()
    }

    pub(super) fn indexes(&self) -> &[usize] {
        &self.indexes
    }

    /// Returns the size of an input in bytes; `None` if unknown.
    pub(super) fn size_of(&self, index: usize) -> Option<u64> {
        self.inputs.entries[index].as_ref().map_or(Some(0), |entry| entry.len)
    }

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

/// Returns the bytes that distinguish an input from others.
fn bytes_of(input: Result<&InputEntry, &Unlisted>) -> Vec<u8> {
    match input {
        // Different paths that are not UTF-8 may be displayed alike.
        Ok(InputEntry { location: Location::File(path), .. }) => {
            path.as_os_str().as_encoded_bytes().to_vec()
        }
        _ => source_of(input).into_bytes(),
    }
}

fn source_of(input: Result<&InputEntry, &Unlisted>) -> String {
    input.map_or_else(|unlisted| unlisted.source.clone(), |entry| entry.source().into_owned())
}
