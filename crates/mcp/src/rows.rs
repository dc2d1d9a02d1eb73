//! Rows of answers that are made while the secrets of a plan are known.

use plansift_plan::config::Dependent;
use plansift_report::gate::Answer;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{is_false, is_zero};
use crate::texts::Texts;

/// Maximum number of names in a row.
const NAMES: usize = 5;

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
