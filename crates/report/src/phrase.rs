//! The wording of reports and summaries for people, shared by all output formats.
//!
//! Constants hold fixed phrases. Functions return phrases that depend on a plan. Phrases are plain
//! text without any markup. Callers escape strings from a plan, and unknown words, for their
//! format.

use std::borrow::Cow;

use plansift_plan::record::PlanFacts;
use serde_json::value::RawValue;

use super::impact::with_impact;
use super::short::{messages, short};
use crate::view::Detail;
use plansift_core::inert::{lines, visible};
use plansift_core::path::Paths;
use plansift_plan::marks::{ECHO, MASK};
use plansift_plan::record::counts::{PlanLine, Summary};
use plansift_plan::record::{
    ActionInvocation, Attribute, Attributes, ChangePaths, Check, Difference, Hidden, ImportSource,
    MarkChange, ResourceChange, Shown, UNKNOWN,
};

/// The placeholder for a value that is written and never read.
pub(super) const WRITE_ONLY: &str = "(write-only attribute)";
/// The placeholder for `null` in an attribute that is write-only, judging by its name alone.
pub(super) const NAMED_WRITE_ONLY: &str = "null (write-only, going by its name)";

/// The title of the changes that a later plan makes.
pub(super) const DEFERRED: &str = "Deferred to a later plan";
/// The title of the actions that a later plan invokes.
pub(super) const DEFERRED_ACTIONS: &str = "Actions deferred to a later plan";
/// The title of the actions that a plan invokes.
pub(super) const ACTIONS: &str = "Actions to invoke";

/// Returns the placeholder for a value that is not shown. Empty for a shown or withheld value.
pub fn stand_in(shown: &Shown) -> Cow<'static, str> {
    Cow::Borrowed(match shown {
        Shown::UnknownFrom(references) => {
            let known = UNKNOWN.trim_end_matches(')');
            return Cow::Owned(format!("{known}, from {})", visible(references)));
        }
        Shown::Absent => "null",
        Shown::Unknown => UNKNOWN,
        Shown::Sensitive => MASK,
        Shown::Echo => ECHO,
        Shown::WriteOnly => WRITE_ONLY,
        Shown::NamedWriteOnly => NAMED_WRITE_ONLY,
        Shown::Withheld | Shown::Scalar(_) | Shown::Container(_) => "",
    })
}

/// Returns the remark on an attribute whose marks change, or whose values differ only in form or
/// order; empty for all other attributes.
pub fn remark(attribute: &Attribute) -> &'static str {
    match (attribute.mark, attribute.difference) {
        (Some(MarkChange::Removed), Difference::Mark) => {
            "(will no longer be marked as sensitive; the value does not change)"
        }
        (Some(MarkChange::Removed), _) => "(will no longer be marked as sensitive)",
        (Some(MarkChange::Added), Difference::Mark) => {
            "(will be marked as sensitive; the value does not change)"
        }
        (Some(MarkChange::Added), _) => "(will be marked as sensitive)",
        (None, Difference::Space | Difference::Format) => "(only white space or formatting)",
        (None, Difference::Order) => "(only the order)",
        (None, Difference::Value | Difference::Mark | Difference::Nothing) => "",
    }
}

/// Whether the remark is shown without the values. Excerpts omit JSON documents that differ only in
/// formatting.
pub(super) fn suffices(difference: Difference, detail: Detail) -> bool {
    difference == Difference::Format && detail == Detail::Excerpts
}

/// Returns a number and a noun in its singular or plural: `1 change`, `2 changes`.
pub(super) fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Whether a change is planned or has already happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tense {
    Planned,
    Happened,
}

/// Returns the phrase for what happens to a resource. Empty for an action without a phrase.
pub(super) fn what(tense: Tense, action: &str) -> &'static str {
    match (tense, action) {
        (Tense::Happened, "delete") => "has been deleted",
        (Tense::Happened, "update") => "has changed",
        (_, "create") => "will be created",
        (_, "update") => "will be updated in place",
        (_, "replace") => "must be replaced",
        (_, "delete") => "will be destroyed",
        (_, "forget") => "will no longer be managed, but will not be destroyed",
        (_, "read") => "will be read during apply",
        _ => "",
    }
}

