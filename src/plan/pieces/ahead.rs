//! Pieces that somebody reads before the walk comes to them.
//!
//! The same as [`crate::plan::Scout`] does for the elements of changes, and here for resources too,
//! which stand in modules: whoever reads ahead leaves modules and enters others, and does not know
//! how deep he is. So he begins as deep as any module is in practice; the walk, which knows, takes
//! what he found only if all that he left is open around it, and nothing else.

use std::ops::Range;

use super::scope::{Around, Scope, Shape};
use super::{Piece, PieceKind, PieceVisitor, Walk};
use crate::error::Result;
use crate::input::{SharedText, Slice, Source};
use crate::json::brackets::Brackets;
use crate::json::cursor::Cursor;
use crate::json::outline::Outline;
use crate::plan::scout::explore;
use crate::plan::{Options, Section, key};

/// Modules in one another, beyond those that the walk is in.
const DEEPER: usize = 8;

/// A place before a resource or a resource change.
pub struct PieceFrontier<'w> {
    pub(super) section: Section,
    pub(super) open: &'w [Around],
    pub(super) offset: u64,
    pub(super) source: &'w dyn Source,
    pub(super) options: Options,
}

impl PieceFrontier<'_> {
    /// Bytes from the start of the input: behind the comma before the piece, or for the first where
    /// it begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Who can read on from here while the walk does; `None`: the text does not lie in memory.
    pub fn scout(&self) -> Option<PieceScout> {
        let whole = self.source.shared_text()?;
        let (section, options) = (self.section, self.options);
        let mut around = self.open.to_vec();
        // The document is around them. Nobody begins deeper than the limit lets him.
        let room = options.limits.depth.saturating_sub(around.len() as u64 + 1) / 2;
        let deeper = DEEPER.min(room as usize);
        if let Some(root) = around.iter().position(|(scope, _)| *scope == Scope::Module) {
            let module = [(Scope::Modules, Shape::Array), (Scope::Module, Shape::Object)];
            around.splice(root + 1..root + 1, module.repeat(deeper));
        }
        Some(PieceScout { whole, section, around, options })
    }

    /// Whether pieces that were read ahead are those that come next.
    pub fn fits(&self, stretch: &PieceStretch) -> bool {
        let is_here = (stretch.section, stretch.range.start) == (self.section, self.offset);
        is_here && stretch.fits(self.open)
    }
}

/// Reads pieces of one section, from guessed places on, on any thread.
#[derive(Clone)]
pub struct PieceScout {
    whole: SharedText,
    section: Section,
    /// What is taken to be open around the first piece, the outermost first.
    around: Vec<Around>,
    options: Options,
}

/// Pieces that were read ahead.
#[derive(Clone, Debug)]
pub struct PieceStretch {
    section: Section,
    range: Range<u64>,
    /// Where the first of them begins.
    first: u64,
    /// The innermost of what is open around the first piece: what was left, and what is around it.
    around: Vec<Around>,
    /// How many scopes the scout took to be open around the first piece. At a place with more, the
    /// limit on the depth was not checked, and the stretch must not be used.
    open_max: usize,
    /// What was entered and not left, the outermost first.
    entered: Vec<Around>,
}

impl PieceStretch {
    /// From where to where they were read: from behind a comma to the end of a piece.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// The range as places in the text ([`PieceScout::text`]).
    pub(crate) fn places(&self) -> Range<usize> {
        self.range.start as usize..self.range.end as usize
    }

    /// Where the first of them begins: there may be space before it.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// The top-level section they stand in.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Its memory, about, in bytes.
    pub(crate) fn size(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.around) + size_of_val(&*self.entered)
    }

    /// How many containers were left that were entered before.
    pub fn left(&self) -> usize {
        self.around.len() - 1
    }

    /// How many were entered and not left.
    pub fn entered(&self) -> usize {
        self.entered.len()
    }

    /// What is open behind it where that is open before it; `None`: it does not belong there.
    pub(super) fn open_behind(&self, open: &[Around]) -> Option<Vec<Around>> {
        let open = self.fits(open).then_some(open)?;
        Some([&open[..open.len() - self.left()], &self.entered].concat())
    }

    fn fits(&self, open: &[Around]) -> bool {
        open.len() <= self.open_max && open.ends_with(&self.around)
    }
}

impl PieceScout {
    /// The text that is read.
    pub fn text(&self) -> &[u8] {
        self.whole.text()
    }

    /// The same with a limit of its own on one piece, in bytes: longer ones are left to the walk.
    pub fn with_change_max(mut self, max: u64) -> PieceScout {
        self.options.limits.change = self.options.limits.change.min(max);
        self
    }

