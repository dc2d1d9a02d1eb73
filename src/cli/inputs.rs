//! Which inputs a run has, by its arguments, and what is said of those that are left out.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;

use super::args::Plans;
use super::exit::Exit;
use super::output;
use super::run::{named, say};
use crate::batch::{
    Entry, Globs, Inputs, List, Location, Patience, Rule, Selection, Separator, Skipped, Stores,
};
use crate::secret::Takes;
use crate::sink::summary::visible;

/// The inputs of a run.
pub struct Listed {
    /// All of them.
    pub inputs: Inputs,
    /// The stores of those that are in one.
    pub stores: Stores,
    /// Whether the workspaces of plans are told.
    tells_workspaces: bool,
}

impl Listed {
    /// The workspace of an input, if it is to be told.
    pub fn workspace(&self, entry: &Entry) -> Option<String> {
        self.tells_workspaces.then(|| self.inputs.workspace(entry))
    }

    /// Whether there is one input only, and nothing was asked of its workspace.
    pub fn is_single(&self) -> bool {
        !self.tells_workspaces
    }
}

/// Lists what the arguments name; nothing of it may be an output. `takes`: what of a folder.
///
/// # Errors
///
/// They make no sense; that was said.
pub fn list<'o>(
    plans: &Plans,
    takes: Takes,
    outputs: impl IntoIterator<Item = &'o Path>,
) -> Result<Listed, Exit> {
    let selection = selection(plans, takes)?;
    let rule = match &plans.more.workspace_from {
        None => Rule::Differing,
        Some(text) => Rule::parse(text).map_err(|_| {
            usage("--workspace-from: {workspace} must be in it once, as in plans/{workspace}.json")
        })?,
    };
    let is_ruled = rule != Rule::Differing;
    let inputs = Inputs::list(&selection, rule);
    for path in outputs {
        let is_input = |entry: &Entry| match &entry.location {
            Location::File(input) => output::replaces(path, input),
            _ => false,
        };
        if inputs.entries.iter().flatten().any(is_input) {
            let name = named(path);
            return Err(usage(&format!(
                "{name}: this is an input: name another file for --output"
            )));
        }
    }
    if !plans.quiet {
        tell_skipped(&inputs.skipped);
        if is_ruled {
            tell_unfit(&inputs);
        }
    }
    let tells_workspaces = is_ruled || inputs.entries.len() > 1;
    Ok(Listed { inputs, stores: selection.stores, tells_workspaces })
}

fn selection(plans: &Plans, takes: Takes) -> Result<Selection, Exit> {
    let more = &plans.more;
    let mut names = plans.inputs.clone();
    if names.is_empty() && more.files_from.is_none() {
        if io::stdin().is_terminal() {
            return Err(usage(
                "no INPUT: name a plan (terraform show -json PLANFILE > plan.json), \
                 or - for standard input",
            ));
        }
        names.push(OsString::from("-"));
    }
    let files_from = more.files_from.as_deref().map(|path| match path == Path::new("-") {
        true => List::Stdin,
        false => List::File(path.to_owned()),
    });
    if files_from == Some(List::Stdin) && names.iter().any(|name| name == "-") {
        return Err(usage("standard input is either a plan or a list: it is named as both"));
    }
    let separator = if more.null { Separator::Null } else { Separator::Line };
    let globs = Globs::new(&more.include, &more.exclude)
        .map_err(|_| usage("--include, --exclude: a glob is not well formed"))?;
    let globs = if takes == Takes::All { globs.with_states() } else { globs };
    let stores = Stores::new(Patience { timeout: more.store_timeout, retries: more.store_retries });
    Ok(Selection { names, files_from, separator, globs, stores })
}

fn usage(text: &str) -> Exit {
    say(text);
    Exit::Usage
}

/// Says how much was found in folders and is no input.
fn tell_skipped(skipped: &Skipped) {
    let parts = [
        (skipped.others, "no plan", "no plans"),
        (skipped.excluded, "excluded", "excluded"),
        (skipped.hidden, "hidden", "hidden"),
        (skipped.links, "a link to a folder", "links to folders"),
    ];
    let told: Vec<String> = parts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    if !told.is_empty() {
        say(&format!("skipped in folders: {}", told.join(", ")));
    }
}

/// Says for how many inputs the user's rule gives no name.
fn tell_unfit(inputs: &Inputs) {
    let mut unfit = inputs.entries.iter().flatten().filter(|entry| !inputs.fits(entry));
    if let Some(first) = unfit.next() {
        let more = match unfit.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        say(&format!(
            "warning: --workspace-from does not fit {}{more}: named by the whole path",
            visible(&first.source())
        ));
    }
}
