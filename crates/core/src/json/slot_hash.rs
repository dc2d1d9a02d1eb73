//! A cheap hash of texts for caches. It samples a few bytes; a collision only costs time.

/// Returns the slot of a list of texts in a table of `slots` entries. Hashes the length of each
/// text, and eight bytes at its start, middle and end.
///
/// `slots` is a power of two and at least 2.
pub fn slot<'t>(texts: impl IntoIterator<Item = &'t [u8]>, slots: usize) -> usize {
    let mut hash = 0;
    for text in texts {
        let last = text.len().saturating_sub(8);
        hash = mix(hash, text.len() as u64);
        for at in [0, last / 2, last] {
            let word = text[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            hash = mix(hash, word);
        }
    }
    // The high bits depend on all input bits.
    (mix(hash, 0) >> (u64::BITS - slots.ilog2())) as usize
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn similar_texts_spread_over_the_slots() {
        let texts: Vec<_> = (0..40).map(|n| format!(r#"{{"key_{n}":true,"tags":{{}}}}"#)).collect();
        for texts in [
            texts.iter().map(|text| vec![text.as_bytes()]).collect::<Vec<_>>(),
            // Most changes have the same text on both sides.
            texts.iter().map(|text| vec![text.as_bytes(); 2]).collect(),
        ] {
            let slots: HashSet<_> = texts.iter().map(|it| slot(it.iter().copied(), 64)).collect();
            // A random function puts 40 texts into about 30 of 64 slots.
            assert!(slots.len() > 20, "{}", slots.len());
            assert!(slots.iter().all(|slot| *slot < 64));
        }
    }
}
