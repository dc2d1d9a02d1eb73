//! The schemas of resource types, where they are known: from the member `tfschemas`, or from the
//! output of `providers schema -json`.
//!
//! A schema says what the bytes do not: which strings are numbers, what an unknown value will be,
//! which attributes are sensitive, and the version of the schema itself.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::size_of;
use std::sync::Arc;

use super::address::{Address, Mode};
use super::attributes::Json;
use super::packed::Packed;
use super::path::{Paths, Step};
use super::walk::{Part, Walk};
use crate::error::{Error, Result};
use crate::json::value::Value;
use crate::limits::{Limit, Limits};
use crate::wire;
use crate::wire::block::{self, Block};
use crate::wire::schema::Schemas as Providers;
use crate::wire::types::Type;

/// The schemas that are known.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    /// Schemas from several places. The first place that has a provider counts.
    sources: Vec<Arc<Providers>>,
    /// The schemas that were asked for and found.
    found: RefCell<HashMap<Key, Arc<Schema>>>,
}

/// A provider, a mode and a type of resources.
type Key = (String, Mode, String);

/// The schema of a resource type.
#[derive(Debug)]
pub(super) struct Schema {
    pub version: u64,
    /// The version of the schema of identities, if the type has them.
    pub identity_version: Option<u64>,
    /// The type of the resource's values.
    pub ty: Type,
    block: Block,
}

impl Schemas {
    /// Schemas of providers, those that count most first.
    pub(super) fn new(sources: Vec<Arc<Providers>>) -> Schemas {
        Schemas { sources, found: RefCell::default() }
    }

    /// The schema of a resource.
    pub(super) fn find(&self, provider: &str, address: &Address<'_>) -> Option<Arc<Schema>> {
        if self.sources.is_empty() {
            return None;
        }
        let key = (provider.to_owned(), address.mode, address.kind.to_owned());
        let mut found = self.found.borrow_mut();
        if let Some(schema) = found.get(&key) {
            return Some(schema.clone());
        }
        let read = || {
            let provider = self.sources.iter().find_map(|known| known.providers.get(provider))?;
            let types = match address.mode {
                Mode::Managed => &provider.resources,
                Mode::Data => &provider.data_sources,
                Mode::Ephemeral => &provider.ephemeral,
            };
            let schema = types.get(address.kind)?;
            let wire::schema::Schema { version, identity_version, block } = schema.clone();
            Some(Arc::new(Schema { version, identity_version, ty: block.implied_type(), block }))
        };
        let schema = read()?;
        found.insert(key, schema.clone());
        Some(schema)
    }
}

impl Schema {
    /// Adds the paths that the schema marks in a MessagePack value. Returns whether the value fits
    /// the schema.
    pub(super) fn mark_packed(
        &self,
        bytes: &[u8],
        marks: &mut Paths<'_>,
        limits: &Limits,
        offset: u64,
    ) -> Result<bool> {
        check_tree(&mut Packed::new(bytes, None, offset), bytes.len(), limits)?;
        match wire::from_msgpack(bytes, &self.ty) {
            Ok(value) => self.mark(&value, marks, limits, offset).map(|()| true),
            Err(_) => Ok(false),
        }
    }

    /// Adds the paths that the schema marks in a JSON value.
    pub(super) fn mark_json(
        &self,
        json: Value<'_>,
        marks: &mut Paths<'_>,
        limits: &Limits,
        offset: u64,
    ) -> Result<()> {
        let text = json.raw();
        check_tree(&mut Json::new(json), text.len(), limits)?;
        match wire::from_json(text, &self.ty) {
            Ok(value) => self.mark(&value, marks, limits, offset),
            Err(_) => Ok(()),
        }
    }

    fn mark(
        &self,
        value: &wire::Value,
        marks: &mut Paths<'_>,
        limits: &Limits,
        offset: u64,
    ) -> Result<()> {
        let steps = limits.paths / size_of::<Step<'_>>() as u64;
        let steps = usize::try_from(steps).unwrap_or(usize::MAX);
        let paths = self.block.sensitive_paths_within(value, steps);
        let paths = paths.ok_or_else(|| Error::limit(Limit::Paths, limits.paths, offset))?;
        for path in paths {
            for step in path {
                let step = match step {
                    block::Step::Attribute(name) => Step::Name(name.into_bytes().into()),
                    block::Step::Key(key) => Step::Key(key.into()),
                    block::Step::Index(index) => {
                        i64::try_from(index).map_or(Step::Element(None), Step::Index)
                    }
                };
                marks.push(step, limits, offset)?;
            }
            marks.end(limits, offset)?;
        }
        Ok(())
    }
}

/// The memory that a part of a value takes in the tree of the value, in bytes, without its text.
const PART: u64 = 192;

/// Checks that the tree of a value, which has `text` bytes of text at most, is within the limit on
/// the size of an element.
fn check_tree<'a>(walk: &mut impl Walk<'a>, text: usize, limits: &Limits) -> Result<()> {
    let (mut depth, mut len) = (0_usize, text as u64);
    loop {
        match walk.next()? {
            Part::Object | Part::Array => depth += 1,
            Part::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        len += PART;
        if len > limits.change {
            return Err(Error::limit(Limit::Change, limits.change, walk.offset()));
        }
        if depth == 0 {
            return Ok(());
        }
    }
}
