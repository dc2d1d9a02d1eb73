//! A plan or a state in pieces: every value that has marks of its own, one at a time, in the order
//! in which they stand.
//!
//! A [`super::Visitor`] is told what a plan changes; this tells where its values are, in every
//! section and in both documents (docs/format/plan.md, sections 1, 6 to 8). What lies around the
//! pieces (brackets, keys, modules) is walked and not told. Known sections of a wrong type are
//! errors: values that nobody looked at must not pass for values without secrets.

mod ahead;
mod calls;
pub(crate) mod crew;
mod scope;

use std::ops::Range;

use ahead::brackets;
pub use ahead::{PieceFrontier, PieceScout, PieceStretch};
use calls::Calls;
use scope::{Around, Next, Scope, Shape};

use super::documents::Part;
use super::element::{self, Element, ResourceGlance, Unchanged};
use super::frame::{Frame, Welcome};
use super::head::Head;
use super::key;
use super::names::Names;
use super::section::Section;
use super::skimming::{self, Skimming};
use super::tail::After;
use super::version;
use super::{Answer, Flow, Options};
use crate::error::{Error, ErrorKind, Result, WrongDocument};
use crate::input::Source;
use crate::json::cursor::Cursor;
use crate::json::outline::Outline;
use crate::json::value::Value;
use crate::limits::Limit;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// An element of `resource_changes` or `resource_drift`.
    ResourceChange,
    /// An element of `deferred_changes`.
    DeferredChange,
    /// A member of `output_changes`: the change itself.
    OutputChange,
    /// An element of `action_invocations`.
    ActionInvocation,
    /// An element of `deferred_action_invocations`.
    DeferredActionInvocation,
    /// A resource of `planned_values`, `prior_state` or a state, in any module.
    Resource,
    /// An output of `planned_values`, `prior_state` or a state.
    Output,
    /// A member of `variables`.
    Variable,
    /// A variable that the configuration of the root module declares.
    RootDeclaration,
    /// A variable that the configuration of another module declares.
    Declaration,
    /// A resource that the configuration declares, in any module.
    ConfiguredResource,
    /// An output that the configuration declares, in any module.
    ConfiguredOutput,
    /// An action that the configuration declares, in any module.
    ConfiguredAction,
    /// The arguments of a module call.
    ModuleArguments,
    /// Anything else of the configuration.
    Configuration,
    /// A version, or the time: a text that the tools themselves write.
    Scalar,
    /// A part of a section that is known and has no marks.
    Known,
    /// A part of a section that nobody knows.
    Unknown,
}

impl PieceKind {
    /// Whether its key is a name that the configuration gave it.
    pub fn is_named(self) -> bool {
        matches!(
            self,
            PieceKind::OutputChange
                | PieceKind::Output
                | PieceKind::Variable
                | PieceKind::RootDeclaration
                | PieceKind::Declaration
        )
    }

    /// Whether it declares a variable.
    pub fn is_declaration(self) -> bool {
        matches!(self, PieceKind::RootDeclaration | PieceKind::Declaration)
    }

    /// Whether it is a part of the configuration, other than the declaration of a variable.
    pub fn is_configuration(self) -> bool {
        matches!(
            self,
            PieceKind::ConfiguredResource
                | PieceKind::ConfiguredOutput
                | PieceKind::ConfiguredAction
                | PieceKind::ModuleArguments
                | PieceKind::Configuration
        )
    }
}

/// A value that has marks of its own, or none that are known.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// What it is.
    pub kind: PieceKind,
    /// The top-level section it stands in; [`Section::Other`] for those of a state too.
    pub section: Section,
    /// Its key, decoded, if it is a member of an object.
    pub name: Option<&'a str>,
    /// The module whose configuration it is part of: the names of the module calls that lead to it,
    /// joined by dots. The arguments of a module call are those of the called module. Empty for the
    /// root module, and outside of the configuration.
    pub module: &'a str,
    /// The value.
    pub value: Value<'a>,
}

/// Whom [`Documents::read_pieces`](super::Documents::read_pieces) tells what it meets. What is
/// borrowed lasts as long as the call.
pub trait PieceVisitor {
    /// The document begins at that offset of the input.
    fn begin(&mut self, start: u64) {
        let _ = start;
    }

    /// A top-level key: whether to enter it, pass over it or read no further.
    fn section(&mut self, section: Section, key: &str) -> Answer {
        let _ = (section, key);
        Answer::Enter
    }

    /// An object or array is walked, the document first; what is in it begins at that offset.
    fn entered(&mut self, start: u64) {
        let _ = start;
    }

    /// In what is walked another member or element follows: it, or the comma before it, stands at
    /// that offset.
    fn next(&mut self, at: u64) {
        let _ = at;
    }

    /// What is walked ends: its bracket stands at that offset.
    fn left(&mut self, close: u64) {
        let _ = close;
    }

    /// A resource change that is seen at a glance to stay as it is, and where it stands. `true`:
    /// enough is known of it, and it does not come as a piece.
    fn unchanged(&mut self, unchanged: &Unchanged<'_>, range: Range<u64>) -> bool {
        let _ = (unchanged, range);
        false
    }

