//! Computes the changed, unknown and sensitive paths of a resource change or output change
//! (docs/format/records.md, section 9).
//!
//! `before`, `after` and
//! `after_unknown` are walked in step, on their raw bytes. Equal values nearly always have equal
//! bytes. So the walk compares bytes first, and enters a container only if they differ. A stack of
//! waiting containers replaces recursion.
//!
//! **Trap.** A hostile plan must not cause quadratic time. If each level of nesting compared the
//! bytes of its values again, the walk would read the innermost value once for each level. So each
//! level passes the length of the common prefix to the next one (`Both::same`), and no byte is
//! compared twice. The outline lets the walk skip a value in constant time.

mod join;
mod merge;
mod overlay;
mod path_cache;

use join::{Joined, Member};
use merge::Ordered;
use overlay::Collector;
pub(crate) use overlay::refuse_duplicate_keys;
use path_cache::{CacheLookup, PathCache};

use crate::plan::Change;
use plansift_core::error::{Error, Result};
use plansift_core::json::number;
use plansift_core::json::string::common_prefix;
use plansift_core::json::value::{Kind, Text, Value, recycled};
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::{Paths, Step};

/// Computes the paths of changes, one after the other, and reuses its buffers.
#[derive(Debug, Default)]
pub struct Differ {
    /// The paths that change. None is below a sensitive path.
    pub changed: Paths,
    /// The paths that are unknown until apply. None is below a sensitive path.
    pub unknown: Paths,
    /// The paths that are marked sensitive on either side. None is below another.
    pub sensitive: Paths,
    /// True if a sensitivity overlay contains a string or a number, which the tools never write
    /// there. Such an overlay does not fit its value, and its path is not in `sensitive`.
    pub(crate) has_texts: bool,
    paths_max: u64,
    unknown_of: PathCache,
    sensitive_of: PathCache,
    overlays: Collector,
    scratch: Scratch,
}

/// Scratch space of the walk, reused for each change. Holds offsets and keys, but no values.
#[derive(Debug, Default)]
struct Scratch {
    /// The entered paths. Each has its last step, and a link to the path above it.
    nodes: Vec<PathNode>,
    keys: String,
    /// Offsets of the marks within `after_unknown`, in ascending order.
    marks: Vec<u64>,
    /// The offset of `after_unknown`.
    overlay: u64,
    /// The changed paths found so far, and the memory limit for them.
    changed: Paths,
    room: Room,
    /// True if the caller needs to know only whether anything changed. Then no path is stored.
    stops_at_first: bool,
    /// Containers still to be entered; empty between two changes.
    waiting: Vec<Both<'static>>,
    /// The steps to one path, innermost first.
    steps: Vec<PathStep>,
}

/// A path other than the root.
#[derive(Clone, Copy, Debug)]
struct PathNode {
    above: u32,
    step: PathStep,
}

#[derive(Clone, Copy, Debug)]
enum PathStep {
    Key { start: usize, end: usize },
    Index(u32),
}

/// The index of the root, which has no entry in `nodes`.
const ROOT: u32 = u32::MAX;

/// The values at one path.
#[derive(Clone, Copy)]
struct Sides<'a> {
    before: Option<Value<'a>>,
    after: Option<Value<'a>>,
    /// The part of `after_unknown` at this path; `None` if it contains no mark.
    unknown: Option<Value<'a>>,
    /// Length of the common prefix of both sides in bytes, if known.
    same: Option<usize>,
}

/// Two containers of the same kind that the walk must enter, because their bytes differ or a value
/// in them is marked.
#[derive(Clone, Copy, Debug)]
struct Both<'a> {
    before: Value<'a>,
    after: Value<'a>,
    unknown: Option<Value<'a>>,
    node: u32,
    /// As in [`Sides`].
    same: Option<usize>,
}

impl Differ {
    /// Creates a differ. The path lists of one change together take at most [`Limits::paths`].
    pub fn new(limits: &Limits) -> Differ {
        Differ { paths_max: limits.paths, ..Differ::default() }
    }

