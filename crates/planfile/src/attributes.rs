//! The attributes of a resource in a state, as JSON.
//!
//! A state indents attributes. It wraps a value of a dynamic type in an object with `value` and
//! `type`, in this order. An ordinary object with attributes of these names has sorted keys, so
//! `type` comes first.

use super::fault::PlanFileFault;
use super::keys;
use super::path::Paths;
use super::walk::{self, TextWriter, ValueEvent, Walk};
use plansift_core::error::{Error, Result};
use plansift_core::json::value::{Kind, Sorted, Value, ValueWalk, WalkEvent};
use plansift_core::limits::Limits;
use plansift_cty::json_string::write_string_within;
use plansift_cty::path::Step;

/// Walks over a JSON value.
pub(super) struct Json<'a> {
    walk: ValueWalk<'a>,
    /// The last leaf.
    leaf: Value<'a>,
    /// Whether an object of `value` and `type` is written like any other object. If false, only its
    /// `value` is written.
    keeps_types: bool,
}

impl<'a> Json<'a> {
    /// Starts a walk over a value.
    pub(super) fn new(value: Value<'a>) -> Json<'a> {
        Json { walk: value.walk(), leaf: value, keeps_types: false }
    }
}

impl<'a> Walk<'a> for Json<'a> {
    fn next(&mut self) -> Result<ValueEvent<'a>> {
        while let Some(event) = self.walk.next().transpose()? {
            return Ok(match event {
                WalkEvent::Index(_) => continue,
                WalkEvent::Key(key) => ValueEvent::Key(key.decode()?.into_bytes().into()),
                WalkEvent::Open(Kind::Object, value) => {
                    let inner = if self.keeps_types { value } else { without_type(value)? };
                    if inner.offset() != value.offset() {
                        self.walk.replace_value(inner);
                        continue;
                    }
                    if !value.has_ordered_keys()? {
                        // Fails if a key occurs twice. The tools read the last of several members.
                        Sorted::of(value)?;
                    }
                    ValueEvent::Object
                }
                WalkEvent::Open(..) => ValueEvent::Array,
                WalkEvent::Leaf(Kind::Null, _) => ValueEvent::Null,
                WalkEvent::Leaf(_, value) => {
                    self.leaf = value;
                    ValueEvent::Leaf
                }
                WalkEvent::Close(_) => ValueEvent::Close,
            });
        }
        Ok(ValueEvent::Close)
    }

    fn offset(&self) -> u64 {
        self.leaf.offset()
    }

    fn write_leaf(&self, max: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.leaf.kind()? == Kind::String {
            write_string_within(self.leaf.text()?.as_bytes(), max, out);
        } else {
            out.extend_from_slice(self.leaf.raw());
        }
        Ok(())
    }
}

/// Unwraps a value from objects of `value` and `type`. Returns other values unchanged.
fn without_type(mut value: Value<'_>) -> Result<Value<'_>> {
    while value.kind()? == Kind::Object {
        let mut members = value.members()?;
        let mut next = || members.next().transpose();
        let (Some((first, inner)), Some((second, _)), None) = (next()?, next()?, next()?) else {
            break;
        };
        if !first.is("value") || !second.is("type") {
            break;
        }
        value = inner;
    }
    Ok(value)
}

/// Appends attributes as compact JSON, escaped as Go does.
pub(super) fn write(value: Value<'_>, limits: &Limits, out: &mut Vec<u8>) -> Result<()> {
    walk::write(&mut Json::new(value), &mut TextWriter::known(limits, out), limits)
}

/// Like [`write`], but keeps objects of `value` and `type`, for JSON other than attributes.
pub(super) fn write_plain(value: Value<'_>, limits: &Limits, out: &mut Vec<u8>) -> Result<()> {
    let mut walk = Json { keeps_types: true, ..Json::new(value) };
    walk::write(&mut walk, &mut TextWriter::known(limits, out), limits)
}

/// Reads the paths of `sensitive_attributes`.
pub(super) fn paths(value: Value<'_>, limits: &Limits) -> Result<Paths<'static>> {
    let mut paths = Paths::default();
    for path in value.elements()? {
        let path = path?;
        for step in path.elements()? {
            let step = step?;
            let offset = step.offset();
            let state_fault = || Error::at(PlanFileFault::State, offset);
            let [kind, value] = keys::members(step, &["type", "value"])?;
            let value = value.ok_or_else(state_fault)?;
            let step = match keys::text(kind)?.as_str() {
                "get_attr" => Step::Name(value.text()?.into_bytes().into()),
                "index" => index(value)?,
                _ => return Err(state_fault()),
            };
            paths.push(step, limits, offset)?;
        }
        paths.end(limits, path.offset())?;
    }
    Ok(paths)
}

/// Converts an index to a step: a string to a key, a number to an index, anything else to an
/// element of a set.
fn index(value: Value<'_>) -> Result<Step<'static>> {
    let value = without_type(value)?;
    Ok(match value.kind()? {
        Kind::String => Step::Key(value.text()?.into_bytes().into()),
        Kind::Number => {
            let number = std::str::from_utf8(value.raw()).ok().and_then(|text| text.parse().ok());
            number.map_or(Step::Element(None), Step::Index)
        }
        _ => Step::Element(None),
    })
}