/// Explains an update in place that changes no value (docs/format/plan.md, section 13).
pub(super) fn what_else(change: &ResourceChange<'_>) -> Option<&'static str> {
    let ChangePaths { changed, unknown, sensitive, sensitive_added, sensitive_removed, .. } =
        &change.paths;
    let has_mark_changes = !sensitive_added.is_empty() || !sensitive_removed.is_empty();
    let changes_none =
        change.action == "update" && changed.is_empty() && unknown.is_empty() && !has_mark_changes;
    changes_none.then_some(match sensitive.is_empty() {
        true => "no value changes",
        false => "no value changes, but a sensitive one may",
    })
}

/// Says how many values lose or get a mark as sensitive.
pub(super) fn mark_changes(change: &ResourceChange<'_>) -> impl Iterator<Item = String> + use<> {
    let ChangePaths { sensitive_added, sensitive_removed, .. } = &change.paths;
    let words = |paths: &Paths, words| match paths.len() as u64 {
        0 => None,
        count => Some(format!("{} will {words}", counted(count, "value"))),
    };
    let removed = words(sensitive_removed, "no longer be marked as sensitive");
    removed.into_iter().chain(words(sensitive_added, "be marked as sensitive"))
}

/// The remark on a deposed object.
pub(super) const DEPOSED: &str = "left over from a partially failed replacement";

/// Remarks on unusual circumstances of a change.
pub(super) fn circumstances(
    change: &ResourceChange<'_>,
) -> impl Iterator<Item = &'static str> + use<> {
    let others = [
        (change.generated_config, "its configuration will be generated"),
        (change.resource.deposed.is_some(), DEPOSED),
    ];
    let others = others.into_iter().filter_map(|(holds, words)| holds.then_some(words));
    stays(change).into_iter().chain(others)
}

/// The kind of a string from the plan. Each format quotes the kinds in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoted {
    /// An action or a reason without a phrase.
    Word,
    Name,
    /// The source of an import.
    Value,
}

/// Describes what happens to a resource, and why. `quote` quotes strings from the plan.
pub(super) fn description(
    tense: Tense,
    change: &ResourceChange<'_>,
    quote: impl Fn(Quoted, &str) -> String,
) -> String {
    let mut parts: Vec<String> = Vec::new();
    match what(tense, &change.action) {
        "" if change.action == "no-op" => {}
        "" => parts.push(quote(Quoted::Word, &change.action)),
        what => parts.push(what.to_owned()),
    }
    parts.extend(details(change, &quote));
    parts.extend(reason(change, &quote));
    parts.extend(deferred(change, &quote));
    with_impact(parts, change, |text| quote(Quoted::Name, text)).join(", ")
}

/// Like [`description`], in parts, without the words for the action if it is known, and without the
/// [impact](super::impact).
pub(super) fn brief(
    change: &ResourceChange<'_>,
    quote: impl Fn(Quoted, &str) -> String,
) -> Vec<String> {
    let is_known = change.action == "no-op" || !what(Tense::Planned, &change.action).is_empty();
    let word = (!is_known).then(|| quote(Quoted::Word, &change.action));
    let mut parts: Vec<String> = word.into_iter().chain(details(change, &quote)).collect();
    parts.extend(bare_reason(change, &quote));
    parts.extend(deferred(change, &quote));
    parts
}

/// Returns the parts of a description between the action and the reason.
fn details(change: &ResourceChange<'_>, quote: impl Fn(Quoted, &str) -> String) -> Vec<String> {
    let mut parts: Vec<String> = what_else(change).map(str::to_owned).into_iter().collect();
    parts.extend(mark_changes(change));
    let from = change.moved_from();
    parts.extend(from.map(|from| format!("moved from {}", quote(Quoted::Name, from))));
    parts.extend(imported(change, |value| quote(Quoted::Value, value)));
    parts.extend(circumstances(change).map(str::to_owned));
    parts
}

