//! Places in tables for texts, without looking at all of a text: where two fall on the same place,
//! that only costs time.

/// One of so many slots for texts, by the length of each and its bytes at three places.
///
/// `slots` is at least 2, and a power of two.
pub(crate) fn slot<'t>(texts: impl IntoIterator<Item = &'t [u8]>, slots: usize) -> usize {
    let mut hash = 0;
    for text in texts {
        let last = text.len().saturating_sub(8);
        hash = mix(hash, text.len() as u64);
        for at in [0, last / 2, last] {
            let word = text[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            hash = mix(hash, word);
        }
    }
    // The high bits depend on all others.
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
    fn a_few_texts_have_slots_of_their_own() {
        let texts: Vec<_> = (0..40).map(|n| format!(r#"{{"key_{n}":true,"tags":{{}}}}"#)).collect();
        for texts in [
            texts.iter().map(|text| vec![text.as_bytes()]).collect::<Vec<_>>(),
            // The same on both sides, which is what most changes have.
            texts.iter().map(|text| vec![text.as_bytes(); 2]).collect(),
        ] {
            let slots: HashSet<_> = texts.iter().map(|it| slot(it.iter().copied(), 64)).collect();
            // Of forty that fall on 64 slots by chance, 30 are to be expected.
            assert!(slots.len() > 20, "{}", slots.len());
            assert!(slots.iter().all(|slot| *slot < 64));
        }
    }
}
