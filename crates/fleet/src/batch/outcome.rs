//! The outcome of an input, as the journal stores it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::source::InputEntry;
use plansift_plan::record::FailedAssertion;
use plansift_plan::record::counts::Summary;
use plansift_report::fleet::PlanCounts;

/// The outcome of an input.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The name of the record file, without the extension; unique among the inputs.
    pub name: String,
    /// The input as the user named it.
    pub source: String,
    /// The workspace in the records of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Identifies the input in a later run; `None` for inputs such as pipes, which cannot be
    /// recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// The record file; `None` if no plan of the input could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Written>,
    /// The outcomes of the plans in the input; at least one.
    pub plans: Vec<JournaledPlan>,
}

/// The outcome of a plan.
#[derive(Debug, Serialize, Deserialize)]
pub struct JournaledPlan {
    /// The name of the input, followed by `#2` for its second plan, and so on.
    pub source: String,
    /// The workspace, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The summary of the plan, or its error.
    pub result: PlanResult,
}

/// The summary of a plan, or its error.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanResult {
    /// The plan was read to its end.
    Done(Box<Done>),
    /// The plan failed with this error.
    Error(String),
}

/// The summary of a plan that was read to its end.
#[derive(Debug, Serialize, Deserialize)]
pub struct Done {
    /// Whether the plan changes anything.
    pub has_changes: bool,
    /// The content of the plan's last record.
    pub summary: Summary,
    /// The assertions that the plan fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_assertions: Vec<FailedAssertion<'static>>,
    /// The digest of what the plan does, if the batch keeps digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The counts of changes by type, module, provider and action.
    #[serde(default)]
    pub tally: PlanCounts,
}

/// The length and digest of a written record file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The length in bytes.
    pub len: u64,
    /// The BLAKE3 digest of the bytes, in hexadecimal digits.
    pub blake3: String,
}

/// Identifies an input, so that a later run can tell whether it has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The stored size in bytes.
    pub len: u64,
    /// The time of the last modification in nanoseconds since 1970, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<i64>,
    /// The entity tag that the store gives this version of an object, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
}

impl Identity {
    /// Returns the identity of an input; `None` if its size is unknown, or if both its modification
    /// time and its entity tag are unknown.
    pub fn of(entry: &InputEntry) -> Option<Identity> {
        let modified = entry.modified.and_then(nanoseconds);
        let etag = entry.etag.clone();
        let is_distinctive = modified.is_some() || etag.is_some();
        let identity = Identity { len: entry.len?, modified, etag };
        is_distinctive.then_some(identity)
    }
}

fn nanoseconds(time: SystemTime) -> Option<i64> {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).ok(),
        Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|before| -before),
    }
}

impl Outcome {
    /// Whether any plan of the input failed.
    pub fn has_failed(&self) -> bool {
        self.plans.iter().any(|plan| matches!(plan.result, PlanResult::Error(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_identified_by_size_time_and_etag() {
        let entry = |len: Option<u64>, seconds: Option<u64>, etag: Option<&str>| {
            let modified = seconds.map(|it| UNIX_EPOCH + std::time::Duration::from_secs(it));
            let etag = etag.map(str::to_owned);
            Identity::of(&InputEntry { len, modified, etag, ..InputEntry::of_stdin() })
        };
        let known = entry(Some(1), Some(2), Some("a"));
        assert!(known.is_some());
        for other in [
            entry(Some(2), Some(2), Some("a")),
            entry(Some(1), Some(3), Some("a")),
            entry(Some(1), Some(2), Some("b")),
            entry(Some(1), Some(2), None),
            entry(Some(1), None, Some("a")),
        ] {
            assert!(other.is_some() && other != known, "{other:?}");
        }
        assert_eq!(entry(Some(1), None, None), None);
        assert_eq!(entry(None, Some(2), Some("a")), None);
    }
}
