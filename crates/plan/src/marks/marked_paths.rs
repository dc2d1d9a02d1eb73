//! Stores the marked paths of a document, so that the same paths in other sections count as
//! marked, too.
//!
//! A change marks paths of a resource. Other sections contain the same resource without these
//! marks, and the same paths contain the same secrets there. `planned_values`, `prior_state`,
//! `resource_drift` and `deferred_changes` are matched by address. The configuration is matched by
//! type, name and module. Likewise, the invocation of an action marks paths of the action's
//! configuration.
//!
//! Only keyed digests of marked paths are stored.
//!
//! Paths in the configuration are matched without indexes. A block that is an array in one section
//! may be an object, or an array in a different order, in the other section.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use foldhash::quality::RandomState;

use super::parts::Owner;
use plansift_core::error::{Error, Result};
use plansift_core::json::value::decode;
use plansift_core::json::value::{Step, Text, Value, WalkEvent};
use plansift_core::limits::{Limit, Limits};
use plansift_core::path;

/// A hash with a random key per document.
pub type Keyed = RandomState;

/// The digest of the empty path.
pub const ROOT: u64 = 0;

/// Computes the digests of paths, with a random key per document.
#[derive(Clone, Debug, Default)]
pub struct PathDigester(Keyed);

/// The digests of a path, with and without its indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathDigests {
    /// The digest of the path.
    pub path: u64,
    /// Digest of the path without its indexes.
    attribute: u64,
}

/// The digests of the steps on the path of a walk. A step is digested once, however many marked
/// paths lie below it.
#[derive(Debug, Default)]
pub(crate) struct PathDigestStack(Vec<PathDigests>);

impl PathDigestStack {
    /// Keeps the first `depth` steps, because the walk continues with a different step.
    pub fn cut(&mut self, depth: usize) {
        self.0.truncate(depth);
    }

    /// The digests of a path. The path must begin with the steps that the trail has kept.
    pub fn at(
        &mut self,
        path: &[Step<'_>],
        by: &PathDigester,
        decoded: &mut Vec<u8>,
    ) -> Result<PathDigests> {
        self.cut(path.len());
        let mut here =
            self.0.last().copied().unwrap_or(PathDigests { path: ROOT, attribute: ROOT });
        for step in &path[self.0.len()..] {
            here = by.below(here, step, decoded)?;
            self.0.push(here);
        }
        Ok(here)
    }
}

/// The digests of the resource or action that owns marks.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnerDigests {
    /// Digests of the current and previous address of a change.
    addresses: [Option<u64>; 2],
    /// Digest of type, name and module.
    resource: Option<u64>,
}

impl PathDigester {
    /// The digest of a path extended by a key.
    pub fn key(&self, above: u64, key: &[u8]) -> u64 {
        self.0.hash_one((above, key))
    }

    /// The digest of a path extended by an index.
    fn index(&self, above: u64, index: u32) -> u64 {
        self.0.hash_one((above, index))
    }

    /// The digests of a path extended by a step.
    fn below(
        &self,
        above: PathDigests,
        step: &Step<'_>,
        decoded: &mut Vec<u8>,
    ) -> Result<PathDigests> {
        let PathDigests { path, attribute } = above;
        Ok(match step {
            Step::Index(index) => PathDigests { path: self.index(path, *index), attribute },
            Step::Key(key) => {
                let key = decode(*key, decoded)?;
                let below = self.key(path, key);
                // Both digests are equal up to the first index.
                let attribute = if attribute == path { below } else { self.key(attribute, key) };
                PathDigests { path: below, attribute }
            }
        })
    }

    /// Returns the digest of an address. `decoded` is a buffer.
    pub fn address(&self, address: Text<'_>, decoded: &mut Vec<u8>) -> Result<u64> {
        Ok(self.0.hash_one(decode(address, decoded)?))
    }

    /// The digest of a resource or action of the configuration, or of a variable of a module. A
    /// variable has an empty type name.
    pub fn resource(&self, module: &str, type_name: &str, name: &str) -> u64 {
        self.0.hash_one((module, type_name, name))
    }

