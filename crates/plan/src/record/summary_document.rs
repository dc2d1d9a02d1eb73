//! The parts of the document of `plansift summary --format json`.

use serde::Serialize;

use super::impact::Impact;
use super::is_zero;

/// A warning about the plans.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryWarning {
    /// `error` if some changes are unknown, or if a check failed.
    #[cfg_attr(test, schemars(extend("enum" = ["error", "warning"])))]
    pub severity: &'static str,
    /// A sentence for a person.
    pub message: String,
}

/// A plan that could not be read.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryFailure<'a> {
    /// The input, followed by `#2` for its second plan, and so on.
    pub source: &'a str,
    /// The error.
    pub error: &'a str,
}

/// A change that destroys, replaces or forgets an object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryLoss {
    /// The workspace or the input of the plan, if a list has the losses of several plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// What happens to the object.
    #[cfg_attr(test, schemars(extend("enum" = ["delete", "replace", "forget"])))]
    pub action: &'static str,
    /// The address. A name of more than 1024 bytes is shortened.
    pub address: String,
    /// The key of a deposed object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposed: Option<String>,
    /// Present if the type of the resource is one that holds data.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub holds_data: bool,
    /// The reason in words, or the unknown word of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The first 3 paths that force the replacement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(length(max = 3)))]
    pub replace_paths: Vec<String>,
    /// The previous address, if the object moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// What depends on the resource. Present with `--impact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impact: Option<Box<Impact>>,
}

/// The numbers of elements that each list leaves out.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryLeftOut {
    /// Warnings. Absent if the number is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub warnings: u64,
    /// Plans that could not be read. Absent if the number is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub failures: u64,
    /// Losses. Absent if the number is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub losses: u64,
    /// Actions. Absent if the number is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub actions: u64,
    /// Types. Absent if the number is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub types: u64,
    /// Modules. Absent if the number is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub modules: u64,
    /// How to ask for more, in words.
    pub ask: &'static str,
}