    /// Fills the lists with the paths of a change.
    ///
    /// # Errors
    ///
    /// Fails if an entered value is malformed or has a key twice, or if the paths exceed the limit.
    pub fn diff(&mut self, change: &Change<'_>) -> Result<()> {
        self.changed.clear();
        self.unknown(change)?;
        self.sensitive(change)?;
        let side = |value: Option<Value<'_>>| value.is_some_and(|value| !value.is_null());
        if side(change.before) && side(change.after) {
            std::mem::swap(&mut self.changed, &mut self.scratch.changed);
            self.scratch.room = self.room(&[&self.unknown, &self.sensitive]);
            let found = self.scratch.changed(change.before, change.after, change.after_unknown);
            std::mem::swap(&mut self.changed, &mut self.scratch.changed);
            found?;
            self.changed.sort();
        }
        self.hide_below_sensitive();
        Ok(())
    }

    /// Cuts each path below a sensitive path to the sensitive path. The keys of a sensitive map and
    /// the length of a sensitive list are part of the secret.
    fn hide_below_sensitive(&mut self) {
        if !self.sensitive.is_empty() {
            let sensitive = std::mem::take(&mut self.sensitive);
            self.hide_below(&sensitive);
            self.sensitive = sensitive;
        }
    }

    /// Cuts each changed or unknown path below a path in `paths` to that path. `paths` must be
    /// sorted, without paths below another one.
    pub fn hide_below(&mut self, paths: &Paths) {
        if self.changed.cut_at(paths) {
            self.changed.sort();
        }
        if self.unknown.cut_at(paths) {
            self.unknown.sort();
            self.unknown_of.disown();
        }
    }

    /// Whether the two values at a path of a change differ. `after_unknown` is the part of the
    /// overlay at that path.
    ///
    /// # Errors
    ///
    /// Fails like [`Differ::diff`].
    pub fn is_changed(
        &mut self,
        before: Value<'_>,
        after: Value<'_>,
        after_unknown: Option<Value<'_>>,
    ) -> Result<bool> {
        self.unknown_of.disown();
        let scratch = &mut self.scratch;
        scratch.marks.clear();
        if let Some(overlay) = after_unknown {
            self.overlays.each_mark(overlay, |mark| scratch.marks.push(mark))?;
        }
        scratch.room = Room { paths_max: self.paths_max, taken: 0 };
        scratch.stops_at_first = true;
        let found = scratch.changed(Some(before), Some(after), after_unknown);
        scratch.stops_at_first = false;
        found.map(|()| !scratch.changed.is_empty())
    }

    /// Fills [`Differ::changed`] with the paths at which two values differ. The values need not
    /// belong to a change.
    ///
    /// # Errors
    ///
    /// Fails like [`Differ::diff`].
    pub fn diff_values(&mut self, before: Value<'_>, after: Value<'_>) -> Result<()> {
        self.changed.clear();
        std::mem::swap(&mut self.changed, &mut self.scratch.changed);
        self.scratch.room = self.room(&[]);
        let found = self.scratch.changed(Some(before), Some(after), None);
        std::mem::swap(&mut self.changed, &mut self.scratch.changed);
        found?;
        self.changed.sort();
        Ok(())
    }

    /// Returns the memory budget for a list, given the other lists of the change.
    fn room(&self, others: &[&Paths]) -> Room {
        let taken = others.iter().map(|others| others.size()).sum();
        Room { paths_max: self.paths_max, taken }
    }

    /// Returns the memory of all lists of the last change, in bytes.
    pub fn size(&self) -> u64 {
        self.changed.size() + self.unknown.size() + self.sensitive.size()
    }

    fn unknown(&mut self, change: &Change<'_>) -> Result<()> {
        let overlays = [change.after_unknown.map(Value::raw), None];
        let (paths, marks) = (&mut self.unknown, &mut self.scratch.marks);
        if self.unknown_of.look_up(overlays, paths, marks) == CacheLookup::Whole {
            return Ok(());
        }
        if let Some(overlay) = change.after_unknown {
            let room = Room { paths_max: self.paths_max, taken: 0 };
            self.overlays
                .collect(overlay, paths, room, |mark| marks.push(mark))
                .map_err(|error| error.within("after_unknown"))?;
        }
        paths.sort();
        self.unknown_of.keep(overlays, paths, marks);
        Ok(())
    }

