//! The data of a record in the HTML page: two lines of JSON. The page reads the first line at once,
//! for its list and filters. It reads the second line, the details, when the entry is opened.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::inert::push_line;
use crate::record::counts::Summary;
use crate::record::{
    ActionInvocation, Attribute, Attributes, Check, Difference, Excerpt, Line, Lines, OutputChange,
    ResourceChange, Shown,
};
use crate::sink::gate::Answer;
use crate::sink::phrase::{self, NAMED_WRITE_ONLY, WRITE_ONLY, what_else};
use crate::sink::short::short_message;
use crate::sink::source_link::Place;
use crate::sink::summary::{Action, known, symbol};

/// Maximum number of names listed with a broken rule.
const NAMES_MAX: usize = 3;

/// A row in a list of the page.
#[derive(Debug, Default, Serialize)]
pub struct Entry<'a> {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
    /// The status of a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    #[serde(skip)]
    details: Details<'a>,
}

/// The details that an opened entry shows.
#[derive(Debug, Default, Serialize)]
struct Details<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<&'a str>,
    /// The source of an import, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    importing: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    generated_config: bool,
    /// The place of the block in the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<Block>,
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
    #[serde(skip_serializing_if = "is_zero")]
    unchanged: u64,
}

/// The place of a block: the file and the line, and a link to them.
#[derive(Debug, Serialize)]
struct Block {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

impl<'a> Entry<'a> {
    /// Adds the place of the block.
    pub fn at(mut self, place: Option<Place>) -> Entry<'a> {
        self.details.block = place.map(|Place { text, url }| Block { text, url });
        self
    }

    /// A change to a resource, in the list `kind` of the page.
    pub fn of_resource(kind: &'static str, change: &'a ResourceChange<'_>) -> Entry<'a> {
        let why = |word: &str| known(|word| phrase::bare_reason(change, word), word);
        let why = change.action_reason.as_deref().map(why);
        let deferral = change.deferred_reason.as_deref().map(|word| known(phrase::deferral, word));
        let reason = why.or(what_else(change).map(str::to_owned)).or(deferral);
        let stays = phrase::stays(change).map(str::to_owned);
        let left_over = change.deposed.is_some().then(|| phrase::DEPOSED.to_owned());
        let reasons: Vec<String> = stays.into_iter().chain(left_over).chain(reason).collect();
        let details = Details {
            provider: change.provider_name.as_deref(),
            importing: importing(change),
            generated_config: change.generated_config,
            ..Details::of_values(&change.attributes)
        };
        Entry {
            kind,
            address: change.label(),
            action: Some(&change.action),
            symbol: symbol(change).trim(),
            type_name: change.type_name.as_deref(),
            module: change.module_address.as_deref(),
            deposed: change.deposed.as_deref(),
            moved_from: change.moved_from(),
            imported: change.importing.is_some(),
            reason: (!reasons.is_empty()).then(|| Cow::Owned(reasons.join(", "))),
            status: None,
            details,
        }
    }

    /// A change to an output.
    pub fn of_output(output: &'a OutputChange<'_>) -> Entry<'a> {
        Entry {
            kind: if output.action == "no-op" { "same_output" } else { "output" },
            address: Cow::Borrowed(&output.name),
            action: Some(&output.action),
            symbol: Action::of(&output.action).symbol().trim(),
            details: Details::of_values(&output.attributes),
            ..Entry::default()
        }
    }

    /// An action invocation, in the list `kind` of the page.
    pub fn of_invocation(kind: &'static str, invoked: &'a ActionInvocation<'_>) -> Entry<'a> {
        let by = invoked.triggering_address.as_deref();
        let by = by.map(|by| format!("{} {by}", invoked.timing_words()));
        let deferral = invoked.deferred_reason.as_deref().map(|word| known(phrase::deferral, word));
        let reasons: Vec<String> = by.into_iter().chain(deferral).collect();
        Entry {
            kind,
            address: Cow::Borrowed(&invoked.address),
            type_name: invoked.type_name.as_deref(),
            reason: (!reasons.is_empty()).then(|| Cow::Owned(reasons.join(", "))),
            details: Details {
                trigger: invoked.trigger,
                ..Details::of_values(&invoked.attributes)
            },
            ..Entry::default()
        }
    }

    /// A check.
    pub fn of_check(check: &'a Check<'_>) -> Entry<'a> {
        let (check_kind, problems) = (check.check_kind.as_deref(), &*check.problems);
        Entry {
            kind: if check.status == "pass" { "passed_check" } else { "check" },
            address: Cow::Borrowed(&check.address),
            status: Some(&check.status),
            reason: check.problems.first().map(|problem| short_message(problem)),
            details: Details { check_kind, problems, ..Details::default() },
            ..Entry::default()
        }
    }

    /// Appends the two lines of the entry.
    ///
    /// # Errors
    ///
    /// Fails if serialization fails.
    pub fn push(&self, text: &mut Vec<u8>) -> serde_json::Result<()> {
        push_line(self, text)?;
        push_line(&self.details, text)
    }
}

