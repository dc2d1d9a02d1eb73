//! Distinguishes JSON from the text that a CI wrapper prints around a document
//! (docs/format/plan.md, section 13).
//!
//! plansift must not skip a second document or a fragment of a plan as text, because the user would
//! not notice. Such JSON contains an object key, a line of only JSON values, or a closing bracket
//! without an opening one. Human-readable plans, boxed warnings, addresses with keys and times in
//! brackets contain none of these.

use std::borrow::Cow;

/// Whether a text contains no JSON, so that it may be skipped.
pub(super) fn is_text(text: &[u8]) -> bool {
    let text = &without_colours(text);
    !text.contains(&0)
        && !holds_member(text)
        && !closes_too_much(text)
        && !text.split(|&byte| byte == b'\n').any(is_json)
}

/// Whether the text before a document ends inside an array: after the bracket of the array, or
/// after the comma of an element. Other text may stand before the array.
pub(super) fn is_inside_array(text: &[u8]) -> bool {
    let text = without_colours(text);
    let text = text.trim_ascii();
    let count = |bracket| memchr::memchr_iter(bracket, text).count();
    match text.last() {
        Some(b'[') => true,
        Some(b',') => text.starts_with(b"[") || count(b'[') > count(b']'),
        _ => false,
    }
}

/// Removes colour sequences, which may occur between any two tokens.
fn without_colours(text: &[u8]) -> Cow<'_, [u8]> {
    const ESCAPE: u8 = 0x1b;
    if memchr::memchr(ESCAPE, text).is_none() {
        return text.into();
    }
    let mut parts = text.split(|&byte| byte == ESCAPE);
    let mut plain = parts.next().unwrap_or_default().to_vec();
    for part in parts {
        // Other escape sequences lose only their bracket, because it would count as unbalanced.
        let part = part.strip_prefix(b"[").or(part.strip_prefix(b"]")).unwrap_or(part);
        let is_parameter = |byte: &&u8| matches!(byte, b'0'..=b'9' | b';');
        let parameters = part.iter().take_while(is_parameter).count();
        let is_colour = matches!(part.get(parameters), Some(b'm' | b'K'));
        plain.extend_from_slice(if is_colour { &part[parameters + 1..] } else { part });
    }
    plain.into()
}

/// Whether the text contains an object that begins with a key, or a key before a value. Single
/// quotes count, too, because some scripts print Python dictionaries.
fn holds_member(text: &[u8]) -> bool {
    memchr::memchr2_iter(b'"', b'\'', text).any(|quote| {
        let after = &text[quote + 1..];
        if text[..quote].trim_ascii_end().ends_with(b"{") {
            // In a human-readable plan, such a key has an equals sign after it.
            let mut parts = after.splitn(2, |&byte| byte == text[quote]);
            let after_key = parts.nth(1).unwrap_or_default();
            return !after_key.trim_ascii_start().starts_with(b"=");
        }
        let value = after.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        text[quote] == b'"' && value.is_some_and(begins_value)
    })
}

/// Whether the text is empty or starts with a JSON value. For example, the text after the colon of
/// `"a.json": not found` does not start with one.
fn begins_value(text: &[u8]) -> bool {
    let words = [&b"true"[..], b"false", b"null"];
    match text.first() {
        // The backslash escapes a quote, in JSON that is inside a string.
        None | Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b'\\') => true,
        Some(_) => words.iter().any(|word| text.starts_with(word)),
    }
}

/// Whether a closing bracket has no opening one. Then the text is the end of a document.
fn closes_too_much(text: &[u8]) -> bool {
    let (mut braces, mut brackets) = (0, 0);
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !is_in_box(line));
    for byte in lines.flatten() {
        match byte {
            b'{' => braces += 1,
            b'[' => brackets += 1,
            b'}' if braces == 0 => return true,
            b']' if brackets == 0 => return true,
            b'}' => braces -= 1,
            b']' => brackets -= 1,
            _ => {}
        }
    }
    false
}

/// Whether a line is in the box of a warning, which quotes single lines of configuration.
fn is_in_box(line: &[u8]) -> bool {
    // The first two bytes of U+2500 to U+257F.
    let line = line.trim_ascii_start();
    line.starts_with(b"\xe2\x94") || line.starts_with(b"\xe2\x95")
}

