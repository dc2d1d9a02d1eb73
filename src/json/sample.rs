//! A number that a text is likely to share with no other one that is kept beside it, without looking
//! at all of the text: for tables where two texts of one number only cost time.

/// Made of the text's length and of its bytes at three places.
pub(crate) fn sample(text: &[u8]) -> u64 {
    let last = text.len().saturating_sub(8);
    let words = [0, last / 2, last]
        .map(|at| text[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word)));
    words.into_iter().fold(text.len() as u64, mix)
}

/// A number of two, whose low bits depend on all of theirs.
pub(crate) fn mix(one: u64, two: u64) -> u64 {
    (one ^ two).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
