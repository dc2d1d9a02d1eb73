//! Wrong uses of `compare`, `approve` and `digest`: their messages and exit codes.

use std::fs;

use super::{Folder, Run};
use crate::run;

/// The approved plan, and a later plan with other values.
const PLANS: [&str; 2] = ["approved", "next-commit"];

/// Creates a folder with two plans, a state, two keys, and approvals of the first plan.
fn folder() -> Folder {
    let folder = Folder::new();
    for (name, source) in ["old.json", "new.json"].into_iter().zip(PLANS) {
        let plan = fs::read(run::corpus(&format!("compare/shop/{source}.json"))).expect("a plan");
        folder.write(name, plan);
    }
    let state = fs::read(run::corpus("native-states/modules.tfstate")).expect("a state");
    folder.write("state.tfstate", state);
    folder.write("key", "a key of the tests");
    folder.write("other-key", "another key of the tests");
    folder.write("short-key", "short");
    for args in [
        "-o in-file.json",
        "-o with-key.json --key-file key",
        "-o actions.json --level actions",
        "-o paths.json --level paths",
        "-o filtered.json --ignore-path image_uri",
    ] {
        let run = folder.run(&format!("approve old.json {args}"));
        assert_eq!(run.code, Some(0), "{args}: {}", run.err);
    }
    folder
}

/// Asserts the exit code and the only message of each command.
fn assert_messages(folder: &Folder, cases: &[(&str, i32, &str)]) {
    for (args, code, message) in cases {
        let run = folder.run(args);
        let message = match message {
            &"" => String::new(),
            message => format!("plansift: {message}\n"),
        };
        assert_eq!((run.code, run.err), (Some(*code), message), "{args}");
    }
}

#[test]
fn inputs_that_are_not_two_documents_of_a_kind_are_refused() {
    let folder = folder();
    fs::create_dir(folder.path("plans")).expect("a folder");
    fs::create_dir(folder.path("none")).expect("a folder");
    fs::copy(folder.path("old.json"), folder.path("plans/a.json")).expect("a copy");
    let missing = "cannot read the input: No such file or directory (os error 2)";
    let two = "OLD and NEW are two inputs, or two folders";
    let kinds = "compare two plans, or two states";
    assert_messages(
        &folder,
        &[
            ("compare - -", 64, "standard input is either OLD or NEW: it is named as both"),
            (
                "compare plans new.json",
                64,
                &format!("{two}: new.json is one input, and plans is not"),
            ),
            (
                "compare old.json plans",
                64,
                &format!("{two}: old.json is one input, and plans is not"),
            ),
            (
                "compare missing plans",
                64,
                &format!("{two}: missing is one input, and plans is not"),
            ),
            ("compare none none", 64, "none: no plan found here"),
            ("compare missing.json new.json", 1, &format!("missing.json: {missing}")),
            ("compare old.json missing.json", 1, &format!("missing.json: {missing}")),
            (
                "compare old.json state.tfstate",
                1,
                &format!("state.tfstate: OLD is a plan and NEW is a state: {kinds}"),
            ),
            (
                "compare state.tfstate new.json",
                1,
                &format!("new.json: OLD is a state and NEW is a plan: {kinds}"),
            ),
            (
                "compare in-file.json state.tfstate",
                1,
                &format!("state.tfstate: OLD is an approval and NEW is a state: {kinds}"),
            ),
            (
                "compare --fit github old.json new.json",
                64,
                "--fit limits Markdown: add it, as in -f markdown",
            ),
            (
                "compare -o old.json old.json new.json",
                64,
                "old.json: this is an input: name another file for --output",
            ),
        ],
    );
    for args in ["compare", "compare old.json", "compare old.json new.json old.json"] {
        let run = folder.run(args);
        let is_said = run.err.contains("<OLD> <NEW>");
        assert_eq!((run.code, is_said), (Some(64), true), "{args}: {}", run.err);
    }
}

