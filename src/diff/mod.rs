//! One change to paths (records.md): which places change, are unknown, are sensitive.
//!
//! `before`, `after` and `after_unknown` are walked together, on their bytes. Equal values nearly
//! always have equal bytes, so bytes are compared first and a place is entered only where they
//! differ. Nothing recurses: what is still to be looked at waits on a list.
//!
//! The trap is quadratic time on hostile nesting: comparing the bytes of two values, then those of
//! the members in which they differ, looks at the beginning of the deepest member once per level.
//! So the length of the common beginning is passed down ([`Pair::same`]) and no byte is compared
//! twice. Going past a value takes constant time, thanks to its outline.

mod overlay;

use crate::error::{Error, ErrorKind, Result};
use crate::json::value::{Key, Kind, Value};
use crate::json::{number, string};
use crate::path::{Paths, Step};
use crate::plan::Change;

use overlay::compare_keys;

/// Finds the paths of changes, one after the other, and keeps its memory in between.
#[derive(Debug, Default)]
pub struct Differ {
    /// Places that changed, in the last change.
    pub changed: Paths,
    /// Places that are unknown until apply.
    pub unknown: Paths,
    /// Places that are marked sensitive, on either side; none lies below another.
    pub sensitive: Paths,
    scratch: Scratch,
}

/// The memory of a walk, kept from change to change. It holds positions, never bytes of a plan.
#[derive(Debug, Default)]
struct Scratch {
    /// The steps of all places that were entered, linked to the place above.
    places: Vec<Place>,
    keys: String,
}

/// A place below another.
#[derive(Clone, Copy, Debug)]
struct Place {
    above: u32,
    step: PlaceStep,
}

#[derive(Clone, Copy, Debug)]
enum PlaceStep {
    Key { start: usize, end: usize },
    Index(u32),
}

/// The root has no place of its own.
const ROOT: u32 = u32::MAX;

/// The values of one place on both sides, still to be compared.
#[derive(Clone, Copy)]
struct Pair<'a> {
    before: Option<Value<'a>>,
    after: Option<Value<'a>>,
    unknown: Option<Value<'a>>,
    place: u32,
    /// How many bytes from their first on are known to be the same on both sides, when that is
    /// known: then the next ones differ.
    same: Option<usize>,
}

/// A member of one to three objects.
#[derive(Clone, Copy)]
struct Member<'a> {
    key: Key<'a>,
    /// Its values in `before`, `after` and `after_unknown`.
    sides: [Option<Value<'a>>; 3],
}

impl Differ {
    /// One with nothing in it.
    pub fn new() -> Differ {
        Differ::default()
    }

    /// Fills the lists with the paths of a change.
    ///
    /// # Errors
    ///
    /// What is entered is not well formed, or has a key twice.
    pub fn diff(&mut self, change: &Change<'_>) -> Result<()> {
        self.changed.clear();
        self.unknown.clear();
        self.sensitive.clear();
        if let Some(overlay) = change.after_unknown {
            overlay::collect(overlay, &mut self.unknown)
                .map_err(|error| error.within("after_unknown"))?;
            self.unknown.sort();
        }
        self.sensitive(change)?;
        let side = |value: Option<Value<'_>>| value.is_some_and(|value| !value.is_null());
        if side(change.before) && side(change.after) {
            self.scratch.changed(change, &mut self.changed)?;
            self.changed.sort();
        }
        Ok(())
    }

    fn sensitive(&mut self, change: &Change<'_>) -> Result<()> {
        let (before, after) = (change.before_sensitive, change.after_sensitive);
        if let Some(overlay) = before {
            overlay::collect(overlay, &mut self.sensitive)
                .map_err(|error| error.within("before_sensitive"))?;
        }
        if let Some(overlay) = after
            && before.map(Value::raw).transpose()? != Some(overlay.raw()?)
        {
            overlay::collect(overlay, &mut self.sensitive)
                .map_err(|error| error.within("after_sensitive"))?;
        }
        self.sensitive.sort_outermost();
        Ok(())
    }
}

