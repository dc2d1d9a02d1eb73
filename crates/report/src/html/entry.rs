//! The data of a record in the HTML page: two lines of JSON. The page reads the first line at once,
//! for its list and filters. It reads the second line, the details, when the entry is opened.

use std::borrow::Cow;
use std::io::Write;

use serde::{Serialize, Serializer};

use super::inert::push_line;
use crate::impact::with_impact;
use crate::loss;
use crate::phrase::{self, NAMED_WRITE_ONLY, Quoted, WRITE_ONLY, what_else};
use crate::short::{first_line, short_message};
use crate::source_link::SourceLink;
use crate::summary::{Action, known, symbol};
use plansift_core::inert::visible;
use plansift_plan::record::counts::Summary;
use plansift_plan::record::{
    ActionInvocation, Attribute, Attributes, Check, Difference, Excerpt, Line, Lines, MarkChange,
    OutputChange, ResourceChange, Shown,
};

/// A row in a list of the page.
#[derive(Debug, Default, Serialize)]
pub struct HtmlEntry<'a> {
    kind: &'static str,
    /// An address, or the name of an output.
    address: Cow<'a, str>,
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
    /// The rank of a loss ([`loss::rank`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    #[serde(skip)]
    details: Details<'a>,
}

#[derive(Debug, Default, Serialize)]
struct Details<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<&'a str>,
    /// The source of an import, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    importing: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    generated_config: bool,
    /// The location of the block in the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<SourceLink>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<&'a str>,
    /// The messages of a check. Each is written as its lines.
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "lines")]
    problems: &'a [Cow<'a, str>],
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "rows")]
    attributes: &'a [Attribute],
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    #[serde(skip_serializing_if = "is_zero")]
    unchanged: u64,
}

impl<'a> HtmlEntry<'a> {
    /// Adds the location of the block.
    pub fn at(mut self, link: Option<SourceLink>) -> HtmlEntry<'a> {
        self.details.block = link;
        self
    }

    /// Returns the entry for a change to a resource, in the list `kind` of the page.
    pub fn of_resource(kind: &'static str, change: &'a ResourceChange<'_>) -> HtmlEntry<'a> {
        let why = phrase::bare_reason(change, quoted);
        let deferral = change.deferred_reason.as_deref().map(|word| known(phrase::deferral, word));
        let reason = why.or(what_else(change).map(str::to_owned)).or(deferral);
        let stays = phrase::stays(change).map(str::to_owned);
        let left_over = change.resource.deposed.is_some().then(|| phrase::DEPOSED.to_owned());
        let marks = phrase::mark_changes(change);
        let reasons = stays.into_iter().chain(left_over).chain(marks).chain(reason);
        let reasons = with_impact(reasons.collect(), change, |text| quoted(Quoted::Name, text));
        let importing = phrase::imported(change, str::to_owned);
        let details = Details {
            provider: change.resource.provider_name.as_deref(),
            importing: change.importing.as_ref().map(|_| importing.join(", ")),
            generated_config: change.generated_config,
            ..Details::of_values(&change.attributes)
        };
        HtmlEntry {
            kind,
            address: change.label(),
            action: Some(&change.action),
            symbol: symbol(change).trim(),
            type_name: change.resource.type_name.as_deref(),
            module: change.resource.module_address.as_deref(),
            deposed: change.resource.deposed.as_deref(),
            moved_from: change.moved_from(),
            imported: change.importing.is_some(),
            loss: loss::rank(change).filter(|_| kind == "change"),
            reason: (!reasons.is_empty()).then(|| Cow::Owned(reasons.join(", "))),
            status: None,
            details,
        }
    }

    pub fn of_output(output: &'a OutputChange<'_>) -> HtmlEntry<'a> {
        HtmlEntry {
            kind: if output.action == "no-op" { "same_output" } else { "output" },
            address: Cow::Borrowed(&output.name),
            action: Some(&output.action),
            symbol: Action::of(&output.action).symbol().trim(),
            details: Details::of_values(&output.attributes),
            ..HtmlEntry::default()
        }
    }

    /// Returns the entry for an action invocation, in the list `kind` of the page.
    pub fn of_invocation(kind: &'static str, invoked: &'a ActionInvocation<'_>) -> HtmlEntry<'a> {
        let reason = phrase::invoked(invoked, quoted);
        HtmlEntry {
            kind,
            address: Cow::Borrowed(&invoked.address),
            type_name: invoked.type_name.as_deref(),
            reason: (!reason.is_empty()).then_some(Cow::Owned(reason)),
            details: Details {
                trigger: invoked.trigger,
                ..Details::of_values(&invoked.attributes)
            },
            ..HtmlEntry::default()
        }
    }

    pub fn of_check(check: &'a Check<'_>) -> HtmlEntry<'a> {
        let (check_kind, problems) = (check.check_kind.as_deref(), &*check.problems);
        HtmlEntry {
            kind: if check.status == "pass" { "passed_check" } else { "check" },
            address: Cow::Borrowed(&check.address),
            status: Some(&check.status),
            reason: check.problems.first().map(|problem| short_message(first_line(problem))),
            details: Details { check_kind, problems, ..Details::default() },
            ..HtmlEntry::default()
        }
    }

    /// Writes the two lines of the entry.
    pub fn push(&self, out: &mut impl Write) -> serde_json::Result<()> {
        push_line(self, out)?;
        push_line(&self.details, out)
    }
}

