//! The arguments of `plansift report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{GateArgs, Plans, SecretArgs};
use crate::sink::markdown::{FIT_MIN, Fit};

/// `plansift report`.
#[derive(Debug, Args)]
pub struct Report {
    /// What to write: term, markdown, github, json, variables, junit, sarif or gitlab, behind = the
    /// file, otherwise to standard output. Again for more, in the same run
    #[arg(short = 'o', long = "output", value_name = "FORMAT[=FILE]", value_parser = target,
          default_value = "term")]
    pub targets: Vec<Target>,
    /// Characters that markdown may have: those of a comment on github, gitlab or azure, or a
    /// number. What matters most is kept, whole rows only, and the last line counts the rest
    #[arg(long, value_name = "HOST|N", value_parser = fit)]
    pub fit: Option<u64>,
    /// Markdown in parts that fit instead: FILE, and beside it the same with .2, .3 before the
    /// extension
    #[arg(long, requires = "fit")]
    pub split: bool,
    /// Values of attributes; those that are sensitive, or repeat one that is, are never shown
    #[arg(long, value_enum, default_value_t = Values::Changed, value_name = "WHICH")]
    pub values: Values,
    /// What is secret besides what is marked
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// What the plans must not do
    #[command(flatten)]
    pub gate: GateArgs,
    /// The plans, and how to read them
    #[command(flatten)]
    pub plans: Plans,
}

/// Something to write, and where.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its form.
    pub format: ReportAs,
    /// The file; none: standard output.
    pub file: Option<PathBuf>,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportAs {
    /// For a person at a terminal
    Term,
    /// For a comment on a pull or merge request
    Markdown,
    /// For a step of GitHub Actions: annotations to the output, and what the files named by
    /// GITHUB_STEP_SUMMARY and GITHUB_OUTPUT are for, to these
    Github,
    /// All plans as one document
    Json,
    /// Numbers of all plans, for a shell or GitLab's dotenv
    Variables,
    /// Tests: one for each rule and check
    Junit,
    /// Findings: one for each broken rule and check
    Sarif,
    /// Counts, as GitLab wants them
    Gitlab,
}

/// Which values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Values {
    /// None: the plan is read once
    None,
    /// Those of attributes that change
    Changed,
}

fn fit(text: &str) -> Result<u64, String> {
    Fit::named(text).ok_or_else(|| format!("github, gitlab, azure, or a number from {FIT_MIN}"))
}

fn target(text: &str) -> Result<Target, String> {
    let (format, file) = match text.split_once('=') {
        Some((format, file)) => (format, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let format = ReportAs::from_str(format, false).map_err(|_| {
        let names: Vec<_> = ReportAs::value_variants()
            .iter()
            .filter_map(|it| it.to_possible_value())
            .map(|it| it.get_name().to_owned())
            .collect();
        format!("the formats are {}", names.join(", "))
    })?;
    Ok(Target { format, file })
}
