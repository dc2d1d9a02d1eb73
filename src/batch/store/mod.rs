//! Object stores and web servers. The only async code, on one thread of its own.
//!
//! ```text
//!  environment ─▶ [`buckets`]  clients, one for each bucket ─▶ [`wire`]  requests, one try each
//!                     │                                           ▲
//!  address ──▶ [`listing`]  what is there, looked at in order ────┤  [`patience`]  waits, tries
//!          └─▶ [`download`] an object as chunks ──────────────────┘                again
//!                     │ a bounded channel
//!                     ▼
//!              a blocking reader, for [`crate::input::Input`]
//! ```
//!
//! **One version.** What is read is what was listed, or what the first answer brought: every later
//! request names its tag, every answer is compared, and an object that changed is an error.
//!
//! **Cost.** A thread, and for each object that is read some chunks under way, a few MiB. Nothing
//! waits for a request when nobody wants its answer any more: a reader that is dropped ends its
//! task, and the thread ends when the last [`Stores`] is gone.
//!
//! **Trap.** The client's own retries are off everywhere: they do not compare, and count time from
//! the beginning of a download. Whatever asks anything goes through [`patience`].

mod address;
#[cfg(feature = "stores")]
mod buckets;
#[cfg(feature = "stores")]
mod download;
#[cfg(feature = "stores")]
mod keys;
#[cfg(feature = "stores")]
mod listing;
#[cfg(feature = "stores")]
mod patience;
#[cfg(feature = "stores")]
mod runtime;
#[cfg(feature = "stores")]
mod wire;
#[cfg(not(feature = "stores"))]
mod without;

use std::fmt;
use std::time::{Duration, SystemTime};

pub use address::Address;
pub(super) use address::{Named, shown};
#[cfg(feature = "stores")]
pub(super) use listing::Listing;
#[cfg(feature = "stores")]
pub use runtime::Stores;
#[cfg(not(feature = "stores"))]
pub(super) use without::Listing;
#[cfg(not(feature = "stores"))]
pub use without::Stores;

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
