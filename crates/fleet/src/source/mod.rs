//! Sources of plans: turns names into a list of inputs in a stable order, and opens the inputs.
//!
//! ```text
//!  names ──┬─ -            standard input ──────┐
//!          ├─ @list ─────▶ one name per line ───┤
//!          ├─ glob ──────▶ files and folders ───┼─▶ [`InputEntries`] ─▶ [`Inputs`] with workspaces
//!          ├─ folder ────▶ its plans ───────────┤
//!          ├─ address ───▶ one or more objects ─┤
//!          └─ file ─────────────────────────────┘
//! ```
//!
//! **Order.** Inputs follow the order of the names. The entries of a folder and the matches of a
//! glob are sorted by path, component by component, by the bytes of their names. [`InputEntries`]
//! repeats an input that is named twice; [`Inputs`] lists it once.
//!
//! **Named or found.** A path that an argument, a list or a glob names must be a plan. A file that
//! is only found in a folder is examined first. If it is not a plan, it is skipped and counted
//! ([`Skipped`]). A folder, glob or list that yields no plan is an error, because an empty result
//! must not look like a plan without changes.
//!
//! **Cost.** The listing holds one local folder at a time, or all objects below an address. Each
//! input takes about 150 bytes for its path, size and time, and about 300 bytes in a batch.

mod expansion;
mod fault;
mod globs;
mod input_entries;
mod input_entry;
mod inputs;
mod key;
mod lines;
mod prefetch;
mod rereadable_input;
mod stop;
#[cfg_attr(not(feature = "stores"), expect(dead_code, reason = "only the client uses them"))]
mod store;
mod walk;
mod workspace;

pub use fault::SourceFault;
pub use globs::Globs;
pub use input_entries::{InputEntries, Selection};
use input_entry::Item;
pub use input_entry::{InputEntry, Location, Memory, Skipped, Unlisted};
pub use inputs::Inputs;
pub(crate) use key::Key;
pub use lines::{List, Separator};
pub use rereadable_input::RereadableInput;
pub use stop::Stop;
pub use store::{Address, Object, RetryPolicy, StoreFault, Stores};
pub use workspace::Rule;

#[cfg(test)]
mod tests;
