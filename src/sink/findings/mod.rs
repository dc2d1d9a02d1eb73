//! Output formats for the findings of an audit, one file for each format.

mod csv;
mod ndjson;
mod table;

pub use self::csv::Csv;
pub use ndjson::Ndjson;
pub use table::Table;
