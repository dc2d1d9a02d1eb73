//! The flat rows that a plan becomes (docs/format/records.md). A row borrows from the plan and from
//! the paths that were collected for it; it is written before the next one is made.

pub(crate) mod action;
pub mod counts;
mod importing;
mod json_text;
mod outputs;
mod pending;
mod record_writer;
mod row_builder;
mod rows;
pub mod schema;
mod sift;
mod texts;
pub mod view;
pub mod watch;

use std::borrow::Cow;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::path::Paths;
use crate::plan::Timing;
use counts::Summary;
use view::Attributes;

pub use importing::ImportSource;
pub use json_text::JsonText;
pub(crate) use pending::{owned, weight};
pub use sift::{Extent, Options, Show, Sifted, Warning, sift, sift_next, sift_with_view};

/// The version of the rows' shape: adding a key keeps it.
pub const SCHEMA_VERSION: u32 = 1;

/// One row.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record<'a> {
    /// The first: which plan.
    Plan(Plan<'a>),
    /// An element of `resource_changes`.
    ResourceChange(ResourceChange<'a>),
    /// An element of `resource_drift`.
    ResourceDrift(ResourceChange<'a>),
    /// The `resource_change` of an element of `deferred_changes`.
    DeferredChange(ResourceChange<'a>),
    /// A member of `output_changes`.
    OutputChange(OutputChange<'a>),
    /// An element of `checks`.
    Check(Check<'a>),
    /// An element of `action_invocations`.
    ActionInvocation(ActionInvocation<'a>),
    /// The `action_invocation` of an element of `deferred_action_invocations`. There are some only
    /// where attributes were asked for ([`sift_with_view`]).
    DeferredActionInvocation(ActionInvocation<'a>),
    /// The last: what it all amounts to. A stream without it is incomplete.
    Summary(&'a Summary),
}

impl<'a> Record<'a> {
    /// The change to a resource that it tells of, if it does.
    pub fn resource(&self) -> Option<&ResourceChange<'a>> {
        match self {
            Record::ResourceChange(change)
            | Record::ResourceDrift(change)
            | Record::DeferredChange(change) => Some(change),
            _ => None,
        }
    }

    fn resource_mut(&mut self) -> Option<&mut ResourceChange<'a>> {
        match self {
            Record::ResourceChange(change)
            | Record::ResourceDrift(change)
            | Record::DeferredChange(change) => Some(change),
            _ => None,
        }
    }
}

/// How a plan is called in its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label<'a> {
    /// The input as the user named it; `-` for standard input. The second plan of an input has `#2`
    /// behind it, and so on.
    pub source: &'a str,
    /// Its workspace, if that is to be told.
    pub workspace: Option<&'a str>,
}

/// Which plan the rows are of.
#[derive(Debug, Serialize)]
pub struct Plan<'a> {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The input as the user named it; `-` for standard input.
    pub source: &'a str,
    /// Whose plan it is, where there are several or the user said how to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<&'a str>,
    /// The plan's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format_version: Option<&'a str>,
    /// The version of Terraform or OpenTofu: the format has one key for both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terraform_version: Option<&'a str>,
}

/// A change to a resource instance. Names and words are the plan's own, decoded.
#[derive(Debug, Default, Serialize)]
#[expect(missing_docs, reason = "the fields are those of records.md, word by word")]
pub struct ResourceChange<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_address: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module_address: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Cow<'a, str>>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    /// A string or a number, as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<JsonText<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposed: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_name: Option<Cow<'a, str>>,
    pub action: Cow<'a, str>,
    pub actions: Cow<'a, [Cow<'a, str>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred_reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Paths::is_empty")]
    pub changed: Cow<'a, Paths>,
    #[serde(skip_serializing_if = "Paths::is_empty")]
    pub unknown: Cow<'a, Paths>,
    #[serde(skip_serializing_if = "Paths::is_empty")]
    pub sensitive: Cow<'a, Paths>,
    #[serde(skip_serializing_if = "Paths::is_empty")]
    pub replace_paths: Cow<'a, Paths>,
    /// An object, as compact JSON text; marked strings are masked in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importing: Option<JsonText<'a>>,
    /// `true`, or left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub generated_config: bool,
    /// Its values as a person is shown them, where that was asked for ([`sift_with_view`]).
    #[serde(skip)]
    pub attributes: Attributes,
}

impl ResourceChange<'_> {
    /// Its address before, if that was another.
    pub fn moved_from(&self) -> Option<&str> {
        let address = self.address.as_deref();
        self.previous_address.as_deref().filter(|previous| Some(*previous) != address)
    }

    /// Its address, and behind it the key of a deposed object: that is another object than the one
    /// at the address (docs/format/plan.md, section 3).
    pub fn full_name(&self) -> Cow<'_, str> {
        match &self.deposed {
            Some(key) => Cow::Owned(format!("{} (deposed {key})", self.label())),
            None => self.label(),
        }
    }

    /// The same change, with other attributes.
    pub fn with_attributes(&self, attributes: Attributes) -> ResourceChange<'_> {
        fn text<'b>(text: &'b Option<Cow<'_, str>>) -> Option<Cow<'b, str>> {
            text.as_deref().map(Cow::Borrowed)
        }
        ResourceChange {
            address: text(&self.address),
            previous_address: text(&self.previous_address),
            module_address: text(&self.module_address),
            mode: text(&self.mode),
            type_name: text(&self.type_name),
            name: text(&self.name),
            index: self.index.as_ref().map(JsonText::borrowed),
            deposed: text(&self.deposed),
            provider_name: text(&self.provider_name),
            action: Cow::Borrowed(&self.action),
            actions: Cow::Borrowed(&self.actions),
            action_reason: text(&self.action_reason),
            deferred_reason: text(&self.deferred_reason),
            changed: Cow::Borrowed(&self.changed),
            unknown: Cow::Borrowed(&self.unknown),
            sensitive: Cow::Borrowed(&self.sensitive),
            replace_paths: Cow::Borrowed(&self.replace_paths),
            importing: self.importing.as_ref().map(JsonText::borrowed),
            generated_config: self.generated_config,
            attributes,
        }
    }

    /// What it does, the gravest first, in the words `delete`, `replace`, `forget`, `update`,
    /// `create` and `read`: none, one, or several where nobody knows the list of its actions.
    pub fn effects(&self) -> impl Iterator<Item = &'static str> + use<> {
        action::effects(&self.actions)
    }

    /// Whether an object stays that is no longer managed: the only one, or the one replaced.
    pub fn forgets(&self) -> bool {
        self.actions.iter().any(|action| action == "forget")
    }

    /// Its address; where the plan has none, its type and name.
    pub fn label(&self) -> Cow<'_, str> {
        if let Some(address) = &self.address {
            return Cow::Borrowed(address);
        }
        let data = if self.mode.as_deref() == Some("data") { "data." } else { "" };
        let part = |text: &Option<Cow<'_, str>>| text.as_deref().unwrap_or("?").to_owned();
        let index = self.index.as_ref().map(|index| format!("[{}]", index.get()));
        let [type_name, name] = [&self.type_name, &self.name].map(part);
        Cow::Owned(format!("{data}{type_name}.{name}{}", index.unwrap_or_default()))
    }

    /// Whether it stays as it is, moves not and is not imported.
    pub fn is_settled(&self) -> bool {
        self.action == "no-op" && self.moved_from().is_none() && self.importing.is_none()
    }
}

