//! What a document says about one resource or output, and whether an expectation holds.

use super::matcher::Matcher;
use super::outcome::Outcome;
use super::subject::{Action, Expectation};
use super::values::words;
use crate::error::Result;
use crate::json::value::{Kind, Value};
use crate::known::{Data, Found, Mask, SENSITIVE, Type, are_equal, traverse};
use crate::path::{AttributePath, AttributeStep};

/// The values of a resource or an output before and after a change. A state has only the latter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sides<'a> {
    pub before: Option<Value<'a>>,
    pub after: Option<Value<'a>>,
    pub after_unknown: Option<Value<'a>>,
    pub before_sensitive: Option<Value<'a>>,
    pub after_sensitive: Option<Value<'a>>,
}

impl<'a> Sides<'a> {
    /// All values and overlays.
    pub fn all(self) -> impl Iterator<Item = Value<'a>> {
        let Sides { before, after, after_unknown, before_sensitive, after_sensitive } = self;
        let all = [before, after, after_unknown, before_sensitive, after_sensitive];
        all.into_iter().flatten()
    }

    /// Whether there is a list at a path. Unknown values are only in the overlay of unknown values,
    /// and deleted ones only in the value before.
    pub fn is_list_at(self, path: &AttributePath) -> Result<bool> {
        let Sides { before, after, after_unknown, .. } = self;
        for side in [after, before, after_unknown].into_iter().flatten() {
            if let Ok(found) = traverse(Found::clear(Data::from(side)), path)? {
                match found.data.ty()? {
                    Type::Slice => return Ok(true),
                    Type::Map => return Ok(false),
                    _ => {}
                }
            }
        }
        Ok(false)
    }
}

/// A resource or an output.
pub(super) struct Item<'i, 'a> {
    /// The address or the name.
    pub place: &'i str,
    /// The actions; `None` in a state.
    pub actions: Option<&'i [String]>,
    pub sides: Sides<'a>,
}

/// How much of a value is marked in an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marked {
    Whole,
    Partly,
    Not,
}

impl Item<'_, '_> {
    /// Checks an expectation about this item.
    pub fn check(
        &self,
        expectation: &Expectation,
        path: &AttributePath,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let is_of_change = matches!(
            expectation,
            Expectation::Action(_) | Expectation::NotAction(_) | Expectation::Unchanged(_)
        );
        if is_of_change && self.actions.is_none() {
            self.fail(expectation, path, "a state, which plans no changes", outcome);
            return Ok(());
        }
        let actions = self.actions.unwrap_or_default();
        let holds = |list: &[Action]| list.iter().any(|action| action.covers(actions));
        match expectation {
            Expectation::Action(list) if !holds(list) => {
                self.fail(expectation, path, &Action::words_of(actions), outcome);
            }
            Expectation::NotAction(list) if holds(list) => {
                self.fail(expectation, path, &Action::words_of(actions), outcome);
            }
            Expectation::Known(matcher) => self.known(matcher, expectation, path, outcome)?,
            Expectation::Unknown(is_unknown) => {
                let marked = self.unknown(path)?;
                let found = match (is_unknown, marked) {
                    (true, Marked::Whole) | (false, Marked::Not) => return Ok(()),
                    (_, Marked::Whole) => "an unknown value",
                    (_, Marked::Partly) => "a value that is partly unknown",
                    (true, Marked::Not) => "a known value",
                };
                self.fail(expectation, path, found, outcome);
            }
            Expectation::Sensitive(is_sensitive) => {
                let found = match (is_sensitive, self.sensitive(path)?) {
                    (true, Marked::Whole) | (false, Marked::Not) => return Ok(()),
                    (_, Marked::Whole) => "a sensitive value",
                    (_, Marked::Partly) => "a value that is partly sensitive",
                    (true, Marked::Not) if self.at(path)?.is_none() => "nothing",
                    (true, Marked::Not) => "a value that is not sensitive",
                };
                self.fail(expectation, path, found, outcome);
            }
            Expectation::Null(is_null) => self.null(*is_null, expectation, path, outcome)?,
            Expectation::Unchanged(expected) if self.is_unchanged(path)? != *expected => {
                let found = if *expected { "a change" } else { "no change" };
                self.fail(expectation, path, found, outcome);
            }
            Expectation::Absent(is_absent) if !path.is_root() || !is_absent => {
                let is_there = self.at(path)?.is_some() || self.unknown(path)? != Marked::Not;
                if is_there == *is_absent && !path.is_root() {
                    let found = if is_there { "a value" } else { "nothing" };
                    self.fail(expectation, path, found, outcome);
                }
            }
            Expectation::Absent(_) => {
                let found = self.actions.map_or("it in the state".to_owned(), Action::words_of);
                self.fail(expectation, path, &found, outcome);
            }
            _ => {}
        }
        Ok(())
    }

    fn fail(
        &self,
        expectation: &Expectation,
        path: &AttributePath,
        found: &str,
        outcome: &mut Outcome,
    ) {
        outcome.fail_with(|| {
            [self.place.to_owned(), path.to_string(), words(expectation), found.to_owned()]
        });
    }

