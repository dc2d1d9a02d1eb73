//! Makes objects of the records of a plan.

use std::borrow::Cow;

use super::meaning::{Digest, ValueKey};
use super::planned::{Import, KnownPath, Planned, PlannedPaths};
use super::states::EXISTS;
use plansift_core::error::{Error, Result};
use plansift_core::path::{self, Paths};
use plansift_plan::record::counts::PlanFacts;
use plansift_plan::record::state_counts::StateCounts;
use plansift_plan::record::{
    Attribute, Attributes, ChangePaths, ComparedChange, Label, ObjectKind, Record, ResourceChange,
    Shown,
};
use plansift_plan::sink::Sink;

/// Receives the records of one plan, whose changes have the attributes of
/// [`PlannedView`](super::view::PlannedView), and passes on the objects.
pub struct Collector<'c> {
    key: &'c ValueKey,
    /// Paths that are left out of the lists of sensitive paths.
    ignored: &'c [path::Pattern],
    /// Whether objects are named by their previous addresses, and moves do not count.
    pub ignores_moves: bool,
    facts: &'c mut Facts,
    each: &'c mut dyn FnMut(Planned) -> Result<()>,
}

/// Facts about a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether the document is a state.
    pub is_state: bool,
    /// The facts at the top level of the plan, with both versions.
    pub plan: PlanFacts,
    /// Number of changes of resources that the filters of the user hide.
    pub hidden_changes: u64,
    /// Number of other objects that the filters of the user hide.
    pub hidden_others: u64,
}

impl Facts {
    /// Number of objects that the filters of the user hide.
    pub fn hidden(&self) -> u64 {
        self.hidden_changes + self.hidden_others
    }
}

impl<'c> Collector<'c> {
    /// Passes the objects of a plan to `each`, and the facts about the plan to `facts`.
    pub fn new(
        key: &'c ValueKey,
        ignored: &'c [path::Pattern],
        facts: &'c mut Facts,
        each: &'c mut dyn FnMut(Planned) -> Result<()>,
    ) -> Collector<'c> {
        Collector { key, ignored, ignores_moves: false, facts, each }
    }

    fn change(&self, object: ObjectKind, change: &ResourceChange<'_>) -> Planned {
        let name = &change.resource;
        let text = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
        let moved_from = change.moved_from().map(str::to_owned);
        let action = effective_action(change, moved_from.is_some());
        let mut causes: Vec<String> =
            change.replace_paths.iter().map(|it| it.to_string()).collect();
        causes.sort_unstable();
        causes.dedup();
        let reasons = [&change.action_reason, &change.deferred_reason];
        let mut reasons: Vec<String> =
            reasons.into_iter().flatten().map(|it| it.to_string()).collect();
        reasons.sort_unstable();
        let mut planned = Planned {
            deposed: text(&name.deposed),
            previous_address: moved_from,
            type_name: text(&name.type_name),
            import: change.importing.as_ref().map(|_| Import { identity: None }),
            reasons,
            paths: PlannedPaths { causes, ..PlannedPaths::default() },
            ..Planned::new(object, name.address.as_deref().unwrap_or_default(), action)
        };
        self.fill(&mut planned, &change.attributes, &change.paths.sensitive);
        planned.created |= action == "create";
        planned
    }

    /// Sets the paths of an object.
    fn fill(&self, planned: &mut Planned, attributes: &Attributes, sensitive: &Paths) {
        if let Some(compared) = &attributes.compared {
            let ComparedChange { created, text, imported, sensitive } = &**compared;
            planned.created |= created;
            planned.text = Some(Digest(*text));
            if let Some(import) = &mut planned.import {
                import.identity = imported.map(Digest);
            }
            planned.paths.sensitive.clone_from(sensitive);
        }
        for Attribute { path, after, digest, .. } in &attributes.list {
            let Some(digest) = digest else {
                planned.paths.unknown.push(path.clone());
                continue;
            };
            let is_partial = *after == Shown::Sensitive;
            let list =
                if is_partial { &mut planned.paths.partial } else { &mut planned.paths.known };
            let shown = match after {
                Shown::Scalar(excerpt) => Some(excerpt.text.clone()),
                _ => None,
            };
            list.push(KnownPath { path: path.clone(), value: Some(Digest(*digest)), shown });
        }
        let shows = |path: &String| !self.ignored.iter().any(|ignored| ignored.covers(path));
        planned.paths.sensitive.extend(sensitive.iter().map(|path| path.to_string()));
        planned.paths.sensitive.retain(shows);
        planned.paths.sensitive.sort_unstable();
    }

    /// Passes on the facts of the plan that say how far it got.
    fn end(&mut self, facts: &PlanFacts) -> Result<()> {
        let versions = &mut self.facts.plan;
        let first = |late: &Option<String>, early: &mut Option<String>| {
            late.clone().or_else(|| early.take())
        };
        let format_version = first(&facts.format_version, &mut versions.format_version);
        let terraform_version = first(&facts.terraform_version, &mut versions.terraform_version);
        self.facts.plan = PlanFacts { format_version, terraform_version, ..facts.clone() };
        if facts.errored == Some(true) {
            (self.each)(Planned::new(ObjectKind::Plan, "errored", "true"))?;
        }
        // Plan files without deferred changes have no `complete`, like the JSON of old tools.
        if facts.complete == Some(false) {
            (self.each)(Planned::new(ObjectKind::Plan, "complete", "false"))?;
        }
        Ok(())
    }
}

