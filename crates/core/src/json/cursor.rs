//! A cursor over a JSON text that arrives in windows.
//!
//! The cursor scans the text in batches of blocks, each byte once, and then moves over the masks.
//! Each scan also checks that brackets match, and with [`Validation::Grammar`] the whole grammar.
//! Skipping a value therefore only counts brackets, until the bracket of the value closes.
//!
//! Invariant: text that is scanned but not consumed lies in the current batch. Only
//! `Cursor::advance` scans the next batch. An invalid byte or the end of the input ends the batch,
//! and the cursor reports it when it gets there. So the first error does not depend on how the
//! input was cut into windows. A new method that moves must follow the pattern: go to the end of
//! the batch, advance, continue. Text that must stay in the window meanwhile needs a `Retained`.

mod jump;
mod open_string;

use std::ops::Range;

use super::Validation;
use super::grammar::Grammar;
use super::leaves::Batch;
use super::outline::{Outline, Recorder, Unrecorded};
use super::retained::Retained;
use super::string;
use super::value::Value;
use super::word::Word;
use crate::error::{Error, ErrorKind, Result, TokenClass};
use crate::input::Source;
use crate::limits::{Limit, Limits};
use crate::scan::brackets::{Brackets, close_of};
use crate::scan::nesting::Nesting;
use crate::scan::{BATCH, BLOCK, Block, Code, Detail, Isa, Scanner};

/// A position in a JSON text that arrives in windows.
#[derive(Debug)]
pub struct Cursor<S> {
    input: Input<S>,
    limits: Limits,
    scanner: Scanner,
    /// The brackets of the scanned text.
    nesting: Nesting,
    /// The tokens of the scanned text, with [`Validation::Grammar`].
    grammar: Option<Grammar>,
    batch: ScannedBatch,
    /// The offset of the first byte that is unscanned or invalid.
    scanned: u64,
    /// The error of the byte at `scanned`, and the offset to report.
    misplaced: Option<(ErrorKind, u64)>,
    /// The offset of the next byte.
    offset: u64,
    /// Consumed text that must stay in the window.
    retained: Option<Retained>,
    /// The containers that the cursor has entered.
    open: Brackets,
    /// True right after a container was entered.
    fresh: bool,
}

#[derive(Debug)]
struct Input<S> {
    source: S,
    /// True if the source has no more bytes, because it ended or failed.
    is_ended: bool,
    failed: Option<Error>,
}

/// The text that was scanned last.
#[derive(Debug)]
struct ScannedBatch {
    blocks: Box<[Block; BATCH]>,
    /// The offset of the first block.
    start: u64,
    /// The offset at which a batch must end.
    stop: u64,
    /// The offset of the open string's text, if the batch ends in a string.
    string_start: Option<u64>,
}

impl<S: Source> Cursor<S> {
    /// Returns a cursor at the offset `start`. The source's window must begin at or before it.
    pub fn new(source: S, start: u64, isa: Isa, validation: Validation, limits: Limits) -> Self {
        let (detail, grammar) = match validation {
            Validation::Structure => (Detail::Structure, None),
            Validation::Grammar => (Detail::Tokens, Some(Grammar::before_value(isa))),
        };
        Cursor {
            input: Input { source, is_ended: false, failed: None },
            limits,
            scanner: Scanner::new(isa, detail),
            nesting: Nesting::new(isa, limits.depth),
            grammar,
            batch: ScannedBatch {
                blocks: Box::new([Block::default(); BATCH]),
                start,
                stop: u64::MAX,
                string_start: None,
            },
            scanned: start,
            misplaced: None,
            offset: start,
            retained: None,
            open: Brackets::default(),
            fresh: false,
        }
    }

    /// The offset of the next byte, from the start of the input.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the source, for operations on the whole input.
    pub fn source_mut(&mut self) -> &mut S {
        &mut self.input.source
    }

    /// Returns the source, for queries about the whole input.
    pub fn source(&self) -> &S {
        &self.input.source
    }

