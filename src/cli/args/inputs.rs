//! The options about inputs and their workspaces.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args};

use super::{INPUT, TypeSetArgs};
use plansift_fleet::source::RetryPolicy;

/// Arguments about inputs and their workspaces.
#[derive(Debug, Args)]
pub struct InputArgs {
    /// Read more inputs from this list, one on each line; - is standard input
    #[arg(help_heading = INPUT, long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// Read lists whose names are separated by zero bytes, like the output of find -print0
    #[arg(help_heading = INPUT, long)]
    pub null: bool,
    /// In folders, read only files whose name matches, or whose path does if GLOB has a slash
    #[arg(help_heading = INPUT, long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// In folders, skip matching files and folders
    #[arg(help_heading = INPUT, long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Schemas of the providers for binary plan files: the output of `terraform providers schema
    /// -json`. Repeatable
    #[arg(help_heading = INPUT, long, value_name = "FILE")]
    pub schemas: Vec<PathBuf>,
    /// Read the schemas for each binary plan file from this folder. The name of the file is the
    /// output of `plansift show --schema-key`
    #[arg(help_heading = INPUT, long, value_name = "DIR")]
    pub schema_cache: Option<PathBuf>,
    #[command(flatten)]
    pub type_sets: TypeSetArgs,
    /// Give up on an object store or web server after this many seconds without a byte
    #[arg(help_heading = INPUT, long, value_name = "SECONDS", value_parser = seconds,
          default_value = "30")]
    pub store_timeout: Duration,
    /// Retry a failed request N times if the error may be temporary
    #[arg(help_heading = INPUT, long, value_name = "N",
          default_value_t = RetryPolicy::default().retries)]
    pub store_retries: u32,
    /// Take the workspace from the end of an input's path, like 'plans/{workspace}/plan.json'
    /// [default: the path without endings like .json.gz and file names like plan.json]
    #[arg(help_heading = INPUT, long, value_name = "RULE")]
    pub workspace_from: Option<String>,
}

/// Describes the inputs of a command that also reads states.
pub(super) fn with_states(inputs: Arg) -> Arg {
    inputs.help(
        "Plan files (`plan -out`), and plans and states as JSON (`show -json`), plain, gzip or \
         zstd: files, folders, globs, URLs (s3://, gs://, az://, https://, http://, file://), \
         @FILE for a list of inputs, - for standard input",
    )
}

/// Parses a positive number of seconds, with a fraction or without.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "not a number of seconds, like 30 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds() {
        assert_eq!(seconds("30"), Ok(Duration::from_secs(30)));
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for bad in ["", "0", "-1", "1s", "inf", "nan", "1e300"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
