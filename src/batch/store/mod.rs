//! Object stores and web servers: what the names of objects mean, and who is asked for them.
//!
//! [`client`] asks, and is all there is of async code; a build without the feature `stores` has
//! another, which says so.

mod address;
#[cfg(feature = "stores")]
mod client;
#[cfg(not(feature = "stores"))]
#[path = "without.rs"]
mod client;

use std::fmt;
use std::time::{Duration, SystemTime};

pub use address::Address;
pub(super) use address::{Named, shown};
pub use client::Stores;
pub(super) use client::{Asked, Listing};

/// How long a store is waited for, and how often it is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How long nothing may come.
    pub timeout: Duration,
    /// How often what failed is asked again before anything more of it has come.
    pub retries: u32,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { timeout: Duration::from_secs(30), retries: 4 }
    }
}

/// What is known of an object before it is read, to read that one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    /// Its size in bytes.
    pub len: Option<u64>,
    /// When it was written.
    pub modified: Option<SystemTime>,
    /// What its store calls this version of it.
    pub etag: Option<String>,
}

/// An object and the stores that have it.
#[derive(Clone)]
pub struct Object {
    /// Where it is.
    pub address: Address,
    pub(super) stores: Stores,
}

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        self.address == other.address
    }
}

impl Eq for Object {}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

/// What an address names.
pub(super) enum Found {
    /// An object.
    Object(Version),
    /// The keys that begin so.
    Folder,
}
