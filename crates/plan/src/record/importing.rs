//! Writes the `importing` of a record: compact JSON, with secrets masked (docs/format/records.md,
//! section 10).
//!
//! An id can be a secret: a `random_password` is imported by its value. The overlays of the change
//! mark that value in the resource, but no overlay covers `importing`. So this module masks each
//! value in `importing` that equals a marked value.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use hashbrown::HashTable;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::json_text::JsonText;
use super::texts::Texts;
use super::viewer::Viewer;
use crate::diff::refuse_duplicate_keys;
use crate::marks::{Marks, Subject};
use crate::plan::Change;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::json::value::decode;
use plansift_core::json::value::{Kind, Value, WalkEvent};
use plansift_core::json::word::Word;
use plansift_core::json::{number, string};
use plansift_core::limits::Limits;
use plansift_core::path::is_attribute_name;

/// The JSON string that replaces a secret.
const MASK: &str = "\"(sensitive value)\"";

/// The parsed `importing` of a record: the id or identity of the imported object.
#[derive(Debug, Deserialize)]
pub struct ImportSource<'a> {
    /// The id, as JSON text.
    #[serde(borrow)]
    pub id: Option<&'a RawValue>,
    /// The members of the identity, each as JSON text.
    #[serde(borrow)]
    pub identity: Option<BTreeMap<Cow<'a, str>, &'a RawValue>>,
    /// True if the id is known only after apply.
    pub unknown: Option<bool>,
}

impl<'a> ImportSource<'a> {
    /// Parses the `importing` of a record. Returns `None` if a member has an unexpected type.
    pub fn of(importing: &'a JsonText<'_>) -> Option<ImportSource<'a>> {
        serde_json::from_str(importing.get()).ok()
    }
}

/// Writes the `importing` of changes, one after the other, and reuses its buffers.
#[derive(Debug, Default)]
pub(super) struct Importing {
    json: String,
    shown: Shown,
    marks: Marks,
    decoded: Vec<u8>,
}

impl Importing {
    /// Creates a writer. `limits` bounds the number of marks in one change.
    pub(super) fn new(limits: &Limits) -> Importing {
        Importing { marks: Marks::new(None, limits), ..Importing::default() }
    }

