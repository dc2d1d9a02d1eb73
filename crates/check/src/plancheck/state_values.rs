//! Copies the parts of a state that checks name.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{GoStruct, Resource};
use super::decode::{Container, Receiver};
use super::shape::CheckedPart;
use plansift_core::error::{Error, Result};
use plansift_core::json::detached::Detached;
use plansift_core::json::value::Value;
use plansift_core::limits::{Limit, Limits};

/// Collects the resources and outputs that checks name.
pub(super) struct Collected<'c> {
    limits: &'c Limits,
    addresses: BTreeSet<&'c str>,
    names: BTreeSet<&'c str>,
    pub has_values: bool,
    pub has_root_module: bool,
    /// Whether an entry of `resources` is `null`. Go panics at this entry.
    pub has_null_resource: bool,
    /// The first resource with each named address, up to the first `null` entry.
    pub resources: BTreeMap<String, Detached>,
    pub outputs: BTreeMap<String, Detached>,
    size: u64,
}

impl<'c> Collected<'c> {
    pub fn new(
        addresses: BTreeSet<&'c str>,
        names: BTreeSet<&'c str>,
        limits: &'c Limits,
    ) -> Collected<'c> {
        Collected {
            limits,
            addresses,
            names,
            has_values: false,
            has_root_module: false,
            has_null_resource: false,
            resources: BTreeMap::new(),
            outputs: BTreeMap::new(),
            size: 0,
        }
    }

    fn keep(&mut self, value: Value<'_>) -> Result<Detached> {
        self.size += value.raw().len() as u64;
        if self.size > self.limits.change {
            return Err(Error::limit(Limit::Change, self.limits.change, value.offset()));
        }
        Detached::read(value.raw(), *self.limits)
    }
}

impl Receiver for Collected<'_> {
    fn begin(&mut self, part: CheckedPart, container: Container) {
        let is_null = container == Container::Null;
        match part {
            CheckedPart::Values => {
                self.has_values = !is_null;
                self.has_root_module &= !is_null;
            }
            CheckedPart::RootModule => self.has_root_module = !is_null,
            _ => {}
        }
        if part == CheckedPart::Resource
            || is_null && matches!(part, CheckedPart::Values | CheckedPart::RootModule)
        {
            self.resources.clear();
            self.has_null_resource = false;
        }
        if is_null && matches!(part, CheckedPart::Values | CheckedPart::Output) {
            self.outputs.clear();
        }
    }

    fn element(&mut self, part: CheckedPart, name: &str, value: Value<'_>) -> Result<()> {
        match part {
            CheckedPart::Resource if value.is_null() => self.has_null_resource = true,
            CheckedPart::Resource if !self.has_null_resource && !self.addresses.is_empty() => {
                let address = Resource::read(value)?;
                let address = address.map(|resource| resource.address).unwrap_or_default();
                if self.addresses.contains(&*address) && !self.resources.contains_key(&address) {
                    let kept = self.keep(value)?;
                    self.resources.insert(address, kept);
                }
            }
            CheckedPart::Output if self.names.contains(name) => {
                let kept = self.keep(value)?;
                self.outputs.insert(name.to_owned(), kept);
            }
            _ => {}
        }
        Ok(())
    }
}
