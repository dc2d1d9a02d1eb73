//! The arguments of `resources`, `outputs`, `variables` and `checks`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};

use super::refused::refused;
use super::{FILTERS, GateArgs, INPUT, OUTPUT, Plans, SecretArgs, address, file, words};
use plansift_core::path::AddressPattern;
use plansift_plan::record::state_counts::GroupKey;
use plansift_plan::record::values::ValuesSource;

/// Arguments about the output, shared by these commands.
#[derive(Debug, Args)]
pub struct RowArgs {
    /// Format of the rows
    #[arg(help_heading = OUTPUT, short, long, value_enum, default_value_t = RowFormat::Table)]
    pub format: RowFormat,
    /// Write CSV cells that look like formulas unquoted, for programs instead of spreadsheets
    #[arg(help_heading = OUTPUT, long)]
    pub csv_raw: bool,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub secrets: SecretArgs,
    #[command(flatten)]
    pub plans: Plans,
}

/// Format of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// A table for a person
    Table,
    /// One compact JSON object on each line
    Ndjson,
    /// One JSON array
    Json,
    /// Comma-separated values, safe for spreadsheets
    Csv,
    /// Parquet files, one for each table, in the folder of -o
    Parquet,
}

/// Parses the values to read.
fn values_of() -> impl TypedValueParser<Value = ValuesSource> {
    words([
        ("auto", ValuesSource::Auto, "The planned values of a plan, the values of a state"),
        ("planned", ValuesSource::Planned, "The values that a plan leads to"),
        (
            "prior",
            ValuesSource::Prior,
            "The prior state of a plan. Its resources have their values before the plan, as \
             refreshed; Terraform writes outputs there as they are after the plan",
        ),
        ("state", ValuesSource::State, "The values of a state; a plan is then an error"),
    ])
}

/// Parses what resources are grouped by.
fn resources_by() -> impl TypedValueParser<Value = GroupKey> {
    words([
        ("type", GroupKey::Type, ""),
        ("module", GroupKey::Module, ""),
        ("provider", GroupKey::Provider, ""),
    ])
}

/// `plansift resources`.
#[derive(Debug, Args)]
pub struct Resources {
    /// Read these values
    #[arg(help_heading = INPUT, long, value_parser = values_of(), default_value = "auto",
          value_name = "WHICH")]
    pub of: ValuesSource,
    /// Add the values of this attribute, like tags.Name or 'labels["a.b"]'; a number in brackets is
    /// the index of a list. Sensitive values, and values that repeat one, are masked. Repeatable
    #[arg(help_heading = OUTPUT, long, value_name = "PATH", value_parser = super::place)]
    pub select: Vec<String>,
    /// List only resources by type, address or module, like 'aws_db_*', aws_vpc.main or
    /// module.network; * matches any text, and a module includes its child modules. Repeatable
    #[arg(help_heading = FILTERS, long, value_name = "GLOB", value_parser = address)]
    pub only: Vec<AddressPattern>,
    /// Include data sources and ephemeral resources
    #[arg(help_heading = FILTERS, long)]
    pub all: bool,
    /// Count the resources of all inputs by this instead of listing them
    #[arg(help_heading = OUTPUT, long, value_parser = resources_by(), value_name = "WHAT",
          conflicts_with = "select")]
    pub group_by: Option<GroupKey>,
    #[command(flatten)]
    pub rows: RowArgs,
}

/// `plansift outputs`.
#[derive(Debug, Args)]
#[command(mut_arg("type_sets", refused))]
pub struct Outputs {
    /// Read these values
    #[arg(help_heading = INPUT, long, value_parser = values_of(), default_value = "auto",
          value_name = "WHICH")]
    pub of: ValuesSource,
    /// Add the values. Sensitive values, and values that repeat one, are masked
    #[arg(help_heading = OUTPUT, long)]
    pub values: bool,
    #[command(flatten)]
    pub rows: RowArgs,
}

/// `plansift variables`.
#[derive(Debug, Args)]
#[command(mut_arg("type_sets", refused))]
pub struct Variables {
    /// Add the values. Sensitive values, and values that repeat one, are masked
    #[arg(help_heading = OUTPUT, long)]
    pub values: bool,
    #[command(flatten)]
    pub rows: RowArgs,
}

/// `plansift checks`.
#[derive(Debug, Args)]
pub struct Checks {
    #[command(flatten)]
    pub gate: GateArgs,
    #[command(flatten)]
    pub rows: RowArgs,
}