/// Explains why a change is deferred, if it is.
fn deferred(change: &ResourceChange<'_>, quote: impl Fn(Quoted, &str) -> String) -> Option<String> {
    let word = change.deferred_reason.as_deref()?;
    Some(deferral(word).map_or_else(|| quote(Quoted::Word, word), str::to_owned))
}

/// Describes when an action is invoked, or why it is deferred. `quote` quotes strings from the
/// plan.
pub(super) fn invoked(
    invoked: &ActionInvocation<'_>,
    quote: impl Fn(Quoted, &str) -> String,
) -> String {
    let by = invoked.triggering_address.as_deref();
    let by = by.map(|by| format!("{} {}", invoked.timing_words(), quote(Quoted::Name, by)));
    let deferred = invoked
        .deferred_reason
        .as_deref()
        .map(|word| deferral(word).map_or_else(|| quote(Quoted::Word, word), str::to_owned));
    by.into_iter().chain(deferred).collect::<Vec<_>>().join(", ")
}

/// Describes the source of an import, in phrases. `quote` quotes strings from the plan.
pub(super) fn imported(change: &ResourceChange<'_>, quote: impl Fn(&str) -> String) -> Vec<String> {
    let parts = imported_from(change).into_iter().map(|(words, text)| match text {
        Some(text) => format!("{words} {}", quote(&text)),
        None => words,
    });
    parts.collect()
}

/// Returns the phrases of [`imported`], each with the string from the plan that follows it, if any.
fn imported_from(change: &ResourceChange<'_>) -> Vec<(String, Option<String>)> {
    let Some(importing) = &change.importing else { return Vec::new() };
    let verb = if change.action == "no-op" { "will be imported" } else { "imported" };
    let Some(ImportSource { id, identity, unknown }) = ImportSource::of(importing) else {
        return vec![(format!("{verb} by"), Some(importing.get().to_owned()))];
    };
    let text = |raw: &RawValue| raw.get().replace(&format!("\"{MASK}\""), MASK);
    let id = id.map(text).or((unknown == Some(true)).then(|| UNKNOWN.to_owned()));
    let identity = identity.map(|members| {
        let members = members.iter().map(|(name, value)| format!("{name} = {}", text(value)));
        format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
    });
    match (id, identity) {
        (None, None) => vec![(verb.to_owned(), None)],
        (None, identity) => vec![(format!("{verb} by identity"), identity)],
        (id, None) => vec![(format!("{verb} from"), id)],
        (id, identity) => vec![(format!("{verb} from"), id), ("identity".to_owned(), identity)],
    }
}

/// Returns the remark on a replacement that does not destroy the old object.
pub(super) fn stays(change: &ResourceChange<'_>) -> Option<&'static str> {
    let keeps_old = change.action == "replace" && change.forgets();
    keeps_old.then_some("the old object stays and is no longer managed")
}

/// Explains the `action_reason` of a change (docs/format/plan.md, section 3). `quote` quotes
/// strings from the plan. `None` if the change has none.
pub(super) fn reason(
    change: &ResourceChange<'_>,
    quote: impl Fn(Quoted, &str) -> String,
) -> Option<String> {
    let word = change.action_reason.as_deref()?;
    let module = change.resource.module_address.as_deref();
    Some(match (known_reason(&change.action, word), module) {
        // The call of the module may still be there, without this instance.
        (Some(NO_MODULE), Some(module)) if module.contains('[') => {
            let module = quote(Quoted::Name, module);
            format!("because {module} is no longer in the configuration")
        }
        (Some(phrase), _) => phrase.to_owned(),
        (None, _) => quote(Quoted::Word, word),
    })
}

const NO_MODULE: &str = "because its module is no longer in the configuration";

/// Returns the phrase for the `action_reason` of an action. `None` for an unknown word.
///
/// If a `removed` block keeps the object, both tools still give the reason for a destruction, so
/// `forget` has its own phrase.
pub(super) fn known_reason(action: &str, word: &str) -> Option<&'static str> {
    Some(match word {
        "delete_because_no_resource_config" | "delete_because_no_module" if action == "forget" => {
            "because a removed block says not to destroy it"
        }
        "replace_because_cannot_update" => "because it cannot be updated in place",
        "replace_because_tainted" => "because it is tainted",
        "replace_by_request" => "as requested",
        "replace_by_triggers" => "triggered by replace_triggered_by",
        "delete_because_no_resource_config" => "because it is no longer in the configuration",
        "delete_because_wrong_repetition" => "because count or for_each was added or removed",
        "delete_because_count_index" => "because its index is beyond count",
        "delete_because_each_key" => "because its key is no longer in for_each",
        "delete_because_no_module" => NO_MODULE,
        "delete_because_no_move_target" => "because it moved to an address that is not configured",
        "delete_because_enabled_false" => "because enabled is false",
        "forgot_because_lifecycle_destroy_in_state" => "because its state says not to destroy it",
        "forgot_because_lifecycle_destroy_in_config" => {
            "because the configuration says not to destroy it"
        }
        "read_because_config_unknown" => "because its configuration is not known yet",
        "read_because_dependency_pending" => "because something it depends on changes",
        "read_because_check_nested" => "because a check reads it again",
        _ => return None,
    })
}

