//! Finds the paths that match a query with wildcards in a resource or an output.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::json::value::{Kind, Value};
use crate::limits::{Limit, Limits};
use crate::path::{AttributePath, AttributeQuery, AttributeStep};

/// The paths that match a query in at least one of the values. The caller passes all sides of a
/// change: unknown values are only in `after_unknown`, and removed values only in `before`. Fails
/// if a value is invalid, or if the paths exceed [`Limits::paths`].
pub(super) fn matching_paths<'a>(
    query: &AttributeQuery,
    values: impl IntoIterator<Item = Value<'a>>,
    limits: &Limits,
) -> Result<BTreeSet<AttributePath>> {
    let mut found = BTreeSet::new();
    let mut size = 0;
    for root in values {
        let mut left = vec![(root, query.start(), Vec::<AttributeStep>::new())];
        while let Some((value, state, steps)) = left.pop() {
            if query.is_end(state) {
                size += size_of(&steps);
                if size > limits.paths {
                    return Err(Error::limit(Limit::Paths, limits.paths, value.offset()));
                }
                found.insert(steps.iter().cloned().collect());
            }
            let inner = |step: AttributeStep| {
                let state = query.advanced(state, &step);
                let steps = steps.iter().cloned().chain([step]);
                (state != 0).then(|| (state, steps.collect::<Vec<_>>()))
            };
            match value.kind()? {
                Kind::Array => {
                    for (index, element) in value.elements()?.enumerate() {
                        let element = element?;
                        let next = inner(AttributeStep::Index(index as i64));
                        left.extend(next.map(|(state, steps)| (element, state, steps)));
                    }
                }
                Kind::Object => {
                    for member in value.members()? {
                        let (key, member) = member?;
                        let next = inner(AttributeStep::Key(key.decode()?));
                        left.extend(next.map(|(state, steps)| (member, state, steps)));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// The memory of a path, in bytes.
fn size_of(steps: &[AttributeStep]) -> u64 {
    let keys = steps.iter().map(|step| match step {
        AttributeStep::Key(key) => key.len(),
        AttributeStep::Index(_) => 0,
    });
    (keys.sum::<usize>() + size_of_val(steps)) as u64
}
