//! JSON strings as Go writes them.

/// Appends a JSON string as Go writes it. `<`, `>`, `&`, U+2028 and U+2029 are escaped. Each byte
/// that is not UTF-8 becomes an escaped U+FFFD.
pub fn write_string(text: &[u8], out: &mut Vec<u8>) {
    write_string_within(text, usize::MAX, out);
}

/// Like [`write_string`], but stops when `out` is longer than `max` bytes. Returns whether the
/// string is complete.
pub fn write_string_within(text: &[u8], max: usize, out: &mut Vec<u8>) -> bool {
    // Allocates once, because a text may be most of its document.
    out.reserve(text.len().min(max.saturating_sub(out.len())) + 2);
    out.push(b'"');
    // Most texts are plain, up to their end.
    let room = max.saturating_sub(out.len()).min(text.len());
    let plain = text[..room].iter().position(|byte| !PLAIN[usize::from(*byte)]).unwrap_or(room);
    out.extend_from_slice(&text[..plain]);
    for chunk in text[plain..].utf8_chunks() {
        for piece in chunk.valid().split_inclusive(is_escaped) {
            if out.len() > max {
                return false;
            }
            let last = piece.chars().next_back().filter(|last| is_escaped(*last));
            let plain = piece.len() - last.map_or(0, char::len_utf8);
            out.extend_from_slice(&piece.as_bytes()[..plain]);
            if let Some(last) = last {
                write_escape(last, out);
            }
        }
        // Go replaces each invalid byte.
        for _ in chunk.invalid() {
            out.extend_from_slice(b"\\ufffd");
        }
        if out.len() > max {
            return false;
        }
    }
    out.push(b'"');
    true
}

/// The bytes that are one character each, without an escape.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        plain[byte as usize] = !is_escaped(byte as char);
        byte += 1;
    }
    plain
};

const fn is_escaped(c: char) -> bool {
    matches!(c, '\0'..='\x1f' | '"' | '\\' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}

fn write_escape(c: char, out: &mut Vec<u8>) {
    let short = match c {
        '"' | '\\' => c,
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\x08' => 'b',
        '\x0c' => 'f',
        _ => return out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes()),
    };
    out.push(b'\\');
    out.extend_from_slice(short.encode_utf8(&mut [0; 4]).as_bytes());
}