/// Like [`reason`], but without the first words, such as `because it is`.
pub(super) fn bare_reason(
    change: &ResourceChange<'_>,
    quote: impl Fn(Quoted, &str) -> String,
) -> Option<String> {
    let reason = reason(change, quote)?;
    let joints = ["because it is ", "because it ", "because "];
    let bare = joints.iter().find_map(|joint| reason.strip_prefix(joint)).map(str::to_owned);
    Some(bare.unwrap_or(reason))
}

/// Explains a `deferred_reason` (docs/format/plan.md, section 3). `None` for an unknown word.
pub(super) fn deferral(word: &str) -> Option<&'static str> {
    Some(match word {
        "instance_count_unknown" => "deferred because the number of instances is not known yet",
        "resource_config_unknown" => "deferred because its configuration is not known yet",
        "provider_config_unknown" => {
            "deferred because the configuration of its provider is not known yet"
        }
        "absent_prereq" => "deferred because something that it needs does not exist",
        "deferred_prereq" => "deferred because something that it needs is deferred",
        "excluded" => "deferred because the plan excludes it",
        "not_included" => "deferred because the plan does not include it",
        "unknown" => "deferred for an unknown reason",
        _ => return None,
    })
}

/// Returns a sentence about the result of a check, with its messages.
pub(super) fn check_sentence(check: &Check<'_>) -> String {
    let words = match &*check.status {
        "fail" => "failed",
        "error" => "could not be checked",
        "unknown" => "is known after apply",
        other => &format!("is {other}"),
    };
    let colon = if check.problems.is_empty() { "" } else { ": " };
    let (name, problems) = (short(&check.address), messages(&check.problems));
    visible(&format!("{name} {words}{colon}")) + &lines(&problems)
}

pub(super) fn unchanged(attributes: &Attributes) -> String {
    format!("({})", counted(attributes.unchanged, "unchanged attribute"))
}

/// Returns the numbers of hidden records and attributes, in words. `None` if nothing is hidden.
pub(super) fn hidden(hidden: &Hidden) -> Option<String> {
    hidden.words().map(|words| format!("Hidden, as asked for: {words}."))
}

/// Returns the sentence about checks that failed. `None` if there are none.
pub(super) fn failed_checks(count: u64) -> Option<String> {
    (count > 0).then(|| format!("{} failed.", counted(count, "check")))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlanCount {
    This,
    Several(u64),
}

/// Returns the sentence for plans that could not be read to their end.
pub(super) fn unread(of: PlanCount) -> String {
    match of {
        PlanCount::This => {
            "This plan could not be read: what it changes is not in this report.".to_owned()
        }
        PlanCount::Several(1) => {
            "1 plan could not be read: what it changes is not in this report.".to_owned()
        }
        PlanCount::Several(count) => {
            format!("{count} plans could not be read: what they change is not in this report.")
        }
    }
}

/// A warning that a report shows first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Warning {
    /// Planning failed.
    Errored,
    /// The plan has no list of changes.
    Unlisted,
    /// Applying the plan leaves changes for another plan.
    Incomplete,
    /// The plan lists changes that it defers to a later plan.
    Deferred,
}

