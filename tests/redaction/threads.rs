//! `redact` gives the same document, counts and error with any number of threads, for generated
//! plans and in the program. `crates/redact/tests/oracle/threads.rs` has the tests of the library.
//!
//! The documents are long enough for lookahead. The reference is one thread.

use plansift::redact;
use plansift::redact::mask::Masking;
use plansift::secret::Names;

use super::answers::{hold_to_one, is_redacted, options};
use super::long::{SIZE, plan, planned_values};
use crate::generated::generated;
use crate::run;

#[test]
fn redaction_does_not_depend_on_threads_for_any_plan_shape() {
    let folder = tempfile::tempdir().expect("a folder");
    for shape in ["estate", "busy", "first-run"] {
        for layout in [&[][..], &["--indent", "--sort-keys"]] {
            let (plan, _) = generated(folder.path(), shape, layout, SIZE);
            let ends = hold_to_one(&plan, &options(), &format!("{shape} {layout:?}"));
            assert!(is_redacted(&ends), "{ends:?}");
        }
    }
}

#[test]
fn redaction_does_not_depend_on_threads_for_any_masking() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan, _) = generated(folder.path(), "estate", &["--seed", "11"], SIZE);
    let key = redact::mask::Key::of(&[7; 32]).expect("a key");
    let names: Names = "^(ami|owner)$".parse().expect("an expression");
    for masking in [Masking::Null, Masking::Digest(key)] {
        for names in [None, Some(&names)] {
            let mut options = options();
            (options.masking, options.secret.names) = (masking.clone(), names.cloned());
            let ends = hold_to_one(&plan, &options, "masks and names");
            assert!(is_redacted(&ends), "{ends:?}");
        }
    }
}

/// If a source ends early, results of workers beyond its end do not count.
#[test]
fn a_limit_on_documents_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    std::fs::write(&path, plan(&planned_values(2000, 3))).expect("room");
    let said = |threads| {
        let args = ["redact", "--echo", "off", "--limit-document", "3M", "--threads", threads];
        let output = run::plansift().args(args).arg(&path).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(said("1").contains("--limit-document"), "{}", said("1"));
    assert_eq!(said("3"), said("1"));
}
