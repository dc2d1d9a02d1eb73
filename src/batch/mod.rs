//! Batches of many inputs: reads the plans of each input, and records the outcomes.
//!
//! A batch writes its results to a folder and can be resumed ([`run`]). The inputs come from
//! [`source`](crate::source):
//!
//! ```text
//!  inputs ─▶ [`Jobs`] ─▶ [`reading`] on several threads ─▶ [`folder`], [`journal`]
//!  journals, of one run or of all [`Shard`]s ─▶ [`report`]
//! ```

pub mod buffered_records;
pub mod documents;
pub mod folder;
mod jobs;
pub mod journal;
mod large;
mod name;
pub mod outcome;
pub mod plan_assertions;
pub mod reading;
mod regular;
pub mod report;
pub mod run;
pub mod settings;
mod shard;
mod work;
mod workers;

pub use jobs::{Job, Jobs};
pub use name::file_name;
pub use shard::Shard;
