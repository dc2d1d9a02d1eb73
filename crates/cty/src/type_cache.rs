//! The types that precede values of a dynamic type, by their text.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::error::Error;
use super::types::Type;

/// Remembers types by their text, because most plans repeat a few types. Its memory is bounded.
#[derive(Debug, Default)]
pub struct TypeCache {
    by_text: RefCell<HashMap<Box<[u8]>, Type, RandomState>>,
    /// The total length of the texts, in bytes.
    len: Cell<usize>,
}

/// The longest text of a type that is cached, and the maximum total length of the texts, in bytes.
/// A type takes up to 100 times as much memory as its text.
const TEXT_MAX: usize = 4 << 10;
const TEXTS_MAX: usize = 64 << 10;

impl TypeCache {
    /// Returns the type of a text.
    ///
    /// # Errors
    ///
    /// Fails like [`Type::parse`].
    pub fn parse(&self, text: &[u8]) -> Result<Type, Error> {
        let mut by_text = self.by_text.borrow_mut();
        if let Some(known) = by_text.get(text) {
            return Ok(known.clone());
        }
        let ty = Type::parse(text)?;
        if text.len() <= TEXT_MAX {
            if self.len.get() + text.len() > TEXTS_MAX {
                by_text.clear();
                self.len.set(0);
            }
            by_text.insert(text.into(), ty.clone());
            self.len.set(self.len.get() + text.len());
        }
        Ok(ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_their_texts_and_the_texts_are_bounded() {
        let types = TypeCache::default();
        for number in 0..10_000 {
            let text = format!(r#"["object",{{"a{number}":"string"}}]"#);
            let parsed = Type::parse(text.as_bytes());
            assert_eq!(types.parse(text.as_bytes()).ok(), parsed.clone().ok(), "{text}");
            assert_eq!(types.parse(text.as_bytes()).ok(), parsed.ok(), "{text}");
            let len: usize = types.by_text.borrow().keys().map(|text| text.len()).sum();
            assert!(len == types.len.get() && len <= TEXTS_MAX, "{len}");
        }
        let long = format!(r#"["object",{{"{}":"string"}}]"#, "a".repeat(TEXT_MAX));
        assert!(types.parse(long.as_bytes()).is_ok());
        assert!(!types.by_text.borrow().contains_key(long.as_bytes()));
        assert!(types.parse(b"[").is_err());
    }
}
