//! Finds the assertions that a change cannot break, because no value that they compare changes.
//!
//! Many assertions refuse one kind of change of one attribute, and most changes do not touch that
//! attribute. The bytes of each attribute are compared once for all assertions. Equal bytes
//! are equal values, so only attributes with different bytes need a closer look.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::sides::{AFTER, BEFORE, Sides};
use super::subject::{Assertion, Expectation, ValueSelector};
use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Text, Value};
use plansift_core::path::AttributeStep;
use plansift_plan::plan::Change;

/// What must change so that each assertion can fail.
#[derive(Debug, Default)]
pub(super) struct Triggers {
    /// The attributes that assertions compare, with their indices in [`Touched::attributes`].
    attributes: HashMap<String, usize, RandomState>,
    /// The trigger of each assertion; `None` if the assertion must see every change.
    list: Vec<Option<Trigger>>,
}

/// A change that can break an assertion.
#[derive(Clone, Copy, Debug)]
struct Trigger {
    /// The index of the attribute that changes; `None` for any attribute.
    attribute: Option<usize>,
    /// Whether the value must be marked sensitive.
    is_sensitive: bool,
    /// Whether the assertion fails if no value has its path.
    needs_path: bool,
}

/// The attributes whose bytes a change touches.
#[derive(Debug)]
pub(super) struct Touched {
    any: bool,
    /// Empty if `any` is false.
    attributes: Vec<bool>,
}

impl Triggers {
    pub fn of(assertions: &[Assertion]) -> Triggers {
        let mut all = Triggers::default();
        for assertion in assertions {
            let trigger = all.trigger(assertion);
            all.list.push(trigger);
        }
        all
    }

    /// Triggers with which each assertion sees every change.
    #[cfg(test)]
    pub fn none(count: usize) -> Triggers {
        Triggers { list: vec![None; count], ..Triggers::default() }
    }

    fn trigger(&mut self, assertion: &Assertion) -> Option<Trigger> {
        let Assertion { expectations, path, when, is_optional, .. } = assertion;
        let holds_without_change = |expectation: &Expectation| {
            matches!(expectation, Expectation::NotChange(_) | Expectation::Unchanged(true))
        };
        let of_sensitive = |expectation: &Expectation| {
            let Expectation::NotChange(change) = expectation else { return false };
            change.sensitive == Some(true)
        };
        // An assertion that is not optional may fail because nothing has its path.
        let is_quiet = *is_optional || matches!(path, ValueSelector::At(_)) && when.is_none();
        if !is_quiet || !expectations.iter().all(holds_without_change) {
            return None;
        }
        let next = self.attributes.len();
        let attribute = attribute(path).map(|key| *self.attributes.entry(key).or_insert(next));
        let is_sensitive = expectations.iter().all(of_sensitive);
        Some(Trigger { attribute, is_sensitive, needs_path: !is_optional && !path.is_root() })
    }

    /// Whether any of these assertions has a trigger.
    pub fn has_trigger(&self, places: &[usize]) -> bool {
        places.iter().any(|place| self.list[*place].is_some())
    }

    /// Whether an assertion can fail for a change. `has_path` says whether a value has been found
    /// at the path of the assertion.
    pub fn may_fail(
        &self,
        place: usize,
        touched: &Touched,
        sides: &Sides<'_>,
        has_path: bool,
    ) -> Result<bool> {
        let Some(trigger) = self.list[place] else { return Ok(true) };
        if trigger.needs_path && !has_path {
            return Ok(true);
        }
        let is_touched =
            touched.any && trigger.attribute.is_none_or(|index| touched.attributes[index]);
        Ok(is_touched && (!trigger.is_sensitive || sides.has_sensitive()?))
    }

    /// Compares the attributes of a change. `is_gone` says whether the object is destroyed or
    /// forgotten.
    ///
    /// # Errors
    ///
    /// Fails if an object is malformed.
    pub fn touched(&self, change: &Change<'_>, is_gone: bool) -> Result<Touched> {
        let unknown = change.after_unknown.filter(|overlay| !is_clear(*overlay));
        let sides = [change.before, change.after].map(|it| it.filter(|value| !value.is_null()));
        let [before, after] = sides.map(|side| side.map(Value::raw));
        if !is_gone && unknown.is_none() && before == after {
            return Ok(Touched { any: false, attributes: Vec::new() });
        }
        let count = self.attributes.len();
        for value in sides.into_iter().chain([unknown]).flatten() {
            if is_gone || value.kind()? != Kind::Object {
                return Ok(Touched { any: true, attributes: vec![true; count] });
            }
        }
        let mut values = vec![[None; 2]; count];
        for side in [BEFORE, AFTER] {
            // If a key occurs twice, its last member counts.
            self.each_attribute(sides[side], |index, value| values[index][side] = Some(value))?;
        }
        let differ = |[before, after]: &[Option<Value<'_>>; 2]| {
            before.map(Value::raw) != after.map(Value::raw)
        };
        let mut attributes: Vec<bool> = values.iter().map(differ).collect();
        self.each_attribute(unknown, |index, mark| attributes[index] |= !is_clear(mark))?;
        Ok(Touched { any: true, attributes })
    }

    /// Calls `each` with the members of an object that assertions compare.
    fn each_attribute<'a>(
        &self,
        object: Option<Value<'a>>,
        mut each: impl FnMut(usize, Value<'a>),
    ) -> Result<()> {
        let Some(object) = object.filter(|_| !self.attributes.is_empty()) else { return Ok(()) };
        for member in object.members()? {
            let (key, value) = member?;
            if let Some(index) = self.index(key)? {
                each(index, value);
            }
        }
        Ok(())
    }

