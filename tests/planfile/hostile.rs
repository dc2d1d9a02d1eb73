//! Plan files that are damaged, hostile or written by hand.
use std::io::Read;
use std::time::{Duration, Instant};

use super::build::*;
use plansift::error::{ErrorKind, Result};
use plansift::input::{Rereadable, into_error};
use plansift::limits::{Limit, Limits};
use plansift::plan::WrongDocument;
use plansift::planfile::{self, PlanFileFault, SchemaFiles};

pub fn transcode_with(file: &[u8], limits: &Limits) -> Result<String> {
    let file = Rereadable::spool(file, &Limits::default())?;
    let mut document = planfile::open(&file, &SchemaFiles::default(), limits)?;
    let mut text = String::new();
    document.read_to_string(&mut text).map_err(into_error)?;
    // The document is at its end, and stays there.
    assert_eq!(document.read(&mut [0]).unwrap(), 0);
    Ok(text)
}

pub fn transcode(file: &[u8]) -> Result<String> {
    transcode_with(file, &Limits::default())
}

pub fn of_plan(plan_bytes: &[u8]) -> Result<String> {
    transcode(&zip(&members(plan_bytes)))
}

fn fault(file: &[u8]) -> (PlanFileFault, String) {
    let started = Instant::now();
    let error = transcode(file).expect_err("the file is wrong");
    assert!(started.elapsed() < Duration::from_secs(20), "{error}");
    let fault = error.fault().unwrap_or_else(|| panic!("{error}"));
    (*fault, error.to_string())
}

pub fn fault_of_plan(plan_bytes: &[u8]) -> (PlanFileFault, String) {
    fault(&zip(&members(plan_bytes)))
}

#[test]
fn a_plan_made_by_hand_is_read() {
    let create = change(1, &[b"\x81\xa1a\xa1b"]);
    let text = of_plan(&plan(&[resource("test_a.b[\"<\"]", &create)])).unwrap();
    assert!(
        text.starts_with(
            r#"{"format_version":"1.2","terraform_version":"1.11.4","planned_values""#
        )
    );
    let wanted = [
        r#""resource_changes":[{"address":"test_a.b[\"\u003c\"]","mode":"managed","#,
        r#""type":"test_a","name":"b","index":"\u003c","#,
        r#""provider_name":"registry.terraform.io/hashicorp/test","#,
        r#""change":{"actions":["create"],"before":null,"after":{"a":"b"},"#,
        r#""after_unknown":{},"before_sensitive":false,"after_sensitive":{}}}]"#,
    ]
    .concat();
    let wanted = wanted.as_str();
    assert!(text.contains(wanted), "{text}");
    assert!(
        text.ends_with("\"timestamp\":\"2026-01-01T00:00:00Z\",\"errored\":false}\n"),
        "{text}"
    );
}

#[test]
fn damaged_archives_are_errors() {
    let good = members(&plan(&[]));
    let edit = |edit: fn(&mut Vec<Member>)| {
        let mut members = good.clone();
        edit(&mut members);
        fault(&zip(&members))
    };
    for (change, wanted) in [
        ((|m| m[0].crc ^= 1) as fn(&mut Vec<Member>), PlanFileFault::Checksum),
        (|m| m[0].size += 1, PlanFileFault::MemberSize),
        (|m| m[0].size -= 3, PlanFileFault::MemberSize),
        (|m| m[0].packed[3] ^= 0xff, PlanFileFault::MemberDamaged),
        (|m| m[0].packed.truncate(9), PlanFileFault::MemberDamaged),
        (|m| m[0].method = 12, PlanFileFault::Method),
        (|m| m[0].flags = 1, PlanFileFault::MemberEncrypted),
        (|m| m[0].local_name = "tfplen".into(), PlanFileFault::Directory),
        (|m| m.push(m[0].clone()), PlanFileFault::MemberTwice),
        (
            |m| {
                m.remove(1);
            },
            PlanFileFault::Missing,
        ),
        (|m| m[0].offset = Some(7), PlanFileFault::Surplus),
        (|m| m[0].offset = Some(u32::MAX - 1), PlanFileFault::Surplus),
        // Another member begins inside the plan.
        (
            |m| {
                let mut o = Member::new("other", b"x");
                o.offset = Some(20);
                m.push(o)
            },
            PlanFileFault::Overlap,
        ),
    ] {
        let (fault, text) = edit(change);
        assert_eq!(fault, wanted, "{text}");
        // Damage of the whole archive has no member.
        let is_whole = matches!(fault, PlanFileFault::Directory | PlanFileFault::Surplus);
        assert!(is_whole || text.contains("at tf"), "{text}");
    }
}

