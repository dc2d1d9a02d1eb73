//! The blocks of a configuration, and the block that each change of a plan comes from.
//!
//! ```text
//! folder ────────┐
//! plan file ─────┴▶ files ─▶ directory ─▶ configuration ─▶ address ─▶ block and its module calls
//!  (tfconfig/)                (merged)     (modules)
//! ```
//!
//! A configuration keeps places and references but no values, so nothing secret can leave it.
//! Files are read one by one. A file with a fault costs its own blocks only.

mod address;
mod configuration;
mod directory;
mod file;
mod files;
pub mod row;

pub use address::Local;
pub use configuration::{Configuration, Found, Module};
pub use directory::{Directory, is_configuration};
pub use file::{FileDiagnostic, Place, SourceBlock};
pub use files::{Files, Folder, Snapshot, SourceError};
