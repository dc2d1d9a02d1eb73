//! A damaged configuration in a plan file is an error of that input.

use std::fs;

use super::ran;
use crate::planfile::build::{Member, change, members, plan, resource, zip};
use crate::run;

/// The members of a plan file with a configuration.
fn plan_file() -> Vec<Member> {
    let created = resource("test_a.b", &change(1, &[b"\x80"]));
    let mut members = members(&plan(&[created]));
    let manifest = br#"[{"Key":"","Dir":"."},{"Key":"m","Source":"./m","Dir":"m"}]"#;
    members.push(Member::new("tfconfig/m-/main.tf", b"resource \"test_a\" \"b\" {\n}\n"));
    members.push(Member::new("tfconfig/m-m/main.tf", b"locals {\n}\n"));
    members.push(Member::new("tfconfig/modules.json", manifest));
    members
}

/// The standard error and the exit code of a command for a plan file.
fn said(args: &[&str], members: &[Member]) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.tfplan");
    fs::write(&path, zip(members)).expect("a file");
    let output = run::plansift().args(args).arg(&path).output().expect("it starts");
    (String::from_utf8(output.stderr).expect("UTF-8"), output.status.code())
}

const COMMANDS: [&[&str]; 5] = [
    &["changes"],
    &["summary", "-q"],
    &["report", "-q"],
    &["assert", "-q", "-e", "plan: empty"],
    &["blocks"],
];

#[test]
fn a_sound_configuration_is_read() {
    for (command, code) in COMMANDS.into_iter().zip([0, 0, 0, 3, 0]) {
        assert_eq!(said(command, &plan_file()), (String::new(), Some(code)), "{command:?}");
    }
}

#[test]
fn a_damaged_configuration_is_an_error() {
    let file = plan_file();
    let at = |name: &str| file.iter().position(|one| one.name.ends_with(name)).expect("a member");
    let (main, manifest) = (at("m-/main.tf"), at("modules.json"));
    type Damage<'a> = &'a dyn Fn(&mut Vec<Member>);
    let damages: [(&str, Damage<'_>); 9] = [
        ("the checksum of the member is wrong", &|file| file[main].crc ^= 1),
        ("the checksum of the member is wrong", &|file| file[manifest].crc ^= 1),
        ("the member has another size", &|file| file[main].size += 1),
        ("the member is", &|file| file[main].packed.truncate(3)),
        ("a list of modules", &|file| file[manifest] = Member::new("tfconfig/modules.json", b"[{")),
        ("a list of modules", &|file| file[manifest] = Member::new("tfconfig/modules.json", b"[]")),
        ("the plan file has no such member", &|file| drop(file.remove(manifest))),
        ("the plan file has no such member", &|file| drop(file.remove(at("m-m/main.tf")))),
        ("two members of the archive", &|file| {
            let again = file[main].clone();
            file.push(again);
        }),
    ];
    for (fault, damage) in damages {
        let mut file = file.clone();
        damage(&mut file);
        for command in COMMANDS {
            let (said, code) = said(command, &file);
            let is_named = said.contains("tfconfig/") && said.contains("plan file is damaged");
            assert!(code == Some(1) && is_named, "{fault}: {command:?}: {code:?} {said}");
            assert!(said.contains(fault) || fault == "the member is", "{fault}: {said}");
        }
        let (said, code) = said(&["changes", "--no-source"], &file);
        assert_eq!((said.as_str(), code), ("", Some(0)), "{fault}");
    }
}

/// Worker threads read small plan files ahead. One damaged file does not stop the others.
#[test]
fn a_damaged_configuration_fails_only_its_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut damaged = plan_file();
    damaged.last_mut().expect("a member").crc ^= 1;
    for number in 0..40 {
        let name = format!("{number:02}.tfplan");
        let file = if number == 20 { zip(&damaged) } else { zip(&plan_file()) };
        fs::write(folder.path().join(name), file).expect("a file");
    }
    let path = folder.path().to_str().expect("UTF-8");
    for threads in ["1", "4"] {
        let (records, code) = ran(&["changes", "--threads", threads, path]);
        assert_eq!(code, Some(4));
        let count = |kind: &str| records.matches(&format!("\"kind\":\"{kind}\"")).count();
        assert_eq!((count("resource_change"), count("summary")), (39, 39));
    }
}
