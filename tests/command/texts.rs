//! Texts that the command prints about itself: version, completions and manual pages.

use std::process::Output;

use crate::run;

fn plansift(args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = run::plansift().args(args).output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn the_version_names_the_commit_and_the_features() {
    let version = env!("CARGO_PKG_VERSION");
    let (code, short, _) = plansift(&["-V"]);
    assert_eq!(code, Some(0));
    let rest = short.strip_prefix(&format!("plansift {version}")).expect("the version").trim();
    let is_commit = |text: &str| text.len() == 12 && text.bytes().all(|it| it.is_ascii_hexdigit());
    let commit = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    // Development builds and packages name no commit.
    let names_commit = !cfg!(debug_assertions) && run::root().join(".git").exists();
    let is_right = if names_commit { commit.is_some_and(is_commit) } else { rest.is_empty() };
    assert!(is_right, "{short}");
    let (_, long, _) = plansift(&["--version"]);
    let mcp = if cfg!(feature = "mcp") { ", mcp" } else { "" };
    let stores = if cfg!(feature = "stores") { ", stores" } else { "" };
    assert!(long.starts_with(short.trim_end()), "{long}");
    assert!(long.contains(&format!("\nfeatures: cli{mcp}{stores}\ntarget: ")), "{long}");
}

#[test]
fn each_shell_has_completions() {
    for (shell, start) in [
        ("bash", "_plansift() {"),
        ("zsh", "#compdef plansift"),
        ("fish", "# Print an optspec for argparse"),
        ("powershell", "using namespace System.Management.Automation"),
        ("elvish", "use builtin;"),
    ] {
        let (code, script, said) = plansift(&["completions", shell]);
        assert_eq!((code, said.as_str()), (Some(0), ""), "{shell}");
        assert!(script.trim_start().starts_with(start), "{shell}: {script:.200}");
        assert!(script.contains("fail-on"), "{shell}");
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let (code, page, _) = plansift(&["man"]);
    assert_eq!(code, Some(0));
    assert!(page.contains(".TH plansift 1"), "{page:.200}");
    for command in ["summary", "changes", "report", "redact", "audit", "slim", "batch", "merge"] {
        let (code, page, _) = plansift(&["man", command]);
        assert_eq!(code, Some(0), "{command}");
        assert!(page.contains(&format!(".TH plansift-{command} 1")), "{page:.200}");
        assert!(page.contains(".SH OPTIONS"), "{command}");
        assert_eq!(page.contains("limit\\-depth"), page.contains("Nesting depth"), "{page}");
    }
    // Each page names the pages of the commands below it, and `man --list` lists them all.
    let (_, listed, _) = plansift(&["man", "--list"]);
    assert!(listed.lines().any(|name| name == "wire-decode"), "{listed}");
    let mut named = Vec::new();
    for command in std::iter::once(None).chain(listed.lines().map(Some)) {
        let (code, page, said) = plansift(&[&["man"][..], command.as_slice()].concat());
        assert_eq!((code, said.as_str()), (Some(0), ""), "{command:?}");
        let (_, help, _) = plansift(&usage_of(command));
        let usage = help.lines().find_map(|line| line.strip_prefix("Usage: ")).expect("a usage");
        let synopsis = page.split_once(".SH SYNOPSIS\n").expect("a synopsis").1;
        let synopsis = synopsis.lines().next().expect("a line").replace("\\fB", "");
        assert_eq!(synopsis.replace("\\fR", "").replace("\\-", "-"), usage, "{command:?}");
        let (_, below) = page.split_once(".SH SUBCOMMANDS\n").unwrap_or_default();
        let names = below.lines().take_while(|line| !line.starts_with(".SH"));
        let names = names.filter_map(|line| line.strip_suffix("(1)"));
        named.extend(names.map(|name| name.replace("\\-", "-")));
    }
    named.sort_unstable();
    let mut pages: Vec<String> = listed.lines().map(|name| format!("plansift-{name}")).collect();
    pages.sort_unstable();
    assert_eq!(named, pages);
    let (code, page, said) = plansift(&["man", "sumary"]);
    assert_eq!((code, page.as_str()), (Some(64), ""));
    assert!(said.contains("there is no command of this name"), "{said}");
}

/// The arguments that print the usage of a command, by the name of its page.
fn usage_of(page: Option<&str>) -> Vec<&str> {
    page.into_iter().flat_map(|name| name.split('-')).chain(["-h"]).collect()
}

#[test]
fn an_unsupported_format_option_has_a_hint() {
    let (code, _, said) = plansift(&["report", "--format", "markdown", "plan.json"]);
    assert_eq!(code, Some(64));
    assert!(said.contains("plansift report -o markdown"), "{said}");
    let (code, _, said) = plansift(&["summary", "--json", "plan.json"]);
    assert_eq!(code, Some(64));
    assert!(said.contains("plansift changes --format json"), "{said}");
}

#[test]
fn a_mistyped_option_has_a_suggestion() {
    for (args, said) in [
        ("changes --fromat json", "did you mean `--format`?"),
        ("changes --fromat=json", "did you mean `--format`?"),
        ("wire decode --typ string", "did you mean `--type`?"),
        ("wire decod", "did you mean `plansift wire decode`?"),
        ("report --values chnaged", "did you mean `changed`?"),
        ("report -f html", "run `plansift report -o html`"),
        ("report --format=md", "run `plansift report -o markdown`"),
        ("report -json", "run `plansift report -o json`"),
        ("report --json", "run `plansift report -o json`"),
        ("summary -json", "or `plansift report -o json` for a report"),
        ("summary --json", "run `plansift changes --format json` for records"),
        ("summary -f html", "or `plansift report -o html` for a report"),
        ("changes --json", "run `plansift changes --format json`"),
        ("audit -json", "run `plansift audit --format ndjson`"),
        ("redact -json", "the output is always JSON"),
        (
            "batch --fail-on check",
            "run `batch --assert FILE`, or `summary --fail-on` with the plans",
        ),
        (
            "changes --only x",
            "--only is an option of report, compare, approve, digest, resources, slim: \
             run `plansift report --only ...`",
        ),
        ("report --expect=x", "--expect is an option of assert: run `plansift assert --expect"),
        ("wire check --as hex", "--as is an option of wire encode: run `plansift wire encode --as"),
        ("merge --limit-depth 3", "approve and others: run `plansift summary --limit-depth ...`"),
        ("changes --out x", "did you mean `--output`?"),
    ] {
        let args: Vec<&str> = args.split(' ').chain(["-"]).collect();
        let output = run::piped(&args, b"");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{args:?}: {told}");
        assert!(told.contains(said), "{args:?}: {told}");
        assert!(!told.contains("as a value"), "{args:?}: {told}");
    }
    let output = run::piped(&["changes", "--frobnicate", "-"], b"");
    let told = String::from_utf8_lossy(&output.stderr);
    let usage = "\n\nUsage: plansift changes [OPTIONS] [INPUT]...\n";
    assert!(told.starts_with(&format!("error: unexpected argument '--frobnicate' found{usage}")));
}

#[test]
fn the_help_names_plan_files_and_states() {
    let reading = ["summary", "assert", "resources", "outputs", "checks", "redact", "audit"];
    for command in ["changes", "report", "batch", "slim", "variables"].into_iter().chain(reading) {
        let (_, help, _) = plansift(&[command, "--help"]);
        let words: Vec<&str> = help.split_whitespace().collect();
        let help = words.join(" ");
        assert!(help.contains("[INPUT]... Plan files (`plan -out`)"), "{command}: {help}");
        let reads_states = reading.contains(&command);
        assert_eq!(help.contains("plans and states as JSON"), reads_states, "{command}: {help}");
    }
    let (_, help, _) = plansift(&["--help"]);
    assert!(help.contains("plan files (`plan -out`)"), "{help}");
    // These commands skip states.
    for command in ["batch", "merge"] {
        let (_, help, _) = plansift(&[command, "--help"]);
        assert!(!help.contains("states"), "{command}: {help}");
    }
}

#[test]
fn the_help_of_show_lists_only_supported_inputs() {
    let (_, help, _) = plansift(&["show", "--help"]);
    assert!(help.contains("[OPTIONS] [PLANFILE]\n"), "{help}");
    for refused in ["folders", "globs", "@FILE", "--include", "--files-from", "--workspace-from"] {
        assert!(!help.contains(refused), "{refused}: {help}");
    }
    let (code, _, said) = plansift(&["show", "a.tfplan", "b.tfplan"]);
    assert_eq!(code, Some(64), "{said}");
}
