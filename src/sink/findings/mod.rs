//! Where the findings of an audit go: one form, one file.

mod csv;
mod ndjson;
mod table;

pub use self::csv::Csv;
pub use ndjson::Ndjson;
pub use table::Table;
