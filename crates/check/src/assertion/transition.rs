//! Conditions on the step from the value before a change to the planned value.
//!
//! A condition holds for values that change only. A dangerous value that stays the same is no
//! change.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use super::columns::Columns;
use super::matcher::Matcher;
use crate::known::{Data, text_of};
use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Step, Value};
use plansift_cty::Number;

/// A condition on the value before a change and the planned value. All parts must hold.
#[derive(Debug, Default)]
pub struct Transition {
    /// The value before the change matches.
    pub was: Option<Matcher>,
    /// The planned value is known and matches.
    pub becomes: Option<Matcher>,
    /// The planned value has an element or a member that the value before does not have, and that
    /// matches.
    pub adds: Option<Matcher>,
    /// The value before has an element or a member that the planned value does not have, and that
    /// matches.
    pub removes: Option<Matcher>,
    /// The number grows, or shrinks. A positive number shrinks if it goes while the object stays,
    /// and grows if it is new in an object that exists.
    pub growth: Option<Growth>,
    /// The planned value is unknown. With `false`: it is known.
    pub unknown: Option<bool>,
    /// The value is marked sensitive as a whole, before the change or after it. With `false`: it is
    /// not.
    pub sensitive: Option<bool>,
}

/// How a number changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// The planned number is larger.
    Grows,
    /// The planned number is smaller.
    Shrinks,
}

/// A value that changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueChange<'a> {
    /// The value before the change; `Nil` if there is none.
    pub before: Data<'a>,
    pub planned: Planned<'a>,
    /// Whether the value, or a value around it, is marked as a whole on one side.
    pub is_sensitive: bool,
    /// Whether the change creates the object, so that it had no value before.
    pub is_new: bool,
}

/// The planned value at a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Planned<'a> {
    /// The object is destroyed or forgotten.
    Gone,
    /// The value is unknown as a whole.
    Unknown,
    /// The value; `Nil` if there is none.
    Known(Data<'a>),
}

impl Transition {
    /// Whether the condition holds for a value that changes. `None` if that depends on a planned
    /// value that is unknown.
    ///
    /// A missing value counts as null, and so do unknown parts of a planned value. If the object
    /// goes, a condition on the planned value does not hold.
    pub(super) fn describes(&self, change: ValueChange<'_>) -> Result<Option<bool>> {
        let Transition { was, becomes, adds, removes, growth, unknown, sensitive } = self;
        let ValueChange { before, planned, is_sensitive, is_new } = change;
        if sensitive.is_some_and(|sensitive| sensitive != is_sensitive) {
            return Ok(Some(false));
        }
        let is_unknown = matches!(planned, Planned::Unknown);
        if unknown.is_some_and(|unknown| unknown != is_unknown || matches!(planned, Planned::Gone))
        {
            return Ok(Some(false));
        }
        if let Some(was) = was
            && !was.matches(before)?
        {
            return Ok(Some(false));
        }
        let after = match planned {
            Planned::Known(after) => after,
            Planned::Unknown if self.needs_planned() => return Ok(None),
            Planned::Gone | Planned::Unknown => return Ok(Some(!self.needs_planned())),
        };
        if let Some(becomes) = becomes
            && !becomes.matches(after)?
        {
            return Ok(Some(false));
        }
        if let Some(growth) = growth
            && growth_of(before, after, is_new)? != Some(*growth)
        {
            return Ok(Some(false));
        }
        let has = |matcher: &Option<Matcher>, from, to| match matcher {
            Some(matcher) => has_new(matcher, from, to),
            None => Ok(true),
        };
        Ok(Some(has(adds, before, after)? && has(removes, after, before)?))
    }

    /// Whether a part of the condition is about the planned value.
    pub(super) fn needs_planned(&self) -> bool {
        let Transition { becomes, growth, .. } = self;
        becomes.is_some() || growth.is_some() || self.compares_elements()
    }

    /// Whether a part of the condition is about elements.
    fn compares_elements(&self) -> bool {
        self.adds.is_some() || self.removes.is_some()
    }

    /// Whether the condition is about whole values only, like [`Matcher::is_exact`].
    pub fn is_exact(&self) -> bool {
        self.growth.is_none() && !self.compares_elements() && self.matchers().all(Matcher::is_exact)
    }

