//! The arguments of `plansift batch` and `plansift merge`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Color, FormArgs, Plans, RecordArgs, TableArgs, size};
use crate::batch::Shard;

/// `plansift batch`.
///
/// Run again with the same options it does what is missing, what failed, and what changed since.
/// The table of `summary` is printed at the end.
#[derive(Debug, Args)]
pub struct Batch {
    /// Folder to write to: records/, report.ndjson, journal
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Form of the records
    #[command(flatten)]
    pub form: FormArgs,
    /// Inputs at once [default: one for each processor]; large ones share them
    #[arg(short, long, value_name = "N", conflicts_with = "threads")]
    pub jobs: Option<NonZeroUsize>,
    /// Most memory of the whole run, in bytes; K, M, G and T are powers of 1024, and less than 37M
    /// acts as 37M. Each job counts as 16M: less memory means fewer jobs, at least one. A resource
    /// change takes up to four times its size. An input with a change that does not fit fails, and
    /// the run goes on with the other inputs
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "256M")]
    pub memory: u64,
    /// Only the inputs of the Ith of N parts; `merge` joins the reports
    #[arg(long, value_name = "I/N", value_parser = shard, default_value = "1/1")]
    pub shard: Shard,
    /// Stop at the first input that fails
    #[arg(long)]
    pub fail_fast: bool,
    /// The table
    #[command(flatten)]
    pub table: TableArgs,
    /// Write the table to a file: whole, or not at all
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which records there are
    #[command(flatten)]
    pub records: RecordArgs,
    /// The plans, and how to read them
    #[command(flatten)]
    pub plans: Plans,
}

/// `plansift merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// Folders that `batch` wrote to, or writes to: one, or all shards of a whole
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// Form of the report
    #[arg(short, long, value_enum, default_value_t = ReportFormat::Table)]
    pub format: ReportFormat,
    /// Go without the shards that are missing
    #[arg(long)]
    pub partial: bool,
    /// The table
    #[command(flatten)]
    pub table: TableArgs,
    /// Write to a file: whole, or not at all
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Exit with 2 when there are changes
    #[arg(long)]
    pub detailed_exitcode: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// Form of the report of many plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// The table of `summary`
    Table,
    /// One compact JSON object for each plan, and one for all
    Ndjson,
}

fn shard(text: &str) -> Result<Shard, String> {
    Shard::parse(text).map_err(|_| "no part of a number of parts, like 2/8".to_owned())
}
