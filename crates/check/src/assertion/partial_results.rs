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
    /// See [`Answers::unclear`](super::Answers).
    pub unclear: u64,
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
    /// The failures that wait until the resources that values refer to are known.
    pub references: References<PartialResult>,
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
        self.unclear += other.unclear;
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
        let (known, waiting) = (answer.outcome.findings.len(), answer.references.size());
        let checked = check(answer);
        self.size += answer.outcome.findings[known..].iter().map(Finding::size).sum::<u64>();
        self.size += answer.references.size() - waiting;
        checked
    }
}

impl PartialResult {
    fn append(&mut self, other: &mut PartialResult) {
        let count = self.references.append(&mut other.references);
        self.append_all(count);
        self.outcome.append(&mut other.outcome);
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

    /// Calls `check` if the condition of the assertion is met. If the condition is about what a
    /// value refers to, the failures wait until that is known.
    pub fn check_if(
        &mut self,
        met: Met,
        is_of_reference: bool,
        check: impl FnOnce(&mut PartialResult) -> Result<()>,
    ) -> Result<()> {
        let values = match met {
            Met::No => return Ok(()),
            Met::Yes if is_of_reference => None,
            Met::Yes => return check(self),
            Met::IfReferring(values) => Some(values),
        };
        let mut result = PartialResult::default();
        let checked = check(&mut result);
        match result.outcome.holds() {
            true => self.append(&mut result),
            false => {
                let findings = result.outcome.findings.iter().map(Finding::size).sum::<u64>();
                let size = size_of::<PartialResult>() as u64 + findings;
                let count = self.references.wait(values, result, size);
                self.append_all(count);
            }
        }
        checked
    }

    /// Adds the failures that waited and count, at the end of a document.
    pub fn settle(&mut self) {
        let count = self.references.settle();
        self.append_all(count);
    }

    fn append_all(&mut self, results: Vec<PartialResult>) {
        for mut result in results {
            self.append(&mut result);
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
