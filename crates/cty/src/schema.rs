//! Provider schemas: the output of `providers schema -json` of Terraform and OpenTofu.
//!
//! Descriptions and other members that do not affect values are skipped.

use std::collections::BTreeMap;

use super::block::{Attribute, AttributeType, Block, NestedBlock, Nesting};
use super::error::{Error, ErrorKind};
use super::lexer::{Lexer, Token};
use super::types;

/// The deepest nesting of blocks, and of objects in attributes.
pub const DEPTH_MAX: usize = 200;

/// The schemas of providers, by address (`registry.terraform.io/hashicorp/aws`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schemas {
    /// The providers.
    pub providers: BTreeMap<String, Provider>,
}

/// The schemas of a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provider {
    /// The configuration of the provider.
    pub config: Schema,
    /// Managed resource types.
    pub resources: BTreeMap<String, Schema>,
    /// Data sources.
    pub data_sources: BTreeMap<String, Schema>,
    /// Ephemeral resource types.
    pub ephemeral: BTreeMap<String, Schema>,
}

/// The schema of a resource type, or of a provider's configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// The version, which a provider raises when stored values must be upgraded.
    pub version: u64,
    /// The version of the identity schema; `None` for a type without identities.
    pub identity_version: Option<u64>,
    /// The attributes and nested blocks.
    pub block: Block,
}

impl Schemas {
    /// Reads the output of `providers schema -json`. Unknown members are skipped.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON or not such a document, or if a type is invalid.
    pub fn from_json(text: &[u8]) -> Result<Schemas, Error> {
        let mut lexer = Lexer::new(text);
        let mut schemas = None;
        members(&mut lexer, |key, lexer| match key {
            "provider_schemas" => {
                schemas = Some(map(lexer, provider)?);
                Ok(())
            }
            _ => lexer.skip().map(drop),
        })?;
        match (schemas, lexer.byte_after()) {
            (Some(providers), None) => Ok(Schemas { providers }),
            (None, _) => Err(wrong(&lexer)),
            (_, Some(_)) => Err(Error::new(ErrorKind::Trailing, lexer.offset())),
        }
    }
}

fn wrong(lexer: &Lexer<'_>) -> Error {
    Error::new(ErrorKind::Schema, lexer.offset())
}

