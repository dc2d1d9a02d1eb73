//! `importing` as a record shows it: compact, and without a secret that serves as an id
//! (records.md).
//!
//! Importing a `random_password` by its value is the real case: the id is then the very string that
//! the change marks as sensitive, in a place that has no mark of its own.

use std::collections::HashSet;

use serde_json::value::RawValue;

use super::texts::Texts;
use crate::diff::refuse_twins;
use crate::error::Result;
use crate::json::string;
use crate::json::value::{Elements, Kind, Members, Value};
use crate::plan::Change;

/// What stands for what must not be shown.
const MASK: &str = "\"(sensitive value)\"";

/// The `importing` object of a change as compact JSON text.
///
/// # Errors
///
/// The object, an overlay or a marked value is not well formed; the object has a key twice.
pub(super) fn compact<'t>(
    importing: Value<'_>,
    change: &Change<'_>,
    texts: &mut Texts,
    json: &'t mut String,
) -> Result<&'t RawValue> {
    let mut secrets = Secrets::default();
    for overlay in distinct([change.before_sensitive, change.after_sensitive]) {
        let marks = Marks::of(overlay);
        if !marks.are_in(overlay) {
            continue;
        }
        if secrets.shown.is_empty() {
            secrets.show(importing)?;
        }
        for value in distinct([change.before, change.after]) {
            secrets.find(value, overlay, &marks)?;
        }
    }
    json.clear();
    write(importing, &secrets.found, texts, json)?;
    serde_json::from_str(json).map_err(|_| importing.wrong_type("an object"))
}

/// Both sides, or one where they are the same bytes.
fn distinct<'a>([before, after]: [Option<Value<'a>>; 2]) -> impl Iterator<Item = Value<'a>> {
    let is_same = before.zip(after).is_some_and(|(before, after)| before.raw() == after.raw());
    [before, after.filter(|_| !is_same)].into_iter().flatten()
}

/// Hands out all strings and numbers in a value, in no order.
fn scalars<'a>(value: Value<'a>, mut each: impl FnMut(Value<'a>) -> Result<()>) -> Result<()> {
    // Only what scalars can be in waits, so that long lists of them take no memory.
    let mut waiting = Vec::new();
    let mut next = Some(value);
    while let Some(value) = next.or_else(|| waiting.pop()) {
        next = None;
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
    Ok(())
}

/// The text of a string or number: a secret number may serve as an id that is a string.
fn text_of(scalar: Value<'_>) -> Result<String> {
    match scalar.kind()? {
        Kind::String => scalar.text(),
        _ => Ok(String::from_utf8_lossy(scalar.raw()).into_owned()),
    }
}

/// The strings and numbers of an `importing`, and those of them that its change marks.
#[derive(Default)]
struct Secrets {
    shown: HashSet<String>,
    found: HashSet<String>,
}

impl Secrets {
    /// Takes the strings and numbers of an `importing`.
    fn show(&mut self, importing: Value<'_>) -> Result<()> {
        scalars(importing, |scalar| {
            let text = text_of(scalar)?;
            if !text.is_empty() {
                self.shown.insert(text);
            }
            Ok(())
        })
    }

    /// Looks through what `overlay` marks in `value`.
    fn find(&mut self, value: Value<'_>, overlay: Value<'_>, marks: &Marks) -> Result<()> {
        let mut waiting = vec![(value, overlay)];
        while let Some((value, overlay)) = waiting.pop() {
            if overlay.is_true() {
                scalars(value, |scalar| {
                    let text = text_of(scalar)?;
                    if self.shown.contains(&text) {
                        self.found.insert(text);
                    }
                    Ok(())
                })?;
                continue;
            }
            match (value.kind()?, overlay.kind()?) {
                (Kind::Object, Kind::Object) => {
                    let mut marked: Vec<_> = overlay
                        .members()?
                        .filter(|member| !matches!(member, Ok((_, mark)) if !marks.are_in(*mark)))
                        .collect::<Result<_>>()?;
                    marked.sort_by(|(a, _), (b, _)| a.compare(*b));
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
                        if marks.are_in(mark) {
                            waiting.push((element, mark));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Where in an overlay something stands that looks like a mark. The overlay was walked by the diff
/// before, so whatever looks like one and is none is in a key.
struct Marks(Vec<u64>);

impl Marks {
    fn of(overlay: Value<'_>) -> Marks {
        let places = memchr::memmem::find_iter(overlay.raw(), "true");
        Marks(places.map(|place| overlay.offset() + place as u64).collect())
    }

    /// Whether a part of the overlay can mark anything.
    fn are_in(&self, part: Value<'_>) -> bool {
        let next = self.0.partition_point(|&mark| mark < part.offset());
        self.0.get(next).is_some_and(|&mark| mark < part.offset() + part.raw().len() as u64)
    }
}

/// A container that is being written.
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

/// Writes a value without space between its tokens.
fn write(
    value: Value<'_>,
    secrets: &HashSet<String>,
    texts: &mut Texts,
    json: &mut String,
) -> Result<()> {
    // Most are flat: the container that is written is not on the list of those around it.
    let (mut around, mut open) = (Vec::new(), None);
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
                    if secrets.contains(text) {
                        json.push_str(MASK);
                    } else {
                        string::push_quoted(text, json);
                    }
                }
                Kind::Number if !secrets.is_empty() && secrets.contains(&text_of(value)?) => {
                    json.push_str(MASK);
                }
                _ => json.push_str(&String::from_utf8_lossy(value.raw())),
            },
            (None, Some(container)) => {
                next = container.next(texts, json)?;
                if next.is_none() {
                    open = around.pop();
                }
            }
            (None, None) => return Ok(()),
        }
    }
}
