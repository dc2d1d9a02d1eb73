//! The table of the findings of an audit.

mod table;

pub use self::table::Table;
