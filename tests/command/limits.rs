//! Every limit has an option, and an error that names the limit and the option.

use std::collections::BTreeMap;
use std::fs;

use plansift::limits::{Amount, Limit};

use super::{Folder, Run};
use crate::hostile::sample;
use crate::run;
use crate::same_answer::forms::gzip;

/// A limit: its name, its option, a plan, a value that is too small for the plan, and one that is
/// large enough.
struct Case {
    name: &'static str,
    option: &'static str,
    plan: Vec<u8>,
    low: &'static str,
    high: &'static str,
}

fn cases() -> [Case; 6] {
    let long = "x".repeat(10_000);
    let nested = format!("{}{}", "[".repeat(50), "]".repeat(50));
    let skipped =
        format!(r#"{{"format_version":"1.2","resource_changes":[],"prior_state":["{long}"]}}"#);
    let changed = sample::update(&format!("[\"{long}\"]"), "[]");
    let kept = sample::of_changes(1, |_| {
        format!(r#"{{"address":"{long}","change":{{"actions":["create"]}}}}"#)
    });
    let case = |name, option, plan: &str, low, high| Case {
        name,
        option,
        plan: plan.as_bytes().to_vec(),
        low,
        high,
    };
    let mut compressed =
        case("size after decompression", "--limit-expansion", &changed, "4K", "16k");
    compressed.plan = gzip(&compressed.plan);
    [
        case("nesting depth", "--limit-depth", &sample::update(&nested, "1"), "40", "60"),
        case("size of one element", "--limit-change", &changed, "8K", "12K"),
        case("size of one skipped string", "--limit-string-skipped", &skipped, "5000", "10000"),
        case("size of one decoded string", "--limit-string-kept", &kept, "9999", "10000"),
        case("size of the document", "--limit-document", &changed, "1K", "1M"),
        compressed,
    ]
}

#[test]
fn limit_errors_name_the_limit_and_its_option() {
    let folder = Folder::new();
    for Case { name, option, plan, low, high } in cases() {
        folder.write("plan", &plan);
        for way in ["", " --no-mmap", " --strict"] {
            let run = folder.run(&format!("changes{way} {option} {low} plan"));
            assert_eq!(run.code, Some(1), "{option}{way}: {run:?}");
            assert!(run.err.contains(&format!("{name} exceeds the limit of ")), "{}", run.err);
            assert!(run.err.contains(&format!("raise it with {option}\n")), "{}", run.err);
            assert_eq!(run.count("summary"), 0);
            for value in [high, "1G"] {
                let value = if option == "--limit-depth" && value == "1G" { "1000" } else { value };
                let run = folder.run(&format!("changes{way} {option} {value} plan"));
                assert_eq!(run.code, Some(0), "{option} {value}{way}: {run:?}");
            }
        }
        assert_eq!(folder.run("changes plan").code, Some(0), "{option}: the default is enough");
    }
}

#[test]
fn a_default_can_be_raised() {
    let nested = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let plan = sample::update(&nested, "1");
    let run = Run::piped("changes", &plan);
    assert!(run.code == Some(1) && run.err.contains("of 10000: raise it with --limit-depth"));
    assert_eq!(Run::piped("changes --limit-depth 30000", &plan).code, Some(0));
}

#[test]
fn every_limit_takes_a_suffix() {
    let folder = Folder::of_plans();
    for option in folder.run("changes --help").out.split_whitespace() {
        if option.starts_with("--limit-") {
            for value in ["1000000", "1000k", "1M"] {
                let run = folder.run(&format!("changes {option} {value} plan.json"));
                assert_eq!(run.code, Some(0), "{option} {value}: {run:?}");
            }
            let run = folder.run(&format!("changes {option} 1x plan.json"));
            assert!(run.code == Some(64) && run.err.contains("not a number"), "{run:?}");
        }
    }
}

#[test]
fn the_help_lists_every_limit() {
    let help = Folder::new().run("changes --help").out;
    for case in cases() {
        assert!(help.contains(case.option), "{}", case.option);
    }
    assert!(help.contains("--limit-expansion-ratio"));
}

/// A default as the manual writes it: `10 000`, `256 MiB`.
fn in_words(amount: Amount) -> String {
    match amount {
        Amount::Bytes(text) => {
            let (number, unit) = text.split_at(text.len() - 1);
            format!("{number} {unit}iB")
        }
        Amount::Count(text) if text.len() < 5 => text.to_owned(),
        Amount::Count(text) => {
            let groups: Vec<&[u8]> = text.as_bytes().rchunks(3).rev().collect();
            String::from_utf8(groups.join(&b' ')).expect("digits")
        }
    }
}

#[test]
fn the_manual_lists_every_limit_with_its_default() {
    let page = fs::read_to_string(run::root().join("docs/limits.md")).expect("a page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")).filter_map(|row| {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let option = cells[2].strip_prefix("`--limit-")?.strip_suffix('`')?;
        Some((format!("--limit-{option}"), cells[1]))
    });
    let mut defaults: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (option, default) in rows {
        defaults.entry(option).or_default().push(default);
    }
    for limit in Limit::ALL {
        let spec = limit.spec().expect("a row");
        let listed = defaults.remove(spec.option).expect(spec.option);
        let default = in_words(spec.default);
        let agrees = |listed: &&str| {
            let rest = listed.strip_prefix(default.as_str());
            rest.is_some_and(|rest| matches!(rest.chars().next(), None | Some(',' | '-')))
        };
        assert!(listed.iter().all(agrees), "{}: {listed:?}, not {default}", spec.option);
    }
    assert!(defaults.is_empty(), "options that no limit has: {defaults:?}");
}
