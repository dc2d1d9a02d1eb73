//! What a document says about one resource or output, and whether an expectation holds.

use std::collections::BTreeSet;

use super::matcher::Matcher;
use super::outcome::Outcome;
use super::subject::{Action, Expectation};
use super::values::words;
use crate::error::Result;
use crate::json::value::{Kind, Value};
use crate::known::{Data, Found, Mask, SENSITIVE, Type, are_equal, traverse};
use crate::nearest::{did_you_mean, nearest};
use crate::path::{AttributePath, AttributeStep};
use crate::wire::Number;

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

impl<'a> Sides<'a> {
    /// Whether a value or an overlay has a path: a value is there, or a mark is.
    pub fn has(self, path: &AttributePath) -> Result<bool> {
        let Sides { before, after, after_unknown, before_sensitive, after_sensitive } = self;
        for side in [before, after].into_iter().flatten() {
            if traverse(Found::clear(Data::from(side)), path)?.is_ok() {
                return Ok(true);
            }
        }
        for overlay in [after_unknown, before_sensitive, after_sensitive] {
            if marked(overlay, path)? != Marked::Not {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds the first step of `path` that is missing, and returns the existing key most similar to
    /// it. `None` if the step is an index, if the object around it is sensitive, or if no key is
    /// similar.
    pub fn near(self, path: &AttributePath) -> Result<Option<String>> {
        let mut around = Vec::new();
        for step in path.steps() {
            let parent: AttributePath = around.iter().cloned().collect();
            around.push(step.clone());
            if self.has(&around.iter().cloned().collect())? {
                continue;
            }
            let AttributeStep::Key(key) = step else { return Ok(None) };
            for overlay in [self.before_sensitive, self.after_sensitive] {
                if marked(overlay, &parent)? == Marked::Whole {
                    return Ok(None);
                }
            }
            let mut keys = BTreeSet::new();
            for side in [self.before, self.after, self.after_unknown].into_iter().flatten() {
                if let Ok(found) = traverse(Found::clear(Data::from(side)), &parent)? {
                    keys.extend(found.data.members()?.into_iter().flatten().map(|(key, _)| key));
                }
            }
            return Ok(nearest(key, keys.iter().map(String::as_str)).map(str::to_owned));
        }
        Ok(None)
    }
}

/// A resource or an output.
pub(super) struct Item<'i, 'a> {
    /// The address, or the name of an output.
    pub place: &'i str,
    /// The address of the block.
    pub address: &'i str,
    /// The actions; `None` in a state.
    pub actions: Option<&'i [String]>,
    /// Whether this is a data source.
    pub is_data: bool,
    /// The reason to defer the change.
    pub deferred: Option<&'i str>,
    pub sides: Sides<'a>,
}

/// The finding of an assertion about a change, in a state.
pub(super) const IN_STATE: &str = "a state, which plans no changes";

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
        match expectation {
            Expectation::Action(_)
            | Expectation::NotAction(_)
            | Expectation::Deferred(_)
            | Expectation::DeferredFor(_) => self.check_change(expectation, path, outcome),
            Expectation::Unchanged(_) if self.actions.is_none() => {
                self.fail(expectation, path, IN_STATE, outcome);
            }
            Expectation::Known(matcher) => self.known(matcher, expectation, path, outcome)?,
            Expectation::Unknown(is_unknown) => {
                let marked = self.unknown(path)?;
                let found = match (is_unknown, marked) {
                    (true, Marked::Whole) | (false, Marked::Not) => return Ok(()),
                    (_, Marked::Whole) => "an unknown value",
                    (_, Marked::Partly) => "a value that is partly unknown",
                    (true, Marked::Not) if self.at(path)?.is_none() => {
                        return self.nothing(expectation, path, outcome);
                    }
                    (true, Marked::Not) => "a known value",
                };
                self.fail(expectation, path, found, outcome);
            }
            Expectation::Sensitive(is_sensitive) => {
                let found = match (is_sensitive, self.sensitive(path)?) {
                    (true, Marked::Whole) | (false, Marked::Not) => return Ok(()),
                    (_, Marked::Whole) => "a sensitive value",
                    (_, Marked::Partly) => "a value that is partly sensitive",
                    (true, Marked::Not) if self.at(path)?.is_none() => {
                        return self.nothing(expectation, path, outcome);
                    }
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

    /// Checks an expectation about the actions and the deferral.
    fn check_change(&self, expectation: &Expectation, path: &AttributePath, outcome: &mut Outcome) {
        let Some(actions) = self.actions else {
            return self.fail(expectation, path, IN_STATE, outcome);
        };
        let found = match expectation {
            Expectation::Action(list) if !list.iter().any(|action| self.has(*action)) => {
                Action::words_of(actions)
            }
            Expectation::NotAction(list) if self.is_refused(list) => Action::words_of(actions),
            Expectation::Deferred(expected) if self.deferred.is_some() != *expected => {
                self.deferral()
            }
            Expectation::DeferredFor(reason) if self.deferred != Some(reason) => self.deferral(),
            _ => return,
        };
        self.fail(expectation, path, &found, outcome);
    }

    /// Whether `action` describes the change. `Destroy` covers every list with a delete, except for
    /// data sources.
    pub fn has(&self, action: Action) -> bool {
        let is_covered = self.actions.is_some_and(|actions| action.covers(actions));
        is_covered && !(self.is_data && action == Action::Destroy)
    }

    /// Whether `not_action` with these actions refuses the change.
    fn is_refused(&self, list: &[Action]) -> bool {
        let refuses = |action: &Action| match action {
            Action::Destroy => self.has(Action::Destroy),
            other => self.actions.is_some_and(|actions| other.refuses(actions)),
        };
        list.iter().any(refuses)
    }

    /// Checks that `not_action` allows the change of a deposed object.
    pub fn check_deposed(&self, expectation: &Expectation, outcome: &mut Outcome) {
        let actions = self.actions.unwrap_or_default();
        match expectation {
            Expectation::NotAction(list)
                if Action::Change.covers(actions) && self.is_refused(list) =>
            {
                let root = AttributePath::root();
                self.fail(expectation, &root, &Action::words_of(actions), outcome);
            }
            _ => {}
        }
    }

    /// Says that an expectation cannot hold, because the change is deferred.
    pub fn fail_as_deferred(&self, expectation: &Expectation, outcome: &mut Outcome) {
        let found = "a change that is not decided: it is deferred";
        self.fail(expectation, &AttributePath::root(), found, outcome);
    }

    /// Whether the change is deferred, in words.
    fn deferral(&self) -> String {
        match self.deferred {
            Some(reason) => format!("deferred for {reason}"),
            None => "a change that is not deferred".to_owned(),
        }
    }

    /// Whether the resource or the output is gone after the change.
    fn is_gone(&self) -> bool {
        self.has(Action::Delete) || self.has(Action::Forget)
    }

    /// Fails because there is no value.
    fn nothing(
        &self,
        expectation: &Expectation,
        path: &AttributePath,
        outcome: &mut Outcome,
    ) -> Result<()> {
        if self.is_gone() {
            let is_deleted = self.has(Action::Delete);
            let word = if is_deleted { "deleted" } else { "forgotten" };
            self.fail(expectation, path, &format!("nothing: it is {word}"), outcome);
            return Ok(());
        }
        let near = self.sides.near(path)?;
        let found = format!("nothing{}", did_you_mean(near.as_deref()));
        self.fail(expectation, path, &found, outcome);
        // A suggested map key is data and may repeat a secret. The name of a top-level attribute
        // cannot.
        outcome.quote_last(near.filter(|_| path.steps().len() > 1));
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
        outcome.locate_last(self.address, self.actions.unwrap_or_default());
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
        let Some(data) = self.at(path)? else { return self.nothing(expectation, path, outcome) };
        if matcher.matches(data)? {
            return Ok(());
        }
        if self.sensitive(path)? != Marked::Not {
            self.fail(expectation, path, SENSITIVE, outcome);
            return Ok(());
        }
        let (mut found, quoted) = described(data)?;
        let is_number = data.string()?.is_some_and(|text| Number::parse(text.as_bytes()).is_some());
        if is_number && matcher.is_of_numbers() {
            found += " (a text: without --schemas, large numbers of plan files are texts)";
        }
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
            (_, None) if path.is_root() && !self.is_gone() => "null",
            (_, None) => return self.nothing(expectation, path, outcome),
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

    /// The planned value at a path; `None` if there is none.
    fn at(&self, path: &AttributePath) -> Result<Option<Data<'_>>> {
        match self.sides.after {
            _ if self.is_gone() => Ok(None),
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

    /// How much of a value is sensitive after the change; before the change if no value remains.
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
