//! JUnit, SARIF and GitLab reports, parsed as their consumers parse them.

use std::fs;
use std::io::Cursor;

use serde_json::{Value, json};
use serde_sarif::sarif::{ResultLevel, Sarif};

use super::{report_of, report_on};
use crate::corpus::cases;
use crate::generated::generated;
use crate::{naive, run};

/// Rules, and whether the records of the oracle break each rule.
const RULES: [(&str, Breaks); 4] = [
    ("delete", |records| {
        has(records, "resource_change", |it| {
            let has = |word: &str| {
                it["actions"].as_array().is_some_and(|all| all.iter().any(|one| one == word))
            };
            has("delete") && !has("create") && it["mode"] == "managed"
        })
    }),
    ("drift", |records| has(records, "resource_drift", |it| it["action"] != "no-op")),
    ("check", |records| {
        has(records, "check", |it| it["status"] == "fail" || it["status"] == "error")
    }),
    ("import", |records| has(records, "resource_change", |it| !it["importing"].is_null())),
];

/// Decides whether the records of a plan break a rule.
type Breaks = fn(&[Value]) -> bool;

/// Whether the records break a rule, or cannot tell because the plan does not list its changes.
fn breaks(records: &[Value], rule: &str, is_broken: Breaks) -> bool {
    let is_of_changes = !matches!(rule.split([':', '>']).next(), Some("drift" | "check"));
    let is_unlisted = has(records, "summary", |it| it["lacks_resource_changes"] == true);
    is_broken(records) || is_of_changes && is_unlisted
}

fn has(records: &[Value], kind: &str, is_match: impl Fn(&Value) -> bool) -> bool {
    records.iter().any(|it| it["kind"] == kind && is_match(it))
}

/// The plans of the corpus that are single JSON documents, with the records of the oracle.
fn plans() -> Vec<(std::path::PathBuf, Vec<Value>)> {
    let mut plans = Vec::new();
    for case in cases() {
        let text = fs::read(&case.plan).expect("a file");
        if let Ok(document) = serde_json::from_slice::<Value>(&text) {
            let records = naive::records(&document, "plan.json", text.len() as u64, false);
            plans.push((case.plan, records));
        }
    }
    assert!(plans.len() > 40);
    plans
}

