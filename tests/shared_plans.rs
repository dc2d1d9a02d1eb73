//! Real plans: compares the engine with the oracle and the tools' own counts.
//!
//! The plans are those of `corpus/real`, and those of other projects in `../shared/plans` if that
//! folder exists. The test itself decides which files are plans, from their trees, so it detects a
//! plan that the engine refuses and another document that it accepts. Each test requires a minimum
//! number of files, with and without the plans of other projects.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use plansift::input::{self, Input, Slice};
use plansift::record::{RecordOptions, Show};
use serde_json::{Value, json};

use crate::{naive, reference, run};

/// Keys that only plans have.
const PLAN_KEYS: [&str; 9] = [
    "planned_values",
    "resource_changes",
    "resource_drift",
    "output_changes",
    "deferred_changes",
    "configuration",
    "relevant_attributes",
    "applyable",
    "errored",
];

/// Documents with keys of a plan that must be refused.
pub const REFUSED: [(&str, &str); 3] = [
    ("terraform-validator/tf1_0plan.applied.json", "the same key twice in a change"),
    ("tf-plan-format/artificial.full.json", "its format_version is a word"),
    ("tf-plan-format/artificial.no-resource-changes.json", "its format_version is a word"),
];

/// Renderings without a plan line.
const NO_PLAN_LINE: [(&str, &str); 14] = [
    ("opentofu-equivalence/drift_refresh_only.plan.txt", REFRESH_ONLY),
    ("opentofu-equivalence/moved_with_refresh_only.plan.txt", REFRESH_ONLY),
    ("real/terraform1.11/acme-drift-refresh-only.plan.txt", REFRESH_ONLY),
    ("real/terraform1.11/actions-refresh-only.plan.txt", REFRESH_ONLY),
    ("real/terraform-dev1.17/acme-drift-refresh-only.plan.txt", REFRESH_ONLY),
    ("real/terraform-dev1.17/actions-refresh-only.plan.txt", REFRESH_ONLY),
    ("real/tofu1.12/acme-drift-refresh-only.plan.txt", REFRESH_ONLY),
    ("real/tofu1.12/actions-refresh-only.plan.txt", REFRESH_ONLY),
    ("terraform-equivalence/drift_refresh_only.plan.txt", REFRESH_ONLY),
    ("terraform-equivalence/moved_with_refresh_only.plan.txt", REFRESH_ONLY),
    ("tfreveal/resource_create.plan.txt", OTHER_TOOL),
    ("tfreveal/resource_delete.plan.txt", OTHER_TOOL),
    ("tfreveal/resource_replace.plan.txt", OTHER_TOOL),
    ("tfreveal/sensitive.plan.txt", OTHER_TOOL),
];
const REFRESH_ONLY: &str = "a refresh-only plan proposes nothing";
const OTHER_TOOL: &str = "not a rendering by Terraform itself";

/// Plans for which the tools' counts differ from those of plansift.
const OTHER_COUNTS: [(&str, &str); 4] = [
    ("real/terraform1.11/actions.plan.ndjson", NO_FORGET),
    ("real/terraform1.11/actions.plan.txt", NO_FORGET),
    ("real/terraform-dev1.17/actions.plan.ndjson", NO_FORGET),
    ("real/terraform-dev1.17/actions.plan.txt", NO_FORGET),
];
const NO_FORGET: &str = "only OpenTofu tells how many objects are forgotten";

/// The number of files in `corpus/real`.
const REAL: usize = 428;

/// The files of `corpus/real`, by their paths in `corpus/`, and the plans of other projects, by
/// their paths in their folder.
pub fn files() -> Vec<(String, PathBuf)> {
    let mut found = below(&run::corpus(""), "real");
    assert!(found.len() >= REAL, "only {} files in corpus/real", found.len());
    if let Some(shared) = run::shared() {
        let is_own = |name: &str| found.binary_search_by(|own| own.0.as_str().cmp(name)).is_ok();
        let mut others = below(&shared.join("plans"), "");
        others.retain(|(name, _)| !is_own(name));
        found.extend(others);
    }
    found.sort();
    found
}

/// All files of a folder, sorted by their paths relative to `root`, except files that describe a
/// folder.
pub fn below(root: &Path, folder: &str) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|extension| extension != "md") {
                let name = path.strip_prefix(root).expect("below the root");
                found.push((name.to_str().expect("a name in UTF-8").to_owned(), path.clone()));
            }
        }
    }
    found.sort();
    found
}

/// The sources and plans of the vectors for configurations, by their paths in `corpus/`.
pub fn configured() -> Vec<(String, PathBuf)> {
    let files = below(&run::corpus(""), "vectors/config/plans");
    assert!(files.len() >= CONFIGURED, "only {} files", files.len());
    files
}

/// The number of files of [`configured`].
const CONFIGURED: usize = 116;

