//! The kernel for any processor. It works byte by byte, and tests compare the other kernels with
//! it.

use super::wide::{LEAF_WINDOW, LeafMasks, Masks, Wide};
use super::{BLOCK, Block, Kernel, Raw, Unusual};

#[derive(Clone, Copy)]
pub(super) struct Scalar;

impl Wide for Scalar {
    type Lanes = u64;

    #[inline(always)]
    fn masks(self, blocks: &[Block]) -> Option<Masks<u64>> {
        blocks.first().map(Masks::from)
    }

    fn leaf_masks(self, text: &[u8; LEAF_WINDOW]) -> LeafMasks {
        let mask = |test: fn(&[u8]) -> bool| {
            (0..BLOCK).rev().fold(0, |mask, place| (mask << 1) | u64::from(test(&text[place..])))
        };
        LeafMasks {
            literal4: mask(|text| text.starts_with(b"true") || text.starts_with(b"null")),
            literal5: mask(|text| text.starts_with(b"false")),
            digits: mask(|text| text[0].is_ascii_digit()),
            zeros: mask(|text| text[0] == b'0'),
            hex: mask(|text| text[0].is_ascii_hexdigit()),
            d: mask(|text| text[0].eq_ignore_ascii_case(&b'd')),
            before_u: mask(|text| text[1] == b'u'),
            before_escaped: mask(|text| b"\"\\/bfnrt".contains(&text[1])),
        }
    }
}

impl Kernel for Scalar {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: &[u8; BLOCK]) -> Raw {
        let mask = |test| mask(bytes, test);
        Raw {
            quote: mask(|byte| byte == b'"'),
            backslash: mask(|byte| byte == b'\\'),
            bracket: mask(|byte| matches!(byte, b'{' | b'}' | b'[' | b']')),
            opens: mask(|byte| byte & 0x02 != 0),
            braces: mask(|byte| byte & 0x20 != 0),
            is_unusual: mask(|byte| (byte as i8) < 0x20) != 0,
            separator: if TOKENS { mask(|byte| matches!(byte, b',' | b':')) } else { 0 },
            space: if TOKENS {
                mask(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
            } else {
                0
            },
        }
    }

    #[inline(always)]
    unsafe fn unusual(bytes: &[u8; BLOCK]) -> Unusual {
        let mask = |test| mask(bytes, test);
        Unusual { control: mask(|byte| byte < 0x20), high: mask(|byte| byte >= 0x80) }
    }
}

/// Returns one bit for each byte: whether the byte passes the test.
#[inline(always)]
fn mask(bytes: &[u8; BLOCK], test: fn(u8) -> bool) -> u64 {
    bytes.iter().rev().fold(0, |mask, &byte| (mask << 1) | u64::from(test(byte)))
}
