//! Rows of answers that are made while the secrets of a plan are known.

use plansift_plan::config::Dependent;
use plansift_plan::record::patterns::Unmatched;
use plansift_plan::record::{Attribute, Attributes, Difference, Record, Shown};
use plansift_report::compact::{Risk, words, words_of_invocation};
use plansift_report::gate::{Answer, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{NAME_MAX, is_false, is_zero, shortened, size};
use crate::texts::Texts;

/// Maximum number of names in a row.
const NAMES: usize = 5;

/// A change of a resource, an output, a check or an action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangeRow {
    /// The address. For an output, `output.` and its name.
    pub address: String,
    /// The key of a deposed object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposed: Option<String>,
    /// The action, or the status of a check.
    pub action: String,
    /// The risk: destroy_data, replace_data, destroy, forget, replace, access, other, update,
    /// create, read, move, action, failed_check, drift, deferred, deferred_action, output, check.
    pub risk: &'static str,
    /// Why, and what else the change does. For a check, its first message.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The address before a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_address: Option<String>,
    /// The first paths that force a replacement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forced_by: Vec<String>,
    /// The first paths that change. Empty for a create, a delete and an output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The first paths that are known after apply. The path of a whole output is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Number of further paths.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_paths: u64,
}

/// Maximum number of paths in each list of a row.
const PATHS: usize = 8;
/// Maximum length of a path, in bytes.
const PATH_MAX: usize = 200;
impl ChangeRow {
    /// Returns the row of a record. Its names have no secrets.
    pub fn of(risk: Risk, record: &Record<'_>) -> ChangeRow {
        let (address, risk) = (ChangeRow::address_of(record), risk.word());
        if let Some(change) = record.resource() {
            let names = &change.resource;
            let row = ChangeRow {
                address,
                deposed: names.deposed.as_deref().map(str::to_owned),
                action: change.action.clone().into_owned(),
                risk,
                why: words(change),
                previous_address: change.moved_from().map(str::to_owned),
                ..ChangeRow::default()
            };
            let is_two_sided = !matches!(&*change.action, "create" | "delete" | "forget" | "read");
            return row.with_paths(&change.attributes, is_two_sided);
        }
        match record {
            Record::OutputChange(output) => ChangeRow {
                address,
                action: output.action.clone().into_owned(),
                risk,
                ..ChangeRow::default()
            }
            .with_paths(&output.attributes, false),
            Record::Check(check) => ChangeRow {
                address,
                action: check.status.clone().into_owned(),
                risk,
                why: check.problems.first().map(|text| inert(text)).unwrap_or_default(),
                ..ChangeRow::default()
            },
            Record::ActionInvocation(invoked) | Record::DeferredActionInvocation(invoked) => {
                ChangeRow {
                    address,
                    action: "invoke".to_owned(),
                    risk,
                    why: words_of_invocation(invoked),
                    ..ChangeRow::default()
                }
            }
            _ => ChangeRow::default(),
        }
    }

    /// Returns the address of a record, as its row has it.
    pub fn address_of(record: &Record<'_>) -> String {
        match record {
            Record::OutputChange(output) => format!("output.{}", output.name),
            Record::Check(check) => check.address.clone().into_owned(),
            Record::ActionInvocation(invoked) | Record::DeferredActionInvocation(invoked) => {
                invoked.address.clone().into_owned()
            }
            record => record.resource().map(|it| it.label().into_owned()).unwrap_or_default(),
        }
    }

    /// Returns the row without its paths, with at most about `max` bytes.
    pub fn without_paths(self, max: usize) -> ChangeRow {
        let (paths, unknown) = (Vec::new(), Vec::new());
        ChangeRow { paths, unknown, more_paths: 0, ..self }.fitting(max)
    }

    fn with_paths(mut self, attributes: &Attributes, lists_changes: bool) -> ChangeRow {
        let path = |attribute: &Attribute| shortened(&attribute.path, PATH_MAX);
        self.more_paths = if lists_changes { attributes.left_out } else { 0 };
        for attribute in &attributes.list {
            if attribute.difference == Difference::Nothing {
                continue;
            }
            if attribute.replaces && self.forced_by.len() < PATHS {
                self.forced_by.push(path(attribute));
            }
            let list = match (&attribute.after, lists_changes) {
                (Shown::Unknown | Shown::UnknownFrom(_), _) => &mut self.unknown,
                (_, true) => &mut self.paths,
                (_, false) => continue,
            };
            match list.len() < PATHS {
                true => list.push(path(attribute)),
                false => self.more_paths += 1,
            }
        }
        self
    }

