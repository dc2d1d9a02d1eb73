//! Reads a plan or a state as pieces, one at a time, in document order. A piece is a value that has
//! its own sensitivity marks.
//!
//! A [`Visitor`] receives the pieces of every section that it enters, of plans and of states
//! (docs/format/plan.md, sections 1, 6 to 8). The reader walks the brackets, keys and modules
//! around the pieces, and sends no pieces for them. If the visitor examines every value, a known
//! section of the wrong type is an error, because its values cannot be examined for secrets.

pub mod ahead;
mod calls;
mod lookahead;
mod piece;
mod scope;

use calls::Calls;
use lookahead::brackets;
pub use lookahead::{Boundary, LookaheadReader, ReadRange};
pub use piece::{Piece, PieceKind};
use scope::{NextStep, OpenScopes, Scope, Shape};

use super::document_state::{Accepts, DocumentState};
use super::key;
use super::names::Names;
use super::parallel_skip::{self, ParallelSkip};
use super::preamble::Preamble;
use super::section::Section;
use super::trailer::{AllowedTrailer, Trailer};
use super::wrong_document::WrongDocument;
use super::{Answer, Flow, PlanOptions, Visitor};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::Source;
use plansift_core::json::cursor::Cursor;
use plansift_core::json::outline::Outline;
use plansift_core::limits::Limit;

/// A document whose start is known and that is not read yet.
pub struct FoundDocument {
    pub(super) head: Preamble,
    pub(super) after: AllowedTrailer,
    pub(super) options: PlanOptions,
    /// Whether the walk may pass a document of another kind.
    pub(super) passes_others: bool,
}

/// A document after its walk.
pub struct WalkedDocument {
    pub(super) state: DocumentState,
    /// `Flow::Stop` if the visitor stopped early.
    pub(super) flow: Result<Flow>,
}

impl FoundDocument {
    /// Reads the document from `region`, the part of the source that contains it, until the visitor
    /// stops.
    pub fn read(
        self,
        region: impl Source,
        accepts: Accepts,
        visitor: &mut impl Visitor,
    ) -> WalkedDocument {
        let FoundDocument { head, after, options, passes_others } = self;
        let PlanOptions { isa, validation, limits, .. } = options;
        visitor.begin(head.outer..head.start);
        let cursor = Cursor::new(region, head.start, isa, validation, limits);
        let mut outline = Outline::new();
        let mut walk = Walk::new(cursor, &options, &mut outline, visitor);
        walk.state = DocumentState::new(accepts);
        walk.state.after = after;
        walk.state.document.text_before = head.text;
        walk.state.passes_others = passes_others && walk.visitor.passes_others();
        let flow = parallel_skip::with_others(&options, |others| walk.document(head.start, others));
        WalkedDocument { state: walk.state, flow }
    }
}

struct Walk<'v, S, V> {
    cursor: Cursor<S>,
    outline: &'v mut Outline,
    visitor: &'v mut V,
    options: PlanOptions,
    state: DocumentState,
    section: Section,
    /// Number of elements that the walk has passed, if the section is an array.
    index: u64,
    /// The end of the last piece. Before the first piece, the start of the document or of the
    /// range.
    passed: u64,
    /// The end of the text, if the text is a part of a document. A number may continue after it.
    cut: Option<u64>,
    /// The entered scopes of the section, outermost first. A stack instead of recursion.
    open: OpenScopes,
    /// The member names of the innermost scope, if its members are named.
    names: Names,
    /// The entered module calls ([`Piece::module`]).
    calls: Calls,
}

impl<'v, S: Source, V: Visitor> Walk<'v, S, V> {
    fn new(
        cursor: Cursor<S>,
        options: &PlanOptions,
        outline: &'v mut Outline,
        visitor: &'v mut V,
    ) -> Self {
        Walk {
            cursor,
            outline,
            visitor,
            options: *options,
            state: DocumentState::new(Accepts::States),
            section: Section::Other,
            index: 0,
            passed: 0,
            cut: None,
            open: OpenScopes::new(),
            names: Names::default(),
            calls: Calls::default(),
        }
    }

