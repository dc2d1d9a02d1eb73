//! Text that must stay in the window while the cursor moves on.

use crate::error::{Error, Result};
use crate::limits::Limit;

/// A range of text that must stay in the window, with a limit on its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retained {
    pub from: u64,
    /// The offset of the first byte that counts towards the limit.
    pub start: u64,
    pub limit: Limit,
    /// Maximum number of bytes that may be retained.
    pub max: u64,
}

impl Retained {
    /// Checks the limit. Fails if the range up to `end` exceeds the limit.
    pub fn check(self, end: u64) -> Result<()> {
        if end.saturating_sub(self.start) > self.max {
            return Err(Error::limit(self.limit, self.max, self.start));
        }
        Ok(())
    }

    /// Returns `found`. If the limit is exceeded before the error in `found`, returns the error of
    /// the limit instead. So the error does not depend on how the input was cut into windows.
    pub fn earliest<T>(self, found: Result<T>) -> Result<T> {
        if let Err(error) = &found {
            self.check(error.location().map_or(self.start, |location| location.offset))?;
        }
        found
    }
}
