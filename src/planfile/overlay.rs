//! Writes the tree of the sensitivity marks of a value, such as `after_sensitive`.
//!
//! The tree has the shape of the value: true for a marked value, and false for any other leaf.
//! Members that are false are left out.

use std::ops::Range;

use super::path::{Paths, Step, order};
use super::walk::{Shape, ValueEvent, Walk, check_len};
use crate::error::Result;
use crate::limits::Limits;
use crate::wire::json_string;

/// A container that is being written.
struct Open {
    is_object: bool,
    is_empty: bool,
    /// The number of elements begun so far.
    index: i64,
    /// The offset of the container in the output.
    start: usize,
    /// The paths that lead into the container, as a range of each list. Each of these paths has at
    /// least one more step.
    paths: Ranges,
    /// The number of paths of the replaced object that led to a member or an element so far.
    met: usize,
}

#[derive(Debug, Default)]
pub(super) struct Marks<'a> {
    /// Paths into the value.
    pub own: Paths<'a>,
    /// Paths of the replaced object. A step into a list or a map leads to every element.
    ///
    /// If an object lacks an attribute that such a path names, its type has changed, and the whole
    /// object is marked.
    pub replaced: Paths<'a>,
}

impl<'a> From<Paths<'a>> for Marks<'a> {
    fn from(own: Paths<'a>) -> Marks<'a> {
        Marks { own, replaced: Paths::default() }
    }
}

/// The indices of both lists in [`Writer::marks`].
const LISTS: [usize; 2] = [OWN, REPLACED];
const OWN: usize = 0;
const REPLACED: usize = 1;

type Ranges = [Range<usize>; 2];

/// Appends the tree of the sensitivity marks of a value.
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
        if let ValueEvent::Close = part {
            writer.close();
        } else {
            let mut member = None;
            if let ValueEvent::Key(key) = part {
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

/// Returns the paths, sorted and without duplicates.
fn sorted<'m, 'v>(paths: &'m Paths<'v>) -> Vec<&'m [Step<'v>]> {
    let mut paths: Vec<_> = paths.iter().collect();
    paths.sort_by(|a, b| order(a, b));
    paths.dedup_by(|a, b| order(a, b).is_eq());
    paths
}

/// Whether the paths that lead to a value mark the whole value.
fn is_marked(paths: &[&[Step<'_>]], depth: usize, part: &ValueEvent<'_>) -> bool {
    let (Some(first), Some(last)) = (paths.first(), paths.last()) else { return false };
    // The paths are sorted, so a path that ends here comes first.
    let (Some(first), Some(last)) = (first.get(depth), last.get(depth)) else { return true };
    let is_every = |step: &Step<'_>| matches!(step, Step::Every);
    let are_every = is_every(first) && is_every(last);
    match part {
        // A mark inside a set marks the whole set.
        ValueEvent::Array => {
            !are_every && ![first, last].iter().all(|step| matches!(step, Step::Index(_)))
        }
        ValueEvent::Object => !are_every && ![first, last].iter().all(|step| step.is_name()),
        ValueEvent::Leaf => true,
        _ => false,
    }
}

struct Writer<'m, 'o> {
    /// The sorted lists of [`Marks`]: own paths, then paths of the replaced object.
    marks: [Vec<&'m [Step<'m>]>; 2],
    stack: Vec<Open>,
    out: &'o mut Vec<u8>,
}

impl Writer<'_, '_> {
    /// Writes a leaf or the start of a container. Returns whether the whole value is marked.
    fn value(&mut self, part: &ValueEvent<'_>, member: Option<&[u8]>) -> bool {
        let depth = self.stack.len();
        let paths = self.lead(member);
        let lists = LISTS.map(|list| &self.marks[list][paths[list].clone()]);
        if lists.iter().any(|paths| is_marked(paths, depth, part)) {
            self.leaf(member, "true");
            return true;
        }
        // Without a type, a path into an unknown value shows its shape.
        let next = lists.iter().find_map(|paths| paths.first()?.get(depth));
        let shape = match (part, next) {
            (ValueEvent::Unknown(Shape::Any), Some(step)) if step.is_name() => Shape::Object,
            (ValueEvent::Unknown(Shape::Any), Some(Step::Every)) => Shape::Leaf,
            (ValueEvent::Unknown(Shape::Any), Some(_)) => Shape::Array,
            (ValueEvent::Unknown(shape), _) => *shape,
            _ => Shape::Leaf,
        };
        match part {
            ValueEvent::Object | ValueEvent::Array => {
                let is_object = matches!(part, ValueEvent::Object);
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

    /// Returns the paths that lead to the next value.
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
            // All steps into an open container are of one kind. With mixed kinds, `is_marked` marks
            // the whole container.
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
        // An index beyond the last element is an element of a set, which is marked as a whole.
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