/// A gate that reads only one of the documents would pass changes that nobody approved.
#[test]
fn an_input_with_several_documents_is_refused() {
    let folder = folder();
    let [old, new] = ["old.json", "new.json"].map(|it| fs::read(folder.path(it)).expect("a plan"));
    folder.write("two.json", [&old[..], &new].concat());
    folder.write("array.json", [b"[", &old[..], b",", &new, b"]"].concat());
    for args in [
        "compare two.json new.json",
        "compare old.json two.json",
        "compare old.json array.json",
        "approve two.json",
        "digest two.json",
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(1), "{args}: {}", run.err);
        assert_eq!(run.count("summary"), 0);
        let message = ".json#2: this is another document of one input: name an input with one \
                       document\n";
        assert!(run.err.ends_with(message) && run.err.lines().count() == 1, "{args}: {}", run.err);
    }
    let run = folder.run("compare old.json in-file.json");
    let is_short = run.err.starts_with("plansift: in-file.json") && run.err.lines().count() == 1;
    assert_eq!((run.code, is_short), (Some(1), true), "{}", run.err);
}

#[test]
fn an_approval_that_cannot_answer_says_why() {
    let folder = folder();
    let lacks_key = "the approval was made with a key: give the same --key-file again";
    let other_key = "--key-file is not the key that the approval was made with";
    let filters = "which compare takes from it: leave filters out";
    let without = "the approval was made without --key-file: leave the option out";
    let missing = "cannot read the input: No such file or directory (os error 2)";
    assert_messages(
        &folder,
        &[
            ("compare actions.json new.json --level actions", 0, ""),
            ("compare paths.json new.json", 0, ""),
            ("compare in-file.json new.json", 0, ""),
            ("compare with-key.json new.json --key-file key", 0, ""),
            ("compare with-key.json new.json", 1, &format!("with-key.json: {lacks_key}")),
            (
                "compare with-key.json new.json --key-file other-key",
                1,
                &format!("with-key.json: {other_key}"),
            ),
            (
                "compare in-file.json new.json --key-file key",
                1,
                &format!("in-file.json: {without}"),
            ),
            (
                "compare with-key.json new.json --key-file missing",
                1,
                &format!("missing: {missing}"),
            ),
            (
                "compare with-key.json new.json --key-file short-key",
                64,
                "short-key: a key has 16 bytes at least",
            ),
            (
                "compare paths.json new.json --level values",
                1,
                "paths.json: the approval holds nothing beyond the level paths: compare at that \
                 level, or approve the plan with a higher --level",
            ),
            (
                "compare in-file.json new.json --ignore-path tags",
                1,
                &format!("in-file.json: the approval was made with no filters, {filters}"),
            ),
            (
                "compare filtered.json new.json --ignore-path tags",
                1,
                &format!(
                    "filtered.json: the approval was made with --ignore-path=image_uri, {filters}"
                ),
            ),
            ("compare filtered.json new.json", 0, ""),
            ("compare filtered.json new.json --ignore-path image_uri", 0, ""),
            (
                "compare in-file.json new.json --with text",
                64,
                "--with text: an approval does not hold this part of its plan",
            ),
        ],
    );
}

