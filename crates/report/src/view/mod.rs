//! Builds the attributes of a change for display: path, value before and value after, with secrets
//! hidden.
//!
//! The sides of a change are its values `before` and `after`. If a change has both sides, its
//! attributes are the paths that change or are unknown (docs/format/records.md, section 9). If it
//! has one side, its attributes are the scalars of that side.
//!
//! A value is hidden if an overlay marks it on either side, or if it repeats a secret of the plan.
//! So the secrets must be collected first ([`plansift_redact::secret::collect`]). Without them,
//! attributes have paths but no values.

mod alignment;
mod container;
mod differences;
mod element;
mod hiding;
mod json;
mod lines;
mod quotes;
mod scalars;
mod sets;
mod shown;
mod single;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;

use plansift_core::error::Result;
use plansift_core::json::value::Value;
use plansift_core::limits::Limits;
use plansift_core::path::{Path, Paths, Step};
use plansift_plan::diff::Differ;
use plansift_plan::marks::ECHO;
use plansift_plan::marks::steps::PieceMarkedPaths as Marked;
use plansift_plan::marks::{Marks, Subject};
use plansift_plan::plan::Change;
use plansift_plan::record::{
    Attribute, Attributes, Difference, Lines, MaskText, Shown, View, ViewPaths, ViewSubject, Viewer,
};
use plansift_redact::secret::{self, Collected};

use differences::differences;
use hiding::{hide, marked_subject};
pub use json::MaskedJson;
pub use quotes::Quotes;
use scalars::{Nulls, Scalars, marked};
pub use shown::EXCERPT_MAX;
use shown::ValueRenderer;
pub use single::SingleValues;

/// Which attributes a view shows.
#[derive(Clone, Copy, Debug)]
pub enum AttributeView<'s> {
    /// The paths that change or are unknown, without values.
    Paths,
    /// The paths that change or are unknown, with their values. Secrets are hidden.
    Changed(ViewSettings<'s>),
    /// Like `Changed`, and also the unchanged attributes.
    All(ViewSettings<'s>),
}

/// The secrets of a plan, and the detail in which to show values.
#[derive(Clone, Copy, Debug)]
pub struct ViewSettings<'s> {
    /// The secrets collected from the plan.
    pub collected: &'s Collected,
    /// The options that the secrets were collected with.
    pub options: &'s secret::SecretOptions,
    /// How much of each value to show.
    pub detail: Detail,
}

/// How much of each value a view shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The first [`EXCERPT_MAX`] bytes. For a changed string, the part that differs.
    #[default]
    Excerpts,
    /// The whole value.
    Full,
}

impl Detail {
    fn attributes_max(self) -> usize {
        match self {
            Detail::Excerpts => ATTRIBUTES_MAX,
            Detail::Full => ATTRIBUTES_FULL_MAX,
        }
    }
}

/// Maximum number of attributes of a change with [`Detail::Excerpts`].
pub const ATTRIBUTES_MAX: usize = 10_000;

/// Maximum number of attributes of a change with [`Detail::Full`].
pub const ATTRIBUTES_FULL_MAX: usize = 100_000;

/// Maximum size of all paths of a change's attributes, in bytes. A limit on their number is not
/// enough, because every path below a long key contains that key.
pub const PATHS_MAX: usize = 8 << 20;

impl View for AttributeView<'_> {
    fn viewer(&self, limits: &Limits) -> Box<dyn Viewer + '_> {
        Box::new(AttributeViewer::new(*self, limits))
    }
}

/// Builds the attributes of changes, one after the other. With [`AttributeView::Paths`], it knows
/// no secrets.
#[derive(Debug)]
struct AttributeViewer<'s> {
    /// [`Limits::paths`].
    paths_max: u64,
    marks: Marks,
    differ: Differ,
    /// Shows values; `None` with [`AttributeView::Paths`].
    renderer: Option<ValueRenderer<'s>>,
    shows_all: bool,
}

