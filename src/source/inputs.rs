//! The complete list of a run's inputs. The run needs their number before it reads the first.

use std::borrow::Cow;
use std::collections::HashSet;

use super::key::Key;
use super::workspace::is_plan_name;
use super::{Entries, Entry, Location, Rule, Selection, Skipped, Unlisted};

/// The inputs of a run, in order.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The inputs, and the names that yield none.
    pub entries: Vec<Result<Entry, Unlisted>>,
    /// Counts of the files skipped in folders.
    pub skipped: Skipped,
    /// The number of repeated inputs, which are listed once. Folders and globs may overlap.
    pub again: u64,
    rule: Rule,
}

impl Inputs {
    /// Lists each selected input once.
    pub fn list(selection: &Selection, rule: Rule) -> Inputs {
        let mut listed = Entries::new(selection);
        let (mut entries, mut again) = (Vec::new(), 0);
        let mut known = HashSet::new();
        for entry in &mut listed {
            if !known.insert(key_of(&entry)) {
                again += 1;
                continue;
            }
            entries.push(entry);
        }
        Inputs { entries, skipped: listed.skipped(), again, rule }
    }

    /// The workspace of an input by the rule, or the name of the input if the rule does not match.
    /// It depends only on the path of this input, so several inputs may share a workspace.
    pub fn workspace(&self, entry: &Entry) -> String {
        self.rule.workspace(entry).unwrap_or_else(|| entry.source().into_owned())
    }

    /// Whether the rule finds a workspace in the path of an input.
    pub fn fits(&self, entry: &Entry) -> bool {
        self.rule.workspace(entry).is_some()
    }

    /// The inputs whose workspace is also that of an earlier input. In the current folder, all
    /// files with a name that only means "plan" count as one workspace.
    pub fn sharing(&self) -> impl Iterator<Item = &Entry> {
        let mut workspaces = HashSet::new();
        self.entries.iter().flatten().filter(move |entry| {
            let workspace = self.workspace(entry);
            let workspace = if is_plan_name(&workspace) { "." } else { &workspace };
            !workspaces.insert(Key::of(workspace.as_bytes()))
        })
    }
}

/// The key of an input: the absolute path of a file, or the name of an object in a store.
/// Paths that are not UTF-8 are compared by their bytes.
fn key_of(input: &Result<Entry, Unlisted>) -> Key {
    let (kind, name) = match input {
        Ok(Entry { location: Location::File(path), .. }) => {
            // `./a`, `a` and the absolute path of `a` are one file. Links are not resolved.
            let path = std::path::absolute(path).map_or_else(|_| path.into(), Cow::Owned);
            (b'f', path.as_os_str().as_encoded_bytes().to_vec().into())
        }
        Ok(Entry { location: Location::Object(object), .. }) => {
            (b'o', object.address.identity().into_bytes().into())
        }
        Ok(Entry { location: Location::Stdin, .. }) => (b'-', Cow::default()),
        Err(unlisted) => (b'!', unlisted.source.as_bytes().into()),
    };
    Key::of(&[&[kind], &*name].concat())
}
