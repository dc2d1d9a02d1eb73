//! Translates Go's regular expressions (RE2) for the crate `regex`.
//!
//! The parser follows Go's rules. It writes the pattern again with explicit flags, ASCII classes
//! and code points in hexadecimal, so that both engines agree on the meaning. Checks only need to
//! know whether a text has a match. So groups do not capture, and all repetitions are greedy.
//!
//! Each open group is a frame on a stack. A frame contains the alternatives before the current one,
//! and the atoms of the current alternative. Like in Go's parser, a repetition applies to the last
//! atom.

use std::fmt;

use regex::bytes::{Regex, RegexBuilder};

use super::regexp_class::{self as class, RegexpError, escape};

/// Maximum count of a repetition. For nested repetitions, the maximum product of their counts.
const REPEAT_MAX: u32 = 1000;
/// Maximum depth of nested groups.
const GROUPS_MAX: usize = 1000;
/// Maximum size of a compiled expression, in bytes.
const SIZE_MAX: usize = 10 << 20;

/// A compiled regular expression.
#[derive(Clone)]
pub struct Regexp {
    pattern: String,
    regex: Regex,
}

impl Regexp {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Fails if Go rejects the pattern, or if the compiled expression is too large.
    pub fn new(pattern: &str) -> Result<Regexp, RegexpError> {
        let translated = Parser::new(pattern).parse()?;
        let regex = RegexBuilder::new(&translated)
            .size_limit(SIZE_MAX)
            .dfa_size_limit(SIZE_MAX)
            .nest_limit(8 * GROUPS_MAX as u32)
            .build()
            .map_err(|_| RegexpError { reason: "expression too large", offset: 0 })?;
        Ok(Regexp { pattern: pattern.to_owned(), regex })
    }

    /// Whether a text has a match anywhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text.as_bytes())
    }
}

impl fmt::Display for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

impl fmt::Debug for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Regexp({:?})", self.pattern)
    }
}

/// The flags of Go that affect whether a text matches.
#[derive(Clone, Copy, Default)]
struct Flags {
    /// `i`: letters match in any case.
    fold: bool,
    /// `m`: `^` and `$` match at lines.
    multi_line: bool,
    /// `s`: `.` matches a line feed.
    dot_all: bool,
}

/// A translated part of a pattern, and the product of the counts of its nested repetitions.
struct Atom {
    text: String,
    repeats: u32,
}

/// An open group.
#[derive(Default)]
struct Frame {
    /// The alternatives before the current one.
    alternatives: String,
    atoms: Vec<Atom>,
    /// The largest `repeats` of the atoms in the alternatives.
    repeats: u32,
    /// The flags outside the group.
    outer: Flags,
}

struct Parser<'p> {
    pattern: &'p str,
    /// The offset of the next character.
    at: usize,
    flags: Flags,
    frames: Vec<Frame>,
    /// The end of the last repetition operator. Another operator must not begin there.
    repeated: Option<usize>,
}