/// A change to an output value of the root module.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are those of records.md, word by word")]
pub struct OutputChange<'a> {
    pub name: Cow<'a, str>,
    pub action: Cow<'a, str>,
    pub actions: Cow<'a, [Cow<'a, str>]>,
    #[serde(skip_serializing_if = "Paths::is_empty")]
    pub changed: Cow<'a, Paths>,
    #[serde(skip_serializing_if = "Paths::is_empty")]
    pub unknown: Cow<'a, Paths>,
    #[serde(skip_serializing_if = "Paths::is_empty")]
    pub sensitive: Cow<'a, Paths>,
    /// Its values as a person is shown them, where that was asked for ([`sift_with_view`]).
    #[serde(skip)]
    pub attributes: Attributes,
}

/// A checkable object and how its conditions came out.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are those of records.md, word by word")]
pub struct Check<'a> {
    pub address: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_kind: Option<Cow<'a, str>>,
    pub status: Cow<'a, str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub problems: Cow<'a, [Cow<'a, str>]>,
}

/// An action that the plan invokes.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are those of records.md, word by word")]
pub struct ActionInvocation<'a> {
    pub address: Cow<'a, str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triggering_address: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred_reason: Option<Cow<'a, str>>,
    #[serde(skip)]
    pub timing: Timing,
    /// Its configuration as a person is shown it, where that was asked for ([`sift_with_view`]).
    #[serde(skip)]
    pub attributes: Attributes,
}

