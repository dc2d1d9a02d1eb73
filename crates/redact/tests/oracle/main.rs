//! Compares the redaction of the library with the oracle in `tests/redaction`, and runs the checks
//! of the fuzz targets that need only this crate. The tests of the program do the same with the
//! program. They need all crates, so `scripts/mutants` runs these.

// The oracle and the checks name the library by the name of the whole.
extern crate self as plansift;

pub use plansift_core::{error, input, json, limits, path, scan};
pub use plansift_plan::{plan, record, sink};
pub use plansift_redact::{audit, redact, secret, slim};

#[path = "../../../../tests/redaction/agree.rs"]
mod agree;
#[path = "../../../../tests/redaction/answers.rs"]
mod answers;
mod checks;
mod counts;
#[path = "../../../../tests/redaction/decisions.rs"]
mod decisions;
mod documents;
#[path = "../../../../tests/redaction/elsewhere.rs"]
mod elsewhere;
#[path = "../../../../tests/in_memory.rs"]
mod in_memory;
#[path = "../../../../tests/library.rs"]
mod library;
#[path = "../../../../tests/redaction/long.rs"]
mod long;
#[path = "../../../../tests/redaction/marks.rs"]
mod marks;
mod masks;
#[path = "../../../../tests/redaction/model.rs"]
#[allow(dead_code, reason = "the tests of the program use more of it")]
mod model;
#[path = "../../../../tests/naive.rs"]
#[allow(dead_code, reason = "the tests of the program use more of it")]
mod naive;
#[path = "../../../../tests/redaction/properties.rs"]
mod properties;
mod random;
#[path = "../../../../tests/redaction/sections.rs"]
mod sections;
mod slim_plans;
#[path = "../../../../tests/redaction/texts.rs"]
mod texts;
mod threads;
#[path = "../../../../tests/redaction/tree.rs"]
mod tree;
#[path = "../../../../tests/tried.rs"]
#[allow(dead_code, reason = "the tests of the program use more of it")]
mod tried;
mod workers;

use std::fs;
use std::path::Path;

use input::Slice;
use model::Options;
use plan::Documents;
use properties::{ECHOES, arguments, other_records};
use proptest::prelude::*;
use redact::RedactOptions;
use redact::mask::{Key, Masking};
use secret::{EchoOf, collect};

/// The output of `redact` for a text, or its error. The arguments are those of the program.
fn redact(args: &[&str], text: &[u8]) -> Result<String, String> {
    let RedactOptions { mut secret, mut masking } = answers::options();
    let mut is_twice = true;
    for pair in args.chunks(2) {
        match *pair {
            ["--echo", "off"] => is_twice = false,
            ["--echo", "equal"] => secret.echo = EchoOf::Whole,
            ["--echo", "contains"] => secret.echo = EchoOf::Part,
            ["--echo-min", min] => secret.echo_min = min.parse().expect("a number"),
            ["--also-names", names] => secret.names = Some(names.parse().expect("a pattern")),
            ["--mask", "null"] => masking = Masking::Null,
            ["--mask", "hash"] => {}
            ["--key-file", file] => {
                masking = Masking::Digest(Key::of(&fs::read(file).expect("a key")).expect("a key"));
            }
            _ => panic!("{pair:?}"),
        }
    }
    let options = RedactOptions { secret, masking };
    let mut out = Vec::new();
    let mut run = || -> error::Result<()> {
        let open = || Ok(Slice(text));
        let collected = is_twice.then(|| collect(open, &options.secret)).transpose()?;
        let mut documents = Documents::only(Slice(text), &options.secret.read);
        redact::redact(&mut documents, collected.as_ref(), &options, &mut out).map(drop)
    };
    run().map_err(|error| error.to_string())?;
    String::from_utf8(out).map_err(|error| error.to_string())
}

fn broken(text: &str, options: Options) -> Option<String> {
    let args = arguments(options);
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    properties::broken(text, options, |text| redact(&args, text.as_bytes()))
}

/// The documents in a folder of the corpus, without those that are compressed or encoded otherwise.
fn corpus(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let document = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let path = if path.is_dir() { path.join("plan.json") } else { path };
        let text = fs::read_to_string(&path).ok()?;
        serde_json::from_str::<serde_json::Value>(&text).ok()?;
        Some((path.display().to_string(), text))
    };
    fs::read_dir(&folder).expect("the corpus").filter_map(document).collect()
}

