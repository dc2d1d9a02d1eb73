//! Reports with a maximum length. A page is never longer and is always valid Markdown, and it
//! counts everything that it leaves out.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::rc::Rc;

use plansift::error::Result;
use plansift::input::Slice;
use plansift::plan::Documents;
use plansift::record::{Label, RecordOptions, RecordRequest, write_records};
use plansift::report::gate::Rule;
use plansift::report::markdown::{FIT_MIN, Fit, Markdown, Measure, Open, Page, Rest};
use plansift::report::view::{AttributeView, Detail, ViewSettings};
use plansift::secret::{self, Collected, EchoOf};
use plansift::sink::Sink;
use proptest::prelude::*;

use super::markdown::heads;
use super::{folder, page, report};
use crate::generated::generated;
use crate::run;

/// A shared buffer, which the test reads after the sink has written it.
#[derive(Clone, Default)]
struct SharedBuffer(Rc<RefCell<Vec<u8>>>);

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The pages of a report on `plans`.
fn pages(plans: &[(&str, &[u8])], fit: Fit) -> Vec<String> {
    let pages: Rc<RefCell<Vec<SharedBuffer>>> = Rc::default();
    let opened = pages.clone();
    let open: Open<'_> = Box::new(move |number| -> Result<Page<'_>> {
        let page = SharedBuffer::default();
        opened.borrow_mut().push(page.clone());
        assert_eq!(opened.borrow().len() as u64, number, "one after the other");
        Ok(Box::new(page))
    });
    let rules = ["delete", "changes>3"].map(|rule| Rule::parse(rule).expect("a rule"));
    let mut sink = Markdown::new(open, &rules, fit);
    let (read, echo) = (plansift::plan::PlanOptions::default(), EchoOf::Whole);
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
    let pages = pages.borrow();
    let text = |page: &SharedBuffer| String::from_utf8(page.0.borrow().clone()).expect("UTF-8");
    pages.iter().map(text).collect()
}

fn length(text: &str, measure: Measure) -> u64 {
    match measure {
        Measure::Characters => text.chars().count() as u64,
        Measure::Bytes => text.len() as u64,
    }
}

/// Generated plans of three shapes, one with 3000 small changes, and one with long and odd texts.
pub(super) fn plans() -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut plans: Vec<(String, Vec<u8>)> = ["estate", "busy", "first-run"]
        .map(|shape| {
            (shape.to_owned(), generated(folder.path(), shape, &["--no-op", "0.1"], 2_000_000).0)
        })
        .to_vec();
    let small = |number: usize| {
        let actions = [r#""update""#, r#""create""#, r#""delete","create""#][number % 3];
        format!(
            r#"{{"address":"acme_server.small[{number}]","index":{number},"change":{{
            "actions":[{actions}],"before":{{"size":1}},"after":{{"size":{}}}}}}}"#,
            2 + number / 100
        )
    };
    let small: Vec<String> = (0..3000).map(small).collect();
    let small = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, small.join(","));
    plans.push(("small".to_owned(), small.into_bytes()));
    let odd: Vec<String> = (0..300)
        .map(|number| {
            let text = ["é", "`", "|", "\\u202e", "𝄞", "x"][number % 6].repeat(number * 7);
            let actions = ["create", "delete", "update", "forget", "no-op"][number % 5];
            format!(
                r#"{{"address":"a.b{number}{text}","previous_address":"{text}","change":{{
                "actions":["{actions}"],"before":{{"{text}":1,"k":"{text}"}},
                "after":{{"{text}":"{text}","k":{number}}}}}}}"#
            )
        })
        .collect();
    let odd = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, odd.join(","));
    plans.push(("odd".to_owned(), odd.into_bytes()));
    plans
}

#[test]
fn pages_stay_within_the_limit_and_count_what_they_leave_out() {
    let plans = plans();
    let plans: Vec<(&str, &[u8])> =
        plans.iter().map(|(name, plan)| (name.as_str(), plan.as_slice())).collect();
    let whole = pages(&plans, Fit::NONE);
    let whole = page::read(&whole[0]);
    let all: BTreeMap<&str, u64> =
        whole.sections.iter().map(|(title, count)| (title.as_str(), *count)).collect();
    assert!(all.values().sum::<u64>() > 4000, "{all:?}");
    for (title, count) in &all {
        assert_eq!(whole.shown(title), *count, "{title}");
    }
    let sizes = (FIT_MIN..FIT_MIN + 3000).boxed().prop_union((FIT_MIN..3_000_000).boxed());
    let measures = prop_oneof![Just(Measure::Characters), Just(Measure::Bytes)];
    proptest!(run::property(12), |(max in sizes, measure in measures)| {
        let fitted = pages(&plans, Fit { max, measure, rest: Rest::LeftOut });
        prop_assert_eq!(fitted.len(), 1);
        let text = &fitted[0];
        prop_assert!(length(text, measure) <= max, "{} of {}", length(text, measure), max);
        let fitted = page::read(text);
        let shown: u64 = all.keys().map(|title| fitted.shown(title)).sum();
        let left_out: u64 = fitted.left_out.values().sum();
        prop_assert_eq!(shown + left_out, all.values().sum::<u64>(), "{}", text);
        prop_assert!(left_out == 0 || length(text, measure) > max / 3, "room is used");
        for (title, count) in &fitted.sections {
            prop_assert_eq!(count, &all[title.as_str()], "{}", title);
        }
    });
}

