//! The compact report: never longer than its budget, the most severe changes first, and everything
//! that it leaves out is counted.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use plansift::input::Slice;
use plansift::plan::{Documents, PlanOptions};
use plansift::record::{Label, RecordOptions, RecordRequest, write_records};
use plansift::report::ReportOptions;
use plansift::report::annotate::Annotated;
use plansift::report::compact::Compact;
use plansift::report::filter::Noise;
use plansift::report::gate::Rule;
use plansift::report::markdown::{FIT_MIN, Fit};
use plansift::report::screen::Screen;
use plansift::report::view::{AttributeView, Detail, ViewSettings};
use plansift::secret::{self, Collected, EchoOf};
use plansift::sink::Sink;
use proptest::prelude::*;
use regex::Regex;

use super::{fit, folder, plan_of, report, report_of, report_on};
use crate::run;

/// The titles in the order of the text.
const TITLES: [&str; 19] = [
    "Destroy, holds data",
    "Replace, holds data",
    "Destroy",
    "Forget",
    "Replace",
    "Change access or network",
    "Other changes",
    "Update in place",
    "Create",
    "Read during apply",
    "Move or import",
    "Actions to invoke",
    "Checks that failed",
    "Changed outside of Terraform (drift)",
    "Deferred to a later plan",
    "Actions deferred to a later plan",
    "Outputs",
    "Other checks",
    "Unchanged",
];

/// The compact report on `plans` in at most `max` bytes.
fn compact(plans: &[(&str, &[u8])], max: u64) -> String {
    let rules = ["delete", "changes>3"].map(|rule| Rule::parse(rule).expect("a rule"));
    let options = ReportOptions {
        rules: &rules,
        patterns: None,
        origins: None,
        link_target: None,
        annotated: Annotated::default(),
        detail: Detail::Excerpts,
        screen: Screen::FILE,
        fit: Fit::NONE,
        max_bytes: max,
        noise: Noise::default(),
    };
    let mut out = Vec::new();
    let mut sink = Compact::new(&mut out, max, &options);
    let (read, echo) = (PlanOptions::default(), EchoOf::Whole);
    let secrets = secret::SecretOptions { read, echo_min: 8, echo, names: None };
    let collected = Collected::nothing(&secrets);
    let detail = Detail::Excerpts;
    let view =
        AttributeView::Changed(ViewSettings { collected: &collected, options: &secrets, detail });
    for (name, plan) in plans {
        let options = RecordOptions::default();
        let mut documents = Documents::only(Slice(plan), &options.read);
        let workspace = (plans.len() > 1).then_some(*name);
        let label = Label { source: name, workspace };
        let request = RecordRequest::new(label, &options).with_view(Some(&view));
        write_records(&mut documents, request, &mut sink).expect("a plan");
    }
    sink.finish().expect("memory can be written");
    drop(sink);
    String::from_utf8(out).expect("UTF-8")
}

/// The number of items that a line stands for.
fn items(line: &str) -> u64 {
    static ALIKE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\((\d+) alike\)").expect("a pattern"));
    static MORE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\], \[.*\] and (\d+) more").expect("a pattern"));
    let number = |found: regex::Captures<'_>| found[1].parse::<u64>().expect("a number");
    match (ALIKE.captures(line), MORE.captures(line)) {
        (Some(alike), _) => number(alike),
        (_, Some(more)) => number(more) + 3,
        _ => line.matches("], [").count() as u64 + 1,
    }
}

/// The sections of a text: the title, its number, and the number of items that are shown.
fn sections(text: &str) -> Vec<(String, u64, u64)> {
    let mut sections: Vec<(String, u64, u64)> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if !line.starts_with(' ') {
            let title = line.rsplit_once(": ").filter(|(title, _)| TITLES.contains(title));
            is_open = title.is_some() || (is_open && line.is_empty());
            if let Some((title, count)) = title {
                sections.push((title.to_owned(), count.parse().expect("a number"), 0));
            }
        } else if is_open && !line.starts_with("        ") {
            sections.last_mut().expect("a section").2 += items(line);
        }
    }
    sections
}

/// The number of items that a text says it leaves out.
fn left_out(text: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix("Left out: "));
    let words = line.and_then(|line| line.split_once(" item")).map(|(number, _)| number);
    words.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[test]
