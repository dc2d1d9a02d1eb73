//! Cuts a value down to the attributes whose paths match a pattern.
//!
//! ```text
//! pattern          member      result
//! tags.Name        tags        stays, even if it is not an object or list: it is on the way
//! tags.Name        tags.Name   stays, with everything below it
//! *.password       login       stays if something in it stays
//! *.password       id          is removed
//! ```
//!
//! All elements of a list stay, because removing one would change the indexes of the others. The
//! members of an element are examined like those of any object.
//!
//! The same walk first cuts values and then their overlays, so that values and overlays still fit
//! each other. If an overlay marks a whole object and a part of the object stays, the mark stays
//! too: [`Pruner`] remembers such objects. The walk uses a stack instead of recursion.

use std::collections::HashSet;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::redact::cut::Items;
use plansift_core::error::Result;
use plansift_core::glob::{Glob, Progress};
use plansift_core::json::value::decode;
use plansift_core::json::value::{Entries, Step, Text, Value};
use plansift_core::path::{self, Pattern};

/// The role of a value in a resource or change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// A value of the resource, before or after the change.
    Value,
    /// An overlay with the marks of a value.
    Overlay,
}

/// Cuts values, one after another.
#[derive(Debug)]
pub(super) struct Pruner<'p> {
    globs: Vec<Wanted<'p>>,
    /// For each entered container, the indexes of the globs that may match below it, with their
    /// progress. The candidates of the innermost container come last.
    candidates: Vec<(usize, Progress)>,
    /// The path of the current member, with and without list indexes.
    paths: [String; 2],
    /// Digests of the paths of containers in values. These containers stay because something in
    /// them stays.
    kept: HashSet<u64>,
    /// Scratch space for decoded keys.
    decoded: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Wanted<'p> {
    glob: &'p Glob,
    /// The index in [`Pruner::paths`] of the path to match.
    path: usize,
}

struct Open<'a> {
    value: Value<'a>,
    entries: Entries<'a>,
    items: Items,
    /// The container's range of [`Pruner::candidates`].
    candidates: Range<usize>,
    /// The lengths of the container's paths in [`Pruner::paths`], in bytes.
    path_lens: [usize; 2],
    /// Digest of the container's path without list indexes.
    digest: u64,
    /// Whether something in the container stays.
    has_wanted: bool,
    /// If set, the container stays only if something in it stays.
    pending: Option<Pending>,
}

/// The state before a member that is not decided yet.
struct Pending {
    /// Offset of the comma before the member.
    separator: u64,
    /// Number of cuts before the member.
    cuts: usize,
    /// Number of members removed before the member.
    removed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchDistance {
    /// Neither the path nor any path below it matches.
    No,
    /// A path below this path may match, because of a star in the pattern.
    Possibly,
    /// A pattern names the path literally as the start of a match.
    OnTheWay,
    There,
}

impl<'p> Pruner<'p> {
    /// Creates a pruner that keeps only attributes at paths that `patterns` cover.
    pub fn new(patterns: &'p [Pattern]) -> Pruner<'p> {
        let mut globs = Vec::new();
        for pattern in patterns {
            for glob in pattern.globs() {
                globs.push(Wanted { glob, path: 0 });
                globs.extend(pattern.skips_places().then_some(Wanted { glob, path: 1 }));
            }
        }
        let (candidates, paths) = (Vec::new(), Default::default());
        Pruner { globs, candidates, paths, kept: HashSet::new(), decoded: Vec::new() }
    }

    /// Begins another resource or change. Its values and overlays follow.
    pub fn begin(&mut self) {
        self.kept.clear();
    }

    /// Adds the ranges to remove from a value to `cuts`. Returns the number of removed members.
    pub fn prune(
        &mut self,
        root: Value<'_>,
        layer: Layer,
        cuts: &mut Vec<Range<u64>>,
    ) -> Result<u64> {
        self.candidates.clear();
        self.candidates.extend((0..self.globs.len()).map(|glob| (glob, Progress::default())));
        self.paths.iter_mut().for_each(String::clear);
        let mut open: Vec<Open<'_>> = Vec::new();
        open.extend(Open::of(root, 0..self.candidates.len(), [0; 2], 0)?);
        let mut removed = 0;
        while let Some(top) = open.last_mut() {
            self.candidates.truncate(top.candidates.end);
            self.paths.iter_mut().zip(top.path_lens).for_each(|(path, len)| path.truncate(len));
            let entered = match top.entries.step()? {
                Some((Step::Index(index), element)) => self.element(top, index, element)?,
                Some((Step::Key(key), value)) => {
                    let entered = self.member(top, key, value, layer, cuts, &mut removed)?;
                    if entered.as_ref().is_none_or(|entered| entered.pending.is_none()) {
                        top.items.passed(value.range().end);
                    }
                    entered
                }
                None => {
                    let closed = open.pop();
                    if let (Some(parent), Some(closed)) = (open.last_mut(), closed) {
                        self.close(parent, &closed, layer, cuts, &mut removed);
                    }
                    continue;
                }
            };
            open.extend(entered);
        }
        Ok(removed)
    }

    /// Returns an element of a list if it must be entered. The element itself always stays.
    fn element<'a>(
        &mut self,
        list: &mut Open<'a>,
        index: u32,
        element: Value<'a>,
    ) -> Result<Option<Open<'a>>> {
        // Writing to a string cannot fail.
        let _ = write!(self.paths[0], "[{index}]");
        let (distance, candidates) = self.advance(list.candidates.clone());
        if distance == MatchDistance::There {
            list.has_wanted = true;
            return Ok(None);
        }
        Open::of(element, candidates, self.path_lens(), list.digest)
    }