    fn known(
        &self,
        matcher: &Matcher,
        expectation: &Expectation,
        path: &AttributePath,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let unknown = self.unknown(path)?;
        if unknown == Marked::Whole {
            self.fail(expectation, path, "an unknown value", outcome);
            return Ok(());
        }
        let Some(data) = self.at(path)? else {
            let found = match self.actions {
                Some(actions) if Action::Delete.covers(actions) => "nothing: it is deleted",
                _ => "nothing",
            };
            self.fail(expectation, path, found, outcome);
            return Ok(());
        };
        if matcher.matches(data)? {
            return Ok(());
        }
        if self.sensitive(path)? != Marked::Not {
            self.fail(expectation, path, SENSITIVE, outcome);
            return Ok(());
        }
        let (found, quoted) = described(data)?;
        self.fail(expectation, path, &found, outcome);
        outcome.quote_last(quoted);
        Ok(())
    }

    fn null(
        &self,
        is_null: bool,
        expectation: &Expectation,
        path: &AttributePath,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let found = match (self.unknown(path)?, self.at(path)?) {
            (Marked::Whole, _) => "an unknown value",
            (_, None) if path.is_root() => "null",
            (_, None) => "nothing",
            (_, Some(Data::Nil)) => "null",
            (_, Some(_)) => "a value",
        };
        let holds = match found {
            "null" => is_null,
            "a value" => !is_null,
            _ => false,
        };
        if !holds {
            self.fail(expectation, path, found, outcome);
        }
        Ok(())
    }

    /// The planned value at a path; `None` if there is none. The value of what is deleted is the
    /// one before, where a path is asked.
    fn at(&self, path: &AttributePath) -> Result<Option<Data<'_>>> {
        match self.sides.after {
            Some(after) if path.is_root() => Ok(Some(Data::from(after))),
            after => {
                let found = traverse(Found::clear(Data::from(after)), path)?;
                Ok(found.ok().map(|found| found.data).filter(|_| after.is_some()))
            }
        }
    }

    /// How much of a value is unknown.
    fn unknown(&self, path: &AttributePath) -> Result<Marked> {
        marked(self.sides.after_unknown, path)
    }

    /// How much of a value is sensitive, before or after.
    fn sensitive(&self, path: &AttributePath) -> Result<Marked> {
        let after = marked(self.sides.after_sensitive, path)?;
        let is_gone = self.sides.after.is_none_or(Value::is_null);
        match after {
            Marked::Not if is_gone => marked(self.sides.before_sensitive, path),
            after => Ok(after),
        }
    }

    fn is_unchanged(&self, path: &AttributePath) -> Result<bool> {
        if self.unknown(path)? != Marked::Not {
            return Ok(false);
        }
        let side = |side: Option<crate::json::value::Value<'_>>| -> Result<bool> {
            Ok(traverse(Found::clear(Data::from(side)), path)?.is_ok())
        };
        let [before, after] = [self.sides.before, self.sides.after];
        if side(before)? != side(after)? {
            return Ok(false);
        }
        let before = traverse(Found::clear(Data::from(before)), path)?;
        let after = traverse(Found::clear(Data::from(after)), path)?;
        match (before, after) {
            (Ok(before), Ok(after)) => are_equal(before.data, after.data),
            _ => Ok(true),
        }
    }
}

/// How much of the value at a path an overlay marks. A mark counts for everything in the value.
fn marked(overlay: Option<Value<'_>>, path: &AttributePath) -> Result<Marked> {
    let mut mask = Mask::from(overlay);
    for step in path.steps() {
        mask = match step {
            AttributeStep::Key(key) => mask.at_key(key),
            AttributeStep::Index(index) => {
                usize::try_from(*index).map_or(Mask::Clear, |index| mask.at_index(index))
            }
        };
    }
    Ok(match mask {
        Mask::Marked => Marked::Whole,
        Mask::Clear => Marked::Not,
        Mask::Parts(parts) => match has_mark(parts)? {
            true => Marked::Partly,
            false => Marked::Not,
        },
    })
}

/// Whether anything in an overlay is marked.
fn has_mark(overlay: Value<'_>) -> Result<bool> {
    let mut left = vec![overlay];
    while let Some(value) = left.pop() {
        match value.kind()? {
            Kind::True => return Ok(true),
            Kind::Array => {
                for element in value.elements()? {
                    left.push(element?);
                }
            }
            Kind::Object => {
                for member in value.members()? {
                    left.push(member?.1);
                }
            }
            _ => {}
        }
    }
    Ok(false)
}

/// A value in words, and the text in them that may be secret.
fn described(data: Data<'_>) -> Result<(String, Option<String>)> {
    Ok(match data.ty()? {
        Type::Nil => ("null".to_owned(), None),
        Type::Bool => (data.boolean().unwrap_or_default().to_string(), None),
        Type::Number => {
            let number = data.number()?.unwrap_or_default();
            (number.clone(), Some(number))
        }
        Type::String => {
            let text = data.string()?.unwrap_or_default();
            (format!("{text:?}"), Some(text))
        }
        Type::Slice => {
            let len = data.elements()?.unwrap_or_default().len();
            (format!("a list of {len}"), None)
        }
        Type::Map => {
            let len = data.members()?.unwrap_or_default().len();
            (format!("an object of {len}"), None)
        }
    })
}
