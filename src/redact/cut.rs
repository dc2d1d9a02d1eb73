//! A document without some of its parts.
//!
//! Whoever knows what is wanted says of every section and piece whether it stays ([`Selection`]);
//! what does not is removed from what goes out, and what does is looked at for its secrets.
//!
//! Separators belong to what follows them: a member that is left out goes with everything between
//! it and the member before it, and the first one that stays in its container loses its comma. So
//! nothing has to be known of what comes next ([`Items`]).

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::ahead::StretchRedactor;
use super::chunk::Chunk;
use super::outgoing::Outgoing;
use super::redactor::Redactor;
use crate::error::{Result, WrongDocument};
use crate::plan::piece_crew::PieceCrew;
use crate::plan::{
    Answer, Piece, PieceFrontier, PieceStretch, PieceVisitor, ResourceGlance, Section, Unchanged,
};

/// What becomes of a piece of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It stays.
    Stays,
    /// It is left out.
    Goes(Reason),
}

/// Why a piece is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It changes nothing.
    NoOp,
    /// Another address or type is wanted.
    Unwanted,
}

/// How many pieces were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gone {
    /// For [`Reason::NoOp`].
    pub no_ops: u64,
    /// For [`Reason::Unwanted`].
    pub unwanted: u64,
}

impl Gone {
    /// One more.
    pub(super) fn count(&mut self, reason: Reason) {
        match reason {
            Reason::NoOp => self.no_ops += 1,
            Reason::Unwanted => self.unwanted += 1,
        }
    }

    fn add(&mut self, other: &Gone) {
        self.no_ops += other.no_ops;
        self.unwanted += other.unwanted;
    }
}

/// Makes judges, one for each thread.
pub type Judges = Box<dyn Fn() -> Box<dyn Judge>>;

/// Says of resource changes whether they stay, as a [`Selection`] does, where they are read ahead
/// of the walk. Of those that stay, all does.
pub trait Judge: Send {
    /// See [`Selection::unchanged`].
    fn unchanged(&self) -> Option<Verdict>;

    /// See [`Selection::piece`].
    ///
    /// # Errors
    ///
    /// The piece is not what it should be.
    fn change(&mut self, piece: &Piece<'_>) -> Result<Verdict>;
}

/// What of a document is wanted. By default everything is.
pub trait Selection {
    /// What is written before the document and behind it.
    fn around(&self) -> [&'static str; 2] {
        [""; 2]
    }

    /// Whether everything stays, whatever it is.
    fn is_everything(&self) -> bool {
        false
    }

    /// Those who may be asked of resource changes and of drift in place of this one; `None`:
    /// nobody.
    fn judges(&self) -> Option<Judges> {
        None
    }

    /// A top-level key: whether it stays. `format_version` must.
    fn section(&mut self, section: Section, key: &str) -> bool {
        let _ = (section, key);
        true
    }

    /// A resource change that is seen at a glance to stay as it is. `None`: it has to be looked at
    /// as a piece.
    fn unchanged(&mut self, unchanged: &Unchanged<'_>) -> Option<Verdict> {
        let _ = unchanged;
        Some(Verdict::Stays)
    }

    /// Whether all of every resource stays that is no change, wherever its section does.
    fn wants_resources(&self) -> bool {
        true
    }

    /// A piece, and where it stays, what of it does not: stretches in their order.
    ///
    /// # Errors
    ///
    /// The piece is not what it should be.
    fn piece(&mut self, piece: &Piece<'_>, cuts: &mut Vec<Range<u64>>) -> Result<Verdict> {
        let _ = (piece, cuts);
        Ok(Verdict::Stays)
    }

    /// The document is the JSON of a state.
    ///
    /// # Errors
    ///
    /// None is wanted.
    fn state(&mut self, document: WrongDocument) -> Result<()> {
        let _ = document;
        Ok(())
    }

    /// The document ends: what to add behind its last member.
    fn missing(&mut self) -> &'static str {
        ""
    }

