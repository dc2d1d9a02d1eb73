//! The patterns of rules and filters that match nothing in any plan.

use crate::record::Record;
use crate::record::watch::{Unmatched, Watch};

/// Tells which patterns matched nothing, as soon as any plan was read to its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patterns {
    watch: Option<&'static Watch>,
    has_read: bool,
}

impl Patterns {
    /// Creates the patterns of a watch; none without a watch.
    pub fn of(watch: Option<&'static Watch>) -> Patterns {
        Patterns { watch, has_read: false }
    }

    /// Whether there are patterns that may match nothing.
    pub fn has_watch(&self) -> bool {
        self.watch.is_some()
    }

    /// Takes note of a plan that was read to its end.
    pub fn note(&mut self, record: &Record<'_>) {
        self.has_read |= matches!(record, Record::Summary(_));
    }

    /// Returns the patterns that matched nothing. Call after the last plan.
    pub fn unmatched(&self) -> Vec<Unmatched<'static>> {
        self.watch.filter(|_| self.has_read).map(Watch::unmatched).unwrap_or_default()
    }
}
