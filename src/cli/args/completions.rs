//! Completion scripts for shells. The library generates them from the arguments, and this module
//! mends what it lacks.

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use plansift_report::ReportForm;
use plansift_report::markdown::Fit;

/// Returns the completion script for a shell.
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_values(Cli::command()), "plansift", &mut script);
    let script = String::from_utf8_lossy(&script);
    match shell {
        Shell::Bash => script.replacen(BASH_START, &[BASH_START, BASH_FILES].concat(), 1),
        Shell::Zsh => for_zsh(&script),
        Shell::Fish => script.into_owned() + FISH_FILES,
        _ => script.into_owned(),
    }
    .into_bytes()
}

/// Lists the values of options that take other values, too: `FORMAT=FILE`, and a number.
fn with_values(command: Command) -> Command {
    command.mut_subcommand("report", |report| {
        report
            .mut_arg("targets", |arg| arg.value_parser(ReportForm::ALL.map(ReportForm::name)))
            .mut_arg("fit", |arg| arg.value_parser(Fit::HOSTS))
    })
}

/// Lets zsh offer options after an input, and files after `FORMAT=`.
fn for_zsh(script: &str) -> String {
    let formats = ReportForm::ALL.map(ReportForm::name).join(" ");
    let files = format!(r#"{{ compset -P "*=" && _files || compadd - {formats} }}"#);
    // With two colons, zsh takes every later word for an input.
    script.replace("\n'*::", "\n'*:").replace(&format!("({formats})"), &files)
}

/// The start of the function in the script for bash.
const BASH_START: &str = "    COMPREPLY=()\n";

/// Lets bash offer files after `FORMAT=`, as it does if the function finds nothing. bash takes `=`
/// for a word.
const BASH_FILES: &str = r#"    if [[ " ${COMP_WORDS[*]:COMP_CWORD-1:2} " == *" = "* ]]; then
        return 0
    fi
"#;

/// Lets fish offer files after `FORMAT=`.
const FISH_FILES: &str = "complete -c plansift -n \"__fish_plansift_using_subcommand report; and \
                          string match -q '*=*' -- (commandline -ct)\" -s o -l output -r -F\n";
