//! The inputs of a run, all of them: how many there are must be known before the first is read,
//! and which of them would have the same workspace before the first workspace is told.

use std::collections::{HashMap, HashSet};

use super::{Entries, Entry, Location, Rule, Selection, Skipped, Unlisted};

/// The inputs of a run, in order.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Each input, or what was named in vain.
    pub entries: Vec<Result<Entry, Unlisted>>,
    /// What was found and is no input.
    pub skipped: Skipped,
    /// How many were named that had been named before: folders and globs overlap.
    pub again: u64,
    rule: Rule,
    /// Workspaces that the rule gives to several inputs.
    shared: HashSet<String>,
}

impl Inputs {
    /// Lists what was selected, each once.
    pub fn list(selection: &Selection, rule: Rule) -> Inputs {
        let mut listed = Entries::new(selection);
        let (mut entries, mut again) = (Vec::new(), 0);
        let mut known: HashMap<String, Option<Location>> = HashMap::new();
        for entry in &mut listed {
            let (source, location) = match &entry {
                Ok(entry) => (entry.source().into_owned(), Some(entry.location.clone())),
                Err(unlisted) => (unlisted.source.clone(), None),
            };
            // Two names that are no text may look alike.
            if known.get(&source) == Some(&location) {
                again += 1;
                continue;
            }
            known.insert(source, location);
            entries.push(entry);
        }
        let mut inputs = Inputs { entries, skipped: listed.skipped(), again, ..Inputs::default() };
        inputs.rule = rule;
        inputs.shared = inputs.shared_among(&known);
        inputs
    }

    /// The workspaces of several inputs, and those that are what another input is called.
    fn shared_among(&self, sources: &HashMap<String, Option<Location>>) -> HashSet<String> {
        let (mut names, mut shared) = (HashSet::new(), HashSet::new());
        if self.rule != Rule::Path {
            // A rule of the user's may well give several plans one workspace.
            return shared;
        }
        for entry in self.entries.iter().flatten() {
            let Some(name) = self.rule.workspace(entry) else { continue };
            let is_of_another = name != entry.source() && sources.contains_key(&name);
            if is_of_another || names.contains(&name) {
                shared.insert(name);
            } else {
                names.insert(name);
            }
        }
        shared
    }

    /// The workspace of an input by the rule. Where the rule does not fit, and where other inputs
    /// have the same path without endings, it is the input as it is named.
    pub fn workspace(&self, entry: &Entry) -> String {
        let name = self.rule.workspace(entry).filter(|name| !self.shared.contains(name));
        name.unwrap_or_else(|| entry.source().into_owned())
    }

    /// Whether another input would have the same path without endings.
    pub fn shares(&self, entry: &Entry) -> bool {
        self.rule.workspace(entry).is_some_and(|name| self.shared.contains(&name))
    }

    /// Whether the user's rule finds a workspace in the path of an input.
    pub fn fits(&self, entry: &Entry) -> bool {
        self.rule.workspace(entry).is_some()
    }
}
