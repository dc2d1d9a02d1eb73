//! Pairs the inputs of two folders by workspace.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use plansift_fleet::source::{InputEntry, Inputs, Unlisted};

/// Two inputs to compare.
pub struct Pair<'a> {
    /// The workspace; `None` if the user named the two inputs.
    pub workspace: Option<String>,
    /// The earlier input; `None` if only the later folder has the workspace.
    pub old: Option<&'a InputEntry>,
    /// The later input; `None` if only the earlier folder has the workspace.
    pub new: Option<&'a InputEntry>,
}

/// Pairs the inputs of two names. If each name is one input, these are the only pair. Fails with a
/// message for the user if the inputs cannot be paired.
pub fn pairs<'a>(
    inputs: [&'a Inputs; 2],
    names: [&OsStr; 2],
) -> std::result::Result<Vec<Pair<'a>>, String> {
    let [old, new] = inputs;
    let is_folder = |name: &OsStr| Path::new(name).is_dir();
    let is_one = |inputs: &Inputs, name| inputs.entries.len() == 1 && !is_folder(name);
    let are_one = [is_one(old, names[0]), is_one(new, names[1])];
    match are_one {
        [true, true] => {
            let (old, new) = (Some(listed(&old.entries[0])?), Some(listed(&new.entries[0])?));
            Ok(vec![Pair { workspace: None, old, new }])
        }
        [false, false] => {
            let [old, new] = [by_workspace(old, names[0])?, by_workspace(new, names[1])?];
            let mut workspaces: Vec<&String> = old.keys().chain(new.keys()).collect();
            workspaces.sort_unstable();
            workspaces.dedup();
            let pair = |name: &String| Pair {
                workspace: Some(name.clone()),
                old: old.get(name).copied(),
                new: new.get(name).copied(),
            };
            match workspaces.is_empty() {
                true => Err("there is no plan in these folders".to_owned()),
                false => Ok(workspaces.into_iter().map(pair).collect()),
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

fn listed(entry: &Result<InputEntry, Unlisted>) -> std::result::Result<&InputEntry, String> {
    entry.as_ref().map_err(|unlisted| format!("{}: {}", unlisted.source, unlisted.error))
}

/// Returns the inputs of a folder by their workspaces, without the name of the folder.
fn by_workspace<'a>(
    inputs: &'a Inputs,
    folder: &OsStr,
) -> std::result::Result<BTreeMap<String, &'a InputEntry>, String> {
    let folder = folder.to_string_lossy();
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    let mut found: BTreeMap<String, &InputEntry> = BTreeMap::new();
    for entry in &inputs.entries {
        let entry = listed(entry)?;
        let whole = inputs.workspace(entry);
        let inside = whole.strip_prefix(folder).map(|rest| rest.trim_start_matches('/'));
        let workspace = match inside {
            Some("") => ".".to_owned(),
            Some(rest) => rest.to_owned(),
            None => whole,
        };
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
