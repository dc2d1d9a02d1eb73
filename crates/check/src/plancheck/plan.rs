//! Checks of plans: `plancheck`.

use std::collections::BTreeMap;

use super::Checked;
use super::change::{Change, DeferredChange, GoStruct, ResourceChange};
use super::decode::{Container, Receiver, decode};
use super::emptiness::{Emptiness, without_change};
use super::shape::{CheckedPart, PLAN};
use crate::known::{
    Data, Failure, FailureKind, KnownValue, MaskedValue, found, print, quote, traverse,
};
use plansift_core::error::{Error, Result};
use plansift_core::input::Source;
use plansift_core::json::value::Value;
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::AttributePath;

/// A check of a plan. The variants have the names of the functions of Go's `plancheck`, without
/// `Expect`. A check of an output that has a path corresponds to the function that ends in
/// `AtPath`.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum PlanCheck {
    /// No output and no resource changes. Drift and deferred changes do not count.
    EmptyPlan,
    /// An output or a resource changes.
    NonEmptyPlan,
    /// No change is deferred.
    NoDeferredChanges,
    /// A resource has an action: `NoOp`, `Create`, `Read`, `Update`, `Destroy`,
    /// `DestroyBeforeCreate`, `CreateBeforeDestroy` or `Replace`.
    ResourceAction { address: String, action: String },
    /// A value of a resource is unknown.
    UnknownValue { address: String, path: AttributePath },
    /// A value of a resource has its own sensitivity mark. A mark on a value that contains it is
    /// not enough.
    SensitiveValue { address: String, path: AttributePath },
    /// A value of a resource is known and passes a check.
    KnownValue { address: String, path: AttributePath, check: KnownValue },
    /// The change of a resource is deferred for a reason.
    DeferredChange { address: String, reason: String },
    /// The value of an output is unknown.
    UnknownOutputValue { output: String, path: Option<AttributePath> },
    /// The value of an output is null. For a new output, this is the planned value; otherwise, it
    /// is the value before the change.
    NullOutputValue { output: String, path: Option<AttributePath> },
    /// The value of an output is known and passes a check.
    KnownOutputValue { output: String, path: Option<AttributePath>, check: KnownValue },
}

/// Checks a plan. The results are in the order of the checks.
///
/// # Errors
///
/// Fails if Go's library would not load the plan, if the text is invalid, or if a limit is
/// exceeded.
pub fn check_plan<S: Source>(
    plan: S,
    checks: &[PlanCheck],
    limits: &Limits,
) -> Result<Vec<Checked>> {
    let mut run = Run::new(checks, limits);
    decode(plan, &PLAN, &mut run, limits)?;
    Ok(run.finish())
}

struct Run<'c> {
    checks: &'c [PlanCheck],
    limits: &'c Limits,
    /// The indices of the checks, by the part that they check and by the name in it.
    named: BTreeMap<CheckedPart, BTreeMap<&'c str, Vec<usize>>>,
    /// The results so far. `None` if the document has not yet shown the entry that the check names.
    results: Vec<Option<Checked>>,
    /// Present if a check needs to know whether the plan is empty.
    emptiness: Option<Emptiness>,
    /// The address and reason of each deferred change, if a check needs them. An entry that is
    /// `null` is `None`.
    all_deferred: Option<Vec<Option<(String, String)>>>,
    deferred_size: u64,
}