fn report_with_rules(format: &str, plan: &std::path::Path) -> String {
    let mut command = run::plansift();
    command.args(["report", "-o", format]);
    for (rule, _) in RULES {
        command.args(["--fail-on", rule]);
    }
    let output = command.arg(plan).output().expect("it runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn junit_has_a_test_case_for_each_rule() {
    for (plan, records) in plans() {
        let text = report_with_rules("junit", &plan);
        let read = junit_parser::from_reader(Cursor::new(&text)).expect("JUnit");
        let [suite] = &read.suites[..] else { panic!("one plan") };
        assert_eq!(suite.name, plan.to_string_lossy());
        assert_eq!(suite.tests as usize, suite.cases.len());
        let failures = suite.cases.iter().filter(|case| case.status.is_failure()).count();
        assert_eq!(suite.failures as usize, failures);
        for (rule, is_broken) in RULES {
            let name = format!("rule {rule}");
            let case = suite.cases.iter().find(|case| case.original_name == name);
            let case = case.unwrap_or_else(|| panic!("no test {name}: {text}"));
            let is_broken = breaks(&records, rule, is_broken);
            assert_eq!(case.status.is_failure(), is_broken, "{rule} {}", plan.display());
        }
        let checks = records.iter().filter(|it| it["kind"] == "check").count();
        let checks_shown =
            suite.cases.iter().filter(|case| case.original_name.starts_with("check"));
        assert_eq!(checks_shown.count(), checks, "{}", plan.display());
    }
}

#[test]
fn sarif_has_a_result_for_each_broken_rule() {
    for (plan, records) in plans() {
        let text = report_with_rules("sarif", &plan);
        let read: Sarif = serde_json::from_str(&text).expect("SARIF");
        let [run] = &read.runs[..] else { panic!("one run") };
        let results = run.results.as_ref().expect("results");
        for (rule, is_broken) in RULES {
            let found: Vec<_> =
                results.iter().filter(|it| it.rule_id.as_deref() == Some(rule)).collect();
            let is_broken = breaks(&records, rule, is_broken);
            assert_eq!(found.len(), usize::from(is_broken), "{rule} {}", plan.display());
            assert!(found.iter().all(|it| it.level == Some(ResultLevel::Error)));
        }
        let rules = run.tool.driver.rules.as_ref().expect("rules");
        for result in results {
            let rule = &rules[result.rule_index.expect("its rule") as usize];
            assert_eq!(result.rule_id.as_ref(), Some(&rule.id));
        }
        let not_passed = records.iter().filter(|it| it["kind"] == "check").count();
        let checks = results.iter().filter(|it| it.rule_id.as_deref() == Some("plan-check"));
        assert_eq!(checks.count(), not_passed, "{}", plan.display());
    }
}

/// A report in `format` with one broken error and one broken warning.
fn with_broken_rules(format: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules");
    let lines = [
        r#"warning delete:module.database "Ask <b>us</b>.""#,
        r#"error changes>1 "Too large.""#,
        "warning errored",
        "create>999",
    ];
    fs::write(&rules, lines.join("\n")).expect("a file");
    let plan = run::root().join("corpus/plans/rich/plan.json");
    let rules = format!("@{}", rules.display());
    let mut command = run::plansift();
    for variable in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
        command.env_remove(variable);
    }
    let output = command.args(["report", "-o", format, "--fail-on", &rules]).arg(plan).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(": rule broken: changes>1: 40 in "), "{said}");
    assert!(said.contains(": Too large.\n"), "{said}");
    assert!(said.contains(": warning: rule broken: delete:module.database: "), "{said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Reports for people show broken rules and failed checks first.
#[test]
fn broken_rules_and_failed_checks_come_first() {
    let assert_order = |text: &str, first: &[&str], then: &str| {
        let place = |it: &str| text.find(it).unwrap_or_else(|| panic!("no {it}: {text}"));
        let mut last = 0;
        for it in first {
            assert!(place(it) >= last, "{it}: {text}");
            last = place(it);
        }
        assert!(last < place(then), "{text}");
    };
    let text = with_broken_rules("term");
    let rules = [
        "\nBroken rules\n      changes>1  error\n        40 in ",
        "        Too large.\n",
        "      delete:module.database  warning\n",
        "        Ask <b>us</b>.\n",
        "\nChecks that did not pass\n",
        "check.certificate",
    ];
    assert_order(&text, &rules, "\nChanges\n");
    assert!(!text.contains("errored") && !text.contains("create>999"), "{text}");
    let text = with_broken_rules("markdown");
    let rules = [
        "- `changes>1`: 40 in ",
        ": `Too large.`\n",
        "- warning: `delete:module.database`",
        ": `Ask <b>us</b>.`\n",
    ];
    assert_order(&text, &rules, "<details>");
}

/// Reports for programs contain broken rules and failed checks.
#[test]
fn reports_for_programs_contain_broken_rules_and_failed_checks() {
    let text = with_broken_rules("variables");
    let first = "PLANSIFT_BROKEN_RULES=1\nPLANSIFT_BROKEN_WARNINGS=1\nPLANSIFT_FAILED_CHECKS=2\n";
    assert!(text.starts_with(first), "{text}");
    let text = with_broken_rules("gitlab");
    let first = r#"{"broken_rules":1,"broken_warnings":1,"failed_checks":2,"create":"#;
    assert!(text.starts_with(first), "{text}");
    let text = with_broken_rules("github");
    assert!(text.contains("::error title=Rule broken%3A changes>1::"), "{text}");
    assert!(text.contains("::warning title=Rule broken%3A delete%3Amodule.database::"), "{text}");
    assert!(text.contains("%0AAsk <b>us</b>.\n"), "{text}");
    let text = with_broken_rules("html");
    for line in [
        "<li class=\"warning\">Rule broken: changes&gt;1: 40 in ",
        ": Too large.</li>\n<li class=\"warning mild\">Warning, rule broken: delete:module",
        ": Ask &lt;b&gt;us&lt;/b&gt;.</li>",
    ] {
        assert!(text.contains(line), "{line}");
    }
    let read: Value = serde_json::from_str(&with_broken_rules("json")).expect("JSON");
    let broken = &read["plans"][0]["broken_rules"];
    assert_eq!(broken[0]["severity"], "error");
    assert_eq!(broken[1]["message"], "Ask <b>us</b>.");
    assert_eq!(read["totals"]["broken_rules"], 1);
    assert_eq!(read["totals"]["broken_warnings"], 1);
    let read: Sarif = serde_json::from_str(&with_broken_rules("sarif")).expect("SARIF");
    let results = read.runs[0].results.as_ref().expect("results");
    let of = |id: &str| results.iter().find(|it| it.rule_id.as_deref() == Some(id));
    let result = of("delete:module.database").expect("a result");
    assert_eq!(result.level, Some(ResultLevel::Warning));
    assert!(result.message.text.as_ref().is_some_and(|text| text.ends_with(": Ask <b>us</b>.")));
    assert_eq!(of("changes>1").expect("a result").level, Some(ResultLevel::Error));
    assert!(of("errored").is_none() && of("create>999").is_none());
    let text = with_broken_rules("junit");
    let read = junit_parser::from_reader(Cursor::new(&text)).expect("JUnit");
    let case = |name: &str| read.suites[0].cases.iter().find(|it| it.original_name == name);
    assert!(case("rule changes>1").expect("a test").status.is_failure());
    assert!(case("rule delete:module.database").expect("a test").status.is_skipped());
    assert!(text.contains(r#"<failure message="error: 40 in "#), "{text}");
    assert!(
        text.contains(r#"<skipped message="warning: 2 in "#)
            || text.contains(r#"<skipped message="warning: 1 in "#),
        "{text}"
    );
}

#[test]
fn a_broken_warning_does_not_fail_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules");
    fs::write(&rules, "warning delete \"Careful.\"\n").expect("a file");
    let rules = format!("@{}", rules.display());
    let plan = run::root().join("corpus/plans/delete/plan.json");
    for command in ["changes", "summary", "report"] {
        let output = run::plansift().args([command, "--fail-on", &rules]).arg(&plan).output();
        let output = output.expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("warning: rule broken: delete: 4 in "), "{said}");
        assert!(said.trim_end().ends_with(": Careful."), "{said}");
    }
}

#[test]
fn reports_list_patterns_that_match_nothing() {
    let plan = run::root().join("corpus/plans/rich/plan.json");
    let args = ["--fail-on", "delete:aws_db_instnace", "--fail-on", "output:databse"];
    let words = [
        "Rule delete:aws_db_instnace matches nothing, no resource has such an address, type or \
         module: did you mean aws_db_instance?",
        "Rule output:databse matches nothing, no output has such a name: did you mean database?",
    ];
    let report = |format: &str| report_on(&[&["-o", format], &args[..]].concat(), &plan);
    let text = report("junit");
    let read = junit_parser::from_reader(Cursor::new(&text)).expect("JUnit");
    let [_, patterns] = &read.suites[..] else { panic!("two suites: {text}") };
    assert_eq!((patterns.tests, patterns.skipped, patterns.failures), (2, 2, 0));
    for (case, words) in patterns.cases.iter().zip(words) {
        let name = &case.original_name;
        assert!(case.status.is_skipped() && words[1..].starts_with(&name[1..]), "{text}");
        assert!(text.contains(words), "{text}");
        // The suite of the plan does not say that the plan keeps such a rule.
        assert_eq!(text.matches(&format!("name=\"{name}\"")).count(), 1, "{text}");
    }
    let read: Sarif = serde_json::from_str(&report("sarif")).expect("SARIF");
    let invocation = &read.runs[0].invocations.as_ref().expect("an invocation")[0];
    assert!(invocation.execution_successful);
    let notifications = invocation.tool_execution_notifications.iter().flatten();
    let notifications = notifications
        .map(|it| (serde_json::to_value(&it.level).expect("a level"), &it.message.text));
    // The plan is incomplete, which is another notification.
    let notifications =
        notifications.filter(|(_, text)| text.as_ref().is_some_and(|it| it.starts_with("Rule ")));
    let expected = words.map(|words| (json!("warning"), Some(words.to_owned())));
    assert!(notifications.eq(expected.iter().map(|(level, words)| (level.clone(), words))));
    // If no plan can be read, it is not known what the patterns match.
    let nothing = run::piped(&["report", "-o", "junit", "--fail-on", "delete:x", "-"], b"{");
    let text = String::from_utf8_lossy(&nothing.stdout);
    assert!(!text.contains("patterns") && text.contains("<error"), "{text}");
}

#[test]
fn an_incomplete_plan_is_a_skipped_test() {
    for (plan, message) in [
        ("incomplete", "This plan is not complete: applying it will leave changes for another"),
        ("deferred", "Some changes are deferred to a later plan."),
        ("errored", "planning failed: there may be more to change"),
    ] {
        let path = run::root().join(format!("corpus/plans/{plan}/plan.json"));
        let text = report_on(&["-o", "junit"], &path);
        let read = junit_parser::from_reader(Cursor::new(&text)).expect("JUnit");
        let whole = read.suites[0].cases.iter().find(|it| it.original_name == "plan is whole");
        let status = &whole.expect("a test of the plan").status;
        assert_eq!(status.is_skipped(), plan != "errored", "{plan}: {text}");
        assert_eq!(status.is_failure(), plan == "errored", "{plan}: {text}");
        assert!(text.contains(message), "{plan}: {text}");
    }
}

#[test]
fn an_errored_plan_is_no_success() {
    let plan = run::root().join("corpus/plans/errored/plan.json");
    let read: Sarif = serde_json::from_str(&report_on(&["-o", "sarif"], &plan)).expect("SARIF");
    let invocation = &read.runs[0].invocations.as_ref().expect("an invocation")[0];
    assert!(!invocation.execution_successful);
    assert_eq!(invocation.tool_execution_notifications.as_ref().map(Vec::len), Some(1));
}

#[test]
fn every_report_names_unreadable_plans() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("broken & <cut>.json");
    fs::write(&broken, r#"{"format_version":"1.2","resource_changes":["#).expect("a file");
    let whole = cases().swap_remove(0).plan;
    let run = |format: &str| {
        let mut command = run::plansift();
        let output = command.args(["report", "-o", format]).args([&whole, &broken]).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(4));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    // These reports leave numbers out, because the numbers would be too small.
    assert_eq!(run("gitlab"), "");
    let text = run("variables");
    assert!(text.contains("PLANSIFT_HAS_CHANGES=true\nPLANSIFT_HAS_DESTROY=\n"), "{text}");
    assert!(text.contains("PLANSIFT_FAILED_PLANS=1\n"), "{text}");
    let zero: Vec<&str> = text.lines().filter(|line| line.ends_with("=0")).collect();
    assert!(zero.is_empty(), "{zero:?}");
    let text = run("junit");
    let read = junit_parser::from_reader(Cursor::new(&text)).expect("JUnit");
    assert_eq!((read.suites.len(), read.suites[1].errors), (2, 1), "{text}");
    assert_eq!(read.suites[1].name, broken.to_string_lossy());
    let read: Sarif = serde_json::from_str(&run("sarif")).expect("SARIF");
    let invocation = &read.runs[0].invocations.as_ref().expect("an invocation")[0];
    assert!(!invocation.execution_successful);
    assert_eq!(invocation.tool_execution_notifications.as_ref().map(Vec::len), Some(1));
    assert!(
        run("term").contains(
            "broken & <cut>.json: byte 44, at resource_changes: the document is incomplete"
        )
    );
}

#[test]
fn gitlab_counts_actions_as_its_manual_does() {
    for (plan, records) in plans() {
        let document: Value =
            serde_json::from_slice(&fs::read(&plan).expect("a file")).expect("JSON");
        let changes = document["resource_changes"].as_array().cloned().unwrap_or_default();
        let count = |word: &str| {
            let actions = changes.iter().map(|change| &change["change"]["actions"]);
            let has = |actions: &&Value| {
                actions.as_array().is_some_and(|list| list.iter().any(|it| it == word))
            };
            actions.filter(has).count()
        };
        let read: Value = serde_json::from_str(&report_on(&["-o", "gitlab"], &plan)).expect("JSON");
        let (create, update, delete) = (count("create"), count("update"), count("delete"));
        let mut expected = json!({"create": create, "update": update, "delete": delete});
        let is_failed = |it: &&Value| {
            it["kind"] == "check" && (it["status"] == "fail" || it["status"] == "error")
        };
        let failed = records.iter().filter(is_failed).count();
        if failed > 0 {
            expected["failed_checks"] = json!(failed);
        }
        let is_true = |key: &str| document[key] == true;
        let has_deferred = document["deferred_changes"].as_array().is_some_and(|it| !it.is_empty());
        let is_unlisted = records.iter().any(|it| it["lacks_resource_changes"] == true);
        for (key, holds) in [("errored_plans", is_true("errored")), ("unlisted_plans", is_unlisted)]
        {
            if holds {
                // GitLab refuses a report without the three numbers.
                let members = expected.as_object_mut().expect("an object");
                members.retain(|key, _| !["create", "update", "delete"].contains(&&**key));
                members.insert(key.to_owned(), json!(1));
            }
        }
        if has_deferred || (document["complete"] == false && !is_true("errored")) {
            expected["incomplete_plans"] = json!(1);
        }
        assert_eq!(read, expected, "{}", plan.display());
    }
}

#[test]
fn several_reports_equal_single_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = run::root().join("corpus/plans/rich/plan.json");
    let formats = ["term", "junit", "sarif", "gitlab"];
    let files: Vec<_> = formats.iter().map(|format| folder.path().join(format)).collect();
    let mut command = run::plansift();
    command.arg("report").arg(&plan).args(["-o", "term"]);
    for (format, file) in formats.iter().zip(&files).skip(1) {
        command.arg("-o").arg(format!("{format}={}", file.display()));
    }
    let output = command.output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), report_on(&[], &plan));
    for (format, file) in formats.iter().zip(&files).skip(1) {
        let text = fs::read_to_string(file).expect("a report");
        assert_eq!(text, report_on(&["-o", format], &plan), "{format}");
    }
    let twice = run::plansift().args(["report", "-o", "junit", "-o", "sarif", "-"]).output();
    assert_eq!(twice.expect("it runs").status.code(), Some(64));
    let [one, again] = ["a.txt", "./a.txt"].map(|name| folder.path().join(name));
    let targets = [format!("term={}", one.display()), format!("html={}", again.display())];
    let twice =
        run::plansift().args(["report", "-o", &targets[0], "-o", &targets[1], "-"]).output();
    assert_eq!(twice.expect("it runs").status.code(), Some(64));
    let [one, other] = ["x/a", "y/b"].map(|name| folder.path().join(name).display().to_string());
    let targets = [format!("term={one}"), format!("html={other}")];
    let mut nowhere = run::plansift();
    nowhere.args(["report", "-o", &targets[0], "-o", &targets[1], "-"]);
    assert_eq!(nowhere.output().expect("it runs").status.code(), Some(1));
    let unknown = run::plansift().args(["report", "-o", "pdf", "-"]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("the formats are term"));
}

