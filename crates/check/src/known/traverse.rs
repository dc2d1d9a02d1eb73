//! Follows a path into a value, with the errors of `tfjsonpath.Traverse`.

use super::data::Data;
use super::failure::{Failure, FailureKind};
use super::mask::Mask;
use plansift_core::error::Result;
use plansift_core::path::{AttributePath, AttributeStep};

/// A value with its mask.
#[derive(Clone, Copy, Debug)]
pub struct MaskedValue<'a> {
    /// The value.
    pub data: Data<'a>,
    /// Which parts of the value are sensitive.
    pub mask: Mask<'a>,
}

impl<'a> MaskedValue<'a> {
    /// Returns a value without sensitive parts.
    pub fn clear(data: impl Into<Data<'a>>) -> MaskedValue<'a> {
        MaskedValue { data: data.into(), mask: Mask::Clear }
    }
}

/// Returns the value at a path, which may be `null`. An absent value is a [`Failure`].
///
/// # Errors
///
/// Fails if the document is invalid on the path. If there is no value at the path, the result is a
/// [`Failure`], not an error.
pub fn traverse<'a>(
    root: MaskedValue<'a>,
    path: &AttributePath,
) -> Result<std::result::Result<MaskedValue<'a>, Failure>> {
    let MaskedValue { mut data, .. } = root;
    for (place, step) in path.steps().iter().enumerate() {
        let so_far = || AttributePath::joined(&path.steps()[..=place]);
        let fail =
            |kind, text: String| Ok(Err(Failure::new(kind, format!("path not found: {text}"))));
        match step {
            AttributeStep::Key(key) => match data.member(key)? {
                Some(Some(member)) => data = member,
                Some(None) => {
                    let text = format!("specified key {key} not found in map at {}", so_far());
                    return fail(FailureKind::MissingKey, text);
                }
                None => {
                    let text =
                        format!("cannot convert object at MapStep {} to map[string]any", so_far());
                    return fail(FailureKind::MapStep, text);
                }
            },
            AttributeStep::Index(index) => {
                let Some(elements) = data.elements()? else {
                    let text = format!("cannot convert object at SliceStep {} to []any", so_far());
                    return fail(FailureKind::SliceStep, text);
                };
                let element = usize::try_from(*index).ok().and_then(|index| elements.get(index));
                let Some(element) = element else {
                    let kind =
                        if *index < 0 { FailureKind::Panic } else { FailureKind::OutOfRange };
                    let text = format!(
                        "SliceStep index {} is out of range with slice length {}",
                        so_far(),
                        elements.len()
                    );
                    return fail(kind, text);
                };
                data = *element;
            }
        }
    }
    Ok(Ok(MaskedValue { data, mask: root.mask.at(path.steps()) }))
}