    /// Returns the first byte of the next token without consuming it; `None` at the input's end.
    ///
    /// # Errors
    ///
    /// Fails if the text is invalid before the next token, or if the input fails.
    pub fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            let window = self.input.source.window();
            let (from, to) = (
                self.offset - self.input.source.offset(),
                self.scanned - self.input.source.offset(),
            );
            let rest = &window[from as usize..to as usize];
            let space = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
            if let Some(space) = space {
                let byte = rest[space];
                self.offset += space as u64;
                return Ok(Some(byte));
            }
            self.offset = self.scanned;
            if !self.advance()? {
                return Ok(None);
            }
        }
    }

    /// Enters the object at the cursor.
    ///
    /// # Errors
    ///
    /// Fails if the next token is not an object, or the depth exceeds its limit.
    pub fn enter_object(&mut self) -> Result<()> {
        self.enter(b'{', "an object")
    }

    /// Enters the array at the cursor.
    ///
    /// # Errors
    ///
    /// Fails if the next token is not an array, or the depth exceeds its limit.
    pub fn enter_array(&mut self) -> Result<()> {
        self.enter(b'[', "an array")
    }

    fn enter(&mut self, bracket: u8, expected: &'static str) -> Result<()> {
        if self.peek()? != Some(bracket) {
            return Err(self.expected(expected));
        }
        self.push(u64::from(bracket == b'{'), self.offset)?;
        self.offset += 1;
        self.fresh = true;
        Ok(())
    }

    /// Consumes the next key of the entered object and its colon. Returns the range of the key's
    /// text, which [`Cursor::text`] can read until the cursor moves. At the end of the object,
    /// leaves the object and returns `None`.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a member or the end of an object.
    pub fn next_key(&mut self) -> Result<Option<Range<u64>>> {
        if !self.next(b'}', "a comma or the end of the object")? {
            return Ok(None);
        }
        if self.peek()? != Some(b'"') {
            return Err(self.expected("a key"));
        }
        let start = self.offset + 1;
        let max = self.limits.string_kept;
        let retained = Retained { from: start, start, limit: Limit::StringKept, max };
        self.retained = Some(retained);
        self.offset = start;
        let found = self.find_quote(start, Unrecorded);
        let close = retained.earliest(found)?;
        self.offset = close + 1;
        retained.check(close)?;
        if let Err(bad) = string::check(self.text(start..close)) {
            return Err(Error::at(ErrorKind::Escape, start + bad.0 as u64));
        }
        let next = self.peek();
        let next = retained.earliest(next)?;
        retained.check(self.offset)?;
        if next != Some(b':') {
            return Err(self.expected("a colon"));
        }
        self.offset += 1;
        self.retained = None;
        Ok(Some(start..close))
    }

    /// Goes to the next element of the entered array. At the end of the array, leaves it and
    /// returns `false`.
    ///
    /// # Errors
    ///
    /// Fails if the text is not an element or the end of an array.
    pub fn next_element(&mut self) -> Result<bool> {
        self.next(b']', "a comma or the end of the array")
    }

    fn next(&mut self, close: u8, expected: &'static str) -> Result<bool> {
        let fresh = std::mem::take(&mut self.fresh);
        match self.peek()? {
            Some(byte) if byte == close => {
                self.open.close(self.open.innermost(), 1);
                self.offset += 1;
                Ok(false)
            }
            Some(b',') if !fresh => {
                self.offset += 1;
                Ok(true)
            }
            Some(byte) if fresh && !matches!(byte, b'}' | b']') => Ok(true),
            _ => Err(self.expected(expected)),
        }
    }

    /// The text of a range of offsets, which must be in the window.
    pub fn text(&self, range: Range<u64>) -> &[u8] {
        let base = self.input.source.offset();
        &self.input.source.window()[(range.start - base) as usize..(range.end - base) as usize]
    }

    /// Skips the value at the cursor.
    ///
    /// # Errors
    ///
    /// Fails if the value is invalid at the cursor's level of validation.
    pub fn skip(&mut self) -> Result<()> {
        self.skip_value(Unrecorded)
    }

    /// Skips the value at the cursor and records its outline. [`Cursor::value`] returns the value
    /// until the cursor moves.
    ///
    /// # Errors
    ///
    /// Fails if the value is invalid at the cursor's level of validation, or is too long.
    pub fn outline(&mut self, outline: &mut Outline) -> Result<()> {
        self.peek()?;
        let start = self.offset;
        let origin = start - (start - self.batch.start) % BLOCK as u64;
        let max = self.limits.change.min(Outline::LEN_MAX);
        let retained = Retained { from: origin, start, limit: Limit::Change, max };
        self.retained = Some(retained);
        let isa = self.scanner.isa();
        outline.begin(isa, origin, (start - origin) as u32, self.limits.string_kept);
        let passed = self.skip_value(&mut *outline);
        outline.end(self.offset);
        self.retained = None;
        retained.earliest(passed)?;
        retained.check(self.offset)
    }

    /// The next `len` bytes, or fewer at the end of the input. They are not validated.
    pub fn lookahead(&mut self, len: usize) -> &[u8] {
        let wanted = self.offset + len as u64;
        while self.window_end() < wanted && self.fill() {}
        self.text(self.offset..wanted.min(self.window_end()))
    }

    /// The text of the value that was outlined last, starting at `Outline::origin`.
    pub fn outlined(&self, outline: &Outline) -> &[u8] {
        self.text(outline.origin..self.offset)
    }

    /// The value that was outlined last.
    pub fn value<'a>(&'a self, outline: &'a mut Outline) -> Value<'a> {
        outline.value(self.outlined(outline))
    }

    /// Skips white space and returns whether the input ends there.
    ///
    /// # Errors
    ///
    /// Fails if the text is invalid before the next token, or if the input fails.
    pub fn at_end(&mut self) -> Result<bool> {
        Ok(self.peek()?.is_none())
    }

    /// Returns the error for a next token that is not `expected`.
    pub fn expected(&self, expected: &'static str) -> Error {
        if self.offset == self.scanned {
            return Error::at(ErrorKind::Truncated, self.offset);
        }
        let byte = self.byte(self.offset);
        let closes_other = match byte {
            b'}' => self.open.innermost() == 0,
            b']' => self.open.innermost() == 1,
            _ => false,
        };
        // Skipping the container would report the same error.
        if closes_other && self.open.depth > 0 {
            return Error::at(ErrorKind::MismatchedBracket, self.offset);
        }
        Error::at(ErrorKind::Syntax { expected, found: TokenClass::of(byte) }, self.offset)
    }

    fn skip_value(&mut self, recorder: impl Recorder) -> Result<()> {
        self.fresh = false;
        match self.peek()? {
            Some(b'{' | b'[') => {
                let mut skip = Skip { depth: 0, pause: u64::MAX };
                self.skip_container(recorder, &mut skip).map(|_| ())
            }
            Some(b'"') => self.skip_string(recorder),
            Some(byte) if Word::holds(byte) => self.skip_word(),
            _ => Err(self.expected("a value")),
        }
    }

    fn skip_string(&mut self, recorder: impl Recorder) -> Result<()> {
        let close = self.find_quote(self.offset + 1, recorder)?;
        self.offset = close + 1;
        Ok(())
    }

    /// Skips a number or literal and checks its grammar.
    fn skip_word(&mut self) -> Result<()> {
        let mut word = Word::new();
        loop {
            for offset in self.offset..self.scanned {
                let byte = self.byte(offset);
                if !Word::holds(byte) {
                    self.offset = offset;
                    return word.finish().map_err(|kind| Error::at(kind, offset));
                }
                word = word.feed(byte).map_err(|kind| Error::at(kind, offset))?;
            }
            self.offset = self.scanned;
            if !self.advance()? {
                let offset = self.offset;
                return word.finish().map_err(|_| Error::at(ErrorKind::Truncated, offset));
            }
        }
    }

    /// Starts or continues the skip of a container by counting brackets. Returns `false` if the
    /// skip pauses before the end of the container.
    fn skip_container(&mut self, recorder: impl Recorder, skip: &mut Skip) -> Result<bool> {
        self.scanner.isa().run(SkipBlocks { cursor: self, recorder, skip })
    }

    #[inline(always)]
    fn skip_blocks(&mut self, mut recorder: impl Recorder, skip: &mut Skip) -> Result<bool> {
        // `depth` counts the skipped container and those inside it, `around` those outside it.
        let (mut depth, around) = (skip.depth, self.open.depth);
        let mut from = (self.offset - self.batch.start) as usize;
        loop {
            let first = from / BLOCK;
            let mut visible = !0 << (from % BLOCK);
            let blocks = &self.batch.blocks[..self.block_count()];
            let mut next = first;
            for range in self.nesting.ranges() {
                let end = range.end.min(blocks.len());
                if range.depth_min > around && next < end {
                    depth = range.depth_after - around;
                    next = end;
                }
                for index in next..end {
                    let block = &blocks[index];
                    let brackets = block.brackets & visible;
                    visible = !0;
                    if let Some(bit) = close_of(brackets, block.opens, &mut depth) {
                        recorder.blocks(&blocks[first..=index]);
                        self.offset =
                            self.batch.start + (index * BLOCK) as u64 + u64::from(bit) + 1;
                        return Ok(true);
                    }
                }
                next = next.max(end);
            }
            recorder.blocks(&blocks[first..]);
            if self.scanned >= skip.pause {
                (self.offset, skip.depth) = (self.scanned, depth);
                return Ok(false);
            }
            from = self.next_batch()?;
        }
    }

    fn push(&mut self, brace: u64, offset: u64) -> Result<()> {
        if self.open.depth == self.limits.depth {
            return Err(Error::limit(Limit::Depth, self.limits.depth, offset));
        }
        self.open.push(brace);
        Ok(())
    }

    /// Returns the offset of the first quote at or after `from`. `from` is in this batch or at its
    /// end. Records the blocks from the cursor's block on. The cursor does not pass the quote.
    fn find_quote(&mut self, from: u64, mut recorder: impl Recorder) -> Result<u64> {
        let mut first = (self.offset - self.batch.start) as usize / BLOCK;
        let mut from = (from - self.batch.start) as usize;
        loop {
            recorder.blocks(&self.batch.blocks[first..self.block_count()]);
            let mut visible = !0 << (from % BLOCK);
            for index in from / BLOCK..self.block_count() {
                let quotes = self.batch.blocks[index].quotes & visible;
                visible = !0;
                if quotes != 0 {
                    let start = self.batch.start + (index * BLOCK) as u64;
                    return Ok(start + u64::from(quotes.trailing_zeros()));
                }
            }
            from = self.next_batch()?;
            first = 0;
        }
    }

    /// Scans the next batch and returns the position of its first byte. Fails at the input's end.
    fn next_batch(&mut self) -> Result<usize> {
        self.offset = self.scanned;
        if self.advance()? { Ok(0) } else { Err(Error::at(ErrorKind::Truncated, self.offset)) }
    }

    /// Extends the window. Returns `false` if the input has ended or failed.
    fn fill(&mut self) -> bool {
        if !self.input.is_ended {
            let filled = self.input.source.fill(self.keep());
            self.input.is_ended = !matches!(filled, Ok(true));
            // `advance` reports the error after the bytes before it, however the input was cut.
            self.input.failed = filled.err().map(|error| error.or_at(self.window_end()));
        }
        !self.input.is_ended
    }

    /// Scans the next batch. Returns `false` at the end of the input.
    fn advance(&mut self) -> Result<bool> {
        if let Some(retained) = self.retained {
            retained.check(self.validated_end())?;
        }
        if let Some((kind, offset)) = self.misplaced {
            return Err(Error::at(kind, offset));
        }
        let begin = self.scanned;
        while self.window_end() - begin < BLOCK as u64 && self.fill() {}
        let rest = &self.input.source.window()[(begin - self.input.source.offset()) as usize..];
        if rest.is_empty() {
            return match (self.input.failed.take(), self.scanner.finish()) {
                (Some(error), _) => Err(error),
                (None, Some(cut)) => Err(Error::at(cut.kind, begin)),
                (None, None) => Ok(false),
            };
        }
        let stop = usize::try_from(self.batch.stop - begin).unwrap_or(usize::MAX);
        let rest = &rest[..rest.len().min(stop)];
        self.batch.start = begin;
        let count = (rest.len() / BLOCK).min(BATCH);
        let misplaced = if count > 0 {
            self.scanned = begin + (count * BLOCK) as u64;
            self.scanner.scan(&rest[..count * BLOCK], &mut self.batch.blocks[..count])
        } else {
            self.scanned = begin + rest.len() as u64;
            self.scanner.scan_last(rest, &mut self.batch.blocks[0])
        };
        // If the source failed inside a character, the error of the source is reported.
        let is_cut = |kind| kind == ErrorKind::Truncated && self.input.failed.is_some();
        if let Some(misplaced) = misplaced.filter(|misplaced| !is_cut(misplaced.kind)) {
            let offset = begin.saturating_add_signed(misplaced.offset as i64);
            self.end_batch(misplaced.kind, offset);
        }
        if let Some((kind, place)) = self.follow() {
            self.end_batch(kind, begin + place as u64);
        }
        self.check_open_string();
        Ok(true)
    }

    /// Checks the batch: with a grammar all its tokens, otherwise the brackets. Returns the first
    /// error and its position in the batch.
    fn follow(&mut self) -> Option<(ErrorKind, usize)> {
        let count = self.block_count();
        if self.grammar.is_none() {
            return self.nesting.follow(&self.batch.blocks[..count]);
        }
        let last = self.batch.blocks[..count].last().map_or(0, |block| block.escapes);
        if last >> (BLOCK - string::ESCAPE_MAX) != 0 {
            let wanted = self.scanned + string::ESCAPE_MAX as u64;
            while self.window_end() < wanted && self.fill() {}
        }
        let (source, offset) = (&self.input.source, self.batch.start);
        let text = &source.window()[(offset - source.offset()) as usize..];
        let len = (self.scanned - offset) as usize;
        // If the source failed inside an escape, the error of the source is reported.
        let cut = if self.input.failed.is_some() {
            text.len() - string::ESCAPE_MAX.min(text.len())
        } else {
            usize::MAX
        };
        let batch = Batch { blocks: &self.batch.blocks[..count], text, len, offset };
        let wrong = self.grammar.as_mut()?.follow(batch, &mut self.nesting);
        wrong.filter(|&(kind, place)| kind != ErrorKind::Escape || place <= cut)
    }

    /// Ends the batch before an invalid byte. The cursor reports the error when it gets there,
    /// because an earlier error takes precedence.
    fn end_batch(&mut self, kind: ErrorKind, offset: u64) {
        self.misplaced = Some((kind, offset));
        self.scanned = offset.max(self.batch.start);
        self.clear_masks_after_end();
    }

    /// Clears the masks of the bytes after the end of the batch in its last block.
    fn clear_masks_after_end(&mut self) {
        let len = (self.scanned - self.batch.start) as usize;
        let visible = !(!0 << (len % BLOCK));
        if let Some(block) = self.batch.blocks.get_mut(len / BLOCK) {
            block.quotes &= visible;
            block.brackets &= visible;
            block.separators &= visible;
            block.words &= visible;
            block.escapes &= visible;
        }
    }

    /// The offset up to which all bytes are valid. An unfinished character at the end of the batch
    /// may be invalid, so it does not count towards a limit yet.
    fn validated_end(&self) -> u64 {
        match self.misplaced {
            Some((_, offset)) => offset.min(self.scanned),
            None => self.scanned - self.scanner.pending() as u64,
        }
    }

    fn block_count(&self) -> usize {
        ((self.scanned - self.batch.start) as usize).div_ceil(BLOCK)
    }

    fn window_end(&self) -> u64 {
        self.input.source.offset() + self.input.source.window().len() as u64
    }

    /// Returns the first offset to keep in the window. An outline begins at the start of a block,
    /// so this offset is the start of a block, too.
    fn keep(&self) -> u64 {
        let first = self.retained.map_or(self.offset, |retained| retained.from.min(self.offset));
        first - first.wrapping_sub(self.batch.start) % BLOCK as u64
    }

    #[inline]
    fn byte(&self, offset: u64) -> u8 {
        self.input.source.window()[(offset - self.input.source.offset()) as usize]
    }
}

/// [`Cursor::skip_blocks`], compiled for the scanner's instruction set.
struct SkipBlocks<'c, S, R> {
    cursor: &'c mut Cursor<S>,
    recorder: R,
    skip: &'c mut Skip,
}

/// The progress of a skip that may pause.
#[derive(Debug)]
pub struct Skip {
    /// Number of open containers, including the skipped one.
    depth: u64,
    /// The skip pauses after the batch that reaches this offset.
    pause: u64,
}

impl<S: Source, R: Recorder> Code for SkipBlocks<'_, S, R> {
    type Output = Result<bool>;

    #[inline(always)]
    fn run(self) -> Result<bool> {
        self.cursor.skip_blocks(self.recorder, self.skip)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
pub(super) mod tests;
