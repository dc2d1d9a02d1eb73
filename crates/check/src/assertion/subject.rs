//! The parts of an assertion, such as its subject and its expectations.

use super::bounds::Bounds;
use super::matcher::Matcher;
use super::transition::Transition;
use plansift_core::path::{AddressPattern, AttributePath, AttributeQuery, AttributeStep};

/// An assertion.
#[derive(Debug)]
pub struct Assertion {
    /// The name in reports. By default, it is the assertion in a few words.
    pub name: String,
    /// The name of the file; empty for an assertion from the command line, or from a pack.
    pub file: String,
    /// Whether the assertion is from a pack. Such a pattern has no typo.
    pub is_of_pack: bool,
    /// The line in the file.
    pub line: usize,
    /// What the assertion is about.
    pub subject: Subject,
    /// The resources and outputs that the assertion applies to, of those that the subject covers;
    /// `None` for all of them.
    pub when: Option<Condition>,
    /// The value that the expectations are about.
    pub path: ValueSelector,
    /// The expectations, all of which must hold.
    pub expectations: Vec<Expectation>,
    /// Whether a failure fails the run.
    pub severity: Severity,
    /// What to do about a failure, in the user's words.
    pub message: Option<String>,
    /// Whether the assertion holds if it covers nothing in the document.
    pub is_optional: bool,
}

impl Assertion {
    /// Whether the assertion and its conditions compare whole values only. A value in a document in
    /// a string is a part of the string.
    pub fn is_exact(&self) -> bool {
        is_exact(&self.path, &self.expectations)
            && self.when.as_ref().is_none_or(Condition::is_exact)
    }

    /// The `refers_to` of the condition, if any.
    pub(super) fn refers_to(&self) -> Option<&Reference> {
        self.when.as_ref().and_then(|when| when.refers_to.as_ref())
    }

    /// Whether the assertion is about deferred changes.
    pub(super) fn expects_deferred(&self) -> bool {
        self.expectations.iter().any(|expectation| {
            matches!(expectation, Expectation::Deferred(true) | Expectation::DeferredFor(_))
        })
    }
}

/// A condition on a resource or an output.
#[derive(Debug)]
pub struct Condition {
    /// The value that the expectations are about. One of several values must meet them.
    pub path: ValueSelector,
    /// The expectations, all of which must hold.
    pub expectations: Vec<Expectation>,
    /// The resource that the value must refer to, if any.
    pub refers_to: Option<Reference>,
}

impl Condition {
    fn is_exact(&self) -> bool {
        let other = self.refers_to.as_ref().and_then(|reference| reference.condition.as_ref());
        is_exact(&self.path, &self.expectations) && other.is_none_or(|it| it.is_exact())
    }
}

fn is_exact(path: &ValueSelector, expectations: &[Expectation]) -> bool {
    !matches!(path, ValueSelector::Document(_)) && expectations.iter().all(Expectation::is_exact)
}

/// The resources that a value may refer to.
#[derive(Debug)]
pub struct Reference {
    /// The resources.
    pub resource: AddressPattern,
    /// The attribute of these resources that the value equals.
    pub attribute: AttributePath,
    /// The condition that they meet, if any.
    pub condition: Option<Box<Condition>>,
}

/// What an assertion is about.
#[derive(Debug)]
pub enum Subject {
    /// The resources that a pattern covers.
    Resource(AddressPattern),
    /// The outputs whose names a pattern covers.
    Output(AddressPattern),
    /// The plan as a whole.
    Plan,
}

/// The values that an assertion is about.
#[derive(Debug)]
pub enum ValueSelector {
    /// The value at a path. The root has no steps.
    At(AttributePath),
    /// The value at a path with dotted numbers.
    Dotted(AttributeQuery),
    /// The values at all places that a path with wildcards matches.
    Each(AttributeQuery),
    /// Values in the document in a string, such as `jsondecode(policy).Statement`.
    Document(Box<DocumentSelector>),
}

