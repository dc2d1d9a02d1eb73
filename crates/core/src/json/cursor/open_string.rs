//! Limits the length of strings that cross a batch boundary.

use super::Cursor;
use crate::error::ErrorKind;
use crate::input::Source;
use crate::limits::{Limit, Limits};
use crate::scan::BLOCK;

impl<S: Source> Cursor<S> {
    /// Checks the length of a string that is open at a batch boundary.
    pub(super) fn check_open_string(&mut self) {
        let count = self.block_count();
        let quotes = |index: &usize| self.batch.blocks[*index].quotes != 0;
        let limit = self.limits.string_skipped.max(Limits::STRING_SKIPPED_MIN);
        let first = (0..count).find(quotes);
        if let Some(start) = self.batch.string_start {
            let end = match first {
                Some(index) => {
                    (index * BLOCK) as u64
                        + u64::from(self.batch.blocks[index].quotes.trailing_zeros())
                }
                None => self.validated_end().saturating_sub(self.batch.start),
            };
            if (self.batch.start + end).saturating_sub(start) > limit {
                let kind = ErrorKind::Limit { limit: Limit::StringSkipped, value: limit };
                self.end_batch(kind, start + limit);
                return;
            }
        }
        if !self.scanner.in_string() {
            self.batch.string_start = None;
        } else if let Some(last) = first.and_then(|_| (0..count).rfind(quotes)) {
            let quote = 63 - self.batch.blocks[last].quotes.leading_zeros();
            self.batch.string_start =
                Some(self.batch.start + (last * BLOCK) as u64 + u64::from(quote) + 1);
        }
    }
}
