//! Matchers of known values.

use std::collections::{BTreeMap, VecDeque};

use super::bounds::Bounds;
use super::network::Network;
use crate::known::{Data, KnownValue, MaskedValue, key_of};
use plansift_core::error::Result;
use plansift_core::json::value::{Elements, Kind, Ordered};
use plansift_cty::Number;

/// A condition on a known value.
#[derive(Debug)]
pub enum Matcher {
    /// A value that passes a check.
    Known(KnownValue),
    /// A number that equals this number.
    Number(Number),
    /// A value that at least one of the matchers matches.
    OneOf(Vec<Matcher>),
    /// A value that all matchers match.
    All(Vec<Matcher>),
    /// A value that the matcher does not match.
    Not(Box<Matcher>),
    /// A number between the bounds, inclusive.
    Range {
        /// The least number.
        min: Option<Number>,
        /// The greatest number.
        max: Option<Number>,
    },
    /// The number of elements, members or characters lies within bounds.
    Size(Bounds),
    /// A string that is an address or a range of addresses, either private as a whole or not.
    Network {
        /// Whether every address is private.
        is_private: bool,
    },
    /// A string that is an address or a range of addresses, whose prefix length lies within bounds.
    PrefixLength(Bounds),
    /// A list or set with an element that matches, or a string that contains the given string.
    Contains(Box<Matcher>, Option<String>),
    /// A list whose elements match, in order.
    ListOf(Vec<Matcher>),
    /// A set whose elements match, in any order.
    SetOf(Vec<Matcher>),
    /// An object whose members match.
    ObjectOf {
        /// The members with their matchers.
        members: Vec<(String, Matcher)>,
        /// Whether the object may have other members.
        is_partial: bool,
    },
}

impl Matcher {
    /// Whether a value matches.
    ///
    /// # Errors
    ///
    /// Fails if the document is invalid in a part that is read.
    pub fn matches(&self, data: Data<'_>) -> Result<bool> {
        Ok(match self {
            Matcher::Known(check) => check.check(MaskedValue::clear(data))?.is_ok(),
            Matcher::Number(expected) => {
                let number = data.number()?.and_then(|text| Number::parse(text.as_bytes()));
                number.is_some_and(|number| number.compare(expected).is_eq())
            }
            Matcher::OneOf(matchers) => {
                return any(matchers.iter().map(|matcher| matcher.matches(data)));
            }
            Matcher::All(matchers) => {
                return all(matchers.iter().map(|matcher| matcher.matches(data)));
            }
            Matcher::Not(matcher) => !matcher.matches(data)?,
            Matcher::Range { min, max } => {
                let number = data.number()?.and_then(|text| Number::parse(text.as_bytes()));
                number.is_some_and(|number| {
                    min.as_ref().is_none_or(|min| number.compare(min).is_ge())
                        && max.as_ref().is_none_or(|max| number.compare(max).is_le())
                })
            }
            Matcher::Size(bounds) => size_of(data)?.is_some_and(|size| bounds.holds(size)),
            Matcher::Network { is_private } => {
                network_of(data)?.is_some_and(|network| network.is_private() == *is_private)
            }
            Matcher::PrefixLength(bounds) => {
                network_of(data)?.is_some_and(|network| bounds.holds(network.prefix.into()))
            }
            Matcher::Contains(element, text) => match (data.string()?, elements(data)?) {
                (Some(found), _) => text.as_ref().is_some_and(|text| found.contains(&**text)),
                (None, Some(elements)) => {
                    return any(elements.map(|data| element.matches(Data::from(data?))));
                }
                (None, None) => false,
            },
            Matcher::ListOf(matchers) => {
                let Some(mut elements) = elements(data)? else { return Ok(false) };
                for matcher in matchers {
                    match elements.next().transpose()? {
                        Some(element) if matcher.matches(Data::from(element))? => {}
                        _ => return Ok(false),
                    }
                }
                elements.next().transpose()?.is_none()
            }
            Matcher::SetOf(matchers) => return set_of(matchers, data),
            Matcher::ObjectOf { members, is_partial } => {
                let Some(found) = found_members(members, data)? else { return Ok(false) };
                if !is_partial && len(data)? != Some(members.len() as u64) {
                    return Ok(false);
                }
                return all(members.iter().zip(found).map(|((_, matcher), data)| {
                    data.map_or(Ok(false), |data| matcher.matches(data))
                }));
            }
        })
    }

