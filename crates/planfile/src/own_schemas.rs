//! Reads the member `tfschemas` of OpenTofu's plan files: the schemas of providers as Protocol
//! Buffers, reduced to the fields that a plan needs.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::fault::PlanFileFault;
use super::protobuf::{Field, Message, Wire};
use plansift_core::error::{Error, Result};
use plansift_cty::block::{Attribute, AttributeType, Block, NestedBlock, Nesting};
use plansift_cty::schema::{DEPTH_MAX, Provider, Schema, Schemas};
use plansift_cty::types::Type;

/// Reads the member `tfschemas`. Unknown fields, and fields of another wire type, are skipped.
///
/// # Errors
///
/// Fails if the bytes are damaged, truncated or nested too deep, if a type is invalid, or if a
/// field or a name that may occur once occurs twice.
pub fn read_own_schemas(bytes: &[u8]) -> Result<Schemas> {
    let read = schemas(Message { bytes, offset: 0 });
    read.map_err(|error| schema_fault(error.location().map_or(0, |location| location.offset)))
}

fn schema_fault(offset: u64) -> Error {
    Error::at(PlanFileFault::Schemas, offset)
}

/// The fields of a message. A field with a number in `singular` may occur once.
fn fields(
    message: Message<'_>,
    singular: RangeInclusive<u32>,
) -> impl Iterator<Item = Result<Field<'_>>> {
    let mut seen = 0_u32;
    message.fields().map(move |field| {
        let field = field?;
        if singular.contains(&field.number) {
            let bit = 1 << field.number;
            if seen & bit != 0 {
                return Err(schema_fault(field.message.offset));
            }
            seen |= bit;
        }
        Ok(field)
    })
}

/// Adds an entry to a map. A key may occur once.
fn insert<T>(
    map: &mut BTreeMap<String, T>,
    (key, value): (String, T),
    message: Message<'_>,
) -> Result<()> {
    match map.insert(key, value) {
        None => Ok(()),
        Some(_) => Err(schema_fault(message.offset)),
    }
}

fn schemas(message: Message<'_>) -> Result<Schemas> {
    let mut schemas = Schemas::default();
    for field in message.fields() {
        if let Field { number: 1, wire: Wire::Bytes(_), message } = field? {
            let (address, value) = map_entry(message)?;
            insert(&mut schemas.providers, (address, provider(value)?), message)?;
        }
    }
    Ok(schemas)
}

fn text(message: Message<'_>) -> Result<String> {
    let text = std::str::from_utf8(message.bytes);
    text.map(str::to_owned).map_err(|_| schema_fault(message.offset))
}

/// Reads an entry of a map: its key and its value.
fn map_entry(message: Message<'_>) -> Result<(String, Message<'_>)> {
    let (mut key, mut value) = (String::new(), Message { bytes: &[], ..message });
    for field in fields(message, 1..=2) {
        match field? {
            Field { number: 1, wire: Wire::Bytes(_), message } => key = text(message)?,
            Field { number: 2, wire: Wire::Bytes(_), message } => value = message,
            _ => {}
        }
    }
    Ok((key, value))
}

fn provider(message: Message<'_>) -> Result<Provider> {
    let mut provider = Provider::default();
    for field in fields(message, 1..=1) {
        let Field { number, wire: Wire::Bytes(_), message } = field? else {
            continue;
        };
        match number {
            1 => provider.config = schema(message)?,
            2 | 3 => {
                let (name, value) = map_entry(message)?;
                let kind =
                    if number == 2 { &mut provider.resources } else { &mut provider.data_sources };
                insert(kind, (name, resource(value)?), message)?;
            }
            _ => {}
        }
    }
    Ok(provider)
}

/// Reads the schema of a resource type, with the version of its identity schema.
fn resource(message: Message<'_>) -> Result<Schema> {
    let (mut read, mut identity_version) = (Schema::default(), None);
    for field in fields(message, 1..=2) {
        match field? {
            Field { number: 1, wire: Wire::Bytes(_), message } => read = schema(message)?,
            Field { number: 2, wire: Wire::Bytes(_), message } => {
                identity_version = Some(self::identity_version(message)?);
            }
            _ => {}
        }
    }
    Ok(Schema { identity_version, ..read })
}

fn identity_version(message: Message<'_>) -> Result<u64> {
    let mut version = 0;
    for field in fields(message, 1..=1) {
        if let Field { number: 1, wire: Wire::Varint(number), .. } = field? {
            version = number;
        }
    }
    Ok(version)
}

fn schema(message: Message<'_>) -> Result<Schema> {
    let mut schema = Schema::default();
    for field in fields(message, 1..=2) {
        match field? {
            Field { number: 1, wire: Wire::Varint(version), .. } => schema.version = version,
            Field { number: 2, wire: Wire::Bytes(_), message } => {
                schema.block = block(message, 0)?;
            }
            _ => {}
        }
    }
    Ok(schema)
}

fn check_depth(message: Message<'_>, depth: usize) -> Result<()> {
    if depth > DEPTH_MAX { Err(schema_fault(message.offset)) } else { Ok(()) }
}

