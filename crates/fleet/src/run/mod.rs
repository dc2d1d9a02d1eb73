//! A run: the loop over the documents of all inputs. Every command that reads the documents of
//! inputs uses it, and so does each job of a batch. Three readers open the archive of a binary plan
//! file without it: `show`, which copies the plan as JSON, and `blocks` and `--source`, which read
//! the configuration.
//!
//! ```text
//!  for each input ─┬─ open it, for one pass or two ─▶ documents      [`DocumentLoop::inputs`]
//!                  │                                     │
//!                  │         for each document: Turn ◀───┘           [`DocumentLoop::documents`]
//!                  │                              │
//!                  │      a plan ─▶ records ─▶ sink, or a handler    [`Consumer`]
//!                  │                              ▲  │
//!                  └─ read ahead: recording ──────┘  │
//!                                                    ▼
//!                        done or failed ─▶ counts, events ─▶ next document
//! ```
//!
//! * [`Consumer`] says what a run makes of its documents: records in a sink, or whatever a
//!   [`Handler`] makes of each [`Turn`]. It also says which passes over an input are needed
//!   ([`Passes`]). [`ValuesReader`], [`ConfigurationReader`] and [`AuditReader`] are handlers that
//!   make records.
//! * [`OpenInput`] opens an input for these passes. [`FirstPass`] collects the secrets of a
//!   document, or indexes its blocks, before the document is read.
//! * [`DocumentLoop::inputs`] visits the inputs in order. Workers read small inputs ahead and
//!   record the results, but only this loop writes to the sink. So the output does not depend on
//!   the number of threads.
//! * [`DocumentLoop::documents`] visits the documents of one input. An error isolates its document:
//!   the loop reports the error, and goes on with the next document. Only an output that fails, a
//!   stop, or a handler ends the run.
//! * [`RunCounts`] counts what the run did; the exit code follows from it. The run prints nothing:
//!   it reports messages to [`Events`], and bytes to [`ReadProgress`].

pub mod assertions;
mod audit;
mod comparing;
mod configuration;
mod counts;
mod inputs;
mod large;
mod opening;
mod plans;
mod recording;
mod source_files;
#[cfg(test)]
mod tests;
mod turn;
mod values;

pub use audit::AuditReader;
pub use comparing::{DocumentObjects, NamedInput, ObjectReader, PairObjects, Reports};
pub use configuration::{ConfigurationReader, ConfigurationRows};
pub use counts::{DocumentOutcome, Events, Remark, RunCounts};
pub use inputs::{Consumer, DocumentLoop};
pub use large::ElementPermit;
pub use opening::{
    FirstPass, KeptInput, OpenInput, Opening, Passes, ReadProgress, RunSource, SecretPass,
};
pub use plans::{AttributeContent, PlanReader};
pub use source_files::SourceFiles;
pub use turn::{Handler, Turn, Visited};
pub use values::ValuesReader;
