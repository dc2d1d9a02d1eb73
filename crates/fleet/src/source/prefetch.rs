//! Reads names ahead. If a name is an address, its lookup starts at once, so that the lookups of
//! several addresses run in parallel.

use std::collections::VecDeque;
use std::ffi::OsString;

use super::store::{Named, PendingLookup, Stores};
use plansift_core::error::Result;

/// The number of names to read ahead.
const AHEAD: usize = 32;

/// A name. If it is an address, also the pending request to its store.
pub(super) struct PrefetchedName {
    pub name: OsString,
    pub lookup: Option<PendingLookup>,
}

/// A queue of names that were read ahead.
#[derive(Default)]
pub(super) struct Prefetch {
    names: VecDeque<PrefetchedName>,
    /// The end of the names: complete, or with an error. `None` while there may be more names.
    end: Option<Result<()>>,
}

impl Prefetch {
    /// Returns the next name from `names`; `None` at the end. Fails if `names` fails. All names
    /// before the failure are returned first.
    pub fn next(
        &mut self,
        stores: &Stores,
        mut names: impl FnMut() -> Result<Option<OsString>>,
    ) -> Result<Option<PrefetchedName>> {
        while self.names.len() < AHEAD && self.end.is_none() {
            match names() {
                Ok(Some(name)) => {
                    let named = name.to_str().and_then(Named::parse);
                    let lookup = match named {
                        Some(Ok(Named::Object(address))) => Some(stores.look_up(&address)),
                        _ => None,
                    };
                    self.names.push_back(PrefetchedName { name, lookup });
                }
                Ok(None) => self.end = Some(Ok(())),
                Err(error) => self.end = Some(Err(error)),
            }
        }
        match self.names.pop_front() {
            Some(next) => Ok(Some(next)),
            None => self.end.take().unwrap_or(Ok(())).map(|()| None),
        }
    }
}
