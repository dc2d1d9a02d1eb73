//! The values of one resource or output, and the checks of expectations on them.

use std::collections::BTreeSet;

use super::matcher::Matcher;
use super::outcome::Outcome;
use super::subject::{Action, Expectation};
use super::values::words;
use crate::error::Result;
use crate::json::value::{Kind, Value};
use crate::known::{Data, Mask, MaskedValue, SENSITIVE, Type, are_equal, traverse};
use crate::nearest::{did_you_mean, nearest};
use crate::path::{AttributePath, AttributeStep};
use crate::wire::Number;

/// The values of a resource or an output before and after a change. A state has only values after.
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

    /// Whether there is a list at a path. Searches several sides, because unknown values are only
    /// in the overlay of unknown values, and deleted values only in `before`.
    pub fn is_list_at(self, path: &AttributePath) -> Result<bool> {
        let Sides { before, after, after_unknown, .. } = self;
        for side in [after, before, after_unknown].into_iter().flatten() {
            if let Ok(found) = traverse(MaskedValue::clear(side), path)? {
                match found.data.ty()? {
                    Type::Slice => return Ok(true),
                    Type::Map => return Ok(false),
                    _ => {}
                }
            }
        }
        Ok(false)
    }

    /// Whether a path exists: a side has a value there, or an overlay marks the path.
    pub fn has(self, path: &AttributePath) -> Result<bool> {
        let Sides { before, after, after_unknown, before_sensitive, after_sensitive } = self;
        for side in [before, after].into_iter().flatten() {
            if traverse(MaskedValue::clear(side), path)?.is_ok() {
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
                if let Ok(found) = traverse(MaskedValue::clear(side), &parent)? {
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
    /// The address of the block in the source.
    pub address: &'i str,
    /// The actions; `None` in a state.
    pub actions: Option<&'i [String]>,
    pub is_data: bool,
    /// The reason why the change is deferred; `None` if it is not deferred.
    pub deferred: Option<&'i str>,
    pub sides: Sides<'a>,
}

/// The text of a finding if an assertion about changes is checked on a state.
pub(super) const IN_STATE: &str = "a state, which plans no changes";

/// How much of a value an overlay marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marked {
    Whole,
    Partly,
    Not,
}

/// The reason why an expectation does not hold.
struct Contradiction {
    /// A description of the value in the plan, which contradicts the assertion.
    found: String,
    /// The text in `found` that comes from the document and may be secret.
    quoted: Option<String>,
}

impl<T: Into<String>> From<T> for Contradiction {
    fn from(found: T) -> Contradiction {
        Contradiction { found: found.into(), quoted: None }
    }
}

/// `None` if the expectation holds.
type Checked = Result<Option<Contradiction>>;

impl Item<'_, '_> {
    pub fn check(
        &self,
        expectation: &Expectation,
        path: &AttributePath,
        outcome: &mut Outcome,
    ) -> Result<()> {
        if let Some(Contradiction { found, quoted }) = self.contradiction(expectation, path)? {
            self.fail(expectation, path, &found, outcome);
            outcome.quote_last(quoted);
        }
        Ok(())
    }

    fn contradiction(&self, expectation: &Expectation, path: &AttributePath) -> Checked {
        let actions = || Action::words_of(self.actions.unwrap_or_default());
        Ok(Some(match expectation {
            Expectation::Action(_)
            | Expectation::NotAction(_)
            | Expectation::Deferred(_)
            | Expectation::DeferredFor(_)
            | Expectation::Unchanged(_)
                if self.actions.is_none() =>
            {
                IN_STATE.into()
            }
            Expectation::Action(list) if !list.iter().any(|action| self.has(*action)) => {
                actions().into()
            }
            Expectation::NotAction(list) if self.is_refused(list) => actions().into(),
            Expectation::Deferred(expected) if self.deferred.is_some() != *expected => {
                self.deferral().into()
            }
            Expectation::DeferredFor(reason) if self.deferred != Some(reason) => {
                self.deferral().into()
            }
            Expectation::Known(matcher) => return self.known(matcher, path),
            Expectation::Unknown(expected) => {
                let words = ["an unknown value", "a value that is partly unknown", "a known value"];
                return self.marked(*expected, self.unknown(path)?, path, words);
            }
            Expectation::Sensitive(expected) => {
                let words = [
                    "a sensitive value",
                    "a value that is partly sensitive",
                    "a value that is not sensitive",
                ];
                return self.marked(*expected, self.sensitive(path)?, path, words);
            }
            Expectation::Null(expected) => return self.null(*expected, path),
            Expectation::Unchanged(expected) if self.is_unchanged(path)? != *expected => {
                if *expected { "a change" } else { "no change" }.into()
            }
            Expectation::Absent(expected) if !path.is_root() => {
                let is_there = self.at(path)?.is_some() || self.unknown(path)? != Marked::Not;
                if is_there != *expected {
                    return Ok(None);
                }
                if is_there { "a value" } else { "nothing" }.into()
            }
            Expectation::Absent(true) => {
                self.actions.map_or("it in the state".to_owned(), Action::words_of).into()
            }
            _ => return Ok(None),
        }))
    }

    /// Checks how much of a value is marked. The last argument has the words for a value that is
    /// marked as a whole, in part, or not at all.
    fn marked(
        &self,
        expected: bool,
        marked: Marked,
        path: &AttributePath,
        [whole, partly, not]: [&str; 3],
    ) -> Checked {
        Ok(Some(match (expected, marked) {
            (true, Marked::Whole) | (false, Marked::Not) => return Ok(None),
            (_, Marked::Whole) => whole.into(),
            (_, Marked::Partly) => partly.into(),
            (true, Marked::Not) if self.at(path)?.is_none() => self.nothing(path)?,
            (true, Marked::Not) => not.into(),
        }))
    }

    /// Whether `action` describes the change. `Destroy` describes every change with a delete,
    /// except of data sources.
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

    /// Adds the failure of an expectation that cannot hold, because the change is deferred.
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

    /// Returns the finding that the plan has no value at a path. The finding names the reason, or a
    /// similar key.
    fn nothing(&self, path: &AttributePath) -> Result<Contradiction> {
        if self.is_gone() {
            let word = if self.has(Action::Delete) { "deleted" } else { "forgotten" };
            return Ok(format!("nothing: it is {word}").into());
        }
        let near = self.sides.near(path)?;
        let found = format!("nothing{}", did_you_mean(near.as_deref()));
        // A suggested map key is data and may repeat a secret. The name of a top-level attribute
        // cannot.
        Ok(Contradiction { found, quoted: near.filter(|_| path.steps().len() > 1) })
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

    fn known(&self, matcher: &Matcher, path: &AttributePath) -> Checked {
        if self.unknown(path)? == Marked::Whole {
            return Ok(Some("an unknown value".into()));
        }
        let Some(data) = self.at(path)? else { return self.nothing(path).map(Some) };
        if matcher.matches(data)? {
            return Ok(None);
        }
        if self.sensitive(path)? != Marked::Not {
            return Ok(Some(SENSITIVE.into()));
        }
        let mut contradiction = described(data)?;
        let is_number = data.string()?.is_some_and(|text| Number::parse(text.as_bytes()).is_some());
        if is_number && matcher.is_of_numbers() {
            contradiction.found +=
                " (a text: without --schemas, large numbers of plan files are texts)";
        }
        Ok(Some(contradiction))
    }

    fn null(&self, is_null: bool, path: &AttributePath) -> Checked {
        let (found, holds) = match (self.unknown(path)?, self.at(path)?) {
            (Marked::Whole, _) => ("an unknown value", false),
            (_, None) if !path.is_root() || self.is_gone() => return self.nothing(path).map(Some),
            (_, None | Some(Data::Nil)) => ("null", is_null),
            (_, Some(_)) => ("a value", !is_null),
        };
        Ok((!holds).then(|| found.into()))
    }

    /// Returns the planned value at a path; `None` if no value is there.
    fn at(&self, path: &AttributePath) -> Result<Option<Data<'_>>> {
        match self.sides.after {
            _ if self.is_gone() => Ok(None),
            Some(after) if path.is_root() => Ok(Some(Data::from(after))),
            after => {
                let found = traverse(MaskedValue::clear(after), path)?;
                Ok(found.ok().map(|found| found.data).filter(|_| after.is_some()))
            }
        }
    }

    /// How much of a value is unknown.
    fn unknown(&self, path: &AttributePath) -> Result<Marked> {
        marked(self.sides.after_unknown, path)
    }

    /// How much of a value is sensitive after the change. If the change leaves no value, how much
    /// was sensitive before it.
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
        let before = traverse(MaskedValue::clear(self.sides.before), path)?;
        let after = traverse(MaskedValue::clear(self.sides.after), path)?;
        match (before, after) {
            (Ok(before), Ok(after)) => are_equal(before.data, after.data),
            (before, after) => Ok(before.is_ok() == after.is_ok()),
        }
    }
}

/// How much of the value at a path an overlay marks. A mark covers everything in a value.
fn marked(overlay: Option<Value<'_>>, path: &AttributePath) -> Result<Marked> {
    Ok(match Mask::from(overlay).at(path.steps()) {
        Mask::Marked => Marked::Whole,
        Mask::Clear => Marked::Not,
        Mask::Parts(parts) => match has_mark(parts)? {
            true => Marked::Partly,
            false => Marked::Not,
        },
    })
}

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

fn described(data: Data<'_>) -> Result<Contradiction> {
    Ok(match data.ty()? {
        Type::Nil => "null".into(),
        Type::Bool => data.boolean().unwrap_or_default().to_string().into(),
        Type::Number => {
            let number = data.number()?.unwrap_or_default();
            Contradiction { found: number.clone(), quoted: Some(number) }
        }
        Type::String => {
            let text = data.string()?.unwrap_or_default();
            Contradiction { found: format!("{text:?}"), quoted: Some(text) }
        }
        Type::Slice => format!("a list of {}", data.elements()?.unwrap_or_default().len()).into(),
        Type::Map => format!("an object of {}", data.members()?.unwrap_or_default().len()).into(),
    })
}
