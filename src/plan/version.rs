//! The version of the format (docs/format/plan.md, section 2).

use crate::error::{Error, ErrorKind, Result};
use crate::json::value::Value;

/// The newest `format_version` known: 1.2.
const NEWEST: (u64, u64) = (1, 2);

/// Holds a `format_version` to the majors that are known, and says whether its minor is newer than
/// those.
///
/// # Errors
///
/// It is no version, or one of another major.
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
