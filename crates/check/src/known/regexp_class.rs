//! The character classes and escapes of Go's regular expressions.

use std::fmt;

use regex::Regex;

/// The reason why a pattern is not a regular expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegexpError {
    /// The reason, in Go's words.
    pub reason: &'static str,
    /// The offset in the pattern, in bytes.
    pub offset: usize,
}

impl fmt::Display for RegexpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the regular expression: {}", self.offset, self.reason)
    }
}

impl std::error::Error for RegexpError {}

impl RegexpError {
    /// Returns the error with an offset that is larger by `len` bytes.
    pub(super) fn after(self, len: usize) -> RegexpError {
        RegexpError { offset: len + self.offset, ..self }
    }
}

fn bad(reason: &'static str, offset: usize) -> RegexpError {
    RegexpError { reason, offset }
}

const RANGE: &str = "invalid character class range";
const ESCAPE: &str = "invalid escape sequence";

/// Writes a character as its code point.
pub(super) fn escape(c: char) -> String {
    format!("\\x{{{:x}}}", u32::from(c))
}

/// Translates the bracketed class at the start of a text. Also returns the length of the class in
/// the text.
pub(super) fn parse(text: &str) -> Result<(String, usize), RegexpError> {
    let mut class = "[".to_owned();
    let mut at = 1;
    if text[at..].starts_with('^') {
        class.push('^');
        at += 1;
    }
    let mut is_first = true;
    loop {
        let rest = &text[at..];
        match rest.chars().next() {
            None => return Err(bad("missing closing ]", 0)),
            Some(']') if !is_first => break,
            _ => is_first = false,
        }
        let set = match posix(rest) {
            Ok(None) => escaped_class(rest),
            set => set,
        };
        if let Some((set, len)) = set.map_err(|bad| bad.after(at))? {
            class.push_str(&set);
            at += len;
            continue;
        }
        let (low, len) = member(rest, at)?;
        at += len;
        class.push_str(&escape(low));
        let rest = &text[at..];
        if rest.starts_with('-') && !rest[1..].starts_with(']') {
            if rest.len() == 1 {
                return Err(bad("missing closing ]", 0));
            }
            let (high, len) = member(&rest[1..], at + 1)?;
            if high < low {
                return Err(bad(RANGE, at));
            }
            class.push('-');
            class.push_str(&escape(high));
            at += 1 + len;
        }
    }
    class.push(']');
    Ok((class, at + 1))
}

/// Reads one character of a class. Also returns its length in the text.
fn member(text: &str, at: usize) -> Result<(char, usize), RegexpError> {
    match text.chars().next() {
        Some('\\') => escaped_char(text).map_err(|bad| bad.after(at)),
        Some(c) => Ok((c, c.len_utf8())),
        None => Err(bad("missing closing ]", 0)),
    }
}

/// Reads a POSIX class such as `[:alpha:]` or `[:^alpha:]`. Returns `None` if the text does not
/// begin with a POSIX class.
fn posix(text: &str) -> Result<Option<(String, usize)>, RegexpError> {
    let Some(inside) = text.strip_prefix("[:") else { return Ok(None) };
    let Some(end) = inside.find(":]") else { return Ok(None) };
    let (sign, name) = match inside[..end].strip_prefix('^') {
        Some(name) => ("^", name),
        None => ("", &inside[..end]),
    };
    let set = match name {
        "alnum" => "0-9A-Za-z",
        "alpha" => "A-Za-z",
        "ascii" => r"\x00-\x7F",
        "blank" => r"\t\x20",
        "cntrl" => r"\x00-\x1F\x7F",
        "digit" => "0-9",
        "graph" => "!-~",
        "lower" => "a-z",
        "print" => r"\x20-~",
        "punct" => r"!-/:-@\[-`\{-~",
        "space" => r"\t\n\x0B\f\r\x20",
        "upper" => "A-Z",
        "word" => "0-9A-Za-z_",
        "xdigit" => "0-9A-Fa-f",
        _ => return Err(bad(RANGE, 0)),
    };
    Ok(Some((format!("[{sign}{set}]"), end + 4)))
}