/// Values in documents in strings.
#[derive(Debug)]
pub struct DocumentSelector {
    /// Terraform's function that decodes the documents: `jsondecode` or `yamldecode`.
    pub decoder: &'static str,
    /// The strings.
    pub string: ValueSelector,
    /// The values in the document.
    pub inside: ValueSelector,
}

impl ValueSelector {
    /// Whether the path is the root.
    pub fn is_root(&self) -> bool {
        matches!(self, ValueSelector::At(path) if path.is_root())
    }

    pub(super) fn begins_with_index(&self) -> bool {
        match self {
            ValueSelector::At(path) => {
                matches!(path.steps().first(), Some(AttributeStep::Index(_)))
            }
            ValueSelector::Dotted(query) => query.begins_with_index(),
            ValueSelector::Each(query) => query.to_string().starts_with('['),
            ValueSelector::Document(document) => document.string.begins_with_index(),
        }
    }

    /// The text of the path.
    pub fn text(&self) -> String {
        match self {
            ValueSelector::At(path) => path.to_string(),
            ValueSelector::Dotted(query) | ValueSelector::Each(query) => query.to_string(),
            ValueSelector::Document(document) => {
                let DocumentSelector { decoder, string, inside } = &**document;
                let inside = inside.text();
                let dot = if inside.is_empty() || inside.starts_with('[') { "" } else { "." };
                format!("{decoder}({}){dot}{inside}", string.text())
            }
        }
    }
}

/// A condition that must hold.
#[derive(Debug)]
pub enum Expectation {
    /// The actions are one of these.
    Action(Vec<Action>),
    /// The actions are none of these.
    NotAction(Vec<Action>),
    /// The value is known and matches.
    Known(Matcher),
    /// The value before the change matches.
    Before(Matcher),
    /// The change of the value meets the condition.
    Change(Transition),
    /// The change of the value does not meet the condition.
    NotChange(Transition),
    /// The value is unknown. With `false`: no part of the value is unknown.
    Unknown(bool),
    /// The value is sensitive, by its own mark or by the mark of a value around it. With `false`:
    /// no part of the value is sensitive.
    Sensitive(bool),
    /// The value is known and null. With `false`: it is known and not null.
    Null(bool),
    /// The value does not change. With `false`: it changes.
    Unchanged(bool),
    /// The resource, output or value is absent. With `false`: it is present.
    Absent(bool),
    /// The change of the resource is deferred. With `false`: it is not deferred.
    Deferred(bool),
    /// The change of the resource is deferred for this reason.
    DeferredFor(String),
    /// The plan is in this state.
    Plan(PlanState),
    /// Only resources and outputs that these patterns cover change.
    Only(Vec<AddressPattern>),
    /// The number of resources with one of these actions lies within bounds.
    Count(Vec<Action>, Bounds),
}

/// The reasons to defer a change.
pub(super) const DEFERRAL_REASONS: [&str; 6] = [
    "unknown",
    "instance_count_unknown",
    "resource_config_unknown",
    "provider_config_unknown",
    "deferred_prereq",
    "absent_prereq",
];

impl Expectation {
    /// Whether the expectation compares whole values only, like [`Matcher::is_exact`].
    pub fn is_exact(&self) -> bool {
        match self {
            Expectation::Known(matcher) | Expectation::Before(matcher) => matcher.is_exact(),
            Expectation::Change(transition) | Expectation::NotChange(transition) => {
                transition.is_exact()
            }
            _ => true,
        }
    }

    /// Whether the expectation compares numbers.
    pub(super) fn is_of_numbers(&self) -> bool {
        match self {
            Expectation::Known(matcher) | Expectation::Before(matcher) => matcher.is_of_numbers(),
            Expectation::Change(transition) | Expectation::NotChange(transition) => {
                transition.growth.is_some() || transition.matchers().any(Matcher::is_of_numbers)
            }
            _ => false,
        }
    }