impl Warning {
    /// All warnings, most severe first.
    pub const ALL: [Warning; 4] =
        [Warning::Errored, Warning::Unlisted, Warning::Incomplete, Warning::Deferred];

    /// Whether the warning applies to a plan.
    pub fn holds(self, summary: &Summary) -> bool {
        let is_deferred = !summary.deferred_changes.is_empty();
        match self {
            Warning::Errored => summary.plan.errored == Some(true),
            Warning::Unlisted => summary.plan.lacks_resource_changes,
            // Nobody can apply a plan whose planning failed.
            Warning::Incomplete => {
                summary.plan.complete == Some(false)
                    && !is_deferred
                    && !Warning::Errored.holds(summary)
            }
            Warning::Deferred => is_deferred,
        }
    }

    pub fn words(self, of: PlanCount) -> String {
        match (self, of) {
            (Warning::Errored, PlanCount::This) => {
                "Planning failed: this plan is incomplete.".to_owned()
            }
            (Warning::Errored, PlanCount::Several(count)) => {
                format!("Planning failed in {}: incomplete.", counted(count, "plan"))
            }
            (Warning::Unlisted, PlanCount::This) => {
                "This document has no list of changes (resource_changes): what the plan changes is \
                 not known."
                    .to_owned()
            }
            (Warning::Unlisted, PlanCount::Several(count)) => format!(
                "{} without a list of changes (resource_changes): what they change is not known.",
                counted(count, "document")
            ),
            (Warning::Incomplete, PlanCount::This | PlanCount::Several(1)) => {
                let plan = if of == PlanCount::This { "This" } else { "1" };
                format!(
                    "{plan} plan is not complete: applying it will leave changes for another plan."
                )
            }
            (Warning::Incomplete, PlanCount::Several(count)) => format!(
                "{count} plans are not complete: applying them will leave changes for other plans."
            ),
            (Warning::Deferred, PlanCount::This) => {
                "Some changes are deferred to a later plan.".to_owned()
            }
            (Warning::Deferred, PlanCount::Several(count)) => format!(
                "{} with changes that are deferred to a later plan.",
                counted(count, "plan")
            ),
        }
    }

    /// Returns the words of a finding about this plan.
    pub fn finding(self) -> String {
        match self {
            Warning::Errored => "planning failed: there may be more to change".to_owned(),
            warning => warning.words(PlanCount::This),
        }
    }

    /// Whether some of the plan's changes are unknown.
    pub fn is_error(self) -> bool {
        matches!(self, Warning::Errored | Warning::Unlisted)
    }

    /// Returns the warnings that apply to a plan.
    pub fn of(summary: &Summary) -> impl Iterator<Item = Warning> {
        Warning::ALL.into_iter().filter(|warning| warning.holds(summary))
    }
}

/// Returns the result of a plan in a sentence: the plan line, or the reason why there are no
/// changes. `invocations` is the number of actions to invoke.
pub(super) fn plan_line(summary: &Summary, invocations: u64) -> String {
    let outputs = summary.output_changes.iter().any(|(word, _)| word != "no-op");
    if !summary.changes_resources() && invocations == 0 {
        return match summary {
            Summary { plan: PlanFacts { errored: Some(true), .. }, .. } => {
                "Planning failed before it found any change to make."
            }
            Summary { plan: PlanFacts { lacks_resource_changes: true, .. }, .. } => {
                "No list of changes."
            }
            _ if outputs => "No changes to resources; outputs change.",
            _ if !summary.deferred_changes.is_empty() => "No changes yet; some are deferred.",
            Summary { plan: PlanFacts { complete: Some(false), .. }, .. } => {
                "No changes yet; the plan is not complete."
            }
            _ if summary.is_of_refresh() && summary.plan.applyable == Some(false) => {
                "No changes to objects."
            }
            _ if summary.is_of_refresh() => {
                "No changes to objects. Applying this plan only updates the state."
            }
            Summary { plan: PlanFacts { applyable: Some(true), .. }, .. } => {
                "No changes here, although the plan says that there is something to apply."
            }
            _ => "No changes.",
        }
        .to_owned();
    }
    plan_words(&summary.terraform, invocations)
}

