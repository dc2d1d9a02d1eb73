//! The files of one module, merged as the tools merge them.
//!
//! A `.tofu` file hides the `.tf` file of the same name. Blocks of override files change the blocks
//! of other files and add none.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::file::{FileDiagnostic, SourceBlock, parse, whole_file};

/// The endings of configuration files.
const ENDINGS: [&str; 4] = [".tf.json", ".tofu.json", ".tf", ".tofu"];

/// True if a file of this name belongs to a module.
#[must_use]
pub fn is_configuration(name: &str) -> bool {
    let is_hidden = name.starts_with('.') || name.ends_with('~') || name.starts_with('#');
    !is_hidden && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The names of a folder that the tools read: primary files and then override files, each in order.
pub(super) fn chosen(names: &[String]) -> Vec<&str> {
    let names: BTreeSet<&str> =
        names.iter().map(String::as_str).filter(|name| is_configuration(name)).collect();
    let is_hidden = |name: &str| {
        let json = name.strip_suffix(".tf.json").map(|stem| format!("{stem}.tofu.json"));
        let native = name.strip_suffix(".tf").map(|stem| format!("{stem}.tofu"));
        json.or(native).is_some_and(|other| names.contains(other.as_str()))
    };
    let shown: Vec<&str> = names.iter().copied().filter(|name| !is_hidden(name)).collect();
    let (overrides, primary): (Vec<&str>, Vec<&str>) =
        shown.into_iter().partition(|name| is_override(name));
    primary.into_iter().chain(overrides).collect()
}

/// True if a file changes blocks of other files.
fn is_override(name: &str) -> bool {
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    stem == "override" || stem.ends_with("_override")
}

/// The blocks of a module's folder.
#[derive(Debug, Default)]
pub struct Directory {
    /// The blocks, in the order of the files and of each file.
    pub blocks: Vec<SourceBlock>,
    /// The diagnostics of its files.
    pub diagnostics: Vec<FileDiagnostic>,
    /// The first block of each address.
    addresses: HashMap<Box<str>, usize>,
}

impl Directory {
    /// Adds a file. Override files come last.
    pub(super) fn add(&mut self, file: &Arc<str>, text: &[u8]) {
        let parsed = parse(file, text);
        self.diagnostics.extend(parsed.diagnostics);
        let name = file.rsplit('/').next().unwrap_or(file);
        for block in parsed.blocks {
            if is_override(name) {
                self.override_with(block);
            } else {
                self.push(block);
            }
        }
    }

    /// Adds a file that cannot be read.
    pub(super) fn add_unreadable(&mut self, file: &Arc<str>, detail: String) {
        self.diagnostics.push(whole_file(file, "Failed to read file", detail));
    }

    fn push(&mut self, block: SourceBlock) {
        if let Some(address) = &block.address {
            self.addresses.entry(address.clone()).or_insert(self.blocks.len());
        }
        self.blocks.push(block);
    }

    fn override_with(&mut self, block: SourceBlock) {
        let base = block.address.as_ref().and_then(|address| self.addresses.get(address));
        match base.and_then(|at| self.blocks.get_mut(*at)) {
            Some(base) => {
                base.overrides.push(block.definition);
                let new = block.references.into_iter();
                let new: Vec<_> = new.filter(|one| !base.references.contains(one)).collect();
                base.references.extend(new);
                if block.module_source.is_some() {
                    base.module_source = block.module_source;
                }
            }
            // The tools refuse a resource without a base, and merge the rest.
            None => self.push(block),
        }
    }

    /// The block of an address.
    #[must_use]
    pub fn find(&self, address: &str) -> Option<&SourceBlock> {
        self.addresses.get(address).and_then(|at| self.blocks.get(*at))
    }
}
