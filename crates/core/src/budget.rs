//! The memory of growing structures, counted against a limit.

use crate::error::{Error, Result};
use crate::limits::Limit;

/// The memory that a growing structure takes, counted against a limit.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    limit: Limit,
    max: u64,
    used: u64,
}

impl Budget {
    /// Creates a budget of `max`, which `limit` names in errors.
    pub fn new(limit: Limit, max: u64) -> Budget {
        Budget { limit, max, used: 0 }
    }

    /// Takes an estimated number of bytes. If the limit is exceeded, fails with an error at
    /// `offset`.
    pub fn take(&mut self, bytes: usize, offset: u64) -> Result<()> {
        self.used += bytes as u64;
        match self.used > self.max {
            true => Err(Error::limit(self.limit, self.max, offset)),
            false => Ok(()),
        }
    }

    /// Returns the bytes taken.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Releases bytes that were taken.
    pub fn release(&mut self, bytes: usize) {
        self.used = self.used.saturating_sub(bytes as u64);
    }

    /// Releases bytes: resets to an earlier result of [`Budget::used`].
    pub fn reset(&mut self, used: u64) {
        self.used = used;
    }
}
