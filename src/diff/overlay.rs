//! Overlays: trees of marks that are walked in step with a value (docs/format/plan.md, section 5).
//!
//! Nearly all of them are `{}` or `false`; those cost a look at their bytes. All others are walked
//! whole: a mark that is damaged must be an error, not no mark.

use crate::error::Result;
use crate::json::value::{Elements, Kind, Members, Sorted, Text, Value, recycled};
use crate::path::{Paths, Step};

/// Whether an overlay could mark anything: by a look at its bytes.
pub(super) fn may_mark(overlay: &[u8]) -> bool {
    !matches!(overlay, b"{}" | b"[]" | b"false")
}

/// Collects the marks of one overlay after the other. The memory is kept.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// Empty between two overlays.
    open: Vec<Container<'static>>,
    key: String,
}

impl Collector {
    /// Tells where in an overlay's own bytes each mark stands.
    ///
    /// # Errors
    ///
    /// It is not well formed, or has a key twice.
    pub(super) fn each_mark(
        &mut self,
        overlay: Value<'_>,
        mut mark: impl FnMut(u64),
    ) -> Result<()> {
        self.walk(overlay, |_, _, marked| {
            mark(marked.offset() - overlay.offset());
            Ok(())
        })?;
        Ok(())
    }

    /// Adds every place where an overlay is exactly `true`, and tells where in the overlay's own
    /// bytes each mark stands. Returns whether the overlay holds a string or a number, which the
    /// tools never write into one.
    ///
    /// # Errors
    ///
    /// It is not well formed, or has a key twice; the limit on paths.
    pub(super) fn collect(
        &mut self,
        overlay: Value<'_>,
        paths: &mut Paths,
        room: super::Room,
        mut mark: impl FnMut(u64),
    ) -> Result<bool> {
        self.walk(overlay, |walk, key, marked| {
            mark(marked.offset() - overlay.offset());
            walk.push_steps(paths, key)?;
            room.hold(paths.size(), marked.offset())
        })
    }

    /// Goes from mark to mark. Returns what [`Collector::collect`] returns.
    #[inline(always)]
    fn walk<'a>(
        &mut self,
        overlay: Value<'a>,
        mut each: impl FnMut(&Walk<'a>, &mut String, Value<'a>) -> Result<()>,
    ) -> Result<bool> {
        if !may_mark(overlay.raw()) {
            return Ok(false);
        }
        let open = recycled(std::mem::take(&mut self.open));
        let mut walk = Walk { root: Some(overlay), open, has_texts: false };
        while let Some(marked) = walk.next_mark()? {
            each(&walk, &mut self.key, marked)?;
        }
        self.open = recycled(walk.open);
        Ok(walk.has_texts)
    }
}

/// A walk from mark to mark.
struct Walk<'a> {
    root: Option<Value<'a>>,
    open: Vec<Container<'a>>,
    /// Whether the walk has met a string or a number.
    has_texts: bool,
}

/// A container that was entered, and the place in it that was reached.
#[derive(Debug)]
enum Container<'a> {
    Object { object: Value<'a>, members: Members<'a>, key: Option<Text<'a>>, unordered: bool },
    Array { elements: Elements<'a>, reached: u32 },
}

impl<'a> Walk<'a> {
    /// Goes to the next place that is `true`.
    fn next_mark(&mut self) -> Result<Option<Value<'a>>> {
        loop {
            let value = match (self.root.take(), self.open.last_mut()) {
                (Some(root), _) => root,
                (None, Some(container)) => match container.step()? {
                    Some(value) => value,
                    None => {
                        self.open.pop();
                        continue;
                    }
                },
                (None, None) => return Ok(None),
            };
            match value.kind()? {
                _ if value.is_empty() => {}
                Kind::True => return Ok(Some(value)),
                Kind::Object => self.open.push(Container::Object {
                    object: value,
                    members: value.members()?,
                    key: None,
                    unordered: false,
                }),
                Kind::Array => {
                    let elements = value.elements()?;
                    self.open.push(Container::Array { elements, reached: 0 });
                }
                // What is neither a mark nor a tree of them marks nothing.
                Kind::False | Kind::Null => {}
                Kind::Number | Kind::String => self.has_texts = true,
            }
        }
    }

    /// Adds the path of the place that was reached. `memory` is for its keys. After an error the
    /// list of paths ends in the middle of one.
    fn push_steps(&self, paths: &mut Paths, memory: &mut String) -> Result<()> {
        for container in &self.open {
            match container {
                Container::Object { key: Some(key), .. } => {
                    memory.clear();
                    key.decode_to(memory)?;
                    paths.push_step(Step::Key(memory));
                }
                Container::Object { key: None, .. } => {}
                Container::Array { reached, .. } => paths.push_step(Step::Index(reached - 1)),
            }
        }
        paths.end();
        Ok(())
    }
}

impl<'a> Container<'a> {
    /// Goes to the next value.
    fn step(&mut self) -> Result<Option<Value<'a>>> {
        match self {
            Container::Array { elements, reached } => {
                *reached += 1;
                elements.next().transpose()
            }
            Container::Object { object, members, key, unordered } => {
                let Some((next, value)) = members.next().transpose()? else { return Ok(None) };
                let ordered = key.is_none_or(|last| last.compare(next).is_lt());
                if !ordered && !*unordered {
                    *unordered = true;
                    refuse_twins(*object)?;
                }
                *key = Some(next);
                Ok(Some(value))
            }
        }
    }
}

/// Holds an object whose keys are in no order to having each only once.
///
/// # Errors
///
/// It is not well formed, or has a key twice.
pub(crate) fn refuse_twins(object: Value<'_>) -> Result<()> {
    Sorted::of(object).map(drop)
}
