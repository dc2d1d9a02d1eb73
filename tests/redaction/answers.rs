//! The answers of `redact` in the library, with any number of threads.

use std::num::NonZeroUsize;

use plansift::error::Result;
use plansift::input::{Slice, Source};
use plansift::plan::Documents;
use plansift::redact::mask::Masking;
use plansift::redact::{self, redact};
use plansift::secret::{self, EchoOf, collect};

use crate::in_memory::InMemory;
use crate::tried;

/// The echoes to mask. `None` masks only marked values, in one reading.
pub type Echo = Option<EchoOf>;

pub const ECHOES: [Echo; 4] =
    [None, Some(EchoOf::Whole), Some(EchoOf::Part), Some(EchoOf::Encoded)];

pub fn options() -> redact::RedactOptions {
    let read = plansift::plan::PlanOptions::default();
    let secret = secret::SecretOptions { read, echo: EchoOf::Whole, echo_min: 8, names: None };
    redact::RedactOptions { secret, masking: Masking::Text }
}

/// The output of a run, and its result. If the run fails, the output is empty, because its length
/// does not matter then.
pub fn answer<S: Source>(
    open: impl Fn() -> S,
    echo: Echo,
    options: &redact::RedactOptions,
) -> (Vec<u8>, String) {
    let mut options = options.clone();
    let mut out = Vec::new();
    let redacted = || -> Result<_> {
        let collected = match echo {
            None => None,
            Some(of) => {
                options.secret.echo = of;
                Some(collect(|| Ok(open()), &options.secret)?)
            }
        };
        let mut documents = Documents::only(open(), &options.secret.read);
        redact(&mut documents, collected.as_ref(), &options, &mut out)
    }();
    match redacted {
        Ok(redacted) => (out, format!("{redacted:?}")),
        Err(error) => (Vec::new(), format!("{error} {:?}", error.location())),
    }
}

pub fn on_threads(options: &redact::RedactOptions, threads: usize) -> redact::RedactOptions {
    let mut options = options.clone();
    options.secret.read.threads = NonZeroUsize::new(threads);
    options
}

/// Asserts that several threads give the same answer as one thread. Returns the result for each of
/// [`ECHOES`].
pub fn hold_to_one(text: &[u8], options: &redact::RedactOptions, what: &str) -> Vec<String> {
    let mut ends = Vec::new();
    for echo in ECHOES {
        let (bytes, end) = answer(|| Slice(text), echo, options);
        for &threads in tried::thread_counts() {
            let options = on_threads(options, threads);
            let (found, found_end) = answer(|| InMemory::new(text), echo, &options);
            assert_eq!(found_end, end, "{what}, {echo:?}, {threads} threads");
            assert!(found == bytes, "{what}, {echo:?}, {threads} threads: other bytes");
        }
        ends.push(end);
    }
    ends
}

pub fn is_redacted(ends: &[String]) -> bool {
    ends.iter().all(|end| end.starts_with("Redacted"))
}
