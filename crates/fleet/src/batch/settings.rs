//! The settings of a batch: how much memory its threads take, and a digest of its assertions.

use std::num::NonZeroUsize;

use crate::run::AttributeContent;
use crate::run::assertions::AssertionSettings;
use plansift_core::input;
use plansift_plan::record::{CompareLevel, RecordOptions};
use plansift_report::Form;

/// Memory to plan for each thread, in bytes. Most threads need 5 MiB. A plan with a change of many
/// MiB, or with a large compression window, needs more than this.
const THREAD_MEMORY: u64 = 16 << 20;
/// Memory of a thread that reads small elements, in bytes.
const SMALL_MEMORY: u64 = 5 << 20;
/// Memory of the process without its worker threads, in bytes.
const BASE_MEMORY: u64 = 16 << 20;

/// Returns the number of threads that fit into `memory` bytes; at least one.
pub fn threads_in(memory: u64) -> NonZeroUsize {
    let threads = memory.saturating_sub(BASE_MEMORY) / THREAD_MEMORY;
    usize::try_from(threads).ok().and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN)
}

/// The settings of a batch.
#[derive(Debug)]
pub struct Settings {
    /// How to process a plan. The batch sets the number of threads for each plan.
    pub records: RecordOptions,
    /// Assertions to check against each plan.
    pub assertion_settings: Option<AssertionSettings>,
    /// Which digest of each plan to keep; `None` for none.
    pub digest: Option<DigestSettings>,
    /// How to open inputs. The batch sets `threads` for each input.
    pub access: input::InputOptions,
    /// The form of the records.
    pub form: Form,
    /// The number of worker threads. Each thread has an input of its own while enough inputs are
    /// left.
    pub threads: NonZeroUsize,
    /// Memory that the batch may take, in bytes.
    pub memory: u64,
    /// What to do when an input fails.
    pub on_failure: OnFailure,
}

/// Which digest of a plan to compute.
#[derive(Debug)]
pub struct DigestSettings {
    /// The level of the digest.
    pub level: CompareLevel,
    /// The planned paths, with the key of the digests of values.
    pub content: AttributeContent,
    /// Maximum size of the temporary files of a plan, in bytes.
    pub spool_max: u64,
}

impl DigestSettings {
    /// Returns the level and what identifies the key, for the journal.
    pub fn name(&self) -> String {
        match &self.content {
            AttributeContent::Planned(key) => format!("{} {}", self.level.name(), key.check()),
            _ => self.level.name().to_owned(),
        }
    }
}

impl Settings {
    /// Returns what the records of the plans contain.
    pub(super) fn attributes(&self) -> &AttributeContent {
        self.digest.as_ref().map_or(&AttributeContent::None, |digest| &digest.content)
    }

    /// Memory for one large element, in bytes: the rest after every thread has its small share.
    pub(super) fn memory_of_one(&self) -> u64 {
        let small = BASE_MEMORY + self.threads.get() as u64 * SMALL_MEMORY;
        self.memory.saturating_sub(small).max(THREAD_MEMORY)
    }
}

/// What to do when an input fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// Process the remaining inputs.
    GoOn,
    /// Stop the run.
    Stop,
}

/// Returns a digest of the names and contents of files.
pub fn digest<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in files.into_iter().flat_map(|(name, text)| [name, text]) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_limits_the_number_of_threads() {
        for (memory, threads) in [(0, 1), (16 << 20, 1), (47 << 20, 1), (48 << 20, 2)] {
            assert_eq!(threads_in(memory).get(), threads, "{memory}");
        }
        assert_eq!(threads_in(256 << 20).get(), 15);
    }
}
