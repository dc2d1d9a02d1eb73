//! Interns names as numbers, and limits the memory of an index.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crate::error::{Error, Result};
use crate::limits::{Limit, Limits};

/// Counts the memory of an index against its limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    max: u64,
    used: u64,
}

impl Budget {
    pub fn new(limits: &Limits) -> Budget {
        Budget { max: limits.configuration, used: 0 }
    }

    /// Takes an estimated number of bytes from the budget. `offset` is the place of an error.
    ///
    /// # Errors
    ///
    /// Fails with [`Limit::Configuration`] if the bytes are not left.
    pub fn take(&mut self, bytes: usize, offset: u64) -> Result<()> {
        self.used += bytes as u64;
        match self.used > self.max {
            true => Err(Error::limit(Limit::Configuration, self.max, offset)),
            false => Ok(()),
        }
    }

    /// The bytes taken.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Releases bytes: resets to an earlier result of [`Budget::used`].
    pub fn reset(&mut self, used: u64) {
        self.used = used;
    }
}

/// An interner: numbers texts from zero, in the order of insertion.
#[derive(Debug, Default)]
pub(super) struct Names {
    hasher: RandomState,
    /// The numbers by the digests of the texts. A collision moves to the next digest.
    numbers: HashMap<u64, u32>,
    texts: Vec<Box<str>>,
}

/// The estimated memory of a name without its text.
pub(super) const NAME_OVERHEAD: usize = 48;

impl Names {
    /// Inserts a text unless it is present. Returns its number, and whether it is new.
    pub fn insert(&mut self, text: &str) -> (u32, bool) {
        let digest = match self.find(text) {
            Ok(number) => return (number, false),
            Err(digest) => digest,
        };
        let number = self.texts.len() as u32;
        self.numbers.insert(digest, number);
        self.texts.push(text.into());
        (number, true)
    }

    /// The number of a text; `None` if it was not inserted.
    pub fn get(&self, text: &str) -> Option<u32> {
        self.find(text).ok()
    }

    /// The text with a number.
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }

    /// The number of a text, or the digest under which to insert it.
    fn find(&self, text: &str) -> std::result::Result<u32, u64> {
        let mut digest = self.hasher.hash_one(text);
        loop {
            match self.numbers.get(&digest) {
                None => return Err(digest),
                Some(&number) if self.text(number) == text => return Ok(number),
                Some(_) => digest = digest.wrapping_add(1),
            }
        }
    }
}
