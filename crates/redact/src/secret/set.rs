//! The secrets of a document, as keyed digests: the texts themselves are not stored.
//!
//! The search looks up every string of a document, and nearly all strings are not secrets. So a
//! filter on the first bytes of a text comes first: a bit table indexed by a keyed product of these
//! bytes. Only texts that pass the filter are digested and looked up.
//!
//! The key is random for each document. Digests have 64 bits. The chance that any of a million
//! million pairs of texts collides is below one in ten million. A collision masks a text that is
//! not a secret. It never shows a secret.

use std::collections::HashSet;

use hashbrown::HashTable;

use super::digest::{Digested, Digester, Hash, head_of};
use super::meaning::{containers, meaning};
use super::texts::{Role, without_line_ends};
use plansift_core::error::{Error, Result};
use plansift_core::json::number;
use plansift_core::json::value::Value;
use plansift_core::json::word::Word;
use plansift_core::limits::{Limit, Limits};

/// The secrets of one document.
#[derive(Debug)]
pub struct Secrets {
    digester: Digester,
    filter: Vec<u64>,
    /// The hashes of the secrets' first bytes (heads). A larger filter is filled from them.
    heads: Vec<u32>,
    /// The digests, indexed by the numbers of the secrets.
    digests: Vec<u64>,
    /// The numbers of the secrets, hashed by digest.
    numbers: HashTable<u32>,
    /// True if a secret may be a number.
    has_numbers: bool,
    /// True if the first bytes of a secret have white space.
    has_breaks: bool,
    /// True if `steps` has digests of the contents of documents.
    has_meanings: bool,
    /// Digests of keys that are secret as steps of paths, and of the contents of secret documents.
    steps: HashSet<u64>,
    /// False if `steps` had no room for a digest.
    has_all_steps: bool,
    max: u64,
}

/// Initial length of the filter in words of 64 bits, which fits the first-level cache.
const FILTER_MIN: usize = 1 << 9;

/// Minimum number of filter bits per secret.
const SPARSE: usize = 16;

impl Secrets {
    /// An empty set. An echo has at least `echo_min` bytes, and is never empty.
    pub fn new(echo_min: usize, limits: &Limits) -> Secrets {
        Secrets {
            digester: Digester::new(echo_min),
            filter: vec![0; FILTER_MIN],
            heads: Vec::new(),
            digests: Vec::new(),
            numbers: HashTable::new(),
            has_numbers: false,
            has_breaks: false,
            has_meanings: false,
            steps: HashSet::new(),
            has_all_steps: true,
            max: limits.secrets,
        }
    }

    /// Records a secret: a decoded text, found at `offset`. Returns `false` if it is already known.
    ///
    /// # Errors
    ///
    /// Fails if there are too many secrets.
    pub fn insert(&mut self, text: &[u8], offset: u64) -> Result<bool> {
        self.insert_digested(self.digester.digested(text, Role::Secret), offset)
    }

    /// Records a text of a marked path in any of its roles. Returns `true` if it is a new secret.
    /// Fails if there are too many secrets.
    pub(super) fn insert_text(&mut self, text: &[u8], role: Role, offset: u64) -> Result<bool> {
        self.insert_digested(self.digester.digested(text, role), offset)
    }

    /// Whether a text may be a document with the same content as a secret.
    pub fn may_repeat_content(&self, text: &[u8]) -> bool {
        let may_hold = |said: [u8; 8]| self.may_hold_step(&said);
        self.has_meanings && meaning(text, self.echo_min()).is_some_and(may_hold)
    }

    /// Returns the offsets of the objects and arrays in a document that may have the content of a
    /// marked document, in ascending order. Fails if the document is malformed.
    pub fn repeated_in(&self, document: Value<'_>) -> Result<Vec<u64>> {
        let mut repeated = Vec::new();
        if self.has_meanings {
            containers(document, |container, meaning| {
                let is_long = container.raw().len() >= self.echo_min();
                if is_long && self.may_hold_step(&meaning.to_le_bytes()) {
                    repeated.push(container.offset());
                }
            })?;
            repeated.sort_unstable();
        }
        Ok(repeated)
    }

