//! The oracle for native state files: their resources as records, from a tree of values.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};

use super::{elements, given};

/// The records of all resources of a native state, in the order of the file, without the marks.
pub fn resources(state: &Value) -> Vec<Value> {
    let mut records = Vec::new();
    for resource in elements(&state["resources"]) {
        records.extend(elements(&resource["instances"]).map(|it| record(resource, it)));
    }
    records
}

/// Whether the types and names of all resources are identifiers.
pub fn has_plain_names(state: &Value) -> bool {
    let is_plain = |text: &str| {
        text.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-'))
    };
    elements(&state["resources"]).all(|resource| {
        ["type", "name"].iter().all(|key| resource[*key].as_str().is_none_or(is_plain))
    })
}

fn record(resource: &Value, instance: &Value) -> Value {
    let text = |key: &str| resource[key].as_str().unwrap_or_default();
    let mode = match text("mode") {
        "managed" => String::new(),
        mode => format!("{mode}."),
    };
    let module = text("module");
    let dot = if module.is_empty() { "" } else { "." };
    let index = given(instance, "index_key");
    let key = match index {
        None => String::new(),
        Some(Value::String(key)) => format!("[\"{}\"]", quoted(key)),
        Some(number) => format!("[{number}]"),
    };
    let (kind, name) = (text("type"), text("name"));
    let mut record = Map::new();
    record.insert("kind".into(), "resource".into());
    record.insert("section".into(), "values".into());
    record.insert("address".into(), format!("{module}{dot}{mode}{kind}.{name}{key}").into());
    if !module.is_empty() {
        record.insert("module_address".into(), module.into());
    }
    record.insert("mode".into(), text("mode").into());
    record.insert("type".into(), kind.into());
    record.insert("name".into(), name.into());
    record.extend(index.map(|index| ("index".to_owned(), index.clone())));
    let deposed = given(instance, "deposed").filter(|key| **key != json!(""));
    record.extend(deposed.map(|key| ("deposed".to_owned(), key.clone())));
    // `provider["ADDRESS"]`, behind the address of a module and before an alias. Other texts stay.
    let provider = text("provider");
    let quoted = provider.split_once("provider[\"").and_then(|(_, it)| it.split_once("\"]"));
    let provider = quoted.map_or(provider, |(address, _)| address);
    record.insert("provider_name".into(), provider.into());
    let version = instance.get("schema_version").filter(|version| version.is_number());
    record.insert("schema_version".into(), version.cloned().unwrap_or_else(|| json!(0)));
    if instance["status"] == json!("tainted") {
        record.insert("tainted".into(), true.into());
    }
    if elements(&instance["dependencies"]).next().is_some() {
        record.insert("depends_on".into(), instance["dependencies"].clone());
    }
    if given(instance, "identity").is_some() {
        record.insert("identity".into(), true.into());
    }
    record.into()
}

/// An instance key as an address spells it.
fn quoted(key: &str) -> String {
    let mut quoted = String::new();
    let mut characters = key.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' => quoted += "\\n",
            '\r' => quoted += "\\r",
            '\t' => quoted += "\\t",
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '$' | '%' if characters.peek() == Some(&'{') => {
                quoted.extend([character, character]);
            }
            character => quoted.push(character),
        }
    }
    quoted
}

/// Whether an object in a JSON text has a key twice.
pub fn has_duplicate_keys(text: &[u8]) -> bool {
    serde_json::from_slice(text).is_ok_and(|HasDuplicates(has)| has)
}

/// Whether an object in a value has a key twice. A tree of values would drop the first one.
struct HasDuplicates(bool);

impl<'de> Deserialize<'de> for HasDuplicates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HasDuplicates, D::Error> {
        deserializer.deserialize_any(DuplicateVisitor)
    }
}

struct DuplicateVisitor;

impl<'de> Visitor<'de> for DuplicateVisitor {
    type Value = HasDuplicates;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_bool<E>(self, _: bool) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_i64<E>(self, _: i64) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_u64<E>(self, _: u64) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_f64<E>(self, _: f64) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_str<E>(self, _: &str) -> Result<HasDuplicates, E> {
        Ok(HasDuplicates(false))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<HasDuplicates, A::Error> {
        let mut has = false;
        while let Some(HasDuplicates(element)) = list.next_element()? {
            has |= element;
        }
        Ok(HasDuplicates(has))
    }

    /// A number of arbitrary precision arrives as an object, too.
    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<HasDuplicates, A::Error> {
        let (mut has, mut keys) = (false, BTreeSet::new());
        while let Some(key) = object.next_key::<String>()? {
            let HasDuplicates(value) = object.next_value()?;
            has |= value || !keys.insert(key);
        }
        Ok(HasDuplicates(has))
    }
}
