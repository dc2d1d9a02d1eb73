//! Finds the value at a path.

use super::Step;
use crate::error::Result;
use crate::json::value::Value;

impl<'a> Value<'a> {
    /// The value at a path, such as a path of a record's `changed`; `None` if the path leads
    /// nowhere. [`Step::Element`], an element of a set, leads nowhere.
    ///
    /// # Errors
    ///
    /// Fails if an object or array on the path is invalid.
    pub fn at<'p>(self, path: impl IntoIterator<Item = Step<'p>>) -> Result<Option<Value<'a>>> {
        let mut value = self;
        for step in path {
            let inner = match step {
                Step::Key(key) => value.get(key)?,
                Step::Index(index) => value.element(index)?,
                Step::Element => None,
            };
            let Some(inner) = inner else { return Ok(None) };
            value = inner;
        }
        Ok(Some(value))
    }
}
