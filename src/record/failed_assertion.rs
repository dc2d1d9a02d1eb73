//! The record of an assertion that a plan fails.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{AssertionFinding, is_zero};

/// An assertion that the plan fails. These records precede the summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAssertion<'a> {
    /// The index in the list of the run's assertions.
    #[serde(skip)]
    pub index: usize,
    /// The name that the user gave the assertion, or a short description of it.
    pub name: Cow<'a, str>,
    /// The file that contains the assertion. Empty if the assertion is a command-line argument.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub file: Cow<'a, str>,
    /// The line in the file.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u64,
    /// `error` or `warning`.
    pub severity: Cow<'a, str>,
    /// The message that the user wrote for a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Cow<'a, str>>,
    /// The number of failures.
    pub failed: u64,
    /// The first failures.
    pub findings: Cow<'a, [Finding]>,
}

/// A failure of an assertion: where it fails, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The address of the resource, or the name of the output. Empty for the plan as a whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The path in the value of the resource or output. Empty for the root.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The expectation, in words.
    pub expected: String,
    /// The value or action in the plan, without secrets.
    pub found: String,
}

impl FailedAssertion<'_> {
    /// Copies the record, so that it borrows nothing.
    pub fn owned(&self) -> FailedAssertion<'static> {
        let text = |text: &str| Cow::Owned(text.to_owned());
        FailedAssertion {
            index: self.index,
            name: text(&self.name),
            file: text(&self.file),
            line: self.line,
            severity: text(&self.severity),
            message: self.message.as_deref().map(text),
            failed: self.failed,
            findings: Cow::Owned(self.findings.to_vec()),
        }
    }

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
