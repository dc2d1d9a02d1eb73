//! Merges the members of two objects and their overlay in one pass.
//!
//! Terraform writes keys in order, so a merge brings equal keys together. If the keys of an object
//! are not in order, the merge gives up, and the caller discards its results. While both sides have
//! the same bytes, only `before` is walked. This walk is cheap, but necessary, because it detects
//! duplicate keys and malformed members.
//!
//! **Trap.** `same_until` is an offset in `before`. It is valid for `after` only while both sides
//! are at the same member. Code that advances only one side must compute it again.

use std::cmp::Ordering;

use super::{Both, Scratch, Sides, key_step, shorter};
use plansift_core::error::Result;
use plansift_core::json::string::common_prefix;
use plansift_core::json::value::{MemberSpan, Members, Text, Value};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ordered {
    Yes,
    No,
}

/// A cursor over the members of an object, with one member of lookahead.
struct Head<'a> {
    /// Positioned before the next member.
    members: Members<'a>,
    next: NextMember,
}

#[derive(Clone, Copy)]
enum NextMember {
    /// Not read yet.
    Unread,
    /// The object has no more members.
    None,
    Some(MemberSpan),
}

/// A key, and its first bytes as a number, which makes most comparisons cheap.
#[derive(Clone, Copy)]
struct Key<'a> {
    text: Text<'a>,
    head: u64,
}

impl Scratch {
    /// Merges the members of both sides and of the overlay `unknown`. Returns [`Ordered::No`] if
    /// the keys of an object are not in order.
    pub(super) fn merge_members<'a>(
        &mut self,
        both: &Both<'a>,
        unknown: Option<Value<'a>>,
        waiting: &mut Vec<Both<'a>>,
    ) -> Result<Ordered> {
        let mut befores = Head::of(both.before)?;
        let mut afters = Head::of(both.after)?;
        let mut unknowns = unknown.map(Value::members).transpose()?;
        let mut marked = self.next_marked(&mut unknowns)?;
        let mut last: Option<Key<'a>> = None;
        // From the current members up to this offset in `before`, both sides have the same bytes.
        let mut same_until = both.before.offset() + both.same() as u64;
        loop {
            let mark = marked.map(|(key, _)| key);
            let start = befores.members.clone();
            if befores.pass_ordered(same_until, mark, &mut last)? == Ordered::No {
                return Ok(Ordered::No);
            }
            afters.follow(&start, &befores.members)?;

            let own = befores.lesser(&afters, same_until);
            let key = match (own.map(|(key, _)| key), mark) {
                (Some(own), Some(mark)) if mark.compare(own).is_lt() => mark,
                (Some(key), _) | (None, Some(key)) => key,
                (None, None) => return Ok(Ordered::Yes),
            };
            if last.replace(key).is_some_and(|last| last.compare(key).is_ge()) {
                return Ok(Ordered::No);
            }
            let is_mark = mark.is_some_and(|mark| mark.compare(key).is_eq());
            let (before, after) = match own.filter(|(own, _)| !is_mark || own.compare(key).is_eq())
            {
                Some((_, Ordering::Less)) => (befores.take(), None),
                Some((_, Ordering::Equal)) => (befores.take(), afters.take()),
                Some((_, Ordering::Greater)) => (None, afters.take()),
                None => (None, None),
            };
            let same = match (before, after) {
                (Some(before), Some(after)) if before.offset() <= same_until => {
                    Some(shorter(before, after).min((same_until - before.offset()) as usize))
                }
                _ => None,
            };
            let here = befores.members.offset();
            let is_inside = before.is_some() && after.is_some() && here < same_until;
            if (before.is_some() || after.is_some()) && !is_inside {
                let (before, after) = (befores.members.rest(), afters.members.rest());
                same_until = here + common_prefix(before, after) as u64;
            }
            befores.read_ahead()?;
            // A member with the same bytes on both sides is read from `before` only.
            if befores.end_offset().is_none_or(|end| end >= same_until) {
                afters.read_ahead()?;
            }
            let unknown = marked.filter(|_| is_mark).map(|(_, value)| value);
            if is_mark {
                marked = self.next_marked(&mut unknowns)?;
            }
            let sides = Sides { before, after, unknown, same };
            self.settle(both.node, key_step(key.text), &sides, waiting)?;
        }
    }

    /// Returns the next member of an overlay whose value contains a mark.
    fn next_marked<'a>(
        &self,
        overlay: &mut Option<Members<'a>>,
    ) -> Result<Option<(Key<'a>, Value<'a>)>> {
        let Some(members) = overlay else { return Ok(None) };
        let here = members.offset() - self.overlay;
        let Some(&mark) = self.marks.get(self.marks.partition_point(|&mark| mark < here)) else {
            return Ok(None);
        };
        while let Some(next) = members.peek()? {
            let (key, value) = (Key::of(members, next), members.value(next));
            members.pass(next);
            if members.offset() - self.overlay > mark {
                return Ok(Some((key, value)));
            }
        }
        Ok(None)
    }
}

