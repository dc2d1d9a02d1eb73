#![doc = include_str!("../README.md")]
// On docs.rs, an item names the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod allocation;
pub mod budget;
pub mod error;
pub mod glob;
pub mod inert;
pub mod input;
pub mod json;
pub mod limits;
pub mod nearest;
pub mod path;
pub mod pool;
pub mod scan;
pub mod text_document;
