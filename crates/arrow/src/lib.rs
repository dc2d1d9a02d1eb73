#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod builder;
pub mod fault;
pub mod parquet;
pub mod part;
mod schema;
pub mod table;
pub mod tables;

/// The reader of the files, in the version that wrote them.
pub use ::parquet::arrow::arrow_reader;
/// The arrays of record batches.
pub use arrow_array;

#[cfg(test)]
mod tests;
