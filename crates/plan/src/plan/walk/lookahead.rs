//! Speculative parsing of pieces ahead of the walk.
//!
//! If the whole text is in memory, workers can parse pieces ahead of the walk. A worker guesses
//! where a piece begins: after a comma, at an object whose first key is `address`. The guess may be
//! wrong, because such an object may be nested deeper or lie inside a string. The walk never
//! guesses. It uses a result only if it arrives between two pieces at exactly the offset where the
//! result starts. From this offset on, the walk would parse the same bytes in the same way as the
//! worker, so it jumps to the end of the result.
//!
//! Resources are in modules, so a worker leaves modules and enters others, but it does not know its
//! depth. Therefore it assumes more open modules than occur in practice. The walk knows its depth.
//! It uses a result only if the scopes that the worker left are the innermost open scopes at the
//! walk's position.
//!
//! Invariant: a result ends before anything unusual, such as an error or an exceeded limit. The
//! walk parses the unusual part itself and reports the error.

use std::ops::Range;

use memchr::memmem;

use super::scope::{OpenScope, OpenScopes, Scope, Shape};
use super::{Piece, PieceKind, Walk};
use crate::plan::{Flow, PlanOptions, Section, Visitor, key};
use plansift_core::error::Result;
use plansift_core::input::{SharedText, Slice, Source};
use plansift_core::json::cursor::Cursor;
use plansift_core::json::outline::Outline;
use plansift_core::scan::brackets::Brackets;

/// The first key of a piece, as Terraform and OpenTofu write it (docs/format/plan.md, section 3).
const FIRST_KEY: &[u8] = b"\"address\":";

/// Fixed cost of a wrong guess, in bytes, in addition to the bytes that were parsed.
const WRONG: u64 = 4096;

/// Number of nested modules that a reader assumes in addition to those that the walk has entered.
const DEEPER: usize = 8;

/// The walk's position before a resource or a resource change.
pub struct Boundary<'w> {
    pub(super) section: Section,
    pub(super) index: u64,
    pub(super) open: &'w [OpenScope],
    pub(super) offset: u64,
    pub(super) source: &'w dyn Source,
    pub(super) options: PlanOptions,
}

impl Boundary<'_> {
    /// The top-level section that contains this position.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Number of elements before this position, in a section that is an array.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Bytes from the start of the input to this position: right after the comma before the piece,
    /// or at the start of the first piece.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns a parser that can run ahead of the walk. Returns `None` if the text is not in
    /// memory.
    pub fn reader(&self) -> Option<LookaheadReader> {
        let whole = self.source.shared_text()?;
        let (section, options) = (self.section, self.options);
        let mut around = OpenScopes::from_slice(self.open);
        // One level is the document itself. The assumed modules must not exceed the limit on depth.
        let room = options.limits.depth.saturating_sub(around.len() as u64 + 1) / 2;
        let deeper = DEEPER.min(room as usize);
        if let Some(root) = around.iter().position(|(scope, _)| *scope == Scope::Module) {
            let module = [(Scope::Modules, Shape::Array), (Scope::Module, Shape::Object)];
            around.insert_many(root + 1, std::iter::repeat_n(module, deeper).flatten());
        }
        Some(LookaheadReader { whole, section, around, options })
    }

    /// Whether the range contains exactly the pieces that come next.
    pub fn fits(&self, read: &ReadRange) -> bool {
        let is_here = (read.section, read.range.start) == (self.section, self.offset);
        is_here && read.fits(self.open)
    }
}

/// Parses pieces of one section from guessed starts, on any thread.
#[derive(Clone)]
pub struct LookaheadReader {
    whole: SharedText,
    section: Section,
    /// The scopes assumed to be open around the first piece, outermost first.
    around: OpenScopes,
    options: PlanOptions,
}

/// The pieces that a reader parsed in one byte range.
#[derive(Clone, Debug)]
pub struct ReadRange {
    section: Section,
    range: Range<u64>,
    count: u64,
    /// Offset of the first piece.
    first: u64,
    /// The innermost scopes around the first piece: the scopes that the reader left, and the scope
    /// around these.
    around: OpenScopes,
    /// Number of scopes that the reader assumed to be open around the first piece. The reader did
    /// not check the limit on depth for a larger number, so the walk must not use the range there.
    open_max: usize,
    /// The scopes that the reader entered and did not leave, outermost first.
    entered: OpenScopes,
}

