//! The same findings, counts and errors from any number of threads. The reference is one thread.

use std::num::NonZeroUsize;

use plansift::audit::{AuditOptions, audit};
use plansift::error::Result;
use plansift::input::{Slice, Source};
use plansift::plan::{self, Accepts, Documents};
use plansift::secret::{self, Collecting, EchoOf};
use plansift::sink::Sink;
use plansift::sink::ndjson::Ndjson;

use crate::generated::generated;
use crate::in_memory::InMemory;
use crate::redaction::long::{SIZE, plan, planned_values};
use crate::run;

fn options() -> AuditOptions {
    let read = plan::PlanOptions::default();
    let secret = secret::SecretOptions { read, echo: EchoOf::Whole, echo_min: 8, names: None };
    AuditOptions { secret, echoes: true, suspects: true }
}

fn on_threads(options: &AuditOptions, threads: usize) -> AuditOptions {
    let mut options = options.clone();
    options.secret.read.threads = NonZeroUsize::new(threads);
    options
}

/// The findings as NDJSON, and the result or error at the end.
fn answer<S: Source>(open: impl Fn() -> S, options: &AuditOptions) -> (String, String) {
    let mut out = Vec::new();
    let mut audited = || -> Result<_> {
        let mut documents = Documents::only(open(), &options.secret.read);
        let mut collecting = Collecting::new(|| Ok(open()), Accepts::States);
        let mut sink = Ndjson::new(&mut out);
        let audited =
            audit(&mut documents, &mut collecting, "plan.json".into(), options, &mut sink)?;
        sink.finish()?;
        Ok(audited)
    };
    let end = match audited() {
        Ok(audited) => format!("{audited:?}"),
        Err(error) => format!("{error} {:?}", error.location()),
    };
    (String::from_utf8(out).expect("UTF-8"), end)
}

/// Asserts that any number of threads gives the answer of one thread. Returns the findings, and the
/// result or error at the end.
fn assert_same_on_threads(text: &[u8], options: &AuditOptions, what: &str) -> (String, String) {
    let (findings, end) = answer(|| Slice(text), options);
    for &threads in run::thread_counts() {
        let found = answer(|| InMemory::new(text), &on_threads(options, threads));
        assert_eq!(found.1, end, "{what}, {threads} threads");
        assert!(found.0 == findings, "{what}, {threads} threads: something else is told");
    }
    (findings, end)
}

#[test]
fn findings_do_not_depend_on_threads_for_any_plan_shape() {
    let folder = tempfile::tempdir().expect("a folder");
    let shapes =
        [("estate", &[][..]), ("busy", &[]), ("first-run", &[]), ("estate", &["--indent"])];
    for (number, (shape, layout)) in shapes.into_iter().enumerate() {
        let (plan, _) = generated(folder.path(), shape, layout, SIZE);
        for (at, echo) in [EchoOf::Whole, EchoOf::Encoded].into_iter().enumerate() {
            // By day, each shape is tried with one of the two ways to search.
            if !run::is_tried_of(2, number + at) {
                continue;
            }
            let mut options = options();
            options.secret.echo = echo;
            let (findings, end) =
                assert_same_on_threads(&plan, &options, &format!("{shape} {layout:?}"));
            assert!(end.starts_with("Audited") && findings.lines().count() > 1000, "{end}");
        }
    }
}

#[test]
fn findings_in_nested_modules_do_not_depend_on_threads() {
    // The largest depth is beyond what lookahead workers expect. Some values are already masked; an
    // audit reports none of those.
    for depth in [1, 5, 14] {
        let plan = plan(&planned_values(800, depth));
        let plan =
            plan.replace("\"password\":\"a secret text 9\"", "\"password\":\"(sensitive value)\"");
        let (findings, end) =
            assert_same_on_threads(plan.as_bytes(), &options(), &format!("{depth} deep"));
        assert!(end.starts_with("Audited") && !end.contains("unmarked: 0"), "{end}");
        assert!(["marked", "echo", "equal"].iter().all(|kind| findings.contains(kind)), "{depth}");
    }
}

