//! The complete list of the inputs of a run. A run needs to know their number before it reads the
//! first input.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::key::Key;
use super::workspace::is_plan_name;
use super::{InputEntries, InputEntry, Location, Rule, Selection, Skipped, Unlisted};
use crate::output;

/// The inputs of a run, in order.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The inputs, and the names that yield no input.
    pub entries: Vec<Result<InputEntry, Unlisted>>,
    /// Counts of the files skipped in folders.
    pub skipped: Skipped,
    /// The number of repetitions. Folders and globs may overlap, but each input is listed once.
    pub again: u64,
    /// Whether a name is a list, a glob or a folder, even if it yields only one input.
    pub are_found: bool,
    /// Whether the output names workspaces: there are several inputs, a rule names them, or the
    /// caller wants them.
    pub shows_workspaces: bool,
    rule: Rule,
    /// The files that name inputs.
    lists: Vec<PathBuf>,
}

impl Inputs {
    /// Lists each selected input once.
    pub fn list(selection: &Selection, rule: Rule) -> Inputs {
        let mut listed = InputEntries::new(selection);
        let (mut entries, mut again) = (Vec::new(), 0);
        let mut known = HashSet::new();
        for entry in &mut listed {
            if !known.insert(key_of(&entry)) {
                again += 1;
                continue;
            }
            entries.push(entry);
        }
        let shows_workspaces = rule != Rule::Path || entries.len() > 1;
        let (skipped, lists) = (listed.skipped(), selection.lists().collect());
        let are_found = listed.opens();
        Inputs { entries, skipped, again, are_found, shows_workspaces, rule, lists }
    }

    /// Returns the paths of the inputs that are files, and of the lists of inputs.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let inputs = self.entries.iter().flatten().filter_map(|entry| match &entry.location {
            Location::File(path) => Some(path.as_path()),
            _ => None,
        });
        inputs.chain(self.lists.iter().map(PathBuf::as_path))
    }

    /// Returns whether an output would replace an input, or a list of inputs.
    pub fn reads(&self, output: &Path) -> bool {
        let reads_stdin =
            self.entries.iter().flatten().any(|entry| entry.location == Location::Stdin);
        self.files().any(|file| output::replaces(output, file))
            || (reads_stdin && output::replaces_stdin(output))
    }

    /// Returns the workspace of an input according to the rule. If the rule does not match, returns
    /// the name of the input. The workspace depends only on the path of the input, so several
    /// inputs may share a workspace.
    pub fn workspace(&self, entry: &InputEntry) -> String {
        self.rule.workspace(entry).unwrap_or_else(|| entry.source().into_owned())
    }

    /// Returns the workspace of an input in a folder, without the name of the folder. A rule of the
    /// user alone decides.
    pub fn workspace_in(&self, folder: &OsStr, entry: &InputEntry) -> String {
        let inside = self.rule.workspace_in(&folder.to_string_lossy(), entry);
        inside.unwrap_or_else(|| self.workspace(entry))
    }

    /// Whether the rule matches the path of an input.
    pub fn fits(&self, entry: &InputEntry) -> bool {
        self.rule.workspace(entry).is_some()
    }

    /// Returns the inputs that have the same workspace as an earlier input. All files in the
    /// current folder whose names only mean "plan" count as one workspace.
    pub fn sharing(&self) -> impl Iterator<Item = &InputEntry> {
        let mut workspaces = HashSet::new();
        self.entries.iter().flatten().filter(move |entry| {
            let workspace = self.workspace(entry);
            let workspace = if is_plan_name(&workspace) { "." } else { &workspace };
            !workspaces.insert(Key::of(workspace.as_bytes()))
        })
    }
}

/// Returns the key of an input: a digest of the absolute path of a file, or of the address of an
/// object. Paths that are not UTF-8 are compared by their bytes.
fn key_of(input: &Result<InputEntry, Unlisted>) -> Key {
    let (kind, name) = match input {
        Ok(InputEntry { location: Location::File(path), .. }) => {
            // `./a`, `a` and the absolute path of `a` are the same input. Links are not resolved.
            let path = std::path::absolute(path).map_or_else(|_| path.into(), Cow::Owned);
            (b'f', path.as_os_str().as_encoded_bytes().to_vec().into())
        }
        Ok(InputEntry { location: Location::Object(object), .. }) => {
            (b'o', object.address.name().into_bytes().into())
        }
        Ok(InputEntry { location: Location::Stdin, .. }) => (b'-', Cow::default()),
        Ok(entry @ InputEntry { location: Location::Memory(_), .. }) => {
            (b'm', entry.source().into_owned().into_bytes().into())
        }
        Err(unlisted) => (b'!', unlisted.source.as_bytes().into()),
    };
    Key::of(&[&[kind], &*name].concat())
}
