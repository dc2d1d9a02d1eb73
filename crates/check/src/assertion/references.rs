//! Assertions about a resource or an output that refers to a resource of the document, such as a
//! rule that lets a security group in.
//!
//! A document may list the two in any order. A failure of the referring resource therefore waits
//! until the end of the document. [`References::settle`] then returns the failures that count.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::known::Data;
use plansift_core::error::Result;

/// Maximum number of values of one assertion that are compared with each other, on each side. With
/// more, every failure counts. Whether a document has more does not depend on its parts.
pub(super) const VALUES_MAX: usize = 10_000;
/// Maximum memory of the failures of one assertion that wait, in bytes. With more, every failure
/// counts.
const WAITING_MAX: u64 = 4 << 20;

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

/// The values of one assertion for a part of a document, and its failures `T` that wait.
#[derive(Debug)]
pub(super) struct References<T> {
    /// The failures, in the order of the document. Without values, a failure counts in any case.
    waiting: Vec<(Option<Vec<Digest>>, T)>,
    /// The number of values of all failures that have waited.
    values: usize,
    /// The memory of all failures that have waited, in bytes.
    size: u64,
    pub targets: Targets,
}

/// The values that refer to a resource that meets the condition.
#[derive(Debug, Default)]
pub(super) struct Targets {
    values: HashSet<Digest>,
    /// Whether a resource of the pattern has the attribute.
    pub has_attribute: bool,
}

impl Targets {
    /// Adds the value of a resource that meets the condition.
    pub fn add(&mut self, value: Digest) {
        if !self.is_full() {
            self.values.insert(value);
        }
    }

    fn is_full(&self) -> bool {
        self.values.len() > VALUES_MAX
    }

    fn append(&mut self, other: Targets) {
        self.has_attribute |= other.has_attribute;
        other.values.into_iter().for_each(|value| self.add(value));
    }
}

impl<T> Default for References<T> {
    fn default() -> Self {
        References { waiting: Vec::new(), values: 0, size: 0, targets: Targets::default() }
    }
}

impl<T> References<T> {
    /// Adds the failures of a resource that has these values. `size` is the memory of the failures
    /// in bytes. Returns the failures that count.
    #[must_use]
    pub fn wait(&mut self, values: Option<Vec<Digest>>, failures: T, size: u64) -> Vec<T> {
        let of_values = values.as_deref().unwrap_or_default();
        self.values += of_values.len();
        self.size += size + size_of_val(of_values) as u64;
        self.waiting.push((values, failures));
        if self.is_full() { self.take_all() } else { Vec::new() }
    }

    /// Adds the values of the next part of the document. Returns the failures that count.
    #[must_use]
    pub fn append(&mut self, other: &mut References<T>) -> Vec<T> {
        let References { mut waiting, values, size, targets } = std::mem::take(other);
        self.targets.append(targets);
        self.values += values;
        self.size += size;
        self.waiting.append(&mut waiting);
        if self.is_full() { self.take_all() } else { Vec::new() }
    }

    /// Returns the failures of the resources that refer to a resource that meets the condition.
    #[must_use]
    pub fn settle(&mut self) -> Vec<T> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let counts = |values: &Option<Vec<Digest>>| {
            let Some(values) = values else { return true };
            let Targets { values: targets, .. } = &self.targets;
            self.targets.is_full() || values.iter().any(|value| targets.contains(value))
        };
        waiting.filter(|(values, _)| counts(values)).map(|(_, failures)| failures).collect()
    }

    fn is_full(&self) -> bool {
        self.values > VALUES_MAX || self.size > WAITING_MAX
    }

    fn take_all(&mut self) -> Vec<T> {
        std::mem::take(&mut self.waiting).into_iter().map(|(_, failures)| failures).collect()
    }

    /// The memory of all failures that have waited, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// Returns the digest of a string or a number. A number and a string with the same text have one
/// digest. `None` for other values and for the empty string, because they refer to nothing.
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
