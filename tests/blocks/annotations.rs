//! The places of changes, rules and checks in the formats that annotate files.

use std::fs;

use serde_json::{Value, json};

use super::{folder, lines, ran};
use crate::run;

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
fn each_change_has_the_location_of_its_block() {
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
fn records_have_no_locations_without_sources() {
    let records = lines(&["changes", "--all", PLAN]);
    let has_place = |record: &Value| record["kind"] != "plan" && record.get("source").is_some();
    assert!(!records.iter().any(has_place));
    // A plan in JSON keeps no configuration.
    assert_eq!(records, lines(&["changes", "--all", "--source", "plan", PLAN]));
}

/// What a command writes to standard error.
fn said(args: &[&str]) -> String {
    let output = run::plansift().args(args).current_dir(run::root()).output();
    String::from_utf8(output.expect("the binary starts").stderr).expect("UTF-8")
}

#[test]
fn an_input_without_the_configuration_that_the_user_asks_for_is_a_warning() {
    let warning = format!(
        "{PLAN}: warning: the lines of blocks are not known: only plan files keep a configuration"
    );
    assert!(said(&["changes", "--source", "plan", PLAN]).contains(&warning));
    assert_eq!(said(&["changes", "--source", "plan", "-q", PLAN]), "");
    assert_eq!(said(&["changes", PLAN]), "");
    assert!(said(&["changes", "--source-prefix", "infra", PLAN]).contains(&warning));
    let plan_file = "corpus/planfiles/forget/plan.tfplan";
    assert!(!said(&["changes", "--source", "plan", plan_file]).contains("lines of blocks"));
    let piped = fs::read(run::root().join(plan_file)).expect("a plan file");
    let piped = run::piped(&["changes", "--source", "plan", "-"], &piped);
    let piped = String::from_utf8(piped.stderr).expect("UTF-8");
    assert!(piped.contains("only a file can be read a second time"), "{piped}");
}

#[test]
fn the_source_prefix_option_sets_the_start_of_source_paths() {
    let files = |args: &[&str]| -> Vec<String> {
        let records = lines(&[&["changes", "--all"], args].concat());
        let files = records.iter().filter(|record| record["kind"] != "plan");
        files.filter_map(|record| Some(record["source"]["file"].as_str()?.to_owned())).collect()
    };
    let plain = files(&["--source", SOURCE, PLAN]);
    assert!(plain.len() > 2);
    let moved: Vec<_> = plain.iter().map(|file| file.replace(SOURCE, "a/b")).collect();
    assert_eq!(files(&["--source", SOURCE, "--source-prefix", "./a/b", PLAN]), moved);
    let plan_file = "corpus/planfiles/secrets/plan.tfplan";
    let plain = files(&[plan_file]);
    assert!(!plain.is_empty());
    let moved: Vec<_> = plain.iter().map(|file| format!("infra/{file}")).collect();
    assert_eq!(files(&["--source-prefix", "infra/", plan_file]), moved);
}

#[test]
fn csv_has_columns_for_block_locations() {
    let (text, _) = ran(&["changes", "--all", "--format", "csv", "--source", SOURCE, PLAN]);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let column = |row: &csv::StringRecord, name: &str| {
        let index = header.iter().position(|column| column == name);
        row[index.expect("a column")].to_owned()
    };
    let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
    let columns = ["block_file", "block_line", "block_column", "block_end_line", "block_missing"];
    let names = ["file", "line", "column", "end_line", "missing"];
    for (name, origin) in origins() {
        let is_it = |row: &&csv::StringRecord| {
            column(row, "address") == name || column(row, "name") == name
        };
        let row = rows.iter().find(is_it).expect("a row");
        for (cell, member) in columns.iter().zip(names) {
            let expected = match &origin[member] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                number => number.to_string(),
            };
            assert_eq!(column(row, cell), expected, "{name} {member}");
        }
    }
}

fn report(format: &str) -> String {
    let rules = ["--fail-on", "replace:aws_db_*", "--fail-on", "warning delete:aws_s3_*"];
    let args = ["report", "--source", SOURCE, "-o", format, PLAN];
    let (text, code) = ran(&[&args[..], &rules].concat());
    assert_eq!(code, Some(3), "{format}");
    text
}

