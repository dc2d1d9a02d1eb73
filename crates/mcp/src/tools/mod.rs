//! The tools of the server, each in a file of its own.

mod change;
mod changes;
mod check;
mod compare;
mod fleet;
mod summarize;

use crate::tool::{Entry, entry};

/// Returns all tools, in the order of the list that clients get.
pub fn all() -> Vec<Entry> {
    vec![
        entry::<summarize::Summarize>(),
        entry::<changes::Changes>(),
        entry::<change::OneChange>(),
        entry::<check::Check>(),
        entry::<compare::Compare>(),
        entry::<fleet::Fleet>(),
    ]
}