    /// Walks the document. Other threads may help to skip sections.
    fn document(&mut self, start: u64, mut others: Option<&mut ParallelSkip<'_>>) -> Result<Flow> {
        self.passed = start;
        self.cursor.enter_object()?;
        self.visitor.entered(self.cursor.offset());
        while let Some((key, offset)) = self.member()? {
            let section = Section::of(&key);
            if let Err(error) = self.state.note(section, &key, offset) {
                return Err(self.pass_other(error, start, true));
            }
            self.check_gap()?;
            self.section = section;
            let flow = self
                .section(key, others.as_deref_mut())
                .map_err(|error| error.within(section.name()))?;
            if flow == Flow::Stop {
                self.state.document.bytes = self.cursor.offset() - start;
                return Ok(Flow::Stop);
            }
            self.pass();
        }
        self.check_gap_to(self.cursor.offset())?;
        match self.state.verdict() {
            Ok(Some(state)) => self.visitor.state(state)?,
            Ok(None) => {}
            Err(error) => return Err(self.pass_other(error, start, false)),
        }
        let tail = self.state.end(&mut self.cursor, &self.options, start)?;
        self.visitor.end(tail.outer_end)?;
        tail.leave(self.cursor.source_mut()).map(|()| Flow::Continue)
    }

    /// Passes the rest of a document of another kind, and returns the error about its kind. The
    /// cursor must be after the document, or at the value of a top-level key.
    fn pass_other(&mut self, error: Error, start: u64, is_at_value: bool) -> Error {
        if self.state.passes_others && error.fault::<WrongDocument>().is_some() {
            // A document that is damaged, too, has no known end.
            self.state.past_other = self.end_of_other(start, is_at_value).ok();
        }
        error
    }

    fn end_of_other(&mut self, start: u64, is_at_value: bool) -> Result<Trailer> {
        if is_at_value {
            self.cursor.skip()?;
            while self.cursor.next_key()?.is_some() {
                self.cursor.skip()?;
            }
        }
        let tail = self.state.end(&mut self.cursor, &self.options, start)?;
        tail.leave(self.cursor.source_mut()).map(|()| tail)
    }

    /// Reads the value of a top-level key: skips it, or walks it down to its pieces.
    fn section(&mut self, key: String, others: Option<&mut ParallelSkip<'_>>) -> Result<Flow> {
        match self.section {
            Section::Other if !self.state.is_plan() => self.look_at_member()?,
            Section::ResourceChanges => {
                self.state.lists_changes = self.cursor.peek()? == Some(b'[');
            }
            _ => {}
        }
        let answer = self.visitor.section(self.section, &key);
        // Every reader of documents refuses an unsupported version, also one that enters the
        // section and does not want the version.
        let is_checked_only =
            self.section == Section::FormatVersion && !self.visitor.wants(PieceKind::Scalar);
        match answer {
            Answer::Stop => return Ok(Flow::Stop),
            Answer::Enter if !is_checked_only => {}
            Answer::Enter | Answer::Skip => {
                return self.skip_section(others).map(|()| Flow::Continue);
            }
        }
        self.open.clear();
        self.calls.clear();
        self.index = 0;
        let mut next = Some((Scope::section(self.section, &key), Some(key)));
        while let Some((step, name)) = next {
            if let Some(kind) = self.enter(step, name.as_deref())? {
                let sent = self.send(kind, name.as_deref());
                if sent.map_err(|error| self.in_scope(error))? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                self.index += 1;
            }
            next = self.step()?;
        }
        self.check_gap_to(self.cursor.offset())?;
        Ok(Flow::Continue)
    }

    /// Adds the place of the current piece in the innermost scope to an error, if that scope is the
    /// section itself.
    fn in_scope(&self, error: Error) -> Error {
        match self.open[..] {
            [(_, Shape::Array)] => error.within(&format!("[{}]", self.index)),
            // Error messages never quote names of the document.
            [(scope, _)] if scope.piece().is_named() => error.within("*"),
            _ => error,
        }
    }