impl<'c> Run<'c> {
    fn new(checks: &'c [PlanCheck], limits: &'c Limits) -> Run<'c> {
        let mut run = Run {
            checks,
            limits,
            named: BTreeMap::new(),
            results: checks.iter().map(|_| None).collect(),
            emptiness: None,
            all_deferred: None,
            deferred_size: 0,
        };
        for (place, check) in checks.iter().enumerate() {
            let (part, name) = match check {
                PlanCheck::EmptyPlan | PlanCheck::NonEmptyPlan => {
                    run.emptiness.get_or_insert_default();
                    continue;
                }
                PlanCheck::NoDeferredChanges => {
                    run.all_deferred.get_or_insert_default();
                    continue;
                }
                PlanCheck::ResourceAction { address, .. }
                | PlanCheck::UnknownValue { address, .. }
                | PlanCheck::SensitiveValue { address, .. }
                | PlanCheck::KnownValue { address, .. } => (CheckedPart::ResourceChange, address),
                PlanCheck::DeferredChange { address, .. } => (CheckedPart::DeferredChange, address),
                PlanCheck::UnknownOutputValue { output, .. }
                | PlanCheck::NullOutputValue { output, .. }
                | PlanCheck::KnownOutputValue { output, .. } => (CheckedPart::OutputChange, output),
            };
            run.named.entry(part).or_default().entry(name).or_default().push(place);
        }
        run
    }

    /// Drops the results of all checks of a part.
    fn reset(&mut self, part: CheckedPart) {
        for place in self.named.get(&part).into_iter().flat_map(BTreeMap::values).flatten() {
            self.results[*place] = None;
        }
    }

    /// Fails all checks of a part that have no result yet, because Go panics when it reads the
    /// address of an entry that is `null`.
    fn fail_rest(&mut self, part: CheckedPart) {
        for (name, places) in self.named.get(&part).into_iter().flatten() {
            for place in places {
                self.results[*place].get_or_insert_with(|| Err(without_change(name)));
            }
        }
    }

    fn resource(&mut self, value: Value<'_>) -> Result<()> {
        if !self.named.contains_key(&CheckedPart::ResourceChange) && self.emptiness.is_none() {
            return Ok(());
        }
        let entry = ResourceChange::read(value)?;
        if let Some(emptiness) = &mut self.emptiness {
            emptiness.add_resource(entry.as_ref(), self.limits)?;
        }
        let Some(entry) = entry else {
            self.fail_rest(CheckedPart::ResourceChange);
            return Ok(());
        };
        let places = self.named.get(&CheckedPart::ResourceChange);
        let places = places.and_then(|names| names.get(&*entry.address));
        for place in places.into_iter().flatten() {
            if self.results[*place].is_none() {
                let check = &self.checks[*place];
                let result = match (&entry.change, check) {
                    (Some(change), _) => check_resource(check, change)?,
                    // Go checks the action type first.
                    (None, PlanCheck::ResourceAction { action, .. })
                        if ACTION_TYPES.iter().all(|(name, _)| name != action) =>
                    {
                        check_resource(check, &Change::default())?
                    }
                    (None, _) => Err(without_change(&entry.address)),
                };
                self.results[*place] = Some(result);
            }
        }
        Ok(())
    }

    fn output(&mut self, name: &str, value: Value<'_>) -> Result<()> {
        let places = self.named.get(&CheckedPart::OutputChange).and_then(|names| names.get(name));
        if places.is_none() && self.emptiness.is_none() {
            return Ok(());
        }
        let change = Change::read(value)?;
        if let Some(emptiness) = &mut self.emptiness {
            emptiness.add_output(name, change.as_ref(), self.limits)?;
        }
        for place in places.into_iter().flatten() {
            self.results[*place] = match &change {
                Some(change) => Some(check_output(&self.checks[*place], change)?),
                None => None,
            };
        }
        Ok(())
    }

    fn deferred(&mut self, value: Value<'_>) -> Result<()> {
        if !self.named.contains_key(&CheckedPart::DeferredChange) && self.all_deferred.is_none() {
            return Ok(());
        }
        let entry = DeferredChange::read(value)?;
        let address = entry.as_ref().and_then(|entry| entry.resource.as_ref());
        let address = address.map(|resource| &*resource.address);
        if let Some(all) = &mut self.all_deferred {
            let kept = entry
                .as_ref()
                .map(|entry| (address.unwrap_or("unknown").to_owned(), entry.reason.clone()));
            let len = kept.as_ref().map_or(0, |(address, reason)| address.len() + reason.len());
            self.deferred_size += len as u64 + size_of_val(&kept) as u64;
            if self.deferred_size > self.limits.change {
                return Err(Error::limit(Limit::Change, self.limits.change, value.offset()));
            }
            all.push(kept);
        }
        let Some(entry) = &entry else {
            self.fail_rest(CheckedPart::DeferredChange);
            return Ok(());
        };
        let names = self.named.get(&CheckedPart::DeferredChange);
        let places = names.zip(address).and_then(|(names, address)| names.get(address));
        for place in places.into_iter().flatten() {
            self.results[*place].get_or_insert_with(|| match &self.checks[*place] {
                PlanCheck::DeferredChange { address, reason } if *reason != entry.reason => {
                    let [expected, found] = [reason, &entry.reason].map(quote);
                    let text =
                        format!("'{address}' - expected {expected}, got deferred reason: {found}");
                    Err(Failure::new(FailureKind::Reason, text))
                }
                _ => Ok(()),
            });
        }
        Ok(())
    }

    fn finish(self) -> Vec<Checked> {
        let Run { checks, results, emptiness, all_deferred, .. } = self;
        let emptiness = emptiness.unwrap_or_default();
        let no_deferred = no_deferred(&all_deferred.unwrap_or_default());
        let results = checks.iter().zip(results).map(|(check, result)| match check {
            PlanCheck::EmptyPlan => emptiness.is_empty(),
            PlanCheck::NonEmptyPlan => emptiness.is_not_empty(),
            PlanCheck::NoDeferredChanges => no_deferred.clone(),
            _ => result.unwrap_or_else(|| Err(absent(check))),
        });
        results.collect()
    }
}