impl<'p> Parser<'p> {
    fn new(pattern: &'p str) -> Parser<'p> {
        Parser {
            pattern,
            at: 0,
            flags: Flags::default(),
            frames: vec![Frame::default()],
            repeated: None,
        }
    }

    fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    fn error(&self, reason: &'static str) -> RegexpError {
        RegexpError { reason, offset: self.at }
    }

    fn parse(mut self) -> Result<String, RegexpError> {
        while let Some(c) = self.rest().chars().next() {
            match c {
                '(' => self.open()?,
                ')' => self.close()?,
                '|' => {
                    self.alternate();
                    self.at += 1;
                }
                '^' => self.push_symbol(if self.flags.multi_line { "(?m:^)" } else { r"\A" }, 1),
                '$' => self.push_symbol(if self.flags.multi_line { "(?m:$)" } else { r"\z" }, 1),
                '.' => self.push_symbol(if self.flags.dot_all { "(?s:.)" } else { r"[^\n]" }, 1),
                '[' => {
                    let (text, len) =
                        class::parse(self.rest()).map_err(|bad| bad.after(self.at))?;
                    self.push_folded(text);
                    self.at += len;
                }
                '*' => self.repeat(1, "*", REPEAT_FREE)?,
                '+' => self.repeat(1, "+", REPEAT_FREE)?,
                '?' => self.repeat(1, "?", REPEAT_FREE)?,
                '{' => match counts(self.rest()) {
                    Some((operator, counts)) => self.repeat_counted(operator, &counts)?,
                    None => self.push_literal('{', 1),
                },
                '\\' => self.escape()?,
                _ => self.push_literal(c, c.len_utf8()),
            }
        }
        if self.frames.len() > 1 {
            return Err(self.error("missing closing )"));
        }
        self.alternate();
        let whole = self.frames.pop().unwrap_or_default();
        Ok(whole.alternatives)
    }

    fn push(&mut self, text: String, repeats: u32) {
        if let Some(frame) = self.frames.last_mut() {
            frame.atoms.push(Atom { text, repeats });
        }
    }

    fn push_symbol(&mut self, text: &str, len: usize) {
        self.push(text.to_owned(), 1);
        self.at += len;
    }

    fn push_literal(&mut self, c: char, len: usize) {
        self.push_folded(escape(c));
        self.at += len;
    }

    /// Pushes a part whose letters may match in any case.
    fn push_folded(&mut self, text: String) {
        let text = if self.flags.fold { format!("(?i:{text})") } else { text };
        self.push(text, 1);
    }

    /// Ends the current alternative.
    fn alternate(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.repeats = frame.atoms.iter().map(|atom| atom.repeats).fold(frame.repeats, u32::max);
        if !frame.alternatives.is_empty() {
            frame.alternatives.push('|');
        }
        frame.alternatives.push_str("(?:");
        frame.atoms.drain(..).for_each(|atom| frame.alternatives.push_str(&atom.text));
        frame.alternatives.push(')');
    }

    fn open(&mut self) -> Result<(), RegexpError> {
        let outer = self.flags;
        let mut len = 1;
        if self.rest().starts_with("(?") {
            let inside = &self.rest()[2..];
            let name = inside.strip_prefix("P<").or_else(|| inside.strip_prefix('<'));
            match name {
                Some(name) => {
                    let end = name.find('>').ok_or(self.error("invalid named capture"))?;
                    let is_name = |c: char| c == '_' || c.is_ascii_alphanumeric();
                    if end == 0 || !name[..end].chars().all(is_name) {
                        return Err(self.error("invalid named capture"));
                    }
                    len = self.rest().len() - name.len() + end + 1;
                }
                None => {
                    let (flags, read) = flags(inside, self.flags)
                        .ok_or(self.error("invalid or unsupported Perl syntax"))?;
                    self.flags = flags;
                    self.at += 2 + read;
                    if inside[..read].ends_with(')') {
                        return Ok(());
                    }
                    len = 0;
                }
            }
        }
        if self.frames.len() > GROUPS_MAX {
            return Err(self.error("expression nests too deeply"));
        }
        self.frames.push(Frame { outer, ..Frame::default() });
        self.at += len;
        Ok(())
    }

    fn close(&mut self) -> Result<(), RegexpError> {
        if self.frames.len() == 1 {
            return Err(self.error("unexpected )"));
        }
        self.alternate();
        if let Some(frame) = self.frames.pop() {
            self.flags = frame.outer;
            self.push(format!("(?:{})", frame.alternatives), frame.repeats.max(1));
        }
        self.at += 1;
        Ok(())
    }

    /// Applies a repetition operator to the last atom. The operator has `len` bytes in the pattern.
    fn repeat(&mut self, len: usize, operator: &str, repeats: u32) -> Result<(), RegexpError> {
        let start = self.at;
        let last = self.frames.last_mut().and_then(|frame| frame.atoms.last_mut());
        let Some(last) = last else {
            return Err(self.error("missing argument to repetition operator"));
        };
        let product = last.repeats.saturating_mul(repeats);
        let text = format!("(?:{}){operator}", last.text);
        *last = Atom { text, repeats: product };
        if self.repeated == Some(start) {
            return Err(self.error("invalid nested repetition operator"));
        }
        if repeats > REPEAT_FREE && product > REPEAT_MAX {
            return Err(self.error("invalid repeat count"));
        }
        self.at += len;
        if self.rest().starts_with('?') {
            self.at += 1;
        }
        self.repeated = Some(self.at);
        Ok(())
    }

    /// Applies an operator such as `{2,3}`, whose numbers are `counts`.
    fn repeat_counted(
        &mut self,
        operator: &str,
        counts: &[Option<u32>],
    ) -> Result<(), RegexpError> {
        let counts: Option<Vec<u32>> = counts.iter().copied().collect();
        let counts = counts.filter(|counts| counts.is_sorted());
        let Some(repeats) = counts.and_then(|counts| counts.last().copied()) else {
            return Err(self.error("invalid repeat count"));
        };
        // Counts below two need no check of nested repetitions.
        self.repeat(operator.len(), operator, repeats.max(REPEAT_FREE))
    }

    fn escape(&mut self) -> Result<(), RegexpError> {
        let rest = self.rest();
        match rest.as_bytes().get(1) {
            Some(b'A') => self.push_symbol(r"\A", 2),
            Some(b'z') => self.push_symbol(r"\z", 2),
            Some(b'b') => self.push_symbol(r"(?-u:\b)", 2),
            Some(b'B') => self.push_symbol(NOT_WORD_BOUNDARY, 2),
            Some(b'Q') => {
                self.at += 2;
                let quoted = self.rest();
                let end = quoted.find(r"\E").unwrap_or(quoted.len());
                for c in quoted[..end].chars() {
                    self.push_literal(c, c.len_utf8());
                }
                self.at += if end < quoted.len() { 2 } else { 0 };
            }
            _ => {
                let set = class::escaped_class(rest).map_err(|bad| bad.after(self.at))?;
                if let Some((set, len)) = set {
                    self.push_folded(set);
                    self.at += len;
                } else {
                    let c = class::escaped_char(rest).map_err(|bad| bad.after(self.at));
                    let (c, len) = c?;
                    self.push_literal(c, len);
                }
            }
        }
        Ok(())
    }
}

/// A count that Go exempts from the limit on repetitions.
const REPEAT_FREE: u32 = 1;

/// Matches between two ASCII word characters, or between two other characters. Go tests only
/// positions between characters, so the expression must not match inside a character.
const NOT_WORD_BOUNDARY: &str = r"(?:\B(?-u:\B)|\b(?-u:\B))";

/// Reads `{n}`, `{n,}` or `{n,m}` at the start of a text. Returns the operator and its numbers. A
/// number above [`REPEAT_MAX`] is `None`. Without such an operator, the brace is a literal and the
/// result is `None`.
fn counts(text: &str) -> Option<(&str, Vec<Option<u32>>)> {
    let number = |text: &str| -> Option<Option<u32>> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let is_canonical = text.len() == 1 || text.len() > 1 && !text.starts_with('0');
        let number = text.parse().ok().filter(|number| *number <= REPEAT_MAX);
        (is_number && is_canonical).then_some(number)
    };
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b',';
    let end = 1 + text.bytes().skip(1).take_while(|byte| is_part(byte)).count();
    text[end..].strip_prefix('}')?;
    let numbers = match text[1..end].split_once(',') {
        Some((min, "")) => vec![number(min)?],
        Some((min, max)) => vec![number(min)?, number(max)?],
        None => vec![number(&text[1..end])?],
    };
    Some((&text[..=end], numbers))
}

