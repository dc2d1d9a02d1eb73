//! Reads the member `tfschemas` of OpenTofu's plan files: the schemas of providers as Protocol
//! Buffers, reduced to the fields that a plan needs.

use std::collections::BTreeMap;

use super::block::{Attribute, AttributeType, Block, NestedBlock, Nesting};
use super::error::{Error, ErrorKind};
use super::schema::{DEPTH_MAX, Provider, Schema, Schemas};
use super::types::Type;

impl Schemas {
    /// Reads the member `tfschemas`, and skips unknown fields.
    ///
    /// # Errors
    ///
    /// The bytes are damaged, end early, are nested too deep or have a type that is not valid.
    pub fn from_plan_file(bytes: &[u8]) -> Result<Schemas, Error> {
        let mut schemas = Schemas::default();
        for field in Fields::new(bytes, 0) {
            if let Field { number: 1, data: Data::Bytes(entry), offset } = field? {
                let (address, bytes, offset) = map_entry(entry, offset)?;
                schemas.providers.insert(address, provider(bytes, offset)?);
            }
        }
        Ok(schemas)
    }
}

/// A field of a message.
struct Field<'a> {
    number: u64,
    data: Data<'a>,
    /// The offset of the data in `tfschemas`.
    offset: usize,
}

enum Data<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in the order of the bytes.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The offset of the message in `tfschemas`.
    base: usize,
}

impl<'a> Fields<'a> {
    fn new(bytes: &'a [u8], base: usize) -> Fields<'a> {
        Fields { bytes, at: 0, base }
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.base + self.at)
    }

    fn varint(&mut self) -> Result<u64, Error> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.error(ErrorKind::Schema))
    }

    fn take(&mut self, len: u64) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.at..];
        let len = usize::try_from(len).ok().filter(|len| *len <= rest.len());
        let len = len.ok_or_else(|| self.error(ErrorKind::Truncated))?;
        self.at += len;
        Ok(&rest[..len])
    }

    fn field(&mut self) -> Result<Field<'a>, Error> {
        let tag = self.varint()?;
        let data = match tag & 7 {
            0 => Data::Number(self.varint()?),
            1 => Data::Bytes(self.take(8)?),
            2 => {
                let len = self.varint()?;
                Data::Bytes(self.take(len)?)
            }
            5 => Data::Bytes(self.take(4)?),
            _ => return Err(self.error(ErrorKind::Schema)),
        };
        let len = if let Data::Bytes(bytes) = data { bytes.len() } else { 0 };
        Ok(Field { number: tag >> 3, data, offset: self.base + self.at - len })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.at < self.bytes.len()).then(|| {
            // An error ends the message.
            self.field().inspect_err(|_| self.at = self.bytes.len())
        })
    }
}

fn text(bytes: &[u8], offset: usize) -> Result<String, Error> {
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned).map_err(|_| Error::new(ErrorKind::Schema, offset))
}

/// Reads an entry of a map: its key, its value, and the offset of the value.
fn map_entry(bytes: &[u8], base: usize) -> Result<(String, &[u8], usize), Error> {
    let (mut key, mut value) = (String::new(), (&[][..], base));
    for field in Fields::new(bytes, base) {
        match field? {
            Field { number: 1, data: Data::Bytes(bytes), offset } => key = text(bytes, offset)?,
            Field { number: 2, data: Data::Bytes(bytes), offset } => value = (bytes, offset),
            _ => {}
        }
    }
    Ok((key, value.0, value.1))
}

fn provider(bytes: &[u8], base: usize) -> Result<Provider, Error> {
    let mut provider = Provider::default();
    for field in Fields::new(bytes, base) {
        let Field { number, data: Data::Bytes(bytes), offset } = field? else {
            continue;
        };
        match number {
            1 => provider.config = schema(bytes, offset)?,
            2 | 3 => {
                let (name, bytes, offset) = map_entry(bytes, offset)?;
                let schema = resource(bytes, offset)?;
                let kind =
                    if number == 2 { &mut provider.resources } else { &mut provider.data_sources };
                kind.insert(name, schema);
            }
            _ => {}
        }
    }
    Ok(provider)
}

/// Reads the schema of a resource type, with the version of its identity schema.
fn resource(bytes: &[u8], base: usize) -> Result<Schema, Error> {
    let (mut read, mut identity_version) = (Schema::default(), None);
    for field in Fields::new(bytes, base) {
        match field? {
            Field { number: 1, data: Data::Bytes(bytes), offset } => read = schema(bytes, offset)?,
            Field { number: 2, data: Data::Bytes(bytes), offset } => {
                identity_version = Some(self::identity_version(bytes, offset)?);
            }
            _ => {}
        }
    }
    Ok(Schema { identity_version, ..read })
}

