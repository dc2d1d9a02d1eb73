//! Reports for GitHub Actions, parsed as a runner parses them.

use std::collections::BTreeMap;

use super::{Run, folder, page, report};
use crate::run;

/// A workflow command.
#[derive(Debug)]
struct Command {
    name: String,
    properties: BTreeMap<String, String>,
    message: String,
}

/// Parses a line as the source code of the runner does.
fn command(line: &str) -> Command {
    let (head, message) = line.strip_prefix("::").and_then(|it| it.split_once("::")).expect(line);
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let unescape = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n");
    let properties = properties.split(',').filter(|it| !it.is_empty()).map(|property| {
        let (name, value) = property.split_once('=').expect("a property");
        let value = unescape(value).replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
        (name.to_owned(), value)
    });
    let message = unescape(message).replace("%25", "%");
    Command { name: name.to_owned(), properties: properties.collect(), message }
}

/// Runs a report as a step. Returns the run, the summary of the step, and the outputs.
fn step(folder: &std::path::Path, args: &[&str]) -> (Run, String, BTreeMap<String, String>) {
    let [summary, output] = ["summary", "output"].map(|name| folder.join(name));
    for file in [&summary, &output] {
        std::fs::write(file, "before=1\n").expect("a file");
    }
    let variables = [("GITHUB_STEP_SUMMARY", &*summary), ("GITHUB_OUTPUT", &*output)];
    let args: Vec<&str> = ["-o", "github"].into_iter().chain(args.iter().copied()).collect();
    let run = report(folder, &args, &variables);
    let read = |file| std::fs::read_to_string(file).expect("UTF-8");
    let summary = read(summary).strip_prefix("before=1\n").expect("it is added").to_owned();
    let outputs = read(output);
    let outputs = outputs.lines().map(|line| line.split_once('=').expect("name=value"));
    let outputs = outputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    (run, summary, outputs)
}

#[test]
fn a_step_has_annotations_a_summary_and_outputs() {
    let folder = folder(&["rich", "update"], &[("cut.json", "{\"format_version\":\"1.2\",")]);
    let args = ["--fail-on", "delete", "rich.json", "update.json", "cut.json"];
    let (run, summary, outputs) = step(folder.path(), &args);
    assert_eq!(run.code, Some(4), "{run:?}");
    let commands: Vec<Command> = run.out.lines().map(command).collect();
    let annotations: Vec<(&str, &str)> =
        commands.iter().map(|it| (it.name.as_str(), it.properties["title"].as_str())).collect();
    let expected = [
        ("error", "Check failed: check.certificate"),
        ("error", "Check failed: module.api.aws_ecs_service.this"),
        ("warning", "Plan is not complete"),
        ("error", "Rule broken: delete"),
        ("error", "Plan could not be read"),
    ];
    assert_eq!(annotations, expected);
    assert!(commands[0].message.contains("30 days.\nNo renewal"), "{commands:?}");
    let page = page::read(&summary);
    assert_eq!(page.rows.len(), 4, "{summary}");
    assert!(summary.contains("**Not read: 1**\n\n- `cut.json`: `byte 24: "), "{summary}");
    let output = |name: &str| outputs[name].as_str();
    for (name, value) in [
        ("before", "1"),
        ("has-changes", "true"),
        ("has-destroy", "true"),
        ("has-replace", "true"),
        ("has-drift", "true"),
        ("has-moves", "true"),
        ("has-imports", "true"),
        ("add", "15"),
        ("change", "19"),
        ("destroy", "13"),
        ("replace", "7"),
        ("import", "3"),
        ("forget", "2"),
        ("drift", "3"),
        ("failed-checks", "2"),
        ("broken-rules", "1"),
        ("broken-warnings", ""),
        ("plans", "2"),
        ("failed-plans", "1"),
        ("deferred", "1"),
        ("actions", "1"),
        ("errored-plans", ""),
        ("incomplete-plans", "1"),
    ] {
        assert_eq!(output(name), value, "{name}");
    }
    assert_eq!(outputs.len(), 23);
    assert!(!run.err.contains("is not set"), "{}", run.err);
}

#[test]
fn variables_equal_the_outputs_of_a_github_step() {
    let folder = folder(&["rich", "update"], &[]);
    let (_, _, outputs) = step(folder.path(), &["rich.json", "update.json"]);
    let args = ["-o", "variables=v", "-o", "variables", "rich.json", "update.json"];
    let run = report(folder.path(), &args, &[]);
    assert_eq!(std::fs::read_to_string(folder.path().join("v")).expect("a file"), run.out);
    let mut expected: Vec<String> = outputs
        .iter()
        .filter(|(name, _)| *name != "before")
        .map(|(name, value)| format!("PLANSIFT_{}={value}", name.to_uppercase().replace('-', "_")))
        .collect();
    let mut lines: Vec<&str> = run.out.lines().collect();
    lines.sort_unstable();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

#[test]
fn has_changes_agrees_with_the_exit_code() {
    for case in crate::corpus::cases() {
        let name = case.source();
        for more in [&[][..], &["--all"]] {
            let args: Vec<&str> = ["-o", "variables", "--detailed-exitcode", &name].to_vec();
            let args: Vec<&str> = args.iter().chain(more).copied().collect();
            let run = report(&case.folder, &args, &[]);
            let has_changes = run.out.contains("PLANSIFT_HAS_CHANGES=true\n");
            let code = if has_changes { 2 } else { 0 };
            assert_eq!(run.code, Some(code), "{}: {run:?}", case.folder.display());
        }
    }
}

#[test]
fn each_missing_variable_is_one_warning() {
    let path = run::root().join("corpus/plans/rich");
    let run = report(&path, &["-o", "github", "plan.json", "plan.json"], &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    for variable in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
        assert_eq!(run.err.matches(variable).count(), 1, "{}", run.err);
    }
}

#[test]
fn annotations_stay_within_the_limit_of_github() {
    let check = |number: usize| {
        format!(
            r#"{{"address":{{"to_display":"check.c::{number}, b=c: %3A\n"}},
                "status":"fail","instances":[
            {{"status":"fail","problems":[{{"message":"100%, a:b\r\n::error::x %0A"}}]}}]}}"#
        )
    };
    let checks: Vec<String> = (0..25).map(check).collect();
    let plan = format!(
        r#"{{"format_version":"1.2","resource_changes":[],"checks":[{}]}}"#,
        checks.join(",")
    );
    let folder = folder(&[], &[("plan.json", &plan)]);
    let (run, _, outputs) = step(folder.path(), &["plan.json"]);
    let commands: Vec<Command> = run.out.lines().map(command).collect();
    let of = |name: &str| commands.iter().filter(|it| it.name == name).collect::<Vec<_>>();
    assert_eq!((of("error").len(), of("warning").len(), of("notice").len()), (10, 0, 1));
    assert!(of("notice")[0].message.starts_with("15 more errors"), "{commands:?}");
    assert_eq!(commands[0].properties["title"], "Check failed: check.c::0, b=c: %3A\\n");
    assert_eq!(commands[0].properties.len(), 1);
    assert_eq!(commands[0].message, "plan.json: 100%, a:b\n\\u{3a}:error::x %0A");
    assert_eq!(outputs["failed-checks"], "25");
}
