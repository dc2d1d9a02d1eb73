//! Interns names as numbers.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

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
