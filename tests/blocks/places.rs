//! The places of blocks in the formats for people, and the default source of plan files.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::{folder, lines, ran};
use crate::run;

const SOURCE: &str = "corpus/sources";
const PLAN: &str = "corpus/sources/plan.json";
const PLAN_FILE: &str = "corpus/planfiles/modules/plan.tfplan";
const URL: &str = "https://host/o/r/blob/main/{path}#L{line}";

/// The output of a command, whatever its exit code is.
fn text(args: &[&str]) -> String {
    ran(args).0
}

#[test]
fn the_summary_shows_the_location_after_each_address() {
    let page = text(&["summary", "--source", SOURCE, PLAN]);
    for line in [
        "-/+ aws_db_instance.main (corpus/sources/main.tf:12)",
        "  - aws_s3_bucket.old (block removed), no longer in the configuration",
        "    aws_sns_topic.found (block generated)",
        "  ! check.reachable (corpus/sources/main.tf:18) fail: The database listens on another \
         port.",
    ] {
        assert!(page.lines().any(|it| it == line), "{line}\n{page}");
    }
    let bare = text(&["summary", PLAN]);
    assert!(!bare.contains("main.tf") && !bare.contains("block"), "{bare}");
    let narrow = text(&["summary", "--source", SOURCE, "--color", "never", PLAN]);
    assert_eq!(page, narrow);
}

#[test]
fn the_terminal_report_names_the_place_of_each_change() {
    let page = text(&["report", "--source", SOURCE, PLAN]);
    for end in [
        "aws_db_instance.main  must be replaced  # corpus/sources/main.tf:12",
        "because it is no longer in the configuration  # block removed",
        "aws_subnet.a  will be updated in place  # corpus/sources/network/main.tf.json:5",
        "endpoint = \"a\" -> \"b\"  # corpus/sources/main.tf:25",
        "check.reachable  fail  # corpus/sources/main.tf:18",
    ] {
        assert!(page.lines().any(|line| line.ends_with(end)), "{end}\n{page}");
    }
    let narrow = text(&["report", "--source", SOURCE, "--width", "50", PLAN]);
    assert!(narrow.lines().any(|line| line == "          # corpus/sources/main.tf:12"), "{narrow}");
    assert!(narrow.lines().filter(|line| line.contains(SOURCE)).all(|line| line.len() <= 60));
}

#[test]
fn every_command_reads_the_configuration_in_a_plan_file() {
    let place = "child/main.tf:1";
    let resource = "module.two[0].terraform_data.here[0]";
    let records = lines(&["changes", "-q", PLAN_FILE]);
    let record = records.iter().find(|record| record["address"].as_str() == Some(resource));
    let Some(source) = record.map(|record| &record["source"]) else {
        panic!("{records:?}");
    };
    assert_eq!(source["file"], "child/main.tf", "{source}");
    let calls = source["module_calls"].as_array().expect("calls");
    assert_eq!(calls[0]["file"], "main.tf");
    let line = source["line"].as_u64().expect("a line");
    let place = place.replace(":1", &format!(":{line}"));
    assert!(text(&["report", "-q", PLAN_FILE]).contains(&place));
    let assertion = format!("resource: '{resource}', action: no-op");
    let failed = text(&["assert", "-q", "-e", &assertion, PLAN_FILE]);
    assert!(failed.contains(&format!("({place})")), "{failed}");
    let gone = "corpus/planfiles/delete/plan.tfplan";
    assert!(text(&["summary", "-q", gone]).contains("terraform_data.a (block removed)"));
}

#[test]
fn no_source_omits_the_locations() {
    for args in [
        &["changes", "-q", PLAN_FILE][..],
        &["report", "-q", PLAN_FILE],
        &["report", "-q", "-o", "html", PLAN_FILE],
        &["report", "-q", "-o", "sarif", "--fail-on", "create", PLAN_FILE],
        &["summary", "-q", "corpus/planfiles/replace/plan.tfplan"],
        &["assert", "-q", "-e", "plan: empty", PLAN_FILE],
        &["assert", "-q", "-f", "json", "-e", "plan: empty", PLAN_FILE],
    ] {
        let with = text(args);
        let without = text(&[args, &["--no-source"]].concat());
        assert!(with.contains("main.tf"), "{args:?}\n{with}");
        assert!(!without.is_empty() && !without.contains("main.tf"), "{args:?}\n{without}");
    }
    let (_, code) = ran(&["changes", "--no-source", "--source", SOURCE, PLAN]);
    assert_eq!(code, Some(64));
}

