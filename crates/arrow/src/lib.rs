#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod builder;
pub mod parquet;
mod schema;
pub mod table;
pub mod tables;

#[cfg(test)]
mod tests;