/// The source of an import, in words.
fn importing(change: &ResourceChange<'_>) -> Option<String> {
    change.importing.as_ref()?;
    let parts = phrase::imported(change).into_iter().map(|(words, text)| match text {
        Some(text) => format!("{words} {text}"),
        None => words,
    });
    Some(parts.collect::<Vec<_>>().join(", "))
}

impl<'a> Details<'a> {
    fn of_values(values: &'a Attributes) -> Details<'a> {
        let Attributes { list, left_out, unchanged } = values;
        let (left_out, unchanged) = (*left_out, *unchanged);
        Details { attributes: Values(list), left_out, unchanged, ..Details::default() }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Serializes attributes as a list of rows.
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
        self.0.iter().try_for_each(|attribute| list.serialize_element(&AttributeRow(attribute)))?;
        list.end()
    }
}

/// Serializes an attribute as a list: the path, both values, remarks, and the lines that differ.
struct AttributeRow<'a>(&'a Attribute);

impl Serialize for AttributeRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Attribute { path, before, after, replaces, difference, lines } = self.0;
        let mut row = serializer.serialize_seq(None)?;
        row.serialize_element(path)?;
        row.serialize_element(&Value(before))?;
        row.serialize_element(&Value(after))?;
        if *replaces {
            row.serialize_element("replaces")?;
        }
        match difference {
            Difference::Value => {}
            Difference::Space | Difference::Format => row.serialize_element("format")?,
            Difference::Order => row.serialize_element("order")?,
            Difference::Nothing => row.serialize_element("same")?,
        }
        if let Some(Lines { list, left_out, .. }) = lines {
            row.serialize_element(&Text { lines: LinesOf(list), left_out: *left_out })?;
        }
        row.end()
    }
}

/// The difference of two texts.
#[derive(Serialize)]
struct Text<'a> {
    lines: LinesOf<'a>,
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
}

/// Serializes lines as a list: each line with its sign, or the number of skipped lines.
struct LinesOf<'a>(&'a [Line]);

impl Serialize for LinesOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for line in self.0 {
            match line {
                Line::Same(text) => list.serialize_element(&format!(" {text}"))?,
                Line::Removed(text) => list.serialize_element(&format!("-{text}"))?,
                Line::Added(text) => list.serialize_element(&format!("+{text}"))?,
                Line::Skipped(count) => list.serialize_element(count)?,
            }
        }
        list.end()
    }
}

/// Serializes a value as a string that holds its JSON text. An absent value is `null`. A hidden
/// value is a word that is not valid JSON. A cut value is a list: the text, and the number of
/// omitted bytes.
struct Value<'a>(&'a Shown);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Shown::Absent => serializer.serialize_none(),
            Shown::Unknown => serializer.serialize_str("unknown"),
            Shown::Sensitive => serializer.serialize_str("sensitive"),
            Shown::Echo => serializer.serialize_str("repeated"),
            Shown::Withheld => serializer.serialize_str("withheld"),
            Shown::WriteOnly => serializer.serialize_str(WRITE_ONLY),
            Shown::NamedWriteOnly => serializer.serialize_str(NAMED_WRITE_ONLY),
            Shown::Scalar(Excerpt { text, left_out, .. })
            | Shown::Container(Excerpt { text, left_out, .. }) => match left_out {
                0 => serializer.serialize_str(text),
                left_out => (text, left_out).serialize(serializer),
            },
        }
    }
}

/// The summary of a plan that was read completely.
#[derive(Debug, Serialize)]
pub struct PlanSummary<'a> {
    /// Always `summary`.
    pub kind: &'static str,
    /// The plan line.
    pub line: String,
    /// The name of the tool that made the plan, if not Terraform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'static str>,
    /// The number of actions to invoke.
    #[serde(skip_serializing_if = "is_zero")]
    pub invocations: u64,
    /// The rules that the plan breaks, errors first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<Broken<'a>>,
    /// The counts of the plan.
    #[serde(flatten)]
    pub summary: &'a Summary,
}

/// A rule that a plan breaks.
#[derive(Debug, Serialize)]
pub struct Broken<'a> {
    /// The text of the rule.
    pub rule: &'a str,
    /// Whether the rule is an assertion. Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_assertion: bool,
    /// The word for the rule's severity.
    pub severity: &'static str,
    /// The number of matching records and the first names, as text.
    pub words: String,
    /// The message of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
}

impl<'a> Broken<'a> {
    /// Returns the data of a broken rule.
    pub fn of(answer: &Answer<'a>) -> Broken<'a> {
        let (rule, severity) = (answer.rule.text(), answer.rule.severity().word());
        let (words, message) = (answer.words(NAMES_MAX, str::to_owned), answer.rule.message());
        let is_assertion = answer.rule.assertion().is_some();
        Broken { rule, is_assertion, severity, words, message }
    }
}

/// The records of a plan that the filter hides.
#[derive(Debug, Serialize)]
pub struct HiddenRecords {
    /// Always `hidden`.
    pub kind: &'static str,
    /// The number of hidden records, in words.
    pub words: String,
}

/// An input that could not be read completely.
#[derive(Debug, Serialize)]
pub struct Failed<'a> {
    /// Always `failed`.
    pub kind: &'static str,
    /// The input as the user named it.
    pub source: &'a str,
    /// The workspace of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<&'a str>,
    /// The error's message.
    pub error: String,
}