impl<'a> Details<'a> {
    fn of_values(values: &'a Attributes) -> Details<'a> {
        let Attributes { list, left_out, unchanged, .. } = values;
        let (left_out, unchanged) = (*left_out, *unchanged);
        Details { attributes: list, left_out, unchanged, ..Details::default() }
    }
}

/// Quotes a string from the plan. The page escapes names and values when it is written.
fn quoted(kind: Quoted, text: &str) -> String {
    match kind {
        Quoted::Word => visible(text),
        Quoted::Name | Quoted::Value => text.to_owned(),
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Cell<'a> {
    Absent(()),
    /// A shown value as JSON, or a word for a hidden value. The word is not valid JSON.
    Text(Cow<'a, str>),
    Number(u64),
    /// A cut value: the text, and the number of omitted bytes.
    Cut(&'a str, u64),
    /// The difference of two strings: lines with their sign, and numbers of skipped lines.
    Difference {
        #[serde(serialize_with = "signed")]
        lines: &'a Lines,
        #[serde(skip_serializing_if = "is_zero")]
        left_out: u64,
    },
}

impl<'a> Cell<'a> {
    fn of_value(shown: &'a Shown) -> Cell<'a> {
        let word = match shown {
            Shown::Absent => return Cell::Absent(()),
            Shown::Unknown => "unknown",
            Shown::UnknownFrom(_) => return Cell::Text(phrase::stand_in(shown)),
            Shown::Sensitive => "sensitive",
            Shown::Echo => "repeated",
            Shown::Withheld => "withheld",
            Shown::WriteOnly => WRITE_ONLY,
            Shown::NamedWriteOnly => NAMED_WRITE_ONLY,
            Shown::Scalar(Excerpt { text, left_out, .. })
            | Shown::Container(Excerpt { text, left_out, .. }) => match left_out {
                0 => text,
                left_out => return Cell::Cut(text, *left_out),
            },
        };
        Cell::Text(word.into())
    }
}

/// Writes the lines of each message.
fn lines<S: Serializer>(messages: &[Cow<'_, str>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(messages.iter().map(|message| MessageLines(message)))
}

/// A message that is written as its lines.
struct MessageLines<'a>(&'a str);

impl Serialize for MessageLines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.trim_end().split('\n'))
    }
}

/// Writes the rows of attributes.
fn rows<S: Serializer>(attributes: &[Attribute], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(attributes.iter().map(row))
}

/// Writes lines with their sign, and numbers of skipped lines.
fn signed<S: Serializer>(lines: &Lines, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter().map(|line| match line {
        Line::Same(text) => Cell::Text(format!(" {text}").into()),
        Line::Removed(text) => Cell::Text(format!("-{text}").into()),
        Line::Added(text) => Cell::Text(format!("+{text}").into()),
        Line::Skipped(count) => Cell::Number(count),
    }))
}

/// Returns the row of an attribute: the path, both values, remarks, and the lines that differ.
pub(crate) fn row<'a>(attribute: &'a Attribute) -> Vec<Cell<'a>> {
    let Attribute { path, before, after, replaces, difference, mark, lines, .. } = attribute;
    let mut row = vec![Cell::Text(path.into()), Cell::of_value(before), Cell::of_value(after)];
    let remark = match difference {
        Difference::Value => None,
        Difference::Space | Difference::Format => Some("format"),
        Difference::Order => Some("order"),
        Difference::Mark => Some("kept"),
        Difference::Nothing => Some("same"),
    };
    let mark = mark.map(|mark| match mark {
        MarkChange::Added => "marked",
        MarkChange::Removed => "unmarked",
    });
    let remarks = replaces.then_some("replaces").into_iter().chain(mark).chain(remark);
    row.extend(remarks.map(|word| Cell::Text(word.into())));
    let difference = |lines: &'a Lines| Cell::Difference { lines, left_out: lines.left_out };
    row.extend(lines.as_ref().map(difference));
    row
}

/// The summary of a plan that was read completely.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename = "summary")]
pub struct PlanSummary<'a> {
    /// The name of the tool that made the plan, if not Terraform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'static str>,
    #[serde(flatten)]
    pub summary: &'a Summary,
}

/// An input that could not be read completely.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename = "failed")]
pub(crate) struct Failed<'a> {
    pub source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<&'a str>,
}
