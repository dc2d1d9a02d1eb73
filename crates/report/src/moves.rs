//! Reads the moves in `resource_drift` as changes that only move an object.
//!
//! A refresh-only plan has its moves in `resource_drift`, with the action `no-op`. Any other plan
//! has them in `resource_changes`. Reports and rules read both in the same way, and list a move
//! that is in both sections once.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Sink;
use plansift_core::error::{Error, Result};
use plansift_plan::record::state_counts::StateCounts;
use plansift_plan::record::{Hidden, Label, Record, ResourceChange};

/// Maximum number of moves of each section that are compared with the other section.
const COMPARED_MAX: usize = 50_000;

/// Digest of a moved object, in bytes.
type Digest = [u8; 16];

/// The moves of the current plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    changes: HashSet<Digest>,
    drift: HashSet<Digest>,
}

impl Moves {
    /// Returns a record with a move in drift as a change. `None` for a move that the other section
    /// contains, too, and that was returned before.
    pub fn read<'r, 'a>(&mut self, record: &'r Record<'a>) -> Option<Cow<'r, Record<'a>>> {
        match record {
            Record::Plan(_) => *self = Moves::default(),
            Record::ResourceChange(change) if change.only_moves() => {
                return is_new(change, &mut self.changes, &self.drift)
                    .then_some(Cow::Borrowed(record));
            }
            Record::ResourceDrift(change) if change.only_moves() => {
                return is_new(change, &mut self.drift, &self.changes)
                    .then(|| Cow::Owned(Record::ResourceChange(change.clone())));
            }
            _ => {}
        }
        Some(Cow::Borrowed(record))
    }
}

/// Adds a move to the moves of its section. Returns whether the other section lacks it so far.
fn is_new(change: &ResourceChange<'_>, own: &mut HashSet<Digest>, other: &HashSet<Digest>) -> bool {
    let name = format!("{}\n{}", change.full_name(), change.moved_from().unwrap_or_default());
    let mut digest = Digest::default();
    digest.copy_from_slice(&blake3::hash(name.as_bytes()).as_bytes()[..16]);
    if own.len() < COMPARED_MAX {
        own.insert(digest);
    }
    !other.contains(&digest)
}

/// A sink that reads the moves in drift as changes, and passes every record on.
pub struct MoveReader<'s> {
    sink: Box<dyn Sink + 's>,
    moves: Moves,
}

impl<'s> MoveReader<'s> {
    /// Passes records on to `sink`.
    pub fn new(sink: Box<dyn Sink + 's>) -> MoveReader<'s> {
        MoveReader { sink, moves: Moves::default() }
    }
}

impl Sink for MoveReader<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match self.moves.read(record) {
            Some(record) => self.sink.record(&record),
            None => Ok(()),
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.sink.unseen(record)
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        self.sink.hidden(hidden)
    }

    fn state(&mut self, label: Label<'_>, state_counts: &StateCounts) -> Result<()> {
        self.sink.state(label, state_counts)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }

    fn waiting_max(&self) -> u64 {
        self.sink.waiting_max()
    }
}
