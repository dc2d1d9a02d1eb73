//! A place in a text that arrives in windows.
//!
//! The text is scanned a batch of blocks at a time, each byte once; the cursor then moves over the
//! masks. That brackets match is checked when they are scanned, and with
//! [`Validation::Grammar`] the whole grammar; so skipping only counts brackets until as few are
//! open as before.
//!
//! What is scanned but not yet passed over lies within the current batch; `Cursor::advance` is the
//! only place that brings the next. Whatever stands in the way of that (a misplaced byte, the end
//! of the input) ends the batch there and is told when the cursor arrives, so the first error is
//! the same however the input was cut. Who adds a way to move: go to the end of the batch, advance,
//! and go on; hold (`Hold`) what must stay in the window meanwhile.

mod jump;

use std::ops::Range;

use super::Validation;
use super::brackets::{Brackets, close_of};
use super::grammar::{Batch, Grammar};
use super::hold::Hold;
use super::outline::{Outline, Recorder, Unrecorded};
use super::string;
use super::value::Value;
use super::word::Word;
use crate::error::{Error, ErrorKind, Found, Result};
use crate::input::Source;
use crate::limits::{Limit, Limits};
use crate::scan::nesting::Nesting;
use crate::scan::{BATCH, BLOCK, Block, Code, Detail, Isa, Scanner};

/// A place in a text that arrives in windows.
#[derive(Debug)]
pub struct Cursor<S> {
    source: S,
    limits: Limits,
    scanner: Scanner,
    /// The brackets of what is scanned.
    nesting: Nesting,
    /// With [`Validation::Grammar`], what is between them.
    grammar: Option<Grammar>,
    /// The masks of the batch.
    blocks: Box<[Block; BATCH]>,
    /// The offset of the batch's first block.
    batch: u64,
    /// The offset of the first byte that is not scanned, or is misplaced.
    scanned: u64,
    /// What is wrong with the byte at `scanned`, and where to tell it.
    misplaced: Option<(ErrorKind, u64)>,
    /// Whether the window ends where the input does, or where it fails.
    ended: bool,
    /// Why there is no more than the window.
    failed: Option<Error>,
    /// The offset of the next byte.
    offset: u64,
    /// What must stay in the window although it is passed.
    held: Option<Hold>,
    /// The containers that are entered.
    open: Brackets,
    /// Whether a container was entered and nothing in it was read.
    fresh: bool,
    /// Where the text began of the string that the last batch ended in.
    string_start: Option<u64>,
    /// Where a batch must end.
    stop: u64,
}

impl<S: Source> Cursor<S> {
    /// A cursor at the byte `start` of a source that has handed out nothing before it yet.
    pub fn new(source: S, start: u64, isa: Isa, validation: Validation, limits: Limits) -> Self {
        let (detail, grammar) = match validation {
            Validation::Structure => (Detail::Structure, None),
            Validation::Grammar => (Detail::Tokens, Some(Grammar::before_value(isa))),
        };
        Cursor {
            source,
            limits,
            scanner: Scanner::new(isa, detail),
            nesting: Nesting::new(isa, limits.depth),
            grammar,
            blocks: Box::new([Block::default(); BATCH]),
            batch: start,
            scanned: start,
            misplaced: None,
            ended: false,
            failed: None,
            offset: start,
            held: None,
            open: Brackets::default(),
            fresh: false,
            string_start: None,
            stop: u64::MAX,
        }
    }

    /// The offset of the next byte, from the start of the input.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The source, for what concerns the input as a whole.
    pub fn source_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// The source, for what concerns the input as a whole.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// The first byte of the next token, which is not passed; `None` at the end of the input.
    ///
    /// # Errors
    ///
    /// What stands in the way of reading on.
    pub fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            let window = self.source.window();
            let (from, to) =
                (self.offset - self.source.offset(), self.scanned - self.source.offset());
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

