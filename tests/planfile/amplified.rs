//! Small plan files whose JSON, or what plansift keeps of them, would be large.

use std::time::{Duration, Instant};

use super::build::*;
use super::hostile::{fault_of_plan, of_plan, transcode, transcode_with};
use plansift::error::ErrorKind;
use plansift::limits::{Limit, Limits};
use plansift::planfile::PlanFileFault;

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
    let check = |at: usize| {
        let name = format!("check.{}{at}", "c".repeat(10_000));
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
fn many_deposed_objects_are_matched_within_seconds() {
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

#[test]
fn the_text_of_an_element_stops_at_the_limit() {
    // A byte of the value is six of the text.
    let value = [&b"\x81\xa1a\xdb\x00\x00\x75\x30"[..], &[b'<'; 30_000]].concat();
    let file = zip(&members(&plan(&[resource("a.b", &change(1, &[&value]))])));
    transcode(&file).unwrap();
    let limits = Limits { change: 100_000, ..Limits::default() };
    assert_eq!(exceeded(&file, &limits), Limit::Change);
    // Many short elements.
    let value = [&b"\x81\xa1a\xdd\x00\x00\x75\x30"[..], &[0xc2; 30_000]].concat();
    let file = zip(&members(&plan(&[resource("a.b", &change(1, &[&value]))])));
    assert_eq!(exceeded(&file, &limits), Limit::Change);
    let mut members = members(&plan(&[]));
    let text = "<".repeat(30_000);
    let state = format!(r#"{{"version":4,"outputs":{{"o":{{"value":"{text}"}}}},"resources":[]}}"#);
    members[1] = Member::new("tfstate", state.as_bytes());
    let file = zip(&members);
    transcode(&file).unwrap();
    assert_eq!(exceeded(&file, &limits), Limit::Change);
}

#[test]
fn numbers_with_large_exponents_are_written_in_time() {
    for (text, zeros) in [("1e4900", 4_900), ("1e-4700", 4_700)] {
        let count = 500_u32;
        let ty = b"\x92\xc4\x11[\"list\",\"number\"]";
        let element = [&[0xa0 + text.len() as u8][..], text.as_bytes()].concat();
        let list = [&b"\xdd"[..], &count.to_be_bytes(), &element.repeat(500)].concat();
        let value = [&b"\x81\xa1a"[..], ty, &list].concat();
        let started = Instant::now();
        let text = of_plan(&plan(&[resource("a.b", &change(1, &[&value]))])).unwrap();
        assert!(text.len() > 2 * 500 * zeros);
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
}

#[test]
fn a_number_that_cannot_be_written_is_named() {
    let ty = b"\x92\xc4\x08\"number\"";
    for number in [&b"\xa61e9999"[..], b"\xa71e-9999", b"\xa3Inf"] {
        let value = [&b"\x81\xa1a"[..], ty, number].concat();
        let (fault, text) = fault_of_plan(&plan(&[resource("a.b", &change(1, &[&value]))]));
        assert_eq!(fault, PlanFileFault::Number, "{text}");
    }
    let infinite = b"\x81\xa1a\xcb\x7f\xf0\0\0\0\0\0\0";
    let (fault, text) = fault_of_plan(&plan(&[resource("a.b", &change(1, &[infinite]))]));
    assert_eq!(fault, PlanFileFault::Number, "{text}");
}

#[test]
fn marks_of_a_schema_stop_at_the_limit_on_paths() {
    // A list of blocks, each with a secret.
    let attribute = bytes(1, [bytes(1, "s"), bytes(2, "\"string\""), number(7, 1)].concat());
    let nested = bytes(2, [bytes(1, "b"), bytes(2, attribute), number(3, 3)].concat());
    let schema = bytes(1, [number(1, 0), bytes(2, nested)].concat());
    let entry = |key: &str, value: Vec<u8>| [bytes(1, key), bytes(2, value)].concat();
    let provider = bytes(2, entry("test_a", schema));
    let schemas = bytes(1, entry("registry.terraform.io/hashicorp/test", provider));
    let blocks = b"\x81\xa1s\xa1x".repeat(5_000);
    let value = [&b"\x81\xa1b\xdd\x00\x00\x13\x88"[..], &blocks].concat();
    let mut members = members(&plan(&[resource("test_a.b", &change(1, &[&value]))]));
    members.push(Member::new("tfschemas", &schemas));
    let file = zip(&members);
    let text = transcode(&file).unwrap();
    assert!(text.contains(r#""after_sensitive":{"b":[{"s":true},"#), "{}", &text[..1000]);
    let limits = Limits { paths: 100_000, ..Limits::default() };
    assert_eq!(exceeded(&file, &limits), Limit::Paths);
    // The tree of the value.
    let limits = Limits { change: 1_000_000, ..Limits::default() };
    assert_eq!(exceeded(&file, &limits), Limit::Change);
}