    /// Whether the matcher compares whole values only. Then its result tells nothing about a part
    /// of a value, as a pattern, a range or a size does.
    pub fn is_exact(&self) -> bool {
        let all = |list: &[Matcher]| list.iter().all(Matcher::is_exact);
        match self {
            Matcher::Known(
                KnownValue::Null
                | KnownValue::NotNull
                | KnownValue::Bool(_)
                | KnownValue::StringExact(_),
            )
            | Matcher::Number(_) => true,
            Matcher::OneOf(list)
            | Matcher::All(list)
            | Matcher::ListOf(list)
            | Matcher::SetOf(list) => all(list),
            Matcher::Not(inner) => inner.is_exact(),
            Matcher::ObjectOf { members, .. } => members.iter().all(|it| it.1.is_exact()),
            Matcher::Known(_)
            | Matcher::Range { .. }
            | Matcher::Size(_)
            | Matcher::Network { .. }
            | Matcher::PrefixLength(_)
            | Matcher::Contains(..) => false,
        }
    }

    /// Whether the matcher asks for an object.
    pub(super) fn is_of_objects(&self) -> bool {
        match self {
            Matcher::ObjectOf { .. } => true,
            Matcher::All(list) | Matcher::OneOf(list) => list.iter().any(Matcher::is_of_objects),
            _ => false,
        }
    }

    /// Whether the matcher compares numbers.
    pub fn is_of_numbers(&self) -> bool {
        let mut left = vec![self];
        while let Some(matcher) = left.pop() {
            match matcher {
                Matcher::Number(_) | Matcher::Range { .. } => return true,
                Matcher::OneOf(list) | Matcher::All(list) => left.extend(list),
                Matcher::Not(inner) => left.push(inner),
                _ => {}
            }
        }
        false
    }

