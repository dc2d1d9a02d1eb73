//! Many inputs: how they are named, what the run reports for each, and its exit code.

use serde_json::Value;

use super::{Folder, Run};
use crate::hostile::sample::{self, PLAN};
use crate::run;

/// A plan on one line.
fn line(name: &str) -> String {
    let change = format!(r#"{{"address":"x.{name}","change":{{"actions":["create"]}}}}"#);
    format!(r#"{{"format_version":"1.2","resource_changes":[{change}]}}"#)
}

/// Creates plans of three workspaces, one of them truncated, and files that are not plans.
fn estate() -> Folder {
    let folder = Folder::new();
    for name in ["live/prod", "live/dev", "live/stage", "live/.cache"] {
        std::fs::create_dir_all(folder.path(name)).expect("a folder");
    }
    folder.write("live/prod/plan.json", PLAN);
    folder.write("live/dev/plan.json", line("dev"));
    folder.write("live/stage/plan.json", &PLAN[..900]);
    folder.write("live/prod/main.tf", "resource {}");
    folder.write("live/package.json", r#"{"name":"live"}"#);
    folder.write("live/.cache/plan.json", line("cache"));
    folder
}

/// Source and workspace of each `plan` record.
fn plans(run: &Run) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let records = run.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let plans = records.filter(|record| record["kind"] == "plan");
    plans.map(|it| (text(&it["source"]).expect("text"), text(&it["workspace"]))).collect()
}

fn labels(plans: &[(String, Option<String>)]) -> Vec<String> {
    let workspace = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
    plans.iter().map(|(source, name)| format!("{source} {}", workspace(name))).collect()
}

#[test]
fn a_folder_argument_reads_all_of_its_plans() {
    let folder = estate();
    let run = folder.run("changes live");
    assert_eq!(run.code, Some(4), "one is cut: {}", run.err);
    assert_eq!(
        labels(&plans(&run)),
        [
            "live/dev/plan.json live/dev",
            "live/prod/plan.json live/prod",
            "live/stage/plan.json live/stage"
        ]
    );
    let said: Vec<&str> = run.err.lines().collect();
    let skipped =
        "skipped in folders: 1 file that is not a plan, 1 source file (.tf, .tfvars), 1 hidden";
    assert_eq!(said[0], format!("plansift: {skipped}"));
    assert!(said[1].starts_with("plansift: live/stage/plan.json: byte 900"), "{}", run.err);
    assert_eq!(said.len(), 2);
    assert!(!folder.run("changes -q live").err.contains("skipped"));
    // A binary plan file is a plan, and other archives are not.
    let binary = std::fs::read(run::root().join("corpus/planfiles/create/plan.tfplan"));
    folder.write("live/dev/out.tfplan", binary.expect("it is there"));
    folder.write("live/function.zip", b"PK\x03\x04\x14\x00\x08\x00");
    let run = folder.run("changes live");
    let skipped = "2 files that are not plans, 1 source file (.tf, .tfvars), 1 hidden";
    let said = format!("plansift: skipped in folders: {skipped}\n");
    assert!(run.err.starts_with(&said), "{}", run.err);
    assert_eq!(plans(&run).len(), 4);
}

#[test]
fn a_folder_gives_the_records_of_each_plan_alone() {
    let folder = estate();
    let rule = "--workspace-from live/{workspace}/plan.json";
    let alone = |name: &str| folder.run(&format!("changes {rule} live/{name}/plan.json")).out;
    let parts = ["dev", "prod", "stage"].map(alone);
    for args in ["live", "--threads 1 live", "--no-mmap live"] {
        let run = folder.run(&format!("changes {rule} {args}"));
        assert_eq!(run.out, parts.concat(), "{args}");
    }
    let prod = &parts[1];
    let plain = folder.run("changes live/prod/plan.json").out;
    let without = prod.replacen(r#","workspace":"prod""#, "", 1);
    assert_eq!(without, plain, "one input has no workspace unless it is asked for");
}

#[test]
fn inputs_can_be_lists_globs_and_filtered_folders() {
    let folder = estate();
    folder.write("list", "live/dev/plan.json\nlive/prod\n");
    folder.write("zeros", "live/prod/plan.json\0live/dev/plan.json\0");
    let both = ["live/dev/plan.json live/dev", "live/prod/plan.json live/prod"];
    for (args, expected) in [
        ("@list", both.to_vec()),
        ("--files-from list", both.to_vec()),
        ("--files-from zeros --null", both.iter().rev().copied().collect()),
        (
            "live/*/plan.json --exclude x",
            [&both[..], &["live/stage/plan.json live/stage"]].concat(),
        ),
        ("live --include plan.json --exclude stage", both.to_vec()),
        ("live/[dp]*/*.json", both.to_vec()),
        // Relative to the working directory, starting at the first component.
        ("l*e/[dp]*/*.json", both.to_vec()),
        ("*/{dev,prod}/plan.json", both.to_vec()),
        ("**/[dp]*/plan.json", both.to_vec()),
        ("{live/dev,live/prod}/plan.json", both.to_vec()),
        ("liv*", [&both[..], &["live/stage/plan.json live/stage"]].concat()),
        (
            "live --exclude stage --workspace-from live/{workspace}/plan.json",
            vec!["live/dev/plan.json dev", "live/prod/plan.json prod"],
        ),
        (
            "live --exclude stage --workspace-from w/{workspace}",
            vec![
                "live/dev/plan.json live/dev/plan.json",
                "live/prod/plan.json live/prod/plan.json",
            ],
        ),
    ] {
        assert_eq!(labels(&plans(&folder.run(&format!("changes {args}")))), expected, "{args}");
    }
    let mut command = run::plansift();
    let args = ["changes", "--files-from", "-", "live/prod/plan.json"];
    let list = std::fs::File::open(folder.path("list")).expect("a file");
    let output = command.current_dir(folder.0.path()).args(args).stdin(list).output();
    let run = Run::of(&output.expect("it runs"));
    // An input that is named twice is processed once.
    assert_eq!(
        labels(&plans(&run)),
        ["live/prod/plan.json live/prod", "live/dev/plan.json live/dev"]
    );
    assert!(
        run.err.starts_with("plansift: inputs named more than once, and read once: 1\n"),
        "{run:?}"
    );
}

/// A configuration folder contains source files, which may look like a damaged plan.
#[test]
fn source_files_of_a_folder_are_counted() {
    let folder = Folder::new();
    for name in ["m", "m/.terraform", "m/.terraform/modules"] {
        std::fs::create_dir(folder.path(name)).expect("a folder");
    }
    for (name, text) in [
        ("m/plan.json", PLAN),
        ("m/main.tf", "resource \"a\" \"b\" {}\n"),
        ("m/open.tf", "{\n"),
        ("m/more.tf.json", "{ \"variable\": {"),
        ("m/prod.tfvars", "{"),
        ("m/prod.auto.tfvars.json", r#"{"configuration":{"a":1},"errored":["x"]}"#),
        ("m/other.tofu", "{"),
        ("m/unit.tftest.hcl", "{"),
        ("m/terragrunt.hcl", "{"),
        ("m/.terraform.lock.hcl", "{"),
        ("m/.terraform/modules/plan.json", PLAN),
    ] {
        folder.write(name, text);
    }
    for command in ["changes", "summary", "batch --out out"] {
        let run = folder.run(&format!("{command} m"));
        assert_eq!(run.code, Some(0), "{command}: {}", run.err);
        let said = "plansift: skipped in folders: 8 source files (.tf, .tfvars), 2 hidden";
        let said = run.err.lines().filter(|line| *line == said).count();
        assert_eq!(said, 1, "{command}: {}", run.err);
    }
    // A plan is a plan, whatever its file name. A file that is not a source may be a damaged plan.
    folder.write("m/cut.tf.json", &PLAN[..900]);
    folder.write("m/open.json", "{");
    folder.write("m/null.json", "null\n");
    let run = folder.run("changes m");
    assert_eq!(run.code, Some(4), "{}", run.err);
    for name in ["m/cut.tf.json: byte 900", "m/open.json: byte 1", "m/null.json: this is the"] {
        assert!(run.err.contains(&format!("plansift: {name}")), "{name}: {}", run.err);
    }
}

/// If a name depended on the other inputs, it could join the histories of two workspaces.
#[test]
fn a_workspace_name_does_not_depend_on_other_inputs() {
    let folder = estate();
    folder.write("live/prod/network.json", PLAN);
    folder.write("other.json", PLAN);
    let name = |args: &str| {
        let plans = plans(&folder.run(&format!("changes {args}")));
        plans.into_iter().find(|(source, _)| source == "live/prod/plan.json").expect("it is there")
    };
    for args in ["live", "live/prod", "live/prod/plan.json other.json", "other.json live -q"] {
        assert_eq!(name(args).1.as_deref(), Some("live/prod"), "{args}");
    }
}

#[test]
fn inputs_that_share_a_workspace_keep_its_name_and_are_warnings() {
    let folder = estate();
    for name in ["live/prod.json", "live/dev.json.gz", "a.json"] {
        folder.write(name, PLAN);
    }
    let run = folder.run("changes live a.json --exclude stage");
    let expected = [
        "live/dev/plan.json live/dev",
        "live/dev.json.gz live/dev",
        "live/prod/plan.json live/prod",
        "live/prod.json live/prod",
        "a.json a",
    ];
    assert_eq!(labels(&plans(&run)), expected);
    let said = "plansift: warning: live/dev.json.gz and 1 more: an earlier input has the same \
                workspace, and both count: if it is the same plan, leave one out with --exclude; \
                if not, --workspace-from can tell them apart\n";
    assert!(run.err.contains(said), "{}", run.err);
    let run = folder.run("slim live a.json --exclude stage");
    assert!(!run.err.contains("workspace"), "slim shows no workspaces: {}", run.err);
    let run = folder.run("changes live a.json --workspace-from {workspace}/*.json --exclude stage");
    let both = labels(&plans(&run));
    assert!(both.contains(&"live/prod.json live".to_owned()), "{both:?}");
    assert!(both.contains(&"live/prod/plan.json prod".to_owned()), "{both:?}");
}

#[test]
fn inputs_named_twice_count_once() {
    let folder = estate();
    for (args, again) in [
        ("live/prod/plan.json live/prod/plan.json", 1),
        ("live/prod live/prod/plan.json live/*/plan.json --exclude stage", 2),
        ("- - live/prod", 1),
        ("live/prod/plan.json ./live/prod/plan.json live//prod/./plan.json ./live/prod", 3),
    ] {
        for command in ["changes", "summary", "report", "redact"] {
            let args = format!("{command} {args}");
            let mut command = run::plansift();
            command.current_dir(folder.0.path()).args(args.split(' '));
            let stdin = std::fs::File::open(folder.path("live/dev/plan.json")).expect("a file");
            let run = Run::of(&command.stdin(stdin).output().expect("it runs"));
            let said = format!("plansift: inputs named more than once, and read once: {again}");
            assert!(run.err.lines().any(|line| line == said), "{args}: {}", run.err);
        }
    }
}

/// `@` before a plan is an easy mistake, and so is a plan in place of a rules file.
#[test]
fn plans_given_as_lists_are_not_quoted() {
    let secret = "CANARY-in-a-list";
    let change = format!(
        r#"{{"actions":["create"],"before":null,"after":{{"p":"{secret}"}},"after_unknown":{{}},
           "before_sensitive":false,"after_sensitive":{{"p":true}}}}"#
    );
    let plan = format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","change":{change}}}]}}"#
    );
    let folder = Folder::new();
    folder.write("one-line.json", plan.replace('\n', ""));
    folder.write("indented.json", plan.replace(['{', ','], "$0\n").replace("$0", "{"));
    let pretty: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
    folder.write("pretty.json", serde_json::to_string_pretty(&pretty).expect("JSON"));
    folder.write("behind-words", format!("some/plan.json\nother.json\n{}", plan.replace('\n', "")));
    folder.write("mark", format!("\u{feff}{}", "pretty.json\n"));
    for name in ["one-line.json", "indented.json", "pretty.json", "behind-words"] {
        for args in [
            format!("changes @{name}"),
            format!("changes --files-from {name}"),
            format!("redact @{name}"),
            format!("audit @{name}"),
            format!("batch -q --out out-{name} @{name}"),
            format!("changes --fail-on @{name} pretty.json"),
        ] {
            let run = folder.run(&args);
            let is_usage = args.contains("--fail-on");
            assert_eq!(run.code, Some(if is_usage { 64 } else { 1 }), "{args}: {run:?}");
            assert!(!format!("{run:?}").contains(secret), "{args}: {run:?}");
            assert!(run.err.len() < 1000, "{args}: {}", run.err);
            let said = if is_usage { "line 1: " } else { "this is not a list of names" };
            assert!(run.err.contains(said), "{args}: {}", run.err);
        }
        let out = folder.path(&format!("out-{name}"));
        for file in ["journal", "report.ndjson"] {
            let text = std::fs::read_to_string(out.join(file)).expect("a file");
            assert!(!text.contains(secret), "{file} of {name}");
        }
    }
    let run = folder.run("summary @mark");
    assert_eq!(run.code, Some(0), "{}", run.err);
}

/// Pipeline output before a plan must not hide the plan in a folder.
#[test]
fn a_plan_behind_other_text_is_found_in_a_folder() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("all")).expect("a folder");
    let deletes = sample::update("{}", "{}").replace("update", "delete");
    for (name, before) in [
        ("version.json", "{\"terraform_version\":\"1.9.0\",\"outdated\":false}\n".to_owned()),
        ("empty.json", "{}\n".to_owned()),
        ("log.json", "{\"@level\":\"info\",\"@message\":\"x\"}\n".repeat(5)),
        ("words.json", "aws_instance.a: Refreshing state... [id=i-0]\n".repeat(4000)),
    ] {
        folder.write("all/plan.json", before + &deletes);
        let run = folder.run("changes --fail-on destroy all");
        assert!(matches!(run.code, Some(3 | 4)), "{name}: {run:?}");
        assert!(run.err.contains("rule broken: destroy"), "{name}: {}", run.err);
        assert_eq!(run.count("resource_change"), 1, "{name}");
    }
}

