//! The arguments of `mcp`.

use std::path::PathBuf;

use clap::{Arg, Args};

use super::{INPUT, LimitArgs, TypeSetArgs};

/// `plansift mcp`.
///
/// Reads one JSON-RPC message on each line of standard input, and writes one on each line of
/// standard output. It ends at the end of standard input.
#[derive(Debug, Args)]
#[command(mut_arg("--limit-secret-texts", with_more_secrets))]
pub struct Mcp {
    /// Answer questions about the plans in this folder and below it
    #[arg(help_heading = INPUT, long, value_name = "DIR")]
    pub root: PathBuf,
    /// Also answer questions about the objects below this address of an object store, like
    /// s3://bucket/plans/. Repeatable
    #[arg(help_heading = INPUT, long, value_name = "URL")]
    pub allow_store: Vec<String>,
    /// Schemas of the providers for binary plan files: the output of `terraform providers schema
    /// -json`. Repeatable
    #[arg(help_heading = INPUT, long, value_name = "FILE")]
    pub schemas: Vec<PathBuf>,
    /// Read the schemas for each binary plan file from this folder. The name of the file is the
    /// output of `plansift show --schema-key`
    #[arg(help_heading = INPUT, long, value_name = "DIR")]
    pub schema_cache: Option<PathBuf>,
    /// `main` reads these files.
    #[command(flatten)]
    pub type_sets: TypeSetArgs,
    /// Arguments about limits
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Raises the default of a limit. A client cannot raise it, and the server needs no memory for
/// writing plans.
fn with_more_secrets(limit: Arg) -> Arg {
    let help = "Total size of the secrets whose copies are searched for [default: 4M]";
    limit.default_value("4M").hide_default_value(true).help(help)
}
