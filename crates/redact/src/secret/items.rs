//! Splits a text that is not parsed into items, each of which may be a secret.
//!
//! The items are lines, and the keys and values in them, as in YAML, JSON or shell scripts. A line
//! is cut at quotes, brackets and commas, and after keys and dashes. The text need not be well
//! formed. Superfluous items do no harm.

use plansift_core::json::string;

/// Sets of characters at which a line is cut. Each set is applied to the whole line, independently
/// of the other sets.
const CUTS: [&[u8]; 5] = [b"", STRINGS, b"'", b"[]{},", b"[]{}(),"];

/// The quote around strings that may contain escapes.
const STRINGS: &[u8] = b"\"";

/// Maximum number of levels of escapes within escapes.
const DEPTH_MAX: u32 = 4;

/// Whether `is` accepts any item of a text.
pub fn any(text: &[u8], is: &mut impl FnMut(&[u8]) -> bool) -> bool {
    has(text, 0, is)
}

fn has(text: &[u8], depth: u32, is: &mut impl FnMut(&[u8]) -> bool) -> bool {
    text.split(|byte| matches!(byte, b'\n' | b'\r')).any(|line| {
        CUTS.iter().any(|cuts| {
            let mut rest = Some(line);
            std::iter::from_fn(|| {
                let (item, after) = cut(rest?, cuts);
                rest = after;
                Some(item)
            })
            .any(|item| is_in(item, is) || (*cuts == STRINGS && unescaped_has(item, depth, is)))
        })
    })
}

/// Splits a text at the first unescaped character that is in `cuts`.
fn cut<'t>(text: &'t [u8], cuts: &[u8]) -> (&'t [u8], Option<&'t [u8]>) {
    let mut is_escaped = false;
    let end = text.iter().position(|byte| {
        let is_cut = !is_escaped && cuts.contains(byte);
        is_escaped = *byte == b'\\' && !is_escaped;
        is_cut
    });
    match end {
        Some(end) => (&text[..end], Some(&text[end + 1..])),
        None => (text, None),
    }
}

/// Whether `is` accepts an item or one of its parts: the text after dashes, the comment at its end,
/// or a key or a value in these.
fn is_in(item: &[u8], is: &mut impl FnMut(&[u8]) -> bool) -> bool {
    let item = item.trim_ascii();
    let is_comment = |pair: &[u8]| pair[0].is_ascii_whitespace() && pair[1] == b'#';
    let comment = item.windows(2).position(is_comment).map(|at| item.split_at(at));
    let (before, comment) = comment.unwrap_or((item, b""));
    is(item)
        || is_in_pair(after_dashes(item), is)
        || (!comment.is_empty()
            && (is_in_pair(after_dashes(before), is) || is_in_pair(after_dashes(comment), is)))
}

/// Returns a text without the dashes, question marks and number signs that begin its line.
fn after_dashes(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii();
    loop {
        text = match text {
            [b'-' | b'?', rest @ ..] if rest.first().is_some_and(u8::is_ascii_whitespace) => rest,
            [b'#', rest @ ..] => rest,
            _ => return text,
        };
        text = text.trim_ascii_start();
    }
}

/// Whether `is` accepts a text, or the key or the value in it.
fn is_in_pair(item: &[u8], is: &mut impl FnMut(&[u8]) -> bool) -> bool {
    let mut is_found = is(item);
    let is_key_end = |at: &usize| match item[*at] {
        b':' => {
            item.get(at + 1).is_none_or(u8::is_ascii_whitespace)
                || at.checked_sub(1).is_some_and(|last| matches!(item[last], b'"' | b'\''))
        }
        byte => byte == b'=',
    };
    if let Some(end) = (0..item.len()).find(is_key_end) {
        is_found |= is(item[..end].trim_ascii()) || is(item[end + 1..].trim_ascii());
    }
    is_found
}

/// Unescapes an item that has escapes. Returns whether `is` accepts the result or an item of it.
fn unescaped_has(item: &[u8], depth: u32, is: &mut impl FnMut(&[u8]) -> bool) -> bool {
    if depth == DEPTH_MAX || !item.contains(&b'\\') {
        return false;
    }
    let mut plain = Vec::with_capacity(item.len());
    let is_plain = string::unescape(item, &mut plain).is_ok();
    is_plain && (is(&plain) || has(&plain, depth + 1, is))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimited_values_in_common_formats_are_items() {
        for text in [
            "it",
            " it\t",
            "a\r\nit\r\n",
            "a\rit",
            "- it",
            "- - ? it",
            "a: it",
            "a:\tit",
            "- a: it # b",
            "it: a",
            "# it",
            "#it",
            "## it",
            "a: 1 # it",
            "a: 1 #it",
            "a: | # it",
            "--- # it",
            "- # it",
            "a: isn't # it",
            "a: 1 # it: b",
            "a#b: 1 # it",
            "it # b",
            "- it # b",
            r#"a: "b # c" # it"#,
            "[a] # it",
            "A=it",
            "export A = it",
            "\"it\"",
            "'it'",
            "isn't 'it' so",
            "a: [b, it]",
            "{a: it, b: c}",
            "a (it) b",
            "f(it, 1)",
            "(a: it)",
            r#"{"a":1,"b":"it"}"#,
            r#"{"a":it}"#,
            r#"{"a":"\u0069t"}"#,
            r#"x {"a":"{\"b\":\"it\"}"}"#,
            r#""{\"a\":\"{\\\"b\\\":\\\"it\\\"}\"}""#,
            r#"{"a":"b\nit\nc"}"#,
            r#"a "b\\" it"#,
        ] {
            assert!(any(text.as_bytes(), &mut |item| item == b"it"), "{text}");
        }
        for text in ["", "a it", "a-it", "-it", "a:it", "git: a", "u:it@h", r"\it"] {
            assert!(!any(text.as_bytes(), &mut |item| item == b"it"), "{text}");
        }
    }

    #[test]
    fn splitting_long_texts_takes_linear_time() {
        for text in ["\\", "\"", "'", "[", "- ", "a: ", "a=", "\\\"", "# ", " #", "\\\\\\\""] {
            let text = text.repeat(1 << 20);
            let mut tried = 0_usize;
            assert!(!any(text.as_bytes(), &mut |item| {
                tried += usize::from(item.len() > 1000);
                false
            }));
            assert!(tried < 1000, "{tried}");
        }
    }
}