fn block(message: Message<'_>, depth: usize) -> Result<Block> {
    check_depth(message, depth)?;
    let mut block = Block::default();
    for field in message.fields() {
        match field? {
            Field { number: 1, wire: Wire::Bytes(_), message } => {
                insert(&mut block.attributes, attribute(message, depth + 1)?, message)?;
            }
            Field { number: 2, wire: Wire::Bytes(_), message } => {
                insert(&mut block.blocks, nested_block(message, depth + 1)?, message)?;
            }
            _ => {}
        }
    }
    Ok(block)
}

fn nested_block(message: Message<'_>, depth: usize) -> Result<(String, NestedBlock)> {
    let mut name = String::new();
    let mut read = NestedBlock::default();
    for field in fields(message, 1..=5) {
        match field? {
            Field { number: 1, wire: Wire::Bytes(_), message } => name = text(message)?,
            Field { number: 2, wire: Wire::Bytes(_), message } => {
                read.block = block(message, depth)?;
            }
            Field { number: 3, wire: Wire::Varint(number), .. } => read.nesting = nesting(number),
            Field { number: 4, wire: Wire::Varint(number), .. } => read.min_items = number,
            Field { number: 5, wire: Wire::Varint(number), .. } => read.max_items = number,
            _ => {}
        }
    }
    Ok((name, read))
}

fn nesting(number: u64) -> Nesting {
    let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let known = place.and_then(|place| Nesting::WORDS.get(place));
    known.map_or(Nesting::Other, |(_, nesting)| *nesting)
}

/// Reads an attribute: its name and its schema.
fn attribute(message: Message<'_>, depth: usize) -> Result<(String, Attribute)> {
    check_depth(message, depth)?;
    let (mut name, mut ty) = (String::new(), None);
    let mut flags = [false; 5];
    for field in fields(message, 1..=8) {
        match field? {
            Field { number: 1, wire: Wire::Bytes(_), message } => name = text(message)?,
            Field { number: 2, wire: Wire::Bytes(1..), message } => {
                let plain = Type::parse(message.bytes).map_err(|error| {
                    schema_fault(message.offset + error.offset().unwrap_or_default() as u64)
                })?;
                ty = Some(AttributeType::Plain(plain));
            }
            Field { number: 3, wire: Wire::Bytes(_), message } => {
                ty = Some(object(message, depth + 1)?);
            }
            Field { number: number @ 4..=8, wire: Wire::Varint(flag), .. } => {
                flags[(number - 4) as usize] = flag != 0;
            }
            _ => {}
        }
    }
    let ty = ty.ok_or_else(|| schema_fault(message.offset))?;
    let [is_required, is_optional, is_computed, is_sensitive, is_write_only] = flags;
    let attribute =
        Attribute { ty, is_required, is_optional, is_computed, is_sensitive, is_write_only };
    Ok((name, attribute))
}

fn object(message: Message<'_>, depth: usize) -> Result<AttributeType> {
    let (mut mode, mut attributes) = (Nesting::Other, BTreeMap::new());
    for field in fields(message, 2..=2) {
        match field? {
            Field { number: 1, wire: Wire::Bytes(_), message } => {
                insert(&mut attributes, attribute(message, depth)?, message)?;
            }
            Field { number: 2, wire: Wire::Varint(number), .. } => mode = nesting(number),
            _ => {}
        }
    }
    Ok(AttributeType::Nested { nesting: mode, attributes })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes a field of bytes in Protocol Buffers.
    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let len = u8::try_from(bytes.len()).expect("a short field");
        [&[number << 3 | 2, len], bytes].concat()
    }

    fn flag(number: u8, value: u8) -> Vec<u8> {
        vec![number << 3, value]
    }

    #[test]
    fn the_schemas_of_a_plan_file_are_read() {
        let attribute = [field(1, b"a"), field(2, br#"["list","bool"]"#), flag(7, 1)].concat();
        let nested =
            [field(1, b"n"), field(3, &[field(1, &attribute), flag(2, 5)].concat())].concat();
        let inner =
            [field(1, b"b"), field(2, &field(1, &attribute)), flag(3, 3), flag(5, 1)].concat();
        let block = [field(1, &attribute), field(1, &nested), field(2, &inner)].concat();
        let schema = [flag(1, 4), field(2, &block), flag(15, 9)].concat();
        let resource = [field(1, b"t"), field(2, &field(1, &schema))].concat();
        let provider = [field(1, b"p"), field(2, &field(2, &resource))].concat();
        let bytes = field(1, &provider);
        let schemas = read_own_schemas(&bytes).expect("schemas");
        let schema = &schemas.providers["p"].resources["t"];
        assert_eq!(schema.version, 4);
        assert!(schema.block.attributes["a"].is_sensitive);
        assert_eq!(schema.block.blocks["b"].nesting, Nesting::List);
        assert_eq!(schema.block.blocks["b"].max_items, 1);
        let expected = r#"["object",{"a":["list","bool"],
            "b":["list",["object",{"a":["list","bool"]}]],
            "n":["map",["object",{"a":["list","bool"]}]]}]"#;
        assert_eq!(schema.block.implied_type(), Type::parse(expected.as_bytes()).expect("a type"));
        for len in 1..bytes.len() {
            assert!(read_own_schemas(&bytes[..len]).is_err(), "{len}");
        }
        assert!(read_own_schemas(b"\x0b").is_err());
        assert!(read_own_schemas(&[0xff; 12]).is_err());
    }
}
