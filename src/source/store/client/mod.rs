//! The client of the stores: the only async code, on a thread of its own.
//!
//! ```text
//!  environment ─▶ [`buckets`]  one client for each bucket ─▶ [`wire`]  requests, one try each
//!                     │                                           ▲
//!  address ──▶ [`listing`]  finds plans, in order ────────────────┤  [`patience`]  timeouts,
//!          └─▶ [`download`] an object as chunks ──────────────────┘                retries
//!                     │ a bounded channel
//!                     ▼
//!              a blocking reader, for [`crate::input::Input`]
//! ```
//!
//! **One version.** A download reads the version that was listed, or that of the first response.
//! Every later request names the entity tag of that version, and every response is compared with
//! it. An object that has changed is an error.
//!
//! **Cost.** One thread, and a few MiB of buffered chunks for each open object. Dropping a reader
//! ends its task, and the thread ends with the last [`Stores`].
//!
//! **Trap.** The retries of the client library are disabled everywhere: they do not compare
//! versions, and they count time from the start of a download. Every request goes through
//! [`patience`].

mod buckets;
mod download;
mod keys;
mod listing;
mod patience;
mod runtime;
mod wire;

use crate::source::store::{Found, Object, Patience, Version, address};

pub(in crate::source) use listing::Listing;
pub(in crate::source) use runtime::Asked;
pub use runtime::Stores;
