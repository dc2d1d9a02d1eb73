//! Changes that are made rows on another thread, a few at a time.
//!
//! Where the text lies in memory as a whole, the other thread reads the elements itself
//! ([`Scout`]); else they are copied, because the window moves on. What comes back for each is what
//! the thread that reads would have found itself: what it adds to the summary, and its row.
//! Whatever is not so simple (an error, a limit, a row that is too long to wait in memory) is left
//! to that thread, which does it again when its turn comes; so errors and limits have one way only.

use std::ops::Range;

use super::held;
use super::maker::{Facts, Maker};
use super::sift::{Extent, Show};
use super::view::{Places, View, Viewer, Whose};
use super::watch::Watch;
use super::{Record, Renderer};
use crate::error::{Error, Result};
use crate::json::detached::Detached;
use crate::json::outline::Outline;
use crate::json::value::{Text, Value};
use crate::limits::Limits;
use crate::plan::read_ahead::Sent;
use crate::plan::{Deferred, Element, Flow, ResourceChange, Scout, Section, Visitor};
use crate::pool::{Worker, scaled_for_fuzzing};

/// Bytes of elements that are worth handing over.
const SIZE: usize = scaled_for_fuzzing(128 << 10) as usize;

/// Longest lists of paths of a row that is handed over, in bytes of memory.
const PATHS_MAX: u64 = 64 << 10;

/// Bytes of rendered rows after which the rest of a portion is left.
const TEXT_MAX: usize = 256 << 10;

/// The same of what else came of it, in memory.
const MADE_MAX: u64 = 1 << 20;

/// About what the texts of a row take in memory that are neither paths nor attributes.
const TEXTS: u64 = 256;

/// Some elements, and what came of them.
#[derive(Default)]
pub(super) struct Portion {
    /// Who is to read them, and where they begin; `None`: they were copied.
    sent_to: Option<(Scout, Range<u64>)>,
    /// From where to where they were read.
    read: Option<Range<u64>>,
    /// Elements of the section before those that were read.
    pub(super) first: u64,
    elements: Detached,
    /// Where each of those that were copied stood.
    places: Vec<(Section, u64)>,
    /// One for each, once it is done.
    pub(super) made: Vec<Made>,
    /// The rows that are rendered already, one after the other.
    pub(super) text: Vec<u8>,
}

/// What came of an element.
pub(super) enum Made {
    /// It has no row.
    Nothing(Facts),
    /// Its row is rendered, and ends there.
    Text(Facts, usize),
    /// Its row.
    Row(Facts, Box<Record<'static>>),
    /// It is left to the one who reads.
    Left,
}

impl Made {
    /// About the memory that it takes, in bytes.
    fn size(&self) -> u64 {
        let row = match self {
            Made::Row(_, row) => row.resource().map_or(0, |change| {
                let paths = [&change.changed, &change.unknown, &change.sensitive];
                let paths: u64 = paths.iter().map(|paths| paths.size()).sum();
                size_of_val(row.as_ref()) as u64 + TEXTS + paths + change.attributes.size()
            }),
            _ => 0,
        };
        size_of::<Made>() as u64 + row
    }
}

impl Sent for Portion {
    fn read(&self) -> Option<Range<u64>> {
        self.read.clone()
    }
}

impl Portion {
    pub(super) fn clear(&mut self) {
        (self.sent_to, self.read) = (None, None);
        self.elements.clear();
        self.places.clear();
        self.made.clear();
        self.text.clear();
    }

    /// Sends somebody to read those that begin in a range.
    pub(super) fn send(&mut self, scout: Scout, range: Range<u64>) {
        self.sent_to = Some((scout, range));
    }

