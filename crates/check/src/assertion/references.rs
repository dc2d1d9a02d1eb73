//! Assertions about a resource or an output that refers to another resource, such as a rule that
//! lets a security group in.
//!
//! A document may list the two in any order. The failures of the first wait until the end of the
//! document. [`References::settle`] then keeps those that refer to a resource that meets the
//! condition.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::outcome::{Finding, Outcome};
use crate::known::Data;
use plansift_core::error::Result;

/// Maximum number of values of one assertion that are kept to compare them. With more, a failure
/// counts without a comparison.
const VALUES_MAX: usize = 10_000;

/// The hash of a value that refers to a resource, or is referred to.
type Digest = u64;

/// Whether a condition holds.
pub(super) enum Met {
    No,
    Yes,
    /// It holds if one of these values refers to a resource.
    IfReferring(Vec<Digest>),
}

/// The values of one assertion, for a part of a document.
#[derive(Debug, Default)]
pub(super) struct References {
    /// Failures that count if a value refers to a resource, in the order of the document.
    waiting: Vec<(Vec<Digest>, Outcome)>,
    /// The number of values in `waiting`.
    values: usize,
    /// The values that refer to a resource that meets the condition.
    targets: HashSet<Digest>,
    /// Whether a resource of the pattern has the attribute.
    pub has_target: bool,
}

impl References {
    /// Keeps the failures of a resource that has these values. `outcome` is the result of the
    /// assertion so far.
    pub fn wait(&mut self, values: Vec<Digest>, mut failures: Outcome, outcome: &mut Outcome) {
        if failures.holds() {
            return;
        }
        if self.values + values.len() > VALUES_MAX {
            return outcome.append(&mut failures);
        }
        self.values += values.len();
        self.waiting.push((values, failures));
    }

    /// Adds the value of a resource that meets the condition.
    pub fn add_target(&mut self, value: Digest) {
        if self.targets.len() <= VALUES_MAX {
            self.targets.insert(value);
        }
    }

    /// Adds the values of the next part of the document.
    pub fn append(&mut self, other: &mut References, outcome: &mut Outcome) {
        let References { waiting, targets, has_target, .. } = std::mem::take(other);
        self.has_target |= has_target;
        targets.into_iter().for_each(|target| self.add_target(target));
        waiting.into_iter().for_each(|(values, failures)| self.wait(values, failures, outcome));
    }

    /// Adds the failures of the resources that refer to a resource that meets the condition.
    pub fn settle(&mut self, outcome: &mut Outcome) {
        let is_full = self.targets.len() > VALUES_MAX;
        for (values, failures) in &mut self.waiting {
            if is_full || values.iter().any(|value| self.targets.contains(value)) {
                outcome.append(failures);
            }
        }
    }

    /// The number of failures that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The memory of the failures from an index on, in bytes.
    pub fn size_from(&self, index: usize) -> u64 {
        let of_one = |(values, failures): &(Vec<Digest>, Outcome)| {
            let values = size_of_val(&**values) as u64;
            values + failures.findings.iter().map(Finding::size).sum::<u64>()
        };
        self.waiting[index..].iter().map(of_one).sum()
    }
}

/// The digest of a string or a number. Nothing refers to other values.
pub(super) fn digest(value: Data<'_>) -> Result<Option<Digest>> {
    let text = match value.string()? {
        Some(text) => Some(text),
        None => value.number()?,
    };
    Ok(text.map(|text| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    }))
}
