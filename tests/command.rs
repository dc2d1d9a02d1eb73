//! The command line: arguments, exit codes, standard output and standard error.

#[cfg(target_os = "linux")]
mod address_space;
mod batch;
mod changed;
mod compare;
mod copied_paths;
mod document_rules;
#[cfg(unix)]
mod examples;
mod fleet;
mod gates;
mod inputs;
mod limits;
mod output;
mod pairing;
mod screen;
#[cfg(unix)]
mod shells;
#[cfg(target_os = "linux")]
mod spool;
mod streaming;
mod strict;
mod texts;
mod type_sets;
mod wire;

use std::path::PathBuf;
use std::process::{Output, Stdio};

use tempfile::TempDir;

use crate::hostile::sample::{self, PLAN};
use crate::run;

/// A temporary folder of inputs, which is the working directory of runs.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    /// Creates a folder with three plans: one with changes, one without, and a truncated one.
    fn of_plans() -> Folder {
        let folder = Folder::new();
        folder.write("plan.json", PLAN);
        for name in ["same.json", "other.json"] {
            folder.write(name, sample::update("{}", "{}").replace("update", "no-op"));
        }
        folder.write("cut.json", &PLAN[..PLAN.len() - 1]);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a file");
    }

    /// The names of the files in the folder.
    fn names(&self) -> Vec<String> {
        let entries = self.0.path().read_dir().expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort_unstable();
        names
    }

    /// Runs plansift in the folder; spaces separate the arguments.
    fn run(&self, args: &str) -> Run {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &str, variables: &[(&str, &str)]) -> Run {
        let mut command = run::plansift();
        command.current_dir(self.0.path()).args(args.split(' ')).stdin(Stdio::null());
        Run::of(&command.envs(variables.iter().copied()).output().expect("it runs"))
    }
}

/// The exit code and the output of a run.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    fn of(output: &Output) -> Run {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        Run { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    fn piped(args: &str, input: impl AsRef<[u8]>) -> Run {
        Run::of(&run::piped(&args.split(' ').collect::<Vec<_>>(), input.as_ref()))
    }

    /// Number of NDJSON records of a kind.
    fn count(&self, kind: &str) -> usize {
        let start = format!(r#"{{"kind":"{kind}""#);
        self.out.lines().filter(|line| line.starts_with(&start)).count()
    }
}

#[test]
fn commands_have_the_documented_exit_codes() {
    let folder = Folder::of_plans();
    folder.write("empty.json", "");
    folder.write("output.json", sample::update("1", "1").replace("resource_changes", "x"));
    for (args, code) in [
        ("changes plan.json", 0),
        ("summary plan.json", 0),
        ("changes same.json", 0),
        ("schema", 0),
        ("--help", 0),
        ("--version", 0),
        ("changes --help", 0),
        ("summary -h", 0),
        ("-help", 0),
        ("-version", 0),
        ("changes cut.json", 1),
        ("summary cut.json", 1),
        ("changes empty.json", 1),
        ("changes output.json", 1),
        ("changes no-such-file.json", 1),
        ("changes .", 4),
        ("changes /dev/null", 1),
        ("changes /dev/zero", 1),
        ("changes cut.json empty.json", 1),
        ("changes -o no/such/folder/out plan.json", 1),
        ("changes -o . plan.json", 64),
        ("changes -o plan.json/out plan.json", 1),
        ("changes --detailed-exitcode plan.json", 2),
        ("changes -detailed-exitcode plan.json", 2),
        ("summary --detailed-exitcode plan.json", 2),
        ("changes --detailed-exitcode same.json", 0),
        ("changes --detailed-exitcode --all same.json", 0),
        ("changes --detailed-exitcode same.json plan.json other.json", 2),
        ("changes --detailed-exitcode cut.json", 1),
        ("changes plan.json cut.json", 4),
        ("changes cut.json plan.json no-such-file.json", 4),
        ("changes --detailed-exitcode cut.json plan.json", 4),
        ("summary cut.json same.json", 4),
        ("", 64),
        ("no-such-command", 64),
        ("changes --no-such-option plan.json", 64),
        ("changes --format yaml plan.json", 64),
        ("changes --color sometimes plan.json", 64),
        ("changes --limit-change lots plan.json", 64),
        ("changes --limit-depth -1 plan.json", 64),
        ("changes --csv-raw=yes plan.json", 64),
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(code), "{args}: {run:?}");
        let is_silent = run.err.is_empty();
        assert_eq!(is_silent, matches!(code, 0 | 2), "{args}: {}", run.err);
    }
}