impl ReadRange {
    /// The parsed byte range: from after a comma to the end of a piece.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// The range as indices into [`LookaheadReader::text`].
    pub fn indices(&self) -> Range<usize> {
        self.range.start as usize..self.range.end as usize
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Offset of the first piece, which may follow white space.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// The top-level section of the pieces.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Returns the approximate memory of the range, in bytes.
    pub fn size(&self) -> usize {
        let spilled = |open: &OpenScopes| if open.spilled() { size_of_val(&**open) } else { 0 };
        size_of::<Self>() + spilled(&self.around) + spilled(&self.entered)
    }

    /// Number of containers that are open at the start of the range and that the range leaves.
    pub fn left(&self) -> usize {
        self.around.len() - 1
    }

    /// Number of containers that the range enters and does not leave.
    pub fn entered(&self) -> usize {
        self.entered.len()
    }

    /// Returns the open scopes after the range. `open` are the open scopes before the range.
    /// Returns `None` if the range does not fit there.
    pub(super) fn open_behind(&self, open: &[OpenScope]) -> Option<OpenScopes> {
        let open = self.fits(open).then_some(open)?;
        let mut behind = OpenScopes::from_slice(&open[..open.len() - self.left()]);
        behind.extend_from_slice(&self.entered);
        Some(behind)
    }

    fn fits(&self, open: &[OpenScope]) -> bool {
        open.len() <= self.open_max && open.ends_with(&self.around)
    }
}

impl LookaheadReader {
    /// The text being parsed.
    pub fn text(&self) -> &[u8] {
        self.whole.text()
    }

    /// Lowers the limit on one piece to `max` bytes. The walk parses longer pieces itself.
    pub fn with_change_max(mut self, max: u64) -> LookaheadReader {
        self.options.limits.change = self.options.limits.change.min(max);
        self
    }

    /// Parses pieces and sends them to `visitor`, like the walk. Starts at the first position in
    /// `range` at which a resource seems to begin. Ends before the first piece that begins after
    /// `range`, is invalid, or is rejected by the visitor.
    ///
    /// Returns `None` if it finds no piece. Reuses `outline` for each piece.
    pub fn read(
        &self,
        range: Range<u64>,
        outline: &mut Outline,
        visitor: &mut impl Visitor,
    ) -> Option<ReadRange> {
        let (mut from, mut wasted) = (range.start, 0);
        // Limits the wasted work to about the length of the range, for any text.
        while wasted < range.end - range.start {
            let start = guess(self.text(), from as usize..range.end as usize)? as u64;
            match self.read_from(start, range.end, outline, visitor) {
                Ok(found) => return Some(found),
                Err(reached) => wasted += reached - start + WRONG,
            }
            from = start + 1;
        }
        None
    }

    /// Parses pieces from `start` on. If there is no piece, the error is the offset that the
    /// attempt reached.
    fn read_from(
        &self,
        start: u64,
        until: u64,
        outline: &mut Outline,
        visitor: &mut impl Visitor,
    ) -> std::result::Result<ReadRange, u64> {
        // The text ends here, so that a piece over the limit is left to the walk.
        let end = until.saturating_add(self.options.limits.change).min(self.text().len() as u64);
        if matches!(self.around.last(), Some((Scope::Resources, _))) {
            self.check_second_key(start, end)?;
        }
        let mut walk = Walk::new(self.cursor(start, end), &self.options, outline, visitor);
        walk.section = self.section;
        (walk.passed, walk.cut) = (start, Some(end));
        walk.open.clone_from(&self.around);
        walk.read_range(start, until).ok_or(walk.cursor.offset())
    }

    /// Checks the second key of an object that seems to be a resource. On failure, returns the
    /// offset that the check reached. If keys are sorted, a module begins like a resource. A
    /// reference to a resource may have no second key.
    fn check_second_key(&self, start: u64, end: u64) -> std::result::Result<(), u64> {
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

    /// A cursor before a piece, in a text that ends at `end`.
    fn cursor(&self, start: u64, end: u64) -> Cursor<Slice<'_>> {
        let PlanOptions { isa, validation, limits, .. } = self.options;
        let text = Slice(&self.text()[..end as usize]);
        Cursor::between(text, start, &brackets(&self.around), isa, validation, limits)
    }

