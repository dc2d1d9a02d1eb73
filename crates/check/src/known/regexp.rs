//! Compiles regular expressions of Go (RE2) with the crate `regex`.
//!
//! Both engines have nearly the same syntax. [`Translator`] rewrites what only looks the same, and
//! copies the rest:
//!
//! | Go | the crate |
//! | --- | --- |
//! | `\d`, `\s`, `\w` and `\b` are ASCII, and `\s` lacks `\v` | they are Unicode |
//! | `a{,2}` and `{` are literals | they are errors |
//! | `[a-z&&b]` and `[[a]` have no special meaning | `&&` is an intersection, `[` a nested class |
//! | `\Q...\E` quotes a text | it is an error |
//! | `\<` is a literal | it is the start of a word |
//!
//! Constructs that one of them does not know are errors, and so are some rare ones: `\B`, octal
//! escapes, `\p{^Greek}`, and a group name that occurs twice.

use std::fmt;

use regex::{Regex, RegexBuilder};
use regex_syntax::ast::ErrorKind;

/// Maximum count of a repetition.
const REPEAT_MAX: u32 = 1000;
/// Maximum size of a compiled expression, in bytes.
const SIZE_MAX: usize = 10 << 20;

/// The reason why a pattern is not a regular expression, or not a supported one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexpError {
    /// The reason. It quotes nothing of the pattern.
    pub reason: String,
    /// The offset in the pattern, in bytes.
    pub offset: usize,
}

impl fmt::Display for RegexpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the regular expression: {}", self.offset, self.reason)
    }
}

impl std::error::Error for RegexpError {}

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
    /// Fails if Go or the crate rejects the pattern, or if the compiled expression is too large.
    pub fn new(pattern: &str) -> Result<Regexp, RegexpError> {
        let mut translator = Translator::new(pattern);
        while let Some(c) = translator.rest().chars().next() {
            translator.token(c)?;
        }
        regex_syntax::parse(&translator.text).map_err(|error| translator.syntax_error(&error))?;
        let regex = RegexBuilder::new(&translator.text)
            .size_limit(SIZE_MAX)
            .dfa_size_limit(SIZE_MAX)
            .build()
            .map_err(|_| RegexpError { reason: "expression too large".to_owned(), offset: 0 })?;
        Ok(Regexp { pattern: pattern.to_owned(), regex })
    }

    /// Whether a text has a match anywhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
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

struct Translator<'p> {
    pattern: &'p str,
    /// The offset of the next character in the pattern.
    at: usize,
    /// The translation of the pattern up to `at`.
    text: String,
    /// The start of each token, in the translation and in the pattern.
    starts: Vec<(usize, usize)>,
    /// The end of the last repetition operator. Another operator must not begin there.
    repeated: Option<usize>,
}

impl<'p> Translator<'p> {
    fn new(pattern: &'p str) -> Translator<'p> {
        Translator { pattern, at: 0, text: String::new(), starts: Vec::new(), repeated: None }
    }

    fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    fn error(&self, reason: &str) -> RegexpError {
        RegexpError { reason: reason.to_owned(), offset: self.at }
    }

    /// Returns an error of the crate, with its offset in the pattern. Errors about groups have the
    /// words of Go.
    fn syntax_error(&self, error: &regex_syntax::Error) -> RegexpError {
        let (reason, offset) = match error {
            regex_syntax::Error::Parse(error) => {
                let reason = match error.kind() {
                    ErrorKind::GroupUnclosed => "missing closing )".to_owned(),
                    ErrorKind::GroupUnopened => "unexpected )".to_owned(),
                    kind => kind.to_string(),
                };
                (reason, error.span().start)
            }
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span().start),
            _ => return RegexpError { reason: "invalid syntax".to_owned(), offset: 0 },
        };
        let next = self.starts.partition_point(|(start, _)| *start <= offset.offset);
        let offset = next.checked_sub(1).map_or(0, |token| self.starts[token].1);
        RegexpError { reason, offset }
    }

    /// Replaces the next `len` bytes of the pattern.
    fn replace(&mut self, len: usize, text: &str) {
        self.starts.push((self.text.len(), self.at));
        self.text.push_str(text);
        self.at += len;
    }

    fn copy(&mut self, len: usize) {
        self.replace(len, &self.rest()[..len]);
    }

    /// Translates the token that begins with the character `c`.
    fn token(&mut self, c: char) -> Result<(), RegexpError> {
        match c {
            '\\' => return self.escape(),
            '[' => return self.class(),
            '(' => return self.group(),
            '*' | '+' | '?' => return self.repeat(1),
            '{' => match counts_len(self.rest()) {
                Ok(Some(len)) => return self.repeat(len),
                Ok(None) => self.replace(1, r"\{"),
                Err(reason) => return Err(self.error(reason)),
            },
            _ => self.copy(c.len_utf8()),
        }
        Ok(())
    }