/// The tree of the plan in a file, and the length of its text in bytes.
pub fn plan(path: &Path) -> Option<(Value, u64)> {
    let bytes = reference::read(path).expect("a readable file");
    let text = decoded(&bytes)?;
    let (document, len) = match serde_json::from_str(&text) {
        Ok(document) => (document, text.len()),
        Err(_) => unwrapped(&text)?,
    };
    is_plan(&document).then_some((document, len as u64))
}

/// Whether a document is a plan, judged by its keys.
pub fn is_plan(document: &Value) -> bool {
    let has = |key: &str| document.get(key).is_some();
    let is_plan = PLAN_KEYS.iter().any(|key| has(key));
    is_plan && (has("format_version") || has("plan_format_version"))
}

/// Decodes UTF-8 or little-endian UTF-16, and removes the byte order mark.
fn decoded(bytes: &[u8]) -> Option<String> {
    let Some(utf16) = bytes.strip_prefix(b"\xff\xfe") else {
        return std::str::from_utf8(bytes)
            .ok()
            .map(|text| text.trim_start_matches('\u{feff}').into());
    };
    let units = utf16.as_chunks().0.iter().map(|&unit| u16::from_le_bytes(unit));
    char::decode_utf16(units).collect::<Result<_, _>>().ok()
}

/// The document between the lines of a GitHub workflow, including the line feed after it.
fn unwrapped(text: &str) -> Option<(Value, usize)> {
    let text = &text[text.strip_prefix("[command]")?.find('{')? + "[command]".len()..];
    let mut documents = serde_json::Deserializer::from_str(text).into_iter();
    let document = documents.next()?.ok()?;
    let end = documents.byte_offset();
    let space = text[end..].len() - text[end..].trim_start().len();
    Some((document, end + space))
}

/// The valid plans of the folder, with their names.
pub fn plans() -> Vec<(String, PathBuf)> {
    let refused = |name: &str| REFUSED.iter().any(|(other, _)| *other == name);
    files().into_iter().filter(|(name, path)| !refused(name) && plan(path).is_some()).collect()
}

fn options() -> [(RecordOptions, bool); 2] {
    [Show::Changes, Show::All]
        .map(|show| (RecordOptions { show, ..RecordOptions::default() }, show == Show::All))
}

