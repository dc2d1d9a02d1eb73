//! The blocks of a configuration, and the block that each change of a plan comes from.
//!
//! ```text
//! folder ────────┐
//! plan file ─────┴▶ files ─▶ directory ─▶ configuration ─▶ address ─▶ block and its module calls
//!  (tfconfig/)                (merged)     (modules)
//! ```
//!
//! A configuration stores locations and references but no values, so it cannot leak secrets. Files
//! are read one by one. A fault in a file affects only the blocks of that file.

mod configuration;
mod directory;
mod elements;
mod file;
mod files;
pub mod row;

pub use configuration::{Configuration, LocatedBlock, Module};
pub use directory::{Directory, is_configuration};
pub use file::{Detail, FileDiagnostic, SourceBlock, SourceLocation};
pub use files::{Files, Folder, Snapshot, SourceError};
