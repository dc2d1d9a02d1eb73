//! The syntax of configuration files: JSON syntax (`.tf.json`) and native syntax (`.tf`).
//!
//! ```text
//! JSON text ──▶ json ─▶ document ─▶ body ─┐            schema
//! native text ─▶ hcl-edit ─▶ native ──────┴─▶ blocks ◀── terraform
//!                strings ─▶ template ─▶ expression ─▶ references
//! ```
//!
//! The readers contain no block names: [`terraform`] is the table of Terraform's blocks. Ranges,
//! kinds, references and diagnostics match those of HCL 2.24.
//!
//! # Limits
//!
//! hcl-edit parses expressions and native files. It rejects more than 64 nested levels, more than
//! 128 chained operators, and files that are not UTF-8. A native file with a syntax error yields no
//! blocks, and its message is not the message of HCL. JSON files have their own limits:
//! [`json::DEPTH_MAX`], [`json::NODES_MAX`] and [`diagnostic::DIAGNOSTICS_MAX`].

pub mod argument;
pub mod block;
pub mod body;
mod delimit;
pub mod diagnostic;
pub mod expression;
pub mod json;
pub mod native;
pub mod position;
pub mod schema;
pub mod template;
pub mod terraform;
pub mod type_constraint;