#[test]
fn outputs_never_replace_files_that_are_read() {
    let folder = Folder::of_plans();
    folder.write("key", "0123456789abcdef");
    folder.write("rules", "delete\n");
    folder.write("list", "plan.json\n");
    for args in [
        "changes -o plan.json -",
        "summary -o plan.json",
        "report -o markdown=plan.json",
        "redact -o plan.json",
        "redact --mask hash --key-file key -o key plan.json",
        "slim --mask hash --key-file key -o key plan.json",
        "redact --mask hash --key-file key --report key plan.json",
        "changes -o list @list",
        "changes -o list --files-from list",
        "changes --fail-on @rules -o rules plan.json",
        "report --fail-on @rules -o html=rules plan.json",
    ] {
        let mut command = run::plansift();
        command.current_dir(folder.0.path()).args(args.split(' '));
        let stdin = std::fs::File::open(folder.path("plan.json")).expect("a file");
        let run = Run::of(&command.stdin(stdin).output().expect("it runs"));
        assert_eq!(run.code, Some(64), "{args}: {run:?}");
        assert!(run.err.contains("this is an input"), "{args}: {}", run.err);
    }
    let content = |name: &str| std::fs::read_to_string(folder.path(name)).expect("a file");
    assert_eq!([content("key"), content("rules")], ["0123456789abcdef", "delete\n"]);
    assert_eq!([content("list"), content("plan.json")], ["plan.json\n", PLAN]);
}

