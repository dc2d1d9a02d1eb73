//! `importing` as a record shows it: compact, and without a secret that serves as an id
//! (records.md).
//!
//! Importing a `random_password` by its value is the real case: the id is then the very string that
//! the change marks as sensitive, in a place that has no mark of its own.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use hashbrown::HashTable;
use serde_json::value::RawValue;

use super::texts::Texts;
use crate::diff::refuse_twins;
use crate::error::Result;
use crate::json::string;
use crate::json::value::{Elements, Kind, Members, Text, Value, recycled};
use crate::plan::Change;

/// What stands for what must not be shown.
const MASK: &str = "\"(sensitive value)\"";

/// Writes the `importing` of one change after the other. The memory is kept.
#[derive(Debug, Default)]
pub(super) struct Importing {
    json: String,
    shown: Shown,
    /// Where in an overlay something stands that looks like a mark. The overlay was walked by the
    /// diff before, so whatever looks like one and is none is in a key.
    marks: Vec<u64>,
    decoded: Vec<u8>,
    /// What waits to be looked through, as the lists below: empty between two changes.
    sides: Vec<(Value<'static>, Value<'static>)>,
    members: Vec<(Text<'static>, Value<'static>)>,
    containers: Vec<Value<'static>>,
    open: Vec<Open<'static>>,
}

impl Importing {
    /// The `importing` object of a change as compact JSON text.
    ///
    /// # Errors
    ///
    /// The object, an overlay or a marked value is not well formed; the object has a key twice.
    pub(super) fn compact(
        &mut self,
        importing: Value<'_>,
        change: &Change<'_>,
        texts: &mut Texts,
    ) -> Result<&RawValue> {
        self.shown.clear();
        for overlay in distinct([change.before_sensitive, change.after_sensitive]) {
            self.marks.clear();
            let places = memchr::memmem::find_iter(overlay.raw(), "true");
            self.marks.extend(places.map(|place| overlay.offset() + place as u64));
            if self.marks.is_empty() {
                continue;
            }
            if self.shown.places.is_empty() {
                let Importing { shown, containers, .. } = self;
                scalars(importing, containers, |scalar| shown.note(scalar))?;
            }
            for value in distinct([change.before, change.after]) {
                self.mark_secrets(value, overlay)?;
            }
        }
        self.write(importing, texts)?;
        serde_json::from_str(&self.json).map_err(|_| importing.wrong_type("an object"))
    }

    /// Looks through what `overlay` marks in `value`.
    fn mark_secrets(&mut self, value: Value<'_>, overlay: Value<'_>) -> Result<()> {
        let mut waiting = recycled(std::mem::take(&mut self.sides));
        let mut marked = recycled(std::mem::take(&mut self.members));
        let mut next = Some((value, overlay));
        while let Some((value, overlay)) = next.take().or_else(|| waiting.pop()) {
            if overlay.is_true() {
                let Importing { shown, decoded, containers, .. } = self;
                scalars(value, containers, |scalar| shown.mark_secret(scalar, decoded))?;
                continue;
            }
            match (value.kind()?, overlay.kind()?) {
                (Kind::Object, Kind::Object) => {
                    marked.clear();
                    for member in overlay.members()? {
                        marked.extend(Some(member?).filter(|(_, mark)| self.are_in(*mark)));
                    }
                    marked.sort_unstable_by(|(a, _), (b, _)| a.compare(*b));
                    for member in value.members()? {
                        let (key, value) = member?;
                        if let Ok(mark) = marked.binary_search_by(|(mark, _)| mark.compare(key)) {
                            waiting.push((value, marked[mark].1));
                        }
                    }
                }
                (Kind::Array, Kind::Array) => {
                    for (element, mark) in value.elements()?.zip(overlay.elements()?) {
                        let (element, mark) = (element?, mark?);
                        if self.are_in(mark) {
                            waiting.push((element, mark));
                        }
                    }
                }
                _ => {}
            }
        }
        (self.sides, self.members) = (recycled(waiting), recycled(marked));
        Ok(())
    }

    /// Whether a part of the overlay can mark anything.
    fn are_in(&self, part: Value<'_>) -> bool {
        let next = self.marks.partition_point(|&mark| mark < part.offset());
        self.marks.get(next).is_some_and(|&mark| mark < part.offset() + part.raw().len() as u64)
    }

    /// Writes a value without space between its tokens.
    fn write(&mut self, value: Value<'_>, texts: &mut Texts) -> Result<()> {
        let Importing { json, shown, .. } = self;
        json.clear();
        // Most are flat: the container that is written is not on the list of those around it.
        let (mut around, mut open) = (recycled(std::mem::take(&mut self.open)), None);
        let mut next = Some(value);
        loop {
            match (next.take(), &mut open) {
                (Some(value), _) => match value.kind()? {
                    Kind::Object => {
                        if !value.has_ordered_keys()? {
                            refuse_twins(value)?;
                        }
                        json.push('{');
                        around.extend(open.replace(Open::Object(value.members()?)));
                    }
                    Kind::Array => {
                        json.push('[');
                        around.extend(open.replace(Open::Array(value.elements()?)));
                    }
                    Kind::String => {
                        let (text, []) = texts.decode(value.string()?, [])?;
                        if shown.is_secret(text.as_bytes()) {
                            json.push_str(MASK);
                        } else {
                            string::push_quoted(text, json);
                        }
                    }
                    Kind::Number if shown.is_secret(value.raw()) => json.push_str(MASK),
                    _ => json.extend(value.raw().iter().copied().map(char::from)),
                },
                (None, Some(container)) => {
                    next = container.next(texts, json)?;
                    if next.is_none() {
                        open = around.pop();
                    }
                }
                (None, None) => break,
            }
        }
        self.open = recycled(around);
        Ok(())
    }
}

