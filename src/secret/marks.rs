//! The places of a value that its overlays mark, found by walking both in step
//! (docs/format/plan.md, section 5).
//!
//! What is marked on one side of a change is marked on the other as well: a secret that was, or
//! will be, is one. The walk fails closed: an overlay that does not fit its value marks all of it.
//! Only an overlay that could mark nothing (no `true` in it, and nothing that is no overlay) needs
//! not fit.
//!
//! Nothing recurses: the containers that were entered are on a list.

use std::ops::Range;

use regex::Regex;

use super::leaves::{Leaf, leaves};
use super::ordered::Ordered;
use super::places::{Elsewhere, PathDigests, PlaceDigests, Trail};
use crate::error::{Error, Result};
use crate::json::slot_hash::slot;
use crate::json::value::{Elements, Kind, Text, Value, recycled};
use crate::limits::{Limit, Limits};
use crate::plan::Unchanged;

/// Values and the overlays that mark them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// `before` and `after`; a value that stands alone is the second.
    pub sides: [Option<Value<'a>>; 2],
    /// The overlay of each side.
    pub overlays: [Option<Value<'a>>; 2],
    /// The overlay of what is unknown in the second.
    pub unknown: Option<Value<'a>>,
    /// Marked by its name.
    pub named: bool,
}

impl Subject<'_> {
    /// Where its values stand, or one of them.
    fn offset(&self) -> u64 {
        self.sides.into_iter().chain(self.overlays).flatten().next().map_or(0, Value::offset)
    }

    /// Whether anything says what is sensitive in it.
    pub fn has_overlays(&self) -> bool {
        self.overlays.iter().flatten().any(|overlay| !overlay.is_null())
    }
}

/// A step to a place.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// A key.
    Key(Text<'a>),
    /// A place in an array.
    Index(u32),
}

/// A place that is marked, with all that is below it.
#[derive(Clone, Copy, Debug)]
pub struct Marked<'p, 'a> {
    /// The values that stand there, on either side; none of them is `null`.
    pub sides: [Option<Value<'a>>; 2],
    /// What is unknown of it.
    pub unknown: Option<Value<'a>>,
    /// What the overlays say of it. Where it is marked as a whole they may name keys of it, which
    /// are secret as well.
    pub overlays: [Option<Value<'a>>; 2],
    /// The way to it.
    pub path: &'p [Step<'a>],
    /// The digests of that way, where they were asked for.
    pub(crate) place: Option<PathDigests>,
    /// What marks it.
    pub by: By,
    /// Why all of it is marked.
    pub why: Why,
}

/// Why all of a place is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// An overlay marks parts of one side, and the other side is of another kind.
    OtherKind,
    /// An overlay does not fit its own value.
    Misfit,
    /// That is what the overlay or the name says.
    Whole,
}

/// What marks a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// An overlay, or what stands for one.
    Mark,
    /// Its name alone.
    Name,
}

/// Finds marked places, one subject after the other. The memory is kept.
#[derive(Debug)]
pub struct Marks {
    quiet: Quiet,
    /// Where in the overlays that are walked something stands that marks: offsets, in order.
    marking: Vec<u64>,
    /// The way to where the walk is, and the containers on it: empty between two subjects.
    path: Vec<Step<'static>>,
    entered: Vec<Entered<'static>>,
    /// The digests of the way, if anyone asks for them.
    trail: Trail,
    /// Keys whose values are marked too.
    names: Option<Regex>,
    /// [`Limits::marks`].
    max: u64,
    /// Every container of the subject is entered: what marks in it is not in its overlays alone.
    enters_all: bool,
    decoded: Vec<u8>,
}

/// Overlays that mark nothing, which come again and again: the resources of one type mostly have
/// the same. The slot of each is chosen by a few of its bytes; what falls on a taken one replaces
/// what was there.
#[derive(Debug, Default)]
struct Quiet {
    slots: Vec<Option<Box<[u8]>>>,
    /// Bytes of those that were remembered since all were forgotten.
    size: usize,
}

