//! Assertions about a resource or an output that refers to a resource of the document, such as a
//! rule that lets a security group in.
//!
//! A document may list the two in any order. The failures of the first wait until the end of the
//! document. [`References::settle`] then returns those that count.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::outcome::Finding;
use super::partial_results::PartialResult;
use crate::known::Data;
use plansift_core::error::Result;

/// Maximum number of values of one assertion that are compared with each other, on each side. With
/// more, every failure counts. Whether a document has more does not depend on its parts.
pub(super) const VALUES_MAX: usize = 10_000;
/// Maximum memory of the failures of one assertion that wait, in bytes. With more, every failure
/// counts.
const WAITING_MAX: u64 = 1 << 20;

/// The hash of a value that refers to a resource, or is referred to.
pub(super) type Digest = u64;

/// Whether a condition holds.
#[derive(Debug)]
pub(super) enum Met {
    No,
    Yes,
    /// It holds if one of these values refers to a resource.
    IfReferring(Vec<Digest>),
}

/// The values of one assertion for a part of a document, and the failures that wait.
#[derive(Debug, Default)]
pub(super) struct References {
    /// The failures, in the order of the document. Without values, a failure counts in any case.
    waiting: Vec<(Option<Vec<Digest>>, PartialResult)>,
    /// The number of values in `waiting`.
    values: usize,
    /// The memory of `waiting`, in bytes.
    size: u64,
    /// The values that refer to a resource that meets the condition.
    targets: HashSet<Digest>,
    /// Whether a resource of the pattern has the attribute.
    pub has_target: bool,
}

impl References {
    /// Adds the failures of a resource that has these values. Returns the failures that count.
    #[must_use]
    pub fn wait(
        &mut self,
        values: Option<Vec<Digest>>,
        failures: PartialResult,
    ) -> Vec<PartialResult> {
        self.values += values.as_ref().map_or(0, Vec::len);
        self.size += size(values.as_deref().unwrap_or_default(), &failures);
        self.waiting.push((values, failures));
        if self.is_full() { self.take_all() } else { Vec::new() }
    }

    /// Adds the value of a resource that meets the condition.
    pub fn add_target(&mut self, value: Digest) {
        if self.targets.len() <= VALUES_MAX {
            self.targets.insert(value);
        }
    }

    /// Adds the values of the next part of the document. Returns the failures that count.
    #[must_use]
    pub fn append(&mut self, other: &mut References) -> Vec<PartialResult> {
        let References { mut waiting, values, size, targets, has_target } = std::mem::take(other);
        self.has_target |= has_target;
        targets.into_iter().for_each(|target| self.add_target(target));
        self.values += values;
        self.size += size;
        self.waiting.append(&mut waiting);
        if self.is_full() { self.take_all() } else { Vec::new() }
    }

    /// Returns the failures of the resources that refer to a resource that meets the condition.
    #[must_use]
    pub fn settle(&mut self) -> Vec<PartialResult> {
        let has_all = self.targets.len() > VALUES_MAX;
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let counts = |values: &Option<Vec<Digest>>| {
            let Some(values) = values else { return true };
            has_all || values.iter().any(|value| self.targets.contains(value))
        };
        waiting.filter(|(values, _)| counts(values)).map(|(_, failures)| failures).collect()
    }

    fn is_full(&self) -> bool {
        self.values > VALUES_MAX || self.size > WAITING_MAX
    }

    fn take_all(&mut self) -> Vec<PartialResult> {
        std::mem::take(&mut self.waiting).into_iter().map(|(_, failures)| failures).collect()
    }

    /// The memory of all failures that have waited, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// The memory of failures that wait, in bytes.
fn size(values: &[Digest], failures: &PartialResult) -> u64 {
    let findings = failures.outcome.findings.iter().map(Finding::size).sum::<u64>();
    (size_of::<PartialResult>() + size_of_val(values)) as u64 + findings
}

/// The digest of a string or of a number, which equals the string with its text. Nothing refers to
/// another value, or to an empty string.
pub(super) fn digest(value: Data<'_>) -> Result<Option<Digest>> {
    let text = match value.string()? {
        Some(text) => Some(text),
        None => value.number()?,
    };
    Ok(text.filter(|text| !text.is_empty()).map(|text| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    }))
}
