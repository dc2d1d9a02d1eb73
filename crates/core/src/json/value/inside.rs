//! The content of a container: its members or elements, in document order.
//!
//! Plans usually have no spaces and short keys without escapes. A fast path (`peek_fast`) finds
//! such a member with the masks of the outline and a few bytes. Everything else goes to the general
//! path (`peek_general`), including errors and the end of the container.

use super::{Kind, Text, Value, ValueStart};
use crate::error::Result;

/// The members of an object. The iterator is fused after an error.
#[derive(Clone, Debug)]
pub struct Members<'a>(Inside<'a>);

/// The elements of an array. The iterator is fused after an error.
#[derive(Clone, Debug)]
pub struct Elements<'a>(Inside<'a>);

/// The step from a container to a value in it.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// A key.
    Key(Text<'a>),
    /// An array index.
    Index(u32),
}

/// The members of an object or the elements of an array, for walks that treat both alike.
#[derive(Clone, Debug)]
pub enum Entries<'a> {
    /// The members of an object.
    Object(Members<'a>),
    /// The elements, and the index of the next element.
    Array(Elements<'a>, u32),
}

impl<'a> Entries<'a> {
    /// The content of a container; `None` for a scalar.
    pub fn of(value: Value<'a>) -> Result<Option<Entries<'a>>> {
        Ok(Entries::of_kind(value.kind()?, value))
    }

    /// Like [`Entries::of`], for a value whose kind is known.
    #[inline]
    pub(super) fn of_kind(kind: Kind, value: Value<'a>) -> Option<Entries<'a>> {
        match kind {
            Kind::Object => Some(Entries::Object(Members::of(value))),
            Kind::Array => Some(Entries::Array(Elements::of(value), 0)),
            _ => None,
        }
    }

    /// The kind of the container.
    pub(super) fn kind(&self) -> Kind {
        match self {
            Entries::Object(_) => Kind::Object,
            Entries::Array(..) => Kind::Array,
        }
    }

    /// The next value, and the step to it.
    #[inline]
    pub fn step(&mut self) -> Result<Option<(Step<'a>, Value<'a>)>> {
        Ok(match self {
            Entries::Object(members) => members.step()?.map(|(key, value)| (Step::Key(key), value)),
            Entries::Array(elements, index) => elements.step()?.map(|value| {
                *index += 1;
                (Step::Index(*index - 1), value)
            }),
        })
    }
}

/// A position between the brackets of a container.
#[derive(Clone, Copy, Debug)]
struct Inside<'a> {
    next: ValueStart<'a>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    First,
    Later,
    Done,
}

impl<'a> Inside<'a> {
    /// The position before the first member or element.
    fn of(container: Value<'a>) -> Inside<'a> {
        let place = container.0;
        let next = ValueStart { at: place.at + 1, container: place.container + 1, ..place };
        Inside { next, state: State::First }
    }

    /// Goes to the next member or element and returns its first byte; `None` at the closing
    /// bracket. The state is `Done` until the caller has consumed the member or element.
    #[inline(always)]
    fn advance(&mut self, close: u8, expected: &'static str) -> Result<Option<u8>> {
        let byte = match std::mem::replace(&mut self.state, State::Done) {
            State::Done => return Ok(None),
            State::First => self.next.token(),
            State::Later => match self.next.token() {
                b',' => {
                    self.next.at += 1;
                    // The caller rejects a closing bracket, because no value or key begins with
                    // one.
                    return Ok(Some(self.next.token()));
                }
                byte if byte == close => byte,
                _ => return Err(self.next.expected(expected)),
            },
        };
        Ok((byte != close).then_some(byte))
    }
}

/// The positions of a member: its key, its value and its end.
#[derive(Clone, Copy, Debug)]
pub struct MemberSpan {
    /// The text between the quotes of the key.
    key: u32,
    key_end: u32,
    escaped: bool,
    /// The value's first byte, and how many containers open before it.
    at: u32,
    container: u32,
    /// The byte after the value, and how many containers open before it.
    end: u32,
    next_container: u32,
}

impl MemberSpan {
    /// The position at which the member begins, and how many containers open before it.
    pub(super) fn begin(self) -> (u32, u32) {
        (self.key - 1, self.container)
    }
}

impl<'a> Members<'a> {
    pub(super) fn of(object: Value<'a>) -> Members<'a> {
        Members(Inside::of(object))
    }

    /// Returns the members from a position on. A member must begin there ([`MemberSpan::begin`]).
    pub(super) fn starting_at(&self, at: u32, container: u32) -> Members<'a> {
        let next = ValueStart { at, container, ..self.0.next };
        Members(Inside { next, state: State::First })
    }

    #[inline(always)]
    fn step(&mut self) -> Result<Option<(Text<'a>, Value<'a>)>> {
        if self.0.state == State::Done {
            return Ok(None);
        }
        let found = self.peek();
        let Ok(Some(span)) = found else {
            self.0.state = State::Done;
            return found.map(|_| None);
        };
        let member = (self.key(span), self.value(span));
        self.pass(span);
        Ok(Some(member))
    }

    /// Returns the next member without consuming it.
    #[inline(always)]
    pub fn peek(&self) -> Result<Option<MemberSpan>> {
        match self.peek_fast() {
            Some(span) => Ok(Some(span)),
            // Passed by value, so that `self` can stay in registers.
            None => peek_general(self.0),
        }
    }

    /// The fast path: no spaces, and a short key without escapes. `None` leaves the member to the
    /// general path.
    #[inline(always)]
    fn peek_fast(&self) -> Option<MemberSpan> {
        let mut place = self.0.next;
        let [first, second] = *place.text.get(place.at as usize..)?.first_chunk()?;
        let key = match (self.0.state, first, second) {
            (State::Later, b',', b'"') => place.at + 2,
            (State::First, b'"', _) => place.at + 1,
            _ => return None,
        };
        let close = place.outline.plain_end(key)?;
        let [_, colon, first] = *place.text.get(close as usize..)?.first_chunk()?;
        if colon != b':' || first <= b' ' {
            return None;
        }
        place.at = close + 2;
        let (at, container) = (place.at, place.container);
        place.skip(first).ok()?;
        Some(MemberSpan {
            key,
            key_end: close,
            escaped: false,
            at,
            container,
            end: place.at,
            next_container: place.container,
        })
    }

    /// Consumes a member that was returned by [`Members::peek`].
    #[inline(always)]
    pub fn pass(&mut self, span: MemberSpan) {
        self.0.next.at = span.end;
        self.0.next.container = span.next_container;
        self.0.state = State::Later;
    }

    /// The key of a member that was returned by [`Members::peek`].
    #[inline(always)]
    pub fn key(&self, span: MemberSpan) -> Text<'a> {
        let ValueStart { text, outline, .. } = self.0.next;
        Text {
            raw: &text[span.key as usize..span.key_end as usize],
            offset: outline.origin + u64::from(span.key),
            escaped: u64::from(span.escaped),
        }
    }

    /// The value of a member that was returned by [`Members::peek`].
    #[inline(always)]
    pub fn value(&self, span: MemberSpan) -> Value<'a> {
        let ValueStart { text, outline, .. } = self.0.next;
        Value::new(text, outline, span.at..span.end, span.container)
    }

    /// The first eight bytes of a key as a big-endian number, padded with zeros. If the numbers of
    /// two keys without escapes differ, the keys have the same order as the numbers.
    #[inline(always)]
    pub fn key_head(&self, span: MemberSpan) -> u64 {
        let text = &self.0.next.text[span.key as usize..];
        let len = (span.key_end - span.key) as usize;
        match text.first_chunk() {
            Some(head) => {
                let behind = u64::MAX.checked_shr(8 * len.min(8) as u32).unwrap_or(0);
                u64::from_be_bytes(*head) & !behind
            }
            None => {
                let mut head = [0; 8];
                head[..len].copy_from_slice(&text[..len]);
                u64::from_be_bytes(head)
            }
        }
    }

    /// Bytes from the start of the input to the value of a member.
    #[inline(always)]
    pub fn value_offset(&self, span: MemberSpan) -> u64 {
        self.0.next.outline.origin + u64::from(span.at)
    }

    /// Bytes from the start of the input to the end of a member.
    #[inline(always)]
    pub fn end_offset(&self, span: MemberSpan) -> u64 {
        self.0.next.outline.origin + u64::from(span.end)
    }

    /// The text from here to the end of the object.
    pub fn rest(&self) -> &'a [u8] {
        self.0.next.text.get(self.0.next.at as usize..).unwrap_or_default()
    }

    /// Bytes from the start of the input to the next byte.
    pub fn offset(&self) -> u64 {
        self.0.next.offset()
    }

    /// Moves by the distance between `from` and `to`, two positions of another iterator. Over this
    /// distance, both objects must have the same text.
    pub fn follow(&mut self, from: &Members<'_>, to: &Members<'_>) {
        let (from, state) = (&from.0.next, to.0.state);
        self.0.next.at += to.0.next.at - from.at;
        self.0.next.container += to.0.next.container - from.container;
        self.0.state = state;
    }
}

