//! A fast path for values as the tools write them: no spaces, and known keys in a known order.
//!
//! The caller compares the text with what it expects, literal by literal, and skips values with the
//! masks. There is no error handling: if anything unexpected comes, the caller starts again on the
//! general path ([`super::value`]).
//!
//! The trap: the general path must accept whatever is accepted here, with the same meaning. And a
//! method that does not find what it looks for must not move: the caller may try another one.

use super::outline::Outline;
use super::value::Text;

/// A position in the text of an outlined value.
#[derive(Clone, Copy, Debug)]
pub struct Canonical<'a> {
    text: &'a [u8],
    outline: &'a Outline,
    /// The position of the next byte.
    at: usize,
}

impl<'a> Canonical<'a> {
    /// The start of an outlined value. `text` is the text from [`Outline::origin`] to its end.
    pub(super) fn new(text: &'a [u8], outline: &'a Outline, at: usize) -> Canonical<'a> {
        Canonical { text, outline, at }
    }

    /// Bytes from the start of the input to the next byte.
    pub fn offset(&self) -> u64 {
        self.outline.origin + self.at as u64
    }

    /// Whether the whole value was consumed.
    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Consumes `expected` if the text continues with it.
    #[inline(always)]
    pub fn take(&mut self, expected: &[u8]) -> bool {
        let found = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(expected));
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Skips a string, if its escapes are valid and its length is within the limit.
    #[inline]
    pub fn string(&mut self) -> bool {
        let start = self.at + 1;
        if self.text.get(self.at) != Some(&b'"') {
            return false;
        }
        let Some(close) = self.outline.next_quote(start as u32) else { return false };
        let text = start as u32..close;
        let found = (close as usize) < self.text.len()
            && self.outline.check_string_limit(text.len(), 0).is_ok()
            && (!self.outline.has_escape(text.clone())
                || self.outline.check_escapes(self.text, text).is_ok());
        if found {
            self.at = close as usize + 1;
        }
        found
    }

    /// Consumes a string like [`Canonical::string`] and returns the text between its quotes.
    #[inline]
    pub fn text(&mut self) -> Option<Text<'a>> {
        let (start, offset) = (self.at + 1, self.offset() + 1);
        self.string().then(|| Text::of_raw(&self.text[start..self.at - 1], offset))
    }

    /// Skips an unsigned integer of at most nine digits.
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

    /// Consumes an object or array with any content and returns its bytes.
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

    /// Consumes an overlay, which marks parts of a value: an object or array, `true` or `false`.
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
