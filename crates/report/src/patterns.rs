//! The patterns of rules and filters that match nothing in any plan.

use std::sync::Arc;

use plansift_plan::record::Record;
use plansift_plan::record::patterns::{Unmatched, UnmatchedPatterns};

/// Tells which patterns matched nothing, as soon as any plan was read to its end.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    patterns: Option<Arc<UnmatchedPatterns>>,
    has_read: bool,
}

impl Patterns {
    /// Tells which of these patterns matched nothing.
    pub fn of(patterns: Option<Arc<UnmatchedPatterns>>) -> Patterns {
        Patterns { patterns, has_read: false }
    }

    /// Whether there are patterns that may match nothing.
    pub fn are_given(&self) -> bool {
        self.patterns.is_some()
    }

    /// Takes note of a plan that was read to its end.
    pub fn note(&mut self, record: &Record<'_>) {
        self.has_read |= matches!(record, Record::Summary(_) | Record::ComparisonSummary(_));
    }

    /// Returns the patterns that matched nothing. Call after the last plan.
    pub fn unmatched(&self) -> Vec<Unmatched<'_>> {
        self.patterns
            .as_deref()
            .filter(|_| self.has_read)
            .map(UnmatchedPatterns::unmatched)
            .unwrap_or_default()
    }
}
