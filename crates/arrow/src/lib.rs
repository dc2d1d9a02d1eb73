#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod builder;
pub mod parquet;
pub mod table;
pub mod tables;
