//! One change to paths (records.md): which places change, are unknown, are sensitive.
//!
//! `before`, `after` and `after_unknown` are walked together, on their bytes. Equal values nearly
//! always have equal bytes, so bytes are compared first and a place is entered only where they
//! differ. Nothing recurses: what is still to be looked at waits on a list.
//!
//! The trap is quadratic time on hostile nesting: comparing the bytes of two values, then those of
//! the members in which they differ, looks at the beginning of the deepest member once per level.
//! So the length of the common beginning is passed down (`Pair::same`) and no byte is compared
//! twice. Going past a value takes constant time, thanks to its outline.

mod overlay;

pub(crate) use overlay::refuse_twins;

use crate::error::{Error, ErrorKind, Result};
use crate::json::number;
use crate::json::value::{Kind, Members, Text, Value};
use crate::limits::{Limit, Limits};
use crate::path::{Paths, Step};
use crate::plan::{Change, Unchanged};

/// Finds the paths of changes, one after the other, and keeps its memory in between.
#[derive(Debug, Default)]
pub struct Differ {
    /// Places that changed, in the last change.
    pub changed: Paths,
    /// Places that are unknown until apply.
    pub unknown: Paths,
    /// Places that are marked sensitive, on either side; none lies below another.
    pub sensitive: Paths,
    paths_max: u64,
    unknown_of: Origin,
    sensitive_of: Origin,
    scratch: Scratch,
}

/// The memory of a walk, kept from change to change. It holds positions, never bytes of a plan.
#[derive(Debug, Default)]
struct Scratch {
    /// The steps of all places that were entered, linked to the place above.
    places: Vec<Place>,
    keys: String,
    /// Where in the bytes of `after_unknown` its marks stand, in order.
    marks: Vec<u64>,
    /// The offset of `after_unknown`.
    overlay: u64,
    /// What was found so far, and the memory that it may take.
    changed: Paths,
    paths_max: u64,
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
    /// Only where something in it is marked.
    unknown: Option<Value<'a>>,
    place: u32,
    /// How many bytes from their first on are the same on both sides, where that is known.
    same: Option<usize>,
}

/// A member of one to three objects.
#[derive(Clone, Copy)]
struct Member<'a> {
    key: Text<'a>,
    /// Its values in `before`, `after` and `after_unknown`.
    sides: [Option<Value<'a>>; 3],
}

impl Differ {
    /// One that holds each list of paths to [`Limits::paths`].
    pub fn new(limits: &Limits) -> Differ {
        Differ { paths_max: limits.paths, ..Differ::default() }
    }

    /// Fills the lists with the paths of a change.
    ///
    /// # Errors
    ///
    /// What is entered is not well formed, or has a key twice; the limit on paths.
    pub fn diff(&mut self, change: &Change<'_>) -> Result<()> {
        self.changed.clear();
        self.unknown(change)?;
        self.sensitive(change)?;
        let side = |value: Option<Value<'_>>| value.is_some_and(|value| !value.is_null());
        if side(change.before) && side(change.after) {
            std::mem::swap(&mut self.changed, &mut self.scratch.changed);
            self.scratch.paths_max = self.paths_max;
            let found = self.scratch.changed(change);
            std::mem::swap(&mut self.changed, &mut self.scratch.changed);
            found?;
            self.changed.sort();
        }
        Ok(())
    }

    /// How many places are unknown and sensitive in a change whose sides are the same, if that is
    /// known from the overlays of changes before.
    pub fn known(&self, change: &Unchanged<'_>) -> Option<(usize, usize)> {
        let unknown = [Some(change.after_unknown), None];
        let sensitive = [Some(change.before_sensitive), Some(change.after_sensitive)];
        let known = self.unknown_of.holds(unknown) && self.sensitive_of.holds(sensitive);
        // What is unknown changes.
        (known && self.unknown.len() == 0).then(|| (self.unknown.len(), self.sensitive.len()))
    }

    fn unknown(&mut self, change: &Change<'_>) -> Result<()> {
        let overlays = [change.after_unknown, None];
        if self.unknown_of.is(overlays) {
            return Ok(());
        }
        self.unknown.clear();
        self.scratch.marks.clear();
        if let Some(overlay) = change.after_unknown {
            let marks = &mut self.scratch.marks;
            overlay::collect(overlay, &mut self.unknown, self.paths_max, |mark| marks.push(mark))
                .map_err(|error| error.within("after_unknown"))?;
        }
        self.unknown.sort();
        self.unknown_of.set(overlays);
        Ok(())
    }

