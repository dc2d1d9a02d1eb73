//! The stub of the client for builds without the feature `stores`. Every address is an error.

use std::io::Read;

use super::address::Address;
use super::fault::StoreFault;
use super::{LookupResult, RetryPolicy, Version};
use crate::source::{Globs, Item, Skipped};
use plansift_core::error::{Error, Result};
use plansift_core::limits::Limits;

/// Refuses every request.
#[derive(Clone, Debug, Default)]
pub struct Stores;

impl Stores {
    /// Creates the stub. Ignores its arguments.
    pub fn new(_: RetryPolicy, _: &Limits) -> Stores {
        Stores
    }

    /// Does nothing: the stub has no connections.
    pub fn close(&self) {}

    pub(in crate::source) fn look_up(&self, _: &Address) -> PendingLookup {
        PendingLookup
    }

    pub(in crate::source) fn read(&self, _: &Address, _: Version) -> Result<Box<dyn Read + Send>> {
        Err(Error::new(StoreFault::Unsupported))
    }
}

/// A request that always fails.
pub(in crate::source) struct PendingLookup;

impl PendingLookup {
    pub(in crate::source) fn wait(self) -> Result<LookupResult> {
        Err(Error::new(StoreFault::Unsupported))
    }
}

/// A listing. This type has no values.
pub(in crate::source) enum Listing {}

impl Listing {
    pub(in crate::source) fn of_folder(_: &Stores, _: &Address) -> Result<Listing> {
        Err(Error::new(StoreFault::Unsupported))
    }

    pub(in crate::source) fn of_glob(_: &Stores, _: &Address) -> Result<Listing> {
        Err(Error::new(StoreFault::Unsupported))
    }

    pub(in crate::source) fn next(&mut self, _: &Globs, _: &mut Skipped) -> Option<Item> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use crate::source::{Inputs, Rule, Selection, StoreFault};

    #[test]
    fn addresses_are_unsupported_without_the_stores_feature() {
        for name in ["s3://plans/a.json", "gs://plans/", "az://plans/*", "https://host/a.json"] {
            let selection = Selection { names: vec![name.into()], ..Selection::default() };
            let inputs = Inputs::list(&selection, Rule::default());
            let [Err(unlisted)] = inputs.entries.as_slice() else { panic!("{name}") };
            assert_eq!(unlisted.source, name);
            assert_eq!(unlisted.error.fault(), Some(&StoreFault::Unsupported));
        }
    }
}
