//! Encodes and compresses a text.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// One gzip member.
pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// One zstd frame, with a checksum.
pub fn zstd(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).expect("a zstd encoder");
    encoder.include_checksum(true).expect("zstd has checksums");
    encoder.write_all(text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// Little-endian UTF-16 with a byte order mark, as PowerShell writes it.
pub fn utf16_le(text: &str) -> Vec<u8> {
    units(text).flat_map(u16::to_le_bytes).collect()
}

/// Big-endian UTF-16 with a byte order mark.
pub fn utf16_be(text: &str) -> Vec<u8> {
    units(text).flat_map(u16::to_be_bytes).collect()
}

fn units(text: &str) -> impl Iterator<Item = u16> {
    std::iter::once(0xfeff).chain(text.encode_utf16())
}

/// UTF-8 with a byte order mark.
pub fn utf8_with_bom(text: &str) -> Vec<u8> {
    [b"\xef\xbb\xbf", text.as_bytes()].concat()
}
