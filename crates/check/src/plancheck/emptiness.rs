//! Determines whether a plan is empty: no output and no resource has an action other than `no-op`.

use std::collections::BTreeMap;

use super::Checked;
use super::change::{Change, ResourceChange};
use crate::known::{Failure, FailureKind, quote};
use plansift_core::error::{Error, Result};
use plansift_core::limits::{Limit, Limits};

/// The facts that show whether a plan is empty.
#[derive(Default)]
pub(super) struct Emptiness {
    /// The printed actions of each output that is not `no-op`. `None` if the output is `null`.
    outputs: BTreeMap<String, Option<String>>,
    /// The address and printed actions of each resource that is not `no-op`.
    resources: Vec<(String, String)>,
    /// Whether an entry without a change comes before the first resource that is not `no-op`.
    is_first_without_change: bool,
    /// Whether any entry has no change.
    has_entry_without_change: bool,
    /// Bytes of the names and actions.
    size: u64,
}

const NO_OP: [&str; 1] = ["no-op"];

impl Emptiness {
    pub fn clear_resources(&mut self) {
        self.resources.clear();
        (self.is_first_without_change, self.has_entry_without_change) = (false, false);
    }

    pub fn clear_outputs(&mut self) {
        self.outputs.clear();
    }

    /// Adds an output. Replaces an earlier output with the same name.
    pub fn add_output(
        &mut self,
        name: &str,
        change: Option<&Change<'_>>,
        limits: &Limits,
    ) -> Result<()> {
        if change.is_some_and(|change| change.is(&NO_OP)) {
            self.outputs.remove(name);
            return Ok(());
        }
        let actions = change.map(Change::printed_actions);
        self.grow(name.len() + actions.as_ref().map_or(0, String::len), limits)?;
        self.outputs.insert(name.to_owned(), actions);
        Ok(())
    }

    /// Adds an element of `resource_changes`.
    pub fn add_resource(
        &mut self,
        entry: Option<&ResourceChange<'_>>,
        limits: &Limits,
    ) -> Result<()> {
        let change = entry.and_then(|entry| Some((&entry.address, entry.change.as_ref()?)));
        let Some((address, change)) = change else {
            self.is_first_without_change |= self.resources.is_empty();
            self.has_entry_without_change = true;
            return Ok(());
        };
        if !change.is(&NO_OP) {
            let actions = change.printed_actions();
            self.grow(address.len() + actions.len(), limits)?;
            self.resources.push((address.clone(), actions));
        }
        Ok(())
    }

    fn grow(&mut self, len: usize, limits: &Limits) -> Result<()> {
        self.size += len as u64;
        match self.size > limits.change {
            true => Err(Error::limit(Limit::Change, limits.change, 0)),
            false => Ok(()),
        }
    }

    pub fn is_empty(&self) -> Checked {
        if self.has_entry_without_change || self.outputs.values().any(Option::is_none) {
            return Err(without_change("expected empty plan"));
        }
        let outputs = self.outputs.iter().map(|(name, actions)| {
            let actions = actions.as_deref().unwrap_or_default();
            format!("output {} has planned action(s): {actions}", quote(name))
        });
        let mut lines: Vec<String> = outputs.collect();
        lines.sort();
        let resources = self.resources.iter();
        lines.extend(
            resources
                .map(|(address, actions)| format!("{address} has planned action(s): {actions}")),
        );
        if lines.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> =
            lines.iter().map(|line| format!("expected empty plan, but {line}")).collect();
        Err(Failure::new(FailureKind::NotEmpty, lines.join("\n")))
    }

    /// Checks that the plan has changes. If one output is `null` and another has an action, Go's
    /// result depends on the order of a map. This function then accepts the plan.
    pub fn is_not_empty(&self) -> Checked {
        if self.outputs.values().any(Option::is_some) {
            return Ok(());
        }
        if !self.outputs.is_empty() || self.is_first_without_change {
            return Err(without_change("expected a non-empty plan"));
        }
        if !self.resources.is_empty() {
            return Ok(());
        }
        let text = "expected a non-empty plan, but got an empty plan";
        Err(Failure::new(FailureKind::Empty, text))
    }
}

/// Returns the failure for an entry that is `null` or has no change.
pub(super) fn without_change(subject: &str) -> Failure {
    let text = format!("{subject} - an entry of the plan is null or has no change");
    Failure::new(FailureKind::Panic, text)
}
