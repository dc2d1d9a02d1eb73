//! Asks assertions of one document, in one pass.

use super::list::Assertions;
use super::outcome::{Finding, Outcome};
use super::places::places;
use super::sides::{Item, Sides};
use super::subject::{Action, Assertion, Expectation, PlanState, Subject, Where};
use super::values::words;
use crate::error::Result;
use crate::json::value::{Text, Value};
use crate::limits::Limits;
use crate::path::AttributePath;
use crate::plan::{
    Answer, Change, Deferred, Flow, Piece, PieceKind, PieceVisitor, ResourceChange, Section,
};

/// What a part of a document says about assertions.
#[derive(Debug, Default)]
pub struct Tally {
    outcomes: Vec<Outcome>,
    /// The number of resources with the actions of a count, for each assertion.
    counts: Vec<u64>,
    /// The number of deferred changes that each assertion covers.
    deferred: Vec<u64>,
    has_changes: bool,
    /// The memory of the findings, in bytes.
    size: u64,
}

impl Tally {
    /// Forgets everything, and makes room for this number of assertions.
    pub fn reset(&mut self, assertions: usize) {
        self.outcomes.clear();
        self.outcomes.resize_with(assertions, Outcome::default);
        for numbers in [&mut self.counts, &mut self.deferred] {
            numbers.clear();
            numbers.resize(assertions, 0);
        }
        (self.has_changes, self.size) = (false, 0);
    }

    /// Adds what another part of the document says, which follows the parts so far. The other tally
    /// is empty then.
    pub fn append(&mut self, other: &mut Tally) {
        for (own, theirs) in self.outcomes.iter_mut().zip(&mut other.outcomes) {
            own.append(theirs);
        }
        let pairs = [(&mut self.counts, &other.counts), (&mut self.deferred, &other.deferred)];
        for (own, theirs) in pairs {
            own.iter_mut().zip(theirs).for_each(|(own, theirs)| *own += theirs);
        }
        self.has_changes |= other.has_changes;
        self.size += other.size;
        other.reset(other.outcomes.len());
    }

    /// The memory of the findings, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Asks an assertion, and counts the memory of new findings.
    fn ask(&mut self, place: usize, ask: impl FnOnce(&mut Outcome) -> Result<()>) -> Result<()> {
        let outcome = &mut self.outcomes[place];
        let known = outcome.findings.len();
        let asked = ask(outcome);
        self.size += outcome.findings[known..].iter().map(Finding::size).sum::<u64>();
        asked
    }
}

/// The assertions, and what a document says about them so far.
pub struct Run<'a> {
    assertions: &'a Assertions,
    /// The answers so far.
    pub tally: Tally,
    is_state: bool,
    limits: Limits,
    /// Buffers of the current resource.
    address: String,
    actions: Vec<String>,
}