impl Scratch {
    fn changed(&mut self, change: &Change<'_>, changed: &mut Paths) -> Result<()> {
        self.places.clear();
        self.keys.clear();
        let root = Pair {
            before: change.before,
            after: change.after,
            unknown: change.after_unknown,
            place: ROOT,
            same: None,
        };
        let mut waiting = vec![root];
        while let Some(pair) = waiting.pop() {
            if self.compare(pair, &mut waiting)? == Verdict::Changed {
                self.report(pair.place, changed);
            }
        }
        Ok(())
    }

    /// Decides one place, or puts the places below it on the list.
    fn compare<'a>(&mut self, pair: Pair<'a>, waiting: &mut Vec<Pair<'a>>) -> Result<Verdict> {
        if pair.unknown.is_some_and(Value::is_true) {
            return Ok(Verdict::Changed);
        }
        let before = pair.before.filter(|value| !value.is_null());
        let after = pair.after.filter(|value| !value.is_null());
        let (Some(before), Some(after)) = (before, after) else {
            if before.is_some() || after.is_some() {
                return Ok(Verdict::Changed);
            }
            return marked_below(pair.unknown);
        };
        let same = match pair.same {
            Some(same) => same,
            None => common_prefix(before.raw()?, after.raw()?),
        };
        let equal = same == before.raw()?.len() && same == after.raw()?.len();
        if equal && !pair.unknown.is_some_and(overlay::may_mark) {
            return Ok(Verdict::Same);
        }
        let pair = Pair { before: Some(before), after: Some(after), same: Some(same), ..pair };
        match (before.kind()?, after.kind()?) {
            (Kind::Object, Kind::Object) => self.enter_objects(pair, before, after, waiting),
            (Kind::Array, Kind::Array) => self.enter_arrays(pair, before, after, waiting),
            (Kind::String, Kind::String) => {
                let unequal = string::compare(before.raw_string()?, after.raw_string()?).is_ne();
                if unequal { Ok(Verdict::Changed) } else { marked_below(pair.unknown) }
            }
            (Kind::Number, Kind::Number) => {
                let unequal = !number::equal(before.raw()?, after.raw()?);
                if unequal { Ok(Verdict::Changed) } else { marked_below(pair.unknown) }
            }
            (before, after) if before == after => marked_below(pair.unknown),
            _ => Ok(Verdict::Changed),
        }
    }

    fn enter_objects<'a>(
        &mut self,
        pair: Pair<'a>,
        before: Value<'a>,
        after: Value<'a>,
        waiting: &mut Vec<Pair<'a>>,
    ) -> Result<Verdict> {
        let unknown = match pair.unknown {
            Some(unknown) if unknown.kind()? == Kind::Object => Some(unknown),
            _ => None,
        };
        let first = waiting.len();
        for member in join(before, after, unknown)? {
            let [b, a, unknown] = member.sides;
            let same = common_below(&pair, before, after, b, a)?;
            let below = Pair { before: b, after: a, unknown, place: pair.place, same };
            if is_settled(&below)? {
                continue;
            }
            let place = self.place(pair.place, member.key)?;
            waiting.push(Pair { place, ..below });
        }
        // The list is taken from its end, and paths are best found in their order.
        waiting[first..].reverse();
        Ok(Verdict::Entered)
    }

    fn enter_arrays<'a>(
        &mut self,
        pair: Pair<'a>,
        before: Value<'a>,
        after: Value<'a>,
        waiting: &mut Vec<Pair<'a>>,
    ) -> Result<Verdict> {
        let mut unknown = match pair.unknown {
            Some(unknown) if unknown.kind()? == Kind::Array => Some(unknown.elements()?),
            _ => None,
        };
        let first = waiting.len();
        let (mut befores, mut afters) = (before.elements()?, after.elements()?);
        for index in 0.. {
            let unknown = unknown.as_mut().and_then(Iterator::next).transpose()?;
            let (b, a) = match (befores.next().transpose()?, afters.next().transpose()?) {
                (Some(b), Some(a)) => (b, a),
                (None, None) => break,
                _ => {
                    waiting.truncate(first);
                    return Ok(Verdict::Changed);
                }
            };
            let same = common_below(&pair, before, after, Some(b), Some(a))?;
            let below = Pair { before: Some(b), after: Some(a), unknown, place: pair.place, same };
            if is_settled(&below)? {
                continue;
            }
            let place = self.places.len() as u32;
            self.places.push(Place { above: pair.place, step: PlaceStep::Index(index) });
            waiting.push(Pair { place, ..below });
        }
        waiting[first..].reverse();
        Ok(Verdict::Entered)
    }

    fn place(&mut self, above: u32, key: Key<'_>) -> Result<u32> {
        let start = self.keys.len();
        self.keys.push_str(&key.text()?);
        let step = PlaceStep::Key { start, end: self.keys.len() };
        self.places.push(Place { above, step });
        Ok(self.places.len() as u32 - 1)
    }

    fn report(&self, place: u32, changed: &mut Paths) {
        let mut steps = Vec::new();
        let mut place = place;
        while let Some(Place { above, step }) = self.places.get(place as usize) {
            steps.push(*step);
            place = *above;
        }
        changed.push(steps.into_iter().rev().map(|step| match step {
            PlaceStep::Key { start, end } => Step::Key(&self.keys[start..end]),
            PlaceStep::Index(index) => Step::Index(index),
        }));
    }
}

