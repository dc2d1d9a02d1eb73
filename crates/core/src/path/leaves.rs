//! Walks the leaves of a value, each with the steps that lead to it.

use super::Step;
use crate::error::Result;
use crate::json::descent::{Descent, walk};
use crate::json::value::{Kind, Value, WalkEvent};

/// A step of a path that owns its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnedStep {
    /// See [`Step::Key`].
    Key(String),
    /// See [`Step::Index`].
    Index(u32),
    /// See [`Step::Element`].
    Element,
}

impl OwnedStep {
    /// Copies a step.
    pub fn of(step: Step<'_>) -> OwnedStep {
        match step {
            Step::Key(key) => OwnedStep::Key(key.to_owned()),
            Step::Index(index) => OwnedStep::Index(index),
            Step::Element => OwnedStep::Element,
        }
    }

    /// Returns the step.
    pub fn step(&self) -> Step<'_> {
        match self {
            OwnedStep::Key(key) => Step::Key(key),
            OwnedStep::Index(index) => Step::Index(*index),
            OwnedStep::Element => Step::Element,
        }
    }
}

/// Calls `each` with the steps to every scalar, every empty container, and every container that
/// `descent` passes, and with what `enter` returned for the container around it. `steps` lead to
/// the root. A value may have a leaf for each two of its bytes, so a caller that keeps their paths
/// must limit them.
///
/// # Errors
///
/// Fails if the value is malformed, or if `enter` or `each` fails.
pub fn walk_leaves<'a, T>(
    mut steps: Vec<OwnedStep>,
    root: Value<'a>,
    descent: impl Fn(Value<'a>) -> Descent,
    enter: impl Fn(&[OwnedStep], Value<'a>) -> Result<T>,
    mut each: impl FnMut(&[OwnedStep], Option<&T>, Value<'a>, Kind) -> Result<()>,
) -> Result<()> {
    let mut open = Vec::new();
    walk(root, descent, |met| {
        match met {
            WalkEvent::Key(key) => steps.push(OwnedStep::Key(key.decode()?)),
            WalkEvent::Index(index) => steps.push(OwnedStep::Index(index)),
            WalkEvent::Open(_, value) => open.push(enter(&steps, value)?),
            WalkEvent::Close(_) => {
                steps.pop();
                open.pop();
            }
            WalkEvent::Leaf(kind, value) => {
                each(&steps, open.last(), value, kind)?;
                steps.pop();
            }
        }
        Ok(())
    })
}
