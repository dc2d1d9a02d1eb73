//! Lists the scalars of one value, each with its path.

use std::cell::RefCell;

use super::shown::ValueRenderer;
use super::{PATHS_MAX, Shown};
use plansift_core::error::Result;
use plansift_core::json::descent::Descent;
use plansift_core::json::value::{Kind, Value};
use plansift_core::path::is_attribute_name;
use plansift_core::path::{OwnedStep, Path, Paths, walk_leaves};

/// The scalars of a value, in document order. An empty object or array counts as a scalar, and so
/// does `null` as an element of a list. For a member with `null`, [`Nulls`] decides.
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
        nulls: Nulls<'_>,
        renderer: &mut ValueRenderer<'_>,
        mut is_listed: impl FnMut(Path<'_>) -> bool,
    ) -> Result<Scalars> {
        let mut scalars = Scalars::default();
        let max = renderer.detail().attributes_max();
        let renderer = RefCell::new(renderer);
        let descent = |value| renderer.borrow().descent(value);
        let enter = |steps: &[OwnedStep], value| nulls.counts_members(steps, value);
        walk_leaves(Vec::new(), root, descent, enter, |steps, members, value, kind| {
            let is_write_only = kind == Kind::Null && nulls.is_write_only(steps);
            let show = || match kind {
                Kind::Null if is_write_only => Ok(Shown::NamedWriteOnly),
                Kind::Null if renderer.borrow().hides(value) => Ok(Shown::Sensitive),
                Kind::Null => Ok(Shown::null()),
                _ => renderer.borrow_mut().show(Some(value)),
            };
            let counts = kind != Kind::Null || is_write_only || members == Some(&Counted::Yes);
            if counts {
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

/// Which members with `null` count as scalars.
#[derive(Clone, Copy)]
pub(super) enum Nulls<'p> {
    /// All members. In an output or a document, the author writes each of them.
    All,
    /// The members of objects in which every value is `null`, and of objects with a key that
    /// cannot be the name of an attribute, which are maps or objects of a dynamic type. All other
    /// members, and the attributes of the resource, are probably optional arguments that the
    /// configuration leaves out.
    ///
    /// The paths are those of the unknown values. An object with one has a value.
    Entries(&'p Paths),
    /// Like `Entries`, and each member whose key ends with `_wo` like the name of a write-only
    /// attribute. Such an attribute is write-only if an overlay marks it as sensitive
    /// (docs/format/plan.md, section 15).
    EntriesOrWriteOnly(&'p Paths),
}

/// Whether the members of an object with `null`, or the elements of an array with `null`, count as
/// scalars.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Yes,
    No,
}

impl Nulls<'_> {
    /// Whether `null` in a container counts as a scalar. `steps` lead to the container.
    fn counts_members(self, steps: &[OwnedStep], container: Value<'_>) -> Result<Counted> {
        let (Nulls::Entries(unknown) | Nulls::EntriesOrWriteOnly(unknown)) = self else {
            return Ok(Counted::Yes);
        };
        if container.kind()? == Kind::Array {
            return Ok(Counted::Yes);
        }
        if steps.is_empty() {
            return Ok(Counted::No);
        }
        let mut has_value = false;
        for member in container.members()? {
            let (key, value) = member?;
            if !is_attribute_name(key.decode()?.as_bytes()) {
                return Ok(Counted::Yes);
            }
            has_value |= !value.is_null();
        }
        if has_value {
            return Ok(Counted::No);
        }
        let mut path = Paths::new();
        path.push(steps.iter().map(OwnedStep::step));
        let has_unknown = path.get(0).is_some_and(|path| unknown.has_below(path));
        Ok(if has_unknown { Counted::No } else { Counted::Yes })
    }

    /// Whether `null` at a path is a write-only attribute, judging by its name.
    fn is_write_only(self, steps: &[OwnedStep]) -> bool {
        matches!(self, Nulls::EntriesOrWriteOnly(_))
            && matches!(steps.last(), Some(OwnedStep::Key(key)) if key.ends_with("_wo"))
    }
}

/// Returns the paths that an overlay marks, sorted, without paths below another one. Drops marks
/// beyond [`PATHS_MAX`].
pub(super) fn marked(overlay: Value<'_>) -> Result<Paths> {
    let mut marked = Paths::new();
    walk_leaves(
        Vec::new(),
        overlay,
        |_| Descent::Enter,
        |_, _| Ok(()),
        |steps, _, value, _| {
            if value.raw() == b"true" && marked.size() <= PATHS_MAX as u64 {
                marked.push(steps.iter().map(OwnedStep::step));
            }
            Ok(())
        },
    )?;
    marked.sort_outermost();
    Ok(marked)
}
