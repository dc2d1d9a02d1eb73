//! Where the findings of an audit go: one form, one file.

mod csv;
mod ndjson;
mod table;

pub use csv::Csv;
pub use ndjson::Ndjson;
pub use table::Table;