    /// Returns the digests of an owner's addresses. `decoded` is a buffer.
    pub fn owner(&self, owner: &Owner<'_>, decoded: &mut Vec<u8>) -> Result<OwnerDigests> {
        let mut digests = OwnerDigests::default();
        if owner.is_change() {
            for (digest, address) in
                digests.addresses.iter_mut().zip([owner.address, owner.previous_address])
            {
                *digest = address.map(|address| self.address(address, decoded)).transpose()?;
            }
        }
        digests.resource = owner
            .resource()?
            .map(|found| self.resource(&found.module, &found.type_name, &found.name));
        Ok(digests)
    }

    fn both(&self, owner: u64, path: u64) -> u64 {
        self.0.hash_one((owner, path))
    }
}

/// The paths that a document marks as sensitive, as digests.
#[derive(Debug)]
pub struct MarkedPaths {
    digests: PathDigester,
    /// The addresses of changes with marks, each with a checksum of its marked paths.
    addresses: HashMap<u64, u64, Keyed>,
    /// The lower halves of these digests of addresses.
    halves: HashSet<u32, Keyed>,
    /// Digests of marked paths, each combined with its address.
    paths: HashSet<u64, Keyed>,
    resources: HashSet<u64, Keyed>,
    /// Digests of marked paths without indexes, each combined with its resource.
    attributes: HashSet<u64, Keyed>,
    /// Sensitive variables of called modules.
    inputs: HashSet<u64, Keyed>,
    max: u64,
}

impl MarkedPaths {
    /// Creates an empty set.
    pub fn new(limits: &Limits) -> MarkedPaths {
        MarkedPaths {
            digests: PathDigester::default(),
            addresses: HashMap::default(),
            halves: HashSet::default(),
            paths: HashSet::default(),
            resources: HashSet::default(),
            attributes: HashSet::default(),
            inputs: HashSet::default(),
            max: limits.document_marks,
        }
    }

    /// Computes the digests for this document.
    pub fn digests(&self) -> &PathDigester {
        &self.digests
    }

    /// Records a marked path of a resource, found at `offset`. Fails if there are too many marked
    /// paths.
    pub fn insert(&mut self, owner: OwnerDigests, at: PathDigests, offset: u64) -> Result<()> {
        for address in owner.addresses.into_iter().flatten() {
            if self.paths.insert(self.digests.both(address, at.path)) {
                let sum = self.addresses.entry(address).or_default();
                *sum = sum.wrapping_add(summand(at.path));
                self.halves.insert(address as u32);
            }
        }
        if let Some(resource) = owner.resource {
            self.resources.insert(resource);
            self.attributes.insert(self.digests.both(resource, at.attribute));
        }
        self.check_limit(offset)
    }

    /// Records a sensitive variable of a module, found at `offset`. Fails if there are too many
    /// marked paths.
    pub fn insert_input(&mut self, module: &str, name: &str, offset: u64) -> Result<()> {
        self.inputs.insert(self.digests.resource(module, "", name));
        self.check_limit(offset)
    }

    fn check_limit(&self, offset: u64) -> Result<()> {
        let count = self.paths.len() + self.attributes.len() + self.inputs.len();
        match count as u64 > self.max {
            true => Err(Error::limit(Limit::DocumentMarks, self.max, offset)),
            false => Ok(()),
        }
    }

    /// Number of configuration attributes that values mark.
    pub fn attributes(&self) -> usize {
        self.attributes.len()
    }

    /// Whether a variable of a called module is sensitive.
    pub fn has_input(&self, module: &str, name: &str) -> bool {
        !self.inputs.is_empty() && self.inputs.contains(&self.digests.resource(module, "", name))
    }

    /// The digest of a resource of the configuration, if values mark an attribute of it.
    pub fn marked_resource(&self, module: &str, type_name: &str, name: &str) -> Option<u64> {
        let resource =
            (!self.resources.is_empty()).then(|| self.digests.resource(module, type_name, name))?;
        self.resources.contains(&resource).then_some(resource)
    }