impl Receiver for Run<'_> {
    fn begin(&mut self, part: CheckedPart, container: Container) {
        // The members of a repeated map are added to the members of the first map.
        if container == Container::Object {
            return;
        }
        self.reset(part);
        match part {
            CheckedPart::ResourceChange => {
                self.emptiness.iter_mut().for_each(Emptiness::clear_resources);
            }
            CheckedPart::OutputChange => {
                self.emptiness.iter_mut().for_each(Emptiness::clear_outputs)
            }
            CheckedPart::DeferredChange => self.all_deferred.iter_mut().for_each(Vec::clear),
            _ => {}
        }
    }

    fn element(&mut self, part: CheckedPart, name: &str, value: Value<'_>) -> Result<()> {
        match part {
            CheckedPart::ResourceChange => self.resource(value),
            CheckedPart::OutputChange => self.output(name, value),
            CheckedPart::DeferredChange => self.deferred(value),
            _ => Ok(()),
        }
    }
}

/// Returns the failure of a check whose entry the document lacks.
fn absent(check: &PlanCheck) -> Failure {
    let (kind, text) = match check {
        PlanCheck::KnownValue { address, .. } => {
            (FailureKind::ResourceAbsent, format!("{address} - Resource not found in plan"))
        }
        PlanCheck::ResourceAction { address, .. }
        | PlanCheck::UnknownValue { address, .. }
        | PlanCheck::SensitiveValue { address, .. } => (
            FailureKind::ResourceAbsent,
            format!("{address} - Resource not found in plan ResourceChanges"),
        ),
        PlanCheck::DeferredChange { address, .. } => (
            FailureKind::DeferredAbsent,
            format!("{address} - No deferred changes found for resource"),
        ),
        PlanCheck::KnownOutputValue { output, .. } => {
            (FailureKind::OutputAbsent, format!("{output} - Output not found in plan"))
        }
        PlanCheck::UnknownOutputValue { output, .. }
        | PlanCheck::NullOutputValue { output, .. } => (
            FailureKind::OutputAbsent,
            format!("{output} - Output not found in plan OutputChanges"),
        ),
        PlanCheck::EmptyPlan | PlanCheck::NonEmptyPlan | PlanCheck::NoDeferredChanges => {
            (FailureKind::NotEmpty, String::new())
        }
    };
    Failure::new(kind, text)
}

