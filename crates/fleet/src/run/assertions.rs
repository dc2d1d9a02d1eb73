//! Assertions to check against plans, and masking of the secrets in their failures.

use plansift_check::assertion::{Assertions, Finding, Outcome, Quote, Quoted};
use plansift_core::nearest::did_you_mean;
use plansift_core::path::is_attribute_name;
use plansift_core::path::{AttributePath, AttributeStep};
use plansift_plan::marks::{ECHO, MASK};
use plansift_redact::secret::{self, Collected};
use plansift_report::view::{Detail, Quotes, ViewSettings};

/// Assertions to check against each plan, and which values of the plans are secret.
#[derive(Debug)]
pub struct AssertionSettings {
    /// The assertions.
    pub assertions: Assertions,
    /// Which values are secret.
    pub secrets: secret::SecretOptions,
}

/// Replaces a value or a key that may be secret if the plan cannot be read again to collect its
/// secrets.
const UNCHECKED: &str = "(not shown, because the input cannot be read twice)";

/// The secrets of a plan, and the options that they were collected with.
type Known<'k> = (&'k Collected, &'k secret::SecretOptions);

/// Shows what outcomes quote from a plan, with secrets masked as in reports. If the secrets are not
/// known, shows only the names of attributes.
pub fn mask(outcomes: &mut [Outcome], known: Option<Known<'_>>) {
    let mut quotes = known.map(|(collected, options)| {
        Quotes::new(ViewSettings { collected, options, detail: Detail::Excerpts })
    });
    for finding in outcomes.iter_mut().flat_map(|outcome| &mut outcome.findings) {
        if let Some(quoted) = finding.take_quoted() {
            show(finding, quoted, quotes.as_mut());
        }
    }
}

fn show(finding: &mut Finding, quoted: Quoted, mut quotes: Option<&mut Quotes<'_>>) {
    let depth = quotes.as_ref().and_then(|quotes| secret_depth(finding, &quoted, quotes));
    let hides_key = |key: &str| match &quotes {
        Some(quotes) => quotes.hides_key(key),
        None => !is_attribute_name(key.as_bytes()),
    };
    let path = quoted.is_matched.then(|| {
        let mask = if quotes.is_some() { ECHO } else { UNCHECKED };
        let steps = quoted.steps.iter().take(depth.unwrap_or(usize::MAX));
        let path: AttributePath = steps
            .map(|step| match step {
                AttributeStep::Key(key) if hides_key(key) => AttributeStep::Key(mask.to_owned()),
                step => step.clone(),
            })
            .collect();
        let more = if quoted.is_cut && depth.is_none() { "..." } else { "" };
        format!("{path}{more}")
    });
    let found = match quoted.found {
        None => None,
        Some(Quote::Near(key)) => {
            let repeats = quotes.as_ref().is_some_and(|quotes| quotes.hides_text(&key));
            let is_hidden = depth.is_some() || quoted.is_cut || repeats || hides_key(&key);
            (!is_hidden).then(|| format!("nothing{}", did_you_mean(Some(&key))))
        }
        Some(_) if depth.is_some() => Some(MASK.to_owned()),
        Some(_) if quoted.is_cut => None,
        Some(Quote::Number(number)) => {
            Some(quotes.map_or(UNCHECKED.to_owned(), |quotes| quotes.number(number)))
        }
        Some(Quote::Text { text, is_number }) => {
            let shown = quotes.as_mut().map_or(UNCHECKED.to_owned(), |quotes| quotes.string(text));
            Some(shown + if is_number { " (a text, not a number)" } else { "" })
        }
    };
    finding.show(path.as_deref(), found.as_deref());
}

/// Returns the number of steps to the outermost value around a finding that is secret without a
/// mark of its own change: by the declaration of an output, by a name, or by a mark in another
/// section.
fn secret_depth(finding: &Finding, quoted: &Quoted, quotes: &Quotes<'_>) -> Option<usize> {
    let address = finding.address.as_deref().unwrap_or_default();
    let is_hidden = address.strip_prefix("output.").is_some_and(|name| quotes.hides_output(name));
    let whole = is_hidden.then_some(0);
    let steps = || quoted.steps.iter().map(AttributeStep::borrowed);
    let named = quotes.named_depth(steps());
    let is_deferred = quoted.is_deferred;
    let marked = is_deferred.then(|| quotes.marked_depth(address, steps())).flatten();
    [whole, named, marked].into_iter().flatten().min()
}
