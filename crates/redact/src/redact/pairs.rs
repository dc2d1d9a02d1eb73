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

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;

    /// The changed scalars of `[before, after]`.
    fn changed(text: &str) -> Vec<[String; 2]> {
        let mut list = Detached::read(text.as_bytes(), Limits::default()).unwrap();
        let sides: Result<Vec<_>> = list.value().elements().unwrap().collect();
        let sides = sides.unwrap();
        let mut found = Vec::new();
        changed_scalars(sides[0], sides[1], |pair| {
            found.push(pair.map(|side| String::from_utf8(side.raw().to_vec()).unwrap()));
        })
        .unwrap();
        found
    }

    #[test]
    fn scalars_are_compared_with_those_at_the_same_place() {
        for (text, expected) in [
            (r#"[{"a":1,"b":"x","d":2},{"b":"y","c":3,"a":1}]"#, &[[r#""x""#, r#""y""#]][..]),
            (r#"[[1,[2,3],5],[1,[4,3],6]]"#, &[["2", "4"], ["5", "6"]]),
            (r#"[{"l":[{"k":1},[{"k":2}]]},{"l":[{"k":3},[{"k":2}]]}]"#, &[["1", "3"]]),
            (r#"["1",1]"#, &[[r#""1""#, "1"]]),
            ("[10,1]", &[["10", "1"]]),
            // Other spellings of the same scalar.
            (r#"[["a","b"],["\u0061","c"]]"#, &[[r#""b""#, r#""c""#]]),
            ("[[1.0,10,2],[1,1e1,3]]", &[["2", "3"]]),
            // Lists of two lengths, and values of which at least one is neither string nor number.
            ("[[1],[2,3]]", &[]),
            ("[[1,2],[3]]", &[]),
            ("[[1,true,{},null],[[],false,2,3]]", &[]),
        ] {
            assert_eq!(changed(text), expected, "{text}");
        }
    }
}
