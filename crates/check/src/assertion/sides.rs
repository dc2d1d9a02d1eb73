//! The values of one resource or output before and after a change, and the values at a path in
//! them.

use std::cell::OnceCell;
use std::ops::{ControlFlow, Range};

use super::columns::Columns;
use super::differences::differences;
use crate::known::Mask;
use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Ordered, Step, Value, WalkEvent};
use plansift_core::nearest::nearest;
use plansift_core::path::{AttributePath, AttributeStep};
use plansift_plan::plan::{Change, MarkReason};

/// The indices of the sides, in [`Place::values`] and [`Place::masks`].
pub(super) const BEFORE: usize = 0;
pub(super) const AFTER: usize = 1;
/// The index of the overlay of unknown values in [`Place::masks`].
pub(super) const UNKNOWN: usize = 2;

/// The values of a resource or an output before and after a change, and their overlays. A state has
/// only values after.
#[derive(Debug, Default)]
pub(super) struct Sides<'a> {
    values: [Option<Value<'a>>; 2],
    /// The sensitivity overlays of both sides, and the overlay of unknown values after the change.
    overlays: [Option<Value<'a>>; 3],
    /// The marks in each overlay, once they are needed.
    marks: [OnceCell<Offsets>; 3],
    /// The parts of each side that differ, once they are needed.
    differences: OnceCell<[Offsets; 2]>,
}

/// The values at a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The values before and after the change. `None` if a side has no value at the path.
    pub values: [Option<Value<'a>>; 2],
    /// Which parts are sensitive before and after the change, and which parts are unknown.
    pub masks: [Mask<'a>; 3],
    pub is_root: bool,
    /// Whether a value here or around this place is marked as a whole on one side. The keys in such
    /// a value are secret on both sides.
    pub is_hidden: bool,
}

/// How much of a value an overlay marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marked {
    Whole,
    Partly,
    Not,
}

/// Positions in the text of a value: a bit for each byte, because a large list may have as many
/// positions as elements.
#[derive(Debug)]
struct Offsets {
    /// The offset of the value.
    start: u64,
    bits: Vec<u64>,
    /// The number of positions before each word of `bits`.
    counts: Vec<u32>,
}

impl Offsets {
    /// No positions in a value.
    fn new(value: Option<Value<'_>>) -> Offsets {
        let Range { start, end } = value.map_or(0..0, Value::range);
        Offsets { start, bits: vec![0; ((end - start) / 64) as usize + 1], counts: Vec::new() }
    }

    fn add(&mut self, part: Value<'_>) {
        let at = part.offset() - self.start;
        self.bits[(at / 64) as usize] |= 1 << (at % 64);
    }

    /// Counts the positions, after the last one is added.
    fn counted(self) -> Offsets {
        let count = |before: &mut u32, word: &u64| {
            let after = *before + word.count_ones();
            Some(std::mem::replace(before, after))
        };
        Offsets { counts: self.bits.iter().scan(0, count).collect(), ..self }
    }

    fn has_within(&self, part: Value<'_>) -> bool {
        let Range { start, end } = part.range();
        self.count_before(end) > self.count_before(start)
    }

    fn count_before(&self, offset: u64) -> u32 {
        let at = offset - self.start;
        let word = (at / 64) as usize;
        self.counts[word] + (self.bits[word] & ((1 << (at % 64)) - 1)).count_ones()
    }
}

impl<'a> Sides<'a> {
    pub fn of_change(change: &Change<'a>) -> Sides<'a> {
        let Change { before, after, after_unknown, before_sensitive, after_sensitive, .. } =
            *change;
        let overlays = [before_sensitive, after_sensitive, after_unknown];
        Sides { values: [before, after], overlays, ..Sides::default() }
    }

    /// A value in a state.
    pub fn of_state(value: Option<Value<'a>>, sensitive: Option<Value<'a>>) -> Sides<'a> {
        let overlays = [None, sensitive, None];
        Sides { values: [None, value], overlays, ..Sides::default() }
    }

    /// Values, the sensitivity overlays of both sides, and the overlay of unknown values.
    pub fn of_values(
        values: [Option<Value<'a>>; 2],
        overlays: [Option<Value<'a>>; 3],
    ) -> Sides<'a> {
        Sides { values, overlays, ..Sides::default() }
    }

    /// Whether the change leaves no value.
    pub fn is_gone(&self) -> bool {
        self.values[AFTER].is_none_or(Value::is_null)
    }

    /// Whether there is any value or overlay.
    pub fn has_any(&self) -> bool {
        self.values.iter().chain(&self.overlays).any(Option::is_some)
    }

    pub fn root(&self) -> Result<Place<'a>> {
        let root = Place {
            values: self.values,
            masks: self.overlays.map(Mask::from),
            is_root: true,
            is_hidden: false,
        };
        self.with_marks(root)
    }

    /// The place at a path.
    pub fn at(&self, path: &AttributePath) -> Result<Place<'a>> {
        path.steps().iter().try_fold(self.root()?, |place, step| self.step(&place, step))
    }

    fn step(&self, place: &Place<'a>, step: &AttributeStep) -> Result<Place<'a>> {
        let [before, after] = place.values.map(|value| inner(value, step));
        let masks = place.masks.map(|mask| mask.at(std::slice::from_ref(step)));
        let Place { is_hidden, .. } = *place;
        self.with_marks(Place { values: [before?, after?], masks, is_root: false, is_hidden })
    }

    /// The place one step below another. The arguments are the values and overlays there.
    pub fn below(
        &self,
        place: &Place<'a>,
        [before, after, before_sensitive, after_sensitive, unknown]: [Option<Value<'a>>; 5],
    ) -> Result<Place<'a>> {
        let mut masks = [before_sensitive, after_sensitive, unknown].map(Mask::from);
        for (mask, around) in masks.iter_mut().zip(place.masks) {
            if around.is_marked() {
                *mask = around;
            }
        }
        let Place { is_hidden, .. } = *place;
        self.with_marks(Place { values: [before, after], masks, is_root: false, is_hidden })
    }

    /// Sets whether the values at a place are marked as a whole.
    fn with_marks(&self, mut place: Place<'a>) -> Result<Place<'a>> {
        for side in [BEFORE, AFTER] {
            place.is_hidden = place.is_hidden || self.hides(&place, side)?;
        }
        Ok(place)
    }

    fn hides(&self, place: &Place<'a>, side: usize) -> Result<bool> {
        let value = |side: usize| place.values[side].filter(|value| !value.is_null());
        Ok(match place.masks[side] {
            Mask::Clear => false,
            Mask::Marked => true,
            Mask::Parts(overlay) => {
                self.has_marks(side, overlay)?
                    && MarkReason::of(overlay, value(side), value(1 - side))?.is_some()
            }
        })
    }

    /// Whether a part of an overlay contains a mark.
    fn has_marks(&self, overlay: usize, part: Value<'_>) -> Result<bool> {
        if part.is_empty() {
            return Ok(false);
        }
        let cell = &self.marks[overlay];
        if let Some(marks) = cell.get() {
            return Ok(marks.has_within(part));
        }
        let root = self.overlays[overlay];
        let mut marks = Offsets::new(root);
        if let Some(root) = root {
            for event in root.walk() {
                match event? {
                    WalkEvent::Leaf(kind, mark) if kind.is_mark() => marks.add(mark),
                    _ => {}
                }
            }
        }
        Ok(cell.get_or_init(|| marks.counted()).has_within(part))
    }

    /// Whether any value is marked sensitive, before the change or after it.
    pub fn has_sensitive(&self) -> Result<bool> {
        for side in [BEFORE, AFTER] {
            if let Some(overlay) = self.overlays[side]
                && self.has_marks(side, overlay)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How much of the value at a place an overlay marks. A mark covers everything in a value.
    pub fn marked(&self, overlay: usize, place: &Place<'a>) -> Result<Marked> {
        Ok(match place.masks[overlay] {
            Mask::Marked => Marked::Whole,
            Mask::Parts(parts) if self.has_marks(overlay, parts)? => Marked::Partly,
            Mask::Clear | Mask::Parts(_) => Marked::Not,
        })
    }

    /// Whether a place exists: a side has a value there, or an overlay marks it.
    pub fn has(&self, place: &Place<'a>) -> Result<bool> {
        let mut has = place.values.iter().any(Option::is_some);
        for overlay in [BEFORE, AFTER, UNKNOWN] {
            has = has || self.marked(overlay, place)? != Marked::Not;
        }
        Ok(has)
    }

    /// Whether there is a list at a path. Searches several sides, because unknown values are only
    /// in the overlay of unknown values, and deleted values only in `before`.
    pub fn is_list_at(&self, path: &AttributePath) -> Result<bool> {
        let Place { values: [before, after], masks, .. } = self.at(path)?;
        for side in [after, before, masks[UNKNOWN].parts()].into_iter().flatten() {
            match side.kind()? {
                Kind::Array => return Ok(true),
                Kind::Object => return Ok(false),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Finds the first step of `path` that is missing, and returns the existing key most similar to
    /// it. `None` if the step is an index, if the object around it is sensitive, or if no key is
    /// similar.
    pub fn near(&self, path: &AttributePath) -> Result<Option<String>> {
        let mut around = self.root()?;
        for step in path.steps() {
            let place = self.step(&around, step)?;
            if self.has(&place)? {
                around = place;
                continue;
            }
            return match step {
                AttributeStep::Key(key) if !around.is_hidden => around.nearest_key(key),
                _ => Ok(None),
            };
        }
        Ok(None)
    }

    /// Finds the parts in which the sides differ. After that, [`Sides::is_same`] takes little time
    /// for any place.
    pub fn find_differences(&self) -> Result<()> {
        let mut found = self.values.map(Offsets::new);
        if let ([Some(before), Some(after)], None) = (self.values, self.differences.get()) {
            differences([before, after], |side, part| {
                found[side].add(part);
                ControlFlow::Continue(())
            })?;
        }
        self.differences.get_or_init(|| found.map(Offsets::counted));
        Ok(())
    }

    /// Whether both sides have the same value at a place, or both have none. At the root, no value
    /// and `null` are the same.
    pub fn is_same(&self, place: &Place<'a>) -> Result<bool> {
        let [before, after] = match place.is_root {
            true => place.values.map(|value| value.filter(|value| !value.is_null())),
            false => place.values,
        };
        let (Some(before), Some(after)) = (before, after) else {
            return Ok(before.is_some() == after.is_some());
        };
        if let Some([befores, afters]) = self.differences.get() {
            return Ok(!befores.has_within(before) && !afters.has_within(after));
        }
        let mut is_same = true;
        differences([before, after], |_, _| {
            is_same = false;
            ControlFlow::Break(())
        })?;
        Ok(is_same)
    }
}

/// The value one step below another. If a key occurs twice, its last member counts.
fn inner<'a>(value: Option<Value<'a>>, step: &AttributeStep) -> Result<Option<Value<'a>>> {
    let Some(value) = value else { return Ok(None) };
    match (step, value.kind()?) {
        (AttributeStep::Key(key), Kind::Object) => {
            let mut found = None;
            for member in value.members()? {
                let (name, value) = member?;
                if name.is(key) {
                    found = Some(value);
                }
            }
            Ok(found)
        }
        (AttributeStep::Index(index), Kind::Array) => match u32::try_from(*index) {
            Ok(index) => value.element(index),
            Err(_) => Ok(None),
        },
        _ => Ok(None),
    }
}

impl<'a> Place<'a> {
    /// The content of the values and overlays, for [`Sides::below`]. Fails if an overlay has a key
    /// twice, because readers would disagree about the mark.
    pub fn content(&self) -> Result<Columns<'a, 5>> {
        for overlay in self.masks.map(Mask::parts) {
            Ordered::of(overlay)?;
        }
        let [before, after] = self.values;
        let [before_sensitive, after_sensitive, unknown] = self.masks.map(Mask::parts);
        Columns::of([before, after, before_sensitive, after_sensitive, unknown])
    }

    /// Whether a value or overlay has members or elements.
    pub fn has_content(&self) -> bool {
        let is_container = |value: &Value<'a>| matches!(value.raw(), [b'{' | b'[', ..]);
        self.values
            .into_iter()
            .chain(self.masks.map(Mask::parts))
            .flatten()
            .any(|it| is_container(&it))
    }

    /// Returns the key most similar to `key` in the values and in the overlay of unknown values.
    fn nearest_key(&self, key: &str) -> Result<Option<String>> {
        let [before, after] = self.values;
        let mut content = Columns::of([before, after, self.masks[UNKNOWN].parts()])?;
        let mut failed = Ok(());
        let keys = std::iter::from_fn(|| match content.next() {
            Ok(Some((Step::Key(key), _))) => key.decode().map_err(|error| failed = Err(error)).ok(),
            Ok(_) => None,
            Err(error) => {
                failed = Err(error);
                None
            }
        });
        let nearest = nearest(key, keys);
        failed.map(|()| nearest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;

    fn parts(list: Value<'_>) -> impl Iterator<Item = Value<'_>> {
        list.elements().expect("a list").map(|part| part.expect("valid"))
    }

    proptest! {
        #[test]
        fn a_part_has_the_positions_between_its_ends(
            lists in prop::collection::vec(prop::collection::vec(any::<bool>(), 0..40), 0..40),
        ) {
            let text = serde_json::to_string(&lists).expect("JSON");
            let mut read = Detached::read(text.as_bytes(), Limits::default()).expect("JSON");
            let value = read.value();
            let mut offsets = Offsets::new(Some(value));
            for part in parts(value).flat_map(parts) {
                if part.raw() == b"true" {
                    offsets.add(part);
                }
            }
            let offsets = offsets.counted();
            prop_assert_eq!(offsets.has_within(value), text.contains("true"));
            for (part, list) in parts(value).zip(&lists) {
                prop_assert_eq!(offsets.has_within(part), list.contains(&true));
            }
        }
    }
}
