//! What came of an input, as the journal keeps it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::Entry;
use crate::record::counts::Summary;
use crate::sink::fleet::Tally;

/// What came of an input.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The name of its record file, without the extension: different for all inputs.
    pub name: String,
    /// As the user named it.
    pub source: String,
    /// As its records tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// By which it is known again; none of what cannot be read twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// Its record file, unless none of its plans could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Written>,
    /// What came of each of its plans; at least one.
    pub plans: Vec<PlanOutcome>,
}

/// What came of a plan.
#[derive(Debug, Serialize, Deserialize)]
pub struct PlanOutcome {
    /// The input; the second plan of an input has `#2` behind it.
    pub source: String,
    /// Its workspace, if that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// What it amounts to, or what is wrong with it.
    pub result: PlanResult,
}

/// What a plan amounts to, or what is wrong with it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanResult {
    /// It was read to its end.
    Done(Box<Done>),
    /// It failed, with this error.
    Error(String),
}

/// What a plan amounts to.
#[derive(Debug, Serialize, Deserialize)]
pub struct Done {
    /// Whether it changes anything.
    pub has_changes: bool,
    /// Its last record.
    pub summary: Summary,
    /// What it changes by type, module, provider and action.
    #[serde(default)]
    pub tally: Tally,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Its length in bytes.
    pub len: u64,
    /// The BLAKE3 digest of its bytes, in hexadecimal digits.
    pub blake3: String,
}

/// By what an input is known to be the same as before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its size in bytes as it is stored.
    pub len: u64,
    /// When it was written last, in nanoseconds since 1970, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<i64>,
    /// What the store of an object calls this version of it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
}

impl Identity {
    /// That of an input; none where it tells nothing, such as a pipe.
    pub fn of(entry: &Entry) -> Option<Identity> {
        let modified = entry.modified.and_then(nanoseconds);
        let etag = entry.etag.clone();
        let tells = modified.is_some() || etag.is_some();
        let identity = Identity { len: entry.len?, modified, etag };
        tells.then_some(identity)
    }
}

fn nanoseconds(time: SystemTime) -> Option<i64> {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).ok(),
        Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|before| -before),
    }
}

impl Outcome {
    /// Whether any of its plans failed.
    pub fn has_failed(&self) -> bool {
        self.plans.iter().any(|plan| matches!(plan.result, PlanResult::Error(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_told_by_size_time_and_version() {
        let entry = |len: Option<u64>, seconds: Option<u64>, etag: Option<&str>| {
            let modified = seconds.map(|it| UNIX_EPOCH + std::time::Duration::from_secs(it));
            let etag = etag.map(str::to_owned);
            Identity::of(&Entry { len, modified, etag, ..Entry::of_stdin() })
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
