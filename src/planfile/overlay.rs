//! Writes the tree of what is sensitive in a value.
//!
//! The tree has the shape of the value: true where it is marked, false for other leaves, and
//! members that are false left out.

use std::ops::Range;

use super::path::{Paths, Step, order};
use super::walk::{Part, Shape, Walk, check_len};
use crate::error::Result;
use crate::limits::Limits;
use crate::wire::json_string;

/// A container that is being written.
struct Open {
    is_object: bool,
    is_empty: bool,
    /// The elements that were begun.
    index: i64,
    /// Where the container starts in the output.
    start: usize,
    /// The paths that lead into the container, as a range of each list. Each path has a step after
    /// it.
    paths: Ranges,
    /// How many paths of the replaced object led to a member or an element.
    met: usize,
}

/// What is marked in a value.
#[derive(Debug, Default)]
pub(super) struct Marks<'a> {
    /// Paths into the value.
    pub own: Paths<'a>,
    /// Paths of the object that the value replaces, through every element of its lists and maps.
    ///
    /// Where such a path leads to an attribute that an object of the value does not have, that
    /// object is of another type than before, and it is marked as a whole.
    pub replaced: Paths<'a>,
}

impl<'a> From<Paths<'a>> for Marks<'a> {
    fn from(own: Paths<'a>) -> Marks<'a> {
        Marks { own, replaced: Paths::default() }
    }
}

/// The places of both lists in [`Writer::marks`].
const LISTS: [usize; 2] = [OWN, REPLACED];
const OWN: usize = 0;
const REPLACED: usize = 1;

/// A range of each list of paths.
type Ranges = [Range<usize>; 2];

/// Appends the tree of what is sensitive in a value.
pub(super) fn write<'a>(
    walk: &mut impl Walk<'a>,
    marks: &Marks<'_>,
    limits: &Limits,
    out: &mut Vec<u8>,
) -> Result<()> {
    let marks = [sorted(&marks.own), sorted(&marks.replaced)];
    let mut writer = Writer { marks, stack: Vec::new(), out };
    loop {
        check_len(writer.out, limits, walk.offset())?;
        let mut part = walk.next()?;
        if let Part::Close = part {
            writer.close();
        } else {
            let mut member = None;
            if let Part::Key(key) = part {
                part = walk.next()?;
                member = Some(key);
            }
            if writer.value(&part, member.as_deref()) {
                walk.skip(&part)?;
            }
        }
        if writer.stack.is_empty() {
            return Ok(());
        }
    }
}

/// The paths in order, each once.
fn sorted<'m, 'v>(paths: &'m Paths<'v>) -> Vec<&'m [Step<'v>]> {
    let mut paths: Vec<_> = paths.iter().collect();
    paths.sort_by(|a, b| order(a, b));
    paths.dedup_by(|a, b| order(a, b).is_eq());
    paths
}

