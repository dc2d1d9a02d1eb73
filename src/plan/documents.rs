//! The documents of an input: one, or several one after the other, as terragrunt prints them when
//! it runs `show -json` for many units.
//!
//! Where a document is whole, the next one begins behind it: at once, behind space, or behind a
//! wrapper's text. Where it is not, nothing in it tells where it should have ended; what does is a
//! line that begins as a plan does when each has a line of its own ([`BEGINNINGS`]). Inside of a
//! plan there is no such line: a string holds no line feed, and nothing that writes objects on
//! lines of their own writes those in a plan like this, but for the prior state: that begins as a
//! plan does, and is told by the key before it. So a document reaches no further than to
//! the next such line. One that is cut off there is incomplete, instead of swallowing those behind
//! it; one that is cut off right behind the key of its prior state swallows the next one, and is
//! incomplete all the same.
//!
//! Lines are looked for in the first [`REACH`] bytes of each document, so that large ones cost
//! nothing. What must not change: which line is found depends on the bytes alone, not on the
//! windows they come in.

use std::ops::Range;

use super::frame::Document;
use super::head::{self, Head};
use super::pieces::{self, PieceVisitor};
use super::reader;
use super::tail::{self, After};
use super::{Flow, Options, Visitor};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{SharedText, Source};

/// How far behind the beginning of a document the next one may begin on a line of its own and be
/// found although the document is not whole, in bytes.
pub const REACH: u64 = 64 << 20;

/// How a line begins that is a plan: with the key that all tools write first, or with one of those
/// that come first when keys are sorted.
const BEGINNINGS: [&[u8]; 4] = [
    b"\n{\"format_version\"",
    b"\n{\"applyable\"",
    b"\n{\"action_invocations\"",
    b"\n{\"plan_format_version\"",
];

/// What stands before the prior state of a plan, but for space.
const PRIOR_STATE: &[u8; 14] = b"\"prior_state\":";

/// What follows a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    End,
    /// Another document, that begins at this offset or behind text there.
    Document(u64),
    /// The document is not whole, and no line behind it certainly begins another.
    Unknown {
        /// Something behind its beginning looked like the beginning of another, as far as that was
        /// at hand.
        seems_more: bool,
    },
}

/// The documents of an input, read one by one.
///
/// ```
/// use plansift::input::Slice;
/// use plansift::plan::{Documents, Next, Options, Visitor};
///
/// struct Nobody;
/// impl Visitor for Nobody {}
///
/// let line = r#"{"format_version":"1.2","resource_changes":[]}"#;
/// let (first, cut) = (format!("{line}\n"), &line[..30]);
/// let text = format!("{first}{cut}\n{line}");
/// let mut documents = Documents::new(Slice(text.as_bytes()), &Options::default());
/// assert!(documents.read(&mut Nobody).is_ok());
/// assert_eq!(documents.find_next(), Next::Document(first.len() as u64));
/// assert!(documents.read(&mut Nobody).is_err());
/// assert!(matches!(documents.find_next(), Next::Document(_)));
/// assert!(documents.read(&mut Nobody).is_ok());
/// assert_eq!(documents.find_next(), Next::End);
/// ```
pub struct Documents<S> {
    source: S,
    options: Options,
    after: After,
    line: Line,
    state: State,
}

/// Where the reading is.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Before a document, or text and a document.
    At(u64),
    /// Behind the last one.
    End,
    /// In a document that is not whole, or was not read to its end.
    Broken { seems_more: bool },
}

/// What was read, whether to its end, and where behind it another document begins, if one does.
pub(crate) type Part = (Document, Flow, Option<u64>);

/// A document that was found, and is to be read.
pub(crate) struct Found<'o> {
    head: Head,
    after: After,
    options: &'o Options,
}

impl Found<'_> {
    /// Reads its pieces from a source that hands out the document's region.
    pub fn read_pieces(self, region: impl Source, visitor: &mut impl PieceVisitor) -> Result<Part> {
        pieces::read(region, self.head, self.after, self.options, visitor)
    }
}

impl<S: Source> Documents<S> {
    /// The documents of a source that has handed out nothing yet.
    pub fn new(source: S, options: &Options) -> Documents<S> {
        Documents::with(source, options, After::Documents)
    }