#[test]
fn destructive_sections_come_first() {
    let plans = plans();
    let plans: Vec<(&str, &[u8])> =
        plans.iter().map(|(name, plan)| (name.as_str(), plan.as_slice())).collect();
    for max in [2000, 10_000, 50_000, 200_000] {
        let fit = Fit { max, measure: Measure::Characters, rest: Rest::LeftOut };
        let page = page::read(&pages(&plans, fit)[0]);
        let order = ["Destroy", "Replace", "Forget", "Other changes", "Update in place", "Create"];
        let positions: Vec<_> = page
            .sections
            .iter()
            .filter_map(|(title, _)| order.iter().position(|it| it == title))
            .collect();
        assert!(positions.is_sorted(), "{:?}", page.sections);
        // Every section but the last is complete.
        let (_, before) = page.sections.split_last().expect("sections");
        for (title, count) in before {
            assert_eq!(page.shown(title), *count, "{max}: {title}");
        }
    }
}

#[test]
fn differences_take_precedence_over_one_sided_values() {
    let values: String = (0..20).map(|key| format!(r#","k{key}":"{}""#, "v".repeat(40))).collect();
    let change = |number: usize, sides: &str, action: &str| {
        format!(r#"{{"address":"a.{action}{number}","change":{{"actions":["{action}"],{sides}}}}}"#)
    };
    let deletes = (0..40).map(|number| {
        change(number, &format!(r#""before":{{"size":1{values}}},"after":null"#), "delete")
    });
    let updates =
        (0..5).map(|number| change(number, r#""before":{"size":1},"after":{"size":2}"#, "update"));
    let changes: Vec<String> = deletes.chain(updates).collect();
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","));
    let fit = Fit { max: 6000, measure: Measure::Characters, rest: Rest::LeftOut };
    let text = &pages(&[("plan", plan.as_bytes())], fit)[0];
    let page = page::read(text);
    assert_eq!((page.shown("Destroy"), page.shown("Update in place")), (40, 5), "{text}");
    assert_eq!(text.matches("! size = 1 -> 2").count(), 5, "{text}");
    let shown = text.matches("- k0 = ").count();
    assert!((1..40).contains(&shown), "what room is left is used: {text}");
    assert!(text.contains("above do not fit."), "{text}");
}

/// The lines of attributes on the pages, sorted. Ignores the section `Long values`, which repeats
/// values in full.
fn attributes(pages: &[String]) -> Vec<&str> {
    let mut in_long_values = false;
    let lines = pages.iter().flat_map(|page| page.lines()).filter(|line| {
        in_long_values |= line.starts_with("<summary>Long values: ");
        in_long_values &= *line != "</details>";
        !in_long_values
    });
    let mut lines: Vec<_> = lines.filter(|line| line.starts_with(['+', '-', '!'])).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn reports_that_fit_are_complete() {
    let many: Vec<String> = (0..300).map(|number| format!(r#""a{number}":{number}"#)).collect();
    let element = |name: &str, members: &str| {
        format!(
            r#"{{"address":"x.{name}","type":"x","name":"{name}",
                "change":{{"actions":["create"],"before":null,"after":{{{members}}}}}}}"#
        )
    };
    let changes = [element("large", &many.join(",")), element("small", r#""a":1"#)];
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","));
    let plan = [("plan", plan.as_bytes())];
    let whole = pages(&plan, Fit::NONE);
    assert_eq!(attributes(&whole).len(), 301);
    let len = length(&whole[0], Measure::Characters);
    let fit = |max, rest| Fit { max, measure: Measure::Characters, rest };
    // This limit leaves room for the last line, which counts what is left out.
    assert_eq!(pages(&plan, fit(len + 300, Rest::LeftOut)), whole);
    let cut = pages(&plan, fit(len - 1, Rest::LeftOut));
    assert!(cut[0].contains(" more\n") && cut[0].contains("x.small"), "{}", cut[0]);
    // An entry may take half a part, so three times its length is enough.
    let parts = pages(&plan, fit(3 * len, Rest::Parts));
    assert!(parts.len() == 1 && attributes(&parts) == attributes(&whole));
    let plans = plans();
    let plans: Vec<(&str, &[u8])> =
        plans.iter().map(|(name, plan)| (name.as_str(), plan.as_slice())).collect();
    let (whole, parts) = (pages(&plans, Fit::NONE), pages(&plans, fit(64_000, Rest::Parts)));
    assert!(parts.len() > 3);
    assert!(attributes(&parts) == attributes(&whole));
}

#[test]
fn parts_hold_each_change_once() {
    let plans = plans();
    let plans: Vec<(&str, &[u8])> =
        plans.iter().map(|(name, plan)| (name.as_str(), plan.as_slice())).collect();
    let mut all = heads(&page::read(&pages(&plans, Fit::NONE)[0]));
    all.sort_unstable();
    for max in [2000, 2001, 2017, 2500, 3777, 10_000, 64_880, 1_000_000, 100_000_000] {
        let fit = Fit { max, measure: Measure::Characters, rest: Rest::Parts };
        let parts = pages(&plans, fit);
        assert!(parts.len() as u64 > 500_000 / max, "{max}: {} parts", parts.len());
        let mut joined = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            assert!(length(part, Measure::Characters) <= max, "{max}: part {}", index + 1);
            let page = page::read(part);
            let [marker] = &page.markers[..] else { panic!("{:?}", page.markers) };
            let number = format!(" part {}/{}", index + 1, parts.len());
            assert!(marker.ends_with(&number), "{marker}, {number}");
            assert!(page.left_out.is_empty());
            joined.extend(heads(&page));
        }
        joined.sort_unstable();
        assert!(joined == all, "{max}: {} heads of {}", joined.len(), all.len());
    }
}

#[test]
fn the_table_leaves_room_for_changes() {
    let plan = br#"{"format_version":"1.2","resource_changes":[{"address":"a.b",
        "mode":"managed","change":{"actions":["delete"],"before":{"a":1},"after":null}}]}"#;
    let names: Vec<String> = (0..700).map(|number| format!("workspace-{number:05}")).collect();
    let plans: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &plan[..])).collect();
    for max in [2000, 5000, 64_880] {
        let fit = Fit { max, measure: Measure::Characters, rest: Rest::LeftOut };
        let text = &pages(&plans, fit)[0];
        assert!(length(text, Measure::Characters) <= max);
        let page = page::read(text);
        let shown = page.rows.len() as u64 - 2;
        assert!(page.text.contains(&format!("… and {} more plans", 700 - shown)), "{text}");
        assert_eq!(page.rows.last().expect("rows")[..4], ["Total", "·", "·", "700"], "{text}");
        assert!(page.shown("Destroy") > 0 && page.text.contains("Broken rules"), "{text}");
    }
}

