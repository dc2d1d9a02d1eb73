//! Checks assertions on one document, in one pass.

use super::document::InDocument;
use super::facts::{Facts, is_asked};
use super::item::Item;
use super::list::Assertions;
use super::outcome::Finding;
use super::partial_results::{PartialResult, PartialResults};
use super::references::Met;
use super::sides::Sides;
use super::subject::{Action, Assertion, Expectation, PlanState, ValueSelector};
use super::values::words;
use super::verdict::{self, Answers};
use plansift_core::error::Result;
use plansift_core::json::value::{Text, Value};
use plansift_core::path::{AddressPattern, AttributePath};
use plansift_plan::plan::{
    self, Change, Deferred, Document, Flow, Piece, PieceKind, ResourceChange, Section, StateKind,
    Visitor,
};
use plansift_plan::record::PieceChecker;

/// The assertions, and their results for the part of a document that has been read.
pub struct Run<'a> {
    assertions: &'a Assertions,
    /// The results so far.
    results: PartialResults,
    facts: Facts,
    current: Current,
}

/// The words in lists of actions (docs/format/plan.md, section 4).
const ACTIONS: [&str; 7] = ["no-op", "create", "read", "update", "delete", "forget", "open"];

/// The resource or output that is being checked. The next one reuses the buffers.
#[derive(Default)]
struct Current {
    /// The address, or the name of an output.
    address: String,
    /// The type of the resource, or `output.NAME`. Patterns cover this name, too.
    type_name: String,
    actions: Vec<String>,
    is_data: bool,
}

impl Current {
    fn read(&mut self, resource: &ResourceChange<'_>) -> Result<()> {
        self.address = decoded(resource.address)?;
        self.type_name = decoded(resource.resource.type_name)?;
        self.is_data = decoded(resource.resource.mode)? == "data";
        self.read_actions(&resource.change)
    }

    fn read_actions(&mut self, change: &Change<'_>) -> Result<()> {
        self.actions.clear();
        for action in change.actions()? {
            self.actions.push(action?.decode()?);
        }
        Ok(())
    }

    fn name_output(&mut self, name: &str) {
        name.clone_into(&mut self.address);
        self.type_name = format!("output.{name}");
        self.is_data = false;
    }

    /// Whether assertions about types or actions may not see the change of the resource.
    fn is_unclear(&self) -> bool {
        let is_known = |action: &String| ACTIONS.contains(&action.as_str());
        self.type_name.is_empty() || self.actions.is_empty() || !self.actions.iter().all(is_known)
    }

    /// The address of the block in the source.
    fn block(&self) -> &str {
        if self.type_name.starts_with("output.") { &self.type_name } else { &self.address }
    }

    /// The item to check. A state has no actions.
    fn item<'i, 'v>(&'i self, facts: &Facts, sides: &'i Sides<'v>) -> Item<'i, 'v> {
        let actions = (!facts.is_state).then_some(self.actions.as_slice());
        let (place, address, is_data) = (&*self.address, self.block(), self.is_data);
        Item { place, address, actions, is_data, deferred: None, sides, document: None }
    }
}

