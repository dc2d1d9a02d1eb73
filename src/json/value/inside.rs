//! What is inside of a container: its members or elements, one after the other.
//!
//! Plans are written without spaces and with short plain keys. Such a member is told by the masks
//! of the outline and a few bytes (`look_plain`); whatever else stands there, errors and the end of
//! the container among it, is for the general way beside it (`look_any`), which is right for all.

use super::{Place, Text, Value};
use crate::error::Result;

/// The members of an object. Fused after an error.
#[derive(Clone, Debug)]
pub struct Members<'a>(Inside<'a>);

/// The elements of an array. Fused after an error.
#[derive(Clone, Debug)]
pub struct Elements<'a>(Inside<'a>);

/// A place between the brackets of a container.
#[derive(Clone, Copy, Debug)]
struct Inside<'a> {
    next: Place<'a>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    First,
    Later,
    Done,
}

impl<'a> Inside<'a> {
    /// At the first member or element of a container.
    fn of(container: Value<'a>) -> Inside<'a> {
        let place = container.place();
        let next = Place { at: place.at + 1, container: place.container + 1, ..place };
        Inside { next, state: State::First }
    }

    /// Goes to the next member or element and looks at its first byte; `None` at the closing
    /// bracket. Done, until that was taken.
    #[inline(always)]
    fn advance(&mut self, close: u8, expected: &'static str) -> Result<Option<u8>> {
        let byte = match std::mem::replace(&mut self.state, State::Done) {
            State::Done => return Ok(None),
            State::First => self.next.token(),
            State::Later => match self.next.token() {
                b',' => {
                    self.next.at += 1;
                    // A bracket here is what no member or element begins with.
                    return Ok(Some(self.next.token()));
                }
                byte if byte == close => byte,
                _ => return Err(self.next.expected(expected)),
            },
        };
        Ok((byte != close).then_some(byte))
    }
}

/// A key that may be met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    text: &'static str,
    /// The key as the tools write it, `"key":`, and which bits belong to it.
    written: [u64; Name::WORDS],
    wanted: [u64; Name::WORDS],
    len: u32,
}

impl Name {
    const WORDS: usize = 4;

    /// Several, of few plain letters each.
    pub(crate) const fn all<const N: usize>(texts: [&'static str; N]) -> [Name; N] {
        let mut names = [Name::new(""); N];
        let mut place = 0;
        while place < N {
            names[place] = Name::new(texts[place]);
            place += 1;
        }
        names
    }

    const fn new(text: &'static str) -> Name {
        let len = text.len() + 3;
        assert!(len <= 8 * Name::WORDS);
        let mut name = Name { text, written: [0; _], wanted: [0; _], len: len as u32 };
        let mut place = 0;
        while place < len {
            let byte = match place {
                0 => b'"',
                _ if place == len - 2 => b'"',
                _ if place == len - 1 => b':',
                _ => text.as_bytes()[place - 1],
            };
            name.written[place / 8] |= (byte as u64) << (place % 8 * 8);
            name.wanted[place / 8] |= 0xff << (place % 8 * 8);
            place += 1;
        }
        name
    }

    /// The key, decoded.
    pub(crate) fn text(&self) -> &'static str {
        self.text
    }

    /// Whether a text begins with the key and its colon. One that is too short for a look at once
    /// does not.
    #[inline(always)]
    fn begins(&self, text: &[u8]) -> bool {
        let Some(words) = text.as_chunks::<8>().0.first_chunk::<{ Name::WORDS }>() else {
            return false;
        };
        let mut differing = 0;
        for (place, word) in words.iter().enumerate() {
            differing |= (u64::from_le_bytes(*word) ^ self.written[place]) & self.wanted[place];
        }
        differing == 0
    }
}

/// A member that was looked at, by its positions: its key, its value and the place after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Between the quotes.
    key: u32,
    key_end: u32,
    escaped: bool,
    /// The value's first byte, and the containers that open before it.
    at: u32,
    container: u32,
    /// The byte after the value, and the containers that open before that.
    end: u32,
    next_container: u32,
}