/// A command rejects options that have no effect on it.
#[test]
fn options_without_effect_are_refused() {
    let folder = Folder::of_plans();
    for args in [
        "redact --detailed-exitcode plan.json",
        "redact --all plan.json",
        "slim -detailed-exitcode plan.json",
        "audit --detailed-exitcode plan.json",
        "audit --all plan.json",
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(64), "{args}: {run:?}");
    }
    let run = folder.run("changes -out records plan.json");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
    assert!(folder.path("records").is_file());
    let run = folder.run("changes -out=others plan.json");
    assert_eq!((run.code, folder.path("others").is_file()), (Some(0), true), "{run:?}");
}

/// A damaged document is not followed by another, although it contains the first key of a plan.
#[test]
fn a_single_damaged_plan_has_one_message() {
    let plan = PLAN.replacen("{\"address\":\"a.one[0]\"", "{\"address\":nul", 1);
    assert!(plan.contains("\"prior_state\":{\"format_version\""));
    let run = Run::piped("changes", plan);
    assert_eq!((run.code, run.err.lines().count()), (Some(1), 1), "{}", run.err);
}

#[test]
fn inputs_that_name_no_plan_are_errors() {
    let folder = estate();
    folder.write("list", "");
    std::fs::create_dir(folder.path("bare")).expect("a folder");
    folder.write("bare/README", "words");
    for (args, code, said) in [
        ("bare", 1, "bare: no plan found here"),
        ("none*", 1, "none*: no plan found here"),
        ("@list", 1, "@list: no plan found here"),
        ("@none", 1, "@none: cannot read the input"),
        ("bare live/dev/plan.json", 4, "bare: no plan found here"),
        ("live/package.json live/dev/plan.json", 4, "live/package.json: this JSON is not a plan"),
        ("live --include nothing", 1, "live: no plan found here"),
        ("live[ live/dev", 4, "live[: invalid pattern"),
        ("live --include [", 64, "--include, --exclude: a glob is not well formed"),
        ("live --workspace-from x", 64, "--workspace-from: {workspace} must be in it once"),
        ("--files-from - -", 64, "standard input is either a plan or a list"),
        ("-o live/dev/plan.json live", 64, "live/dev/plan.json: this is an input"),
    ] {
        let run = folder.run(&format!("changes {args}"));
        assert_eq!(run.code, Some(code), "{args}: {run:?}");
        assert!(run.err.contains(&format!("plansift: {said}")), "{args}: {}", run.err);
    }
    assert_eq!(std::fs::read_to_string(folder.path("live/dev/plan.json")).ok(), Some(line("dev")));
}