#[test]
fn records_of_every_plan_are_those_of_the_oracle() {
    let plans = plans();
    run::assert_enough(plans.len(), 300, 77);
    let mut differences = Vec::new();
    for (name, path) in &plans {
        let (document, len) = plan(path).expect("a plan");
        for (options, show_all) in options() {
            let input = Input::open_file(path, &input::InputOptions::default()).expect("a file");
            let oracle = naive::records(&document, "plan.json", len, show_all);
            match run::records(input, &options) {
                Ok((engine, _)) => {
                    let difference = naive::difference(&engine, &oracle);
                    differences.extend(difference.map(|text| format!("{name}: {text}")));
                }
                Err(error) => differences.push(format!("{name}: refused: {error}")),
            }
        }
    }
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn records_are_the_same_of_a_plan_with_indentation_and_sorted_keys() {
    let mut differences = Vec::new();
    for (name, path) in plans() {
        let (mut document, _) = plan(&path).expect("a plan");
        document.sort_all_objects();
        let text = serde_json::to_string_pretty(&document).expect("a value is JSON");
        for (options, show_all) in options() {
            let oracle = naive::records(&document, "plan.json", text.len() as u64, show_all);
            let engine = run::records(Slice(text.as_bytes()), &options).expect("a plan").0;
            let difference = naive::difference(&engine, &oracle);
            differences.extend(difference.map(|text| format!("{name}: {text}")));
        }
    }
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn non_plan_files_are_refused() {
    let files = files();
    let plans = plans();
    let mut refused = 0;
    for (name, path) in files.iter().filter(|file| !plans.contains(file)) {
        let read = Input::open_file(path, &input::InputOptions::default())
            .and_then(|input| run::records(input, &RecordOptions::default()));
        assert!(read.is_err(), "{name} is not a plan and was read");
        refused += 1;
    }
    run::assert_enough(refused, 400, 351);
    for (name, reason) in REFUSED {
        let there = run::shared().is_none() || files.iter().any(|(file, _)| file == name);
        assert!(there, "{name} ({reason}) is not there any more");
    }
}

#[test]
fn the_last_line_says_what_is_left_out_and_the_ci_fails() {
    let program = std::env::current_exe().expect("this program");
    let tests = [
        "shared_plans::non_plan_files_are_refused",
        "grammar::the_suite_gets_the_expected_verdicts",
        "grammar::valid_texts_are_accepted",
    ];
    let run = |ci: &str| {
        let mut command = Command::new(&program);
        command.args(tests).arg("--exact").env(run::SHARED, "nowhere").env("CI", ci);
        command.output().expect("it runs")
    };
    let output = run("");
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    let expected = "left out of 2 tests: 2: no documents of other projects in nowhere";
    assert_eq!(said.lines().collect::<Vec<_>>(), [expected]);
    let output = run("true");
    assert_eq!(output.status.code(), Some(101));
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(said.contains("1 passed; 2 failed"), "{said}");
}

/// The plan next to a file whose name ends in `suffix`.
pub fn plan_beside(path: &Path, suffix: &str) -> Option<PathBuf> {
    let stem = path.to_str()?.strip_suffix(suffix)?;
    let beside = [".plan.json", ".json"].map(|end| PathBuf::from(format!("{stem}{end}")));
    beside.into_iter().find(|path| path.is_file() && plan(path).is_some())
}

/// The files with that suffix that have a plan next to them, with the engine's counts for the plan.
fn with_counts(suffix: &str) -> Vec<(String, String, Value)> {
    let mut found = Vec::new();
    for (name, path) in files() {
        let Some(plan) = plan_beside(&path, suffix) else {
            continue;
        };
        let text = fs::read_to_string(&path).expect("text");
        let input = Input::open_file(&plan, &input::InputOptions::default()).expect("a file");
        let (records, _) = run::records(input, &RecordOptions::default()).expect("a plan");
        let counts = records.last().expect("a summary")["terraform"].clone();
        found.push((name, text, counts));
    }
    found
}

/// Whether the counts agree. The listed exceptions differ in the number of forgotten resources
/// only.
fn agree(name: &str, told: &Value, counts: &Value) -> Result<(), String> {
    let reason = OTHER_COUNTS.iter().find(|(other, _)| *other == name).map(|(_, reason)| reason);
    let mut without_forget = counts.clone();
    without_forget["forget"] = json!(0);
    match reason {
        None if told == counts => Ok(()),
        Some(_) if told != counts && *told == without_forget => Ok(()),
        Some(reason) => Err(format!("{name}: told {told}, counted {counts}, listed as {reason}")),
        None => Err(format!("{name}: told {told}, counted {counts}")),
    }
}

/// Removes colours from a text.
pub fn plain(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces
        .fold(first, |plain, piece| plain + piece.split_once('m').map_or(piece, |(_, after)| after))
}

/// The counts in the plan line of a rendering; `None` without a plan line.
fn plan_line(rendering: &str) -> Option<Value> {
    let mut told = json!({"import": 0, "add": 0, "change": 0, "destroy": 0, "forget": 0});
    if rendering.lines().any(|line| line.starts_with("No changes.")) {
        return Some(told);
    }
    let line = rendering.lines().find_map(|line| line.strip_prefix("Plan: "))?;
    for count in line.split_once('.')?.0.split(", ") {
        let (number, word) = count.split_once(" to ")?;
        told[word] = json!(number.parse::<u64>().ok()?);
    }
    Some(told)
}

#[test]
fn counts_match_the_plan_lines_of_renderings() {
    let renderings = with_counts(".plan.txt");
    run::assert_enough(renderings.len(), 140, 77);
    let mut differences = Vec::new();
    for (name, text, counts) in renderings {
        let no_line = NO_PLAN_LINE.iter().find(|(other, _)| *other == name);
        match (plan_line(&plain(&text)), no_line) {
            (Some(told), None) => differences.extend(agree(&name, &told, &counts).err()),
            (None, Some(_)) => {}
            (None, None) => differences.push(format!("{name} has no plan line")),
            (Some(_), Some(_)) => differences.push(format!("{name} has a plan line")),
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The counts of the last `change_summary` in a log.
fn change_summary(log: &str) -> Option<Value> {
    let entries: Vec<Value> = match serde_json::from_str(log) {
        Ok(entries) => entries,
        Err(_) => log.lines().map(|line| serde_json::from_str(line).expect("a line")).collect(),
    };
    let last = entries.iter().rfind(|entry| entry["type"] == "change_summary")?;
    let told = |key: &str| last["changes"].get(key).cloned().unwrap_or(json!(0));
    Some(json!({
        "import": told("import"), "add": told("add"), "change": told("change"),
        "destroy": told("remove"), "forget": told("forget"),
    }))
}

#[test]
fn counts_match_the_change_summaries_of_logs() {
    let mut differences = Vec::new();
    for (suffix, all, own) in [(".plan.ndjson", 75, 77), (".apply-log.json", 40, 0)] {
        let logs = with_counts(suffix);
        run::assert_enough(logs.len(), all, own);
        for (name, text, counts) in logs {
            match change_summary(&text) {
                Some(told) => differences.extend(agree(&name, &told, &counts).err()),
                None => differences.push(format!("{name} has no change_summary")),
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
