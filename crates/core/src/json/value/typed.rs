//! Converts values to Rust types, and finds values by their path.
//!
//! Each conversion copies the bytes before it parses them, because another process may write to a
//! mapped file.

use serde::de::DeserializeOwned;

use super::{Kind, Value};
use crate::error::{Error, Result};
use crate::limits::Limit;

/// Maximum depth of a value that is converted to a type or a tree. There is a limit because the
/// parsers and destructors of types and trees recurse.
pub const TREE_DEPTH: u32 = 127;

impl<'a> Value<'a> {
    /// The value at a JSON Pointer (RFC 6901) such as `/tags/Name` or `/ingress/0`; `None` if the
    /// pointer leads nowhere. The empty pointer leads to this value.
    ///
    /// # Errors
    ///
    /// Fails if an object or array on the path is invalid.
    pub fn pointer(self, pointer: &str) -> Result<Option<Value<'a>>> {
        let mut parts = pointer.split('/');
        if parts.next() != Some("") {
            return Ok(None);
        }
        let mut value = self;
        for part in parts {
            let inner = match value.kind()? {
                Kind::Object => value.get(&part.replace("~1", "/").replace("~0", "~"))?,
                Kind::Array => match index(part) {
                    Some(index) => value.element(index)?,
                    None => None,
                },
                _ => None,
            };
            let Some(inner) = inner else { return Ok(None) };
            value = inner;
        }
        Ok(Some(value))
    }

    /// The value as a boolean.
    ///
    /// # Errors
    ///
    /// Fails if the value is not `true` or `false`.
    pub fn boolean(self) -> Result<bool> {
        match self.kind()? {
            Kind::True => Ok(true),
            Kind::False => Ok(false),
            _ => Err(self.wrong_type("true or false")),
        }
    }

    /// The value as an integer.
    ///
    /// # Errors
    ///
    /// Fails if the value is not a number without a fraction and an exponent, or does not fit.
    pub fn integer(self) -> Result<i64> {
        self.number("an integer of 64 bits")
    }

    /// The value as the nearest floating-point number.
    ///
    /// # Errors
    ///
    /// Fails if the value is not a number.
    pub fn float(self) -> Result<f64> {
        self.number("a number")
    }

    fn number<T: std::str::FromStr>(self, expected: &'static str) -> Result<T> {
        let text = match self.kind()? {
            Kind::Number => String::from_utf8(self.raw().to_vec()).ok(),
            _ => None,
        };
        text.and_then(|text| text.parse().ok()).ok_or_else(|| self.wrong_type(expected))
    }

    /// The value as a type that implements [`serde::Deserialize`], parsed by serde_json.
    ///
    /// # Errors
    ///
    /// Fails if the value does not fit the type, or is nested deeper than [`TREE_DEPTH`]. The error
    /// does not say which part does not fit, because serde's messages quote values.
    pub fn deserialize<T: DeserializeOwned>(self) -> Result<T> {
        self.check_depth()?;
        let raw = self.raw().to_vec();
        serde_json::from_slice(&raw)
            .map_err(|_| self.wrong_type("a value that fits the type of the program"))
    }

    /// The value as a tree of simd-json. The feature `tree` exists for callers that use simd-json.
    /// [`Value::deserialize`] makes trees of other crates.
    ///
    /// # Errors
    ///
    /// Fails if the value is not JSON, or is nested deeper than [`TREE_DEPTH`].
    #[cfg(feature = "tree")]
    pub fn to_tree(self) -> Result<simd_json::OwnedValue> {
        self.check_depth()?;
        let mut raw = self.raw().to_vec();
        simd_json::to_owned_value(&mut raw).map_err(|_| self.wrong_type("a JSON value"))
    }

    fn check_depth(self) -> Result<()> {
        let next = match self.0.outline.container(self.0.container) {
            Some(own) if matches!(self.kind()?, Kind::Object | Kind::Array) => own.next,
            _ => self.0.container,
        };
        match self.0.outline.depth(self.0.container..next) > TREE_DEPTH {
            true => Err(Error::limit(Limit::Depth, TREE_DEPTH.into(), self.offset())),
            false => Ok(()),
        }
    }
}