    /// The matcher in words, for messages.
    pub fn words(&self) -> String {
        let joined = |matchers: &[Matcher], separator: &str| {
            matchers.iter().map(Matcher::words).collect::<Vec<_>>().join(separator)
        };
        let list = |matchers: &[Matcher]| joined(matchers, ", ");
        match self {
            Matcher::Known(KnownValue::StringExact(text)) => format!("{text:?}"),
            Matcher::Known(KnownValue::StringRegexp(regexp)) => format!("a match of {regexp}"),
            Matcher::Known(KnownValue::NotNull) => "not null".to_owned(),
            Matcher::Known(check) => check.to_string(),
            Matcher::Number(number) => number.to_exact(),
            Matcher::OneOf(matchers) => format!("one of {}", list(matchers)),
            Matcher::All(matchers) => joined(matchers, " and "),
            Matcher::Not(matcher) => format!("not {}", matcher.words()),
            Matcher::Range { min, max } => {
                let text = |number: &Option<Number>| number.as_ref().map(Number::to_exact);
                match (text(min), text(max)) {
                    (Some(min), Some(max)) => format!("a number from {min} to {max}"),
                    (Some(min), None) => format!("a number of at least {min}"),
                    (None, Some(max)) => format!("a number of at most {max}"),
                    (None, None) => "a number".to_owned(),
                }
            }
            Matcher::Size(bounds) => format!("a size of {}", bounds.words()),
            Matcher::Network { is_private: true } => "a private network".to_owned(),
            Matcher::Network { is_private: false } => "a public network".to_owned(),
            Matcher::PrefixLength(bounds) => {
                format!("a network with a prefix length of {}", bounds.words())
            }
            Matcher::Contains(matcher, _) => format!("a value that contains {}", matcher.words()),
            Matcher::ListOf(matchers) => format!("the list [{}]", list(matchers)),
            Matcher::SetOf(matchers) => format!("the set [{}]", list(matchers)),
            Matcher::ObjectOf { members, is_partial } => {
                let members =
                    members.iter().map(|(key, matcher)| format!("{key}: {}", matcher.words()));
                let more = if *is_partial { ", ..." } else { "" };
                format!("the object {{{}{more}}}", members.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Whether any of the results is true. Stops at the first true result or error.
fn any(mut results: impl Iterator<Item = Result<bool>>) -> Result<bool> {
    results.find(|result| !matches!(result, Ok(false))).unwrap_or(Ok(false))
}

/// Whether all results are true. Stops at the first false result or error.
fn all(mut results: impl Iterator<Item = Result<bool>>) -> Result<bool> {
    results.find(|result| !matches!(result, Ok(true))).unwrap_or(Ok(true))
}

/// The network that a string names.
fn network_of(data: Data<'_>) -> Result<Option<Network>> {
    Ok(data.string()?.and_then(|text| Network::parse(&text)))
}

/// The number of elements, members or characters.
fn size_of(data: Data<'_>) -> Result<Option<u64>> {
    match len(data)? {
        None => Ok(data.string()?.map(|text| text.chars().count() as u64)),
        len => Ok(len),
    }
}

/// The number of elements or different keys; `None` for a scalar.
pub(super) fn len(data: Data<'_>) -> Result<Option<u64>> {
    let Data::Value(value) = data else { return Ok(None) };
    let mut count = 0;
    match value.kind()? {
        Kind::Array => {
            for element in value.elements()? {
                element?;
                count += 1;
            }
        }
        Kind::Object => {
            let mut members = Ordered::with_duplicates(value)?;
            while let Some((key, _)) = members.next() {
                members.take_last(key)?;
                count += 1;
            }
        }
        _ => return Ok(None),
    }
    Ok(Some(count))
}

/// The elements of an array; `None` for any other value.
fn elements(data: Data<'_>) -> Result<Option<Elements<'_>>> {
    match data {
        Data::Value(value) if value.kind()? == Kind::Array => value.elements().map(Some),
        _ => Ok(None),
    }
}

/// For each expected member, the member of an object with its key. `None` for any other value. Of
/// several members with one key, the last one counts.
fn found_members<'a>(
    expected: &[(String, Matcher)],
    data: Data<'a>,
) -> Result<Option<Vec<Option<Data<'a>>>>> {
    let Data::Value(value) = data else { return Ok(None) };
    if value.kind()? != Kind::Object {
        return Ok(None);
    }
    let keys = expected.iter().enumerate().map(|(index, (key, _))| (key.as_str(), index));
    let indices: BTreeMap<&str, usize> = keys.collect();
    let mut found = vec![None; expected.len()];
    for member in value.members()? {
        let (key, value) = member?;
        if let Some(index) = indices.get(&*key_of(key)) {
            found[*index] = Some(Data::from(value));
        }
    }
    Ok(Some(found))
}

/// Maximum number of elements in [`Matcher::SetOf`]. Matching takes cubic time.
pub(super) const SET_MAX: usize = 200;

/// Whether each matcher can be assigned to a different element that it matches. Searches for a
/// bipartite matching by augmenting paths, so the order of the matchers does not matter.
fn set_of(matchers: &[Matcher], data: Data<'_>) -> Result<bool> {
    let Some(elements) = elements(data)? else { return Ok(false) };
    // One element more is enough to see that there are too many.
    let elements = elements.take(matchers.len() + 1).collect::<Result<Vec<_>>>()?;
    if elements.len() != matchers.len() {
        return Ok(false);
    }
    let mut fits = Vec::with_capacity(matchers.len());
    for matcher in matchers {
        let row = elements.iter().map(|element| matcher.matches(Data::from(*element)));
        fits.push(row.collect::<Result<Vec<bool>>>()?);
    }
    // For each element, the matcher that is assigned to it.
    let mut assigned: Vec<Option<usize>> = vec![None; elements.len()];
    for matcher in 0..matchers.len() {
        if !augment(matcher, &fits, &mut assigned) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Assigns an element to a matcher, and reassigns other matchers if necessary.
fn augment(matcher: usize, fits: &[Vec<bool>], assigned: &mut [Option<usize>]) -> bool {
    // For each element, the matcher from which the breadth-first search reached it.
    let mut reached_by: Vec<Option<usize>> = vec![None; assigned.len()];
    let mut queue = VecDeque::from([matcher]);
    while let Some(current) = queue.pop_front() {
        for (element, fits) in fits[current].iter().enumerate() {
            if !fits || reached_by[element].is_some() {
                continue;
            }
            reached_by[element] = Some(current);
            let Some(other) = assigned[element] else {
                // On the way back along the path, each matcher takes the element that it reached.
                let mut free = element;
                while let Some(owner) = reached_by[free] {
                    let previous = assigned.iter().position(|assigned| *assigned == Some(owner));
                    assigned[free] = Some(owner);
                    match previous {
                        Some(previous) => free = previous,
                        None => break,
                    }
                }
                return true;
            };
            queue.push_back(other);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;

    #[test]
    fn the_order_of_the_matchers_of_a_set_does_not_matter() {
        let text = |text: &str| Matcher::Known(KnownValue::StringExact(text.to_owned()));
        let any = || Matcher::Known(KnownValue::NotNull);
        let some = |texts: &[&str]| Matcher::OneOf(texts.iter().map(|it| text(it)).collect());
        for (matchers, holds) in [
            (vec![any(), text("a"), any()], true),
            (vec![text("c"), text("a"), text("b")], true),
            (vec![text("a"), text("a"), any()], false),
            (vec![some(&["a", "b"]), some(&["a", "b"]), any()], true),
            (vec![some(&["a", "b"]), some(&["b", "c"]), some(&["a"])], true),
            (vec![any(), any()], false),
        ] {
            let mut set = Detached::read(br#"["a","b","c"]"#, Limits::default()).expect("JSON");
            let matcher = Matcher::SetOf(matchers);
            let found = matcher.matches(Data::from(set.value())).expect("valid");
            assert_eq!(found, holds, "{}", matcher.words());
        }
    }
}
