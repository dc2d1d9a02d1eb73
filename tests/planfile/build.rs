//! Builds plan files, also wrong ones.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// A member of an archive, with what the archive says of it.
#[derive(Clone)]
pub struct Member {
    pub name: String,
    /// The name in the member's own header.
    pub local_name: String,
    pub crc: u32,
    pub size: u32,
    pub method: u16,
    pub flags: u16,
    /// The compressed bytes.
    pub packed: Vec<u8>,
    /// The data descriptor behind them.
    pub descriptor: Vec<u8>,
    /// The offset of the header in the directory, if it is wrong.
    pub offset: Option<u32>,
}

impl Member {
    pub fn new(name: &str, bytes: &[u8]) -> Member {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        Member {
            name: name.into(),
            local_name: name.into(),
            crc: crc.sum(),
            size: bytes.len() as u32,
            method: 8,
            flags: 0,
            packed: encoder.finish().unwrap(),
            descriptor: Vec::new(),
            offset: None,
        }
    }

    /// Adds a data descriptor with a checksum, as the tools do.
    pub fn describe(&mut self, crc: u32) {
        self.flags |= 8;
        self.descriptor = b"PK\x07\x08".to_vec();
        for part in [crc, self.packed.len() as u32, self.size] {
            self.descriptor.extend(part.to_le_bytes());
        }
    }
}

/// An archive of members.
pub fn zip(members: &[Member]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut directory = Vec::new();
    for member in members {
        let offset = member.offset.unwrap_or(file.len() as u32);
        let mut common = Vec::new();
        for part in [member.flags, member.method, 0, 0] {
            common.extend(part.to_le_bytes());
        }
        for part in [member.crc, member.packed.len() as u32, member.size] {
            common.extend(part.to_le_bytes());
        }
        file.extend(b"PK\x03\x04\x14\0");
        file.extend(&common);
        file.extend((member.local_name.len() as u16).to_le_bytes());
        file.extend([0, 0]);
        file.extend(member.local_name.as_bytes());
        file.extend(&member.packed);
        file.extend(&member.descriptor);
        directory.extend(b"PK\x01\x02\x14\0\x14\0");
        directory.extend(&common);
        directory.extend((member.name.len() as u16).to_le_bytes());
        directory.extend([0; 12]);
        directory.extend(offset.to_le_bytes());
        directory.extend(member.name.as_bytes());
    }
    let start = file.len() as u32;
    let count = members.len() as u16;
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend(count.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0, 0]);
    file
}

/// A number as protobuf has it.
pub fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = number as u8 & 0x7f;
        number >>= 7;
        if number == 0 {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}

/// A field with a number.
pub fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// A field with bytes, a text or a message.
pub fn bytes(field: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    let value = value.as_ref();
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

/// A value.
pub fn dynamic(msgpack: impl AsRef<[u8]>) -> Vec<u8> {
    bytes(1, msgpack)
}

/// A change of a resource, to be put in a plan.
pub fn resource(address: &str, change: &[u8]) -> Vec<u8> {
    let provider = bytes(8, "provider[\"registry.terraform.io/hashicorp/test\"]");
    bytes(3, [provider, bytes(9, change), bytes(13, address)].concat())
}

/// A change with an action and values.
pub fn change(action: u64, values: &[&[u8]]) -> Vec<u8> {
    let values = values.iter().flat_map(|value| bytes(2, dynamic(value)));
    number(1, action).into_iter().chain(values).collect()
}

/// A plan with the parts that every plan has.
pub fn plan(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut plan = [number(1, 3), bytes(14, "1.11.4")].concat();
    plan.extend(parts.concat());
    plan.extend(bytes(21, "2026-01-01T00:00:00Z"));
    plan
}

/// The smallest state.
pub const STATE: &[u8] = b"{\"version\":4,\"terraform_version\":\"1.11.4\",\"serial\":1,\
    \"lineage\":\"\",\"outputs\":{},\"resources\":[],\"check_results\":null}";

/// The members of a plan file.
pub fn members(plan: &[u8]) -> Vec<Member> {
    vec![Member::new("tfplan", plan), Member::new("tfstate", STATE)]
}

/// The bytes of a member of an archive that a tool wrote.
pub fn member(file: &[u8], name: &str) -> Vec<u8> {
    use std::io::Read;
    let u16_at = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
    let u32_at = |at: usize| u16_at(at) | u16_at(at + 2) << 16;
    // Without a comment, the end of the directory is at a fixed place.
    let mut at = u32_at(file.len() - 6);
    while file[at..].starts_with(b"PK\x01\x02") {
        let len = u16_at(at + 28);
        if &file[at + 46..at + 46 + len] == name.as_bytes() {
            let header = u32_at(at + 42);
            let start = header + 30 + u16_at(header + 26) + u16_at(header + 28);
            let mut bytes = Vec::new();
            let mut inflated = flate2::read::DeflateDecoder::new(&file[start..]);
            inflated.read_to_end(&mut bytes).expect("it is Deflate");
            return bytes;
        }
        at += 46 + len + u16_at(at + 30) + u16_at(at + 32);
    }
    panic!("no member {name}");
}