    /// Translates a repetition operator of `len` bytes.
    fn repeat(&mut self, len: usize) -> Result<(), RegexpError> {
        if self.repeated == Some(self.at) {
            return Err(self.error("invalid nested repetition operator"));
        }
        self.copy(len);
        if self.rest().starts_with('?') {
            self.copy(1);
        }
        self.repeated = Some(self.at);
        Ok(())
    }

    /// Translates the start of a group, or flags.
    fn group(&mut self) -> Result<(), RegexpError> {
        let Some(inside) = self.rest().strip_prefix("(?") else {
            self.copy(1);
            return Ok(());
        };
        let is_flag = |c| matches!(c, 'i' | 'm' | 's' | 'U' | '-');
        let flags = inside.trim_start_matches(is_flag);
        if !flags.starts_with([':', ')']) && !inside.starts_with(['P', '<']) {
            return Err(self.error("invalid or unsupported flags of a group"));
        }
        self.copy(2 + inside.len() - flags.len());
        Ok(())
    }

    fn escape(&mut self) -> Result<(), RegexpError> {
        let rest = self.rest();
        match rest.as_bytes().get(1) {
            Some(b'A' | b'z') => self.copy(2),
            Some(b'b') => self.replace(2, r"(?-u:\b)"),
            Some(b'Q') => {
                let quoted = rest[2..].split(r"\E").next().unwrap_or_default();
                let len = (2 + quoted.len() + r"\E".len()).min(rest.len());
                self.replace(len, &regex::escape(quoted));
            }
            _ if self.escaped_class()? => {}
            _ => return self.character(),
        }
        Ok(())
    }

    /// Translates a bracketed class.
    fn class(&mut self) -> Result<(), RegexpError> {
        let start = self.at;
        self.copy(if self.rest().starts_with("[^") { 2 } else { 1 });
        let first = self.at;
        while self.at == first || !self.rest().starts_with(']') {
            if self.rest().is_empty() {
                self.at = start;
                return Err(self.error("missing closing ]"));
            }
            if self.posix_class()? || self.escaped_class()? {
                continue;
            }
            self.character()?;
            let is_range = self.rest().strip_prefix('-').is_some_and(|to| !to.starts_with(']'));
            if is_range {
                self.copy(1);
                self.character()?;
            }
        }
        self.copy(1);
        Ok(())
    }