/// The next member: the general path.
#[inline(never)]
fn peek_general(mut inside: Inside<'_>) -> Result<Option<MemberSpan>> {
    let Some(quote) = inside.advance(b'}', "a comma or the end of the object")? else {
        return Ok(None);
    };
    let mut place = inside.next;
    if quote != b'"' {
        return Err(place.expected("a key"));
    }
    let key = place.at + 1;
    let close = place.quote(key)?;
    let escaped = place.check_escapes(key..close)?;
    place.at = close + 1;
    if place.token() != b':' {
        return Err(place.expected("a colon"));
    }
    place.at += 1;
    let first = place.token();
    let (at, container) = (place.at, place.container);
    place.skip(first)?;
    Ok(Some(MemberSpan {
        key,
        key_end: close,
        escaped,
        at,
        container,
        end: place.at,
        next_container: place.container,
    }))
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<(Text<'a>, Value<'a>)>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

impl<'a> Elements<'a> {
    pub(super) fn of(array: Value<'a>) -> Elements<'a> {
        Elements(Inside::of(array))
    }

    #[inline(always)]
    fn step(&mut self) -> Result<Option<Value<'a>>> {
        let inside = &mut self.0;
        let Some(first) = inside.advance(b']', "a comma or the end of the array")? else {
            return Ok(None);
        };
        let value = inside.next.value(first)?;
        inside.state = State::Later;
        Ok(Some(value))
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Result<Value<'a>>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Slice;
    use crate::json::Validation;
    use crate::json::cursor::Cursor;
    use crate::json::outline::Outline;
    use crate::limits::Limits;
    use crate::scan::Isa;

    /// Calls a function with the members of an object.
    fn with_members<T>(text: &str, visit: impl FnOnce(Members<'_>) -> T) -> T {
        let limits = Limits::default();
        let source = Slice(text.as_bytes());
        let mut cursor = Cursor::new(source, 0, Isa::best(), Validation::Structure, limits);
        let mut outline = Outline::new();
        cursor.outline(&mut outline).unwrap();
        visit(cursor.value(&mut outline).members().unwrap())
    }

    /// Walks an object on both paths. Returns how many members the fast path found.
    fn walk(text: &str, mut members: Members<'_>) -> usize {
        let mut found = 0;
        loop {
            let (plain, any) = (members.peek_fast(), peek_general(members.0));
            if let Some(plain) = plain {
                let any = any.as_ref().ok().copied().flatten();
                assert_eq!(Some(format!("{plain:?}")), any.map(|any| format!("{any:?}")), "{text}");
                found += 1;
            }
            let Ok(Some(next)) = any else { return found };
            members.pass(next);
        }
    }

    #[test]
    fn fast_and_general_member_parsing_agree() {
        let values = [
            "0",
            "10",
            "-1",
            "1.5",
            "1e3",
            "01",
            "tru",
            "true",
            "false",
            "nulll",
            "null",
            "{}",
            "[[],{}]",
            r#""""#,
            r#""x\"y""#,
            " 1",
            "1 ",
        ];
        let keys = ["", "a", "a-key-of-some-length", r"\u0061", r#"\""#, "é"];
        let mut found = 0;
        for start in 0..70 {
            let start = "x".repeat(start);
            for value in values {
                for key in keys {
                    for text in [
                        format!(r#"{{"{key}":{value},"{start}":1,"{key}":{value},"b":2}}"#),
                        format!(r#"{{"{start}":1,"{key}" :{value}}}"#),
                    ] {
                        found += with_members(&text, |members| walk(&text, members));
                    }
                }
            }
        }
        assert!(found > 1000, "{found} members were found on the fast path");
    }

    #[test]
    fn key_heads_sort_like_keys() {
        let keys = ["", "!", "a", "a ", "a!", "aa", "abcdefgh", "abcdefghi", "b", "é"];
        for (one, two) in keys.iter().flat_map(|one| keys.map(|two| (*one, two))) {
            // With a short value the text ends less than eight bytes after the key's start.
            for end in ["1", "\"a longer text\""] {
                let text = format!(r#"{{"{one}":1,"{two}":{end}}}"#);
                with_members(&text, |mut members| {
                    let [first, second] = [(); 2].map(|()| {
                        let span = members.peek().unwrap().unwrap();
                        members.pass(span);
                        members.key_head(span)
                    });
                    assert!(first == second || first.cmp(&second) == one.cmp(two), "{text}");
                });
            }
        }
    }
}
