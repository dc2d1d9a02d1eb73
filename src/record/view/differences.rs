//! What differs between the two sides of a change, by the paths that are known to.
//!
//! Values and paths are walked together, both in the order of their keys, so that each is looked at
//! once. A list is taken as a set where that tells no more to have changed, and a string that holds
//! a document as that document.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::documents::{Document, Syntax};
use super::sets::{Unmatched, unmatched};
use super::walk::{Entry, Met, walk};
use super::{Detail, Difference, Excerpt, Lines, Listing, Shown, lines};
use crate::error::Result;
use crate::json::string::common_prefix;
use crate::json::value::{Elements, Kind, Text, Value};
use crate::path::{Path, Paths, Step};
use crate::secret::ordered::Ordered;

/// Bytes that stand before the first difference of two long texts, and behind the last.
const CONTEXT: usize = 24;

/// Longest text that is shown whole where only some of it differs, in bytes.
const SHORT: usize = 160;

/// Lists what differs between two sides: at the paths `changed`, or not known yet at those of
/// `unknown`, both in order.
///
/// # Errors
///
/// A side is not well formed, or has a key twice.
pub(super) fn differences(
    sides: [Value<'_>; 2],
    changed: &Paths,
    unknown: &Paths,
    listing: &mut Listing<'_, '_>,
) -> Result<()> {
    let mut paths = changed.clone();
    unknown.iter().for_each(|path| paths.push(path.steps()));
    paths.sort();
    let mut unknown = Unknown { paths: unknown, next: 0 };

    let mut first = 0;
    if let Some(root) = paths.get(0).filter(|path| path.steps().len() == 0) {
        pair(
            root,
            sides.map(Some),
            Known { is_hidden: false, is_unknown: unknown.is_at(root) },
            Vec::new,
            listing,
        )?;
        first = 1;
    }
    let [before, after] = sides.map(|side| Inside::of(Some(side)));
    let all = first..paths.len();
    let mut open = vec![Frame { sides: [before?, after?], paths: all, depth: 0, is_hidden: false }];
    while let Some(frame) = open.last_mut() {
        let Range { start, end } = frame.paths;
        let step = |place: usize| paths.get(place).and_then(|path| path.step(frame.depth));
        let (Some(path), Some(here), true) = (paths.get(start), step(start), start < end) else {
            open.pop();
            continue;
        };
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
            let known = Known { is_hidden, is_unknown: unknown.is_at(path) };
            // It may be among both lists.
            let ends = |place: usize| paths.get(place).is_some_and(|it| it.steps().len() == depth);
            inner.start = inner.clone().find(|&place| !ends(place)).unwrap_or(last);
            let open =
                || unknown.elements(inner.clone().filter_map(|place| paths.get(place)), depth);
            if pair(path, values, known, open, listing)? == Paired::AsSets {
                unknown.list(inner.filter_map(|place| paths.get(place)), listing);
                continue;
            }
        } else if !is_hidden
            && let [Some(before), Some(after)] = values
            && let Some(set) = as_set(
                [before, after],
                inner.len(),
                || unknown.elements(inner.clone().filter_map(|place| paths.get(place)), depth),
                listing,
            )?
        {
            list_set(path, depth, [before, after], set, listing)?;
            unknown.list(inner.filter_map(|place| paths.get(place)), listing);
            continue;
        }
        if !inner.is_empty() {
            let [before, after] = values.map(Inside::of);
            open.push(Frame { sides: [before?, after?], paths: inner, depth, is_hidden });
        }
    }
    Ok(())
}

/// What is not known yet, asked for in the order of paths.
struct Unknown<'p> {
    paths: &'p Paths,
    next: usize,
}

impl Unknown<'_> {
    fn pass(&mut self, path: Path<'_>) {
        while self.paths.get(self.next).is_some_and(|unknown| unknown < path) {
            self.next += 1;
        }
    }

    /// Whether that place is not known.
    fn is_at(&mut self, path: Path<'_>) -> bool {
        self.pass(path);
        self.paths.get(self.next) == Some(path)
    }

    /// For each of some paths, which come next, that is not known: the element of the list that it
    /// is in, to which so many steps lead.
    fn elements<'a>(
        &self,
        paths: impl Iterator<Item = Path<'a>>,
        depth: usize,
    ) -> Vec<Option<u32>> {
        let mut ahead = Unknown { paths: self.paths, next: self.next };
        let element = |path: Path<'_>| match path.step(depth) {
            Some(Step::Index(index)) => Some(index),
            _ => None,
        };
        paths.filter(|path| ahead.is_at(*path)).map(element).collect()
    }

    /// Lists those of some paths, which come next, that are not known: in elements of a set, whose
    /// places say nothing of what was there before.
    fn list<'a>(&mut self, paths: impl Iterator<Item = Path<'a>>, listing: &mut Listing<'_, '_>) {
        for path in paths.filter(|path| self.is_at(*path)) {
            listing.push_unknown(path);
        }
    }
}

