//! A view that gives each change its planned paths with the digests of their values.

use super::meaning::{Digest, ValueKey};
use plansift_core::error::{Error, Result};
use plansift_core::json::descent::Descent;
use plansift_core::json::value::{Entries, Kind, Value};
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::{OwnedStep, Path, Paths, Step, StepCursor, walk_leaves};
use plansift_plan::marks::steps::PieceMarkedPaths;
use plansift_plan::marks::{Marks, Subject};
use plansift_plan::plan::Change;
use plansift_plan::record::{
    Attribute, Attributes, ComparedChange, Difference, Excerpt, MaskText, Shown, View, ViewPaths,
    ViewSubject, Viewer,
};
use plansift_report::view::{SingleValues, ViewSettings};

/// Gives each change one attribute for each planned path (docs/format/comparison.md, section 3).
///
/// [`Attribute::digest`] is the digest of the planned value; it is absent for an unknown value.
/// [`Attribute::after`] is [`Shown::Sensitive`] for the known part of a sensitive value that is
/// also listed as unknown. [`Attributes::compared`] has facts about the whole change.
#[derive(Clone, Copy, Debug)]
pub struct PlannedView<'s> {
    /// The key of the digests.
    pub key: &'s ValueKey,
    /// The secrets to hide, if [`Attribute::after`] shows the planned values; `None` for no values.
    pub shown: Option<ShownSecrets<'s>>,
}

/// The secrets of the document that is read, and of the document that it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct ShownSecrets<'s> {
    /// The secrets of the document that is read.
    pub own: ViewSettings<'s>,
    /// The secrets of the other document.
    pub other: ViewSettings<'s>,
}

impl View for PlannedView<'_> {
    fn viewer(&self, limits: &Limits) -> Box<dyn Viewer + '_> {
        Box::new(PlannedViewer::new(*self, limits))
    }
}

/// Lists the planned paths of changes, one after the other.
#[derive(Debug)]
pub(crate) struct PlannedViewer<'s> {
    key: &'s ValueKey,
    /// [`Limits::paths`].
    paths_max: u64,
    marks: Marks,
    values: Option<SingleValues<'s>>,
}

impl<'s> PlannedViewer<'s> {
    pub fn new(view: PlannedView<'s>, limits: &Limits) -> PlannedViewer<'s> {
        let PlannedView { key, shown } = view;
        let values = shown.map(|ShownSecrets { own, other }| SingleValues::new(own, [other]));
        PlannedViewer { key, paths_max: limits.paths, marks: Marks::new(None, limits), values }
    }

    fn marked(&mut self, change: &Change<'_>) -> Result<PieceMarkedPaths> {
        let mut marked = PieceMarkedPaths::default();
        let paths_max = self.paths_max;
        self.marks.find(Subject::of_change(change), |found| {
            marked.push(found.path, paths_max, change.offset())
        })?;
        marked.sort();
        Ok(marked)
    }

    /// Returns the digest of what a change imports; `None` if that is nothing, or unknown.
    fn imported(&self, change: &Change<'_>) -> Result<Option<Digest>> {
        let Some(importing) = change.importing else { return Ok(None) };
        let is_unknown = importing.get("unknown")?.is_some_and(Value::is_true);
        match is_unknown {
            true => Ok(None),
            false => self.key.value(importing).map(Some),
        }
    }

    /// Returns the offsets of the sensitive values of a change, sorted. `is_secret` says that the
    /// whole value is.
    fn hidden(&mut self, change: &Change<'_>, is_secret: bool) -> Result<Vec<u64>> {
        let mut hidden = Vec::new();
        let subject = Subject { named: is_secret, ..Subject::of_change(change) };
        self.marks.find(subject, |marked| {
            hidden.extend(marked.sides.into_iter().flatten().map(Value::offset));
            Ok(())
        })?;
        hidden.sort_unstable();
        Ok(hidden)
    }
}

impl MaskText for PlannedViewer<'_> {
    fn mask(&self, text: String) -> String {
        text
    }
}