#[test]
fn fit_sizes_match_the_limits_of_the_hosts() {
    let limits = [("github", 65_536), ("gitlab", 1_000_000), ("azure", 150_000)];
    for (host, limit) in limits {
        let max = Fit::named(host).expect("a host");
        assert!(max <= limit * 99 / 100 && max > limit * 98 / 100, "{host}: {max}");
    }
    assert_eq!(Fit::named("2000"), Some(2000));
    for bad in ["1999", "", "-1", "github ", "GitHub", "1e9"] {
        assert_eq!(Fit::named(bad), None, "{bad}");
    }
}

#[test]
fn parts_are_files_in_one_folder() {
    let plans = folder(&["rich"], &[]);
    let path = plans.path();
    let args = ["-o", "markdown=r.md", "--fit", "4000", "--split", "rich.json"];
    let run = report(path, &args, &[]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{run:?}");
    let first = std::fs::read_to_string(path.join("r.md")).expect("the first part");
    let [marker] = &page::read(&first).markers[..] else { panic!("{first}") };
    let parts: usize = marker.split("part 1/").nth(1).and_then(|it| it.parse().ok()).expect("one");
    assert!(parts > 3, "{marker}");
    for number in 2..=parts {
        let part = std::fs::read_to_string(path.join(format!("r.{number}.md"))).expect("a part");
        assert!(page::read(&part).text.contains(&format!("Part {number} of {parts}")));
    }
    assert_eq!(path.read_dir().expect("a folder").count(), parts + 1, "and nothing else");

    for output in ["markdown", "markdown=-", "markdown=/dev/stdout", "markdown=."] {
        let args = ["-o", output, "--fit", "4000", "--split", "rich.json"];
        let run = report(path, &args, &[]);
        assert!(run.code == Some(64) && run.err.contains("--split"), "{output}: {run:?}");
    }
    for args in [
        &["-o", "markdown=r.md", "--split", "rich.json"][..],
        &["-o", "markdown", "--fit", "100", "rich.json"],
        &["-o", "markdown", "--fit", "gitbucket", "rich.json"],
    ] {
        assert_eq!(report(path, args, &[]).code, Some(64), "{args:?}");
    }
}

#[test]
fn a_report_part_never_replaces_an_input() {
    let plans = folder(&["rich"], &[]);
    let path = plans.path();
    std::fs::rename(path.join("rich.json"), path.join("r.2.md")).expect("renamed");
    let before = std::fs::read(path.join("r.2.md")).expect("a plan");
    let args = ["-o", "markdown=r.md", "--fit", "4000", "--split", "r.2.md"];
    let run = report(path, &args, &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(std::fs::read(path.join("r.2.md")).expect("a plan"), before);
    assert!(!path.join("r.md").exists(), "whole, or not at all");
}
