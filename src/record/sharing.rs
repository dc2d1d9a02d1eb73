//! Which elements go to other threads, and how they come back.
//!
//! Each is looked at by the thread that has time and comes back in its turn, so that it is counted
//! and written as if there were no others. There are two ways:
//!
//! - Where the text lies in memory as a whole, other threads read ahead, a stretch each, and this
//!   one takes what they found when it comes there.
//! - Else this one reads everything, and copies what needs a closer look. While the text is still
//!   on its way it has that look itself, if nobody else has begun.
//!
//! Both cost something: the first elements of a plan are not shared, and so a small plan starts no
//! thread; neither are those that are too long.

use std::thread::Scope;

use super::books::Books;
use super::maker::Maker;
use super::portion::{Made, Portion, RowWorker, parse};
use super::view::View;
use crate::error::Result;
use crate::plan::read_ahead::{ALONE, ReadAhead};
use crate::plan::{Element, Frontier, Scout};
use crate::pool::{Pool, Queue};

/// An element longer than this, in bytes, is not shared.
const ELEMENT_MAX: usize = 256 << 10;

/// A crew, and what is on its way to it.
pub(super) struct Sharing<'scope, 'env> {
    crew: Pool<'scope, 'env, RowWorker<'env>>,
    /// The attributes that rows have.
    view: Option<View<'env>>,
    /// Bytes of the elements that were not shared.
    alone: usize,
    /// The portion that is put together.
    next: Portion,
    /// Portions that came back, for their memory.
    spare: Vec<Portion>,
    /// Elements that are read ahead.
    ahead: ReadAhead<Portion>,
    /// Who reads them.
    scout: Option<Scout>,
    /// Elements of the section before this place.
    index: u64,
    /// Elements are copied: the text does not lie in memory, or it was given up to read ahead. That
    /// never happens at the same time: what is copied stands before this place, what is read ahead
    /// behind it.
    copies: bool,
}

