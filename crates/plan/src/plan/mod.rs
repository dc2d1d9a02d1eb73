//! Reads a plan or a state: [`read`] walks the document once, in document order, and sends its
//! pieces to a [`Visitor`].
//!
//! A [`Piece`] is a value with its own sensitivity marks, such as a resource change. The reader
//! assumes no order of keys. It keeps one piece in memory at a time, and the values that the
//! visitor receives borrow from this piece. Parsed pieces, such as [`ResourceChange`], leave out
//! unknown keys, and keep unknown words, such as an action or a reason.

mod change;
mod checked;
mod document_fault;
mod document_state;
mod documents;
mod input_kind;
mod instance;
mod key;
mod kind;
mod mark_reason;
mod names;
mod parallel_skip;
mod preamble;
pub mod range_queue;
mod section;
mod trailer;
mod walk;
mod wrapper;
mod wrong_document;

use std::num::NonZeroUsize;
use std::ops::Range;

use plansift_core::error::Result;
use plansift_core::json::Validation;
use plansift_core::limits::Limits;
pub use plansift_core::scan::Isa;

pub use change::members;
pub(crate) use change::moved_from;
pub use change::{
    ActionInvocation, Change, Check, Deferred, DeferredAction, Index, RelevantAttribute,
    ResourceChange, ResourceName, Timing,
};
pub use checked::{CheckInstance, CheckedObject};
pub use document_fault::DocumentFault;
pub use document_state::{Accepts, Document, StateKind};
// `REACH` is public for tests.
#[doc(hidden)]
pub use documents::REACH;
pub use documents::{Documents, NextDocument, read};
pub use input_kind::{APPROVAL_START, InputKind, input_kind};
pub use instance::{OutputValue, ResourceInstance, VariableDeclaration};
pub use mark_reason::MarkReason;
pub use section::Section;
pub use walk::ahead as lookahead;
pub use walk::{Piece, PieceKind};
pub use wrong_document::WrongDocument;
// Public for the tests of the lookahead.
#[doc(hidden)]
pub use walk::{Boundary, LookaheadReader, ReadRange};

/// How to read a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanOptions {
    /// The instruction set that the scanner uses.
    pub isa: Isa,
    /// How much of the grammar to check.
    pub validation: Validation,
    /// Whether text of a CI wrapper may surround the document.
    pub surrounding_text: SurroundingText,
    /// Limits on depth, sizes and counts.
    pub limits: Limits,
    /// Number of threads to use, including the calling thread. `None` uses the calling thread only.
    /// The pieces do not depend on the number.
    pub threads: Option<NonZeroUsize>,
}

/// How to treat the text that a CI wrapper prints before or after a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SurroundingText {
    /// Skips up to 1 MiB of text on either side, and counts its bytes in [`Document::text_before`]
    /// and [`Document::text_after`].
    #[default]
    Skipped,
    /// Reports an error if there is such text.
    Refused,
}

/// What to do with a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Enter the section and send its pieces.
    Enter,
    /// Validate the section and send nothing.
    Skip,
    /// Stop reading.
    Stop,
}

/// Whether to continue reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Continue reading.
    Continue,
    /// Stop reading.
    Stop,
}