    /// Decides whether a member of an object stays, or returns the member if it must be entered.
    fn member<'a>(
        &mut self,
        object: &mut Open<'a>,
        key: Text<'_>,
        value: Value<'a>,
        layer: Layer,
        cuts: &mut Vec<Range<u64>>,
        removed: &mut u64,
    ) -> Result<Option<Open<'a>>> {
        let separator = object.separator(key);
        let key = String::from_utf8_lossy(decode(key, &mut self.decoded)?);
        let mut hasher = DefaultHasher::new();
        (object.digest, &key).hash(&mut hasher);
        let digest = hasher.finish();
        self.paths.iter_mut().for_each(|path| path::push_key(path, &key));
        let (distance, candidates) = self.advance(object.candidates.clone());
        let entered = match distance {
            MatchDistance::No | MatchDistance::There => None,
            MatchDistance::Possibly | MatchDistance::OnTheWay => {
                Open::of(value, candidates, self.path_lens(), digest)?
            }
        };
        let stays = match (distance, entered) {
            (MatchDistance::Possibly, Some(mut entered)) => {
                let pending = Pending { separator, cuts: cuts.len(), removed: *removed };
                entered.pending = Some(pending);
                return Ok(Some(entered));
            }
            (MatchDistance::OnTheWay, entered) => {
                object.keep(separator, cuts);
                return Ok(entered);
            }
            (MatchDistance::Possibly, None) => {
                layer == Layer::Overlay && self.kept.contains(&digest)
            }
            (distance, _) => distance == MatchDistance::There,
        };
        match stays {
            true => object.keep(separator, cuts),
            false => {
                cuts.push(object.items.remove()..value.range().end);
                *removed += 1;
            }
        }
        Ok(None)
    }

    /// Ends a container. If it is pending, decides whether it stays.
    fn close(
        &mut self,
        parent: &mut Open<'_>,
        closed: &Open<'_>,
        layer: Layer,
        cuts: &mut Vec<Range<u64>>,
        removed: &mut u64,
    ) {
        let Some(pending) = &closed.pending else {
            parent.has_wanted |= closed.has_wanted;
            return;
        };
        let end = closed.value.range().end;
        if closed.has_wanted {
            parent.keep(pending.separator, cuts);
            if layer == Layer::Value {
                self.kept.insert(closed.digest);
            }
        } else {
            cuts.truncate(pending.cuts);
            cuts.push(parent.items.remove()..end);
            *removed = pending.removed + 1;
        }
        parent.items.passed(end);
    }

    /// Matches the current path. Returns how close it is to a match, and the range of
    /// [`Pruner::candidates`] with the globs that may match below it.
    fn advance(&mut self, candidates: Range<usize>) -> (MatchDistance, Range<usize>) {
        let start = self.candidates.len();
        let mut distance = MatchDistance::No;
        for candidate in candidates {
            let (index, progress) = self.candidates[candidate];
            let Wanted { glob, path } = self.globs[index];
            let path = self.paths[path].as_bytes();
            let Some(progress) = glob.advanced(progress, path) else { continue };
            let here = match glob.next(progress) {
                _ if glob.ends(progress, path) => MatchDistance::There,
                Some([b'.' | b'[', ..]) => MatchDistance::OnTheWay,
                Some(_) => continue,
                None => MatchDistance::Possibly,
            };
            distance = distance.max(here);
            self.candidates.push((index, progress));
        }
        (distance, start..self.candidates.len())
    }

    fn path_lens(&self) -> [usize; 2] {
        [self.paths[0].len(), self.paths[1].len()]
    }
}

impl<'a> Open<'a> {
    /// Enters a value. `None` if it is not an object or array.
    fn of(
        value: Value<'a>,
        candidates: Range<usize>,
        path_lens: [usize; 2],
        digest: u64,
    ) -> Result<Option<Open<'a>>> {
        let Some(entries) = Entries::of(value)? else { return Ok(None) };
        let items = Items::new(value.offset() + 1);
        let (has_wanted, pending) = (false, None);
        Ok(Some(Open { value, entries, items, candidates, path_lens, digest, has_wanted, pending }))
    }

    fn keep(&mut self, separator: u64, cuts: &mut Vec<Range<u64>>) {
        cuts.extend(self.items.keep(separator));
        self.has_wanted = true;
    }

    /// Returns the offset of the comma before a key. Without a comma, the offset has no meaning.
    fn separator(&self, key: Text<'_>) -> u64 {
        let (start, end) = (self.items.end(), key.offset() - 1);
        let relative = |offset: u64| (offset - self.value.offset()) as usize;
        let between = &self.value.raw()[relative(start)..relative(end)];
        let comma = between.iter().position(|&byte| byte == b',');
        start + comma.unwrap_or_default() as u64
    }
}