    /// Whether an attribute of a resource is marked. `attribute` is the digest of a path without
    /// indexes.
    pub fn has_attribute(&self, resource: u64, attribute: u64) -> bool {
        self.attributes.contains(&self.digests.both(resource, attribute))
    }

    /// Whether a change with marks may have an address with one of these digest halves.
    pub fn may_have(&self, halves: &[u32]) -> bool {
        !self.halves.is_empty() && halves.iter().any(|half| self.halves.contains(half))
    }

    /// The marks of changes on the resource with this address.
    pub fn of_address(
        &self,
        address: Text<'_>,
        decoded: &mut Vec<u8>,
    ) -> Result<Option<MarksElsewhere<'_>>> {
        if self.addresses.is_empty() {
            return Ok(None);
        }
        let address = self.digests.address(address, decoded)?;
        Ok(self.of_digest(address))
    }

    fn of_digest(&self, address: u64) -> Option<MarksElsewhere<'_>> {
        let sum = self.addresses.get(&address);
        sum.map(|&sum| MarksElsewhere { marked_paths: self, address, sum })
    }

    /// The number of steps to the outermost place on a path that the changes of an address mark;
    /// `None` if they mark no place on the path. A step to an element of a set counts as marked,
    /// because any element may be the marked one.
    pub fn marked_depth<'s>(
        &self,
        address: &str,
        steps: impl IntoIterator<Item = path::Step<'s>>,
    ) -> Option<usize> {
        let marks = self.of_digest(self.digests.0.hash_one(address.as_bytes()))?;
        if marks.has(ROOT) {
            return Some(0);
        }
        let mut path = ROOT;
        let is_marked = |step| {
            path = match step {
                path::Step::Key(key) => self.digests.key(path, key.as_bytes()),
                path::Step::Index(index) => self.digests.index(path, index),
                path::Step::Element => return true,
            };
            marks.has(path)
        };
        steps.into_iter().position(is_marked).map(|place| place + 1)
    }
}

/// A path's contribution to the checksum of an address. The contribution of the root is not zero,
/// although the digest of the root is.
fn summand(path: u64) -> u64 {
    path ^ 0x9e37_79b9_7f4a_7c15
}

/// The marks of changes on one resource, for sections that lack them.
#[derive(Clone, Copy, Debug)]
pub struct MarksElsewhere<'p> {
    marked_paths: &'p MarkedPaths,
    address: u64,
    sum: u64,
}

impl MarksElsewhere<'_> {
    /// Computes the digests for this document.
    pub(crate) fn digests(&self) -> &PathDigester {
        &self.marked_paths.digests
    }

    pub(crate) fn has(&self, path: u64) -> bool {
        self.marked_paths.paths.contains(&self.marked_paths.digests.both(self.address, path))
    }

    pub(crate) fn add(&self, sum: &mut u64, path: PathDigests) {
        *sum = sum.wrapping_add(summand(path.path));
    }

    /// Whether `sum` is the checksum of these marks.
    pub(crate) fn is_sum(&self, sum: u64) -> bool {
        self.sum == sum
    }

    /// Whether a path below a value is marked. `path` is the path of the value itself.
    pub(crate) fn has_below(
        &self,
        root: Value<'_>,
        path: u64,
        decoded: &mut Vec<u8>,
    ) -> Result<bool> {
        let digests = self.digests();
        // The path of each entered container, outermost first.
        let (mut around, mut path) = (Vec::new(), path);
        for event in root.walk() {
            let above = *around.last().unwrap_or(&path);
            path = match event? {
                WalkEvent::Key(key) => digests.key(above, decode(key, decoded)?),
                WalkEvent::Index(index) => digests.index(above, index),
                WalkEvent::Open(..) => {
                    around.push(path);
                    continue;
                }
                WalkEvent::Close(_) => {
                    around.pop();
                    continue;
                }
                WalkEvent::Leaf(..) => continue,
            };
            if self.has(path) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests;
