//! plansift gives the same records and the same error, byte for byte, with any number of threads.
//!
//! The plans are long enough for several threads, both when the reader copies elements to jobs and
//! when lookahead workers share the text. The reference is one thread.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use plansift::error::{ErrorKind, Result};
use plansift::input::{Slice, Source};
use plansift::json::Validation;
use plansift::record::{Record, RecordOptions, Show};
use plansift::report::csv::{Csv, Formulas};
use plansift::report::screen::Screen;
use plansift::report::summary::View;
use plansift::scan::Isa;
use plansift::sink::json::Json;
use plansift::sink::ndjson::Ndjson;
use plansift::sink::{Rendered, Renderer, Sink};

use crate::generated::generated;
use crate::in_memory::InMemory;
use crate::run;

/// Length of a generated plan in bytes.
const SIZE: usize = 3 << 20;

/// Creates a sink of one format.
type Format = fn(&mut Vec<u8>) -> Box<dyn Sink + '_>;

/// The output of a run, followed by its result or its error.
fn answer(source: impl Source, options: &RecordOptions, sink: Format) -> String {
    let mut out = Vec::new();
    let mut writer = sink(&mut out);
    let outcome = run::write_plan(source, "plan.json", options, writer.as_mut());
    let outcome = match outcome.and_then(|outcome| writer.finish().map(|()| outcome)) {
        Ok(outcome) => format!("{outcome:?}"),
        Err(error) => format!("{error} {:?}", error.location()),
    };
    drop(writer);
    String::from_utf8(out).expect("records are UTF-8") + &outcome
}

fn lines(out: &mut Vec<u8>) -> Box<dyn Sink + '_> {
    Box::new(Ndjson::new(out))
}

fn on_threads(options: &RecordOptions, threads: usize) -> RecordOptions {
    let mut options = options.clone();
    options.read.threads = NonZeroUsize::new(threads);
    options
}

/// Asserts that several threads give the same records as one thread. Returns the answer.
fn assert_same(plan: &[u8], options: &RecordOptions, what: &str) -> String {
    assert_same_in(plan, options, lines, what)
}

/// Asserts that several threads give the same output in a format as one thread. Returns the answer.
fn assert_same_in(plan: &[u8], options: &RecordOptions, sink: Format, what: &str) -> String {
    let expected = answer(Slice(plan), options, sink);
    for threads in [2, 3, 8] {
        let options = on_threads(options, threads);
        for (found, way) in [
            (answer(Slice(plan), &options, sink), "alone"),
            (answer(InMemory::new(plan), &options, sink), "ahead"),
        ] {
            let ends = end(&found, &expected);
            assert!(found == expected, "{what}, {threads} threads, {way}:\n{ends}");
        }
    }
    expected
}

/// The lengths and the ends of two answers, for the message of a failed assertion.
fn end(found: &str, expected: &str) -> String {
    let mut text = String::new();
    for answer in [found, expected] {
        let tail: String = answer.chars().rev().take(600).collect();
        let _ =
            writeln!(text, "{} bytes ... {}", answer.len(), tail.chars().rev().collect::<String>());
    }
    text
}

#[test]
fn no_output_format_depends_on_the_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let sinks: [Format; 4] = [
        lines,
        |out| Box::new(Json::new(out)),
        |out| Box::new(Csv::new(out, Formulas::Quoted)),
        |out| Box::new(View::new(out, Screen::FILE, None)),
    ];
    let layouts: [&[&str]; 2] = [&[], &["--indent", "--sort-keys"]];
    for (number, shape) in ["estate", "busy", "first-run"].into_iter().enumerate() {
        for layout in layouts {
            let (plan, _) = generated(folder.path(), shape, layout, SIZE);
            for show in [Show::Changes, Show::All] {
                let options = RecordOptions { show, ..RecordOptions::default() };
                for (place, sink) in sinks.into_iter().enumerate() {
                    // By day, each sink shows the changes of some plans and all of others.
                    let case = number + place + layout.len() / 2 + usize::from(show == Show::All);
                    if !run::is_tried_of(2, case) {
                        continue;
                    }
                    let what = format!("{shape} {layout:?} {show:?} sink {place}");
                    assert_same_in(&plan, &options, sink, &what);
                }
            }
        }
    }
}

