//! Overlays: trees of marks that have the shape of a value (docs/format/plan.md, section 5).
//!
//! Nearly all overlays are `{}` or `false`, which the fast path recognises by their bytes. All
//! other overlays are read completely, so that a malformed mark is an error instead of a missing
//! mark.

use plansift_core::error::Result;
use plansift_core::json::value::{Elements, Kind, Members, Sorted, Text, Value, recycled};
use plansift_core::path::{Paths, Step};

/// Whether an overlay may contain a mark. Looks only at its bytes.
pub(super) fn may_mark(overlay: &[u8]) -> bool {
    !matches!(overlay, b"{}" | b"[]" | b"false")
}

/// Collects the marks of overlays, one after the other, and reuses its buffers.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// Empty between two overlays.
    open: Vec<Container<'static>>,
    key: String,
}

impl Collector {
    /// Calls `mark` with the offset of each mark, relative to the overlay. Fails if the overlay is
    /// malformed or has a key twice.
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

    /// Adds the path of each mark to `paths`, and calls `mark` with the offset of the mark,
    /// relative to the overlay. A mark is the value `true`. Returns whether the overlay contains a
    /// string or a number, which the tools never write there. Fails if the overlay is malformed or
    /// has a key twice, or if the paths exceed the limit.
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
            room.check(paths.size(), marked.offset())
        })
    }

    /// Calls `each` for each mark. Returns the same as [`Collector::collect`].
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

/// The position of a walk from mark to mark.
struct Walk<'a> {
    root: Option<Value<'a>>,
    open: Vec<Container<'a>>,
    /// True if the walk has met a string or a number.
    has_texts: bool,
}

/// A container that is being walked, and the current position in it.
#[derive(Debug)]
enum Container<'a> {
    Object { object: Value<'a>, members: Members<'a>, key: Option<Text<'a>>, unordered: bool },
    Array { elements: Elements<'a>, reached: u32 },
}

impl<'a> Walk<'a> {
    /// Moves to the next mark, and returns it.
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
                // These mark nothing.
                Kind::False | Kind::Null => {}
                Kind::Number | Kind::String => self.has_texts = true,
            }
        }
    }

    /// Adds the path of the current mark. `memory` is a buffer for the keys. After an error,
    /// `paths` ends with an incomplete path.
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
                    refuse_duplicate_keys(*object)?;
                }
                *key = Some(next);
                Ok(Some(value))
            }
        }
    }
}

/// Fails if an object has a key twice or is malformed. Needed only if its keys are not in order.
pub(crate) fn refuse_duplicate_keys(object: Value<'_>) -> Result<()> {
    Sorted::of(object).map(drop)
}
