//! Assertions, indexed by their subjects.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use super::subject::{Assertion, Expectation, PlanState, Reference, Subject};
use super::triggers::Triggers;
use plansift_core::path::AddressPattern;

/// Indices by an address or a name.
type Index = HashMap<String, Vec<usize>, RandomState>;

/// Patterns for resources, each with its assertions.
///
/// One index finds a pattern without `*`. Such a pattern equals the address, the type, or a
/// beginning of the address, such as a module. Another index finds a pattern with `*` by a name in
/// it. Only sets of types and patterns without such a name are tried one by one.
#[derive(Debug, Default)]
struct PatternIndex {
    /// The patterns, each with its assertions in order.
    patterns: Vec<(AddressPattern, Vec<usize>)>,
    /// The index of each pattern in `patterns`, by its text.
    known: HashMap<String, usize>,
    /// The indices of patterns without `*`, by pattern.
    exact: Index,
    /// The indices of patterns with a `*`, by a name that every covered address contains.
    named: Index,
    /// The indices of all other patterns.
    globs: Vec<usize>,
}

/// Assertions that are checked together. Threads share them.
#[derive(Debug, Default)]
pub struct Assertions {
    list: Vec<Assertion>,
    /// Assertions about resources, by their patterns.
    resources: PatternIndex,
    /// Assertions with `refers_to`, by the pattern in it.
    referred: PatternIndex,
    /// Assertions about outputs whose pattern has no `*`, by pattern.
    outputs: Index,
    /// Assertions about outputs whose pattern has a `*`.
    output_globs: Vec<usize>,
    /// The assertions about the plan as a whole.
    of_plan: Vec<usize>,
    triggers: Triggers,
    is_strict: bool,
}

impl Assertions {
    /// All assertions, in the order in which the user wrote them.
    pub fn list(&self) -> &[Assertion] {
        &self.list
    }

    /// With `is_strict`, an assertion fails if a pattern in it covers nothing. Optional assertions
    /// and those of packs do not.
    #[must_use]
    pub fn strict(self, is_strict: bool) -> Assertions {
        Assertions { is_strict, ..self }
    }

    /// Whether an assertion fails because of a pattern that covers nothing.
    pub(super) fn requires_matches(&self, assertion: &Assertion) -> bool {
        self.is_strict && !assertion.is_optional && !assertion.is_of_pack
    }

    /// Returns an ID for each assertion: its name, which does not change when the assertion moves
    /// to another line. A repeated name is followed by a count.
    pub fn ids(&self) -> impl Iterator<Item = String> {
        let mut known: HashMap<&str, usize> = HashMap::new();
        self.list.iter().map(move |Assertion { name, .. }| {
            let count = known.entry(name).or_default();
            *count += 1;
            match *count {
                1 => name.clone(),
                count => format!("{name} ({count})"),
            }
        })
    }

    /// Whether an assertion is about changes outside of the tool.
    pub(super) fn ask_about_drift(&self) -> bool {
        let mut of_plan = self.of_plan.iter().flat_map(|place| &self.list[*place].expectations);
        of_plan.any(|it| matches!(it, Expectation::Plan(PlanState::Undrifted)))
    }

    pub(super) fn about_output(&self, name: &str) -> Vec<usize> {
        let covers = |place: &&usize| match &self.list[**place].subject {
            Subject::Output(pattern) => pattern.covers(name),
            _ => false,
        };
        let exact = self.outputs.get(name).into_iter().flatten();
        let globs = self.output_globs.iter().filter(covers);
        let mut found: Vec<usize> = exact.chain(globs).copied().collect();
        found.sort_unstable();
        found
    }

    /// Removes the triggers, so that every change is checked.
    #[cfg(test)]
    pub(super) fn without_triggers(self) -> Assertions {
        Assertions { triggers: Triggers::none(self.list.len()), ..self }
    }

    /// What must change so that each assertion can fail.
    pub(super) fn triggers(&self) -> &Triggers {
        &self.triggers
    }

    /// The assertions about the plan as a whole.
    pub(super) fn about_plan(&self) -> &[usize] {
        &self.of_plan
    }

    /// The assertions whose `refers_to` covers a resource.
    pub(super) fn referring(
        &self,
        address: &str,
        type_name: &str,
    ) -> impl Iterator<Item = (usize, &Reference)> {
        let places = self.referred.covering(address, type_name).into_iter();
        places.filter_map(|place| Some((place, self.list[place].refers_to()?)))
    }

    /// The assertions that cover a resource.
    pub(super) fn covering(&self, address: &str, type_name: &str) -> Vec<usize> {
        self.resources.covering(address, type_name)
    }
}