#[test]
fn damaged_plans_give_the_same_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan, _) = generated(folder.path(), "estate", &["--seed", "3"], SIZE);
    let section = b"\"resource_changes\":[";
    let start = plan.windows(section.len()).position(|window| window == section).expect("changes");
    let (mut failed, rounds) = (0, if run::is_nightly() { 98 } else { 30 });
    let step = plan.len() / rounds;
    let places = (start + run::first_of(step)..plan.len()).step_by(step);
    for (round, place) in places.enumerate() {
        let mut damaged = plan.clone();
        damaged[place] = b"x\"}],\\{0"[round % 8];
        let cut = &plan[..place];
        for (text, what) in [(&damaged[..], "a byte"), (cut, "the end")] {
            for validation in [Validation::Structure, Validation::Grammar] {
                let mut options = RecordOptions::default();
                options.read.validation = validation;
                let answer = assert_same(text, &options, &format!("{what} at {place}"));
                failed += usize::from(!answer.contains("PlanOutcome"));
            }
        }
    }
    assert!(failed * 20 > 31 * rounds, "{failed} texts failed");
}

#[test]
fn invalid_elements_fail_in_document_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan, _) = generated(folder.path(), "busy", &[], SIZE);
    let plan = String::from_utf8(plan).expect("a plan is UTF-8");
    // The first replacement is an error when the element is read, the second when its row is built.
    for (from, to) in [
        ("\"actions\":[\"update\"]", "\"actions\":[\"up\",3]"),
        ("\"name\":\"", "\"name\":\"\\ud800"),
    ] {
        let places: Vec<_> = plan.match_indices(from).map(|(place, _)| place).collect();
        for share in [2, 3, 5] {
            let (place, later) =
                (places[places.len() * (share - 1) / share], places[places.len() - 1]);
            let mut wrong = plan.clone();
            wrong.replace_range(later..later + from.len(), to);
            wrong.replace_range(place..place + from.len(), to);
            assert_same(wrong.as_bytes(), &RecordOptions::default(), to);
        }
    }
}

#[test]
fn limits_stop_at_the_same_element() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan, _) = generated(folder.path(), "estate", &["--seed", "5"], SIZE);
    for limit in 1..9 {
        let mut options = RecordOptions::default();
        options.read.limits.words = limit;
        assert_same(&plan, &options, "words");
        options = RecordOptions::default();
        options.read.limits.paths = 100 * limit;
        assert_same(&plan, &options, "paths");
        options = RecordOptions::default();
        options.read.limits.string_kept = 10 * limit;
        assert_same(&plan, &options, "strings");
        options = RecordOptions::default();
        options.read.limits.change = 1000 * limit;
        assert_same(&plan, &options, "changes");
    }
}

/// Counts the rows that workers rendered, and the records that the reading thread sent.
#[derive(Default)]
struct Counting {
    /// Rows that workers rendered.
    rendered: usize,
    /// Records of the reading thread.
    plain: usize,
    /// Length in bytes of the longest text that came from a worker at once.
    longest: usize,
}

impl Sink for Counting {
    fn record(&mut self, _: &Record<'_>) -> Result<()> {
        self.plain += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn as_rendered(&mut self) -> Option<&mut dyn Rendered> {
        Some(self)
    }
}

impl Rendered for Counting {
    fn renderer(&self) -> Box<dyn Renderer> {
        struct Lines;
        impl Renderer for Lines {
            fn render(&mut self, row: &Record<'_>, text: &mut Vec<u8>) -> Result<()> {
                serde_json::to_writer(text, row).expect("memory takes everything");
                Ok(())
            }
        }
        Box::new(Lines)
    }

    fn write(&mut self, text: &[u8], rows: usize) -> Result<()> {
        self.rendered += rows;
        self.longest = self.longest.max(text.len());
        Ok(())
    }
}

#[test]
fn only_long_plans_are_split_among_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    for (size, threads, is_shared) in [(SIZE, 2, true), (SIZE, 1, false), (300 << 10, 8, false)] {
        for layout in [&[][..], &["--indent"]] {
            let (plan, _) = generated(folder.path(), "busy", layout, size);
            let options = on_threads(&RecordOptions::default(), threads);
            let mut ahead = Counting::default();
            run::write_plan(InMemory::new(&plan), "plan.json", &options, &mut ahead)
                .expect("a plan");
            let Counting { rendered, plain, .. } = ahead;
            let both = format!("{rendered} rows by others, {plain} by this one");
            assert_eq!(rendered > plain, is_shared, "{both}");
            assert!(is_shared || rendered == 0);
        }
    }
}

