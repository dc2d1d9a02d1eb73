//! The arguments of `plansift assert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{GATES, OUTPUT, Plans, SecretArgs, SourceArgs, file};

/// `plansift assert`.
#[derive(Debug, Args)]
pub struct Assert {
    /// Read assertions from a file: TOML or JSON if its name ends in .toml or .json, else YAML.
    /// `plansift schema --of assertions` prints the schema
    #[arg(help_heading = GATES, short = 'F', long = "file", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Check this assertion, like 'resource: aws_db_instance.main, not_action: replace'. Repeatable
    #[arg(help_heading = GATES, short = 'e', long = "expect", value_name = "ASSERTION")]
    pub expect: Vec<String>,
    /// Write assertions that this plan passes, as a file to edit: TOML or JSON if the name of
    /// --output ends in .toml or .json, else YAML
    #[arg(help_heading = OUTPUT, long, conflicts_with_all = ["files", "expect", "format"])]
    pub init: bool,
    /// Format of the results
    #[arg(help_heading = OUTPUT, short, long, value_enum, default_value_t = AssertFormat::Text)]
    pub format: AssertFormat,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    /// Arguments about source files
    #[command(flatten)]
    pub source: SourceArgs,
    /// Arguments about secrets
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// Arguments about the plans
    #[command(flatten)]
    pub plans: Plans,
}

/// Format of the results of assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AssertFormat {
    /// A list of failures, for people
    Text,
    /// One JSON object for each assertion and plan, one a line
    Ndjson,
    /// One JSON array of the objects of `ndjson`
    Json,
    /// Tests: a suite for each plan, a test for each assertion
    Junit,
    /// Findings: one for each assertion that fails
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}