/// What was found at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Changed,
    Same,
    /// The places below it decide.
    Entered,
}

/// Values that are the same, under an overlay that marks something below: rule 5.
fn marked_below(unknown: Option<Value<'_>>) -> Result<Verdict> {
    match unknown {
        Some(overlay) if overlay::marks(overlay)? => Ok(Verdict::Changed),
        _ => Ok(Verdict::Same),
    }
}

/// Whether a place is the same without a look: its bytes are, and nothing in it is unknown.
fn is_settled(pair: &Pair<'_>) -> Result<bool> {
    let (Some(before), Some(after), Some(same)) = (pair.before, pair.after, pair.same) else {
        return Ok(false);
    };
    let equal = same == before.raw()?.len() && same == after.raw()?.len();
    Ok(equal && !pair.unknown.is_some_and(overlay::may_mark))
}

/// How many bytes from their first on two values below a pair have in common, as far as the pair
/// tells without a look at them.
fn common_below(
    pair: &Pair<'_>,
    before: Value<'_>,
    after: Value<'_>,
    below_before: Option<Value<'_>>,
    below_after: Option<Value<'_>>,
) -> Result<Option<usize>> {
    let (Some(same), Some(b), Some(a)) = (pair.same, below_before, below_after) else {
        return Ok(None);
    };
    let (b_start, a_start) = (b.offset() - before.offset(), a.offset() - after.offset());
    if b_start != a_start || b_start >= same as u64 {
        let common = common_prefix(b.raw()?, a.raw()?);
        return Ok(Some(common));
    }
    let known = same - b_start as usize;
    Ok(Some(known.min(b.raw()?.len()).min(a.raw()?.len())))
}

/// The members of the objects, those of the same key together, in the order of their keys.
fn join<'a>(
    before: Value<'a>,
    after: Value<'a>,
    unknown: Option<Value<'a>>,
) -> Result<Vec<Member<'a>>> {
    let mut members = Vec::new();
    for (side, object) in [Some(before), Some(after), unknown].into_iter().enumerate() {
        for member in object.map(Value::members).transpose()?.into_iter().flatten() {
            let (key, value) = member?;
            let mut sides = [None; 3];
            sides[side] = Some(value);
            members.push(Member { key, sides });
        }
    }
    // Up to three runs that are in order already, which is what a merging sort is best at.
    members.sort_by(|a, b| compare_keys(&a.key, &b.key));
    let mut joined: Vec<Member<'a>> = Vec::with_capacity(members.len());
    for member in members {
        match joined.last_mut().filter(|last| compare_keys(&last.key, &member.key).is_eq()) {
            Some(last) => last.merge(member)?,
            None => joined.push(member),
        }
    }
    Ok(joined)
}

impl Member<'_> {
    /// Takes over the value of the same key in another object.
    fn merge(&mut self, other: Self) -> Result<()> {
        for (mine, its) in self.sides.iter_mut().zip(other.sides) {
            if its.is_some() && std::mem::replace(mine, its).is_some() {
                return Err(Error::at(ErrorKind::DuplicateKey, other.key.offset() - 1));
            }
        }
        Ok(())
    }
}

/// How many bytes two texts have in common from their first on.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const STRIDE: usize = 64;
    let mut same = 0;
    for (a, b) in a.chunks_exact(STRIDE).zip(b.chunks_exact(STRIDE)) {
        if a != b {
            break;
        }
        same += STRIDE;
    }
    same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests;
