//! Text as the tools themselves write it: no space between tokens, known keys in a known order.
//!
//! Such a text is read by comparing it with what should stand there, a literal at a time; values
//! are passed by the masks. Nothing here tells what is wrong or handles anything else: whoever does
//! not find what is expected goes back and reads the value the general way.
//!
//! The trap: what is accepted here must be what the general way accepts, and mean the same. So what
//! is not found is not passed either: another thing may be looked for at the same place.

use super::outline::Outline;
use super::value::Text;

/// A place in an outlined text.
#[derive(Clone, Copy, Debug)]
pub struct Native<'a> {
    text: &'a [u8],
    outline: &'a Outline,
    /// Position of the next byte.
    at: usize,
}

impl<'a> Native<'a> {
    /// At the start of an outlined value. `text` is the text from [`Outline::origin`] to its end.
    pub(super) fn new(text: &'a [u8], outline: &'a Outline, at: usize) -> Native<'a> {
        Native { text, outline, at }
    }

    /// Bytes from the start of the input.
    pub fn offset(&self) -> u64 {
        self.outline.origin + self.at as u64
    }

    /// Whether everything was passed.
    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Passes these bytes, if they stand here.
    #[inline(always)]
    pub fn take(&mut self, expected: &[u8]) -> bool {
        let found = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(expected));
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Passes a string whose escapes are right and which is short enough to be decoded.
    #[inline]
    pub fn string(&mut self) -> bool {
        let start = self.at + 1;
        if self.text.get(self.at) != Some(&b'"') {
            return false;
        }
        let Some(close) = self.outline.next_quote(start as u32) else { return false };
        let text = start as u32..close;
        let found = (close as usize) < self.text.len()
            && self.outline.hold_to_limit(text.len(), 0).is_ok()
            && (!self.outline.has_escape(text.clone())
                || self.outline.check_escapes(self.text, text).is_ok());
        if found {
            self.at = close as usize + 1;
        }
        found
    }

    /// Passes a string as [`Native::string`] does, and gives what is between its quotes.
    #[inline]
    pub fn text(&mut self) -> Option<Text<'a>> {
        let (start, offset) = (self.at + 1, self.offset() + 1);
        self.string().then(|| Text::of_raw(&self.text[start..self.at - 1], offset))
    }

    /// Passes a whole number without a sign, of at most nine digits.
    #[inline]
    pub fn small_number(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let found = len == 1 || (2..10).contains(&len) && rest[0] != b'0';
        if found {
            self.at += len;
        }
        found
    }

    /// Passes an object or an array, whatever is in it, and gives its bytes.
    #[inline]
    pub fn container(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        if !matches!(self.text.get(start), Some(b'{' | b'[')) {
            return None;
        }
        let end = self.outline.close_of(start)? + 1;
        let found = self.text.get(start..end)?;
        self.at = end;
        Some(found)
    }

    /// Passes what may mark something: an object or array, `true` or `false`.
    #[inline]
    pub fn overlay(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        for trivial in [&b"{}"[..], b"false", b"true"] {
            if self.take(trivial) {
                return Some(&self.text[start..self.at]);
            }
        }
        self.container()
    }
}
