//! Which parts of a document lookahead workers write. They see another text, so the output shows
//! their share.

use std::num::NonZeroUsize;

use crate::answers;
use crate::in_memory::InMemory;
use crate::long::{plan, planned_values};
use crate::plan::Documents;
use crate::redact::{RedactOptions, Secrecy, redact};
use crate::secret::collect;
use crate::slim::{SlimOptions, slim};

/// The addresses that the reader sees, and those that the workers see.
const OWN: &str = r#""a.r["#;
const THEIRS: &str = r#""A.R["#;

fn options(threads: usize) -> RedactOptions {
    let mut options = answers::options();
    options.secret.read.threads = NonZeroUsize::new(threads);
    options
}

/// The percentage of the addresses in an output that workers wrote.
fn share(out: Vec<u8>) -> usize {
    let out = String::from_utf8(out).expect("UTF-8");
    let [own, theirs] = [OWN, THEIRS].map(|address| out.matches(address).count());
    assert!(own + theirs > 1000, "{own} and {theirs}");
    100 * theirs / (own + theirs)
}

/// Redacts a text of which workers see another one. `indexed_by` is the number of threads of the
/// first pass over the text of the workers.
fn redacted(text: &str, threads: usize, indexed_by: Option<usize>) -> usize {
    let other = text.replace(OWN, THEIRS);
    let collected = indexed_by.map(|threads| {
        let secret = options(threads).secret;
        collect(|| Ok(InMemory::new(other.as_bytes())), &secret).expect("a plan")
    });
    let source = InMemory::two_faced(text.as_bytes(), other.as_bytes());
    let options = options(threads);
    let mut documents = Documents::only(source, &options.secret.read);
    let mut out = Vec::new();
    redact(&mut documents, collected.as_ref(), &options, &mut out).expect("a plan");
    share(out)
}

#[test]
fn workers_redact_most_of_a_long_plan() {
    let text = plan(&planned_values(1200, 2));
    assert_eq!(redacted(&text, 1, None), 0);
    let share = redacted(&text, 3, None);
    assert!(share > 50, "{share} %");
    // A single thread uses what the first pass found.
    let share = redacted(&text, 1, Some(1));
    assert!(share > 50, "{share} %");
}

/// A plan of many changes. Each has a secret.
fn changes() -> String {
    let note = "nothing to see here ".repeat(20);
    let change = |place| {
        let action = if place % 3 == 0 { "no-op" } else { "update" };
        format!(
            r#"{{"address":"a.r[{place}]","type":"a","name":"r","index":{place},"change":{{
            "actions":["{action}"],"before":{{"note":"{note}","p":"secret {place}"}},
            "after":{{"note":"{note}","p":"secret {place}"}},"after_unknown":{{}},
            "before_sensitive":{{"p":true}},"after_sensitive":{{"p":true}}}}}}"#
        )
    };
    let list: Vec<_> = (0..3000).map(change).collect();
    format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, list.join(","))
}

fn slimmed(text: &str, other: &str, threads: usize, secrecy: Secrecy<'_>) -> Vec<u8> {
    let options = options(threads);
    let source = InMemory::two_faced(text.as_bytes(), other.as_bytes());
    let mut documents = Documents::only(source, &options.secret.read);
    let mut out = Vec::new();
    let slimming = SlimOptions::default();
    slim(&mut documents, &slimming, secrecy, &options, &mut out).expect("a plan");
    out
}

#[test]
fn workers_slim_most_of_the_changes() {
    let text = changes();
    let other = text.replace(OWN, THEIRS);
    assert_eq!(share(slimmed(&text, &other, 1, Secrecy::Unknown)), 0);
    let share = share(slimmed(&text, &other, 3, Secrecy::Unknown));
    assert!(share > 50, "{share} %");
}

/// Workers would mask the secrets.
#[test]
fn secrets_that_may_be_shown_are_shown_on_any_number_of_threads() {
    let text = changes();
    let [one, three] = [1, 3].map(|threads| slimmed(&text, &text, threads, Secrecy::Off));
    assert!(one == three);
    let out = String::from_utf8(one).expect("UTF-8");
    assert_eq!(
        (out.matches("\"p\":\"secret ").count(), out.contains("sensitive value")),
        (4000, false)
    );
}
