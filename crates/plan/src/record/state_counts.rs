//! Counts of the contents of states, such as resources by type, module and provider.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::diff::marked_places;
use crate::plan::ResourceInstance;
use plansift_core::error::Result;
use plansift_core::limits::Limits;
use plansift_core::path::module_address;

/// Maximum number of names that are counted separately. All further names share one count.
pub const GROUPS_MAX: usize = 10_000;

/// The name of the count that further names share.
const OTHERS: &str = "(others)";

/// A property to group resources by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKey {
    /// The type.
    Type,
    /// The address of the module, with instance keys.
    Module,
    /// The provider.
    Provider,
}

impl GroupKey {
    /// All properties.
    pub const ALL: [GroupKey; 3] = [GroupKey::Type, GroupKey::Module, GroupKey::Provider];

    /// Returns the name of the property.
    pub fn word(self) -> &'static str {
        match self {
            GroupKey::Type => "type",
            GroupKey::Module => "module",
            GroupKey::Provider => "provider",
        }
    }
}

/// A group: the resources with the same type, module or provider.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group<'a> {
    /// The property that the group shares: `type`, `module` or `provider`.
    #[cfg_attr(test, schemars(extend("enum" = ["type", "module", "provider"])))]
    pub by: &'static str,
    /// The type, module or provider. Empty for the root module.
    pub name: &'a str,
    /// Number of resources.
    pub resources: u64,
    /// Number of documents that have a resource in this group.
    pub documents: u64,
}

/// Counts of resources, grouped by one property.
///
/// Each document has its own counts, which are added to the total when the document is complete. So
/// an incomplete document does not count.
#[derive(Clone, Debug)]
pub struct Groups {
    by: GroupKey,
    counts: BTreeMap<String, Count>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    resources: u64,
    documents: u64,
}

impl Groups {
    /// Creates empty counts.
    pub fn new(by: GroupKey) -> Groups {
        Groups { by, counts: BTreeMap::new() }
    }

    /// Returns the property that the resources are grouped by.
    pub fn by(&self) -> GroupKey {
        self.by
    }

    /// Counts a resource of the current document.
    pub fn add(&mut self, name: &str) {
        self.count(name).resources += 1;
    }

    /// Adds the counts of a complete document, and empties that document's counts.
    pub fn take(&mut self, document: &mut Groups) {
        for (name, Count { resources, .. }) in std::mem::take(&mut document.counts) {
            let count = self.count(&name);
            count.resources += resources;
            count.documents += 1;
        }
    }

    fn count(&mut self, name: &str) -> &mut Count {
        let is_full = self.counts.len() >= GROUPS_MAX && !self.counts.contains_key(name);
        self.counts.entry(if is_full { OTHERS } else { name }.to_owned()).or_default()
    }

    /// Returns the groups, the largest first.
    pub fn largest_first(&self) -> Vec<Group<'_>> {
        let by = self.by.word();
        let counts = self.counts.iter();
        let mut groups: Vec<Group<'_>> = counts
            .map(|(name, count)| {
                let Count { resources, documents } = *count;
                Group { by, name: name.as_str(), resources, documents }
            })
            .collect();
        // The sort is stable, so groups of equal size stay sorted by name.
        groups.sort_by_key(|group| std::cmp::Reverse(group.resources));
        groups
    }
}

/// Counts of the contents of states.
#[derive(Clone, Debug)]
pub struct StateCounts {
    /// Number of states.
    pub states: u64,
    /// Number of managed resource instances, without deposed objects.
    pub managed: u64,
    /// Number of instances of data sources and ephemeral resources.
    pub others: u64,
    /// Number of deposed objects.
    pub deposed: u64,
    /// Number of tainted objects.
    pub tainted: u64,
    /// Number of resources with a value that is marked sensitive.
    pub sensitive: u64,
    /// Number of outputs.
    pub outputs: u64,
    /// The version of Terraform or OpenTofu in the last state, if that state has one.
    pub terraform_version: Option<String>,
    /// The resources by type, module and provider.
    pub groups: [Groups; 3],
}

impl Default for StateCounts {
    fn default() -> StateCounts {
        StateCounts {
            states: 0,
            managed: 0,
            others: 0,
            deposed: 0,
            tainted: 0,
            sensitive: 0,
            outputs: 0,
            terraform_version: None,
            groups: GroupKey::ALL.map(Groups::new),
        }
    }
}

impl StateCounts {
    /// Counts a resource of one state.
    pub(super) fn add(&mut self, resource: &ResourceInstance<'_>, limits: &Limits) -> Result<()> {
        match (resource.resource.deposed, resource.resource.mode) {
            (Some(_), _) => self.deposed += 1,
            (None, Some(mode)) if !mode.is("managed") => self.others += 1,
            (None, _) => self.managed += 1,
        }
        self.tainted += u64::from(resource.tainted);
        if let Some(overlay) = resource.sensitive_values {
            self.sensitive += u64::from(!marked_places(overlay, limits)?.is_empty());
        }
        let address = resource.address.decode()?;
        for groups in &mut self.groups {
            let text = match groups.by {
                GroupKey::Type => resource.resource.type_name,
                GroupKey::Provider => resource.resource.provider_name,
                GroupKey::Module => {
                    groups.add(module_address(&address));
                    continue;
                }
            };
            groups.add(&text.map(|text| text.decode()).transpose()?.unwrap_or_default());
        }
        Ok(())
    }

    /// Adds the counts of a complete state.
    pub fn take(&mut self, mut state: StateCounts) {
        self.states += 1;
        self.managed += state.managed;
        self.others += state.others;
        self.deposed += state.deposed;
        self.tainted += state.tainted;
        self.sensitive += state.sensitive;
        self.outputs += state.outputs;
        self.terraform_version = state.terraform_version.take();
        let groups = self.groups.iter_mut().zip(&mut state.groups);
        groups.for_each(|(groups, state)| groups.take(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_limit_share_a_count() {
        let mut groups = Groups::new(GroupKey::Type);
        for number in 0..GROUPS_MAX + 5 {
            groups.add(&format!("type_{number}"));
        }
        let listed = groups.largest_first();
        assert_eq!(listed.len(), GROUPS_MAX + 1);
        assert_eq!((listed[0].name, listed[0].resources), (OTHERS, 5));
    }

    #[test]
    fn groups_count_documents_once() {
        let mut groups = Groups::new(GroupKey::Provider);
        for _ in 0..2 {
            let mut document = Groups::new(GroupKey::Provider);
            document.add("p");
            document.add("p");
            groups.take(&mut document);
        }
        let listed = groups.largest_first();
        assert_eq!((listed[0].resources, listed[0].documents), (4, 2));
    }
}
