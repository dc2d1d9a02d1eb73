//! plansift gives the same records, byte for byte, with every kernel, from every kind of input, and
//! for any split into windows.
//!
//! The reference is the scalar kernel on the whole text in one window.

mod alone;
pub mod forms;
mod inputs;
pub mod threads;

use std::io::Cursor;
use std::process::Stdio;

use plansift::error::{ErrorKind, Result};
use plansift::input::{self, Input, Mapping, Slice, Source};
use plansift::json::Validation;
use plansift::limits::Limits;
use plansift::record::{RecordOptions, Show};
use plansift::scan::Isa;
use plansift::sink::Sink;
use plansift::sink::ndjson::Ndjson;
use proptest::prelude::*;
use serde_json::Value;

use crate::hostile::sample::{self, PLAN};
use crate::in_memory::Cut;
use crate::run;

/// The output for a text, or the kind, cause and location of its error.
type Answer = std::result::Result<String, (ErrorKind, String, Option<(u64, String)>)>;

fn answer(source: impl Source, options: &RecordOptions) -> Answer {
    let mut out = Vec::new();
    let written = || -> Result<()> {
        let mut sink = Ndjson::new(&mut out);
        run::write_plan(source, "plan.json", options, &mut sink)?;
        sink.finish()
    }();
    match written {
        Ok(()) => Ok(String::from_utf8(out).expect("records are UTF-8")),
        Err(error) => {
            let place = error.location().map(|place| (place.offset, place.path.to_owned()));
            Err((error.kind(), format!("{:?}", error.cause()), place))
        }
    }
}

/// Options for each kernel at each level of validation.
fn all_options() -> Vec<RecordOptions> {
    let levels = [Validation::Structure, Validation::Grammar];
    let mut all = Vec::new();
    for isa in Isa::all() {
        for validation in levels {
            let mut options = RecordOptions { show: Show::All, ..RecordOptions::default() };
            options.read.isa = isa;
            options.read.validation = validation;
            all.push(options);
        }
    }
    all
}

fn reference_options(validation: Validation) -> RecordOptions {
    let mut options = RecordOptions { show: Show::All, ..RecordOptions::default() };
    options.read.isa = Isa::named("scalar").expect("every processor has it");
    options.read.validation = validation;
    options
}

fn expected(text: &str) -> String {
    answer(Slice(text.as_bytes()), &reference_options(Validation::Structure))
        .expect("the text is a plan")
}

#[test]
fn every_kernel_and_level_gives_the_same_answer() {
    let expected = expected(PLAN);
    assert!(expected.ends_with("}\n") && expected.lines().count() > 14, "{expected}");
    for options in all_options() {
        assert_eq!(answer(Slice(PLAN.as_bytes()), &options).as_ref(), Ok(&expected), "{options:?}");
    }
}

#[test]
fn every_cut_into_two_windows_gives_the_same_answer() {
    let expected = expected(PLAN);
    for (number, options) in all_options().into_iter().enumerate() {
        // By day, each kernel and level cuts at one place of two.
        for cut in (1..PLAN.len()).filter(|cut| run::is_tried_of(2, cut + number)) {
            let lengths = [cut, PLAN.len()];
            let answer = answer(Cut::new(PLAN.as_bytes(), &lengths), &options);
            assert_eq!(answer.as_ref(), Ok(&expected), "cut at {cut}, {options:?}");
        }
    }
}

#[test]
fn windows_of_any_one_length_give_the_same_answer() {
    let expected = expected(PLAN);
    for options in all_options() {
        for len in [1, 2, 3, 7, 63, 64, 65, 127, 128, 1000, 4095, 4096, 4097] {
            let answer = answer(Cut::new(PLAN.as_bytes(), &[len]), &options);
            assert_eq!(answer.as_ref(), Ok(&expected), "windows of {len}, {options:?}");
        }
    }
}

