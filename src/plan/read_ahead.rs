//! Stretches of a text that others read ahead of the reader, and what came of them, in their order.
//!
//! Whoever comes to a place asks whether something was read from there on. What was read from
//! another place on was a wrong guess; what lies ahead waits.

use std::collections::VecDeque;
use std::ops::Range;

use crate::pool::scaled_for_fuzzing;

/// As many bytes of a section are read before any are read ahead: a small document is not worth a
/// thread.
pub(crate) const ALONE: u64 = scaled_for_fuzzing(512 << 10);

/// Bytes that are read ahead at a time.
pub(crate) const STRETCH: u64 = scaled_for_fuzzing(256 << 10);

/// After so many stretches in a row of which nothing came, no more is read ahead: elements that are
/// longer than a stretch, or do not begin as the tools write them.
pub(super) const MISSED_MAX: u32 = 16;

/// A stretch that somebody was sent to.
pub(crate) trait Sent {
    /// From where to where it was read, if anything of it was.
    fn read(&self) -> Option<Range<u64>>;
}

/// The stretches of one section.
pub(crate) struct ReadAhead<J> {
    /// Where the reader was first.
    start: Option<u64>,
    /// The end of the last stretch that somebody was sent to.
    end: u64,
    /// Where the stretches begin that did not come back.
    out: VecDeque<u64>,
    /// What came back and lies ahead, or here.
    next: Option<J>,
    /// Stretches in a row of which nothing came.
    missed: u32,
}

impl<J> Default for ReadAhead<J> {
    fn default() -> Self {
        ReadAhead { start: None, end: 0, out: VecDeque::new(), next: None, missed: 0 }
    }
}

impl<J: Sent> ReadAhead<J> {
    /// Whether so much was read already that it is worth it, now that the reader is at an offset.
    pub(crate) fn is_worth_it(&mut self, offset: u64) -> bool {
        offset - *self.start.get_or_insert(offset) >= ALONE
    }

    /// Whether it is of no use.
    pub(crate) fn is_lost(&self) -> bool {
        self.missed > MISSED_MAX
    }

    /// Where to send the next to: behind the last of them, or to where the reader is.
    pub(crate) fn from(&self, offset: u64) -> u64 {
        self.end.max(offset)
    }

    /// The next stretch to send somebody to, of a text of that length; `None`: it is at its end.
    pub(crate) fn send(&mut self, offset: u64, text_len: u64) -> Option<Range<u64>> {
        let start = self.from(offset);
        (start < text_len).then(|| self.send_to(start..start + STRETCH))
    }

    /// Somebody is sent to a stretch that lies behind the others.
    pub(crate) fn send_to(&mut self, range: Range<u64>) -> Range<u64> {
        self.end = range.end;
        self.out.push_back(range.start);
        range
    }

    /// From where to where something was read, if that begins at an offset ([`ReadAhead::take`]).
    /// `wait` gives the next that comes back, `give_up` takes what was read from a place that the
    /// reader did not come to, or that does not fit there.
    pub(crate) fn find(
        &mut self,
        offset: u64,
        fits: impl Fn(&J) -> bool,
        mut wait: impl FnMut() -> Option<J>,
        mut give_up: impl FnMut(J),
    ) -> Option<Range<u64>> {
        while !self.is_lost() {
            if self.next.is_none() {
                if *self.out.front()? > offset {
                    return None;
                }
                self.out.pop_front();
                self.next = Some(wait()?);
            }
            let next = self.next.as_ref()?;
            match next.read() {
                Some(range) if range.start > offset => return None,
                Some(range) if range.start == offset && fits(next) => {
                    self.missed = 0;
                    return Some(range);
                }
                _ => {
                    self.missed += 1;
                    self.next.take().map(&mut give_up);
                }
            }
        }
        None
    }

    /// What was found last.
    pub(crate) fn peek(&self) -> Option<&J> {
        self.next.as_ref()
    }

    /// The same, which is not found again.
    pub(crate) fn take(&mut self) -> Option<J> {
        self.next.take()
    }
}
