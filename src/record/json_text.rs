//! JSON text that a record contains verbatim.

use std::borrow::Cow;

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The text of one JSON value, without space between its tokens.
#[derive(Clone, Debug)]
pub struct JsonText<'a>(Cow<'a, str>);

impl<'a> JsonText<'a> {
    /// Wraps a text that must be JSON. Only serialization checks it.
    pub(crate) fn new(text: impl Into<Cow<'a, str>>) -> JsonText<'a> {
        JsonText(text.into())
    }

    /// The text.
    pub fn get(&self) -> &str {
        &self.0
    }

    /// Copies the text.
    pub(super) fn owned(&self) -> JsonText<'static> {
        JsonText::new(self.get().to_owned())
    }
}

/// Serializes the JSON value with `serde_json`. Other serializers see a raw value of that crate.
impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
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
