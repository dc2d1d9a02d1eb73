//! Many inputs: what the user names becomes a list of plans in an order that can be relied on.
//!
//! ```text
//!  names ──┬─ -            standard input ──────┐
//!          ├─ @list ─────▶ names, a line each ──┤
//!          ├─ glob ──────▶ files and folders ───┼─▶ [`Entries`] ─▶ [`Inputs`], with workspaces
//!          ├─ folder ────▶ its plans ───────────┤
//!          ├─ address ───▶ an object, or some ──┤
//!          └─ file ─────────────────────────────┘
//! ```
//!
//! **Order.** That of the names. The entries of a folder and of a glob come sorted by path,
//! component by component, by the bytes of their names. What is named twice is there twice
//! (a batch does it once).
//!
//! **Named or found.** What is named, by itself, in a list or by a glob, is an input: that it is no
//! plan is its error. What is only found in a folder is looked into, and what is no plan is counted
//! ([`Skipped`]). A folder, glob or list of which no plan comes at all is an error of its own:
//! nothing must look like a plan without changes.
//!
//! **Cost.** A folder is held at a time, of a store all that is below it, and of each input its
//! path, size and time: some 150 bytes. A batch takes some 300 bytes for each input.
//!
//! What comes of them is written to a folder, resumably ([`run`]):
//!
//! ```text
//!  [`Inputs`] ─▶ [`Jobs`] ─▶ [`reading`] on several threads ─▶ [`folder`], [`journal`]
//!  journals, of one run or of all [`Shard`]s ─▶ [`report`]
//! ```

mod ahead;
pub mod documents;
mod entries;
pub mod folder;
mod globs;
mod inputs;
mod jobs;
pub mod journal;
mod key;
mod large;
mod lines;
mod name;
pub mod outcome;
pub mod reading;
mod regular;
pub mod report;
pub mod run;
pub mod script;
mod shard;
mod spread;
mod stop;
#[cfg_attr(not(feature = "stores"), expect(dead_code, reason = "nothing is asked of no stores"))]
mod store;
mod walk;
mod work;
mod workspace;

use entries::Item;
pub use entries::{Entries, Entry, Location, Selection, Skipped, Unlisted, behind_at};
pub use globs::Globs;
pub use inputs::Inputs;
pub use jobs::{Job, Jobs};
pub use lines::{List, Separator};
pub use name::file_name;
pub use shard::Shard;
pub use stop::Stop;
pub use store::{Address, Object, Patience, Stores};
pub use workspace::Rule;

#[cfg(test)]
mod tests;
