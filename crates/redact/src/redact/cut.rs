//! Writes a document without some of its parts.
//!
//! A [`Selection`] decides for every section and piece whether it stays. Parts that do not stay are
//! removed from the output. The other parts are searched for secrets.
//!
//! A comma belongs to the item after it. Removing an item also removes everything since the
//! previous item. The first item that stays in its container loses its comma. So the writer never
//! needs to know what comes next ([`Items`]).

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::lookahead::RangeRedactor;
use super::output_buffer::OutputBuffer;
use super::redactor::Redactor;
use super::selection::{RemovedPieces, Selection, Verdict};
use plansift_core::error::Result;
use plansift_plan::plan::lookahead::Lookahead;
use plansift_plan::plan::{Answer, Boundary, Flow, Piece, ReadRange, Section, StateKind, Visitor};

/// Visits the members or elements of a container in order, and determines what to remove so that
/// the remaining items form a valid container.
#[derive(Debug)]
pub struct Items {
    /// The end of the last item, or of the container's opening bracket.
    end: u64,
    is_first: bool,
    has_any: bool,
}

impl Items {
    /// Starts after the container's opening bracket, which ends at `start`.
    pub fn new(start: u64) -> Items {
        Items { end: start, is_first: true, has_any: false }
    }

    /// The end of the last item.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Removes the next item. Returns the start of the range to remove, which ends where the item
    /// ends.
    pub fn remove(&mut self) -> u64 {
        self.is_first = false;
        self.end
    }

    /// Keeps the next item. `at` is the offset of its comma, or of the item if it has no comma.
    /// Returns the range of the comma if the comma must be removed.
    pub fn keep(&mut self, at: u64) -> Option<Range<u64>> {
        let has_comma = !std::mem::take(&mut self.is_first);
        let is_next = std::mem::replace(&mut self.has_any, true);
        (has_comma && !is_next).then_some(at..at + 1)
    }

    /// Keeps an item that follows removed items in the same range. Returns whether its comma
    /// stays.
    pub fn keep_after_removed(&mut self) -> bool {
        std::mem::replace(&mut self.has_any, true)
    }

    /// Records the end of the last item.
    pub fn passed(&mut self, end: u64) {
        self.end = end;
    }
}

/// Passes only the selected parts of a document to the output.
pub(super) struct Cutter<'r, 'scope> {
    pub output: Rc<RefCell<OutputBuffer<'scope>>>,
    pub selection: &'r mut dyn Selection,
    /// Searches the parts that stay for secrets; `None` if secrets may be shown.
    pub redactor: Option<Redactor<'r, Rc<RefCell<OutputBuffer<'scope>>>>>,
    /// Lookahead workers that redact ranges in advance.
    pub ahead: Lookahead<'scope, RangeRedactor<'scope>>,
    pub new_map: Box<dyn Fn() -> RangeRedactor<'scope> + 'scope>,
    /// True if lookahead is limited to changes, because the judges cannot decide on other pieces.
    pub only_changes: bool,
    /// Counts of the pieces left out.
    pub removed: RemovedPieces,
    /// The open containers, innermost last.
    pub open: Vec<Items>,
    /// The start of the next item of the innermost container, until it is kept or left out.
    pub next: Option<u64>,
    /// True while a section is being left out.
    pub is_leaving_out: bool,
    /// Scratch space for the cuts in a piece.
    pub cuts: Vec<Range<u64>>,
}

impl<'scope> Cutter<'_, 'scope> {
    /// Keeps the next item, and removes its comma if it is the first that stays.
    fn keep_next(&mut self) {
        if let (Some(at), Some(items)) = (self.next.take(), self.open.last_mut())
            && let Some(comma) = items.keep(at)
        {
            self.output.borrow_mut().remove(comma);
        }
    }

    /// Leaves out the next item. Returns the start of the range to remove.
    fn leave_out_next(&mut self) -> Option<u64> {
        self.next.take()?;
        self.open.last_mut().map(Items::remove)
    }

    /// Leaves out the next item, which ends at `end`.
    fn leave_out_next_to(&mut self, end: u64) {
        if let Some(start) = self.leave_out_next() {
            self.output.borrow_mut().remove(start..end);
        }
    }
}

