//! Globs: `*` matches any text, the empty one included; every other character matches itself.

/// A glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    /// The literal texts between the stars.
    parts: Vec<Box<[u8]>>,
}

impl Glob {
    /// Parses a glob as the user wrote it.
    pub fn new(pattern: &str) -> Glob {
        Glob { parts: pattern.split('*').map(|part| part.as_bytes().into()).collect() }
    }

    /// A glob that matches exactly one text.
    pub fn literal(text: &str) -> Glob {
        Glob { parts: vec![text.as_bytes().into()] }
    }

    /// Whether the glob matches the whole text.
    pub fn matches(&self, text: &[u8]) -> bool {
        let [first, between @ .., last] = &self.parts[..] else {
            return *text == *self.parts[0];
        };
        let rest = text.strip_prefix(&**first).and_then(|rest| rest.strip_suffix(&**last));
        let Some(mut rest) = rest else { return false };
        // The leftmost occurrence of a part leaves the most text for the parts after it.
        between.iter().all(|part| match find(rest, part) {
            Some(end) => {
                rest = &rest[end..];
                true
            }
            None => false,
        })
    }
}

/// A glob in which a leading `*.` is optional: `*.tags` matches `tags` as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    whole: Glob,
    behind: Option<Glob>,
}

impl Pattern {
    /// Parses a pattern as the user wrote it.
    pub fn new(text: &str) -> Pattern {
        Pattern { whole: Glob::new(text), behind: text.strip_prefix("*.").map(Glob::new) }
    }

    /// Whether the pattern matches the whole text.
    pub fn matches(&self, text: &str) -> bool {
        let text = text.as_bytes();
        self.whole.matches(text) || self.behind.as_ref().is_some_and(|glob| glob.matches(text))
    }
}

/// The end of the first occurrence of a part.
fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part).map(|at| at + part.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of a match, letter by letter.
    fn naive(pattern: &[u8], text: &[u8]) -> bool {
        match pattern {
            [] => text.is_empty(),
            [b'*', rest @ ..] => (0..=text.len()).any(|at| naive(rest, &text[at..])),
            [byte, rest @ ..] => text.first() == Some(byte) && naive(rest, &text[1..]),
        }
    }

    /// All texts of these letters up to a length.
    fn all(letters: &str, len: usize) -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut longest = texts.clone();
        for _ in 0..len {
            let mut longer = Vec::new();
            for text in &longest {
                longer.extend(letters.chars().map(|letter| format!("{text}{letter}")));
            }
            longest = longer;
            texts.extend_from_slice(&longest);
        }
        texts
    }

    #[test]
    fn matches_follow_the_definition() {
        let mut matching = 0;
        for pattern in all("ab*", 5) {
            let glob = Glob::new(&pattern);
            for text in all("ab", 5) {
                let expected = naive(pattern.as_bytes(), text.as_bytes());
                assert_eq!(glob.matches(text.as_bytes()), expected, "{pattern} {text}");
                matching += u32::from(expected);
            }
        }
        assert!(matching > 1000);
    }

    #[test]
    fn brackets_are_themselves_and_literals_have_no_stars() {
        assert!(Glob::new("a.b[0]*").matches(b"a.b[0].c"));
        assert!(!Glob::new("a.b[01]").matches(b"a.b0"));
        assert!(Glob::literal("a*").matches(b"a*") && !Glob::literal("a*").matches(b"ab"));
    }
}
