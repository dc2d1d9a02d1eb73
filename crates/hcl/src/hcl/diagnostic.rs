//! Diagnostics of a source file, with the messages of HCL.

use super::position::Range;
use plansift_cty::quote;

/// Maximum number of diagnostics for a file. A broken file can have one for each of its bytes.
pub const DIAGNOSTICS_MAX: usize = 1000;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Terraform and OpenTofu reject the file.
    Error,
    /// Terraform and OpenTofu accept the file.
    Warning,
}

impl Severity {
    /// Returns the severity as in HCL's output.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A fault, its explanation and its range. The detail can name properties but quotes no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether Terraform and OpenTofu reject the file.
    pub severity: Severity,
    /// The fault in a few words.
    pub summary: &'static str,
    /// The fault in a sentence.
    pub detail: String,
    /// The range of the fault.
    pub range: Range,
    /// A larger range to show around the fault.
    pub context: Option<Range>,
}

impl Diagnostic {
    /// Returns an error without a context.
    pub fn error(summary: &'static str, detail: impl Into<String>, range: Range) -> Diagnostic {
        let detail = detail.into();
        Diagnostic { severity: Severity::Error, summary, detail, range, context: None }
    }

    /// Adds a context to the diagnostic.
    pub fn within(self, context: Range) -> Diagnostic {
        Diagnostic { context: Some(context), ..self }
    }
}

/// Diagnostics, up to [`DIAGNOSTICS_MAX`].
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds a diagnostic, unless the list is full.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if !self.is_full() {
            self.list.push(diagnostic);
        }
    }

    /// Adds an error without a context.
    pub fn error(&mut self, summary: &'static str, detail: impl Into<String>, range: Range) {
        self.push(Diagnostic::error(summary, detail, range));
    }

    /// True if further diagnostics are dropped.
    pub fn is_full(&self) -> bool {
        self.list.len() >= DIAGNOSTICS_MAX
    }

    /// Returns the diagnostics in the order in which HCL finds them.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// True if the list has no diagnostic.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Returns the first known name that is less than three edits away from `name`.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().find(|known| edits(name, known) < 3)
}

/// Returns a sentence that suggests a name, or an empty string.
pub fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" Did you mean {}?", quote(name)))
}

/// Returns the edit distance of the first 64 characters of two names, but at most three.
fn edits(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) =
        (left.chars().take(64).collect(), right.chars().take(64).collect());
    if left.len().abs_diff(right.len()) >= 3 {
        return 3;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, from) in left.iter().enumerate() {
        let mut corner = at;
        let mut before = at + 1;
        let mut next = vec![before];
        for (to, above) in right.iter().zip(row.iter().skip(1)) {
            let replaced = corner + usize::from(from != to);
            before = replaced.min(before + 1).min(above + 1);
            corner = *above;
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default().min(3)
}