impl<'s> AttributeViewer<'s> {
    fn new(view: AttributeView<'s>, limits: &Limits) -> AttributeViewer<'s> {
        let (known, shows_all) = match view {
            AttributeView::Paths => (None, false),
            AttributeView::Changed(known) => (Some(known), false),
            AttributeView::All(known) => (Some(known), true),
        };
        AttributeViewer {
            paths_max: limits.paths,
            marks: match known {
                Some(known) => known.options.marks(limits),
                None => Marks::new(None, limits),
            },
            differ: Differ::new(limits),
            renderer: known.map(ValueRenderer::new),
            shows_all,
        }
    }
}

impl MaskText for AttributeViewer<'_> {
    fn mask(&self, text: String) -> String {
        match &self.renderer {
            Some(renderer) => renderer.text(text),
            None => text,
        }
    }
}

impl Viewer for AttributeViewer<'_> {
    fn is_secret(&self, text: &[u8]) -> bool {
        let has_secret =
            |renderer: &ValueRenderer<'_>| renderer.is_secret(text) || renderer.has_secret(text);
        self.renderer.as_ref().is_some_and(has_secret)
    }

    fn is_secret_number(&self, number: &[u8]) -> bool {
        self.renderer.as_ref().is_some_and(|renderer| renderer.is_secret_number(number))
    }

    fn hides_key(&self, key: &str) -> bool {
        self.renderer.as_ref().is_some_and(|renderer| renderer.hides_key(key))
    }

    fn is_name(&self, key: &str) -> bool {
        self.marks.is_name(key)
    }

    fn secret_paths(
        &mut self,
        view_subject: ViewSubject<'_>,
        change: &Change<'_>,
    ) -> Result<Marked> {
        let AttributeViewer { paths_max, marks, renderer, .. } = self;
        let (subject, elsewhere) = match renderer {
            Some(renderer) => marked_subject(renderer, marks, view_subject, change)?,
            None => (Subject::of_change(change), None),
        };
        let mut secret = Marked::default();
        marks.find_with(subject, elsewhere, |marked| {
            secret.push(marked.path, *paths_max, change.offset())
        })?;
        secret.sort();
        Ok(secret)
    }

    fn declares(&self, output: &str) -> bool {
        self.renderer.as_ref().is_some_and(|renderer| renderer.declared().has_output(output))
    }

    fn view(
        &mut self,
        view_subject: ViewSubject<'_>,
        change: &Change<'_>,
        view_paths: ViewPaths<'_>,
    ) -> Result<Attributes> {
        let AttributeViewer { paths_max, marks, differ, renderer, shows_all } = self;
        let Some(renderer) = renderer else {
            return paths(change, view_paths);
        };
        let beyond = hide(renderer, marks, view_subject, change, *paths_max)?;
        // The keys below a secret value are secret, too. Paths are cut there. A key that is secret
        // by name may be only among the unknown paths.
        let ViewPaths { changed, unknown, sensitive_added, sensitive_removed, .. } = view_paths;
        let mut cut = [changed, unknown, sensitive_added, sensitive_removed].map(Cow::Borrowed);
        if !beyond.list().is_empty() {
            cut.iter_mut()
                .map(Cow::to_mut)
                .filter_map(|paths| paths.cut_at(beyond.list()).then_some(paths))
                .for_each(Paths::sort);
        }
        if let Some(named) = cut[1].cut(|path| marks.named_depth(path.steps())) {
            cut[1] = Cow::Owned(named);
        }
        let [changed, unknown, sensitive_added, sensitive_removed] = &cut;
        let view_paths =
            ViewPaths { changed, unknown, sensitive_added, sensitive_removed, ..view_paths };
        let needs_marks = !unknown.is_empty() || change.before.is_none_or(Value::is_null);
        let overlay = change.after_sensitive.filter(|_| needs_marks);
        let marked = overlay.map(marked).transpose()?.unwrap_or_default();
        let room = Room { attributes: renderer.detail().attributes_max(), paths: PATHS_MAX };
        let mut listing = Listing {
            renderer,
            differ,
            view_paths,
            replace_paths: ReplacePaths::of(view_paths),
            marked,
            shows_nulls: matches!(view_subject, ViewSubject::Output { .. }),
            within: None,
            shows_all: *shows_all,
            sets: Paths::new(),
            is_forced: false,
            sizes: Sizes { set_room: SETS_MAX, size: 0, room },
            attributes: Attributes::default(),
        };
        listing.change([change.before, change.after], change)?;
        Ok(listing.attributes)
    }
}