impl Spot {
    /// Where the member begins, and how many containers open before it.
    pub(super) fn begin(self) -> (u32, u32) {
        (self.key - 1, self.container)
    }
}

impl<'a> Members<'a> {
    pub(super) fn of(object: Value<'a>) -> Members<'a> {
        Members(Inside::of(object))
    }

    /// The same members, from the one that begins at a place ([`Spot::begin`]).
    pub(super) fn starting_at(&self, at: u32, container: u32) -> Members<'a> {
        let next = Place { at, container, ..self.0.next };
        Members(Inside { next, state: State::First })
    }

    #[inline(always)]
    fn step(&mut self) -> Result<Option<(Text<'a>, Value<'a>)>> {
        if self.0.state == State::Done {
            return Ok(None);
        }
        let found = self.look();
        let Ok(Some(spot)) = found else {
            self.0.state = State::Done;
            return found.map(|_| None);
        };
        let member = (self.key(spot), self.value(spot));
        self.pass(spot);
        Ok(Some(member))
    }

    /// The next member, which is not passed yet.
    ///
    /// # Errors
    ///
    /// It is not well formed.
    #[inline(always)]
    pub(crate) fn look(&self) -> Result<Option<Spot>> {
        match self.look_plain() {
            Some(spot) => Ok(Some(spot)),
            // By value, so that the members may stay in registers.
            None => look_any(self.0),
        }
    }

    /// The same, where the member's key is plain and near, and no space is between tokens: nearly
    /// always. `None` says nothing.
    #[inline(always)]
    fn look_plain(&self) -> Option<Spot> {
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
        place.pass(first).ok()?;
        Some(Spot {
            key,
            key_end: close,
            escaped: false,
            at,
            container,
            end: place.at,
            next_container: place.container,
        })
    }

    /// The value of the next member, which is passed, if it has that name, is written without
    /// spaces, and is not at the very end; `None` says nothing.
    #[inline(always)]
    pub(crate) fn take_named(&mut self, name: &Name) -> Option<Value<'a>> {
        let mut place = self.0.next;
        let rest = place.text.get(place.at as usize..)?;
        let comma = match self.0.state {
            State::First => 0,
            State::Later if *rest.first()? == b',' => 1,
            _ => return None,
        };
        if !name.begins(&rest[comma..]) {
            return None;
        }
        place.at += comma as u32 + name.len;
        let first = place.byte(place.at).filter(|first| *first > b' ')?;
        let (at, container) = (place.at, place.container);
        place.pass(first).ok()?;
        self.0 = Inside { next: place, state: State::Later };
        Some(Value::new(place.text, place.outline, at..place.at, container))
    }

    /// Goes past a member that was looked at from here.
    #[inline(always)]
    pub(crate) fn pass(&mut self, spot: Spot) {
        self.0.next.at = spot.end;
        self.0.next.container = spot.next_container;
        self.0.state = State::Later;
    }

    /// The key of a member that was looked at.
    #[inline(always)]
    pub(crate) fn key(&self, spot: Spot) -> Text<'a> {
        let Place { text, outline, .. } = self.0.next;
        Text {
            raw: &text[spot.key as usize..spot.key_end as usize],
            offset: outline.origin + u64::from(spot.key),
            escaped: u64::from(spot.escaped),
        }
    }

    /// The value of a member that was looked at.
    #[inline(always)]
    pub(crate) fn value(&self, spot: Spot) -> Value<'a> {
        let Place { text, outline, .. } = self.0.next;
        Value::new(text, outline, spot.at..spot.end, spot.container)
    }

    /// The first eight bytes of the key of a member that was looked at, as a number; zeros where
    /// it ends. Keys without escapes whose numbers differ are in the order of their numbers.
    #[inline(always)]
    pub(crate) fn key_head(&self, spot: Spot) -> u64 {
        let text = &self.0.next.text[spot.key as usize..];
        let len = (spot.key_end - spot.key) as usize;
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

    /// Bytes from the start of the input to the value of a member that was looked at.
    #[inline(always)]
    pub(crate) fn value_offset(&self, spot: Spot) -> u64 {
        self.0.next.outline.origin + u64::from(spot.at)
    }

    /// Bytes from the start of the input to the end of a member that was looked at.
    #[inline(always)]
    pub(crate) fn end_offset(&self, spot: Spot) -> u64 {
        self.0.next.outline.origin + u64::from(spot.end)
    }

    /// The text from here to the end of the object.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0.next.text.get(self.0.next.at as usize..).unwrap_or_default()
    }

    /// Bytes from the start of the input to here.
    pub(crate) fn offset(&self) -> u64 {
        self.0.next.offset()
    }

    /// Goes as far as another went from `from` to `to`, over text that is the same here.
    pub(crate) fn follow(&mut self, from: &Members<'_>, to: &Members<'_>) {
        let (from, state) = (&from.0.next, to.0.state);
        self.0.next.at += to.0.next.at - from.at;
        self.0.next.container += to.0.next.container - from.container;
        self.0.state = state;
    }
}