/// Reads an object, member by member. Null is an object without members.
fn members(
    lexer: &mut Lexer<'_>,
    mut f: impl FnMut(&str, &mut Lexer<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    match lexer.next_token()? {
        Token::BeginObject => {}
        Token::Null => return Ok(()),
        _ => return Err(wrong(lexer)),
    }
    while let Token::Key(key) = lexer.next_token()? {
        f(&key, lexer)?;
    }
    Ok(())
}

/// Reads an object whose members are of one kind.
fn map<T>(
    lexer: &mut Lexer<'_>,
    f: impl Fn(&mut Lexer<'_>) -> Result<T, Error>,
) -> Result<BTreeMap<String, T>, Error> {
    let mut entries = BTreeMap::new();
    members(lexer, |key, lexer| {
        entries.insert(key.to_owned(), f(lexer)?);
        Ok(())
    })?;
    Ok(entries)
}

fn provider(lexer: &mut Lexer<'_>) -> Result<Provider, Error> {
    let mut provider = Provider::default();
    let mut identities = BTreeMap::new();
    members(lexer, |key, lexer| {
        match key {
            "provider" => provider.config = schema(lexer)?,
            "resource_schemas" => provider.resources = map(lexer, schema)?,
            "data_source_schemas" => provider.data_sources = map(lexer, schema)?,
            "ephemeral_resource_schemas" => provider.ephemeral = map(lexer, schema)?,
            "resource_identity_schemas" => identities = map(lexer, schema)?,
            _ => drop(lexer.skip()?),
        }
        Ok(())
    })?;
    for (name, identity) in identities {
        if let Some(schema) = provider.resources.get_mut(&name) {
            schema.identity_version = Some(identity.version);
        }
    }
    Ok(provider)
}

fn schema(lexer: &mut Lexer<'_>) -> Result<Schema, Error> {
    let mut schema = Schema::default();
    members(lexer, |key, lexer| {
        match key {
            "version" => schema.version = count(lexer)?,
            "block" => schema.block = block(lexer, 0)?,
            _ => drop(lexer.skip()?),
        }
        Ok(())
    })?;
    Ok(schema)
}

fn check_depth(lexer: &Lexer<'_>, depth: usize) -> Result<(), Error> {
    if depth > DEPTH_MAX { Err(Error::new(ErrorKind::Depth, lexer.offset())) } else { Ok(()) }
}

fn block(lexer: &mut Lexer<'_>, depth: usize) -> Result<Block, Error> {
    check_depth(lexer, depth)?;
    let mut read = Block::default();
    members(lexer, |key, lexer| {
        match key {
            "attributes" => read.attributes = map(lexer, |lexer| attribute(lexer, depth + 1))?,
            "block_types" => read.blocks = map(lexer, |lexer| nested_block(lexer, depth + 1))?,
            _ => drop(lexer.skip()?),
        }
        Ok(())
    })?;
    Ok(read)
}

fn nested_block(lexer: &mut Lexer<'_>, depth: usize) -> Result<NestedBlock, Error> {
    let mut read = NestedBlock::default();
    members(lexer, |key, lexer| {
        match key {
            "nesting_mode" => read.nesting = nesting(lexer)?,
            "block" => read.block = block(lexer, depth)?,
            "min_items" => read.min_items = count(lexer)?,
            "max_items" => read.max_items = count(lexer)?,
            _ => drop(lexer.skip()?),
        }
        Ok(())
    })?;
    Ok(read)
}

fn attribute(lexer: &mut Lexer<'_>, depth: usize) -> Result<Attribute, Error> {
    check_depth(lexer, depth)?;
    let mut ty = None;
    let mut flags = [false; 5];
    members(lexer, |key, lexer| {
        match key {
            "type" => ty = Some(AttributeType::Plain(types::read(lexer)?)),
            "nested_type" => ty = nested_type(lexer, depth + 1)?.or(ty.take()),
            "required" => flags[0] = flag(lexer)?,
            "optional" => flags[1] = flag(lexer)?,
            "computed" => flags[2] = flag(lexer)?,
            "sensitive" => flags[3] = flag(lexer)?,
            "write_only" => flags[4] = flag(lexer)?,
            _ => drop(lexer.skip()?),
        }
        Ok(())
    })?;
    let ty = ty.ok_or_else(|| wrong(lexer))?;
    let [is_required, is_optional, is_computed, is_sensitive, is_write_only] = flags;
    Ok(Attribute { ty, is_required, is_optional, is_computed, is_sensitive, is_write_only })
}

/// Reads a nested type. Returns `None` for null, or without a nesting mode.
fn nested_type(lexer: &mut Lexer<'_>, depth: usize) -> Result<Option<AttributeType>, Error> {
    let mut mode = None;
    let mut attributes = BTreeMap::new();
    members(lexer, |key, lexer| {
        match key {
            "nesting_mode" => mode = Some(nesting(lexer)?),
            "attributes" => attributes = map(lexer, |lexer| attribute(lexer, depth + 1))?,
            _ => drop(lexer.skip()?),
        }
        Ok(())
    })?;
    Ok(mode.map(|nesting| AttributeType::Nested { nesting, attributes }))
}

fn nesting(lexer: &mut Lexer<'_>) -> Result<Nesting, Error> {
    match lexer.next_token()? {
        Token::String(mode) => {
            let known = Nesting::WORDS.iter().find(|(word, _)| *word == mode);
            Ok(known.map_or(Nesting::Other, |(_, nesting)| *nesting))
        }
        _ => Err(wrong(lexer)),
    }
}

fn flag(lexer: &mut Lexer<'_>) -> Result<bool, Error> {
    match lexer.next_token()? {
        Token::Bool(flag) => Ok(flag),
        Token::Null => Ok(false),
        _ => Err(wrong(lexer)),
    }
}

fn count(lexer: &mut Lexer<'_>) -> Result<u64, Error> {
    match lexer.next_token()? {
        Token::Number(text) => text.parse().map_err(|_| wrong(lexer)),
        Token::Null => Ok(0),
        _ => Err(wrong(lexer)),
    }
}
