//! plansift reads any bytes to their end or to an error, in bounded memory. It reads text that was
//! compressed, or encoded as UTF-16, back unchanged.

use std::io::{self, Read, Write};

use plansift::error::Result;
use plansift::input::{Input, InputOptions, Source};
use plansift::limits::Limits;

use super::draw::Draw;

/// Reads `bytes` as an input. Also reads inputs that contain `bytes` compressed or as UTF-16.
pub fn check(bytes: &[u8]) {
    let read = text(bytes);
    let mut draw = Draw::from_bytes(bytes);
    for format in [gzip, zstd] {
        let written = format(bytes, &mut draw);
        // Inside compression, plansift decodes UTF-16 but does not decompress again.
        match utf16_of(bytes) {
            true => assert_eq!(text(&written).ok(), read.as_ref().ok().cloned()),
            false if is_utf32(bytes) => assert!(text(&written).is_err()),
            false => assert_eq!(text(&written).expect("it was compressed"), bytes),
        }
    }
    if let Ok(document) = std::str::from_utf8(bytes) {
        for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
            let units = std::iter::once(0xfeff).chain(document.encode_utf16());
            let written: Vec<u8> = units.flat_map(bytes_of).collect();
            if !is_utf32(&written) {
                assert_eq!(text(&written).expect("it was UTF-16"), bytes);
            }
        }
    }
}

fn utf16_of(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) && !is_utf32(bytes)
}

fn is_utf32(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..])
}

/// The text of an input, read window by window.
fn text(bytes: &[u8]) -> Result<Vec<u8>> {
    const EXPANSION: u64 = 4 << 20;
    const WINDOW: usize = 2 << 20;
    let limits = Limits { expansion: EXPANSION, ..Limits::default() };
    let mut input = Input::from_reader(
        Box::new(ShortReads(bytes.to_vec(), 0)),
        &InputOptions { limits, ..InputOptions::default() },
    )?;
    let mut text = Vec::new();
    loop {
        let more = input.fill(text.len() as u64)?;
        assert_eq!(input.offset(), text.len() as u64);
        assert!(input.window().len() <= WINDOW, "{} bytes at once", input.window().len());
        text.extend_from_slice(input.window());
        // A window is empty only at the end.
        if !more {
            input.finish()?;
            return Ok(text);
        }
        assert!(!input.window().is_empty());
    }
}

/// A reader that returns a few bytes at a time.
struct ShortReads(Vec<u8>, usize);

impl Read for ShortReads {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = &self.0[self.1..];
        let len = rest.len().min(buffer.len()).min(1 + self.1 % 97);
        buffer[..len].copy_from_slice(&rest[..len]);
        self.1 += len;
        Ok(len)
    }
}

/// Splits a document into at least one piece; each piece is compressed as a member of its own.
fn members<'a>(mut document: &'a [u8], draw: &mut Draw) -> Vec<&'a [u8]> {
    let mut members = Vec::new();
    for _ in 0..draw.below(4) {
        let (member, rest) = document.split_at(draw.len().min(document.len()));
        members.push(member);
        document = rest;
    }
    members.push(document);
    members
}

fn gzip(document: &[u8], draw: &mut Draw) -> Vec<u8> {
    let mut written = Vec::new();
    for member in members(document, draw) {
        let level = flate2::Compression::new(draw.below(3) as u32);
        let mut encoder = flate2::write::GzEncoder::new(&mut written, level);
        encoder.write_all(member).expect("memory can be written");
        encoder.finish().expect("memory can be written");
    }
    written
}

fn zstd(document: &[u8], draw: &mut Draw) -> Vec<u8> {
    let compressed = |member| zstd::encode_all(member, 1).expect("memory can be read");
    members(document, draw).into_iter().flat_map(compressed).collect()
}
