//! The result of an assertion.

/// Maximum number of findings that are kept for an assertion. The rest are counted.
pub const FINDINGS_MAX: usize = 20;
/// Longest text of a finding, in characters.
const TEXT_MAX: usize = 400;
/// Longest address that is kept in a finding, in bytes.
const ADDRESS_MAX: usize = 4096;

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

    /// Sets the block address of the last failure, and whether its object is removed, if that
    /// failure was kept.
    pub(super) fn locate_last(&mut self, address: &str, actions: &[String]) {
        let Some(last) = self.last() else { return };
        let has = |word: &str| actions.iter().any(|action| action == word);
        last.is_removed = (has("delete") || has("forget")) && !has("create");
        last.address = (address.len() <= ADDRESS_MAX).then(|| address.to_owned());
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

    /// Replaces `found` with `mask` in each finding that quotes a secret.
    pub fn mask(&mut self, mask: &str, is_secret: impl Fn(&str) -> bool) {
        for finding in &mut self.findings {
            if finding.quoted.take().is_some_and(|quoted| is_secret(&quoted)) {
                mask.clone_into(&mut finding.found);
            }
        }
    }

    /// Adds the outcome for the next part of the document.
    pub(super) fn append(&mut self, other: &mut Outcome) {
        self.asked += std::mem::take(&mut other.asked);
        self.failed += std::mem::take(&mut other.failed);
        let room = FINDINGS_MAX - self.findings.len();
        self.findings.extend(other.findings.drain(..).take(room));
    }

    /// Adds a failure. Calls `texts` only if the failure is kept.
    pub(super) fn fail_with(&mut self, texts: impl FnOnce() -> [String; 4]) {
        self.failed += 1;
        if self.findings.len() < FINDINGS_MAX {
            let [place, path, expected, found] = texts().map(|text| short(&text));
            let finding = Finding { place, path, expected, found, ..Finding::default() };
            self.findings.push(finding);
        }
    }

    /// Adds a failure.
    pub fn fail(&mut self, place: &str, path: &str, expected: &str, found: &str) {
        self.fail_with(|| [place, path, expected, found].map(str::to_owned));
    }
}

impl Finding {
    /// The memory of the finding, in bytes.
    pub(super) fn size(&self) -> u64 {
        let Finding { place, path, expected, found, address, quoted, .. } = self;
        let others = [address, quoted].into_iter().flatten().map(String::len).sum::<usize>();
        let texts = place.len() + path.len() + expected.len() + found.len() + others;
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
