//! The `format_version` of a document (docs/format/plan.md, section 2).

use crate::error::{Error, ErrorKind, Result};
use crate::json::value::Value;

/// The newest `format_version` that plansift knows: 1.2.
const NEWEST: (u64, u64) = (1, 2);

/// Checks that the major version is supported. Returns whether the minor version is newer than
/// [`NEWEST`]. Fails if the value is not a version, or if its major version is not supported.
pub(super) fn check(value: Value<'_>) -> Result<bool> {
    let version = value.text()?;
    let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| Some(text).filter(is_number)?.parse::<u64>().ok();
    let parsed = version.split_once('.').and_then(|(major, minor)| {
        Some((number(major)?, number(minor.split(['.', '-']).next()?)?))
    });
    match parsed {
        Some(version @ (0 | 1, _)) => Ok(version > NEWEST),
        _ => Err(Error::at(ErrorKind::FormatVersion, value.offset())),
    }
}
