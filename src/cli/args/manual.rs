//! Manual pages, made from the arguments.

use clap::CommandFactory;

use super::Cli;

/// Returns the manual page of a command, in the format of man. Without a command, returns the page
/// of plansift. `None` if there is no such command.
pub fn manual(command: Option<&str>) -> Option<Vec<u8>> {
    let mut cli = Cli::command();
    cli.build();
    let described = match command {
        Some(name) => cli.find_subcommand(name)?.clone(),
        None => cli,
    };
    let mut page = Vec::new();
    let version = concat!("plansift ", env!("CARGO_PKG_VERSION"));
    let described = clap_mangen::Man::new(described).source(version).manual("User Commands");
    described.render(&mut page).ok()?;
    Some(page)
}
