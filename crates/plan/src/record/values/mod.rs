//! Reads the contents of a document as records: resources, outputs, variables and checks
//! (docs/format/records.md, section 12).
//!
//! A document becomes one [`Record::Document`](super::Record::Document), then its rows, then one
//! [`Record::RowSummary`](super::Record::RowSummary). A stream without a summary is incomplete.
//! Memory holds one row at a time. The exception is variables: all of them are in memory, because
//! their declarations may follow their values.

mod declarations;
mod mask;
mod options;
mod reader;
mod rows;

pub use mask::MaskValues;
pub use options::{RowKind, Select, SelectedPath, ValuesOptions, ValuesSource};
pub use reader::{ValuesResult, read};