/// The limit on strings counts a key up to its colon, including the space before the colon.
#[test]
fn space_before_a_colon_counts_toward_the_key_limit() {
    let text = format!(r#"{{"format_version"{}:"1.2","resource_changes":[]}}"#, " ".repeat(9000));
    for validation in [Validation::Structure, Validation::Grammar] {
        let mut options = reference_options(validation);
        assert!(answer(Slice(text.as_bytes()), &options).is_ok());
        for limit in [14, 100, 5000, 9013, 9014] {
            options.read.limits.string_kept = limit;
            let expected = answer(Slice(text.as_bytes()), &options);
            let is_limit = matches!(&expected, Err((ErrorKind::Limit { .. }, _, Some((2, _)))));
            assert_eq!(is_limit, limit < 9015, "{limit}: {expected:?}");
            for len in [1, 100, 4096] {
                let cut = answer(Cut::new(text.as_bytes(), &[len]), &options);
                assert_eq!(cut, expected, "{limit}, windows of {len}");
            }
        }
    }
}

/// Bytes that replace bytes of the plan. Together they cause every error.
const DAMAGE: &[u8] = b"\"\\{}],:x \x01\xff0";

#[test]
fn errors_are_the_same_for_every_kernel_and_cut() {
    for validation in [Validation::Structure, Validation::Grammar] {
        for at in (0..PLAN.len()).filter(|at| run::is_tried(*at)) {
            let mut text = PLAN.as_bytes().to_vec();
            // The places that are tried by day have every kind of damage, too.
            text[at] = DAMAGE[(at + at / 4) % DAMAGE.len()];
            let expected = answer(Slice(&text), &reference_options(validation));
            for options in all_options() {
                if options.read.validation != validation {
                    continue;
                }
                assert_eq!(answer(Slice(&text), &options), expected, "{at}, {options:?}");
                for len in [1, 100] {
                    let cut = answer(Cut::new(&text, &[len]), &options);
                    assert_eq!(cut, expected, "{at} in windows of {len}, {options:?}");
                }
            }
        }
    }
}

#[test]
fn a_truncated_input_fails_at_the_same_byte_in_every_cut() {
    for end in 0..PLAN.len() {
        let text = &PLAN.as_bytes()[..end];
        let expected = answer(Slice(text), &reference_options(Validation::Structure));
        for len in [1, 64, 100] {
            let options = reference_options(Validation::Structure);
            assert_eq!(answer(Cut::new(text, &[len]), &options), expected, "{end} by {len}");
        }
    }
}

type SetLimit = fn(&mut Limits, u64);

/// Limits on the content of a text, each with values around the smallest that accepts the plan.
const LIMITS: [(SetLimit, &[u64]); 4] = [
    (|limits, to| limits.depth = to, &[1, 3, 6, 7, 8, 9]),
    (|limits, to| limits.change = to, &[1, 63, 64, 200, 300, 400, 500]),
    (|limits, to| limits.string_kept = to, &[1, 14, 16, 17, 27, 28, 30]),
    (|limits, to| limits.string_skipped = to, &[1, 4, 10, 12, 20, 30, 40]),
];

#[test]
fn limits_hold_at_the_same_byte_in_every_cut() {
    for (set, values) in LIMITS {
        for &value in values {
            let mut options = reference_options(Validation::Structure);
            set(&mut options.read.limits, value);
            let whole = answer(Slice(PLAN.as_bytes()), &options);
            for len in [1, 64, 100, 1000] {
                let cut = answer(Cut::new(PLAN.as_bytes(), &[len]), &options);
                assert_eq!(cut, whole, "in windows of {len}, {:?}", options.read.limits);
            }
        }
    }
}

#[test]
fn files_and_readers_have_the_same_limit_on_documents() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("plan.json");
    std::fs::write(&path, PLAN).expect("a file");
    let len = PLAN.len() as u64;
    for value in [1, 64, 2000, len - 1, len] {
        let mut options = reference_options(Validation::Structure);
        options.read.limits.document = value;
        let opened = |mapping| {
            let input = Input::open_file(
                &path,
                &input::InputOptions { limits: options.read.limits, mapping, ..Default::default() },
            );
            answer(input.expect("a file"), &options)
        };
        assert_eq!(opened(run::mapped()), opened(Mapping::NEVER), "{value}");
        assert_eq!(opened(run::mapped()).is_ok(), value >= len, "{value}");
    }
}

