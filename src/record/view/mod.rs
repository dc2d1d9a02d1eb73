//! What a person is shown of the values of one change: its attributes, with what they were and what
//! they will be, and nothing secret.
//!
//! Where there is something before and after, an attribute is a place that changes or is not known
//! yet (records.md, `changed` and `unknown`); otherwise it is each scalar of the side there is.
//!
//! A value is hidden where an overlay marks it on either side, and where it repeats a secret of the
//! plan in a place that nobody marked. So the secrets must be known before
//! ([`crate::secret::collect`]).
//!
//! The trap: a place that changes is found by its path, and paths are many. Values and paths are
//! walked together, both in the order of their keys, so that each is looked at once.

mod shown;
mod walk;

use std::cell::RefCell;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::json::value::{Elements, Kind, Value};
use crate::path::{Path, Paths, Step};
use crate::plan::Change;
use crate::secret::marks::{Marks, Subject};
use crate::secret::ordered::Ordered;
use crate::secret::{MASK, Secrets};

use shown::Shower;
pub use shown::{EXCERPT_MAX, Excerpt, Shown};
use walk::{Entry, Met, walk};

/// An attribute of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its path, as records write it.
    pub path: String,
    /// What it was.
    pub before: Shown,
    /// What it will be.
    pub after: Shown,
    /// It is why the resource is replaced.
    pub replaces: bool,
}

/// The attributes of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// In the order of their paths, [`ATTRIBUTES_MAX`] at most.
    pub list: Vec<Attribute>,
    /// How many there are beyond those.
    pub left_out: u64,
}

impl Attributes {
    /// The memory that they take, in bytes.
    pub fn size(&self) -> u64 {
        let shown = |shown: &Shown| match shown {
            Shown::Scalar(excerpt) | Shown::Container(excerpt) => excerpt.text.len(),
            _ => 0,
        };
        let size =
            |it: &Attribute| size_of_val(it) + it.path.len() + shown(&it.before) + shown(&it.after);
        self.list.iter().map(size).sum::<usize>() as u64
    }
}

/// Most attributes of a change that are shown.
pub const ATTRIBUTES_MAX: usize = 10_000;

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

/// Finds what is shown of changes, one after the other.
#[derive(Debug)]
pub struct Viewer<'s> {
    marks: Marks,
    shower: Shower<'s>,
}

impl<'s> Viewer<'s> {
    /// One that hides what repeats these secrets.
    pub fn new(secrets: &'s Secrets) -> Viewer<'s> {
        Viewer { marks: Marks::new(None), shower: Shower::new(secrets) }
    }

    /// The attributes of a change.
    ///
    /// # Errors
    ///
    /// It is not well formed, or has a key twice.
    pub fn view(&mut self, change: &Change<'_>, places: Places<'_>) -> Result<Attributes> {
        let subject = Subject {
            sides: [change.before, change.after],
            overlays: [change.before_sensitive, change.after_sensitive],
            unknown: change.after_unknown,
            named: false,
        };
        let mut hidden = Vec::new();
        self.marks.find(subject, |marked| {
            hidden.extend(marked.sides.into_iter().flatten().map(Value::offset));
            Ok(())
        })?;
        hidden.sort_unstable();
        self.shower.hide(hidden);
        let attributes = Attributes::default();
        let mut listing = Listing { shower: &mut self.shower, places, attributes };
        match subject.sides.map(|side| side.filter(|side| !side.is_null())) {
            [Some(before), Some(after)] => differences([before, after], &mut listing)?,
            [before, after] => {
                let nothing = Paths::new();
                let unknown = if before.is_none() { places.unknown } else { &nothing };
                let mut scalars = Scalars::default();
                if let Some(value) = before.or(after) {
                    scalars.collect(value, listing.shower)?;
                }
                scalars.list(before.is_some(), unknown, &mut listing);
            }
        }
        Ok(listing.attributes)
    }
}

/// Attributes that are being listed.
struct Listing<'l, 's> {
    shower: &'l mut Shower<'s>,
    places: Places<'l>,
    attributes: Attributes,
}

impl Listing<'_, '_> {
    fn push(&mut self, path: Path<'_>, before: Shown, after: Shown) {
        let Attributes { list, left_out } = &mut self.attributes;
        if list.len() == ATTRIBUTES_MAX {
            *left_out += 1;
            return;
        }
        let reasons = self.places.replace_paths.iter().take(REASONS_MAX);
        let replaces = { reasons }.any(|reason| path.is_below(reason) || reason.is_below(path));
        list.push(Attribute { path: text(path, self.shower), before, after, replaces });
    }

