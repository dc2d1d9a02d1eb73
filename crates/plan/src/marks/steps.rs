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

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::error::ErrorKind;
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;

    const ANY: u64 = u64::MAX;

    fn step(step: Value<'_>) -> Result<marks::Step<'_>> {
        Ok(match step.kind()? {
            Kind::String => marks::Step::Key(step.string()?),
            _ => marks::Step::Index(index(step).expect("an index")),
        })
    }

    fn marked(list: Value<'_>, size_max: u64) -> Result<PieceMarkedPaths> {
        let mut marked = PieceMarkedPaths::default();
        for place in list.elements()? {
            let place = place?;
            let steps: Result<Vec<_>> = place.elements()?.map(|it| step(it?)).collect();
            marked.push(&steps?, size_max, place.offset())?;
        }
        marked.sort();
        Ok(marked)
    }

    /// The range and the steps of the part of a path that is below one of these marked paths.
    fn below(paths: &str, path: &str, size_max: u64) -> Result<Option<(String, usize, usize)>> {
        let mut list = Detached::read(paths.as_bytes(), Limits::default())?;
        let mut marked = marked(list.value(), ANY)?;
        let mut value = Detached::read(path.as_bytes(), Limits::default())?;
        let cut = marked.below(value.value(), size_max)?;
        Ok(cut.map(|cut| {
            let text = &path[cut.range.start as usize..cut.range.end as usize];
            (text.to_owned(), cut.kept, cut.steps().count())
        }))
    }

    #[test]
    fn a_path_is_cut_where_it_leads_below_a_marked_path() {
        for (paths, path, cut) in [
            (r#"[["p"]]"#, r#"["p", "k",0]"#, Some((r#", "k",0"#, 1, 2))),
            (r#"[["p"]]"#, r#"["p"]"#, None),
            (r#"[["p"]]"#, r#"["q","p"]"#, None),
            (r#"[["p"]]"#, "[]", None),
            ("[]", r#"["p","k"]"#, None),
            ("[[]]", r#"[ "p","k"]"#, Some((r#" "p","k""#, 0, 2))),
            (r#"[["a","\u0062"],["c"]]"#, r#"["a","b",{"x":1}]"#, Some((r#",{"x":1}"#, 2, 1))),
            (r#"[["a",1]]"#, r#"["a",1,"k"]"#, Some((r#","k""#, 2, 1))),
            (r#"[["a",1]]"#, r#"["a",2,"k"]"#, None),
            (r#"[["a",12]]"#, r#"["a",12,3]"#, Some((",3", 2, 1))),
            // An element of a set is a value.
            (r#"[["a",1]]"#, r#"["a","x"]"#, Some((r#","x""#, 1, 1))),
            (r#"[["a",1]]"#, r#"["a",1.5]"#, Some((",1.5", 1, 1))),
            (r#"[["a",1]]"#, r#"["a",-1]"#, Some((",-1", 1, 1))),
            (r#"[["a",1]]"#, r#"["a",99999999999]"#, Some((",99999999999", 1, 1))),
            (r#"[["a",1]]"#, r#"["a",{"k":1}]"#, Some((r#",{"k":1}"#, 1, 1))),
            (r#"[["a","k"]]"#, r#"["a",1]"#, Some((",1", 1, 1))),
            (r#"[["a","k"],["a",1]]"#, r#"["a","x"]"#, Some((r#","x""#, 1, 1))),
            (r#"[["a","k"],["a","l"]]"#, r#"["a","x","k"]"#, None),
            // A step that is no index is not below an index.
            (r#"[["b",1]]"#, r#"["a",1.5,"k"]"#, None),
        ] {
            let cut = cut.map(|(text, kept, steps)| (text.to_owned(), kept, steps));
            assert_eq!(below(paths, path, ANY).unwrap(), cut, "{paths} {path}");
        }
    }

    /// The lists are used again for another piece.
    #[test]
    fn a_piece_has_its_own_paths() {
        let mut list = Detached::read(br#"[["p","k"],["p"],["q"]]"#, Limits::default()).unwrap();
        let mut marked = marked(list.value(), ANY).unwrap();
        assert_eq!(marked.list().len(), 2);
        let mut other = PieceMarkedPaths::default();
        marked.list().iter().for_each(|path| other.push_path(path));
        other.sort();
        for paths in [&mut marked, &mut other] {
            let mut path = Detached::read(br#"["q","k"]"#, Limits::default()).unwrap();
            assert_eq!(paths.below(path.value(), ANY).unwrap().map(|cut| cut.kept), Some(1));
            paths.clear();
            assert!(paths.list().is_empty());
            assert!(paths.below(path.value(), ANY).unwrap().is_none());
        }
    }

    #[test]
    fn the_limit_on_paths_applies() {
        let text = r#"[["p","k"],["q",1]]"#;
        let mut list = Detached::read(text.as_bytes(), Limits::default()).unwrap();
        let size = marked(list.value(), ANY).unwrap().list().size();
        let path = r#"["x","y","z"]"#;
        let mut whole = Paths::default();
        for key in ["x", "y", "z"] {
            whole.push_step(path::Step::Key(key));
        }
        whole.end();
        for (distance, is_enough) in [(0, true), (1, false), (size - 1, false)] {
            let found = marked(list.value(), size - distance).map(|_| ());
            assert_eq!(found.is_ok(), is_enough, "{distance}");
            let size_max = whole.size().saturating_sub(distance);
            let found = below(text, path, size_max).map(|_| ());
            assert_eq!(found.is_ok(), is_enough, "{distance}");
            if let Err(error) = found {
                let limit = ErrorKind::Limit { limit: Limit::Paths, value: size_max };
                assert_eq!(error.kind(), limit);
            }
        }
    }
}
