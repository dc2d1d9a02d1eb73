//! The places of changes, rules and checks in the formats that annotate files.

use serde_json::{Value, json};

use super::{lines, ran};

const SOURCE: &str = "corpus/sources";
const PLAN: &str = "corpus/sources/plan.json";

/// The origin of each record that has one, by its address or name.
fn origins() -> Vec<(String, Value)> {
    let records = lines(&["changes", "--all", "--source", SOURCE, PLAN]);
    let origins = records.iter().filter(|record| record["kind"] != "plan").filter_map(|record| {
        let name = record["address"].as_str().or(record["name"].as_str())?;
        Some((name.to_owned(), record["source"].clone()))
    });
    origins.collect()
}

#[test]
fn each_change_says_where_its_block_stands() {
    let at = |file: &str, line: u64, column: u64, end_line: u64| {
        json!({ "file": format!("{SOURCE}/{file}"), "line": line, "column": column,
                "end_line": end_line })
    };
    let mut subnet = at("network/main.tf.json", 5, 12, 8);
    subnet["module_calls"] = json!([at("main.tf", 7, 1, 10)]);
    let expected = [
        ("aws_db_instance.main", at("main.tf", 12, 1, 16)),
        ("aws_s3_bucket.old", json!({ "missing": "removed" })),
        ("aws_sns_topic.found", json!({ "missing": "generated" })),
        ("module.network.aws_subnet.a", subnet),
        ("endpoint", at("main.tf", 25, 1, 27)),
        ("check.reachable", at("main.tf", 18, 1, 23)),
    ];
    assert_eq!(origins(), expected.map(|(name, origin)| (name.to_owned(), origin)));
}

#[test]
fn records_have_no_places_without_sources() {
    let records = lines(&["changes", "--all", PLAN]);
    let has_place = |record: &Value| record["kind"] != "plan" && record.get("source").is_some();
    assert!(!records.iter().any(has_place));
    // A plan in JSON keeps no configuration.
    assert_eq!(records, lines(&["changes", "--all", "--source", "plan", PLAN]));
}

fn report(format: &str) -> String {
    let rules = ["--fail-on", "replace:aws_db_*", "--fail-on", "warning delete:aws_s3_*"];
    let args = ["report", "--source", SOURCE, "-o", format, PLAN];
    let (text, code) = ran(&[&args[..], &rules].concat());
    assert_eq!(code, Some(3), "{format}");
    text
}

#[test]
fn annotations_of_github_stand_at_lines() {
    let text = report("github");
    for expected in [
        "::error file=corpus/sources/main.tf,line=18,endLine=23,title=Check failed%3A \
         check.reachable::",
        "::error file=corpus/sources/main.tf,line=12,endLine=16,title=Rule broken%3A ",
        "::warning title=Rule broken%3A ",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn results_of_sarif_have_regions() {
    let text = report("sarif");
    let read: Value = serde_json::from_str(&text).expect("JSON");
    let results = read["runs"][0]["results"].as_array().expect("results");
    let places: Vec<_> = results
        .iter()
        .map(|result| &result["locations"][0]["physicalLocation"])
        .map(|place| (place["artifactLocation"]["uri"].clone(), place["region"].clone()))
        .collect();
    let main = json!("corpus/sources/main.tf");
    let region = |start: u64, end: u64| json!({ "startLine": start, "endLine": end });
    assert!(places.contains(&(main.clone(), region(18, 23))), "{text}");
    assert!(places.contains(&(main, region(12, 16))), "{text}");
    assert!(places.contains(&(json!(PLAN), Value::Null)), "{text}");
    let _: serde_sarif::sarif::Sarif = serde_json::from_str(&text).expect("SARIF");
}

#[test]
fn the_code_quality_report_is_what_gitlab_reads() {
    let entries: Vec<Value> = serde_json::from_str(&report("code-quality")).expect("JSON");
    assert_eq!(entries.len(), 3);
    for entry in &entries {
        for name in ["description", "check_name", "fingerprint"] {
            assert!(entry[name].as_str().is_some_and(|text| !text.is_empty()), "{entry}");
        }
        let severities = ["info", "minor", "major", "critical", "blocker"];
        assert!(severities.contains(&entry["severity"].as_str().expect("a word")), "{entry}");
    }
    let fingerprints: std::collections::BTreeSet<_> =
        entries.iter().map(|entry| entry["fingerprint"].to_string()).collect();
    assert_eq!(fingerprints.len(), 3);
    assert_eq!(entries[0]["check_name"], "plan-check");
    let place = json!({ "path": "corpus/sources/main.tf", "lines": { "begin": 18, "end": 23 } });
    assert_eq!(entries[0]["location"], place);
    let gone = json!({ "path": PLAN, "lines": { "begin": 1, "end": 1 } });
    assert!(entries.iter().any(|entry| entry["location"] == gone));
    let nothing = ["report", "-o", "code-quality", "corpus/plans/no-changes/plan.json"];
    assert_eq!(ran(&nothing), ("[]\n".to_owned(), Some(0)));
}

#[test]
fn markdown_links_to_lines() {
    let url = "https://host/o/r/blob/main/{path}#L{line}-L{end_line}";
    let args = ["report", "--source", SOURCE, "--source-url", url, "-o", "markdown", PLAN];
    let (text, code) = ran(&args);
    assert_eq!(code, Some(0));
    let link = |place: &str, lines: &str| {
        let file = place.split(':').next().unwrap_or_default();
        format!(
            "[`corpus/sources/{place}`](https://host/o/r/blob/main/corpus/sources/{file}#{lines})"
        )
    };
    for expected in [
        link("main.tf:12", "L12-L16"),
        link("network/main.tf.json:5", "L5-L8"),
        link("main.tf:25", "L25-L27"),
        link("main.tf:18", "L18-L23"),
    ] {
        assert!(text.contains(&expected), "{expected}\n{text}");
    }
    let (_, code) = ran(&["report", "--source-url", "https://host/{line}", "-o", "markdown", PLAN]);
    assert_eq!(code, Some(64));
}

#[test]
fn no_secret_leaves_with_a_place() {
    let formats = ["term", "markdown", "html", "github", "json", "junit", "sarif", "code-quality"];
    for format in formats {
        let (text, _) = ran(&["report", "--source", SOURCE, "--full", "-o", format, PLAN]);
        assert!(!text.contains("CANARY"), "{format}");
    }
    for args in [
        &["changes", "--all", "--source", SOURCE, PLAN][..],
        &["blocks", SOURCE],
        &["blocks", "--format", "ndjson", SOURCE],
        &["blocks", "--check", SOURCE],
    ] {
        let (text, code) = ran(args);
        assert_eq!((code, text.contains("CANARY")), (Some(0), false), "{args:?}");
    }
}
