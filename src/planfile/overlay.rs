//! Writes the tree of what is sensitive in a value.
//!
//! The tree has the shape of the value: true where it is marked, false for other leaves, and
//! members that are false left out.

use std::ops::Range;

use super::path::{Paths, Step, order};
use super::walk::{Part, Shape, Walk};
use crate::error::Result;
use crate::wire::json_string;

/// A container that is being written.
struct Open {
    is_object: bool,
    is_empty: bool,
    /// The elements that were begun.
    index: i64,
    /// Where the container starts in the output.
    start: usize,
    /// The paths that lead into the container, as a range of the sorted ones. Each has a step
    /// after it.
    paths: Range<usize>,
}

/// Appends the tree of what is sensitive in a value.
///
/// # Errors
///
/// The value is invalid.
pub(super) fn write<'a>(
    walk: &mut impl Walk<'a>,
    marks: &Paths<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut sorted: Vec<&[Step<'_>]> = marks.iter().collect();
    sorted.sort_by(|a, b| order(a, b));
    let mut writer = Writer { marks: sorted, stack: Vec::new(), out };
    loop {
        let mut part = walk.next()?;
        if let Part::Close = part {
            writer.close();
        } else {
            let mut member = None;
            if let Part::Key(key) = part {
                part = walk.next()?;
                member = Some(key);
            }
            if writer.value(&part, member.as_deref()) == Marked::Whole {
                walk.skip(&part)?;
            }
        }
        if writer.stack.is_empty() {
            return Ok(());
        }
    }
}

/// Whether a value is marked as a whole.
#[derive(PartialEq, Eq)]
enum Marked {
    Whole,
    Inside,
}

struct Writer<'m, 'v, 'o> {
    /// The paths, sorted.
    marks: Vec<&'m [Step<'v>]>,
    stack: Vec<Open>,
    out: &'o mut Vec<u8>,
}

impl<'m, 'v> Writer<'m, 'v, '_> {
    /// Writes a value, or the start of one.
    fn value(&mut self, part: &Part<'_>, member: Option<&[u8]>) -> Marked {
        let depth = self.stack.len();
        let paths = self.lead(member);
        let marks = &self.marks[paths.clone()];
        let mut next = marks.iter().filter_map(|path| path.get(depth));
        let is_marked = marks.iter().any(|path| path.len() == depth)
            || match part {
                // A mark inside a set stands on the set.
                Part::Array => next.any(|step| !matches!(step, Step::Index(_))),
                Part::Object => next.any(|step| !matches!(step, Step::Name(_))),
                Part::Leaf => !paths.is_empty(),
                _ => false,
            };
        if is_marked {
            self.leaf(member, "true");
            return Marked::Whole;
        }
        // Without a type, only a path into an unknown value tells what it is.
        let shape = match (part, marks.first().and_then(|path| path.get(depth))) {
            (Part::Unknown(Shape::Any), Some(Step::Name(_))) => Shape::Object,
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
                self.stack.push(Open { is_object, is_empty: true, index: 0, start, paths });
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
        Marked::Inside
    }

    /// The paths that lead to the next value.
    fn lead(&mut self, member: Option<&[u8]>) -> Range<usize> {
        let Some(depth) = self.stack.len().checked_sub(1) else { return 0..self.marks.len() };
        let open = &mut self.stack[depth];
        let index = open.index;
        open.index += 1;
        let step = member.map_or(Step::Index(index), |name| Step::Name(name.into()));
        let paths = &self.marks[open.paths.clone()];
        let first = paths.partition_point(|path| path[depth].order(&step).is_lt());
        let count = paths[first..].partition_point(|path| path[depth].order(&step).is_eq());
        let start = open.paths.start + first;
        start..start + count
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
        if self.marks[open.paths].iter().any(is_beyond) {
            self.out.truncate(open.start);
            self.out.extend_from_slice(b"true");
        } else {
            self.out.push(if open.is_object { b'}' } else { b']' });
        }
    }
}