    /// A source that must hold one document only: all else in it is an error.
    pub fn only(source: S, options: &Options) -> Documents<S> {
        Documents::with(source, options, After::Nothing)
    }

    fn with(source: S, options: &Options, after: After) -> Documents<S> {
        let (line, state) = (Line::default(), State::At(0));
        Documents { source, options: *options, after, line, state }
    }

    /// Reads the document that comes next and tells `visitor` what is in it. Behind
    /// one that the visitor stops at, the next is looked for as behind one that is not whole.
    ///
    /// # Errors
    ///
    /// Those of [`super::read`].
    ///
    /// # Panics
    ///
    /// There is none: [`Documents::find_next`] says so.
    pub fn read(&mut self, visitor: &mut impl Visitor) -> Result<Document> {
        self.read_by(|region, found| {
            reader::read(region, found.head, found.after, found.options, visitor)
        })
    }

    /// The same for one who wants its pieces, and takes states as well.
    ///
    /// # Errors
    ///
    /// The input is unreadable, neither a plan nor a state, not well formed, incomplete, or passes
    /// a limit; the visitor's own.
    ///
    /// # Panics
    ///
    /// There is none: [`Documents::find_next`] says so.
    pub fn read_pieces(&mut self, visitor: &mut impl PieceVisitor) -> Result<Document> {
        self.read_by(|region, found| found.read_pieces(region, visitor))
    }

    /// What is read. Its window holds the end of the document that was read last.
    pub(crate) fn source(&self) -> &S {
        &self.source
    }

    /// Goes on as another reading of the same input did ([`Documents::find_next`]): to a document
    /// that this one has not passed, whatever stands before it, or not at all.
    ///
    /// # Errors
    ///
    /// The source cannot be read, or ends before.
    pub fn follow(&mut self, next: Next) -> Result<()> {
        if let (State::At(own), Next::Document(at)) = (self.state, next)
            && own == at
        {
            return Ok(());
        }
        self.line = Line::default();
        self.state = match next {
            Next::Document(at) => State::At(at),
            Next::End => State::End,
            Next::Unknown { seems_more } => State::Broken { seems_more },
        };
        let Next::Document(at) = next else { return Ok(()) };
        loop {
            let end = self.source.offset() + self.source.window().len() as u64;
            if end >= at {
                return Ok(());
            }
            let filled = self.source.fill(end);
            if !matches!(filled, Ok(true)) {
                self.state = State::End;
                filled?;
                return Err(Error::new(ErrorKind::Changed));
            }
        }
    }

