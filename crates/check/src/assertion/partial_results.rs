//! The results of assertions while a document is read.

use super::names::Names;
use super::outcome::{Finding, Outcome};
use super::references::{Met, References};
use plansift_core::error::Result;

/// The results of all assertions for a part of a document.
#[derive(Debug, Default)]
pub(super) struct PartialResults {
    pub answers: Vec<PartialResult>,
    pub names: Names,
    pub has_changes: bool,
    pub has_drift: bool,
    /// The memory of the findings, in bytes.
    size: u64,
}

/// The result of one assertion for a part of a document.
#[derive(Debug, Default)]
pub(super) struct PartialResult {
    pub outcome: Outcome,
    /// The number of resources that the assertion counts.
    pub count: u64,
    /// Whether any value has the path of the assertion.
    pub has_path: bool,
    /// Whether any value lacks the path.
    pub lacks_path: bool,
    /// A hint for the first value that lacks the path: the existing key that is most similar to the
    /// missing one.
    pub near_path: Option<String>,
    /// Whether any value has the path of the condition.
    pub has_when: bool,
    /// Whether any value lacks the path of the condition.
    pub lacks_when: bool,
    pub references: References,
    /// For each pattern of `only`, whether it covers anything.
    pub covered: Vec<bool>,
}

impl PartialResults {
    /// The results for no part of a document, with room for this number of assertions.
    pub fn new(assertions: usize) -> PartialResults {
        let mut results = PartialResults::default();
        results.answers.resize_with(assertions, PartialResult::default);
        results
    }

    /// Adds the results for the next part of the document.
    pub fn append(&mut self, mut other: PartialResults) {
        for (own, theirs) in self.answers.iter_mut().zip(&mut other.answers) {
            own.append(theirs);
        }
        self.names.append(&mut other.names);
        self.has_changes |= other.has_changes;
        self.has_drift |= other.has_drift;
        self.size += other.size;
    }

    /// The memory of the findings, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Calls `check` to check an assertion, and counts the memory of new findings.
    pub fn check(
        &mut self,
        place: usize,
        check: impl FnOnce(&mut PartialResult) -> Result<()>,
    ) -> Result<()> {
        let answer = &mut self.answers[place];
        let (known, waiting) = (answer.outcome.findings.len(), answer.references.waiting());
        let checked = check(answer);
        self.size += answer.outcome.findings[known..].iter().map(Finding::size).sum::<u64>();
        self.size += answer.references.size_from(waiting);
        checked
    }
}

impl PartialResult {
    fn append(&mut self, other: &mut PartialResult) {
        self.outcome.append(&mut other.outcome);
        self.references.append(&mut other.references, &mut self.outcome);
        self.count += other.count;
        self.has_path |= other.has_path;
        if !self.lacks_path {
            self.near_path = other.near_path.take();
        }
        self.lacks_path |= other.lacks_path;
        self.has_when |= other.has_when;
        self.lacks_when |= other.lacks_when;
        self.covered.resize(self.covered.len().max(other.covered.len()), false);
        self.covered.iter_mut().zip(&other.covered).for_each(|(own, theirs)| *own |= theirs);
    }

    /// Records whether a value has the path of the assertion. `near` returns a similar key, if any.
    pub fn note_path(
        &mut self,
        has_path: bool,
        near: impl FnOnce() -> Result<Option<String>>,
    ) -> Result<()> {
        self.has_path |= has_path;
        if !has_path && !std::mem::replace(&mut self.lacks_path, true) {
            self.near_path = near()?;
        }
        Ok(())
    }

    /// Calls `check` if the condition of the assertion is met. If that depends on another resource,
    /// the failures wait for it.
    pub fn check_if(
        &mut self,
        met: Met,
        check: impl FnOnce(&mut PartialResult) -> Result<()>,
    ) -> Result<()> {
        match met {
            Met::No => Ok(()),
            Met::Yes => check(self),
            Met::IfReferring(values) => {
                let outcome = std::mem::take(&mut self.outcome);
                let checked = check(self);
                let failures = std::mem::replace(&mut self.outcome, outcome);
                self.references.wait(values, failures, &mut self.outcome);
                checked
            }
        }
    }

    /// Records whether a value has the path of the condition.
    pub fn note_when(&mut self, has_path: bool) {
        self.has_when |= has_path;
        self.lacks_when |= !has_path;
    }

    /// Records that the pattern of `only` at an index covers a resource or an output.
    pub fn note_covered(&mut self, index: usize) {
        if self.covered.len() <= index {
            self.covered.resize(index + 1, false);
        }
        self.covered[index] = true;
    }

    /// Whether the pattern of `only` at an index covers anything.
    pub fn is_covered(&self, index: usize) -> bool {
        self.covered.get(index).is_some_and(|covered| *covered)
    }
}