/// Reads an escape that denotes a class, such as `\d` or `\pL`. Returns `None` if the text does not
/// begin with such an escape.
pub(super) fn escaped_class(text: &str) -> Result<Option<(String, usize)>, RegexpError> {
    let Some(rest) = text.strip_prefix('\\') else { return Ok(None) };
    let set = match rest.as_bytes().first() {
        Some(b'd') => "[0-9]",
        Some(b'D') => "[^0-9]",
        Some(b's') => r"[\t\n\f\r\x20]",
        Some(b'S') => r"[^\t\n\f\r\x20]",
        Some(b'w') => "[0-9A-Za-z_]",
        Some(b'W') => "[^0-9A-Za-z_]",
        Some(b'p' | b'P') => return unicode(rest).map(Some),
        _ => return Ok(None),
    };
    Ok(Some((set.to_owned(), 2)))
}

/// Reads a Unicode class such as `pL` or `p{Greek}`, after the backslash.
fn unicode(text: &str) -> Result<(String, usize), RegexpError> {
    let is_negated = text.starts_with('P');
    let (name, len) = match text[1..].strip_prefix('{') {
        Some(inside) => {
            let end = inside.find('}').ok_or(bad(RANGE, 0))?;
            (&inside[..end], end + 4)
        }
        None => {
            let c = text[1..].chars().next().ok_or(bad(RANGE, 0))?;
            (&text[1..1 + c.len_utf8()], 2 + c.len_utf8())
        }
    };
    let (name, is_negated) = match name.strip_prefix('^') {
        Some(name) => (name, !is_negated),
        None => (name, is_negated),
    };
    let class = property(name).ok_or(bad(RANGE, 0))?;
    Ok((format!("[{}{class}]", if is_negated { "^" } else { "" }), len))
}

/// The scripts whose full names have four letters. All other names of four letters are
/// abbreviations, which Go rejects.
const SHORT_SCRIPTS: [&str; 8] = ["ahom", "cham", "kawi", "lisu", "modi", "newa", "thai", "toto"];

/// Returns the class of a general category or script by its name.
fn property(name: &str) -> Option<String> {
    let plain = |c: &char| !matches!(c, ' ' | '_' | '-');
    let folded: String = name.chars().filter(plain).collect::<String>().to_ascii_lowercase();
    if folded.is_empty() || !folded.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let category = format!(r"\p{{gc={folded}}}");
    let is_known = |class: &String| Regex::new(class).is_ok();
    if is_known(&category) {
        return Some(category);
    }
    if folded.len() == 4 && !SHORT_SCRIPTS.contains(&&*folded) {
        return None;
    }
    Some(format!(r"\p{{sc={folded}}}")).filter(is_known)
}

/// Reads an escape that denotes one character. Also returns its length in the text.
pub(super) fn escaped_char(text: &str) -> Result<(char, usize), RegexpError> {
    let Some(c) = text[1..].chars().next() else {
        return Err(bad("trailing backslash at end of expression", 0));
    };
    let simple = match c {
        'a' => '\x07',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        'x' => return hexadecimal(text),
        '0'..='7' => return octal(text),
        _ if c.is_ascii() && !c.is_ascii_alphanumeric() => c,
        _ => return Err(bad(ESCAPE, 0)),
    };
    Ok((simple, 1 + c.len_utf8()))
}

/// Reads an octal escape: `\0`, `\012` or `\123`. A single digit other than zero is an error,
/// because it would refer to a group.
fn octal(text: &str) -> Result<(char, usize), RegexpError> {
    let is_octal = |byte: &u8| matches!(byte, b'0'..=b'7');
    let digits = text.bytes().skip(1).take(3).take_while(is_octal).count();
    if digits == 1 && !text[1..].starts_with('0') {
        return Err(bad(ESCAPE, 0));
    }
    let code = u32::from_str_radix(&text[1..1 + digits], 8).ok();
    let c = code.and_then(char::from_u32).ok_or(bad(ESCAPE, 0))?;
    Ok((c, 1 + digits))
}

/// Reads `\x41` or `\x{1F600}`.
fn hexadecimal(text: &str) -> Result<(char, usize), RegexpError> {
    let inside = &text[2..];
    let (digits, len) = match inside.strip_prefix('{') {
        Some(inside) => {
            let end = inside.find('}').ok_or(bad(ESCAPE, 0))?;
            (&inside[..end], end + 4)
        }
        None => (inside.get(..2).ok_or(bad(ESCAPE, 0))?, 4),
    };
    let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = is_hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten();
    let c = code.and_then(char::from_u32).ok_or(bad(ESCAPE, 0))?;
    Ok((c, len))
}
