//! Pseudo-random numbers seeded by a document: equal for equal bytes, different after any change.

/// A source of numbers.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// Seeds the source with the FNV-1a hash of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Draw {
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Draw(hash)
    }

    /// A number below `end` (splitmix64).
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    /// One of `values`.
    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// A length of at least 1, mostly short, for cutting a text at varied places.
    pub fn len(&mut self) -> usize {
        let max = self.one_of(&[1, 3, 63, 64, 65, 200, 5000]);
        1 + self.below(max)
    }
}
