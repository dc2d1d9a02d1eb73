//! Changes that are made rows on another thread, a few at a time.
//!
//! The elements are copied, because the window moves on. What comes back for each is what the
//! thread that reads would have found itself: what it adds to the summary, and its row. Whatever is
//! not so simple (an error, a limit, a row that is too long to wait in memory) is left to that
//! thread, which does it again when its turn comes; so errors and limits have one way only.

use super::held;
use super::maker::{Facts, Maker};
use super::sift::Show;
use super::view::{Places, View, Viewer};
use super::{Record, Renderer};
use crate::crew::Worker;
use crate::error::{Error, Result};
use crate::json::detached::Detached;
use crate::json::value::{Text, Value};
use crate::limits::Limits;
use crate::plan::{Deferred, Element, ResourceChange, Section};

/// Bytes of elements that are worth handing over.
const SIZE: usize = 128 << 10;

/// Longest lists of paths of a row that is handed over, in bytes of memory.
const PATHS_MAX: u64 = 64 << 10;

/// Bytes of rendered rows after which the rest of a portion is left.
const TEXT_MAX: usize = 256 << 10;

/// Some elements, and what came of them.
#[derive(Default)]
pub(super) struct Portion {
    elements: Detached,
    /// Where each of them stood.
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

impl Portion {
    pub(super) fn clear(&mut self) {
        self.elements.clear();
        self.places.clear();
        self.made.clear();
        self.text.clear();
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

    /// Where an element stood.
    pub(super) fn place(&self, place: usize) -> (Section, u64) {
        self.places[place]
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
    Ok((ResourceChange::parse(element)?, None))
}

/// Makes rows of portions.
pub(super) struct RowWorker<'v> {
    maker: Maker,
    /// Finds attributes, if they were asked for.
    viewer: Option<Viewer<'v>>,
    show: Show,
    /// `None`: rows are handed over as they are.
    renderer: Option<Box<dyn Renderer>>,
}

impl<'v> RowWorker<'v> {
    pub(super) fn new(
        limits: Limits,
        show: Show,
        view: Option<View<'v>>,
        renderer: Option<Box<dyn Renderer>>,
    ) -> Self {
        let limits = Limits { paths: limits.paths.min(PATHS_MAX), ..limits };
        let viewer = view.map(|view| Viewer::new(view, &limits));
        RowWorker { maker: Maker::new(limits), viewer, show, renderer }
    }

    /// # Errors
    ///
    /// Anything that is to be left to the one who reads.
    fn make(&mut self, portion: &mut Portion, place: usize) -> Result<Made> {
        let (section, _) = portion.places[place];
        let (change, reason) = parse(section, portion.elements.value(place))?;
        let facts = self.maker.facts(section, &change)?;
        if self.show.hides(&facts) {
            return Ok(Made::Nothing(facts));
        }
        let row = self.maker.row(&facts, &change, reason)?;
        Ok(match &mut self.renderer {
            Some(renderer) => {
                renderer.render(&row, &mut portion.text)?;
                Made::Text(facts, portion.text.len())
            }
            None => {
                let Some(mut owned) = held::owned(&row) else { return Ok(Made::Left) };
                if let (Some(viewer), Some(row)) = (&mut self.viewer, owned.resource_mut()) {
                    let (changed, unknown) = (&*row.changed, &*row.unknown);
                    let places = Places { changed, unknown, replace_paths: &row.replace_paths };
                    row.attributes = viewer.view(&change.change, places)?;
                }
                Made::Row(facts, Box::new(owned))
            }
        })
    }
}

impl Worker for RowWorker<'_> {
    type Job = Portion;

    fn work(&mut self, portion: &mut Portion) {
        for place in 0..portion.elements.len() {
            let text_len = portion.text.len();
            let made = match text_len {
                TEXT_MAX.. => Made::Left,
                _ => self.make(portion, place).unwrap_or_else(|_: Error| {
                    portion.text.truncate(text_len);
                    Made::Left
                }),
            };
            portion.made.push(made);
        }
    }
}