impl<'a> Run<'a> {
    /// Starts a run with no results.
    pub fn new(assertions: &'a Assertions) -> Run<'a> {
        let results = PartialResults::new(assertions.list().len());
        Run { assertions, results, facts: Facts::default(), current: Current::default() }
    }

    /// The results of all assertions, at the end of a document.
    pub fn finish(mut self, document: &Document) -> Answers {
        self.facts.lacks_changes = document.lacks_changes;
        verdict::end(self.assertions, &self.facts, self.results)
    }

    fn resource(&mut self, resource: &ResourceChange<'_>) -> Result<()> {
        self.current.read(resource)?;
        let name = resource_name(&self.current.address, resource.resource.deposed)?;
        let changes = Action::Change.covers(&self.current.actions);
        self.results.has_changes |= changes;
        self.results.unclear += u64::from(self.current.is_unclear());
        self.change_of_plan(changes, |current| [name.clone(), Action::words_of(&current.actions)])?;
        self.results.names.add_resource(&self.current.address, &self.current.type_name);
        let sides = Sides::of_change(&resource.change);
        if resource.resource.deposed.is_none() {
            self.note_reference(&sides)?;
        }
        let places = self.assertions.covering(&self.current.address, &self.current.type_name);
        let triggers = self.assertions.triggers();
        let touched = match triggers.has_trigger(&places) {
            true => {
                let is_gone = self.current.item(&self.facts, &sides).is_gone();
                Some(triggers.touched(&resource.change, is_gone)?)
            }
            false => None,
        };
        for place in places {
            self.count(place);
            if resource.resource.deposed.is_some() {
                self.ask_deposed(place, &name, &sides)?;
                continue;
            }
            let answer = &mut self.results.answers[place];
            match &touched {
                Some(touched) if !triggers.may_fail(place, touched, &sides, answer.has_path)? => {
                    answer.outcome.asked += 1;
                }
                _ => self.check(place, &sides, None)?,
            }
        }
        for place in self.assertions.about_plan() {
            self.count(*place);
        }
        Ok(())
    }

    /// Adds the current resource to the targets of the assertions about what refers to it.
    fn note_reference(&mut self, sides: &Sides<'_>) -> Result<()> {
        let Current { address, type_name, .. } = &self.current;
        for (place, reference) in self.assertions.referring(address, type_name) {
            let item = self.current.item(&self.facts, sides);
            item.note_reference(reference, &mut self.results.answers[place].references.targets)?;
        }
        Ok(())
    }

    fn count(&mut self, place: usize) {
        let expectations = self.assertions.list()[place].expectations.iter();
        let mut counted = expectations.filter_map(|expectation| match expectation {
            Expectation::Count(actions, _) => Some(actions),
            _ => None,
        });
        let is_counted = counted.any(|actions| {
            let sides = Sides::default();
            let item = self.current.item(&self.facts, &sides);
            actions.iter().any(|action| item.has(*action))
        });
        self.results.answers[place].count += u64::from(is_counted);
    }

    /// Checks an assertion on the current resource or output. If its change is deferred, `deferred`
    /// is the reason.
    fn check(&mut self, place: usize, sides: &Sides<'_>, deferred: Option<&str>) -> Result<()> {
        let assertion = &self.assertions.list()[place];
        let item = Item { deferred, ..self.current.item(&self.facts, sides) };
        self.results.check(place, |answer| {
            answer.outcome.asked += 1;
            check_item(assertion, &item, answer)
        })
    }

    /// Checks whether an assertion allows the actions of the current deposed object.
    fn ask_deposed(&mut self, place: usize, name: &str, sides: &Sides<'_>) -> Result<()> {
        let assertion = &self.assertions.list()[place];
        let Assertion { expectations, when, .. } = assertion;
        let is_asked =
            |it: &Expectation| matches!(it, Expectation::NotAction(_) | Expectation::Count(..));
        if !expectations.iter().any(is_asked) {
            return Ok(());
        }
        let item = Item { place: name, ..self.current.item(&self.facts, sides) };
        self.results.check(place, |answer| {
            answer.outcome.asked += 1;
            let met = when.as_ref().map_or(Ok(Met::Yes), |when| item.meets(when))?;
            let is_of_reference = assertion.refers_to().is_some();
            answer.check_if(met, is_of_reference, |answer| {
                let outcome = &mut answer.outcome;
                expectations.iter().try_for_each(|it| item.check_deposed(it, outcome))
            })
        })
    }

    /// Checks the current resource or output against the assertions about the whole plan. `changes`
    /// says whether the resource or output changes. `texts` returns its name and its change for a
    /// finding.
    fn change_of_plan(
        &mut self,
        changes: bool,
        texts: impl Fn(&Current) -> [String; 2],
    ) -> Result<()> {
        let Run { assertions, results, current, .. } = self;
        for place in assertions.about_plan() {
            for expectation in &assertions.list()[*place].expectations {
                let answer = &mut results.answers[*place];
                let is_expected = match expectation {
                    Expectation::Plan(PlanState::Empty) => false,
                    Expectation::Only(patterns) => {
                        let Current { address, type_name, .. } = current;
                        // The name of an output may look like a type.
                        let covers = |pattern: &AddressPattern| {
                            pattern.covers(type_name)
                                || !pattern.is_set() && pattern.covers(address)
                        };
                        let mut is_covered = false;
                        for (index, _) in patterns.iter().enumerate().filter(|it| covers(it.1)) {
                            is_covered = true;
                            answer.note_covered(index);
                        }
                        is_covered
                    }
                    _ => continue,
                };
                if changes && !is_expected {
                    results.check(*place, |answer| {
                        answer.outcome.fail_with(|| {
                            let [name, found] = texts(current);
                            let mut finding = Finding::new(&name, "", &words(expectation), &found);
                            finding.locate(current.block(), &current.actions);
                            finding
                        });
                        Ok(())
                    })?;
                }
            }
        }
        Ok(())
    }

    fn output(&mut self, name: &str, change: &Change<'_>) -> Result<()> {
        self.current.read_actions(change)?;
        self.current.name_output(name);
        self.results.names.add_output(name);
        let changes = !Action::NoOp.covers(&self.current.actions);
        self.results.has_changes |= changes;
        self.change_of_plan(changes, |current| {
            [format!("output {name}"), Action::words_of(&current.actions)]
        })?;
        let sides = Sides::of_change(change);
        let places = self.assertions.about_output(name);
        places.into_iter().try_for_each(|place| self.check(place, &sides, None))
    }

    fn deferred(&mut self, deferred: &Deferred<'_>) -> Result<()> {
        let resource = &deferred.resource_change;
        self.current.read(resource)?;
        let reason = decoded(deferred.reason)?;
        self.change_of_plan(Action::Change.covers(&self.current.actions), |current| {
            let action = Action::words_of(&current.actions);
            [current.address.clone(), format!("a deferred {action}")]
        })?;
        self.results.names.add_resource(&self.current.address, &self.current.type_name);
        let sides = Sides::of_change(&resource.change);
        for place in self.assertions.covering(&self.current.address, &self.current.type_name) {
            self.check(place, &sides, Some(&reason))?;
        }
        Ok(())
    }

    /// Checks the assertions on a resource or an output of a state.
    fn of_state(&mut self, piece: &Piece<'_>) -> Result<()> {
        self.facts.is_state = true;
        self.current.actions.clear();
        let get = |key| piece.value.get(key);
        if piece.kind == PieceKind::Output {
            let name = piece.name.unwrap_or_default();
            self.current.name_output(name);
            self.results.names.add_output(name);
            let sides = Sides::of_state(get("value")?, get("sensitive")?);
            let places = self.assertions.about_output(name);
            return places.into_iter().try_for_each(|place| self.check(place, &sides, None));
        }
        let sides = Sides::of_state(get("values")?, get("sensitive_values")?);
        let deposed_key = get("deposed_key")?.filter(|key| !key.is_null());
        if !text(deposed_key)?.is_empty() {
            return Ok(());
        }
        let [address, type_name] = [text(get("address")?)?, text(get("type")?)?];
        self.results.names.add_resource(&address, &type_name);
        let places = self.assertions.covering(&address, &type_name);
        self.current = Current { address, type_name, ..Current::default() };
        self.note_reference(&sides)?;
        places.into_iter().try_for_each(|place| self.check(place, &sides, None))
    }
}

impl Visitor for Run<'_> {
    fn section(&mut self, section: Section, key: &str) -> plan::Answer {
        let is_drift = section == Section::ResourceDrift && self.assertions.ask_about_drift();
        match is_asked(section) || is_drift || section == Section::Other && key == "values" {
            true => plan::Answer::Enter,
            false => plan::Answer::Skip,
        }
    }

