//! The result of an assertion.

/// Maximum number of findings that are kept for an assertion. The rest are counted.
pub const FINDINGS_MAX: usize = 20;
/// Longest text of a finding, in characters.
const TEXT_MAX: usize = 400;

/// The result of an assertion for one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The number of resources or outputs that the assertion was asked of.
    pub asked: u64,
    /// The number of failures.
    pub failed: u64,
    /// The first failures.
    pub findings: Vec<Finding>,
}

/// Where an assertion fails, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The address or the output; empty for the plan as a whole.
    pub place: String,
    /// The path in its value; empty for the root.
    pub path: String,
    /// The expectation, in words.
    pub expected: String,
    /// The value or action in the plan. A sensitive value is masked.
    pub found: String,
    /// The text in `found` that comes from the document.
    quoted: Option<String>,
}

impl Outcome {
    /// Whether the assertion holds.
    pub fn holds(&self) -> bool {
        self.failed == 0
    }

    /// Sets the text that the last finding quotes, if the last failure was kept.
    pub(super) fn quote_last(&mut self, quoted: Option<String>) {
        if self.failed == self.findings.len() as u64
            && let Some(last) = self.findings.last_mut()
        {
            last.quoted = quoted;
        }
    }

    /// Whether any finding quotes the document.
    pub fn quotes(&self) -> bool {
        self.findings.iter().any(|finding| finding.quoted.is_some())
    }

    /// Replaces quoted texts that repeat a secret.
    pub fn mask(&mut self, is_secret: impl Fn(&str) -> bool) {
        for finding in &mut self.findings {
            if finding.quoted.take().is_some_and(|quoted| is_secret(&quoted)) {
                finding.found = crate::secret::ECHO.to_owned();
            }
        }
    }

    /// Adds a failure.
    pub fn fail(&mut self, place: &str, path: &str, expected: &str, found: &str) {
        self.failed += 1;
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(Finding {
                place: short(place),
                path: short(path),
                expected: short(expected),
                found: short(found),
                quoted: None,
            });
        }
    }
}

impl Finding {
    /// The finding in one line.
    pub fn words(&self) -> String {
        let Finding { place, path, expected, found, .. } = self;
        let place = match (place.as_str(), path.as_str()) {
            ("", _) => String::new(),
            (place, "") => format!("{place}: "),
            (place, path) => format!("{place}: {path}: "),
        };
        format!("{place}expected {expected}, found {found}")
    }
}

/// A text that is not much longer than a line.
fn short(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