#[test]
fn a_folder_replaces_the_configuration_in_a_plan_file() {
    let other = folder(&[("x.tf", "\n\nresource \"terraform_data\" \"a\" {\n}\n")]);
    let path = other.path().to_str().expect("UTF-8");
    let plan = "corpus/planfiles/replace/plan.tfplan";
    let records = lines(&["changes", "-q", "--source", path, plan]);
    let source = |address: &str| -> Value {
        let found = records.iter().find(|record| record["address"] == address);
        found.expect("a record")["source"].clone()
    };
    let expected = json!({ "file": "x.tf", "line": 3, "column": 1, "end_line": 4 });
    assert_eq!(source("terraform_data.a"), expected);
    // The plan replaces the object, so it has a block, which these files do not have.
    assert_eq!(source("terraform_data.b"), json!({ "missing": "unknown" }));
}

/// The assertions, of which each one fails.
const ASSERTIONS: [&str; 6] = [
    "resource: aws_db_instance.main, not_action: replace",
    "output: endpoint, action: no-op",
    "resource: aws_s3_bucket.old, action: no-op",
    "resource: module.network.aws_subnet.a, action: no-op",
    "plan: empty",
    "resource: aws_none.x, action: update",
];

fn asserted(format: &str) -> String {
    let assertions = ASSERTIONS.iter().flat_map(|text| ["-e", text]);
    let args = ["assert", "--source", SOURCE, "-f", format, PLAN];
    let (text, code) = ran(&args.into_iter().chain(assertions).collect::<Vec<_>>());
    assert_eq!(code, Some(3), "{format}");
    text
}

#[test]
fn failed_assertions_say_where_the_block_is() {
    let at = |file: &str, line: u64, column: u64, end_line: u64| {
        json!({ "file": format!("{SOURCE}/{file}"), "line": line, "column": column,
                "end_line": end_line })
    };
    let mut subnet = at("network/main.tf.json", 5, 12, 8);
    subnet["module_calls"] = json!([at("main.tf", 7, 1, 10)]);
    let database = at("main.tf", 12, 1, 16);
    let removed = json!({ "missing": "removed" });
    let expected = [
        vec![database.clone()],
        vec![at("main.tf", 25, 1, 27)],
        vec![removed.clone()],
        vec![subnet.clone()],
        vec![database, removed, subnet, at("main.tf", 25, 1, 27)],
        vec![Value::Null],
    ];
    let sources = |record: &Value| -> Vec<Value> {
        let findings = record["findings"].as_array().expect("findings");
        findings.iter().map(|finding| finding["source"].clone()).collect()
    };
    let ndjson = asserted("ndjson");
    let records = ndjson.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    assert_eq!(records.map(|record| sources(&record)).collect::<Vec<_>>(), expected);
    let json: Vec<Value> = serde_json::from_str(&asserted("json")).expect("JSON");
    assert_eq!(json.iter().map(sources).collect::<Vec<_>>(), expected);
}