    /// Whether the expectation is about a change, which a state does not have.
    pub(super) fn is_of_change(&self) -> bool {
        matches!(
            self,
            Expectation::Action(_)
                | Expectation::NotAction(_)
                | Expectation::Deferred(_)
                | Expectation::DeferredFor(_)
                | Expectation::Unchanged(_)
                | Expectation::Before(_)
                | Expectation::Change(_)
                | Expectation::NotChange(_)
        )
    }

    /// Whether the expectation is about the deferral of a change.
    pub(super) fn is_of_deferral(&self) -> bool {
        matches!(self, Expectation::Deferred(_) | Expectation::DeferredFor(_))
    }
}

/// The state of a plan as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanState {
    /// The plan is complete, and no resource and no output changes.
    Empty,
    /// A resource or an output changes.
    NonEmpty,
    /// Planning did not fail, and no change is deferred.
    Complete,
    /// The plan can be applied.
    Applyable,
    /// No object changed outside of the tool.
    Undrifted,
}

impl PlanState {
    /// The states with their words.
    pub const WORDS: [(&str, PlanState); 5] = [
        ("empty", PlanState::Empty),
        ("non-empty", PlanState::NonEmpty),
        ("complete", PlanState::Complete),
        ("applyable", PlanState::Applyable),
        ("undrifted", PlanState::Undrifted),
    ];
}

/// The severity of a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Severity {
    /// The run fails.
    #[default]
    Error,
    /// The run passes.
    Warning,
}

impl Severity {
    /// The word in files and reports.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// The actions of a change, in the words of `-o changes`. A name with `Then` means two actions in
/// this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the plan")]
pub enum Action {
    NoOp,
    Create,
    Read,
    Update,
    Delete,
    Forget,
    /// Deleted and created, in either order.
    Replace,
    DeleteThenCreate,
    CreateThenDelete,
    CreateThenForget,
    ForgetThenCreate,
    /// An object of a managed resource is deleted, alone or as part of a replacement.
    Destroy,
    /// Anything but no-op and read.
    Change,
}

impl Action {
    /// The actions with their words.
    pub const WORDS: [(&str, Action); 13] = [
        ("no-op", Action::NoOp),
        ("create", Action::Create),
        ("read", Action::Read),
        ("update", Action::Update),
        ("delete", Action::Delete),
        ("forget", Action::Forget),
        ("replace", Action::Replace),
        ("delete-then-create", Action::DeleteThenCreate),
        ("create-then-delete", Action::CreateThenDelete),
        ("create-then-forget", Action::CreateThenForget),
        ("forget-then-create", Action::ForgetThenCreate),
        ("destroy", Action::Destroy),
        ("change", Action::Change),
    ];

    /// The action with this word.
    pub fn named(word: &str) -> Option<Action> {
        Action::WORDS.iter().find(|(known, _)| *known == word).map(|(_, action)| *action)
    }

    /// The word of the action.
    pub fn word(self) -> &'static str {
        let found = Action::WORDS.iter().find(|(_, action)| *action == self);
        found.map_or("", |(word, _)| word)
    }

    /// Whether this action describes the actions of a change. For `destroy`, the caller must
    /// exclude data sources.
    pub fn covers(self, actions: &[String]) -> bool {
        match self {
            Action::Replace => actions == ["delete", "create"] || actions == ["create", "delete"],
            Action::Destroy => actions.iter().any(|action| action == "delete"),
            Action::Change => actions != ["no-op"] && actions != ["read"],
            other => actions.iter().eq(other.word().split("-then-")),
        }
    }

    /// Whether `not_action` with this action refuses the actions of a change. `delete` and `forget`
    /// also refuse replacements that contain them.
    pub fn refuses(self, actions: &[String]) -> bool {
        match self {
            Action::Delete | Action::Forget => actions.iter().any(|it| it == self.word()),
            other => other.covers(actions),
        }
    }

    /// The actions of a change in words.
    pub fn words_of(actions: &[String]) -> String {
        match actions.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] => "no action".to_owned(),
            [one] => one.to_owned(),
            ref several => several.join("-then-"),
        }
    }
}
