//! The arguments of `plansift blocks`, and those about source files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{COLOR, INPUT, OUTPUT, When, file, when};

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
    /// List what is wrong with the files instead of their blocks. Exit with 1 if there are errors
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
}

/// The format of a list of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BlocksFormat {
    /// A table for a person
    Table,
    /// One compact JSON object a line
    Ndjson,
    /// One JSON array
    Json,
}

/// Arguments about source files.
#[derive(Debug, Args)]
pub struct SourceArgs {
    /// Say in which file and line of this root module the block of each change stands [default:
    /// plan, the configuration that a binary plan file keeps]
    #[arg(help_heading = INPUT, long, value_name = "DIR|plan")]
    pub source: Option<PathBuf>,
    /// Leave the places of blocks out
    #[arg(help_heading = INPUT, long, conflicts_with = "source")]
    pub no_source: bool,
    /// Write this folder in front of the paths of source files, in place of DIR: 'infra' for a plan
    /// file whose root module is the folder infra of the repository
    #[arg(help_heading = INPUT, long, value_name = "DIR", conflicts_with = "no_source")]
    pub source_prefix: Option<String>,
}
