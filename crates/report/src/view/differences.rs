//! Lists the differences between the two sides of a change, given the paths that differ.
//!
//! Both sides and the paths are walked together in key order, so each is visited once. A list is
//! compared as a set if that yields no more differences than a comparison by index. Two strings
//! that contain documents are compared as documents.

use std::ops::Range;
use std::sync::Arc;

use super::alignment::{aligned, set_or_list};
use super::element::{Element, Member, member, texts_of};
use super::sets::{Unmatched, has_only_parts, shown_nulls, unmatched};
use super::{Detail, Listing, lines};
use plansift_core::error::Result;
use plansift_core::json::string::common_prefix;
use plansift_core::json::value::{Kind, Text, Value};
use plansift_core::path::{Path, Paths, Step, StepCursor};
use plansift_core::text_document::{Syntax, TextDocument};
use plansift_plan::record::{Difference, Excerpt, Shown};

/// Number of equal bytes that are shown before the first difference of two long strings, and after
/// the last one.
const CONTEXT: usize = 24;

/// Maximum length of a changed string that is shown completely, in bytes.
const SHORT: usize = 160;

/// Lists the differences between two sides. `paths` holds the paths that differ, `unknown` those
/// among them that are unknown until apply. Both are sorted. Fails if a side is malformed or has a
/// key twice.
pub(super) fn differences(
    sides: [Value<'_>; 2],
    paths: &Paths,
    unknown: &Paths,
    listing: &mut Listing<'_, '_>,
) -> Result<()> {
    let mut unknown = Unknown { paths: unknown, next: 0 };

    let mut first = 0;
    if let Some(root) = paths.get(0).filter(|path| path.steps().len() == 0) {
        let is_hidden = sides.into_iter().any(|side| listing.renderer.hides(side));
        let known = PathFlags { is_hidden, is_unknown: unknown.is_at(root), has_unknown: false };
        pair(root, sides.map(Some), known, Vec::new, Vec::new, listing)?;
        first = 1;
    }
    let [before, after] = sides.map(|side| StepCursor::of(Some(side)));
    let all = first..paths.len();
    let mut open = vec![Frame { sides: [before?, after?], paths: all, depth: 0, is_hidden: false }];
    while let Some(frame) = open.last_mut() {
        let Range { start, end } = frame.paths;
        let step = |index: usize| paths.get(index).and_then(|path| path.step(frame.depth));
        let (Some(path), Some(here), true) = (paths.get(start), step(start), start < end) else {
            open.pop();
            continue;
        };
        // The paths from `start` to before `last` have this step in common.
        let last = (start + 1..end).find(|&index| step(index) != Some(here)).unwrap_or(end);
        frame.paths.start = last;
        let depth = frame.depth + 1;
        let [before, after] = frame.sides.each_mut().map(|side| side.take(here));
        let values = [before?, after?];
        let is_hidden =
            frame.is_hidden || values.into_iter().flatten().any(|it| listing.renderer.hides(it));
        let mut inner = start..last;
        if path.steps().len() == depth {
            // Skips the path itself. It occurs twice if it is in both `changed` and `unknown`.
            let ends =
                |index: usize| paths.get(index).is_some_and(|path| path.steps().len() == depth);
            inner.start = inner.clone().find(|&index| !ends(index)).unwrap_or(last);
            let (is_unknown, has_unknown) = (unknown.is_at(path), !inner.is_empty());
            let known = PathFlags { is_hidden, is_unknown, has_unknown };
            let inside = || inner.clone().filter_map(|index| paths.get(index));
            let open = || unknown.elements(inside(), depth);
            let members = || unknown.members(inside(), depth);
            if let Paired::AsSets(in_elements) = pair(path, values, known, open, members, listing)?
            {
                unknown.list(inside(), depth, &in_elements, listing);
                continue;
            }
        } else if !is_hidden
            && let [Some(before), Some(after)] = values
            && let Some(set) = as_set(
                [before, after],
                inner.len(),
                || unknown.elements(inner.clone().filter_map(|index| paths.get(index)), depth),
                listing,
            )?
        {
            let inside = || inner.clone().filter_map(|index| paths.get(index));
            let members = unknown.members(inside(), depth);
            let in_elements = list_set(path, depth, [before, after], set, members, listing)?;
            unknown.list(inside(), depth, &in_elements, listing);
            continue;
        }
        if !inner.is_empty() {
            let [before, after] = values.map(StepCursor::of);
            open.push(Frame { sides: [before?, after?], paths: inner, depth, is_hidden });
        }
    }
    Ok(())
}

/// A cursor over the unknown paths. Queries must come in path order.
struct Unknown<'p> {
    paths: &'p Paths,
    next: usize,
}

