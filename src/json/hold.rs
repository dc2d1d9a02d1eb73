//! What the cursor asks of the window: to keep a stretch of text, up to a limit.

use crate::error::{Error, Result};
use crate::limits::Limit;

/// A stretch of text that stays in the window while the cursor moves over it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    pub from: u64,
    /// The first byte that counts.
    pub start: u64,
    pub limit: Limit,
    /// How many bytes may count.
    pub max: u64,
}

impl Hold {
    /// # Errors
    ///
    /// The stretch up to `end` is too long.
    pub fn check(self, end: u64) -> Result<()> {
        if end.saturating_sub(self.start) > self.max {
            return Err(Error::limit(self.limit, self.max, self.start));
        }
        Ok(())
    }

    /// What was found, unless it is an error that comes after the stretch is too long: where an
    /// input is cut must not decide which of two errors is told.
    pub fn first<T>(self, found: Result<T>) -> Result<T> {
        if let Err(error) = &found {
            self.check(error.location().map_or(self.start, |location| location.offset))?;
        }
        found
    }
}