/// Returns the plan line: `Plan: 1 to add, 0 to change, 2 to destroy.`
pub(super) fn plan_words(line: &PlanLine, invocations: u64) -> String {
    let mut text = "Plan: ".to_owned();
    if line.import > 0 {
        text += &format!("{} to import, ", line.import);
    }
    text += &format!("{} to add, {} to change, {} to destroy", line.add, line.change, line.destroy);
    if line.forget > 0 {
        text += &format!(", {} to forget", line.forget);
    }
    text += ".";
    if invocations > 0 {
        text += &format!(" Actions: {invocations} to invoke.");
    }
    text
}

/// Returns the note below a table that counts replacements. `deleted` is the number of resources
/// that the table counts as destroyed. The plan line does not count a replacement as destroyed if
/// it forgets the old object.
pub(super) fn replaced_note(replaced: u64, deleted: u64, line: &PlanLine) -> String {
    match line.destroy.saturating_sub(deleted) {
        destroyed if destroyed < replaced => format!(
            "Replacements are counted apart here: {replaced} added, {destroyed} destroyed in the \
             plan line."
        ),
        _ => "Replacements are counted apart here, and as added and destroyed in the plan line."
            .to_owned(),
    }
}

/// Returns words for the flags in a plan: whether it can be applied, is complete, or failed.
pub(super) fn flags(summary: &Summary) -> impl Iterator<Item = &'static str> {
    let flag = |flag: Option<bool>, yes, no| flag.map(|flag| if flag { yes } else { no });
    let applyable = flag(summary.plan.applyable, "applyable", "not applyable");
    let complete = flag(summary.plan.complete, "complete", "not complete");
    let errored = summary.plan.errored.filter(|errored| *errored).map(|_| "errored");
    [applyable, complete, errored].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_whose_planning_failed_cannot_be_applied() {
        let summary = |errored| Summary {
            plan: PlanFacts {
                errored: Some(errored),
                complete: Some(false),
                ..Summary::default().plan
            },
            ..Summary::default()
        };
        assert!(Warning::Incomplete.holds(&summary(false)));
        assert!(Warning::Errored.holds(&summary(true)));
        assert!(!Warning::Incomplete.holds(&summary(true)));
    }

    #[test]
    fn messages_use_the_singular_for_a_count_of_one() {
        for (count, words) in [(0, "0 changes"), (1, "1 change"), (2, "2 changes")] {
            assert_eq!(counted(count, "change"), words);
        }
        for (warning, of, words) in [
            (Warning::Errored, PlanCount::This, "Planning failed: this plan is incomplete."),
            (Warning::Errored, PlanCount::Several(1), "Planning failed in 1 plan: incomplete."),
            (Warning::Errored, PlanCount::Several(2), "Planning failed in 2 plans: incomplete."),
            (Warning::Incomplete, PlanCount::This, "This plan is not complete: applying it will"),
            (
                Warning::Incomplete,
                PlanCount::Several(1),
                "1 plan is not complete: applying it will",
            ),
            (
                Warning::Incomplete,
                PlanCount::Several(2),
                "2 plans are not complete: applying them will",
            ),
            (Warning::Deferred, PlanCount::This, "Some changes are deferred to a later plan."),
            (Warning::Unlisted, PlanCount::This, "This document has no list of changes"),
            (Warning::Unlisted, PlanCount::Several(1), "1 document without a list of changes"),
            (
                Warning::Deferred,
                PlanCount::Several(1),
                "1 plan with changes that are deferred to a",
            ),
            (
                Warning::Deferred,
                PlanCount::Several(3),
                "3 plans with changes that are deferred to a",
            ),
        ] {
            assert!(warning.words(of).starts_with(words), "{}", warning.words(of));
        }
    }
}