/// Workers also read the changes of a plan that needs no rows.
#[test]
fn workers_read_unchanged_elements() {
    struct Rows(usize);
    impl Sink for Rows {
        fn record(&mut self, _: &Record<'_>) -> Result<()> {
            self.0 += 1;
            Ok(())
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }

        fn as_rendered(&mut self) -> Option<&mut dyn Rendered> {
            Some(self)
        }
    }
    /// Counts the renderers: plansift creates one for each thread.
    impl Rendered for Rows {
        fn renderer(&self) -> Box<dyn Renderer> {
            RENDERERS.fetch_add(1, Ordering::Relaxed);
            Box::new(Nothing)
        }

        fn write(&mut self, _: &[u8], _: usize) -> Result<()> {
            Ok(())
        }
    }
    struct Nothing;
    impl Renderer for Nothing {
        fn render(&mut self, _: &Record<'_>, _: &mut Vec<u8>) -> Result<()> {
            Ok(())
        }
    }
    static RENDERERS: AtomicUsize = AtomicUsize::new(0);
    let folder = tempfile::tempdir().expect("a folder");
    let (plan, _) = generated(folder.path(), "estate", &["--no-op", "1.0"], SIZE);
    let options = on_threads(&RecordOptions::default(), 3);
    let mut rows = Rows(0);
    run::write_plan(InMemory::new(&plan), "plan.json", &options, &mut rows).expect("a plan");
    assert_eq!(RENDERERS.load(Ordering::Relaxed), 3, "{} rows", rows.0);
    assert_same(&plan, &RecordOptions::default(), "nothing changes");
}

