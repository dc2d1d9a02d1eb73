//! Moves the cursor over text in memory that workers have already parsed.
//!
//! A worker either parses elements of an entered container or prescans a part of a skipped one.
//! Both kinds of jump end between two tokens, where the scan restarts. The only state that the
//! cursor needs there is the stack of open containers.

use super::{Cursor, Skip};
use crate::error::Result;
use crate::input::Source;
use crate::json::Validation;
use crate::json::outline::Unrecorded;
use crate::json::prescan::Prescanned;
use crate::json::tokens::Expected;
use crate::limits::Limits;
use crate::scan::Isa;
use crate::scan::brackets::Brackets;

impl<S: Source> Cursor<S> {
    /// Returns a cursor at the offset `start` of a text in memory. At `start`, the containers
    /// `open` are open, and an element of the innermost container comes next. The cursor behaves
    /// like one that has parsed the text before `start`.
    pub fn between(
        source: S,
        start: u64,
        open: &Brackets,
        isa: Isa,
        validation: Validation,
        limits: Limits,
    ) -> Self {
        let mut cursor = Cursor::new(source, start, isa, validation, limits);
        cursor.open = open.clone();
        cursor.nesting.go_between(open);
        cursor
    }

    /// Jumps to the offset `to`, where an element ends and the containers `open` are open. Another
    /// cursor must have read the text in between. Returns `false` without a jump if `to` lies
    /// before the cursor, or if the source ends or fails before `to`. The cursor reports such an
    /// end or failure when it gets there.
    pub fn jump_into(&mut self, to: u64, open: &Brackets) -> bool {
        while self.window_end() < to {
            if !self.fill() {
                return false;
            }
        }
        if to < self.offset {
            return false;
        }
        self.open.clone_from(open);
        self.offset = to;
        self.scan_again();
        true
    }

    /// Starts to skip the value at the cursor. Skips a scalar at once and returns `None`.
    pub fn begin_skip(&mut self) -> Result<Option<Skip>> {
        match self.peek()? {
            Some(b'{' | b'[') => {
                self.fresh = false;
                Ok(Some(Skip { depth: 0, pause: u64::MAX }))
            }
            _ => self.skip().map(|()| None),
        }
    }

    /// Continues a skip for about `len` bytes. Returns whether the container has ended.
    pub fn skip_some(&mut self, skip: &mut Skip, len: u64) -> Result<bool> {
        skip.pause = self.offset.saturating_add(len);
        self.skip_container(Unrecorded, skip)
    }

    /// Continues a skip to the offset `stop`, which must lie after the scanned text. Returns
    /// whether the container has ended. The byte before `stop` must be a comma, so no character and
    /// no escape crosses `stop`. A string may cross it.
    pub fn skip_to(&mut self, skip: &mut Skip, stop: u64) -> Result<bool> {
        (self.batch.stop, skip.pause) = (stop, stop);
        let passed = self.skip_container(Unrecorded, skip);
        self.batch.stop = u64::MAX;
        if matches!(passed, Ok(true)) && self.scanned == stop {
            // The batch may have ended inside a block. An outline must not contain a partial block.
            self.scan_again();
        }
        passed
    }

    /// Restarts the scan at the cursor, which is after a value of the innermost container.
    fn scan_again(&mut self) {
        self.nesting.go_between(&self.open);
        self.restart(self.offset, Expected::CommaOrClose);
    }

    /// Jumps to the end of a prescanned range. Returns `false` without a jump if the range does not
    /// start exactly where the cursor and its scan are, if the prescan guessed wrong, or if the
    /// skipped value ends inside the range.
    pub fn jump_over(&mut self, skip: &mut Skip, prescanned: &Prescanned) -> bool {
        let Prescanned { start, end, brackets } = prescanned;
        let is_here = self.scanned == *start && self.offset == *start && self.misplaced.is_none();
        if !is_here || self.scanner.in_string() || skip.depth <= brackets.closes() {
            return false;
        }
        while self.window_end() < *end {
            if !self.fill() {
                return false;
            }
        }
        if !self.nesting.apply(brackets) {
            return false;
        }
        skip.depth = skip.depth - brackets.closes() + brackets.opens();
        let expected = match self.text(end - 1..*end) {
            b"{" => Expected::KeyOrClose,
            b"[" => Expected::ValueOrClose,
            _ => Expected::CommaOrClose,
        };
        self.restart(*end, expected);
        true
    }

    /// Restarts the scan at an offset between two tokens. `expected` is what comes next.
    fn restart(&mut self, offset: u64, expected: Expected) {
        self.scanner.restart();
        if let Some(grammar) = &mut self.grammar {
            grammar.go_on(expected);
        }
        (self.batch.start, self.scanned, self.offset) = (offset, offset, offset);
        (self.misplaced, self.fresh, self.batch.string_start) = (None, false, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Slice;
    use crate::json::outline::Outline;

    /// `stop` may lie beyond the skipped value, inside a value that is outlined next.
    #[test]
    fn a_skip_ends_with_its_value_before_the_stop_offset() {
        let member =
            |number: usize| format!(r#""key-{number}":{{"of":"a {number}","list":[1,2]}}"#);
        let object =
            |count| format!("{{{}}}", (0..count).map(member).collect::<Vec<_>>().join(","));
        // The first value ends in the second batch.
        let [first, second] = [object(120), object(40)];
        let text = format!(" [{first},{second}, 7]");
        let end = 2 + first.len();
        for validation in [Validation::Structure, Validation::Grammar] {
            for stop in end..text.len() {
                let source = Slice(text.as_bytes());
                let limits = Limits::default();
                let mut cursor = Cursor::new(source, 0, Isa::best(), validation, limits);
                cursor.enter_array().expect("an array");
                assert!(cursor.next_element().expect("the first"));
                let mut skip = cursor.begin_skip().expect("a value").expect("a container");
                assert!(cursor.skip_to(&mut skip, stop as u64).expect("its end"), "{stop}");
                assert_eq!(cursor.offset(), end as u64);
                assert!(cursor.next_element().expect("the second"), "{stop}");
                let mut outline = Outline::new();
                cursor.outline(&mut outline).expect("an object");
                let value = cursor.value(&mut outline);
                assert_eq!(value.raw(), second.as_bytes(), "{stop}");
                let members = value.members().expect("an object");
                let members = members.map(|member| {
                    let (key, value) = member.unwrap_or_else(|error| panic!("{stop}: {error}"));
                    format!(
                        "\"{}\":{}",
                        key.decode().expect("a key"),
                        String::from_utf8_lossy(value.raw())
                    )
                });
                assert_eq!(members.collect::<Vec<_>>(), (0..40).map(member).collect::<Vec<_>>());
                assert!(cursor.next_element().expect("the third"));
                cursor.skip().expect("a number");
                assert!(!cursor.next_element().expect("the end"));
                assert!(cursor.at_end().expect("nothing more"));
            }
        }
    }
}