#[test]
fn moves_outputs_and_drift_count_as_changes() {
    let one = |element: &str| sample::of_changes(1, |_| element.to_owned());
    let no_op = r#""change":{"actions":["no-op"],"before":{},"after":{}"#;
    let output = |action: &str| {
        format!(
            r#"{{"format_version":"1.2","resource_changes":[],"output_changes":{{
            "o":{{"actions":["{action}"],"before":1,"after":2}}}}}}"#
        )
    };
    let drift = one(r#"{"address":"a.b","change":{"actions":["update"],"before":1,"after":2}}"#);
    for (plan, code) in [
        (one(&format!(r#"{{"address":"a.b",{no_op}}}}}"#)), 0),
        (one(&format!(r#"{{"address":"a.b","previous_address":"a.b",{no_op}}}}}"#)), 0),
        (one(&format!(r#"{{"address":"a.b","previous_address":"a.c",{no_op}}}}}"#)), 2),
        (one(&format!(r#"{{"address":"a.b",{no_op},"importing":{{"id":"i"}}}}}}"#)), 2),
        (one(r#"{"address":"a.b","change":{"actions":["forget"]}}"#), 2),
        (one(r#"{"address":"a.b","change":{"actions":["read"]}}"#), 2),
        (output("no-op"), 0),
        (output("update"), 2),
        // A plan made by `-refresh-only`; another plan has resource changes, too.
        (drift.replace("resource_changes", "resource_drift"), 2),
    ] {
        let run = Run::piped("changes --detailed-exitcode", &plan);
        assert_eq!(run.code, Some(code), "{plan}");
    }
}

#[test]
fn standard_input_is_an_input() {
    for args in ["changes", "changes -", "summary", "summary -"] {
        let run = Run::piped(args, PLAN);
        assert_eq!(run.code, Some(0), "{args}");
        assert!(run.err.is_empty() && !run.out.is_empty(), "{args}: {}", run.err);
    }
    assert!(Run::piped("changes -", PLAN).out.contains(r#""source":"-""#));
}

#[test]
fn several_inputs_make_one_stream() {
    let folder = Folder::of_plans();
    let run = folder.run("changes plan.json cut.json same.json");
    assert_eq!(run.code, Some(4));
    assert_eq!((run.count("plan"), run.count("summary")), (3, 2), "what is cut has no summary");
    assert!(run.err.starts_with("plansift: cut.json: byte "), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1);
    let rule = "--workspace-from {workspace}.json";
    let alone = |name: &str| folder.run(&format!("changes {rule} {name}")).out;
    let parts = ["plan.json", "cut.json", "same.json"].map(alone);
    assert_eq!(run.out, parts.concat());
}

#[test]
fn failed_plans_have_no_summary() {
    let folder = Folder::of_plans();
    for format in ["ndjson", "csv", "json"] {
        let run = folder.run(&format!("changes --format {format} cut.json"));
        assert_eq!(run.code, Some(1));
        assert!(run.out.contains("a.three"), "what was read before is written: {}", run.out);
        assert!(!run.out.contains("summary\""), "{format}: {}", run.out);
    }
    let json = folder.run("changes --format json cut.json").out;
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_err(), "an open array");
    assert_eq!(folder.run("summary cut.json").out, "", "a page is drawn when all is known");
}

#[test]
fn single_dash_options_of_terraform_are_accepted() {
    let folder = Folder::of_plans();
    let plain = folder.run("changes -f json plan.json");
    let run = folder.run("changes -json -no-color plan.json");
    assert_eq!((run.code, run.out), (Some(0), plain.out));
    let run = folder.run_with("summary -no-color plan.json", &[("CLICOLOR_FORCE", "1")]);
    assert!(run.code == Some(0) && !run.out.contains('\x1b'), "{run:?}");
}

#[test]
fn summary_as_json_suggests_changes() {
    let folder = Folder::of_plans();
    for args in ["summary -json plan.json", "summary --format csv plan.json"] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(64), "{run:?}");
        assert!(run.err.contains("run `plansift changes --format json`"), "{}", run.err);
    }
    assert!(!folder.run("summary --frmt plan.json").err.contains("plansift changes --format json"));
}

#[test]
fn stats_go_to_standard_error() {
    let folder = Folder::of_plans();
    let plain = folder.run("changes plan.json");
    let run = folder.run("changes --stats plan.json");
    assert_eq!(run.out, plain.out);
    let bytes = format!("plansift: {} bytes in ", PLAN.len());
    assert!(run.err.starts_with(&bytes) && run.err.contains("GB/s"), "{}", run.err);
    assert!(run.err.trim_end().ends_with("MiB") && run.err.contains("peak resident memory"));
}

#[test]
fn quiet_suppresses_warnings_but_not_errors() {
    let folder = Folder::of_plans();
    folder.write("wrapped.json", format!("[command]/bin/terraform show -json p\n{PLAN}"));
    folder.write("newer.json", PLAN.replacen("1.2", "1.99", 1));
    for name in ["wrapped.json", "newer.json"] {
        let run = folder.run(&format!("changes {name}"));
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.err.starts_with(&format!("plansift: {name}: warning: ")), "{}", run.err);
        let run = folder.run(&format!("changes --quiet {name}"));
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    }
    let run = folder.run("changes -q cut.json");
    assert!(run.code == Some(1) && !run.err.is_empty(), "{run:?}");
}

#[test]
fn every_command_checks_the_version_of_the_format() {
    let folder = Folder::of_plans();
    folder.write("newer.json", PLAN.replacen("1.2", "1.99", 1));
    for (name, version) in [("two.json", "2.0"), ("text.json", "abc")] {
        folder.write(name, PLAN.replacen("1.2", version, 1));
    }
    for command in [
        "summary",
        "changes",
        "report",
        r#"assert -e {"plan":"complete"}"#,
        "assert --pack protect",
        "assert --init",
        "resources",
        "outputs",
        "variables",
        "checks",
        "digest",
        "compare plan.json",
        "approve",
        "redact",
        "slim",
        "audit",
    ] {
        for name in ["two.json", "text.json"] {
            let run = folder.run(&format!("{command} {name}"));
            assert_eq!(run.code, Some(1), "{command}: {run:?}");
            let said = "unsupported format_version: this plansift reads 0.x and 1.x";
            assert!(run.err.contains(said), "{command}: {run:?}");
        }
        let run = folder.run(&format!("{command} newer.json"));
        let said = "warning: the format_version is newer than 1.2";
        assert!(run.err.contains(said), "{command}: {run:?}");
    }
}

#[test]
fn progress_does_not_change_the_output() {
    let folder = Folder::of_plans();
    let plain = folder.run("changes plan.json").out;
    for args in ["--progress", "--progress=always", "--progress=never", "--progress=auto"] {
        let run = folder.run(&format!("changes {args} plan.json"));
        assert_eq!((run.code, &run.out), (Some(0), &plain), "{args}");
    }
    let run = Run::piped("changes --progress -", PLAN);
    assert_eq!(run.out, plain.replacen("plan.json", "-", 1));
}

#[test]
fn an_unknown_instruction_set_is_a_usage_error() {
    let folder = Folder::of_plans();
    let run = folder.run_with("changes plan.json", &[("PLANSIFT_ISA", "abacus")]);
    assert_eq!(run.code, Some(64));
    assert!(run.err.contains("PLANSIFT_ISA") && run.err.contains("scalar"), "{}", run.err);
}

#[test]
fn the_schema_is_json() {
    let run = Folder::new().run("schema");
    let schema: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert!(schema.is_object());
}

#[cfg(unix)]
#[test]
fn a_fifo_is_an_input() {
    let folder = Folder::new();
    let path = folder.path("fifo");
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
    assert!(made.success());
    // Opening a FIFO blocks until the other end is opened.
    let writer = std::thread::spawn(move || std::fs::write(path, PLAN).expect("a reader"));
    let run = folder.run("changes fifo");
    writer.join().expect("it wrote");
    assert_eq!((run.code, run.count("summary")), (Some(0), 1), "{run:?}");
}
