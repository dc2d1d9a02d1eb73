//! The result of an assertion.

use plansift_core::path::AttributeStep;

/// Maximum number of findings that are kept for an assertion. The rest are counted.
pub const FINDINGS_MAX: usize = 20;
/// Longest text of a finding, in characters.
const TEXT_MAX: usize = 400;
/// Longest address that is kept in a finding, in bytes.
const ADDRESS_MAX: usize = 4096;
/// Longest path that is kept in a finding, in bytes of its steps.
const PATH_MAX: usize = 16 << 10;

/// The result of an assertion for one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The number of resources or outputs on which the assertion was checked.
    pub asked: u64,
    /// The number of failures.
    pub failed: u64,
    /// The first failures.
    pub findings: Vec<Finding>,
    /// Whether the assertion is optional and covers nothing in the document.
    pub is_skipped: bool,
}

/// Where an assertion fails, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// The address or the output; empty for the plan as a whole.
    pub place: String,
    /// The path in its value; empty for the root. Until [`Finding::show`] is called, the path has
    /// the wildcards of the assertion.
    pub path: String,
    /// The expectation, in words.
    pub expected: String,
    /// The value or action in the plan. Until [`Finding::show`] is called, only the type of a value
    /// that may be secret.
    pub found: String,
    /// The whole address of the block, such as `output.endpoint` for an output. `None` for the plan
    /// as a whole, and for an address that is too long to keep.
    pub address: Option<String>,
    /// Whether the plan deletes or forgets the object, so that its block may be gone.
    pub is_removed: bool,
    quoted: Option<Box<Quoted>>,
}

/// The parts of a finding that quote the document. They may be secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quoted {
    /// The steps to the value.
    pub steps: Vec<AttributeStep>,
    /// Whether wildcards matched the path. Otherwise the user wrote it.
    pub is_matched: bool,
    /// Whether the path is longer than `steps`.
    pub is_cut: bool,
    /// Whether the value is in a deferred change, which marks in other sections may cover.
    pub is_deferred: bool,
    /// The quote in `found`.
    pub found: Option<Quote>,
}

/// A text that comes from the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quote {
    /// A string. `is_number` says whether it spells a number that the assertion compares with a
    /// number.
    Text {
        /// The decoded string.
        text: String,
        /// Whether the assertion expects a number like this.
        is_number: bool,
    },
    /// A number, as it is spelled.
    Number(String),
    /// A key that is similar to a key that the document lacks.
    Near(String),
}

impl Quoted {
    /// The quotes in a finding at a path.
    pub(super) fn new(steps: &[AttributeStep], is_matched: bool, found: Option<Quote>) -> Quoted {
        let mut room = PATH_MAX;
        let fits = |step: &&AttributeStep| {
            let rest = room.checked_sub(step.size());
            room = rest.unwrap_or_default();
            rest.is_some()
        };
        let kept: Vec<AttributeStep> = steps.iter().take_while(fits).cloned().collect();
        let is_cut = kept.len() < steps.len();
        Quoted { steps: kept, is_matched, is_cut, is_deferred: false, found }
    }

    fn size(&self) -> usize {
        let found = self.found.as_ref().map_or(0, |quote| match quote {
            Quote::Text { text, .. } | Quote::Number(text) | Quote::Near(text) => text.len(),
        });
        let steps = self.steps.iter().map(AttributeStep::size);
        size_of::<Quoted>() + steps.sum::<usize>() + found
    }
}

impl Outcome {
    /// Whether the assertion holds.
    pub fn holds(&self) -> bool {
        self.failed == 0
    }

    /// Whether any finding quotes the document.
    pub fn quotes(&self) -> bool {
        self.findings.iter().any(|finding| finding.quoted.is_some())
    }

    /// Adds the outcome for the next part of the document.
    pub(super) fn append(&mut self, other: &mut Outcome) {
        self.asked += std::mem::take(&mut other.asked);
        self.failed += std::mem::take(&mut other.failed);
        let room = FINDINGS_MAX - self.findings.len();
        self.findings.extend(other.findings.drain(..).take(room));
    }

    /// Counts a failure. Returns whether there is room for its finding.
    pub(super) fn count_failure(&mut self) -> bool {
        self.failed += 1;
        self.findings.len() < FINDINGS_MAX
    }

    /// Adds a failure. Calls `finding` only if the failure is kept.
    pub(super) fn fail_with(&mut self, finding: impl FnOnce() -> Finding) {
        if self.count_failure() {
            self.findings.push(finding());
        }
    }

    /// Adds a failure.
    pub fn fail(&mut self, place: &str, path: &str, expected: &str, found: &str) {
        self.fail_with(|| Finding::new(place, path, expected, found));
    }
}

impl Finding {
    pub(super) fn new(place: &str, path: &str, expected: &str, found: &str) -> Finding {
        let [place, path, expected, found] = [place, path, expected, found].map(short);
        Finding { place, path, expected, found, ..Finding::default() }
    }

    /// Sets the address of the block, and whether the object is removed.
    pub(super) fn locate(&mut self, address: &str, actions: &[String]) {
        let has = |word: &str| actions.iter().any(|action| action == word);
        self.is_removed = (has("delete") || has("forget")) && !has("create");
        self.address = (address.len() <= ADDRESS_MAX).then(|| address.to_owned());
    }

    /// Sets the parts that quote the document, if there are any.
    pub(super) fn quote(&mut self, quoted: Quoted) {
        let is_quoting = quoted.is_matched || quoted.found.is_some();
        self.quoted = is_quoting.then(|| Box::new(quoted));
    }

    /// Takes the parts that quote the document.
    pub fn take_quoted(&mut self) -> Option<Quoted> {
        self.quoted.take().map(|quoted| *quoted)
    }

    /// Shows the path and the text that quote the document, after their secrets are masked.
    pub fn show(&mut self, path: Option<&str>, found: Option<&str>) {
        if let Some(path) = path {
            self.path = short(path);
        }
        if let Some(found) = found {
            self.found = short(found);
        }
    }

    /// The memory of the finding, in bytes.
    pub(super) fn size(&self) -> u64 {
        let Finding { place, path, expected, found, address, quoted, .. } = self;
        let address = address.as_ref().map_or(0, String::len);
        let quoted = quoted.as_ref().map_or(0, |quoted| quoted.size());
        let texts = place.len() + path.len() + expected.len() + found.len() + address + quoted;
        (size_of::<Finding>() + texts) as u64
    }
}

/// Shortens a text to [`TEXT_MAX`] characters.
fn short(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
