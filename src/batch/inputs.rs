//! The inputs of a run, all of them: how many there are must be known before the first is read,
//! and what their paths have in common before the first workspace is named.

use super::{Entries, Entry, Rule, Selection, Skipped, Unlisted, Workspaces};

/// The inputs of a run, in order.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Each input, or what was named in vain.
    pub entries: Vec<Result<Entry, Unlisted>>,
    /// What was found and is no input.
    pub skipped: Skipped,
    workspaces: Workspaces,
}

impl Inputs {
    /// Lists what was selected.
    pub fn list(selection: &Selection, rule: Rule) -> Inputs {
        let mut workspaces = Workspaces::new(rule);
        let mut listed = Entries::new(selection);
        let mut entries = Vec::new();
        for entry in &mut listed {
            if let Ok(entry) = &entry {
                workspaces.add(entry);
            }
            entries.push(entry);
        }
        Inputs { entries, skipped: listed.skipped(), workspaces }
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
