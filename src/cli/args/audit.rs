//! The arguments of `audit`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::refused::refused;
use super::{GATES, OUTPUT, Plans, SecretArgs, file};

/// `plansift audit`.
#[derive(Debug, Args)]
#[command(mut_arg("type_sets", refused))]
pub struct Audit {
    /// Format of the findings
    #[arg(help_heading = OUTPUT, short, long, value_enum, default_value_t = FindingsFormat::Table)]
    pub format: FindingsFormat,
    /// Write CSV cells that look like formulas unquoted, for programs instead of spreadsheets
    #[arg(help_heading = OUTPUT, long)]
    pub csv_raw: bool,
    /// Exit with 3 if an unmarked value repeats a marked one
    #[arg(help_heading = GATES, long)]
    pub fail_on_echo: bool,
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub plans: Plans,
}

/// Format of the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    /// Counts, echoes and suspects, for a person
    Table,
    /// One compact JSON object on each line
    Ndjson,
    /// Comma-separated values, safe for spreadsheets
    Csv,
    /// Parquet files, one for each table, in the folder of -o
    Parquet,
}
