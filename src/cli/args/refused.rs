//! Shared options that a command does not have.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory, FromArgMatches, Id};

use super::Cli;

/// The group of the shared options that a command refuses.
const REFUSED: &str = "refused";

/// Changes a shared option to one that the command does not have.
pub(super) fn refused(arg: Arg) -> Arg {
    arg.hide(true).group(REFUSED)
}

/// Parses arguments. Fails if a command refuses one of them.
pub(super) fn parsed(args: &[OsString]) -> Result<Cli, clap::Error> {
    let mut cli = Cli::command();
    let mut matches = cli.try_get_matches_from_mut(args)?;
    if let Some((name, matches)) = matches.subcommand()
        && let Ok(Some(id)) = matches.try_get_one::<Id>(REFUSED)
        && let Some(command) = cli.find_subcommand(name)
        && let Some(arg) = command.get_arguments().find(|arg| arg.get_id() == id)
    {
        let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
        let name = format!("--{}", arg.get_long().unwrap_or_default());
        error.insert(ContextKind::InvalidArg, ContextValue::String(name));
        return Err(error);
    }
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut cli))
}