impl ActionInvocation<'_> {
    /// When it is invoked, in words, before the address of what triggers it.
    pub fn timing_words(&self) -> &'static str {
        match self.timing {
            Timing::Before => "before",
            Timing::After => "after",
            Timing::Unknown => "triggered by",
        }
    }
}

/// What a plan has that is not shown, because its reader did not want to see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Changes to resources, drift and deferred ones among them.
    pub changes: u64,
    /// Outputs, checks and invocations.
    pub others: u64,
    /// Attributes of changes that are shown.
    pub attributes: u64,
}

impl Hidden {
    /// The numbers in words; nothing, if there are none.
    pub fn words(&self) -> Option<String> {
        let Hidden { changes, others, attributes } = *self;
        let named = [(changes, "change"), (others, "other row"), (attributes, "attribute")];
        let words: Vec<String> = named
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, name)| format!("{number} {name}{}", if *number == 1 { "" } else { "s" }))
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// Takes the records of one run in order.
///
/// Driven by the run: for each plan one [`Record::Plan`], then its rows, then one
/// [`Record::Summary`]; after the last plan [`Sink::finish`]. A plan that fails half-way has no
/// summary.
pub trait Sink {
    /// Writes one record.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Write`].
    fn record(&mut self, record: &Record<'_>) -> Result<()>;

    /// Takes note that a plan could not be read, or not to its end, after those of its records that
    /// came.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Write`].
    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        let _ = (label, error);
        Ok(())
    }

    /// Takes note of a record that is not to be shown.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Write`].
    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        let _ = record;
        Ok(())
    }

    /// Takes note of how much is not shown of the plan at hand, before its last record.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Write`].
    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        let _ = hidden;
        Ok(())
    }

    /// Writes what closes the output, and flushes it.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Write`].
    fn finish(&mut self) -> Result<()>;

    /// Bytes of memory that records may take which wait for the `plan` record, until that is
    /// written with what is known.
    fn waiting_max(&self) -> u64 {
        24 << 20
    }

    /// This sink as one whose rows may be rendered on other threads, if it is such a one.
    fn as_rendered(&mut self) -> Option<&mut dyn Rendered> {
        None
    }
}

/// A sink of text, each record of which is rendered by itself.
pub trait Rendered {
    /// One that renders rows of the plan at hand, whose first record was written.
    fn renderer(&self) -> Box<dyn Renderer>;

    /// Writes so many rendered rows, which follow the records that were written before.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Write`].
    fn write(&mut self, text: &[u8], rows: usize) -> Result<()>;
}

/// Renders rows for a sink, on any thread.
pub trait Renderer: Send {
    /// Appends a row to a text, byte for byte what [`Sink::record`] would write.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Write`].
    fn render(&mut self, row: &Record<'_>, text: &mut Vec<u8>) -> Result<()>;
}
