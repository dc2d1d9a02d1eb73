//! The arguments of `plansift assert`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;

use super::{GATES, OUTPUT, Plans, SecretArgs, SourceArgs, file, pack, words};
use plansift_check::assertion::Pack;
use plansift_report::assertions::Form;

/// `plansift assert`.
#[derive(Debug, Args)]
pub struct Assert {
    /// Read assertions from a file: TOML or JSON if its name ends in .toml or .json, else YAML.
    /// `plansift schema --of assertions` prints the schema
    #[arg(help_heading = GATES, short = 'F', long = "file", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Check the assertions of a pack. Repeatable
    #[arg(help_heading = GATES, long = "pack", value_name = "PACK", value_parser = pack())]
    pub packs: Vec<Pack>,
    /// Print the file of a pack, to copy and edit
    #[arg(help_heading = OUTPUT, long, value_name = "PACK", value_parser = pack(),
          exclusive = true)]
    pub print_pack: Option<Pack>,
    /// Check this assertion, like 'resource: aws_db_instance.main, not_action: replace'. Repeatable
    #[arg(help_heading = GATES, short = 'e', long = "expect", value_name = "ASSERTION")]
    pub expect: Vec<String>,
    /// Also fail if a pattern in an assertion covers nothing, or if a folder has a file that is
    /// neither a plan nor a state
    #[arg(help_heading = GATES, long)]
    pub strict_rules: bool,
    /// Write assertions that this plan passes, as a file to edit: TOML or JSON if the name of
    /// --output ends in .toml or .json, else YAML
    #[arg(help_heading = OUTPUT, long,
          conflicts_with_all = ["files", "packs", "expect", "strict_rules", "format"])]
    pub init: bool,
    /// Format of the results
    #[arg(help_heading = OUTPUT, short, long, value_parser = form(), default_value = "text")]
    pub format: Form,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub secrets: SecretArgs,
    #[command(flatten)]
    pub plans: Plans,
}

/// Parses the format of the results of assertions.
fn form() -> impl TypedValueParser<Value = Form> {
    words([
        ("text", Form::Text, "A list of failures, for people"),
        ("ndjson", Form::Ndjson, "One JSON object for each assertion and plan, one a line"),
        ("json", Form::Json, "One JSON array of the objects of `ndjson`"),
        ("junit", Form::Junit, "Tests: a suite for each plan, a test for each assertion"),
        ("sarif", Form::Sarif, "Findings: one for each assertion that fails"),
        ("github", Form::Github, "Annotations of GitHub Actions"),
    ])
}
