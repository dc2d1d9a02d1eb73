//! The result of an assertion.

/// Maximum number of findings that are kept for an assertion. The rest are counted.
pub const FINDINGS_MAX: usize = 20;
/// Longest text of a finding, in characters.
const TEXT_MAX: usize = 400;
/// Longest address that is kept to find a block, in bytes.
const ADDRESS_MAX: usize = 4096;

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
    /// The whole address of the block, such as `output.endpoint` for an output. `None` for the plan
    /// as a whole, and for an address that is too long to keep.
    pub address: Option<String>,
    /// Whether the plan deletes or forgets the object, so that its block may be gone.
    pub is_removed: bool,
    /// The text in `found` that comes from the document.
    quoted: Option<String>,
}

/// The object that a failure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object<'a> {
    /// The address of a resource.
    Resource(&'a str),
    /// The name of an output.
    Output(&'a str),
}

impl Outcome {
    /// Whether the assertion holds.
    pub fn holds(&self) -> bool {
        self.failed == 0
    }

    /// Sets the text that the last finding quotes, if the last failure was kept.
    pub(super) fn quote_last(&mut self, quoted: Option<String>) {
        if let Some(last) = self.last() {
            last.quoted = quoted;
        }
    }

    /// Sets the object that the last failure is about and its actions, if that was kept.
    pub(super) fn locate_last(&mut self, object: Object<'_>, actions: &[String]) {
        let Some(last) = self.last() else { return };
        let has = |word: &str| actions.iter().any(|action| action == word);
        last.is_removed = (has("delete") || has("forget")) && !has("create");
        let (prefix, name) = match object {
            Object::Resource(address) => ("", address),
            Object::Output(name) => ("output.", name),
        };
        last.address = (name.len() <= ADDRESS_MAX).then(|| format!("{prefix}{name}"));
    }

    /// The last failure, if it was kept.
    fn last(&mut self) -> Option<&mut Finding> {
        let is_kept = self.failed == self.findings.len() as u64;
        self.findings.last_mut().filter(|_| is_kept)
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
                address: None,
                is_removed: false,
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
