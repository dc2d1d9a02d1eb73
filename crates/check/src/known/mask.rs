//! The sensitivity of a value and its parts.

use plansift_core::json::value::{Kind, Value};
use plansift_core::path::AttributeStep;

/// The text that replaces a sensitive value.
pub const SENSITIVE: &str = "(sensitive value)";

/// The sensitivity of a value: the part of `after_sensitive` or `sensitive_values` at its path.
#[derive(Clone, Copy, Debug)]
pub enum Mask<'a> {
    /// No part of the value is sensitive.
    Clear,
    /// The whole value is sensitive.
    Marked,
    /// Parts of the value may be sensitive. A part is sensitive if these marks are `true` at its
    /// path.
    Parts(Value<'a>),
}

impl<'a> From<Option<Value<'a>>> for Mask<'a> {
    fn from(marks: Option<Value<'a>>) -> Mask<'a> {
        match marks {
            Some(marks) => match marks.kind() {
                Ok(kind) if kind.is_mark() => Mask::Marked,
                Ok(Kind::Object | Kind::Array) => Mask::Parts(marks),
                _ => Mask::Clear,
            },
            None => Mask::Clear,
        }
    }
}

impl<'a> Mask<'a> {
    /// Whether the whole value is sensitive.
    pub fn is_marked(self) -> bool {
        matches!(self, Mask::Marked)
    }

    /// The marks of the parts; `None` if the value is sensitive as a whole or not at all.
    pub(crate) fn parts(self) -> Option<Value<'a>> {
        match self {
            Mask::Parts(marks) => Some(marks),
            Mask::Clear | Mask::Marked => None,
        }
    }

    /// The mask of a member.
    pub fn at_key(self, key: &str) -> Mask<'a> {
        let Mask::Parts(marks) = self else { return self };
        let Ok(members) = marks.members() else { return Mask::Clear };
        let mut found = Mask::Clear;
        for (_, marks) in members.flatten().filter(|(name, _)| name.is(key)) {
            // A key may occur twice. Two masks that are not clear mark the whole value.
            found = match (found, Mask::from(Some(marks))) {
                (Mask::Clear, mask) | (mask, Mask::Clear) => mask,
                _ => Mask::Marked,
            };
        }
        found
    }

    /// The mask of an element.
    pub fn at_index(self, index: usize) -> Mask<'a> {
        let Mask::Parts(marks) = self else { return self };
        let element = u32::try_from(index).ok().and_then(|index| marks.element(index).ok());
        Mask::from(element.flatten())
    }

    /// The mask at the end of a path.
    pub fn at(self, steps: &[AttributeStep]) -> Mask<'a> {
        steps.iter().fold(self, |mask, step| match step {
            AttributeStep::Key(key) => mask.at_key(key),
            AttributeStep::Index(index) => {
                usize::try_from(*index).map_or(Mask::Clear, |index| mask.at_index(index))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;

    #[test]
    fn two_members_with_one_key_never_unmark_a_value() {
        for (marks, is_marked) in [
            (r#"{"a":{"b":true},"a":false}"#, true),
            (r#"{"a":false,"a":{"b":true}}"#, true),
            (r#"{"a":{"b":true},"a":{}}"#, true),
            (r#"{"a":true,"a":{}}"#, true),
            (r#"{"a":{"c":true},"a":false,"a":{}}"#, true),
            (r#"{"a":{"c":true},"a":false}"#, false),
            (r#"{"a":false,"a":null}"#, false),
        ] {
            let mut read = Detached::read(marks.as_bytes(), Limits::default()).unwrap();
            let steps = ["a", "b"].map(|key| AttributeStep::Key(key.to_owned()));
            let mask = Mask::from(Some(read.value())).at(&steps);
            assert_eq!(mask.is_marked(), is_marked, "{marks}");
        }
    }
}
