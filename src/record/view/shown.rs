//! A value as it is shown: one line of text, without what is secret in it.

use super::documents::Document;
use super::walk::{Entry, Met, walk};
use crate::error::Result;
use crate::json::string;
use crate::json::value::{Kind, Value};
use crate::secret::{Collected, MASK, decode, is_attribute_name, is_mask};

/// What is shown of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// There is none, or it is `null`.
    Absent,
    /// It is known after apply.
    Unknown,
    /// It is secret.
    Sensitive,
    /// It was not asked for.
    Withheld,
    /// A string, a number, `true` or `false`.
    Scalar(Excerpt),
    /// An object or array; [`MASK`] stands in it where a secret does.
    Container(Excerpt),
}

/// The beginning of a value, as compact JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// Its text, about [`EXCERPT_MAX`] bytes at most.
    pub text: String,
    /// Bytes of the value in the plan that are not in the text.
    pub left_out: u64,
}

/// Longest text of a value, in bytes; beyond that only what is begun is ended.
pub const EXCERPT_MAX: usize = 4 << 10;

/// Shows the values of a change.
#[derive(Debug)]
pub(super) struct Shower<'s> {
    known: &'s Collected,
    /// The offsets of values that are marked, in order.
    hidden: Vec<u64>,
    decoded: Vec<u8>,
}

impl<'s> Shower<'s> {
    pub fn new(known: &'s Collected) -> Shower<'s> {
        Shower { known, hidden: Vec::new(), decoded: Vec::new() }
    }

    /// Hides the values at these offsets, which are in order, and no others. Returns those that
    /// were hidden before.
    pub fn hide(&mut self, offsets: Vec<u64>) -> Vec<u64> {
        std::mem::replace(&mut self.hidden, offsets)
    }

    /// Whether a value is marked, or something in it.
    pub fn hides_within(&self, value: Value<'_>) -> bool {
        let range = value.range();
        let first = self.hidden.partition_point(|&offset| offset < range.start);
        self.hidden.get(first).is_some_and(|&offset| offset < range.end)
    }

    /// Whether a value is marked.
    pub fn hides(&self, value: Value<'_>) -> bool {
        self.hidden.binary_search(&value.offset()).is_ok()
    }

    /// Whether a key is data that repeats a secret.
    pub fn hides_key(&self, key: &str) -> bool {
        !is_attribute_name(key.as_bytes()) && self.is_secret(key.as_bytes())
    }

    /// Whether a text is a secret, or stands for one.
    pub fn is_secret(&self, text: &[u8]) -> bool {
        let Collected { secrets, contained, .. } = self.known;
        is_mask(text)
            || (text.len() >= secrets.echo_min() && secrets.number(text).is_some())
            || contained.as_ref().is_some_and(|contained| contained.is_in(text))
    }

    /// What is shown of a value.
    ///
    /// # Errors
    ///
    /// It is not well formed.
    pub fn show(&mut self, value: Option<Value<'_>>) -> Result<Shown> {
        let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Shown::Absent) };
        if self.hides(value) {
            return Ok(Shown::Sensitive);
        }
        let kind = value.kind()?;
        let mut excerpt = Excerpt::default();
        if matches!(kind, Kind::Object | Kind::Array) {
            self.container(value, &mut excerpt)?;
            return Ok(Shown::Container(excerpt));
        }
        Ok(match self.scalar(value, kind, &mut excerpt)? {
            true => Shown::Scalar(excerpt),
            false => Shown::Sensitive,
        })
    }

    /// Appends a scalar, or nothing if it is secret.
    fn scalar(&mut self, value: Value<'_>, kind: Kind, excerpt: &mut Excerpt) -> Result<bool> {
        let mut decoded = std::mem::take(&mut self.decoded);
        let text = match kind {
            Kind::String => decode(value.string()?, &mut decoded)?,
            _ => value.raw(),
        };
        let is_shown = !(matches!(kind, Kind::String | Kind::Number) && self.is_secret(text));
        let document = if kind == Kind::String { Document::json(text) } else { None };
        match document {
            _ if !is_shown => {}
            None => excerpt.push(text, kind),
            Some(mut document) => {
                // A secret may stand in it as a value of its own.
                let hidden = self.hide(Vec::new());
                excerpt.text.push_str("jsonencode(");
                let shown = self.container(document.value(), excerpt);
                excerpt.text.push(')');
                self.hide(hidden);
                shown?;
            }
        }
        self.decoded = decoded;
        Ok(is_shown)
    }

    fn container(&mut self, value: Value<'_>, excerpt: &mut Excerpt) -> Result<()> {
        let hidden = std::mem::take(&mut self.hidden);
        let is_hidden = |value: Value<'_>| hidden.binary_search(&value.offset()).is_ok();
        let entry = |value| if is_hidden(value) { Entry::Pass } else { Entry::Enter };
        let (mut needs_comma, mut depth) = (false, 0_usize);
        let mut is_full = false;
        let walked = walk(value, entry, |met| {
            if is_full {
                return Ok(());
            }
            if needs_comma && matches!(met, Met::Key(_) | Met::Index(_)) {
                excerpt.text.push(',');
            }
            needs_comma = matches!(met, Met::Close(_) | Met::Whole(..));
            match met {
                Met::Key(key) => {
                    let key = key.decode()?;
                    match self.hides_key(&key) {
                        true => excerpt.text.push_str(MASK),
                        false => excerpt.push(key.as_bytes(), Kind::String),
                    }
                    excerpt.text.push(':');
                }
                Met::Index(_) => {}
                Met::Open(kind) => {
                    excerpt.text.push(if kind == Kind::Object { '{' } else { '[' });
                    depth += 1;
                }
                Met::Close(kind) => {
                    excerpt.text.push(if kind == Kind::Object { '}' } else { ']' });
                    depth -= 1;
                }
                Met::Whole(whole, kind) => {
                    let is_empty = matches!(kind, Kind::Object | Kind::Array);
                    if is_hidden(whole) {
                        excerpt.text.push_str(MASK);
                    } else if is_empty {
                        excerpt.text.push_str(if kind == Kind::Object { "{}" } else { "[]" });
                    } else if !self.scalar(whole, kind, excerpt)? {
                        excerpt.text.push_str(MASK);
                    }
                    is_full = depth > 0 && excerpt.text.len() > EXCERPT_MAX;
                    if is_full {
                        excerpt.left_out += value.range().end - whole.range().end;
                    }
                }
            }
            Ok(())
        });
        self.hidden = hidden;
        walked
    }
}

impl Excerpt {
    /// The beginning of what stands in a text from a byte on, which is no first byte.
    pub(super) fn of_text_from(start: usize, text: &str) -> Excerpt {
        let mut excerpt = Excerpt::default();
        let rest = format!("…{}", &text[start..]);
        excerpt.push(rest.as_bytes(), Kind::String);
        excerpt
    }

    /// Appends a scalar.
    fn push(&mut self, text: &[u8], kind: Kind) {
        let room = EXCERPT_MAX.saturating_sub(self.text.len());
        let mut len = text.len().min(room.max(16));
        // Not within a character.
        while text.get(len).is_some_and(|byte| byte & 0xc0 == 0x80) {
            len -= 1;
        }
        self.left_out += (text.len() - len) as u64;
        // It was UTF-8 when it was read.
        let shown = String::from_utf8_lossy(&text[..len]);
        match kind {
            Kind::String => string::push_quoted(&shown, &mut self.text),
            _ => self.text.push_str(&shown),
        }
    }
}