/// Both sides, or one where they are the same bytes.
fn distinct<'a>([before, after]: [Option<Value<'a>>; 2]) -> impl Iterator<Item = Value<'a>> {
    let is_same = before.zip(after).is_some_and(|(before, after)| before.raw() == after.raw());
    [before, after.filter(|_| !is_same)].into_iter().flatten()
}

/// Hands out all strings and numbers in a value, in no order. `memory` is empty before and after.
fn scalars<'a>(
    value: Value<'a>,
    memory: &mut Vec<Value<'static>>,
    mut each: impl FnMut(Value<'a>) -> Result<()>,
) -> Result<()> {
    // Only what scalars can be in waits, so that long lists of them take no memory.
    let mut waiting = recycled(std::mem::take(memory));
    let mut next = Some(value);
    while let Some(value) = next.take().or_else(|| waiting.pop()) {
        let mut visit = |value: Value<'a>| match value.kind()? {
            Kind::String | Kind::Number => each(value),
            Kind::Object | Kind::Array if !value.is_empty() => {
                waiting.push(value);
                Ok(())
            }
            _ => Ok(()),
        };
        match value.kind()? {
            Kind::Object => value.members()?.try_for_each(|member| visit(member?.1))?,
            Kind::Array => value.elements()?.try_for_each(|element| visit(element?))?,
            _ => visit(value)?,
        }
    }
    *memory = recycled(waiting);
    Ok(())
}

/// The different strings and numbers of an `importing`, by their texts: a secret number may serve
/// as an id that is a string.
#[derive(Debug, Default)]
struct Shown {
    texts: Vec<u8>,
    places: Vec<Place>,
    /// The places in the list, to be found by hashes of their texts.
    by_text: HashTable<usize>,
    keyed: RandomState,
}

#[derive(Debug)]
struct Place {
    range: Range<usize>,
    is_secret: bool,
}

impl Shown {
    fn clear(&mut self) {
        self.texts.clear();
        self.places.clear();
        self.by_text.clear();
    }

    /// Takes one that is not empty.
    fn note(&mut self, scalar: Value<'_>) -> Result<()> {
        let start = self.texts.len();
        match scalar.kind()? {
            Kind::String => scalar.string()?.copy_to(&mut self.texts)?,
            _ => self.texts.extend_from_slice(scalar.raw()),
        }
        let text = &self.texts[start..];
        if text.is_empty() || self.position(text).is_some() {
            self.texts.truncate(start);
            return Ok(());
        }
        let Shown { texts, places, by_text, keyed } = self;
        places.push(Place { range: start..texts.len(), is_secret: false });
        let hash = |&place: &usize| keyed.hash_one(&texts[places[place].range.clone()]);
        let place = places.len() - 1;
        let _ = by_text.insert_unique(hash(&place), place, hash);
        Ok(())
    }

    fn position(&self, text: &[u8]) -> Option<usize> {
        let is_it = |&place: &usize| self.texts[self.places[place].range.clone()] == *text;
        self.by_text.find(self.keyed.hash_one(text), is_it).copied()
    }

    /// A string or number is secret: so is what is shown of the same text.
    fn mark_secret(&mut self, secret: Value<'_>, decoded: &mut Vec<u8>) -> Result<()> {
        let text = match secret.kind()? {
            Kind::String => {
                decoded.clear();
                secret.string()?.copy_to(decoded)?;
                &decoded[..]
            }
            _ => secret.raw(),
        };
        if let Some(place) = self.position(text) {
            self.places[place].is_secret = true;
        }
        Ok(())
    }

    fn is_secret(&self, text: &[u8]) -> bool {
        !self.places.is_empty()
            && self.position(text).is_some_and(|place| self.places[place].is_secret)
    }
}

/// A container that is being written.
#[derive(Debug)]
enum Open<'a> {
    Object(Members<'a>),
    Array(Elements<'a>),
}

impl<'a> Open<'a> {
    /// Writes what comes before the next value in it, and hands that out; `None` at its end.
    fn next(&mut self, texts: &mut Texts, json: &mut String) -> Result<Option<Value<'a>>> {
        let next = match self {
            Open::Object(members) => {
                members.next().transpose()?.map(|(key, value)| (Some(key), value))
            }
            Open::Array(elements) => elements.next().transpose()?.map(|value| (None, value)),
        };
        let Some((key, value)) = next else {
            json.push(if matches!(self, Open::Object(_)) { '}' } else { ']' });
            return Ok(None);
        };
        if !json.ends_with(['{', '[']) {
            json.push(',');
        }
        if let Some(key) = key {
            string::push_quoted(texts.decode(key, [])?.0, json);
            json.push(':');
        }
        Ok(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Slice;
    use crate::json::Validation;
    use crate::json::cursor::Cursor;
    use crate::json::outline::Outline;
    use crate::limits::Limits;
    use crate::scan::Isa;

    #[test]
    fn a_text_that_is_repeated_is_kept_once() {
        let text = format!(r#"[{}"1",["\u0031",2],""]"#, "1,".repeat(10_000));
        let (isa, limits) = (Isa::best(), Limits::default());
        let mut cursor = Cursor::new(Slice(text.as_bytes()), 0, isa, Validation::Visited, limits);
        let mut outline = Outline::new();
        cursor.outline(&mut outline).expect("JSON");
        let mut shown = Shown::default();
        let value = cursor.value(&mut outline);
        scalars(value, &mut Vec::new(), |scalar| shown.note(scalar)).expect("JSON");
        assert_eq!((shown.places.len(), &shown.texts[..]), (2, &b"12"[..]));
    }
}
