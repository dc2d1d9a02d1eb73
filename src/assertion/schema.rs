//! The JSON Schema of files of assertions.

/// The JSON Schema (draft 2020-12) of a file of assertions, in any syntax.
pub const SCHEMA: &str = include_str!("schema.json");