impl Visitor for Cutter<'_, '_> {
    fn examines_all(&self) -> bool {
        true
    }

    // The output follows the bytes of the source.
    fn passes_others(&self) -> bool {
        false
    }

    fn begin(&mut self, before: Range<u64>) {
        let mut output = self.output.borrow_mut();
        output.begin(before.start);
        output.add(before.end, self.selection.around()[0]);
    }

    fn section(&mut self, section: Section, key: &str) -> Answer {
        if self.selection.section(section, key) {
            self.keep_next();
            return Answer::Enter;
        }
        if let Some(start) = self.leave_out_next() {
            self.output.borrow_mut().remove_from(start);
            self.is_leaving_out = true;
        }
        Answer::Skip
    }

    fn entered(&mut self, start: u64) {
        self.keep_next();
        self.open.push(Items::new(start));
    }

    fn next(&mut self, at: u64) {
        self.next = Some(at);
    }

    fn left(&mut self, close: u64) {
        let left = self.open.pop();
        if let Some(around) = self.open.last_mut() {
            around.passed(close + 1);
        } else if let Some(document) = left {
            let mut output = self.output.borrow_mut();
            output.add(document.end(), self.selection.missing());
            output.add(close + 1, self.selection.around()[1]);
        }
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        self.cuts.clear();
        match self.selection.piece(piece, &mut self.cuts)? {
            Verdict::Removed(reason) => {
                self.removed.count(reason);
                self.leave_out_next_to(piece.value.range().end);
            }
            Verdict::Kept => {
                self.keep_next();
                for cut in self.cuts.drain(..) {
                    self.output.borrow_mut().remove(cut);
                }
                if let Some(redactor) = &mut self.redactor {
                    redactor.piece(piece)?;
                }
            }
        }
        Ok(Flow::Continue)
    }

    fn ahead(&mut self, boundary: &Boundary<'_>) -> Result<Option<ReadRange>> {
        let is_of_changes =
            matches!(boundary.section(), Section::ResourceChanges | Section::ResourceDrift);
        Ok(match is_of_changes || !self.only_changes {
            true => self.ahead.find(boundary, &self.new_map),
            false => None,
        })
    }

    fn jumped(&mut self, read: &ReadRange) -> Result<()> {
        let Range { start, end } = read.range();
        let Cutter { ahead, removed, next, open, output, .. } = self;
        ahead.fold(|chunk, reader| {
            let mut output = output.borrow_mut();
            removed.add(&chunk.removed);
            if let (Some(at), Some(items)) = (*next, open.last_mut()) {
                match chunk.first_comma {
                    // The first item of the range stays.
                    None if !chunk.bytes.is_empty() => {
                        items.keep(at).into_iter().for_each(|comma| output.remove(comma));
                    }
                    first_comma => {
                        output.remove(items.remove()..start);
                        if let Some(comma) = first_comma
                            && !items.keep_after_removed()
                        {
                            chunk.remove_byte(comma);
                        }
                    }
                }
                items.passed(end);
            }
            output.through(reader.text(), start..end, chunk)
        })?;
        self.next = None;
        self.open.truncate(self.open.len() - read.left());
        self.open.extend((0..read.entered()).map(|_| Items::new(end)));
        Ok(())
    }

    fn passed(&mut self, end: u64) {
        let mut output = self.output.borrow_mut();
        let is_section = self.open.len() == 1;
        if is_section && std::mem::take(&mut self.is_leaving_out) {
            output.remove_to(end);
        }
        output.passed(end);
        if let Some(items) = self.open.last_mut() {
            items.passed(end);
        }
    }

    fn state(&mut self, kind: StateKind) -> Result<()> {
        self.selection.state(kind)
    }

    fn end(&mut self, end: u64) -> Result<()> {
        debug_assert!(self.open.is_empty(), "what was entered was left");
        self.output.borrow_mut().end(end);
        Ok(())
    }
}
