//! The arguments of `show`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Args};

use super::refused::refused;
use super::{OUTPUT, Plans, SECRETS, file};

/// `plansift show`.
///
/// The JSON is that of `terraform show -json`, secrets included, without the configuration.
#[derive(Debug, Args)]
pub struct ShowPlanFile {
    /// Mask secrets as `redact` does without options: marked values, and texts equal to one, become
    /// (sensitive value)
    #[arg(help_heading = SECRETS, long)]
    pub redact: bool,
    /// Print the name that the file with the schemas for this plan file has in the folder of
    /// --schema-cache
    #[arg(help_heading = OUTPUT, long, conflicts_with_all = ["redact", "output"])]
    pub schema_key: bool,
    /// Accepted because users type `show -json`. JSON is the only format
    #[arg(long, hide = true)]
    pub json: bool,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub plans: Plans,
}

/// Changes the arguments about many inputs to arguments about one plan file.
pub(super) fn of_one_file(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "inputs" => arg
            .value_name("PLANFILE")
            .action(ArgAction::Set)
            .num_args(0..=1)
            .help("A plan file (`plan -out`): a file, a URL, or - for standard input"),
        "files_from" | "null" | "include" | "exclude" | "workspace_from" | "check" | "strict" => {
            arg.hide(true)
        }
        "type_sets" => refused(arg),
        _ => arg,
    }
}
