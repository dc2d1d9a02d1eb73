//! Finds the scalars of `after` that differ from the scalar at the same place in `before`.
//!
//! Masks of different secrets look the same. So the mask of a changed secret in `after` must say
//! that the secret changed. Otherwise the change would be lost.

use plansift_core::error::Result;
use plansift_core::json::number;
use plansift_core::json::value::{Elements, Kind, Ordered, Value};

/// A pair of entered containers, with iterators over the members that are not yet compared. The
/// members are not collected into lists, because there may be very many.
enum Entered<'a> {
    Objects(Ordered<'a>, Ordered<'a>),
    Arrays(Elements<'a>, Elements<'a>),
}

impl<'a> Entered<'a> {
    fn next(&mut self) -> Result<Option<[Value<'a>; 2]>> {
        match self {
            Entered::Objects(befores, afters) => {
                while let Some((key, after)) = afters.next() {
                    afters.pass()?;
                    if let Some(before) = befores.take(key)? {
                        return Ok(Some([before, after]));
                    }
                }
                Ok(None)
            }
            Entered::Arrays(befores, afters) => match (befores.next(), afters.next()) {
                (Some(before), Some(after)) => Ok(Some([before?, after?])),
                _ => Ok(None),
            },
        }
    }
}

/// Calls `changed` with each scalar of `after` that differs from the scalar at the same place in
/// `before`, after the scalar of `before`. Fails if a value is malformed, or has a key twice.
pub(super) fn changed_scalars(
    before: Value<'_>,
    after: Value<'_>,
    mut changed: impl FnMut([Value<'_>; 2]),
) -> Result<()> {
    let mut entered = Vec::new();
    let mut next = Some([before, after]);
    loop {
        if let Some([before, after]) = next.take()
            && before.raw() != after.raw()
        {
            match (before.kind()?, after.kind()?) {
                (Kind::Object, Kind::Object) => {
                    let [before, after] = [before, after].map(|side| Ordered::of(Some(side)));
                    entered.push(Entered::Objects(before?, after?));
                }
                (Kind::Array, Kind::Array)
                    if before.elements()?.count() == after.elements()?.count() =>
                {
                    entered.push(Entered::Arrays(before.elements()?, after.elements()?));
                }
                (Kind::String, Kind::String) if before.is_same_string(after)? => {}
                (Kind::Number, Kind::Number) if number::equal(before.raw(), after.raw()) => {}
                (Kind::String | Kind::Number, Kind::String | Kind::Number) => {
                    changed([before, after]);
                }
                _ => {}
            }
        }
        let Some(inside) = entered.last_mut() else { break };
        next = inside.next()?;
        if next.is_none() {
            entered.pop();
        }
    }
    Ok(())
}
