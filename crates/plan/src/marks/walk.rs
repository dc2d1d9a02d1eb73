//! Walks a value and its overlays in step, and finds the paths that the overlays mark
//! (docs/format/plan.md, section 5).
//!
//! A mark on one side of a change also marks the other side, because a former or future secret is
//! still a secret. The walk fails closed: an overlay that does not fit its value marks the whole
//! value. The exception is an overlay without any `true`, string or number. It marks nothing, so it
//! need not fit.
//!
//! A stack of entered containers replaces recursion.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::marked_paths::{MarksElsewhere, PathDigestStack, PathDigester, PathDigests};
pub use super::subject::Subject;
pub use crate::plan::MarkReason;
use plansift_core::error::{Error, Result};
use plansift_core::json::slot_hash::slot;
pub use plansift_core::json::value::Step;
use plansift_core::json::value::{Elements, Kind, Ordered, Value, WalkEvent, recycled};
use plansift_core::limits::{Limit, Limits};
use plansift_core::path;

/// A path that is marked together with everything below it.
#[derive(Clone, Copy, Debug)]
pub struct Marked<'p, 'a> {
    /// The values at the path, on each side; never `null`.
    pub sides: [Option<Value<'a>>; 2],
    /// The overlay of unknown values at the path.
    pub unknown: Option<Value<'a>>,
    /// The sensitivity overlays at the path. If `why` is [`MarkReason::Whole`], the keys in these
    /// overlays are secret too.
    pub overlays: [Option<Value<'a>>; 2],
    /// The path of the value.
    pub path: &'p [Step<'a>],
    /// The digests of the path; `None` unless the caller of the walk passed a digester.
    pub digests: Option<PathDigests>,
    /// The reason for the mark: an overlay or a name.
    pub by: MarkSource,
    /// Why the whole path is marked.
    pub why: MarkReason,
}

impl Marked<'_, '_> {
    /// The offset of one of the values.
    pub fn offset(&self) -> u64 {
        let [before, after] = self.sides;
        before.or(after).or(self.unknown).map_or(0, Value::offset)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each name says it")]
pub enum MarkSource {
    /// An overlay, or a declaration that takes its place.
    Mark,
    Name,
}

/// The names of keys whose values are secret even without a mark.
pub trait SecretNames: fmt::Debug + Send + Sync {
    /// Whether a name is among them.
    fn has(&self, name: &str) -> bool;
}

/// Finds the marked paths of subjects, one after the other, and reuses its memory.
#[derive(Debug)]
pub struct Marks {
    unmarked: UnmarkedCache,
    /// Offsets of the marking values in the current overlays, in ascending order.
    marking: Vec<u64>,
    /// The path of the walk and the containers on it; empty between two subjects.
    path: Vec<Step<'static>>,
    entered: Vec<Entered<'static>>,
    /// The digests of the steps on the path, computed on demand.
    digest_stack: PathDigestStack,
    /// Names of keys whose values are marked too.
    names: Option<Arc<dyn SecretNames>>,
    /// [`Limits::marks`].
    max: u64,
    /// True if the walk enters every container, because names or other sections may mark values in
    /// it.
    enters_all: bool,
    decoded: Vec<u8>,
}

/// A cache of overlays that mark nothing. Such overlays repeat, because most resources of one type
/// have the same overlays. A few bytes of an overlay choose its slot. A new overlay replaces the
/// old one in its slot.
#[derive(Debug, Default)]
struct UnmarkedCache {
    slots: Vec<Option<Box<[u8]>>>,
    /// Bytes inserted since the cache was last emptied.
    size: usize,
}

impl UnmarkedCache {
    const SLOTS: usize = 1024;

    /// Longest overlay that is cached, in bytes.
    const LEN_MAX: usize = 4 << 10;

    /// Bytes after which the cache is emptied. Each thread has its own cache.
    const SIZE_MAX: usize = 1 << 20;

    fn holds(&self, overlay: &[u8]) -> bool {
        let known = self.slots.get(slot([overlay], UnmarkedCache::SLOTS));
        known.and_then(Option::as_deref) == Some(overlay)
    }

    fn insert(&mut self, overlay: &[u8]) {
        if overlay.len() > UnmarkedCache::LEN_MAX {
            return;
        }
        self.size += overlay.len();
        if self.size > UnmarkedCache::SIZE_MAX {
            (self.size, self.slots) = (overlay.len(), Vec::new());
        }
        self.slots.resize(UnmarkedCache::SLOTS, None);
        self.slots[slot([overlay], UnmarkedCache::SLOTS)] = Some(overlay.into());
    }
}

/// An entered container, with iterators over the rest of its members in all columns. The members
/// are not collected into a list, because there may be very many.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "they are few, on a list whose memory is kept")]
enum Entered<'a> {
    Object(Columns<Ordered<'a>>),
    /// The elements, and the index of the next one.
    Array(Columns<Option<Elements<'a>>>, u32),
}

/// `before`, `after`, the unknown overlay, and both sensitivity overlays.
type Columns<T> = [T; 5];

const SIDES: Range<usize> = 0..2;
const OVERLAYS: Range<usize> = 3..5;

impl<'a> Subject<'a> {
    fn columns(&self) -> Columns<Option<Value<'a>>> {
        let [before, after] = self.sides;
        let [before_sensitive, after_sensitive] = self.overlays;
        [before, after, self.unknown, before_sensitive, after_sensitive]
    }

    fn of_columns(columns: Columns<Option<Value<'a>>>) -> Subject<'a> {
        let [before, after, unknown, one, two] = columns;
        Subject { sides: [before, after], overlays: [one, two], unknown, named: false }
    }
}

/// The action of the walk at a path.
enum Verdict {
    Nothing,
    Marked(MarkSource, MarkReason),
    Enter(Kind),
}

impl Default for Marks {
    fn default() -> Marks {
        Marks {
            unmarked: UnmarkedCache::default(),
            marking: Vec::new(),
            path: Vec::new(),
            entered: Vec::new(),
            digest_stack: PathDigestStack::default(),
            names: None,
            max: Limits::default().marks,
            enters_all: false,
            decoded: Vec::new(),
        }
    }
}

impl Marks {
    /// Creates a finder that also marks the values of keys with these names.
    pub fn new(names: Option<Arc<dyn SecretNames>>, limits: &Limits) -> Marks {
        Marks { names, max: limits.marks, ..Marks::default() }
    }

    /// A new finder with the same names and limit, for another thread.
    pub fn like(&self) -> Marks {
        Marks { names: self.names.clone(), max: self.max, ..Marks::default() }
    }

    /// Whether a key with this name marks its value.
    pub fn is_name(&self, name: &str) -> bool {
        self.names.as_ref().is_some_and(|names| names.has(name))
    }

    /// Returns the number of steps up to the first key of a path whose name marks its value; `None`
    /// if there is no such key.
    pub fn named_depth<'s>(
        &self,
        steps: impl IntoIterator<Item = path::Step<'s>>,
    ) -> Option<usize> {
        let is_named = |step| matches!(step, path::Step::Key(key) if self.is_name(key));
        steps.into_iter().position(is_named).map(|place| place + 1)
    }

    /// Whether names can mark values.
    pub fn has_names(&self) -> bool {
        self.names.is_some()
    }

    /// Whether an overlay marks any value.
    pub fn marks_anything(&mut self, overlay: Option<Value<'_>>) -> Result<bool> {
        self.marking.clear();
        overlay.map_or(Ok(()), |overlay| self.mark(overlay))?;
        Ok(!self.marking.is_empty())
    }

    /// Calls `each` with the marked paths of a subject. No reported path is below another. Fails
    /// if an entered value is malformed or has a key twice, if there are too many marked paths, or
    /// if `each` fails.
    pub fn find<'a>(
        &mut self,
        subject: Subject<'a>,
        each: impl FnMut(&Marked<'_, 'a>) -> Result<()>,
    ) -> Result<()> {
        self.walk(subject, None, None, each)
    }

    /// Like [`Marks::find`]. If `by` is given, it also computes the digests of each path.
    pub fn find_placed<'a>(
        &mut self,
        subject: Subject<'a>,
        by: Option<&PathDigester>,
        each: impl FnMut(&Marked<'_, 'a>) -> Result<()>,
    ) -> Result<()> {
        self.walk(subject, None, by, each)
    }

