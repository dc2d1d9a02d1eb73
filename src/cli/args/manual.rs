//! Manual pages, made from the arguments.

use clap::CommandFactory;
use clap_mangen::roff::{Roff, roman};

use super::{Cli, examples};

/// Returns the manual page of a command, in the format of man. Without a command, returns the page
/// of plansift. `None` if there is no such command.
pub fn manual(command: Option<&str>) -> Option<Vec<u8>> {
    // The commands `help` have no examples.
    let mut cli = Cli::command().disable_help_subcommand(true);
    cli.build();
    let described = match command {
        Some(name) => cli.find_subcommand(name)?.clone(),
        None => cli,
    };
    let examples = examples::of(described.get_name());
    let described = described.after_help(None::<&'static str>);
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