#[test]
fn the_checksum_behind_a_member_must_be_the_one_in_the_directory() {
    let plan = plan(&[resource("test_a.b", &change(1, &[b"\x80"]))]);
    let lock = Member::new(".terraform.lock.hcl", b"# locks");
    let good = [members(&plan), vec![lock]].concat();
    let described = |wrong: usize, strip: bool, method: u16| {
        let mut members = good.clone();
        if method == 0 {
            members[0].method = 0;
            members[0].packed = plan.clone();
        }
        for (at, member) in members.iter_mut().enumerate() {
            member.describe(member.crc ^ u32::from(at == wrong));
            if strip {
                member.descriptor.drain(..4);
            }
        }
        zip(&members)
    };
    for (strip, method) in [(false, 8), (true, 8), (false, 0)] {
        assert_eq!(
            transcode(&described(9, strip, method)).unwrap(),
            transcode(&zip(&good)).unwrap()
        );
        for (at, member) in good.iter().enumerate() {
            let (fault, text) = fault(&described(at, strip, method));
            assert_eq!(fault, PlanFileFault::Checksum, "{text}");
            assert!(text.contains(&format!("at {}", member.name)), "{text}");
        }
    }
}

#[test]
fn a_directory_at_an_impossible_offset_is_damaged() {
    let file = zip(&members(&plan(&[])));
    let end = file.len() - 22;
    let directory = end as u64;
    // A directory of the 64-bit format, and its locator, which points far behind the file.
    let mut record = b"PK\x06\x06".to_vec();
    record.extend(44_u64.to_le_bytes());
    record.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for number in [2, 2, 100, 0] {
        record.extend(u64::to_le_bytes(number));
    }
    for offset in [u64::MAX, 1 << 63, directory + 1] {
        let mut locator = b"PK\x06\x07\0\0\0\0".to_vec();
        locator.extend(offset.to_le_bytes());
        locator.extend(1_u32.to_le_bytes());
        let mut wrong = file.clone();
        wrong.splice(end..end, [record.clone(), locator].concat());
        let last = wrong.len() - 22;
        wrong[last + 8..last + 20].fill(0xff);
        let (fault, text) = fault(&wrong);
        assert_eq!(fault, PlanFileFault::Directory, "{text}");
    }
}

#[test]
fn joined_plan_files_are_an_error() {
    let one = zip(&members(&plan(&[resource("test_a.b", &change(1, &[b"\x80"]))])));
    let other = zip(&members(&plan(&[])));
    for (first, second) in [
        (&one[..], &other[..]),
        (&other[..], &one[..]),
        (b"\n".as_slice(), &one[..]),
        (&one[..], b"\n".as_slice()),
        (&one[..], br#"{"format_version":"1.2"}"#.as_slice()),
    ] {
        let (fault, text) = fault(&[first, second].concat());
        assert_eq!(fault, PlanFileFault::Surplus, "{text}");
    }
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let file = zip(&members(&plan(&[resource("test_a.b", &change(1, &[b"\x80"]))])));
    for end in 0..file.len() {
        transcode(&file[..end]).expect_err("the file is cut");
    }
}

#[test]
fn an_archive_of_something_else_is_named() {
    let error = transcode(&zip(&[Member::new("a.txt", b"x")])).unwrap_err();
    assert_eq!(error.fault(), Some(&WrongDocument::Archive));
    assert!(transcode(b"PK\x03\x04").is_err());
}

#[test]
fn a_bomb_stops_at_the_limit() {
    // 1 GiB of zeros is 1 MB.
    let mut members = members(&[]);
    members[0] = Member::new("tfplan", &vec![0; 100 << 20]);
    let error = transcode(&zip(&members)).unwrap_err();
    let limits = Limits { expansion_ratio: 50, ..Limits::default() };
    let ratio = transcode_with(&zip(&members), &limits).unwrap_err();
    assert!(
        matches!(ratio.kind(), ErrorKind::Limit { limit: Limit::ExpansionRatio, .. }),
        "{ratio}"
    );
    assert_eq!(error.fault(), Some(&PlanFileFault::Field), "{error}");
    let limits = Limits { expansion: 1 << 20, ..Limits::default() };
    let size = transcode_with(&zip(&members), &limits).unwrap_err();
    assert!(matches!(size.kind(), ErrorKind::Limit { limit: Limit::Expansion, .. }), "{size}");
}

#[test]
fn many_members_stop_at_the_limit() {
    let mut all = members(&plan(&[]));
    all.extend((0..2000).map(|number| Member::new(&format!("tfconfig/m-/{number}"), b"")));
    transcode(&zip(&all)).unwrap();
    let limits = Limits { plan_members: 1000, ..Limits::default() };
    let error = transcode_with(&zip(&all), &limits).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { limit: Limit::PlanMembers, value: 1000 }));
}