    fn state(&mut self, _: StateKind) -> Result<()> {
        self.facts.is_state = true;
        Ok(())
    }

    fn wants(&self, kind: PieceKind) -> bool {
        matches!(
            kind,
            PieceKind::ResourceChange
                | PieceKind::OutputChange
                | PieceKind::DeferredChange
                | PieceKind::Resource
                | PieceKind::Output
                | PieceKind::Known
        )
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        match (piece.kind, piece.section) {
            (PieceKind::ResourceChange, Section::ResourceChanges) => {
                self.resource(&ResourceChange::parse(piece.section, piece.value)?)?;
            }
            (PieceKind::ResourceChange, Section::ResourceDrift) => {
                let drift = ResourceChange::parse(piece.section, piece.value)?;
                self.current.read_actions(&drift.change)?;
                self.results.has_drift |= !Action::NoOp.covers(&self.current.actions);
            }
            (PieceKind::OutputChange, _) => {
                self.output(piece.name.unwrap_or_default(), &Change::parse(piece.value)?)?;
            }
            (PieceKind::DeferredChange, _) => self.deferred(&Deferred::parse(piece.value)?)?,
            (PieceKind::Resource | PieceKind::Output, Section::Other) => self.of_state(piece)?,
            (PieceKind::Known, section) => self.facts.note(section, piece.value)?,
            _ => {}
        }
        Ok(Flow::Continue)
    }
}

impl PieceChecker for Run<'_> {
    fn fresh(&self) -> Self {
        Run::new(self.assertions)
    }

    fn append(&mut self, next: Self) {
        self.results.append(next.results);
    }

    fn size(&self) -> u64 {
        self.results.size()
    }
}

/// Checks the expectations of an assertion about a resource or an output.
fn check_item(
    assertion: &Assertion,
    item: &Item<'_, '_>,
    answer: &mut PartialResult,
) -> Result<()> {
    let is_undecided = item.deferred.is_some() && !assertion.expects_deferred();
    if let Some(when) = &assertion.when
        && !is_undecided
    {
        if item.actions.is_none() && when.expectations.iter().any(Expectation::is_of_change) {
            let mut others = others(assertion);
            return others.try_for_each(|it| item.fail_as_of_state(it, &mut answer.outcome));
        }
        if !when.path.is_root() {
            answer.note_when(item.has_value(&when.path)?);
        }
        let met = item.meets(when)?;
        let is_of_reference = when.refers_to.is_some();
        return answer
            .check_if(met, is_of_reference, |answer| check_expectations(assertion, item, answer));
    }
    check_expectations(assertion, item, answer)
}

