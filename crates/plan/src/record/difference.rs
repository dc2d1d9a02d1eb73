//! The records of `plansift compare`: how a plan differs from an earlier one
//! (docs/format/comparison.md).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::is_zero;

/// How much of two documents is compared. Each level includes the levels before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CompareLevel {
    /// The addresses and the actions.
    Actions,
    /// Also the paths that change or are unknown, the reasons, and the causes of replacements.
    Paths,
    /// Also the planned values that are known.
    Values,
    /// Also the places that are sensitive.
    All,
}

impl CompareLevel {
    /// All levels, the weakest first.
    pub const ALL: [CompareLevel; 4] =
        [CompareLevel::Actions, CompareLevel::Paths, CompareLevel::Values, CompareLevel::All];

    /// Returns the name of the level.
    pub fn name(self) -> &'static str {
        match self {
            CompareLevel::Actions => "actions",
            CompareLevel::Paths => "paths",
            CompareLevel::Values => "values",
            CompareLevel::All => "all",
        }
    }
}

/// What a difference means for somebody who approved the earlier plan. The most severe comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The earlier plan left something unknown that the later plan knows.
    Resolved,
    /// The later plan does not do something that the earlier plan does: it is done already, or no
    /// longer needed.
    Less,
    /// The later plan does something that the earlier plan does not.
    More,
}

impl Direction {
    /// All directions, the most severe first.
    pub const ALL: [Direction; 3] = [Direction::More, Direction::Less, Direction::Resolved];

    /// Returns the name of the direction.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Resolved => "resolved",
            Direction::Less => "less",
            Direction::More => "more",
        }
    }
}

/// The kind of an object that plans or states contain. The order is that of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// A fact about the whole plan. Its name is the key of the plan, such as `errored`.
    Plan,
    /// An element of `resource_changes`.
    ResourceChange,
    /// An element of `deferred_changes`.
    DeferredChange,
    /// A member of `output_changes`.
    OutputChange,
    /// An element of `action_invocations`.
    ActionInvocation,
    /// An element of `deferred_action_invocations`.
    DeferredActionInvocation,
    /// An element of `checks`.
    Check,
    /// An element of `resource_drift`.
    ResourceDrift,
    /// An element of `relevant_attributes`.
    RelevantAttribute,
    /// A resource in a state.
    Resource,
    /// An output in a state.
    Output,
}

impl ObjectKind {
    /// Returns the word of records.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Plan => "plan",
            ObjectKind::ResourceChange => "resource_change",
            ObjectKind::DeferredChange => "deferred_change",
            ObjectKind::OutputChange => "output_change",
            ObjectKind::ActionInvocation => "action_invocation",
            ObjectKind::DeferredActionInvocation => "deferred_action_invocation",
            ObjectKind::Check => "check",
            ObjectKind::ResourceDrift => "resource_drift",
            ObjectKind::RelevantAttribute => "relevant_attribute",
            ObjectKind::Resource => "resource",
            ObjectKind::Output => "output",
        }
    }

    /// Whether the object is a change of a resource.
    pub fn is_change(self) -> bool {
        matches!(
            self,
            ObjectKind::ResourceChange | ObjectKind::DeferredChange | ObjectKind::ResourceDrift
        )
    }
}

/// The documents that contain an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FoundIn {
    /// Only the earlier document.
    Old,
    /// Only the later document.
    New,
    /// Both documents.
    Both,
}

/// What of an object differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// The action of a change, the status of a check, or the value of a fact about a plan.
    Action,
    /// The previous address: only one of the documents moves the object, or both move it from
    /// different addresses.
    Move,
    /// Only one of the documents imports the object.
    Import,
    /// The reason for the action, or for its deferral.
    Reason,
    /// A path that changes or is unknown.
    Path,
    /// A path that forces a replacement.
    Cause,
    /// A planned value.
    Value,
    /// A place that is marked as sensitive.
    Sensitive,
    /// The JSON text of the object, although the object is planned alike.
    Text,
}

/// The first record of a comparison: the two documents.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedPair<'a> {
    /// The version of the record format.
    #[cfg_attr(test, schemars(extend("const" = 1)))]
    pub schema_version: u32,
    /// The workspace, if two folders are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<&'a str>,
    /// The earlier document.
    pub old: ComparedDocument<'a>,
    /// The later document.
    pub new: ComparedDocument<'a>,
    /// The level that decides. The differences of further levels are only counted.
    pub level: CompareLevel,
}