/// Returns an object under its previous address. `None` if its plan only moves it.
fn without_move(mut planned: Planned) -> Option<Planned> {
    if let Some(previous) = planned.previous_address.take() {
        planned.address = previous;
    }
    if planned.action == "move" {
        planned.import?;
        planned.action = "import".to_owned();
    }
    Some(planned)
}

/// The word for a replacement that forgets the old object.
pub(crate) const FORGETTING: &str = "replace-with-forget";

/// Returns the action word of section 4 of docs/format/comparison.md.
fn effective_action<'a>(change: &'a ResourceChange<'_>, is_moved: bool) -> &'a str {
    match &*change.action {
        "no-op" if is_moved => "move",
        "no-op" if change.importing.is_some() => "import",
        "replace" if change.actions.iter().any(|action| action == "forget") => FORGETTING,
        // No tool writes the words of this crate as actions.
        "move" | "import" | FORGETTING => "unknown",
        "replace" if change.actions.len() == 1 => "unknown",
        action => action,
    }
}

impl Sink for Collector<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let planned = match record {
            Record::Plan(plan) => {
                let text = |text: Option<&str>| text.map(str::to_owned);
                self.facts.plan.format_version = text(plan.format_version);
                self.facts.plan.terraform_version = text(plan.terraform_version);
                return Ok(());
            }
            Record::Summary(summary) => return self.end(&summary.plan),
            Record::ResourceChange(change) if change.action == EXISTS => {
                self.change(ObjectKind::Resource, change)
            }
            Record::ResourceChange(change) => self.change(ObjectKind::ResourceChange, change),
            Record::ResourceDrift(change) => self.change(ObjectKind::ResourceDrift, change),
            Record::DeferredChange(change) => self.change(ObjectKind::DeferredChange, change),
            Record::OutputChange(output) => {
                let object = match &*output.action {
                    EXISTS => ObjectKind::Output,
                    _ => ObjectKind::OutputChange,
                };
                let mut planned = Planned::new(object, &*output.name, &output.action);
                let ChangePaths { sensitive, .. } = &output.paths;
                self.fill(&mut planned, &output.attributes, sensitive);
                planned.created |= output.action == "create";
                planned
            }
            Record::ActionInvocation(invocation) | Record::DeferredActionInvocation(invocation) => {
                let object = match record {
                    Record::ActionInvocation(_) => ObjectKind::ActionInvocation,
                    _ => ObjectKind::DeferredActionInvocation,
                };
                let trigger = invocation.triggering_address.as_deref();
                let trigger = trigger.map(|it| format!("{} {it}", invocation.timing_words()));
                let mut planned = Planned {
                    trigger,
                    type_name: invocation.type_name.as_deref().map(str::to_owned),
                    reasons: invocation.deferred_reason.iter().map(|it| it.to_string()).collect(),
                    ..Planned::new(object, &*invocation.address, "invoke")
                };
                self.fill(&mut planned, &invocation.attributes, &Paths::new());
                planned
            }
            Record::Check(check) => {
                let mut planned = Planned::new(ObjectKind::Check, &*check.address, &check.status);
                planned.paths.known = vec![KnownPath {
                    path: "problems".to_owned(),
                    value: Some(self.key.texts(check.problems.iter().map(|text| &**text))),
                    shown: None,
                }];
                planned
            }
            Record::RelevantAttribute(relevant) => {
                let mut address = relevant.resource.to_string();
                if let Some(attribute) = &relevant.attribute {
                    address.push('.');
                    address.push_str(attribute);
                }
                Planned::new(ObjectKind::RelevantAttribute, address, "read")
            }
            _ => return Ok(()),
        };
        // The records may contain objects that stay as they are, and checks that pass.
        let is_settled = match planned.object {
            ObjectKind::Check => planned.action == "pass",
            _ => planned.action == "no-op",
        };
        if is_settled {
            return Ok(());
        }
        let planned = if self.ignores_moves { without_move(planned) } else { Some(planned) };
        planned.map_or(Ok(()), |planned| (self.each)(planned))
    }

    fn state(&mut self, _: Label<'_>, _: &StateCounts) -> Result<()> {
        self.facts.is_state = true;
        Ok(())
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        match record.resource() {
            Some(_) => self.facts.hidden_changes += 1,
            None => self.facts.hidden_others += 1,
        }
        Ok(())
    }

    fn failed(&mut self, _: Label<'_>, _: &Error) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