    fn sensitive(&mut self, change: &Change<'_>) -> Result<()> {
        let overlays = [change.before_sensitive, change.after_sensitive];
        let raw = overlays.map(|overlay| overlay.map(Value::raw));
        let room = self.room(&[&self.unknown]);
        let paths = &mut self.sensitive;
        self.has_texts = false;
        // The caller does not need the offsets of the marks.
        if self.sensitive_of.look_up(raw, paths, &mut Vec::new()) == CacheLookup::Whole {
            return Ok(());
        }
        for (overlay, key) in overlays.into_iter().zip(["before_sensitive", "after_sensitive"]) {
            if let Some(overlay) = overlay {
                let collected = self.overlays.collect(overlay, paths, room, |_| {});
                self.has_texts |= collected.map_err(|error| error.within(key))?;
            }
        }
        paths.sort_outermost();
        // Caches no list if `has_texts` is true. So `has_texts` is false for every cached list.
        if !self.has_texts {
            self.sensitive_of.keep(raw, paths, &[]);
        }
        Ok(())
    }
}

/// Returns the paths that an overlay marks, sorted, without paths below another one.
///
/// # Errors
///
/// Fails if the overlay is malformed or has a key twice, or if the paths exceed [`Limits::paths`].
pub fn marked_places(overlay: Value<'_>, limits: &Limits) -> Result<Paths> {
    let mut paths = Paths::new();
    let room = Room { paths_max: limits.paths, taken: 0 };
    overlay::Collector::default().collect(overlay, &mut paths, room, |_| {})?;
    paths.sort_outermost();
    Ok(paths)
}

/// The memory budget for the lists of one change.
#[derive(Clone, Copy, Debug, Default)]
struct Room {
    /// [`Limits::paths`].
    paths_max: u64,
    /// Bytes that other lists of the change take.
    taken: u64,
}

impl Room {
    /// Fails if a list of `size` bytes exceeds the budget. The error has the offset of the list's
    /// last path.
    #[inline]
    fn check(self, size: u64, offset: u64) -> Result<()> {
        match self.taken + size > self.paths_max {
            true => Err(Error::limit(Limit::Paths, self.paths_max, offset)),
            false => Ok(()),
        }
    }
}

impl<'a> Sides<'a> {
    /// Returns the offset of the path in the input, for errors.
    fn offset(&self) -> u64 {
        self.after.or(self.before).or(self.unknown).map_or(0, Value::offset)
    }

    /// Decides whether the path changes. Returns [`Verdict::Enter`] if that depends on the paths
    /// below it.
    #[inline]
    fn verdict(&self) -> Result<Verdict<'a>> {
        if self.unknown.is_some_and(Value::is_true) {
            return Ok(Verdict::Changed);
        }
        // A member that only one side has is a change, even if its value is `null`.
        let (before, after) = match (self.before, self.after) {
            (Some(before), Some(after)) => (before, after),
            (None, None) => return Ok(self.same()),
            _ => return Ok(Verdict::Changed),
        };
        let equal = match self.same {
            Some(same) => same == before.raw().len() && same == after.raw().len(),
            None => before.raw() == after.raw(),
        };
        if equal && self.unknown.is_none() {
            return Ok(Verdict::Same);
        }
        let &Sides { unknown, same, .. } = self;
        Ok(match (before.kind()?, after.kind()?) {
            (Kind::Object, Kind::Object) | (Kind::Array, Kind::Array) => {
                Verdict::Enter(Both { before, after, unknown, node: ROOT, same })
            }
            (a, b) if a == b && (equal || same_scalar(a, before, after)?) => self.same(),
            _ => Verdict::Changed,
        })
    }

    /// Returns the verdict on equal values. They count as changed if something in them is unknown
    /// (rule 6 of docs/format/records.md, section 9).
    fn same(&self) -> Verdict<'a> {
        if self.unknown.is_some() { Verdict::Changed } else { Verdict::Same }
    }
}

