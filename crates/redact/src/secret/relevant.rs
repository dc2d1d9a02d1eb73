//! Cuts the paths of `relevant_attributes` where a step is a secret.

use super::set::Secrets;
use plansift_core::error::Result;
use plansift_core::json::value::decode;
use plansift_core::json::value::{Kind, Value, WalkEvent};
use plansift_plan::marks::steps::Cut;

/// Returns the part to cut off the end of the path of an element of `relevant_attributes`. The
/// first step, the attribute itself, always remains. The cut begins at the first later step that
/// equals a secret or contains a key of one. If `secrets` is `None`, it begins at the second step.
/// The resource of the element is ignored.
pub fn secret_steps<'a>(
    element: Value<'a>,
    secrets: Option<&Secrets>,
    decoded: &mut Vec<u8>,
) -> Result<Option<Cut<'a>>> {
    let Some(path) = element.get("attribute")? else { return Ok(None) };
    if path.kind()? != Kind::Array {
        return Ok(None);
    }
    let (mut steps, mut end) = (path.elements()?, path.offset() + 1);
    let mut kept = 0;
    while let Some(step) = steps.next().transpose()? {
        let is_secret = match secrets {
            None => kept > 0,
            Some(secrets) => {
                let mut is_secret = false;
                for event in step.walk() {
                    is_secret |= match event? {
                        WalkEvent::Key(key) => secrets.may_hold_step(decode(key, decoded)?),
                        event => event.has_text(decoded, |text| secrets.may_hold_step(text))?,
                    };
                }
                is_secret && kept > 0
            }
        };
        if is_secret {
            return Cut::from(step, steps, end, kept).map(Some);
        }
        (end, kept) = (step.range().end, kept + 1);
    }
    Ok(None)
}
