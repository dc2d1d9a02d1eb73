//! The members of an object sorted by key, for objects whose keys are not in order.
//!
//! The list stores the position of each member, and parses the member again when it is needed. The
//! sort compares copies of the keys, because another process may change a mapped file at any
//! moment, and the sort of the standard library may panic if two comparisons of the same keys
//! differ. The copies are freed after the sort. Each member takes 16 bytes, and the length of its
//! key during the sort.

use super::inside::{MemberSpan, Members};
use super::{Text, Value};
use crate::error::{Error, ErrorKind, Result};

/// The members of an object, sorted by their keys.
#[derive(Debug)]
pub struct Sorted<'a> {
    object: Members<'a>,
    starts: std::vec::IntoIter<MemberStart>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Duplicates {
    Refused,
    Kept,
}

/// The position of a member, and the byte range of its key among the copied keys.
#[derive(Clone, Copy, Debug)]
struct MemberStart {
    at: u32,
    container: u32,
    key: u32,
    key_end: u32,
}

impl<'a> Sorted<'a> {
    /// Sorts the members of an object. Fails if the value is not an object, is invalid, or has
    /// duplicate keys.
    pub fn of(object: Value<'a>) -> Result<Sorted<'a>> {
        Sorted::with(object, Duplicates::Refused)
    }

    /// Like [`Sorted::of`], but keeps members with one key, in document order.
    pub fn with_duplicates(object: Value<'a>) -> Result<Sorted<'a>> {
        Sorted::with(object, Duplicates::Kept)
    }

    fn with(object: Value<'a>, duplicates: Duplicates) -> Result<Sorted<'a>> {
        let object = object.members()?;
        let (mut count, mut len) = (0, 0);
        for member in object.clone() {
            let (key, _) = member?;
            count += 1;
            len += key.raw().len();
        }
        // Reserves the exact sizes: a growing `Vec` briefly needs three times its memory.
        let (mut starts, mut keys) = (Vec::with_capacity(count), Vec::with_capacity(len));
        let mut members = object.clone();
        while let Some(span) = members.peek()? {
            let (at, container) = span.begin();
            let key = keys.len() as u32;
            members.key(span).copy_to(&mut keys)?;
            starts.push(MemberStart { at, container, key, key_end: keys.len() as u32 });
            members.pass(span);
        }
        let key = |start: &MemberStart| &keys[start.key as usize..start.key_end as usize];
        starts.sort_unstable_by(|one, two| key(one).cmp(key(two)).then(one.at.cmp(&two.at)));
        let twice = starts.array_windows().find(|[one, two]| key(one) == key(two));
        if let Some([_, second]) = twice
            && duplicates == Duplicates::Refused
        {
            let changed = || Error::at(ErrorKind::Changed, object.offset());
            let (members, span) = span(&object, *second).ok_or_else(changed)?;
            let offset = members.key(span).offset() - 1;
            return Err(Error::at(ErrorKind::DuplicateKey, offset));
        }
        Ok(Sorted { object, starts: starts.into_iter() })
    }
}

impl<'a> Iterator for Sorted<'a> {
    type Item = Result<(Text<'a>, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.starts.next()?;
        let member = span(&self.object, start)
            .map(|(members, span)| (members.key(span), members.value(span)))
            .ok_or_else(|| Error::at(ErrorKind::Changed, self.object.offset()));
        Some(member)
    }
}

/// The member at a position; `None` if the text has changed.
fn span<'a>(object: &Members<'a>, start: MemberStart) -> Option<(Members<'a>, MemberSpan)> {
    let members = object.starting_at(start.at, start.container);
    let span = members.peek().ok()??;
    Some((members, span))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::detached::Detached;
    use crate::limits::Limits;

    /// Returns the keys and the values of a sorted object.
    fn sorted(text: &str, duplicates: Duplicates) -> Result<Vec<(String, String)>> {
        let mut detached = Detached::read(text.as_bytes(), Limits::default())?;
        let members = Sorted::with(detached.value(), duplicates)?;
        members
            .map(|member| {
                let (key, value) = member?;
                let raw = std::str::from_utf8(value.raw()).expect("UTF-8");
                Ok((key.decode()?, raw.to_owned()))
            })
            .collect()
    }

    #[test]
    fn members_are_sorted_by_their_decoded_keys() {
        let text = r#"{"b":{"x":1},"a\u0062":2,"":[3],"ac":4,"é":5,"aa\u0000":6,"B":7}"#;
        let members = sorted(text, Duplicates::Refused).expect("distinct keys");
        let keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["", "B", "aa\0", "ab", "ac", "b", "é"]);
        assert_eq!(members[5].1, r#"{"x":1}"#);
    }

    #[test]
    fn duplicates_are_refused_or_keep_their_order() {
        let text = r#"{"b":1,"c":2,"\u0062":3,"a":4,"b":5}"#;
        let error = sorted(text, Duplicates::Refused).expect_err("a duplicate");
        let place = error.location().map(|place| place.offset);
        assert_eq!((error.kind(), place), (ErrorKind::DuplicateKey, Some(13)));
        let kept = sorted(text, Duplicates::Kept).expect("members");
        let values: Vec<&str> = kept.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["4", "1", "3", "5", "2"]);
    }
}