#[test]
fn a_workspace_rule_that_does_not_fit_is_one_warning() {
    let folder = estate();
    let run = folder.run("changes --exclude stage --workspace-from live/{workspace}/x live");
    let warnings: Vec<&str> = run.err.lines().filter(|line| line.contains("warning")).collect();
    let said = "plansift: warning: --workspace-from does not fit live/dev/plan.json and 1 more: \
                named by the whole path";
    assert_eq!(warnings, [said]);
}

#[test]
fn plans_of_one_stream_are_reported_one_by_one() {
    let (a, b, c) = (line("a"), line("b"), line("c"));
    let run = Run::piped("changes", format!("{a}\n{b}\n{c}\n"));
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert_eq!(labels(&plans(&run)), ["- -", "-#2 -", "-#3 -"]);
    assert_eq!(run.count("summary"), 3);
    let folder = estate();
    folder.write("stream", format!("{a}\n{b}\n"));
    let run = folder.run("changes stream live/dev/plan.json");
    let expected = ["stream stream", "stream#2 stream#2", "live/dev/plan.json live/dev"];
    assert_eq!(labels(&plans(&run)), expected);
    let columns = folder.run("changes -f csv stream live/dev/plan.json").out;
    assert!(
        columns.lines().all(|row| row.contains("source")
            || row.contains("stream")
            || row.contains("live/dev")),
        "{columns}"
    );
    let mut rows = csv::Reader::from_reader(columns.as_bytes());
    let header = rows.headers().expect("a header").clone();
    let workspace = header.iter().position(|column| column == "workspace").expect("the column");
    let third = rows.records().nth(2).expect("a row").expect("CSV");
    assert_eq!(&third[workspace], "stream", "{columns}");
}