#[cfg(unix)]
#[test]
fn a_closed_output_does_not_end_the_other_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.xml");
    let junit = format!("junit={}", file.display());
    let plan = run::root().join("corpus/plans/rich/plan.json");
    let report = |targets: &[&str], out: std::process::Stdio| {
        let mut command = run::plansift();
        command.arg("report").arg(&plan).args(["--fail-on", "delete"]).stdout(out);
        for target in targets {
            command.args(["-o", target]);
        }
        command.output().expect("it runs")
    };
    // The terminal report is longer than the buffer, and its reader has closed the pipe.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = report(&["term", &junit], writer.into());
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(&file).expect("a report");
    assert!(text.ends_with("</testsuites>\n"), "{text}");
    // The error names the output that failed.
    let full = report(&["term", "junit=/dev/full"], std::process::Stdio::null());
    assert_eq!(full.status.code(), Some(1));
    let said = String::from_utf8_lossy(&full.stderr);
    assert!(said.contains("/dev/full: cannot write the output"), "{said}");
}

#[test]
fn reports_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    for shape in ["estate", "busy"] {
        generated(folder.path(), shape, &[], 3_000_000);
        let plan = folder.path().join("plan.json");
        for format in ["term", "markdown", "html"] {
            let args = |threads| ["-o", format, "--values", "all", "--threads", threads];
            let one = report_on(&args("1"), &plan);
            assert!(one.len() > 100_000, "{shape} {format}");
            for threads in ["2", "3", "8"] {
                let several = report_on(&args(threads), &plan);
                assert!(several == one, "{shape} {format} {threads}");
            }
        }
    }
}

#[test]
fn reports_on_empty_plans_are_complete() {
    let nothing = r#"{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[]}"#;
    let read = junit_parser::from_reader(Cursor::new(report_of(&["-o", "junit"], nothing)));
    assert_eq!(read.expect("JUnit").suites[0].failures, 0);
    let read: Sarif = serde_json::from_str(&report_of(&["-o", "sarif"], nothing)).expect("SARIF");
    assert_eq!(read.runs[0].results.as_ref().map(Vec::len), Some(0));
}