impl Viewer for PlannedViewer<'_> {
    fn is_secret(&self, _: &[u8]) -> bool {
        false
    }

    fn is_secret_number(&self, _: &[u8]) -> bool {
        false
    }

    fn hides_key(&self, _: &str) -> bool {
        false
    }

    fn is_name(&self, _: &str) -> bool {
        false
    }

    fn secret_paths(
        &mut self,
        _: ViewSubject<'_>,
        change: &Change<'_>,
    ) -> Result<PieceMarkedPaths> {
        self.marked(change)
    }

    /// The declarations of outputs may follow the changes of outputs. A comparison does not depend
    /// on the order of a document, so an output without overlays always counts as sensitive.
    fn declares(&self, _: &str) -> bool {
        true
    }

    fn view(
        &mut self,
        subject: ViewSubject<'_>,
        change: &Change<'_>,
        view_paths: ViewPaths<'_>,
    ) -> Result<Attributes> {
        let is_secret = matches!(subject, ViewSubject::Output { is_declared: true, .. });
        let is_output = matches!(subject, ViewSubject::Output { .. });
        let hidden = self.hidden(change, is_secret)?;
        if let Some(values) = &mut self.values {
            values.begin(subject, change)?;
        }
        let present = |side: Option<Value<'_>>| side.is_some_and(|side| !side.is_null());
        let mut causes = view_paths.replace_paths.clone();
        causes.sort_outermost();
        let mut listing = Listing {
            key: self.key,
            values: self.values.as_mut(),
            size_max: self.paths_max,
            offset: change.offset(),
            hidden: &hidden,
            unknown: view_paths.unknown,
            causes,
            size: 0,
            list: Vec::new(),
        };
        match (present(change.before), present(change.after)) {
            (true, true) => {
                let sides = [change.before, change.after];
                each_at(sides, view_paths.changed, |path, sides| listing.changed(path, sides))?;
            }
            (false, true) => listing.created(change.after, is_output)?,
            (_, false) => {}
        }
        for path in view_paths.unknown.iter() {
            listing.push(path, None, Shown::Unknown)?;
        }
        let mut list = listing.list;
        list.sort_unstable_by(|one, two| one.path.cmp(&two.path));
        list.dedup_by(|one, two| one.path == two.path && one.digest == two.digest);
        let compared = ComparedChange {
            created: !present(change.before),
            text: text(self.key, change).0,
            imported: self.imported(change)?.map(|digest| digest.0),
            sensitive: match subject {
                // The record of an action has no list of its sensitive paths.
                ViewSubject::Action => {
                    let marked = self.marked(change)?;
                    marked.list().iter().map(|path| path.to_string()).collect()
                }
                _ => Vec::new(),
            },
        };
        Ok(Attributes { list, compared: Some(Box::new(compared)), ..Attributes::default() })
    }
}

/// Digests the JSON text of the values of a change.
fn text(key: &ValueKey, change: &Change<'_>) -> Digest {
    let mut hasher = key.hasher(b'T');
    let overlays = [change.after_unknown, change.before_sensitive, change.after_sensitive];
    let others = [change.before, change.after, change.replace_paths, change.importing];
    for part in others.into_iter().chain(overlays) {
        let raw = part.map_or(&b""[..], Value::raw);
        hasher.update(&(raw.len() as u64).to_le_bytes());
        hasher.update(raw);
    }
    Digest::of(hasher.finalize())
}

/// Collects the planned paths of one change.
struct Listing<'l, 's> {
    key: &'l ValueKey,
    /// Shows the values, if they are shown.
    values: Option<&'l mut SingleValues<'s>>,
    /// Maximum size of the paths, in bytes.
    size_max: u64,
    /// The place of the change, for errors.
    offset: u64,
    /// Offsets of the sensitive values.
    hidden: &'l [u64],
    unknown: &'l Paths,
    /// The paths that force a replacement, without paths below another one.
    causes: Paths,
    /// Memory of the paths, in bytes.
    size: u64,
    list: Vec<Attribute>,
}

impl Listing<'_, '_> {
    /// Lists the scalars of a new object.
    fn created(&mut self, after: Option<Value<'_>>, is_output: bool) -> Result<()> {
        let Some(after) = after else { return Ok(()) };
        let mut paths = Paths::new();
        walk_unhidden([], after, self.hidden, |steps, value| {
            // An object without any attribute plans nothing, and neither does `null`.
            if value.is_null() || (steps.is_empty() && value.is_empty() && !is_output) {
                return Ok(());
            }
            paths.clear();
            paths.push(steps.iter().map(OwnedStep::step));
            let Some(path) = paths.get(0) else { return Ok(()) };
            match self.is_unknown(path, Some(value))? {
                true => self.partial(path, value),
                false => self.known(path, Some(value), self.key.value(value)?),
            }
        })
    }

