#![doc = include_str!("../README.md")]
//!
//! ```text
//! zip ─▶ archive ─▶ member `tfplan` ──▶ index ─▶ document ─▶ JSON text
//!                   member `tfstate` ─▶ state ─┘
//! state file ─────────────────────────▶ state ─▶ state_file ─▶ JSON text
//! ```
//!
//! The format is private to Terraform and OpenTofu (the tools). Most plan files contain no resource
//! schemas. Without a schema, a number with many digits becomes a string. The file also stores the
//! sensitivity marks of the schema for only one side of a replacement, so a mark on either side
//! marks both. The configuration is left out.

#![forbid(unsafe_code)]

mod action;
mod archive;
mod attributes;
mod change;
mod check;
mod configuration;
mod document;
mod fault;
mod index;
mod invocation;
mod keys;
mod locks;
mod member;
mod message;
mod overlay;
mod own_schemas;
mod packed;
mod path;
mod protobuf;
mod schema_files;
mod schemas;
mod section;
mod state;
mod state_file;
mod tool;
mod tree;
mod walk;

pub use configuration::ConfigurationFiles;
pub use document::Document;
pub use fault::{PlanFileFault, SchemaFileFault};
pub use own_schemas::read_own_schemas;
pub use packed::{write_unknown, write_value};
pub use schema_files::{SchemaFile, SchemaFiles, read_schemas};
pub use state_file::{StateDocument, is_state_file, open_state};
pub use tool::Tool;

use std::sync::Arc;

use archive::{Archive, LOCKS, PLAN, SCHEMAS, STATE};
use index::Index;
use member::Member;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::{Input, InputOptions, Rereadable, Source, Threads};
use plansift_core::limits::{Limit, Limits};
use plansift_cty::schema;
use schemas::Schemas;
use state::{From, State};

/// Converts a plan file or a state file to its JSON text. Returns any other input unchanged.
///
/// # Errors
///
/// Fails like [`open`] and [`open_state`], or if the input cannot be read.
pub fn unpack(mut input: Input, schemas: &SchemaFiles, options: &InputOptions) -> Result<Input> {
    let is_plan_file = is_plan_file(&mut input)?;
    if !is_plan_file && !is_state_file(&mut input)? {
        return Ok(input);
    }
    let file = input.into_rereadable(&options.limits)?;
    if is_plan_file {
        let document = open(&file, schemas, &options.limits)?;
        // While one large piece is in use, a thread would read the next one.
        let threads = if document.has_large_pieces() { Threads::One } else { options.threads };
        let options = InputOptions { threads, ..*options };
        return Input::from_reader(Box::new(document), &options);
    }
    Input::from_reader(Box::new(open_state(&file, &options.limits)?), options)
}

/// The first bytes of a zip archive with a member.
pub const MAGIC: &[u8] = b"PK\x03\x04";

/// Whether a file is a zip archive: a plan file or another archive. An archive inside a gzip or
/// zstd file does not count.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn is_archive(file: &Rereadable) -> Result<bool> {
    let mut head = [0; MAGIC.len()];
    let read = file.read_at(&mut head, 0).map_err(|error| Error::io(ErrorKind::Read, error))?;
    Ok(head[..read] == *MAGIC)
}

/// Whether an unread input is a zip archive: a plan file or another archive.
///
/// # Errors
///
/// Fails if the input cannot be read.
pub fn is_plan_file(input: &mut Input) -> Result<bool> {
    while input.window().len() < MAGIC.len() && input.fill(0)? {}
    Ok(input.window().starts_with(MAGIC))
}

/// Opens a plan file, and returns a reader of its JSON text. Schemas in the file take precedence
/// over `schemas`.
///
/// # Errors
///
/// Fails if the file is not a plan file, is damaged or exceeds a limit, or if its schemas are
/// invalid. The returned reader reports errors inside changes.
pub fn open(file: &Rereadable, schemas: &SchemaFiles, limits: &Limits) -> Result<Document> {
    let archive = Archive::open(file, limits)?;
    let plan = required(&archive, PLAN)?;
    let (mut index, budget) = Index::build(&plan, limits).map_err(|error| error.within(PLAN))?;
    let mut known = Vec::new();
    if let Some(member) = archive.member(SCHEMAS)? {
        index.evidence.schemas();
        let own = own_schemas(&member, limits).map_err(|error| error.within(SCHEMAS))?;
        known.push(Arc::new(own));
    }
    let locks = locks(&archive)?;
    index.evidence.locks(&locks);
    known.extend(schemas.of(&locks)?);
    let state = State::read(required(&archive, STATE)?, From::PlanFile, limits);
    let state = state.map_err(|error| error.within(STATE))?;
    file.check()?;
    Document::new(plan, index, budget, state, Schemas::new(known), limits)
}

/// Returns the name of a plan file's schema file in the folder of [`SchemaFiles`]. Plan files with
/// the same providers in the same versions share the name.
///
/// # Errors
///
/// Fails if the file is not a plan file, or if it is damaged.
pub fn schema_key(file: &Rereadable, limits: &Limits) -> Result<String> {
    let archive = Archive::open(file, limits)?;
    let key = locks::schema_key(&locks(&archive)?);
    file.check()?;
    Ok(key)
}

/// Returns the content of the dependency lock file; empty without the member.
fn locks(archive: &Archive<'_>) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    if let Some(locks) = archive.member(LOCKS)? {
        if locks.len() > LOCKS_MAX {
            return Err(Error::at(PlanFileFault::Locks, LOCKS_MAX).within(LOCKS));
        }
        locks.copy(0..locks.len(), &mut text)?;
    }
    Ok(text)
}

fn own_schemas(member: &Member, limits: &Limits) -> Result<schema::Schemas> {
    if member.len() > limits.change {
        return Err(Error::limit(Limit::Change, limits.change, 0));
    }
    let mut bytes = Vec::new();
    member.copy(0..member.len(), &mut bytes)?;
    read_own_schemas(&bytes)
}

/// Maximum length of the dependency lock file, in bytes. Each provider needs a few kilobytes.
const LOCKS_MAX: u64 = 4 << 20;

fn required(archive: &Archive<'_>, name: &'static str) -> Result<Member> {
    let missing = || Error::new(PlanFileFault::Missing).within(name);
    archive.member(name)?.ok_or_else(missing)
}