    fn index(&self, key: Text<'_>) -> Result<Option<usize>> {
        Ok(match std::str::from_utf8(key.raw()) {
            // Most keys have no escapes, and need no copy.
            Ok(text) if key.is_plain() => self.attributes.get(text),
            _ => self.attributes.get(&key.decode()?),
        }
        .copied())
    }
}

/// The attribute in which the values of a selector are. `None` if a selector covers several
/// attributes.
fn attribute(selector: &ValueSelector) -> Option<String> {
    match selector {
        ValueSelector::At(path) => match path.steps().first() {
            Some(AttributeStep::Key(key)) => Some(key.clone()),
            _ => None,
        },
        ValueSelector::Dotted(query) | ValueSelector::Each(query) => {
            query.first_key().map(str::to_owned)
        }
        ValueSelector::Document(document) => attribute(&document.string),
    }
}

/// Whether an overlay marks nothing, by its bytes.
fn is_clear(overlay: Value<'_>) -> bool {
    overlay.is_empty() || matches!(overlay.raw(), b"false" | b"null")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use crate::assertion::{Answers, Assertions, Run, parse_one};
    use plansift_core::input::Slice;
    use plansift_plan::plan::{PlanOptions, read};

    /// Assertions with and without triggers.
    const ASSERTIONS: [&str; 16] = [
        "path: a, not_change: {becomes: 1}, optional: true",
        "path: a, not_change: {was: 1}, optional: true",
        "path: a, not_change: {unknown: true}",
        "path: a.b, not_change: {becomes: {not: null}}",
        "path: a.b, unchanged: true, optional: true",
        "path: 'a[*]', not_change: {grows: true}, optional: true",
        "path: 'a[*].b', not_change: {becomes: 1}",
        "path: '**', not_change: {sensitive: true}, optional: true",
        "path: '*', not_change: {adds: 1}, optional: true",
        "path: 'c.d', not_change: {sensitive: true}, optional: true",
        "path: jsondecode(c).a, not_change: {becomes: 1}, optional: true",
        "path: jsondecode(c).a, unchanged: true",
        "not_change: {becomes: {has: {a: 1}}}",
        "unchanged: true",
        "path: a, when: {path: b, before: 1}, not_change: {becomes: 1}",
        "path: a, known: 1, not_change: {was: 1}, optional: true",
    ];

    fn value() -> impl Strategy<Value = Value> {
        let scalars =
            [json!(1), json!(2), Value::Null, json!("x"), json!(r#"{"a":1}"#), json!(r#"{"a":2}"#)];
        let scalar = prop::sample::select(scalars.to_vec());
        scalar.prop_recursive(2, 8, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                object(inner),
            ]
        })
    }

    fn mark() -> impl Strategy<Value = Value> {
        let scalar = prop::sample::select(vec![json!(true), json!(false), json!({}), json!([])]);
        scalar.prop_recursive(2, 6, 2, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..2).prop_map(Value::from),
                object(inner),
            ]
        })
    }

    fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
        let key = prop::sample::select(vec!["a", "b", "c", "d"]);
        prop::collection::vec((key, inner), 0..4).prop_map(Value::from_iter)
    }

    fn change() -> impl Strategy<Value = Value> {
        let side = prop_oneof![4 => object(value()), 1 => value()];
        let actions = [json!(["no-op"]), json!(["update"]), json!(["delete"]), json!(["forget"])];
        let actions = prop::sample::select(actions.to_vec());
        let overlays = prop::collection::vec(prop_oneof![object(mark()), mark()], 3);
        (actions, side.clone(), side, any::<bool>(), overlays).prop_map(
            |(actions, before, after, is_same, overlays)| {
                let after = if is_same { before.clone() } else { after };
                let [unknown, before_marks, after_marks] = &overlays[..] else { unreachable!() };
                json!({
                    "actions": actions, "before": before, "after": after, "after_unknown": unknown,
                    "before_sensitive": before_marks, "after_sensitive": after_marks,
                })
            },
        )
    }

    fn check(assertions: &Assertions, plan: &str) -> Result<Answers, String> {
        let mut run = Run::new(assertions);
        let document = read(Slice(plan.as_bytes()), &PlanOptions::default(), &mut run);
        document.map(|it| run.finish(&it)).map_err(|error| error.to_string())
    }

    proptest! {
        #[test]
        fn triggers_change_no_outcome(changes in prop::collection::vec(change(), 1..4)) {
            let resources: Vec<Value> = changes.iter().enumerate().map(|(index, change)| json!({
                "address": format!("t.x[{index}]"), "mode": "managed", "type": "t", "name": "x",
                "index": index, "change": change,
            })).collect();
            let plan = json!({"format_version": "1.2", "resource_changes": resources}).to_string();
            let assertions = || {
                let list = ASSERTIONS.map(|text| {
                    parse_one(&format!("resource: t.x, {text}")).expect("an assertion")
                });
                Assertions::from(Vec::from(list))
            };
            let [with, without] =
                [assertions(), assertions().without_triggers()].map(|it| check(&it, &plan));
            let outcomes = |answers: Result<Answers, String>| answers.map(|it| it.outcomes);
            prop_assert_eq!(outcomes(with), outcomes(without));
        }
    }
}