    /// It was written, and so many of its pieces were not.
    fn gone(&mut self, gone: &Gone) {
        let _ = gone;
    }
}

/// Everything is wanted.
pub(super) struct Everything;

impl Selection for Everything {
    fn is_everything(&self) -> bool {
        true
    }
}

/// The members or elements of a container, told one after the other: what to remove, so that those
/// that stay are the members or elements of a container.
#[derive(Debug)]
pub struct Items {
    /// Where the last one ended, or the container's bracket.
    end: u64,
    is_first: bool,
    has_any: bool,
}

impl Items {
    /// Those of a container whose bracket ends before that offset.
    pub fn new(start: u64) -> Items {
        Items { end: start, is_first: true, has_any: false }
    }

    /// The end of the last one.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The next one goes. What is to be removed begins there, and ends where it does.
    pub fn go(&mut self) -> u64 {
        self.is_first = false;
        self.end
    }

    /// The next one stays; it, or the comma before it, stands at that offset. What is to be removed
    /// of it.
    pub fn stay(&mut self, at: u64) -> Option<Range<u64>> {
        let has_comma = !std::mem::take(&mut self.is_first);
        let is_next = std::mem::replace(&mut self.has_any, true);
        (has_comma && !is_next).then_some(at..at + 1)
    }

    /// One stays that stands behind some that went, the next one among them; whether its comma
    /// does.
    pub fn stay_behind(&mut self) -> bool {
        std::mem::replace(&mut self.has_any, true)
    }

    /// The last one ends before that offset.
    pub fn passed(&mut self, end: u64) {
        self.end = end;
    }
}

/// Sees to it that only what is wanted goes out.
pub(super) struct Cutter<'r, 'scope, 'env, 's> {
    pub outgoing: Rc<RefCell<Outgoing<'scope, 'env, 's>>>,
    pub selection: &'r mut dyn Selection,
    /// What looks for the secrets in it; `None`: they may be shown.
    pub redactor: Option<Redactor<'r, Rc<RefCell<Outgoing<'scope, 'env, 's>>>>>,
    /// Those who do the same ahead of it.
    pub ahead: Option<PieceCrew<'scope, 'env, StretchRedactor<'s>, Chunk>>,
    /// Only changes are read ahead: of other pieces they do not know whether they stay.
    pub only_changes: bool,
    /// Something is read ahead in the section that is walked.
    pub is_read_ahead: bool,
    /// What was left out.
    pub gone: Gone,
    /// The containers that are walked, the innermost last.
    pub open: Vec<Items>,
    /// Where the next member or element of the innermost one begins, until its fate is known.
    pub next: Option<u64>,
    /// A section is being left out.
    pub is_leaving_out: bool,
    /// What is left out of a piece.
    pub cuts: Vec<Range<u64>>,
}

impl<'scope, 's: 'scope> Cutter<'_, 'scope, '_, 's> {
    fn stays(&mut self) {
        if let (Some(at), Some(items)) = (self.next.take(), self.open.last_mut())
            && let Some(comma) = items.stay(at)
        {
            self.outgoing.borrow_mut().remove(comma);
        }
    }

    /// Leaves out what comes next, from there on.
    fn goes(&mut self) -> Option<u64> {
        self.next.take()?;
        self.open.last_mut().map(Items::go)
    }

    fn goes_to(&mut self, end: u64) {
        if let Some(start) = self.goes() {
            self.outgoing.borrow_mut().remove(start..end);
        }
    }
}

