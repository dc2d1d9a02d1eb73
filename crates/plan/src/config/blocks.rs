//! An index of a configuration: from the address of a resource instance to its block.
//!
//! For each resource, the index holds a keyed 64-bit digest and two numbers. It holds each key,
//! source and version once. Two resources with the same digest would get the same block, but no
//! configuration of realistic size has such a collision.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use serde::Serialize;

use super::address::{ROOT, module_path};
use super::element::{Element, ElementKind};
use super::names::{NAME_OVERHEAD, Names};
use super::reading;
use crate::plan::Documents;
use plansift_core::budget::Budget;
use plansift_core::error::Result;
use plansift_core::input::Source;
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::ConfigAddress;

/// What the configuration says about a resource instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Block {
    /// The path of the resource in the configuration: `root_module.resources[0]`. Absent if the
    /// configuration does not have the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_address: Option<String>,
    /// The key of the resource's provider configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_config_key: Option<String>,
    /// The alias of the resource's provider configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_alias: Option<String>,
    /// The source of the resource's module. Absent in the root module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module_source: Option<String>,
    /// The version constraint of the resource's module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module_version_constraint: Option<String>,
}

/// The blocks of the resources of a configuration.
#[derive(Debug)]
pub struct Blocks {
    keyed: RandomState,
    resources: HashMap<u64, Resource>,
    calls: HashMap<u64, Call>,
    /// The aliases of the provider configurations, by the number of their key.
    aliases: HashMap<u32, Option<u32>>,
    names: Names,
    budget: Budget,
    /// Whether the document has a configuration.
    pub is_present: bool,
}

/// A resource: its position among the resources of its module, and the number of its provider's
/// key.
#[derive(Clone, Copy, Debug)]
struct Resource {
    position: u32,
    provider: Option<u32>,
}

/// A module call: the numbers of its source and its version constraint.
#[derive(Clone, Copy, Debug)]
struct Call {
    source: Option<u32>,
    version: Option<u32>,
}

/// The string between the path of a module and the position of a resource.
const RESOURCES: &str = ".resources[";

impl Blocks {
    /// Creates an empty index.
    pub fn new(limits: &Limits) -> Blocks {
        Blocks {
            keyed: RandomState::new(),
            resources: HashMap::new(),
            calls: HashMap::new(),
            aliases: HashMap::new(),
            names: Names::default(),
            budget: Budget::new(Limit::Configuration, limits.configuration),
            is_present: false,
        }
    }

    /// Indexes the configuration of the next document. Without a configuration, the index is empty.
    ///
    /// # Errors
    ///
    /// Fails like [`reading::read`].
    ///
    /// # Panics
    ///
    /// Panics if no document is left.
    pub fn read<S: Source>(documents: &mut Documents<S>) -> Result<Blocks> {
        let mut blocks = Blocks::new(&documents.options().limits);
        let read = reading::read(documents, &mut |element, offset| blocks.add(element, offset))?;
        blocks.is_present = read.is_present;
        Ok(blocks)
    }

    /// Adds an element, found at an offset of the document.
    ///
    /// # Errors
    ///
    /// Fails if the index exceeds its limit.
    pub fn add(&mut self, element: &Element, offset: u64) -> Result<()> {
        const SLOT: usize = 2 * (size_of::<u64>() + size_of::<Resource>());
        match element.kind {
            ElementKind::Resource => {
                let Some(place) = &element.names.config_address else { return Ok(()) };
                let Some((module, position)) = place.rsplit_once(RESOURCES) else { return Ok(()) };
                let Ok(position) = position.trim_end_matches(']').parse() else { return Ok(()) };
                let provider = self.name(element.names.provider_config_key.as_deref(), offset)?;
                let digest = self.keyed.hash_one((module, local_address(element)));
                self.budget.take(SLOT, offset)?;
                self.resources.entry(digest).or_insert(Resource { position, provider });
            }
            ElementKind::ModuleCall => {
                let source = self.name(element.source.as_deref(), offset)?;
                let version = self.name(element.version_constraint.as_deref(), offset)?;
                let digest = self.keyed.hash_one(&element.address);
                self.budget.take(SLOT, offset)?;
                self.calls.entry(digest).or_insert(Call { source, version });
            }
            ElementKind::Provider => {
                let key = self.name(element.names.provider_config_key.as_deref(), offset)?;
                let alias = self.name(element.names.alias.as_deref(), offset)?;
                self.aliases.extend(key.map(|key| (key, alias)));
            }
            ElementKind::Output
            | ElementKind::Variable
            | ElementKind::Action
            | ElementKind::Local
            | ElementKind::Check
            | ElementKind::Import => {}
        }
        Ok(())
    }