impl NextMember {
    #[inline(always)]
    fn of(span: Option<MemberSpan>) -> NextMember {
        span.map_or(NextMember::None, NextMember::Some)
    }
}

impl<'a> Key<'a> {
    #[inline(always)]
    fn of(members: &Members<'a>, span: MemberSpan) -> Key<'a> {
        Key { text: members.key(span), head: members.key_head(span) }
    }

    /// Compares two keys after decoding.
    #[inline(always)]
    fn compare(self, other: Key<'_>) -> Ordering {
        let heads_decide = self.head != other.head && self.text.is_plain() && other.text.is_plain();
        if heads_decide { self.head.cmp(&other.head) } else { self.text.compare(other.text) }
    }
}

impl<'a> Head<'a> {
    /// Creates a cursor at the first member of an object.
    fn of(object: Value<'a>) -> Result<Head<'a>> {
        let mut head = Head { members: object.members()?, next: NextMember::Unread };
        head.read_ahead()?;
        Ok(head)
    }

    /// Returns the lesser of the next keys of two objects, and how the keys compare. Up to the
    /// offset `same_until`, both objects have the same bytes.
    #[inline(always)]
    fn lesser(&self, other: &Head<'a>, same_until: u64) -> Option<(Key<'a>, Ordering)> {
        match (self.next, other.next) {
            (NextMember::Some(own), NextMember::Some(others)) => {
                let key = Key::of(&self.members, own);
                if self.members.value_offset(own) <= same_until {
                    return Some((key, Ordering::Equal));
                }
                let other = Key::of(&other.members, others);
                let order = key.compare(other);
                Some((if order.is_gt() { other } else { key }, order))
            }
            (NextMember::Some(own), _) => Some((Key::of(&self.members, own), Ordering::Less)),
            (_, NextMember::Some(others)) => {
                Some((Key::of(&other.members, others), Ordering::Greater))
            }
            _ => None,
        }
    }

    /// Returns the offset of the end of the next member.
    #[inline(always)]
    fn end_offset(&self) -> Option<u64> {
        match self.next {
            NextMember::Some(next) => Some(self.members.end_offset(next)),
            _ => None,
        }
    }

    /// Consumes the next member, and returns its value.
    #[inline(always)]
    fn take(&mut self) -> Option<Value<'a>> {
        let NextMember::Some(next) = self.next else { return None };
        self.members.pass(next);
        self.next = NextMember::Unread;
        Some(self.members.value(next))
    }

    /// Reads the lookahead member, if it is not read yet.
    #[inline(always)]
    fn read_ahead(&mut self) -> Result<()> {
        if matches!(self.next, NextMember::Unread) {
            self.next = NextMember::of(self.members.peek()?);
        }
        Ok(())
    }

