//! Compares each kernel with the scalar kernel, and the scalar kernel with a loop over the bytes.

use proptest::prelude::*;

use super::utf8::Utf8;
use super::{BLOCK, Block, Detail, Isa, Misplaced, Scanner};
use crate::error::ErrorKind;

/// Scans a text in batches of the given numbers of blocks. Spaces pad the last block.
fn scan(
    isa: Isa,
    detail: Detail,
    text: &[u8],
    batches: &[usize],
) -> (Vec<Block>, Option<Misplaced>) {
    let mut padded = text.to_vec();
    padded.resize(text.len().next_multiple_of(BLOCK), b' ');
    let mut scanner = Scanner::new(isa, detail);
    let mut blocks = Vec::new();
    let mut rest = &padded[..];
    let mut sizes = batches.iter().copied().cycle();
    while !rest.is_empty() {
        let len = (sizes.next().unwrap_or(1).max(1) * BLOCK).min(rest.len());
        let mut batch = vec![Block::default(); len / BLOCK];
        let start = (padded.len() - rest.len()) as isize;
        if let Some(misplaced) = scanner.scan(&rest[..len], &mut batch) {
            return (blocks, Some(Misplaced { offset: start + misplaced.offset, ..misplaced }));
        }
        blocks.extend(batch);
        rest = &rest[len..];
    }
    (blocks, scanner.finish())
}

/// Computes the masks with a loop over the bytes.
fn walk(text: &[u8]) -> Vec<Block> {
    let mut padded = text.to_vec();
    padded.resize(text.len().next_multiple_of(BLOCK), b' ');
    let mut blocks = vec![Block::default(); padded.len() / BLOCK];
    let (mut in_string, mut escaped) = (false, false);
    for (place, &byte) in padded.iter().enumerate() {
        let block = &mut blocks[place / BLOCK];
        let bit = 1u64 << (place % BLOCK);
        match byte {
            _ if escaped => escaped = false,
            b'"' => {
                block.quotes |= bit;
                in_string = !in_string;
            }
            b'\\' if in_string => {
                escaped = true;
                block.escapes |= bit;
            }
            _ if in_string => {}
            b'{' | b'}' | b'[' | b']' => block.brackets |= bit,
            b',' | b':' => block.separators |= bit,
            b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => block.words |= bit,
        }
        block.strings |= if in_string { bit } else { 0 };
        block.opens |= if byte & 0x02 != 0 { bit } else { 0 };
        block.braces |= if byte & 0x20 != 0 { bit } else { 0 };
    }
    blocks
}

/// Random text with many special bytes.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        8 => prop::sample::select(b"\"\\{}[],: \n\t\ra1-etu".to_vec()),
        1 => any::<u8>(),
    ];
    let words = prop::sample::select(vec![
        "\"key\":",
        "{\"a\":[1,2]}",
        "\"\\\\\\\"\"",
        "\\\\\\\\",
        "é",
        "😀",
        "null",
        "\u{7f}",
    ]);
    prop_oneof![
        prop::collection::vec(byte, 0..600),
        prop::collection::vec(words, 0..100).prop_map(|words| words.concat().into_bytes()),
    ]
}

proptest! {
    #[test]
    fn every_kernel_gives_the_masks_of_the_scalar_one(
        text in text(),
        batches in prop::collection::vec(1usize..5, 1..4),
    ) {
        for detail in [Detail::Strings, Detail::Structure, Detail::Tokens] {
            let scalar = scan(Isa::named("scalar").unwrap(), detail, &text, &[64]);
            for isa in Isa::all() {
                prop_assert_eq!(&scan(isa, detail, &text, &[64]).1, &scalar.1, "{}", isa.name());
                let cut = scan(isa, detail, &text, &batches);
                prop_assert_eq!(&cut.1, &scalar.1, "{} in batches", isa.name());
                if scalar.1.is_none() {
                    prop_assert_eq!(&cut.0, &scalar.0, "{}", isa.name());
                }
            }
        }
    }

    #[test]
    fn string_masks_do_not_depend_on_the_detail(text in text()) {
        let scalar = Isa::named("scalar").unwrap();
        let (all, misplaced) = scan(scalar, Detail::Structure, &text, &[64]);
        if misplaced.is_none() {
            let (strings, _) = scan(scalar, Detail::Strings, &text, &[64]);
            let of = |blocks: &[Block]| -> Vec<_> {
                blocks.iter().map(|it| (it.quotes, it.escapes, it.strings)).collect()
            };
            prop_assert_eq!(of(&strings), of(&all));
        }
    }

    #[test]
    fn the_scalar_kernel_gives_the_masks_of_a_walk(text in text()) {
        // `walk` knows no escapes outside strings. Text with a backslash there is not JSON anyway.
        let (blocks, misplaced) = scan(Isa::named("scalar").unwrap(), Detail::Tokens, &text, &[64]);
        if misplaced.is_none() && !outside_backslash(&text) {
            prop_assert_eq!(blocks, walk(&text));
        }
    }
}

