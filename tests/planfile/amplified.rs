//! Small plan files whose JSON, or what plansift keeps of them, would be large.

use std::time::{Duration, Instant};

use super::build::*;
use super::hostile::{fault_of_plan, of_plan, transcode, transcode_with};
use plansift::error::{ErrorKind, PlanFileFault};
use plansift::limits::{Limit, Limits};

/// The limit that a plan file exceeds.
fn exceeded(file: &[u8], limits: &Limits) -> Limit {
    let started = Instant::now();
    let error = transcode_with(file, limits).expect_err("it exceeds a limit");
    assert!(started.elapsed() < Duration::from_secs(20), "{error}");
    match error.kind() {
        ErrorKind::Limit { limit, .. } => limit,
        _ => panic!("{error}"),
    }
}

#[test]
fn deep_modules_stop_at_the_limit_on_nesting() {
    let deep = |depth: usize| {
        let address = format!("{}test_a.b", "module.a.".repeat(depth));
        zip(&members(&plan(&[resource(&address, &change(1, &[b"\x80"]))])))
    };
    transcode(&deep(100)).unwrap();
    assert_eq!(exceeded(&deep(40_000), &Limits::default()), Limit::Depth);
}

#[test]
fn modules_count_towards_the_limit_on_addresses() {
    let change = change(1, &[b"\x80"]);
    let of = |number: usize| {
        let address = format!("module.m{number}.{}test_a.b", "module.a.".repeat(100));
        resource(&address, &change)
    };
    let file = zip(&members(&plan(&(0..100).map(of).collect::<Vec<_>>())));
    transcode(&file).unwrap();
    let limits = Limits { plan_index: 1_000_000, ..Limits::default() };
    assert_eq!(exceeded(&file, &limits), Limit::PlanIndex);
}

#[test]
fn names_of_checks_count_towards_the_limit_on_addresses() {
    let check = |number: usize| {
        let name = format!("check.{}{number}", "c".repeat(10_000));
        bytes(19, [number(1, 3), bytes(2, name), number(3, 1)].concat())
    };
    let file = zip(&members(&plan(&(0..20).map(check).collect::<Vec<_>>())));
    transcode(&file).unwrap();
    let limits = Limits { plan_index: 100_000, ..Limits::default() };
    assert_eq!(exceeded(&file, &limits), Limit::PlanIndex);
}

#[test]
fn a_change_that_occurs_twice_is_an_error_in_every_section() {
    let update = change(3, &[b"\x80", b"\x80"]);
    let record = |changes: &[&[u8]]| {
        let changes: Vec<u8> = changes.iter().flat_map(|change| bytes(9, change)).collect();
        [changes, bytes(13, "a.b")].concat()
    };
    let twice = record(&[&update, b""]);
    let once = record(&[&update]);
    let deferred = |changes: &[&[u8]]| {
        let changes: Vec<u8> = changes.iter().flat_map(|change| bytes(2, change)).collect();
        bytes(27, [bytes(1, number(1, 1)), changes].concat())
    };
    of_plan(&plan(&[bytes(18, &once), deferred(&[&once])])).unwrap();
    for part in [bytes(18, &twice), deferred(&[&twice]), deferred(&[&once, b""])] {
        let (fault, text) = fault_of_plan(&plan(&[part]));
        assert_eq!(fault, PlanFileFault::FieldTwice, "{text}");
    }
}

#[test]
fn changes_that_json_leaves_out_are_read_too() {
    let data = resource("data.a.b", &change(5, &[]));
    let drift = bytes(18, [bytes(9, change(0, &[])), bytes(13, "a.b")].concat());
    for part in [data, drift] {
        let (fault, text) = fault_of_plan(&plan(&[part]));
        assert!(matches!(fault, PlanFileFault::Values { .. }), "{text}");
    }
    let data = resource("data.a.b", &change(5, &[b"\x80"]));
    assert!(!of_plan(&plan(&[data])).unwrap().contains("data.a.b"));
}

#[test]
fn many_deposed_objects_are_matched_in_time() {
    let record = |number: usize| {
        let deposed = bytes(7, format!("{number:08x}"));
        bytes(3, [deposed, bytes(9, change(5, &[b"\x80"])), bytes(13, "a.b")].concat())
    };
    let instance = |number: usize| format!(r#"{{"deposed":"{number:08x}","attributes":{{}}}}"#);
    let count = 20_000;
    let instances = (0..count).map(instance).collect::<Vec<_>>().join(",");
    let state = format!(
        r#"{{"version":4,"resources":[{{"mode":"managed","type":"a","name":"b",
        "instances":[{instances}]}}]}}"#
    );
    let mut members = members(&plan(&(0..count).map(record).collect::<Vec<_>>()));
    members[1] = Member::new("tfstate", state.as_bytes());
    let started = Instant::now();
    let text = transcode(&zip(&members)).unwrap();
    assert_eq!(text.matches("\"deposed_key\"").count(), count);
    assert!(started.elapsed() < Duration::from_secs(20));
}
