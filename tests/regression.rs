//! What was wrong once. Each test failed before its cause was removed.

use std::fs;

use plansift::error::ErrorKind;
use plansift::input::Slice;
use plansift::limits::{Limit, Limits};
use plansift::plan;
use plansift::record::Options;
use serde_json::Value;

use crate::run;

/// A plan with one change, whose `change` has these members.
fn plan_of(members: &str) -> String {
    let change = format!(r#"{{"address":"a.b","change":{{{members}}}}}"#);
    format!(r#"{{"format_version":"1.2","resource_changes":[{change}]}}"#)
}

/// The record of that change.
fn record_of(members: &str, options: &Options) -> Value {
    let (records, _) = run::records(Slice(plan_of(members).as_bytes()), options).expect("a plan");
    records[1].clone()
}

fn error_of(members: &str, options: &Options) -> ErrorKind {
    run::error(Slice(plan_of(members).as_bytes()), options).kind()
}

fn limited(limits: Limits) -> Options {
    Options { read: plan::Options { limits, ..Default::default() }, ..Default::default() }
}

/// `report` reads a plan for its secrets first. What that reading refuses, the run refuses.
#[test]
fn a_report_refuses_what_its_first_reading_refuses() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let members = r#""actions":["create"],"before":null,"after":{"a":"secret-1","b":"secret-2"},
        "after_sensitive":{"a":true,"b":true}"#;
    let (plan, page) = (folder.path().join("plan.json"), folder.path().join("page.html"));
    fs::write(&plan, plan_of(members)).expect("a file");
    let output = run::plansift()
        .args(["report", "--limit-secrets", "1", "-o", "term", "-o"])
        .arg(format!("html={}", page.display()))
        .arg(&plan)
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("--limit-secrets"), "{said}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("a.b"), "a change was shown");
}

/// A record with a key twice is no JSON that readers agree on.
#[test]
fn importing_with_a_key_twice_is_refused() {
    let members = r#""actions":["create"],"importing":{"id":"a","id":"b"}"#;
    assert_eq!(error_of(members, &Options::default()), ErrorKind::DuplicateKey);
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

/// An overlay was only entered where it seemed to hold a mark, so that a damaged one was none.
#[test]
fn a_damaged_mark_is_an_error() {
    for overlay in ["after_unknown", "before_sensitive", "after_sensitive"] {
        for damaged in ["tsue", "truE", "True", "tru"] {
            let members = format!(r#""actions":["create"],"{overlay}":{{"a":{{"p":{damaged}}}}}"#);
            assert_eq!(error_of(&members, &Options::default()), ErrorKind::Literal, "{members}");
        }
    }
}

/// Text that is stepped over may be a plan itself, or what is left of one.
#[test]
fn a_second_plan_is_no_text() {
    let first = r#"{"format_version":"1.2","resource_changes":[]}"#;
    let second = plan_of(r#""actions":["delete"]"#);
    let texts = [
        (format!("[a] {first}\n[b] {second}\n"), 2, "a log of two"),
        (format!("{first}\nNow: {second}\n"), 2, "one after the other"),
        (format!("{first}\n::set-output name=stdout::{second}\n"), 0, "another output"),
        (format!("esource_changes\":[{second}],\"q\":{first}"), 0, "a lost head"),
    ];
    for (text, plans, name) in texts {
        run::error(Slice(text.as_bytes()), &Options::default());
        let output = run::piped(&["changes"], text.as_bytes());
        let records = String::from_utf8(output.stdout).expect("UTF-8");
        // Those are told one by one.
        assert_eq!(records.matches(r#"{"kind":"summary""#).count(), plans, "{name}");
        assert_eq!(output.status.code(), Some(if plans > 0 { 0 } else { 1 }), "{name}");
    }
}

/// All elements of two lists waited to be compared, many times the memory of the plan.
#[test]
fn lists_of_equal_numbers_take_no_memory() {
    let (ones, others) = ("1,".repeat(100_000) + "1", "1.0,".repeat(100_000) + "1.0");
    let members = format!(r#""actions":["update"],"before":[{ones}],"after":[{others}]"#);
    let options = limited(Limits { paths: 1000, ..Limits::default() });
    assert_eq!(record_of(&members, &options)["changed"], Value::Null);
}

/// What made lists without a bound.
#[test]
fn lists_that_a_plan_makes_long_have_limits() {
    let options = limited(Limits { paths: 1000, words: 3, ..Limits::default() });
    let paths = ErrorKind::Limit { limit: Limit::Paths, value: 1000 };
    let long_path = format!(r#""actions":["update"],"replace_paths":[[0{}]]"#, ",0".repeat(1000));
    assert_eq!(error_of(&long_path, &options), paths);
    let many_paths = format!(r#""actions":["update"],"replace_paths":[[]{}]"#, ",[]".repeat(1000));
    assert_eq!(error_of(&many_paths, &options), paths);
    let keys: Vec<_> = (0..1000).rev().map(|key| format!(r#""{key}":0"#)).collect();
    let unordered =
        format!(r#""actions":["update"],"before":{{{}}},"after":{{"9":1,"8":1}}"#, keys.join(","));
    assert_eq!(error_of(&unordered, &options), paths);
    let words: Vec<_> = (0..4)
        .map(|word| format!(r#"{{"address":"a","change":{{"actions":["{word}"]}}}}"#))
        .collect();
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, words.join(","));
    let kind = run::error(Slice(plan.as_bytes()), &options).kind();
    let limit = ErrorKind::Limit { limit: Limit::Words, value: 3 };
    assert_eq!(kind, limit);
    let long_list = format!(r#""actions":["a"{}]"#, r#","a""#.repeat(10_000));
    assert_eq!(error_of(&long_list, &options), limit);
}

/// A plan that failed, is not complete, or has more to apply is none without changes.
#[test]
fn a_plan_that_is_not_whole_is_not_without_changes() {
    for member in [
        r#""errored":true"#,
        r#""complete":false"#,
        r#""applyable":true"#,
        r#""deferred_changes":[{"reason":"unknown",
            "resource_change":{"address":"a.b","change":{"actions":["create"]}}}]"#,
    ] {
        let plan = format!(r#"{{"format_version":"1.2","resource_changes":[],{member}}}"#);
        let output = run::piped(&["summary", "--detailed-exitcode"], plan.as_bytes());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(!text.contains("No changes.\n"), "{member}: {text}");
        assert_eq!(output.status.code(), Some(2), "{member}");
    }
}

/// Devices, pipes and links were replaced by a file, and a private file became one for all.
#[test]
#[cfg(unix)]
fn an_output_stays_what_it_is() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().expect("a folder");
    let [link, target] = ["link", "target"].map(|name| directory.path().join(name));
    fs::write(&target, "old").expect("a file");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("its mode");
    symlink(&target, &link).expect("a link");
    let plan = plan_of(r#""actions":["create"]"#);
    let output = run::piped(&["changes", "-o", link.to_str().expect("UTF-8")], plan.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(link.symlink_metadata().expect("a link").is_symlink());
    assert!(fs::read_to_string(&target).expect("a file").contains("summary"));
    assert_eq!(target.metadata().expect("a file").permissions().mode() & 0o777, 0o600);

    let output = run::piped(&["changes", "-o", "/dev/null"], plan.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!fs::metadata("/dev/null").expect("a device").is_file());
}

/// Standard output by its other name was replaced, with all that had been written to it.
#[test]
#[cfg(target_os = "linux")]
fn standard_output_by_another_name_is_written_to() {
    let mut log = tempfile::NamedTempFile::new().expect("a file");
    std::io::Write::write_all(&mut log, b"old\n").expect("it is written");
    let plan = tempfile::NamedTempFile::new().expect("a file");
    fs::write(plan.path(), plan_of(r#""actions":["create"]"#)).expect("it is written");
    let appended = fs::File::options().append(true).open(log.path()).expect("a file");
    let mut command = run::plansift();
    command.arg("changes").args([plan.path(), "-o".as_ref(), "/dev/stdout".as_ref()]);
    assert!(command.stdout(appended).status().expect("it runs").success());
    let text = fs::read_to_string(log.path()).expect("a file");
    assert!(text.starts_with("old\n") && text.contains("summary"), "{text}");
}

/// Where the first window ended decided how much space may come before a plan.
#[test]
fn space_before_a_plan_is_limited_in_every_cut() {
    let plan = plan_of(r#""actions":["create"]"#);
    for (space, is_plan) in [(1000, true), (100_000, true), (2_000_000, false)] {
        let text = " ".repeat(space) + &plan;
        let output = run::piped(&["changes"], text.as_bytes());
        assert_eq!(output.status.success(), is_plan, "{space}");
        assert_eq!(run::records(Slice(text.as_bytes()), &Options::default()).is_ok(), is_plan);
    }
}