/// The next member, whatever stands there.
#[inline(never)]
fn look_any(mut inside: Inside<'_>) -> Result<Option<Spot>> {
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
    place.pass(first)?;
    Ok(Some(Spot {
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

    /// Hands out the members of an object.
    fn with_members<T>(text: &str, look: impl FnOnce(Members<'_>) -> T) -> T {
        let limits = Limits::default();
        let source = Slice(text.as_bytes());
        let mut cursor = Cursor::new(source, 0, Isa::best(), Validation::Structure, limits);
        let mut outline = Outline::new();
        cursor.outline(&mut outline).unwrap();
        look(cursor.value(&mut outline).members().unwrap())
    }

    const NAMES: [Name; 4] = Name::all(["", "a", "a-key-of-some-length", "b"]);

    /// Walks an object that was outlined, in all ways. How many members were found by their names.
    fn walk(text: &str, mut members: Members<'_>) -> usize {
        let mut named = 0;
        loop {
            let (plain, any) = (members.look_plain(), look_any(members.0));
            if let Some(plain) = plain {
                let any = any.as_ref().ok().copied().flatten();
                assert_eq!(Some(format!("{plain:?}")), any.map(|any| format!("{any:?}")), "{text}");
            }
            for name in &NAMES {
                let mut behind = members.clone();
                let Some(value) = behind.take_named(name) else { continue };
                named += 1;
                let spot = any.as_ref().unwrap().unwrap();
                assert!(members.key(spot).is(name.text()), "{text}");
                assert_eq!(format!("{value:?}"), format!("{:?}", members.value(spot)), "{text}");
                let mut passed = members.clone();
                passed.pass(spot);
                assert_eq!(format!("{behind:?}"), format!("{passed:?}"), "{text}");
            }
            let Ok(Some(next)) = any else { return named };
            members.pass(next);
        }
    }

    #[test]
    fn the_plain_way_says_what_the_general_one_says() {
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
        let mut named = 0;
        for start in 0..70 {
            let start = "x".repeat(start);
            for value in values {
                for key in keys {
                    for text in [
                        format!(r#"{{"{key}":{value},"{start}":1,"{key}":{value},"b":2}}"#),
                        format!(r#"{{"{start}":1,"{key}" :{value}}}"#),
                    ] {
                        named += with_members(&text, |members| walk(&text, members));
                    }
                }
            }
        }
        assert!(named > 1000, "{named} members were found by their names");
    }

    #[test]
    fn heads_of_keys_are_in_their_order() {
        let keys = ["", "!", "a", "a ", "a!", "aa", "abcdefgh", "abcdefghi", "b", "é"];
        for (one, two) in keys.iter().flat_map(|one| keys.map(|two| (*one, two))) {
            // At the end of the text there is no room for eight bytes.
            for end in ["1", "\"a longer text\""] {
                let text = format!(r#"{{"{one}":1,"{two}":{end}}}"#);
                with_members(&text, |mut members| {
                    let [first, second] = [(); 2].map(|()| {
                        let spot = members.look().unwrap().unwrap();
                        members.pass(spot);
                        members.key_head(spot)
                    });
                    assert!(first == second || first.cmp(&second) == one.cmp(two), "{text}");
                });
            }
        }
    }
}