    /// Shortens the names of a row that is longer than `max` bytes, and leaves its paths out.
    pub fn fitting(mut self, max: usize) -> ChangeRow {
        if size(&self) <= max {
            return self;
        }
        let paths = self.paths.len() + self.unknown.len();
        self.more_paths += paths as u64;
        (self.paths, self.unknown, self.forced_by) = (Vec::new(), Vec::new(), Vec::new());
        if size(&self) <= max {
            return self;
        }
        // An escape takes up to twice the bytes of its character.
        let name_max = NAME_MAX.min(max / 12);
        let cut = |text: &str| shortened(text, name_max);
        ChangeRow {
            address: cut(&self.address),
            deposed: self.deposed.as_deref().map(cut),
            action: cut(&self.action),
            why: cut(&self.why),
            previous_address: self.previous_address.as_deref().map(cut),
            ..self
        }
    }
}

/// Makes the hidden characters of a message visible.
fn inert(text: &str) -> String {
    shortened(&plansift_core::inert::visible(text.trim()), NAME_MAX)
}

/// A rule that the plan breaks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BrokenRow {
    /// The rule, without its severity and message.
    pub rule: String,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What the rule counts in the plan.
    pub count: u64,
    /// The first addresses or names that it counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Number of further addresses or names.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_names: u64,
    /// Whether the count is unknown, because the plan does not list its changes.
    #[serde(skip_serializing_if = "is_false")]
    pub is_unknown: bool,
    /// The message of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl BrokenRow {
    /// Returns the row of a broken rule.
    pub fn of(answer: &Answer<'_>, texts: &Texts<'_>) -> BrokenRow {
        let Answer { rule, count, records, first, is_unknown, .. } = *answer;
        // A shortened name may end within a secret, so it is only counted.
        let whole = first.iter().filter(|name| !name.contains('…'));
        let names: Vec<String> = whole.take(NAMES).map(|name| texts.name(name)).collect();
        let more_names = match first.is_empty() {
            true => 0,
            false => records.saturating_sub(names.len() as u64),
        };
        BrokenRow {
            rule: texts.show(rule.text()),
            severity: rule.severity().word(),
            count,
            names,
            more_names,
            is_unknown,
            message: rule.message().map(|message| texts.show(message)),
        }
    }
}

/// A pattern of a rule or of an assertion that matches nothing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnmatchedRow {
    /// The rule or the assertion, what the plan lacks, and the most similar name in the plan.
    pub message: String,
    /// `error` if the plan fails because of it, otherwise `warning`.
    pub severity: &'static str,
}

impl UnmatchedRow {
    /// Returns the row of a rule.
    pub fn of_rule(unmatched: &Unmatched<'_>, texts: &Texts<'_>) -> UnmatchedRow {
        let argument = texts.name(unmatched.argument);
        let near = unmatched.near.as_deref().map(|near| texts.name(near));
        let severity = if unmatched.fails { Severity::Error } else { Severity::Warning };
        let shown = Unmatched { argument: &argument, near, ..unmatched.clone() };
        UnmatchedRow { message: shown.to_string(), severity: severity.word() }
    }

    /// Returns the row of an assertion. In a strict run, such an assertion fails instead.
    pub fn of_assertion(name: &str, text: &str, texts: &Texts<'_>) -> UnmatchedRow {
        let message = format!("{}: {}", texts.name(name), texts.name(text));
        UnmatchedRow { message, severity: Severity::Warning.word() }
    }
}

/// An element of the configuration that depends on the resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DependentRow {
    /// The address, without instance keys.
    pub address: String,
    /// The number of references between the two.
    pub distance: u32,
    /// The address that the element refers to on the way, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}

impl DependentRow {
    /// Returns the row of an element.
    pub fn of(dependent: &Dependent<'_>, texts: &Texts<'_>) -> DependentRow {
        let Dependent { address, distance, through, .. } = *dependent;
        DependentRow {
            address: texts.name(address),
            distance,
            through: (distance > 1).then(|| texts.name(through)),
        }
    }
}