impl Unknown<'_> {
    /// Skips the unknown paths before `path`.
    fn pass(&mut self, path: Path<'_>) {
        while self.paths.get(self.next).is_some_and(|unknown| unknown < path) {
            self.next += 1;
        }
    }

    /// Whether the value at `path` is unknown.
    fn is_at(&mut self, path: Path<'_>) -> bool {
        self.pass(path);
        self.paths.get(self.next) == Some(path)
    }

    /// Returns the list elements that contain unknown values: an index for each unknown path in
    /// `paths`, or `None` if its step is not an index. `depth` is the number of steps to the list.
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

    /// Returns the unknown members of list elements, sorted. Each consists of the index of the
    /// element and the key of the member. `depth` is the number of steps to the list.
    fn members<'a>(&self, paths: impl Iterator<Item = Path<'a>>, depth: usize) -> Vec<Member> {
        let mut ahead = Unknown { paths: self.paths, next: self.next };
        let mut members: Vec<Member> = paths
            .filter(|path| ahead.is_at(*path))
            .filter_map(|path| member(path, depth))
            .collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Lists the unknown paths in `paths`, which lead into elements of a set. Such a path has no
    /// value before the change, because its index does not identify the element. Skips the members
    /// in `in_elements`, which are shown in their elements. `depth` is the number of steps to the
    /// list.
    fn list<'a>(
        &mut self,
        paths: impl Iterator<Item = Path<'a>>,
        depth: usize,
        in_elements: &[Member],
        listing: &mut Listing<'_, '_>,
    ) {
        for path in paths.filter(|path| self.is_at(*path)) {
            if member(path, depth).is_none_or(|member| in_elements.binary_search(&member).is_err())
            {
                listing.push_unknown(path);
            }
        }
    }
}

/// Properties of a path besides its values.
#[derive(Clone, Copy)]
struct PathFlags {
    is_hidden: bool,
    is_unknown: bool,
    /// True if a value below the path is unknown.
    has_unknown: bool,
}

/// How the two values at a path were compared.
enum Paired {
    /// As sets. Holds the unknown members that are shown in their elements.
    AsSets(Vec<Member>),
    AsValues,
}

