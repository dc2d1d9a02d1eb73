//! The JSON Schema of the entries about a configuration.

/// The schema, as JSON text with a final line feed.
pub const SCHEMA: &str = include_str!("schema.json");
