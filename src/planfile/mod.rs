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
mod kind;
mod member;
mod message;
mod overlay;
mod packed;
mod path;
mod protobuf;
mod schemas;
mod section;
mod state;
mod state_file;
mod tool;
mod tree;
mod walk;

pub use crate::wire::schema::Schemas as ProviderSchemas;
pub use document::Document;
pub use state_file::{StateDocument, is_state_file, open_state};
pub use tool::Tool;

use crate::error::{Error, ErrorKind, PlanFileFault, Result};
use crate::input::{Input, Options, Rereadable, Source};
use crate::limits::{Limit, Limits};
use archive::{Archive, LOCKS, PLAN, SCHEMAS, STATE};
use document::Members;
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
pub fn unpack(mut input: Input, options: &Options) -> Result<Input> {
    if !is_plan_file(&mut input)? {
        if !is_state_file(&mut input)? {
            return Ok(input);
        }
        let file = input.into_rereadable(&options.limits)?;
        let document = open_state(&file, &options.limits)?;
        return Input::from_reader(Box::new(document), options);
    }
    let file = input.into_rereadable(&options.limits)?;
    let document = open(&file, None, &options.limits)?;
    Input::from_reader(Box::new(document), options)
}

/// The first bytes of a zip archive with a member.
const MAGIC: &[u8] = b"PK\x03\x04";

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
/// Fails if the file is no plan file, if it is damaged, or if it exceeds a limit. The errors of the
/// changes themselves come from the reader.
pub fn open(
    file: &Rereadable,
    schemas: Option<ProviderSchemas>,
    limits: &Limits,
) -> Result<Document> {
    let archive = Archive::open(file, limits)?;
    let plan = required(&archive, PLAN)?;
    let mut index = Index::build(&plan, limits).map_err(|error| error.within(PLAN))?;
    let mut schemas = schemas.unwrap_or_default();
    if let Some(member) = archive.member(SCHEMAS)? {
        index.evidence.schemas();
        let own = read_schemas(&member, limits).map_err(|error| error.within(SCHEMAS))?;
        schemas.providers.extend(own.providers);
    }
    if let Some(locks) = archive.member(LOCKS)? {
        let mut text = Vec::new();
        locks.copy(0..locks.len().min(LOCKS_HEAD), &mut text)?;
        index.evidence.locks(&text);
    }
    let state = State::read(required(&archive, STATE)?, From::PlanFile, limits);
    let state = state.map_err(|error| error.within(STATE))?;
    file.check()?;
    Document::new(Members { plan, index, state }, Schemas::new(schemas), limits)
}

fn read_schemas(member: &Member, limits: &Limits) -> Result<ProviderSchemas> {
    if member.len() > limits.change {
        return Err(Error::limit(Limit::Change, limits.change, 0));
    }
    let mut bytes = Vec::new();
    member.copy(0..member.len(), &mut bytes)?;
    let read = ProviderSchemas::from_plan_file(&bytes);
    read.map_err(|error| {
        let offset = error.offset().unwrap_or_default() as u64;
        protobuf::fault(PlanFileFault::Schemas, offset)
    })
}

/// The bytes of the locks that name the tool.
const LOCKS_HEAD: u64 = 4096;

fn required(archive: &Archive<'_>, name: &'static str) -> Result<Member> {
    let missing = || Error::new(ErrorKind::PlanFile(PlanFileFault::Missing)).within(name);
    archive.member(name)?.ok_or_else(missing)
}
