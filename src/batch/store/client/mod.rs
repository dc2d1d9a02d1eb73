//! The stores' client: the only async code, on one thread of its own.
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
//! **Trap.** The client library's own retries are off everywhere: they do not compare, and count
//! time from the beginning of a download. Whatever asks anything goes through [`patience`].

mod buckets;
mod download;
mod keys;
mod listing;
mod patience;
mod runtime;
mod wire;

use crate::batch::store::{Found, Object, Patience, Version, address};

pub(in crate::batch) use listing::Listing;
pub(in crate::batch) use runtime::Asked;
pub use runtime::Stores;