    /// The same for one who puts a source of his own between the document and its reader.
    pub(crate) fn read_by(
        &mut self,
        read: impl FnOnce(Region<'_, S>, Found<'_>) -> Result<Part>,
    ) -> Result<Document> {
        let State::At(from) = self.state else {
            panic!("the documents were read to {:?}", self.state);
        };
        // Where no document is found there is nothing to go on from.
        self.state = State::End;
        let head = match head::find(&mut self.source, from, self.options.surrounding_text) {
            Ok(head) => head,
            Err(error) => return Err(reader::unless_changed(&mut self.source, error)),
        };
        self.line = self.line.behind(head.brace, self.after);
        let region = Region::new(&mut self.source, &mut self.line);
        match read(region, Found { head, after: self.after, options: &self.options }) {
            Ok((document, flow, next)) => {
                self.state = match (flow, next.or(self.line.found)) {
                    (Flow::Stop, _) => State::Broken { seems_more: false },
                    (Flow::Continue, Some(next)) => State::At(next),
                    (Flow::Continue, None) => State::End,
                };
                Ok(document)
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Holds the input to what it was when it was opened, for who has looked at the window of the
    /// document that was read once more.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Changed`].
    pub(crate) fn hold_still(&mut self) -> Result<()> {
        match self.source.changed() {
            true => Err(self.fail(Error::new(ErrorKind::Changed))),
            false => Ok(()),
        }
    }

    /// Says of a document that was read that it failed all the same, with what to tell of it.
    pub fn fail(&mut self, error: Error) -> Error {
        let error = reader::unless_changed(&mut self.source, error);
        self.state = match error.kind() {
            ErrorKind::Changed | ErrorKind::Write => State::End,
            _ => State::Broken { seems_more: self.seems_more() },
        };
        error
    }

    fn seems_more(&self) -> bool {
        let from = (self.line.start + 1).saturating_sub(self.source.offset());
        let rest = self.source.window().get(from as usize..).unwrap_or_default();
        BEGINNINGS.iter().any(|beginning| {
            // Without the line feed. Behind a colon it is the prior state of this one.
            let mut found = memchr::memmem::find_iter(rest, &beginning[1..]);
            found.any(|at| !rest[..at].trim_ascii_end().ends_with(b":"))
        })
    }

    /// How they are read.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// What follows the document that was read, or failed. Reads on to find out.
    pub fn find_next(&mut self) -> Next {
        if let State::Broken { .. } = self.state {
            let mut region = Region::new(&mut self.source, &mut self.line);
            if let Some(next) = region.pass() {
                self.state = State::At(next);
            }
        }
        match self.state {
            State::At(next) => Next::Document(next),
            State::End => Next::End,
            State::Broken { seems_more } => Next::Unknown { seems_more },
        }
    }
}

/// The line behind a document that begins another.
#[derive(Debug, Default)]
struct Line {
    /// The first brace of the document.
    start: u64,
    /// How far such a line is looked for.
    until: u64,
    /// How far it was looked for: behind earlier documents, too.
    searched: u64,
    /// The last bytes before that which are no space.
    before: Before,
    /// Where it begins.
    found: Option<u64>,
}

impl Line {
    /// That behind a document which begins at `start`, behind this one.
    fn behind(&self, start: u64, after: After) -> Line {
        let until = match after {
            After::Nothing => start,
            After::Documents => start + REACH,
        };
        let known = if self.found.is_none() { self.searched.min(self.until) } else { 0 };
        let before =
            if known > start && known == self.searched { self.before } else { Before::default() };
        Line { start, until, searched: known.max(start), before, found: None }
    }

    /// Looks on in a window at this offset. Returns how much of the window belongs to the document
    /// for sure.
    fn look(&mut self, window: &[u8], offset: u64) -> usize {
        let end = offset + window.len() as u64;
        if let Some(found) = self.found {
            return (found - offset) as usize;
        }
        let mut from = self.searched;
        let text = |range: Range<u64>| {
            &window[(range.start - offset) as usize..(range.end - offset) as usize]
        };
        while from < end.min(self.until) {
            let rest = &window[(from - offset) as usize..];
            let Some(at) = next_line(rest) else { break };
            let feed = from + at as u64;
            if feed >= self.until {
                break;
            }
            let line = &rest[at..];
            let begins = BEGINNINGS.iter().any(|beginning| line.starts_with(beginning));
            if begins && !self.before.behind(text(self.searched..feed)).is_of_prior_state() {
                self.found = Some(feed + 1);
                return (feed + 1 - offset) as usize;
            }
            if !begins && BEGINNINGS.iter().any(|beginning| beginning.starts_with(line)) {
                // The line feed belongs to the document, what may become a beginning does not yet.
                self.before = self.before.behind(text(self.searched..feed));
                self.searched = feed;
                return (feed + 1 - offset) as usize;
            }
            from = feed + 1;
        }
        if self.searched < end.min(self.until) {
            self.before = self.before.behind(text(self.searched..end));
        }
        self.searched = end;
        window.len()
    }
}

/// The last bytes before a place that are no space, the last one first.
#[derive(Clone, Copy, Debug, Default)]
struct Before([u8; PRIOR_STATE.len()]);

impl Before {
    /// Those before the end of a text that stands behind the place.
    fn behind(self, text: &[u8]) -> Before {
        let earlier = self.0.into_iter();
        let bytes = text.iter().rev().copied().filter(|byte| !byte.is_ascii_whitespace());
        let mut last = Before::default();
        for (slot, byte) in last.0.iter_mut().zip(bytes.chain(earlier)) {
            *slot = byte;
        }
        last
    }

    /// Whether the value of the key `prior_state` stands at the place.
    fn is_of_prior_state(&self) -> bool {
        self.0.iter().rev().eq(PRIOR_STATE)
    }
}

/// The next line feed behind which one of [`BEGINNINGS`] may stand, as far as the text goes.
fn next_line(text: &[u8]) -> Option<usize> {
    const BEGINNING: &[u8] = b"\n{\"";
    /// Most plans have no line feed at all; with more than a few they have them all over, and all
    /// three bytes are looked for at once.
    const FEW: usize = 16;
    let mut from = 0;
    for _ in 0..FEW {
        let feed = from + memchr::memchr(b'\n', &text[from..])?;
        let line = &text[feed..];
        if BEGINNING.starts_with(&line[..line.len().min(BEGINNING.len())]) {
            return Some(feed);
        }
        from = feed + 1;
    }
    let rest = &text[from..];
    let cut = || (1..BEGINNING.len()).rev().find(|len| rest.ends_with(&BEGINNING[..*len]));
    let found = memchr::memmem::find(rest, BEGINNING).or_else(|| cut().map(|len| rest.len() - len));
    found.map(|at| from + at)
}

/// Reads a plan from its first byte to its last and tells `visitor` what is in it. The input holds
/// nothing else; for one that may hold several plans there is [`Documents`].
///
/// # Errors
///
/// The input is unreadable, no plan, not well formed, incomplete, or passes a limit; the visitor's
/// own. A visitor must not take what it was told for the whole plan unless this returns `Ok`.
pub fn read<S: Source, V: Visitor>(
    source: S,
    options: &Options,
    visitor: &mut V,
) -> Result<Document> {
    Documents::only(source, options).read(visitor)
}

/// A source up to the line that begins another document.
pub(crate) struct Region<'a, S> {
    source: &'a mut S,
    line: &'a mut Line,
    /// How much of the window is to be seen.
    len: usize,
}

impl<'a, S: Source> Region<'a, S> {
    fn new(source: &'a mut S, line: &'a mut Line) -> Region<'a, S> {
        let len = line.look(source.window(), source.offset());
        Region { source, line, len }
    }

    /// Reads on to the next line that begins a document.
    fn pass(&mut self) -> Option<u64> {
        while self.line.found.is_none() && self.line.searched < self.line.until {
            let seen = self.source.offset() + self.len as u64;
            if !self.fill(seen).ok()? {
                break;
            }
        }
        self.line.found
    }
}

impl<S: Source> Source for Region<'_, S> {
    #[inline]
    fn window(&self) -> &[u8] {
        &self.source.window()[..self.len]
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.source.offset()
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let seen = self.source.offset() + self.len as u64;
        // The line may turn out to begin right there, with more of it in the window.
        while self.line.found != Some(seen) {
            // What may be the beginning of such a line stays.
            let more = self.source.fill(keep.min(seen).min(self.line.searched));
            let (window, offset) = (self.source.window(), self.source.offset());
            self.len = self.line.look(window, offset);
            if self.line.found.is_none() && !matches!(more, Ok(true)) {
                // Nothing can become one any more.
                self.len = window.len();
            }
            let more = more?;
            if offset + self.len as u64 > seen {
                return Ok(true);
            }
            if !more {
                break;
            }
        }
        Ok(false)
    }

    fn finish(&mut self) -> Result<()> {
        if self.line.found.is_some() { tail::unchanged(self.source) } else { self.source.finish() }
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }

    fn would_block(&self) -> bool {
        self.source.would_block()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.source.shared_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_may_begin_a_plan_is_found_behind_any_number_of_others() {
        for lines in [0, 1, 15, 16, 17, 40] {
            for (end, place) in [
                ("\n", Some(0)),
                ("x\n{", Some(1)),
                ("x\n{\"", Some(1)),
                ("x\n{\"f\n{\"", Some(1)),
                ("x\n{}\n{\"", Some(4)),
                ("x\n {\"", None),
                ("x", None),
            ] {
                let before = "\n  \"a\": {".repeat(lines);
                let expected = place.map(|place| before.len() + place);
                assert_eq!(next_line((before + end).as_bytes()), expected, "{lines} {end:?}");
            }
        }
    }
}
