//! Records without paths: the records with paths minus the paths, and nothing that only paths need.

use std::num::NonZeroUsize;

use plansift::input::{Slice, Source};
use plansift::json::Validation;
use plansift::record::{Extent, RecordOptions, Show};
use serde_json::Value;

use crate::corpus::{cases, open};
use crate::generated::generated;
use crate::{run, shared_plans};

/// Keys that a record without paths omits.
const PATHS: [&str; 9] = [
    "changed",
    "unknown",
    "sensitive",
    "sensitive_added",
    "sensitive_removed",
    "replace_paths",
    "unknown_paths",
    "sensitive_paths",
    "changed_paths",
];

/// Compares the records without paths with the full records. Returns the number of omitted keys.
fn compare<S: Source>(open: impl Fn() -> S, what: &str) -> usize {
    let mut taken = 0;
    for show in [Show::Changes, Show::All] {
        let options = RecordOptions { show, ..RecordOptions::default() };
        let (mut expected, with) = run::records(open(), &options).expect("a plan");
        for record in &mut expected {
            let record = record.as_object_mut().expect("a record is an object");
            taken += PATHS.iter().filter(|key| record.remove(**key).is_some()).count();
        }
        let options = RecordOptions { extent: Extent::Actions, ..options };
        let (found, without) = run::records(open(), &options).expect("a plan");
        assert_eq!(found, expected, "{what}");
        assert_eq!(without.has_changes, with.has_changes, "{what}");
        assert_eq!(without.warnings, with.warnings, "{what}");
    }
    taken
}

#[test]
fn omitting_paths_keeps_all_other_keys() {
    let corpus = cases().into_iter().map(|case| case.plan);
    let shared = shared_plans::plans().into_iter().map(|(_, path)| path);
    let mut taken = 0;
    for path in corpus.chain(shared) {
        taken += compare(|| open(&path).expect("a file"), &path.display().to_string());
    }
    assert!(taken > 300, "{taken} keys were taken out");
}

#[test]
fn omitting_paths_keeps_all_other_keys_of_long_plans() {
    let folder = tempfile::tempdir().expect("a folder");
    for shape in ["estate", "busy", "first-run", "policy"] {
        for layout in [&["--many-marks"][..], &["--indent", "--sort-keys"]] {
            let (plan, _) = generated(folder.path(), shape, layout, 2 << 20);
            assert!(compare(|| Slice(&plan), shape) > 100);
        }
    }
}

/// With `--check structure`, values are skipped, whatever they contain, on any number of threads.
#[test]
fn values_are_skipped() {
    let change = r#"{"actions":["update"],"before":{"k":1,"k":2},"after":{"k":01},
        "after_unknown":{"k":nonsense},"before_sensitive":{"k":tru},"replace_paths":[01]}"#;
    let plan = format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","change":{change}}}]}}"#
    );
    let mut options = RecordOptions::default();
    options.read.validation = Validation::Structure;
    assert!(run::records(Slice(plan.as_bytes()), &options).is_err());
    options.extent = Extent::Actions;
    let (records, outcome) = run::records(Slice(plan.as_bytes()), &options).expect("a plan");
    assert_eq!(records[1]["action"], "update");
    assert_eq!((records.len(), outcome.summary.paths), (3, None));
    options.read.validation = Validation::Grammar;
    options.read.threads = NonZeroUsize::new(2);
    assert!(run::records(Slice(plan.as_bytes()), &options).is_err());
}

/// A sensitive import id is masked, so its marks are read even without paths.
#[test]
fn a_damaged_mark_on_an_import_is_an_error_without_paths_too() {
    for marks in [r#"{"id":tru}"#, r#"{"id":true,"id":[true]}"#] {
        let change = format!(
            r#"{{"actions":["no-op"],"before":{{"id":"s3cret"}},"after":{{"id":"s3cret"}},
            "before_sensitive":{{}},"after_sensitive":{marks},"importing":{{"id":"s3cret"}}}}"#
        );
        let element = format!(r#"{{"address":"a.b","change":{change}}}"#);
        let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{element}]}}"#);
        for extent in [Extent::Paths, Extent::Actions] {
            let options = RecordOptions { extent, ..RecordOptions::default() };
            run::error(Slice(plan.as_bytes()), &options);
        }
    }
}

#[test]
fn no_paths_omits_the_paths_of_records() {
    let case = cases().into_iter().find(|case| case.folder.ends_with("update")).expect("a plan");
    let run = |args: &[&str]| {
        run::plansift().arg("changes").args(args).arg(&case.plan).output().expect("it starts")
    };
    for format in ["ndjson", "json", "csv"] {
        let output = run(&["--no-paths", "--format", format]);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let with = run(&["--format", format]);
        assert!(output.stdout.len() < with.stdout.len(), "{format}");
    }
    let output = run(&["--no-paths"]);
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let record: Value = serde_json::from_slice(line).expect("a record");
        assert!(PATHS.iter().all(|key| record.get(key).is_none()), "{record}");
    }
    // A rule must not pass because the paths were not computed.
    let output = run(&["--no-paths", "--fail-on", "update", "--fail-on", "changed-path:tags"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(64), 0));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("--no-paths leaves out the paths that the rule 'changed-path:tags' counts"),
        "{said}"
    );
    assert_eq!(run(&["--no-paths", "--fail-on", "update"]).status.code(), Some(3));
}
