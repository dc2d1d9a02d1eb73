//! Properties that hold for any bytes: one function each, which panics on a violation.
//!
//! A check that needs more than the document (where to cut it, which limits to set) draws that from
//! a hash of the document. So every input is a plain document: seeds need no preparation, and a
//! finding can be opened, minimised and replayed as it is. The exceptions are [`records`],
//! [`configuration`] and [`compare`], which build their own documents, and [`arguments`].
//!
//! This file is part of two crates, the fuzz targets and the tests.

pub mod arguments;
pub mod assertions;
pub mod audit;
pub mod compare;
pub mod configuration;
pub mod cuts;
pub mod decompress;
pub mod digest;
pub mod grammar;
pub mod hcl;
pub mod join;
pub mod kernels;
pub mod native_state;
pub mod paths;
pub mod planfile;
pub mod records;
pub mod redact;
pub mod report;
pub mod skip;
pub mod slim;
pub mod types;
pub mod values;
pub mod wire;

mod document;
mod draw;
mod failure;
mod objects;
mod pieces;
mod rewritten;
mod value;

/// A check of bytes.
pub type Check = fn(&[u8]);

/// All checks, by the name of their target.
pub const ALL: [(&str, Check); 23] = [
    ("kernels", kernels::check),
    ("grammar", grammar::check),
    ("cuts", cuts::check),
    ("skip", skip::check),
    ("records", records::check),
    ("redact", redact::check),
    ("slim", slim::check),
    ("audit", audit::check),
    ("report", report::check),
    ("decompress", decompress::check),
    ("arguments", arguments::check),
    ("planfile", planfile::check),
    ("configuration", configuration::check),
    ("types", types::check),
    ("wire", wire::check),
    ("hcl", hcl::check),
    ("join", join::check),
    ("paths", paths::check),
    ("assertions", assertions::check),
    ("values", values::check),
    ("native_state", native_state::check),
    ("compare", compare::check),
    ("digest", digest::check),
];
