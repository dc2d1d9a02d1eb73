//! The user's pattern for keys whose values are secret even without a mark.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use regex::Regex;

use plansift_plan::marks::SecretNames;

/// A pattern for the names of keys. Without `^` and `$` it matches parts of names.
#[derive(Clone, Debug)]
pub struct Names {
    pattern: Regex,
    /// Whether the pattern has matched a name. All copies share it.
    has_matched: Arc<AtomicBool>,
}

impl Names {
    /// Whether the pattern has matched any name so far.
    pub fn has_matched(&self) -> bool {
        self.has_matched.load(Ordering::Relaxed)
    }

    /// The pattern, as the user wrote it.
    pub fn as_str(&self) -> &str {
        self.pattern.as_str()
    }
}

impl SecretNames for Names {
    fn has(&self, name: &str) -> bool {
        let is_match = self.pattern.is_match(name);
        if is_match && !self.has_matched() {
            self.has_matched.store(true, Ordering::Relaxed);
        }
        is_match
    }
}

impl FromStr for Names {
    type Err = regex::Error;

    fn from_str(pattern: &str) -> Result<Names, regex::Error> {
        let pattern = Regex::new(pattern)?;
        Ok(Names { pattern, has_matched: Arc::default() })
    }
}