    /// Returns the matchers of the condition.
    pub(super) fn matchers(&self) -> impl Iterator<Item = &Matcher> {
        [&self.was, &self.becomes, &self.adds, &self.removes].into_iter().flatten()
    }

    /// The condition in words, for messages.
    pub(super) fn words(&self) -> String {
        let part = |word: &str, matcher: &Option<Matcher>| {
            matcher.as_ref().map(|matcher| format!("{word} {}", matcher.words()))
        };
        let growth = self.growth.map(|growth| match growth {
            Growth::Grows => "to a larger number".to_owned(),
            Growth::Shrinks => "to a smaller number".to_owned(),
        });
        let unknown = self.unknown.map(|unknown| match unknown {
            true => "to an unknown value".to_owned(),
            false => "to a known value".to_owned(),
        });
        let sensitive = self.sensitive.map(|sensitive| match sensitive {
            true => "of a sensitive value".to_owned(),
            false => "of a value that is not sensitive".to_owned(),
        });
        let parts = [
            sensitive,
            part("from", &self.was),
            part("to", &self.becomes),
            part("that adds", &self.adds),
            part("that removes", &self.removes),
            growth,
            unknown,
        ];
        format!("a change {}", parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

/// Returns how a number changes; `None` if it does not, or if the values are no numbers. A string
/// that is a number counts as a number, because providers have both.
///
/// A positive number shrinks if null takes its place, and grows in place of null, unless the object
/// `is_new`: it had no value to grow from.
fn growth_of(before: Data<'_>, after: Data<'_>, is_new: bool) -> Result<Option<Growth>> {
    let number = |data: Data<'_>| -> Result<Option<Number>> {
        let text = match data.number()? {
            None => data.string()?,
            number => number,
        };
        Ok(text.and_then(|text| Number::parse(text.as_bytes())))
    };
    let is_positive = |number: &Number| number.compare(&Number::from(0_u64)).is_gt();
    let (before, after) = match (number(before)?, number(after)?) {
        (Some(before), Some(after)) => (before, after),
        (Some(before), None) if matches!(after, Data::Nil) => {
            return Ok(is_positive(&before).then_some(Growth::Shrinks));
        }
        (None, Some(after)) if matches!(before, Data::Nil) && !is_new => {
            return Ok(is_positive(&after).then_some(Growth::Grows));
        }
        _ => return Ok(None),
    };
    Ok(match after.compare(&before) {
        std::cmp::Ordering::Less => Some(Growth::Shrinks),
        std::cmp::Ordering::Greater => Some(Growth::Grows),
        std::cmp::Ordering::Equal => None,
    })
}

/// Whether a value has a matching element or member that another value does not have. The order of
/// elements does not matter. Members are compared with their keys. A scalar is its own only
/// element. An object is also an element of its own if the matcher asks for an object, because a
/// policy has one statement or a list of them.
fn has_new(matcher: &Matcher, old: Data<'_>, new: Data<'_>) -> Result<bool> {
    let state = RandomState::new();
    let mut known: HashMap<u64, u32> = HashMap::new();
    let is_of_objects = matcher.is_of_objects();
    each_part(old, is_of_objects, |key, part| {
        *known.entry(fingerprint(&state, key, part)?).or_default() += 1;
        Ok(false)
    })?;
    each_part(new, is_of_objects, |key, part| {
        match known.get_mut(&fingerprint(&state, key, part)?) {
            Some(count) if *count > 0 => {
                *count -= 1;
                Ok(false)
            }
            _ => matcher.matches(Data::from(part)),
        }
    })
}

/// Calls `each` with the members of an object and their keys, with the elements of an array, or
/// with a scalar, until it returns true. Returns whether it did. With `is_of_objects`, an object is
/// also a part itself.
fn each_part<'a>(
    of: Data<'a>,
    is_of_objects: bool,
    mut each: impl FnMut(Option<&str>, Value<'a>) -> Result<bool>,
) -> Result<bool> {
    let Data::Value(value) = of else { return Ok(false) };
    let is_element = match value.kind()? {
        Kind::Array => false,
        Kind::Object => is_of_objects,
        _ => return each(None, value),
    };
    if is_element && each(None, value)? {
        return Ok(true);
    }
    let mut parts = Columns::of([Some(value)])?;
    while let Some((step, [part])) = parts.next()? {
        let key = match step {
            Step::Key(key) => Some(key.decode()?),
            Step::Index(_) => None,
        };
        if let Some(part) = part
            && each(key.as_deref(), part)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns a random hash of a value and its key, whatever the order of keys. Equal values
/// in the sense of [`super::differences`] have equal hashes.
fn fingerprint(state: &RandomState, key: Option<&str>, value: Value<'_>) -> Result<u64> {
    let mut hasher = state.build_hasher();
    key.hash(&mut hasher);
    let mut open: Vec<Columns<'_, 1>> = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next {
            let kind = value.kind()?;
            std::mem::discriminant(&kind).hash(&mut hasher);
            match kind {
                Kind::Object | Kind::Array => open.push(Columns::of([Some(value)])?),
                Kind::String => text_of(value).hash(&mut hasher),
                _ => value.raw().hash(&mut hasher),
            }
        }
        let Some(columns) = open.last_mut() else { return Ok(hasher.finish()) };
        next = match columns.next()? {
            Some((step, [part])) => {
                if let Step::Key(key) = step {
                    key.decode()?.hash(&mut hasher);
                }
                part
            }
            None => {
                open.pop();
                // The end of a container.
                u8::MAX.hash(&mut hasher);
                None
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::KnownValue;
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;

    fn any() -> Matcher {
        Matcher::Known(KnownValue::NotNull)
    }

    fn describes(transition: &Transition, before: &str, after: &str, is_new: bool) -> bool {
        let read = |text: &str| Detached::read(text.as_bytes(), Limits::default()).expect("JSON");
        let (mut before, mut after) = (read(before), read(after));
        let planned = Planned::Known(Data::from(after.value()));
        let before = Data::from(before.value());
        let change = ValueChange { before, planned, is_sensitive: false, is_new };
        transition.describes(change).expect("valid").expect("a known value")
    }

    #[test]
    fn elements_are_new_whatever_their_order_and_spelling() {
        let adds = Transition { adds: Some(any()), ..Transition::default() };
        for (before, after, is_new) in [
            ("[]", "[1]", true),
            ("null", "[1]", true),
            ("[1,2]", "[2,1]", false),
            ("[1,1]", "[1]", false),
            ("[1]", "[1,1]", true),
            (r#"[{"a":1,"b":"x"}]"#, r#"[{"b":"\u0078","a":1}]"#, false),
            (r#"[{"a":[1,2]}]"#, r#"[{"a":[2,1]}]"#, true),
            (r#"[["a"],"b"]"#, r#"[["a","b"]]"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, true),
            (r#"{"a":1}"#, r#"{"b":1}"#, true),
            (r#"{"a":1}"#, r#"{"a":2}"#, true),
            (r#"{"a":1,"b":1}"#, r#"{"b":1}"#, false),
            (r#""a""#, r#""a""#, false),
            (r#""a""#, r#""b""#, true),
            ("[1]", "null", false),
        ] {
            assert_eq!(describes(&adds, before, after, false), is_new, "{before} {after}");
            let removes = Transition { removes: Some(any()), ..Transition::default() };
            assert_eq!(describes(&removes, after, before, false), is_new, "{after} {before}");
        }
    }

    #[test]
    fn numbers_grow_and_shrink() {
        let shrinks = Transition { growth: Some(Growth::Shrinks), ..Transition::default() };
        let grows = Transition { growth: Some(Growth::Grows), ..Transition::default() };
        for (before, after, is_less) in [
            ("35", "7", true),
            (r#""35""#, "7", true),
            ("7", "7.0", false),
            ("1e3", "1001", false),
            ("null", "7", false),
            ("7", "null", true),
            (r#""7""#, "null", true),
            ("0", "null", false),
            ("0.0", "null", false),
            ("-1", "null", false),
            ("null", "-1", false),
            ("null", "null", false),
            ("7", r#""""#, false),
            (r#""a""#, "7", false),
        ] {
            assert_eq!(describes(&shrinks, before, after, false), is_less, "{before} {after}");
            assert_eq!(describes(&grows, after, before, false), is_less, "{after} {before}");
        }
        assert!(!describes(&grows, "null", "7", true));
    }
}