/// Reads the flags after `(?`, up to a colon or the closing bracket. Returns the flags and the
/// number of bytes read.
fn flags(text: &str, outer: Flags) -> Option<(Flags, usize)> {
    let (mut flags, mut is_on, mut is_seen) = (outer, true, false);
    for (at, c) in text.char_indices() {
        match c {
            'i' => flags.fold = is_on,
            'm' => flags.multi_line = is_on,
            's' => flags.dot_all = is_on,
            // Greediness does not affect whether a text matches.
            'U' => {}
            '-' if is_on => {
                (is_on, is_seen) = (false, false);
                continue;
            }
            ':' | ')' if is_on || is_seen => return Some((flags, at + 1)),
            _ => return None,
        }
        is_seen = true;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_match(pattern: &str, text: &str) -> bool {
        Regexp::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}")).is_match(text)
    }

    #[test]
    fn patterns_match_as_in_go() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("b", "abc", true),
            (r"\d", "٣", false),
            (r"\w", "é", false),
            (r"\s", "\u{b}", false),
            (r"[\s]", "\u{b}", false),
            (r"\v", "\u{b}", true),
            (r"\bb", "éb", true),
            (r"\Bb", "éb", false),
            (r"\B", "aéb", false),
            (r"\B", "é", true),
            (r"\B", "éé", true),
            (r"\B", "ab", true),
            (r"\B", "a", false),
            (r"\B", "", true),
            ("(?i)k", "\u{212a}", true),
            ("(?i)ſ", "S", true),
            ("(?i:a)b", "AB", false),
            ("(?i)[^k]", "\u{212a}", false),
            (r"(?i)\w", "\u{212a}", true),
            (r"(?i)\W", "\u{212a}", false),
            ("[a-z&&b]", "&", true),
            ("[a-z&&b]", "a", true),
            ("[+--]", ",", true),
            ("[a~~b]", "~", true),
            ("[]a]", "]", true),
            ("[^]a]", "b", true),
            ("[a-]", "-", true),
            ("[[:^alpha:]]", "1", true),
            ("[[:word:]]", "_", true),
            (r"[\D]", "1", false),
            (r"[^\D]", "1", true),
            ("{", "{", true),
            ("a{,2}", "a{,2}", true),
            ("a{2}", "aa", true),
            ("^a{0}$", "", true),
            ("x]", "x]", true),
            (r"^\Qa.b\E+$", "a.bb", true),
            (r"^\Qa.b\E$", "axb", false),
            (r"\x{1F600}", "😀", true),
            (r"\x41\101", "AA", true),
            (r"\pL\PL", "a1", true),
            (r"\p{Greek}", "α", true),
            (r"\p{^Greek}", "α", false),
            (r"\p{Lu}", "a", false),
            ("^b$", "a\nb", false),
            ("(?m)^b$", "a\nb", true),
            ("a$", "a\n", false),
            ("a.b", "a\nb", false),
            ("(?s)a.b", "a\nb", true),
            ("(?s-i:a.)b", "a\nb", true),
            ("(?P<n>a)(?<m>b)", "ab", true),
            ("(?P<n>a)(?P<n>b)", "ab", true),
            ("a|", "", true),
            ("^(?:a|b)$", "b", true),
            ("^a|b$", "ab", true),
            ("(?U)a+?", "a", true),
            ("^*", "", true),
            ("a(?i)*b", "aaB", true),
            (r"\_\-\ ", "_- ", true),
        ] {
            assert_eq!(is_match(pattern, text), expected, "{pattern} {text:?}");
        }
    }

    #[test]
    fn patterns_that_go_refuses_are_errors() {
        let patterns = r"
            ( ) (a a) [ [a [z-a] [a--b] [[:nope:]] *a a|* (*) a** a++ a*{2} a{1001} a{2,1}
            (a{100}){100} (?i (?-) (?x)a (?-u)a (?i--m) (?=a) (?P<>a) (?P<a-b>c) \ \C \Z
            \u0061 \8 \p{Nope} \p{Grek} \p{Alphabetic} \p{sc=Greek} \p \x{110000} \xg \x{}
            [\b] [\Q]\E]x\ ";
        for pattern in patterns.split_whitespace() {
            assert!(Regexp::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn an_expression_that_explodes_is_an_error_or_ends_soon() {
        let deep = "(".repeat(100_000) + &")".repeat(100_000);
        assert_eq!(Regexp::new(&deep).expect_err("deep").reason, "expression nests too deeply");
        assert_eq!(
            Regexp::new(r"\pL{1000}").map(|_| ()).unwrap_err().reason,
            "expression too large"
        );
        assert!(!is_match("^(a+)+$", &("a".repeat(50_000) + "b")));
        assert!(Regexp::new(&("(".repeat(900) + &")".repeat(900))).is_ok());
    }
}
