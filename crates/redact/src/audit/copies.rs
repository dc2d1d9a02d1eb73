//! Reports the copies of secrets inside documents in strings.
//!
//! A string with copies is searched twice. The first search ([`search`]) counts the copies, and the
//! second ([`report`]) lists them. Keeping the copies of a whole piece between the two would take
//! memory that grows with the number of copies and the length of their paths. Strings with copies
//! are rare, so the second search costs little.

use super::notes::{Note, Notes};
use super::safe_text::{PATH_MAX, SafeText, ShownPath};
use crate::secret::copies::{Found, FoundCopy};
use crate::secret::echo::{EchoKind, EchoTargets};
use crate::secret::trail::TrailStep;
use plansift_core::error::Result;
use plansift_core::json::value::Value;
use plansift_core::path;
use plansift_plan::marks::MASK;
use plansift_plan::record::FindingKind;

/// Searches a string. The ranges of the copies start at its opening quote.
pub(super) fn search(string: &[u8], targets: &EchoTargets<'_>, decoded: &mut Vec<u8>) -> Found {
    targets.search_string(string, decoded, &mut |_| Some(MASK.to_owned()))
}

/// Reports the copies in the string `value`, which is at the path `around`.
pub(super) fn report(
    value: Value<'_>,
    around: &str,
    safe: &SafeText<'_>,
    decoded: &mut Vec<u8>,
    notes: &mut impl Notes,
) -> Result<()> {
    let Found::Inside(copies) = search(value.raw(), &safe.targets(), decoded) else {
        return Ok(());
    };
    for FoundCopy { range, kind, number, trail, .. } in copies.list {
        let kind = if kind == EchoKind::Key { FindingKind::Key } else { FindingKind::Echo };
        let path = inside(around, &copies.trails.steps(trail), safe);
        let offset = value.offset() + range.start as u64;
        notes.note(Note { kind, path: &path, offset, number })?;
    }
    Ok(())
}

/// Returns a path into a document, such as `jsondecode(change.after.policy).Statement[0]`.
fn inside(around: &str, steps: &[TrailStep<'_>], safe: &SafeText<'_>) -> String {
    let (mut path, mut below) = (around.to_owned(), ShownPath::default());
    below.begin();
    for step in steps {
        let step = match step {
            TrailStep::Document(syntax) => {
                path = format!("{}({})", syntax.decoder(), joined(&path, below.end()));
                below.begin();
                continue;
            }
            TrailStep::Key(key) => path::Step::Key(key),
            TrailStep::Index(index) => path::Step::Index(*index),
        };
        if path.len() > PATH_MAX || below.push(step, safe).is_break() {
            break;
        }
    }
    joined(&path, below.end())
}

fn joined(path: &str, below: &str) -> String {
    let dot = if below.is_empty() || below.starts_with('[') { "" } else { "." };
    format!("{path}{dot}{below}")
}
