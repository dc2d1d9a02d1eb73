//! Writes the tree of the sensitivity marks of a value, such as `after_sensitive`.
//!
//! The tree has the shape of the value: true for a marked value, and false for any other leaf.
//! Members that are false are left out.

use std::ops::Range;

use super::path::Paths;
use super::walk::{Shape, ValueEvent, ValueForm, Walk};
use plansift_core::error::Result;
use plansift_cty::json_string;
use plansift_cty::path::Step;

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
    /// For each list, the number of paths that led to a member or an element so far.
    met: [usize; LISTS.len()],
}

/// The paths to the marked parts of a value.
///
/// An own path, or one of the replaced object, may lead to no member or element of a container: the
/// value is of another type than the path, or its keys are in another normal form. The container is
/// then marked as a whole.
#[derive(Debug, Default)]
pub(super) struct Marks<'a> {
    /// Paths into the value.
    pub own: Paths<'a>,
    /// Paths of the replaced object. A step into a list or a map leads to every element.
    pub replaced: Paths<'a>,
    /// Paths of another version of the object. They may lead nowhere, for example to a removed key.
    pub other: Paths<'a>,
}

impl<'a> From<Paths<'a>> for Marks<'a> {
    fn from(own: Paths<'a>) -> Marks<'a> {
        Marks { own, ..Marks::default() }
    }
}

/// The indices of the lists in [`MarkWriter::marks`].
const LISTS: [usize; 3] = [OWN, REPLACED, OTHER];
const OWN: usize = 0;
const REPLACED: usize = 1;
const OTHER: usize = 2;

type Ranges = [Range<usize>; LISTS.len()];

/// Returns the paths, sorted and without duplicates.
fn sorted<'m, 'v>(paths: &'m Paths<'v>) -> Vec<&'m [Step<'v>]> {
    let mut paths: Vec<_> = paths.iter().collect();
    paths.sort();
    paths.dedup();
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

/// Writes the tree of the sensitivity marks of a value.
pub(super) struct MarkWriter<'m, 'o> {
    /// The sorted lists of [`Marks`].
    marks: [Vec<&'m [Step<'m>]>; LISTS.len()],
    stack: Vec<Open>,
    /// The number of open containers inside a value that is marked as a whole, with the value.
    skipped: usize,
    out: &'o mut Vec<u8>,
}

impl<'m, 'o> MarkWriter<'m, 'o> {
    /// Appends the tree to `out`.
    pub(super) fn new(marks: &'m Marks<'m>, out: &'o mut Vec<u8>) -> MarkWriter<'m, 'o> {
        let marks = [sorted(&marks.own), sorted(&marks.replaced), sorted(&marks.other)];
        MarkWriter { marks, stack: Vec::new(), skipped: 0, out }
    }
}

impl ValueForm for MarkWriter<'_, '_> {
    fn part<'a>(
        &mut self,
        key: Option<&[u8]>,
        part: &ValueEvent<'a>,
        _: &impl Walk<'a>,
    ) -> Result<()> {
        let is_container = matches!(part, ValueEvent::Object | ValueEvent::Array);
        match part {
            ValueEvent::Close if self.skipped > 0 => self.skipped -= 1,
            ValueEvent::Close => self.close(),
            _ if self.skipped > 0 => self.skipped += usize::from(is_container),
            _ => self.skipped = usize::from(self.value(part, key) && is_container),
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.out.len()
    }
}

impl MarkWriter<'_, '_> {
    /// Writes a leaf or the start of a container. Returns whether the whole value is marked.
    fn value(&mut self, part: &ValueEvent<'_>, member: Option<&[u8]>) -> bool {
        let depth = self.stack.len();
        let has_marks = !self.marks.iter().all(Vec::is_empty);
        let paths = if has_marks { self.lead(member) } else { Ranges::default() };
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
                let met = [0; LISTS.len()];
                self.stack.push(Open { is_object, is_empty: true, index: 0, start, paths, met });
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
            let first = paths.partition_point(|path| path[depth] < step);
            let count = paths[first..].partition_point(|path| path[depth] == step);
            range.start + first..range.start + first + count
        });
        LISTS.iter().for_each(|&list| open.met[list] += ranges[list].len());
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
        let is_lost = |list: usize| {
            let paths = &self.marks[list][open.paths[list].clone()];
            let are_every = paths.first().is_some_and(|path| matches!(path[depth], Step::Every));
            open.met[list] < paths.len() && !are_every
        };
        if is_lost(OWN) || is_lost(REPLACED) {
            self.out.truncate(open.start);
            self.out.extend_from_slice(b"true");
        } else {
            self.out.push(if open.is_object { b'}' } else { b']' });
        }
    }
}