    /// Enters the object that stands here.
    ///
    /// # Errors
    ///
    /// None does; the limit on depth.
    pub fn enter_object(&mut self) -> Result<()> {
        self.enter(b'{', "an object")
    }

    /// Enters the array that stands here.
    ///
    /// # Errors
    ///
    /// None does; the limit on depth.
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

    /// Goes to the next member of the entered object and past its key and colon; `None` leaves the
    /// object. The range is that of the key's text in the input: [`Cursor::text`] has it until the
    /// cursor moves.
    ///
    /// # Errors
    ///
    /// What the grammar of an object forbids.
    pub fn next_key(&mut self) -> Result<Option<Range<u64>>> {
        if !self.next(b'}', "a comma or the end of the object")? {
            return Ok(None);
        }
        if self.peek()? != Some(b'"') {
            return Err(self.expected("a key"));
        }
        let start = self.offset + 1;
        let max = self.limits.string_kept;
        let hold = Hold { from: start, start, limit: Limit::StringKept, max };
        self.held = Some(hold);
        self.offset = start;
        let found = self.find_quote(start, Unrecorded);
        let close = hold.first(found)?;
        self.offset = close + 1;
        hold.check(close)?;
        if let Err(bad) = string::check(self.text(start..close)) {
            return Err(Error::at(ErrorKind::Escape, start + bad.0 as u64));
        }
        let next = self.peek();
        let next = hold.first(next)?;
        hold.check(self.offset)?;
        if next != Some(b':') {
            return Err(self.expected("a colon"));
        }
        self.offset += 1;
        self.held = None;
        Ok(Some(start..close))
    }

    /// Goes to the next element of the entered array; `false` leaves the array.
    ///
    /// # Errors
    ///
    /// What the grammar of an array forbids.
    pub fn next_element(&mut self) -> Result<bool> {
        self.next(b']', "a comma or the end of the array")
    }

