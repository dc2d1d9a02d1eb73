//! Lists the scalars of one value, each with its path.

use std::cell::RefCell;

use super::shown::ValueRenderer;
use super::walk::{Descent, WalkEvent, walk};
use super::{PATHS_MAX, Shown};
use crate::error::Result;
use crate::json::value::{Kind, Value};
use crate::path::{Path, Paths, Step};

/// The scalars of a value, in document order. An empty object or array counts as a scalar.
///
/// `null` counts as a scalar only if it is a list element, or if its key ends with `_wo` like the
/// name of a write-only attribute. Such an attribute is write-only if an overlay marks it as
/// sensitive (docs/format/plan.md, section 15).
#[derive(Default)]
pub(super) struct Scalars {
    paths: Paths,
    shown: Vec<Shown>,
    /// Number of scalars that exceed the limit on attributes or [`PATHS_MAX`].
    pub left_out: u64,
}

impl Scalars {
    /// Collects the scalars of `root`, except those whose path `is_listed` accepts.
    pub fn of(
        root: Value<'_>,
        renderer: &mut ValueRenderer<'_>,
        mut is_listed: impl FnMut(Path<'_>) -> bool,
    ) -> Result<Scalars> {
        let mut scalars = Scalars::default();
        let max = renderer.detail().attributes_max();
        let renderer = RefCell::new(renderer);
        let descent = |value| renderer.borrow().descent(value);
        walk_with_steps(root, descent, |steps, value, kind| {
            let show = || match (kind, steps.last()) {
                (Kind::Null, Some(OwnedStep::Key(_))) => Ok(Shown::NamedWriteOnly),
                (Kind::Null, _) if renderer.borrow().hides(value) => Ok(Shown::Sensitive),
                (Kind::Null, _) => Ok(Shown::null()),
                _ => renderer.borrow_mut().show(Some(value)),
            };
            if kind != Kind::Null || shows_null(steps) {
                scalars.push(steps, max, &mut is_listed, show)?;
            }
            Ok(())
        })?;
        Ok(scalars)
    }

    fn push(
        &mut self,
        steps: &[OwnedStep],
        max: usize,
        is_listed: &mut impl FnMut(Path<'_>) -> bool,
        show: impl FnOnce() -> Result<Shown>,
    ) -> Result<()> {
        if self.shown.len() == max || self.paths.size() > PATHS_MAX as u64 {
            self.left_out += 1;
            return Ok(());
        }
        self.paths.push(steps.iter().map(OwnedStep::step));
        let last = self.paths.len() - 1;
        if self.paths.get(last).is_some_and(is_listed) {
            self.paths.truncate(last);
            return Ok(());
        }
        self.shown.push(show()?);
        Ok(())
    }

    /// Calls `each` with every scalar and its path.
    pub fn into_each(self, mut each: impl FnMut(Path<'_>, Shown)) {
        self.paths.iter().zip(self.shown).for_each(|(path, shown)| each(path, shown));
    }
}

/// Whether `null` at the path with these steps counts as a scalar.
fn shows_null(steps: &[OwnedStep]) -> bool {
    match steps.last() {
        Some(OwnedStep::Index(_)) => true,
        Some(OwnedStep::Key(key)) => key.ends_with("_wo"),
        None => false,
    }
}

/// Returns the paths that an overlay marks, sorted, without paths below another one. Drops marks
/// beyond [`PATHS_MAX`].
pub(super) fn marked(overlay: Value<'_>) -> Result<Paths> {
    let mut marked = Paths::new();
    walk_with_steps(
        overlay,
        |_| Descent::Enter,
        |steps, value, _| {
            if value.raw() == b"true" && marked.size() <= PATHS_MAX as u64 {
                marked.push(steps.iter().map(OwnedStep::step));
            }
            Ok(())
        },
    )?;
    marked.sort_outermost();
    Ok(marked)
}

/// Calls `each` with the steps to every scalar, every empty container, and every container that
/// `descent` passes.
fn walk_with_steps<'a>(
    root: Value<'a>,
    descent: impl Fn(Value<'a>) -> Descent,
    mut each: impl FnMut(&[OwnedStep], Value<'a>, Kind) -> Result<()>,
) -> Result<()> {
    let mut steps = Vec::new();
    walk(root, descent, |met| {
        match met {
            WalkEvent::Key(key) => steps.push(OwnedStep::Key(key.decode()?)),
            WalkEvent::Index(index) => steps.push(OwnedStep::Index(index)),
            WalkEvent::Open(_) => {}
            WalkEvent::Close(_) => drop(steps.pop()),
            WalkEvent::Whole(value, kind) => {
                each(&steps, value, kind)?;
                steps.pop();
            }
        }
        Ok(())
    })
}

/// A step of a path that owns its key.
enum OwnedStep {
    Key(String),
    Index(u32),
}

impl OwnedStep {
    fn step(&self) -> Step<'_> {
        match self {
            OwnedStep::Key(key) => Step::Key(key),
            OwnedStep::Index(index) => Step::Index(*index),
        }
    }
}