/// Parses an array index of a JSON Pointer: digits without a leading zero.
fn index(part: &str) -> Option<u32> {
    let is_plain = part.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = part == "0" || !part.starts_with('0');
    (is_plain && is_short).then(|| part.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::error::ErrorKind;
    use crate::json::detached::Detached;
    use crate::limits::Limits;
    use crate::path::Step;

    fn with<T>(text: &str, look: impl FnOnce(Value<'_>) -> T) -> T {
        look(Detached::read(text.as_bytes(), Limits::default()).expect("JSON").value())
    }

    #[test]
    fn pointers_and_steps_find_nested_values() {
        let text = r#"{"a":[{"b/c~d":1}],"":true,"x\u0041":2}"#;
        with(text, |root| {
            let at = |pointer: &str| {
                root.pointer(pointer).expect("JSON").map(|value| value.raw().to_vec())
            };
            assert_eq!(at("/a/0/b~1c~0d").as_deref(), Some(&b"1"[..]));
            assert_eq!(at("/").as_deref(), Some(&b"true"[..]));
            assert_eq!(at("/xA").as_deref(), Some(&b"2"[..]));
            assert_eq!(at("").map(|raw| raw.len()), Some(text.len()));
            for nowhere in ["a", "/b", "/a/1", "/a/00", "/a/+0", "/a/-", "/a/0/x", "//x"] {
                assert_eq!(at(nowhere), None, "{nowhere}");
            }
            let steps = [Step::Key("a"), Step::Index(0), Step::Key("b/c~d")];
            let found = root.at(steps).expect("JSON").expect("a value");
            assert_eq!(found.integer().expect("an integer"), 1);
            assert!(root.at([Step::Key("a"), Step::Element]).expect("JSON").is_none());
        });
    }

    #[test]
    fn scalars_become_numbers_and_booleans() {
        let integer = |text| with(text, |value| value.integer().map_err(|error| error.kind()));
        assert_eq!(integer("-42"), Ok(-42));
        assert_eq!(integer("9223372036854775807"), Ok(i64::MAX));
        for text in ["1.0", "1e3", "9223372036854775808", "\"1\"", "null"] {
            let expected = "an integer of 64 bits";
            assert_eq!(integer(text), Err(ErrorKind::WrongType { expected }), "{text}");
        }
        assert_eq!(with("-1.5e2", |value| value.float().expect("a number")), -150.0);
        assert!(with("true", |value| value.boolean().expect("a boolean")));
        assert!(with("\"true\"", |value| value.boolean().is_err()));
    }

    #[test]
    fn a_value_becomes_a_type_and_errors_quote_nothing() {
        let text = r#"{"a":["x\ny",null]}"#;
        let parsed =
            with(text, |value| value.deserialize::<BTreeMap<String, Vec<Option<String>>>>());
        let list = vec![Some("x\ny".to_owned()), None];
        assert_eq!(parsed.expect("a map"), BTreeMap::from([("a".to_owned(), list)]));
        let error = with(r#"{"a":"secret"}"#, |value| {
            value.get("a").expect("JSON").expect("a member").deserialize::<u32>()
        });
        let error = error.expect_err("no number");
        assert_eq!(error.location().map(|location| location.offset), Some(5));
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn deep_values_are_a_limit() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        let parsed = |depth| with(&nested(depth), |value| value.deserialize::<serde_json::Value>());
        assert!(parsed(TREE_DEPTH as usize).is_ok());
        let error = parsed(TREE_DEPTH as usize + 1).expect_err("too deep").kind();
        assert_eq!(error, ErrorKind::Limit { limit: Limit::Depth, value: TREE_DEPTH.into() });
    }
}