    fn next(&mut self, close: u8, expected: &'static str) -> Result<bool> {
        let fresh = std::mem::take(&mut self.fresh);
        match self.peek()? {
            Some(byte) if byte == close => {
                self.open.pop();
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

    /// The text of a range that the window holds.
    pub fn text(&self, range: Range<u64>) -> &[u8] {
        let base = self.source.offset();
        &self.source.window()[(range.start - base) as usize..(range.end - base) as usize]
    }

    /// Passes the value that stands here.
    ///
    /// # Errors
    ///
    /// What its level of validation forbids.
    pub fn skip(&mut self) -> Result<()> {
        self.pass(Unrecorded)
    }

    /// Passes the value that stands here and writes its outline. [`Cursor::value`] has the value
    /// until the cursor moves.
    ///
    /// # Errors
    ///
    /// What its level of validation forbids; the limit on the size of one element.
    pub fn outline(&mut self, outline: &mut Outline) -> Result<()> {
        self.peek()?;
        let start = self.offset;
        let origin = start - (start - self.batch) % BLOCK as u64;
        let max = self.limits.change.min(Outline::LEN_MAX);
        let hold = Hold { from: origin, start, limit: Limit::Change, max };
        self.held = Some(hold);
        let isa = self.scanner.isa();
        outline.begin(isa, origin, (start - origin) as u32, self.limits.string_kept);
        let passed = self.pass(&mut *outline);
        outline.end(self.offset);
        self.held = None;
        hold.first(passed)?;
        hold.check(self.offset)
    }

    /// The next `len` bytes, or all that there are; nothing is known of them.
    pub fn ahead(&mut self, len: usize) -> &[u8] {
        let wanted = self.offset + len as u64;
        while self.window_end() < wanted && self.fill() {}
        self.text(self.offset..wanted.min(self.window_end()))
    }

    /// The text of the value that was outlined last, from `Outline::origin` on.
    pub fn outlined(&self, outline: &Outline) -> &[u8] {
        self.text(outline.origin..self.offset)
    }

    /// The value that was outlined last.
    pub fn value<'a>(&'a self, outline: &'a mut Outline) -> Value<'a> {
        outline.value(self.outlined(outline))
    }

    /// Passes the space that follows the document; `false` where something else does.
    ///
    /// # Errors
    ///
    /// What stands in the way of reading on.
    pub fn at_end(&mut self) -> Result<bool> {
        Ok(self.peek()?.is_none())
    }

    /// The error that here something else was expected.
    pub fn expected(&self, expected: &'static str) -> Error {
        if self.offset == self.scanned {
            return Error::at(ErrorKind::Truncated, self.offset);
        }
        let byte = self.byte(self.offset);
        let closes_other = match byte {
            b'}' => !self.open.is_object(),
            b']' => self.open.is_object(),
            _ => false,
        };
        // What skipping would tell of it as well.
        if closes_other && self.open.depth > 0 {
            return Error::at(ErrorKind::MismatchedBracket, self.offset);
        }
        Error::at(ErrorKind::Syntax { expected, found: Found::of(byte) }, self.offset)
    }

    fn pass(&mut self, recorder: impl Recorder) -> Result<()> {
        self.fresh = false;
        match self.peek()? {
            Some(b'{' | b'[') => {
                let open = Open { depth: &mut 0, pause: u64::MAX };
                self.pass_brackets(recorder, open).map(|_| ())
            }
            Some(b'"') => self.pass_string(recorder),
            Some(byte) if Word::holds(byte) => self.pass_word(),
            _ => Err(self.expected("a value")),
        }
    }

    fn pass_string(&mut self, recorder: impl Recorder) -> Result<()> {
        let close = self.find_quote(self.offset + 1, recorder)?;
        self.offset = close + 1;
        Ok(())
    }

    /// Passes a word: a literal or a number, whose grammar is checked.
    fn pass_word(&mut self) -> Result<()> {
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

    /// Passes the container that stands here, or that was begun, looking at brackets only. `false`:
    /// it goes on behind the pause.
    fn pass_brackets(&mut self, recorder: impl Recorder, open: Open<'_>) -> Result<bool> {
        self.scanner.isa().run(PassBlocks { cursor: self, recorder, open })
    }

    #[inline(always)]
    fn pass_blocks(&mut self, mut recorder: impl Recorder, open: Open<'_>) -> Result<bool> {
        // How many containers are open, with the one that is passed, and around it.
        let (mut depth, around) = (*open.depth, self.open.depth);
        let mut from = (self.offset - self.batch) as usize;
        loop {
            let first = from / BLOCK;
            let mut visible = !0 << (from % BLOCK);
            let blocks = &self.blocks[..self.block_count()];
            let mut next = first;
            for stretch in self.nesting.stretches() {
                let end = stretch.end.min(blocks.len());
                if stretch.least > around && next < end {
                    depth = stretch.after - around;
                    next = end;
                }
                for index in next..end {
                    let block = &blocks[index];
                    let brackets = block.brackets & visible;
                    visible = !0;
                    if let Some(bit) = close_of(brackets, block.opens, &mut depth) {
                        recorder.blocks(&blocks[first..=index]);
                        self.offset = self.batch + (index * BLOCK) as u64 + u64::from(bit) + 1;
                        return Ok(true);
                    }
                }
                next = next.max(end);
            }
            recorder.blocks(&blocks[first..]);
            if self.scanned >= open.pause {
                (self.offset, *open.depth) = (self.scanned, depth);
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

    /// The first quote at or after `from`, which is in this batch or next to it. Blocks are
    /// recorded from that of the cursor on; the cursor does not move in front of the quote.
    fn find_quote(&mut self, from: u64, mut recorder: impl Recorder) -> Result<u64> {
        let mut first = (self.offset - self.batch) as usize / BLOCK;
        let mut from = (from - self.batch) as usize;
        loop {
            recorder.blocks(&self.blocks[first..self.block_count()]);
            let mut visible = !0 << (from % BLOCK);
            for index in from / BLOCK..self.block_count() {
                let quotes = self.blocks[index].quotes & visible;
                visible = !0;
                if quotes != 0 {
                    let start = self.batch + (index * BLOCK) as u64;
                    return Ok(start + u64::from(quotes.trailing_zeros()));
                }
            }
            from = self.next_batch()?;
            first = 0;
        }
    }

    /// Brings the next batch where the document must go on.
    fn next_batch(&mut self) -> Result<usize> {
        self.offset = self.scanned;
        if self.advance()? { Ok(0) } else { Err(Error::at(ErrorKind::Truncated, self.offset)) }
    }

    /// Brings more of the input into the window; `false` where it ends or fails.
    fn fill(&mut self) -> bool {
        if !self.ended {
            let filled = self.source.fill(self.keep());
            self.ended = !matches!(filled, Ok(true));
            // Told when the bytes before it are passed, wherever the input was cut.
            self.failed = filled.err().map(|error| error.or_at(self.window_end()));
        }
        !self.ended
    }

    /// Scans the next batch; `false` at the end of the input.
    fn advance(&mut self) -> Result<bool> {
        if let Some(hold) = self.held {
            hold.check(self.known())?;
        }
        if let Some((kind, offset)) = self.misplaced {
            return Err(Error::at(kind, offset));
        }
        let begin = self.scanned;
        while self.window_end() - begin < BLOCK as u64 && self.fill() {}
        let rest = &self.source.window()[(begin - self.source.offset()) as usize..];
        if rest.is_empty() {
            return match (self.failed.take(), self.scanner.finish()) {
                (Some(error), _) => Err(error),
                (None, Some(cut)) => Err(Error::at(cut.kind, begin)),
                (None, None) => Ok(false),
            };
        }
        let stop = usize::try_from(self.stop - begin).unwrap_or(usize::MAX);
        let rest = &rest[..rest.len().min(stop)];
        self.batch = begin;
        let count = (rest.len() / BLOCK).min(BATCH);
        let misplaced = if count > 0 {
            self.scanned = begin + (count * BLOCK) as u64;
            self.scanner.scan(&rest[..count * BLOCK], &mut self.blocks[..count])
        } else {
            self.scanned = begin + rest.len() as u64;
            self.scanner.scan_last(rest, &mut self.blocks[0])
        };
        if let Some(misplaced) = misplaced {
            let offset = begin.saturating_add_signed(misplaced.offset as i64);
            self.end_batch(misplaced.kind, offset);
        }
        if let Some((kind, place)) = self.follow() {
            self.end_batch(kind, begin + place as u64);
        }
        self.watch_string();
        Ok(true)
    }

    /// Follows the brackets of the batch, or all of its tokens; what is wrong, and the place in the
    /// batch.
    fn follow(&mut self) -> Option<(ErrorKind, usize)> {
        let count = self.block_count();
        if self.grammar.is_none() {
            return self.nesting.follow(&self.blocks[..count]);
        }
        let last = self.blocks[..count].last().map_or(0, |block| block.escapes);
        if last >> (BLOCK - string::ESCAPE_MAX) != 0 {
            let wanted = self.scanned + string::ESCAPE_MAX as u64;
            while self.window_end() < wanted && self.fill() {}
        }
        let (source, offset) = (&self.source, self.batch);
        let text = &source.window()[(offset - source.offset()) as usize..];
        let len = (self.scanned - offset) as usize;
        let batch = Batch { blocks: &self.blocks[..count], text, len, offset };
        self.grammar.as_mut()?.follow(batch, &mut self.nesting)
    }

    /// Ends the batch before a byte that is wrong, which is told when the cursor comes there: what
    /// is wrong before it comes first.
    fn end_batch(&mut self, kind: ErrorKind, offset: u64) {
        self.misplaced = Some((kind, offset));
        self.scanned = offset.max(self.batch);
        self.hide_rest();
    }

    /// Clears the masks of what cannot be reached in the last block of the batch.
    fn hide_rest(&mut self) {
        let len = (self.scanned - self.batch) as usize;
        let visible = !(!0 << (len % BLOCK));
        if let Some(block) = self.blocks.get_mut(len / BLOCK) {
            block.quotes &= visible;
            block.brackets &= visible;
            block.separators &= visible;
            block.words &= visible;
            block.escapes &= visible;
        }
    }

    /// Holds strings that go over more than one batch to their limit.
    fn watch_string(&mut self) {
        let count = self.block_count();
        let quotes = |index: &usize| self.blocks[*index].quotes != 0;
        let limit = self.limits.string_skipped.max(Limits::STRING_SKIPPED_MIN);
        let first = (0..count).find(quotes);
        if let Some(start) = self.string_start {
            let end = match first {
                Some(index) => {
                    (index * BLOCK) as u64 + u64::from(self.blocks[index].quotes.trailing_zeros())
                }
                None => self.known().saturating_sub(self.batch),
            };
            if (self.batch + end).saturating_sub(start) > limit {
                let kind = ErrorKind::Limit { limit: Limit::StringSkipped, value: limit };
                self.end_batch(kind, start + limit);
                return;
            }
        }
        if !self.scanner.in_string() {
            self.string_start = None;
        } else if let Some(last) = first.and_then(|_| (0..count).rfind(quotes)) {
            let quote = 63 - self.blocks[last].quotes.leading_zeros();
            self.string_start = Some(self.batch + (last * BLOCK) as u64 + u64::from(quote) + 1);
        }
    }

    /// The offset up to which the bytes are known to be in order: what begins a character at the
    /// end of the batch may yet be wrong, and must not pass a limit before it is.
    fn known(&self) -> u64 {
        match self.misplaced {
            Some((_, offset)) => offset.min(self.scanned),
            None => self.scanned - self.scanner.pending() as u64,
        }
    }

    fn block_count(&self) -> usize {
        ((self.scanned - self.batch) as usize).div_ceil(BLOCK)
    }

    fn window_end(&self) -> u64 {
        self.source.offset() + self.source.window().len() as u64
    }

    /// Where the window must begin: at a block, so that a value can be outlined from its own on.
    fn keep(&self) -> u64 {
        let first = self.held.map_or(self.offset, |held| held.from.min(self.offset));
        first - first.wrapping_sub(self.batch) % BLOCK as u64
    }

    /// A byte of the batch.
    #[inline]
    fn byte(&self, offset: u64) -> u8 {
        self.source.window()[(offset - self.source.offset()) as usize]
    }
}

/// [`Cursor::pass_blocks`], to be run with the scanner's instructions.
struct PassBlocks<'c, S, R> {
    cursor: &'c mut Cursor<S>,
    recorder: R,
    open: Open<'c>,
}

/// A container that is passed a part at a time.
struct Open<'o> {
    /// How many are open, itself included.
    depth: &'o mut u64,
    /// No further batch is brought from this offset on.
    pause: u64,
}

impl<S: Source, R: Recorder> Code for PassBlocks<'_, S, R> {
    type Output = Result<bool>;

    #[inline(always)]
    fn run(self) -> Result<bool> {
        self.cursor.pass_blocks(self.recorder, self.open)
    }
}

/// Checks a whole text: one value and nothing else.
///
/// # Errors
///
/// What the level of validation forbids.
pub fn check<S: Source>(source: S, validation: Validation, limits: Limits) -> Result<()> {
    let mut cursor = Cursor::new(source, 0, Isa::best(), validation, limits);
    cursor.skip()?;
    if cursor.at_end()? {
        return Ok(());
    }
    Err(Error::at(ErrorKind::Trailing, cursor.offset()))
}

#[cfg(test)]
#[path = "tests.rs"]
pub(super) mod tests;