    /// Reads pieces from the first place in `range` on where a resource seems to begin, up to the
    /// first that begins behind it; `None`: there is no such place, or nothing to read. Tells
    /// `visitor` of each as the walk would, up to one that it refuses or that is wrong, of which
    /// nothing may be taken.
    ///
    /// They are outlined in `outline`, one after the other.
    pub fn read(
        &self,
        range: Range<u64>,
        outline: &mut Outline,
        visitor: &mut impl PieceVisitor,
    ) -> Option<PieceStretch> {
        let until = range.end;
        explore(self.text(), range, |start| self.read_from(start, until, outline, visitor))
    }

    /// The same from a place on; how far it was read, if there is no piece.
    fn read_from(
        &self,
        start: u64,
        until: u64,
        outline: &mut Outline,
        visitor: &mut impl PieceVisitor,
    ) -> std::result::Result<PieceStretch, u64> {
        // What is longer is left to the walk, and so is what is cut off here.
        let end = until.saturating_add(self.options.limits.change).min(self.text().len() as u64);
        self.look_twice(start, end)?;
        let mut walk = Walk::new(self.cursor(start, end), &self.options, outline, visitor);
        walk.section = self.section;
        (walk.passed, walk.cut) = (start, Some(end));
        walk.open.clone_from(&self.around);
        walk.stretch(start, until).ok_or(walk.cursor.offset())
    }

    /// Whether what begins there may be a resource; if not, how far it was read. A module begins
    /// alike where keys are sorted, and what only refers to a resource may have nothing but its
    /// address.
    fn look_twice(&self, start: u64, end: u64) -> std::result::Result<(), u64> {
        let mut cursor = self.cursor(start, end);
        let mut second = || -> Result<_> {
            cursor.enter_object()?;
            cursor.next_key()?;
            cursor.skip()?;
            key::next(&mut cursor)
        };
        match second() {
            Ok(Some((key, _))) if !matches!(&*key, "resources" | "child_modules") => Ok(()),
            _ => Err(cursor.offset()),
        }
    }

    /// A cursor before a piece, in a text that ends there.
    fn cursor(&self, start: u64, end: u64) -> Cursor<Slice<'_>> {
        let Options { isa, validation, limits, .. } = self.options;
        let text = Slice(&self.text()[..end as usize]);
        Cursor::between(text, start, &brackets(&self.around), isa, validation, limits)
    }

    /// Tells once more of a piece without a name that was read from here on, and is outlined in
    /// `outline`.
    ///
    /// # Errors
    ///
    /// The text is not what was read before; what `each` says.
    pub fn read_again(
        &self,
        kind: PieceKind,
        range: Range<u64>,
        outline: &mut Outline,
        each: impl FnOnce(&Piece<'_>) -> Result<()>,
    ) -> Result<()> {
        let Options { isa, validation, limits, .. } = self.options;
        // That it is not too deep where it stands was seen before.
        let text = Slice(&self.text()[..range.end as usize]);
        let mut cursor = Cursor::new(text, range.start, isa, validation, limits);
        cursor.outline(outline)?;
        let value = cursor.value(outline);
        each(&Piece { kind, section: self.section, name: None, module: "", value })
    }
}

impl<V: PieceVisitor> Walk<'_, Slice<'_>, V> {
    /// Reads pieces up to the first that begins at `until` or behind it, or that is wrong.
    fn stretch(&mut self, start: u64, until: u64) -> Option<PieceStretch> {
        let around = self.open.clone();
        let (mut read, mut entered) = (None, Vec::new());
        let mut first = None;
        // As many of them were never left, and as many of all since the last piece.
        let (mut kept, mut same) = (around.len(), around.len());
        let mut next = around.last().map(|(scope, _)| (scope.element(), None));
        while let Some((what, name)) = next {
            match self.take(what, name.as_deref()) {
                Ok(true) => {
                    read = Some((self.cursor.offset(), kept));
                    first.get_or_insert(self.outline.start());
                    entered.truncate(same - kept);
                    entered.extend_from_slice(&self.open[same..]);
                    same = self.open.len();
                }
                // Right behind a bracket is no place to go on from.
                Ok(false) => {}
                Err(_) => break,
            }
            let step: Option<(_, Option<String>)> = self.step().ok().flatten();
            (kept, same) = (kept.min(self.open.len()), same.min(self.open.len()));
            let is_among_them = self.open.last().is_some_and(|(scope, _)| scope.is_of_resources());
            next = step.filter(|_| is_among_them && self.cursor.offset() < until);
        }
        let (end, kept) = read?;
        Some(PieceStretch {
            section: self.section,
            range: start..end,
            first: first?,
            open_max: around.len(),
            around: around[kept - 1..].to_vec(),
            entered,
        })
    }
}

/// The brackets of a document around what is open in it.
pub(super) fn brackets(open: &[Around]) -> Brackets {
    let scopes = open.iter().map(|(_, shape)| *shape == Shape::Object);
    Brackets::of(std::iter::once(true).chain(scopes))
}
