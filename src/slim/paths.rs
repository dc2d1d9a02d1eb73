//! Some attributes of a value: those whose paths are wanted.
//!
//! ```text
//! pattern          member      becomes
//! tags.Name        tags        stays: on the way, if it is no object or list as well
//! tags.Name        tags.Name   stays with all below it
//! *.password       login       stays if something in it does
//! *.password       id          goes
//! ```
//!
//! The elements of a list stay, because the places of the others would be others; the members of
//! an element are looked at like those of any object.
//!
//! The same walk cuts values and then the overlays that mark them, so that they go on fitting each
//! other. An overlay that marks a whole object of which a part stayed, stays: [`Pruner`] remembers
//! these objects. Nothing recurses.

use std::collections::HashSet;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::error::Result;
use crate::glob::{Glob, Progress};
use crate::json::value::{Elements, Kind, Members, Text, Value};
use crate::path::{self, Pattern};
use crate::redact::cut::Items;
use crate::secret::decode;

/// What a value is of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// A state of the resource.
    Value,
    /// What marks a state.
    Overlay,
}

/// Cuts values, one after the other.
#[derive(Debug)]
pub(super) struct Pruner<'p> {
    globs: Vec<Wanted<'p>>,
    /// For each container that was entered, the globs that may match below it, and how far they
    /// have come: those of the innermost one are last.
    led: Vec<(usize, Progress)>,
    /// The path of the member at hand, and the same without places in lists.
    texts: [String; 2],
    /// Objects and lists of values that stay for what is in them, by a digest of their path.
    kept: HashSet<u64>,
    decoded: Vec<u8>,
}

/// A glob of a pattern.
#[derive(Clone, Copy, Debug)]
struct Wanted<'p> {
    glob: &'p Glob,
    /// Which of the texts it is held to.
    text: usize,
}

/// A container that was entered.
struct Open<'a> {
    value: Value<'a>,
    inside: Inside<'a>,
    items: Items,
    /// Its part of [`Pruner::led`].
    led: Range<usize>,
    /// Lengths of the texts of its path.
    texts: [usize; 2],
    /// Digest of its path, without places in lists.
    digest: u64,
    /// Something in it was wanted.
    has_wanted: bool,
    /// It stays only then.
    pending: Option<Pending>,
}

/// What is known of a member whose fate is not.
struct Pending {
    /// Where the comma before it stands.
    separator: u64,
    /// Number of cuts before it, and of members that were gone.
    cuts: usize,
    gone: u64,
}

enum Inside<'a> {
    Object(Members<'a>),
    /// The place of the next element, and the elements.
    Array(u32, Elements<'a>),
}

/// How near a path is to what is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Near {
    /// Nothing below it can be.
    No,
    /// A star may stand for what leads on from it.
    Possibly,
    /// A pattern names it on its way.
    OnTheWay,
    /// It is wanted.
    There,
}

