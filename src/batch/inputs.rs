//! The inputs of a run, all of them: how many there are must be known before the first is read,
//! and what their paths have in common before the first workspace is named.

use std::borrow::Cow;
use std::collections::HashSet;

use super::key::Key;
use super::{Entries, Entry, Location, Rule, Selection, Skipped, Unlisted, Workspaces};

/// The inputs of a run, in order.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Each input, or what was named in vain.
    pub entries: Vec<Result<Entry, Unlisted>>,
    /// What was found and is no input.
    pub skipped: Skipped,
    /// How many were named that had been named before: folders and globs overlap.
    pub again: u64,
    workspaces: Workspaces,
}

impl Inputs {
    /// Lists what was selected, each once.
    pub fn list(selection: &Selection, rule: Rule) -> Inputs {
        let mut workspaces = Workspaces::new(rule);
        let mut listed = Entries::new(selection);
        let (mut entries, mut again) = (Vec::new(), 0);
        let mut known = HashSet::new();
        for entry in &mut listed {
            if !known.insert(key_of(&entry)) {
                again += 1;
                continue;
            }
            if let Ok(entry) = &entry {
                workspaces.add(entry);
            }
            entries.push(entry);
        }
        Inputs { entries, skipped: listed.skipped(), again, workspaces }
    }

    /// The workspace of an input: by the rule, or where it does not fit, the input as it is named.
    pub fn workspace(&self, entry: &Entry) -> String {
        self.workspaces.of(entry).unwrap_or_else(|| entry.source().into_owned())
    }

    /// Whether the user's rule finds a workspace in the path of an input.
    pub fn fits(&self, entry: &Entry) -> bool {
        self.workspaces.of(entry).is_some()
    }
}

/// What tells an input from others. Two names that are no text may look alike, and so may two
/// addresses.
fn key_of(input: &Result<Entry, Unlisted>) -> Key {
    let (kind, name) = match input {
        Ok(Entry { location: Location::File(path), .. }) => {
            (b'f', path.as_os_str().as_encoded_bytes().into())
        }
        Ok(Entry { location: Location::Object(object), .. }) => {
            (b'o', object.address.identity().into_bytes().into())
        }
        Ok(Entry { location: Location::Stdin, .. }) => (b'-', Cow::default()),
        Err(unlisted) => (b'!', unlisted.source.as_bytes().into()),
    };
    Key::of(&[&[kind], &*name].concat())
}