#[test]
fn a_plan_cut_anywhere_is_an_error() {
    let change = change(3, &[b"\x81\xa1a\xa1b", b"\x81\xa1a\xa1c"]);
    let whole = plan(&[resource("test_a.b", &change), resource("test_a.c", &change)]);
    // Up to the end of the version the plan is whole at each field.
    let mut ends = 0;
    for end in 0..whole.len() {
        match of_plan(&whole[..end]) {
            Ok(_) => ends += 1,
            Err(error) => assert!(error.fault::<PlanFileFault>().is_some(), "{error}"),
        }
    }
    // A message may end behind each of its fields, and only the archive knows better.
    assert_eq!(ends, 4);
}

#[test]
fn wrong_messages_are_errors_with_a_place() {
    let create = |value: &[u8]| change(1, &[value]);
    let one = |change: &[u8]| plan(&[resource("test_a.b", change)]);
    let twice = [create(b"\x80"), number(1, 1)].concat();
    for (plan, wanted) in [
        (vec![], PlanFileFault::Version(0)),
        (number(1, 4), PlanFileFault::Version(4)),
        (one(&change(4, &[b"\x80"])), PlanFileFault::Action(4)),
        (one(&change(99, &[b"\x80"])), PlanFileFault::Action(99)),
        (one(&change(1, &[])), PlanFileFault::Values { expected: 1 }),
        (one(&change(3, &[b"\x80"])), PlanFileFault::Values { expected: 2 }),
        (one(&create(b"")), PlanFileFault::Value),
        (one(&create(b"\x81\xa1a")), PlanFileFault::Value),
        (one(&create(b"\xc1")), PlanFileFault::Value),
        (one(&create(b"\x80\x80")), PlanFileFault::Value),
        (one(&create(b"\xdd\xff\xff\xff\xff")), PlanFileFault::Value),
        (one(&create(b"\xdf\xff\xff\xff\xff")), PlanFileFault::Value),
        (one(&create(b"\x81\x01\xc0")), PlanFileFault::Value),
        (one(&create(&[0x91; 20_000])), PlanFileFault::Value),
        (one(&twice), PlanFileFault::FieldTwice),
        (plan(&[resource("", &create(b"\x80"))]), PlanFileFault::NoAddress),
        (plan(&[resource("a", &create(b"\x80"))]), PlanFileFault::Address),
        (plan(&[resource("a.b[", &create(b"\x80"))]), PlanFileFault::Address),
        (plan(&[resource("a.b[\"\\\"]", &create(b"\x80"))]), PlanFileFault::Address),
        (plan(&[resource("a.b[007]", &create(b"\x80"))]), PlanFileFault::Address),
        (plan(&[resource("module.a", &create(b"\x80"))]), PlanFileFault::Address),
        (plan(&[number(3, 5)]), PlanFileFault::FieldType),
        (plan(&[bytes(20, "x")]), PlanFileFault::FieldType),
        (plan(&[vec![0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f]]), PlanFileFault::Length),
        (plan(&[vec![0xff; 11]]), PlanFileFault::Varint),
        (plan(&[vec![0x07]]), PlanFileFault::Field),
        (plan(&[vec![0x00]]), PlanFileFault::Field),
        (plan(&[number(1, 3)]), PlanFileFault::FieldTwice),
        (plan(&[bytes(14, [0xff])]), PlanFileFault::FieldTwice),
        (plan(&[varint(99 << 3 | 3).repeat(1_000_000)]), PlanFileFault::Field),
        (plan(&[varint(99 << 3 | 4)]), PlanFileFault::Field),
    ] {
        let (fault, text) = fault_of_plan(&plan);
        assert_eq!(fault, wanted, "{text}");
        assert!(text.starts_with("byte "), "{text}");
        assert!(text.contains("at tfplan"), "{text}");
    }
    let (_, text) = fault_of_plan(&one(&create(b"\x81\xa1a")));
    assert!(text.contains(", at tfplan.planned_values[test_a.b]: "), "{text}");
    // A reader of the JSON has no place to add.
    let output = crate::run::piped(&["changes"], &zip(&members(&one(&create(b"\x81\xa1a")))));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(", at tfplan.planned_values[test_a.b]: "), "{said}");
}

