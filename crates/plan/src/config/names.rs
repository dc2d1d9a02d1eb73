//! Interns names as numbers.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// An interner: numbers strings from zero, in the order of insertion.
#[derive(Debug, Default)]
pub(super) struct Names {
    hasher: RandomState,
    /// The numbers, hashed by their strings.
    numbers: HashTable<u32>,
    texts: Vec<Box<str>>,
}

/// The estimated memory of a name without its bytes.
pub(super) const NAME_OVERHEAD: usize = 48;

impl Names {
    /// Inserts a string unless it is present. Returns its number, and whether it is new.
    pub fn insert(&mut self, text: &str) -> (u32, bool) {
        if let Some(number) = self.get(text) {
            return (number, false);
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.into());
        let hash = |number: &u32| self.hasher.hash_one(&*self.texts[*number as usize]);
        self.numbers.insert_unique(hash(&number), number, hash);
        (number, true)
    }

    /// Returns the number of a string; `None` if it was not inserted.
    pub fn get(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.numbers.find(hash, |number| self.text(*number) == text).copied()
    }

    /// Returns the string with this number, or an empty string.
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }
}
