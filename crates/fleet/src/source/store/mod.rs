//! Object stores and web servers: parses the addresses of objects and reads them.
//!
//! [`client`] sends the requests and contains all async code. A build without the feature `stores`
//! replaces it with a stub that refuses every address.

mod address;
#[cfg(feature = "stores")]
mod client;
#[cfg(not(feature = "stores"))]
#[path = "without.rs"]
mod client;
mod fault;

use std::fmt;
use std::time::{Duration, SystemTime};

pub use address::Address;
pub(super) use address::{Named, shown};
pub use client::Stores;
pub(super) use client::{Listing, PendingLookup};
pub use fault::StoreFault;

/// The timeout of requests to stores, and the number of retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The maximum time to wait for a response or for more data.
    pub timeout: Duration,
    /// The maximum number of consecutive retries without progress.
    pub retries: u32,
}

impl Default for RetryPolicy {
    fn default() -> RetryPolicy {
        RetryPolicy { timeout: Duration::from_secs(30), retries: 4 }
    }
}

/// Identifies a version of an object, so that a read gets the version that was listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    /// The size in bytes, if known.
    pub len: Option<u64>,
    /// The time of the last modification, if known.
    pub modified: Option<SystemTime>,
    /// The entity tag of this version, if known.
    pub etag: Option<String>,
}

/// An object, and the stores to read it from.
#[derive(Clone)]
pub struct Object {
    /// The address of the object.
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

/// The result of looking up an address.
pub(super) enum LookupResult {
    Object(Version),
    /// There is no object with this key. The key may be the common prefix of other keys.
    Folder,
}
