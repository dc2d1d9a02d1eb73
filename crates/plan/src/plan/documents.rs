//! The documents of an input: one or several in a row. For example, terragrunt prints several
//! documents when it runs `show -json` for many units.
//!
//! After a complete document, the next one may follow at once, after white space, or after a
//! wrapper's text. Documents may also be the elements of an array, as `jq -s` writes them. The
//! comma before an element belongs to it, so the offset of the comma says where the element begins.
//! If an element of an array fails, the elements after it are not read. There is one exception: the
//! reader passes a document of another kind that follows a plan.
//!
//! The end of an incomplete document is unknown. The only reliable sign of the next
//! document is a line that begins like a plan ([`BEGINNINGS`]), because tools print one plan per
//! line.
//!
//! Inside a plan, only the prior state can begin such a line: strings contain no raw line feeds,
//! and no other nested object begins like a plan. The key before the prior state identifies it. So
//! every document ends before the next such line, and a document that is cut off does not swallow
//! the next document. There is one exception: a document that is cut off right after its key
//! `prior_state` swallows the next document. It is still reported as incomplete.
//!
//! The search covers the first [`REACH`] bytes of each document, which limits its cost. Invariant:
//! the result of the search depends only on the bytes, not on the windows in which they arrive.

use std::ops::Range;

use super::document_fault::DocumentFault;
use super::document_state::{Accepts, Document};
use super::kind::BEGINNINGS;
use super::preamble;
use super::trailer::{self, AllowedTrailer};
use super::walk::{FoundDocument, WalkedDocument};
use super::wrong_document::WrongDocument;
use super::{Flow, PlanOptions, Visitor};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::{SharedText, Source};

/// Length of the search for the next document, in bytes from the start of the current document.
pub const REACH: u64 = 64 << 20;

/// The last bytes before the prior state of a plan, without white space.
const PRIOR_STATE: &[u8; 14] = b"\"prior_state\":";

/// What follows a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextDocument {
    /// Nothing.
    End,
    /// Another document, which begins at this offset, or after text or the comma of an array at
    /// this offset.
    Document(u64),
    /// The document is incomplete, and no later line is certain to begin another document.
    Unknown {
        /// True if the available text after the document's start seems to begin another document.
        seems_more: bool,
    },
}

/// Reads the documents of an input one by one.
///
/// ```
/// use plansift_core::input::Slice;
/// use plansift_plan::plan::{Accepts, Documents, Flow, NextDocument, Piece, PlanOptions, Visitor};
///
/// struct Ignore;
/// impl Visitor for Ignore {
///     fn piece(&mut self, _: &Piece<'_>) -> plansift_plan::error::Result<Flow> {
///         Ok(Flow::Continue)
///     }
/// }
///
/// let line = r#"{"format_version":"1.2","resource_changes":[]}"#;
/// let (first, cut) = (format!("{line}\n"), &line[..30]);
/// let text = format!("{first}{cut}\n{line}");
/// let mut documents = Documents::new(Slice(text.as_bytes()), &PlanOptions::default());
/// assert!(documents.read(Accepts::Plans, &mut Ignore).is_ok());
/// assert_eq!(documents.find_next(), NextDocument::Document(first.len() as u64));
/// assert!(documents.read(Accepts::Plans, &mut Ignore).is_err());
/// assert!(matches!(documents.find_next(), NextDocument::Document(_)));
/// assert!(documents.read(Accepts::Plans, &mut Ignore).is_ok());
/// assert_eq!(documents.find_next(), NextDocument::End);
/// ```
pub struct Documents<S> {
    source: S,
    options: PlanOptions,
    after: AllowedTrailer,
    line: Line,
    state: State,
}

/// The position of the reader among the documents.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Before a document, or before the text or the comma before a document.
    At(u64),
    /// After the last document.
    End,
    /// Inside a document that is incomplete, or that was not read to its end.
    Broken { seems_more: bool },
}