#[test]
fn failed_assertions_show_the_place_in_each_format() {
    let place = "corpus/sources/main.tf:12";
    let words = "aws_db_instance.main: expected not replace, found delete-then-create";
    let text = asserted("text");
    assert!(text.contains(&format!("  {words} ({place})\n")), "{text}");
    assert!(text.contains("aws_s3_bucket.old: expected no-op, found delete (block removed)"));
    let junit = asserted("junit");
    assert!(junit.contains("file=\"corpus/sources/main.tf\" line=\"12\">"), "{junit}");
    assert!(junit.contains(&format!("{words} ({place})")), "{junit}");
    let github = asserted("github");
    let at = "::error file=corpus/sources/main.tf,line=12,endLine=16,title=Assertion failed";
    assert!(github.contains(at), "{github}");
    let gone = github.lines().find(|line| line.contains("aws_s3_bucket.old%3A"));
    assert!(gone.is_some_and(|line| line.starts_with("::error title=")), "{github}");
    let sarif: Value = serde_json::from_str(&asserted("sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let physical = |index: usize| &results[index]["locations"][0]["physicalLocation"];
    let block = json!({
        "artifactLocation": { "uri": "corpus/sources/main.tf" },
        "region": { "startLine": 12, "endLine": 16 },
    });
    assert_eq!(*physical(0), block);
    assert_eq!(*physical(2), json!({ "artifactLocation": { "uri": PLAN } }));
}

#[test]
fn an_assertion_about_an_unplanned_resource_has_its_block_location() {
    let source = folder(&[("main.tf", "resource \"aws_none\" \"x\" {\n}\n")]);
    let source = source.path().to_str().expect("UTF-8");
    let rules = folder(&[("a.yaml", "- resource: aws_none.x\n  action: update\n")]);
    let rules = rules.path().join("a.yaml");
    let rules = rules.to_str().expect("UTF-8");
    let (text, _) = ran(&["assert", "--source", source, "-f", "github", "-F", rules, PLAN]);
    assert!(text.starts_with("::error file=main.tf,line=1,endLine=2,title="), "{text}");
    let asserted = format!("(asserted in {rules}:1)");
    assert!(text.contains(&asserted), "{text}");
}

/// The entries of the data in a page, each with its details.
fn entries(page: &str) -> Vec<[Value; 2]> {
    let data = page.split("<script type=\"application/x-ndjson\">\n").skip(1);
    let lines = data.flat_map(|block| block.split("</script>").next().unwrap_or("").lines());
    let values: Vec<Value> = lines.map(|line| serde_json::from_str(line).expect("JSON")).collect();
    values.chunks(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
}

#[test]
fn each_entry_of_the_page_has_its_block() {
    let page = text(&["report", "--source", SOURCE, "-o", "html", PLAN]);
    let linked = text(&["report", "--source", SOURCE, "--source-url", URL, "-o", "html", PLAN]);
    for (page, has_links) in [(page, false), (linked, true)] {
        let entries = entries(&page);
        let block = |address: &str| {
            let found = entries.iter().find(|[entry, _]| entry["address"] == address);
            found.unwrap_or_else(|| panic!("{address}"))[1]["block"].clone()
        };
        for (address, file, line) in [
            ("aws_db_instance.main", "corpus/sources/main.tf", 12),
            ("module.network.aws_subnet.a", "corpus/sources/network/main.tf.json", 5),
            ("endpoint", "corpus/sources/main.tf", 25),
            ("check.reachable", "corpus/sources/main.tf", 18),
        ] {
            let mut expected = json!({ "text": format!("{file}:{line}") });
            if has_links {
                expected["url"] = json!(format!("https://host/o/r/blob/main/{file}#L{line}"));
            }
            assert_eq!(block(address), expected);
        }
        assert_eq!(block("aws_s3_bucket.old"), json!({ "text": "block removed" }));
    }
}

/// Texts in file names that try to end a link, a line or a command.
const HOSTILE: &str = "\u{1b}]8;;x\u{1b}\\\u{7}<a>\"'&#[::error::]\u{202e}##[x].tf";

#[cfg(target_os = "linux")]
#[test]
fn names_of_files_cannot_break_out_of_any_format() {
    let text = "resource \"aws_db_instance\" \"main\" {\n}\noutput \"endpoint\" {\n}\n";
    let source = folder(&[(HOSTILE, text)]);
    let source = source.path().to_str().expect("UTF-8");
    let hidden = |text: &str| text.contains(['\u{1b}', '\u{7}', '\u{202e}']);
    for (args, is_markup) in [
        (&["changes", PLAN][..], false),
        (&["summary", PLAN], false),
        (&["report", "-o", "term", PLAN], false),
        (&["report", "-o", "html", "--source-url", URL, PLAN], true),
        (&["report", "-o", "markdown", "--source-url", URL, PLAN], false),
        (&["report", "-o", "github", PLAN], false),
        (&["report", "-o", "sarif", PLAN], false),
        (&["report", "-o", "code-quality", PLAN], false),
        (&["assert", "-e", ASSERTIONS[0], PLAN], false),
        (&["assert", "-f", "github", "-e", ASSERTIONS[0], PLAN], false),
        (&["assert", "-f", "junit", "-e", ASSERTIONS[0], PLAN], true),
        (&["assert", "-f", "sarif", "-e", ASSERTIONS[0], PLAN], false),
    ] {
        let (text, code) = ran(&[args, &["--source", source]].concat());
        assert!(matches!(code, Some(0 | 3)), "{args:?}");
        assert!(text.contains(".tf"), "{args:?}");
        assert!(!hidden(&text) && !text.contains("##[x]"), "{args:?}\n{text}");
        assert!(!is_markup || !text.contains("<a>\"'"), "{args:?}\n{text}");
        let is_command = |line: &str| line.trim_start().starts_with("::error::");
        assert!(!text.lines().any(is_command), "{args:?}\n{text}");
    }
}

/// What a command prints to a terminal, which `script` provides. `None` without `script`.
#[cfg(target_os = "linux")]
fn on_terminal(command: &str, variables: &[(&str, &str)]) -> Option<String> {
    let plansift = run::plansift();
    let program = plansift.get_program().to_string_lossy().into_owned();
    let mut script = Command::new("script");
    script.args(["-qec", &format!("{program} {command}"), "/dev/null"]);
    for name in ["NO_COLOR", "FORCE_HYPERLINK", "VTE_VERSION", "TERM_PROGRAM", "WT_SESSION"] {
        script.env_remove(name);
    }
    let output = script
        .env("TERM", "xterm-256color")
        .env("COLUMNS", "200")
        .envs(variables.iter().copied())
        .current_dir(run::root())
        .stdin(std::process::Stdio::null())
        .output();
    Some(String::from_utf8_lossy(&output.ok()?.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn places_are_hyperlinks_on_terminals_that_have_them() {
    let root = fs::canonicalize(run::root()).expect("a folder");
    let link = |url: &str, text: &str| format!("\u{1b}]8;;{url}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\");
    let text = "corpus/sources/main.tf:12";
    let local = link(&format!("file://{}/corpus/sources/main.tf", root.display()), text);
    let hosted = link("https://host/o/r/blob/main/corpus/sources/main.tf#L12", text);
    let summary = format!("summary --source {SOURCE} {PLAN}");
    let report = format!("report --source {SOURCE} {PLAN}");
    let with_url = format!("{report} --source-url '{URL}'");
    let kitty = ("TERM", "xterm-kitty");
    for (command, variables, expected) in [
        (&summary, &[kitty][..], Some(&local)),
        (&report, &[kitty], Some(&local)),
        (&with_url, &[kitty], Some(&hosted)),
        (&report, &[("FORCE_HYPERLINK", "1")], Some(&local)),
        (&report, &[], None),
        (&report, &[kitty, ("NO_COLOR", "1")], None),
        (&report, &[kitty, ("FORCE_HYPERLINK", "0")], None),
    ] {
        let Some(page) = on_terminal(command, variables) else { return };
        assert!(page.contains(text), "{command} {variables:?}\n{page}");
        match expected {
            Some(link) => assert!(page.contains(link), "{command} {variables:?}\n{page:?}"),
            None => assert!(!page.contains("\u{1b}]"), "{command} {variables:?}\n{page:?}"),
        }
    }
}

#[test]
fn places_are_never_hyperlinks_in_pipes() {
    for args in [&["summary", "--color", "always", PLAN][..], &["report", "--color=always", PLAN]] {
        let mut command = run::plansift();
        command.args(args).args(["--source", SOURCE]).current_dir(run::root());
        let variables = [("FORCE_HYPERLINK", "1"), ("TERM", "xterm-kitty")];
        let output = command.envs(variables).output().expect("it runs");
        let page = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(page.contains("main.tf:12") && !page.contains("\u{1b}]"), "{args:?}\n{page}");
    }
}