    /// Returns `elsewhere`: the marks of changes on the same resource in another section. Returns
    /// `None` if the overlays of `subject` have exactly these marks.
    pub fn beyond<'p>(
        &mut self,
        subject: Subject<'_>,
        elsewhere: Option<MarksElsewhere<'p>>,
    ) -> Result<Option<MarksElsewhere<'p>>> {
        let Some(elsewhere) = elsewhere else { return Ok(None) };
        let mut sum = 0;
        self.find_placed(subject, Some(elsewhere.digests()), |marked| {
            if let (MarkSource::Mark, Some(digests)) = (marked.by, marked.digests) {
                elsewhere.add(&mut sum, digests);
            }
            Ok(())
        })?;
        Ok((!elsewhere.is_sum(sum)).then_some(elsewhere))
    }

    /// Like [`Marks::find`], and also reports the paths that `elsewhere` marks.
    pub fn find_with<'a>(
        &mut self,
        subject: Subject<'a>,
        elsewhere: Option<MarksElsewhere<'_>>,
        each: impl FnMut(&Marked<'_, 'a>) -> Result<()>,
    ) -> Result<()> {
        self.walk(subject, elsewhere, None, each)
    }

    fn walk<'a>(
        &mut self,
        subject: Subject<'a>,
        elsewhere: Option<MarksElsewhere<'_>>,
        digester: Option<&PathDigester>,
        mut each: impl FnMut(&Marked<'_, 'a>) -> Result<()>,
    ) -> Result<()> {
        self.marking.clear();
        for overlay in subject.overlays.into_iter().flatten() {
            self.mark(overlay)?;
        }
        self.enters_all = self.names.is_some() || elsewhere.is_some();
        if self.marking.is_empty() && !self.enters_all && !subject.named {
            return Ok(());
        }
        self.digest_stack.cut(0);
        self.marking.sort_unstable();
        let mut path = recycled(std::mem::take(&mut self.path));
        let mut entered = recycled(std::mem::take(&mut self.entered));
        let mut next = Some(subject);
        let mut count = 0;
        loop {
            if let Some(subject) = next.take() {
                let here = match elsewhere {
                    None => None,
                    Some(elsewhere) => {
                        let by = elsewhere.digests();
                        let here = self.digest_stack.at(&path, by, &mut self.decoded)?;
                        Some((elsewhere, here.path))
                    }
                };
                match self.verdict(&subject, here)? {
                    Verdict::Nothing => {
                        path.pop();
                    }
                    Verdict::Marked(by, why) => {
                        count += 1;
                        self.check_limit(count, subject.offset())?;
                        let sides = subject.sides.map(present);
                        let Subject { overlays, unknown, .. } = subject;
                        let overlays = overlays.map(|overlay| self.marking(overlay));
                        let digests = match digester {
                            None => None,
                            Some(by) => Some(self.digest_stack.at(&path, by, &mut self.decoded)?),
                        };
                        each(&Marked { sides, unknown, overlays, path: &path, digests, by, why })?;
                        path.pop();
                    }
                    Verdict::Enter(kind) => entered.push(self.enter(&subject, kind)?),
                }
            }
            let Some(inside) = entered.last_mut() else { break };
            let inner = match inside {
                Entered::Object(columns) => self.member(columns)?,
                Entered::Array(columns, index) => self.element(columns, index)?,
            };
            match inner {
                Some((step, subject)) => {
                    self.digest_stack.cut(path.len());
                    path.push(step);
                    next = Some(subject);
                }
                None => {
                    entered.pop();
                    path.pop();
                }
            }
        }
        (self.path, self.entered) = (recycled(path), recycled(entered));
        Ok(())
    }

    /// Whether an overlay is known to mark nothing, by its bytes.
    fn marks_nothing(&self, overlay: &[u8]) -> bool {
        matches!(overlay, b"{}" | b"[]" | b"false" | b"null") || self.unmarked.holds(overlay)
    }

    /// Records the offsets of the marking values in an overlay.
    fn mark(&mut self, overlay: Value<'_>) -> Result<()> {
        if self.marks_nothing(overlay.raw()) {
            return Ok(());
        }
        let found = self.marking.len();
        for event in overlay.walk() {
            if let WalkEvent::Leaf(kind, value) = event?
                && kind.is_mark()
            {
                self.marking.push(value.offset());
                self.check_limit((self.marking.len() - found) as u64, value.offset())?;
            }
        }
        if self.marking.len() == found {
            self.unmarked.insert(overlay.raw());
        }
        Ok(())
    }

    /// Fails if `count` marked paths are too many. `offset` is the location of the last one.
    fn check_limit(&self, count: u64, offset: u64) -> Result<()> {
        match count > self.max {
            true => Err(Error::limit(Limit::Marks, self.max, offset)),
            false => Ok(()),
        }
    }

    /// The overlay if it marks anything, otherwise `None`.
    fn marking<'a>(&self, overlay: Option<Value<'a>>) -> Option<Value<'a>> {
        overlay.filter(|overlay| {
            let start = overlay.offset();
            let next = self.marking.partition_point(|&mark| mark < start);
            let end = start + overlay.raw().len() as u64;
            self.marking.get(next).is_some_and(|&mark| mark < end)
        })
    }

    fn verdict(
        &mut self,
        subject: &Subject<'_>,
        elsewhere: Option<(MarksElsewhere<'_>, u64)>,
    ) -> Result<Verdict> {
        let mut verdict = match elsewhere {
            Some((elsewhere, path)) if elsewhere.has(path) => {
                Verdict::Marked(MarkSource::Mark, MarkReason::Whole)
            }
            _ => self.verdict_beyond(subject, elsewhere)?,
        };
        let mut marked = None;
        for (side, overlay) in subject.overlays.into_iter().enumerate() {
            let Some(overlay) = self.marking(overlay) else { continue };
            let own = present(subject.sides[side]);
            let why = MarkReason::of(overlay, own, present(subject.sides[1 - side]))?;
            marked = marked.max(why);
            // A name, or a mark in another section, already marks the whole path.
            if matches!(verdict, Verdict::Marked(..)) {
                continue;
            }
            let kind = overlay.kind()?;
            // Without values, overlays of any kind fit. But an object and an array cannot be
            // entered in step.
            if side == 1
                && subject.sides.into_iter().all(|side| present(side).is_none())
                && let Some(before) = self.marking(subject.overlays[0])
                && before.kind()? != kind
            {
                marked = marked.max(Some(MarkReason::Misfit));
            }
            verdict = Verdict::Enter(kind);
        }
        Ok(match (marked, verdict) {
            (None, verdict) => verdict,
            // If a name and an overlay both mark the path, the overlay is the reason, even if it
            // does not fit its value.
            (Some(_), Verdict::Marked(MarkSource::Name, why)) | (Some(why), _) => {
                Verdict::Marked(MarkSource::Mark, why)
            }
        })
    }

    /// The verdict on a path by names and by marks elsewhere, without its overlays. `Enter` means
    /// that names or marks may follow below the path.
    fn verdict_beyond(
        &mut self,
        subject: &Subject<'_>,
        elsewhere: Option<(MarksElsewhere<'_>, u64)>,
    ) -> Result<Verdict> {
        if subject.named {
            return Ok(Verdict::Marked(MarkSource::Name, MarkReason::Whole));
        }
        if !self.enters_all {
            return Ok(Verdict::Nothing);
        }
        let [before, after] = subject.sides.map(|side| present(side).map(Value::kind).transpose());
        match (before?, after?) {
            // Values of different kinds cannot be entered in step.
            (Some(before), Some(after)) if before != after => {
                for side in subject.sides.into_iter().flatten() {
                    if let Some((elsewhere, path)) = elsewhere
                        && elsewhere.has_below(side, path, &mut self.decoded)?
                    {
                        return Ok(Verdict::Marked(MarkSource::Mark, MarkReason::Whole));
                    }
                    if self.names.is_some() && self.has_name(side)? {
                        return Ok(Verdict::Marked(MarkSource::Name, MarkReason::Whole));
                    }
                }
                Ok(Verdict::Nothing)
            }
            (Some(kind @ (Kind::Object | Kind::Array)), _)
            | (None, Some(kind @ (Kind::Object | Kind::Array))) => Ok(Verdict::Enter(kind)),
            _ => Ok(Verdict::Nothing),
        }
    }

    fn has_name(&self, value: Value<'_>) -> Result<bool> {
        let mut has_name = false;
        for event in value.walk() {
            if let WalkEvent::Key(key) = event? {
                has_name = has_name || self.is_name(&key.decode()?);
            }
        }
        Ok(has_name)
    }

    fn enter<'a>(&self, subject: &Subject<'a>, kind: Kind) -> Result<Entered<'a>> {
        let overlays = subject.overlays.map(|overlay| self.marking(overlay));
        let columns = Subject { overlays, ..*subject }.columns();
        if kind == Kind::Array {
            return Ok(Entered::Array(columns.map(elements), 0));
        }
        let [one, two, three, four, five] = columns.map(Ordered::of);
        Ok(Entered::Object([one?, two?, three?, four?, five?]))
    }

    /// The next members that may be marked, one from each column. They have the same key.
    fn member<'a>(
        &self,
        columns: &mut Columns<Ordered<'a>>,
    ) -> Result<Option<(Step<'a>, Subject<'a>)>> {
        for overlay in &mut columns[OVERLAYS] {
            while overlay.next().is_some_and(|(_, value)| self.marking(Some(value)).is_none()) {
                overlay.pass()?;
            }
        }
        let sides = if self.enters_all { SIDES } else { 0..0 };
        let keys = columns[OVERLAYS].iter().chain(&columns[sides]).filter_map(Ordered::next);
        let Some((key, _)) = keys.min_by(|one, two| one.0.compare(two.0)) else { return Ok(None) };
        let [one, two, three, four, five] = columns.each_mut().map(|column| column.take(key));
        let mut below = Subject::of_columns([one?, two?, three?, four?, five?]);
        below.overlays = below.overlays.map(|overlay| self.marking(overlay));
        below.named = self.names.is_some() && self.is_name(&key.decode()?);
        Ok(Some((Step::Key(key), below)))
    }

    /// The next elements that may be marked, one from each column. They have the same index.
    fn element<'a>(
        &self,
        columns: &mut Columns<Option<Elements<'a>>>,
        index: &mut u32,
    ) -> Result<Option<(Step<'a>, Subject<'a>)>> {
        loop {
            let mut values = [None; 5];
            for (value, elements) in values.iter_mut().zip(&mut *columns) {
                *value = elements.as_mut().and_then(Iterator::next).transpose()?;
            }
            if values.iter().all(Option::is_none) {
                return Ok(None);
            }
            let step = Step::Index(*index);
            *index += 1;
            let mut below = Subject::of_columns(values);
            below.overlays = below.overlays.map(|overlay| self.marking(overlay));
            if below.overlays.iter().any(Option::is_some) || self.enters_all {
                return Ok(Some((step, below)));
            }
        }
    }
}

/// Treats `null` as absent.
fn present(value: Option<Value<'_>>) -> Option<Value<'_>> {
    value.filter(|value| !value.is_null())
}

fn elements(array: Option<Value<'_>>) -> Option<Elements<'_>> {
    present(array).and_then(|array| array.elements().ok())
}

#[cfg(test)]
mod tests;
