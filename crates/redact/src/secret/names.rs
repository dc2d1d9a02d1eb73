//! The names of keys whose values are secret even without a mark.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use regex::Regex;

use super::words_of_names::looks_secret;
use plansift_plan::marks::SecretNames;

/// A pattern of the user for the names of keys, and the names that look secret, if they count.
/// Without `^` and `$` the pattern matches parts of names.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pattern: Option<Regex>,
    /// Whether names that look secret are among the names.
    is_guessed: bool,
    /// Whether the pattern has matched a name. All copies share it.
    has_matched: Arc<AtomicBool>,
}

impl Names {
    /// Adds the names that look secret to the pattern: those whose values an audit suspects.
    #[must_use]
    pub fn or_look_secret(self) -> Names {
        Names { is_guessed: true, ..self }
    }

    /// The pattern, as the user wrote it, if it has not matched any name so far.
    pub fn unmatched(&self) -> Option<&str> {
        let pattern = self.pattern.as_ref()?;
        (!self.has_matched.load(Ordering::Relaxed)).then_some(pattern.as_str())
    }
}

/// Names are equal if they match the same names.
impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        let patterns = [self, other].map(|names| names.pattern.as_ref().map(Regex::as_str));
        patterns[0] == patterns[1] && self.is_guessed == other.is_guessed
    }
}

impl Eq for Names {}

impl SecretNames for Names {
    fn has(&self, name: &str) -> bool {
        let is_match = self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(name));
        if is_match && !self.has_matched.load(Ordering::Relaxed) {
            self.has_matched.store(true, Ordering::Relaxed);
        }
        is_match || (self.is_guessed && looks_secret(name.as_bytes()))
    }
}

impl FromStr for Names {
    type Err = regex::Error;

    fn from_str(pattern: &str) -> Result<Names, regex::Error> {
        let pattern = Some(Regex::new(pattern)?);
        Ok(Names { pattern, ..Names::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_secret_can_be_added_to_a_pattern() {
        let pattern: Names = "^pin$".parse().unwrap();
        assert!(pattern.has("pin") && !pattern.has("pins") && !pattern.has("db_password"));
        let both = pattern.or_look_secret();
        assert!(both.has("pin") && both.has("db_password") && !both.has("password_length"));
        let guessed = Names::default().or_look_secret();
        assert!(guessed.has("apiKey") && !guessed.has("pin"));
    }

    #[test]
    fn only_the_pattern_can_be_unmatched() {
        let names = "^pin$".parse::<Names>().unwrap().or_look_secret();
        names.has("token");
        assert_eq!(names.unmatched(), Some("^pin$"));
        names.clone().has("pin");
        assert_eq!(names.unmatched(), None);
        assert_eq!(Names::default().or_look_secret().unmatched(), None);
    }
}
