//! The examples at the end of the help of each command. They run as they are, in a folder with the
//! files that they name.

use std::fs;

use super::{Folder, Run};
use crate::run;

/// The files that examples name, with their sources in the corpus.
const FILES: [(&str, &str); 12] = [
    ("tfplan", "planfiles/modules/plan.tfplan"),
    ("approved.tfplan", "planfiles/modules/plan.tfplan"),
    ("plan.json", "plans/rich/plan.json"),
    ("plans/network/plan.json", "compare/shop/next-commit.json"),
    ("plans/shop/plan.json", "plans/rich/plan.json"),
    ("yesterday/network/plan.json", "compare/shop/approved.json"),
    ("yesterday/shop/plan.json", "plans/rich/plan.json"),
    ("terraform.tfstate", "native-states/modules.tfstate"),
    ("infra/main.tf", "sources/main.tf"),
    ("infra/network/main.tf.json", "sources/network/main.tf.json"),
    ("schemas.json", "wire/schemas.json"),
    ("order.msgpack", "wire/order.msgpack"),
];

/// Creates the folder of the examples.
fn folder() -> Folder {
    let folder = Folder::new();
    for (name, source) in FILES {
        fs::create_dir_all(folder.path(name).parent().expect("a folder")).expect("a folder");
        fs::copy(run::corpus(source), folder.path(name)).expect("a file");
    }
    fs::create_dir(folder.path("bin")).expect("a folder");
    // Examples pipe to these programs. `man` needs a terminal, and `jq` may not be installed.
    let has_jq = run::shell("command -v jq").output().expect("a shell").status.success();
    let replaced = if has_jq { &["man"][..] } else { &["man", "jq"] };
    for name in replaced {
        let name = format!("bin/{name}");
        folder.write(&name, "#!/bin/sh\ncat > /dev/null\n");
        let made = run::shell(&format!("chmod +x '{}'", folder.path(&name).display())).status();
        assert!(made.expect("a shell").success());
    }
    if !has_jq {
        run::left_out("jq is not installed");
    }
    folder.write("key", [7; 16]);
    for made in ["batch yesterday --out fleet-yesterday", "batch plans --shard 2/2 --out part-2"] {
        assert_eq!(folder.run(made).code, Some(0), "{made}");
    }
    folder
}

/// The lines after a heading of a help text, up to an empty line.
fn section<'h>(help: &'h str, heading: &str) -> Vec<&'h str> {
    let lines = help.lines().skip_while(|line| *line != heading).skip(1);
    lines.take_while(|line| !line.is_empty()).map(str::trim_end).collect()
}

/// The commands below a command, as arguments.
fn commands_below(command: &str) -> Vec<String> {
    let help = Folder::new().run(format!("{command} --help").trim()).out;
    let names = section(&help, "Commands:").into_iter().filter_map(|line| {
        let (name, _) = line.strip_prefix("  ")?.split_once(' ')?;
        (!name.is_empty() && name != "help").then(|| format!("{command} {name}").trim().to_owned())
    });
    names.flat_map(|name| [vec![name.clone()], commands_below(&name)].concat()).collect()
}

/// Runs a command line in the folder of the examples, which is also the home of the user.
fn run_in(folder: &Folder, line: &str) -> Run {
    let mut shell = run::shell(&format!("PATH=\"$HOME/bin:$PATH\"; {line}"));
    shell.current_dir(folder.0.path()).env("HOME", folder.0.path());
    shell.env_remove("GITHUB_OUTPUT").env_remove("GITHUB_STEP_SUMMARY");
    Run::of(&shell.output().expect("a shell"))
}

#[test]
fn the_examples_of_every_command_run() {
    let folder = folder();
    let commands = commands_below("");
    assert!(commands.iter().any(|command| command == "wire decode"), "{commands:?}");
    let mut wrong = Vec::new();
    for command in [vec![String::new()], commands].concat() {
        let help = folder.run(format!("{command} --help").trim()).out;
        let shown = section(&help, "Examples:");
        let joined = shown.join("\n").replace(" \\\n   ", "");
        let (lines, said): (Vec<&str>, Vec<&str>) =
            joined.lines().map(str::trim).partition(|line| !line.starts_with("# "));
        let is_complete = help.trim_end().ends_with(shown.last().unwrap_or(&"no examples"));
        let count = lines.len();
        if !is_complete || !(2..=3).contains(&count) || said.len() != count {
            wrong.push(format!("plansift {command} --help: two or three examples, at the end"));
        }
        wrong.extend(shown.iter().filter(|line| line.len() > 80).map(|line| (*line).to_owned()));
        let own = format!("plansift {command}");
        for line in lines {
            if !line.contains(own.trim()) {
                wrong.push(format!("{line}: not of plansift {command}"));
            }
            // The code of a pipe is the code of its last program.
            let writer = line.split_once(" | ").map(|(writer, _)| writer);
            for part in writer.into_iter().chain([line]) {
                let Run { code, err, .. } = run_in(&folder, part);
                // A plan may break the rules of an example. `jq` has 3 for a wrong program.
                if code != Some(0) && (code != Some(3) || part.contains(" | ")) {
                    wrong.push(format!("{part}: exit code {code:?}: {err}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn manual_pages_show_examples_as_lines_of_their_own() {
    let folder = Folder::new();
    for (command, line) in [
        ("man", "plansift summary tfplan"),
        ("man summary", "plansift summary plans/ \\-\\-sort destroy"),
    ] {
        let page = folder.run(command).out;
        let (_, examples) = page.split_once("\n.SH EXAMPLES\n.nf\n").expect("examples");
        assert!(examples.lines().any(|shown| shown.trim() == line), "{examples}");
        assert!(examples.ends_with("\n.fi\n") && !page.contains(".SH EXTRA"), "{page}");
    }
}
