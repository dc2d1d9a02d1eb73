//! Assertions about plans: statements of a user about what a plan must do.
//!
//! ```text
//! file ─▶ tree with lines ─▶ [`Assertions`] ─┐
//! plan ─▶ pieces ───────────────────────────┴─▶ [`Run`] ─▶ [`Outcome`] of each assertion
//! ```
//!
//! A [`Run`] reads a plan or a state once. It keeps counts, and the first few failures of each
//! assertion. It skips values that no assertion names.
//!
//! The checks in [`plancheck`](crate::plancheck) copy terraform-plugin-testing exactly, with its
//! surprises. Assertions are about plans of any provider, in the words of Terraform: a value in a
//! sensitive value is sensitive, a value in an unknown value is unknown, and an address may be a
//! pattern. An assertion fails if its subject is not decided or not known: a deferred change,
//! changes that the plan does not list, and a path that no value has.

mod bounds;
mod columns;
mod differences;
mod document;
mod facts;
mod failed;
mod init;
mod item;
mod list;
mod matcher;
mod names;
mod network;
mod node;
mod outcome;
mod packs;
mod parse;
mod partial_results;
mod pinned_file;
mod places;
mod read;
mod references;
mod run;
mod sides;
mod subject;
mod transition;
mod triggers;
mod values;
mod verdict;

pub use self::bounds::Bounds;
pub use self::init::Pinned;
pub use self::list::Assertions;
pub use self::matcher::Matcher;
pub use self::node::{FILE_MAX, FileError};
pub use self::outcome::{FINDINGS_MAX, Finding, Outcome, Quote, Quoted};
pub use self::packs::Pack;
pub use self::parse::{parse, parse_one};
pub use self::read::Syntax;
pub use self::run::Run;
pub use self::subject::{
    Action, Assertion, Condition, DocumentSelector, Expectation, PlanState, Reference, Severity,
    Subject, ValueSelector,
};
pub use self::transition::{Growth, Transition};
pub use self::verdict::{Answers, Unmatched};

/// The JSON Schema (draft 2020-12) of a file of assertions, in any syntax.
pub const SCHEMA: &str = include_str!("schema.json");
