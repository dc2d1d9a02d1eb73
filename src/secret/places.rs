//! The places that a document marks, known to its other sections.
//!
//! A change marks paths of a resource. The same paths hold the same secrets where the resource
//! stands again without these marks: in `planned_values`, `prior_state`, `resource_drift` and
//! `deferred_changes`, by its address, and in the configuration, by its type, name and module. The
//! invocation of an action marks paths of its configuration in the same way.
//! Keyed digests of the places are kept, nothing else; nothing is kept where nothing is marked.
//!
//! A path of the configuration has no indexes: a block is an array in one section, and may be an
//! object or an array in another order in the other.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use super::marks::Step;
use super::parts::Owner;
use super::survey::Keyed;
use crate::error::{Error, Result};
use crate::json::value::{Elements, Kind, Members, Text, Value};
use crate::limits::{Limit, Limits};
use crate::secret::decode;

/// The digest of the path that leads to the value itself.
pub(crate) const ROOT: u64 = 0;

/// Makes the digests of places, keyed anew for each document.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceDigests(Keyed);

/// The digests of a marked path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathDigests {
    /// Of the path.
    pub path: u64,
    /// Of the path without its indexes.
    attribute: u64,
}

/// The digests of every step on the path of a walk. The walk digests a step once, however many
/// marked places are below it.
#[derive(Debug, Default)]
pub(super) struct Trail(Vec<PathDigests>);

impl Trail {
    /// Keeps that many steps, because the walk goes on from there by another step.
    pub fn cut(&mut self, depth: usize) {
        self.0.truncate(depth);
    }

    /// The digests of a path. The path begins with the steps that the trail has kept.
    ///
    /// # Errors
    ///
    /// A key is not well formed.
    pub fn at(
        &mut self,
        path: &[Step<'_>],
        by: &PlaceDigests,
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

/// The digests of the resource that marks belong to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnerDigests {
    /// Of the addresses of a change.
    addresses: [Option<u64>; 2],
    /// Of type, name and module.
    resource: Option<u64>,
}

impl PlaceDigests {
    /// The path that goes on from another by a key.
    pub fn key(&self, above: u64, key: &[u8]) -> u64 {
        self.0.hash_one((above, key))
    }

    /// The path that goes on from another by an index.
    fn index(&self, above: u64, index: u32) -> u64 {
        self.0.hash_one((above, index))
    }

    /// The path that goes on from another by a step.
    ///
    /// # Errors
    ///
    /// A key is not well formed.
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

    /// An address.
    ///
    /// # Errors
    ///
    /// It is not well formed.
    pub fn address(&self, address: Text<'_>, decoded: &mut Vec<u8>) -> Result<u64> {
        Ok(self.0.hash_one(decode(address, decoded)?))
    }

    /// A resource or an action of the configuration, or a variable of a module, which has no type.
    pub fn resource(&self, module: &str, type_name: &str, name: &str) -> u64 {
        self.0.hash_one((module, type_name, name))
    }

    /// A resource that marks belong to.
    ///
    /// # Errors
    ///
    /// One of its names is not well formed.
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

/// The marked places of one document.
#[derive(Debug)]
pub struct Places {
    digests: PlaceDigests,
    /// The addresses of changes that mark something, each with the sum of the paths.
    addresses: HashMap<u64, u64, Keyed>,
    /// The first halves of these addresses.
    halves: HashSet<u32, Keyed>,
    /// Paths below addresses.
    paths: HashSet<u64, Keyed>,
    /// Resources that mark something.
    resources: HashSet<u64, Keyed>,
    /// Paths without indexes, below resources.
    attributes: HashSet<u64, Keyed>,
    /// Sensitive variables of modules that are called.
    inputs: HashSet<u64, Keyed>,
    max: u64,
}

impl Places {
    /// None at all.
    pub(crate) fn none() -> Places {
        Places::new(&Limits::default())
    }

    /// None yet.
    pub(super) fn new(limits: &Limits) -> Places {
        Places {
            digests: PlaceDigests::default(),
            addresses: HashMap::default(),
            halves: HashSet::default(),
            paths: HashSet::default(),
            resources: HashSet::default(),
            attributes: HashSet::default(),
            inputs: HashSet::default(),
            max: limits.document_marks,
        }
    }

    /// What makes the digests.
    pub(crate) fn digests(&self) -> &PlaceDigests {
        &self.digests
    }

    /// Takes note of a marked path of a resource that stands at that offset.
    ///
    /// # Errors
    ///
    /// There are too many.
    pub(super) fn insert(
        &mut self,
        owner: OwnerDigests,
        at: PathDigests,
        offset: u64,
    ) -> Result<()> {
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
        self.hold_to_max(offset)
    }

    /// Takes note of a sensitive variable of a module.
    ///
    /// # Errors
    ///
    /// There are too many.
    pub(super) fn insert_input(&mut self, module: &str, name: &str, offset: u64) -> Result<()> {
        self.inputs.insert(self.digests.resource(module, "", name));
        self.hold_to_max(offset)
    }

    fn hold_to_max(&self, offset: u64) -> Result<()> {
        let count = self.paths.len() + self.attributes.len() + self.inputs.len();
        match count as u64 > self.max {
            true => Err(Error::limit(Limit::DocumentMarks, self.max, offset)),
            false => Ok(()),
        }
    }

    /// How many attributes of the configuration are marked by values.
    pub(super) fn attributes(&self) -> usize {
        self.attributes.len()
    }

    /// Whether a variable of a module that is called is sensitive.
    pub(super) fn has_input(&self, module: &str, name: &str) -> bool {
        !self.inputs.is_empty() && self.inputs.contains(&self.digests.resource(module, "", name))
    }

    /// The digest of a resource of the configuration, if values mark something of it.
    pub(super) fn marked_resource(&self, module: &str, type_name: &str, name: &str) -> Option<u64> {
        let resource =
            (!self.resources.is_empty()).then(|| self.digests.resource(module, type_name, name))?;
        self.resources.contains(&resource).then_some(resource)
    }

    /// Whether an attribute of a resource is marked, by a path without indexes.
    pub(super) fn has_attribute(&self, resource: u64, attribute: u64) -> bool {
        self.attributes.contains(&self.digests.both(resource, attribute))
    }

    /// Whether one of these halves of addresses may be that of a change that marks something.
    pub(crate) fn may_have(&self, halves: &[u32]) -> bool {
        !self.halves.is_empty() && halves.iter().any(|half| self.halves.contains(half))
    }

    /// Whether a change with that address marks something. What cannot be read may.
    pub(crate) fn has_address(&self, address: Text<'_>, decoded: &mut Vec<u8>) -> bool {
        !self.addresses.is_empty()
            && self
                .digests
                .address(address, decoded)
                .map_or(true, |digest| self.addresses.contains_key(&digest))
    }

    /// What changes mark of the resource with that address.
    ///
    /// # Errors
    ///
    /// The address is not well formed.
    pub(crate) fn of_address(
        &self,
        address: Text<'_>,
        decoded: &mut Vec<u8>,
    ) -> Result<Option<Elsewhere<'_>>> {
        if self.addresses.is_empty() {
            return Ok(None);
        }
        let address = self.digests.address(address, decoded)?;
        let sum = self.addresses.get(&address);
        Ok(sum.map(|&sum| Elsewhere { places: self, address, sum }))
    }
}

/// What a path adds to the sum of an address; not nothing for the root.
fn summand(path: u64) -> u64 {
    path ^ 0x9e37_79b9_7f4a_7c15
}

/// What changes mark of one resource, for the sections that do not say so themselves.
#[derive(Clone, Copy, Debug)]
pub struct Elsewhere<'p> {
    places: &'p Places,
    address: u64,
    sum: u64,
}

impl Elsewhere<'_> {
    /// What makes the digests.
    pub(super) fn digests(&self) -> &PlaceDigests {
        &self.places.digests
    }