    fn name(&mut self, text: Option<&str>, offset: u64) -> Result<Option<u32>> {
        let Some(text) = text else { return Ok(None) };
        let (number, is_new) = self.names.insert(text);
        if is_new {
            self.budget.take(NAME_OVERHEAD + text.len(), offset)?;
        }
        Ok(Some(number))
    }

    /// Returns the block of the resource instance with this address. A moved instance has its block
    /// at its new address.
    pub fn block(&self, address: &str) -> Block {
        let local = ConfigAddress::of(address);
        let module = module_path(&local);
        let text = |number: u32| self.names.text(number).to_owned();
        let mut block = Block::default();
        if module != ROOT {
            let digest = self.keyed.hash_one(local.module_address());
            if let Some(call) = self.calls.get(&digest) {
                block.module_source = call.source.map(text);
                block.module_version_constraint = call.version.map(text);
            }
        }
        let digest = self.keyed.hash_one((&*module, &*local.names.join(".")));
        if let Some(resource) = self.resources.get(&digest) {
            block.config_address = Some(format!("{module}{RESOURCES}{}]", resource.position));
            block.provider_config_key = resource.provider.map(text);
            block.provider_alias = resource.provider.and_then(|key| self.alias(key));
        }
        block
    }

    /// Returns the alias of the provider configuration with this key. If the configuration lacks
    /// the provider configuration, the key itself contains the alias: `module.a:aws.west`.
    fn alias(&self, key: u32) -> Option<String> {
        let text = self.names.text(key);
        match self.aliases.get(&key) {
            Some(alias) => alias.map(|alias| self.names.text(alias).to_owned()),
            None => {
                let (_, alias) = text.rsplit(':').next()?.split_once('.')?;
                Some(alias.to_owned())
            }
        }
    }
}

fn local_address(element: &Element) -> &str {
    match element.module() {
        "" => &element.address,
        module => element.address.get(module.len() + 1..).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PlanOptions;
    use plansift_core::input::Slice;

    const PLAN: &str = r#"{"format_version":"1.2","configuration":{
        "provider_config":{"aws.west":{"name":"aws","alias":"west"}},
        "root_module":{
            "resources":[
                {"address":"t.n","mode":"managed","provider_config_key":"aws.west"},
                {"address":"data.t.n","mode":"data","provider_config_key":"aws"}],
            "module_calls":{"m":{"source":"./m","module":{
                "resources":[{"address":"t.n","provider_config_key":"module.m:aws.east"}],
                "module_calls":{"k":{"source":"x/y","module":{"resources":[{"address":"t.n"}]}}}},
                "version_constraint":"1.0.0"}}}}}"#;

    fn blocks(text: &str, limits: Limits) -> Result<Blocks> {
        let options = PlanOptions { limits, ..PlanOptions::default() };
        Blocks::read(&mut Documents::new(Slice(text.as_bytes()), &options))
    }

    #[test]
    fn an_instance_has_the_block_of_its_resource() {
        let blocks = blocks(PLAN, Limits::default()).expect("a plan");
        let of = |address: &str| {
            let block = blocks.block(address);
            let list = [
                block.config_address,
                block.provider_config_key,
                block.provider_alias,
                block.module_source,
                block.module_version_constraint,
            ];
            list.map(Option::unwrap_or_default)
        };
        let m = "root_module.module_calls.m.module";
        let [root, data] = ["root_module.resources[0]", "root_module.resources[1]"];
        let (in_m, in_k) =
            (format!("{m}.resources[0]"), format!("{m}.module_calls.k.module.resources[0]"));
        assert_eq!(of("t.n[0]"), [root, "aws.west", "west", "", ""]);
        assert_eq!(of("data.t.n"), [data, "aws", "", "", ""]);
        assert_eq!(
            of(r#"module.m["a.b]"].t.n"#),
            [&in_m, "module.m:aws.east", "east", "./m", "1.0.0"]
        );
        assert_eq!(of("module.m.module.k[0].t.n"), [&in_k, "", "", "x/y", ""]);
        assert_eq!(of("module.m.t.gone"), ["", "", "", "./m", "1.0.0"]);
        assert_eq!(of("t.gone"), [""; 5]);
    }

    #[test]
    fn the_index_has_a_limit() {
        let limits = Limits { configuration: 1000, ..Limits::default() };
        assert!(blocks(PLAN, limits).is_ok());
        let limits = Limits { configuration: 200, ..Limits::default() };
        assert!(blocks(PLAN, limits).is_err());
    }
}
