//! The records of `plansift assert`.

use serde::Serialize;

use crate::config::{Location, Origin};

/// The result of an assertion for a document.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AssertionResult<'a> {
    /// The path or URL of the input, or `-` for standard input. `#2` is appended for the second
    /// document of an input, `#3` for the third.
    pub source: &'a str,
    /// The index in the list of the run's assertions. The results of a document come in this order.
    #[serde(skip)]
    pub index: usize,
    /// The name of the assertion. An assertion without a name has a short description instead.
    pub name: &'a str,
    /// The file that contains the assertion. Empty for an assertion of `-e`.
    pub file: &'a str,
    /// The line of the assertion in the file.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: usize,
    /// `error` or `warning`.
    #[cfg_attr(test, schemars(extend("enum" = ["error", "warning"])))]
    pub severity: &'static str,
    /// Whether the assertion passes or is skipped.
    pub passed: bool,
    /// Whether the assertion is skipped. An optional assertion is skipped if it covers nothing in
    /// the document.
    pub skipped: bool,
    /// Number of resources or outputs on which the assertion was checked.
    pub asked: u64,
    /// Number of failures.
    pub failed: u64,
    /// The message of the assertion, which says what to do about a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
    /// The first 20 failures.
    pub findings: Vec<AssertionFinding<'a>>,
}

/// A failure of an assertion: where it fails, and why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AssertionFinding<'a> {
    /// The address of the resource, or the name of the output. If no value has the path, this is
    /// the pattern of the assertion. Empty if the failure is not about one resource or output.
    pub place: &'a str,
    /// The path of the value in the resource or output. Empty if the failure is about the whole
    /// resource or output.
    pub path: &'a str,
    /// The expected value or action, in words.
    pub expected: &'a str,
    /// The value or action in the document, with secrets masked.
    pub found: &'a str,
    /// The block of the resource or output. Present with `--source`, and for plan files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Origin>,
}

/// A document that could not be read.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