    /// Lists the scalars that differ at a changed path, and at the paths below it.
    fn changed(&mut self, path: Path<'_>, sides: [Option<Value<'_>>; 2]) -> Result<()> {
        let mut leaves: [Leaves<'_>; 2] = Default::default();
        let mut size = 0;
        for (leaves, side) in leaves.iter_mut().zip(sides) {
            if let Some(side) = side {
                leaves.collect(path.steps(), side, self.hidden, |more| self.check(size + more))?;
                size += leaves.size();
            }
        }
        self.size += size;
        self.differing(&leaves)?;
        self.size -= size;
        Ok(())
    }

    /// Lists the scalars that differ.
    fn differing(&mut self, [before, after]: &[Leaves<'_>; 2]) -> Result<()> {
        let [mut before, mut after] = [before.iter().peekable(), after.iter().peekable()];
        loop {
            let next = match (before.peek(), after.peek()) {
                (Some((old, _)), Some((new, _))) => (*old).min(*new),
                (Some((path, _)), None) | (None, Some((path, _))) => *path,
                (None, None) => return Ok(()),
            };
            let old = before.next_if(|(path, _)| *path == next).map(|(_, value)| value);
            let new = after.next_if(|(path, _)| *path == next).map(|(_, value)| value);
            if self.is_unknown(next, new)? {
                new.map_or(Ok(()), |value| self.partial(next, value))?;
                continue;
            }
            // The other side has a container with contents here, so this side has no leaf of its
            // own: an empty container of the same kind, or any value that became a container.
            let is_entered = match (old, new) {
                (Some(_), None) => after.peek().is_some_and(|(path, _)| path.is_below(next)),
                (None, Some(new)) => {
                    let inner = before.peek().filter(|(path, _)| path.is_below(next));
                    let step = inner.and_then(|(path, _)| path.step(next.steps().len()));
                    matches!(
                        (step, new.kind()?),
                        (Some(Step::Key(_)), Kind::Object) | (Some(Step::Index(_)), Kind::Array)
                    )
                }
                _ => false,
            };
            if is_entered {
                continue;
            }
            let digest_of = |value: Option<Value<'_>>| match value {
                Some(value) => self.key.value(value),
                None => Ok(self.key.absent()),
            };
            let digest = digest_of(new)?;
            if digest_of(old)? != digest {
                self.known(next, new, digest)?;
            }
        }
    }

    /// Lists the known part of a sensitive value that is unknown in part.
    fn partial(&mut self, path: Path<'_>, value: Value<'_>) -> Result<()> {
        let is_hidden = self.hidden.binary_search(&value.offset()).is_ok();
        match is_hidden && !value.is_null() {
            true => self.push(path, Some(self.key.value(value)?), Shown::Sensitive),
            false => Ok(()),
        }
    }

    /// Adds a known path. There is no value if the change removes it.
    fn known(&mut self, path: Path<'_>, value: Option<Value<'_>>, digest: Digest) -> Result<()> {
        let shown = match (&mut self.values, value) {
            (Some(values), Some(value)) => Shown::Scalar(Excerpt::whole(values.text(value)?)),
            _ => Shown::Withheld,
        };
        self.push(path, Some(digest), shown)
    }

    /// Whether a value is unknown, or is a container that is empty because all of it is unknown.
    fn is_unknown(&self, path: Path<'_>, value: Option<Value<'_>>) -> Result<bool> {
        if self.unknown.has_above(path) {
            return Ok(true);
        }
        let is_open = self.unknown.has_below(path);
        let entries = value.filter(|_| is_open).map(Entries::of).transpose()?.flatten();
        Ok(entries.map(|mut entries| entries.step()).transpose()?.is_some_and(|it| it.is_none()))
    }

    /// Fails if the paths take too much memory with this many bytes more.
    fn check(&self, more: u64) -> Result<()> {
        match self.size + more > self.size_max {
            true => Err(Error::limit(Limit::Paths, self.size_max, self.offset)),
            false => Ok(()),
        }
    }

    /// Adds a path with the digest of its value; `None` for an unknown value.
    fn push(&mut self, path: Path<'_>, digest: Option<Digest>, after: Shown) -> Result<()> {
        let path_text = path.to_string();
        self.size += (size_of::<Attribute>() + path_text.len()) as u64;
        self.check(0)?;
        self.list.push(Attribute {
            path: path_text,
            before: Shown::Withheld,
            after,
            replaces: self.causes.has_above(path) || self.causes.has_below(path),
            difference: Difference::Value,
            mark: None,
            lines: None,
            digest: digest.map(|digest| digest.0),
        });
        Ok(())
    }
}

