//! Walks the places that match a query with wildcards in a resource or an output.

use super::columns::Columns;
use super::sides::{Place, Sides};
use plansift_core::error::Result;
use plansift_core::json::value::Step;
use plansift_core::path::{self, AttributeQuery, AttributeStep};

/// The places that match a query, in the order of their paths. A place matches if a side or an
/// overlay has its path: unknown values are only in the overlay of unknown values, and removed
/// values only in `before`.
///
/// The walk keeps only the containers around the current place. It takes linear time.
pub(super) struct Places<'q, 'a> {
    query: &'q AttributeQuery,
    sides: &'q Sides<'a>,
    /// The root; `None` after the first call of [`Places::next`], and without values and overlays.
    root: Option<Place<'a>>,
    /// The entered places, outermost first.
    open: Vec<Open<'a>>,
    /// The steps to the current place.
    steps: Vec<Step<'a>>,
    hidden: Hidden,
}

struct Open<'a> {
    place: Place<'a>,
    content: Columns<'a, 5>,
    /// The state of the query.
    state: u128,
}

/// The outermost value around the current place that is marked as a whole.
#[derive(Default)]
struct Hidden {
    /// The number of steps to the value.
    depth: usize,
    has_failed: bool,
}

impl<'q, 'a> Places<'q, 'a> {
    pub fn of(query: &'q AttributeQuery, sides: &'q Sides<'a>) -> Result<Places<'q, 'a>> {
        let root = sides.has_any().then(|| sides.root()).transpose()?;
        let (open, steps) = (Vec::new(), Vec::new());
        Ok(Places { query, sides, root, open, steps, hidden: Hidden::default() })
    }

    /// Moves to the next place that matches, and returns it.
    pub fn next(&mut self) -> Result<Option<Place<'a>>> {
        loop {
            let (place, state) = match self.root.take() {
                Some(root) => (root, self.query.start()),
                None => match self.advance()? {
                    Some(next) => next,
                    None => return Ok(None),
                },
            };
            if place.has_content() {
                self.open.push(Open { place, content: place.content()?, state });
            }
            if self.query.is_end(state) {
                return Ok(Some(place));
            }
        }
    }

    /// Moves to the next place at which the query may match, or below which it may.
    fn advance(&mut self) -> Result<Option<(Place<'a>, u128)>> {
        loop {
            self.steps.truncate(self.open.len().saturating_sub(1));
            let Some(open) = self.open.last_mut() else { return Ok(None) };
            let Some((step, columns)) = open.content.next()? else {
                self.open.pop();
                continue;
            };
            let state = match step {
                Step::Index(index) => self.query.advanced(open.state, path::Step::Index(index)),
                // Most keys have no escapes, and need no copy.
                Step::Key(key) => match std::str::from_utf8(key.raw()) {
                    Ok(text) if key.is_plain() => {
                        self.query.advanced(open.state, path::Step::Key(text))
                    }
                    _ => self.query.advanced(open.state, path::Step::Key(&key.decode()?)),
                },
            };
            if state == 0 {
                continue;
            }
            let place = self.sides.below(&open.place, columns)?;
            self.steps.push(step);
            if place.is_hidden && !open.place.is_hidden {
                self.hidden = Hidden { depth: self.steps.len(), has_failed: false };
            }
            return Ok(Some((place, state)));
        }
    }

    /// The path of the current place. A path into a value that is marked as a whole ends at that
    /// value.
    pub fn path(&self, place: &Place<'a>) -> Result<Vec<AttributeStep>> {
        let depth = if place.is_hidden { self.hidden.depth } else { self.steps.len() };
        let owned = |step: &Step<'a>| match step {
            Step::Key(key) => key.decode().map(AttributeStep::Key),
            Step::Index(index) => Ok(AttributeStep::Index((*index).into())),
        };
        self.steps[..depth].iter().map(owned).collect()
    }

    /// Records a failure at the current place. Returns `false` if the place is in a value that is
    /// marked as a whole, and a failure in that value was recorded before.
    pub fn is_first_failure(&mut self, place: &Place<'a>) -> bool {
        !place.is_hidden || !std::mem::replace(&mut self.hidden.has_failed, true)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;
    use plansift_core::path::AttributePath;
    use plansift_plan::plan::Change;

    fn json() -> impl Strategy<Value = Value> {
        let scalar = prop::sample::select(vec!["1", "true", "false", "null", "\"x\""]);
        let scalar = scalar.prop_map(|text| serde_json::from_str(text).expect("JSON"));
        scalar.prop_recursive(4, 20, 4, |inner| {
            let key = prop::sample::select(vec!["a", "b", "c.d", "e"]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..4)
                    .prop_map(|members| Value::from_iter(members.into_iter().rev())),
            ]
        })
    }

    /// The paths at and below a value.
    fn paths(value: &Value, path: &AttributePath, found: &mut BTreeSet<AttributePath>) {
        found.insert(path.clone());
        for (key, value) in value.as_object().into_iter().flatten() {
            paths(value, &path.clone().at_map_key(key), found);
        }
        for (index, value) in value.as_array().into_iter().flatten().enumerate() {
            paths(value, &path.clone().at_slice_index(index as i64), found);
        }
    }

    proptest! {
        #[test]
        fn the_walk_finds_the_matching_paths_of_all_sides_in_order(
            sides in prop::collection::vec(json(), 5..6),
            query in prop::sample::select(vec![
                "*", "**", "a.*", "*.**", "[*]", "**[*]", "**.a", "a[0].*", "**.*[*].**", "a",
            ]),
        ) {
            let query = AttributeQuery::parse(query).expect("a query");
            // The walk does not enter an overlay below a mark, so overlays have no marks here.
            let texts: Vec<String> = sides.iter().enumerate().map(|(at, side)| {
                let text = side.to_string();
                match at {
                    0 | 1 => text,
                    _ => ["true", "1", "\"x\""]
                        .into_iter()
                        .fold(text, |text, mark| text.replace(mark, "null")),
                }
            }).collect();
            let mut found = BTreeSet::new();
            for text in &texts {
                let side = serde_json::from_str(text).expect("JSON");
                paths(&side, &AttributePath::root(), &mut found);
            }
            found.retain(|path| query.matches(path));
            let keys =
                ["before", "after", "before_sensitive", "after_sensitive", "after_unknown"];
            let members = keys.iter().zip(&texts).map(|(key, text)| format!(",\"{key}\":{text}"));
            let change = format!("{{\"actions\":[]{}}}", members.collect::<String>());
            let mut read = Detached::read(change.as_bytes(), Limits::default()).expect("JSON");
            let change = Change::parse(read.value()).expect("a change");
            let sides = Sides::of_change(&change);
            let mut places = Places::of(&query, &sides).expect("valid");
            let mut walked = Vec::new();
            while let Some(place) = places.next().expect("valid") {
                prop_assert!(!place.is_hidden);
                let steps = places.path(&place).expect("valid");
                walked.push(AttributePath::from_iter(steps));
            }
            prop_assert_eq!(walked, found.into_iter().collect::<Vec<_>>());
        }
    }
}