    /// Returns the `importing` object of a change as compact JSON text. Masks each value that
    /// equals a sensitive value of the change, or a secret that `viewer` knows. Fails if the
    /// object, an overlay or a marked value is malformed or has a key twice.
    pub(super) fn compact(
        &mut self,
        importing: Value<'_>,
        change: &Change<'_>,
        texts: &mut Texts,
        viewer: Option<&dyn Viewer>,
    ) -> Result<JsonText<'_>> {
        self.shown.clear();
        let subject = Subject {
            sides: [change.before, change.after],
            overlays: [change.before_sensitive, change.after_sensitive],
            ..Subject::default()
        };
        let Importing { shown, marks, decoded, .. } = self;
        let mut is_noted = false;
        marks.find(subject, |marked| {
            if !std::mem::replace(&mut is_noted, true) {
                importing.walk().try_for_each(|event| shown.note(event?, decoded))?;
            }
            if shown.scalars.is_empty() {
                return Ok(());
            }
            let mut sides = marked.sides.into_iter().flatten();
            sides.try_for_each(|value| {
                value.walk().try_for_each(|event| shown.mark_secret(event?, decoded))
            })
        })?;
        self.write(importing, texts, viewer)?;
        Ok(JsonText::new(&*self.json))
    }

    /// Writes a value to `json` as compact JSON, with secrets masked.
    fn write(
        &mut self,
        value: Value<'_>,
        texts: &mut Texts,
        viewer: Option<&dyn Viewer>,
    ) -> Result<()> {
        let Importing { json, shown, .. } = self;
        let is_secret = |text: &[u8]| {
            shown.is_secret(text) || viewer.is_some_and(|viewer| viewer.is_secret(text))
        };
        let mut shared = Vec::new();
        let mut is_secret_number = |number: &[u8]| {
            shown.is_secret(number)
                || shown.is_secret(number::canonical(number, &mut shared))
                || viewer.is_some_and(|viewer| viewer.is_secret_number(number))
        };
        json.clear();
        // `unknown` only says whether the id is known, so it is never masked.
        let format_word = value.get("unknown")?.map(Value::offset);
        let mut walk = value.walk();
        while let Some(event) = walk.next().transpose()? {
            match event {
                WalkEvent::Key(key) => {
                    if !json.ends_with('{') {
                        json.push(',');
                    }
                    let (key, []) = texts.decode(key, [])?;
                    string::push_quoted(key, json);
                    json.push(':');
                    let is_name = viewer.is_some_and(|viewer| viewer.is_name(key));
                    if is_name && walk.value().is_some_and(|value| !value.is_null()) {
                        json.push_str(MASK);
                        walk.skip_value();
                    }
                }
                WalkEvent::Index(0) => {}
                WalkEvent::Index(_) => json.push(','),
                WalkEvent::Open(Kind::Object, value) => {
                    if !value.has_ordered_keys()? {
                        refuse_duplicate_keys(value)?;
                    }
                    json.push('{');
                }
                WalkEvent::Open(..) => json.push('['),
                WalkEvent::Close(Kind::Object) => json.push('}'),
                WalkEvent::Close(_) => json.push(']'),
                WalkEvent::Leaf(Kind::String, value) => {
                    let (text, []) = texts.decode(value.string()?, [])?;
                    if is_secret(text.as_bytes()) {
                        json.push_str(MASK);
                    } else {
                        string::push_quoted(text, json);
                    }
                }
                // Copied before the check: another process may modify the file.
                WalkEvent::Leaf(kind, value) => {
                    let start = json.len();
                    json.extend(value.raw().iter().copied().map(char::from));
                    let word = &json.as_bytes()[start..];
                    if !Word::is_whole(word) {
                        return Err(Error::at(ErrorKind::Changed, value.offset()));
                    }
                    let is_secret = match kind {
                        Kind::Number => is_secret_number(word),
                        Kind::True | Kind::False => {
                            format_word != Some(value.offset()) && shown.is_secret(word)
                        }
                        _ => false,
                    };
                    if is_secret {
                        json.truncate(start);
                        json.push_str(MASK);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The distinct scalars of an `importing`, keyed by their text. A string can repeat a secret
/// number, so strings and numbers share one table.
#[derive(Debug, Default)]
struct Shown {
    texts: Vec<u8>,
    /// The byte ranges of the scalars in `texts`, keyed by the hash of the text.
    scalars: HashTable<ScalarRange>,
    keyed: RandomState,
}

#[derive(Debug)]
struct ScalarRange {
    range: Range<usize>,
    is_secret: bool,
}

impl Shown {
    fn clear(&mut self) {
        self.texts.clear();
        self.scalars.clear();
    }

    /// Adds the texts of a string, number or boolean. Ignores keys and `null`.
    fn note(&mut self, event: WalkEvent<'_>, decoded: &mut Vec<u8>) -> Result<()> {
        if let WalkEvent::Leaf(Kind::True | Kind::False, value) = event {
            self.note_text(value.raw());
        }
        event.each_text(decoded, |text| {
            self.note_text(text);
            Ok(())
        })
    }

    fn note_text(&mut self, text: &[u8]) {
        if text.is_empty() || self.scalar(text).is_some() {
            return;
        }
        let Shown { texts, scalars, keyed } = self;
        let start = texts.len();
        texts.extend_from_slice(text);
        let scalar = ScalarRange { range: start..texts.len(), is_secret: false };
        let hash = |scalar: &ScalarRange| keyed.hash_one(&texts[scalar.range.clone()]);
        scalars.insert_unique(hash(&scalar), scalar, hash);
    }

    fn scalar(&mut self, text: &[u8]) -> Option<&mut ScalarRange> {
        let is_equal = |scalar: &ScalarRange| self.texts[scalar.range.clone()] == *text;
        self.scalars.find_mut(self.keyed.hash_one(text), is_equal)
    }

    /// Marks the entries that equal a secret scalar or a secret key. Ignores keys that are
    /// attribute names, which are not secret.
    fn mark_secret(&mut self, event: WalkEvent<'_>, decoded: &mut Vec<u8>) -> Result<()> {
        let mut mark = |text: &[u8]| {
            if let Some(scalar) = self.scalar(text) {
                scalar.is_secret = true;
            }
        };
        match event {
            WalkEvent::Key(key) => {
                let key = decode(key, decoded)?;
                if !is_attribute_name(key) {
                    mark(key);
                }
            }
            WalkEvent::Leaf(Kind::True | Kind::False, value) => mark(value.raw()),
            event => event.each_text(decoded, |text| {
                mark(text);
                Ok(())
            })?,
        }
        Ok(())
    }

    fn is_secret(&self, text: &[u8]) -> bool {
        let is_secret =
            |scalar: &ScalarRange| scalar.is_secret && self.texts[scalar.range.clone()] == *text;
        !self.scalars.is_empty()
            && self.scalars.find(self.keyed.hash_one(text), is_secret).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::input::Slice;
    use plansift_core::json::Validation;
    use plansift_core::json::cursor::Cursor;
    use plansift_core::json::outline::Outline;
    use plansift_core::limits::Limits;
    use plansift_core::scan::Isa;

    #[test]
    fn repeated_texts_are_stored_once() {
        let text = format!(r#"[{}"1",["\u0031",2],""]"#, "1,".repeat(10_000));
        let (isa, limits) = (Isa::best(), Limits::default());
        let mut cursor = Cursor::new(Slice(text.as_bytes()), 0, isa, Validation::Structure, limits);
        let mut outline = Outline::new();
        cursor.outline(&mut outline).expect("JSON");
        let mut shown = Shown::default();
        let value = cursor.value(&mut outline);
        let decoded = &mut Vec::new();
        value.walk().try_for_each(|event| shown.note(event?, decoded)).expect("JSON");
        assert_eq!((shown.scalars.len(), &shown.texts[..]), (2, &b"12"[..]));
    }
}
