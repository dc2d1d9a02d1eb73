//! The client of the stores. It contains all async code, which runs on a separate thread.
//!
//! ```text
//!  environment ─▶ [`buckets`]  one client for each bucket ─▶ [`wire`]  requests, one try each
//!                     │                                           ▲
//!  address ──▶ [`listing`]  finds plans, in order ────────────────┤  [`retry`]  timeouts,
//!          └─▶ [`download`] an object as chunks ──────────────────┘                retries
//!                     │ a bounded channel
//!                     ▼
//!              a blocking reader, for [`plansift_core::input::Input`]
//! ```
//!
//! **One version.** A download reads the version that was listed, or else the version in the first
//! response. Every later request contains the entity tag of that version, unless the tag is weak.
//! Every response is compared with that version. A download fails if the object has changed.
//!
//! **Cost.** The client uses one thread, and a few MiB of buffered chunks for each open object.
//! Dropping a reader ends its task. Dropping the last [`Stores`] ends the thread.
//!
//! **Trap.** The retries of the client library must stay disabled. They do not compare versions,
//! and their time limit counts from the start of a download. Every request goes through
//! [`retry`] instead.

mod buckets;
mod download;
mod keys;
mod listing;
mod retry;
mod runtime;
mod wire;

use crate::source::store::{LookupResult, Object, RetryPolicy, Version, address};

pub(in crate::source) use listing::Listing;
pub(in crate::source) use runtime::PendingLookup;
pub use runtime::Stores;