fn a_compact_report_stays_within_its_budget_and_counts_what_it_leaves_out() {
    let plans = fit::plans();
    let plans: Vec<(&str, &[u8])> =
        plans.iter().map(|(name, plan)| (name.as_str(), plan.as_slice())).collect();
    let whole = compact(&plans, u64::MAX);
    assert_eq!(left_out(&whole), 0, "everything is shown");
    let all: BTreeMap<String, u64> =
        sections(&whole).into_iter().map(|(title, count, _)| (title, count)).collect();
    let total: u64 = all.values().sum();
    assert!(total > 4000, "{all:?}");
    for (title, count, shown) in sections(&whole) {
        assert_eq!(count, shown, "{title}");
    }
    let sizes = (FIT_MIN..FIT_MIN + 3000).boxed().prop_union((FIT_MIN..3_000_000).boxed());
    proptest!(run::property(12), |(max in sizes, first in 0..plans.len())| {
        let text = compact(&plans, max);
        prop_assert!(text.len() as u64 <= max, "{} of {}", text.len(), max);
        let shown: u64 = sections(&text).iter().map(|(_, _, shown)| shown).sum();
        prop_assert_eq!(shown + left_out(&text), total, "{}", text);
        prop_assert!(left_out(&text) == 0 || text.len() as u64 > max / 3, "room is used");
        let one = compact(&plans[first..=first], max);
        prop_assert!(one.len() as u64 <= max, "{} of {}", one.len(), max);
    });
}

#[test]
fn every_plan_of_the_corpus_fits_the_smallest_budget() {
    for case in crate::corpus::cases() {
        let text = report_on(&["-o", "compact", "--max-bytes", "2000"], &case.plan);
        assert!(text.len() <= 2000, "{}: {}", case.plan.display(), text.len());
        let names: Vec<String> = sections(&text).into_iter().map(|(title, ..)| title).collect();
        let places = names.iter().map(|name| TITLES.iter().position(|title| title == name));
        assert!(places.is_sorted(), "{names:?}");
    }
}

/// A plan with a change for each title from destruction to creation, in the opposite order.
fn risks() -> String {
    let (before, after) = (r#""before":{"a":1}"#, r#""after":{"a":2}"#);
    let change = |actions: &str| format!(r#""actions":[{actions}],{before},{after}"#);
    let [create, update, delete, forget] =
        ["create", "update", "delete", "forget"].map(|word| change(&format!("\"{word}\"")));
    let replace = change(r#""delete","create""#);
    plan_of(&[
        ("acme_server", &create),
        ("acme_server", &update),
        ("aws_iam_policy", &create),
        ("aws_security_group", &update),
        ("acme_server", &replace),
        ("acme_server", &forget),
        ("acme_server", &delete),
        ("aws_db_instance", &replace),
        ("aws_s3_bucket", &delete),
    ])
}

#[test]
fn the_most_severe_changes_come_first() {
    let text = report_of(&["-o", "compact"], &risks());
    let order = [
        "aws_s3_bucket",
        "aws_db_instance",
        "acme_server.r6",
        "acme_server.r5",
        "acme_server.r4",
        "aws_iam_policy",
        "aws_security_group",
        "acme_server.r1",
        "acme_server.r0",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|name| text.find(name).unwrap_or_else(|| panic!("{name}: {text}")))
        .collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn lines_come_before_paths_and_paths_before_values() {
    let change = |number: usize| {
        let values = |side: &str| {
            let members: Vec<String> =
                (0..4).map(|key| format!(r#""key_{key}":"{}""#, side.repeat(20))).collect();
            members.join(",")
        };
        format!(
            r#"{{"address":"a.b{number}","type":"a","name":"b{number}","change":{{
            "actions":["update"],"before":{{{}}},"after":{{{}}}}}}}"#,
            values("x"),
            values("y")
        )
    };
    let changes: Vec<String> = (0..40).map(change).collect();
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","));
    let plan = [("plan", plan.as_bytes())];
    let shown = |max: u64| {
        let text = compact(&plan, max);
        let count = |pattern: &str| text.matches(pattern).count();
        (count("  ~ a.b"), count("~ key_0, ~ key_1"), count("~ key_0 = "))
    };
    assert_eq!(shown(u64::MAX), (40, 0, 40));
    let (lines, paths, values) = shown(2500);
    assert!(lines == 40 && paths < 40 && values == 0, "{lines} {paths} {values}");
    let (lines, paths, values) = shown(6000);
    assert!(lines == 40 && paths + values == 40 && values > 0, "{lines} {paths} {values}");
}

