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
        let isa = self.scanner.isa();
        self.nesting = Nesting::between(isa, self.limits.depth, self.open.kinds());
        self.restart(to, Want::CommaOrClose);
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
        passed
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