impl Scratch {
    /// Finds the changed paths, in no particular order.
    fn changed(
        &mut self,
        before: Option<Value<'_>>,
        after: Option<Value<'_>>,
        after_unknown: Option<Value<'_>>,
    ) -> Result<()> {
        self.changed.clear();
        self.nodes.clear();
        self.keys.clear();
        self.overlay = after_unknown.map_or(0, Value::offset);
        let root = Sides { before, after, unknown: self.marked(after_unknown), same: None };
        let mut waiting = recycled(std::mem::take(&mut self.waiting));
        match root.verdict()? {
            Verdict::Same => {}
            Verdict::Changed => self.report(ROOT, None, root.offset())?,
            Verdict::Enter(both) => waiting.push(both),
        }
        while let Some(both) = waiting.pop() {
            // While the walk is inside a container, it may still discard paths found there. Here,
            // the last container is complete, so its paths are final.
            if self.stops_at_first && !self.changed.is_empty() {
                break;
            }
            match both.before.kind()? {
                Kind::Object => self.enter_objects(&both, &mut waiting)?,
                _ => self.enter_arrays(&both, &mut waiting)?,
            }
        }
        self.waiting = recycled(waiting);
        self.shrink();
        Ok(())
    }

    /// Frees the buffers if an unusually large change made them grow.
    fn shrink(&mut self) {
        const KEPT: usize = 1 << 20;
        if self.waiting.capacity() * size_of::<Both<'_>>() > KEPT {
            self.waiting = Vec::new();
        }
        if self.nodes.capacity() * size_of::<PathNode>() > KEPT {
            self.nodes = Vec::new();
        }
        if self.keys.capacity() > KEPT {
            self.keys = String::new();
        }
    }

    /// Reports a path if it changed, or adds it to `waiting` if the paths below it decide. `step`
    /// leads from `above` to the path.
    #[inline]
    fn settle<'a>(
        &mut self,
        above: u32,
        step: impl FnOnce(&mut String) -> Result<PathStep>,
        sides: &Sides<'a>,
        waiting: &mut Vec<Both<'a>>,
    ) -> Result<()> {
        match sides.verdict()? {
            Verdict::Same => Ok(()),
            Verdict::Changed => {
                let step = step(&mut self.keys)?;
                self.report(above, Some(step), sides.offset())
            }
            Verdict::Enter(both) => {
                let step = step(&mut self.keys)?;
                self.nodes.push(PathNode { above, step });
                waiting.push(Both { node: self.nodes.len() as u32 - 1, ..both });
                let waiting = size_of_val(&waiting[..]) + size_of_val(&self.nodes[..]);
                let size = (waiting + self.keys.len()) as u64 + self.changed.size();
                self.room.check(size, sides.offset())
            }
        }
    }

    /// Returns the overlay if it contains a mark, otherwise `None`.
    fn marked<'a>(&self, overlay: Option<Value<'a>>) -> Option<Value<'a>> {
        overlay.filter(|overlay| {
            let start = overlay.offset() - self.overlay;
            let next = self.marks.partition_point(|&mark| mark < start);
            let end = start + overlay.raw().len() as u64;
            self.marks.get(next).is_some_and(|&mark| mark < end)
        })
    }

    fn enter_objects<'a>(&mut self, both: &Both<'a>, waiting: &mut Vec<Both<'a>>) -> Result<()> {
        let unknown = match both.unknown {
            Some(unknown) if unknown.kind()? == Kind::Object => Some(unknown),
            _ => None,
        };
        let both = &Both { same: Some(both.same()), ..*both };
        let (first, found) = (waiting.len(), self.changed.len());
        if self.merge_members(both, unknown, waiting)? == Ordered::No {
            waiting.truncate(first);
            self.changed.truncate(found);
            let mut joined = Joined::of([Some(both.before), Some(both.after), unknown])?;
            while let Some(Member { key, sides: [before, after, unknown] }) = joined.next()? {
                let same = match (before, after) {
                    (Some(before), Some(after)) => both.same_below(before, after),
                    _ => None,
                };
                let sides = Sides { before, after, unknown: self.marked(unknown), same };
                self.settle(both.node, key_step(key), &sides, waiting)?;
            }
        }
        // `waiting` is a stack. The reversal makes the paths come out in ascending order.
        waiting[first..].reverse();
        Ok(())
    }

    fn enter_arrays<'a>(&mut self, both: &Both<'a>, waiting: &mut Vec<Both<'a>>) -> Result<()> {
        let mut unknowns = match both.unknown {
            Some(unknown) if unknown.kind()? == Kind::Array => Some(unknown.elements()?),
            _ => None,
        };
        let both = &Both { same: Some(both.same()), ..*both };
        let (first, found) = (waiting.len(), self.changed.len());
        let (mut befores, mut afters) = (both.before.elements()?, both.after.elements()?);
        for index in 0.. {
            let unknown = unknowns.as_mut().and_then(Iterator::next).transpose()?;
            let unknown = self.marked(unknown);
            let (before, after) = match (befores.next().transpose()?, afters.next().transpose()?) {
                (None, None) => break,
                (Some(before), Some(after)) => (before, after),
                _ => {
                    // The lengths differ, so the whole array changed. Discards the paths found
                    // inside it.
                    waiting.truncate(first);
                    self.changed.truncate(found);
                    return self.report(both.node, None, both.after.offset());
                }
            };
            let same = both.same_below(before, after);
            let sides = Sides { before: Some(before), after: Some(after), unknown, same };
            let step = |_: &mut String| Ok(PathStep::Index(index));
            self.settle(both.node, step, &sides, waiting)?;
        }
        waiting[first..].reverse();
        Ok(())
    }

    /// Adds a path to the changed paths: the path of `node`, followed by the step `last`, if
    /// given. `offset` is the offset of the value, for errors.
    fn report(&mut self, node: u32, last: Option<PathStep>, offset: u64) -> Result<()> {
        if self.stops_at_first {
            self.changed.push([]);
            return Ok(());
        }
        self.steps.clear();
        self.steps.extend(last);
        let mut node = node;
        while let Some(PathNode { above, step }) = self.nodes.get(node as usize) {
            self.steps.push(*step);
            node = *above;
        }
        let keys = &self.keys;
        self.changed.push(self.steps.iter().rev().map(|step| match *step {
            PathStep::Key { start, end } => Step::Key(&keys[start..end]),
            PathStep::Index(index) => Step::Index(index),
        }));
        let waiting = size_of_val(&self.nodes[..]) + self.keys.len();
        self.room.check(self.changed.size() + waiting as u64, offset)
    }
}