/// One of two documents that are compared.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedDocument<'a> {
    /// The input as the user named it; `-` for standard input. Empty if there is none.
    pub source: &'a str,
    /// `plan`, `state` or `approval`. `none` if only the other folder has the workspace.
    #[cfg_attr(test, schemars(extend("enum" = ["plan", "state", "approval", "none"])))]
    pub document: &'static str,
}

/// An object that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ObjectDifference<'a> {
    /// The kind of the object.
    pub object: ObjectKind,
    /// The address of the object in the later document, or in the earlier one if only that has the
    /// object. For an output, its name. For a fact about a plan, its key.
    pub address: Cow<'a, str>,
    /// The key of a deposed object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposed: Option<Cow<'a, str>>,
    /// For an invocation: when it is invoked, and the address of the resource that triggers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Cow<'a, str>>,
    /// The address in the earlier document, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_address: Option<Cow<'a, str>>,
    /// The type of the resource or action.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'a, str>>,
    /// Which documents have the object.
    #[serde(rename = "in")]
    pub found_in: FoundIn,
    /// The weakest level at which the object differs.
    pub level: CompareLevel,
    /// The most severe direction of the differences.
    pub direction: Direction,
    /// The action in the earlier document: the action word of records, `move` or `import` for a
    /// change that does nothing else, or the status of a check. Absent if only the later document
    /// has the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_action: Option<Cow<'a, str>>,
    /// The action in the later document. Absent if only the earlier document has the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_action: Option<Cow<'a, str>>,
    /// The single differences, if both documents have the object.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub differences: Vec<AspectDifference<'a>>,
}

/// One difference of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AspectDifference<'a> {
    /// What differs.
    pub aspect: Aspect,
    /// The weakest level at which it differs.
    pub level: CompareLevel,
    /// The direction of the difference.
    pub direction: Direction,
    /// The path, in the notation of records. Absent if the whole object differs, and if the earlier
    /// document is an approval, which has digests in place of some paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Cow<'a, str>>,
    /// What the earlier document has: a word, an address, a reason, a value as JSON text with
    /// secrets masked, or `(known after apply)` for an unknown value. Absent if it has nothing
    /// there, and for values that are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Cow<'a, str>>,
    /// What the later document has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Cow<'a, str>>,
}

/// The last record of a comparison: its counts. A stream without it is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparisonSummary {
    /// The strongest level at which the documents agree. Absent if even the actions differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agrees: Option<CompareLevel>,
    /// The most severe direction of the differences at the deciding level. Absent if the documents
    /// agree at that level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Direction>,
    /// Number of objects that do not differ at the deciding level. Objects without a planned change
    /// are not counted.
    pub same: u64,
    /// Number of objects that differ at the deciding level.
    pub differing: DirectionCounts,
    /// Number of objects by the weakest level at which they differ.
    pub by_level: LevelCounts,
    /// Number of differences that are left out because they have no effect.
    pub left_out: LeftOut,
    /// Number of objects that the filters of the user hide: those of the earlier document and those
    /// of the later one.
    #[serde(skip_serializing_if = "is_zero")]
    pub hidden: u64,
    /// Whether the later document is older than the earlier one. Absent if it is not, and if a
    /// document does not tell when it was made.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub new_is_older: bool,
}

/// Numbers of objects by direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DirectionCounts {
    /// Objects of which the later plan does more.
    pub more: u64,
    /// Objects of which the later plan does less.
    pub less: u64,
    /// Objects of which the later plan knows more.
    pub resolved: u64,
}

/// Numbers of objects by the weakest level at which they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LevelCounts {
    /// Objects whose actions differ.
    pub actions: u64,
    /// Objects with equal actions whose paths, reasons or causes differ.
    pub paths: u64,
    /// Objects with equal paths whose values differ.
    pub values: u64,
    /// Objects with equal values of which only the sensitive places differ.
    pub all: u64,
}

/// Numbers of differences between runs of one configuration that have no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// 1 if the plans were made at different times.
    #[serde(skip_serializing_if = "is_zero")]
    pub timestamp: u64,
    /// 1 if the documents were made by different versions of the tool or of the format.
    #[serde(skip_serializing_if = "is_zero")]
    pub versions: u64,
    /// 1 if only one of the plans is applyable.
    #[serde(skip_serializing_if = "is_zero")]
    pub applyable: u64,
    /// Elements of `relevant_attributes` that only one of the plans has.
    #[serde(skip_serializing_if = "is_zero")]
    pub relevant_attributes: u64,
    /// Objects that are planned alike, and whose JSON text differs: white space, the order of keys,
    /// or values that the plan does not change. Not counted for an approval.
    #[serde(skip_serializing_if = "is_zero")]
    pub text: u64,
}
