//! Evaluates assertions on one document, in one pass.
//!
//! For each resource, a hash map finds the assertions about its instance, its resource, its modules
//! and its type. Only assertions with `*` are tried one by one.

use std::collections::HashMap;

use super::outcome::{Object, Outcome};
use super::places::matching_paths;
use super::sides::{Item, Sides};
use super::subject::{Action, Assertion, Expectation, PlanState, Subject, Where};
use super::values::words;
use crate::error::Result;
use crate::json::value::{Text, Value};
use crate::limits::Limits;
use crate::plan::{
    Answer, Change, Deferred, Flow, Piece, PieceKind, PieceVisitor, ResourceChange, Section,
};

/// The assertions, and their outcomes for a document so far.
pub struct Run<'a> {
    assertions: &'a [Assertion],
    outcomes: Vec<Outcome>,
    /// For each assertion, the number of resources with the actions that it counts.
    counts: Vec<u64>,
    /// For each assertion, the number of deferred changes that it covers.
    deferred: Vec<u64>,
    /// The assertions about resources whose pattern has no `*`, by pattern.
    exact: HashMap<&'a str, Vec<usize>>,
    /// The assertions about resources whose pattern has a `*`.
    globs: Vec<usize>,
    outputs: HashMap<&'a str, Vec<usize>>,
    /// The assertions about the plan as a whole.
    of_plan: Vec<usize>,
    has_changes: bool,
    is_state: bool,
    limits: Limits,
    /// The address of the current resource or output. This and `actions` are reused buffers.
    address: String,
    actions: Vec<String>,
}