/// Whether a path changes.
enum Verdict<'a> {
    Changed,
    Same,
    /// The paths below decide.
    Enter(Both<'a>),
}

/// Returns a function that creates the step to a member. It decodes the key, which most steps do
/// not need.
fn key_step(key: Text<'_>) -> impl FnOnce(&mut String) -> Result<PathStep> {
    move |keys| {
        let start = keys.len();
        key.decode_to(keys)?;
        Ok(PathStep::Key { start, end: keys.len() })
    }
}

/// Whether two scalars of the same kind with different bytes have the same value.
fn same_scalar(kind: Kind, before: Value<'_>, after: Value<'_>) -> Result<bool> {
    Ok(match kind {
        Kind::String => before.is_same_string(after)?,
        Kind::Number => number::equal(before.raw(), after.raw()),
        _ => true,
    })
}

impl<'a> Both<'a> {
    /// Returns the length of the common prefix of the two values, in bytes.
    fn same(&self) -> usize {
        self.same.unwrap_or_else(|| common_prefix(self.before.raw(), self.after.raw()))
    }

    /// Returns the length of the common prefix of two inner values, if it follows from the known
    /// common prefix of the outer values.
    fn same_below(&self, before: Value<'a>, after: Value<'a>) -> Option<usize> {
        let start = (before.offset() - self.before.offset()) as usize;
        let is_aligned = start as u64 == after.offset() - self.after.offset();
        let same = self.same.filter(|&same| is_aligned && start < same)?;
        Some(shorter(before, after).min(same - start))
    }
}

/// Returns the length of the shorter value, in bytes.
fn shorter(before: Value<'_>, after: Value<'_>) -> usize {
    before.raw().len().min(after.raw().len())
}

#[cfg(test)]
mod tests;