#[test]
fn unknown_fields_of_every_wire_type_are_skipped() {
    let group = [varint(99 << 3 | 3), number(5, 1), bytes(3, "x"), varint(99 << 3 | 4)].concat();
    let unknown = [
        number(99, u64::MAX),
        bytes(98, "text"),
        [varint(97 << 3 | 1), vec![0; 8]].concat(),
        [varint(96 << 3 | 5), vec![0; 4]].concat(),
        group,
    ]
    .concat();
    let known = change(1, &[b"\x80"]);
    let plain = of_plan(&plan(&[resource("test_a.b", &known)])).unwrap();
    let inner = [known.clone(), unknown.clone()].concat();
    let with = of_plan(&plan(&[unknown.clone(), resource("test_a.b", &inner), unknown])).unwrap();
    assert_eq!(plain, with);
}

#[test]
fn an_unknown_action_reason_is_kept_as_a_number() {
    let change = change(1, &[b"\x80"]);
    let record = bytes(3, [bytes(9, change), number(12, 77), bytes(13, "a.b")].concat());
    let text = of_plan(&plan(&[record])).unwrap();
    assert!(text.contains(r#""action_reason":"reason_77""#), "{text}");
}

#[test]
fn limits_apply_to_plan_files() {
    let many = (0..1000).map(|at| resource(&format!("test_a.b[{at}]"), &change(1, &[b"\x80"])));
    let file = zip(&members(&plan(&many.collect::<Vec<_>>())));
    transcode(&file).unwrap();
    let kind = |limits: Limits| transcode_with(&file, &limits).unwrap_err().kind();
    let index = kind(Limits { plan_index: 10_000, ..Limits::default() });
    assert!(matches!(index, ErrorKind::Limit { limit: Limit::PlanIndex, value: 10_000 }));
    let change = kind(Limits { change: 10, ..Limits::default() });
    assert!(matches!(change, ErrorKind::Limit { limit: Limit::Change, value: 10 }));
    let path = bytes(4, bytes(1, bytes(1, "a")).repeat(1000));
    let marked = [self::change(1, &[b"\x80"]), path].concat();
    let file = zip(&members(&plan(&[resource("a.b", &marked)])));
    let limits = Limits { paths: 1000, ..Limits::default() };
    let paths = transcode_with(&file, &limits).unwrap_err().kind();
    assert!(matches!(paths, ErrorKind::Limit { limit: Limit::Paths, value: 1000 }));
}

#[test]
fn wrong_states_are_errors() {
    let resource = |resource: &str| format!(r#"{{"version":4,"resources":[{resource}]}}"#);
    let typed = |kind: &str, instance: &str| {
        let head = format!(r#""mode":"managed","type":"{kind}","name":"b""#);
        resource(&format!(r#"{{{head},"instances":[{instance}]}}"#))
    };
    for state in [
        String::new(),
        "{}".into(),
        "[]".into(),
        r#"{"version":3}"#.into(),
        r#"{"version":4"#.into(),
        r#"{"version":4}x"#.into(),
        r#"{"version":4,"resources":[],"resources":[]}"#.into(),
        resource(r#"{"mode":"odd","type":"a","name":"b"}"#),
        typed("a", r#"{"schema_version":0}"#),
        typed("", r#"{"attributes":{}}"#),
    ] {
        let mut members = members(&plan(&[]));
        members[1] = Member::new("tfstate", state.as_bytes());
        let error = transcode(&zip(&members)).expect_err("the state is wrong").to_string();
        assert!(error.contains("at tfstate"), "{error}");
    }
}

#[test]
fn marks_before_after_and_in_sets_are_kept() {
    let path = |field: u64, steps: &[Vec<u8>]| {
        let steps = steps.iter().flat_map(|step| bytes(1, step));
        bytes(field, steps.collect::<Vec<_>>())
    };
    let name = |name: &str| bytes(1, name);
    let key = |msgpack: &[u8]| bytes(2, dynamic(msgpack));
    // {"l": [1, 2], "m": {"k": 1}, "s": [{"x": 1}], "t": 1}
    let value = b"\x84\xa1l\x92\x01\x02\xa1m\x81\xa1k\x01\xa1s\x91\x81\xa1x\x01\xa1t\x01";
    let mut replace = change(6, &[value, value]);
    replace.extend(path(3, &[name("t")]));
    replace.extend(path(4, &[name("l"), key(b"\x01")]));
    replace.extend(path(4, &[name("m"), key(b"\xa1k")]));
    replace.extend(path(4, &[name("s"), key(b"\x81\xa1x\x01"), name("x")]));
    let text = of_plan(&plan(&[resource("a.b", &replace)])).unwrap();
    let wanted = [
        r#""before_sensitive":{"l":[false,false],"m":{},"s":[{}],"t":true},"#,
        r#""after_sensitive":{"l":[false,true],"m":{"k":true},"s":true,"t":true}"#,
    ]
    .concat();
    let wanted = wanted.as_str();
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn quadratic_inputs_are_read_in_time() {
    // Many marks and many elements.
    let list: Vec<u8> = [&b"\xdd\x00\x03\x0d\x40"[..], &[1; 200_000]].concat();
    let mut create = change(1, &[&list]);
    for index in 0..50_000_u32 {
        let key = [&b"\xce"[..], &index.to_be_bytes()].concat();
        create.extend(bytes(4, bytes(1, bytes(2, dynamic(key)))));
    }
    let started = Instant::now();
    let text = of_plan(&plan(&[resource("a.b", &create)])).unwrap();
    assert_eq!(text.matches("true").count(), 2 * 50_000);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn schemas_in_the_file_are_used() {
    let attribute = |name: &str, ty: &str, is_sensitive: u64| {
        bytes(1, [bytes(1, name), bytes(2, ty), number(7, is_sensitive)].concat())
    };
    let block = [
        attribute("big", "\"number\"", 0),
        attribute("list", "[\"list\",\"string\"]", 0),
        attribute("secret", "\"string\"", 1),
    ]
    .concat();
    let schema = bytes(1, [number(1, 7), bytes(2, block)].concat());
    let entry = |key: &str, value: Vec<u8>| [bytes(1, key), bytes(2, value)].concat();
    let provider = bytes(2, entry("test_a", schema));
    let schemas = bytes(1, entry("registry.terraform.io/hashicorp/test", provider));
    // {"big": "123", "list": unknown, "secret": "s"}
    let value = b"\x83\xa3big\xa3123\xa4list\xd4\0\0\xa6secret\xa1s";
    let mut members = members(&plan(&[resource("test_a.b", &change(1, &[value]))]));
    let without = transcode(&zip(&members)).unwrap();
    assert!(without.contains(r#""after":{"big":"123","secret":"s"}"#), "{without}");
    assert!(without.contains(r#""after_sensitive":{}"#), "{without}");
    members.push(Member::new("tfschemas", &schemas));
    let with = transcode(&zip(&members)).unwrap();
    assert!(with.contains(r#""after":{"big":123,"secret":"s"}"#), "{with}");
    assert!(with.contains(r#""after_sensitive":{"list":[],"secret":true}"#), "{with}");
    assert!(with.contains(r#""schema_version":7,"values":{"big":123"#), "{with}");
    let last = members.len() - 1;
    members[last] = Member::new("tfschemas", b"\x0a\xff");
    let (fault, text) = fault(&zip(&members));
    assert_eq!(fault, PlanFileFault::Schemas);
    assert!(text.contains("at tfschemas"), "{text}");
}

/// Numbers that follow from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end.max(1)
    }

    /// Changes a few bytes.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes[at] = self.below(256) as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => bytes.insert(at, self.below(256) as u8),
                3 => {
                    bytes.remove(at);
                }
                _ => {
                    let end = (at + self.below(20)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, part);
                }
            }
        }
    }
}

#[test]
fn damaged_members_are_errors_or_json() {
    let folders = std::fs::read_dir(super::corpus_folder()).expect("the folder is there");
    let mut draw = Draw(1);
    let (mut errors, mut documents) = (0, 0);
    for folder in folders {
        let Ok(file) = std::fs::read(folder.expect("it is read").path().join("plan.tfplan")) else {
            continue;
        };
        let plan = member(&file, "tfplan");
        let state = member(&file, "tfstate");
        for _ in 0..super::damages() {
            let mut members = [plan.clone(), state.clone()];
            let which = draw.below(4) / 3;
            draw.damage(&mut members[which]);
            let [plan, state] = &members;
            let file = zip(&[Member::new("tfplan", plan), Member::new("tfstate", state)]);
            match transcode(&file) {
                Ok(text) => {
                    documents += 1;
                    serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON");
                }
                Err(_) => errors += 1,
            }
        }
    }
    assert!(errors > 0 && documents > 0, "{errors} errors, {documents} documents");
}