impl<'scope, 'env> Sharing<'scope, 'env> {
    /// Shares with so many threads, this one included.
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        desk: &'env Queue<Portion>,
        threads: usize,
        view: Option<View<'env>>,
    ) -> Self {
        let crew = Pool::new(scope, desk, threads);
        let next = Portion::default();
        let (spare, ahead, scout) = (Vec::new(), ReadAhead::default(), None);
        let (alone, index, copies) = (0, 0, false);
        Sharing { crew, view, alone, next, spare, ahead, scout, index, copies }
    }

    /// Whether an element is to be copied and shared.
    pub(super) fn takes(&mut self, element: &Element<'_>, books: &Books<'_>) -> bool {
        let takes = self.crew.threads() > 1
            && self.copies
            && self.alone as u64 >= ALONE
            && books.begun
            && element.size() <= ELEMENT_MAX;
        self.alone = self.alone.saturating_add(element.size());
        takes
    }

    /// Up to where elements from here on were read ahead, if they were. Sends others to read on.
    pub(super) fn ahead(&mut self, frontier: &Frontier<'_>, books: &mut Books<'_>) -> Option<u64> {
        if self.copies && frontier.is_awaited() {
            self.crew.run_one();
        }
        let offset = frontier.offset();
        let is_worth_it = self.ahead.is_worth_it(offset);
        if self.crew.threads() == 1 || self.copies || !is_worth_it || !books.begun {
            return None;
        }
        let known = self.scout.take();
        let new = || frontier.scout().map(|scout| scout.with_change_max(ELEMENT_MAX as u64));
        let Some(scout) = known.or_else(new) else {
            self.copies = true;
            return None;
        };
        while self.crew.has_room()
            && let Some(range) = self.ahead.send(offset, scout.text_len())
        {
            let mut portion = self.spare.pop().unwrap_or_default();
            portion.send(scout.clone(), range);
            self.give(portion, books);
        }
        (self.scout, self.index) = (Some(scout), frontier.index());
        let Sharing { ahead, crew, spare, .. } = self;
        let found = ahead.find(offset, |_| true, || crew.recv(), |portion| keep(spare, portion));
        if ahead.is_lost() {
            self.recall();
            self.copies = true;
        }
        found.map(|range| range.end)
    }

    /// Counts and writes what was read ahead from here on: how many elements.
    ///
    /// # Errors
    ///
    /// There are too many different action words; the sink's.
    pub(super) fn passed(&mut self, books: &mut Books<'_>, maker: &mut Maker) -> Result<u64> {
        let Some(mut portion) = self.ahead.take() else { return Ok(0) };
        let count = portion.made.len() as u64;
        portion.first = self.index;
        self.absorb(portion, books, maker).map(|()| count)
    }

    /// The section has come to its end, or another begins: what is read ahead is given up.
    pub(super) fn recall(&mut self) {
        // Nothing else is on its way then.
        if self.scout.take().is_some() {
            let portions = self.crew.drain().into_iter().chain(self.ahead.take());
            portions.for_each(|portion| keep(&mut self.spare, portion));
        }
        self.ahead = ReadAhead::default();
    }

    /// Shares an element, and takes in what is done.
    ///
    /// # Errors
    ///
    /// What an element before it failed with; its place is complete.
    pub(super) fn share(
        &mut self,
        element: &Element<'_>,
        books: &mut Books<'_>,
        maker: &mut Maker,
    ) -> Result<()> {
        self.next.push(element);
        if self.next.is_full() {
            self.hand_over(books);
        }
        while let Some(portion) = self.crew.try_recv() {
            self.absorb(portion, books, maker)?;
        }
        if !self.crew.has_room()
            && let Some(portion) = self.crew.recv()
        {
            self.absorb(portion, books, maker)?;
        }
        Ok(())
    }

    /// Waits for all that is shared.
    ///
    /// # Errors
    ///
    /// What an element failed with; its place is complete.
    pub(super) fn settle(&mut self, books: &mut Books<'_>, maker: &mut Maker) -> Result<()> {
        if !self.copies {
            // What is read ahead stands behind this place.
            return Ok(());
        }
        if !self.next.is_empty() {
            self.hand_over(books);
        }
        while let Some(portion) = self.crew.recv() {
            self.absorb(portion, books, maker)?;
        }
        Ok(())
    }

    fn hand_over(&mut self, books: &mut Books<'_>) {
        let next = self.spare.pop().unwrap_or_default();
        let portion = std::mem::replace(&mut self.next, next);
        self.give(portion, books);
    }

    fn give(&mut self, portion: Portion, books: &mut Books<'_>) {
        let view = self.view;
        self.crew.submit(portion, || {
            let renderer = books.rendered().map(|sink| sink.renderer());
            RowWorker::new(books.limits, (books.show, books.extent, books.watch), view, renderer)
        });
    }

    /// Counts and writes what came of a portion, up to an error.
    fn absorb(
        &mut self,
        mut portion: Portion,
        books: &mut Books<'_>,
        maker: &mut Maker,
    ) -> Result<()> {
        let mut made = std::mem::take(&mut portion.made);
        // Rendered rows that are counted and not written yet.
        let (mut text_start, mut text_end, mut rows) = (0, 0, 0);
        let absorbed = made.drain(..).enumerate().try_for_each(|(place, made)| {
            let taken = match made {
                Made::Nothing(facts) => books.count(&facts),
                Made::Text(facts, end) => {
                    books.count(&facts).map(|()| (text_end, rows) = (end, rows + 1))
                }
                Made::Row(facts, row) => books.count(&facts).and_then(|()| books.record(&row)),
                Made::Left => {
                    books.text(&portion.text[text_start..text_end], rows)?;
                    (text_start, rows) = (text_end, 0);
                    let section = portion.section(place);
                    parse(section, portion.element(place))
                        .and_then(|(change, reason)| books.change(section, &change, reason, maker))
                }
            };
            taken.map_err(|error| portion.within(place, error))
        });
        books.text(&portion.text[text_start..text_end], rows)?;
        portion.made = made;
        keep(&mut self.spare, portion);
        absorbed
    }
}

/// Keeps the memory of a portion.
fn keep(spare: &mut Vec<Portion>, mut portion: Portion) {
    portion.clear();
    spare.push(portion);
}