    /// Skips the members that end before the offset `until` and have keys less than `stop`. Returns
    /// [`Ordered::No`] if a key is not greater than the previous key, which starts as `last`.
    /// Updates `last`.
    #[inline(always)]
    fn pass_ordered(
        &mut self,
        until: u64,
        stop: Option<Key<'a>>,
        last: &mut Option<Key<'a>>,
    ) -> Result<Ordered> {
        // Local copies, which can stay in registers.
        let (mut members, mut next, mut passed) = (self.members.clone(), self.next, *last);
        while let NextMember::Some(span) = next
            && members.end_offset(span) < until
        {
            let key = Key::of(&members, span);
            if stop.is_some_and(|stop| key.compare(stop).is_ge()) {
                break;
            }
            if passed.replace(key).is_some_and(|last| last.compare(key).is_ge()) {
                return Ok(Ordered::No);
            }
            members.pass(span);
            next = NextMember::of(members.peek()?);
        }
        (self.members, self.next, *last) = (members, next, passed);
        Ok(Ordered::Yes)
    }

    /// Advances as far as the other object did, from `from` to `to`. The skipped bytes must be
    /// equal in both objects.
    #[inline(always)]
    fn follow(&mut self, from: &Members<'a>, to: &Members<'a>) -> Result<()> {
        if from.offset() != to.offset() {
            self.members.follow(from, to);
            self.next = NextMember::Unread;
        }
        self.read_ahead()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::{ROOT, Room};
    use super::*;
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;

    /// Merges two objects and an overlay. Returns whether their keys are in order, the keys that
    /// change, and the keys of the containers to enter.
    fn merge(before: &str, after: &str, unknown: &str) -> (bool, Vec<String>, Vec<String>) {
        let text = format!("[{before},{after},{unknown}]");
        let mut list = Detached::read(text.as_bytes(), Limits::default()).unwrap();
        let mut all = list.value().elements().unwrap();
        let mut next = || all.next().expect("three values").unwrap();
        let (before, after, unknown) = (next(), next(), next());
        let mut scratch = Scratch {
            overlay: unknown.offset(),
            room: Room { paths_max: u64::MAX, taken: 0 },
            ..Scratch::default()
        };
        let mut marks = Vec::new();
        let mut overlays = super::super::Collector::default();
        overlays.each_mark(unknown, |mark| marks.push(mark)).unwrap();
        scratch.marks = marks;
        let both = Both { before, after, unknown: Some(unknown), node: ROOT, same: None };
        let mut waiting = Vec::new();
        let ordered = scratch.merge_members(&both, Some(unknown), &mut waiting).unwrap();
        for both in &waiting {
            // Without the prefix, the walk would compare bytes again. White space on one side may
            // end the common bytes directly before a value.
            let same = common_prefix(both.before.raw(), both.after.raw());
            let is_known = both.same == Some(same) || (both.same.is_none() && text.contains(' '));
            assert!(is_known, "{text}: {:?}, not {same}", both.same);
        }
        let changed = scratch.changed.iter().map(|path| path.to_string()).collect();
        let entered = waiting.iter().map(|both| match scratch.nodes[both.node as usize].step {
            super::super::PathStep::Key { start, end } => scratch.keys[start..end].to_owned(),
            super::super::PathStep::Index(_) => unreachable!("objects have keys"),
        });
        (ordered == Ordered::Yes, changed, entered.collect())
    }

    #[test]
    fn ordered_objects_are_merged() {
        for (before, after, unknown, changed, entered) in [
            ("{}", "{}", "{}", &[][..], &[][..]),
            (r#"{"a":1}"#, r#"{"a":2}"#, "{}", &["a"], &[]),
            (r#"{"a":1,"b":1,"c":1}"#, r#"{"a":1,"b":2,"c":1}"#, "{}", &["b"], &[]),
            (r#"{"a":1,"b":1}"#, r#"{"b":1,"c":1}"#, "{}", &["a", "c"], &[]),
            (r#"{"b":1}"#, r#"{"b":1}"#, r#"{"a":true,"c":true}"#, &["a", "c"], &[]),
            (r#"{"a":1,"b":1,"c":1}"#, r#"{"a":1,"b":1,"c":1}"#, r#"{"b":true}"#, &["b"], &[]),
            (r#"{"a":1,"c":1}"#, r#"{"a":1,"c":1}"#, r#"{"b":true,"c":true}"#, &["b", "c"], &[]),
            (
                r#"{"a":[1,2],"b":0,"c":{"x":1},"d":[1],"e":[1]}"#,
                r#"{"a":[1,3],"b":0,"c":{"x":2},"d":[1],"e":[2]}"#,
                "{}",
                &[],
                &["a", "c", "e"],
            ),
            // Keys with the same first eight bytes, and keys with escapes.
            (r#"{"abcdefgh1":1}"#, r#"{"abcdefgh2":1}"#, "{}", &["abcdefgh1", "abcdefgh2"], &[]),
            (r#"{"\u0061":1,"b":1}"#, r#"{"a":2,"b":1}"#, "{}", &["a"], &[]),
            // White space on one side, so that the members are at different offsets.
            (r#"{ "a":[1], "b":[1], "c":0 }"#, r#"{"a":[1],"b":[2],"c":0}"#, "{}", &[], &["b"]),
        ] {
            let found = merge(before, after, unknown);
            let texts = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
            assert_eq!(found, (true, texts(changed), texts(entered)), "{before} {after} {unknown}");
        }
    }

    #[test]
    fn unordered_keys_end_the_merge() {
        for (before, after, unknown) in [
            (r#"{"b":1,"a":1}"#, r#"{"b":1,"a":1}"#, "{}"),
            (r#"{"a":1,"c":1}"#, r#"{"a":2,"c":1,"b":1}"#, "{}"),
            (r#"{"a":1,"a":2}"#, r#"{"a":1}"#, "{}"),
            (r#"{"a":1,"c":1}"#, r#"{"a":1,"c":1}"#, r#"{"c":true,"b":true}"#),
            // Both sides are equal up to their unordered keys.
            (r#"{"c":1,"b":1,"z":1}"#, r#"{"c":1,"b":1,"z":2}"#, "{}"),
        ] {
            assert!(!merge(before, after, unknown).0, "{before} {after} {unknown}");
        }
    }

    proptest! {
        #[test]
        fn any_ordered_objects_are_merged(
            before in prop::collection::btree_map("[a-d]{1,2}|abcdefgh[ab]", 0..3_u8, 0..6),
            after in prop::collection::btree_map("[a-d]{1,2}|abcdefgh[ab]", 0..3_u8, 0..6),
            marks in prop::collection::btree_map("[a-d]{1,2}", Just(true), 0..3),
            equal in 0..4_usize,
        ) {
            // Equal members at the start and at the end, as most changes have.
            let mut sides = [before, after];
            for number in 0..equal {
                for side in &mut sides {
                    side.insert(format!("A{number}"), 7);
                    side.insert(format!("z{number}"), 7);
                }
            }
            let [before, after] = sides;
            let text = |side: &BTreeMap<String, u8>| {
                let members = side.iter().map(|(key, value)| match value {
                    2 => format!(r#""{key}":[1,2]"#),
                    _ => format!(r#""{key}":{value}"#),
                });
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            };
            let overlay = serde_json::to_string(&marks).expect("JSON");
            let keys = before.keys().chain(after.keys()).chain(marks.keys());
            let keys: std::collections::BTreeSet<_> = keys.collect();
            let is_changed =
                |key: &&&String| marks.contains_key(**key) || before.get(**key) != after.get(**key);
            let changed = keys.iter().filter(is_changed).map(|it| (**it).clone());
            let changed: Vec<String> = changed.collect();
            let found = merge(&text(&before), &text(&after), &overlay);
            prop_assert_eq!(found, (true, changed, Vec::new()));
        }
    }
}
