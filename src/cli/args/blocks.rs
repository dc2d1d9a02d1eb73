//! The arguments of `plansift blocks`, and those about source files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{COLOR, INPUT, LIMITS, OUTPUT, When, file, when};
use plansift_core::limits::{Limits, parse_amount};

/// `plansift blocks`.
#[derive(Debug, Args)]
pub struct Blocks {
    /// Root modules: folders, or binary plan files (`plan -out`), which keep their configuration
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Format of the list
    #[arg(help_heading = OUTPUT, short, long, value_enum, default_value_t = BlocksFormat::Table,
          value_name = "FORMAT")]
    pub format: BlocksFormat,
    /// List the errors in the files instead of their blocks, and exit with 1 if there are any
    #[arg(help_heading = OUTPUT, long)]
    pub check: bool,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    /// Use colours
    #[arg(help_heading = OUTPUT, long, value_parser = when(COLOR), default_value = "auto",
          value_name = "WHEN", hide = true)]
    pub color: When,
    /// Print no warnings
    #[arg(help_heading = OUTPUT, short, long)]
    pub quiet: bool,
    /// Memory for the blocks of a configuration, and for one of its files [default: 256M]
    #[arg(help_heading = LIMITS, long, value_name = "SIZE", value_parser = parse_amount,
          hide_short_help = true)]
    limit_configuration: Option<u64>,
}

impl Blocks {
    /// Returns the limits: the argument, or the defaults.
    pub fn limits(&self) -> Limits {
        let default = Limits::default();
        let configuration = self.limit_configuration.unwrap_or(default.configuration);
        Limits { configuration, ..default }
    }
}

/// The format of a list of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BlocksFormat {
    /// A table for a person
    Table,
    /// One compact JSON object on each line
    Ndjson,
    /// One JSON array
    Json,
}

/// Arguments about source files.
#[derive(Debug, Args)]
pub struct SourceArgs {
    /// Show the file and the line of the block of each change, from the root module in this folder
    /// [default: plan, the configuration in a binary plan file]
    #[arg(help_heading = INPUT, long, value_name = "DIR|plan")]
    pub source: Option<PathBuf>,
    /// Leave out the locations of blocks
    #[arg(help_heading = INPUT, long, conflicts_with = "source")]
    pub no_source: bool,
    /// Begin the paths of source files with this folder, in place of the folder of --source. For a
    /// plan file, this is the path of the root module in the repository, like infra
    #[arg(help_heading = INPUT, long, value_name = "DIR", conflicts_with = "no_source")]
    pub source_prefix: Option<String>,
}
