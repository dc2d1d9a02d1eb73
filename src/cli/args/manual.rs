//! Manual pages, made from the arguments.

use clap::{Command, CommandFactory};
use clap_mangen::roff::{Roff, roman};

use super::{Cli, examples};

/// Returns the names of the commands that have a page, as [`manual`] takes them, one on each line.
pub fn pages() -> String {
    let cli = built();
    below(&cli).into_iter().filter_map(page).map(|name| format!("{name}\n")).collect()
}

/// Returns the manual page of a command, in the format of man. Without a command, returns the page
/// of plansift. `None` if there is no such command.
pub fn manual(command: Option<&str>) -> Option<Vec<u8>> {
    let cli = built();
    let mut described = match command {
        Some(_) => below(&cli).into_iter().find(|below| page(below) == command)?.clone(),
        None => cli,
    };
    let examples = examples::of(described.get_name());
    // The library would list every option.
    let usage = described.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let described = described.override_usage(usage).after_help(None::<&'static str>);
    // The library leaves out the help of an option that only the long help lists.
    let described = described.mut_args(|arg| arg.hide_short_help(false));
    let mut page = Vec::new();
    let version = concat!("plansift ", env!("CARGO_PKG_VERSION"));
    let described = clap_mangen::Man::new(described).source(version).manual("User Commands");
    described.render(&mut page).ok()?;
    // The library would join the lines of examples.
    let mut section = Roff::new();
    section.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in examples.lines() {
        section.text([roman(line)]);
    }
    section.control("fi", []).to_writer(&mut page).ok()?;
    Some(page)
}

/// Returns the command line without the commands `help`, which have no pages.
pub(super) fn built() -> Command {
    let mut cli = Cli::command().disable_help_subcommand(true);
    cli.build();
    cli
}

/// Returns all commands below a command.
pub(super) fn below(command: &Command) -> Vec<&Command> {
    command.get_subcommands().flat_map(|inner| [vec![inner], below(inner)].concat()).collect()
}

/// Returns the name of a command's page without `plansift-`.
fn page(command: &Command) -> Option<&str> {
    command.get_display_name()?.strip_prefix("plansift-")
}
