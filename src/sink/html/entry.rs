//! What the page is told of a record: two lines of JSON. The first is what its list shows and
//! filters by, and is read at once; the second is what an entry shows when it is opened.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::inert::push_line;
use crate::path::Paths;
use crate::record::counts::Summary;
use crate::record::view::{Attribute, Attributes, Excerpt, Shown};
use crate::record::{ActionInvocation, Check, OutputChange, ResourceChange};
use crate::sink::summary::{Action, reason};
use crate::sink::term::symbol;

/// A row of the page's lists.
#[derive(Debug, Default, Serialize)]
pub struct Entry<'a> {
    kind: &'static str,
    /// An address, or the name of an output.
    address: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    symbol: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    type_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deposed: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_from: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    imported: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
    /// Of a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    #[serde(skip)]
    details: Details<'a>,
}

/// What is shown of an entry that is opened.
#[derive(Debug, Default, Serialize)]
struct Details<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<&'a str>,
    /// JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    importing: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    generated_config: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    problems: &'a [Cow<'a, str>],
    #[serde(skip_serializing_if = "Values::is_empty")]
    attributes: Values<'a>,
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    /// Paths stand alone where there are no values.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<&'a Paths>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<&'a Paths>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replace_paths: Option<&'a Paths>,
}

impl<'a> Entry<'a> {
    /// A change to a resource, in that part of the page.
    pub fn of_resource(kind: &'static str, change: &'a ResourceChange<'_>) -> Entry<'a> {
        let reason = change.action_reason.as_deref().map(|word| Cow::Owned(reason(word)));
        let mut details = Details::of_values(&change.attributes, &change.changed, &change.unknown);
        details.provider = change.provider_name.as_deref();
        details.importing = change.importing.as_ref().map(|importing| importing.get());
        details.generated_config = change.generated_config;
        if change.attributes.list.is_empty() {
            details.replace_paths = some(&change.replace_paths);
        }
        Entry {
            kind,
            address: &change.address,
            action: Some(&change.action),
            symbol: symbol(change).trim(),
            type_name: change.type_name.as_deref(),
            module: change.module_address.as_deref(),
            deposed: change.deposed.as_deref(),
            moved_from: change.moved_from(),
            imported: change.importing.is_some(),
            reason: reason.or(change.deferred_reason.as_deref().map(Cow::Borrowed)),
            status: None,
            details,
        }
    }

    /// A change to an output.
    pub fn of_output(output: &'a OutputChange<'_>) -> Entry<'a> {
        Entry {
            kind: "output",
            address: &output.name,
            action: Some(&output.action),
            symbol: Action::of(&output.action).symbol().trim(),
            details: Details::of_values(&output.attributes, &output.changed, &output.unknown),
            ..Entry::default()
        }
    }

    /// An action that is invoked.
    pub fn of_invocation(invoked: &'a ActionInvocation<'_>) -> Entry<'a> {
        let by = invoked.triggering_address.as_deref();
        Entry {
            kind: "invocation",
            address: &invoked.address,
            type_name: invoked.type_name.as_deref(),
            reason: by.map(|by| Cow::Owned(format!("after {by}"))),
            details: Details { trigger: invoked.trigger, ..Details::default() },
            ..Entry::default()
        }
    }

    /// A check.
    pub fn of_check(check: &'a Check<'_>) -> Entry<'a> {
        let (check_kind, problems) = (check.check_kind.as_deref(), &*check.problems);
        Entry {
            kind: "check",
            address: &check.address,
            status: Some(&check.status),
            reason: check.problems.first().map(|problem| Cow::Borrowed(&**problem)),
            details: Details { check_kind, problems, ..Details::default() },
            ..Entry::default()
        }
    }

    /// Appends its two lines.
    ///
    /// # Errors
    ///
    /// It refuses to be serialized.
    pub fn push(&self, text: &mut Vec<u8>) -> serde_json::Result<()> {
        push_line(self, text)?;
        push_line(&self.details, text)
    }
}

impl<'a> Details<'a> {
    fn of_values(values: &'a Attributes, changed: &'a Paths, unknown: &'a Paths) -> Details<'a> {
        let (left_out, attributes) = (values.left_out, Values(&values.list));
        match attributes.is_empty() {
            true => {
                let (changed, unknown) = (some(changed), some(unknown));
                Details { changed, unknown, ..Details::default() }
            }
            false => Details { attributes, left_out, ..Details::default() },
        }
    }
}

fn some(paths: &Paths) -> Option<&Paths> {
    Some(paths).filter(|paths| !paths.is_empty())
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Attributes: of each its path, what it was, what it will be, and whether it forces a replacement.
#[derive(Debug, Default)]
struct Values<'a>(&'a [Attribute]);

impl Values<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for Attribute { path, before, after, replaces } in self.0 {
            match replaces {
                true => list.serialize_element(&(path, Value(before), Value(after), true))?,
                false => list.serialize_element(&(path, Value(before), Value(after)))?,
            }
        }
        list.end()
    }
}

/// A value: `null`; a word that is no JSON text; its JSON text as a string; or that and the bytes
/// that are not in it.
struct Value<'a>(&'a Shown);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Shown::Absent => serializer.serialize_none(),
            Shown::Unknown => serializer.serialize_str("unknown"),
            Shown::Sensitive => serializer.serialize_str("sensitive"),
            Shown::Scalar(Excerpt { text, left_out })
            | Shown::Container(Excerpt { text, left_out }) => match left_out {
                0 => serializer.serialize_str(text),
                left_out => (text, left_out).serialize(serializer),
            },
        }
    }
}

/// A plan that was read to its end.
#[derive(Debug, Serialize)]
pub struct Ended<'a> {
    /// `summary`.
    pub kind: &'static str,
    /// What it comes to.
    pub line: String,
    /// What was counted.
    #[serde(flatten)]
    pub summary: &'a Summary,
}

/// An input that was not.
#[derive(Debug, Serialize)]
pub struct Failed<'a> {
    /// `failed`.
    pub kind: &'static str,
    /// The input as the user named it.
    pub source: &'a str,
    /// Whose plan it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<&'a str>,
    /// Why.
    pub error: String,
}