fn identity_version(bytes: &[u8], base: usize) -> Result<u64, Error> {
    let mut version = 0;
    for field in Fields::new(bytes, base) {
        if let Field { number: 1, data: Data::Number(number), .. } = field? {
            version = number;
        }
    }
    Ok(version)
}

fn schema(bytes: &[u8], base: usize) -> Result<Schema, Error> {
    let mut schema = Schema::default();
    for field in Fields::new(bytes, base) {
        match field? {
            Field { number: 1, data: Data::Number(version), .. } => schema.version = version,
            Field { number: 2, data: Data::Bytes(bytes), offset } => {
                schema.block = block(bytes, offset, 0)?;
            }
            _ => {}
        }
    }
    Ok(schema)
}

fn check_depth(base: usize, depth: usize) -> Result<(), Error> {
    if depth > DEPTH_MAX { Err(Error::new(ErrorKind::Depth, base)) } else { Ok(()) }
}

fn block(bytes: &[u8], base: usize, depth: usize) -> Result<Block, Error> {
    check_depth(base, depth)?;
    let mut block = Block::default();
    for field in Fields::new(bytes, base) {
        match field? {
            Field { number: 1, data: Data::Bytes(bytes), offset } => {
                block.attributes.extend([attribute(bytes, offset, depth + 1)?]);
            }
            Field { number: 2, data: Data::Bytes(bytes), offset } => {
                block.blocks.extend([nested_block(bytes, offset, depth + 1)?]);
            }
            _ => {}
        }
    }
    Ok(block)
}

fn nested_block(bytes: &[u8], base: usize, depth: usize) -> Result<(String, NestedBlock), Error> {
    let mut name = String::new();
    let mut read = NestedBlock {
        nesting: Nesting::Other,
        block: Block::default(),
        min_items: 0,
        max_items: 0,
    };
    for field in Fields::new(bytes, base) {
        match field? {
            Field { number: 1, data: Data::Bytes(bytes), offset } => name = text(bytes, offset)?,
            Field { number: 2, data: Data::Bytes(bytes), offset } => {
                read.block = block(bytes, offset, depth)?;
            }
            Field { number: 3, data: Data::Number(number), .. } => read.nesting = nesting(number),
            Field { number: 4, data: Data::Number(number), .. } => read.min_items = number,
            Field { number: 5, data: Data::Number(number), .. } => read.max_items = number,
            _ => {}
        }
    }
    Ok((name, read))
}

fn nesting(number: u64) -> Nesting {
    match number {
        1 => Nesting::Single,
        2 => Nesting::Group,
        3 => Nesting::List,
        4 => Nesting::Set,
        5 => Nesting::Map,
        _ => Nesting::Other,
    }
}

/// Reads an attribute: its name and its schema.
fn attribute(bytes: &[u8], base: usize, depth: usize) -> Result<(String, Attribute), Error> {
    check_depth(base, depth)?;
    let (mut name, mut ty) = (String::new(), None);
    let mut flags = [false; 5];
    for field in Fields::new(bytes, base) {
        match field? {
            Field { number: 1, data: Data::Bytes(bytes), offset } => name = text(bytes, offset)?,
            Field { number: 2, data: Data::Bytes(bytes), offset } if !bytes.is_empty() => {
                let plain = Type::parse(bytes).map_err(|error| error.moved(offset))?;
                ty = Some(AttributeType::Plain(plain));
            }
            Field { number: 3, data: Data::Bytes(bytes), offset } => {
                ty = Some(object(bytes, offset, depth + 1)?);
            }
            Field { number: number @ 4..=8, data: Data::Number(flag), .. } => {
                flags[(number - 4) as usize] = flag != 0;
            }
            _ => {}
        }
    }
    let ty = ty.ok_or_else(|| Error::new(ErrorKind::Schema, base))?;
    let [is_required, is_optional, is_computed, is_sensitive, is_write_only] = flags;
    let attribute =
        Attribute { ty, is_required, is_optional, is_computed, is_sensitive, is_write_only };
    Ok((name, attribute))
}

fn object(bytes: &[u8], base: usize, depth: usize) -> Result<AttributeType, Error> {
    let (mut mode, mut attributes) = (Nesting::Other, BTreeMap::new());
    for field in Fields::new(bytes, base) {
        match field? {
            Field { number: 1, data: Data::Bytes(bytes), offset } => {
                attributes.extend([attribute(bytes, offset, depth)?]);
            }
            Field { number: 2, data: Data::Number(number), .. } => mode = nesting(number),
            _ => {}
        }
    }
    Ok(AttributeType::Nested { nesting: mode, attributes })
}
