//! Finds keys that look as if their values were secret.
//!
//! Searches the bytes of a piece for words that such keys contain. The bytes around a word show
//! whether the word is in a key, and where the key's value is. This needs no walk of the piece, and
//! most pieces contain no such word. The result is a guess, because anyone can name anything.
//!
//! The trap: a string of a gigabyte may contain a word again and again. The search continues after
//! the string that contains the word, never right after the word.

use crate::secret::words_of_names::{SPELLINGS, is_telling};

/// Calls `each` with the offset of each suspect in JSON text. A suspect is a non-empty string whose
/// key looks secret, or such a string in a constant expression under that key.
pub(super) fn find(text: &[u8], mut each: impl FnMut(usize)) {
    let mut from = 0;
    while let Some(word) = SPELLINGS.find_at(text, from) {
        let Some(close) = closing_quote(text, word.end()) else { return };
        from = close + 1;
        let Some(value) = after_token(text, from, b':') else { continue };
        if is_telling(&text[word.start()..close]) {
            continue;
        }
        let value = constant(text, value).unwrap_or(value);
        if text[value..].starts_with(b"\"") && !text[value..].starts_with(b"\"\"") {
            each(value);
        }
    }
}

/// The closing quote of the string that contains the byte at `from`.
pub(super) fn closing_quote(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let quote = at + memchr::memchr(b'"', &text[at..])?;
        let escapes = text[from..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        if escapes % 2 == 0 {
            return Some(quote);
        }
        at = quote + 1;
    }
}

/// The offset after a token and the white space around it, if the token comes next.
fn after_token(text: &[u8], from: usize, token: u8) -> Option<usize> {
    let at = after_space(text, from);
    (text.get(at) == Some(&token)).then(|| after_space(text, at + 1))
}

fn after_space(text: &[u8], from: usize) -> usize {
    let space = text[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    from + space
}

/// The offset of the value, if a constant expression begins here.
fn constant(text: &[u8], from: usize) -> Option<usize> {
    const KEY: &[u8] = b"\"constant_value\"";
    let key = after_token(text, from, b'{')?;
    after_token(text, key + text[key..].starts_with(KEY).then_some(KEY.len())?, b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let rest = |at: usize| text[at..].chars().take(4).collect();
        find(text.as_bytes(), |at| found.push(rest(at)));
        found
    }

    #[test]
    fn values_of_keys_that_look_secret_are_found() {
        for (text, values) in [
            (r#"{"password":"a1"}"#, &["\"a1\""][..]),
            (r#"{"DB_PASSWORD" : "a2", "dbToken":"b2"}"#, &["\"a2\"", "\"b2\""]),
            (r#"{"apiKey":"a3","api-key":"b3","APIKEY":"c3"}"#, &["\"a3\"", "\"b3\""]),
            (r#"{"secrets":{"password":"a4"}}"#, &["\"a4\""]),
            (r#"{"password":{"constant_value":"a5"}}"#, &["\"a5\""]),
            (r#"{"password" : { "constant_value" : "a6" }}"#, &["\"a6\""]),
            (r#"{"x\"password":"a7"}"#, &["\"a7\""]),
            (r#"{"password\"x":"a8"}"#, &["\"a8\""]),
            (r#"{"password\\":"a9"}"#, &["\"a9\""]),
        ] {
            assert_eq!(found(text), values, "{text}");
        }
    }

    #[test]
    fn values_of_other_keys_are_not_found() {
        for text in [
            r#"{"password":""}"#,
            r#"{"password":null,"token":17,"secret":true,"credentials":[],"passwd":{}}"#,
            r#"{"secret_arn":"x","token_url":"x","PASSWORD_LENGTH":"x","secret_id":"x"}"#,
            r#"["password","token"]"#,
            r#"{"a":"the password","b":"token"}"#,
            r#"{"a":"{\"password\":\"x\"}"}"#,
            r#"{"password":{"references":["var.x"]}}"#,
            r#"{"password"#,
            r#"{"password":"#,
            "",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