/// Receives the pieces of a document from [`read`] or [`Documents::read`].
///
/// The reader calls [`Visitor::section`] for each top-level key. The answer decides whether the
/// pieces of that section follow. Values borrow from the window and are valid only during the call.
/// An error from any method ends the read, and the read returns this error.
///
/// A visitor parses the pieces that it needs: [`ResourceChange::parse`] parses an element of
/// `resource_changes`, [`Change::parse`] a member of `output_changes`, and so on.
///
/// ```
/// use plansift_core::error::Result;
/// use plansift_core::input::Slice;
/// use plansift_plan::plan::{Flow, Piece, PieceKind, PlanOptions, ResourceChange, Visitor, read};
///
/// /// Counts the resources that are deleted.
/// struct Deleted(u32);
///
/// impl Visitor for Deleted {
///     fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
///         if piece.kind == PieceKind::ResourceChange {
///             let resource = ResourceChange::parse(piece.section, piece.value)?;
///             for action in resource.change.actions()? {
///                 self.0 += u32::from(action?.is("delete"));
///             }
///         }
///         Ok(Flow::Continue)
///     }
/// }
///
/// let plan = br#"{"format_version":"1.2","resource_changes":[
///     {"address":"a.b","change":{"actions":["delete"],"before":{"x":1},"after":null}}]}"#;
/// let mut deleted = Deleted(0);
/// read(Slice(plan), &PlanOptions::default(), &mut deleted)?;
/// assert_eq!(deleted.0, 1);
/// # Ok::<(), plansift_core::error::Error>(())
/// ```
pub trait Visitor {
    /// The document begins at the end of this range of the input. If the document is an element of
    /// an array, the range is the bracket or the comma before it. Otherwise, the range is empty.
    fn begin(&mut self, before: Range<u64>) {
        let _ = before;
    }

    /// A top-level key. The answer says whether to enter the section, skip it or stop reading. By
    /// default, the reader enters scalars and the sections of changes, and skips all other
    /// sections.
    fn section(&mut self, section: Section, key: &str) -> Answer {
        let _ = key;
        if section.is_entered() { Answer::Enter } else { Answer::Skip }
    }

    /// The walk entered an object or array. The first one is the document. The content of the
    /// object or array begins at this offset.
    fn entered(&mut self, start: u64) {
        let _ = start;
    }

    /// The entered container has another member or element. The member, or the comma before it,
    /// begins at this offset.
    fn next(&mut self, at: u64) {
        let _ = at;
    }

    /// The walk leaves the entered container. Its closing bracket is at this offset.
    fn left(&mut self, close: u64) {
        let _ = close;
    }

    /// The walk entered a module call of the configuration. The call has this name.
    fn call_entered(&mut self, name: &str) -> Result<()> {
        let _ = name;
        Ok(())
    }

    /// The walk leaves the innermost entered module call.
    fn call_left(&mut self) -> Result<()> {
        Ok(())
    }

    /// Whether the visitor must examine every value, for example to write the document again or to
    /// locate its secrets. Then a section of values or a configuration of the wrong type is an
    /// error. Also, the bytes between two pieces wait in memory, so the limit on a change applies
    /// to them.
    fn examines_all(&self) -> bool {
        false
    }

    /// Whether the walk may read a document of another kind to its end. A visitor that writes the
    /// bytes of the source must return `false`.
    fn passes_others(&self) -> bool {
        true
    }

    /// Whether to send pieces of this kind. The walk only validates other pieces.
    fn wants(&self, kind: PieceKind) -> bool {
        let _ = kind;
        true
    }

    /// A piece of an entered section.
    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow>;

    /// Called before a resource or a resource change. Returns the range of pieces that a
    /// [`LookaheadReader`] has parsed and that starts here; `None` if there is no such range.
    ///
    /// If the walk can jump to the end of the range, it calls [`Visitor::jumped`]. Otherwise, the
    /// walk parses the pieces itself.
    #[doc(hidden)]
    fn ahead(&mut self, boundary: &Boundary<'_>) -> Result<Option<ReadRange>> {
        let _ = boundary;
        Ok(None)
    }

    /// Called after the walk jumped over the range that [`Visitor::ahead`] returned.
    #[doc(hidden)]
    fn jumped(&mut self, read: &ReadRange) -> Result<()> {
        let _ = read;
        Ok(())
    }

    /// A piece, or another value that the walk read or skipped as a whole, ends at this offset.
    fn passed(&mut self, end: u64) {
        let _ = end;
    }

    /// The document is not a plan but the JSON of a state.
    fn state(&mut self, kind: StateKind) -> Result<()> {
        let _ = kind;
        Ok(())
    }

    /// The document, with the white space after it, ends at this offset of the input. If the
    /// document is the last element of an array, the array ends at this offset.
    fn end(&mut self, end: u64) -> Result<()> {
        let _ = end;
        Ok(())
    }
}