    fn insert_step_digested(&mut self, digest: u64) {
        if self.steps.len() as u64 >= self.max {
            self.has_all_steps &= self.steps.contains(&digest);
        } else {
            self.steps.insert(digest);
        }
    }

    /// Whether a step of a path may be a secret, or a key inside one.
    pub fn may_hold_step(&self, step: &[u8]) -> bool {
        let digest = self.digest(step);
        !self.has_all_steps || self.find(digest).is_some() || self.steps.contains(&digest)
    }

    /// Like [`Secrets::insert`], for a secret whose digest is already computed
    /// ([`Secrets::digester`]). Fails if there are too many secrets.
    pub(super) fn insert_digested(&mut self, secret: Digested, offset: u64) -> Result<bool> {
        let Digested { digest, head, is_number, has_break, is_step, is_meaning } = secret;
        if is_step {
            self.has_meanings |= is_meaning;
            self.insert_step_digested(digest);
            return Ok(false);
        }
        if self.find(digest).is_some() {
            return Ok(false);
        }
        let number = self.digests.len() as u32 + 1;
        if u64::from(number) > self.max {
            return Err(Error::limit(Limit::Secrets, self.max, offset));
        }
        self.digests.push(digest);
        let digests = &self.digests;
        // Digests are random enough to serve as their own hashes.
        let _ = self.numbers.insert_unique(digest, number, |&number| digests[index_of(number)]);
        if let Some(head) = head {
            self.has_numbers |= is_number;
            self.has_breaks |= has_break;
            self.insert_head(head);
        }
        Ok(true)
    }

    pub(super) fn has(&self, secret: &Digested) -> bool {
        match secret.is_step {
            true => !self.has_all_steps || self.steps.contains(&secret.digest),
            false => self.find(secret.digest).is_some(),
        }
    }

    /// Computes digests that match those of the set.
    pub(crate) fn digester(&self) -> &Digester {
        &self.digester
    }

    /// Adds a hashed head to the filter.
    fn insert_head(&mut self, head: u32) {
        self.heads.push(head);
        if self.heads.len() * SPARSE > self.filter.len() * 64 {
            self.filter = vec![0; self.filter.len() * 2];
            for place in 0..self.heads.len() {
                self.set_bit(self.heads[place]);
            }
        }
        self.set_bit(head);
    }

    fn set_bit(&mut self, head: u32) {
        let bit = bit(head, &self.filter);
        self.filter[bit / 64] |= 1 << (bit % 64);
    }

    /// The number of the secret with this text, counted from one.
    pub fn number(&self, text: &[u8]) -> Option<u32> {
        self.find(self.digest(text))
    }

    /// Like [`Secrets::number`], for a value. Ignores line ends at the end of either text.
    pub fn repeated(&self, text: &[u8]) -> Option<u32> {
        let line = || self.number(without_line_ends(text, self.echo_min())?);
        self.number(text).or_else(line)
    }

    /// The number of the secret that a text is an echo of. The filter comes first, because most
    /// texts are not echoes.
    pub fn echoed(&self, text: &[u8]) -> Option<u32> {
        let may_be = text.len() >= self.echo_min() && self.may_begin(head_of(text));
        may_be.then(|| self.repeated(text)).flatten()
    }

    /// Like [`Secrets::echoed`], for a JSON number: compares its spelling and its value. A short
    /// spelling, such as `1e9`, may equal a long one.
    pub(crate) fn echoed_number(&self, number: &[u8], decoded: &mut Vec<u8>) -> Option<u32> {
        if let Some(number) = self.echoed(number) {
            return Some(number);
        }
        if !self.has_numbers || !Word::is_whole(number) {
            return None;
        }
        let shared = number::canonical(number, decoded);
        if shared == number { None } else { self.echoed(shared) }
    }

    fn find(&self, digest: u64) -> Option<u32> {
        self.numbers.find(digest, |&number| self.digests[index_of(number)] == digest).copied()
    }

    /// Whether any secret can have echoes.
    pub fn echo(&self) -> bool {
        !self.heads.is_empty()
    }

    /// Whether a marked text is a document, whose content may stand in other documents.
    pub(crate) fn has_meanings(&self) -> bool {
        self.has_meanings
    }

