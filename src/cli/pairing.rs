//! Pairs the inputs of two folders by workspace.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use super::args::Plans;
use super::messages::say;
use plansift_fleet::source::{InputEntry, Inputs, SourceFault, Unlisted};

/// Two inputs to compare.
pub struct Pair {
    /// The workspace; `None` if the user named the two inputs.
    pub workspace: Option<String>,
    /// The earlier input; `None` if only the later folder has the workspace.
    pub old: Option<InputEntry>,
    /// The later input; `None` if only the earlier folder has the workspace.
    pub new: Option<InputEntry>,
}

/// The inputs of two names.
pub struct Paired<'a> {
    pub pairs: Vec<Pair>,
    /// Links to folders, pipes and devices in a folder. Only a strict run lists them.
    pub unlisted: Vec<&'a Unlisted>,
}

/// Pairs the inputs of two names. If each name is one input, these are the only pair. Fails with a
/// message for the user if the inputs cannot be paired.
pub fn pairs<'a>(
    plans: &Plans,
    inputs: [&'a Inputs; 2],
    names: [&OsStr; 2],
) -> std::result::Result<Paired<'a>, String> {
    let [old, new] = inputs;
    let are_one = [old, new].map(|inputs| !inputs.are_found);
    match (are_one, &old.entries[..], &new.entries[..]) {
        ([true, true], [old], [new]) => {
            let (old, new) = (Some(listed(old)?.clone()), Some(listed(new)?.clone()));
            Ok(Paired { pairs: vec![Pair { workspace: None, old, new }], unlisted: Vec::new() })
        }
        ([false, false], ..) => {
            let mut unlisted = Vec::new();
            let old = by_workspace(old, names[0], &mut unlisted)?;
            let new = by_workspace(new, names[1], &mut unlisted)?;
            let mut workspaces: Vec<&String> = old.keys().chain(new.keys()).collect();
            workspaces.sort_unstable();
            workspaces.dedup();
            let pair = |name: &String| {
                let (before, after) = (old.get(name).copied(), new.get(name).copied());
                Pair {
                    workspace: Some(name.clone()),
                    old: before.cloned().or_else(|| counterpart(after?, [names[1], names[0]])),
                    new: after.cloned().or_else(|| counterpart(before?, names)),
                }
            };
            let has_both =
                workspaces.iter().any(|it| old.contains_key(*it) && new.contains_key(*it));
            if !plans.quiet && !workspaces.is_empty() && !has_both {
                say("warning: no workspace is in both OLD and NEW: see --workspace-from");
            }
            match workspaces.is_empty() {
                true => Err("there is no plan in these folders".to_owned()),
                false => Ok(Paired { pairs: workspaces.into_iter().map(pair).collect(), unlisted }),
            }
        }
        _ => {
            let [one, many] = if are_one[0] { names } else { [names[1], names[0]] };
            Err(format!(
                "OLD and NEW are two inputs, or two folders: {} is one input, and {} is not",
                one.display(),
                many.display()
            ))
        }
    }
}

/// Returns the file with the name of an entry in the other folder, if there is one. The folder was
/// listed without it, because it does not look like a plan. Reading it reports the error, or finds
/// a plan after all. A gate must not take such a workspace for one that is gone.
fn counterpart(entry: &InputEntry, [folder, other]: [&OsStr; 2]) -> Option<InputEntry> {
    let name = entry.name()?;
    let file = Path::new(other).join(Path::new(&name).strip_prefix(folder).ok()?);
    file.is_file().then(|| InputEntry::of_file(file))
}

fn listed(entry: &Result<InputEntry, Unlisted>) -> std::result::Result<&InputEntry, String> {
    entry.as_ref().map_err(|unlisted| format!("{}: {}", unlisted.source, unlisted.error))
}

/// Returns the inputs of a folder by their workspaces, without the name of the folder. Adds what
/// cannot be opened to `unlisted`.
fn by_workspace<'a>(
    inputs: &'a Inputs,
    folder: &OsStr,
    unlisted: &mut Vec<&'a Unlisted>,
) -> std::result::Result<BTreeMap<String, &'a InputEntry>, String> {
    let mut found: BTreeMap<String, &InputEntry> = BTreeMap::new();
    for entry in &inputs.entries {
        if let Err(found) = entry
            && matches!(
                found.error.fault(),
                Some(SourceFault::LinkToFolder | SourceFault::NotAFile)
            )
        {
            unlisted.push(found);
            continue;
        }
        let entry = listed(entry)?;
        let workspace = inputs.workspace_in(folder, entry);
        if let Some(other) = found.insert(workspace.clone(), entry) {
            return Err(format!(
                "{} and {} are both the workspace {workspace}: leave one out with --exclude, or \
                 tell them apart with --workspace-from",
                other.source(),
                entry.source()
            ));
        }
    }
    Ok(found)
}
