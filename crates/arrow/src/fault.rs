//! The faults of tables, as causes of errors.

use std::fmt;

use plansift_core::error::Fault;

/// A record has a row that is larger than a batch can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeRow {
    /// The table of the row.
    pub table: &'static str,
    /// The maximum size of a row, in bytes.
    pub max: usize,
}

impl Fault for LargeRow {
    fn shows_path(&self) -> bool {
        true
    }
}

impl fmt::Display for LargeRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LargeRow { table, max } = self;
        write!(
            f,
            "a row of the table `{table}` is larger than {max} bytes, the maximum: ask for fewer \
             columns or values"
        )
    }
}
