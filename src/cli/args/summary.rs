//! The arguments of `summary`.

use clap::Args;
use clap::builder::TypedValueParser;

use super::budget::BudgetArgs;
use super::{OUTPUT, SharedArgs, TableArgs, words};

/// `plansift summary`.
#[derive(Debug, Args)]
pub struct Summary {
    /// Format of the summary
    #[arg(help_heading = OUTPUT, short, long, value_parser = summary_format(),
          default_value = "text")]
    pub format: SummaryFormat,
    /// Say for each resource that is destroyed, replaced or forgotten what depends on it. Reads
    /// plans twice. With several plans, only the JSON says it
    #[arg(help_heading = OUTPUT, long)]
    pub impact: bool,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub shared: SharedArgs,
}

/// The format of the output of `summary`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryFormat {
    /// A page about one plan, or a table of several.
    Text,
    /// One document.
    Json,
}

fn summary_format() -> impl TypedValueParser<Value = SummaryFormat> {
    words([
        ("text", SummaryFormat::Text, "For a person"),
        ("json", SummaryFormat::Json, "One JSON document about all plans, for programs and models"),
    ])
}