impl<'a> Run<'a> {
    /// Assertions that were asked of nothing yet.
    pub fn new(assertions: &'a Assertions, limits: &Limits) -> Run<'a> {
        let mut tally = Tally::default();
        tally.reset(assertions.list().len());
        let (address, actions) = (String::new(), Vec::new());
        Run { assertions, tally, is_state: false, limits: *limits, address, actions }
    }

    /// The outcome of each assertion, in order.
    pub fn finish(mut self) -> Vec<Outcome> {
        let Tally { outcomes, counts, deferred, has_changes, .. } = &mut self.tally;
        for (place, assertion) in self.assertions.list().iter().enumerate() {
            let outcome = &mut outcomes[place];
            for expectation in &assertion.expectations {
                let expected = words(expectation);
                match expectation {
                    Expectation::Plan(_) | Expectation::Only(_) | Expectation::Count(..)
                        if self.is_state =>
                    {
                        outcome.fail("", "", &expected, "a state, which plans no changes");
                    }
                    Expectation::Plan(PlanState::NonEmpty) if !*has_changes => {
                        outcome.fail("", "", &expected, "no change");
                    }
                    Expectation::Count(_, bounds) if !bounds.holds(counts[place]) => {
                        let found = counts[place].to_string();
                        outcome.fail("", "", &expected, &found);
                    }
                    Expectation::Deferred(true) | Expectation::DeferredFor(_)
                        if deferred[place] == 0 && !assertion.is_optional =>
                    {
                        outcome.fail("", "", &expected, "no deferred change");
                    }
                    _ => {}
                }
            }
            let noun = match &assertion.subject {
                Subject::Plan => continue,
                Subject::Resource(_) => "a resource that the pattern covers",
                Subject::Output(_) => "an output of this name",
            };
            let may_be_nothing = assertion.is_optional
                || assertion.expectations.iter().any(|expectation| {
                    let is_absent = matches!(expectation, Expectation::Absent(true));
                    is_absent && assertion.path.is_root()
                        || matches!(expectation, Expectation::Count(..))
                });
            if outcome.asked == 0 && deferred[place] == 0 && !may_be_nothing {
                outcome.fail("", "", noun, "none: the assertion asks about nothing");
            }
        }
        self.tally.outcomes
    }

    fn resource(&mut self, resource: &ResourceChange<'_>) -> Result<()> {
        self.read(resource.address, Some(&resource.change))?;
        let is_deposed = resource.deposed.is_some();
        self.change_of_plan(&resource_name(&self.address, resource.deposed)?, "")?;
        let type_name = decoded(resource.type_name)?;
        let sides = sides(&resource.change);
        for place in self.assertions.covering(&self.address, &type_name) {
            self.count(place);
            if !is_deposed {
                self.ask(place, Some(sides))?;
            }
        }
        for place in self.assertions.about_plan() {
            self.count(*place);
        }
        Ok(())
    }

    /// Reads an address and the actions of a change into the buffers.
    fn read(&mut self, address: Option<Text<'_>>, change: Option<&Change<'_>>) -> Result<()> {
        self.address = decoded(address)?;
        self.actions.clear();
        if let Some(change) = change {
            for action in change.actions()? {
                self.actions.push(action?.decode()?);
            }
        }
        Ok(())
    }

    fn count(&mut self, place: usize) {
        for expectation in &self.assertions.list()[place].expectations {
            if let Expectation::Count(actions, _) = expectation {
                let is_counted = actions.iter().any(|action| action.covers(&self.actions));
                self.tally.counts[place] += u64::from(is_counted);
                self.tally.outcomes[place].asked += 1;
            }
        }
    }

    /// Asks an assertion of the resource or output in the buffers. A state has no actions.
    fn ask(&mut self, place: usize, sides: Option<Sides<'_>>) -> Result<()> {
        let assertion = &self.assertions.list()[place];
        let item = Item {
            place: &self.address,
            actions: (!self.is_state).then_some(&self.actions),
            sides: sides.unwrap_or_default(),
        };
        self.tally.ask(place, |outcome| {
            outcome.asked += 1;
            ask(assertion, &item, &self.limits, outcome)
        })
    }

    /// Notes a change for the assertions about the plan as a whole. `noun` precedes the name.
    fn change_of_plan(&mut self, name: &str, noun: &str) -> Result<()> {
        let changes = match noun {
            "" => Action::Change.covers(&self.actions),
            _ => !Action::NoOp.covers(&self.actions),
        };
        if !changes {
            return Ok(());
        }
        self.tally.has_changes = true;
        for place in self.assertions.about_plan() {
            for expectation in &self.assertions.list()[*place].expectations {
                let is_expected = match expectation {
                    Expectation::Plan(PlanState::Empty) => false,
                    Expectation::Only(patterns) => {
                        patterns.iter().any(|pattern| pattern.covers(&self.address))
                    }
                    _ => continue,
                };
                if !is_expected {
                    let actions = &self.actions;
                    self.tally.ask(*place, |outcome| {
                        outcome.fail_with(|| {
                            let found = Action::words_of(actions);
                            [format!("{noun}{name}"), String::new(), words(expectation), found]
                        });
                        Ok(())
                    })?;
                }
            }
        }
        Ok(())
    }

    fn output(&mut self, name: &str, change: &Change<'_>) -> Result<()> {
        self.read(None, Some(change))?;
        name.clone_into(&mut self.address);
        self.change_of_plan(name, "output ")?;
        let places = self.assertions.about_output(name);
        places.iter().try_for_each(|place| self.ask(*place, Some(sides(change))))
    }

    fn deferred(&mut self, deferred: &Deferred<'_>) -> Result<()> {
        let resource = &deferred.resource_change;
        self.read(resource.address, Some(&resource.change))?;
        let reason = decoded(deferred.reason)?;
        let type_name = decoded(resource.type_name)?;
        for place in self.assertions.covering(&self.address, &type_name) {
            self.tally.deferred[place] += 1;
            for expectation in &self.assertions.list()[place].expectations {
                let holds = match expectation {
                    Expectation::Deferred(is_deferred) => *is_deferred,
                    Expectation::DeferredFor(expected) => *expected == reason,
                    _ => true,
                };
                if !holds {
                    let found = format!("deferred for {reason}");
                    let outcome = &mut self.tally.outcomes[place];
                    outcome.fail(&self.address, "", &words(expectation), &found);
                }
            }
        }
        Ok(())
    }

    /// A resource or an output of a state.
    fn of_state(&mut self, piece: &Piece<'_>) -> Result<()> {
        self.actions.clear();
        let get = |key| piece.value.get(key);
        if piece.kind == PieceKind::Output {
            piece.name.unwrap_or_default().clone_into(&mut self.address);
            let sides = Sides {
                after: get("value")?,
                after_sensitive: get("sensitive")?,
                ..Sides::default()
            };
            let places = self.assertions.about_output(&self.address);
            return places.iter().try_for_each(|place| self.ask(*place, Some(sides)));
        }
        self.address = text(get("address")?)?;
        let sides = Sides {
            after: get("values")?,
            after_sensitive: get("sensitive_values")?,
            ..Sides::default()
        };
        if get("deposed_key")?.is_some_and(|key| !key.is_null()) {
            return Ok(());
        }
        let type_name = text(get("type")?)?;
        let places = self.assertions.covering(&self.address, &type_name);
        places.into_iter().try_for_each(|place| self.ask(place, Some(sides)))
    }
}

impl PieceVisitor for Run<'_> {
    fn section(&mut self, section: Section, key: &str) -> Answer {
        self.is_state |= section == Section::Other && key == "values";
        let is_asked = matches!(
            section,
            Section::ResourceChanges | Section::OutputChanges | Section::DeferredChanges
        );
        let is_scalar = matches!(section, Section::FormatVersion | Section::TerraformVersion);
        match is_asked || is_scalar || section == Section::Other && key == "values" {
            true => Answer::Enter,
            false => Answer::Skip,
        }
    }

