//! What the records of a plan amount to: the `summary` record (records.md).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::plan::ResourceChange;

/// Numbers by word: actions or statuses. Words with none are not in it.
pub type ByWord = BTreeMap<String, u64>;

/// The `summary` record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Length of the document in bytes of UTF-8, without a byte order mark or a wrapper's text.
    pub bytes: u64,
    /// Elements of `resource_changes` by action word.
    pub resource_changes: ByWord,
    /// Elements of `resource_drift` by action word.
    pub resource_drift: ByWord,
    /// Members of `output_changes` by action word.
    pub output_changes: ByWord,
    /// Elements of `deferred_changes` by action word.
    pub deferred_changes: ByWord,
    /// The plan line.
    pub terraform: PlanLine,
    /// Elements of `resource_changes` with another previous address.
    pub moved: u64,
    /// Places that are unknown until apply, over all `resource_changes`.
    pub unknown_paths: u64,
    /// Places marked sensitive, over all `resource_changes`.
    pub sensitive_paths: u64,
    /// Places that change, over all `resource_changes`.
    pub changed_paths: u64,
    /// Checks by status.
    pub checks: ByWord,
    /// The plan's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applyable: Option<bool>,
    /// The plan's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// The plan's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errored: Option<bool>,
    /// The plan's own, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The plan's own, where it came too late for the `plan` record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terraform_version: Option<String>,
}

/// The plan line as Terraform counts it (plan-format, section 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the words of the plan line")]
pub struct PlanLine {
    pub import: u64,
    pub add: u64,
    pub change: u64,
    pub destroy: u64,
    pub forget: u64,
}

impl PlanLine {
    /// Counts an element of `resource_changes`.
    pub(super) fn count(&mut self, actions: &[Cow<'_, str>], change: &ResourceChange<'_>) {
        let mode = change.mode.as_deref().unwrap_or("managed");
        if mode == "ephemeral" {
            return;
        }
        self.import += u64::from(change.change.importing.is_some());
        let words: Vec<&str> = actions.iter().map(Cow::as_ref).collect();
        match words[..] {
            ["create"] => self.add += 1,
            ["update"] => self.change += 1,
            ["delete"] => self.destroy += u64::from(mode == "managed"),
            ["delete", "create"] | ["create", "delete"] => {
                self.add += 1;
                self.destroy += 1;
            }
            ["create", "forget"] => self.add += 1,
            ["forget", "create"] => {
                self.add += 1;
                self.forget += 1;
            }
            ["forget"] => self.forget += 1,
            _ => {}
        }
    }
}

/// One more of a word.
pub(super) fn count(counts: &mut ByWord, word: &str) {
    match counts.get_mut(word) {
        Some(number) => *number += 1,
        None => {
            counts.insert(word.to_owned(), 1);
        }
    }
}

/// The one word for a list of actions (records.md, `action`).
pub(super) fn action_word<'a>(actions: &[Cow<'a, str>]) -> Cow<'a, str> {
    let words: Vec<&str> = actions.iter().map(Cow::as_ref).collect();
    match words[..] {
        ["no-op"] => "no-op".into(),
        ["create"] => "create".into(),
        ["read"] => "read".into(),
        ["update"] => "update".into(),
        ["delete"] => "delete".into(),
        ["forget"] => "forget".into(),
        ["delete", "create"] | ["create", "delete"] => "replace".into(),
        ["create", "forget"] | ["forget", "create"] => "replace".into(),
        _ => words.join("+").into(),
    }
}
