//! JSON text that a record contains verbatim.

use std::borrow::Cow;

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::owned::Owned;

/// The text of one JSON value, without space between its tokens.
#[derive(Clone, Debug)]
pub struct JsonText<'a>(Cow<'a, str>);

impl<'a> JsonText<'a> {
    /// The name by which a serializer recognises JSON text.
    pub const NAME: &'static str = "JsonText";

    /// Wraps a string, which must be valid JSON. Serialization fails if it is not.
    pub fn new(text: impl Into<Cow<'a, str>>) -> JsonText<'a> {
        JsonText(text.into())
    }

    /// Returns the JSON text.
    pub fn get(&self) -> &str {
        &self.0
    }
}

impl Owned for JsonText<'_> {
    type Copy = JsonText<'static>;

    fn owned(&self) -> JsonText<'static> {
        JsonText::new(self.get().to_owned())
    }
}

/// `serde_json` writes the JSON value. Other serializers of text receive a [`RawValue`] of that
/// crate, and binary serializers receive the JSON text as a string.
impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_newtype_struct(JsonText::NAME, &*self.0);
        }
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_text_serializes_as_its_value() {
        let text = r#"{"id":"a\"b","identity":{"n":[1,2.50]}}"#;
        assert_eq!(serde_json::to_string(&JsonText::new(text)).expect("JSON"), text);
        assert!(serde_json::to_string(&JsonText::new("{")).is_err());
    }
}
