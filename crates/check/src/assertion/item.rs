//! Checks expectations on one resource or output.

use super::document::{Documents, InDocument};
use super::matcher::{Matcher, len};
use super::outcome::{Finding, Outcome, Quote, Quoted};
use super::places::Places;
use super::references::{Met, Targets, VALUES_MAX, digest};
use super::sides::{AFTER, BEFORE, Marked, Place, Sides, UNKNOWN};
use super::subject::{Action, Condition, DocumentSelector, Expectation, Reference, ValueSelector};
use super::transition::{Planned, Transition, ValueChange};
use super::values::words;
use crate::known::{Data, SENSITIVE, Type};
use plansift_core::error::Result;
use plansift_core::path::{AttributePath, AttributeQuery, AttributeStep, is_attribute_name};
use plansift_cty::Number;

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
    pub sides: &'i Sides<'a>,
    /// Where the values are, if they are in a document in a string.
    pub document: Option<&'i InDocument>,
}

/// The text of a finding if an assertion about changes is checked on a state.
pub(super) const IN_STATE: &str = "a state, which plans no changes";

/// Why an expectation does not hold: what the plan has instead.
enum Reason<'a> {
    Words(&'static str),
    /// The actions of the change.
    Actions,
    /// Whether the change is deferred, and why.
    Deferral,
    /// There is no value.
    Nothing,
    /// A known value.
    Value(Data<'a>),
}

/// `None` if the expectation holds.
type Checked<'a> = Result<Option<Reason<'a>>>;

/// Judges a place in an item, with the steps to it.
type IsPlace<'f> = &'f mut dyn FnMut(&Item<'_, '_>, &Place<'_>, &[AttributeStep]) -> Result<bool>;

/// The path of a place, for findings.
#[derive(Clone, Copy)]
enum PlacePath<'p> {
    /// The user wrote the path.
    Written(&'p AttributePath),
    /// The query matches the path with these steps.
    Matched(&'p AttributeQuery, &'p [AttributeStep]),
    /// The path, as the user wrote it, matches nothing.
    Unmatched(&'p str),
}

impl<'a> Item<'_, 'a> {
    /// Checks an expectation on the value at a path.
    pub fn check(
        &self,
        expectation: &Expectation,
        path: &AttributePath,
        place: &Place<'a>,
        outcome: &mut Outcome,
    ) -> Result<()> {
        match self.contradiction(expectation, place)? {
            Some(reason) => self.fail(expectation, PlacePath::Written(path), &reason, outcome),
            None => Ok(()),
        }
    }

    /// Checks an expectation on all places that a query matches, in the order of their paths.
    /// Returns whether the query matches any place. All failures in a value that is marked as a
    /// whole count as one failure of that value, because its keys are secret.
    pub fn check_each(
        &self,
        expectation: &Expectation,
        query: &AttributeQuery,
        outcome: &mut Outcome,
    ) -> Result<bool> {
        if matches!(
            expectation,
            Expectation::Unchanged(_) | Expectation::Change(_) | Expectation::NotChange(_)
        ) {
            self.sides.find_differences()?;
        }
        let mut places = Places::of(query, self.sides)?;
        let mut is_matched = false;
        while let Some(place) = places.next()? {
            is_matched = true;
            if let Some(reason) = self.contradiction(expectation, &place)?
                && places.is_first_failure(&place)
                && outcome.count_failure()
            {
                let path = places.path(&place)?;
                let path = PlacePath::Matched(query, &path);
                self.describe(expectation, path, &reason, outcome)?;
            }
        }
        Ok(is_matched)
    }

    fn contradiction(&self, expectation: &Expectation, place: &Place<'a>) -> Checked<'a> {
        Ok(Some(match expectation {
            it if it.is_of_change() && self.actions.is_none() => Reason::Words(IN_STATE),
            Expectation::Action(list) if !list.iter().any(|action| self.has(*action)) => {
                Reason::Actions
            }
            Expectation::NotAction(list) if self.is_refused(list) => Reason::Actions,
            Expectation::Deferred(expected) if self.deferred.is_some() != *expected => {
                Reason::Deferral
            }
            Expectation::DeferredFor(reason) if self.deferred != Some(reason) => Reason::Deferral,
            Expectation::Known(matcher) => return self.known(matcher, place),
            Expectation::Before(matcher) => return self.before(matcher, place),
            Expectation::Change(transition) => return self.transition(transition, true, place),
            Expectation::NotChange(transition) => return self.transition(transition, false, place),
            Expectation::Unknown(expected) => {
                let words = ["an unknown value", "a value that is partly unknown", "a known value"];
                return self.marked(*expected, self.sides.marked(UNKNOWN, place)?, place, words);
            }
            Expectation::Sensitive(expected) => {
                let words = [
                    "a sensitive value",
                    "a value that is partly sensitive",
                    "a value that is not sensitive",
                ];
                return self.marked(*expected, self.sensitive(place)?, place, words);
            }
            Expectation::Null(expected) => return self.null(*expected, place),
            Expectation::Unchanged(expected) if self.is_unchanged(place)? != *expected => {
                Reason::Words(if *expected { "a change" } else { "no change" })
            }
            Expectation::Absent(expected) if !place.is_root => {
                let is_there =
                    self.at(place).is_some() || self.sides.marked(UNKNOWN, place)? != Marked::Not;
                if is_there != *expected {
                    return Ok(None);
                }
                Reason::Words(if is_there { "a value" } else { "nothing" })
            }
            Expectation::Absent(true) => Reason::Actions,
            _ => return Ok(None),
        }))
    }

    /// Checks how much of a value is marked. The last argument has the words for a value that is
    /// marked as a whole, in part, or not at all.
    fn marked(
        &self,
        expected: bool,
        marked: Marked,
        place: &Place<'a>,
        [whole, partly, not]: [&'static str; 3],
    ) -> Checked<'a> {
        Ok(Some(match (expected, marked) {
            (true, Marked::Whole) | (false, Marked::Not) => return Ok(None),
            (_, Marked::Whole) => Reason::Words(whole),
            (_, Marked::Partly) => Reason::Words(partly),
            (true, Marked::Not) if self.at(place).is_none() => Reason::Nothing,
            (true, Marked::Not) => Reason::Words(not),
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
    pub fn check_deposed(&self, expectation: &Expectation, outcome: &mut Outcome) -> Result<()> {
        let changes = Action::Change.covers(self.actions.unwrap_or_default());
        match expectation {
            Expectation::NotAction(list) if changes && self.is_refused(list) => {
                self.fail_at_root(expectation, &Reason::Actions, outcome)
            }
            _ => Ok(()),
        }
    }

    /// Adds the failure of an expectation that cannot hold, because the change is deferred.
    pub fn fail_as_deferred(&self, expectation: &Expectation, outcome: &mut Outcome) -> Result<()> {
        let reason = Reason::Words("a change that is not decided: it is deferred");
        self.fail_at_root(expectation, &reason, outcome)
    }

    /// Adds the failure of an expectation that cannot hold, because a state has no changes.
    pub fn fail_as_of_state(&self, expectation: &Expectation, outcome: &mut Outcome) -> Result<()> {
        self.fail_at_root(expectation, &Reason::Words(IN_STATE), outcome)
    }

    /// Adds the failure of an assertion whose path matches nothing.
    pub fn fail_as_unmatched(
        &self,
        expectation: &Expectation,
        path: &str,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let reason = Reason::Words("nothing that the path matches");
        self.fail(expectation, PlacePath::Unmatched(path), &reason, outcome)
    }

    fn fail_at_root(
        &self,
        expectation: &Expectation,
        reason: &Reason<'a>,
        outcome: &mut Outcome,
    ) -> Result<()> {
        self.fail(expectation, PlacePath::Written(&AttributePath::root()), reason, outcome)
    }

    /// Counts a failure, and describes it if the outcome keeps it.
    fn fail(
        &self,
        expectation: &Expectation,
        path: PlacePath<'_>,
        reason: &Reason<'a>,
        outcome: &mut Outcome,
    ) -> Result<()> {
        match outcome.count_failure() {
            true => self.describe(expectation, path, reason, outcome),
            false => Ok(()),
        }
    }

    /// Describes a failure.
    fn describe(
        &self,
        expectation: &Expectation,
        path: PlacePath<'_>,
        reason: &Reason<'a>,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let (text, steps, is_matched) = match path {
            PlacePath::Written(path) => (path.to_string(), path.steps(), false),
            PlacePath::Matched(_, steps) if self.is_public(steps) => {
                (AttributePath::from_iter(steps.iter().cloned()).to_string(), steps, false)
            }
            PlacePath::Matched(query, steps) => (query.to_string(), steps, true),
            PlacePath::Unmatched(text) => (text.to_owned(), &[][..], false),
        };
        // A path in a document stays as the user wrote it.
        let (text, steps, is_matched) = match self.document {
            Some(document) => (document.text.clone(), [&*document.steps, steps].concat(), false),
            None => (text, steps.to_vec(), is_matched),
        };
        let (found, quote) = self.found(expectation, reason, path)?;
        let is_deferred = self.deferred.is_some();
        // A copy of a marked document is recognised as a whole only, so its parts are not shown.
        let quote = quote.filter(|_| self.document.is_none());
        let quoted = Quoted { is_deferred, ..Quoted::new(&steps, is_matched, quote) };
        let mut finding = Finding::new(self.place, &text, &words(expectation), &found);
        finding.locate(self.address, self.actions.unwrap_or_default());
        finding.quote(quoted);
        outcome.findings.push(finding);
        Ok(())
    }

    /// Whether a path names nothing that may be secret: the root, or an attribute that the provider
    /// named.
    fn is_public(&self, steps: &[AttributeStep]) -> bool {
        match steps {
            [] => true,
            [AttributeStep::Key(key)] => {
                !self.address.starts_with("output.") && is_attribute_name(key.as_bytes())
            }
            _ => false,
        }
    }

    /// Describes what the plan has. The second text quotes the plan, and completes the first.
    fn found(
        &self,
        expectation: &Expectation,
        reason: &Reason<'a>,
        path: PlacePath<'_>,
    ) -> Result<(String, Option<Quote>)> {
        Ok(match reason {
            Reason::Words(words) => ((*words).to_owned(), None),
            Reason::Actions => {
                (self.actions.map_or("it in the state".to_owned(), Action::words_of), None)
            }
            Reason::Deferral => match self.deferred {
                Some(reason) => (format!("deferred for {reason}"), None),
                None => ("a change that is not deferred".to_owned(), None),
            },
            Reason::Nothing if self.has(Action::Delete) => {
                ("nothing: it is deleted".to_owned(), None)
            }
            Reason::Nothing if self.has(Action::Forget) => {
                ("nothing: it is forgotten".to_owned(), None)
            }
            Reason::Nothing => {
                let near = match path {
                    PlacePath::Written(path) => self.sides.near(path)?,
                    // A path of the plan has no typo.
                    PlacePath::Matched(..) | PlacePath::Unmatched(_) => None,
                };
                ("nothing".to_owned(), near.map(Quote::Near))
            }
            Reason::Value(data) => described(*data, expectation)?,
        })
    }

    /// Whether the resource or the output is gone after the change.
    pub fn is_gone(&self) -> bool {
        self.has(Action::Delete) || self.has(Action::Forget)
    }

    fn known(&self, matcher: &Matcher, place: &Place<'a>) -> Checked<'a> {
        if self.sides.marked(UNKNOWN, place)? == Marked::Whole {
            return Ok(Some(Reason::Words("an unknown value")));
        }
        let Some(data) = self.at(place) else { return Ok(Some(Reason::Nothing)) };
        if matcher.matches(data)? {
            return Ok(None);
        }
        self.shown(place, data).map(Some)
    }

    /// The reason that shows the planned value at a place, unless it is sensitive.
    fn shown(&self, place: &Place<'a>, data: Data<'a>) -> Result<Reason<'a>> {
        let is_secret = place.is_hidden || self.sensitive(place)? != Marked::Not;
        Ok(if is_secret { Reason::Words(SENSITIVE) } else { Reason::Value(data) })
    }

    /// Checks the value before the change.
    fn before(&self, matcher: &Matcher, place: &Place<'a>) -> Checked<'a> {
        let Some(before) = place.values[BEFORE] else {
            return Ok(Some(Reason::Words("nothing")));
        };
        let data = Data::from(before);
        if matcher.matches(data)? {
            return Ok(None);
        }
        let is_secret = place.is_hidden || self.sides.marked(BEFORE, place)? != Marked::Not;
        Ok(Some(if is_secret { Reason::Words(SENSITIVE) } else { Reason::Value(data) }))
    }

    /// Checks whether a condition describes the change of a value, and whether it should.
    fn transition(
        &self,
        transition: &Transition,
        is_expected: bool,
        place: &Place<'a>,
    ) -> Checked<'a> {
        let (planned, holds) = self.described(transition, place)?;
        if (holds == Some(true)) == is_expected {
            return Ok(None);
        }
        Ok(Some(match planned {
            Planned::Gone => Reason::Actions,
            Planned::Unknown => Reason::Words("an unknown value"),
            Planned::Known(data) => self.shown(place, data)?,
        }))
    }

    /// Returns the planned value at a place, and whether a condition describes its change. The
    /// latter is `None` if it depends on a planned value that is unknown.
    fn described(
        &self,
        transition: &Transition,
        place: &Place<'a>,
    ) -> Result<(Planned<'a>, Option<bool>)> {
        let planned = match self.sides.marked(UNKNOWN, place)? {
            _ if self.is_gone() => Planned::Gone,
            Marked::Whole => Planned::Unknown,
            Marked::Partly | Marked::Not => Planned::Known(Data::from(place.values[AFTER])),
        };
        let before = Data::from(place.values[BEFORE]);
        let has_before = !matches!(before, Data::Nil);
        let changes = match planned {
            Planned::Gone => has_before,
            Planned::Unknown => true,
            Planned::Known(Data::Nil) => has_before,
            Planned::Known(_) => !self.sides.is_same(place)?,
        };
        let is_new = self.has(Action::Create) || self.has(Action::Read);
        let change = ValueChange { before, planned, is_sensitive: place.is_hidden, is_new };
        let holds = if changes { transition.describes(change)? } else { Some(false) };
        Ok((planned, holds))
    }

    /// Whether a condition holds: all of its expectations at one of the places of its path. A
    /// condition on an unknown value counts as met, so that no check is left out by mistake.
    pub fn meets(&self, condition: &Condition) -> Result<Met> {
        let mut referring = Vec::new();
        let mut holds = |item: &Item<'_, '_>, place: &Place<'_>, _: &[AttributeStep]| {
            let is_unknown = item.sides.marked(UNKNOWN, place)? == Marked::Whole;
            for expectation in &condition.expectations {
                let may_hold = match expectation {
                    Expectation::Known(_) | Expectation::Null(_) | Expectation::Unchanged(_)
                        if is_unknown =>
                    {
                        true
                    }
                    Expectation::Change(transition) if item.actions.is_some() => {
                        item.described(transition, place)?.1 != Some(false)
                    }
                    _ => item.contradiction(expectation, place)?.is_none(),
                };
                if !may_hold {
                    return Ok(false);
                }
            }
            // With too many values, every failure counts.
            if condition.refers_to.is_none() || is_unknown || referring.len() > VALUES_MAX {
                return Ok(true);
            }
            referring.extend(item.at(place).map(digest).transpose()?.flatten());
            Ok(false)
        };
        Ok(match self.any_place(&condition.path, "", &mut holds)? {
            true => Met::Yes,
            false if referring.is_empty() => Met::No,
            false => Met::IfReferring(referring),
        })
    }

    /// Adds the value of the attribute to the targets of a reference, if the resource meets the
    /// condition of the reference.
    pub fn note_reference(&self, to: &Reference, targets: &mut Targets) -> Result<()> {
        let place = self.sides.at(&to.attribute)?;
        targets.has_attribute |= self.sides.has(&place)?;
        let Some(value) = self.at(&place).map(digest).transpose()?.flatten() else {
            return Ok(());
        };
        let condition = to.condition.as_ref().map(|condition| self.meets(condition)).transpose()?;
        if !matches!(condition, Some(Met::No)) {
            targets.add(value);
        }
        Ok(())
    }

    /// Whether there is a value at a path, or the path is the root.
    pub fn has_value(&self, path: &ValueSelector) -> Result<bool> {
        let mut has =
            |item: &Item<'_, '_>, place: &Place<'_>, _: &[AttributeStep]| item.sides.has(place);
        Ok(path.is_root() || self.any_place(path, "", &mut has)?)
    }

    /// Calls `is` with the item in each document that a selector finds, until it returns true.
    /// Returns whether it did. `text` is the path for findings.
    pub fn any_document(
        &self,
        selector: &DocumentSelector,
        text: &str,
        is: &mut dyn FnMut(&Item<'_, '_>) -> Result<bool>,
    ) -> Result<bool> {
        self.any_place(&selector.string, text, &mut |item, place, steps| {
            let mut documents = Documents::at(place, item.sides, selector.decoder)?;
            if !documents.has_any() {
                return Ok(false);
            }
            let sides = documents.sides();
            let around = item.document.map_or(&[][..], |document| &document.steps);
            let inside = InDocument {
                text: text.to_owned(),
                steps: [around, steps].concat(),
                is_hidden: place.is_hidden,
            };
            let Item { place, address, actions, is_data, deferred, .. } = *item;
            let document = Some(&inside);
            is(&Item { place, address, actions, is_data, deferred, sides: &sides, document })
        })
    }

    /// Like [`Item::any_document`], for the places that a selector finds, and the steps to them in
    /// their item.
    fn any_place(&self, selector: &ValueSelector, text: &str, is: IsPlace<'_>) -> Result<bool> {
        let query = match selector {
            ValueSelector::At(path) => return is(self, &self.sides.at(path)?, path.steps()),
            ValueSelector::Document(document) => {
                return self.any_document(document, text, &mut |item| {
                    item.any_place(&document.inside, text, is)
                });
            }
            ValueSelector::Dotted(query) | ValueSelector::Each(query) => query,
        };
        if let Some(path) = query.resolve(|path| self.sides.is_list_at(path))? {
            return is(self, &self.sides.at(&path)?, path.steps());
        }
        self.sides.find_differences()?;
        let mut places = Places::of(query, self.sides)?;
        while let Some(place) = places.next()? {
            if is(self, &place, &places.path(&place)?)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn null(&self, is_null: bool, place: &Place<'a>) -> Checked<'a> {
        let (found, holds) = match (self.sides.marked(UNKNOWN, place)?, self.at(place)) {
            (Marked::Whole, _) => ("an unknown value", false),
            (_, None) if !place.is_root || self.is_gone() => return Ok(Some(Reason::Nothing)),
            (_, None | Some(Data::Nil)) => ("null", is_null),
            (_, Some(_)) => ("a value", !is_null),
        };
        Ok((!holds).then_some(Reason::Words(found)))
    }

    /// Returns the planned value at a place; `None` if no value is there.
    fn at(&self, place: &Place<'a>) -> Option<Data<'a>> {
        place.values[AFTER].filter(|_| !self.is_gone()).map(Data::from)
    }

    /// How much of a value is sensitive after the change. If the change leaves no value, how much
    /// was sensitive before it.
    fn sensitive(&self, place: &Place<'a>) -> Result<Marked> {
        match self.sides.marked(AFTER, place)? {
            Marked::Not if self.sides.is_gone() => self.sides.marked(BEFORE, place),
            after => Ok(after),
        }
    }

    fn is_unchanged(&self, place: &Place<'a>) -> Result<bool> {
        Ok(self.sides.marked(UNKNOWN, place)? == Marked::Not && self.sides.is_same(place)?)
    }
}

/// Longest text of a plan that a finding keeps until its secrets are masked, in bytes.
const QUOTE_MAX: usize = 16 << 10;

/// Describes a known value. A scalar is quoted, unless it is too long.
fn described(data: Data<'_>, expectation: &Expectation) -> Result<(String, Option<Quote>)> {
    let len = || Ok(len(data)?.unwrap_or_default());
    let (ty, bytes) = (data.ty()?, data.raw_len());
    Ok(match ty {
        Type::Nil => ("null".to_owned(), None),
        Type::Bool => (data.boolean().unwrap_or_default().to_string(), None),
        Type::Slice => (format!("a list of {}", len()?), None),
        Type::Map => (format!("an object of {}", len()?), None),
        Type::Number if bytes > QUOTE_MAX => (format!("a number of {bytes} bytes"), None),
        Type::String if bytes > QUOTE_MAX => (format!("a text of {bytes} bytes"), None),
        Type::Number => ("a number".to_owned(), data.number()?.map(Quote::Number)),
        Type::String => {
            let text = data.string()?.unwrap_or_default();
            let is_number = expectation.is_of_numbers() && Number::parse(text.as_bytes()).is_some();
            ("a text".to_owned(), Some(Quote::Text { text, is_number }))
        }
    })
}
