//! What a person is shown of the values of one change: its attributes, with what they were and what
//! they will be, and nothing secret.
//!
//! Where there is something before and after, an attribute is a place that changes or is not known
//! yet (docs/format/records.md, section 9); otherwise it is each scalar of the side there is.
//!
//! A value is hidden where an overlay marks it on either side, and where it repeats a secret of the
//! plan in a place that nobody marked. So the secrets must be known before
//! ([`crate::secret::collect`]); without them only paths are told.

mod differences;
mod documents;
mod lines;
mod pieces;
mod scalars;
mod sets;
mod shown;
#[cfg(test)]
mod tests;
mod walk;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::diff::Differ;
use crate::error::Result;
use crate::json::value::{Text, Value};
use crate::limits::Limits;
use crate::path::{Path, Paths, Step};
use crate::plan::{Change, Section};
use crate::secret::marks::{By, Marks, Subject};
use crate::secret::steps::Places as Marked;
use crate::secret::{self, Collected, ECHO};

use differences::differences;
pub use lines::{Line, Lines};
use scalars::{Scalars, marked};
use shown::Shower;
pub use shown::{EXCERPT_MAX, Excerpt, Shown};

/// What is shown of changes.
#[derive(Clone, Copy, Debug)]
pub enum View<'s> {
    /// The paths that change or are not known yet.
    Paths,
    /// Also the values of those, but none that is secret.
    Changed(Known<'s>),
    /// Also the attributes that stay as they are.
    All(Known<'s>),
}

/// What is known of a plan's secrets.
#[derive(Clone, Copy, Debug)]
pub struct Known<'s> {
    /// What the plan says of them.
    pub collected: &'s Collected,
    /// How they were collected.
    pub options: &'s secret::Options,
    /// How much is shown of each value.
    pub detail: Detail,
}

/// How much is shown of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The first [`EXCERPT_MAX`] bytes; of texts that change, what differs.
    #[default]
    Excerpts,
    /// All.
    Full,
}

impl Detail {
    /// Most attributes of a change.
    fn attributes_max(self) -> usize {
        match self {
            Detail::Excerpts => ATTRIBUTES_MAX,
            Detail::Full => ATTRIBUTES_FULL_MAX,
        }
    }
}

/// An attribute of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// Its path, as records write it.
    pub path: String,
    /// What it was.
    pub before: Shown,
    /// What it will be.
    pub after: Shown,
    /// It is why the resource is replaced.
    pub replaces: bool,
    /// How the two differ.
    pub difference: Difference,
    /// Where the two are texts of several lines: how these differ. Then both are withheld.
    pub lines: Option<Lines>,
}

/// How what was differs from what will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Difference {
    /// They are other values.
    Value,
    /// Only in white space.
    Space,
    /// Only in how the JSON document is written that stands in them.
    Format,
    /// Only in the order of a list.
    Order,
    /// Not at all.
    Nothing,
}

/// The attributes of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    /// In the order of their paths, [`ATTRIBUTES_MAX`] and [`PATHS_MAX`] at most.
    pub list: Vec<Attribute>,
    /// How many there are beyond those.
    pub left_out: u64,
    /// How many attributes of the resource have a value that stays as it is, and are not in the
    /// list. Each counts once, whatever is in it.
    pub unchanged: u64,
}

impl Attributes {
    /// The memory that they take, in bytes.
    pub fn size(&self) -> u64 {
        let size = |it: &Attribute| {
            let lines = it.lines.as_ref().map_or(0, Lines::size);
            size_of_val(it) + it.path.len() + it.before.size() + it.after.size() + lines
        };
        self.list.iter().map(size).sum::<usize>() as u64
    }
}

/// Most attributes of a change that are shown.
pub const ATTRIBUTES_MAX: usize = 10_000;

/// The same with [`Detail::Full`].
pub const ATTRIBUTES_FULL_MAX: usize = 100_000;