/// Lookahead workers guess where elements begin. This plan has texts that look like the beginning
/// of an element, in every place where such a text can stand.
#[test]
fn misleading_texts_do_not_change_the_records() {
    let decoy = r#"},{"address":"x.y","mode":"managed","change":{"actions":["delete"]}}"#;
    let text = serde_json::to_string(&format!("{decoy}\"{decoy}\\")).expect("a string");
    let side = |number| {
        let list = format!(r#"[{{}}{}]"#, decoy[1..].repeat(number));
        format!(r#"{{"a":{list},"b":[{text},{list}],"n":{number}}}"#)
    };
    let sides = format!(r#""before":{},"after":{}"#, side(20), side(21));
    let decoy = |place| {
        let change = format!(r#"{{"actions":["update"],{sides}}}"#);
        format!(r#"{{"address":"a.d[{place}]","note":{text},"change":{change}}}"#)
    };
    let decoys: Vec<_> = (0..700).map(decoy).collect();
    for options in [Validation::Structure, Validation::Grammar].map(|validation| {
        let mut options = RecordOptions::default();
        options.read.validation = validation;
        options
    }) {
        let answer = assert_same(plan_of(&decoys).as_bytes(), &options, "decoys");
        assert!(answer.contains("a.d[699]") && !answer.contains("x.y"), "{}", end(&answer, ""));
    }
}

/// A plan with `modules` modules in its planned values and in an unknown section.
fn plan_with_much_to_skip(modules: usize) -> String {
    let value = r#"{"k":[{"x":"},{\"a\":","y":[[],{}]},{"x":"\\"},{"é":{"z":null}}]}"#;
    let resource = format!(r#"{{"address":"a.b","values":{value},"sensitive_values":{{}}}}"#);
    let resources = vec![resource; 12].join(",");
    let module = format!(r#"{{"resources":[{resources}],"address":"m"}}"#);
    // Some modules have child modules.
    let modules: Vec<_> = (0..modules)
        .map(|place| match place % 5 {
            0 => format!(r#"{{"child_modules":[{module},{module}],"resources":[]}}"#),
            _ => module.clone(),
        })
        .collect();
    let tree = format!(r#"{{"root_module":{{"child_modules":[{}]}}}}"#, modules.join(",\n "));
    let change = r#"{"address":"a.b","change":{"actions":["create"],"before":null,"after":{}}}"#;
    format!(
        "{{\"format_version\":\"1.2\",\"planned_values\":{tree},\"new\":{tree},\
         \"resource_changes\":[{change}]}}"
    )
}

#[test]
fn skipped_sections_give_the_same_errors() {
    let plan = plan_with_much_to_skip(1500);
    assert!(plan.len() > 5_000_000, "{} bytes", plan.len());
    let answer = assert_same(plan.as_bytes(), &RecordOptions::default(), "whole");
    assert!(answer.contains("PlanOutcome"), "{}", end(&answer, ""));
    let (mut failed, rounds) = (0, if run::is_nightly() { 120 } else { 12 });
    let step = plan.len() / rounds;
    for round in 0..rounds {
        let place = step * round + run::first_of(step);
        let mut damaged = plan.clone().into_bytes();
        damaged[place] = b"x\"}]{[\\,\x01\xff"[round % 10];
        let mut options = RecordOptions::default();
        options.read.limits.depth = if round % 7 == 0 { 9 } else { 10_000 };
        let answer = assert_same_with_lookahead(&damaged, &options);
        failed += usize::from(!answer.contains("PlanOutcome"));
    }
    assert!(failed > rounds / 2, "{failed} texts failed");
}

/// Asserts that three threads with each instruction set give the same records as one thread.
/// Returns the answer.
fn assert_same_with_lookahead(plan: &[u8], options: &RecordOptions) -> String {
    let expected = answer(Slice(plan), options, lines);
    for isa in Isa::all() {
        let mut options = on_threads(options, 3);
        options.read.isa = isa;
        let found = answer(InMemory::new(plan), &options, lines);
        assert!(found == expected, "{}:\n{}", isa.name(), end(&found, &expected));
    }
    expected
}

/// Texts whose strings look like brackets, and whose brackets look like strings. They stay valid
/// when a worker begins inside a string.
#[test]
fn misleading_strings_in_skipped_sections_give_the_same_answer() {
    let strings = r#""},{","#.repeat(500_000);
    let nested = r#"{"a":[{"b":[{},{}]},{"c":{}}]},"#.repeat(80_000);
    for filler in [strings, nested] {
        let change = r#"{"address":"a.b","change":{"actions":["delete"],"before":{}}}"#;
        let plan = format!(
            r#"{{"format_version":"1.2","new":[[{filler}0],{{}}],"resource_changes":[{change}]}}"#
        );
        let answer = assert_same_with_lookahead(plan.as_bytes(), &RecordOptions::default());
        assert!(answer.contains("PlanOutcome"), "{}", end(&answer, ""));
        for (place, with) in [(plan.len() - 9, "]"), (plan.len() / 2, "}"), (70, "}")] {
            let mut damaged = plan.clone();
            damaged.replace_range(place..=place, with);
            assert_same_with_lookahead(damaged.as_bytes(), &RecordOptions::default());
        }
    }
}

/// The section ends a few bytes before the range of a worker. The range then begins inside the
/// first change after the section.
#[test]
fn sections_of_every_length_are_skipped() {
    const SHARED: usize = 512 << 10;
    let change = |address: &str| {
        let sides = r#""before":{"k":1},"after":{"k":2}"#;
        format!(r#"{{"address":"{address}","change":{{"actions":["update"],{sides}}}}}"#)
    };
    let changes = [change("},{"), vec![change("a.b"); 300].join(",")].join(",");
    let resource = r#"{"address":"a.b","values":{"k":"v"},"sensitive_values":{}}"#;
    let resources = vec![resource; 2 * SHARED / (resource.len() + 1)].join(",");
    let step = if run::is_nightly() { 7 } else { 29 };
    for length in (2000..3000).step_by(step) {
        let filler = "x".repeat(length + run::first_of(step));
        let plan = format!(
            r#"{{"format_version":"1.2","planned_values":{{"root_module":{{"resources":[{resources},
            {{"address":"{filler}"}}]}}}},"resource_changes":[{changes}]}}"#
        );
        let answer = assert_same_with_lookahead(plan.as_bytes(), &RecordOptions::default());
        assert!(answer.contains("PlanOutcome"), "{}", end(&answer, ""));
    }
}

/// Elements that are longer than the range of a worker, between short ones.
#[test]
fn elements_longer_than_a_worker_range_are_read() {
    let long = |place: usize| {
        let filler = "y".repeat(place % 7 * 100_000);
        let sides = format!(r#""before":{{"f":"{filler}","n":1}},"after":{{"f":"{filler}"}}"#);
        format!(r#"{{"address":"a.l[{place}]","change":{{"actions":["update"],{sides}}}}}"#)
    };
    let plan = plan_of(&(0..40).map(long).collect::<Vec<_>>());
    assert_same(plan.as_bytes(), &RecordOptions::default(), "long elements");
}

/// A plan with 1500 small changes, followed by `changes`.
fn plan_of(changes: &[String]) -> String {
    let small = |place| {
        let address = format!("a.b[{place}]");
        let filler = "x".repeat(600);
        let side = |number| format!(r#"{{"f":"{filler}","n":{number}}}"#);
        let sides = format!(r#""before":{},"after":{}"#, side(1), side(2));
        format!(r#"{{"address":"{address}","change":{{"actions":["update"],{sides}}}}}"#)
    };
    let all: Vec<_> = (0..1500).map(small).chain(changes.iter().cloned()).collect();
    let changes = all.join(",");
    format!(
        r#"{{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[{changes}]}}"#
    )
}

#[test]
fn too_many_actions_fail_at_the_same_element() {
    let worded =
        |place| format!(r#"{{"address":"a.c[{place}]","change":{{"actions":["w{place}"]}}}}"#);
    let plan = plan_of(&(0..2000).map(worded).collect::<Vec<_>>());
    let answer = assert_same(plan.as_bytes(), &RecordOptions::default(), "words");
    assert!(answer.contains("resource_changes[2499]"), "{}", end(&answer, ""));
}

/// A plan with `changes` changes whose rows are many times as long as the changes: each of the
/// `depth` levels has an unknown value, and the row has the full path to each of them.
pub fn plan_of_long_rows(changes: usize, key: &str, depth: usize) -> String {
    let open = format!("{{\"{key}\":").repeat(depth);
    let deep = open + "true" + &",\"m\":true}".repeat(depth);
    let long = |place| {
        let change = format!(r#""before":{{}},"after":{{}},"after_unknown":{deep}"#);
        format!(r#"{{"address":"a.d[{place}]","change":{{"actions":["update"],{change}}}}}"#)
    };
    plan_of(&(0..changes).map(long).collect::<Vec<_>>())
}

#[test]
fn long_rows_do_not_accumulate() {
    let plan = plan_of_long_rows(300, "a_key_of_some_length", 60);
    assert_same(plan.as_bytes(), &RecordOptions::default(), "long rows");
    let options = on_threads(&RecordOptions::default(), 3);
    let mut ahead = Counting::default();
    run::write_plan(InMemory::new(plan.as_bytes()), "plan.json", &options, &mut ahead)
        .expect("a plan");
    let Counting { longest, .. } = ahead;
    assert!((1..600 << 10).contains(&longest), "{longest} bytes at once");
}

/// No thread reads on from a document that is cut off into the next document.
#[test]
fn documents_end_where_another_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan_of(&[]);
    let skipped = plan_with_much_to_skip(400);
    let run = |threads: &str, text: &str| {
        let path = folder.path().join("plans.json");
        std::fs::write(&path, text).expect("room");
        let mut command = run::plansift();
        let output = command.args(["changes", "--threads", threads]).arg(&path).output();
        let output = output.expect("it starts");
        (output.status.code(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for first in [&plan, &skipped] {
        // Cut after a comma, so that the next document could continue as an element.
        let cut = first.len() * 4 / 5 + first[first.len() * 4 / 5..].find("},{").expect("one") + 2;
        for second in [&plan, &skipped] {
            for limit in [&first[..cut], first] {
                let text = format!("{limit}\n{second}");
                let one = run("1", &text);
                assert_eq!(one, run("3", &text), "{} and {}", limit.len(), second.len());
            }
        }
    }
}

/// A writer that accepts a number of bytes, and then fails because its storage is full.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_output_that_is_full_ends_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan, _) = generated(folder.path(), "busy", &[], SIZE);
    for room in [0, 1 << 10, 70 << 10, 100 << 10] {
        let mut sink = Ndjson::new(Full(room));
        let options = on_threads(&RecordOptions::default(), 3);
        let outcome = run::write_plan(Slice(&plan), "plan.json", &options, &mut sink);
        let error = outcome.expect_err("there is no room").kind();
        assert_eq!(error, ErrorKind::Write);
    }
}