    /// Whether a path is marked.
    pub(super) fn has(&self, path: u64) -> bool {
        self.places.paths.contains(&self.places.digests.both(self.address, path))
    }

    /// Adds up the marks of another overlay.
    pub(super) fn add(&self, sum: &mut u64, path: PathDigests) {
        *sum = sum.wrapping_add(summand(path.path));
    }

    /// Whether marks with that sum are the same.
    pub(super) fn is_sum(&self, sum: u64) -> bool {
        self.sum == sum
    }

    /// Whether a path below a value is marked, the path of the value given.
    ///
    /// # Errors
    ///
    /// The value is not well formed.
    pub(super) fn has_below(
        &self,
        root: Value<'_>,
        path: u64,
        decoded: &mut Vec<u8>,
    ) -> Result<bool> {
        enum Open<'a> {
            Object(Members<'a>),
            Array(Elements<'a>, u32),
        }
        let mut open = Vec::new();
        let mut next = Some((root, path));
        loop {
            if let Some((value, path)) = next.take() {
                match value.kind()? {
                    Kind::Object => open.push((Open::Object(value.members()?), path)),
                    Kind::Array => open.push((Open::Array(value.elements()?, 0), path)),
                    _ => {}
                }
            }
            let Some((inside, above)) = open.last_mut() else { return Ok(false) };
            let digests = self.digests();
            next = match inside {
                Open::Object(members) => match members.next().transpose()? {
                    Some((key, value)) => Some((value, digests.key(*above, decode(key, decoded)?))),
                    None => None,
                },
                Open::Array(elements, index) => elements.next().transpose()?.map(|value| {
                    *index += 1;
                    (value, digests.index(*above, *index - 1))
                }),
            };
            match next {
                Some((_, path)) if self.has(path) => return Ok(true),
                Some(_) => {}
                None => {
                    open.pop();
                }
            }
        }
    }
}
