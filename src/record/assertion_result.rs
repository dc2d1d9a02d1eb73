//! The records of `plansift assert`.

use serde::Serialize;

use crate::config::{Location, Origin};

/// The result of an assertion for a document.
#[derive(Clone, Debug, Serialize)]
pub struct AssertionResult<'a> {
    /// The input, followed by `#2` for its second document, and so on.
    pub source: &'a str,
    /// The index in the list of the run's assertions. The results of a document come in this order.
    #[serde(skip)]
    pub index: usize,
    /// The name that the user gave the assertion, or a short description of it.
    pub name: &'a str,
    /// The file that contains the assertion. Empty if the assertion is a command-line argument.
    pub file: &'a str,
    /// The line in the file.
    pub line: usize,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// Whether the assertion holds.
    pub passed: bool,
    /// Whether the assertion is optional, and the document has nothing that it is about.
    pub skipped: bool,
    /// The number of resources or outputs on which the assertion was checked.
    pub asked: u64,
    /// The number of failures.
    pub failed: u64,
    /// The message that the user wrote for a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
    /// The first failures.
    pub findings: Vec<AssertionFinding<'a>>,
}

/// A failure of an assertion: where it fails, and why.
#[derive(Clone, Debug, Serialize)]
pub struct AssertionFinding<'a> {
    /// The address of the resource, or the name of the output. Empty for the document as a whole.
    pub place: &'a str,
    /// The path in the value of the resource or output. Empty for the root.
    pub path: &'a str,
    /// The expectation, in words.
    pub expected: &'a str,
    /// The value or action in the document, without secrets.
    pub found: &'a str,
    /// The block of the resource or output. Present with `--source`, and for plan files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Origin>,
}

/// A document that could not be read.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadDocument<'a> {
    /// The input, followed by `#2` for its second document, and so on.
    pub source: &'a str,
    /// The error, without hidden characters.
    pub error: &'a str,
}

impl AssertionResult<'_> {
    /// Whether the failure makes the run fail.
    pub fn is_error(&self) -> bool {
        !self.passed && self.severity == "error"
    }

    /// Returns the location of the first block that the failures are about.
    pub fn location(&self) -> Option<&Location> {
        self.findings.iter().find_map(|finding| finding.source.as_ref()?.location())
    }
}

impl AssertionFinding<'_> {
    /// Returns the failure as one line.
    pub fn words(&self) -> String {
        format!("{}expected {}, found {}", self.head(), self.expected, self.found)
    }

    /// Returns the failure as one line, without the expectation.
    pub fn found_words(&self) -> String {
        format!("{}{}", self.head(), self.found)
    }

    /// Returns the start of the line: the address or output, the path, and a colon. Empty for the
    /// document as a whole.
    fn head(&self) -> String {
        match (self.place, self.path) {
            ("", _) => String::new(),
            (place, "") => format!("{place}: "),
            (place, path) => format!("{place}: {path}: "),
        }
    }
}
