//! Reads a plan as events: [`read`] walks the document once, in document order, and calls a
//! [`Visitor`] for each part.
//!
//! The reader assumes no order of keys. It keeps one element of one section, such as a resource
//! change, in memory at a time. The values that the visitor receives borrow from this element. The
//! reader skips unknown keys, and passes unknown words, such as an action or a reason, to the
//! visitor.

mod change;
mod checked;
mod document_state;
mod documents;
mod events;
#[cfg(feature = "batch")]
mod input_kind;
mod instance;
mod key;
mod kind;
mod mark_reason;
mod module;
mod names;
mod parallel_skip;
mod preamble;
pub(crate) mod range_queue;
mod section;
mod trailer;
mod walk;
mod wrapper;

use std::num::NonZeroUsize;

use crate::error::Result;
use crate::json::Validation;
use crate::json::value::Value;
use crate::limits::Limits;
pub use crate::scan::Isa;

pub(crate) use change::members;
pub use change::{
    ActionInvocation, Change, Check, Deferred, DeferredAction, Index, ResourceChange, ResourceName,
    Timing,
};
pub use checked::{CheckInstance, CheckedObject};
pub use document_state::{Accepts, Document, StateKind};
// `REACH` is public for tests.
#[doc(hidden)]
pub use documents::REACH;
pub use documents::{Documents, NextDocument, read};
pub(crate) use events::send;
#[cfg(feature = "batch")]
pub(crate) use input_kind::{InputKind, input_kind};
pub use instance::{OutputValue, ResourceInstance, VariableDeclaration};
pub use mark_reason::MarkReason;
pub(crate) use module::{ModuleOf, module_address, module_of};
pub use section::Section;
pub(crate) use walk::workers as lookahead;
pub use walk::{Piece, PieceKind};
// Public for the tests of the lookahead.
#[doc(hidden)]
pub use walk::{Boundary, LookaheadReader, PieceVisitor, ReadRange};

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
    /// The events do not depend on the number.
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
    /// Enter the section and send its events or pieces.
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

/// Receives the events of a plan from [`read`].
///
/// The reader calls [`Visitor::section`] for each top-level key. The answer decides whether the
/// events of that section follow. Values borrow from the window and are valid only during the call.
/// An error from any method ends the read, and [`read`] returns it.
///
/// ```
/// use plansift::error::Result;
/// use plansift::input::Slice;
/// use plansift::plan::{Flow, PlanOptions, ResourceChange, Section, Visitor, read};
///
/// /// Counts the resources that are deleted.
/// struct Deleted(u32);
///
/// impl Visitor for Deleted {
///     fn resource_change(&mut self, _: Section, change: &ResourceChange<'_>) -> Result<Flow> {
///         for action in change.change.actions()? {
///             self.0 += u32::from(action?.is("delete"));
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
/// # Ok::<(), plansift::error::Error>(())
/// ```
pub trait Visitor {
    /// A top-level key of the document. By default, the reader enters scalars and the sections of
    /// changes, and skips all other sections.
    fn section(&mut self, section: Section, key: &str) -> Answer {
        let _ = key;
        if section.is_entered() { Answer::Enter } else { Answer::Skip }
    }

    /// A top-level scalar: `format_version`, `terraform_version`, `timestamp`, `applyable`,
    /// `complete` or `errored`.
    fn scalar(&mut self, section: Section, value: Value<'_>) -> Result<Flow> {
        let _ = (section, value);
        Ok(Flow::Continue)
    }

    /// An element of `resource_changes` or `resource_drift`.
    fn resource_change(&mut self, section: Section, change: &ResourceChange<'_>) -> Result<Flow> {
        let _ = (section, change);
        Ok(Flow::Continue)
    }

    /// An element of `deferred_changes`.
    fn deferred_change(&mut self, deferred: &Deferred<'_>) -> Result<Flow> {
        let _ = deferred;
        Ok(Flow::Continue)
    }

    /// A member of `output_changes`, with its decoded name.
    fn output_change(&mut self, name: &str, change: &Change<'_>) -> Result<Flow> {
        let _ = (name, change);
        Ok(Flow::Continue)
    }

    /// An element of `action_invocations`.
    fn action_invocation(&mut self, invocation: &ActionInvocation<'_>) -> Result<Flow> {
        let _ = invocation;
        Ok(Flow::Continue)
    }

    /// An element of `deferred_action_invocations`. By default the reader skips this section.
    fn deferred_action(&mut self, deferred: &DeferredAction<'_>) -> Result<Flow> {
        let _ = deferred;
        Ok(Flow::Continue)
    }

    /// An element of `checks`.
    fn check(&mut self, check: &Check<'_>) -> Result<Flow> {
        let _ = check;
        Ok(Flow::Continue)
    }

    /// A member of `variables`: its decoded name and its `value`.
    fn variable(&mut self, name: &str, value: Option<Value<'_>>) -> Result<Flow> {
        let _ = (name, value);
        Ok(Flow::Continue)
    }

    /// An element of `relevant_attributes`: a resource and a path into it.
    fn relevant_attribute(&mut self, resource: Value<'_>, attribute: Value<'_>) -> Result<Flow> {
        let _ = (resource, attribute);
        Ok(Flow::Continue)
    }

    /// A resource of `planned_values`, `prior_state` or a state, in any module. By default the
    /// reader skips these sections.
    fn resource(&mut self, section: Section, instance: &ResourceInstance<'_>) -> Result<Flow> {
        let _ = (section, instance);
        Ok(Flow::Continue)
    }

    /// An output of `planned_values`, `prior_state` or a state, with its decoded name. By default
    /// the reader skips these sections.
    fn output(&mut self, section: Section, name: &str, output: &OutputValue<'_>) -> Result<Flow> {
        let _ = (section, name, output);
        Ok(Flow::Continue)
    }

    /// Whether to send pieces of this kind. The reader only validates other pieces.
    fn wants(&self, kind: PieceKind) -> bool {
        let _ = kind;
        true
    }

    /// A part of an entered section that has no typed events: the configuration or an unknown
    /// section.
    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let _ = piece;
        Ok(Flow::Continue)
    }
}
