//! The JSON Schemas of the records, one for each family of commands.
//!
//! Each text ends with a line feed. The tests derive the texts from the structs and their doc
//! comments, and compare them with these files. `UPDATE=1` writes the files.

/// The records of changes: `plansift changes` and `plansift batch`.
pub const CHANGES: &str = include_str!("schemas/changes.json");
/// The records of the contents of documents: `plansift resources`, `outputs`, `variables` and
/// `checks`.
pub const CONTENTS: &str = include_str!("schemas/contents.json");
/// The records of `plansift config`.
pub const CONFIGURATION: &str = include_str!("schemas/configuration.json");
/// The records of `plansift audit`, and of the report of `plansift redact`.
pub const AUDIT: &str = include_str!("schemas/audit.json");
/// The records of `plansift assert`.
pub const ASSERTIONS: &str = include_str!("schemas/assertions.json");
/// The records of the report of a batch.
pub const BATCH: &str = include_str!("schemas/batch.json");
/// The records of `plansift compare`.
pub const COMPARISON: &str = include_str!("schemas/comparison.json");
/// The document of `plansift report --output json`.
pub const REPORT: &str = include_str!("schemas/report.json");
/// The document of `plansift summary --format json`.
pub const SUMMARY: &str = include_str!("schemas/summary.json");

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(super) use tests::PathList;