impl<'a> Run<'a> {
    /// Returns a run without outcomes.
    pub fn new(assertions: &'a [Assertion], limits: &Limits) -> Run<'a> {
        let mut run = Run {
            assertions,
            outcomes: vec![Outcome::default(); assertions.len()],
            counts: vec![0; assertions.len()],
            deferred: vec![0; assertions.len()],
            exact: HashMap::new(),
            globs: Vec::new(),
            outputs: HashMap::new(),
            of_plan: Vec::new(),
            has_changes: false,
            is_state: false,
            limits: *limits,
            address: String::new(),
            actions: Vec::new(),
        };
        for (index, assertion) in assertions.iter().enumerate() {
            match &assertion.subject {
                Subject::Resource(pattern) if pattern.text().contains('*') => {
                    run.globs.push(index);
                }
                Subject::Resource(pattern) => {
                    run.exact.entry(pattern.text()).or_default().push(index);
                }
                Subject::Output(name) => run.outputs.entry(name).or_default().push(index),
                Subject::Plan => run.of_plan.push(index),
            }
        }
        run
    }

    /// The outcome of each assertion, in order.
    pub fn finish(mut self) -> Vec<Outcome> {
        for (index, assertion) in self.assertions.iter().enumerate() {
            let outcome = &mut self.outcomes[index];
            for expectation in &assertion.expectations {
                let expected = words(expectation);
                match expectation {
                    Expectation::Plan(_) | Expectation::Only(_) | Expectation::Count(..)
                        if self.is_state =>
                    {
                        outcome.fail("", "", &expected, "a state, which plans no changes");
                    }
                    Expectation::Plan(PlanState::NonEmpty) if !self.has_changes => {
                        outcome.fail("", "", &expected, "no change");
                    }
                    Expectation::Count(_, bounds) if !bounds.holds(self.counts[index]) => {
                        let found = self.counts[index].to_string();
                        outcome.fail("", "", &expected, &found);
                    }
                    Expectation::Deferred(true) | Expectation::DeferredFor(_)
                        if self.deferred[index] == 0 && !assertion.is_optional =>
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
            if outcome.asked == 0 && self.deferred[index] == 0 && !may_be_nothing {
                outcome.fail("", "", noun, "none: the assertion asks about nothing");
            }
        }
        self.outcomes
    }

    /// The assertions about the resource at `self.address`.
    fn covering(&self, type_name: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let address = self.address.as_str();
        let bounds = address.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'.' | b'['));
        let ends = bounds.map(|(at, _)| at).chain([address.len()]);
        if !self.exact.is_empty() {
            let prefixes = ends.map(|end| &address[..end]);
            for text in prefixes.chain([type_name]) {
                let indices = self.exact.get(text).into_iter().flatten();
                found.extend(indices.copied().filter(|index| self.covers(*index, type_name)));
            }
        }
        found.extend(self.globs.iter().copied().filter(|index| self.covers(*index, type_name)));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn covers(&self, index: usize, type_name: &str) -> bool {
        let Subject::Resource(pattern) = &self.assertions[index].subject else { return false };
        pattern.covers(&self.address) || pattern.covers(type_name)
    }

    fn resource(&mut self, resource: &ResourceChange<'_>) -> Result<()> {
        self.read(resource.address, Some(&resource.change))?;
        let is_deposed = resource.deposed.is_some();
        self.change_of_plan(&resource_name(&self.address, resource.deposed)?, "")?;
        let type_name = decoded(resource.type_name)?;
        let sides = sides(&resource.change);
        for index in self.covering(&type_name) {
            self.count(index);
            if !is_deposed {
                self.evaluate(index, Some(sides))?;
            }
        }
        for index in self.of_plan.clone() {
            self.count(index);
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

    fn count(&mut self, index: usize) {
        for expectation in &self.assertions[index].expectations {
            if let Expectation::Count(actions, _) = expectation {
                let is_counted = actions.iter().any(|action| action.covers(&self.actions));
                self.counts[index] += u64::from(is_counted);
                self.outcomes[index].asked += 1;
            }
        }
    }

    /// Evaluates an assertion on the resource or output in the buffers. A state has no actions.
    fn evaluate(&mut self, index: usize, sides: Option<Sides<'_>>) -> Result<()> {
        let assertion = &self.assertions[index];
        let outcome = &mut self.outcomes[index];
        outcome.asked += 1;
        let object = match assertion.subject {
            Subject::Output(_) => Object::Output(&self.address),
            Subject::Resource(_) | Subject::Plan => Object::Resource(&self.address),
        };
        let item = Item {
            object,
            actions: (!self.is_state).then_some(&self.actions),
            sides: sides.unwrap_or_default(),
        };
        let query = match &assertion.path {
            Where::At(path) => {
                return assertion
                    .expectations
                    .iter()
                    .try_for_each(|expectation| item.check(expectation, path, outcome));
            }
            Where::Each(query) => query,
        };
        let paths = matching_paths(query, item.sides.all(), &self.limits)?;
        for expectation in &assertion.expectations {
            for path in &paths {
                item.check(expectation, path, outcome)?;
            }
            let is_absent = matches!(expectation, Expectation::Absent(true));
            if paths.is_empty() && !is_absent && !assertion.is_optional {
                let expected = words(expectation);
                let text = assertion.path.text();
                outcome.fail(&self.address, &text, &expected, "nothing that the path matches");
                outcome.locate_last(object, &self.actions);
            }
        }
        Ok(())
    }

    /// Evaluates the assertions about the plan as a whole on a change. `noun` precedes the name in
    /// messages.
    fn change_of_plan(&mut self, name: &str, noun: &str) -> Result<()> {
        let changes = match noun {
            "" => Action::Change.covers(&self.actions),
            _ => !Action::NoOp.covers(&self.actions),
        };
        if !changes {
            return Ok(());
        }
        self.has_changes = true;
        for index in &self.of_plan {
            for expectation in &self.assertions[*index].expectations {
                let is_expected = match expectation {
                    Expectation::Plan(PlanState::Empty) => false,
                    Expectation::Only(patterns) => {
                        patterns.iter().any(|pattern| pattern.covers(&self.address))
                    }
                    _ => continue,
                };
                if !is_expected {
                    let found = Action::words_of(&self.actions);
                    let object = match noun {
                        "" => Object::Resource(&self.address),
                        _ => Object::Output(name),
                    };
                    let (name, outcome) = (format!("{noun}{name}"), &mut self.outcomes[*index]);
                    outcome.fail(&name, "", &words(expectation), &found);
                    outcome.locate_last(object, &self.actions);
                }
            }
        }
        Ok(())
    }

    fn output(&mut self, name: &str, change: &Change<'_>) -> Result<()> {
        self.read(None, Some(change))?;
        name.clone_into(&mut self.address);
        self.change_of_plan(name, "output ")?;
        let indices = self.outputs.get(name).cloned().unwrap_or_default();
        indices.into_iter().try_for_each(|index| self.evaluate(index, Some(sides(change))))
    }

    fn deferred(&mut self, deferred: &Deferred<'_>) -> Result<()> {
        let resource = &deferred.resource_change;
        self.read(resource.address, Some(&resource.change))?;
        let reason = decoded(deferred.reason)?;
        for index in self.covering(&decoded(resource.type_name)?) {
            self.deferred[index] += 1;
            for expectation in &self.assertions[index].expectations {
                let holds = match expectation {
                    Expectation::Deferred(is_deferred) => *is_deferred,
                    Expectation::DeferredFor(expected) => *expected == reason,
                    _ => true,
                };
                if !holds {
                    let found = format!("deferred for {reason}");
                    let outcome = &mut self.outcomes[index];
                    outcome.fail(&self.address, "", &words(expectation), &found);
                    outcome.locate_last(Object::Resource(&self.address), &self.actions);
                }
            }
        }
        Ok(())
    }

    /// Evaluates assertions on a resource or an output of a state.
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
            let indices = self.outputs.get(&*self.address).cloned().unwrap_or_default();
            return indices.into_iter().try_for_each(|index| self.evaluate(index, Some(sides)));
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
        let indices = self.covering(&type_name);
        indices.into_iter().try_for_each(|index| self.evaluate(index, Some(sides)))
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
