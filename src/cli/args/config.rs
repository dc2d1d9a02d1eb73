//! The arguments of `config`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};

use super::refused::refused;
use super::{FILTERS, INPUT, OUTPUT, Plans, SourceArgs, file, words};
use plansift_report::configuration::drawing::Subject;

/// `plansift config`.
#[derive(Debug, Args)]
#[command(mut_arg("type_sets", refused))]
pub struct Config {
    /// Format of the elements, or language of a drawing
    #[arg(help_heading = OUTPUT, short, long, value_enum, default_value_t = ConfigFormat::Table)]
    pub format: ConfigFormat,
    /// Write CSV cells that look like formulas unquoted, for programs instead of spreadsheets
    #[arg(help_heading = OUTPUT, long)]
    pub csv_raw: bool,
    /// Draw the graph of this [default: resources]
    #[arg(help_heading = OUTPUT, long, value_parser = subject(), value_name = "WHAT")]
    pub graph: Option<Subject>,
    /// List the expressions that refer to this resource, variable, output, module or provider, like
    /// aws_instance.web, module.dns.output.zone or provider.aws
    #[arg(help_heading = FILTERS, long, value_name = "ADDRESS", conflicts_with = "dependents")]
    pub references: Option<String>,
    /// List all elements that depend on this element, directly or through other elements. --source
    /// and plan files have local values, too
    #[arg(help_heading = FILTERS, long, value_name = "ADDRESS")]
    pub dependents: Option<String>,
    /// Show the file and the line of the block of each element, from the root module in this
    /// folder. With --dependents, follow the local values in it
    #[arg(help_heading = INPUT, long, value_name = "DIR")]
    pub source: Option<PathBuf>,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub plans: Plans,
}

impl Config {
    /// Returns the arguments about the locations of blocks in source files.
    pub fn locations(&self) -> SourceArgs {
        SourceArgs { no_source: self.source.is_none(), ..self.elements() }
    }

    /// Returns the arguments about the elements in source files.
    pub fn elements(&self) -> SourceArgs {
        SourceArgs { source: self.source.clone(), no_source: false, source_prefix: None }
    }
}

/// Format of the elements of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConfigFormat {
    /// One line for each element, for a person
    Table,
    /// One compact JSON object on each line
    Ndjson,
    /// One JSON array
    Json,
    /// Comma-separated values, safe for spreadsheets
    Csv,
    /// Parquet files, one for each table, in the folder of -o
    Parquet,
    /// A graph in the language of Graphviz
    Dot,
    /// A graph in the language of Mermaid
    Mermaid,
}

/// Parses what a graph shows.
fn subject() -> impl TypedValueParser<Value = Subject> {
    words([
        ("resources", Subject::Resources, "Resources, providers, variables and outputs"),
        ("modules", Subject::Modules, "Modules"),
    ])
}
