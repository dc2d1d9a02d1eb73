//! Encrypts temporary files. Only this process can decrypt such a file. After the process has
//! ended, nobody can.
//!
//! The key is random, different for each file, and never leaves memory. The keystream is the output
//! of BLAKE3 under the key, so any range of the file can be read. Each byte of a file is written
//! once, and the keystream is used for nothing else. A seal does not detect changes of the file.

use std::io;

use blake3::{Hasher, OutputReader};

/// The keystream of a file.
#[derive(Clone, Debug)]
pub(super) struct Seal(OutputReader);

impl Seal {
    /// Creates a seal with a new key. Fails if the system has no random bytes.
    pub(super) fn new() -> io::Result<Seal> {
        let mut key = zeroize::Zeroizing::new([0; 32]);
        getrandom::fill(&mut *key).map_err(io::Error::other)?;
        Ok(Seal(Hasher::new_keyed(&key).finalize_xof()))
    }

    /// Encrypts or decrypts the bytes at an offset of the file.
    pub(super) fn apply(&self, bytes: &mut [u8], offset: u64) {
        let mut keystream = self.0.clone();
        keystream.set_position(offset);
        let mut key = [0; 4096];
        for piece in bytes.chunks_mut(key.len()) {
            let key = &mut key[..piece.len()];
            keystream.fill(key);
            for (byte, key) in piece.iter_mut().zip(&*key) {
                *byte ^= key;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_decrypted_like_the_whole() {
        let text: Vec<u8> = (0..10_000_u32).map(|number| number as u8).collect();
        let seal = Seal::new().unwrap();
        let mut sealed = text.clone();
        seal.apply(&mut sealed, 5);
        let equal = sealed.iter().zip(&text).filter(|(one, two)| one == two).count();
        assert!(equal < 200, "{equal} bytes are as before");
        for range in [0..10_000, 1..2, 4095..4097, 63..9_999] {
            let mut part = sealed[range.clone()].to_vec();
            seal.apply(&mut part, 5 + range.start as u64);
            assert_eq!(part, text[range]);
        }
    }

    #[test]
    fn two_seals_have_two_keys() {
        let [one, two] = [(); 2].map(|()| {
            let mut bytes = [0; 64];
            Seal::new().unwrap().apply(&mut bytes, 0);
            bytes
        });
        assert_ne!(one, two);
    }
}
