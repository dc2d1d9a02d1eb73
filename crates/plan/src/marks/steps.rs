//! Cuts paths that a document contains, such as `replace_paths`, at a marked path.
//!
//! A step of such a path may be an element of a set, which is a value. Everything below a marked
//! path is part of the secret, so the path ends there.

use std::ops::Range;

use crate::marks;
use plansift_core::error::{Error, Result};
use plansift_core::json::value::{Elements, Kind, Value};
use plansift_core::limits::Limit;
use plansift_core::path::{self, Paths};

/// The marked paths of a piece.
#[derive(Debug, Default)]
pub struct PieceMarkedPaths {
    marked: Paths,
    path: Paths,
    key: String,
}

impl PieceMarkedPaths {
    /// Removes all paths and keeps the memory.
    pub fn clear(&mut self) {
        self.marked.clear();
    }

    /// Records a marked path, found at `offset`. Fails if a key is malformed, or if the paths
    /// exceed the limit on memory.
    pub fn push(&mut self, place: &[marks::Step<'_>], size_max: u64, offset: u64) -> Result<()> {
        for step in place {
            match step {
                marks::Step::Index(index) => self.marked.push_step(path::Step::Index(*index)),
                marks::Step::Key(key) => {
                    self.key.clear();
                    key.decode_to(&mut self.key)?;
                    self.marked.push_step(path::Step::Key(&self.key));
                }
            }
        }
        self.marked.end();
        match self.marked.size() > size_max {
            true => Err(Error::limit(Limit::Paths, size_max, offset)),
            false => Ok(()),
        }
    }

    /// Records a marked path from another list.
    pub fn push_path(&mut self, place: path::Path<'_>) {
        self.marked.push(place.steps());
    }

    /// Sorts the paths, and drops each path below another. Required before any lookup.
    pub fn sort(&mut self) {
        self.marked.sort_outermost();
    }

    /// The paths. After [`PieceMarkedPaths::sort`], they are in order, and no path is below
    /// another.
    pub fn list(&self) -> &Paths {
        &self.marked
    }

    /// Returns the part to cut off the end of a path, which is an array of steps. Returns `None` if
    /// the whole path may stay. Fails if the path is malformed, or longer than the limit on paths.
    pub fn below<'a>(&mut self, path: Value<'a>, size_max: u64) -> Result<Option<Cut<'a>>> {
        if self.marked.is_empty() {
            return Ok(None);
        }
        self.path.clear();
        self.path.end();
        let (mut end, mut kept) = (path.offset() + 1, 0);
        let mut steps = path.elements()?;
        while let Some(step) = steps.next().transpose()? {
            if self.is_secret(step)? {
                return Cut::from(step, steps, end, kept).map(Some);
            }
            (end, kept) = (step.range().end, kept + 1);
            self.take(step)?;
            if self.path.size() > size_max {
                return Err(Error::limit(Limit::Paths, size_max, step.offset()));
            }
        }
        Ok(None)
    }

    /// Whether the next step of the path is part of a secret.
    fn is_secret(&self, step: Value<'_>) -> Result<bool> {
        let Some(examined) = self.path.get(0) else { return Ok(false) };
        if self.marked.has_above(examined) {
            return Ok(true);
        }
        // A string or number may be an element of a set, and so a secret value. It is certainly a
        // key only if every marked path below `examined` continues with a key. The same applies to
        // an index. The paths are sorted, keys before indexes, so the first and the last path
        // decide.
        for marked in [self.marked.first_below(examined), self.marked.last_below(examined)] {
            let Some(marked) = marked else { return Ok(false) };
            let is_of_set = match (step.kind()?, marked.step(examined.steps().len())) {
                (Kind::String, Some(path::Step::Key(_))) => false,
                (Kind::Number, Some(path::Step::Index(_))) => index(step).is_none(),
                _ => true,
            };
            if is_of_set {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Extends the examined path by a step.
    fn take(&mut self, step: Value<'_>) -> Result<()> {
        let next = match step.kind()? {
            Kind::String => {
                self.key.clear();
                step.string()?.decode_to(&mut self.key)?;
                path::Step::Key(&self.key)
            }
            Kind::Number => index(step).map_or(path::Step::Element, path::Step::Index),
            _ => path::Step::Element,
        };
        self.path.lengthen(next);
        Ok(())
    }
}

/// The part of a path that leads below a marked path.
#[derive(Debug)]
pub struct Cut<'a> {
    /// The byte range of the part, including the comma before it.
    pub range: Range<u64>,
    /// Number of steps that remain before the part.
    pub kept: usize,
    first: Value<'a>,
    rest: Elements<'a>,
}

impl<'a> Cut<'a> {
    /// Cuts from `step` on. `start` is the end of the part that remains.
    pub fn from(step: Value<'a>, rest: Elements<'a>, start: u64, kept: usize) -> Result<Cut<'a>> {
        let last = rest.clone().try_fold(step, |_, step| step)?;
        Ok(Cut { range: start..last.range().end, kept, first: step, rest })
    }

    /// The steps in the cut. They are parsed again rather than stored, because there may be
    /// millions.
    pub fn steps(self) -> impl Iterator<Item = Result<Value<'a>>> {
        std::iter::once(Ok(self.first)).chain(self.rest)
    }
}

/// The index in a step; `None` if the step is not an index.
fn index(step: Value<'_>) -> Option<u32> {
    step.raw().iter().try_fold(0_u32, |index, &digit| {
        index.checked_mul(10)?.checked_add(char::from(digit).to_digit(10)?)
    })
}
