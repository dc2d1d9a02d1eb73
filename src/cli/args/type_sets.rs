//! The option `--type-sets`. Arguments have patterns, and clap parses them, so the sets of these
//! files must be known before clap reads the arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, ValueHint};

use super::{Cli, Command, INPUT};

/// The variable with the file that commands read without the option.
const VARIABLE: &str = "PLANSIFT_TYPE_SETS";

/// Arguments about sets of types. A name that is no UTF-8 is an error.
#[derive(Debug, Args)]
pub struct TypeSetArgs {
    /// Extend, replace or add the sets of types that patterns like @data name, as this file says
    /// [default: the file in PLANSIFT_TYPE_SETS]. Repeatable
    #[arg(help_heading = INPUT, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub type_sets: Vec<String>,
}

impl TypeSetArgs {
    /// Lists the files with sets of types.
    pub fn files(&self) -> Vec<PathBuf> {
        or_of_variable(self.type_sets.iter().map(PathBuf::from).collect()).files
    }
}

/// The files with sets of types.
pub struct TypeSetFiles {
    /// The beginning of a message about a file: the option or the variable.
    pub named_by: &'static str,
    pub files: Vec<PathBuf>,
}

/// Returns the files with sets of types, if the command has the option. The first argument is the
/// name of the program.
pub fn type_set_files(args: &[OsString]) -> TypeSetFiles {
    let mut named = or_of_variable(in_arguments(args));
    if !named.files.is_empty() && !has_option(args) {
        named.files.clear();
    }
    named
}

fn or_of_variable(files: Vec<PathBuf>) -> TypeSetFiles {
    match std::env::var_os(VARIABLE).filter(|file| files.is_empty() && !file.is_empty()) {
        Some(file) => TypeSetFiles { named_by: "PLANSIFT_TYPE_SETS=", files: vec![file.into()] },
        None => TypeSetFiles { named_by: "--type-sets ", files },
    }
}

/// Returns the values of the option, up to `--`.
fn in_arguments(args: &[OsString]) -> Vec<PathBuf> {
    let mut args = args.iter().take_while(|arg| *arg != "--");
    let mut files = Vec::new();
    while let Some(arg) = args.next() {
        match arg.to_str().and_then(|arg| arg.strip_prefix("--type-sets")) {
            Some("") => files.extend(args.next().map(PathBuf::from)),
            Some(value) => files.extend(value.strip_prefix('=').map(PathBuf::from)),
            None => {}
        }
    }
    files
}

/// Whether the command takes patterns for resources.
fn has_option(args: &[OsString]) -> bool {
    let cli = Cli::command();
    let command = args.get(1).and_then(|name| cli.find_subcommand(name));
    let mut known = command.into_iter().flat_map(clap::Command::get_arguments);
    known.any(|known| known.get_id() == "type_sets" && !known.is_hide_set())
}

impl Command {
    /// Whether to print no warnings about sets of types.
    pub fn is_quiet(&self) -> bool {
        let plans = match self {
            Command::Summary(it) => &it.shared.plans,
            Command::Changes(it) => &it.shared.plans,
            Command::Report(it) => &it.plans,
            Command::Assert(it) => &it.plans,
            Command::Compare(it) => &it.plans,
            Command::Approve(it) => &it.plans,
            Command::Digest(it) => &it.plans,
            Command::Batch(it) => &it.plans,
            Command::Resources(it) => &it.rows.plans,
            Command::Checks(it) => &it.rows.plans,
            Command::Slim(it) => &it.plans,
            // These commands take no patterns for resources, or have no such option.
            Command::Merge(_)
            | Command::Outputs(_)
            | Command::Variables(_)
            | Command::Redact(_)
            | Command::Audit(_)
            | Command::Show(_)
            | Command::Config(_)
            | Command::Blocks(_)
            | Command::Wire(_)
            | Command::Mcp(_)
            | Command::Schema(_)
            | Command::Completions(_)
            | Command::Man(_) => return false,
        };
        plans.quiet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_files_are_found_in_the_arguments() {
        for (line, files) in [
            ("plansift changes --type-sets a.txt plan.json --type-sets=b=c", &["a.txt", "b=c"][..]),
            ("plansift mcp --root . --type-sets a.txt", &["a.txt"]),
            ("plansift changes --type-sets= plan.json", &[""]),
            ("plansift changes plan.json --type-sets", &[]),
            ("plansift changes --type-setsa plan.json", &[]),
            ("plansift changes -- --type-sets a.txt", &[]),
            ("plansift changes --type-sets -- a.txt", &[]),
        ] {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            assert_eq!(in_arguments(&args(line)), files, "{line}");
        }
    }

    #[test]
    fn commands_with_patterns_have_the_option() {
        let names =
            "summary changes report assert compare approve digest batch resources checks slim mcp";
        for name in names.split(' ') {
            assert!(has_option(&args(&format!("plansift {name}"))), "{name}");
        }
        for line in ["plansift", "plansift schema", "plansift redact", "plansift --type-sets x"] {
            assert!(!has_option(&args(line)), "{line}");
        }
    }
}