    /// What is seen of a resource of values at a glance, and where it stands. `true`: enough is
    /// known of it, and it does not come as a piece.
    fn resource(&mut self, resource: &ResourceGlance<'_>, range: Range<u64>) -> bool {
        let _ = (resource, range);
        false
    }

    /// A piece.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn piece(&mut self, piece: &Piece<'_>) -> Result<()>;

    /// The walk is before a resource or a resource change. What was read ahead from here on by a
    /// [`PieceScout`], if it was. If it fits and the walk can go on behind it, it says so
    /// ([`PieceVisitor::jumped`]); else it reads that itself.
    fn ahead(&mut self, frontier: &PieceFrontier<'_>) -> Option<PieceStretch> {
        let _ = frontier;
        None
    }

    /// The walk is behind what [`PieceVisitor::ahead`] said last.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn jumped(&mut self, stretch: &PieceStretch) -> Result<()> {
        let _ = stretch;
        Ok(())
    }

    /// A piece, or something else that was passed as a whole, ends before that offset.
    fn passed(&mut self, end: u64) {
        let _ = end;
    }

    /// The document is no plan: it is the JSON of a state.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn state(&mut self, document: WrongDocument) -> Result<()> {
        let _ = document;
        Ok(())
    }

    /// The document ends before that offset of the input, the space after it included.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn end(&mut self, end: u64) -> Result<()> {
        let _ = end;
        Ok(())
    }
}

/// Reads the document that begins at `head`, or some of it.
pub(super) fn read<S: Source, V: PieceVisitor>(
    source: S,
    head: Head,
    after: After,
    options: &Options,
    visitor: &mut V,
) -> Result<Part> {
    visitor.begin(head.start);
    let cursor = Cursor::new(source, head.start, options.isa, options.validation, options.limits);
    let mut outline = Outline::new();
    let mut walk = Walk::new(cursor, options, &mut outline, visitor);
    walk.frame.after = after;
    walk.frame.document.text_before = head.text;
    let flow = skimming::with_others(options, |others| walk.document(head.start, others));
    Ok((walk.frame.document, flow?, walk.frame.next))
}

struct Walk<'v, S, V> {
    cursor: Cursor<S>,
    outline: &'v mut Outline,
    visitor: &'v mut V,
    options: Options,
    frame: Frame,
    /// The section that is walked.
    section: Section,
    /// Where the last piece ended, or the document or stretch begins.
    passed: u64,
    /// Where the text ends, if that is not the whole of it: a number may go on behind it.
    cut: Option<u64>,
    /// What is entered of it, the outermost first. Nothing recurses.
    open: Vec<Around>,
    /// The names in the innermost, if its members are told by them.
    names: Names,
    /// The module calls that are entered ([`Piece::module`]).
    calls: Calls,
}

impl<'v, S: Source, V: PieceVisitor> Walk<'v, S, V> {
    fn new(
        cursor: Cursor<S>,
        options: &Options,
        outline: &'v mut Outline,
        visitor: &'v mut V,
    ) -> Self {
        Walk {
            cursor,
            outline,
            visitor,
            options: *options,
            frame: Frame::new(Welcome::States),
            section: Section::Other,
            passed: 0,
            cut: None,
            open: Vec::new(),
            names: Names::default(),
            calls: Calls::default(),
        }
    }

    /// Walks the document. What is passed over may be by others.
    fn document(&mut self, start: u64, mut others: Option<&mut Skimming<'_, '_>>) -> Result<Flow> {
        self.passed = start;
        self.cursor.enter_object()?;
        self.visitor.entered(self.cursor.offset());
        while let Some((key, offset)) = self.member()? {
            let section = Section::of(&key);
            self.frame.note(section, &key, offset)?;
            self.hold_gap()?;
            self.section = section;
            let walked = match self.visitor.section(section, &key) {
                Answer::Stop => {
                    self.frame.document.bytes = self.cursor.offset() - start;
                    return Ok(Flow::Stop);
                }
                Answer::Skip if section != Section::FormatVersion => {
                    skimming::skip(&mut self.cursor, others.as_deref_mut())
                }
                _ => {
                    let walked = self.walk(Scope::section(section, &key), Some(&key));
                    walked.and_then(|()| self.hold_gap_to(self.cursor.offset()))
                }
            };
            walked.map_err(|error| error.within(section.name()))?;
            self.pass();
        }
        self.hold_gap_to(self.cursor.offset())?;
        if let Some(state) = self.frame.verdict()? {
            self.visitor.state(state)?;
        }
        let tail = self.frame.end(&mut self.cursor, &self.options, start)?;
        self.visitor.end(tail.end)?;
        tail.leave(self.cursor.source_mut()).map(|()| Flow::Continue)
    }

    /// Goes to the next member of what is walked, and says its key, decoded, and its offset.
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

    /// Goes to the next element of what is walked.
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