impl<'scope, 's: 'scope> PieceVisitor for Cutter<'_, 'scope, '_, 's> {
    fn begin(&mut self, start: u64) {
        let mut outgoing = self.outgoing.borrow_mut();
        outgoing.begin(start);
        outgoing.add(start, self.selection.around()[0]);
    }

    fn section(&mut self, section: Section, key: &str) -> Answer {
        if let Some(ahead) = &mut self.ahead {
            ahead.recall();
        }
        let is_of_changes = matches!(section, Section::ResourceChanges | Section::ResourceDrift);
        self.is_read_ahead = is_of_changes || !self.only_changes;
        if self.selection.section(section, key) {
            self.stays();
            return Answer::Enter;
        }
        if let Some(start) = self.goes() {
            self.outgoing.borrow_mut().remove_from(start);
            self.is_leaving_out = true;
        }
        Answer::Skip
    }

    fn entered(&mut self, start: u64) {
        self.stays();
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
            let mut outgoing = self.outgoing.borrow_mut();
            outgoing.add(document.end(), self.selection.missing());
            outgoing.add(close + 1, self.selection.around()[1]);
        }
    }

    fn unchanged(&mut self, unchanged: &Unchanged<'_>, range: Range<u64>) -> bool {
        match self.selection.unchanged(unchanged) {
            None => return false,
            Some(Verdict::Stays) => self.stays(),
            Some(Verdict::Goes(reason)) => {
                self.gone.count(reason);
                self.goes_to(range.end);
                return true;
            }
        }
        self.redactor.as_mut().is_none_or(|redactor| redactor.unchanged(unchanged, range))
    }

    fn resource(&mut self, resource: &ResourceGlance<'_>, range: Range<u64>) -> bool {
        if !self.selection.wants_resources() {
            return false;
        }
        self.stays();
        self.redactor.as_mut().is_none_or(|redactor| redactor.resource(resource, range))
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        self.cuts.clear();
        match self.selection.piece(piece, &mut self.cuts)? {
            Verdict::Goes(reason) => {
                self.gone.count(reason);
                self.goes_to(piece.value.range().end);
                Ok(())
            }
            Verdict::Stays => {
                self.stays();
                for cut in self.cuts.drain(..) {
                    self.outgoing.borrow_mut().remove(cut);
                }
                self.redactor.as_mut().map_or(Ok(()), |redactor| redactor.piece(piece))
            }
        }
    }

    fn ahead(&mut self, frontier: &PieceFrontier<'_>) -> Option<PieceStretch> {
        self.ahead.as_mut().filter(|_| self.is_read_ahead)?.find(frontier)
    }

    fn jumped(&mut self, stretch: &PieceStretch) -> Result<()> {
        let Some(ahead) = &mut self.ahead else { return Ok(()) };
        let Range { start, end } = stretch.range();
        if let Some((mut job, scout)) = ahead.take() {
            let (chunk, text) = (&mut job.found, scout.text());
            self.gone.add(&chunk.gone);
            let (next, items) = (self.next.take(), self.open.last_mut());
            if let (Some(at), Some(items)) = (next, items) {
                let mut outgoing = self.outgoing.borrow_mut();
                match chunk.first_comma {
                    // The first of them stays.
                    None if !chunk.bytes.is_empty() => {
                        items.stay(at).into_iter().for_each(|comma| outgoing.remove(comma));
                    }
                    first_comma => {
                        outgoing.remove(items.go()..start);
                        if let Some(comma) = first_comma
                            && !items.stay_behind()
                        {
                            chunk.remove_byte(comma);
                        }
                    }
                }
                items.passed(end);
            }
            self.outgoing.borrow_mut().through(text, start..end, chunk)?;
            ahead.keep(job);
        }
        self.next = None;
        self.open.truncate(self.open.len() - stretch.left());
        self.open.extend((0..stretch.entered()).map(|_| Items::new(end)));
        Ok(())
    }

    fn passed(&mut self, end: u64) {
        let mut outgoing = self.outgoing.borrow_mut();
        let is_section = self.open.len() == 1;
        if is_section && std::mem::take(&mut self.is_leaving_out) {
            outgoing.remove_to(end);
        }
        outgoing.passed(end);
        if let Some(items) = self.open.last_mut() {
            items.passed(end);
        }
    }

    fn state(&mut self, document: WrongDocument) -> Result<()> {
        self.selection.state(document)
    }

    fn end(&mut self, end: u64) -> Result<()> {
        debug_assert!(self.open.is_empty(), "what was entered was left");
        self.outgoing.borrow_mut().end(end);
        Ok(())
    }
}
