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