    pub(super) fn push(&mut self, element: &Element<'_>) {
        element.detach(&mut self.elements);
        self.places.push((element.section(), element.index()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.elements.size() >= SIZE
    }

    /// The section of an element that was copied.
    pub(super) fn section(&self, place: usize) -> Section {
        self.places[place].0
    }

    /// An error of an element, with its place: within its section if it was read ahead.
    pub(super) fn within(&self, place: usize, error: Error) -> Error {
        match self.places.get(place) {
            Some((section, index)) => error.within(&format!("[{index}]")).within(section.name()),
            None => error.within(&format!("[{}]", self.first + place as u64)),
        }
    }

    /// An element.
    pub(super) fn element(&mut self, place: usize) -> Value<'_> {
        self.elements.value(place)
    }
}

/// The change to a resource that an element of a section is, and why it is put off.
///
/// # Errors
///
/// It is not well formed.
pub(super) fn parse(
    section: Section,
    element: Value<'_>,
) -> Result<(ResourceChange<'_>, Option<Text<'_>>)> {
    if section == Section::DeferredChanges {
        let deferred = Deferred::parse(element)?;
        return Ok((deferred.resource_change, deferred.reason));
    }
    Ok((ResourceChange::parse(section, element)?, None))
}

/// Makes rows of portions.
pub(super) struct RowWorker<'v> {
    maker: Maker,
    /// Finds attributes, if they were asked for.
    viewer: Option<Viewer<'v>>,
    show: Show,
    /// Where elements are outlined.
    outline: Outline,
    /// `None`: rows are handed over as they are.
    renderer: Option<Box<dyn Renderer>>,
    /// What came of the portion so far, in bytes of memory.
    made: u64,
}

impl<'v> RowWorker<'v> {
    pub(super) fn new(
        limits: Limits,
        (show, extent, watch): (Show, Extent, Option<&'static Watch>),
        view: Option<View<'v>>,
        renderer: Option<Box<dyn Renderer>>,
    ) -> Self {
        let limits = Limits { paths: limits.paths.min(PATHS_MAX), ..limits };
        let viewer = view.map(|view| Viewer::new(view, &limits));
        let (maker, outline) = (Maker::new(limits, extent, watch), Outline::new());
        RowWorker { maker, viewer, show, outline, renderer, made: 0 }
    }

    /// # Errors
    ///
    /// Anything that is to be left to the one who reads.
    fn make(
        &mut self,
        section: Section,
        change: &ResourceChange<'_>,
        reason: Option<Text<'_>>,
        text: &mut Vec<u8>,
    ) -> Result<Made> {
        let facts = self.maker.facts(section, change)?;
        if self.show.hides(&facts) {
            return Ok(Made::Nothing(facts));
        }
        let row = self.maker.row(&facts, change, reason, self.viewer.as_ref())?;
        Ok(match &mut self.renderer {
            Some(renderer) => {
                renderer.render(&row, text)?;
                Made::Text(facts, text.len())
            }
            None => {
                let Some(mut owned) = held::owned(&row) else { return Ok(Made::Left) };
                if let (Some(viewer), Some(row)) = (&mut self.viewer, owned.resource_mut()) {
                    let (changed, unknown) = (&*row.changed, &*row.unknown);
                    let places = Places { changed, unknown, replace_paths: &row.replace_paths };
                    let whose = Whose::Resource(section, change.address);
                    row.attributes = viewer.view(whose, &change.change, places)?;
                }
                Made::Row(facts, Box::new(owned))
            }
        })
    }

    /// The same; anything that is to be left is.
    fn make_or_leave(
        &mut self,
        section: Section,
        change: &ResourceChange<'_>,
        reason: Option<Text<'_>>,
        text: &mut Vec<u8>,
    ) -> Made {
        let text_len = text.len();
        if text_len >= TEXT_MAX || self.made >= MADE_MAX {
            return Made::Left;
        }
        let made = self.make(section, change, reason, text).unwrap_or_else(|_: Error| {
            text.truncate(text_len);
            Made::Left
        });
        self.made += made.size();
        made
    }
}

impl Worker for RowWorker<'_> {
    type Job = Portion;

    fn work(&mut self, portion: &mut Portion) {
        self.made = 0;
        if let Some((scout, range)) = portion.sent_to.take() {
            let Portion { made, text, .. } = portion;
            let mut outline = std::mem::take(&mut self.outline);
            let mut ahead = Ahead { worker: self, made, text };
            portion.read = scout.read(range, &mut outline, &mut ahead);
            self.outline = outline;
            return;
        }
        for place in 0..portion.elements.len() {
            let section = portion.section(place);
            let made = match parse(section, portion.elements.value(place)) {
                Ok((change, reason)) => {
                    self.make_or_leave(section, &change, reason, &mut portion.text)
                }
                Err(_) => Made::Left,
            };
            portion.made.push(made);
        }
    }
}

/// Makes rows of elements that are read ahead.
struct Ahead<'w, 'v> {
    worker: &'w mut RowWorker<'v>,
    made: &'w mut Vec<Made>,
    text: &'w mut Vec<u8>,
}

impl Ahead<'_, '_> {
    fn change(
        &mut self,
        section: Section,
        change: &ResourceChange<'_>,
        reason: Option<Text<'_>>,
    ) -> Flow {
        match self.worker.make_or_leave(section, change, reason, self.text) {
            Made::Left => Flow::Stop,
            made => {
                self.made.push(made);
                Flow::Continue
            }
        }
    }
}

impl Visitor for Ahead<'_, '_> {
    fn resource_change(&mut self, section: Section, change: &ResourceChange<'_>) -> Result<Flow> {
        Ok(self.change(section, change, None))
    }

    fn deferred_change(&mut self, deferred: &Deferred<'_>) -> Result<Flow> {
        let change = &deferred.resource_change;
        Ok(self.change(Section::DeferredChanges, change, deferred.reason))
    }
}
