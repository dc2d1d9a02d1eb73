//! The records of the assertions that a plan fails.

use std::borrow::Cow;

use super::list::Assertions;
use super::outcome::{Finding, Outcome};
use plansift_plan::record::{self, FailedAssertion};

impl Assertions {
    /// Returns the records of the assertions that fail. `outcomes` has the outcome of each
    /// assertion, in order.
    pub fn failed(&self, outcomes: Vec<Outcome>) -> Vec<FailedAssertion<'_>> {
        let all = self.list().iter().zip(outcomes).enumerate();
        let failing = all.filter(|(_, (_, outcome))| !outcome.holds());
        failing
            .map(|(index, (assertion, outcome))| FailedAssertion {
                index,
                name: Cow::Borrowed(&assertion.name),
                file: Cow::Borrowed(&assertion.file),
                line: assertion.line as u64,
                severity: Cow::Borrowed(assertion.severity.word()),
                message: assertion.message.as_deref().map(Cow::Borrowed),
                failed: outcome.failed,
                findings: outcome.findings.into_iter().map(record::Finding::from).collect(),
            })
            .collect()
    }
}

impl From<Finding> for record::Finding {
    fn from(finding: Finding) -> record::Finding {
        let Finding { place, path, expected, found, .. } = finding;
        record::Finding { place, path, expected, found }
    }
}