#[test]
fn a_broken_plan_in_a_stream_does_not_stop_the_others() {
    let (a, b, c) = (line("a"), line("b"), line("c"));
    let run = Run::piped("changes", format!("{a}\n{}\n{c}\n", &b[..b.len() - 9]));
    assert_eq!(run.code, Some(4));
    assert_eq!(labels(&plans(&run)), ["- -", "-#3 -"], "of the second no change was whole");
    assert_eq!(run.count("summary"), 2);
    let said: Vec<&str> = run.err.lines().collect();
    assert!(said[0].starts_with("plansift: -#2: byte "), "{}", run.err);
    let at = a.len() + b.len() - 9 + 2;
    let going_on = format!("plansift: -: going on at byte {at}, before the next plan");
    assert_eq!(said[1..], [going_on]);
    // An element of an array that is not a plan does not stop the others, either.
    let run = Run::piped("changes", format!("[{a},{{\"x\":1}},{c}]"));
    assert_eq!((run.code, run.count("summary")), (Some(4), 2));
    let at = a.len() + 1 + r#",{"x":1}"#.len();
    let going_on = format!("plansift: -: going on at byte {at}, before the next plan");
    assert_eq!(run.err.lines().nth(1), Some(&*going_on), "{}", run.err);
    // If nothing follows, the run says nothing about it.
    let run = Run::piped("changes", format!("[{a},{{\"x\":1}}]"));
    assert_eq!((run.code, run.err.lines().count()), (Some(4), 1), "{}", run.err);
    // If documents are not on separate lines, the run rejects the rest and says so.
    let run = Run::piped("changes", format!("{a}{}{c}", b.replace("[{", "[}")));
    assert_eq!((run.code, run.count("summary")), (Some(4), 1));
    let refused = "plansift: -: what follows plan 2 was not read: it is not clear where the \
                   next plan begins";
    assert_eq!(run.err.lines().nth(1), Some(refused), "{}", run.err);
    // The message for a single document is unchanged.
    assert_eq!(Run::piped("changes", &b[..b.len() - 9]).err.lines().count(), 1);
}