impl<S: Source> Documents<S> {
    /// Reads all documents of a source. The source must still be at its start.
    pub fn new(source: S, options: &PlanOptions) -> Documents<S> {
        Documents::with(source, options, AllowedTrailer::Documents)
    }

    /// Reads a source that must contain exactly one document, perhaps in an array. Anything else in
    /// the source is an error.
    pub fn only(source: S, options: &PlanOptions) -> Documents<S> {
        Documents::with(source, options, AllowedTrailer::Nothing)
    }

    fn with(source: S, options: &PlanOptions, after: AllowedTrailer) -> Documents<S> {
        let (line, state) = (Line::default(), State::At(0));
        Documents { source, options: *options, after, line, state }
    }

    /// Reads the next document, which must be one that `accepts` names, and sends its pieces to
    /// `visitor`.
    ///
    /// If the visitor stops early, the document counts as incomplete in the search for the next
    /// one.
    ///
    /// # Errors
    ///
    /// Fails if the input is unreadable, not accepted, malformed or incomplete, or if it exceeds a
    /// limit. Any error of the visitor is returned.
    ///
    /// # Panics
    ///
    /// Panics if no document is left. [`Documents::find_next`] says whether one is left.
    pub fn read(&mut self, accepts: Accepts, visitor: &mut impl Visitor) -> Result<Document> {
        let found = self.find_start()?;
        let region = Region::new(&mut self.source, &mut self.line);
        let walked = found.read(region, accepts, visitor);
        self.finish(walked)
    }

