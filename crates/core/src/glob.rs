//! Globs: `*` matches any string, including the empty one. Every other character matches itself.

/// A pattern in which `*` stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    /// The literal strings between the stars.
    parts: Vec<Box<[u8]>>,
}

impl Glob {
    /// Parses a glob as the user wrote it.
    pub fn new(pattern: &str) -> Glob {
        Glob { parts: pattern.split('*').map(|part| part.as_bytes().into()).collect() }
    }

    /// Creates a glob that matches exactly one string.
    pub fn literal(text: &str) -> Glob {
        Glob { parts: vec![text.as_bytes().into()] }
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        self.advanced(Progress::default(), text).is_some_and(|reached| self.ends(reached, text))
    }

    /// Whether the glob matches a prefix of `text` that ends at one of `ends`. The offsets in
    /// `ends` are in ascending order.
    ///
    /// The parts between the stars are searched once. The leftmost occurrence of a part leaves the
    /// longest rest for the parts after it. Each end then costs one comparison with the last part.
    pub fn matches_up_to(&self, text: &[u8], mut ends: impl Iterator<Item = usize>) -> bool {
        let [_, .., last] = &self.parts[..] else {
            let whole = &*self.parts[0];
            return text.starts_with(whole) && ends.any(|end| end == whole.len());
        };
        let reached = self.advanced(Progress::default(), text);
        let Some(reached) = reached.filter(|reached| reached.found + 1 == self.parts.len()) else {
            return false;
        };
        ends.any(|end| {
            let rest = text[..end].get(reached.from..);
            rest.is_some_and(|rest| rest.ends_with(last))
        })
    }

    /// Resumes matching after the string has grown since `progress`. Returns `None` if no string
    /// that starts with `text` matches.
    pub fn advanced(&self, progress: Progress, text: &[u8]) -> Option<Progress> {
        let Progress { mut found, mut from } = progress;
        let stars = self.parts.len() - 1;
        if found == 0 {
            let first = &*self.parts[0];
            let known = text.len().min(first.len());
            let is_longer = stars == 0 && text.len() > first.len();
            if is_longer || text[from..known] != first[from..known] {
                return None;
            }
            if stars == 0 || text.len() < first.len() {
                return Some(Progress { found, from: known });
            }
            (found, from) = (1, first.len());
        }
        while found < stars {
            let part = &self.parts[found];
            match find(&text[from..], part) {
                Some(end) => (found, from) = (found + 1, from + end),
                None => {
                    // The string may end with the start of the part.
                    from = from.max((text.len() + 1).saturating_sub(part.len()));
                    break;
                }
            }
        }
        Some(Progress { found, from })
    }

    /// Whether the glob matches a string that ends after `text`.
    pub fn ends(&self, Progress { found, from }: Progress, text: &[u8]) -> bool {
        let stars = self.parts.len() - 1;
        let last = &*self.parts[stars];
        match stars {
            0 => text.len() == last.len(),
            _ => found == stars && text[from..].ends_with(last),
        }
    }

    /// Returns the unmatched rest of the literal before the first star. Returns `None` once a star
    /// is reached, because any string may follow there.
    pub fn next(&self, Progress { found, from }: Progress) -> Option<&[u8]> {
        (found == 0).then(|| &self.parts[0][from..])
    }
}

/// The progress of matching a growing string against a glob ([`Glob::advanced`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    found: usize,
    /// The offset at which the search for the next part continues.
    from: usize,
}

/// Returns the offset at which the first occurrence of a part ends.
fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part).map(|at| at + part.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An independent matcher that follows the definition byte by byte.
    fn naive(pattern: &[u8], text: &[u8]) -> bool {
        match pattern {
            [] => text.is_empty(),
            [b'*', rest @ ..] => (0..=text.len()).any(|at| naive(rest, &text[at..])),
            [byte, rest @ ..] => text.first() == Some(byte) && naive(rest, &text[1..]),
        }
    }

    /// All strings of up to `len` of these letters.
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
    fn incremental_matches_agree_with_a_naive_matcher() {
        for pattern in all("ab*", 4) {
            let glob = Glob::new(&pattern);
            for text in all("ab", 5) {
                let text = text.as_bytes();
                let mut progress = Some(Progress::default());
                for end in 0..=text.len() {
                    let prefix = &text[..end];
                    progress = progress.and_then(|it| glob.advanced(it, prefix));
                    let matches = progress.is_some_and(|it| glob.ends(it, prefix));
                    assert_eq!(matches, naive(pattern.as_bytes(), prefix), "{pattern} {prefix:?}");
                }
                for ends in [&[0, 2, 4][..], &[1, 3], &[5]] {
                    let ends = || ends.iter().copied().filter(|end| *end <= text.len());
                    let expected = ends().any(|end| naive(pattern.as_bytes(), &text[..end]));
                    let found = glob.matches_up_to(text, ends());
                    assert_eq!(found, expected, "{pattern} {text:?}");
                }
            }
        }
    }

    #[test]
    fn brackets_in_globs_and_stars_in_literals_match_literally() {
        assert!(Glob::new("a.b[0]*").matches(b"a.b[0].c"));
        assert!(!Glob::new("a.b[01]").matches(b"a.b0"));
        assert!(Glob::literal("a*").matches(b"a*") && !Glob::literal("a*").matches(b"ab"));
    }
}
