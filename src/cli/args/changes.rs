//! The arguments of `changes`.

use clap::Args;
use clap::builder::TypedValueParser;

use super::{FILTERS, OUTPUT, SharedArgs, words};
use plansift_report::Form;

/// The format of the output of `changes`.
#[derive(Clone, Copy, Debug)]
pub enum ChangesFormat {
    /// One stream of records.
    Stream(Form),
    /// A table for each kind of record.
    Parquet,
}

/// `plansift changes`.
#[derive(Debug, Args)]
pub struct Changes {
    /// Format of the records
    #[arg(help_heading = OUTPUT, short, long, value_parser = changes_format(),
          default_value = "ndjson")]
    pub format: ChangesFormat,
    /// Write CSV cells that look like formulas unquoted, for programs instead of spreadsheets
    #[arg(help_heading = OUTPUT, long)]
    pub csv_raw: bool,
    /// Leave out the paths of changed attributes: skips values, which is much faster
    #[arg(help_heading = FILTERS, long)]
    pub no_paths: bool,
    /// Add the block of each resource in the configuration: its path there, its provider
    /// configuration, and the source of its module. Reads plans twice
    #[arg(help_heading = OUTPUT, long)]
    pub with_config: bool,
    /// Also write the attributes that the plan depends on (relevant_attributes): the resource and
    /// the name of each attribute
    #[arg(help_heading = OUTPUT, long)]
    pub relevant: bool,
    #[command(flatten)]
    pub shared: SharedArgs,
}

fn changes_format() -> impl TypedValueParser<Value = ChangesFormat> {
    let [ndjson, json, csv] =
        Form::ALL.map(|form| (form.extension(), ChangesFormat::Stream(form), form.description()));
    words([ndjson, json, csv, ("parquet", ChangesFormat::Parquet, PARQUET)])
}

/// The description of Parquet in the help of a command.
const PARQUET: &str = "Parquet files, one for each table, in the folder of -o";