    /// Whether the first bytes of a secret have white space.
    pub(super) fn has_breaks(&self) -> bool {
        self.has_breaks
    }

    /// Whether a secret number can have echoes.
    pub fn echo_numbers(&self) -> bool {
        self.has_numbers
    }

    /// Minimum length of an echo in bytes.
    pub fn echo_min(&self) -> usize {
        self.digester.echo_min()
    }

    /// Number of secrets.
    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// Whether a text of at least [`Secrets::echo_min`] bytes may be a secret, judged by its first
    /// eight bytes. Bytes after the end of a shorter text do not matter.
    pub fn may_begin(&self, head: u64) -> bool {
        self.beginnings().may_hold(head)
    }

    /// A view of the filter for testing many texts.
    #[inline(always)]
    pub(super) fn beginnings(&self) -> HeadFilter<'_> {
        HeadFilter { words: &self.filter, hash: self.digester.hash }
    }

    /// The digest of a text. Only digests of the same set are comparable.
    pub(crate) fn digest(&self, text: &[u8]) -> u64 {
        self.digester.digest(text)
    }
}

/// The filter on the first eight bytes of texts.
#[derive(Clone, Copy)]
pub(super) struct HeadFilter<'s> {
    words: &'s [u64],
    hash: Hash,
}

impl HeadFilter<'_> {
    /// Whether a text with these first bytes may be a secret ([`Secrets::may_begin`]).
    #[inline(always)]
    pub fn may_hold(&self, head: u64) -> bool {
        let bit = bit(self.hash.of(head), self.words);
        (self.words[bit / 64] >> (bit % 64)) & 1 == 1
    }
}

/// The index of the filter bit for a hashed head.
#[inline(always)]
fn bit(hash: u32, filter: &[u64]) -> usize {
    hash as usize & (filter.len() * 64 - 1)
}

/// Converts the number of a secret, which counts from one, to its index in a list.
fn index_of(number: u32) -> usize {
    number as usize - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_secrets_pass_the_filter_and_are_found() {
        let mut secrets = Secrets::new(8, &Limits::default());
        let texts: Vec<String> = (0..20_000).map(|number| format!("secret {number}")).collect();
        for text in &texts {
            secrets.insert(text.as_bytes(), 0).unwrap();
        }
        for (number, text) in (1..).zip(&texts) {
            assert!(secrets.may_begin(head_of(text.as_bytes())));
            assert_eq!(secrets.number(text.as_bytes()), Some(number));
            assert_eq!(secrets.echoed(text.as_bytes()), Some(number));
        }
        assert_eq!(secrets.number(b"secret -1"), None);
    }

    #[test]
    fn the_filter_ignores_bytes_after_a_text() {
        for echo_min in 1..=8 {
            let mut secrets = Secrets::new(echo_min, &Limits::default());
            let text = &b"abcdefgh"[..echo_min];
            secrets.insert(text, 0).unwrap();
            let behind = [text, b"\",\"next\""].concat();
            assert!(secrets.may_begin(head_of(&behind)), "{echo_min}");
        }
    }

    /// A pseudo-random text. Evenly spaced texts would only test how good the random factor of this
    /// run is.
    fn mixed(number: u64) -> u64 {
        let mixed = (number ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 32)
    }

    #[test]
    fn the_filter_rejects_most_other_texts() {
        let mut secrets = Secrets::new(8, &Limits::default());
        let text = |number: u32| mixed(u64::from(number));
        for number in 0..100_000 {
            secrets.insert(&text(number).to_le_bytes(), 0).unwrap();
        }
        // At most one filter bit in sixteen is set.
        let passed = (100_000..200_000).filter(|&number| secrets.may_begin(text(number)));
        assert!(passed.count() < 10_000);
    }

    #[test]
    fn the_number_of_secrets_is_limited() {
        let limits = Limits { secrets: 2, ..Limits::default() };
        let mut secrets = Secrets::new(8, &limits);
        for text in [&b"one"[..], b"two", b"one"] {
            secrets.insert(text, 0).unwrap();
        }
        let error = secrets.insert(b"three", 17).unwrap_err();
        assert_eq!(
            error.kind(),
            plansift_core::error::ErrorKind::Limit { limit: Limit::Secrets, value: 2 }
        );
    }
}
