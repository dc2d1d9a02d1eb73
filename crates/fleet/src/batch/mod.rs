//! Batches of many inputs: reads each input in a job of its own, and records the outcomes.
//!
//! A batch writes its results to a folder and can be resumed ([`run`]). The inputs come from
//! [`source`](crate::source), and each job reads its input in a [run](crate::run):
//!
//! ```text
//!  inputs ─▶ [`Jobs`] ─▶ one run a job, on several threads ─▶ [`folder`], [`journal`]
//!  journals, of one run or of all [`Shard`]s ─▶ [`report`]
//!  journal and record files of one run ─▶ [`records`], in the order of workspaces
//! ```

mod fault;
pub mod folder;
mod jobs;
pub mod journal;
mod name;
pub mod outcome;
pub mod records;
mod regular;
pub mod report;
pub mod run;
pub mod settings;
mod shard;
mod work;
mod workers;

pub use fault::FolderFault;
pub use jobs::{Job, Jobs};
pub use name::file_name;
pub use shard::Shard;