impl Quiet {
    const SLOTS: usize = 1024;

    /// Longest overlay that is remembered, in bytes.
    const LEN_MAX: usize = 4 << 10;

    /// After so many bytes all are forgotten: each thread has its own.
    const SIZE_MAX: usize = 1 << 20;

    fn holds(&self, overlay: &[u8]) -> bool {
        let known = self.slots.get(slot([overlay], Quiet::SLOTS));
        known.and_then(Option::as_deref) == Some(overlay)
    }

    fn insert(&mut self, overlay: &[u8]) {
        if overlay.len() > Quiet::LEN_MAX {
            return;
        }
        self.size += overlay.len();
        if self.size > Quiet::SIZE_MAX {
            (self.size, self.slots) = (overlay.len(), Vec::new());
        }
        self.slots.resize(Quiet::SLOTS, None);
        self.slots[slot([overlay], Quiet::SLOTS)] = Some(overlay.into());
    }
}

/// A container that was entered, and what is in it that was not looked at yet. It is not listed:
/// there may be very much.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "they are few, on a list whose memory is kept")]
enum Entered<'a> {
    Object(Columns<Ordered<'a>>),
    /// With the next index.
    Array(Columns<Option<Elements<'a>>>, u32),
}

/// `before`, `after`, what is unknown of it, and both overlays.
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

/// What to do at a place.
enum Verdict {
    Nothing,
    Marked(By, Why),
    Enter(Kind),
}

impl Default for Marks {
    fn default() -> Marks {
        Marks {
            quiet: Quiet::default(),
            marking: Vec::new(),
            path: Vec::new(),
            entered: Vec::new(),
            trail: Trail::default(),
            names: None,
            max: Limits::default().marks,
            enters_all: false,
            decoded: Vec::new(),
        }
    }
}

impl Marks {
    /// One that marks the values of keys with such names as well.
    pub fn new(names: Option<Regex>, limits: &Limits) -> Marks {
        Marks { names, max: limits.marks, ..Marks::default() }
    }

    /// Whether a name marks.
    pub fn is_name(&self, name: &str) -> bool {
        self.names.as_ref().is_some_and(|names| names.is_match(name))
    }

    /// Whether values may be marked by their names.
    pub fn has_names(&self) -> bool {
        self.names.is_some()
    }

    /// Whether an overlay marks anything.
    ///
    /// # Errors
    ///
    /// It is not well formed.
    pub fn marks_anything(&mut self, overlay: Option<Value<'_>>) -> Result<bool> {
        self.marking.clear();
        overlay.map_or(Ok(()), |overlay| self.mark(overlay))?;
        Ok(!self.marking.is_empty())
    }

    /// Tells the marked places of a subject, none below another.
    ///
    /// # Errors
    ///
    /// What is entered is not well formed, or has a key twice; there are too many marked places;
    /// what `each` says.
    pub fn find<'a>(
        &mut self,
        subject: Subject<'a>,
        each: impl FnMut(&Marked<'_, 'a>) -> Result<()>,
    ) -> Result<()> {
        self.walk(subject, None, None, each)
    }

    /// Like [`Marks::find`], with the digests of the places where `by` is given.
    ///
    /// # Errors
    ///
    /// As [`Marks::find`].
    pub(crate) fn find_placed<'a>(
        &mut self,
        subject: Subject<'a>,
        by: Option<&PlaceDigests>,
        each: impl FnMut(&Marked<'_, 'a>) -> Result<()>,
    ) -> Result<()> {
        self.walk(subject, None, by, each)
    }

    /// What changes mark of a resource elsewhere, unless its own overlays mark the same.
    ///
    /// # Errors
    ///
    /// As [`Marks::find`].
    pub(crate) fn beyond<'p>(
        &mut self,
        subject: Subject<'_>,
        elsewhere: Option<Elsewhere<'p>>,
    ) -> Result<Option<Elsewhere<'p>>> {
        let Some(elsewhere) = elsewhere else { return Ok(None) };
        let mut sum = 0;
        self.find_placed(subject, Some(elsewhere.digests()), |marked| {
            if let (By::Mark, Some(place)) = (marked.by, marked.place) {
                elsewhere.add(&mut sum, place);
            }
            Ok(())
        })?;
        Ok((!elsewhere.is_sum(sum)).then_some(elsewhere))
    }

    /// Tells what [`Marks::find`] does, and the places that are marked elsewhere.
    ///
    /// # Errors
    ///
    /// As [`Marks::find`].
    pub(crate) fn find_with<'a>(
        &mut self,
        subject: Subject<'a>,
        elsewhere: Option<Elsewhere<'_>>,
        each: impl FnMut(&Marked<'_, 'a>) -> Result<()>,
    ) -> Result<()> {
        self.walk(subject, elsewhere, None, each)
    }

    fn walk<'a>(
        &mut self,
        subject: Subject<'a>,
        elsewhere: Option<Elsewhere<'_>>,
        digester: Option<&PlaceDigests>,
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
        self.trail.cut(0);
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
                        let here = self.trail.at(&path, by, &mut self.decoded)?;
                        Some((elsewhere, here.path))
                    }
                };
                match self.verdict(&subject, here)? {
                    Verdict::Nothing => {
                        path.pop();
                    }
                    Verdict::Marked(by, why) => {
                        count += 1;
                        self.hold(count, subject.offset())?;
                        let sides = subject.sides.map(present);
                        let Subject { overlays, unknown, .. } = subject;
                        let overlays = overlays.map(|overlay| self.marking(overlay));
                        let place = match digester {
                            None => None,
                            Some(by) => Some(self.trail.at(&path, by, &mut self.decoded)?),
                        };
                        each(&Marked { sides, unknown, overlays, path: &path, place, by, why })?;
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
                    self.trail.cut(path.len());
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

    /// Whether a resource that stays as it is is known to have nothing marked in it.
    pub fn is_quiet_change(&self, unchanged: &Unchanged<'_>) -> bool {
        self.names.is_none()
            && self.is_quiet(unchanged.before_sensitive)
            && self.is_quiet(unchanged.after_sensitive)
    }

    /// The same of a resource that is no change, by its overlay.
    pub fn is_quiet_resource(&self, sensitive_values: &[u8]) -> bool {
        self.names.is_none() && self.is_quiet(sensitive_values)
    }

    /// Whether overlays are known to mark nothing, by their bytes.
    fn is_quiet(&self, overlay: &[u8]) -> bool {
        matches!(overlay, b"{}" | b"[]" | b"false" | b"null") || self.quiet.holds(overlay)
    }

    /// Takes note of where an overlay marks something.
    fn mark(&mut self, overlay: Value<'_>) -> Result<()> {
        if self.is_quiet(overlay.raw()) {
            return Ok(());
        }
        let found = self.marking.len();
        leaves(overlay, |leaf| {
            if let Leaf::Scalar(Kind::True | Kind::String | Kind::Number, value) = leaf {
                self.marking.push(value.offset());
                self.hold((self.marking.len() - found) as u64, value.offset())?;
            }
            Ok(())
        })?;
        if self.marking.len() == found {
            self.quiet.insert(overlay.raw());
        }
        Ok(())
    }

    /// # Errors
    ///
    /// So many marked places are too many; the last one stands there.
    fn hold(&self, count: u64, offset: u64) -> Result<()> {
        match count > self.max {
            true => Err(Error::limit(Limit::Marks, self.max, offset)),
            false => Ok(()),
        }
    }

    /// An overlay, if something in it marks.
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
        elsewhere: Option<(Elsewhere<'_>, u64)>,
    ) -> Result<Verdict> {
        let mut verdict = match elsewhere {
            Some((elsewhere, path)) if elsewhere.has(path) => Verdict::Marked(By::Mark, Why::Whole),
            _ => self.verdict_beyond(subject, elsewhere)?,
        };
        let mut marked = None;
        for (side, overlay) in subject.overlays.into_iter().enumerate() {
            let Some(overlay) = self.marking(overlay) else { continue };
            let own = present(subject.sides[side]);
            let why = Marks::why(overlay, own, present(subject.sides[1 - side]))?;
            marked = marked.max(why);
            // A name, and a mark elsewhere, mark all of it.
            if !matches!(verdict, Verdict::Marked(..)) {
                verdict = Verdict::Enter(overlay.kind()?);
            }
        }
        Ok(match (marked, verdict) {
            (None, verdict) => verdict,
            // A name marks all of a value, whether its overlay fits it or not.
            (Some(_), Verdict::Marked(By::Name, why)) | (Some(why), _) => {
                Verdict::Marked(By::Mark, why)
            }
        })
    }

    /// Why an overlay marks all of its own value and of that on the other side; `None`: it marks
    /// parts of them.
    fn why(
        overlay: Value<'_>,
        own: Option<Value<'_>>,
        other: Option<Value<'_>>,
    ) -> Result<Option<Why>> {
        let kind = overlay.kind()?;
        if kind == Kind::True {
            return Ok(Some(Why::Whole));
        }
        if !matches!(kind, Kind::Object | Kind::Array) {
            return Ok(Some(Why::Misfit));
        }
        let is_other = |value: Value<'_>| Ok(value.kind()? != kind);
        if let Some(own) = own
            && (is_other(own)?
                || kind == Kind::Array && own.elements()?.count() != overlay.elements()?.count())
        {
            return Ok(Some(Why::Misfit));
        }
        Ok(match other.map_or(Ok(false), is_other)? {
            false => None,
            true if own.is_none() => Some(Why::Misfit),
            true => Some(Why::OtherKind),
        })
    }

    /// What names say of a place, and marks elsewhere; those below it may.
    fn verdict_beyond(
        &mut self,
        subject: &Subject<'_>,
        elsewhere: Option<(Elsewhere<'_>, u64)>,
    ) -> Result<Verdict> {
        if subject.named {
            return Ok(Verdict::Marked(By::Name, Why::Whole));
        }
        if !self.enters_all {
            return Ok(Verdict::Nothing);
        }
        let [before, after] = subject.sides.map(|side| present(side).map(Value::kind).transpose());
        match (before?, after?) {
            // They cannot be entered in step.
            (Some(before), Some(after)) if before != after => {
                for side in subject.sides.into_iter().flatten() {
                    if let Some((elsewhere, path)) = elsewhere
                        && elsewhere.has_below(side, path, &mut self.decoded)?
                    {
                        return Ok(Verdict::Marked(By::Mark, Why::Whole));
                    }
                    if self.names.is_some() && self.has_name(side)? {
                        return Ok(Verdict::Marked(By::Name, Why::Whole));
                    }
                }
                Ok(Verdict::Nothing)
            }
            (Some(kind @ (Kind::Object | Kind::Array)), _)
            | (None, Some(kind @ (Kind::Object | Kind::Array))) => Ok(Verdict::Enter(kind)),
            _ => Ok(Verdict::Nothing),
        }
    }

    /// Whether a key below a value is a name that marks.
    fn has_name(&self, value: Value<'_>) -> Result<bool> {
        let mut has_name = false;
        leaves(value, |leaf| {
            if let Leaf::Key(key) = leaf {
                has_name = has_name || self.is_name(&key.decode()?);
            }
            Ok(())
        })?;
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

    /// The next members of objects that may be marked.
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

    /// The next elements of arrays that may be marked.
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

/// What is there and not `null`.
fn present(value: Option<Value<'_>>) -> Option<Value<'_>> {
    value.filter(|value| !value.is_null())
}

fn elements(array: Option<Value<'_>>) -> Option<Elements<'_>> {
    present(array).and_then(|array| array.elements().ok())
}

#[cfg(test)]
mod tests;
