//! The options that choose inputs.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::batch::Patience;

/// Which inputs there are, and how their workspaces are called.
#[derive(Debug, Args)]
#[command(next_help_heading = "Inputs")]
pub struct InputArgs {
    /// Also the inputs that this file names, one a line; - is standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// The names of lists stand between zero bytes (find -print0)
    #[arg(long)]
    pub null: bool,
    /// Of folders, only files that this glob holds: of names, or of paths if it has a slash
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Of folders, no files and folders that this glob holds
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Give up on an object store or web server after so many seconds without a byte
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "30")]
    pub store_timeout: Duration,
    /// How often one is asked again for what failed and may go better
    #[arg(long, value_name = "N", default_value_t = Patience::default().retries)]
    pub store_retries: u32,
    /// The end of an input's path, with {workspace} in it, like 'plans/{workspace}/plan.json'
    /// [default: the path without endings like .json.gz and file names like plan.json]
    #[arg(long, value_name = "RULE")]
    pub workspace_from: Option<String>,
}

/// A time, in parts of a second if need be.
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