    /// Copies a class such as `[:alpha:]` or `[:^alpha:]`. Returns whether there is one.
    fn posix_class(&mut self) -> Result<bool, RegexpError> {
        let Some((name, _)) = self.rest().strip_prefix("[:").and_then(|it| it.split_once(":]"))
        else {
            return Ok(false);
        };
        if !POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(self.error("invalid name of a character class"));
        }
        self.copy("[::]".len() + name.len());
        Ok(true)
    }

    /// Translates a class such as `\d` or `\p{Greek}`. Returns whether there is one.
    fn escaped_class(&mut self) -> Result<bool, RegexpError> {
        let rest = self.rest();
        let class = match rest.as_bytes() {
            [b'\\', b'd', ..] => "[0-9]",
            [b'\\', b'D', ..] => "[^0-9]",
            [b'\\', b's', ..] => r"[\t\n\f\r\x20]",
            [b'\\', b'S', ..] => r"[^\t\n\f\r\x20]",
            [b'\\', b'w', ..] => "[0-9A-Za-z_]",
            [b'\\', b'W', ..] => "[^0-9A-Za-z_]",
            [b'\\', b'p' | b'P', b'{', ..] => {
                let name = rest[3..].split_once('}').map(|(name, _)| name);
                let name = name.filter(|name| is_unicode_class(name));
                let Some(name) = name else {
                    return Err(self.error("invalid or unsupported name of a Unicode class"));
                };
                // Without `gc` or `sc`, the crate would also find properties that Go rejects.
                let property = |kind: &str| format!(r"{}{{{kind}={name}}}", &rest[..2]);
                let is_category = regex_syntax::parse(&property("gc")).is_ok();
                let len = name.len() + r"\p{}".len();
                self.replace(len, &property(if is_category { "gc" } else { "sc" }));
                return Ok(true);
            }
            [b'\\', b'p' | b'P', byte, ..] if byte.is_ascii_alphabetic() => {
                self.copy(r"\pL".len());
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.replace(2, class);
        Ok(true)
    }

    /// Translates one character, which may be escaped.
    fn character(&mut self) -> Result<(), RegexpError> {
        let rest = self.rest();
        let escaped = rest.strip_prefix('\\');
        let Some(c) = escaped.unwrap_or(rest).chars().next() else {
            return Err(self.error("unexpected end of the expression"));
        };
        let len = rest.len() - escaped.unwrap_or(rest).len() + c.len_utf8();
        match c {
            _ if c.is_ascii() && !c.is_ascii_alphanumeric() => {
                self.replace(len, &format!(r"\x{{{:x}}}", u32::from(c)));
            }
            _ if escaped.is_none() => self.copy(len),
            'a' | 'f' | 'n' | 'r' | 't' | 'v' => self.copy(len),
            'x' if rest[len..].starts_with('{') => {
                self.copy(rest.find('}').map_or(rest.len(), |end| end + 1));
            }
            'x' if rest.get(..4).is_some() => self.copy(4),
            _ => return Err(self.error("invalid or unsupported escape sequence")),
        }
        Ok(())
    }
}

/// The names of POSIX classes.
const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// The scripts whose names have four letters. All other names of four letters are abbreviations,
/// which Go rejects.
const SHORT_SCRIPTS: [&str; 8] = ["Ahom", "Cham", "Kawi", "Lisu", "Modi", "Newa", "Thai", "Toto"];

fn is_unicode_class(name: &str) -> bool {
    let is_abbreviation = name.len() == 4 && !SHORT_SCRIPTS.contains(&name);
    !is_abbreviation && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the length of `{n}`, `{n,}` or `{n,m}` at the start of a text. Any other brace is a
/// literal.
fn counts_len(text: &str) -> Result<Option<usize>, &'static str> {
    let is_number = |text: &str| {
        let is_canonical = text.len() == 1 || !text.starts_with('0');
        !text.is_empty() && is_canonical && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let Some((counts, _)) = text[1..].split_once('}') else { return Ok(None) };
    let (min, max) = counts.split_once(',').unwrap_or((counts, counts));
    if !is_number(min) || !max.is_empty() && !is_number(max) {
        return Ok(None);
    }
    let is_valid = |count: &str| count.parse().is_ok_and(|count: u32| count <= REPEAT_MAX);
    if !is_valid(min) || !max.is_empty() && !is_valid(max) {
        return Err("invalid repeat count");
    }
    Ok(Some(counts.len() + 2))
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
            (r"\x41", "A", true),
            (r"\pL\PL", "a1", true),
            (r"\p{Greek}", "α", true),
            (r"\p{Lu}", "a", false),
            ("^b$", "a\nb", false),
            ("(?m)^b$", "a\nb", true),
            ("a$", "a\n", false),
            ("a.b", "a\nb", false),
            ("(?s)a.b", "a\nb", true),
            ("(?s-i:a.)b", "a\nb", true),
            ("(?P<n>a)(?<m>b)", "ab", true),
            ("a|", "", true),
            ("^(?:a|b)$", "b", true),
            ("^a|b$", "ab", true),
            ("(?U)a+?", "a", true),
            ("^*", "", true),
            (r"\_\-\ ", "_- ", true),
        ] {
            assert_eq!(is_match(pattern, text), expected, "{pattern} {text:?}");
        }
    }

    #[test]
    fn patterns_that_go_refuses_are_errors() {
        let patterns = r"
            ( ) (a a) [ [a [z-a] [a--b] [[:nope:]] *a a|* (*) a** a++ a*{2} a{1001} a{2,1}
            (?i (?-) (?x)a (?-u)a (?i--m) (?=a) (?P<>a) (?P<a-b>c) \ \C \Z
            \u0061 \8 \p{Nope} \p{Grek} \p{Alphabetic} \p{sc=Greek} \p \p{L
            \x{110000} \xg \x{} \x{41
            [\b] [\Q]\E]x\ ";
        for pattern in patterns.split_whitespace() {
            assert!(Regexp::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn errors_name_the_construct_and_its_place() {
        for (pattern, offset, reason) in [
            (r"a\Bb", 1, "invalid or unsupported escape sequence"),
            (r"a\101", 1, "invalid or unsupported escape sequence"),
            (r"[a\B]", 2, "invalid or unsupported escape sequence"),
            (r"é\p{^Greek}", 2, "invalid or unsupported name of a Unicode class"),
            (r"\d\p{Nothing}", 2, "Unicode property value not found"),
            (r"\d(?P<n>a)(?P<n>b)", 14, "duplicate capture group name"),
            (r"\da(?i)*b", 7, "repetition operator missing expression"),
            (r"\Qa.b\E(", 7, "missing closing )"),
            ("a(?x)b", 1, "invalid or unsupported flags of a group"),
            ("a[[:nope:]]", 2, "invalid name of a character class"),
            ("a[b", 1, "missing closing ]"),
            ("a**", 2, "invalid nested repetition operator"),
            ("a{1001}", 1, "invalid repeat count"),
        ] {
            let error = Regexp::new(pattern).expect_err(pattern);
            assert_eq!((error.offset, &*error.reason), (offset, reason), "{pattern}");
        }
    }

    #[test]
    fn an_expression_that_explodes_is_an_error_or_ends_soon() {
        let deep = "(".repeat(100_000) + &")".repeat(100_000);
        let reason = Regexp::new(&deep).expect_err("deep").reason;
        assert!(reason.contains("nested parentheses"), "{reason}");
        for large in [r"\pL{1000}", "((a{100}){100}){100}"] {
            assert_eq!(Regexp::new(large).expect_err(large).reason, "expression too large");
        }
        assert!(!is_match("^(a+)+$", &("a".repeat(50_000) + "b")));
        assert!(Regexp::new(&("(".repeat(200) + &")".repeat(200))).is_ok());
    }
}
