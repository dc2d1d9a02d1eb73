//! What was wrong once. Each test failed before its cause was removed.

use plansift::error::ErrorKind;
use plansift::input::Slice;
use plansift::record::Options;

use crate::run;

/// A record with a key twice is no JSON that readers agree on.
#[test]
fn importing_with_a_key_twice_is_refused() {
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"a.b","change":
        {"actions":["create"],"importing":{"id":"a","id":"b"}}}]}"#;
    let error = run::error(Slice(plan.as_bytes()), &Options::default());
    assert_eq!(error.kind(), ErrorKind::DuplicateKey);
}

/// A string outlined on its own, whose opening quote was the last byte of a block of 64, was taken
/// to begin in the next block.
#[test]
fn a_string_may_begin_anywhere_in_a_block() {
    for space in 0..130 {
        let space = " ".repeat(space);
        let plan = format!(r#"{{{space}"format_version":"\u0031.2","resource_changes":[]}}"#);
        let (records, _) = run::records(Slice(plan.as_bytes()), &Options::default())
            .unwrap_or_else(|error| panic!("{} spaces: {error}", space.len()));
        assert_eq!(records[0]["format_version"], "1.2");
    }
}
