//! Results of the lookahead workers, keyed by the byte range each one parsed, in document order.
//!
//! The reader asks for a result that starts exactly at its offset. A result that starts before the
//! reader's offset came from a wrong guess and is dropped; a result that starts after the reader's
//! offset waits.

use std::collections::VecDeque;
use std::ops::Range;

use plansift_core::pool::scaled_for_fuzzing;

/// Number of bytes of a section that the reader reads before lookahead starts. Workers do not pay
/// off for a small document.
pub(crate) const ALONE: u64 = scaled_for_fuzzing(512 << 10);

/// Length of the range that a worker gets, in bytes.
pub const RANGE_LEN: u64 = scaled_for_fuzzing(256 << 10);

/// Lookahead stops after more than this many failed ranges in a row. Ranges fail if elements are
/// longer than a range, or do not begin in the way that Terraform and OpenTofu write them.
pub(super) const MISSED_MAX: u32 = 16;

/// A job of a worker: a range to parse, or its result.
pub(crate) trait HasRange {
    /// The byte range that the worker parsed; `None` if it parsed nothing.
    fn read(&self) -> Option<Range<u64>>;
}

/// The lookahead state of one section.
pub(crate) struct RangeQueue<J> {
    /// The reader's offset at the first call of [`RangeQueue::is_worth_it`].
    start: Option<u64>,
    /// End of the last range handed to a worker.
    end: u64,
    /// Starts of the ranges whose results are outstanding.
    out: VecDeque<u64>,
    /// The oldest finished result, at or after the reader's offset.
    next: Option<J>,
    /// Failed ranges in a row.
    missed: u32,
}

impl<J> Default for RangeQueue<J> {
    fn default() -> Self {
        RangeQueue { start: None, end: 0, out: VecDeque::new(), next: None, missed: 0 }
    }
}

impl<J: HasRange> RangeQueue<J> {
    /// Whether the reader, now at `offset`, has read enough of the section for lookahead to pay
    /// off.
    pub(crate) fn is_worth_it(&mut self, offset: u64) -> bool {
        offset - *self.start.get_or_insert(offset) >= ALONE
    }

    /// True after too many failed ranges in a row; lookahead then stops.
    pub(crate) fn is_lost(&self) -> bool {
        self.missed > MISSED_MAX
    }

    /// Returns the earliest start of the next range: the end of the last range, or the reader's
    /// offset if that is later.
    pub(crate) fn from(&self, offset: u64) -> u64 {
        self.end.max(offset)
    }

    /// Reserves the next range for a worker and returns it. The range starts at the end of the last
    /// range, or at the reader's offset if that is later. Returns `None` at the end of the text.
    pub(crate) fn send(&mut self, offset: u64, text_len: u64) -> Option<Range<u64>> {
        let start = self.from(offset);
        (start < text_len).then(|| self.send_to(start..start + RANGE_LEN))
    }

    /// Reserves a range after all earlier ones.
    pub(crate) fn send_to(&mut self, range: Range<u64>) -> Range<u64> {
        self.end = range.end;
        self.out.push_back(range.start);
        range
    }

    /// Finds the result that starts at `offset` and passes `fits`, and returns its parsed range.
    /// [`RangeQueue::take`] then returns the result.
    ///
    /// `wait` waits for the next result of the workers. `give_up` receives the results that start
    /// before `offset` or do not fit.
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

    /// The result that `find` found last.
    pub(crate) fn peek(&self) -> Option<&J> {
        self.next.as_ref()
    }

    /// Takes the result that `find` found last.
    pub(crate) fn take(&mut self) -> Option<J> {
        self.next.take()
    }
}
