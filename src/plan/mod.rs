//! A plan as events: [`read`] walks the document once, in the order in which it stands, and tells a
//! [`Visitor`] what it meets.
//!
//! Keys come in any order; nothing is assumed of it. What is held in memory at a time is one
//! element of one section (a resource change, a check), of which the visitor gets values to
//! navigate. Keys that nobody knows are passed over, words that nobody knows are handed on.

mod change;
mod documents;
mod element;
mod frame;
mod head;
mod key;
mod look;
mod module;
mod names;
mod pieces;
mod place;
pub(crate) mod read_ahead;
mod reader;
mod scout;
mod section;
mod skimming;
mod tail;
mod version;
mod wrapper;
mod wrong;

use std::num::NonZeroUsize;

use crate::error::Result;
use crate::json::Validation;
use crate::json::value::Value;
use crate::limits::Limits;
use crate::scan::Isa;

pub(crate) use change::members;
pub use change::{
    ActionInvocation, Change, Check, Deferred, DeferredAction, Index, ResourceChange, Timing,
};
pub use documents::{Documents, Next, REACH, read};
pub use element::{Element, ResourceGlance, Unchanged};
pub use frame::Document;
pub use look::{Look, look};
pub(crate) use module::{ModuleOf, module_of};
pub(crate) use pieces::crew as piece_crew;
pub use pieces::{Piece, PieceFrontier, PieceKind, PieceScout, PieceStretch, PieceVisitor};
pub use place::{Place, Step as PlaceStep};
pub use scout::{Frontier, Scout};
pub use section::Section;

/// How to read a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The instructions to scan with.
    pub isa: Isa,
    /// How much of the grammar to check.
    pub validation: Validation,
    /// Whether a CI wrapper's text may stand before and after the document.
    pub surrounding_text: SurroundingText,
    /// The bounds.
    pub limits: Limits,
    /// How many threads may be used, this one included; `None`: this one alone. What is told is the
    /// same with any number.
    pub threads: Option<NonZeroUsize>,
}

/// What happens to text before and after a document that is not JSON, as CI wrappers print it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SurroundingText {
    /// Up to 1 MiB on either side is skipped and counted in [`Document::text_before`] and
    /// [`Document::text_after`].
    #[default]
    Skipped,
    /// It is an error.
    Refused,
}

/// What to do with the value that stands at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Go in: typed events for sections that have them, else [`Visitor::entry`] for what is in it.
    Enter,
    /// Pass over it.
    Skip,
    /// Hand it out whole, as [`Visitor::span`]. It must fit [`Limits::change`].
    Span,
    /// Read no further.
    Stop,
}

/// Whether to read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Read no further.
    Stop,
}

/// Whom [`read`] tells what it meets.
///
/// Every top-level key comes first as [`Visitor::section`], whose answer decides what follows.
/// Values are borrowed from the window: they last as long as the call. An error from any method
/// ends the reading and comes out of [`read`].
///
/// ```
/// use plansift::error::Result;
/// use plansift::input::Slice;
/// use plansift::plan::{Flow, Options, ResourceChange, Section, Visitor, read};
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
/// read(Slice(plan), &Options::default(), &mut deleted)?;
/// assert_eq!(deleted.0, 1);
/// # Ok::<(), plansift::error::Error>(())
/// ```
pub trait Visitor {
    /// A key of the document; `key` is its text. By default sections of changes and the scalars are
    /// entered, the large rest is skipped.
    fn section(&mut self, section: Section, key: &str) -> Answer {
        let _ = key;
        if section.is_entered() { Answer::Enter } else { Answer::Skip }
    }

    /// A scalar of the document: `format_version`, `terraform_version`, `timestamp`, `applyable`,
    /// `complete`, `errored`.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn scalar(&mut self, section: Section, value: Value<'_>) -> Result<Flow> {
        let _ = (section, value);
        Ok(Flow::Continue)
    }

    /// The reader is about to read an element of `resource_changes`, `resource_drift` or
    /// `deferred_changes`. `Some`: from here up to that offset, where an element ends, they were
    /// read already by a [`Scout`] of the section. If the reader can go there, it says so
    /// ([`Visitor::passed`]); else it reads them itself.
    fn ahead(&mut self, frontier: &Frontier<'_>) -> Option<u64> {
        let _ = frontier;
        None
    }

    /// The reader is where [`Visitor::ahead`] said last, and asks how many elements it passed.
    ///
    /// # Errors
    ///
    /// The visitor's own, with its place within the section.
    fn passed(&mut self) -> Result<u64> {
        Ok(0)
    }

    /// An element of `resource_changes`, `resource_drift` or `deferred_changes` that was passed and
    /// not taken apart yet. By default it is entered: it comes as [`Visitor::resource_change`] or
    /// [`Visitor::deferred_change`].
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn element(&mut self, element: &Element<'_>) -> Result<Answer> {
        let _ = element;
        Ok(Answer::Enter)
    }

    /// An element of `resource_changes` or `resource_drift`.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn resource_change(&mut self, section: Section, change: &ResourceChange<'_>) -> Result<Flow> {
        let _ = (section, change);
        Ok(Flow::Continue)
    }

    /// An element of `deferred_changes`.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn deferred_change(&mut self, deferred: &Deferred<'_>) -> Result<Flow> {
        let _ = deferred;
        Ok(Flow::Continue)
    }

    /// A member of `output_changes`; its name is decoded.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn output_change(&mut self, name: &str, change: &Change<'_>) -> Result<Flow> {
        let _ = (name, change);
        Ok(Flow::Continue)
    }

    /// An element of `action_invocations`.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn action_invocation(&mut self, invocation: &ActionInvocation<'_>) -> Result<Flow> {
        let _ = invocation;
        Ok(Flow::Continue)
    }

    /// An element of `deferred_action_invocations`, which is passed unless it is entered.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn deferred_action(&mut self, deferred: &DeferredAction<'_>) -> Result<Flow> {
        let _ = deferred;
        Ok(Flow::Continue)
    }

    /// An element of `checks`.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn check(&mut self, check: &Check<'_>) -> Result<Flow> {
        let _ = check;
        Ok(Flow::Continue)
    }

    /// A member of `variables`: its decoded name and its `value`.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn variable(&mut self, name: &str, value: Option<Value<'_>>) -> Result<Flow> {
        let _ = (name, value);
        Ok(Flow::Continue)
    }

    /// An element of `relevant_attributes`: a resource and a path into it.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn relevant_attribute(&mut self, resource: Value<'_>, attribute: Value<'_>) -> Result<Flow> {
        let _ = (resource, attribute);
        Ok(Flow::Continue)
    }

    /// A key or element inside of a section that has no typed events (`planned_values`,
    /// `prior_state`, `configuration`, unknown keys) and was entered.
    fn entry(&mut self, place: &Place) -> Answer {
        let _ = place;
        Answer::Skip
    }

    /// The value of a place that was answered with [`Answer::Span`], or entered and is a scalar.
    ///
    /// # Errors
    ///
    /// The visitor's own.
    fn span(&mut self, place: &Place, value: Value<'_>) -> Result<Flow> {
        let _ = (place, value);
        Ok(Flow::Continue)
    }
}