    /// Skips the value of a top-level key, but checks the version of the format.
    fn skip_section(&mut self, others: Option<&mut ParallelSkip<'_>>) -> Result<()> {
        match self.section {
            Section::FormatVersion => {
                self.cursor.outline(self.outline)?;
                self.state.format_version(self.cursor.value(self.outline))
            }
            Section::PlannedValues => self.skip_values(others),
            _ => parallel_skip::skip(&mut self.cursor, others),
        }
    }

    /// Records what an unknown member begins with. Examines only the first bytes of the member,
    /// because the visitor decides how to read it.
    fn look_at_member(&mut self) -> Result<()> {
        // More than the indentation that Terraform, OpenTofu and `jq` write.
        const LEN: usize = 128;
        self.cursor.peek()?;
        self.state.clues.note_member(self.cursor.lookahead(LEN));
        Ok(())
    }

    /// Skips `planned_values`, and records in the [`DocumentState`] whether its root module begins
    /// with a resource or a child module. Examines only the keys and the first bytes of the root
    /// module.
    fn skip_values(&mut self, mut others: Option<&mut ParallelSkip<'_>>) -> Result<()> {
        const BEGINNINGS: [&[u8]; 2] = [b"{\"resources\":[{", b"{\"child_modules\":[{"];
        // More than the longest beginning, with the white space that Terraform and OpenTofu write.
        const LEN: usize = 128;
        if self.cursor.peek()? != Some(b'{') {
            return parallel_skip::skip(&mut self.cursor, others);
        }
        self.cursor.enter_object()?;
        while let Some(key) = self.cursor.next_key()? {
            if self.cursor.text(key) == b"root_module" {
                self.cursor.peek()?;
                let mut text = self.cursor.lookahead(LEN).to_vec();
                text.retain(|byte| !byte.is_ascii_whitespace());
                self.state.plans_resources |=
                    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
            }
            parallel_skip::skip(&mut self.cursor, others.as_deref_mut())?;
        }
        Ok(())
    }

    /// Moves to the next member of the innermost container. Returns its decoded key and offset.
    fn member(&mut self) -> Result<Option<(String, u64)>> {
        self.cursor.peek()?;
        let at = self.cursor.offset();
        let name = key::next(&mut self.cursor)?;
        match name {
            Some(_) => self.visitor.next(at),
            None => self.visitor.left(at),
        }
        Ok(name)
    }

    /// Moves to the next element of the innermost container. Returns whether there is one.
    fn element(&mut self) -> Result<bool> {
        self.cursor.peek()?;
        let at = self.cursor.offset();
        let is_there = self.cursor.next_element()?;
        match is_there {
            true => self.visitor.next(at),
            false => self.visitor.left(at),
        }
        Ok(is_there)
    }

    /// Enters the value at the cursor. Returns the kind of the value if it is a piece instead.
    fn enter(&mut self, next: NextStep, name: Option<&str>) -> Result<Option<PieceKind>> {
        let scope = match next {
            NextStep::Enter(scope) => scope,
            NextStep::Piece(kind) => return Ok(Some(kind)),
        };
        let Some(shape) = self.enter_brackets(scope)? else {
            return Ok(Some(scope.piece_of_scalar()));
        };
        self.visitor.entered(self.cursor.offset());
        self.names.clear();
        self.open.push((scope, shape));
        if scope == Scope::ModuleCall {
            let name = name.unwrap_or_default();
            self.calls.push(name);
            self.visitor.call_entered(name)?;
        }
        Ok(None)
    }

    /// Moves to the next member or element of the entered scopes. Returns how to read it, and its
    /// key. Returns `None` when all scopes have ended.
    fn step(&mut self) -> Result<Option<(NextStep, Option<String>)>> {
        while let Some(&(scope, shape)) = self.open.last() {
            if shape == Shape::Object {
                if let Some((key, offset)) = self.member()? {
                    if scope.piece().is_named() {
                        self.names
                            .note(&key, offset, &self.options.limits)
                            .map_err(|error| error.within("*"))?;
                    }
                    return Ok(Some((scope.member(&key), Some(key))));
                }
            } else if self.element()? {
                if scope.has_many() && self.jump()? {
                    continue;
                }
                return Ok(Some((scope.element(), None)));
            }
            self.open.pop();
            if scope == Scope::ModuleCall {
                self.calls.pop();
                self.visitor.call_left()?;
            }
        }
        Ok(None)
    }