/// Whether paths to a value mark it as a whole.
fn is_marked(paths: &[&[Step<'_>]], depth: usize, part: &Part<'_>) -> bool {
    let (Some(first), Some(last)) = (paths.first(), paths.last()) else { return false };
    // Of sorted paths, the one that ends here is the first.
    let (Some(first), Some(last)) = (first.get(depth), last.get(depth)) else { return true };
    let is_every = |step: &Step<'_>| matches!(step, Step::Every);
    let are_every = is_every(first) && is_every(last);
    match part {
        // A mark inside a set stands on the set.
        Part::Array => {
            !are_every && ![first, last].iter().all(|step| matches!(step, Step::Index(_)))
        }
        Part::Object => !are_every && ![first, last].iter().all(|step| step.is_name()),
        Part::Leaf => true,
        _ => false,
    }
}

struct Writer<'m, 'o> {
    /// The paths into the value, and those of the object that it replaces.
    marks: [Vec<&'m [Step<'m>]>; 2],
    stack: Vec<Open>,
    out: &'o mut Vec<u8>,
}

impl Writer<'_, '_> {
    /// Writes a value, or the start of one. Returns whether the value is marked as a whole.
    fn value(&mut self, part: &Part<'_>, member: Option<&[u8]>) -> bool {
        let depth = self.stack.len();
        let paths = self.lead(member);
        let lists = LISTS.map(|list| &self.marks[list][paths[list].clone()]);
        if lists.iter().any(|paths| is_marked(paths, depth, part)) {
            self.leaf(member, "true");
            return true;
        }
        // Without a type, only a path into an unknown value tells what it is.
        let next = lists.iter().find_map(|paths| paths.first()?.get(depth));
        let shape = match (part, next) {
            (Part::Unknown(Shape::Any), Some(step)) if step.is_name() => Shape::Object,
            (Part::Unknown(Shape::Any), Some(Step::Every)) => Shape::Leaf,
            (Part::Unknown(Shape::Any), Some(_)) => Shape::Array,
            (Part::Unknown(shape), _) => *shape,
            _ => Shape::Leaf,
        };
        match part {
            Part::Object | Part::Array => {
                let is_object = matches!(part, Part::Object);
                self.separate(member);
                let start = self.out.len();
                self.out.push(if is_object { b'{' } else { b'[' });
                self.stack.push(Open { is_object, is_empty: true, index: 0, start, paths, met: 0 });
            }
            _ => self.leaf(
                member,
                match shape {
                    Shape::Object => "{}",
                    Shape::Array => "[]",
                    Shape::Leaf | Shape::Any => "false",
                },
            ),
        }
        false
    }

    /// The paths that lead to the next value.
    fn lead(&mut self, member: Option<&[u8]>) -> Ranges {
        let Some(depth) = self.stack.len().checked_sub(1) else {
            return LISTS.map(|list| 0..self.marks[list].len());
        };
        let open = &mut self.stack[depth];
        let index = open.index;
        open.index += 1;
        let step = member.map_or(Step::Index(index), |name| Step::Name(name.into()));
        let ranges = LISTS.map(|list| {
            let range = open.paths[list].clone();
            let paths = &self.marks[list][range.clone()];
            // The steps into a container are of one kind, else it is marked as a whole.
            if paths.first().is_some_and(|path| matches!(path[depth], Step::Every)) {
                return range;
            }
            let first = paths.partition_point(|path| path[depth].order(&step).is_lt());
            let count = paths[first..].partition_point(|path| path[depth].order(&step).is_eq());
            range.start + first..range.start + first + count
        });
        open.met += ranges[REPLACED].len();
        ranges
    }

    fn separate(&mut self, member: Option<&[u8]>) {
        if let Some(open) = self.stack.last_mut() {
            if !std::mem::take(&mut open.is_empty) {
                self.out.push(b',');
            }
            if let Some(member) = member {
                json_string::write_string(member, self.out);
                self.out.push(b':');
            }
        }
    }

    fn leaf(&mut self, member: Option<&[u8]>, text: &str) {
        if member.is_none() || text != "false" {
            self.separate(member);
            self.out.extend_from_slice(text.as_bytes());
        }
    }

    fn close(&mut self) {
        let Some(open) = self.stack.pop() else { return };
        let depth = self.stack.len();
        // An index beyond the last element is an element of a set.
        let is_beyond = |path: &&[Step<'_>]| match path[depth] {
            Step::Index(index) => !(0..open.index).contains(&index),
            _ => false,
        };
        let [own, replaced] = open.paths;
        let is_every = |path: &&[Step<'_>]| matches!(path[depth], Step::Every);
        let is_missing = open.met < replaced.len()
            && !self.marks[REPLACED][replaced].first().is_some_and(is_every);
        let own = &self.marks[OWN][own];
        if is_missing || own.first().is_some_and(is_beyond) || own.last().is_some_and(is_beyond) {
            self.out.truncate(open.start);
            self.out.extend_from_slice(b"true");
        } else {
            self.out.push(if open.is_object { b'}' } else { b']' });
        }
    }
}
