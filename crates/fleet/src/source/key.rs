//! Keys for sets and maps: digests of strings, which take less memory than the strings.

/// The first 16 bytes of the BLAKE3 digest of a string. In practice, different strings have
/// different keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 16]);

impl Key {
    pub fn of(text: &[u8]) -> Key {
        let mut key = [0; 16];
        blake3::Hasher::new().update(text).finalize_xof().fill(&mut key);
        Key(key)
    }
}
