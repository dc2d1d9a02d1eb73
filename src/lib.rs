//! Reads Terraform and OpenTofu plans of any size in one pass.

pub mod cli;
pub mod diff;
pub mod error;
pub mod input;
pub mod json;
pub mod limits;
pub mod path;
pub mod plan;
pub mod record;
pub mod scan;
pub mod sink;
