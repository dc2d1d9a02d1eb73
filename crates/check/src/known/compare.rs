//! Compares values, as the package `compare` of terraform-plugin-testing does.

use super::data::{Data, Type};
use super::failure::{Failure, FailureKind};
use super::format::print;
use super::traverse::MaskedValue;
use plansift_core::error::Result;

/// The relation that values should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparer {
    /// `compare.ValuesSame()`: each value equals the one before it.
    Same,
    /// `compare.ValuesDiffer()`: each value differs from the one before it.
    Differ,
}

impl Comparer {
    /// Compares each value with the value before it. Numbers are equal if they have the same text.
    ///
    /// # Errors
    ///
    /// Fails if the document is invalid in one of the values. If the values do not pass, the result
    /// is a [`Failure`], not an error.
    pub fn compare(self, values: &[MaskedValue<'_>]) -> Result<std::result::Result<(), Failure>> {
        for pair in values.windows(2) {
            let [one, two] = pair else { continue };
            let are_equal = are_equal(one.data, two.data)?;
            if are_equal == (self == Comparer::Same) {
                continue;
            }
            return Ok(Err(self.failure(&print(*one)?, &print(*two)?)));
        }
        Ok(Ok(()))
    }

    /// Compares the list `[element]` with `list`.
    pub(crate) fn compare_element(
        self,
        element: MaskedValue<'_>,
        list: MaskedValue<'_>,
    ) -> Result<std::result::Result<(), Failure>> {
        let are_equal = match list.data.elements()?.as_deref() {
            Some([only]) => are_equal(element.data, *only)?,
            _ => false,
        };
        if are_equal == (self == Comparer::Same) {
            return Ok(Ok(()));
        }
        Ok(Err(self.failure(&format!("[{}]", print(element)?), &print(list)?)))
    }

    fn failure(self, one: &str, two: &str) -> Failure {
        match self {
            Comparer::Same => Failure::new(
                FailureKind::Different,
                format!("expected values to be the same, but they differ: {one} != {two}"),
            ),
            Comparer::Differ => Failure::new(
                FailureKind::Same,
                format!("expected values to differ, but they are the same: {one} == {two}"),
            ),
        }
    }
}

/// Whether two values are equal in the sense of Go's `reflect.DeepEqual`.
pub(crate) fn are_equal(one: Data<'_>, two: Data<'_>) -> Result<bool> {
    let mut left = vec![(one, two)];
    while let Some((one, two)) = left.pop() {
        let ty = one.ty()?;
        if ty != two.ty()? {
            return Ok(false);
        }
        let is_same = match ty {
            Type::Nil => true,
            Type::Bool => one.boolean() == two.boolean(),
            Type::Number => one.number()? == two.number()?,
            Type::String => one.string()? == two.string()?,
            Type::Slice => {
                let [one, two] = [one.elements()?, two.elements()?].map(Option::unwrap_or_default);
                let is_same = one.len() == two.len();
                left.extend(one.into_iter().zip(two));
                is_same
            }
            Type::Map => {
                // `Data::Map` without fields is a nil map in Go, which differs from an empty map.
                let is_nil = |data| matches!(data, Data::Map([]));
                let have_same_nil = is_nil(one) == is_nil(two);
                let [one, mut two] =
                    [one.members()?, two.members()?].map(Option::unwrap_or_default);
                let mut is_same = have_same_nil && one.len() == two.len();
                for (key, member) in one {
                    match two.remove(&key) {
                        Some(other) => left.push((member, other)),
                        None => is_same = false,
                    }
                }
                is_same
            }
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}