    fn show(&mut self, value: Option<Value<'_>>, is_hidden: bool) -> Result<Shown> {
        match value {
            Some(value) if is_hidden && !value.is_null() => Ok(Shown::Sensitive),
            value => self.shower.show(value),
        }
    }
}

/// The text of a path, without the keys that are secret.
fn text(path: Path<'_>, shower: &Shower<'_>) -> String {
    let is_hidden = |step: &Step<'_>| matches!(step, Step::Key(key) if shower.hides_key(key));
    if !path.steps().any(|step| is_hidden(&step)) {
        return path.to_string();
    }
    let mut paths = Paths::new();
    paths.push(path.steps().map(|step| if is_hidden(&step) { Step::Key(MASK) } else { step }));
    paths.get(0).map(|path| path.to_string()).unwrap_or_default()
}

/// Reasons to replace a resource that each attribute is compared with.
const REASONS_MAX: usize = 100;

/// A pair of values that is entered, for the paths that lead into it.
struct Frame<'a> {
    sides: [Inside<'a>; 2],
    /// Which of all paths.
    paths: Range<usize>,
    /// How many steps lead to it.
    depth: usize,
    is_hidden: bool,
}

/// What is in a value, in order.
enum Inside<'a> {
    Object(Ordered<'a>),
    Array(Elements<'a>, u32),
    Nothing,
}

impl<'a> Inside<'a> {
    fn of(value: Option<Value<'a>>) -> Result<Inside<'a>> {
        let Some(value) = value else { return Ok(Inside::Nothing) };
        Ok(match value.kind()? {
            Kind::Object => Inside::Object(Ordered::of(Some(value))?),
            Kind::Array => Inside::Array(value.elements()?, 0),
            _ => Inside::Nothing,
        })
    }

    /// What is at the end of a step, and passes what lies before it.
    fn take(&mut self, step: Step<'_>) -> Result<Option<Value<'a>>> {
        match (self, step) {
            (Inside::Object(members), Step::Key(key)) => members.take_named(key),
            (Inside::Array(elements, next), Step::Index(index)) => {
                let place = index.saturating_sub(*next);
                *next = index.saturating_add(1);
                elements.nth(place as usize).transpose()
            }
            _ => Ok(None),
        }
    }
}

/// Lists what differs between two sides.
fn differences(sides: [Value<'_>; 2], listing: &mut Listing<'_, '_>) -> Result<()> {
    let mut paths = listing.places.changed.clone();
    listing.places.unknown.iter().for_each(|path| paths.push(path.steps()));
    paths.sort();
    let mut unknown = listing.places.unknown.iter().peekable();
    let mut list = |path: Path<'_>, values: [_; 2], is_hidden, listing: &mut Listing<'_, '_>| {
        while unknown.next_if(|unknown| *unknown < path).is_some() {}
        let [before, after] = values.map(|value| listing.show(value, is_hidden));
        let after = if unknown.peek() == Some(&path) { Shown::Unknown } else { after? };
        listing.push(path, before?, after);
        Ok::<(), Error>(())
    };

    let mut first = 0;
    if let Some(root) = paths.get(0).filter(|path| path.steps().len() == 0) {
        list(root, sides.map(Some), false, listing)?;
        first = 1;
    }
    let [before, after] = sides.map(|side| Inside::of(Some(side)));
    let all = first..paths.len();
    let mut open = vec![Frame { sides: [before?, after?], paths: all, depth: 0, is_hidden: false }];
    while let Some(frame) = open.last_mut() {
        let Range { start, end } = frame.paths;
        let step = |place: usize| paths.get(place).and_then(|path| path.steps().nth(frame.depth));
        let (Some(path), Some(here)) = (paths.get(start), step(start)) else {
            open.pop();
            continue;
        };
        if start == end {
            open.pop();
            continue;
        }
        // Those that go the same way.
        let last = (start + 1..end).find(|&place| step(place) != Some(here)).unwrap_or(end);
        frame.paths.start = last;
        let depth = frame.depth + 1;
        let [before, after] = frame.sides.each_mut().map(|side| side.take(here));
        let values = [before?, after?];
        let is_hidden =
            frame.is_hidden || values.into_iter().flatten().any(|it| listing.shower.hides(it));
        let mut inner = start..last;
        if path.steps().len() == depth {
            list(path, values, is_hidden, listing)?;
            inner.start += 1;
        }
        if !inner.is_empty() {
            let [before, after] = values.map(Inside::of);
            open.push(Frame { sides: [before?, after?], paths: inner, depth, is_hidden });
        }
    }
    Ok(())
}

/// The scalars of a value that stands alone.
#[derive(Default)]
struct Scalars {
    paths: Paths,
    shown: Vec<Shown>,
    left_out: u64,
}

impl Scalars {
    fn collect(&mut self, root: Value<'_>, shower: &mut Shower<'_>) -> Result<()> {
        let shower = RefCell::new(shower);
        let entry = |value| match shower.borrow().hides(value) {
            true => Entry::Pass,
            false => Entry::Enter,
        };
        let mut way: Vec<Way> = Vec::new();
        walk(root, entry, |met| {
            match met {
                Met::Key(key) => way.push(Way::Key(key.decode()?)),
                Met::Index(index) => way.push(Way::Index(index)),
                Met::Open(_) => {}
                Met::Close(_) => drop(way.pop()),
                Met::Whole(value, kind) => {
                    if kind != Kind::Null {
                        self.push(&way, || shower.borrow_mut().show(Some(value)))?;
                    }
                    way.pop();
                }
            }
            Ok(())
        })
    }

    fn push(&mut self, way: &[Way], show: impl FnOnce() -> Result<Shown>) -> Result<()> {
        if self.shown.len() == ATTRIBUTES_MAX {
            self.left_out += 1;
            return Ok(());
        }
        self.paths.push(way.iter().map(|step| match step {
            Way::Key(key) => Step::Key(key),
            Way::Index(index) => Step::Index(*index),
        }));
        self.shown.push(show()?);
        Ok(())
    }

    /// Lists them, and what is not known yet among them.
    fn list(self, is_before: bool, unknown: &Paths, listing: &mut Listing<'_, '_>) {
        let mut unknown = unknown.iter().peekable();
        for (path, shown) in self.paths.iter().zip(self.shown) {
            while let Some(unknown) = unknown.next_if(|unknown| *unknown < path) {
                listing.push(unknown, Shown::Absent, Shown::Unknown);
            }
            let (before, after) =
                if is_before { (shown, Shown::Absent) } else { (Shown::Absent, shown) };
            listing.push(path, before, after);
        }
        unknown.for_each(|path| listing.push(path, Shown::Absent, Shown::Unknown));
        listing.attributes.left_out += self.left_out;
    }
}

/// A step, with its text.
enum Way {
    Key(String),
    Index(u32),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Differ;
    use crate::input::Slice;
    use crate::limits::Limits;
    use crate::plan::{Flow, Options, ResourceChange, Section, Visitor, read};

    /// The attributes of a change with those members beside its actions, a line each.
    fn lines(members: &str, secrets: &[&str]) -> Vec<String> {
        struct Lines<'s>(Viewer<'s>, Vec<String>);
        impl Visitor for Lines<'_> {
            fn resource_change(&mut self, _: Section, it: &ResourceChange<'_>) -> Result<Flow> {
                let mut differ = Differ::new(&Limits::default());
                differ.diff(&it.change)?;
                let mut replace_paths = Paths::new();
                if it.change.replace_paths.is_some() {
                    replace_paths.push_text("r").unwrap();
                }
                let (changed, unknown) = (&differ.changed, &differ.unknown);
                let places = Places { changed, unknown, replace_paths: &replace_paths };
                let Attributes { list, left_out } = self.0.view(&it.change, places)?;
                self.1.extend(list.iter().map(line));
                self.1.extend((left_out > 0).then(|| format!("{left_out} more")));
                Ok(Flow::Continue)
            }
        }
        let mut known = Secrets::new(8, &Limits::default());
        for secret in secrets {
            known.insert(secret.as_bytes(), 0).unwrap();
        }
        let mut lines = Lines(Viewer::new(&known), Vec::new());
        let plan = format!(
            r#"{{"format_version":"1.2","resource_changes":[
                {{"address":"a.b","change":{{"actions":["update"],{members}}}}}]}}"#
        );
        read(Slice(plan.as_bytes()), &Options::default(), &mut lines).unwrap();
        lines.1
    }

    fn line(attribute: &Attribute) -> String {
        let Attribute { path, before, after, replaces } = attribute;
        let shown = |shown: &Shown| match shown {
            Shown::Absent => "-".to_owned(),
            Shown::Unknown => "?".to_owned(),
            Shown::Sensitive => "*".to_owned(),
            Shown::Scalar(text) | Shown::Container(text) => match text.left_out {
                0 => text.text.clone(),
                left_out => format!("{} bytes and {left_out} more", text.text.len()),
            },
        };
        let reason = if *replaces { " !" } else { "" };
        format!("{path}: {} -> {}{reason}", shown(before), shown(after))
    }

    #[test]
    fn what_changes_is_listed_with_both_sides() {
        for (members, expected) in [
            (r#""before":{"a":1,"b":"x"},"after":{"a":2,"b":"x"}"#, &["a: 1 -> 2"][..]),
            (
                r#""before":{"l":[1,{"k":"x","z":0}],"t":{"b":1,"a":2}},
                   "after":{"l":[1,{"z":0,"k":"y"}],"t":{"a":2,"b":3,"c":[{}]}}"#,
                &[r#"l[1].k: "x" -> "y""#, "t.b: 1 -> 3", "t.c: - -> [{}]"],
            ),
            (
                r#""before":{"a":null,"b":1},"after":{"a":true,"b":null}"#,
                &["a: - -> true", "b: 1 -> -"],
            ),
            (
                r#""before":{"a":1,"o":{"x":1}},"after":{"o":{"x":1}},
                   "after_unknown":{"a":true,"o":{"y":true}}"#,
                &["a: 1 -> ?", "o.y: - -> ?"],
            ),
            (
                r#""before":{"l":[1]},"after":{"l":[1,{}]},"after_unknown":{"l":[false,{"id":true}]}"#,
                &["l: [1] -> [1,{}]", "l[1].id: - -> ?"],
            ),
            (
                r#""before":{"r":1,"s":1},"after":{"r":2,"s":2},"replace_paths":[["r"]]"#,
                &["r: 1 -> 2 !", "s: 1 -> 2"],
            ),
            (
                r#""before":{"a.b":{"\u0061":1},"q\"":1},"after":{"a.b":{"a":2},"q\"":2}"#,
                &[r#"["a.b"].a: 1 -> 2"#, r#"["q\""]: 1 -> 2"#],
            ),
            (
                r#""before":{"a":"é\n\""},"after":{"a":{"b":[1,"x",null,{}]}}"#,
                &[r#"a: "é\n\"" -> {"b":[1,"x",null,{}]}"#],
            ),
        ] {
            assert_eq!(lines(members, &[]), expected, "{members}");
        }
    }

    #[test]
    fn of_one_side_every_scalar_is_listed() {
        for (members, expected) in [
            (
                r#""before":null,"after":{"a":1,"b":null,"e":{},"l":["x",[]],"o":{"k":{"z":false}}}"#,
                &[
                    "a: - -> 1",
                    "e: - -> {}",
                    r#"l[0]: - -> "x""#,
                    "l[1]: - -> []",
                    "o.k.z: - -> false",
                ][..],
            ),
            (
                r#""before":null,"after":{"b":1,"d":{"x":1}},
                   "after_unknown":{"a":true,"d":{"w":true,"y":true},"id":true}"#,
                &[
                    "a: - -> ?",
                    "b: - -> 1",
                    "d.w: - -> ?",
                    "d.x: - -> 1",
                    "d.y: - -> ?",
                    "id: - -> ?",
                ],
            ),
            (r#""before":{"a":1},"after":null"#, &["a: 1 -> -"]),
            (r#""before":null,"after":null,"after_unknown":{"a":true}"#, &["a: - -> ?"]),
            (r#""before":null,"after_unknown":true"#, &[": - -> ?"]),
        ] {
            assert_eq!(lines(members, &[]), expected, "{members}");
        }
    }

    #[test]
    fn what_is_marked_is_hidden_on_both_sides() {
        for (members, expected) in [
            (
                r#""before":{"p":"old","q":1},"after":{"p":"new","q":2},"after_sensitive":{"p":true}"#,
                &["p: * -> *", "q: 1 -> 2"][..],
            ),
            (
                r#""before":{"m":{"a":"x"}},"after":{"m":{"b":"y"}},"before_sensitive":{"m":true}"#,
                &["m: * -> *"],
            ),
            (
                r#""before":{"l":[]},"after":{"l":[{"k":"x","o":1}]},"after_sensitive":{"l":[{"k":true}]}"#,
                &[r#"l: [] -> [{"k":(sensitive value),"o":1}]"#],
            ),
            (
                r#""before":null,"after":{"m":{"a":"x"},"n":[1,2]},"after_sensitive":{"m":true,"n":[false,true]}"#,
                &["m: - -> *", "n[0]: - -> 1", "n[1]: - -> *"],
            ),
            (r#""before":{"a":1},"after":null,"before_sensitive":true"#, &[": * -> -"]),
            // An overlay that does not fit its value.
            (
                r#""before":{"a":"x","b":1},"after":{"a":"y","b":2},"after_sensitive":{"a":{"k":true}}"#,
                &["a: * -> *", "b: 1 -> 2"],
            ),
        ] {
            assert_eq!(lines(members, &[]), expected, "{members}");
        }
    }

    #[test]
    fn what_repeats_a_secret_is_hidden() {
        let secrets = ["hunter22", "Key-of-it", "123456789"];
        for (members, expected) in [
            (
                r#""before":{"a":"hunter2"},"after":{"a":"\u0068unter22","b":["x","hunter22"],"n":123456789}"#,
                &[r#"a: "hunter2" -> *"#, r#"b: - -> ["x",(sensitive value)]"#, "n: - -> *"][..],
            ),
            (
                r#""before":{"Key-of-it":1,"z":{"Key-of-it":1}},"after":{"Key-of-it":2}"#,
                &[r#"["(sensitive value)"]: 1 -> 2"#, r#"z: {(sensitive value):1} -> -"#],
            ),
            (
                r#""before":null,"after":{"m":{"Key-of-it":"x"}}"#,
                &[r#"m["(sensitive value)"]: - -> "x""#],
            ),
            (r#""before":null,"after":{"m":"(sensitive value)"}"#, &["m: - -> *"]),
        ] {
            assert_eq!(lines(members, &secrets), expected, "{members}");
        }
    }

    #[test]
    fn long_values_and_lists_are_cut() {
        let long = "é".repeat(5_000);
        let change = format!(r#""before":{{"a":"{long}"}},"after":{{"a":["{long}","{long}",1]}}"#);
        let found = lines(&change, &[]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("a: 4098 bytes and 5904 more -> 4"), "{}", &found[0]);
        let many: Vec<String> = (0..12_000).map(|number| format!(r#""k{number:05}":1"#)).collect();
        let found = lines(&format!(r#""before":null,"after":{{{}}}"#, many.join(",")), &[]);
        assert_eq!(found.len(), ATTRIBUTES_MAX + 1);
        assert_eq!(found[ATTRIBUTES_MAX], "2000 more");
    }
}
