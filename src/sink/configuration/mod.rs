//! Output formats for the elements of a configuration, one file for each kind of format.

mod csv;
pub mod drawing;
mod json;
mod table;

pub use self::csv::Csv;
pub use self::json::{Json, Ndjson};
pub use self::table::Table;
use crate::config::Entry;
use crate::error::Result;

/// Receives the entries about the configurations of a run.
pub trait Listing {
    /// Writes an entry.
    ///
    /// # Errors
    ///
    /// Fails if the entry cannot be written.
    fn entry(&mut self, entry: &Entry<'_>) -> Result<()>;

    /// Called after the last document.
    ///
    /// # Errors
    ///
    /// Fails if something cannot be written.
    fn finish(&mut self) -> Result<()>;
}
