//! Identifies the texts of a document by digests, with a random key per document.

use std::hash::{BuildHasher, RandomState};

use super::texts::Role;

/// Computes the digests of a document's texts.
#[derive(Clone, Debug)]
pub(crate) struct Digester {
    keyed: RandomState,
    pub(super) hash: Hash,
    /// Minimum length in bytes of a secret whose echoes are searched for.
    echo_min: usize,
}

/// The stored form of a secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digested {
    pub(super) digest: u64,
    /// The hash of its first bytes; `None` if its echoes are not searched for.
    pub(super) head: Option<u32>,
    /// True if the text may be a number. Meaningless if `head` is `None`.
    pub(super) is_number: bool,
    /// True if whitespace is among its first bytes. A document may write it in several ways.
    pub(super) has_break: bool,
    /// True if the text has no echoes: a key that is secret only as a step of a path, or the
    /// content of a document.
    pub(super) is_step: bool,
    /// True if the text is the digest of the content of a document.
    pub(super) is_meaning: bool,
}

impl Digester {
    pub(super) fn new(echo_min: usize) -> Digester {
        let keyed = RandomState::new();
        let factor = keyed.hash_one("the filter's factor") | 1;
        let seen = u64::MAX >> (64 - 8 * echo_min.clamp(1, 8));
        Digester { keyed, hash: Hash { factor, seen }, echo_min }
    }

    /// Minimum length of an echo in bytes.
    pub(super) fn echo_min(&self) -> usize {
        self.echo_min
    }

    /// The digest of a text. Only digests of the same digester, or of a clone, are comparable.
    pub(crate) fn digest(&self, text: &[u8]) -> u64 {
        self.keyed.hash_one(text)
    }

    /// The stored form of a secret text.
    pub(super) fn digested(&self, text: &[u8], role: Role) -> Digested {
        let echoes = role == Role::Secret && text.len() >= self.echo_min;
        Digested {
            digest: self.digest(text),
            head: echoes.then(|| self.hash.of(head_of(text))),
            is_number: is_number(text),
            has_break: text.iter().take(8).any(u8::is_ascii_whitespace),
            is_step: role != Role::Secret,
            is_meaning: role == Role::Meaning,
        }
    }
}

/// Hashes the first eight bytes of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash {
    /// The multiplier, always odd.
    factor: u64,
    /// A mask for the bytes that count: the first `echo_min` bytes of the eight.
    seen: u64,
}

impl Hash {
    #[inline(always)]
    pub fn of(self, head: u64) -> u32 {
        ((head & self.seen).wrapping_mul(self.factor) >> 32) as u32
    }
}

fn is_number(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'-' | b'0'..=b'9'))
        && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
}

/// The first eight bytes of a text, little-endian, padded with zeros.
#[inline(always)]
pub fn head_of(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(head) => u64::from_le_bytes(*head),
        None => {
            let mut head = [0; 8];
            head[..text.len()].copy_from_slice(text);
            u64::from_le_bytes(head)
        }
    }
}