    fn sensitive(&mut self, change: &Change<'_>) -> Result<()> {
        let overlays = [change.before_sensitive, change.after_sensitive];
        if self.sensitive_of.is(overlays) {
            return Ok(());
        }
        self.sensitive.clear();
        for (overlay, key) in overlays.into_iter().zip(["before_sensitive", "after_sensitive"]) {
            if let Some(overlay) = overlay {
                overlay::collect(overlay, &mut self.sensitive, self.paths_max, |_| {})
                    .map_err(|error| error.within(key))?;
            }
        }
        self.sensitive.sort_outermost();
        self.sensitive_of.set(overlays);
        Ok(())
    }
}

/// The overlays that a list was made of. The instances of a resource stand next to each other and
/// mostly have the same ones, whose list then stays as it is.
#[derive(Debug, Default)]
struct Origin {
    known: bool,
    overlays: [Option<Vec<u8>>; 2],
}

impl Origin {
    /// Longest overlay that is kept, in bytes.
    const MAX: usize = 16 << 10;

    fn is(&mut self, overlays: [Option<Value<'_>>; 2]) -> bool {
        self.known = self.holds(overlays.map(|overlay| overlay.map(Value::raw)));
        self.known
    }

    fn holds(&self, overlays: [Option<&[u8]>; 2]) -> bool {
        self.known && self.overlays.iter().zip(overlays).all(|(known, raw)| known.as_deref() == raw)
    }

    /// The list was made, of these.
    fn set(&mut self, overlays: [Option<Value<'_>>; 2]) {
        self.known = overlays.iter().flatten().all(|overlay| overlay.raw().len() <= Self::MAX);
        if !self.known {
            return;
        }
        for (known, overlay) in self.overlays.iter_mut().zip(overlays) {
            match (known, overlay) {
                (Some(known), Some(overlay)) => {
                    known.clear();
                    known.extend_from_slice(overlay.raw());
                }
                (known, overlay) => *known = overlay.map(|overlay| overlay.raw().to_vec()),
            }
        }
    }
}

/// # Errors
///
/// The paths take more memory than they may. `offset` is where the last one was found.
fn hold_to_limit(paths: &Paths, paths_max: u64, offset: u64) -> Result<()> {
    hold_size_to_limit(paths.size(), paths_max, offset)
}

fn hold_size_to_limit(size: u64, paths_max: u64, offset: u64) -> Result<()> {
    if size > paths_max {
        return Err(Error::limit(Limit::Paths, paths_max, offset));
    }
    Ok(())
}

impl Pair<'_> {
    /// Where its values stand, or one of them.
    fn offset(&self) -> u64 {
        self.after.or(self.before).or(self.unknown).map_or(0, Value::offset)
    }

    /// Whether there is a value on both sides, and nothing below one of them.
    fn is_of_scalars(&self) -> bool {
        let (Some(before), Some(after)) = (self.before, self.after) else { return false };
        let is_scalar = |value: Value<'_>| !matches!(value.raw().first(), Some(b'{' | b'['));
        is_scalar(before) || is_scalar(after)
    }
}

impl Scratch {
    /// Finds the places that changed, in no order.
    fn changed(&mut self, change: &Change<'_>) -> Result<()> {
        self.changed.clear();
        self.places.clear();
        self.keys.clear();
        self.overlay = change.after_unknown.map_or(0, Value::offset);
        let root = Pair {
            before: change.before,
            after: change.after,
            unknown: self.marked(change.after_unknown),
            place: ROOT,
            same: None,
        };
        let mut waiting = vec![root];
        while let Some(pair) = waiting.pop() {
            if self.compare(pair, &mut waiting)? == Verdict::Changed {
                self.report(pair.place, None);
                hold_to_limit(&self.changed, self.paths_max, pair.offset())?;
            }
        }
        Ok(())
    }

    /// Decides a place below `pair.place` at once, if it has a scalar on both sides, of which there
    /// may be very many; else it waits. `step` leads to it.
    fn settle<'a>(
        &mut self,
        pair: Pair<'a>,
        step: PlaceStep,
        waiting: &mut Vec<Pair<'a>>,
    ) -> Result<()> {
        if !pair.is_of_scalars() {
            self.places.push(Place { above: pair.place, step });
            waiting.push(Pair { place: self.places.len() as u32 - 1, ..pair });
            let size = size_of_val(&waiting[..]) + size_of_val(&self.places[..]);
            return hold_size_to_limit(size as u64, self.paths_max, pair.offset());
        }
        if self.compare(pair, waiting)? == Verdict::Changed {
            self.report(pair.place, Some(step));
            hold_to_limit(&self.changed, self.paths_max, pair.offset())?;
        }
        Ok(())
    }

    /// An overlay that marks something, or nothing.
    fn marked<'a>(&self, overlay: Option<Value<'a>>) -> Option<Value<'a>> {
        overlay.filter(|overlay| {
            let start = overlay.offset() - self.overlay;
            let next = self.marks.partition_point(|&mark| mark < start);
            let end = start + overlay.raw().len() as u64;
            self.marks.get(next).is_some_and(|&mark| mark < end)
        })
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
            return Ok(marked_below(pair.unknown));
        };
        let equal = is_same(Some(before), Some(after), pair.same);
        if equal && pair.unknown.is_none() {
            return Ok(Verdict::Same);
        }
        match (before.kind()?, after.kind()?) {
            (Kind::Object, Kind::Object) => {
                self.enter_objects(Both::of(&pair, before, after), waiting)
            }
            (Kind::Array, Kind::Array) => {
                self.enter_arrays(Both::of(&pair, before, after), waiting)
            }
            (a, b) if a == b && (equal || same_scalar(a, before, after)?) => {
                Ok(marked_below(pair.unknown))
            }
            _ => Ok(Verdict::Changed),
        }
    }

    fn enter_objects<'a>(
        &mut self,
        both: Both<'a>,
        waiting: &mut Vec<Pair<'a>>,
    ) -> Result<Verdict> {
        let unknown = match both.unknown {
            Some(unknown) if unknown.kind()? == Kind::Object => Some(unknown),
            _ => None,
        };
        let (first, found) = (waiting.len(), self.changed.len());
        let ordered = self.merge_members(&both, unknown, waiting)?;
        if ordered == Ordered::No {
            waiting.truncate(first);
            self.changed.truncate(found);
            for member in join(both.before, both.after, unknown, self.paths_max)? {
                let same = match member.sides {
                    [Some(before), Some(after), _] => both.same_below(before, after),
                    _ => None,
                };
                self.below(both.place, member, same, waiting)?;
            }
        }
        // The list is taken from its end, and paths are best found in their order.
        waiting[first..].reverse();
        Ok(Verdict::Entered)
    }

    /// Goes through the members of three objects at once, as long as their keys are in order.
    ///
    /// Over a stretch of bytes that is the same on both sides only one of them is walked.
    fn merge_members<'a>(
        &mut self,
        both: &Both<'a>,
        unknown: Option<Value<'a>>,
        waiting: &mut Vec<Pair<'a>>,
    ) -> Result<Ordered> {
        let mut befores = Head::of(both.before)?;
        let mut afters = Head::of(both.after)?;
        let mut unknowns = unknown.map(Head::of).transpose()?;
        let mut last: Option<Text<'a>> = None;
        // Up to here, in the bytes of `before`, both sides are the same from where they are.
        let mut same_until = both.before.offset() + both.same as u64;
        loop {
            let start = befores.here.clone();
            while let Some((key, value)) = befores.next
                && befores.rest.offset() < same_until
                && key_of(&unknowns).is_none_or(|unknown| key.compare(unknown).is_le())
            {
                if last.replace(key).is_some_and(|last| last.compare(key).is_ge()) {
                    return Ok(Ordered::No);
                }
                if let Some(unknown) = take_from(&mut unknowns, key)? {
                    // The same on both sides, so one of them stands for both.
                    let sides = [Some(value), Some(value), Some(unknown)];
                    let same = Some(value.raw().len());
                    self.below(both.place, Member { key, sides }, same, waiting)?;
                }
                befores.advance()?;
            }
            afters.follow(&start, &befores.here)?;

            let least = lesser(lesser(befores.key(), afters.key()), key_of(&unknowns));
            let Some(key) = least else { return Ok(Ordered::Yes) };
            if last.replace(key).is_some_and(|last| last.compare(key).is_ge()) {
                return Ok(Ordered::No);
            }
            let (before, after) = (befores.take(key)?, afters.take(key)?);
            let same = match (before, after) {
                (Some(before), Some(after)) if before.offset() <= same_until => {
                    Some(shorter(before, after).min((same_until - before.offset()) as usize))
                }
                _ => None,
            };
            let sides = [before, after, take_from(&mut unknowns, key)?];
            self.below(both.place, Member { key, sides }, same, waiting)?;
            if before.is_some() || after.is_some() {
                let (before, after) = (befores.here.rest(), afters.here.rest());
                same_until = befores.here.offset() + common_prefix(before, after) as u64;
            }
        }
    }

    /// Puts a member on the list, unless it is settled. `same` is how many bytes its values have in
    /// common, where that is known.
    fn below<'a>(
        &mut self,
        above: u32,
        member: Member<'a>,
        same: Option<usize>,
        waiting: &mut Vec<Pair<'a>>,
    ) -> Result<()> {
        let [before, after, unknown] = member.sides;
        let unknown = self.marked(unknown);
        if unknown.is_none() && is_same(before, after, same) {
            return Ok(());
        }
        let start = self.keys.len();
        self.keys.push_str(&member.key.decode()?);
        let step = PlaceStep::Key { start, end: self.keys.len() };
        self.settle(Pair { before, after, unknown, place: above, same }, step, waiting)
    }

    fn enter_arrays<'a>(&mut self, both: Both<'a>, waiting: &mut Vec<Pair<'a>>) -> Result<Verdict> {
        let mut unknowns = match both.unknown {
            Some(unknown) if unknown.kind()? == Kind::Array => Some(unknown.elements()?),
            _ => None,
        };
        let (first, found) = (waiting.len(), self.changed.len());
        let (mut befores, mut afters) = (both.before.elements()?, both.after.elements()?);
        for index in 0.. {
            let unknown = unknowns.as_mut().and_then(Iterator::next).transpose()?;
            let unknown = self.marked(unknown);
            let (before, after) = match (befores.next().transpose()?, afters.next().transpose()?) {
                (None, None) => break,
                (Some(before), Some(after)) => (before, after),
                _ => {
                    // Of another length: what was found in it does not count.
                    waiting.truncate(first);
                    self.changed.truncate(found);
                    return Ok(Verdict::Changed);
                }
            };
            let same = both.same_below(before, after);
            let (before, after) = (Some(before), Some(after));
            if unknown.is_none() && is_same(before, after, same) {
                continue;
            }
            let pair = Pair { before, after, unknown, place: both.place, same };
            self.settle(pair, PlaceStep::Index(index), waiting)?;
        }
        waiting[first..].reverse();
        Ok(Verdict::Entered)
    }

    /// Puts a place, or what `last` leads to below it, on the list of what changed.
    fn report(&mut self, place: u32, last: Option<PlaceStep>) {
        let mut steps: Vec<_> = last.into_iter().collect();
        let mut place = place;
        while let Some(Place { above, step }) = self.places.get(place as usize) {
            steps.push(*step);
            place = *above;
        }
        let keys = &self.keys;
        self.changed.push(steps.into_iter().rev().map(|step| match step {
            PlaceStep::Key { start, end } => Step::Key(&keys[start..end]),
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
fn marked_below(unknown: Option<Value<'_>>) -> Verdict {
    if unknown.is_some() { Verdict::Changed } else { Verdict::Same }
}

/// Whether two scalars of the same kind, of other bytes, have the same value.
fn same_scalar(kind: Kind, before: Value<'_>, after: Value<'_>) -> Result<bool> {
    Ok(match kind {
        Kind::String => before.is_same_string(after)?,
        Kind::Number => number::equal(before.raw(), after.raw()),
        _ => true,
    })
}

/// Whether the keys of an object are in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ordered {
    Yes,
    No,
}

/// The members of an object, the next one at hand.
struct Head<'a> {
    /// Before the next one.
    here: Members<'a>,
    next: Option<(Text<'a>, Value<'a>)>,
    /// After it.
    rest: Members<'a>,
}

impl<'a> Head<'a> {
    /// At the first member.
    fn of(object: Value<'a>) -> Result<Head<'a>> {
        let members = object.members()?;
        let mut head = Head { here: members.clone(), next: None, rest: members };
        head.advance()?;
        Ok(head)
    }

    #[inline]
    fn key(&self) -> Option<Text<'a>> {
        self.next.as_ref().map(|(key, _)| *key)
    }

    /// The value of the next member, if that has the key; then it is passed.
    #[inline]
    fn take(&mut self, key: Text<'a>) -> Result<Option<Value<'a>>> {
        match self.next {
            Some((next, value)) if next.compare(key).is_eq() => {
                self.advance()?;
                Ok(Some(value))
            }
            _ => Ok(None),
        }
    }

    /// Passes the next member.
    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.here = self.rest.clone();
        self.next = self.rest.next().transpose()?;
        Ok(())
    }

    /// Goes as far as another object was walked, over bytes that are the same.
    #[inline]
    fn follow(&mut self, from: &Members<'a>, to: &Members<'a>) -> Result<()> {
        if from.offset() == to.offset() {
            return Ok(());
        }
        self.rest = self.here.clone();
        self.rest.follow(from, to);
        self.advance()
    }
}

fn key_of<'a>(head: &Option<Head<'a>>) -> Option<Text<'a>> {
    head.as_ref().and_then(Head::key)
}

