//! Going over what others have read already, in a text that lies in memory as a whole.
//!
//! There are two ways, for what is entered and for what is skipped. Both end at a place between
//! tokens, where scanning begins anew: nothing crosses it but which containers are open.

use super::{Cursor, Open};
use crate::error::Result;
use crate::input::Source;
use crate::json::Validation;
use crate::json::brackets::Brackets;
use crate::json::outline::Unrecorded;
use crate::json::skim::Skimmed;
use crate::json::want::Want;
use crate::limits::Limits;
use crate::scan::Isa;
use crate::scan::nesting::Nesting;

/// A container that is skipped a part at a time.
#[derive(Debug)]
pub(crate) struct Skip {
    /// How many containers are open, itself included.
    depth: u64,
}

impl<S: Source> Cursor<S> {
    /// A cursor at the byte `start` of a text that is in memory as a whole, as another one would be
    /// that has come there: in these containers, before an element of the innermost.
    pub(crate) fn between(
        source: S,
        start: u64,
        open: &Brackets,
        isa: Isa,
        validation: Validation,
        limits: Limits,
    ) -> Self {
        let mut cursor = Cursor::new(source, start, isa, validation, limits);
        cursor.open = open.clone();
        cursor.nesting = Nesting::between(isa, limits.depth, open.kinds());
        cursor
    }

    /// The containers that are entered.
    pub(crate) fn open(&self) -> &Brackets {
        &self.open
    }

    /// Goes to the end of an element of the innermost container, before which the cursor is,
    /// because everything up to there was read by another cursor. `false`: the source does not let
    /// it, for a reason that it will tell when the cursor comes there.
    pub(crate) fn jump(&mut self, to: u64) -> bool {
        let open = self.open.clone();
        self.jump_into(to, &open)
    }

    /// The same to a place that lies in these containers.
    pub(crate) fn jump_into(&mut self, to: u64, open: &Brackets) -> bool {
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

    /// Begins to skip the value that stands here; `None`: it is skipped already, being no
    /// container.
    ///
    /// # Errors
    ///
    /// As [`Cursor::skip`].
    pub(crate) fn begin_skip(&mut self) -> Result<Option<Skip>> {
        match self.peek()? {
            Some(b'{' | b'[') => {
                self.fresh = false;
                Ok(Some(Skip { depth: 0 }))
            }
            _ => self.skip().map(|()| None),
        }
    }

    /// Goes on with a skip: to its end, or about so many bytes. Whether it came to its end.
    ///
    /// # Errors
    ///
    /// As [`Cursor::skip`].
    pub(crate) fn skip_some(&mut self, skip: &mut Skip, len: u64) -> Result<bool> {
        let pause = self.offset.saturating_add(len);
        self.pass_brackets(Unrecorded, Open { depth: &mut skip.depth, pause })
    }

    /// Goes on with a skip: to its end, or to an offset that was not scanned yet. Before that
    /// stands a comma: no character and no escape goes on there, a string may. Whether it came to
    /// its end.
    ///
    /// # Errors
    ///
    /// As [`Cursor::skip`].
    pub(crate) fn skip_to(&mut self, skip: &mut Skip, stop: u64) -> Result<bool> {
        self.stop = stop;
        let open = Open { depth: &mut skip.depth, pause: stop };
        let passed = self.pass_brackets(Unrecorded, open);
        self.stop = u64::MAX;
        if matches!(passed, Ok(true)) && self.scanned == stop {
            // The batch may end within a block, which an outline must not go across.
            self.scan_again();
        }
        passed
    }

    /// Scans anew from here on, behind an element or member of the innermost container.
    fn scan_again(&mut self) {
        self.nesting.go_between(self.open.kinds());
        self.restart(self.offset, Want::CommaOrClose);
    }

    /// Goes to the end of a stretch that was skimmed and that begins here, at the end of what is
    /// scanned; `false`: it is not what is here, or does not belong to the value that is skipped as
    /// a whole.
    pub(crate) fn jump_over(&mut self, skip: &mut Skip, skimmed: &Skimmed) -> bool {
        let Skimmed { start, end, brackets } = skimmed;
        let is_here = self.scanned == *start && self.offset == *start && self.misplaced.is_none();
        if !is_here || self.scanner.in_string() || skip.depth <= brackets.closes() {
            return false;
        }
        while self.window_end() < *end {
            if !self.fill() {
                return false;
            }
        }
        if !self.nesting.pass(brackets) {
            return false;
        }
        skip.depth = skip.depth - brackets.closes() + brackets.opens();
        let want = match self.text(end - 1..*end) {
            b"{" => Want::KeyOrClose,
            b"[" => Want::ValueOrClose,
            _ => Want::CommaOrClose,
        };
        self.restart(*end, want);
        true
    }

    /// Begins to scan at a place between tokens, where this is wanted.
    fn restart(&mut self, offset: u64, want: Want) {
        self.scanner.restart();
        if let Some(grammar) = &mut self.grammar {
            grammar.go_on(want);
        }
        (self.batch, self.scanned, self.offset) = (offset, offset, offset);
        (self.misplaced, self.fresh, self.string_start) = (None, false, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Slice;
    use crate::json::outline::Outline;

    /// What others have read may lie behind the end of what is skipped, in the middle of a value
    /// that is outlined next.
    #[test]
    fn a_skip_that_ends_before_its_stop_leaves_no_trace() {
        let member =
            |number: usize| format!(r#""key-{number}":{{"of":"a {number}","list":[1,2]}}"#);
        let object =
            |count| format!("{{{}}}", (0..count).map(member).collect::<Vec<_>>().join(","));
        // The first one ends in its second batch.
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
