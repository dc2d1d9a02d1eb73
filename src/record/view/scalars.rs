//! The scalars of one value, each with its path.

use std::cell::RefCell;

use super::shown::Shower;
use super::walk::{Entry, Met, walk};
use super::{PATHS_MAX, Shown};
use crate::error::Result;
use crate::json::value::{Kind, Value};
use crate::path::{Path, Paths, Step};

/// The scalars of a value, in order; an empty object or array is one. `null` is one as an element
/// of a list, and where an attribute has the name of a write-only one, which a mark proves
/// (docs/format/plan.md, section 15).
#[derive(Default)]
pub(super) struct Scalars {
    paths: Paths,
    shown: Vec<Shown>,
    /// How many there are beyond those that have room, and [`PATHS_MAX`].
    pub left_out: u64,
}

impl Scalars {
    /// Those of a value for which nothing is listed yet, by its path.
    ///
    /// # Errors
    ///
    /// It is not well formed.
    pub fn of(
        root: Value<'_>,
        shower: &mut Shower<'_>,
        mut is_listed: impl FnMut(Path<'_>) -> bool,
    ) -> Result<Scalars> {
        let mut scalars = Scalars::default();
        let max = shower.detail().attributes_max();
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
                    let show = || match (kind, way.last()) {
                        (Kind::Null, Some(Way::Key(_))) => Ok(Shown::NamedWriteOnly),
                        (Kind::Null, _) if shower.borrow().hides(value) => Ok(Shown::Sensitive),
                        (Kind::Null, _) => Ok(Shown::null()),
                        _ => shower.borrow_mut().show(Some(value)),
                    };
                    if kind != Kind::Null || is_told(&way) {
                        scalars.push(&way, max, &mut is_listed, show)?;
                    }
                    way.pop();
                }
            }
            Ok(())
        })?;
        Ok(scalars)
    }

    fn push(
        &mut self,
        way: &[Way],
        max: usize,
        is_listed: &mut impl FnMut(Path<'_>) -> bool,
        show: impl FnOnce() -> Result<Shown>,
    ) -> Result<()> {
        if self.shown.len() == max || self.paths.size() > PATHS_MAX as u64 {
            self.left_out += 1;
            return Ok(());
        }
        self.paths.push(way.iter().map(Way::step));
        let last = self.paths.len() - 1;
        if self.paths.get(last).is_some_and(is_listed) {
            self.paths.truncate(last);
            return Ok(());
        }
        self.shown.push(show()?);
        Ok(())
    }

    /// Each with its path.
    pub fn into_each(self, mut each: impl FnMut(Path<'_>, Shown)) {
        self.paths.iter().zip(self.shown).for_each(|(path, shown)| each(path, shown));
    }
}

/// Whether `null` is told at the end of a way.
fn is_told(way: &[Way]) -> bool {
    match way.last() {
        Some(Way::Index(_)) => true,
        Some(Way::Key(key)) => key.ends_with("_wo"),
        None => false,
    }
}

/// The places that an overlay marks, as far as they have room, in order, none below another.
///
/// # Errors
///
/// It is not well formed.
pub(super) fn marked(overlay: Value<'_>) -> Result<Paths> {
    let (mut marked, mut way) = (Paths::new(), Vec::new());
    walk(
        overlay,
        |_| Entry::Enter,
        |met| {
            match met {
                Met::Key(key) => way.push(Way::Key(key.decode()?)),
                Met::Index(index) => way.push(Way::Index(index)),
                Met::Open(_) => {}
                Met::Close(_) => drop(way.pop()),
                Met::Whole(value, _) => {
                    if value.raw() == b"true" && marked.size() <= PATHS_MAX as u64 {
                        marked.push(way.iter().map(Way::step));
                    }
                    way.pop();
                }
            }
            Ok(())
        },
    )?;
    marked.sort_outermost();
    Ok(marked)
}

/// A step, with its text.
enum Way {
    Key(String),
    Index(u32),
}

impl Way {
    fn step(&self) -> Step<'_> {
        match self {
            Way::Key(key) => Step::Key(key),
            Way::Index(index) => Step::Index(*index),
        }
    }
}