/// Most bytes of their paths: a key that is long is in the paths of all that stands below it.
pub const PATHS_MAX: usize = 8 << 20;

/// The paths of a change, as a record tells them.
#[derive(Clone, Copy, Debug)]
pub struct Places<'p> {
    /// What changes, in order.
    pub changed: &'p Paths,
    /// What is not known yet, in order.
    pub unknown: &'p Paths,
    /// Why the resource is replaced.
    pub replace_paths: &'p Paths,
}

/// What a change is to.
#[derive(Clone, Copy, Debug)]
pub enum Whose<'a> {
    /// The output of that name.
    Output(&'a str),
    /// An action, whose configuration it is.
    Action,
    /// The resource with that address, if it has one, in a section.
    Resource(Section, Option<Text<'a>>),
}

/// Finds what is shown of changes, one after the other.
#[derive(Debug)]
pub struct Viewer<'s> {
    /// [`Limits::paths`].
    paths_max: u64,
    marks: Marks,
    differ: Differ,
    /// Shows values, if there are any to be shown.
    shower: Option<Shower<'s>>,
    shows_all: bool,
}

impl<'s> Viewer<'s> {
    /// One that finds what `view` says.
    pub fn new(view: View<'s>, limits: &Limits) -> Viewer<'s> {
        let (known, shows_all) = match view {
            View::Paths => (None, false),
            View::Changed(known) => (Some(known), false),
            View::All(known) => (Some(known), true),
        };
        Viewer {
            paths_max: limits.paths,
            marks: Marks::new(known.and_then(|known| known.options.names.clone()), limits),
            differ: Differ::new(limits),
            shower: known.map(Shower::new),
            shows_all,
        }
    }

    /// Whether a text is secret or has a line that is, as far as values are looked at.
    pub fn is_secret(&self, text: &[u8]) -> bool {
        let has_secret = |shower: &Shower<'_>| shower.is_secret(text) || shower.has_secret(text);
        self.shower.as_ref().is_some_and(has_secret)
    }

    /// A text without what is secret in it, as far as values are looked at.
    pub fn text(&self, text: String) -> String {
        match &self.shower {
            Some(shower) => shower.text(text),
            None => text,
        }
    }

    /// Whether a number is secret.
    pub fn is_secret_number(&self, number: &[u8]) -> bool {
        self.shower.as_ref().is_some_and(|shower| shower.is_secret_number(number))
    }

    /// Whether the values of a key are secret.
    pub fn is_name(&self, key: &str) -> bool {
        self.marks.is_name(key)
    }

    /// Whether an output is declared sensitive, as far as values are looked at.
    pub fn declares(&self, output: &str) -> bool {
        self.shower.as_ref().is_some_and(|shower| shower.declared().has_output(output))
    }

    /// The attributes of a change.
    ///
    /// # Errors
    ///
    /// It is not well formed, or has a key twice.
    pub fn view(
        &mut self,
        whose: Whose<'_>,
        change: &Change<'_>,
        places: Places<'_>,
    ) -> Result<Attributes> {
        let Viewer { paths_max, marks, differ, shower: Some(shower), shows_all } = self else {
            return Ok(paths(places));
        };
        let mut subject = Subject {
            sides: [change.before, change.after],
            overlays: [change.before_sensitive, change.after_sensitive],
            unknown: change.after_unknown,
            named: false,
        };
        let elsewhere = match whose {
            Whose::Output(name) => {
                let is_declared = shower.declared().has_output(name) && !subject.has_overlays();
                subject.named = is_declared || marks.is_name(name);
                None
            }
            Whose::Action => None,
            Whose::Resource(Section::ResourceChanges, _) => None,
            Whose::Resource(_, None) => None,
            Whose::Resource(_, Some(address)) => shower.elsewhere(address)?,
        };
        let elsewhere = marks.beyond(subject, elsewhere)?;
        let (mut hidden, mut named) = (Vec::new(), Marked::default());
        marks.find_with(subject, elsewhere, |marked| {
            hidden.extend(marked.sides.into_iter().flatten().map(Value::offset));
            match marked.by {
                By::Name => named.push(marked.path, *paths_max, change.offset()),
                By::Mark => Ok(()),
            }
        })?;
        named.sort();
        // The keys below what is secret by its name are told by no record, only by paths.
        let mut cut = [places.changed, places.unknown].map(Cow::Borrowed);
        if !named.list().is_empty() {
            cut.iter_mut()
                .map(Cow::to_mut)
                .filter_map(|paths| paths.cut_at(named.list()).then_some(paths))
                .for_each(Paths::sort);
        }
        let [changed, unknown] = &cut;
        let places = Places { changed, unknown, ..places };
        hidden.sort_unstable();
        shower.hide(hidden);
        let needs_marks = !unknown.is_empty() || change.before.is_none_or(Value::is_null);
        let overlay = change.after_sensitive.filter(|_| needs_marks);
        let marked = overlay.map(marked).transpose()?.unwrap_or_default();
        let room = Room { attributes: shower.detail().attributes_max(), paths: PATHS_MAX };
        let mut listing = Listing {
            shower,
            differ,
            places,
            reasons: Reasons::of(places),
            marked,
            within: None,
            shows_all: *shows_all,
            sets: Paths::new(),
            is_forced: false,
            set_room: SETS_MAX,
            size: 0,
            room,
            attributes: Attributes::default(),
        };
        match subject.sides.map(|side| side.filter(|side| !side.is_null())) {
            [Some(before), Some(after)] => {
                differences([before, after], places.changed, places.unknown, &mut listing)?;
                if listing.shows_all {
                    let mut listed = places.changed.clone();
                    places.unknown.iter().for_each(|path| listed.push(path.steps()));
                    listing.unchanged(after, listed)?;
                } else {
                    listing.attributes.unchanged = unchanged(change, places)?;
                }
            }
            [Some(before), None] => listing.removed(before)?,
            [None, after] => listing.added(after)?,
        }
        Ok(listing.attributes)
    }
}

/// Counts the members of `after` that have a value and stay as they are. A side that is no object
/// has no members.
fn unchanged(change: &Change<'_>, places: Places<'_>) -> Result<u64> {
    let is_object = |side: Option<Value<'_>>| matches!(side.map(Value::raw), Some([b'{', ..]));
    let Some(after) = change.after.filter(|_| is_object(change.before) && is_object(change.after))
    else {
        return Ok(0);
    };
    let mut touched = HashSet::new();
    for path in places.changed.iter().chain(places.unknown.iter()) {
        match path.steps().next() {
            Some(Step::Key(key)) => drop(touched.insert(key)),
            Some(Step::Index(_) | Step::Element) => {}
            None => return Ok(0),
        }
    }
    let mut unchanged = 0;
    for member in after.members()? {
        let (key, value) = member?;
        unchanged += u64::from(!value.is_null() && !touched.contains(&*key.decode()?));
    }
    Ok(unchanged)
}

/// The places alone.
fn paths(places: Places<'_>) -> Attributes {
    let mut room = Room { attributes: ATTRIBUTES_MAX, paths: PATHS_MAX };
    let mut attributes = Attributes::default();
    let reasons = Reasons::of(places);
    let mut unknown = places.unknown.iter().peekable();
    let mut changed = places.changed.iter().peekable();
    loop {
        let next = match (unknown.peek(), changed.peek()) {
            (Some(unknown), Some(changed)) => *unknown.min(changed),
            (Some(path), None) | (None, Some(path)) => *path,
            (None, None) => break,
        };
        let after = match unknown.next_if_eq(&next) {
            Some(_) => Shown::Unknown,
            None => Shown::Withheld,
        };
        let before = match changed.next_if_eq(&next) {
            Some(_) => Shown::Withheld,
            None => Shown::Absent,
        };
        let replaces = reasons.touch(next);
        attributes.push(&mut room, || Attribute {
            path: next.to_string(),
            before,
            after,
            replaces,
            difference: Difference::Value,
            lines: None,
        });
    }
    attributes
}

/// How much room there is for attributes.
#[derive(Clone, Copy, Debug)]
struct Room {
    /// Most of them.
    attributes: usize,
    /// What is left of [`PATHS_MAX`].
    paths: usize,
}

impl Attributes {
    /// Adds one, if it fits.
    fn push(&mut self, room: &mut Room, attribute: impl FnOnce() -> Attribute) {
        if self.list.len() < room.attributes && room.paths > 0 {
            let attribute = attribute();
            let rest = room.paths.checked_sub(attribute.path.len());
            room.paths = rest.unwrap_or(0);
            if rest.is_some() {
                return self.list.push(attribute);
            }
        }
        self.left_out += 1;
    }
}

/// Why a resource is replaced, in order, none below another.
struct Reasons(Paths);

impl Reasons {
    fn of(places: Places<'_>) -> Reasons {
        let mut reasons = places.replace_paths.clone();
        reasons.sort_outermost();
        Reasons(reasons)
    }

    /// Whether a place is above or below one of them.
    fn touch(&self, path: Path<'_>) -> bool {
        self.0.has_above(path) || self.0.has_below(path)
    }
}

/// Bytes of lists that are compared as sets, in one change: each level of a deep one is compared.
const SETS_MAX: usize = 64 << 20;

/// Bytes of texts after which excerpts are short.
const TEXTS_MAX: usize = 2 << 20;

/// Attributes that are being listed.
struct Listing<'l, 's> {
    shower: &'l mut Shower<'s>,
    /// For documents in strings.
    differ: &'l mut Differ,
    places: Places<'l>,
    reasons: Reasons,
    /// What is marked after the change, if something in it has no value in the plan.
    marked: Paths,
    /// The document whose places are being listed.
    within: Option<Within>,
    shows_all: bool,
    /// Lists whose elements were listed as those of sets, if all is shown.
    sets: Paths,
    /// Whether what is being listed is why the resource is replaced, wherever it stands.
    is_forced: bool,
    /// What is left of [`SETS_MAX`].
    set_room: usize,
    /// Bytes of the texts so far.
    size: usize,
    room: Room,
    attributes: Attributes,
}

/// What is told of both sides of an attribute.
struct Told {
    before: Shown,
    after: Shown,
    lines: Option<Lines>,
}

/// A document in a string.
struct Within {
    /// As Terraform would call its value.
    name: String,
    replaces: bool,
}

impl Listing<'_, '_> {
    fn push(&mut self, path: Path<'_>, before: Shown, after: Shown, difference: Difference) {
        self.put(path, Told { before, after, lines: None }, difference);
    }

    /// What is shown of a place that is not known yet: both tools say first that it is marked.
    fn unknown(&self, path: Path<'_>) -> Shown {
        if self.marked.has_above(path) { Shown::Sensitive } else { Shown::Unknown }
    }

    /// Adds an attribute that is not known yet, where there was none.
    fn push_unknown(&mut self, path: Path<'_>) {
        let after = self.unknown(path);
        self.push(path, Shown::Absent, after, Difference::Value);
    }

    /// Adds an attribute whose texts differ by lines.
    fn push_lines(&mut self, path: Path<'_>, lines: Lines, difference: Difference) {
        let [before, after] = [Shown::Withheld, Shown::Withheld];
        self.put(path, Told { before, after, lines: Some(lines) }, difference);
    }

    fn put(&mut self, path: Path<'_>, told: Told, difference: Difference) {
        let Told { before, after, lines } = told;
        self.size += before.size() + after.size() + lines.as_ref().map_or(0, Lines::size);
        if self.size > TEXTS_MAX {
            self.shower.be_brief();
        }
        let (shower, within) = (&*self.shower, &self.within);
        let (reasons, is_forced) = (&self.reasons, self.is_forced);
        self.attributes.push(&mut self.room, || {
            let mut text = text(path, shower);
            let replaces = match within {
                None => is_forced || reasons.touch(path),
                Some(Within { name, replaces }) => {
                    let dot = if text.is_empty() || text.starts_with('[') { "" } else { "." };
                    text = format!("{name}{dot}{text}");
                    *replaces
                }
            };
            let replaces = replaces && difference != Difference::Nothing;
            Attribute { path: text, before, after, replaces, difference, lines }
        });
    }

    /// The document at a place, to which a function leads.
    fn within(&self, path: Path<'_>, function: &str) -> Within {
        let name = format!("{function}({})", text(path, self.shower));
        Within { name, replaces: self.reasons.touch(path) }
    }

    /// Lists what is gone, or not known any more.
    fn removed(&mut self, before: Value<'_>) -> Result<()> {
        let places = self.places;
        if let Some(root) = places.unknown.get(0).filter(|path| path.steps().len() == 0) {
            let before = self.shower.show(Some(before))?;
            self.push(root, before, self.unknown(root), Difference::Value);
            return Ok(());
        }
        let scalars = Scalars::of(before, self.shower, |_| false)?;
        self.attributes.left_out += scalars.left_out;
        scalars.into_each(|path, shown| match shown {
            Shown::NamedWriteOnly => {}
            shown => self.push(path, shown, Shown::Absent, Difference::Value),
        });
        places.unknown.iter().for_each(|path| self.push_unknown(path));
        Ok(())
    }

    /// Lists what comes, and what is not known yet, in the order of their paths.
    fn added(&mut self, after: Option<Value<'_>>) -> Result<()> {
        let places = self.places;
        let scalars = match after {
            // Nothing but what is not known.
            Some(after) if after.is_empty() && !places.unknown.is_empty() => Scalars::default(),
            Some(after) => Scalars::of(after, self.shower, |_| false)?,
            None => Scalars::default(),
        };
        self.attributes.left_out += scalars.left_out;
        let mut unknown = places.unknown.iter().peekable();
        scalars.into_each(|path, shown| {
            while let Some(unknown) = unknown.next_if(|unknown| *unknown < path) {
                self.push_unknown(unknown);
            }
            let depth = path.steps().len();
            let is_above = |unknown: Path<'_>| unknown.steps().take(depth).eq(path.steps());
            if shown.is_empty() && unknown.peek().is_some_and(|it| *it != path && is_above(*it)) {
                // It is not empty: all that is in it is not known.
                return;
            }
            // What is hidden as a whole may hold what is not known; what is not known is `null`.
            let shown = match unknown.next_if(|unknown| *unknown == path) {
                Some(_) if shown != Shown::Sensitive => self.unknown(path),
                // A mark at `null` speaks of a value that the plan does not hold.
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

    /// Lists what stays as it is: all that lies below no place that was listed.
    fn unchanged(&mut self, after: Value<'_>, mut listed: Paths) -> Result<()> {
        self.sets.iter().for_each(|path| listed.push(path.steps()));
        listed.sort_outermost();
        let scalars = Scalars::of(after, self.shower, |path| listed.has_above(path))?;
        self.attributes.left_out += scalars.left_out;
        scalars.into_each(|path, shown| match shown {
            Shown::NamedWriteOnly => {}
            shown => self.push(path, shown.clone(), shown, Difference::Nothing),
        });
        Ok(())
    }
}

/// The text of a path, without the keys that are secret.
fn text(path: Path<'_>, shower: &Shower<'_>) -> String {
    let is_hidden = |step: &Step<'_>| matches!(step, Step::Key(key) if shower.hides_key(key));
    if !path.steps().any(|step| is_hidden(&step)) {
        return path.to_string();
    }
    let mut paths = Paths::new();
    paths.push(path.steps().map(|step| if is_hidden(&step) { Step::Key(ECHO) } else { step }));
    paths.get(0).map(|path| path.to_string()).unwrap_or_default()
}
