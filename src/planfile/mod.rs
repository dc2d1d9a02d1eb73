//! Binary plan files (`plan -out`) and state files (`terraform.tfstate`) as the JSON text that
//! `show -json` prints.
//!
//! ```text
//! zip ─▶ archive ─▶ member `tfplan` ──▶ index ─▶ document ─▶ JSON text
//!                   member `tfstate` ─▶ state ─┘
//! state file ─────────────────────────▶ state ─▶ state_file ─▶ JSON text
//! ```
//!
//! The format is private to the tools. It has no schemas of resources, so a few things cannot be
//! told: a number of many digits is a string, and only one side of a replacement has the marks of
//! the provider's schema. A mark on either side then marks both. The configuration is left out.

mod action;
mod address;
mod archive;
mod attributes;
mod change;
mod check;
mod document;
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

pub use document::Document;
pub use own_schemas::read_own_schemas;
pub use packed::{write_unknown, write_value};
pub use schema_files::{SchemaFile, SchemaFiles, read_schemas};
pub use state_file::{StateDocument, is_state_file, open_state};
pub use tool::Tool;

use std::sync::Arc;

use crate::error::{Error, ErrorKind, PlanFileFault, Result};
use crate::input::{Input, Options, Rereadable, Source};
use crate::limits::{Limit, Limits};
use crate::wire::schema;
use archive::{Archive, CONFIGURATION, LOCKS, PLAN, SCHEMAS, STATE};
use index::Index;
use member::Member;
use schemas::Schemas;
use state::{From, State};

/// Returns an input as it is, or the JSON text of the plan or state if the input is a plan file or
/// a state file.
///
/// # Errors
///
/// As [`open`] and [`open_state`], or the input fails.
pub fn unpack(mut input: Input, schemas: &SchemaFiles, options: &Options) -> Result<Input> {
    let is_plan_file = is_plan_file(&mut input)?;
    if !is_plan_file && !is_state_file(&mut input)? {
        return Ok(input);
    }
    let file = input.into_rereadable(&options.limits)?;
    if is_plan_file {
        return Input::from_reader(Box::new(open(&file, schemas, &options.limits)?), options);
    }
    Input::from_reader(Box::new(open_state(&file, &options.limits)?), options)
}

/// The first bytes of a zip archive with a member.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

/// Whether a file is a plan file, or another zip archive, as it is: a compressed one is not.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn is_archive(file: &Rereadable) -> Result<bool> {
    let mut head = [0; MAGIC.len()];
    let read = file.read_at(&mut head, 0).map_err(|error| Error::io(ErrorKind::Read, error))?;
    Ok(head[..read] == *MAGIC)
}

/// Whether an input that is not read yet is a plan file, or another zip archive.
///
/// # Errors
///
/// The input fails.
pub fn is_plan_file(input: &mut Input) -> Result<bool> {
    while input.window().len() < MAGIC.len() && input.fill(0)? {}
    Ok(input.window().starts_with(MAGIC))
}

/// Opens a plan file, and returns a reader of its JSON text. Schemas that the file has itself count
/// before `schemas`.
///
/// # Errors
///
/// Fails if the file is no plan file, if it is damaged, or if it exceeds a limit, or if its file of
/// schemas is invalid. The errors of the changes themselves come from the reader.
pub fn open(file: &Rereadable, schemas: &SchemaFiles, limits: &Limits) -> Result<Document> {
    let archive = Archive::open(file, limits)?;
    let plan = required(&archive, PLAN)?;
    let built = Index::build(&plan, limits).map_err(|error| error.within(PLAN))?;
    let (mut index, budget) = built;
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
    Document::new(plan, (index, budget), state, Schemas::new(known), limits)
}

/// Returns the name under which a plan file finds its schemas in a folder of [`SchemaFiles`]. Plan
/// files of the same providers in the same versions have the same name.
///
/// # Errors
///
/// Fails if the file is no plan file, or if it is damaged.
pub fn schema_key(file: &Rereadable, limits: &Limits) -> Result<String> {
    let archive = Archive::open(file, limits)?;
    let key = locks::schema_key(&locks(&archive)?);
    file.check()?;
    Ok(key)
}

/// The text of the locks of the providers; empty without the member.
fn locks(archive: &Archive<'_>) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    if let Some(locks) = archive.member(LOCKS)? {
        if locks.len() > LOCKS_MAX {
            return Err(protobuf::fault(PlanFileFault::Locks, LOCKS_MAX).within(LOCKS));
        }
        locks.copy(0..locks.len(), &mut text)?;
    }
    Ok(text)
}

/// The files of the configuration that a plan file keeps, by the paths of their members.
///
/// # Errors
///
/// Fails if the file is no plan file, if it is damaged, or if the configuration is longer than
/// [`Limits::change`].
pub fn configuration(file: &Rereadable, limits: &Limits) -> Result<Vec<(String, Vec<u8>)>> {
    let archive = Archive::open(file, limits)?;
    let members = archive.folder(CONFIGURATION, limits.change)?;
    let files = members.into_iter().map(|(path, member)| {
        let mut text = Vec::new();
        member.copy(0..member.len(), &mut text).map(|()| (path, text))
    });
    files.collect()
}

fn own_schemas(member: &Member, limits: &Limits) -> Result<schema::Schemas> {
    if member.len() > limits.change {
        return Err(Error::limit(Limit::Change, limits.change, 0));
    }
    let mut bytes = Vec::new();
    member.copy(0..member.len(), &mut bytes)?;
    read_own_schemas(&bytes)
}

/// The longest text of the locks, in bytes. Locks have a few kilobytes for each provider.
const LOCKS_MAX: u64 = 4 << 20;

fn required(archive: &Archive<'_>, name: &'static str) -> Result<Member> {
    let missing = || Error::new(ErrorKind::PlanFile(PlanFileFault::Missing)).within(name);
    archive.member(name)?.ok_or_else(missing)
}