fn take_from<'a>(head: &mut Option<Head<'a>>, key: Text<'a>) -> Result<Option<Value<'a>>> {
    head.as_mut().map_or(Ok(None), |head| head.take(key))
}

/// The one of two keys that comes first.
fn lesser<'a>(a: Option<Text<'a>>, b: Option<Text<'a>>) -> Option<Text<'a>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.compare(a).is_lt() { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// Two containers of the same kind that are entered together.
struct Both<'a> {
    before: Value<'a>,
    after: Value<'a>,
    unknown: Option<Value<'a>>,
    place: u32,
    /// How many bytes they have in common from their first on.
    same: usize,
}

impl<'a> Both<'a> {
    fn of(pair: &Pair<'a>, before: Value<'a>, after: Value<'a>) -> Both<'a> {
        let same = pair.same.unwrap_or_else(|| common_prefix(before.raw(), after.raw()));
        Both { before, after, unknown: pair.unknown, place: pair.place, same }
    }

    /// How many bytes two values in them have in common, where that follows from what is known.
    fn same_below(&self, before: Value<'a>, after: Value<'a>) -> Option<usize> {
        let start = (before.offset() - self.before.offset()) as usize;
        let is_aligned = start as u64 == after.offset() - self.after.offset();
        (is_aligned && start < self.same).then(|| shorter(before, after).min(self.same - start))
    }
}

/// The length of the shorter of two values, in bytes.
fn shorter(before: Value<'_>, after: Value<'_>) -> usize {
    before.raw().len().min(after.raw().len())
}

/// Whether a place has the same bytes on both sides.
fn is_same(before: Option<Value<'_>>, after: Option<Value<'_>>, same: Option<usize>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    match same {
        Some(same) => same == before.raw().len() && same == after.raw().len(),
        None => before.raw() == after.raw(),
    }
}

/// The members of the objects, those of the same key together, in the order of their keys.
fn join<'a>(
    before: Value<'a>,
    after: Value<'a>,
    unknown: Option<Value<'a>>,
    size_max: u64,
) -> Result<Vec<Member<'a>>> {
    let mut members = Vec::new();
    for (side, object) in [Some(before), Some(after), unknown].into_iter().enumerate() {
        for member in object.map(Value::members).transpose()?.into_iter().flatten() {
            let (key, value) = member?;
            let mut sides = [None; 3];
            sides[side] = Some(value);
            members.push(Member { key, sides });
            hold_size_to_limit(size_of_val(&members[..]) as u64, size_max, key.offset())?;
        }
    }
    // Up to three runs that are in order already, which is what a merging sort is best at.
    members.sort_by(|a, b| a.key.compare(b.key));
    let mut joined: Vec<Member<'a>> = Vec::with_capacity(members.len());
    for member in members {
        match joined.last_mut().filter(|last| last.key.compare(member.key).is_eq()) {
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
    const STRIDE: usize = 32;
    let strides = a.chunks_exact(STRIDE).zip(b.chunks_exact(STRIDE));
    let same = strides.take_while(|(a, b)| a == b).count() * STRIDE;
    same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests;
