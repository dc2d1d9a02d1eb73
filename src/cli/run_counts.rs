//! Counts the documents of a run, their failures and echoes.

use super::args::Plans;
use super::exit::Exit;
use super::messages::{fail_named, warn};
use super::stats::Stats;
use crate::batch::documents::Visited;
use crate::error::Error;
use crate::plan::Document;
use crate::record::Warning;

pub struct RunCounts {
    /// Documents that were read to their end.
    pub done: u64,
    /// Documents that failed, and inputs that could not be opened.
    pub failed: u64,
    pub has_changes: bool,
    /// Unmarked values that repeat a sensitive value.
    pub echoes: u64,
    /// The bytes read, and the clock.
    pub stats: Stats,
}

impl RunCounts {
    /// Creates an empty count, and starts the clock.
    pub fn new() -> RunCounts {
        RunCounts { done: 0, failed: 0, has_changes: false, echoes: 0, stats: Stats::start() }
    }

    /// Counts a document that was read to its end, and prints the warnings about its text.
    pub fn read(&mut self, plans: &Plans, source: &str, document: &Document) -> Visited {
        warn(plans, source, Warning::of_text(document));
        self.succeed(document.bytes);
        Visited::Done
    }

    /// Counts a document that was read to its end. `bytes` is its length.
    pub fn succeed(&mut self, bytes: u64) {
        self.done += 1;
        self.stats.add(bytes);
    }

    /// Counts a failure, and prints its error.
    pub fn fail(&mut self, source: &str, error: &Error) {
        self.failed += 1;
        fail_named(source, error);
    }

    /// Returns the exit code of a run that read all inputs. `tells_changes` is true with
    /// `--detailed-exitcode`: the exit code then says whether there are changes.
    pub fn exit(&self, is_broken: bool, tells_changes: bool) -> Exit {
        match self.failed {
            0 if is_broken => Exit::RuleBroken,
            0 if self.has_changes && tells_changes => Exit::Changes,
            0 => Exit::Done,
            _ if self.done == 0 => Exit::Failed,
            _ => Exit::SomeFailed,
        }
    }
}
