//! Names of keys whose values are secret even without a mark: a pattern that the user chooses.

#[cfg(feature = "redact")]
pub use pattern::Names;
#[cfg(not(feature = "redact"))]
pub use without::Names;

#[cfg(feature = "redact")]
mod pattern {
    use std::str::FromStr;

    use regex::Regex;

    /// A pattern for the names of keys. Without `^` and `$` it matches parts of names.
    #[derive(Clone, Debug)]
    pub struct Names(Regex);

    impl Names {
        /// Whether the pattern matches a name.
        pub fn is_match(&self, name: &str) -> bool {
            self.0.is_match(name)
        }

        /// The pattern, as the user wrote it.
        pub fn as_str(&self) -> &str {
            self.0.as_str()
        }
    }

    impl FromStr for Names {
        type Err = regex::Error;

        fn from_str(pattern: &str) -> Result<Names, regex::Error> {
            Regex::new(pattern).map(Names)
        }
    }
}

#[cfg(not(feature = "redact"))]
mod without {
    /// A pattern for the names of keys. There is none without the feature `redact`.
    #[derive(Clone, Debug)]
    pub enum Names {}

    impl Names {
        /// Whether the pattern matches a name.
        pub fn is_match(&self, _: &str) -> bool {
            match *self {}
        }
    }
}