#[test]
fn detailed_exit_codes_cover_all_plans() {
    let folder = estate();
    let same = sample::update("1", "1").replace("update", "no-op").replace('\n', "");
    folder.write("stream", format!("{same}\n{}\n", line("a")));
    folder.write("quiet", format!("{same}\n{same}\n"));
    for (args, code) in [("stream", 2), ("quiet", 0), ("live", 4), ("live --exclude stage", 2)] {
        let run = folder.run(&format!("changes --detailed-exitcode {args}"));
        assert_eq!(run.code, Some(code), "{args}");
    }
}

/// Each file of a large folder costs only one row of the list.
#[test]
fn a_folder_of_thousands_is_walked_in_order() {
    let folder = Folder::new();
    for number in 0..3000 {
        folder.write(&format!("{number:05}.json"), line(&number.to_string()));
    }
    let run = folder.run("changes --threads 1 .");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let plans = plans(&run);
    let expected = (0..3000).map(|number| format!("./{number:05}.json {number:05}"));
    assert_eq!(labels(&plans), expected.collect::<Vec<_>>());
}

/// Files in a folder that are plans or have the name of one, and cannot be read.
fn unreadable() -> Vec<(&'static str, Vec<u8>)> {
    let plan = line("a");
    let file = std::fs::read(run::root().join("corpus/planfiles/create/plan.tfplan"));
    let file = file.expect("a plan file");
    let utf16 = plan.bytes().flat_map(|byte| [byte, 0]).collect();
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("tfplan", text(r#"{"meta":{},"encrypted_data":"x","encryption_version":"v0"}"#)),
        ("unusual-name", text(r#"{"meta":{},"encrypted_data":"x"}"#)),
        ("bookmark", text(r#"{"remote_plan_format":1,"run_id":"x","hostname":"x"}"#)),
        ("old", text("tfplan\u{2}\u{1}")),
        ("cut", file[..200].to_vec()),
        ("cut.tfplan", file[..20].to_vec()),
        ("garbage.tfplan", text("PK\u{3}\u{4}garbage")),
        ("zero.tfplan", Vec::new()),
        ("plan.out", text("Terraform will perform the following actions:\n")),
        ("plan.json", text("{\"@level\":\"info\",\"@message\":\"Plan: 1 to add\"}\n")),
        ("a.tfplan.json", text("Error: no plan file\n")),
        ("a_plan.json", text("[]")),
        ("tfplan.binary", text("nothing of a plan")),
        ("prod.json", utf16),
        ("wrapped.json", format!(r#"{{"terraform":{plan}}}"#).into_bytes()),
        ("combined.json", format!(r#"[{{"path":"p","contents":{plan}}}]"#).into_bytes()),
        ("array.json", format!("[{plan},").into_bytes()),
    ]
}

#[test]
fn a_plan_in_a_folder_that_cannot_be_read_is_a_failed_input() {
    for (name, bytes) in unreadable() {
        let folder = Folder::new();
        std::fs::create_dir_all(folder.path("live")).expect("a folder");
        folder.write("live/good.json", line("good"));
        std::fs::write(folder.path("live").join(name), bytes).expect("a file");
        let is_told = |text: &str| text.contains(&format!("live/{name}"));
        for command in [
            "summary -q --fail-on delete",
            "changes -q",
            "report -q",
            "summary --detailed-exitcode",
        ] {
            let run = folder.run(&format!("{command} live"));
            assert_eq!(run.code, Some(4), "{name} {command}: {}", run.err);
            assert!(is_told(&run.err), "{name} {command}: {}", run.err);
        }
        for (form, told) in [
            ("json", &*format!("live/{name}")),
            ("markdown", "**Warning:** 1 plan could not be read"),
            ("junit", "errors=\"1\""),
            ("github", "::error title=Plan could not be read::"),
        ] {
            let run = folder.run(&format!("report -q live -o {form}"));
            assert!(run.out.contains(told), "{name} {form}: {}", run.out);
        }
        let table = folder.run("summary -q live").out;
        assert!(table.contains("\n! "), "{name}: {table}");
        let run = folder.run("batch -q live --out out");
        assert_eq!(run.code, Some(4), "{name}: {}", run.err);
    }
}

#[test]
fn files_that_are_certainly_not_plans_are_skipped_whatever_their_names() {
    let folder = Folder::new();
    folder.write("good.json", line("good"));
    folder.write("plan", "#!/bin/sh\nterraform plan -out tfplan\n");
    folder.write("plan.json", r#"{"format_version":"1.0","provider_schemas":{}}"#);
    folder.write("tfplan.json", r#"{"format_version":"1.0","values":{"root_module":{}}}"#);
    folder.write("floor-plan", "not JSON");
    folder.write("plan.md", "# The plan\n");
    folder.write("package.json", r#"{"name":"a"}"#);
    let state = r#"{"serial":1,"lineage":"x","meta":{},"encrypted_data":"x"}"#;
    folder.write("terraform.tfstate", state);
    let run = folder.run("changes .");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let said = "plansift: skipped in folders: 6 files that are not plans, 1 encrypted state; run \
                `tofu show -json STATEFILE` for encrypted ones, where the key is configured\n";
    assert_eq!(run.err, said);
}

#[test]
fn an_encrypted_state_is_an_error_for_commands_that_read_states() {
    let folder = Folder::new();
    folder.write("good.json", line("good"));
    let state = r#"{"serial":1,"lineage":"x","meta":{},"encrypted_data":"x"}"#;
    folder.write("terraform.tfstate", state);
    for command in ["audit", "resources", "outputs", "checks", "summary"] {
        let run = folder.run(&format!("{command} -q ."));
        assert_eq!(run.code, Some(4), "{command}: {}", run.err);
        assert!(run.err.contains("/terraform.tfstate: this is an encrypted"), "{}", run.err);
    }
    for command in ["changes", "variables"] {
        assert_eq!(folder.run(&format!("{command} -q .")).code, Some(0), "{command}");
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_with_the_name_of_a_plan_is_never_opened() {
    let folder = Folder::new();
    folder.write("good.json", line("good"));
    let made = std::process::Command::new("mkfifo").arg(folder.path("plan.json")).status();
    assert!(made.is_ok_and(|status| status.success()));
    assert_eq!(folder.run("changes -q .").code, Some(0));
}
