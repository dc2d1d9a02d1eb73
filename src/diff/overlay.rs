//! Overlays: trees of marks that are walked in step with a value (plan-format, section 5).
//!
//! Nearly all of them mark nothing, and those that do have their marks in few places. A mark is the
//! word `true`, so what does not hold that word is passed over.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::error::{Error, ErrorKind, Result};
use crate::json::value::{Elements, Kind, Members, Text, Value};
use crate::path::{Paths, Step};

/// What a mark looks like.
static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("true"));

/// Whether an overlay, or a part of one, could mark anything: by a look at its bytes.
pub(crate) fn may_mark(overlay: Value<'_>) -> bool {
    match overlay.raw() {
        b"{}" | b"[]" | b"false" => false,
        raw => MARK.find(raw).is_some(),
    }
}

/// Adds every place where an overlay is exactly `true`, and tells where in the overlay's own bytes
/// each mark stands.
///
/// # Errors
///
/// It is not well formed, or has a key twice; the limit on paths.
pub(super) fn collect(
    overlay: Value<'_>,
    paths: &mut Paths,
    paths_max: u64,
    mut mark: impl FnMut(u64),
) -> Result<()> {
    if !may_mark(overlay) {
        return Ok(());
    }
    let mut walk = Walk::new(overlay);
    while let Some(marked) = walk.next_mark()? {
        mark(marked.offset() - overlay.offset());
        let steps = walk.steps()?;
        paths.push(steps.iter().map(|step| match step {
            Mark::Key(key) => Step::Key(key),
            Mark::Index(index) => Step::Index(*index),
        }));
        super::hold_to_limit(paths, paths_max, marked.offset())?;
    }
    Ok(())
}

/// A walk from mark to mark.
struct Walk<'a> {
    overlay: Value<'a>,
    root: Option<Value<'a>>,
    open: Vec<Container<'a>>,
    /// How far into the overlay the next thing stands that looks like a mark; its length when there
    /// is none. Looked for from where the walk is, so that no byte is searched twice.
    next: usize,
}

/// A container that was entered, and the place in it that was reached.
enum Container<'a> {
    Object { object: Value<'a>, members: Members<'a>, key: Option<Text<'a>>, unordered: bool },
    Array { elements: Elements<'a>, reached: u32 },
}

/// A step to a marked place.
enum Mark<'a> {
    Key(Cow<'a, str>),
    Index(u32),
}

impl<'a> Walk<'a> {
    fn new(overlay: Value<'a>) -> Walk<'a> {
        Walk { overlay, root: Some(overlay), open: Vec::new(), next: 0 }
    }

    /// Whether a value, which comes after all that were asked for before, could mark anything.
    fn may_mark(&mut self, value: Value<'a>) -> bool {
        let overlay = self.overlay.raw();
        let start = (value.offset() - self.overlay.offset()) as usize;
        if self.next < start || self.next == 0 {
            self.next = MARK.find(&overlay[start..]).map_or(overlay.len(), |next| start + next);
        }
        self.next < start + value.raw().len()
    }

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
            if !self.may_mark(value) {
                continue;
            }
            match value.kind()? {
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
                Kind::False | Kind::Null | Kind::Number | Kind::String => {}
            }
        }
    }

    fn steps(&self) -> Result<Vec<Mark<'a>>> {
        let step = |container: &Container<'a>| match container {
            Container::Object { key: Some(key), .. } => Some(key.decode().map(Mark::Key)),
            Container::Object { key: None, .. } => None,
            Container::Array { reached, .. } => Some(Ok(Mark::Index(reached - 1))),
        };
        self.open.iter().filter_map(step).collect()
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
    let mut keys = object.members()?.map(|member| Ok(member?.0)).collect::<Result<Vec<_>>>()?;
    keys.sort_by(|a, b| a.compare(*b));
    match keys.windows(2).find(|two| two[0].compare(two[1]).is_eq()) {
        Some(twice) => Err(Error::at(ErrorKind::DuplicateKey, twice[1].offset() - 1)),
        None => Ok(()),
    }
}