/// The scalars and empty containers of a value, and the sensitive values in it, sorted by path.
#[derive(Default)]
struct Leaves<'a> {
    paths: Paths,
    values: Vec<Value<'a>>,
    /// The indexes of the paths, sorted by path.
    order: Vec<u32>,
}

impl<'a> Leaves<'a> {
    /// Adds the leaves of a value. `steps` lead to the value. `check` fails if the leaves take too
    /// much memory.
    fn collect<'s>(
        &mut self,
        steps: impl IntoIterator<Item = Step<'s>>,
        root: Value<'a>,
        hidden: &[u64],
        check: impl Fn(u64) -> Result<()>,
    ) -> Result<()> {
        walk_unhidden(steps, root, hidden, |steps, value| {
            self.order.push(self.values.len() as u32);
            self.values.push(value);
            self.paths.push(steps.iter().map(OwnedStep::step));
            check(self.size())
        })?;
        let paths = &self.paths;
        self.order.sort_by_key(|&index| paths.get(index as usize));
        Ok(())
    }

    /// Returns the memory of the leaves, in bytes.
    fn size(&self) -> u64 {
        let lists = size_of_val(&*self.values) + size_of_val(&*self.order);
        self.paths.size() + lists as u64
    }

    fn iter(&self) -> impl Iterator<Item = (Path<'_>, Value<'a>)> {
        self.order.iter().filter_map(|&index| {
            let path = self.paths.get(index as usize)?;
            Some((path, *self.values.get(index as usize)?))
        })
    }
}

/// Calls `each` with the leaves of a value, in document order, and does not enter sensitive values.
/// `steps` lead to the value.
fn walk_unhidden<'a, 's>(
    steps: impl IntoIterator<Item = Step<'s>>,
    root: Value<'a>,
    hidden: &[u64],
    mut each: impl FnMut(&[OwnedStep], Value<'a>) -> Result<()>,
) -> Result<()> {
    let is_hidden = |value: Value<'_>| hidden.binary_search(&value.offset()).is_ok();
    let descent = |value| if is_hidden(value) { Descent::Pass } else { Descent::Enter };
    let steps = steps.into_iter().map(OwnedStep::of).collect();
    walk_leaves(steps, root, descent, |_, _| Ok(()), |steps, _, value, _| each(steps, value))
}

/// Calls `each` with the values of both sides at each path. `paths` is sorted. A path below another
/// path of the list is skipped.
fn each_at<'a>(
    sides: [Option<Value<'a>>; 2],
    paths: &Paths,
    mut each: impl FnMut(Path<'_>, [Option<Value<'a>>; 2]) -> Result<()>,
) -> Result<()> {
    struct Frame<'a> {
        sides: [StepCursor<'a>; 2],
        start: usize,
        end: usize,
    }
    if let Some(root) = paths.get(0).filter(|path| path.steps().len() == 0) {
        return each(root, sides);
    }
    let [before, after] = sides.map(StepCursor::of);
    let mut open = vec![Frame { sides: [before?, after?], start: 0, end: paths.len() }];
    while let Some(depth) = open.len().checked_sub(1)
        && let Some(frame) = open.last_mut()
    {
        let step = |index: usize| paths.get(index).and_then(|path| path.step(depth));
        let (start, end) = (frame.start, frame.end);
        let (Some(path), Some(here), true) = (paths.get(start), step(start), start < end) else {
            open.pop();
            continue;
        };
        // The paths from `start` to before `last` have this step in common.
        let last = (start + 1..end).find(|&index| step(index) != Some(here)).unwrap_or(end);
        frame.start = last;
        let [before, after] = frame.sides.each_mut().map(|side| side.take(here));
        let values = [before?, after?];
        if path.steps().len() == depth + 1 {
            each(path, values)?;
        } else {
            let [before, after] = values.map(StepCursor::of);
            open.push(Frame { sides: [before?, after?], start, end: last });
        }
    }
    Ok(())
}