    /// Like [`Documents::read`], but `read` may wrap the document's region in a source of its own.
    pub fn read_by(
        &mut self,
        read: impl FnOnce(Region<'_, S>, FoundDocument) -> WalkedDocument,
    ) -> Result<Document> {
        let found = self.find_start()?;
        let walked = read(Region::new(&mut self.source, &mut self.line), found);
        self.finish(walked)
    }

    /// Whether the next document is an element of an array, but not its first one.
    pub fn is_inside_array(&self) -> bool {
        let State::At(at) = self.state else { return false };
        at > 0 && preamble::behind(&self.source, at).first() == Some(&b',')
    }

    /// The source. Its window contains the end of the last document.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// Moves to the position that [`Documents::find_next`] returned in an earlier pass over the
    /// same input. Skips the bytes in between, whatever they are.
    ///
    /// # Errors
    ///
    /// Fails if the source is unreadable, or ends before this position.
    pub fn follow(&mut self, next: NextDocument) -> Result<()> {
        if let (State::At(own), NextDocument::Document(at)) = (self.state, next)
            && own == at
        {
            return Ok(());
        }
        self.line = Line::default();
        self.state = match next {
            NextDocument::Document(at) => State::At(at),
            NextDocument::End => State::End,
            NextDocument::Unknown { seems_more } => State::Broken { seems_more },
        };
        let NextDocument::Document(at) = next else { return Ok(()) };
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

    /// Finds where the next document begins, and starts the search for the document after it.
    fn find_start(&mut self) -> Result<FoundDocument> {
        let State::At(from) = self.state else {
            panic!("the documents were read to {:?}", self.state);
        };
        // If this search fails, a later document cannot be found either.
        self.state = State::End;
        let head = match preamble::find(&mut self.source, from, self.options.surrounding_text) {
            Ok(head) => head,
            Err(error) => return Err(unless_changed(&mut self.source, error)),
        };
        let after = match (self.after, head.is_element()) {
            (after, false) => after,
            (AllowedTrailer::Nothing, true) => AllowedTrailer::EndOfArray,
            (_, true) => AllowedTrailer::Elements,
        };
        self.line = self.line.behind(head.brace, after);
        // The first document of an input decides whether the input is read at all.
        let passes_others = from > 0 && after == AllowedTrailer::Elements;
        Ok(FoundDocument { head, after, options: self.options, passes_others })
    }

    /// Moves to what follows a document after its walk, and returns the result of the walk.
    fn finish(&mut self, walked: WalkedDocument) -> Result<Document> {
        let WalkedDocument { state, flow } = walked;
        let error = match flow {
            Ok(flow) => {
                self.state = match (flow, state.next.or(self.line.found)) {
                    (Flow::Stop, _) => State::Broken { seems_more: false },
                    (Flow::Continue, Some(next)) => State::At(next),
                    (Flow::Continue, None) => State::End,
                };
                return Ok(state.document);
            }
            Err(error) => error,
        };
        let is_about_all = error.fault::<WrongDocument>().is_some()
            || error.fault() == Some(&DocumentFault::NoFormatVersion);
        let is_placed = state.is_element() && is_about_all;
        let error = self.fail(if is_placed { error.or_at(self.line.start) } else { error });
        if let (State::Broken { .. }, Some(other)) = (self.state, state.past_other) {
            self.state = other.next.map_or(State::End, State::At);
        }
        Err(error)
    }

    /// Fails with [`ErrorKind::Changed`] if the input has changed since it was opened. A caller
    /// that uses the window after a read must call this.
    pub fn check_unchanged(&mut self) -> Result<()> {
        match self.source.changed() {
            true => Err(self.fail(Error::new(ErrorKind::Changed))),
            false => Ok(()),
        }
    }

    /// Marks the last document as failed, although it was read to its end, and returns the error to
    /// report.
    pub fn fail(&mut self, error: Error) -> Error {
        let error = unless_changed(&mut self.source, error);
        self.state = match (error.kind(), error.fault()) {
            (ErrorKind::Changed | ErrorKind::Write, _) => State::End,
            // What seems to be more is the document inside it.
            (_, Some(WrongDocument::Wrapped | WrongDocument::WrappedElement)) => {
                State::Broken { seems_more: false }
            }
            _ => State::Broken { seems_more: self.seems_more() },
        };
        error
    }

    fn seems_more(&self) -> bool {
        let from = (self.line.start + 1).saturating_sub(self.source.offset());
        let rest = self.source.window().get(from as usize..).unwrap_or_default();
        BEGINNINGS.iter().any(|beginning| {
            // The beginning without its line feed. After a colon, the match is the value of a key,
            // such as this plan's prior state.
            let mut found = memchr::memmem::find_iter(rest, &beginning[1..]);
            found.any(|at| !rest[..at].trim_ascii_end().ends_with(b":"))
        })
    }

    /// Returns the options of the documents.
    pub fn options(&self) -> &PlanOptions {
        &self.options
    }

    /// Determines what follows the last document, whether it was read or failed. May read further
    /// input.
    pub fn find_next(&mut self) -> NextDocument {
        if let State::Broken { .. } = self.state {
            let mut region = Region::new(&mut self.source, &mut self.line);
            if let Some(next) = region.pass() {
                self.state = State::At(next);
            }
        }
        match self.state {
            State::At(next) => NextDocument::Document(next),
            State::End => NextDocument::End,
            State::Broken { seems_more } => NextDocument::Unknown { seems_more },
        }
    }
}

/// The search for the line after a document's start that begins another document.
#[derive(Debug, Default)]
struct Line {
    /// Offset of the document's first brace.
    start: u64,
    /// Offset at which the search ends.
    until: u64,
    /// Offset up to which this search or an earlier one has searched the input.
    searched: u64,
    /// The last bytes before `searched` that are not white space.
    before: Before,
    /// Offset of the line, once found.
    found: Option<u64>,
}

impl Line {
    /// Returns the search for the next document, which begins at `start`. The new search does not
    /// repeat the part that this search has covered.
    fn behind(&self, start: u64, after: AllowedTrailer) -> Line {
        let until = match after {
            AllowedTrailer::Documents => start + REACH,
            AllowedTrailer::Nothing | AllowedTrailer::Elements | AllowedTrailer::EndOfArray => {
                start
            }
        };
        let known = if self.found.is_none() { self.searched.min(self.until) } else { 0 };
        let before =
            if known > start && known == self.searched { self.before } else { Before::default() };
        Line { start, until, searched: known.max(start), before, found: None }
    }

    /// Continues the search in a window that begins at `offset`. Returns how many bytes of the
    /// window certainly belong to the document.
    fn search(&mut self, window: &[u8], offset: u64) -> usize {
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
                // The line feed belongs to the document. The bytes after it may turn out to be a
                // beginning, so they stay hidden.
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

/// The last bytes before a position that are not white space, the last one first.
#[derive(Clone, Copy, Debug, Default)]
struct Before([u8; PRIOR_STATE.len()]);

impl Before {
    /// Returns the state at the end of `text`, which begins at the position.
    fn behind(self, text: &[u8]) -> Before {
        let earlier = self.0.into_iter();
        let bytes = text.iter().rev().copied().filter(|byte| !byte.is_ascii_whitespace());
        let mut last = Before::default();
        for (slot, byte) in last.0.iter_mut().zip(bytes.chain(earlier)) {
            *slot = byte;
        }
        last
    }

    /// Whether the position is at the value of the key `prior_state`.
    fn is_of_prior_state(&self) -> bool {
        self.0.iter().rev().eq(PRIOR_STATE)
    }
}

/// Returns the next line feed at which one of [`BEGINNINGS`] may begin. That includes a line feed
/// too close to the end of the text to tell.
fn next_line(text: &[u8]) -> Option<usize> {
    const BEGINNING: &[u8] = b"\n{\"";
    // Most plans have no line feeds, and the search for one byte is faster.
    let feed = memchr::memchr(b'\n', text)?;
    let rest = &text[feed..];
    let cut = || (1..BEGINNING.len()).rev().find(|len| rest.ends_with(&BEGINNING[..*len]));
    let found = memchr::memmem::find(rest, BEGINNING).or_else(|| cut().map(|len| rest.len() - len));
    found.map(|at| feed + at)
}

/// Returns [`ErrorKind::Changed`] if the file changed during the read, because other errors may be
/// consequences of the change. Otherwise returns `error`.
fn unless_changed(source: &mut impl Source, error: Error) -> Error {
    let its_own = error.kind() != ErrorKind::Write;
    if its_own && source.changed() { Error::new(ErrorKind::Changed) } else { error }
}

/// Reads a plan from its first byte to its last and sends its pieces to `visitor`. The input must
/// contain nothing else. Use [`Documents`] for an input with several plans.
///
/// # Errors
///
/// Fails if the input is unreadable, not a plan, malformed or incomplete, or if it exceeds a limit.
/// Any error of the visitor is returned. The visitor must not treat the pieces as a whole plan
/// unless this function returns `Ok`.
pub fn read<S: Source, V: Visitor>(
    source: S,
    options: &PlanOptions,
    visitor: &mut V,
) -> Result<Document> {
    Documents::only(source, options).read(Accepts::Plans, visitor)
}

/// A source that hides the next document: it ends before the line that begins that document.
pub struct Region<'a, S> {
    source: &'a mut S,
    line: &'a mut Line,
    /// How many bytes of the window are visible.
    len: usize,
}

impl<'a, S: Source> Region<'a, S> {
    fn new(source: &'a mut S, line: &'a mut Line) -> Region<'a, S> {
        let len = line.search(source.window(), source.offset());
        Region { source, line, len }
    }

    /// Reads up to the next line that begins a document. Returns the offset of that line.
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
        // With more bytes in the window, the line may turn out to begin a document at `seen`.
        while self.line.found != Some(seen) {
            // Keeps a line in the window that may still turn out to be a beginning.
            let more = self.source.fill(keep.min(seen).min(self.line.searched));
            let (window, offset) = (self.source.window(), self.source.offset());
            self.len = self.line.search(window, offset);
            if self.line.found.is_none() && !matches!(more, Ok(true)) {
                // At the end of the input, the last line is not a beginning.
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
        if self.line.found.is_some() {
            trailer::unchanged(self.source)
        } else {
            self.source.finish()
        }
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.source.shared_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_line_that_may_begin_a_plan_is_found() {
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