#[test]
fn the_corpus_is_redacted_as_the_oracle_does_it() {
    let mut failures = Vec::new();
    let mut compared = 0;
    for (name, text) in ["plans", "states"].into_iter().flat_map(corpus) {
        if tree::parse(&text).has_duplicate_keys() {
            continue;
        }
        compared += 1;
        for echo in ECHOES {
            if let Some(broken) = broken(&text, Options { echo, ..Options::default() }) {
                failures.push(format!("{name}, {echo:?}: {broken}"));
            }
        }
    }
    assert!(compared >= 70, "only {compared}");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Workers redact a part of these documents.
#[test]
fn long_documents_pass_the_checks() {
    let plan = long::plan(&long::planned_values(200, 3));
    checks::redact::check(plan.as_bytes());
    checks::slim::check(plan.as_bytes());
}

/// A plan with an element that is malformed after one that is not.
const DAMAGED: &str = r#"{"format_version":"1.2","resource_changes":[{"address":"a.b","change":
    {"actions":["create"],"before":null,"after":{"p":"secret-one"},"after_sensitive":{"p":true}}},
    {"address":"a.c","change":{"actions":["create"],"before":null,"after":{"p":}}}]}"#;

#[test]
fn the_output_of_one_pass_ends_before_a_malformed_element() {
    let options = answers::options();
    let mut out = Vec::new();
    let mut documents = Documents::only(Slice(DAMAGED.as_bytes()), &options.secret.read);
    redact::redact(&mut documents, None, &options, &mut out).expect_err("a malformed element");
    let end = DAMAGED.find(r#"{"address":"a.c""#).expect("the second element");
    let expected = DAMAGED[..end].replace("\"secret-one\"", "\"(sensitive value)\"");
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(expected.starts_with(&out), "{out}");
    assert_eq!(out.trim_end_matches([',', ' ', '\n']), expected.trim_end_matches([',', ' ', '\n']));
}

/// After a failed write, the rest of the output would begin in the wrong place.
#[test]
fn nothing_is_written_after_a_failed_write() {
    struct Full(u64);
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            self.0 += 1;
            Err(std::io::Error::other("full"))
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let plan = long::plan(&long::planned_values(1000, 3));
    let (mut full, options) = (Full(0), answers::options());
    let mut documents = Documents::only(Slice(plan.as_bytes()), &options.secret.read);
    let error = redact::redact(&mut documents, None, &options, &mut full).expect_err("no room");
    // The buffer in front of the output tries once more to write the same bytes when it is dropped.
    assert_eq!((error.kind(), full.0), (error::ErrorKind::Write, 2));
}

proptest! {
    #![proptest_config(tried::property(200))]

    #[test]
    fn any_plan_is_redacted_as_the_oracle_does_it(
        text in random::plan(random::Overlays::Any),
        echo in prop::sample::select(&ECHOES[..]),
        echo_min in prop::sample::select(&[1, 8][..]),
    ) {
        prop_assert_eq!(broken(&text, Options { echo, echo_min }), None, "{}", text);
    }

    #[test]
    fn any_state_is_redacted_as_the_oracle_does_it(
        text in random::state(random::Overlays::Any),
        echo in prop::sample::select(&ECHOES[..]),
    ) {
        let options = Options { echo, ..Options::default() };
        prop_assert_eq!(broken(&text, options), None, "{}", text);
    }

    #[test]
    fn a_plan_whose_overlays_fit_keeps_its_records(
        text in random::plan(random::Overlays::Fitting),
    ) {
        let redacted = redact(&[], text.as_bytes()).expect("a plan");
        let oracle = model::redaction(&text, Options::default());
        // Records omit a path that contains a secret key.
        if !oracle.edits.iter().any(|edit| matches!(edit.put, model::Put::Key(_))) {
            prop_assert_eq!(other_records(&text, &redacted), None, "{}", text);
        }
    }
}

proptest! {
    #![proptest_config(tried::property(50))]

    #[test]
    fn random_plans_pass_the_checks(text in random::plan(random::Overlays::Any)) {
        checks::redact::check(text.as_bytes());
        checks::slim::check(text.as_bytes());
        checks::audit::check(text.as_bytes());
    }
}
