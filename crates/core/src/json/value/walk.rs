//! Walks everything at and below a value, in document order, without recursion.

use smallvec::SmallVec;

use super::{Entries, Kind, Step, Text, Value};
use crate::error::Result;
use crate::json::number;

/// What a [`ValueWalk`] meets.
#[derive(Clone, Copy, Debug)]
pub enum WalkEvent<'a> {
    /// The key of a member, before its value.
    Key(Text<'a>),
    /// The index of an element, before its value.
    Index(u32),
    /// The start of an object or array.
    Open(Kind, Value<'a>),
    /// A value that is neither an object nor an array.
    Leaf(Kind, Value<'a>),
    /// The end of the innermost open object or array.
    Close(Kind),
}

/// The events of everything at and below a value, in document order.
#[derive(Clone, Debug)]
pub struct ValueWalk<'a> {
    /// The value of the last key or index; at the start, the root.
    next: Option<Value<'a>>,
    /// The entered containers, outermost first.
    open: SmallVec<[Entries<'a>; 8]>,
    /// Whether the last event was [`WalkEvent::Open`].
    is_opened: bool,
}

impl<'a> Value<'a> {
    /// Walks the value and everything below it.
    pub fn walk(self) -> ValueWalk<'a> {
        ValueWalk { next: Some(self), open: SmallVec::new(), is_opened: false }
    }
}

impl<'a> ValueWalk<'a> {
    /// Enters a value, or returns it as a leaf.
    #[inline(always)]
    fn enter(&mut self, value: Value<'a>) -> Result<WalkEvent<'a>> {
        let kind = value.kind()?;
        let Some(entries) = Entries::of_kind(kind, value) else {
            return Ok(WalkEvent::Leaf(kind, value));
        };
        self.open.push(entries);
        self.is_opened = true;
        Ok(WalkEvent::Open(kind, value))
    }

    /// The value of the last key or index, which comes next.
    pub fn value(&self) -> Option<Value<'a>> {
        self.next
    }

    /// After [`WalkEvent::Open`], whether the container is empty.
    pub(crate) fn is_at_end(&self) -> Result<bool> {
        let mut entries = self.open.last().cloned();
        Ok(entries.as_mut().map(Entries::step).transpose()?.flatten().is_none())
    }

    /// After [`WalkEvent::Open`], skips the content and the end of the container. After
    /// [`WalkEvent::Key`] or [`WalkEvent::Index`], skips the value.
    pub fn skip_value(&mut self) {
        self.next = None;
        if std::mem::take(&mut self.is_opened) {
            self.open.pop();
        }
    }

    /// Skips like [`ValueWalk::skip_value`], and walks another value in the place of the skipped
    /// one.
    pub fn replace_value(&mut self, value: Value<'a>) {
        self.skip_value();
        self.next = Some(value);
    }
}

impl<'a> Iterator for ValueWalk<'a> {
    type Item = Result<WalkEvent<'a>>;

    // Inlined, so that an event stays in registers.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.is_opened = false;
        if let Some(value) = self.next.take() {
            return Some(self.enter(value));
        }
        let entries = self.open.last_mut()?;
        Some(Ok(match entries.step() {
            Err(error) => return Some(Err(error)),
            Ok(Some((step, value))) => {
                self.next = Some(value);
                match step {
                    Step::Key(key) => WalkEvent::Key(key),
                    Step::Index(index) => WalkEvent::Index(index),
                }
            }
            Ok(None) => {
                let kind = entries.kind();
                self.open.pop();
                WalkEvent::Close(kind)
            }
        }))
    }
}

impl<'a> WalkEvent<'a> {
    /// The text of a number, or the decoded text of a string; `None` for other events.
    pub fn text<'t>(self, decoded: &'t mut Vec<u8>) -> Result<Option<&'t [u8]>>
    where
        'a: 't,
    {
        match self {
            WalkEvent::Leaf(Kind::String, value) => decode(value.string()?, decoded).map(Some),
            WalkEvent::Leaf(Kind::Number, value) => Ok(Some(value.raw())),
            _ => Ok(None),
        }
    }

    /// Calls `each` with the texts that identify a string or number. A number has two texts if they
    /// differ: its own spelling and the canonical spelling of its value.
    pub fn each_text(
        self,
        decoded: &mut Vec<u8>,
        mut each: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        if let Some(text) = self.text(decoded)? {
            each(text)?;
        }
        if let WalkEvent::Leaf(Kind::Number, value) = self {
            let shared = number::canonical(value.raw(), decoded);
            if shared != value.raw() {
                each(shared)?;
            }
        }
        Ok(())
    }

    /// Whether `is` accepts one of the texts that [`WalkEvent::each_text`] reports.
    pub fn has_text(
        self,
        decoded: &mut Vec<u8>,
        mut is: impl FnMut(&[u8]) -> bool,
    ) -> Result<bool> {
        let mut has_text = false;
        self.each_text(decoded, |text| {
            has_text |= is(text);
            Ok(())
        })?;
        Ok(has_text)
    }
}

/// Decodes a string. Copies it to `decoded` only if it has escapes.
pub fn decode<'t>(text: Text<'t>, decoded: &'t mut Vec<u8>) -> Result<&'t [u8]> {
    if text.is_plain() {
        return Ok(text.raw());
    }
    decoded.clear();
    text.copy_to(decoded)?;
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::detached::Detached;
    use crate::limits::Limits;

    /// Returns the events of a walk as text. Skips values whose key is `skip`, and the content of
    /// arrays with an element.
    fn events(text: &str, skips: bool) -> String {
        let mut detached = Detached::read(text.as_bytes(), Limits::default()).expect("JSON");
        let (mut walk, mut events) = (detached.value().walk(), String::new());
        while let Some(event) = walk.next().transpose().expect("JSON") {
            events += &match event {
                WalkEvent::Key(key) => {
                    if skips && key.is("skip") {
                        walk.skip_value();
                    }
                    format!("{}:", key.decode().expect("a key"))
                }
                WalkEvent::Index(index) => format!("{index}:"),
                WalkEvent::Open(kind, value) => {
                    if skips && kind == Kind::Array && !value.is_empty() {
                        walk.skip_value();
                    }
                    format!("{kind:?}(")
                }
                WalkEvent::Leaf(_, value) => {
                    walk.skip_value();
                    String::from_utf8_lossy(value.raw()).into_owned() + " "
                }
                WalkEvent::Close(kind) => format!("){kind:?} "),
            };
        }
        events
    }

    #[test]
    fn a_walk_meets_everything_in_document_order() {
        let text = r#"{"a":[1,{"b":"x"},[]],"skip":{"c":{}},"d":null}"#;
        let all = "Object(a:Array(0:1 1:Object(b:\"x\" )Object 2:Array()Array )Array \
            skip:Object(c:Object()Object )Object d:null )Object ";
        assert_eq!(events(text, false), all);
        assert_eq!(events("true", false), "true ");
    }

    #[test]
    fn a_walk_skips_values_and_content() {
        let text = r#"{"a":[1,{"b":"x"}],"skip":{"c":{}},"d":[],"skip":1,"e":2}"#;
        let rest = "Object(a:Array(skip:d:Array()Array skip:e:2 )Object ";
        assert_eq!(events(text, true), rest);
    }
}