/// Checks the expectations of an assertion whose condition is met.
fn check_expectations(
    assertion: &Assertion,
    item: &Item<'_, '_>,
    answer: &mut PartialResult,
) -> Result<()> {
    let is_undecided = item.deferred.is_some() && !assertion.expects_deferred();
    let root = AttributePath::root();
    for expectation in assertion.expectations.iter().filter(|it| it.is_of_deferral()) {
        item.check(expectation, &root, &item.sides.root()?, &mut answer.outcome)?;
    }
    if is_undecided {
        // A missing value cannot change.
        let is_transition = |it: &Expectation| matches!(it, Expectation::NotChange(_));
        if assertion.is_optional
            && assertion.expectations.iter().all(is_transition)
            && !item.has_value(&assertion.path)?
        {
            return Ok(());
        }
        let mut others = others(assertion);
        return others.try_for_each(|it| item.fail_as_deferred(it, &mut answer.outcome));
    }
    check_values(assertion, &assertion.path, item, answer)
}

/// The expectations that are not about the deferral of a change.
fn others(assertion: &Assertion) -> impl Iterator<Item = &Expectation> {
    assertion.expectations.iter().filter(|it| !it.is_of_deferral())
}

/// Checks the expectations of an assertion on the values at a path.
fn check_values(
    assertion: &Assertion,
    path: &ValueSelector,
    item: &Item<'_, '_>,
    answer: &mut PartialResult,
) -> Result<()> {
    let fail_as_unmatched = |expectation: &Expectation, answer: &mut PartialResult| {
        let is_absent = matches!(expectation, Expectation::Absent(true));
        match is_absent || assertion.is_optional {
            true => Ok(()),
            false => item.fail_as_unmatched(expectation, &path.text(), &mut answer.outcome),
        }
    };
    let query = match path {
        ValueSelector::At(path) => return check_at(others(assertion), item, path, answer),
        ValueSelector::Document(document) => {
            let mut has_any = false;
            // Failures in a value that is marked as a whole count as one.
            let mut failed_in: Option<InDocument> = None;
            item.any_document(document, &assertion.path.text(), &mut |item| {
                has_any = true;
                let place = item.document.filter(|place| place.is_hidden);
                if failed_in.as_ref().zip(place).is_some_and(|(last, it)| last.steps == it.steps) {
                    return Ok(false);
                }
                let failures = answer.outcome.failed;
                check_values(assertion, &document.inside, item, answer)?;
                if answer.outcome.failed > failures {
                    failed_in = place.cloned();
                }
                Ok(false)
            })?;
            return match has_any {
                true => Ok(()),
                false => others(assertion).try_for_each(|it| fail_as_unmatched(it, answer)),
            };
        }
        ValueSelector::Dotted(query) | ValueSelector::Each(query) => query,
    };
    if let Some(path) = query.resolve(|path| item.sides.is_list_at(path))? {
        return check_at(others(assertion), item, &path, answer);
    }
    others(assertion).try_for_each(|expectation| {
        match item.check_each(expectation, query, &mut answer.outcome)? {
            true => Ok(()),
            false => fail_as_unmatched(expectation, answer),
        }
    })
}

/// Checks expectations on the value at a path.
fn check_at<'e>(
    mut expectations: impl Iterator<Item = &'e Expectation>,
    item: &Item<'_, '_>,
    path: &AttributePath,
    answer: &mut PartialResult,
) -> Result<()> {
    let place = item.sides.at(path)?;
    if !path.is_root() {
        answer.note_path(item.sides.has(&place)?, || item.sides.near(path))?;
    }
    expectations.try_for_each(|it| item.check(it, path, &place, &mut answer.outcome))
}

fn decoded(text: Option<Text<'_>>) -> Result<String> {
    text.map_or_else(|| Ok(String::new()), Text::decode)
}

fn text(value: Option<Value<'_>>) -> Result<String> {
    value.map_or_else(|| Ok(String::new()), Value::text)
}

/// The address of a resource, followed by the key of its deposed object, if any.
fn resource_name(address: &str, deposed: Option<Text<'_>>) -> Result<String> {
    match deposed {
        Some(key) => Ok(format!("{address} (deposed {})", key.decode()?)),
        None => Ok(address.to_owned()),
    }
}
