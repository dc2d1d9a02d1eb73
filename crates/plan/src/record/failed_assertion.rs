//! The record of an assertion that a plan fails.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::owned::{cloned, with_owned};
use super::{AssertionFinding, is_zero};

with_owned! {
/// An assertion that the plan fails. These records precede the summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FailedAssertion<'a> {
    /// The index in the list of the run's assertions.
    #[serde(skip)]
    pub index: usize,
    /// The name of the assertion. An assertion without a name has a short description instead.
    pub name: Cow<'a, str>,
    /// The file that contains the assertion. Empty if the assertion is a command-line argument.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub file: Cow<'a, str>,
    /// The line in the file.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: u64,
    /// A failure with the severity `warning` does not fail the run.
    #[cfg_attr(test, schemars(extend("enum" = ["error", "warning"])))]
    pub severity: Cow<'a, str>,
    /// The message of the assertion, which says what to do about a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Cow<'a, str>>,
    /// Number of failures.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub failed: u64,
    /// The first 20 failures.
    #[cfg_attr(test, schemars(length(max = 20)))]
    pub findings: Cow<'a, [Finding]>,
}
}

/// A failure of an assertion: where it fails, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// The address of the resource, or the name of the output. If no value has the path, this is
    /// the pattern of the assertion. Absent if the failure is not about one resource or output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The path of the value in the resource or output. Absent if the failure is about the whole
    /// resource or output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The expectation, in words.
    pub expected: String,
    /// The value or action in the plan, with secrets masked.
    pub found: String,
}

cloned!(Finding);

impl FailedAssertion<'_> {
    /// Whether the failure makes the run fail.
    pub fn is_error(&self) -> bool {
        self.severity == "error"
    }
}

impl Finding {
    /// Returns the finding as one line.
    pub fn words(&self) -> String {
        let Finding { place, path, expected, found } = self;
        AssertionFinding { place, path, expected, found, source: None }.words()
    }
}