    /// Parses a nameless piece again and passes it to `each`. `range` is the range of the piece
    /// from the first parse. Outlines the piece in `outline`.
    ///
    /// # Errors
    ///
    /// Fails if the text has changed since the first parse, or if `each` fails.
    pub fn read_again(
        &self,
        kind: PieceKind,
        range: Range<u64>,
        outline: &mut Outline,
        each: impl FnOnce(&Piece<'_>) -> Result<()>,
    ) -> Result<()> {
        let PlanOptions { isa, validation, limits, .. } = self.options;
        // The first parse has already checked the depth.
        let text = Slice(&self.text()[..range.end as usize]);
        let mut cursor = Cursor::new(text, range.start, isa, validation, limits);
        cursor.outline(outline)?;
        let value = cursor.value(outline);
        each(&Piece { kind, section: self.section, name: None, module: "", value })
    }
}

impl<V: Visitor> Walk<'_, Slice<'_>, V> {
    /// Parses pieces up to the first piece that begins at or after `until`, or that is invalid.
    fn read_range(&mut self, start: u64, until: u64) -> Option<ReadRange> {
        let around = self.open.clone();
        let (mut read, mut entered) = (None, OpenScopes::new());
        let (mut first, mut count) = (None, 0);
        // `kept` is the number of assumed scopes that the walk never left. `same` is the number of
        // open scopes that the walk did not leave since the last piece.
        let (mut kept, mut same) = (around.len(), around.len());
        let mut next = around.last().map(|(scope, _)| (scope.element(), None));
        while let Some((what, name)) = next {
            let Ok(kind) = self.enter(what, name.as_deref()) else { break };
            // The range must not end right after an opening bracket.
            if let Some(kind) = kind {
                if !matches!(self.send(kind, name.as_deref()), Ok(Flow::Continue)) {
                    break;
                }
                read = Some((self.cursor.offset(), kept));
                count += 1;
                first.get_or_insert(self.outline.start());
                entered.truncate(same - kept);
                entered.extend_from_slice(&self.open[same..]);
                same = self.open.len();
            }
            let step: Option<(_, Option<String>)> = self.step().ok().flatten();
            (kept, same) = (kept.min(self.open.len()), same.min(self.open.len()));
            let is_among_them = self.open.last().is_some_and(|(scope, _)| scope.holds_resources());
            next = step.filter(|_| is_among_them && self.cursor.offset() < until);
        }
        let (end, kept) = read?;
        Some(ReadRange {
            section: self.section,
            range: start..end,
            count,
            first: first?,
            open_max: around.len(),
            around: OpenScopes::from_slice(&around[kept - 1..]),
            entered,
        })
    }
}

/// The brackets around a position with these open scopes, including the bracket of the document.
pub(super) fn brackets(open: &[OpenScope]) -> Brackets {
    let scopes = open.iter().map(|(_, shape)| u64::from(*shape == Shape::Object));
    Brackets::of(std::iter::once(1).chain(scopes))
}

/// Guesses where an element begins in a range. Returns the position right after the comma before
/// the element.
fn guess(text: &[u8], range: Range<usize>) -> Option<usize> {
    // The comma before the first key may lie before the range. The key after the last comma may lie
    // after the range.
    const AROUND: usize = 256;
    let Range { start, end } = range;
    let before = start.saturating_sub(AROUND);
    let behind = text.len().min(end.saturating_add(AROUND));
    let mut keys = memmem::find_iter(text.get(start..behind)?, FIRST_KEY);
    keys.find_map(|key| {
        let place = before + begin(&text[before..start + key])?;
        (start..end).contains(&place).then_some(place)
    })
}

/// If a text ends with `}`, a comma and `{`, returns its length up to and including the comma.
fn begin(text: &[u8]) -> Option<usize> {
    let before = text.trim_ascii_end().strip_suffix(b"{")?.trim_ascii_end();
    before.strip_suffix(b",")?.trim_ascii_end().ends_with(b"}").then_some(before.len())
}
