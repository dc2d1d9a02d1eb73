//! The part of JSON Schema that the schemas of the records use.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;

/// A schema, or a part of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Node {
    #[serde(rename = "$defs")]
    definitions: BTreeMap<String, Node>,
    #[serde(rename = "$ref")]
    reference: Option<String>,
    #[serde(rename = "anyOf")]
    variants: Vec<Node>,
    properties: Properties,
    items: Option<Box<Node>>,
    #[serde(rename = "type")]
    types: Value,
    #[serde(rename = "enum")]
    words: Vec<Value>,
    /// The only value; null if there is none.
    #[serde(rename = "const")]
    pub constant: Value,
}

/// The members of an object, in the order of the schema.
#[derive(Debug, Default)]
struct Properties(Vec<(String, Node)>);

impl Node {
    /// Reads one of the schemas of the records. A test reads all of them.
    pub fn parse(text: &str) -> Node {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The definition with this name.
    pub fn definition(&self, name: &str) -> Option<&Node> {
        self.definitions.get(name)
    }

    /// Follows the reference of a part of this schema. Without a reference, returns the part.
    pub fn resolve<'n>(&'n self, part: &'n Node) -> &'n Node {
        let name = part.reference.as_deref().and_then(|path| path.strip_prefix("#/$defs/"));
        name.and_then(|name| self.definition(name)).unwrap_or(part)
    }

    /// The alternatives, or this node if there is only one.
    pub fn variants(&self) -> impl Iterator<Item = &Node> {
        let single = self.variants.is_empty().then_some(self);
        self.variants.iter().chain(single)
    }

    /// The members of an object, in the order of the schema.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.properties.0.iter().map(|(name, node)| (name.as_str(), node))
    }

    /// The type, if there is only one.
    pub fn type_name(&self) -> Option<&str> {
        self.types.as_str()
    }

    /// The words that a string may be, if the schema names them.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().chain([&self.constant]).filter_map(Value::as_str)
    }

    /// Whether this is a list of strings.
    pub fn is_list_of_strings(&self) -> bool {
        self.items.as_ref().is_some_and(|items| items.type_name() == Some("string"))
    }
}

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Properties, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Properties;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
                let mut properties = Vec::new();
                while let Some(property) = map.next_entry()? {
                    properties.push(property);
                }
                Ok(Properties(properties))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
