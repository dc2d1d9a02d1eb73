//! Rewrites all documents of an input, one after the other.

use plansift::error::Result;
use plansift::input::Source;
use plansift::plan::{Accepts, Documents, NextDocument};
use plansift::redact::Counts;
use plansift::secret::{Collected, Collecting, SecretOptions};

use super::failure::{Failure, failure};

/// The output, what was masked in each document, and the errors.
#[derive(Debug, Default)]
pub struct Whole {
    pub written: Vec<u8>,
    pub counts: Vec<Counts>,
    pub errors: Vec<Failure>,
}

impl Whole {
    /// Whether two results agree. If a document is malformed, one result may contain more of its
    /// output.
    pub fn agrees(&self, other: &Whole) -> bool {
        let is_same = match self.errors.is_empty() {
            true => self.written == other.written,
            false => {
                self.written.starts_with(&other.written) || other.written.starts_with(&self.written)
            }
        };
        is_same && self.counts == other.counts && self.errors == other.errors
    }

    /// Asserts that this is the result of rewriting `other` once more, which changes nothing.
    pub fn assert_repeats(&self, other: &Whole, how: &str) {
        let [mine, others] = [self, other].map(|it| String::from_utf8_lossy(&it.written));
        assert_eq!(mine, others, "{how}");
        assert_eq!(self.errors, other.errors, "{how}");
    }
}

/// Passes each document to `write`, as the commands do, with its secrets if `twice` asks for a
/// first pass.
pub fn documents<S: Source>(
    mut open: impl FnMut() -> S,
    twice: Option<Accepts>,
    options: &SecretOptions,
    mut write: impl FnMut(&mut Documents<S>, Option<&Collected>, &mut Vec<u8>) -> Result<Counts>,
) -> Whole {
    let mut whole = Whole::default();
    let mut documents = Documents::new(open(), &options.read);
    let mut collecting = twice.map(|accepts| {
        let collecting = Collecting::new(|| Ok(open()), accepts);
        if accepts == Accepts::States { collecting.for_redaction() } else { collecting }
    });
    loop {
        let collected = collecting
            .as_mut()
            .map(|it| it.collect_before(&mut documents, options, None))
            .transpose();
        let is_torn = match collected.as_ref().map(Option::as_ref) {
            Ok(collected) => match write(&mut documents, collected, &mut whole.written) {
                Ok(counts) => {
                    whole.counts.push(counts);
                    false
                }
                Err(error) => {
                    whole.errors.push(failure(&error));
                    true
                }
            },
            Err(error) => {
                whole.errors.push(failure(error));
                false
            }
        };
        if is_torn || !matches!(documents.find_next(), NextDocument::Document(_)) {
            return whole;
        }
    }
}
