//! Output formats for the elements of a configuration that no other records have.

pub mod drawing;
mod table;

pub use self::table::Table;