/// Counts the members of `after` that have a value and contain no path in `shown`. Returns 0 if a
/// side is not an object.
fn unchanged(change: &Change<'_>, shown: &Paths) -> Result<u64> {
    let is_object = |side: Option<Value<'_>>| matches!(side.map(Value::raw), Some([b'{', ..]));
    let Some(after) = change.after.filter(|_| is_object(change.before) && is_object(change.after))
    else {
        return Ok(0);
    };
    let mut listed = HashSet::new();
    for path in shown.iter() {
        match path.steps().next() {
            Some(Step::Key(key)) => drop(listed.insert(key)),
            Some(Step::Index(_) | Step::Element) => {}
            None => return Ok(0),
        }
    }
    let mut unchanged = 0;
    for member in after.members()? {
        let (key, value) = member?;
        unchanged += u64::from(!value.is_null() && !listed.contains(&*key.decode()?));
    }
    Ok(unchanged)
}

/// Returns the attributes of a change without their values.
fn paths(change: &Change<'_>, view_paths: ViewPaths<'_>) -> Result<Attributes> {
    let overlay = change.after_sensitive.filter(|_| !view_paths.unknown.is_empty());
    let marked = overlay.map(marked).transpose()?.unwrap_or_default();
    let mut room = Room { attributes: ATTRIBUTES_MAX, paths: PATHS_MAX };
    let mut attributes = Attributes::default();
    let replace_paths = ReplacePaths::of(view_paths);
    let shown = view_paths.shown();
    let mut unknown = view_paths.unknown.iter().peekable();
    let mut changed = view_paths.changed.iter().peekable();
    let mut last = None;
    for next in shown.iter() {
        if last.replace(next) == Some(next) {
            continue;
        }
        let mark = view_paths.mark_change(next);
        let after = match unknown.next_if_eq(&next) {
            Some(path) if marked.has_above(path) => Shown::Sensitive,
            Some(_) => Shown::Unknown,
            None => Shown::Withheld,
        };
        let before = match changed.next_if_eq(&next) {
            Some(_) => Shown::Withheld,
            None if mark.is_some() => Shown::Withheld,
            None => Shown::Absent,
        };
        let replaces = replace_paths.touches(next);
        let difference = view_paths.difference(next, Difference::Value);
        room.push(&mut attributes, || Attribute {
            path: next.to_string(),
            before,
            after,
            replaces,
            difference,
            mark,
            lines: None,
            digest: None,
        });
    }
    Ok(attributes)
}

/// The limits for the attributes of a change.
#[derive(Clone, Copy, Debug)]
struct Room {
    attributes: usize,
    /// Remaining bytes of [`PATHS_MAX`].
    paths: usize,
}

impl Room {
    /// Adds an attribute if the limits allow it. Otherwise only counts it.
    fn push(&mut self, attributes: &mut Attributes, attribute: impl FnOnce() -> Attribute) {
        if attributes.list.len() < self.attributes && self.paths > 0 {
            let attribute = attribute();
            let rest = self.paths.checked_sub(attribute.path.len());
            self.paths = rest.unwrap_or(0);
            if rest.is_some() {
                return attributes.list.push(attribute);
            }
        }
        attributes.left_out += 1;
    }
}

/// The paths that force a replacement, sorted, without paths below another one.
struct ReplacePaths(Paths);

impl ReplacePaths {
    fn of(view_paths: ViewPaths<'_>) -> ReplacePaths {
        let mut replace_paths = view_paths.replace_paths.clone();
        replace_paths.sort_outermost();
        ReplacePaths(replace_paths)
    }

    /// Whether a path equals one of these paths, or is above or below one.
    fn touches(&self, path: Path<'_>) -> bool {
        self.0.has_above(path) || self.0.has_below(path)
    }
}

/// Maximum total size of the lists that are compared as sets in one change, in bytes. A nested list
/// counts once for each level.
const SETS_MAX: usize = 64 << 20;

/// Total size of the shown values in one change, in bytes, after which excerpts become shorter.
const TEXTS_MAX: usize = 2 << 20;

/// Collects the attributes of one change.
struct Listing<'l, 's> {
    renderer: &'l mut ValueRenderer<'s>,
    /// Compares documents in strings.
    differ: &'l mut Differ,
    view_paths: ViewPaths<'l>,
    replace_paths: ReplacePaths,
    /// The paths that `after_sensitive` marks. Filled only if a marked value may be missing from
    /// the plan.
    marked: Paths,
    /// True if every `null` is shown, because the author of the configuration wrote it.
    shows_nulls: bool,
    /// The current document, if attributes inside a document in a string are being listed.
    within: Option<Within>,
    shows_all: bool,
    /// The paths of the lists that were compared as sets. Filled only if unchanged attributes are
    /// shown.
    sets: Paths,
    /// While true, every added attribute counts as forcing the replacement.
    is_forced: bool,
    sizes: Sizes,
    attributes: Attributes,
}

/// The sizes that have limits, in bytes.
struct Sizes {
    /// Remaining bytes of [`SETS_MAX`].
    set_room: usize,
    /// Size of the values shown so far.
    size: usize,
    /// The limits for the attributes.
    room: Room,
}

/// A document in a string, such as a JSON policy.
struct Within {
    /// The Terraform expression for its value, such as `jsondecode(policy)`.
    name: String,
    replaces: bool,
}

impl<'l> Listing<'l, '_> {
    /// Adds the attributes of a change, whose sides are `sides`.
    fn change<'a>(&mut self, sides: [Option<Value<'a>>; 2], change: &Change<'a>) -> Result<()> {
        match sides.map(|side| side.filter(|side| !side.is_null())) {
            [Some(before), Some(after)] => {
                let listed = self.view_paths.shown();
                differences([before, after], &listed, self.view_paths.unknown, self)?;
                if self.shows_all {
                    return self.unchanged(after, listed);
                }
                self.attributes.unchanged = unchanged(change, &listed)?;
                Ok(())
            }
            [Some(before), None] => self.removed(before),
            [None, after] => self.added(after),
        }
    }

    fn push(&mut self, path: Path<'_>, before: Shown, after: Shown, difference: Difference) {
        self.put(path, [before, after], None, difference);
    }

    /// Returns the displayed form of an unknown value. Like both tools, shows a marked value as
    /// sensitive.
    fn unknown(&self, path: Path<'_>) -> Shown {
        if self.marked.has_above(path) { Shown::Sensitive } else { Shown::Unknown }
    }

    /// Adds an unknown attribute that has no value before.
    fn push_unknown(&mut self, path: Path<'_>) {
        let after = self.unknown(path);
        self.push(path, Shown::Absent, after, Difference::Value);
    }

    /// Adds an attribute with a line diff.
    fn push_lines(&mut self, path: Path<'_>, lines: Lines, difference: Difference) {
        self.put(path, [Shown::Withheld, Shown::Withheld], Some(lines), difference);
    }

    fn put(
        &mut self,
        path: Path<'_>,
        [before, after]: [Shown; 2],
        lines: Option<Lines>,
        difference: Difference,
    ) {
        self.sizes.size += before.size() + after.size() + lines.as_ref().map_or(0, Lines::size);
        if self.sizes.size > TEXTS_MAX {
            self.renderer.shorten_values();
        }
        let (renderer, within) = (&*self.renderer, &self.within);
        // A document in a string has no marks of its own.
        let (mark, difference) = match within {
            None => {
                let view_paths = &self.view_paths;
                (view_paths.mark_change(path), view_paths.difference(path, difference))
            }
            Some(_) => (None, difference),
        };
        let (replace_paths, is_forced) = (&self.replace_paths, self.is_forced);
        self.sizes.room.push(&mut self.attributes, || {
            let mut text = text(path, renderer);
            let replaces = match within {
                None => is_forced || replace_paths.touches(path),
                Some(Within { name, replaces }) => {
                    let dot = if text.is_empty() || text.starts_with('[') { "" } else { "." };
                    text = format!("{name}{dot}{text}");
                    *replaces
                }
            };
            let replaces = replaces && difference != Difference::Nothing;
            Attribute { path: text, before, after, replaces, difference, mark, lines, digest: None }
        });
    }

    /// Describes the document in the string at `path`. `function` is the Terraform function that
    /// decodes the document.
    fn within(&self, path: Path<'_>, function: &str) -> Within {
        let name = format!("{function}({})", text(path, self.renderer));
        Within { name, replaces: self.replace_paths.touches(path) }
    }

    /// Lists the attributes of a change without `after`, including unknown ones.
    fn removed(&mut self, before: Value<'_>) -> Result<()> {
        let view_paths = self.view_paths;
        if let Some(root) = view_paths.unknown.get(0).filter(|path| path.steps().len() == 0) {
            let before = self.renderer.show(Some(before))?;
            self.push(root, before, self.unknown(root), Difference::Value);
            return Ok(());
        }
        let scalars = Scalars::of(before, self.nulls(), self.renderer, |_| false)?;
        self.attributes.left_out += scalars.left_out;
        scalars.into_each(|path, shown| self.push(path, shown, Shown::Absent, Difference::Value));
        view_paths.unknown.iter().for_each(|path| self.push_unknown(path));
        Ok(())
    }

    /// Lists the attributes of a change without `before`, including unknown ones, in path order.
    fn added(&mut self, after: Option<Value<'_>>) -> Result<()> {
        let view_paths = self.view_paths;
        let scalars = match after {
            // If the value is empty, all its members are unknown, and only those are listed.
            Some(after) if after.is_empty() && !view_paths.unknown.is_empty() => Scalars::default(),
            Some(after) => {
                let nulls = match self.nulls() {
                    Nulls::Entries(unknown) => Nulls::EntriesOrWriteOnly(unknown),
                    nulls => nulls,
                };
                Scalars::of(after, nulls, self.renderer, |_| false)?
            }
            None => Scalars::default(),
        };
        self.attributes.left_out += scalars.left_out;
        let mut unknown = view_paths.unknown.iter().peekable();
        scalars.into_each(|path, shown| {
            while let Some(unknown) = unknown.next_if(|unknown| *unknown < path) {
                self.push_unknown(unknown);
            }
            let depth = path.steps().len();
            let is_above = |unknown: Path<'_>| unknown.steps().take(depth).eq(path.steps());
            if shown.is_empty()
                && unknown.peek().is_some_and(|next| *next != path && is_above(*next))
            {
                // The container only looks empty, because everything in it is unknown.
                return;
            }
            // An unknown value is `null` in the plan. A value that is completely hidden stays
            // hidden, even if it contains unknown values.
            let shown = match unknown.next_if(|unknown| *unknown == path) {
                Some(_) if shown != Shown::Sensitive => self.unknown(path),
                // A mark on `null` proves that the attribute is write-only.
                _ if shown == Shown::NamedWriteOnly && self.marked.has_above(path) => {
                    Shown::WriteOnly
                }
                _ => shown,
            };
            self.push(path, Shown::Absent, shown, Difference::Value);
        });
        unknown.for_each(|path| self.push_unknown(path));
        Ok(())
    }

    /// Lists the unchanged attributes: all scalars that are not at or below a path in `listed`.
    fn unchanged(&mut self, after: Value<'_>, mut listed: Paths) -> Result<()> {
        self.sets.iter().for_each(|path| listed.push(path.steps()));
        listed.sort_outermost();
        let is_listed = |path: Path<'_>| listed.has_above(path);
        let scalars = Scalars::of(after, self.nulls(), self.renderer, is_listed)?;
        self.attributes.left_out += scalars.left_out;
        scalars.into_each(|path, shown| {
            self.push(path, shown.clone(), shown, Difference::Nothing);
        });
        Ok(())
    }

    /// Which members with `null` the current change or document shows.
    fn nulls(&self) -> Nulls<'l> {
        match self.shows_nulls || self.within.is_some() {
            true => Nulls::All,
            false => Nulls::Entries(self.view_paths.unknown),
        }
    }
}

/// Returns the text of a path, with secret keys masked.
fn text(path: Path<'_>, renderer: &ValueRenderer<'_>) -> String {
    let is_hidden = |step: &Step<'_>| matches!(step, Step::Key(key) if renderer.hides_key(key));
    if !path.steps().any(|step| is_hidden(&step)) {
        return path.to_string();
    }
    let mut paths = Paths::new();
    paths.push(path.steps().map(|step| if is_hidden(&step) { Step::Key(ECHO) } else { step }));
    paths.get(0).map(|path| path.to_string()).unwrap_or_default()
}
