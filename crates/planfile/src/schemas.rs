//! The known schemas of resource types. They come from the member `tfschemas`, or from the output
//! of `providers schema -json`.
//!
//! A schema supplies facts that an encoded value lacks: which strings are numbers, the shape of an
//! unknown value, the sensitive attributes, and the version of the schema.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::size_of;
use std::sync::Arc;

use super::attributes::Json;
use super::packed::ValueWriter;
use super::path::Paths;
use super::walk::{ValueEvent, Walk};
use plansift_core::error::{Error, Result};
use plansift_core::json::value::Value;
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::{Mode, ResourceAddress};
use plansift_cty as wire;
use plansift_cty::block::Block;
use plansift_cty::path::Step;
use plansift_cty::schema::Schemas as Providers;
use plansift_cty::types::Type;

#[derive(Debug, Default)]
pub(super) struct Schemas {
    /// Schemas from several sources. The first source with a provider takes precedence.
    sources: Vec<Arc<Providers>>,
    /// A cache of the schemas that [`Schemas::find`] returned.
    found: RefCell<HashMap<Key, Arc<Schema>>>,
}

/// The provider, the mode and the type of a resource.
type Key = (String, Mode, String);

#[derive(Debug)]
pub(super) struct Schema {
    pub version: u64,
    /// The version of the identity schema, if the resource type has identities.
    pub identity_version: Option<u64>,
    /// The type of the resource's values.
    pub ty: Type,
    block: Block,
}

impl Schemas {
    /// Combines schemas of providers. Earlier sources take precedence.
    pub(super) fn new(sources: Vec<Arc<Providers>>) -> Schemas {
        Schemas { sources, found: RefCell::default() }
    }

    pub(super) fn find(
        &self,
        provider: &str,
        address: &ResourceAddress<'_>,
    ) -> Option<Arc<Schema>> {
        if self.sources.is_empty() {
            return None;
        }
        let key = (provider.to_owned(), address.mode, address.type_name.to_owned());
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
            let schema = types.get(address.type_name)?;
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
        values: ValueWriter<'_>,
        offset: u64,
    ) -> Result<bool> {
        let limits = values.limits;
        check_tree(&mut values.walk(bytes, None, offset), bytes.len(), limits)?;
        match wire::from_msgpack_with(bytes, &self.ty, values.types) {
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
                marks.push(step, limits, offset)?;
            }
            marks.end(limits, offset)?;
        }
        Ok(())
    }
}

/// The memory of one part of a value in the value tree, in bytes, without the part's string.
const PART: u64 = 192;

/// Checks that the memory of the tree of a value of `text` bytes is within [`Limits::change`].
fn check_tree<'a>(walk: &mut impl Walk<'a>, text: usize, limits: &Limits) -> Result<()> {
    let (mut depth, mut len) = (0_usize, text as u64);
    // Each byte of the value begins at most one part, and ends at most one.
    if len.saturating_mul(2 * PART + 1) <= limits.change {
        return Ok(());
    }
    loop {
        match walk.next()? {
            ValueEvent::Object | ValueEvent::Array => depth += 1,
            ValueEvent::Close => depth = depth.saturating_sub(1),
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
