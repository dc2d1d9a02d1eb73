//! Completes the results of assertions at the end of a document.

use super::facts::{Facts, NOT_LISTED};
use super::item::IN_STATE;
use super::list::Assertions;
use super::names::Names;
use super::outcome::{Finding, Outcome, Quote, Quoted};
use super::partial_results::{PartialResult, PartialResults};
use super::subject::{Assertion, Expectation, PlanState, Reference, Subject, ValueSelector};
use super::values::words;
use plansift_core::nearest::did_you_mean;

/// The results of all assertions for a document.
#[derive(Debug)]
pub struct Answers {
    /// The outcome of each assertion, in order.
    pub outcomes: Vec<Outcome>,
    /// Warnings about patterns that cover nothing, in order.
    pub unmatched: Vec<Unmatched>,
    /// The number of changes of resources that have no type, or a list of actions with an unknown
    /// word or no word. Assertions about types or actions may not see them.
    pub unclear: u64,
    /// A description of an incomplete plan, such as `an incomplete plan`. `None` if the plan is
    /// complete, or if an assertion checks whether it is.
    pub incomplete: Option<&'static str>,
}

/// A warning about a pattern that covers nothing. It does not fail the assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    /// The index of the assertion.
    pub assertion: usize,
    /// The index of the pattern in the assertion.
    pub pattern: usize,
    /// The message.
    pub text: String,
}

/// Completes the results for a document.
pub(super) fn end(assertions: &Assertions, facts: &Facts, results: PartialResults) -> Answers {
    let PartialResults { mut answers, names, has_changes, has_drift, unclear, .. } = results;
    let mut unmatched = Vec::new();
    for (index, (assertion, answer)) in assertions.list().iter().zip(&mut answers).enumerate() {
        answer.settle();
        let mut closing = Closing { assertion, facts, answer };
        match &assertion.subject {
            Subject::Plan => closing.plan(has_changes, has_drift),
            Subject::Resource(_) if facts.lacks_changes => closing.not_listed(),
            Subject::Resource(pattern) => {
                closing.subject("a resource that the pattern covers", pattern.text(), || {
                    names.near_resource(pattern.text())
                })
            }
            Subject::Output(pattern) => {
                closing.subject("an output of this name", pattern.text(), || {
                    names.near_output(pattern.text())
                })
            }
        }
        let gaps = gaps(assertion, answer, facts, &names);
        if assertions.requires_matches(assertion) {
            for gap in gaps {
                let found = format!("nothing{}", did_you_mean(gap.near.as_deref()));
                answer.outcome.fail("", "", &gap.expected, &found);
            }
        } else {
            unmatched.extend(gaps.into_iter().map(|gap| Unmatched {
                assertion: index,
                pattern: gap.pattern,
                text: gap.text(),
            }));
        }
    }
    let outcomes = answers.into_iter().map(|answer| answer.outcome).collect();
    let mut expectations = assertions.list().iter().flat_map(|assertion| &assertion.expectations);
    let asks_whether_complete = expectations.any(|expectation| {
        matches!(expectation, Expectation::Plan(PlanState::Empty | PlanState::Complete))
    });
    let incomplete = facts.incomplete().filter(|_| !asks_whether_complete);
    Answers { outcomes, unmatched, unclear, incomplete }
}

/// A pattern that covers nothing, although the assertion holds or is about other things, too.
struct Gap {
    /// The index of the pattern in the assertion.
    pattern: usize,
    /// A description of what the document lacks.
    lacks: String,
    /// What the pattern should cover.
    expected: String,
    /// The most similar name in the document.
    near: Option<String>,
}

impl Gap {
    fn text(&self) -> String {
        let hint = self.near.as_ref().map(|near| format!(": did you mean {near}?"));
        format!("{}{}", self.lacks, hint.unwrap_or_default())
    }
}

/// Returns the patterns of an assertion that cover nothing and are not failures yet.
fn gaps(assertion: &Assertion, answer: &PartialResult, facts: &Facts, names: &Names) -> Vec<Gap> {
    let mut gaps = Vec::new();
    if let Subject::Resource(pattern) = &assertion.subject
        && answer.outcome.asked == 0
        && !assertion.is_of_pack
        && answer.outcome.holds()
        && let Some((type_name, near)) = names.near_type(pattern.text())
    {
        gaps.push(Gap {
            pattern: 0,
            lacks: format!("no resource has the type {type_name}"),
            expected: format!("a resource of the type {type_name}"),
            near: Some(near),
        });
    }
    for expectation in assertion.expectations.iter().filter(|_| !facts.is_state) {
        let Expectation::Only(patterns) = expectation else { continue };
        for (index, pattern) in patterns.iter().enumerate() {
            // A set of types has no typo.
            if !answer.is_covered(index) && !pattern.is_set() {
                let text = pattern.text();
                gaps.push(Gap {
                    pattern: index,
                    lacks: format!("`only`: {text} covers nothing"),
                    expected: format!("something that {text} in `only` covers"),
                    near: names.near_any(text),
                });
            }
        }
    }
    gaps
}

/// An assertion at the end of a document, with its result so far.
struct Closing<'c> {
    assertion: &'c Assertion,
    facts: &'c Facts,
    answer: &'c mut PartialResult,
}

