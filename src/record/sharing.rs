//! Which elements go to other threads, and how they come back.
//!
//! Each is looked at by the thread that has time and comes back in its turn, so that it is counted
//! and written as if there were no others. Copying and handing over cost something: the first
//! elements of a plan are not shared, and so a small plan starts no thread; neither are those that
//! are too long to be copied.

use std::thread::Scope;

use super::books::Books;
use super::maker::Maker;
use super::portion::{Made, Portion, RowWorker, parse};
use super::view::View;
use crate::crew::{Crew, Desk};
use crate::error::Result;
use crate::json::detached::Detached;
use crate::plan::{Element, ResourceChange};

/// As many elements as this, in bytes, are looked at before any is shared.
const ALONE: usize = 512 << 10;

/// An element longer than this, in bytes, is not copied.
const ELEMENT_MAX: usize = 256 << 10;

/// Most threads that take part: one reads, and more than these it cannot keep busy. Each has some
/// MiB of memory, and so has what is under way.
const THREADS_MAX: usize = 8;

/// How many portions may be out for each thread.
const OUT_EACH: usize = 2;

/// A crew, and what is on its way to it.
pub(super) struct Sharing<'scope, 'env> {
    crew: Crew<'scope, 'env, RowWorker<'env>>,
    /// The attributes that rows have.
    view: Option<View<'env>>,
    /// Bytes of the elements that were not shared.
    alone: usize,
    /// The portion that is put together.
    next: Portion,
    /// Portions that came back, for their memory.
    spare: Vec<Portion>,
    /// The element that is learnt from.
    lesson: Detached,
}

impl<'scope, 'env> Sharing<'scope, 'env> {
    /// Shares with so many threads, this one included.
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        desk: &'env Desk<Portion>,
        threads: usize,
        view: Option<View<'env>>,
    ) -> Self {
        let crew = Crew::new(scope, desk, threads.min(THREADS_MAX));
        let (next, lesson) = (Portion::default(), Detached::default());
        Sharing { crew, view, alone: 0, next, spare: Vec::new(), lesson }
    }

    /// Whether something is shared and did not come back.
    pub(super) fn is_under_way(&self) -> bool {
        self.crew.out() > 0 || !self.next.is_empty()
    }

    /// Whether an element is to be shared.
    pub(super) fn takes(&mut self, element: &Element<'_>, books: &Books<'_>) -> bool {
        let takes = self.crew.threads() > 1
            && self.alone >= ALONE
            && books.begun
            && element.size() <= ELEMENT_MAX;
        self.alone = self.alone.saturating_add(element.size());
        takes
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
        while let Some(portion) = self.crew.take() {
            self.absorb(portion, books, maker)?;
        }
        if self.crew.out() >= OUT_EACH * self.crew.threads()
            && let Some(portion) = self.crew.wait()
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
        if !self.next.is_empty() {
            self.hand_over(books);
        }
        while let Some(portion) = self.crew.wait() {
            self.absorb(portion, books, maker)?;
        }
        Ok(())
    }

    fn hand_over(&mut self, books: &mut Books<'_>) {
        let next = self.spare.pop().unwrap_or_default();
        let portion = std::mem::replace(&mut self.next, next);
        let view = self.view;
        self.crew.give(portion, || {
            let renderer = books.rendered().map(|sink| sink.renderer());
            RowWorker::new(books.limits, books.show, view, renderer)
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
            let (section, index) = portion.place(place);
            let taken = match made {
                Made::Nothing(facts) => books.count(&facts),
                Made::Text(facts, end) => {
                    books.count(&facts).map(|()| (text_end, rows) = (end, rows + 1))
                }
                Made::Row(facts, row) => books.count(&facts).and_then(|()| books.record(&row)),
                Made::Left => {
                    books.text(&portion.text[text_start..text_end], rows)?;
                    (text_start, rows) = (text_end, 0);
                    parse(section, portion.element(place))
                        .and_then(|(change, reason)| books.change(section, &change, reason, maker))
                }
            };
            taken.map_err(|error| error.within(&format!("[{index}]")).within(section.name()))
        });
        books.text(&portion.text[text_start..text_end], rows)?;
        portion.made = made;
        portion.clear();
        self.spare.push(portion);
        absorbed
    }

    /// Looks at an element whose overlays are new, so that others like it are told at a glance.
    /// `false`: that did not work out.
    pub(super) fn learn(&mut self, element: &Element<'_>, maker: &mut Maker) -> bool {
        self.lesson.clear();
        if element.size() > ELEMENT_MAX {
            return false;
        }
        element.detach(&mut self.lesson);
        let change = ResourceChange::parse(self.lesson.value(0));
        change.is_ok_and(|change| maker.facts(element.section(), &change).is_ok())
    }
}