#[test]
fn equal_changes_share_a_line() {
    let change = |number: usize, value: usize| {
        format!(
            r#"{{"address":"a.b[{number}]","type":"a","name":"b","index":{number},"change":{{
            "actions":["update"],"before":{{"size":1}},"after":{{"size":{value}}}}}}}"#
        )
    };
    let plan = |values: &dyn Fn(usize) -> usize| {
        let changes: Vec<String> = (0..500).map(|number| change(number, values(number))).collect();
        format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","))
    };
    let equal = plan(&|_| 2);
    let text = report_of(&["-o", "compact"], &equal);
    assert!(text.contains("  ~ a.b[0], [1], [2] and 497 more (500 alike)\n"), "{text}");
    assert!(text.contains("~ size = 1 -> 2\n"), "{text}");
    // If only the values differ, the lines are one where several have no room.
    let different = plan(&|number| number + 2);
    let text = report_of(&["-o", "compact", "--max-bytes", "2000"], &different);
    assert!(text.contains("  ~ a.b[0], [1], [2] and 497 more\n"), "{text}");
    assert!(text.contains("Left out: values of 500 items above, paths of 500."), "{text}");
    let text = report_of(&["-o", "compact"], &different);
    assert_eq!(text.matches("  ~ a.b[").count(), 500);
}

#[test]
fn one_long_change_gets_the_whole_budget() {
    let script =
        |side: &str| (0..500).map(|line| format!("{side} {line}")).collect::<Vec<_>>().join("\\n");
    let change = format!(
        r#""actions":["update"],"before":{{"script":"{}"}},"after":{{"script":"{}"}}"#,
        script("old"),
        script("new")
    );
    let text = report_of(&["-o", "compact", "--max-bytes", "8000"], &plan_of(&[("a", &change)]));
    assert!((7000..=8000).contains(&text.len()), "{}: {text}", text.len());
    assert!(text.contains(" more lines\n"), "{text}");
    let ask = "Ask for more: a larger --max-bytes, or a part: --only ADDRESS, ";
    assert!(text.contains("Left out: values of 1 item above.\n") && text.contains(ask), "{text}");
}

#[test]
fn what_is_left_out_can_be_asked_for() {
    let plans = folder(&["rich"], &[]);
    let args = |only| ["-o", "compact", "--max-tokens", "500", "--only", only, "rich.json"];
    for (only, words) in [
        ("module.network.aws_security_group.api", "cidr_blocks"),
        (r#"module.dns.aws_route53_record.this["www.example.com"]"#, "~ ttl = "),
        ("type:aws_iam_*", "~ max_session_duration = 3600 -> 7200"),
        ("action:delete", "module.network.aws_eip.nat[1], its index is beyond count"),
    ] {
        let run = report(plans.path(), &args(only), &[]);
        assert!(run.code == Some(0) && run.out.contains(words), "{only}: {run:?}");
        assert!(run.out.len() <= 2000 && run.out.contains("Hidden, as asked for: "), "{only}");
    }
}

#[test]
fn no_text_of_a_plan_begins_a_line() {
    let text = "\\n\\nDestroy: 1\\nx";
    let change = format!(
        r#""actions":["update"],"before":{{"{text}":"{text}"}},"after":{{"{text}":"a\\n{text}"}}"#
    );
    let plan = plan_of(&[(text, &change)]);
    for args in [&["-o", "compact"][..], &["-o", "compact", "--max-bytes", "2000"]] {
        let report = report_of(args, &plan);
        assert!(!report.lines().any(|line| line.starts_with("Destroy")), "{report}");
        assert!(report.contains(r"\n\nDestroy: 1\nx"), "{report}");
    }
}

#[test]
fn budgets_below_the_minimum_and_without_a_compact_report_are_refused() {
    let plans = folder(&["rich"], &[]);
    for (args, words) in [
        (&["-o", "compact", "--max-bytes", "1999"][..], "expected a number from 2000"),
        (&["-o", "compact", "--max-tokens", "499"], "expected a number from 500"),
        (&["-o", "compact", "--max-bytes", "2k"], "expected a number from 2000"),
        (&["-o", "compact", "--max-bytes", "4000", "--max-tokens", "1000"], "cannot be used with"),
        (&["-o", "term", "--max-bytes", "4000"], "add it, as in -o compact"),
    ] {
        let run = report(plans.path(), &[args, &["rich.json"]].concat(), &[]);
        assert!(run.code == Some(64) && run.err.contains(words), "{args:?}: {run:?}");
    }
}

#[test]
fn plans_that_could_not_be_read_are_named() {
    let plans = folder(&["rich", "update"], &[("cut.json", r#"{"format_version":"1.2","#)]);
    let args = ["-o", "compact", "rich.json", "update.json", "cut.json"];
    let run = report(plans.path(), &args, &[]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.out.contains("\nNot read: 1\n  cut.json: "), "{}", run.out);
    assert!(run.out.contains("\nPlans with changes: 2\n  rich: "), "{}", run.out);
    assert!(run.out.contains("  ~ update: "), "{}", run.out);
}
