//! Peak memory for hostile plans: at most 64 MiB plus four times the largest element.
//!
//! A shape is a kind of plan, made to a given size. Each command reads it, and succeeds or fails
//! with the error of a limit. `PLANSIFT_NIGHTLY=1` raises the sizes (`scripts/nightly`).

#![cfg(target_os = "linux")]

mod attack;
mod comparisons;
mod plan_files;
mod reports;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::{reference, run};

const MIB: usize = 1 << 20;

/// Memory that every run may use, in MiB.
const BASE: f64 = 64.0;

/// Size of the largest change, in MiB.
fn size() -> usize {
    if run::is_nightly() { 40 * MIB } else { 4 * MIB }
}

/// The peak of resident memory of a process, in MiB, and its exit code. The system forgets the peak
/// when the process ends, so this polls while it runs.
fn peak(mut child: Child) -> (f64, i32) {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        // Just after its start, a process may still show the memory of the tests. Its name changes
        // after that.
        let text = text.strip_prefix("Name:\tplansift\n").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kib) = line.and_then(|line| line.trim().strip_suffix("kB")) {
            peak = peak.max(kib.trim().parse::<f64>().expect("a number") / 1024.0);
        }
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return (peak, status.code().expect("an exit code"));
        }
        std::thread::sleep(Duration::from_micros(300));
    }
}

/// The peak of a run, in MiB. The run must succeed or fail at a limit.
fn run(args: &[&str], said: &Path) -> f64 {
    let errors = fs::File::create(said).expect("a file");
    let mut command = run::plansift();
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
    let (peak, code) = peak(command.spawn().expect("it starts"));
    let said = fs::read_to_string(said).expect("what it says");
    let limits = ["raise it with --limit-", "raise it with --memory", "is longer than 16 KiB"];
    let is_limit = limits.iter().any(|words| said.contains(words));
    assert!(matches!(code, 0 | 3) || is_limit, "{args:?}: {code}: {said}");
    peak
}