    /// Walks what stands here, down to its pieces.
    fn walk(&mut self, next: Next, name: Option<&str>) -> Result<()> {
        self.open.clear();
        self.calls.clear();
        self.take(next, name)?;
        while let Some((next, name)) = self.step()? {
            self.take(next, name.as_deref())?;
        }
        Ok(())
    }

    /// Enters what stands here, or hands it out; whether it did that.
    fn take(&mut self, next: Next, name: Option<&str>) -> Result<bool> {
        let kind = match next {
            Next::Enter(scope) => match self.enter(scope)? {
                Some(shape) => {
                    self.visitor.entered(self.cursor.offset());
                    self.names.clear();
                    self.open.push((scope, shape));
                    if scope == Scope::ModuleCall {
                        self.calls.push(name.unwrap_or_default());
                    }
                    return Ok(false);
                }
                None => scope.piece_of_scalar(),
            },
            Next::Hand(kind) => kind,
        };
        self.hand(kind, name).map(|()| true)
    }

    /// Goes to the next member or element of what is entered, and says its key; `None`: it has come
    /// to its end.
    fn step(&mut self) -> Result<Option<(Next, Option<String>)>> {
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
            }
        }
        Ok(None)
    }

    /// Goes on behind the pieces that were read ahead from here on; `false`: there are none.
    fn jump(&mut self) -> Result<bool> {
        let (section, open, offset) = (self.section, &self.open, self.cursor.offset());
        let (source, options): (&dyn Source, _) = (self.cursor.source(), self.options);
        let frontier = PieceFrontier { section, open, offset, source, options };
        let Some(stretch) = self.visitor.ahead(&frontier) else { return Ok(false) };
        let Some(open) = stretch.open_behind(open) else { return Ok(false) };
        self.hold_gap_to(stretch.first())?;
        if !self.cursor.jump_into(stretch.range().end, &brackets(&open)) {
            return Ok(false);
        }
        self.open = open;
        self.passed = self.cursor.offset();
        self.visitor.jumped(&stretch).map(|()| true)
    }

    /// Enters a scope; `None`: there is a scalar, which is nothing to enter.
    fn enter(&mut self, scope: Scope) -> Result<Option<Shape>> {
        let shape = scope.shape();
        match (self.cursor.peek()?, shape) {
            (Some(b'n'), _) => Ok(None),
            (Some(b'['), Shape::Either) | (_, Shape::Array) => {
                self.cursor.enter_array()?;
                Ok(Some(Shape::Array))
            }
            (Some(b'{'), Shape::Either) | (_, Shape::Object) => {
                self.cursor.enter_object()?;
                Ok(Some(Shape::Object))
            }
            (_, Shape::Either) => Ok(None),
        }
    }

    fn hand(&mut self, kind: PieceKind, name: Option<&str>) -> Result<()> {
        self.hold_gap()?;
        self.cursor.outline(self.outline)?;
        if self.cut == Some(self.cursor.offset()) && self.outlines_a_word() {
            return Err(Error::at(ErrorKind::Truncated, self.cursor.offset()));
        }
        if !self.glance(kind) {
            let section = self.section;
            let value = self.cursor.value(self.outline);
            if section == Section::FormatVersion {
                self.frame.document.is_newer = version::check(value)?;
            }
            let piece = Piece { kind, section, name, module: &self.calls.path, value };
            self.visitor.piece(&piece)?;
        }
        self.pass();
        Ok(())
    }

    /// Whether what was outlined has no bracket or quote at its end.
    fn outlines_a_word(&self) -> bool {
        let last = self.cursor.outlined(self.outline).last();
        !matches!(last, Some(b'}' | b']' | b'"'))
    }

    fn pass(&mut self) {
        self.passed = self.cursor.offset();
        self.visitor.passed(self.passed);
    }

    /// Holds what lies between the last piece and what stands here, space mostly, to the limit on a
    /// piece: it waits to be written.
    fn hold_gap(&mut self) -> Result<()> {
        self.cursor.peek()?;
        self.hold_gap_to(self.cursor.offset())
    }

    /// The same up to a place.
    fn hold_gap_to(&self, next: u64) -> Result<()> {
        let max = self.options.limits.change;
        if next - self.passed > max {
            return Err(Error::limit(Limit::Change, max, self.passed));
        }
        Ok(())
    }

    /// Whether a glance at what was outlined is enough.
    fn glance(&mut self, kind: PieceKind) -> bool {
        let text = self.cursor.outlined(self.outline);
        let range = self.outline.start()..self.cursor.offset();
        match (kind, self.section) {
            (PieceKind::ResourceChange, section) => {
                let element = Element { section, index: 0, text, outline: self.outline };
                let unchanged = element.unchanged();
                unchanged.is_some_and(|unchanged| self.visitor.unchanged(&unchanged, range))
            }
            (PieceKind::Resource, _) => {
                let glance = element::resource_glance(self.section, self.outline.canonical(text));
                glance.is_some_and(|glance| self.visitor.resource(&glance, range))
            }
            _ => false,
        }
    }
}
