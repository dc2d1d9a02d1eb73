//! A plan file, damaged or not, has one JSON text or one error.

use std::io::Read;

use plansift::error::Result;
use plansift::input::{Rereadable, into_error};
use plansift::limits::Limits;
use plansift::planfile::{self, SchemaFiles};

use super::failure::failure;
use super::wire;

/// A plan of version 3 with one change: an update of an attribute.
const PLAN: &[u8] =
    b"\x08\x03\x1a\x2aB\x0dprovider[\"p\"]J\x14\x08\x03\x12\x07\n\x05\x81\xa1a\xa1b\
    \x12\x07\n\x05\x81\xa1a\xa1cj\x03a.br\x061.11.4";

/// The smallest state.
const STATE: &[u8] = b"{\"version\":4,\"outputs\":{},\"resources\":[]}";

/// Reads `bytes` as a plan file, and as each member of an intact plan file.
pub fn check(bytes: &[u8]) {
    check_file(bytes);
    if bytes.len() <= usize::from(u16::MAX) {
        for name in ["tfplan", "tfstate", "tfschemas", ".terraform.lock.hcl"] {
            check_file(&archive(name, bytes));
        }
    }
}

/// Reads a plan file twice, in large and in small pieces.
fn check_file(bytes: &[u8]) {
    let limits = Limits { expansion: 4 << 20, ..Limits::default() };
    let file = Rereadable::spool(bytes, &limits).expect("a temporary file can be written");
    let whole = text(&file, &limits, 64 << 10);
    let pieces = text(&file, &limits, 7);
    match (whole, pieces) {
        (Ok(whole), Ok(pieces)) => {
            assert!(whole == pieces, "two texts");
            wire::check_json(&whole);
        }
        (whole, pieces) => {
            let of = |read: Result<Vec<u8>>| read.err().map(|error| failure(&error));
            assert_eq!(of(whole), of(pieces), "two errors");
        }
    }
}

/// The JSON text of a plan file, read in pieces of `len` bytes.
fn text(file: &Rereadable, limits: &Limits, len: usize) -> Result<Vec<u8>> {
    let mut document = planfile::open(file, &SchemaFiles::default(), limits)?;
    let (mut text, mut piece) = (Vec::new(), vec![0; len]);
    loop {
        match document.read(&mut piece).map_err(into_error)? {
            0 => return Ok(text),
            len => text.extend_from_slice(&piece[..len]),
        }
    }
}

/// A plan file with these bytes as the member `name`.
fn archive(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut members = vec![("tfplan", PLAN), ("tfstate", STATE)];
    members.retain(|(other, _)| *other != name);
    members.push((name, bytes));
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in &members {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let mut common = vec![0; 8];
        for number in [crc.sum(), bytes.len() as u32, bytes.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u32).to_le_bytes());
        directory.extend(b"PK\x01\x02\x14\0\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((file.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        file.extend(b"PK\x03\x04\x14\0");
        file.extend(common);
        file.extend(name.as_bytes());
        file.extend(*bytes);
    }
    let (count, start) = ([members.len() as u8, 0], file.len() as u32);
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend([count, count].concat());
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0, 0]);
    file
}
