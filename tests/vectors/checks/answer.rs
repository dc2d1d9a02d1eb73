//! Answers of plansift, and whether they agree with those of vectors.

use plansift::known::{Failure, FailureKind};
use plansift::plancheck::Checked;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

/// What plansift answers.
pub enum Answer {
    Passed,
    Failed(Failure),
    /// The value at a path.
    Value(Json),
    /// The document or the check is refused.
    Refused(String),
}

impl From<Checked> for Answer {
    fn from(result: Checked) -> Answer {
        match result {
            Ok(()) => Answer::Passed,
            Err(failure) => Answer::Failed(failure),
        }
    }
}

/// Whether an answer agrees.
pub enum Verdict {
    Agrees,
    Differs,
}

impl Answer {
    /// The answer in words.
    pub fn words(&self) -> String {
        match self {
            Answer::Failed(failure) => format!("{:?}: {failure}", failure.kind()),
            Answer::Refused(reason) => format!("refused: {reason}"),
            Answer::Value(value) => value.to_string(),
            Answer::Passed => "passed".to_owned(),
        }
    }

    pub fn judge(&self, vector: &Json) -> Verdict {
        let is_load = vector["check"] == "Load" || vector.get("sha256").is_some();
        let agrees = if is_load || vector.get("invalid_check").is_some() {
            let is_refused = vector.get("invalid_check").is_some() || !vector["error"].is_null();
            match self {
                Answer::Refused(_) => is_refused,
                Answer::Passed => !is_refused,
                _ => false,
            }
        } else if vector.get("panic").is_some() {
            matches!(self, Answer::Failed(failure) if failure.kind() == FailureKind::Panic)
        } else if let Some(result) = vector.get("result") {
            let result: Json = serde_json::from_str(result.as_str().expect("JSON")).expect("JSON");
            matches!(self, Answer::Value(value) if *value == result)
        } else if let Some(digest) = vector.get("error_digest") {
            let Answer::Failed(failure) = self else { return Verdict::Differs };
            hex(&Sha256::digest(failure.text())) == digest["sha256"] && has_kind(vector, failure)
        } else {
            match (self, vector["error"].as_str()) {
                (Answer::Passed, None) => true,
                (Answer::Failed(failure), Some(error)) => {
                    failure.text() == error && has_kind(vector, failure)
                }
                _ => false,
            }
        };
        if agrees { Verdict::Agrees } else { Verdict::Differs }
    }
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a failure has the kind of a vector, if it has one.
pub fn has_kind(vector: &Json, failure: &Failure) -> bool {
    let Some(kind) = vector.get("kind") else { return true };
    let mut word = String::new();
    for c in format!("{:?}", failure.kind()).chars() {
        if c.is_ascii_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.push(c.to_ascii_lowercase());
    }
    *kind == word
}
