//! Assertions, ordered by what they are about.

use std::collections::HashMap;

use super::subject::{Assertion, Subject};

/// Assertions that are asked together. Threads share them.
#[derive(Debug, Default)]
pub struct Assertions {
    list: Vec<Assertion>,
    /// The assertions about the resources of an address, without `*`.
    exact: HashMap<String, Vec<usize>>,
    /// The assertions about resources with `*`.
    globs: Vec<usize>,
    outputs: HashMap<String, Vec<usize>>,
    /// The assertions about the plan as a whole.
    of_plan: Vec<usize>,
}

impl Assertions {
    /// All assertions, in the order in which the user wrote them.
    pub fn list(&self) -> &[Assertion] {
        &self.list
    }

    /// The assertions about an output.
    pub(super) fn about_output(&self, name: &str) -> &[usize] {
        self.outputs.get(name).map_or(&[], Vec::as_slice)
    }

    /// The assertions about the plan as a whole.
    pub(super) fn about_plan(&self) -> &[usize] {
        &self.of_plan
    }

    /// The assertions that cover a resource.
    ///
    /// Assertions about one address are found by that address, or by the address of its resource,
    /// its modules or its type. Only assertions with `*` are tried one by one.
    pub(super) fn covering(&self, address: &str, type_name: &str) -> Vec<usize> {
        let covers = |place: &usize| {
            let Subject::Resource(pattern) = &self.list[*place].subject else { return false };
            pattern.covers(address) || pattern.covers(type_name)
        };
        let mut found = Vec::new();
        let bounds = address.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'.' | b'['));
        let ends = bounds.map(|(at, _)| at).chain([address.len()]);
        if !self.exact.is_empty() {
            let prefixes = ends.map(|end| &address[..end]);
            for text in prefixes.chain([type_name]) {
                let places = self.exact.get(text).into_iter().flatten();
                found.extend(places.copied().filter(covers));
            }
        }
        found.extend(self.globs.iter().copied().filter(covers));
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl From<Vec<Assertion>> for Assertions {
    fn from(list: Vec<Assertion>) -> Assertions {
        let mut all = Assertions::default();
        for (place, assertion) in list.iter().enumerate() {
            match &assertion.subject {
                Subject::Resource(pattern) if pattern.text().contains('*') => all.globs.push(place),
                Subject::Resource(pattern) => {
                    all.exact.entry(pattern.text().to_owned()).or_default().push(place);
                }
                Subject::Output(name) => all.outputs.entry(name.clone()).or_default().push(place),
                Subject::Plan => all.of_plan.push(place),
            }
        }
        Assertions { list, ..all }
    }
}