#[test]
fn a_damaged_approval_is_an_error() {
    let folder = folder();
    let text = fs::read_to_string(folder.path("in-file.json")).expect("an approval");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let all_but = |left_out: usize| {
        let kept = lines.iter().enumerate().filter(|(index, _)| *index != left_out);
        kept.map(|(_, line)| *line).collect::<String>()
    };
    let own_key = text.split(r#""key":""#).nth(1).and_then(|it| it.split('"').next());
    let own_key = own_key.expect("the key in the header");
    // The key is random, so each of its digits may be missing.
    let first = if own_key.starts_with('0') { "1" } else { "0" };
    let other_key = first.to_owned() + &own_key[1..];
    let damaged = "the approval is damaged or incomplete: approve the plan again\n";
    for (name, damage) in [
        ("the header ends early", text[..100].to_owned()),
        ("a line ends early", text[..900].to_owned()),
        ("a line is missing", all_but(2)),
        ("the last line is missing", all_but(lines.len() - 1)),
        ("a line follows the last one", text.clone() + "{}\n"),
        ("the key is another one", text.replace(own_key, &other_key)),
        ("the key is shorter", text.replace(own_key, &own_key[2..])),
    ] {
        folder.write("damaged.json", damage);
        let run = folder.run("compare damaged.json new.json --fail-on more");
        let is_said = run.err.starts_with("plansift: damaged.json: ") && run.err.ends_with(damaged);
        assert_eq!((run.code, is_said), (Some(1), true), "{name}: {}", run.err);
    }
    let newer = text.replace(r#""schema_version":1"#, r#""schema_version":2"#);
    let newer = newer.replace(r#""level":"all""#, r#""level":"everything""#);
    folder.write("newer.json", newer);
    let run = folder.run("compare newer.json new.json");
    let message = "plansift: newer.json: byte 0: a newer version of plansift wrote the approval\n";
    assert_eq!((run.code, &*run.err), (Some(1), message));
}

#[test]
fn only_plans_are_approved() {
    let folder = folder();
    fs::create_dir(folder.path("plans")).expect("a folder");
    for name in ["a.json", "b.json"] {
        fs::copy(folder.path("old.json"), folder.path("plans").join(name)).expect("a copy");
    }
    let missing = "cannot read the input: No such file or directory (os error 2)";
    assert_messages(
        &folder,
        &[
            ("approve plans", 64, "an approval is of one plan: name one input"),
            ("approve missing", 1, &format!("missing: {missing}")),
            ("approve old.json --key-file missing", 1, &format!("missing: {missing}")),
            ("approve old.json --key-file short-key", 64, "short-key: a key has 16 bytes at least"),
        ],
    );
    let run = folder.run("approve state.tfstate -o state.approval");
    let is_said = run.err.starts_with("plansift: state.tfstate: this is a state");
    assert_eq!((run.code, is_said), (Some(1), true), "{}", run.err);
    assert!(!folder.path("state.approval").exists());
}

#[test]
fn digests_of_values_need_a_key() {
    let folder = folder();
    for level in ["values", "all"] {
        let message = format!(
            "--level {level}: without a key, a digest of values can be used to guess them: name a \
             file with a key: --key-file FILE"
        );
        let args = format!("digest --level {level} old.json");
        assert_messages(&folder, &[(&args, 64, &message)]);
        assert_messages(&folder, &[(&format!("{args} --key-file key"), 0, "")]);
    }
    let missing = "missing: cannot read the input: No such file or directory (os error 2)";
    assert_messages(&folder, &[("digest missing", 1, missing)]);
    let run = folder.run("digest missing old.json new.json");
    assert_eq!((run.code, run.out.lines().count()), (Some(4), 2), "{}", run.err);
}

/// Compares two folders, and returns the run.
fn folders(args: &str, inputs: &[(&str, &str)]) -> Run {
    let folder = folder();
    for (from, to) in inputs {
        let to = folder.path(to);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(folder.path(from), to).expect("a copy");
    }
    folder.run(&format!("compare --format ndjson a b{args}"))
}

/// A pair that cannot be compared fails alone.
#[test]
fn the_other_pairs_of_two_folders_are_compared() {
    let run = folders(
        "",
        &[
            ("old.json", "a/one.json"),
            ("new.json", "b/one.json"),
            ("old.json", "a/state.json"),
            ("state.tfstate", "b/state.json"),
            ("with-key.json", "a/key.json"),
            ("new.json", "b/key.json"),
            ("old.json", "a/three.json"),
            ("new.json", "b/three.json"),
        ],
    );
    assert_eq!((run.code, run.count("summary")), (Some(4), 2), "{}", run.err);
    let messages: Vec<&str> = run.err.lines().collect();
    let [key, state] = messages[..] else { panic!("{messages:?}") };
    assert!(key.starts_with("plansift: a/key.json: the approval was made with a key"), "{key}");
    assert!(state.starts_with("plansift: b/state.json: OLD is a plan and NEW is"), "{state}");
}

#[test]
fn approvals_of_a_folder_are_compared_with_the_plans_of_another() {
    let run = folders(
        " --fail-on more",
        &[
            ("in-file.json", "a/same.json"),
            ("new.json", "b/same.json"),
            ("in-file.json", "a/gone.json"),
        ],
    );
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let verdicts: Vec<&str> =
        run.out.lines().filter(|line| line.starts_with(r#"{"kind":"summary""#)).collect();
    let [gone, same] = verdicts[..] else { panic!("{}", run.out) };
    assert!(gone.contains(r#""verdict":"less""#) && !same.contains("verdict"), "{}", run.out);
}

/// A gate with a misspelled `--only` compares nothing.
#[test]
fn filters_that_match_nothing_are_warned_of() {
    let folder = folder();
    for command in ["compare old.json new.json", "approve old.json", "digest old.json new.json"] {
        for (filter, what) in [
            ("--only aws_lamda_function", "address, type or module"),
            ("--ignore-path image_ury", "attribute"),
            ("--ignore-type aws_lamda_*", "type"),
        ] {
            let run = folder.run(&format!("{command} {filter}"));
            let warning = format!("plansift: warning: {filter} matches nothing");
            let lines: Vec<&str> = run.err.lines().collect();
            let is_said = matches!(lines[..], [line] if line.starts_with(&warning));
            assert_eq!((run.code, is_said), (Some(0), true), "{what}: {}", run.err);
            assert_eq!(folder.run(&format!("{command} {filter} --quiet")).err, "");
        }
        let filters = "--only aws_lambda_function --ignore-path image_uri --ignore-type aws_vpc";
        let run = folder.run(&format!("{command} {filters}"));
        assert_eq!((run.code, &*run.err), (Some(0), ""), "{command}");
    }
}

#[test]
fn each_message_about_an_input_is_printed_once() {
    let folder = folder();
    for name in ["old", "new"] {
        let plan = fs::read_to_string(folder.path(&format!("{name}.json"))).expect("a plan");
        folder.write(&format!("{name}.log"), format!("the plan:\n{plan}\ndone\n"));
    }
    for args in ["", " --values changed", " --ignore-path image_uri"] {
        let run = folder.run(&format!("compare old.log new.log{args}"));
        let count = |name: &str| run.err.lines().filter(|line| line.contains(name)).count();
        assert_eq!((run.code, count("old.log"), count("new.log")), (Some(0), 2, 2), "{}", run.err);
    }
    let [old, new] =
        ["old.json", "new.json"].map(|name| fs::metadata(folder.path(name)).expect("a file").len());
    for (command, bytes) in [
        ("compare old.json new.json --values changed", old + new),
        ("approve old.json", old),
        ("digest old.json new.json", old + new),
    ] {
        let run = folder.run(&format!("{command} --stats"));
        let line = format!("plansift: {bytes} bytes in ");
        let is_said = run.err.starts_with(&line) && run.err.lines().count() == 1;
        assert!(is_said, "{command}: {}", run.err);
    }
}

/// The shell commands of a job in YAML, in order. A command is an item `- run: COMMAND`,
/// `- run: |` with the lines below it, or an item of GitLab's `script`.
#[cfg(unix)]
fn commands(job: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut found, mut lines) = (Vec::new(), job.lines().peekable());
    while let Some(line) = lines.next() {
        let item = line.trim_start().trim_start_matches("- ");
        let start = line.len() - item.len();
        let is_script = ["terraform ", "plansift "].iter().any(|program| item.starts_with(program));
        let Some(command) = item.strip_prefix("run: ").or(is_script.then_some(item)) else {
            continue;
        };
        let (text, space) = if command == "|" { ("", "\n") } else { (command, " ") };
        let mut whole = text.to_owned();
        while let Some(next) = lines.next_if(|next| indent(next) > start) {
            whole += space;
            whole += next.trim();
        }
        found.push(whole);
    }
    found
}

/// Stands for Terraform: `plan -out FILE` copies `$PLAN` to FILE, and `apply FILE` copies FILE to
/// `applied`.
#[cfg(unix)]
const TERRAFORM: &str = r#"#!/bin/sh
folder=.
for word in "$@"; do
    case $word in -chdir=*) folder=${word#-chdir=} ;; esac
    last=$word
done
case "$*" in
    *"plan "*) cp "$PLAN" "$folder/$last" ;;
    *"apply "*) cp "$folder/$last" applied ;;
esac
"#;

/// Runs the commands of a job with `sh -e` while they succeed. Returns the last exit code.
#[cfg(unix)]
fn run_job(folder: &Folder, job: &str, plan: &str) -> Option<i32> {
    let binary = run::plansift().get_program().to_owned();
    let programs = std::path::Path::new(&binary).parent().expect("a folder").to_owned();
    let mut paths = vec![folder.path("bin"), programs];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut code = None;
    for command in commands(job) {
        let output = std::process::Command::new("sh")
            .args(["-e", "-c", &command])
            .current_dir(folder.0.path())
            .env("PATH", std::env::join_paths(&paths).expect("paths"))
            .env("PLAN", run::corpus(&format!("compare/shop/{plan}.json")))
            .env("PLANFILE", folder.path("default.tfplan"))
            .env("PLANSIFT_KEY", folder.path("key"))
            .env("GITHUB_STEP_SUMMARY", folder.path("summary.md"))
            .env("RUNNER_TEMP", folder.0.path())
            .env("ATLANTIS_TERRAFORM_VERSION", "")
            .output()
            .expect("a shell");
        code = output.status.code();
        if code != Some(0) {
            break;
        }
    }
    code
}

/// Each recipe applies a plan that does no more than the approved one, and no other plan.
#[cfg(unix)]
#[test]
fn the_gates_of_the_manual_apply_only_what_was_approved() {
    use std::os::unix::fs::PermissionsExt;
    let page = fs::read_to_string(run::root().join("docs/compare.md")).expect("a page");
    let recipes = page.split("```yaml\n").skip(1);
    let recipes: Vec<&str> = recipes.filter_map(|block| block.split("```").next()).collect();
    assert_eq!(recipes.len(), 3, "GitHub, GitLab, Atlantis");
    for recipe in recipes {
        let (plan, apply) = recipe.split_once("apply:\n").expect("a job that applies");
        for (later, applies) in [
            ("approved", true),
            ("applied-in-part", true),
            ("rule-added", false),
            ("next-commit", false),
        ] {
            let folder = Folder::new();
            for name in ["bin", "infra"] {
                fs::create_dir(folder.path(name)).expect("a folder");
            }
            folder.write("bin/terraform", TERRAFORM);
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(folder.path("bin/terraform"), mode).expect("a program");
            folder.write("key", "a key of the tests");
            let approved = run::corpus("compare/shop/approved.json");
            fs::copy(approved, folder.path("default.tfplan")).expect("a copy");
            assert_eq!(run_job(&folder, plan, "approved"), Some(0), "{plan}");
            let code = run_job(&folder, apply, later);
            assert_eq!(code, Some(if applies { 0 } else { 3 }), "{later}: {apply}");
            assert_eq!(folder.path("applied").exists(), applies, "{later}: {apply}");
            if recipe.contains("GITHUB_STEP_SUMMARY") {
                let summary = fs::read_to_string(folder.path("summary.md")).expect("a summary");
                let word = if later == "approved" { "The same" } else { "NEW does " };
                assert!(summary.contains(word), "{later}: {summary}");
            }
        }
    }
}
