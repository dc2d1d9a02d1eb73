//! Words of a piece that the format defines, or that come unchanged from the configuration. They
//! are never computed from values, so they are never echoes.

use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Value};
use plansift_plan::plan::PieceKind;

/// The keys whose values are such words. The elements of `actions` are such words, too.
pub const WORDS: [&str; 7] =
    ["mode", "type", "name", "provider_name", "provider_config_key", "action_reason", "reason"];

/// The offsets of the words in a piece of this kind, in ascending order.
pub fn words(kind: PieceKind, value: Value<'_>) -> Result<Vec<u64>> {
    let mut words = Vec::new();
    // The keys that lead to nested objects with words.
    let inner: &[&str] = match kind {
        PieceKind::Scalar => {
            words.push(value.offset());
            return Ok(words);
        }
        PieceKind::Known | PieceKind::Unknown | PieceKind::Variable | PieceKind::Output => {
            return Ok(words);
        }
        PieceKind::ResourceChange => &["change"],
        PieceKind::DeferredChange => &["resource_change", "change"],
        PieceKind::DeferredActionInvocation => &["action_invocation"],
        _ => &[],
    };
    let mut object = Some(value);
    for key in inner.iter().copied().map(Some).chain([None]) {
        let Some(here) = object else { break };
        words_of(here, &mut words)?;
        object = key.map_or(Ok(None), |key| here.get(key))?;
    }
    words.sort_unstable();
    Ok(words)
}

fn words_of(element: Value<'_>, words: &mut Vec<u64>) -> Result<()> {
    if element.kind()? != Kind::Object {
        return Ok(());
    }
    for member in element.members()? {
        let (key, value) = member?;
        if WORDS.iter().any(|word| key.is(word)) {
            words.push(value.offset());
        } else if key.is("actions") && value.kind()? == Kind::Array {
            for action in value.elements()? {
                words.push(action?.offset());
            }
        }
    }
    Ok(())
}