    /// Jumps to the end of a range of pieces that lookahead has parsed and that starts here.
    /// Returns `false` if there is no such range.
    fn jump(&mut self) -> Result<bool> {
        let (section, open, offset) = (self.section, &self.open, self.cursor.offset());
        let (source, options): (&dyn Source, _) = (self.cursor.source(), self.options);
        let index = self.index;
        let boundary = Boundary { section, index, open, offset, source, options };
        let Some(read) = self.visitor.ahead(&boundary)? else { return Ok(false) };
        let Some(open) = read.open_behind(open) else { return Ok(false) };
        self.check_gap_to(read.first())?;
        if !self.cursor.jump_into(read.range().end, &brackets(&open)) {
            return Ok(false);
        }
        self.open = open;
        self.index += read.count();
        self.passed = self.cursor.offset();
        self.visitor.jumped(&read).map(|()| true)
    }

    /// Enters the brackets of a scope and returns its shape. Returns `None` for `null`, and for a
    /// value of another type if that is not an error.
    fn enter_brackets(&mut self, scope: Scope) -> Result<Option<Shape>> {
        let shape = scope.shape();
        let bracket = self.cursor.peek()?;
        let is_strict = self.visitor.examines_all() || self.section.is_entered();
        match (bracket, shape) {
            (Some(b'n'), _) => Ok(None),
            (Some(b'['), Shape::Either | Shape::Array) => {
                self.cursor.enter_array()?;
                Ok(Some(Shape::Array))
            }
            (Some(b'{'), Shape::Either | Shape::Object) => {
                self.cursor.enter_object()?;
                Ok(Some(Shape::Object))
            }
            // Both fail, at the first byte of the value.
            (_, Shape::Array) if is_strict => self.cursor.enter_array().map(|()| None),
            (_, Shape::Object) if is_strict => self.cursor.enter_object().map(|()| None),
            _ => Ok(None),
        }
    }

    /// Sends the value at the cursor as a piece, or skips it if the visitor does not want it.
    fn send(&mut self, kind: PieceKind, name: Option<&str>) -> Result<Flow> {
        self.state.plans_resources |=
            kind == PieceKind::Resource && self.section == Section::PlannedValues;
        self.check_gap()?;
        if !self.visitor.wants(kind) {
            self.cursor.skip()?;
            self.pass();
            return Ok(Flow::Continue);
        }
        self.cursor.outline(self.outline)?;
        if self.cut == Some(self.cursor.offset()) && self.ends_without_delimiter() {
            return Err(Error::at(ErrorKind::Truncated, self.cursor.offset()));
        }
        let section = self.section;
        if section == Section::FormatVersion {
            self.state.format_version(self.cursor.value(self.outline))?;
        }
        let value = self.cursor.value(self.outline);
        let piece = Piece { kind, section, name, module: &self.calls.path, value };
        let flow = self.visitor.piece(&piece)?;
        self.pass();
        Ok(flow)
    }

    /// Whether the outlined value ends without a bracket or quote, as numbers and literals do.
    fn ends_without_delimiter(&self) -> bool {
        let last = self.cursor.outlined(self.outline).last();
        !matches!(last, Some(b'}' | b']' | b'"'))
    }

    fn pass(&mut self) {
        self.passed = self.cursor.offset();
        self.visitor.passed(self.passed);
    }

    /// Applies the limit on a piece to the bytes between the last piece and the cursor. These
    /// bytes, mostly white space, wait in memory until they are written.
    fn check_gap(&mut self) -> Result<()> {
        self.cursor.peek()?;
        self.check_gap_to(self.cursor.offset())
    }

    /// Like `check_gap`, up to the offset `next`.
    fn check_gap_to(&self, next: u64) -> Result<()> {
        let max = self.options.limits.change;
        if self.visitor.examines_all() && next - self.passed > max {
            return Err(Error::limit(Limit::Change, max, self.passed));
        }
        Ok(())
    }
}
