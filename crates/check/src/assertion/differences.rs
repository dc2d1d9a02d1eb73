//! Finds the parts in which two values differ, in the sense of Go's `reflect.DeepEqual`: numbers by
//! their text, objects without regard to the order of keys.

use std::ops::ControlFlow;

use super::columns::Columns;
use crate::known::text_of;
use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Value};

/// Calls `each` with the parts of two values that differ, and the index of their side: scalars,
/// values of different kinds, and values that only one side has. Stops when `each` breaks. Fails if
/// a value is malformed.
pub(super) fn differences<'a>(
    values: [Value<'a>; 2],
    mut each: impl FnMut(usize, Value<'a>) -> ControlFlow<()>,
) -> Result<()> {
    let mut open: Vec<Columns<'a, 2>> = Vec::new();
    let mut next = Some(values.map(Some));
    loop {
        if let Some(values) = next.take() {
            match compared(values)? {
                Compared::Equal => {}
                Compared::Inside => open.push(Columns::of(values)?),
                Compared::Different => {
                    for (side, value) in values.into_iter().enumerate() {
                        if value.is_some_and(|value| each(side, value).is_break()) {
                            return Ok(());
                        }
                    }
                }
            }
        }
        let Some(columns) = open.last_mut() else { return Ok(()) };
        next = columns.next()?.map(|(_, values)| values);
        if next.is_none() {
            open.pop();
        }
    }
}

enum Compared {
    Equal,
    /// Both are objects or both are arrays, and their content decides.
    Inside,
    Different,
}

fn compared(values: [Option<Value<'_>>; 2]) -> Result<Compared> {
    let [Some(before), Some(after)] = values else { return Ok(Compared::Different) };
    let is_equal = match (before.kind()?, after.kind()?) {
        (Kind::Object, Kind::Object) | (Kind::Array, Kind::Array) => return Ok(Compared::Inside),
        (Kind::Number, Kind::Number) => before.raw() == after.raw(),
        (Kind::String, Kind::String) => {
            let has_escapes = |value: Value<'_>| value.raw().contains(&b'\\');
            before.raw() == after.raw()
                || (has_escapes(before) || has_escapes(after)) && text_of(before) == text_of(after)
        }
        (before, after) => before == after,
    };
    Ok(if is_equal { Compared::Equal } else { Compared::Different })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::known::{Data, are_equal};
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;

    fn json() -> impl Strategy<Value = String> {
        let scalars = [r#""x""#, r#""\u0078""#, r#""y""#, "1", "1.0", "true", "false", "null"];
        let scalar = prop::sample::select(scalars.to_vec()).prop_map(str::to_owned);
        scalar.prop_recursive(3, 16, 3, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..3);
            let keys = [["a", "b"], ["b", "a"], ["a", "\\u0062"]];
            let members = (prop::sample::select(keys.to_vec()), inner.clone(), inner);
            prop_oneof![
                list.prop_map(|list| format!("[{}]", list.join(","))),
                members.prop_map(|([a, b], x, y)| format!(r#"{{"{a}":{x},"{b}":{y}}}"#)),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_without_differences_are_equal(before in json(), after in json()) {
            for after in [&after, &before] {
                let read = |text: &String| Detached::read(text.as_bytes(), Limits::default());
                let [mut before, mut after] =
                    [&before, after].map(|text| read(text).expect("JSON"));
                let [before, after] = [before.value(), after.value()];
                let mut count = 0;
                differences([before, after], |_, _| {
                    count += 1;
                    ControlFlow::Continue(())
                }).expect("valid");
                let is_equal = are_equal(Data::from(before), Data::from(after)).expect("valid");
                prop_assert_eq!(count == 0, is_equal);
            }
        }
    }
}
