//! What the texts of a document are known by: digests with a key that is drawn anew for each.

use std::hash::{BuildHasher, RandomState};

use super::texts::Role;

/// Makes of a text what it is known by as a secret of one document.
#[derive(Clone, Debug)]
pub(crate) struct Digester {
    keyed: RandomState,
    pub(super) hash: Hash,
    /// Least length of a secret whose echoes are looked for, in bytes.
    echo_min: usize,
}

/// What a secret is known by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digested {
    pub(super) digest: u64,
    /// How it begins, if its echoes are looked for.
    pub(super) head: Option<u32>,
    /// It may be a number; of no use without a head.
    pub(super) is_number: bool,
    /// It is one only as a step of a path.
    pub(super) is_step: bool,
}

impl Digester {
    pub(super) fn new(echo_min: usize) -> Digester {
        let keyed = RandomState::new();
        let factor = keyed.hash_one("the filter's factor") | 1;
        let seen = u64::MAX >> (64 - 8 * echo_min.clamp(1, 8));
        Digester { keyed, hash: Hash { factor, seen }, echo_min }
    }

    /// Least length of an echo, in bytes.
    pub(super) fn echo_min(&self) -> usize {
        self.echo_min
    }

    /// What a text is known by in this run.
    pub(crate) fn digest(&self, text: &[u8]) -> u64 {
        self.keyed.hash_one(text)
    }

    /// What is to be known of a text that is secret.
    pub(super) fn digested(&self, text: &[u8], role: Role) -> Digested {
        let echoes = role == Role::Secret && text.len() >= self.echo_min;
        Digested {
            digest: self.digest(text),
            head: echoes.then(|| self.hash.of(head_of(text))),
            is_number: is_number(text),
            is_step: role == Role::Step,
        }
    }
}

/// What becomes of the first eight bytes of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash {
    /// Odd.
    factor: u64,
    /// The bytes that are looked at.
    seen: u64,
}

impl Hash {
    #[inline(always)]
    pub fn of(self, head: u64) -> u32 {
        ((head & self.seen).wrapping_mul(self.factor) >> 32) as u32
    }
}

/// Whether a text may be that of a number.
fn is_number(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'-' | b'0'..=b'9'))
        && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
}

/// The first eight bytes of a text as a number, the first byte lowest; zeros where it ends.
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
