//! A pattern for keys whose values are secret without a mark.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use regex::Regex;

/// A pattern for keys, and whether it has matched a key. All copies share the answer.
#[derive(Clone, Debug)]
pub struct Names {
    pattern: Regex,
    has_matched: Arc<AtomicBool>,
}

impl Names {
    /// Whether the pattern matches a key.
    pub fn is_match(&self, key: &str) -> bool {
        let is_match = self.pattern.is_match(key);
        if is_match && !self.has_matched() {
            self.has_matched.store(true, Ordering::Relaxed);
        }
        is_match
    }

    /// Whether the pattern has matched any key so far.
    pub fn has_matched(&self) -> bool {
        self.has_matched.load(Ordering::Relaxed)
    }

    /// The text of the pattern.
    pub fn as_str(&self) -> &str {
        self.pattern.as_str()
    }
}

impl From<Regex> for Names {
    fn from(pattern: Regex) -> Names {
        Names { pattern, has_matched: Arc::default() }
    }
}