/// Lookahead workers see a different key, so their share of the findings can be counted.
#[test]
fn lookahead_workers_do_most_of_the_work() {
    let text = plan(&planned_values(2000, 4));
    let other = text.replace("\"other\":\"a secret", "\"OTHER\":\"a secret");
    let open = || InMemory::two_faced(text.as_bytes(), other.as_bytes());
    let (findings, end) = answer(open, &on_threads(&options(), 3));
    assert!(end.starts_with("Audited"), "{end}");
    let theirs = findings.matches("values.OTHER").count();
    let all = theirs + findings.matches("values.other").count();
    assert!(theirs * 10 > all * 7, "{theirs} of {all}");
}

/// A few pieces have so many findings that the lookahead workers leave the rest to the reader.
#[test]
fn many_findings_under_long_keys_do_not_depend_on_threads() {
    let key = "k".repeat(900);
    let list = vec!["\"a secret text 3\""; 60].join(",");
    let resource = |place| {
        let values = format!(r#"{{"{key}":[{list}],"n":{place}}}"#);
        format!(r#"{{"address":"a.r[{place}]","values":{values},"sensitive_values":{{}}}}"#)
    };
    let count = if run::is_nightly() { 1500 } else { 600 };
    let resources: Vec<_> = (0..count).map(resource).collect();
    let plan = plan(&format!(r#"{{"root_module":{{"resources":[{}]}}}}"#, resources.join(",")));
    let (findings, end) = assert_same_on_threads(plan.as_bytes(), &options(), "long keys");
    assert!(end.starts_with("Audited"), "{end}");
    // Each resource occurs twice: in the planned values and in the prior state.
    assert!(findings.lines().count() > 2 * count * 60 && findings.len() > count * 69_906);
}

/// A worker that starts inside a long piece continues after the comma behind that piece. It does
/// not see the space before the comma.
#[test]
fn the_limit_applies_to_white_space() {
    let text = plan(&planned_values(800, 1));
    let comma = |from: usize| from + text[from..].find("},{\"address\":\"a.r").expect("two") + 1;
    let long = format!(r#"{{"address":"a.l","values":{{"l":"{}"}}}}"#, "l".repeat(200 << 10));
    let [before, behind] = [210 << 10, 100].map(|len| " ".repeat(len));
    let len = (before.len() + behind.len() + 1) as u64;
    // Starts at several offsets inside the long piece.
    for shift in 0..7 {
        let (start, end) = text.split_at(comma(text.len() / 4 + shift * (40 << 10)));
        let text = format!("{start},{long}{before},{behind}{}", &end[1..]);
        for (limit, is_enough) in [(len - 1, false), (len + 1, true)] {
            let mut options = options();
            options.secret.read.limits.change = limit;
            let (_, end) =
                assert_same_on_threads(text.as_bytes(), &options, &format!("{shift}, {limit}"));
            assert_eq!(end.starts_with("Audited"), is_enough, "{end}");
        }
    }
}

#[test]
fn damaged_plans_give_the_same_error() {
    let text = plan(&planned_values(800, 3));
    let (mut failed, rounds) = (0, if run::is_nightly() { 60 } else { 20 });
    let step = text.len() / rounds;
    for round in 0..rounds {
        let place = step * round + run::first_of(step);
        let mut damaged = text.clone().into_bytes();
        damaged[place] = b"x\"}]{[\\,\x01\xff"[round % 10];
        for text in [&damaged[..], &text.as_bytes()[..place]] {
            let one = answer(|| Slice(text), &options());
            let several = answer(|| InMemory::new(text), &on_threads(&options(), 2 + round % 3));
            assert!(several == one, "a byte at {place}: {} and {}", several.1, one.1);
            failed += usize::from(!one.1.starts_with("Audited"));
        }
    }
    assert!(failed > rounds, "{failed} texts failed");
}
