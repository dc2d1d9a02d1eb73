//! Writes JSON that is safe inside an HTML page. The JSON never ends a script element or begins a
//! comment, and strings show hidden characters as `\n`, `\r`, `\t` or `\u{…}`. In `##`, the second
//! `#` is escaped, so that no CI runner finds a command in the page.
//!
//! The serializer passes a string in fragments, cut at each character that JSON must escape. So no
//! fragment contains a backslash.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

use plansift_core::inert::{escaped, is_hidden};

/// Writes a value as one line of JSON.
pub(crate) fn push_line(value: &impl Serialize, out: &mut impl Write) -> serde_json::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Inert))?;
    out.write_all(b"\n").map_err(serde_json::Error::io)
}

struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W>(&mut self, out: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let is_markup = |byte: u8| matches!(byte, b'<' | b'>' | b'&' | b'#');
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~') && !is_markup(byte)) {
            return out.write_all(fragment.as_bytes());
        }
        let mut last = None;
        for character in fragment.chars() {
            let code = u32::from(character);
            match character {
                '<' | '>' | '&' => write!(out, "\\u{code:04x}")?,
                '#' if last == Some('#') => write!(out, "\\u{code:04x}")?,
                hidden if is_hidden(hidden) => write!(out, "\\{}", escaped(hidden))?,
                other => out.write_all(other.encode_utf8(&mut [0; 4]).as_bytes())?,
            }
            last = Some(character);
        }
        Ok(())
    }

    fn write_char_escape<W>(&mut self, out: &mut W, escape: CharEscape) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let control = match escape {
            CharEscape::Backspace => '\u{8}',
            CharEscape::Tab => '\t',
            CharEscape::LineFeed => '\n',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::CarriageReturn => '\r',
            CharEscape::AsciiControl(byte) => char::from(byte),
            quoted => return CompactFormatter.write_char_escape(out, quoted),
        };
        write!(out, "\\{}", escaped(control))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        let mut line = Vec::new();
        push_line(&text, &mut line).unwrap();
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn visible_strings_are_kept_by_json_escaping() {
        for text in ["", "plain", r#""quoted" \ /"#, "</script><!--", "a&b", "été 漢 🦀", "\\u{a}"]
        {
            assert_eq!(serde_json::from_str::<String>(&line(text)).unwrap(), text);
        }
    }

    #[test]
    fn markup_and_control_characters_are_escaped() {
        for (text, expected) in [
            ("</script>", r#""\u003c/script\u003e""#),
            ("<!--&amp;-->", r#""\u003c!--\u0026amp;--\u003e""#),
            ("a\u{2028}\u{202e}b", r#""a\\u{2028}\\u{202e}b""#),
            ("\0\t\r\n\u{8}\u{c}\u{7f}\u{85}", r#""\\u{0}\\t\\r\\n\\u{8}\\u{c}\\u{7f}\\u{85}""#),
            ("\\\n<", r#""\\\\n\u003c""#),
            ("# ##[error]", r##""# #\u0023[error]""##),
        ] {
            assert_eq!(line(text), format!("{expected}\n"), "{text:?}");
        }
    }
}
