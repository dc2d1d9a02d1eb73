//! The files of one module, merged as Terraform and OpenTofu merge them.
//!
//! A `.tofu` file hides the `.tf` file of the same name. A block of an override file changes the
//! block of another file with the same address. Its arguments replace the arguments of the same
//! name, and its nested blocks replace all nested blocks of their type.
//!
//! A module can have several `locals` and `terraform` blocks. An override replaces each local value
//! and each setting of `terraform` in the block that defines it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::file::{
    Detail, FileDiagnostic, MemberReferences, SourceBlock, SourceLocation, parse, references_of,
    whole_file,
};
use crate::hcl::diagnostic::Severity;
use plansift_core::budget::Budget;
use plansift_core::error::Result;

const ENDINGS: [&str; 4] = [".tf.json", ".tofu.json", ".tf", ".tofu"];

/// True if a file of this name belongs to a module.
pub fn is_configuration(name: &str) -> bool {
    let is_hidden = name.starts_with('.') || name.ends_with('~') || name.starts_with('#');
    !is_hidden && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Returns the files of a folder that the tools read: primary files, then override files, both
/// sorted by name.
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
    /// The diagnostics of the files.
    pub diagnostics: Vec<FileDiagnostic>,
    /// The files without blocks because of an error in them.
    pub unread: Vec<Arc<str>>,
    pub(super) files: usize,
    /// The index of the first block with each address.
    addresses: HashMap<Box<str>, usize>,
    /// The index of the block that defines each local value and each setting of `terraform`. The
    /// key is the type of the block and the name of the setting.
    settings: HashMap<(Box<str>, Box<str>), usize>,
    /// The index of the first `locals` block and of the first `terraform` block.
    first: HashMap<Box<str>, usize>,
    /// For each overridden block, by its index: the positions of its parts, by name.
    overridden: HashMap<usize, HashMap<Box<str>, usize>>,
}

/// True for types with several blocks in a module. An override of such a type merges with all of
/// them.
fn has_settings(kind: &str) -> bool {
    matches!(kind, "locals" | "terraform")
}

impl Directory {
    /// Adds a file. Override files must be added last.
    pub(super) fn add(
        &mut self,
        file: &Arc<str>,
        text: &[u8],
        detail: Detail,
        budget: &mut Budget,
    ) -> Result<()> {
        self.files += 1;
        let first = self.blocks.len();
        let found = parse(file, text, detail, budget, &mut self.blocks)?;
        let has_error = found.iter().any(|it| it.diagnostic.severity == Severity::Error);
        if has_error && self.blocks.len() == first {
            self.unread.push(file.clone());
        }
        self.diagnostics.extend(found);
        let name = file.rsplit('/').next().unwrap_or(file);
        if is_override(name) {
            let overrides = self.blocks.split_off(first);
            overrides.into_iter().for_each(|block| self.override_with(block));
        } else {
            (first..self.blocks.len()).for_each(|at| self.index(at));
        }
        Ok(())
    }

    /// Adds a file that cannot be read.
    pub(super) fn add_unreadable(&mut self, file: &Arc<str>, detail: String) {
        self.files += 1;
        self.unread.push(file.clone());
        self.diagnostics.push(whole_file(file, "Failed to read file", detail));
    }

    fn push(&mut self, block: SourceBlock) {
        self.blocks.push(block);
        self.index(self.blocks.len() - 1);
    }

    /// Adds a block to the indexes.
    fn index(&mut self, at: usize) {
        let Some(block) = self.blocks.get(at) else { return };
        if let Some(address) = &block.address {
            self.addresses.entry(address.clone()).or_insert(at);
        }
        if has_settings(&block.kind) {
            self.first.entry(block.kind.clone()).or_insert(at);
            for part in &block.parts {
                let setting = (block.kind.clone(), part.name.clone());
                self.settings.entry(setting).or_insert(at);
            }
        }
    }

    fn override_with(&mut self, mut block: SourceBlock) {
        if has_settings(&block.kind) {
            return self.override_settings(block);
        }
        let base = block.address.as_ref().and_then(|address| self.addresses.get(address)).copied();
        match base {
            Some(at) => {
                if let Some(base) = self.blocks.get_mut(at)
                    && block.module_source.is_some()
                {
                    base.module_source = block.module_source.take();
                }
                if let Some(base) = self.blocks.get_mut(at)
                    && !block.providers.is_empty()
                {
                    base.providers = std::mem::take(&mut block.providers);
                }
                self.replace(at, block.parts, block.definition);
            }
            // The tools reject an override of a resource that no other file defines, and add other
            // blocks.
            None => self.push(block),
        }
    }

    /// Merges a `locals` or `terraform` block of an override file. Each setting replaces the
    /// setting of the same name. `terraform` also accepts new settings. The tools reject local
    /// values that no other file defines.
    fn override_settings(&mut self, mut block: SourceBlock) {
        let mut targets: BTreeMap<usize, Vec<MemberReferences>> = BTreeMap::new();
        let mut left = Vec::new();
        let first = self.first.get("terraform").filter(|_| block.kind.as_ref() == "terraform");
        for part in std::mem::take(&mut block.parts) {
            let base = self.settings.get(&(block.kind.clone(), part.name.clone())).or(first);
            match base {
                Some(at) => targets.entry(*at).or_default().push(part),
                None => left.push(part),
            }
        }
        let is_merged = !targets.is_empty();
        for (at, parts) in targets {
            self.replace(at, parts, block.definition.clone());
        }
        if !is_merged || !left.is_empty() {
            block.references = references_of(&left);
            block.parts = left;
            self.push(block);
        }
    }

    /// Replaces parts of a block with the parts from an override file.
    fn replace(&mut self, at: usize, parts: Vec<MemberReferences>, place: SourceLocation) {
        let Some(base) = self.blocks.get_mut(at) else { return };
        base.overrides.push(place);
        let positions = self.overridden.entry(at).or_insert_with(|| {
            base.parts.iter().zip(0..).map(|(part, at)| (part.name.clone(), at)).collect()
        });
        for part in parts {
            match positions.get(&part.name).and_then(|at| base.parts.get_mut(*at)) {
                Some(replaced) => *replaced = part,
                None => {
                    positions.insert(part.name.clone(), base.parts.len());
                    base.parts.push(part);
                }
            }
        }
    }

    /// Called after the last file. Updates the references of overridden blocks, and drops the data
    /// that only merging needs.
    pub(super) fn finish(&mut self) {
        for at in std::mem::take(&mut self.overridden).into_keys() {
            if let Some(block) = self.blocks.get_mut(at) {
                block.references = references_of(&block.parts);
            }
        }
        (self.settings, self.first) = Default::default();
    }

    /// Returns the first block with this address.
    pub fn find(&self, address: &str) -> Option<&SourceBlock> {
        self.addresses.get(address).and_then(|at| self.blocks.get(*at))
    }
}