/// Whether a line is JSON by itself, or begins like JSON.
fn is_json(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    match line {
        [] | b"{" => false,
        [b'{' | b',', ..] => true,
        [b'"', rest @ ..] => {
            // In a human-readable plan, such a line is an element of a list or a key of a map.
            let after = rest.splitn(2, |&byte| byte == b'"').nth(1).map(<[u8]>::trim_ascii);
            !after.is_some_and(|after| after == b"," || after.starts_with(b"="))
        }
        [b'[', rest @ ..] => {
            let first = rest.trim_ascii_start().first();
            matches!(first, Some(b'{' | b'[' | b'"' | b'\'')) || is_values(line)
        }
        _ => is_values(line),
    }
}

/// Whether a line consists of numbers, `true`, `false`, `null` and the brackets around them.
fn is_values(line: &[u8]) -> bool {
    let is_between = |&byte: &u8| b"[]{},".contains(&byte) || byte.is_ascii_whitespace();
    let mut words = line.split(is_between).filter(|word| !word.is_empty()).peekable();
    let holds_any = words.peek().is_some() || matches!(line, [b'[', .., b']']);
    // In a human-readable plan, an element of a list ends with a comma.
    holds_any && !line.ends_with(b",") && words.all(is_scalar)
}

fn is_scalar(word: &[u8]) -> bool {
    let is_of_numbers = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    matches!(word, b"true" | b"false" | b"null")
        || (word.iter().all(is_of_numbers)
            // Copies before checking, because another process may write to the mapped file.
            && String::from_utf8(word.to_vec()).is_ok_and(|word| word.parse::<f64>().is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_output_is_recognised_as_text() {
        for text in [
            "",
            "Done.\n\n[info] x",
            "[command]/bin/terraform show -json p",
            "\u{1b}[0m\u{1b}[1mReading...\u{1b}[0m",
            "\u{1b}]8;;https://x\u{7}link\u{1b}]8;;\u{7}",
            "╷\n│ Warning: Deprecated\n│ \n│   on main.tf line 5:\n│    5:   }\n╵",
            "2026-11-21 10:00:00 done",
            "[2026-11-21T10:00:00Z] done\n[12:30] x\n[1/3] y",
            "3 warnings",
            "100%",
            "-----",
            "$ terraform show -json p",
            "a.b[\"c\"]: Refreshing state... [id=i-1]",
            "Cannot open \"a.json\": not found, 'b.json': 2 tries",
            "Reading {x} \"a\", {b}",
            "  + resource \"a\" \"b\" {\n      + c = {\n          \"d\" = \"e\"\n        }\n    }",
            "  ~ c = jsonencode(\n  {\n    ~ d = [\n      80,\n      \"e\",\n    ]\n  }\n )",
        ] {
            assert!(is_text(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn text_that_ends_inside_an_array_is_recognised() {
        for text in ["[", " [\n", "log\n[", "[[1],", "[info]\n[ null,", "\u{1b}[1m[\u{1b}[0m 1,"] {
            assert!(is_inside_array(text.as_bytes()), "{text:?}");
        }
        for text in ["", "[info] x", "Done [x], y,", "\u{1b}[1mDone,"] {
            assert!(!is_inside_array(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn json_and_fragments_of_json_are_not_text() {
        for text in [
            "{\"a\":1}",
            "x {\n \"a\" : 1",
            "x {\"a",
            "word \"a\": [",
            "word \"a\":",
            "x {\\\"a\\\":\\\"b\\\"}",
            "\u{1b}[1m{\u{1b}[0m\u{1b}[34m\"a\"\u{1b}[0m:1}",
            "\"a\"\u{1b}[0m:\u{1b}[0m1",
            "rue}}]}",
            "lse\n  ]\n}",
            "b\",3]}",
            "}",
            "]",
            ",",
            "\"",
            "\"a\"",
            "1",
            "-1.5e3",
            "null",
            "1 2",
            "[1]",
            "[]",
            "{}",
            "[\"a\"]",
            "[ {",
            "{'a': 1}",
            "x = {'a': None}",
            "['a']",
            "{a: 1}",
            "a\0",
        ] {
            assert!(!is_text(text.as_bytes()), "{text:?}");
        }
    }
}
