//! Refuses `plansift mcp`, in a build without the feature `mcp`. Has the items of `mcp.rs`.

use super::args::Mcp;
use super::exit::Exit;
use super::messages::usage;

/// Refuses the command.
pub fn run(_: &Mcp) -> Result<Exit, Exit> {
    Err(usage("this build of plansift has no server: build it with `--features mcp`"))
}