/// What is known of a place besides its values.
#[derive(Clone, Copy)]
struct Known {
    is_hidden: bool,
    is_unknown: bool,
}

/// How two sides of a place were compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paired {
    AsSets,
    AsTheyStand,
}

/// Lists what became of one place. `open`: the elements in which something is not known, which
/// takes long to tell.
fn pair(
    path: Path<'_>,
    values: [Option<Value<'_>>; 2],
    known: Known,
    open: impl FnOnce() -> Vec<Option<u32>>,
    listing: &mut Listing<'_, '_>,
) -> Result<Paired> {
    let Known { is_hidden, is_unknown } = known;
    if let [Some(before), Some(after)] = values
        && !is_hidden
        && !is_unknown
    {
        if before.raw() == after.raw() {
            // Only what lies below it is not known: it has a line of its own.
            return Ok(Paired::AsTheyStand);
        }
        match (before.kind()?, after.kind()?) {
            (Kind::Array, Kind::Array) => {
                if let Some(set) = as_set([before, after], usize::MAX, open, listing)? {
                    list_set(path, path.steps().len(), [before, after], set, listing)?;
                    return Ok(Paired::AsSets);
                }
            }
            (Kind::String, Kind::String) if texts(path, [before, after], listing)? => {
                return Ok(Paired::AsTheyStand);
            }
            _ => {}
        }
    }
    let is_element = matches!(path.step(path.steps().len().wrapping_sub(1)), Some(Step::Index(_)));
    let [before, after] = values.map(|value| match value {
        Some(value) if is_hidden && !value.is_null() => Ok(Shown::Sensitive),
        Some(value) if is_element && value.is_null() => Ok(Shown::null()),
        value => listing.shower.show(value),
    });
    let after = match is_unknown {
        true if is_hidden => Shown::Sensitive,
        true => listing.unknown(path),
        false => after?,
    };
    let before = before?;
    if before != after || !values.into_iter().flatten().all(Value::is_null) {
        listing.push(path, before, after, Difference::Value);
    }
    Ok(Paired::AsTheyStand)
}

/// What two lists do not share, if that is no more than the places that changed in them, nothing in
/// them is hidden, and elements did not simply change where they are. On a tie both tools say which
/// elements go and come, of lists and of sets alike. `changed`: how many places, with those of
/// `open`; [`usize::MAX`], if the lists are of different lengths. Then lists of objects or of lists
/// need not share anything: each element is shown, and not one long value.
fn as_set<'a>(
    sides: [Value<'a>; 2],
    changed: usize,
    open: impl FnOnce() -> Vec<Option<u32>>,
    listing: &mut Listing<'_, '_>,
) -> Result<Option<Unmatched<'a>>> {
    for side in sides {
        if side.kind()? != Kind::Array || listing.shower.hides_within(side) {
            return Ok(None);
        }
    }
    let len = sides[0].raw().len() + sides[1].raw().len();
    let Some(room) = listing.set_room.checked_sub(len) else { return Ok(None) };
    listing.set_room = room;
    let open = open();
    let Some(found) = unmatched(sides[0], sides[1], &open)? else { return Ok(None) };
    let has_parts = changed == usize::MAX && has_only_parts(sides[0])? && has_only_parts(sides[1])?;
    // What is not known says nothing of which element it was: it needs a clear case.
    let most = (changed - open.len()).saturating_sub(usize::from(!open.is_empty()));
    let indexes = |list: &[(u32, Value<'_>)]| list.iter().map(|it| it.0).collect::<Vec<_>>();
    let is_in_place = found.len() > 0 && indexes(&found.removed) == indexes(&found.added);
    let has_reason = has_parts || !found.shared.is_empty();
    let is_less = most > 0 && found.len() <= most;
    Ok(Some(found).filter(|_| has_reason && is_less && !is_in_place))
}

/// Whether a list has elements, and these are objects and lists only.
fn has_only_parts(list: Value<'_>) -> Result<bool> {
    let mut elements = list.elements()?.peekable();
    if elements.peek().is_none() {
        return Ok(false);
    }
    for element in elements {
        if !matches!(element?.kind()?, Kind::Object | Kind::Array) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Lists the elements of two lists that are on one side only. The first steps of `path` lead to the
/// lists.
fn list_set(
    path: Path<'_>,
    depth: usize,
    [before, after]: [Value<'_>; 2],
    set: Unmatched<'_>,
    listing: &mut Listing<'_, '_>,
) -> Result<()> {
    let mut paths = Paths::new();
    paths.push(path.steps().take(depth));
    // A reason to replace names an element by a place that says nothing here.
    listing.is_forced = paths.get(0).is_some_and(|list| listing.reasons.touch(list));
    if set.len() == 0 {
        let shown = [listing.shower.show(Some(before))?, listing.shower.show(Some(after))?];
        paths.iter().for_each(|path| {
            let [before, after] = shown.clone();
            listing.push(path, before, after, Difference::Order);
        });
        listing.is_forced = false;
        return Ok(());
    }
    let shared = if listing.shows_all { set.shared } else { Vec::new() };
    if listing.shows_all {
        paths.iter().for_each(|path| listing.sets.push(path.steps()));
    }
    for (elements, difference, [is_before, is_after]) in [
        (set.removed, Difference::Value, [true, false]),
        (set.added, Difference::Value, [false, true]),
        (shared, Difference::Nothing, [true; 2]),
    ] {
        for (index, element) in elements {
            let shown = match listing.shower.show(Some(element))? {
                Shown::Absent => Shown::null(),
                shown => shown,
            };
            let [before, after] = [is_before, is_after].map(|is_there| match is_there {
                true => shown.clone(),
                false => Shown::Absent,
            });
            paths.clear();
            paths.push(path.steps().take(depth).chain([Step::Index(index)]));
            // What is not known yet is told as such.
            let is_unknown =
                |path| listing.within.is_none() && listing.places.unknown.has_above(path);
            if let Some(path) = paths.get(0).filter(|path| !is_unknown(*path)) {
                listing.push(path, before, after, difference);
            }
        }
    }
    listing.is_forced = false;
    Ok(())
}

/// Lists how a text changed, unless it is no other than any scalar. A secret is never looked into.
fn texts(path: Path<'_>, sides: [Value<'_>; 2], listing: &mut Listing<'_, '_>) -> Result<bool> {
    let [before, after] = sides.map(|side| side.string().and_then(Text::decode));
    let (before, after) = (before?, after?);
    if [&before, &after].iter().any(|text| listing.shower.is_secret(text.as_bytes())) {
        return Ok(false);
    }
    let mut words = before.split_whitespace();
    let has_same_words =
        after.split_whitespace().all(|word| words.next() == Some(word)) && words.next().is_none();
    let how = if has_same_words { Difference::Space } else { Difference::Value };
    let mut is_yaml = false;
    match [&before, &after].map(|text| Document::of(text.as_bytes())) {
        [Ok(Some(mut one)), Ok(Some(mut other))] if one.syntax == other.syntax => {
            if listing.within.is_some() {
                return Ok(false);
            }
            // Its values are not all of a text in YAML.
            is_yaml = (one.syntax == Syntax::YamlStream
                || one.syntax == Syntax::Yaml && listing.shower.detail() == Detail::Full)
                && [&mut one, &mut other]
                    .into_iter()
                    .all(|it| listing.shower.shows_all_of(it.value()).unwrap_or(false));
            if one.syntax == Syntax::YamlStream && !is_yaml {
                return Ok(false);
            }
            if !is_yaml {
                match documents(path, [&mut one, &mut other], how, listing)? {
                    Listed::Yes => return Ok(true),
                    Listed::No => return Ok(false),
                    Listed::SameYaml => is_yaml = true,
                }
            }
        }
        [Ok(None), Ok(None)] => {}
        [Ok(Some(mut yaml)), Ok(None)] | [Ok(None), Ok(Some(mut yaml))] => {
            is_yaml = yaml.syntax != Syntax::Json
                && listing.shower.shows_all_of(yaml.value()).unwrap_or(false);
            if !is_yaml {
                return Ok(false);
            }
        }
        // There may be a secret in one.
        _ => return Ok(false),
    }
    if [&before, &after].iter().any(|text| text.trim_end_matches('\n').contains('\n')) {
        let shower = &*listing.shower;
        let (context, max) = match shower.detail() {
            Detail::Excerpts => (lines::CONTEXT, shower.excerpt_max().saturating_mul(2)),
            Detail::Full => (usize::MAX, usize::MAX),
        };
        let lines = Lines::between([&before, &after], context, max, |line| shower.line(line));
        listing.push_lines(path, lines, how);
        return Ok(true);
    }
    let is_short = before.len().max(after.len()) <= SHORT;
    let is_whole = is_short || listing.shower.detail() == Detail::Full;
    let [head, tail] = alike(&before, &after);
    // What seems to be YAML is shown as any text.
    if (is_whole || head.max(tail) == 0) && !is_yaml {
        let [before, after] = sides.map(|side| listing.shower.show(Some(side)));
        listing.push(path, before?, after?, how);
        return Ok(true);
    }
    let max = listing.shower.excerpt_max();
    let [before, after] = [&before, &after]
        .map(|text| Shown::Scalar(Excerpt::of_text(text, head..text.len() - tail, max)));
    listing.push(path, before, after, how);
    Ok(true)
}

/// Bytes at the beginning and at the end of two texts that say nothing, because they are the same.
fn alike(before: &str, after: &str) -> [usize; 2] {
    let same = common_prefix(before.as_bytes(), after.as_bytes());
    let head = before.floor_char_boundary(same.saturating_sub(CONTEXT));
    let [one, other] = [before, after].map(|text| text.as_bytes()[same..].iter().rev());
    let tail = one.zip(other).take_while(|(one, other)| one == other).count();
    let end = before.len() - tail.saturating_sub(CONTEXT);
    [head, before.len() - before.ceil_char_boundary(end)]
}

/// Whether it was listed how the document in a text changed.
enum Listed {
    Yes,
    /// It is none after all.
    No,
    /// It is YAML that says the same as before as far as its values are read, with nothing secret
    /// in it: a comment changed, or a word that only some readers take for more than a text
    /// (`yes`).
    SameYaml,
}

/// Lists how the document in a text changed. `how` is said where nothing in it did.
fn documents(
    path: Path<'_>,
    sides: [&mut Document; 2],
    how: Difference,
    listing: &mut Listing<'_, '_>,
) -> Result<Listed> {
    let syntax = sides[0].syntax;
    let sides = sides.map(Document::value);
    if listing.differ.diff_values(sides[0], sides[1]).is_err() {
        return Ok(Listed::No);
    }
    let changed = listing.differ.changed.clone();
    if changed.is_empty() {
        if syntax == Syntax::Yaml && how == Difference::Value {
            let shows_all = sides.map(|side| listing.shower.shows_all_of(side).unwrap_or(false));
            if shows_all == [true; 2] {
                return Ok(Listed::SameYaml);
            }
        }
        // A key with `null` is none to a provider; and YAML has more to say than its JSON.
        let is_same = syntax == Syntax::Json && {
            let [before, after] = sides.map(|side| members(side).ok());
            before.is_some() && before == after
        };
        let how = if is_same { Difference::Format } else { how };
        let shown = listing.shower.within(&sides, |shower| {
            Ok([shower.show(Some(sides[0]))?, shower.show(Some(sides[1]))?])
        });
        let Ok([before, after]) = shown else { return Ok(Listed::No) };
        listing.push(path, before, after, how);
        return Ok(Listed::Yes);
    }
    let (listed, left_out) = (listing.attributes.list.len(), listing.attributes.left_out);
    let Ok(marks) = listing.shower.enter(&sides) else { return Ok(Listed::No) };
    listing.within = Some(listing.within(path, syntax.decoder()));
    let sets = std::mem::take(&mut listing.sets);
    let mut found = differences(sides, &changed, &Paths::new(), listing);
    if listing.shows_all && found.is_ok() {
        found = listing.unchanged(sides[1], changed);
    }
    listing.sets = sets;
    listing.within = None;
    listing.shower.leave(marks);
    if found.is_err() {
        // It was no document after all.
        listing.attributes.list.truncate(listed);
        listing.attributes.left_out = left_out;
        return Ok(Listed::No);
    }
    Ok(Listed::Yes)
}

/// What tells an object from one with other keys: how many members there are at any depth, and what
/// their keys are, in whatever order.
fn members(document: Value<'_>) -> Result<(u64, u64)> {
    let (mut count, mut keys) = (0, 0_u64);
    walk(
        document,
        |_| Entry::Enter,
        |met| {
            if let Met::Key(key) = met {
                let mut hasher = DefaultHasher::new();
                key.decode()?.hash(&mut hasher);
                keys = keys.wrapping_add(hasher.finish());
                count += 1;
            }
            Ok(())
        },
    )?;
    Ok((count, keys))
}

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