/// Lists the difference at one path. `open` computes the elements that contain unknown values, and
/// `members` computes the unknown members. Both are functions because they are slow and rarely
/// needed.
fn pair(
    path: Path<'_>,
    values: [Option<Value<'_>>; 2],
    known: PathFlags,
    open: impl FnOnce() -> Vec<Option<u32>>,
    members: impl FnOnce() -> Vec<Member>,
    listing: &mut Listing<'_, '_>,
) -> Result<Paired> {
    let PathFlags { is_hidden, is_unknown, has_unknown } = known;
    if let [Some(before), Some(after)] = values
        && !is_hidden
        && !is_unknown
    {
        if before.raw() == after.raw() {
            // Only values below this path are unknown. Each of them is listed separately.
            return Ok(Paired::AsValues);
        }
        match (before.kind()?, after.kind()?) {
            (Kind::Array, Kind::Array) => {
                let (depth, open) = (path.steps().len(), open());
                let sides = [before, after];
                let found = match aligned(sides, &open, listing)? {
                    None => match as_set(sides, usize::MAX, || open.clone(), listing)? {
                        Some(set) => set_or_list(set, sides, &open)?,
                        None => None,
                    },
                    found => found,
                };
                if let Some(found) = found {
                    strings(path, found.pairs, listing)?;
                    let in_elements = list_set(path, depth, sides, found.rest, members(), listing)?;
                    return Ok(Paired::AsSets(in_elements));
                }
            }
            (Kind::String, Kind::String) if texts(path, [before, after], listing)? => {
                return Ok(Paired::AsValues);
            }
            _ => {}
        }
    }
    let is_element = matches!(path.step(path.steps().len().wrapping_sub(1)), Some(Step::Index(_)));
    let is_alone = values.into_iter().flatten().count() == 1;
    let is_known = !is_unknown && !has_unknown;
    let [before, after] = values.map(|value| match value {
        Some(value) if is_hidden && (is_alone || !value.is_null()) => Ok(Shown::Sensitive),
        // Otherwise, `null` beside no value would look like no value.
        Some(value) if value.is_null() && (is_element || is_alone && is_known) => Ok(Shown::null()),
        Some(value) if is_element && is_alone => {
            let set = Unmatched { added: vec![(0, value)], ..Unmatched::default() };
            let nulls = Some(Arc::new(shown_nulls(&set)?));
            listing.renderer.show_element(value, Element { nulls, ..Element::default() })
        }
        value => listing.renderer.show(value),
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
    Ok(Paired::AsValues)
}

/// Lists strings that change in place in the list at `path`. Each has its index in the new list.
fn strings(
    path: Path<'_>,
    pairs: Vec<(u32, [Value<'_>; 2])>,
    listing: &mut Listing<'_, '_>,
) -> Result<()> {
    listing.is_forced = listing.replace_paths.touches(path);
    let mut place = Paths::new();
    for (index, texts) in pairs {
        place.clear();
        place.push(path.steps().chain([Step::Index(index)]));
        let is_hidden = texts.into_iter().any(|text| listing.renderer.hides(text));
        let flags = PathFlags { is_hidden, is_unknown: false, has_unknown: false };
        for path in place.iter() {
            pair(path, texts.map(Some), flags, Vec::new, Vec::new, listing)?;
        }
    }
    listing.is_forced = false;
    Ok(())
}

/// Compares two lists as sets. Returns `None` if the lists must be compared by index: they have no
/// element in common, elements changed in place, a value is hidden, the lists are too long, or the
/// comparison as sets yields more differences. On a tie, the sets win: both tools then list the
/// removed and added elements, for lists and sets alike.
///
/// `changed` is the number of changed or unknown paths in the lists, or [`usize::MAX`] if their
/// lengths differ. Two lists of containers with different lengths need no element in common, so
/// that each element is listed instead of one long value. `open` as in [`pair`].
fn as_set<'a>(
    sides: [Value<'a>; 2],
    changed: usize,
    open: impl FnOnce() -> Vec<Option<u32>>,
    listing: &mut Listing<'_, '_>,
) -> Result<Option<Unmatched<'a>>> {
    for side in sides {
        if side.kind()? != Kind::Array || listing.renderer.hides_within(side) {
            return Ok(None);
        }
    }
    let len = sides[0].raw().len() + sides[1].raw().len();
    let Some(room) = listing.sizes.set_room.checked_sub(len) else { return Ok(None) };
    listing.sizes.set_room = room;
    let open = open();
    let Some(found) = unmatched(sides[0], sides[1], &open)? else { return Ok(None) };
    let has_parts = changed == usize::MAX && has_only_parts(sides[0])? && has_only_parts(sides[1])?;
    // In a set, the index of an unknown value does not identify its element. So a tie is not enough
    // if values are unknown.
    let most = (changed - open.len()).saturating_sub(usize::from(!open.is_empty()));
    let indexes = |list: &[(u32, Value<'_>)]| list.iter().map(|it| it.0).collect::<Vec<_>>();
    let is_in_place = found.len() > 0 && indexes(&found.removed) == indexes(&found.added);
    let has_reason = has_parts || !found.shared.is_empty();
    let is_less = most > 0 && found.len() <= most;
    Ok(Some(found).filter(|_| has_reason && is_less && !is_in_place))
}

/// Lists the elements that are in only one of two lists. The first `depth` steps of `path` lead to
/// the lists. Returns the unknown `members` that are shown in their elements.
fn list_set(
    path: Path<'_>,
    depth: usize,
    [before, after]: [Value<'_>; 2],
    set: Unmatched<'_>,
    mut members: Vec<Member>,
    listing: &mut Listing<'_, '_>,
) -> Result<Vec<Member>> {
    let mut paths = Paths::new();
    paths.push(path.steps().take(depth));
    // The index in a path of `replace_paths` does not identify a set element. So if such a path
    // leads into the list, every element counts as forcing the replacement.
    listing.is_forced = paths.get(0).is_some_and(|list| listing.replace_paths.touches(list));
    if set.len() == 0 {
        let shown = [listing.renderer.show(Some(before))?, listing.renderer.show(Some(after))?];
        paths.iter().for_each(|path| {
            let [before, after] = shown.clone();
            listing.push(path, before, after, Difference::Order);
        });
        listing.is_forced = false;
        return Ok(Vec::new());
    }
    let is_object = |list: &[(u32, Value<'_>)], index: u32| {
        let found = list.binary_search_by_key(&index, |(index, _)| *index);
        found.is_ok_and(|at| matches!(list[at].1.kind(), Ok(Kind::Object)))
    };
    members.retain(|(index, _)| is_object(&set.added, *index));
    let nulls = Arc::new(shown_nulls(&set)?);
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
            let nulls = Some(nulls.clone());
            let unknown = match is_before {
                true => Vec::new(),
                false => texts_of(&members, path, depth, index, listing),
            };
            let whole = Element { nulls, unknown };
            let shown = match listing.renderer.show_element(element, whole)? {
                Shown::Absent => Shown::null(),
                shown => shown,
            };
            let [before, after] = [is_before, is_after].map(|is_there| match is_there {
                true => shown.clone(),
                false => Shown::Absent,
            });
            paths.clear();
            paths.push(path.steps().take(depth).chain([Step::Index(index)]));
            // Unknown elements are listed by `Unknown::list`.
            let is_unknown =
                |path| listing.within.is_none() && listing.view_paths.unknown.has_above(path);
            if let Some(path) = paths.get(0).filter(|path| !is_unknown(*path)) {
                listing.push(path, before, after, difference);
            }
        }
    }
    listing.is_forced = false;
    Ok(members)
}

/// Lists the difference of two strings. Lists nothing and returns `false` if the strings must be
/// shown like other scalars. Secrets are always shown like other scalars.
fn texts(path: Path<'_>, sides: [Value<'_>; 2], listing: &mut Listing<'_, '_>) -> Result<bool> {
    let [before, after] = sides.map(|side| side.string().and_then(Text::decode));
    let (before, after) = (before?, after?);
    if [&before, &after].iter().any(|text| listing.renderer.is_secret(text.as_bytes())) {
        return Ok(false);
    }
    let mut words = before.split_whitespace();
    let has_same_words =
        after.split_whitespace().all(|word| words.next() == Some(word)) && words.next().is_none();
    let how = if has_same_words { Difference::Space } else { Difference::Value };
    let mut is_yaml = false;
    match [&before, &after].map(|text| TextDocument::of(text.as_bytes())) {
        [Ok(Some(mut one)), Ok(Some(mut other))] if one.syntax == other.syntax => {
            if listing.within.is_some() {
                return Ok(false);
            }
            // YAML may contain comments, which are not part of its values. So it may be shown as
            // text.
            is_yaml = (one.syntax == Syntax::YamlStream
                || one.syntax == Syntax::Yaml && listing.renderer.detail() == Detail::Full)
                && [&mut one, &mut other]
                    .into_iter()
                    .all(|yaml| listing.renderer.shows_all_of(yaml.value()).unwrap_or(false));
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
                && listing.renderer.shows_all_of(yaml.value()).unwrap_or(false);
            if !is_yaml {
                return Ok(false);
            }
        }
        // If only one string is a document, that document may contain a secret.
        _ => return Ok(false),
    }
    if [&before, &after].iter().any(|text| text.trim_end_matches('\n').contains('\n')) {
        let renderer = &*listing.renderer;
        let (context, max) = match renderer.detail() {
            Detail::Excerpts => (lines::CONTEXT, renderer.excerpt_max().saturating_mul(2)),
            Detail::Full => (usize::MAX, usize::MAX),
        };
        let lines = lines::compared([&before, &after], context, max, |line| renderer.line(line));
        listing.push_lines(path, lines, how);
        return Ok(true);
    }
    let is_short = before.len().max(after.len()) <= SHORT;
    let is_whole = is_short || listing.renderer.detail() == Detail::Full;
    let [head, tail] = alike(&before, &after);
    // `ValueRenderer::show` would show YAML as a document. Here, YAML is shown as text, further
    // below.
    if (is_whole || head.max(tail) == 0) && !is_yaml {
        let [before, after] = sides.map(|side| listing.renderer.show(Some(side)));
        listing.push(path, before?, after?, how);
        return Ok(true);
    }
    let max = listing.renderer.excerpt_max();
    let [before, after] = [&before, &after]
        .map(|text| Shown::Scalar(Excerpt::of_text(text, head..text.len() - tail, max)));
    listing.push(path, before, after, how);
    Ok(true)
}

/// Returns how many bytes to omit at the start and at the end of two strings. The omitted bytes are
/// equal in both, and [`CONTEXT`] equal bytes remain.
fn alike(before: &str, after: &str) -> [usize; 2] {
    let same = common_prefix(before.as_bytes(), after.as_bytes());
    let head = before.floor_char_boundary(same.saturating_sub(CONTEXT));
    let [one, other] = [before, after].map(|text| text.as_bytes()[same..].iter().rev());
    let tail = one.zip(other).take_while(|(one, other)| one == other).count();
    let end = before.len() - tail.saturating_sub(CONTEXT);
    [head, before.len() - before.ceil_char_boundary(end)]
}

/// The result of [`documents`].
enum Listed {
    Yes,
    /// Nothing was listed, because a string is not a valid document.
    No,
    /// Nothing was listed. The documents are YAML without secrets, and their values are equal. They
    /// differ in a comment, or in a word such as `yes` that only some parsers read as a boolean.
    SameYaml,
}

/// Lists the differences of the documents in two strings. `how` says how the strings differ. It is
/// used if the documents have equal values.
fn documents(
    path: Path<'_>,
    sides: [&mut TextDocument; 2],
    how: Difference,
    listing: &mut Listing<'_, '_>,
) -> Result<Listed> {
    let syntax = sides[0].syntax;
    let sides = sides.map(TextDocument::value);
    if listing.differ.diff_values(sides[0], sides[1]).is_err() {
        return Ok(Listed::No);
    }
    let changed = listing.differ.changed.clone();
    if changed.is_empty() {
        if syntax == Syntax::Yaml && how == Difference::Value {
            let shows_all = sides.map(|side| listing.renderer.shows_all_of(side).unwrap_or(false));
            if shows_all == [true; 2] {
                return Ok(Listed::SameYaml);
            }
        }
        // YAML may contain comments, so it may differ in more than its format.
        let how = if syntax == Syntax::Json { Difference::Format } else { how };
        let shown = listing.renderer.within(&sides, |renderer| {
            Ok([renderer.show(Some(sides[0]))?, renderer.show(Some(sides[1]))?])
        });
        let Ok([before, after]) = shown else { return Ok(Listed::No) };
        listing.push(path, before, after, how);
        return Ok(Listed::Yes);
    }
    let (listed, left_out) = (listing.attributes.list.len(), listing.attributes.left_out);
    let Ok(marks) = listing.renderer.enter(&sides) else { return Ok(Listed::No) };
    listing.within = Some(listing.within(path, syntax.decoder()));
    let sets = std::mem::take(&mut listing.sets);
    let mut found = differences(sides, &changed, &Paths::new(), listing);
    if listing.shows_all && found.is_ok() {
        found = listing.unchanged(sides[1], changed);
    }
    listing.sets = sets;
    listing.within = None;
    listing.renderer.leave(marks);
    if found.is_err() {
        // A string is not a valid document. Removes the attributes that were listed so far.
        listing.attributes.list.truncate(listed);
        listing.attributes.left_out = left_out;
        return Ok(Listed::No);
    }
    Ok(Listed::Yes)
}

/// The two values at a path, and the changed or unknown paths that lead into them.
struct Frame<'a> {
    sides: [StepCursor<'a>; 2],
    /// The indexes of these paths.
    paths: Range<usize>,
    /// Number of steps from the root to the pair.
    depth: usize,
    is_hidden: bool,
}
