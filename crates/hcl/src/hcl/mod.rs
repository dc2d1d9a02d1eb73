//! The syntax of configuration files: JSON syntax (`.tf.json`) and native syntax (`.tf`).
//!
//! ```text
//! JSON text ──▶ json ─▶ document ─▶ body ─────────────┐            schema
//! native text ─▶ scan ─┬▶ one block ─▶ hcl-edit ─▶ native ┴─▶ blocks ◀── terraform
//!                      └▶ locate ──────────────────────┘
//!                strings ─▶ template ─▶ expression ─▶ references
//! ```
//!
//! The readers contain no block names: [`terraform`] is the table of Terraform's blocks. Ranges,
//! kinds, references and diagnostics match those of HCL 2.24.
//!
//! # Limits
//!
//! A reader keeps the tree of one block at a time, and takes its memory from a budget. hcl-edit
//! parses expressions and the blocks of native files. It rejects more than 64 nested levels, more
//! than 128 chained operators, and files that are not UTF-8. A native file with a syntax error
//! yields no blocks, and its message is not the message of HCL. Other limits are
//! [`expression::KEYS_MAX`], [`json::DEPTH_MAX`] and [`diagnostic::DIAGNOSTICS_MAX`].

pub mod argument;
pub mod block;
pub mod body;
pub mod diagnostic;
pub mod expression;
pub mod json;
pub(crate) mod locate;
pub mod native;
pub mod position;
pub(crate) mod scan;
pub mod schema;
pub mod template;
pub mod terraform;
pub mod type_constraint;

use diagnostic::Diagnostics;

use plansift_core::budget::Budget;

/// What the reader of a file counts: memory and faults.
#[derive(Debug)]
pub(crate) struct Tally<'a> {
    /// The memory that the blocks and trees take.
    pub budget: &'a mut Budget,
    /// The faults of the file.
    pub diagnostics: &'a mut Diagnostics,
}