#[test]
fn github_annotations_have_a_file_and_lines() {
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
    assert_eq!(entries.len(), 5);
    for entry in &entries {
        for name in ["description", "check_name", "fingerprint"] {
            assert!(entry[name].as_str().is_some_and(|text| !text.is_empty()), "{entry}");
        }
        let severities = ["info", "minor", "major", "critical", "blocker"];
        assert!(severities.contains(&entry["severity"].as_str().expect("a word")), "{entry}");
    }
    let fingerprints: std::collections::BTreeSet<_> =
        entries.iter().map(|entry| entry["fingerprint"].to_string()).collect();
    assert_eq!(fingerprints.len(), 5);
    let check = entries.iter().find(|entry| entry["check_name"] == "plan-check");
    let place = json!({ "path": "corpus/sources/main.tf", "lines": { "begin": 18, "end": 23 } });
    assert_eq!(check.expect("an entry")["location"], place);
    let gone = json!({ "path": PLAN, "lines": { "begin": 1, "end": 1 } });
    assert!(entries.iter().any(|entry| entry["location"] == gone));
    let nothing = ["report", "-o", "code-quality", "corpus/plans/no-changes/plan.json"];
    assert_eq!(ran(&nothing), ("[]\n".to_owned(), Some(0)));
    let (text, _) = ran(&["report", "-o", "code-quality", "corpus/plans/errored/plan.json"]);
    assert!(text.contains(r#""description":"Planning failed: "#), "{text}");
}

#[test]
fn fingerprints_do_not_depend_on_the_name_of_the_plan() {
    let plan = fs::read_to_string(run::root().join(PLAN)).expect("a plan");
    let folder = folder(&[("other.json", &plan)]);
    let other = folder.path().join("other.json");
    let fingerprints = |path: &str| -> Vec<Value> {
        let rules = ["--fail-on", "delete", "--annotate", "losses"];
        let (text, _) = ran(&[&["report", "-o", "code-quality", path], &rules[..]].concat());
        let entries: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        entries.iter().map(|entry| entry["fingerprint"].clone()).collect()
    };
    let of_plan = fingerprints(PLAN);
    assert!(of_plan.len() > 2);
    let other = other.to_str().expect("UTF-8");
    assert_eq!(fingerprints(other), of_plan);
    // Two documents of one input have different fingerprints.
    fs::write(other, format!("{plan}\n{plan}")).expect("a file");
    let mut of_two = fingerprints(other);
    assert_eq!((&of_two[..of_plan.len()], of_two.len()), (&of_plan[..], 2 * of_plan.len()));
    of_two.sort_by_key(Value::to_string);
    of_two.dedup();
    assert_eq!(of_two.len(), 2 * of_plan.len());
}

/// The notices of GitHub about changes, or the names of the rules of changes in another format.
fn annotated(format: &str, args: &[&str]) -> Vec<String> {
    let (text, _) = ran(&[&["report", "-q", "-o", format], args].concat());
    if format == "github" {
        let notices = text.lines().filter(|line| line.starts_with("::notice "));
        return notices.map(str::to_owned).collect();
    }
    let read: Value = serde_json::from_str(&text).expect("JSON");
    let (list, name) = match format {
        "sarif" => (&read["runs"][0]["results"], "ruleId"),
        _ => (&read, "check_name"),
    };
    let names = list.as_array().expect("a list").iter().map(|entry| &entry[name]);
    let names = names.map(|name| name.as_str().expect("a name").to_owned());
    names.filter(|name| name.starts_with("plan-") && name != "plan-check").collect()
}

#[test]
fn changes_that_lose_something_are_annotated_at_their_blocks() {
    assert_eq!(
        annotated("github", &["--source", SOURCE, PLAN]),
        [
            "::notice title=Destroy%3A aws_s3_bucket.old::corpus/sources/plan.json: will be \
             destroyed, because it is no longer in the configuration",
            "::notice file=corpus/sources/main.tf,line=12,endLine=16,title=Replace%3A \
             aws_db_instance.main::corpus/sources/plan.json: must be replaced",
        ]
    );
    for format in ["sarif", "code-quality"] {
        let found = annotated(format, &["--source", SOURCE, PLAN]);
        assert_eq!(found, ["plan-replace", "plan-delete"], "{format}");
    }
    let forgotten = "corpus/planfiles/forget/plan.tfplan";
    assert_eq!(annotated("sarif", &[forgotten]), ["plan-forget"]);
}

#[test]
fn a_folder_below_the_current_one_is_relative_in_every_spelling() {
    let absolute = run::root().join(SOURCE);
    let places = |source: &str| lines(&["changes", "--source", source, PLAN]);
    let absolute = places(absolute.to_str().expect("UTF-8"));
    assert_eq!(absolute[1]["source"]["file"], "corpus/sources/main.tf");
    assert_eq!(absolute, places(SOURCE));
}

#[test]
fn source_files_with_faults_are_warnings() {
    let empty = folder(&[("notes.txt", "")]);
    let wrong = folder(&[("main.tf", "resource \"t\" {\n}\n")]);
    for (folder, words) in
        [(&empty, "no file of a configuration"), (&wrong, "1 error in the files")]
    {
        let args = ["changes", "--source", folder.path().to_str().expect("UTF-8"), PLAN];
        assert!(said(&args).contains(words), "{}", said(&args));
        assert_eq!(said(&[&args[..], &["-q"]].concat()), "");
    }
}

#[test]
fn the_user_chooses_the_annotated_changes() {
    for format in ["github", "sarif", "code-quality"] {
        let count = |args: &[&str]| annotated(format, args).len();
        assert_eq!(count(&[PLAN]), 0, "{format}: the blocks are not known");
        assert_eq!(count(&["--annotate", "losses", PLAN]), 2, "{format}");
        assert_eq!(count(&["--annotate", "all", "--source", SOURCE, PLAN]), 4, "{format}");
        assert_eq!(count(&["--annotate", "none", "--source", SOURCE, PLAN]), 0, "{format}");
    }
    let all = annotated("github", &["--annotate", "all", "--source", SOURCE, PLAN]);
    let subnet = "::notice file=corpus/sources/network/main.tf.json,line=5,endLine=8,title=Change";
    assert!(all.iter().any(|line| line.starts_with(subnet)), "{all:?}");
}

#[test]
fn github_gets_no_more_notices_than_it_shows_and_the_gravest_first() {
    let change = |kind: &str, number: usize, actions: &Value| {
        json!({ "address": format!("{kind}.a{number}"), "type": kind, "name": format!("a{number}"),
                "mode": "managed", "change": { "actions": actions, "before": {}, "after": null } })
    };
    let plan = |deleted: usize, replaced: usize| {
        let replaced = (0..replaced).map(|n| change("r", n, &json!(["delete", "create"])));
        let deleted = (0..deleted).map(|n| change("d", n, &json!(["delete"])));
        let changes: Vec<_> = replaced.chain(deleted).collect();
        json!({ "format_version": "1.2", "resource_changes": changes }).to_string()
    };
    for (deleted, replaced, shown, more) in
        [(3, 7, 10, None), (3, 8, 9, Some(2)), (20, 1, 9, Some(12)), (0, 11, 9, Some(2))]
    {
        let folder = super::folder(&[("plan.json", &plan(deleted, replaced))]);
        let path = folder.path().join("plan.json");
        let path = path.to_str().expect("UTF-8");
        let mut notices = annotated("github", &["--annotate", "losses", path]);
        if let Some(more) = more {
            let last = notices.pop().expect("a notice");
            let expected =
                format!("::notice title=plansift::{more} more changes without an annotation");
            assert_eq!(last, expected);
        }
        assert_eq!(notices.len(), shown);
        let of = |word: &str| notices.iter().filter(|line| line.contains(word)).count();
        assert_eq!(of("title=Destroy"), deleted.min(shown));
        assert_eq!(of("title=Replace"), shown - deleted.min(shown));
    }
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
fn no_secret_leaks_through_source_locations() {
    let formats = ["term", "markdown", "html", "github", "json", "junit", "sarif", "code-quality"];
    let plan_files = ["secrets", "secrets-replaced"];
    let plan_files = plan_files.map(|name| format!("corpus/planfiles/{name}/plan.tfplan"));
    for format in formats {
        let report = ["report", "-q", "--full", "--annotate", "all", "-o", format];
        let (text, _) = ran(&[&report[..], &["--source", SOURCE, PLAN]].concat());
        assert!(!text.contains("CANARY"), "{format}");
        for plan_file in &plan_files {
            let (text, _) = ran(&[&report[..], &[plan_file]].concat());
            assert!(!text.contains("CANARY"), "{format} {plan_file}");
        }
    }
    for plan_file in &plan_files {
        assert!(fs::exists(run::root().join(plan_file)).is_ok_and(|exists| exists));
        let assertion = "resource: terraform_data, path: '**', known: x";
        for args in [
            &["changes", "-q", plan_file][..],
            &["summary", "-q", plan_file],
            &["assert", "-q", "-e", assertion, "-f", "json", plan_file],
            &["blocks", "-q", plan_file],
            &["blocks", "-q", "--format", "ndjson", plan_file],
        ] {
            let (text, _) = ran(args);
            assert!(text.contains("terraform_data"), "{args:?}");
            assert!(!text.contains("CANARY"), "{args:?}\n{text}");
        }
    }
    for args in [
        &["changes", "--all", "--source", SOURCE, PLAN][..],
        &["summary", "--all", "--source", SOURCE, PLAN],
        &["blocks", SOURCE],
        &["blocks", "--format", "ndjson", SOURCE],
        &["blocks", "--check", SOURCE],
    ] {
        let (text, code) = ran(args);
        assert_eq!((code, text.contains("CANARY")), (Some(0), false), "{args:?}");
    }
}

/// `packages/ci/review` is what the action for GitHub and the component for GitLab run.
#[cfg(unix)]
#[test]
fn the_reviews_of_the_hosts_annotate_and_fail() {
    let read =
        |path: &str| fs::read_to_string(run::root().join(SOURCE).join(path)).expect("a source");
    let (plan, main, network) = (read("plan.json"), read("main.tf"), read("network/main.tf.json"));
    let mut printed = String::new();
    for (host, assertions) in [("github", ""), ("gitlab", ""), ("github", "infra/plan.yaml")] {
        let folder = super::folder(&[
            ("infra/tfplan", &plan),
            ("infra/main.tf", &main),
            ("infra/network/main.tf.json", &network),
            ("infra/rules.txt", "replace:aws_db_*\n"),
            ("infra/plan.yaml", "- resource: aws_db_instance\n  not_action: replace\n"),
        ]);
        let output = std::process::Command::new("sh")
            .arg(run::root().join("packages/ci/review"))
            .args([host, "out"])
            .current_dir(folder.path())
            .env("PLANSIFT_PROGRAM", run::plansift().get_program())
            .env("PLANSIFT_PLAN", "infra/tfplan")
            .env("PLANSIFT_SOURCE", "infra")
            .env("PLANSIFT_FAIL_ON", "@infra/rules.txt")
            .env("PLANSIFT_ASSERT", assertions)
            .env("GITHUB_OUTPUT", folder.path().join("outputs"))
            .env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"))
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(3), "{host}: {output:?}");
        printed += &String::from_utf8(output.stdout).expect("UTF-8");
        for (file, of_host) in [("plan.sarif", "github"), ("quality.json", "gitlab")] {
            let text = fs::read_to_string(folder.path().join("out").join(file)).unwrap_or_default();
            assert_eq!(text.contains("infra/main.tf"), host == of_host, "{host}: {text}");
        }
    }
    for title in ["Rule broken", "Check failed", "Assertion failed", "Replace%3A"] {
        let has_title = |line: &str| line.contains("file=infra/main.tf") && line.contains(title);
        assert!(printed.lines().any(has_title), "{title}\n{printed}");
    }
}

#[test]
fn the_drawing_of_the_page_has_the_texts_of_the_annotations() {
    let page = fs::read_to_string(run::root().join("docs/annotations.md")).expect("a page");
    let drawing = page.split("```text\n").nth(1).expect("a drawing");
    let drawing = drawing.split("```").next().expect("a drawing");
    let boxed = drawing.lines().filter_map(|line| line.trim().strip_prefix('│'));
    let boxed: Vec<&str> = boxed.map(|line| line.trim_end_matches('│').trim()).collect();
    let source = fs::read_to_string(run::root().join(SOURCE).join("main.tf")).expect("a source");
    let source: Vec<&str> = source.lines().collect();
    let mut annotated = Vec::new();
    for pair in boxed.chunks(2) {
        let [title, message] = pair else { panic!("a title and a message: {pair:?}") };
        let (level, title) =
            title[title.find(' ').expect("a word")..].split_once(": ").expect(": ");
        let title = title.replace('%', "%25").replace(':', "%3A");
        annotated.push((level.trim().to_lowercase(), format!("title={title}::{message}")));
    }
    assert_eq!(annotated.len(), 3);
    let rules = ["--fail-on", "replace:aws_db_*"];
    let args = ["report", "--source", SOURCE, "-o", "github", PLAN];
    let (text, _) = ran(&[&args[..], &rules].concat());
    for (level, end) in annotated {
        let start = format!("::{level} file=");
        let is_it = |line: &str| line.starts_with(&start) && line.ends_with(&end);
        assert!(text.lines().any(is_it), "{start} {end}\n{text}");
    }
    for line in drawing.lines().filter(|line| !line.contains(['│', '─'])) {
        let (number, code) = line.trim_start().split_once(' ').unwrap_or((line.trim(), ""));
        let number: usize = number.parse().expect("the number of a line");
        assert_eq!(code.trim(), source[number - 1].trim(), "{line}");
    }
}