impl Closing<'_> {
    /// Completes the result of an assertion about the plan.
    fn plan(&mut self, has_changes: bool, has_drift: bool) {
        let Facts { is_state, lacks_changes, applyable, .. } = *self.facts;
        for expectation in &self.assertion.expectations {
            let expected = words(expectation);
            let found = match expectation {
                _ if is_state => Some(IN_STATE),
                Expectation::Plan(PlanState::Applyable) => match applyable {
                    Some(true) => None,
                    Some(false) => Some("a plan that cannot be applied"),
                    None => Some("not known, as the plan does not say it"),
                },
                Expectation::Plan(PlanState::Undrifted) => has_drift.then_some("drift"),
                Expectation::Plan(PlanState::NonEmpty) if has_changes => None,
                _ if lacks_changes => Some(NOT_LISTED),
                Expectation::Plan(PlanState::NonEmpty) => Some("no change"),
                Expectation::Plan(PlanState::Empty | PlanState::Complete) => {
                    self.facts.incomplete()
                }
                _ => None,
            };
            if let Some(found) = found {
                self.answer.outcome.fail("", "", &expected, found);
            }
        }
        if !is_state && !lacks_changes {
            self.count();
        }
    }

    /// Completes the result of an assertion about resources, if the plan does not list its changes.
    fn not_listed(&mut self) {
        let asks_of_deferred = self.assertion.expects_deferred() && self.answer.outcome.asked > 0;
        if let (false, Some(first)) = (asks_of_deferred, self.assertion.expectations.first()) {
            self.answer.outcome.fail("", "", &words(first), NOT_LISTED);
        }
    }

    /// Completes the result of an assertion about resources or outputs. `near` searches for a
    /// similar name, which takes long in a large plan.
    fn subject(&mut self, noun: &str, pattern: &str, near: impl FnOnce() -> Option<String>) {
        let Closing { assertion, ref mut answer, .. } = *self;
        let may_be_nothing = assertion.path.is_root()
            && assertion.expectations.iter().any(|it| matches!(it, Expectation::Absent(true)));
        let outcome = &mut answer.outcome;
        if outcome.asked == 0 {
            // A set of types has no typo.
            let is_set = matches!(&assertion.subject, Subject::Resource(set) if set.is_set());
            let asks_for_any =
                |it: &Expectation| matches!(it, Expectation::Absent(_) | Expectation::Count(..));
            let may_skip = is_set && !assertion.expectations.iter().any(asks_for_any);
            if assertion.is_optional || may_skip {
                outcome.is_skipped = true;
            } else if !may_be_nothing {
                let hint = did_you_mean(near().as_deref());
                let found = format!(
                    "none: the assertion asks about nothing: add optional: true if that is \
                     fine{hint}"
                );
                outcome.fail("", "", noun, &found);
            }
            return;
        }
        if self.facts.is_state {
            for expectation in &assertion.expectations {
                if matches!(expectation, Expectation::Count(..)) {
                    outcome.fail("", "", &words(expectation), IN_STATE);
                }
            }
        } else {
            self.count();
        }
        self.path(pattern);
        self.when(pattern);
    }

    /// Adds a failure if no value has the path of the condition, or if no resource of `refers_to`
    /// has its attribute, so that a typo does not go unnoticed.
    fn when(&mut self, pattern: &str) {
        let Closing { assertion, ref mut answer, .. } = *self;
        let is_unseen = answer.lacks_when && !answer.has_when && answer.outcome.holds();
        if let Some(when) = &assertion.when
            && is_unseen
            && !assertion.is_optional
        {
            let path = when.path.text();
            answer.outcome.fail(pattern, &path, "a value at the path of `when`", "nothing");
        }
        if let Some(Reference { resource, attribute, .. }) = assertion.refers_to()
            && !answer.references.targets.has_attribute
            && answer.outcome.holds()
            && !assertion.is_optional
        {
            let expected = "a value at the path of `attribute` in `refers_to`";
            answer.outcome.fail(resource.text(), &attribute.to_string(), expected, "nothing");
        }
    }

    /// Adds a failure if a count is not within its bounds.
    fn count(&mut self) {
        for expectation in &self.assertion.expectations {
            if let Expectation::Count(_, bounds) = expectation
                && !bounds.holds(self.answer.count)
            {
                let found = self.answer.count.to_string();
                self.answer.outcome.fail("", "", &words(expectation), &found);
            }
        }
    }

    /// Adds a failure if no value has the path, so that a typo does not go unnoticed.
    fn path(&mut self, pattern: &str) {
        let Closing { assertion, ref mut answer, .. } = *self;
        let steps = match &assertion.path {
            ValueSelector::At(path) => Some(path.steps()),
            ValueSelector::Dotted(_) | ValueSelector::Document(_) => None,
            ValueSelector::Each(_) => return,
        };
        let is_unseen = answer.lacks_path && !answer.has_path && answer.outcome.holds();
        let mut expectations = assertion.expectations.iter();
        let expectation = expectations.find(|it| !matches!(it, Expectation::Absent(true)));
        let (true, false, Some(expectation)) = (is_unseen, assertion.is_optional, expectation)
        else {
            return;
        };
        let near = answer.near_path.take().map(Quote::Near);
        answer.outcome.fail_with(|| {
            let (text, expected) = (assertion.path.text(), words(expectation));
            let mut finding = Finding::new(pattern, &text, &expected, "nothing");
            let quoted = Quoted::new(steps.unwrap_or_default(), false, near);
            finding.quote(Quoted { is_cut: quoted.is_cut || steps.is_none(), ..quoted });
            finding
        });
    }
}
