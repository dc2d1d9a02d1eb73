//! Hostile, truncated and damaged input: an error with a location or a complete answer. Never a
//! panic, and never a shorter answer that looks complete.

mod compressed;
pub mod sample;

use plansift::error::{Error, ErrorKind, Result};
use plansift::input::{self, Input, Slice, Source};
use plansift::json::Validation;
use plansift::limits::Limit;
use plansift::plan::WrongDocument;
use plansift::record::{PlanOutcome, Record, RecordOptions};
use plansift::sink::Sink;
use proptest::prelude::*;

use crate::run;
use sample::PLAN;

/// Summary of an answer, for tests that do not compare records.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shape {
    records: usize,
    summaries: usize,
    ends_in_summary: bool,
}

impl Sink for Shape {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.ends_in_summary = matches!(record, Record::Summary(_));
        self.summaries += usize::from(self.ends_in_summary);
        self.records += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

fn options(validation: Validation) -> RecordOptions {
    let mut options = run::all();
    options.read.validation = validation;
    options
}

/// Sifts a text. Asserts what holds for all inputs: a complete plan ends in exactly one summary, a
/// failed one has none.
fn outcome_of(source: impl Source, options: &RecordOptions) -> Result<Shape> {
    let mut shape = Shape::default();
    match run::write_plan(source, "plan.json", options, &mut shape) {
        Ok(_) => {
            assert!(shape.ends_in_summary && shape.summaries == 1, "{shape:?}");
            Ok(shape)
        }
        Err(error) => {
            assert_eq!(shape.summaries, 0, "{error}");
            Err(error)
        }
    }
}

fn both_levels(text: &[u8]) -> [Result<Shape>; 2] {
    [Validation::Structure, Validation::Grammar]
        .map(|validation| outcome_of(Slice(text), &options(validation)))
}

#[test]
fn a_plan_cut_at_any_byte_is_an_error() {
    for end in 0..PLAN.len() {
        for result in both_levels(&PLAN.as_bytes()[..end]) {
            let Err(error) = result else { panic!("whole at {end} of {}", PLAN.len()) };
            if error.fault::<WrongDocument>().is_some() {
                assert!(end < 25, "too little is left to be a plan: {end}, {error}");
                continue;
            }
            // The error for a truncated escape, literal or character points at its first byte.
            let place = error.location().expect("a place").offset as usize;
            assert!((end.saturating_sub(12)..=end).contains(&place), "{end}: {error}");
            let in_token = matches!(
                error.kind(),
                ErrorKind::Escape | ErrorKind::Literal | ErrorKind::Number | ErrorKind::Encoding
            );
            assert!(in_token || error.kind() == ErrorKind::Truncated, "{end}: {error}");
        }
    }
}

#[test]
fn removing_one_byte_gives_a_plan_or_an_error() {
    let mut whole = 0;
    for at in 0..PLAN.len() {
        let text = [&PLAN.as_bytes()[..at], &PLAN.as_bytes()[at + 1..]].concat();
        let [visited, everything] = both_levels(&text);
        whole += usize::from(visited.is_ok());
        assert!(visited.is_ok() || everything.is_err(), "{at}: only --strict takes it");
    }
    assert!(whole > PLAN.len() / 4, "most letters of names can go: {whole}");
}

#[test]
fn replacing_one_byte_gives_a_plan_or_an_error() {
    for (number, hostile) in b"\"\\{}[],:\0\n\x1b\x7f\x80\xc3\xff0ue-".iter().copied().enumerate() {
        for at in (0..PLAN.len()).filter(|at| run::is_tried(at + number)) {
            let mut text = PLAN.as_bytes().to_vec();
            text[at] = hostile;
            let [visited, everything] = both_levels(&text);
            assert!(visited.is_ok() || everything.is_err(), "{at}: only --strict takes it");
            if text == PLAN.as_bytes() {
                assert!(everything.is_ok());
            } else if matches!(hostile, 0x80 | 0xc3 | 0xff) {
                let replaced_alike = PLAN.as_bytes()[at] >= 0x80;
                assert!(visited.is_err() || replaced_alike, "{at}: {hostile:#x} is no text");
            }
        }
    }
}

#[test]
fn two_plans_in_one_input_are_an_error() {
    for between in ["", "\n", "\r\n\r\n", " "] {
        for result in both_levels([PLAN, PLAN].join(between).as_bytes()) {
            assert_eq!(result.map_err(|error| error.kind()), Err(ErrorKind::Trailing));
        }
    }
}

fn kind(text: &str) -> std::result::Result<usize, ErrorKind> {
    let [visited, everything] = both_levels(text.as_bytes())
        .map(|result| result.map(|shape| shape.records).map_err(|error: Error| error.kind()));
    assert_eq!(visited, everything);
    visited
}

#[test]
fn duplicate_keys_are_errors_wherever_keys_are_looked_up() {
    let of = |element: &str| sample::of_changes(1, |_| element.to_owned());
    for text in [
        r#"{"format_version":"1.2","resource_changes":[],"resource_changes":[]}"#.to_owned(),
        r#"{"format_version":"1.2","format_version":"1.2","resource_changes":[]}"#.to_owned(),
        r#"{"format_version":"1.2","resource_changes":[],"prior_state":1,"prior_state":2}"#.into(),
        r#"{"format_version":"1.2","resource_changes":[],"resource\u005fchanges":[]}"#.to_owned(),
        of(r#"{"address":"a.b","address":"a.c","change":{"actions":["create"]}}"#),
        of(r#"{"address":"a.b","change":{"actions":["no-op"]},"change":{"actions":["delete"]}}"#),
        of(r#"{"address":"a.b","change":{"actions":["create"],"actions":["no-op"]}}"#),
        sample::update(r#"{"k":1,"k":2}"#, r#"{"k":1}"#),
        sample::update(r#"{"k":1}"#, r#"{"k":1,"\u006b":2}"#),
        sample::update(r#"{"a":[{"k":1,"l":1,"k":1}]}"#, r#"{"a":[{"k":2}]}"#),
    ] {
        assert_eq!(kind(&text), Err(ErrorKind::DuplicateKey), "{text}");
    }
}

fn paths_changed(outcome: &PlanOutcome) -> u64 {
    outcome.summary.paths.expect("paths were looked at").changed
}

/// Width of the inputs for which quadratic time would show.
const WIDE: usize = 100_000;

#[test]
fn objects_of_many_keys_are_read() {
    let members = |value: usize| -> String {
        let members: Vec<_> = (0..WIDE).map(|key| format!(r#""k{key}":{value}"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let plan = sample::update(&members(1), &members(2));
    let (records, outcome) = run::records(Slice(plan.as_bytes()), &run::all()).expect("a plan");
    assert_eq!(paths_changed(&outcome), WIDE as u64);
    let changed = records[1]["changed"].as_array().expect("paths");
    assert!(changed.len() == WIDE && changed[0] == "k0" && changed[WIDE - 1] == "k99999");
}

#[test]
fn keys_in_opposite_orders_are_matched() {
    let members = |keys: &mut dyn Iterator<Item = usize>| -> String {
        let members: Vec<_> = keys.map(|key| format!(r#""k{key}":{key}"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let plan = sample::update(&members(&mut (0..WIDE)), &members(&mut (0..WIDE).rev()));
    let (_, outcome) = run::records(Slice(plan.as_bytes()), &run::all()).expect("a plan");
    assert_eq!(paths_changed(&outcome), 0);
}

#[test]
fn lists_and_sections_of_many_elements_are_read() {
    assert_eq!(kind(&sample::of_changes(WIDE, sample::create)), Ok(WIDE + 2));
    let list = |value: &str| format!("[{}]", vec![value; WIDE].join(","));
    let plan = sample::update(&list(r#"{"a":1}"#), &list(r#"{"a":2}"#));
    let (_, outcome) = run::records(Slice(plan.as_bytes()), &run::all()).expect("a plan");
    assert_eq!(paths_changed(&outcome), WIDE as u64);
}

#[test]
fn many_unknown_top_level_keys_are_skipped() {
    let keys: Vec<_> = (0..WIDE).map(|key| format!(r#""k{key}":[]"#)).collect();
    let plan = format!(r#"{{"format_version":"1.2",{},"resource_changes":[]}}"#, keys.join(","));
    assert_eq!(kind(&plan), Ok(2));
}

#[test]
fn strings_longer_than_any_window_are_read() {
    let long = "x\\n".repeat(2_000_000);
    let plan = sample::update(&format!(r#"{{"k":"{long}"}}"#), r#"{"k":"x"}"#);
    for len in [100_000, 5_000_000] {
        // Also through a reader, whose buffer has to grow.
        let reader = Box::new(std::io::Cursor::new(plan.clone().into_bytes()));
        let limits = plansift::limits::Limits::default();
        let input =
            Input::from_reader(reader, &input::InputOptions { limits, ..Default::default() })
                .expect("a reader");
        assert_eq!(outcome_of(input, &run::all()).expect("a plan").records, 3);
        let skipped = format!(
            r#"{{"format_version":"1.2","prior_state":"{}","resource_changes":[]}}"#,
            "y".repeat(len)
        );
        assert_eq!(kind(&skipped), Ok(2));
    }
}

/// Three plans with `depth` open brackets, each in a different place.
fn deep(depth: usize) -> [String; 3] {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let in_objects =
        |levels: usize| format!(r#"{}1{}"#, r#"{"k":"#.repeat(levels), "}".repeat(levels));
    // The document itself is one level. A value of a change is inside four levels: the document,
    // the list, the element and the change.
    [
        format!(
            r#"{{"format_version":"1.2","prior_state":{},"resource_changes":[]}}"#,
            nested(depth - 1)
        ),
        sample::update(&nested(depth - 4), &nested(depth - 4)),
        sample::update(&in_objects(depth - 4), &in_objects(depth - 4)),
    ]
}

#[test]
fn depth_is_taken_up_to_its_limit_and_not_beyond() {
    for plan in deep(10_000) {
        assert!(kind(&plan).is_ok());
    }
    for plan in deep(10_001) {
        let limit = ErrorKind::Limit { limit: Limit::Depth, value: 10_000 };
        assert_eq!(kind(&plan), Err(limit));
    }
}

#[test]
fn a_raised_limit_on_depth_does_not_run_out_of_stack() {
    const DEPTH: usize = 1_000_000;
    for validation in [Validation::Structure, Validation::Grammar] {
        let mut options = options(validation);
        options.read.limits.depth = DEPTH as u64;
        for plan in deep(DEPTH) {
            assert!(outcome_of(Slice(plan.as_bytes()), &options).is_ok(), "{validation:?}");
        }
    }
    // Brackets that are never closed.
    let open = format!(r#"{{"format_version":"1.2","x":{}"#, "[{\"a\":".repeat(DEPTH));
    let limit = ErrorKind::Limit { limit: Limit::Depth, value: 10_000 };
    assert_eq!(kind(&open), Err(limit));
}

#[test]
fn a_change_at_the_bottom_of_a_deep_value_has_its_path() {
    let levels = 5_000;
    let value = |leaf: u8| format!(r#"{}{leaf}{}"#, r#"{"k":"#.repeat(levels), "}".repeat(levels));
    let plan = sample::update(&value(1), &value(2));
    let (records, _) = run::records(Slice(plan.as_bytes()), &run::all()).expect("a plan");
    let path = records[1]["changed"][0].as_str().expect("a path");
    assert_eq!(path, vec!["k"; levels].join("."));
}

/// Tokens for random documents.
const TOKENS: [&str; 26] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u",
    "\"a\"",
    "null",
    "true",
    "-1e5",
    "0",
    " ",
    "\n",
    "\"format_version\":\"1.2\"",
    "\"resource_changes\":",
    "\"change\":",
    "\"actions\":",
    "[\"update\"]",
    "\"address\":\"a.b\"",
    "\"before\":",
    "\"after\":",
    "é",
    "\"after_unknown\":",
];

proptest! {
    #![proptest_config(run::property(3000))]

    #[test]
    fn random_bytes_give_plans_or_errors(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = both_levels(&bytes);
    }

    #[test]
    fn random_tokens_give_plans_or_errors(
        tokens in proptest::collection::vec(0..TOKENS.len(), 0..60),
    ) {
        let text: String = tokens.iter().map(|&token| TOKENS[token]).collect();
        let _ = both_levels(text.as_bytes());
        let _ = both_levels(sample::update(&text, "{}").as_bytes());
        let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{text}]}}"#);
        let _ = both_levels(plan.as_bytes());
    }

    #[test]
    fn random_damage_gives_plans_or_errors(
        damage in proptest::collection::vec((0..PLAN.len(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let mut text = PLAN.as_bytes().to_vec();
        for (at, byte, how) in damage {
            let at = at.min(text.len() - 1);
            match how {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => drop(text.drain(at..(at + usize::from(byte)).min(text.len() - 1))),
            }
        }
        let [visited, everything] = both_levels(&text);
        prop_assert!(visited.is_ok() || everything.is_err());
    }
}
