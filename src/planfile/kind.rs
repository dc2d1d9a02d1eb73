//! Types of values, as they stand in front of dynamic values.

use super::attributes;
use super::protobuf::fault;
use crate::error::{PlanFileFault, Result};
use crate::input::Slice;
use crate::json::Validation;
use crate::json::cursor::Cursor;
use crate::json::outline::Outline;
use crate::limits::Limits;
use crate::scan::Isa;

/// Appends a type, which is JSON text, in compact form.
pub(super) fn write_type(text: &[u8], offset: u64, out: &mut Vec<u8>) -> Result<()> {
    let type_fault = |_| fault(PlanFileFault::Value, offset);
    let limits = Limits::default();
    let mut cursor = Cursor::new(Slice(text), 0, Isa::default(), Validation::Grammar, limits);
    let mut outline = Outline::default();
    cursor.outline(&mut outline).map_err(type_fault)?;
    attributes::write_plain(cursor.value(&mut outline), &limits, out).map_err(type_fault)?;
    if cursor.at_end().map_err(type_fault)? {
        Ok(())
    } else {
        Err(fault(PlanFileFault::Value, offset))
    }
}