impl<'p> Pruner<'p> {
    pub fn new(patterns: &'p [Pattern]) -> Pruner<'p> {
        let mut globs = Vec::new();
        for pattern in patterns {
            for glob in pattern.globs() {
                globs.push(Wanted { glob, text: 0 });
                globs.extend(pattern.skips_places().then_some(Wanted { glob, text: 1 }));
            }
        }
        let (led, texts) = (Vec::new(), Default::default());
        Pruner { globs, led, texts, kept: HashSet::new(), decoded: Vec::new() }
    }

    /// The values and overlays of another element follow.
    pub fn begin(&mut self) {
        self.kept.clear();
    }

    /// Tells what of a value is to be removed, and how many members that is.
    pub fn prune(
        &mut self,
        root: Value<'_>,
        layer: Layer,
        cuts: &mut Vec<Range<u64>>,
    ) -> Result<u64> {
        self.led.clear();
        self.led.extend((0..self.globs.len()).map(|glob| (glob, Progress::default())));
        self.texts.iter_mut().for_each(String::clear);
        let mut open: Vec<Open<'_>> = Vec::new();
        open.extend(Open::of(root, 0..self.led.len(), [0; 2], 0)?);
        let mut gone = 0;
        while let Some(top) = open.last_mut() {
            self.led.truncate(top.led.end);
            self.texts.iter_mut().zip(top.texts).for_each(|(text, len)| text.truncate(len));
            let entered = match top.inside.next()? {
                Some(Item::Element(place, element)) => self.element(top, place, element)?,
                Some(Item::Member(key, value)) => {
                    let entered = self.member(top, key, value, layer, cuts, &mut gone)?;
                    if entered.as_ref().is_none_or(|entered| entered.pending.is_none()) {
                        top.items.passed(value.range().end);
                    }
                    entered
                }
                None => {
                    let done = open.pop();
                    if let (Some(above), Some(done)) = (open.last_mut(), done) {
                        self.close(above, &done, layer, cuts, &mut gone);
                    }
                    continue;
                }
            };
            open.extend(entered);
        }
        Ok(gone)
    }

    /// What of an element of a list is to be entered.
    fn element<'a>(
        &mut self,
        list: &mut Open<'a>,
        place: u32,
        element: Value<'a>,
    ) -> Result<Option<Open<'a>>> {
        // Writing to a text cannot fail.
        let _ = write!(self.texts[0], "[{place}]");
        let (near, led) = self.advance(list.led.clone());
        if near == Near::There {
            list.has_wanted = true;
            return Ok(None);
        }
        Open::of(element, led, self.lens(), list.digest)
    }

    /// Decides on a member of an object, or enters it.
    fn member<'a>(
        &mut self,
        object: &mut Open<'a>,
        key: Text<'_>,
        value: Value<'a>,
        layer: Layer,
        cuts: &mut Vec<Range<u64>>,
        gone: &mut u64,
    ) -> Result<Option<Open<'a>>> {
        let separator = object.separator(key);
        let key = String::from_utf8_lossy(decode(key, &mut self.decoded)?);
        let mut hasher = DefaultHasher::new();
        (object.digest, &key).hash(&mut hasher);
        let digest = hasher.finish();
        self.texts.iter_mut().for_each(|text| path::push_key(text, &key));
        let (near, led) = self.advance(object.led.clone());
        let entered = match near {
            Near::No | Near::There => None,
            Near::Possibly | Near::OnTheWay => Open::of(value, led, self.lens(), digest)?,
        };
        let stays = match (near, entered) {
            (Near::Possibly, Some(mut entered)) => {
                let pending = Pending { separator, cuts: cuts.len(), gone: *gone };
                entered.pending = Some(pending);
                return Ok(Some(entered));
            }
            (Near::OnTheWay, entered) => {
                object.stay(separator, cuts);
                return Ok(entered);
            }
            (Near::Possibly, None) => layer == Layer::Overlay && self.kept.contains(&digest),
            (near, _) => near == Near::There,
        };
        match stays {
            true => object.stay(separator, cuts),
            false => {
                cuts.push(object.items.go()..value.range().end);
                *gone += 1;
            }
        }
        Ok(None)
    }

    /// Decides on a container when all of it was looked at.
    fn close(
        &mut self,
        above: &mut Open<'_>,
        done: &Open<'_>,
        layer: Layer,
        cuts: &mut Vec<Range<u64>>,
        gone: &mut u64,
    ) {
        let Some(pending) = &done.pending else {
            above.has_wanted |= done.has_wanted;
            return;
        };
        let end = done.value.range().end;
        if done.has_wanted {
            above.stay(pending.separator, cuts);
            if layer == Layer::Value {
                self.kept.insert(done.digest);
            }
        } else {
            cuts.truncate(pending.cuts);
            cuts.push(above.items.go()..end);
            *gone = pending.gone + 1;
        }
        above.items.passed(end);
    }

    /// How near the path at hand is to what is wanted, and the globs that may match below it.
    fn advance(&mut self, led: Range<usize>) -> (Near, Range<usize>) {
        let start = self.led.len();
        let mut near = Near::No;
        for at in led {
            let (place, progress) = self.led[at];
            let Wanted { glob, text } = self.globs[place];
            let text = self.texts[text].as_bytes();
            let Some(progress) = glob.advanced(progress, text) else { continue };
            let here = match glob.next(progress) {
                _ if glob.ends(progress, text) => Near::There,
                Some([b'.' | b'[', ..]) => Near::OnTheWay,
                Some(_) => continue,
                None => Near::Possibly,
            };
            near = near.max(here);
            self.led.push((place, progress));
        }
        (near, start..self.led.len())
    }

    fn lens(&self) -> [usize; 2] {
        [self.texts[0].len(), self.texts[1].len()]
    }
}

/// What comes next in a container.
enum Item<'a> {
    Member(Text<'a>, Value<'a>),
    Element(u32, Value<'a>),
}

impl<'a> Inside<'a> {
    fn next(&mut self) -> Result<Option<Item<'a>>> {
        Ok(match self {
            Inside::Object(members) => {
                members.next().transpose()?.map(|(key, value)| Item::Member(key, value))
            }
            Inside::Array(place, elements) => elements.next().transpose()?.map(|element| {
                let item = Item::Element(*place, element);
                *place = place.saturating_add(1);
                item
            }),
        })
    }
}

impl<'a> Open<'a> {
    /// `None` for what has nothing in it to look at.
    fn of(
        value: Value<'a>,
        led: Range<usize>,
        texts: [usize; 2],
        digest: u64,
    ) -> Result<Option<Open<'a>>> {
        let inside = match value.kind()? {
            Kind::Object => Inside::Object(value.members()?),
            Kind::Array => Inside::Array(0, value.elements()?),
            _ => return Ok(None),
        };
        let items = Items::new(value.offset() + 1);
        let (has_wanted, pending) = (false, None);
        Ok(Some(Open { value, inside, items, led, texts, digest, has_wanted, pending }))
    }

    /// The member at hand stays.
    fn stay(&mut self, separator: u64, cuts: &mut Vec<Range<u64>>) {
        cuts.extend(self.items.stay(separator));
        self.has_wanted = true;
    }

    /// Where the comma before a key stands; without one, anywhere.
    fn separator(&self, key: Text<'_>) -> u64 {
        let (start, end) = (self.items.end(), key.offset() - 1);
        let text = |offset: u64| (offset - self.value.offset()) as usize;
        let between = &self.value.raw()[text(start)..text(end)];
        let comma = between.iter().position(|&byte| byte == b',');
        start + comma.unwrap_or_default() as u64
    }
}