fn no_deferred(deferred: &[Option<(String, String)>]) -> Checked {
    if deferred.iter().any(Option::is_none) {
        return Err(without_change("expected no deferred changes"));
    }
    if deferred.is_empty() {
        return Ok(());
    }
    let lines = deferred.iter().flatten().map(|(address, reason)| {
        format!(
            "expected no deferred changes, but resource {} is deferred with reason: {}",
            quote(address),
            quote(reason)
        )
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    Err(Failure::new(FailureKind::Deferred, text))
}

fn check_resource(check: &PlanCheck, change: &Change<'_>) -> Result<Checked> {
    match check {
        PlanCheck::ResourceAction { address, action } => Ok(check_action(address, action, change)),
        PlanCheck::UnknownValue { path, .. } => {
            let place = format!("at {}", quote(path.to_tfjsonpath()));
            unknown(change, path, &place)
        }
        PlanCheck::SensitiveValue { path, .. } => sensitive(change.after_sensitive(), path),
        PlanCheck::KnownValue { address, path, check } => {
            let place = format!("{address}.{}", path.to_tfjsonpath());
            known(change.after(), path, check, "attribute", &place)
        }
        _ => Ok(Ok(())),
    }
}

fn check_output(check: &PlanCheck, change: &Change<'_>) -> Result<Checked> {
    let root = AttributePath::root();
    let at = |path: &Option<AttributePath>| path.clone().unwrap_or_else(|| root.clone());
    match check {
        PlanCheck::UnknownOutputValue { output, path } => {
            let mut place = format!("at output {}", quote(output));
            if let Some(path) = path {
                place += &format!(" path {}", quote(path.to_tfjsonpath()));
            }
            unknown(change, &at(path), &place)
        }
        PlanCheck::NullOutputValue { path, .. } => {
            let value = if change.is(&["create"]) { change.after() } else { change.before() };
            Ok(traverse(value, &at(path))?.and_then(|found| {
                if matches!(found.data, Data::Nil) {
                    return Ok(());
                }
                let text = "attribute at path is not null";
                Err(Failure::new(FailureKind::NotNull, text))
            }))
        }
        PlanCheck::KnownOutputValue { output, path, check } => {
            let place = match path {
                Some(path) => format!("{output}.{}", path.to_tfjsonpath()),
                None => output.clone(),
            };
            known(change.after(), &at(path), check, "output", &place)
        }
        _ => Ok(Ok(())),
    }
}

const DELETE_CREATE: &[&str] = &["delete", "create"];
const CREATE_DELETE: &[&str] = &["create", "delete"];

/// The action types, each with the lists of actions that it accepts.
const ACTION_TYPES: [(&str, &[&[&str]]); 8] = [
    ("NoOp", &[&["no-op"]]),
    ("Create", &[&["create"]]),
    ("Read", &[&["read"]]),
    ("Update", &[&["update"]]),
    ("Destroy", &[&["delete"]]),
    ("DestroyBeforeCreate", &[DELETE_CREATE]),
    ("CreateBeforeDestroy", &[CREATE_DELETE]),
    ("Replace", &[DELETE_CREATE, CREATE_DELETE]),
];

fn check_action(address: &str, action: &str, change: &Change<'_>) -> Checked {
    let Some((_, lists)) = ACTION_TYPES.iter().find(|(name, _)| *name == action) else {
        let text = format!("{address} - unexpected ResourceActionType: {action}");
        return Err(Failure::new(FailureKind::ActionType, text));
    };
    let is_planned = lists.iter().any(|actions| change.is(actions));
    if is_planned {
        return Ok(());
    }
    let quote = if action == "Replace" { "" } else { "'" };
    let actions = change.printed_actions();
    let text = format!("{quote}{address}{quote} - expected {action}, got action(s): {actions}");
    Err(Failure::new(FailureKind::Action, text))
}

/// Checks that a planned value is unknown.
fn unknown(change: &Change<'_>, path: &AttributePath, place: &str) -> Result<Checked> {
    let marks = traverse(change.after_unknown(), path)?;
    let is_missing = match &marks {
        Err(failure) if failure.kind() == FailureKind::Panic => return Ok(marks.map(|_| ())),
        Err(_) => true,
        Ok(found) => match found.data.boolean() {
            Some(true) => return Ok(Ok(())),
            Some(false) => false,
            None => return Ok(Err(not_bool())),
        },
    };
    // If the planned value exists, Go's message contains it.
    let text = match traverse(change.after(), path)? {
        Ok(known) => {
            format!("Expected unknown value {place}, but found known value: \"{}\"", print(known)?)
        }
        Err(failure) if failure.kind() == FailureKind::Panic => return Ok(Err(failure)),
        Err(_) if is_missing => return Ok(marks.map(|_| ())),
        Err(_) => format!("Expected unknown value {place}, but found known value"),
    };
    Ok(Err(Failure::new(FailureKind::Known, text)))
}

fn not_bool() -> Failure {
    let text = "invalid path: the path value cannot be asserted as bool";
    Failure::new(FailureKind::NotBool, text)
}

/// Checks that the value at a path has its own mark in `marks`.
pub(super) fn sensitive(marks: MaskedValue<'_>, path: &AttributePath) -> Result<Checked> {
    Ok(traverse(marks, path)?.and_then(|found| match found.data.boolean() {
        Some(true) => Ok(()),
        Some(false) => {
            Err(Failure::new(FailureKind::NotSensitive, "attribute at path is not sensitive"))
        }
        None => Err(not_bool()),
    }))
}

/// Checks the value at a path with a [`KnownValue`].
pub(super) fn known(
    root: MaskedValue<'_>,
    path: &AttributePath,
    check: &KnownValue,
    noun: &str,
    place: &str,
) -> Result<Checked> {
    let found = found!(traverse(root, path)?);
    let outer = format!("error checking value for {noun} at path: {place}, err: ");
    Ok(check.check(found)?.map_err(|failure| failure.of_value(&outer)))
}