fn outside_backslash(text: &[u8]) -> bool {
    let (mut in_string, mut escaped) = (false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'"' => in_string = !in_string,
            b'\\' if in_string => escaped = true,
            b'\\' => return true,
            _ => {}
        }
    }
    false
}

#[test]
fn kernels_match_scalar_at_every_length_and_alignment() {
    let text: Vec<u8> = br#"{"a\"b":["\\",{"c":true}],"d":"e"}"#.repeat(12);
    for isa in Isa::all() {
        for start in 0..BLOCK {
            for blocks in 0..4 {
                let there = &text[start..start + blocks * BLOCK];
                let mut masks = vec![Block::default(); blocks];
                Scanner::new(isa, Detail::Tokens).scan(there, &mut masks);
                let (expected, _) =
                    scan(Isa::named("scalar").unwrap(), Detail::Tokens, there, &[64]);
                assert_eq!(masks, expected, "{} at {start}, {blocks} blocks", isa.name());
            }
        }
    }
}

#[test]
fn misplaced_bytes_have_an_offset() {
    let cases: &[(&[u8], ErrorKind, isize)] = &[
        (b"{\"a\":\"\x01\"}", ErrorKind::ControlCharacter, 6),
        (b"{\"a\":\"b\nc\"}", ErrorKind::ControlCharacter, 7),
        (b"{\xc3\xa9}", ErrorKind::NotAscii, 1),
        (b"\"\xff\"", ErrorKind::Encoding, 1),
        (b"\"\xc0\x80\"", ErrorKind::Encoding, 1),
        (b"\"\xed\xa0\x80\"", ErrorKind::Encoding, 1),
        (b"\"\xf4\x90\x80\x80\"", ErrorKind::Encoding, 1),
        (b"\"\xe2\x82\"", ErrorKind::Encoding, 1),
    ];
    for &(text, kind, offset) in cases {
        for isa in Isa::all() {
            // At every distance from the end of a block.
            for pad in 0..2 * BLOCK {
                let padded = [&vec![b' '; pad][..], text].concat();
                let expected = Misplaced { kind, offset: offset + pad as isize };
                for batches in [&[1][..], &[64]] {
                    let (_, found) = scan(isa, Detail::Structure, &padded, batches);
                    assert_eq!(found, Some(expected), "{text:?} after {pad}, {}", isa.name());
                }
            }
        }
    }
}

#[test]
fn a_character_cut_off_at_the_end_is_an_error() {
    for isa in Isa::all() {
        let mut text = vec![b'x'; BLOCK];
        text[0] = b'"';
        text[BLOCK - 2..].copy_from_slice(b"\xe2\x82");
        let (_, found) = scan(isa, Detail::Structure, &text, &[1]);
        // The offset counts from the end of the text, where the error is reported.
        assert_eq!(found, Some(Misplaced { kind: ErrorKind::Truncated, offset: 0 }));
    }
}

/// Another process may write to the text between two reads.
#[test]
fn incomplete_utf8_characters_are_recognised() {
    for (bytes, is_begun) in [
        (&b""[..], true),
        (b"\xc3", true),
        (b"\xe2\x82", true),
        (b"\xf0\x9f\x98", true),
        (b"\xc3\xa9", false),
        (b"abc", false),
        (b"\xe2\x82\xac", false),
    ] {
        let mut utf8 = Utf8::default();
        assert_eq!(utf8.begin(bytes), is_begun, "{bytes:x?}");
        // Any text may follow. The check must not panic.
        let _ = utf8.check_all(&[b'a'; BLOCK]);
    }
}