impl PatternIndex {
    /// The assertions whose patterns cover a resource, in order.
    fn covering(&self, address: &str, type_name: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let mut add = |index: &usize| {
            let (pattern, places) = &self.patterns[*index];
            let may_be_address = !pattern.is_set();
            let may_be_type = pattern.exact().is_none();
            if may_be_address && pattern.covers(address) || may_be_type && pattern.covers(type_name)
            {
                found.extend(places);
            }
        };
        if !self.exact.is_empty() {
            for text in wholes(address).chain(wholes(type_name)) {
                self.exact.get(text).into_iter().flatten().for_each(&mut add);
            }
        }
        if !self.named.is_empty() {
            for name in names(address).chain(names(type_name)) {
                self.named.get(name).into_iter().flatten().for_each(&mut add);
            }
        }
        self.globs.iter().for_each(add);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Adds the pattern of the assertion at `place`.
    fn add(&mut self, pattern: &AddressPattern, place: usize) {
        let index = self.patterns.len();
        match self.known.entry(pattern.text().to_owned()) {
            Entry::Occupied(index) => return self.patterns[*index.get()].1.push(place),
            Entry::Vacant(entry) => entry.insert(index),
        };
        self.patterns.push((pattern.clone(), vec![place]));
        match (constant(pattern), longest_name(pattern.text())) {
            // The name of a set is in no address.
            _ if pattern.is_set() => self.globs.push(index),
            (Some(text), _) => self.exact.entry(text.to_owned()).or_default().push(index),
            (None, Some(name)) => self.named.entry(name.to_owned()).or_default().push(index),
            (None, None) => self.globs.push(index),
        }
    }
}

impl From<Vec<Assertion>> for Assertions {
    fn from(list: Vec<Assertion>) -> Assertions {
        let mut all = Assertions { triggers: Triggers::of(&list), ..Assertions::default() };
        for (place, assertion) in list.iter().enumerate() {
            match &assertion.subject {
                Subject::Resource(pattern) => all.resources.add(pattern, place),
                Subject::Output(pattern) => match constant(pattern) {
                    Some(text) => all.outputs.entry(text.to_owned()).or_default().push(place),
                    None => all.output_globs.push(place),
                },
                Subject::Plan => all.of_plan.push(place),
            }
            if let Some(Reference { resource, .. }) = assertion.refers_to() {
                all.referred.add(resource, place);
            }
        }
        Assertions { list, ..all }
    }
}

/// The text of a pattern without wildcards.
fn constant(pattern: &AddressPattern) -> Option<&str> {
    pattern.exact().or((!pattern.text().contains('*')).then_some(pattern.text()))
}

/// The characters between names in an address. They also split the keys of instances. This is
/// harmless, because they split the keys in patterns in the same way.
const BETWEEN: [char; 3] = ['.', '[', ']'];

/// The beginnings of an address that a pattern without `*` can equal: its modules, its resource and
/// the whole address.
fn wholes(address: &str) -> impl Iterator<Item = &str> {
    let bounds = address.bytes().enumerate().filter_map(|(at, byte)| match byte {
        b'.' | b'[' => Some(at),
        b']' => Some(at + 1),
        _ => None,
    });
    bounds.chain([address.len()]).map(|end| &address[..end])
}

fn names(address: &str) -> impl Iterator<Item = &str> {
    address.split(BETWEEN).filter(|name| !name.is_empty())
}

/// Returns the longest name without `*` in a pattern. Every address that the pattern covers
/// contains this name. Returns `None` if the pattern has no such name. The words `module` and
/// `data` do not count.
fn longest_name(pattern: &str) -> Option<&str> {
    let is_whole = |name: &&str| !name.contains('*') && !matches!(*name, "module" | "data");
    names(pattern).filter(is_whole).max_by_key(|name| name.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::assertion::parse_one;

    fn of(patterns: &[String]) -> Assertions {
        let one = |pattern: &String| {
            let pattern = serde_json::to_string(pattern).expect("JSON");
            parse_one(&format!("{{resource: {pattern}, absent: true}}")).expect("an assertion")
        };
        Assertions::from(patterns.iter().map(one).collect::<Vec<_>>())
    }

    /// Parts of addresses and patterns.
    fn text() -> impl Strategy<Value = String> {
        let parts = r#"module.|m|a_b|aws_db|aws_ebs_volume|.|*|*.|[0]|["k.x"]|data.|[*]|="#;
        let part = prop::sample::select(parts.split('|').collect::<Vec<_>>());
        prop::collection::vec(part, 1..7).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn the_index_finds_the_assertions_whose_patterns_cover_a_resource(
            patterns in prop::collection::vec(
                prop_oneof![8 => text(), 1 => Just("@data".to_owned())], 1..9,
            ),
            address in text(), kind in text(),
        ) {
            let assertions = of(&patterns);
            let expected: Vec<usize> = (0..patterns.len()).filter(|place| {
                let Subject::Resource(pattern) = &assertions.list[*place].subject else {
                    return false;
                };
                let is_set = pattern.is_set();
                !is_set && pattern.covers(&address)
                    || pattern.exact().is_none() && pattern.covers(&kind)
            }).collect();
            prop_assert_eq!(assertions.covering(&address, &kind), expected);
        }
    }
}