/// A plan of these changes, followed by other sections.
fn plan(changes: &str, rest: &str) -> String {
    let head = r#""format_version":"1.2","terraform_version":"1.11.4""#;
    format!(r#"{{{head},"resource_changes":[{changes}]{rest}}}"#)
}

/// A change with additional members.
fn change(address: &str, before: &str, after: &str, more: &str) -> String {
    let change = format!(r#"{{"actions":["update"],"before":{before},"after":{after}{more}}}"#);
    format!(r#"{{"address":"{address}","type":"t","name":"n","change":{change}}}"#)
}

/// A list that repeats an element up to a size in bytes.
fn list(element: &str, bytes: usize) -> String {
    let count = bytes / (element.len() + 1);
    format!("[{}]", vec![element; count].join(","))
}

/// An object with its keys in reverse order.
fn reversed(value: &str, bytes: usize) -> String {
    let count = bytes / (12 + value.len());
    let members: Vec<_> = (0..count).rev().map(|key| format!(r#""k{key:07}":{value}"#)).collect();
    format!("{{{}}}", members.join(","))
}

/// A list of distinct numbers.
fn numbers(bytes: usize) -> String {
    let numbers: Vec<_> = (0..bytes / 8).map(|number| number.to_string()).collect();
    format!("[{}]", numbers.join(","))
}

fn nested(value: &str, depth: usize, bytes: usize) -> String {
    list(&format!("{}{value}{}", "[".repeat(depth), "]".repeat(depth)), bytes)
}

/// The shapes that consist of one large change.
fn changes(size: usize) -> Vec<(&'static str, String)> {
    let alone = |before: &str, after: &str, more: &str| plan(&change("a", before, after, more), "");
    let (half, third, quarter) = (size / 2, size / 3, size / 4);
    let key = "k".repeat(quarter / 2);
    let under_key = |value: &str| format!(r#"{{"{key}":{}}}"#, list(value, 4096));
    let marks = |marks: &str| format!(r#","after_sensitive":{marks},"before_sensitive":{marks}"#);
    let resource =
        format!(r#"{{"address":"a","expressions":{{"x":{{"y":{}}}}}}}"#, list("1", size));
    let constants = format!(r#","configuration":{{"root_module":{{"resources":[{resource}]}}}}"#);
    let secret = r#"{"s":true}"#;
    let echoes = |own: &str| format!(r#"{{"s":"{own}","x":{}}}"#, list(r#""a secret""#, half));
    let problems = list(r#"{"message":"m"}"#, size);
    let check = format!(r#""status":"fail","instances":[{{"problems":{problems}}}]"#);
    let problems = format!(r#","checks":[{{"address":{{"to_display":"c"}},{check}}}]"#);
    let document = |value: &str| format!(r#"{{"d":"{}"}}"#, list(value, half.min(MIB - 64)));
    vec![
        ("reverse keys", alone(&reversed("1", half), &reversed("2", half), "")),
        (
            "reverse keys, all marked",
            alone(&reversed("1", third), &reversed("2", third), &marks(&reversed("true", third))),
        ),
        (
            "marked elements",
            alone(&list("1", quarter), &list("2", quarter), &marks(&list("true", half))),
        ),
        (
            "different marked elements",
            alone("[]", &numbers(half), &format!(r#","after_sensitive":{}"#, list("true", half))),
        ),
        (
            "unknown elements",
            alone(
                &list("1", quarter),
                &list("1", quarter),
                &format!(r#","after_unknown":{}"#, list("true", half)),
            ),
        ),
        ("changed elements", alone(&list("1", half), &list("2", half), "")),
        ("changed objects", alone(&list(r#"{"":1}"#, half), &list(r#"{"":2}"#, half), "")),
        ("brackets", alone(&list("[]", half), &format!("[1,{}]", list("[]", half)), "")),
        ("deep", alone(&nested("1", 9000, half), &nested("2", 9000, half), "")),
        ("a long key above many", alone(&under_key("1"), &under_key("2"), "")),
        (
            "replace paths",
            alone("1", "2", &format!(r#","replace_paths":{}"#, list(r#"["a"]"#, size))),
        ),
        (
            "a long replace path",
            alone("1", "2", &format!(r#","replace_paths":[{}]"#, list("1", size))),
        ),
        ("constants", plan(&change("a", "1", "2", ""), &constants)),
        (
            "echoes",
            alone(
                &echoes("another!"),
                &echoes("a secret"),
                &format!(r#","after_sensitive":{secret}"#),
            ),
        ),
        ("problems", plan("", &problems)),
        ("documents in strings", alone(&document("[]"), &document("{}"), "")),
    ]
}

/// Commands that process changes in different ways.
const COMMANDS: [&[&str]; 11] = [
    &["changes", "--format", "csv", "--threads", "1"],
    &["changes", "--threads", "8"],
    &["report", "-o", "html", "--threads", "1"],
    &["redact", "--threads", "1"],
    &["redact", "--threads", "8"],
    &["redact", "--echo", "off", "--threads", "1"],
    &["redact", "--also-names", "k0000001", "--threads", "1"],
    &["slim", "--threads", "2"],
    &["audit", "--format", "ndjson", "--threads", "1"],
    &["assert", "-e", "resource: '*', path: '**', known: 3", "--threads", "1"],
    &[
        "assert",
        "-e",
        "resource: '*', path: '**', unchanged: true, sensitive: false, known: {size: 1}",
    ],
];

#[test]
fn memory_is_bounded_by_the_largest_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.json"), folder.path().join("said"));
    let text = path.to_str().expect("UTF-8");
    let (mut wrong, mut highest) = (Vec::new(), 0.0_f64);
    let unordered = reference::text(&run::corpus("attack/C1-unordered-keys-2.9MB.json"));
    let unordered = [("keys in no order", unordered)];
    for (number, (shape, plan)) in changes(size()).into_iter().chain(unordered).enumerate() {
        fs::write(&path, &plan).expect("a file");
        let bound = BASE + 4.0 * plan.len() as f64 / MIB as f64;
        let tried = COMMANDS.iter().enumerate().filter(|(at, _)| run::is_tried(at + number));
        for (_, command) in tried {
            let peak = run(&[command, &[text][..]].concat(), &said);
            highest = highest.max(peak);
            if peak > bound {
                wrong.push(format!("{shape}: {command:?}: {peak:.0} of {bound:.0}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(highest > 16.0, "{highest} MiB");
}

/// Large YAML documents in strings of several changes. The threads together stay within the memory
/// that one of them may use.
#[test]
fn memory_for_documents_in_strings_is_shared_by_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.json"), folder.path().join("said"));
    let text = path.to_str().expect("UTF-8");
    let repeated = |line: &str| line.repeat((MIB - 64) / (line.len() - 1));
    for (lines, count) in [(r"- a:\n", 6), (r"a:\n", 6), (r"-\n", 2)] {
        let secret = r#"{"s":"a secret value"}"#;
        let marked = change("m", "{}", secret, r#","after_sensitive":{"s":true}"#);
        let document = format!(r#"{{"d":"k:\n{}z: a secret value\n"}}"#, repeated(lines));
        let one = change("a", "{}", &document, "");
        let bound = BASE + 4.0 * one.len() as f64 / MIB as f64;
        fs::write(&path, plan(&[vec![one; count], vec![marked]].concat().join(","), ""))
            .expect("a file");
        let commands: [&[&str]; 5] = [
            &["redact", "--threads", "8"],
            &["redact", "--threads", "1"],
            &["slim", "--threads", "8"],
            &["audit", "--threads", "8"],
            &["report", "-o", "markdown", "--threads", "8"],
        ];
        for (number, command) in commands.iter().enumerate() {
            if !run::is_tried_of(commands.len(), number) {
                continue;
            }
            let peak = run(&[command, &["-q", text][..]].concat(), &said);
            assert!(peak < bound, "{lines}: {command:?}: {peak:.0} of {bound:.0} MiB");
        }
    }
}

#[test]
fn memory_is_bounded_where_names_are_long() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.json"), folder.path().join("said"));
    let text = path.to_str().expect("UTF-8");
    let long = "n".repeat(MIB);
    let several =
        |one: &dyn Fn(usize) -> String| plan(&(0..100).map(one).collect::<Vec<_>>().join(","), "");
    let types = several(&|place| {
        change("a", "1", "2", "").replace(r#""type":"t""#, &format!(r#""type":"t{place}{long}""#))
    });
    let addresses = several(&|place| change(&format!("a{place}{long}"), "1", "2", ""));
    for (number, (what, plan)) in [("types", types), ("addresses", addresses)].iter().enumerate() {
        fs::write(&path, plan).expect("a file");
        let report = |form| vec!["report", "-o", form, "--fail-on", "update", "--values", "none"];
        let forms = [
            "term",
            "markdown",
            "compact",
            "html",
            "github",
            "junit",
            "sarif",
            "gitlab",
            "variables",
        ];
        let commands = forms.map(report).into_iter().chain([
            vec!["summary"],
            vec!["summary", "--format", "json"],
            vec!["audit"],
        ]);
        let tried = commands.enumerate().filter(|(at, _)| run::is_tried(at + 2 * number));
        for (_, command) in tried {
            let peak = run(&[&command[..], &[text]].concat(), &said);
            assert!(peak < BASE + 4.0, "{what}: {command:?}: {peak} MiB");
        }
    }
}

/// Reports wrap and escape texts: a line of one character, or a hidden character, becomes many
/// bytes.
#[test]
fn memory_is_bounded_where_texts_are_laid_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.json"), folder.path().join("said"));
    let text = path.to_str().expect("UTF-8");
    let pieces = [("short lines", r"a\n"), ("hidden", r"\u0001"), ("plain", "aa")];
    for (number, (what, piece)) in pieces.into_iter().enumerate() {
        let value = piece.repeat(8000);
        let members: Vec<_> = (0..520).map(|key| format!(r#""k{key}":"{value}""#)).collect();
        let plan = plan(&change("a", "{}", &format!("{{{}}}", members.join(",")), ""), "");
        fs::write(&path, &plan).expect("a file");
        let bound = BASE + 4.0 * plan.len() as f64 / MIB as f64;
        let out = |form: &str| format!("{form}={}", folder.path().join(form).display());
        let [term, markdown, html] = ["term", "markdown", "html"].map(out);
        let forms: [&[&str]; 4] =
            [&[&term], &[&markdown], &[&html], &[&term, "-o", &markdown, "-o", &html]];
        // One format for each piece by day, and all formats for one piece.
        let tried = forms[..3].iter().copied().enumerate();
        let tried = tried.filter(|(at, _)| run::is_tried_of(3, at + number));
        for (_, forms) in tried.chain((number == 0).then_some((3, forms[3]))) {
            let peak = run(&[&["report", "-o"], forms, &[text]].concat(), &said);
            assert!(peak < bound, "{what}: {forms:?}: {peak:.0} of {bound:.0} MiB");
        }
    }
}

#[test]
fn memory_is_bounded_where_documents_are_broken() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.json");
    let broken = r#"{"format_version":"1.2","resource_changes":[{"address":"a"}]}"#;
    let documents = if run::is_nightly() { 100_000 } else { 30_000 };
    fs::write(&path, vec![broken; documents].join("\n")).expect("a file");
    for form in ["markdown", "compact", "term", "html", "json"] {
        let mut command = run::plansift();
        command.args(["report", "-o", form]).arg(&path);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let (peak, _) = peak(command.spawn().expect("it starts"));
        assert!(peak < BASE, "{form}: {peak} MiB");
    }
}

/// A change that never ends, compressed to a few KB.
#[test]
fn memory_is_bounded_where_a_bomb_expands() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.json.zst"), folder.path().join("said"));
    let head = r#"{"format_version":"1.2","resource_changes":[{"address":"a","change":{"before":["#;
    let piece = zstd::encode_all("1,".repeat(MIB / 2).as_bytes(), 1).expect("it is compressed");
    let head = zstd::encode_all(head.as_bytes(), 1).expect("it is compressed");
    fs::write(&path, [head, piece.repeat(1000)].concat()).expect("a file");
    let text = path.to_str().expect("UTF-8");
    // Less than the contract allows: the run holds some 100 MiB of the change when it exceeds the
    // compression ratio.
    let bound = BASE + 4.0 * 70.0;
    for args in [&["changes", text][..], &["redact", text], &["changes", "--threads", "1", text]] {
        let peak = run(args, &said);
        assert!(peak < bound, "{args:?}: {peak} MiB");
    }
}

/// A plan file of many instances, whose plan and state are longer than what stays in memory.
fn plan_file(instances: usize) -> Vec<u8> {
    use crate::planfile::build::{Member, change, plan, resource, zip};
    let text = |text: String| [&[0xd9, text.len() as u8], text.as_bytes()].concat();
    let value = |number: usize, side: &str| {
        let input = text(format!("{side} of instance {number}, {}", "with a long text".repeat(12)));
        [&b"\x82\xa2id"[..], &text(format!("id-{number}")), b"\xa5input", &input].concat()
    };
    let name = |number: usize| {
        let number = number * 7919 % instances;
        format!("module.m[\"{}\"].test_one.a[{number}]", number / 10)
    };
    let changes = (0..instances).map(|number| {
        let (before, after) = (value(number, "before"), value(number, "after"));
        resource(&name(number), &change(3, &[&before, &after]))
    });
    let resources = (0..instances).map(|number| {
        let texts = "with a long text".repeat(12);
        format!(
            r#"{{"module":"module.m[\"{}\"]","mode":"managed","type":"test_one","name":"a",
            "provider":"provider[\"registry.terraform.io/hashicorp/test\"]","instances":[{{
            "index_key":{number},"schema_version":0,
            "attributes":{{"id":"id-{number}","input":"{texts}"}}}}]}}"#,
            number / 10
        )
    });
    let resources = resources.collect::<Vec<_>>().join(",");
    let state = format!(r#"{{"version":4,"outputs":{{}},"resources":[{resources}]}}"#);
    let plan = plan(&changes.collect::<Vec<_>>());
    zip(&[Member::new("tfplan", &plan), Member::new("tfstate", state.as_bytes())])
}

#[test]
fn memory_is_bounded_for_plan_files_of_many_instances() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.tfplan"), folder.path().join("said"));
    fs::write(&path, plan_file(20_000)).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let mut peaks = Vec::new();
    let commands: [&[&str]; 5] = [
        &["show"],
        &["summary"],
        &["changes", "--threads", "2"],
        &["redact", "--quiet"],
        &["show", "--redact", "--quiet"],
    ];
    for (number, command) in commands.into_iter().enumerate() {
        if run::is_tried_of(2, number) {
            peaks.push((command, run(&[command, &[path]].concat(), &said)));
        }
    }
    assert!(peaks.iter().all(|(_, peak)| *peak < BASE), "MiB: {peaks:?}");
}

/// A plan file of a few kilobytes that names 270 000 modules.
#[test]
fn modules_of_a_plan_file_take_little_memory() {
    use crate::planfile::build::{change, members, plan, resource, zip};
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.tfplan"), folder.path().join("said"));
    let create = change(1, &[b"\x80"]);
    let inner = "module.a.".repeat(299);
    let changes = (0..900).map(|at| resource(&format!("module.m{at}.{inner}test_a.b"), &create));
    let file = zip(&members(&plan(&changes.collect::<Vec<_>>())));
    assert!(file.len() < 100_000, "{} bytes", file.len());
    fs::write(&path, file).expect("a file");
    let peak = run(&["changes", path.to_str().expect("UTF-8")], &said);
    assert!(peak < BASE + 48.0, "{peak} MiB");
}

/// The configuration in a plan file raises the peak by at most the limit, and only its blocks take
/// more memory than its text.
#[test]
fn configurations_of_plan_files_stay_within_their_limit() {
    use crate::planfile::build::{Member, change, members, plan, resource, zip};
    const LIMIT: f64 = 64.0;
    /// Buffers for a short member of a plan file, and the difference between equal runs, in MiB.
    const SLACK: f64 = 16.0;
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.tfplan"), folder.path().join("said"));
    let plan = plan(&[resource("test_a.b", &change(1, &[b"\x80"]))]);
    let many = |pre: &str, part: &str, post: &str| {
        format!("{pre}{}{post}", part.repeat(size() / part.len()))
    };
    let peak = |command: &str, name: &str, text: &str| {
        let mut members = members(&plan);
        members.push(Member::new(&format!("tfconfig/m-/{name}"), text.as_bytes()));
        members.push(Member::new("tfconfig/modules.json", br#"[{"Key":"","Dir":"."}]"#));
        fs::write(&path, zip(&members)).expect("a file");
        let path = path.to_str().expect("UTF-8");
        run(&[command, "-q", "--limit-configuration", &format!("{LIMIT}M"), path], &said)
    };
    let commands = ["summary", "blocks"];
    let least = commands.map(|command| peak(command, "main.tf", "locals {}\n"));
    let texts = [
        ("main.tf", true, many("resource \"a\" \"b\" {\n x = a", ".b", "\n}\n")),
        ("main.tf", true, many("resource ", "a ", "{\n}\n")),
        ("main.tf", true, many("resource \"a\" \"b\" {\n", "a{}\n", "}\n")),
        ("main.tf", true, many("a = ", "\"${", "")),
        ("main.tf", true, many("", "\n", "")),
        ("main.tf", true, many("module \"m\" {\n", "source=1\n", "}\n")),
        ("main.tf", true, many("provider \"p\" {\n", "alias=\"a\"\n", "}\n")),
        ("main.tf", true, many("", "terraform {}\n", "")),
        ("main.tf", true, many("", "locals {a=1}\n", "")),
        ("main.tf", true, many("", "moved {}\n", "")),
        ("main.tf", false, many("", "module m{source=a}\n", "")),
        ("main.tf", false, many("", "data a b{c=d}\n", "")),
        ("main.tf", false, many("", "output a{}\n", "")),
        ("main.tf", false, many("check \"c\" {\n", "data a b{}\n", "}\n")),
        ("main.tf", false, many("module \"", "m", "\" {\n  source = \"./.\"\n}\n")),
        ("main.tf.json", true, many(r#"{"resource":{"a":{"b":{"x":["#, "1,", "1]}}}}")),
        ("main.tf.json", false, many(r#"{"output":{"#, r#""a":{},"#, r#""b":{}}}"#)),
        ("main.tf.json", false, many(r#"{"output":{"a":["#, "{},", "{}]}}")),
        ("main.tf.json", false, many(r#"{"check":{"c":{"assert":["#, "1,", "1]}}}")),
    ];
    // One text of two by day.
    let tried = texts.into_iter().enumerate().filter(|(at, _)| run::is_tried_of(2, *at));
    for (_, (name, is_small, text)) in tried {
        // In JSON, a string takes two buffers while its escapes are decoded.
        let factor = if name.ends_with(".json") { 3 } else { 1 };
        let text_memory = (factor * text.len()) as f64 / MIB as f64;
        for (command, least) in commands.into_iter().zip(least) {
            let rise = peak(command, name, &text) - least;
            let is_small = is_small && command == "summary";
            let limit = if is_small { text_memory.min(LIMIT) } else { LIMIT };
            assert!(rise < limit + SLACK, "{command}: {}: {rise} of {limit} MiB", &text[..20]);
        }
    }
}

/// The memory of one large change is returned to the system before another thread holds one.
#[test]
fn batches_stay_within_their_memory() {
    let size = size();
    // Four times the change, and the memory of the threads.
    let allowed = size / MIB * 4 + 96;
    let folder = tempfile::tempdir().expect("a folder");
    let (plans, out) = (folder.path().join("plans"), folder.path().join("out"));
    fs::create_dir(&plans).expect("a folder");
    let plan = plan(&change("a", &reversed("1", size / 2), &reversed("2", size / 2), ""), "");
    for number in 0..16 {
        fs::write(plans.join(format!("{number}.json")), &plan).expect("a file");
    }
    let [plans, out] = [&plans, &out].map(|path| path.to_str().expect("UTF-8"));
    let memory = format!("{allowed}M");
    let args = ["batch", "--jobs", "16", "--memory", &memory, "--out", out, plans];
    let peak = run(&args, &folder.path().join("said"));
    assert!(peak < allowed as f64, "{peak} MiB of {allowed}");
}

/// The peaks of batches of `inputs` inputs, in MiB.
fn peaks_of_batches(inputs: usize) -> Vec<(&'static str, f64)> {
    // A file system in memory: writing to a disk would take much longer than the batch itself.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folder = folder.expect("a folder");
    let said = folder.path().join("said");
    let paths = ["plans", "out", "list", "other"].map(|name| folder.path().join(name));
    let plan = plan(&change("a", "1", "2", ""), "");
    let mut list = String::new();
    fs::create_dir(&paths[0]).expect("a folder");
    for number in 0..inputs {
        let path = paths[0].join(format!("plan-{number:06}.json"));
        fs::write(&path, &plan).expect("a file");
        list += &format!("{}\n", path.display());
    }
    fs::write(&paths[2], list).expect("a file");
    let [plans, out, list, other] = paths.each_ref().map(|path| path.to_str().expect("UTF-8"));
    let batch =
        |args: &[&str]| run(&[&["batch", "--memory", "64M", "--out"], args].concat(), &said);
    let runs: [(&str, &[&str]); 3] = [
        ("a first run", &[out, plans]),
        ("a resumed run", &[out, plans]),
        ("a list", &[other, "--files-from", list]),
    ];
    // By day, one run of two: a folder without and with results, or a list.
    let tried = runs.into_iter().enumerate().filter(|(at, _)| run::is_tried_of(2, at / 2));
    tried.map(|(_, (what, args))| (what, batch(args))).collect()
}

/// Each input of a batch takes a few hundred bytes: its path, its entry in the journal, and its row
/// in the table.
#[test]
fn memory_of_a_batch_is_little_for_each_input() {
    const EACH_MAX: f64 = 500.0;
    const TRIES: usize = 3;
    // Numbers far apart, because writing threads vary by a few MiB.
    let inputs = if run::is_nightly() { [10_000, 60_000] } else { [5000, 25_000] };
    let few = peaks_of_batches(inputs[0]);
    let mut least = vec![f64::INFINITY; few.len()];
    for _ in 0..TRIES {
        for (least, (_, many)) in least.iter_mut().zip(peaks_of_batches(inputs[1])) {
            *least = least.min(many);
        }
        let each = |(many, (_, few)): (&f64, &(&str, f64))| {
            (many - few) * MIB as f64 / (inputs[1] - inputs[0]) as f64
        };
        if least.iter().zip(&few).all(|pair| each(pair) < EACH_MAX) {
            return;
        }
    }
    panic!("of {inputs:?} inputs: {few:?} MiB, and {least:?}");
}
