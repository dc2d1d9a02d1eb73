//! A filter in front of the search for secrets in texts.
//!
//! It knows the four-byte grams at the first few positions of every secret, so that testing one
//! gram every few bytes of a text is enough.

use zeroize::Zeroizing;

/// A filter on four-byte grams.
#[derive(Debug)]
pub(super) struct Grams {
    bits: Zeroizing<Vec<u64>>,
    /// Distance between tested grams in bytes; 0 if a secret is too short for the filter.
    stride: usize,
}

/// Length of a gram in bytes.
const GRAM: usize = 4;

/// Maximum distance between tested grams.
const STRIDE_MAX: usize = 16;

/// Number of bytes of a secret that the filter knows at most.
pub(super) const HEAD_MAX: usize = STRIDE_MAX + GRAM - 1;

/// Number of filter bits per gram. `BITS_MAX` limits the whole filter to the size of the
/// second-level cache.
const SPARSE: usize = 256;
const BITS_MAX: usize = 1 << 22;

impl Grams {
    /// Builds the filter for `count` texts of at least `len_min` bytes.
    pub fn of<T: AsRef<[u8]>>(
        len_min: usize,
        count: usize,
        texts: impl Iterator<Item = T>,
    ) -> Grams {
        let stride = (len_min + 1).saturating_sub(GRAM).min(STRIDE_MAX);
        let wanted = (count * stride * SPARSE).next_power_of_two();
        let mut grams =
            Grams { bits: Zeroizing::new(vec![0; wanted.clamp(1 << 12, BITS_MAX) / 64]), stride };
        for text in texts {
            for gram in text.as_ref().windows(GRAM).take(stride) {
                let bit = grams.bit(gram);
                grams.bits[bit / 64] |= 1 << (bit % 64);
            }
        }
        grams
    }

    /// Whether one of the texts may be in a text.
    #[inline(always)]
    pub fn may_hold(&self, text: &[u8]) -> bool {
        if self.stride == 0 {
            return true;
        }
        let mut from = 0;
        while let Some(gram) = text.get(from..from + GRAM) {
            let bit = self.bit(gram);
            if (self.bits[bit / 64] >> (bit % 64)) & 1 == 1 {
                return true;
            }
            from += self.stride;
        }
        false
    }

    #[inline(always)]
    fn bit(&self, gram: &[u8]) -> usize {
        let gram = u32::from_le_bytes([gram[0], gram[1], gram[2], gram[3]]);
        let hash = u64::from(gram).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> 32) as usize & (self.bits.len() * 64 - 1)
    }
}