proptest! {
    #![proptest_config(run::property(400))]

    #[test]
    fn any_cuts_give_the_same_answer(
        lengths in proptest::collection::vec(1..300_usize, 1..40),
        which in 0..all_options().len(),
    ) {
        let options = &all_options()[which];
        let answer = answer(Cut::new(PLAN.as_bytes(), &lengths), options);
        prop_assert_eq!(answer, Ok(expected(PLAN)));
    }

    #[test]
    fn any_cuts_of_long_strings_give_the_same_answer(
        lengths in proptest::collection::vec(1..3000_usize, 1..20),
        which in 0..all_options().len(),
        fill in proptest::collection::vec(0..FILLS.len(), 1..400),
    ) {
        let text: String = fill.iter().map(|&index| FILLS[index]).collect();
        let plan = sample::update(&format!(r#"{{"k":"{text}"}}"#), r#"{"k":""}"#);
        let options = &all_options()[which];
        let cut = answer(Cut::new(plan.as_bytes(), &lengths), options);
        prop_assert_eq!(cut, Ok(expected(&plan)));
    }
}

/// Parts of strings that look like something else when a window ends inside them.
const FILLS: [&str; 9] = [
    "\\\\",
    "\\\"",
    "\\u00e9",
    "\\ud83d\\ude00",
    "é😀",
    "{[",
    "}],:",
    "plain text ",
    "\\\\\\\\\\\"",
];

#[test]
fn every_encoding_and_compression_gives_the_same_answer() {
    let text = PLAN;
    let half = text.len() / 2;
    let halves = |form: fn(&[u8]) -> Vec<u8>| {
        [form(&text.as_bytes()[..half]), form(&text.as_bytes()[half..])].concat()
    };
    let all: [(&str, Vec<u8>); 10] = [
        ("plain", text.into()),
        ("marked", forms::utf8_with_bom(text)),
        ("utf-16 le", forms::utf16_le(text)),
        ("utf-16 be", forms::utf16_be(text)),
        ("gzip", forms::gzip(text.as_bytes())),
        ("two gzip members", halves(forms::gzip)),
        ("zstd", forms::zstd(text.as_bytes())),
        ("two zstd frames", halves(forms::zstd)),
        ("utf-16 in gzip", forms::gzip(&forms::utf16_le(text))),
        ("marked in zstd", forms::zstd(&forms::utf8_with_bom(text))),
    ];
    let directory = tempfile::tempdir().expect("a directory");
    let expected = expected(text);
    for (name, form) in all {
        let path = directory.path().join("plan.json");
        std::fs::write(&path, &form).expect("a file");
        for options in all_options() {
            let limits = &options.read.limits;
            let opened = |mapping| {
                Input::open_file(
                    &path,
                    &input::InputOptions { limits: *limits, mapping, ..Default::default() },
                )
                .expect("a file")
            };
            let read = Input::from_reader(
                Box::new(Cursor::new(form.clone())),
                &input::InputOptions { limits: *limits, ..Default::default() },
            );
            for (way, input) in [
                ("mapped", opened(run::mapped())),
                ("read", opened(Mapping::NEVER)),
                ("any reader", read.expect("a reader")),
            ] {
                assert_eq!(answer(input, &options).as_ref(), Ok(&expected), "{name}, {way}");
            }
        }
    }
}

#[test]
fn the_binary_gives_the_same_output_for_every_kind_of_input() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("plan.json");
    std::fs::write(&path, PLAN).expect("a file");
    let file = || std::fs::File::open(&path).expect("a file");
    let run = |variable: &str, args: &[&str], stdin: Stdio| {
        let mut command = run::plansift();
        command.current_dir(directory.path()).args(args).stdin(stdin);
        let output = command.env("PLANSIFT_ISA", variable).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).expect("records are UTF-8")
    };
    let expected = expected(PLAN);
    for isa in Isa::all() {
        for args in [
            &["changes", "--all", "plan.json"][..],
            &["changes", "--all", "--strict", "plan.json"],
            &["changes", "--all", "--no-mmap", "plan.json"],
        ] {
            assert_eq!(run(isa.name(), args, Stdio::null()), expected, "{args:?}");
        }
    }
    let expected = expected.replacen(r#""source":"plan.json""#, r#""source":"-""#, 1);
    for args in [&["changes", "--all"][..], &["changes", "--all", "-"]] {
        assert_eq!(run("scalar", args, Stdio::from(file())), expected, "{args:?}");
        let piped = run::piped(args, PLAN.as_bytes());
        assert_eq!(String::from_utf8_lossy(&piped.stdout), expected, "{args:?}");
    }
}

/// Output of a CI wrapper before and after a plan.
const BEFORE: &str = "[command]/bin/terraform show -json p\n::debug::\"a\"\n";
const AFTER: &str = "::debug::exitcode: 0\n";

#[test]
fn wrapper_text_is_skipped_in_every_cut() {
    // plansift counts the line feed to the document, also without text around the plan.
    let plan = format!("{PLAN}\n");
    let expected = expected(&plan);
    let text = [BEFORE, &plan, AFTER].concat();
    let options = reference_options(Validation::Structure);
    assert_eq!(answer(Slice(text.as_bytes()), &options).as_ref(), Ok(&expected));
    let around = (1..BEFORE.len() + 200).chain(text.len() - 200..text.len());
    for cut in around {
        let answer = answer(Cut::new(text.as_bytes(), &[cut, text.len()]), &options);
        assert_eq!(answer.as_ref(), Ok(&expected), "cut at {cut}");
    }
}

#[test]
fn wrapper_text_is_skipped_before_plans_of_any_size() {
    let options = reference_options(Validation::Structure);
    for changes in [1, 100, 1000, 30_000] {
        let plan = sample::of_changes(changes, sample::create) + "\n";
        let text = [BEFORE, &plan, AFTER].concat();
        let expected = expected(&plan);
        for len in [1000, 60_000, 1 << 20, text.len()] {
            let answer = answer(Cut::new(text.as_bytes(), &[len]), &options);
            let is_same = answer.as_ref() == Ok(&expected);
            assert!(is_same, "{} bytes in windows of {len}: {:?}", text.len(), answer.err());
        }
    }
}

/// A copy of a value with the keys of all objects sorted.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(sorted).collect(),
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            members.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        scalar => scalar.clone(),
    }
}

#[test]
fn sorted_keys_give_the_same_records_in_another_order() {
    let native: Value = serde_json::from_str(PLAN).expect("the plan is JSON");
    let lines = |value: &Value| -> Vec<String> {
        // Records copy `importing` with the order of its keys. In this plan, they are sorted.
        let text = value.to_string();
        expected(&text).lines().map(str::to_owned).collect()
    };
    let (native, sorted) = (lines(&native), lines(&sorted(&native)));
    assert_eq!(native.first(), sorted.first(), "the `plan` record");
    assert_eq!(native.last(), sorted.last(), "the `summary` record");
    let in_order = |mut lines: Vec<String>| {
        lines.sort_unstable();
        lines
    };
    assert_ne!(native, sorted, "the sections stand in another order");
    assert_eq!(in_order(native), in_order(sorted));
}