    fn examines_all(&self) -> bool {
        false
    }

    fn wants(&self, kind: PieceKind) -> bool {
        matches!(
            kind,
            PieceKind::ResourceChange
                | PieceKind::OutputChange
                | PieceKind::DeferredChange
                | PieceKind::Resource
                | PieceKind::Output
        )
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        match (piece.kind, piece.section) {
            (PieceKind::ResourceChange, Section::ResourceChanges) => {
                self.resource(&ResourceChange::parse(piece.section, piece.value)?)?;
            }
            (PieceKind::OutputChange, _) => {
                self.output(piece.name.unwrap_or_default(), &Change::parse(piece.value)?)?;
            }
            (PieceKind::DeferredChange, _) => self.deferred(&Deferred::parse(piece.value)?)?,
            (PieceKind::Resource | PieceKind::Output, _) => self.of_state(piece)?,
            _ => {}
        }
        Ok(Flow::Continue)
    }
}

/// Checks the expectations of an assertion about a resource or an output.
fn ask(
    assertion: &Assertion,
    item: &Item<'_, '_>,
    limits: &Limits,
    outcome: &mut Outcome,
) -> Result<()> {
    let at = |path: &AttributePath, outcome: &mut Outcome| {
        let mut expectations = assertion.expectations.iter();
        expectations.try_for_each(|expectation| item.check(expectation, path, outcome))
    };
    let query = match &assertion.path {
        Where::At(path) => return at(path, outcome),
        Where::Dotted(path) => {
            return at(&path.resolve(|path| item.sides.is_list_at(path))?, outcome);
        }
        Where::Each(query) => query,
    };
    let places = places(query, item.sides.all(), limits)?;
    for expectation in &assertion.expectations {
        for path in &places {
            item.check(expectation, path, outcome)?;
        }
        let is_absent = matches!(expectation, Expectation::Absent(true));
        if places.is_empty() && !is_absent && !assertion.is_optional {
            let (expected, text) = (words(expectation), assertion.path.text());
            outcome.fail(item.place, &text, &expected, "nothing that the path matches");
        }
    }
    Ok(())
}

fn sides<'a>(change: &Change<'a>) -> Sides<'a> {
    Sides {
        before: change.before,
        after: change.after,
        after_unknown: change.after_unknown,
        before_sensitive: change.before_sensitive,
        after_sensitive: change.after_sensitive,
    }
}

fn decoded(text: Option<Text<'_>>) -> Result<String> {
    text.map_or_else(|| Ok(String::new()), Text::decode)
}

fn text(value: Option<Value<'_>>) -> Result<String> {
    value.map_or_else(|| Ok(String::new()), Value::text)
}

/// The address of a resource, with the key of a deposed object.
fn resource_name(address: &str, deposed: Option<Text<'_>>) -> Result<String> {
    match deposed {
        Some(key) => Ok(format!("{address} (deposed {})", key.decode()?)),
        None => Ok(address.to_owned()),
    }
}
