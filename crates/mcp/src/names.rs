//! Hides the names that repeat a secret.
//!
//! A view hides the secrets in attributes and messages. This sink also hides them in addresses,
//! names, reasons and paths, and makes hidden characters visible. Rules and filters come after it,
//! so that a pattern cannot tell a part of a hidden name.

use std::borrow::Cow;

use plansift_core::error::{Error, Result};
use plansift_core::inert::visible;
use plansift_core::path::{Paths, Step};
use plansift_plan::marks::ECHO;
use plansift_plan::record::counts::Summary;
use plansift_plan::record::state_counts::StateCounts;
use plansift_plan::record::{
    ActionInvocation, Attribute, ChangePaths, FailedAssertion, Hidden, Label, Plan, Record,
    ResourceChange, ResourceName, Sink,
};

use crate::texts::Texts;

/// Replaces a name that may end within a secret.
const LONG: &str = "(a long name)";

/// A sink that hides names, and passes all records on.
pub struct SafeNames<'s> {
    sink: &'s mut dyn Sink,
    texts: &'s Texts<'s>,
}

impl<'s> SafeNames<'s> {
    /// Passes records to `sink`.
    pub fn new(sink: &'s mut dyn Sink, texts: &'s Texts<'s>) -> SafeNames<'s> {
        SafeNames { sink, texts }
    }

    fn name(&self, text: &mut Cow<'_, str>) {
        let shown = self.texts.show(text);
        if shown != **text {
            *text = Cow::Owned(shown);
        }
    }

    fn names<'r, 'a: 'r>(&self, texts: impl IntoIterator<Item = &'r mut Option<Cow<'a, str>>>) {
        texts.into_iter().flatten().for_each(|text| self.name(text));
    }

    fn optional(&self, text: &mut Option<String>) {
        if let Some(text) = text {
            *text = self.texts.show(text);
        }
    }

    /// Cuts paths at secret values, masks the keys that repeat a secret, and makes hidden
    /// characters of keys visible. Returns `None` if no path needs it. The changes of the address
    /// `marked_at` mark paths, too.
    fn safe_paths(&self, paths: &Paths, marked_at: Option<&str>) -> Option<Paths> {
        let cut = paths.cut(|path| self.texts.secret_depth(path, marked_at));
        let paths = cut.as_ref().unwrap_or(paths);
        let shown = |step: &Step<'_>| match step {
            Step::Key(key) if self.texts.hides_key(key) => Some(ECHO.to_owned()),
            Step::Key(key) => Some(visible(key)).filter(|shown| shown != key),
            Step::Index(_) | Step::Element => None,
        };
        if paths.iter().all(|path| path.steps().all(|step| shown(&step).is_none())) {
            return cut;
        }
        let mut safe = Paths::new();
        for path in paths.iter() {
            for step in path.steps() {
                match shown(&step) {
                    Some(key) => safe.push_step(Step::Key(&key)),
                    None => safe.push_step(step),
                }
            }
            safe.end();
        }
        Some(safe)
    }

    fn paths(&self, paths: &mut Cow<'_, Paths>, marked_at: Option<&str>) {
        if let Some(safe) = self.safe_paths(paths, marked_at) {
            *paths = Cow::Owned(safe);
        }
    }

    fn change_paths(&self, paths: &mut ChangePaths<'_>, marked_at: Option<&str>) {
        let ChangePaths { changed, unknown, sensitive, sensitive_added, sensitive_removed } = paths;
        for paths in [changed, unknown, sensitive, sensitive_added, sensitive_removed] {
            self.paths(paths, marked_at);
        }
    }

    /// Hides the names of a change. The changes of the address `marked_at` mark its paths, too.
    fn change(&self, change: &mut ResourceChange<'_>, marked_at: Option<&str>) {
        let ResourceName {
            address,
            previous_address,
            module_address,
            mode,
            type_name,
            name,
            index,
            deposed,
            provider_name,
        } = &mut change.resource;
        self.names([address, previous_address, module_address, mode, type_name, name]);
        self.names([deposed, provider_name]);
        self.names([&mut change.action_reason, &mut change.deferred_reason]);
        self.name(&mut change.action);
        if change.actions.iter().any(|action| self.texts.show(action) != **action) {
            change.actions.to_mut().iter_mut().for_each(|action| self.name(action));
        }
        // A key with a secret or a hidden character. The address shows it masked.
        index.take_if(|index| self.texts.show(index.get()) != index.get());
        // The secrets in it are masked already.
        change.importing.take_if(|json| visible(json.get()) != json.get());
        self.change_paths(&mut change.paths, marked_at);
        self.paths(&mut change.replace_paths, marked_at);
        for document in change.documents.iter_mut().flat_map(|documents| &mut documents.list) {
            for paths in [&mut document.string, &mut document.changed] {
                if let Some(safe) = self.safe_paths(paths, None) {
                    *paths = safe;
                }
            }
        }
        attributes(&mut change.attributes.list);
    }

    fn invocation(&self, invoked: &mut ActionInvocation<'_>) {
        self.name(&mut invoked.address);
        self.names([&mut invoked.type_name, &mut invoked.name, &mut invoked.triggering_address]);
        self.names([&mut invoked.deferred_reason]);
        attributes(&mut invoked.attributes.list);
    }

    fn assertion(&self, failed: &mut FailedAssertion<'_>) {
        for finding in failed.findings.to_mut() {
            // A finding shortens a long name, and then a secret in it is not recognised.
            if finding.place.ends_with("...") {
                finding.place = LONG.to_owned();
            }
            for text in [&mut finding.place, &mut finding.path, &mut finding.found] {
                *text = self.texts.show(text);
            }
        }
    }

    fn summary(&self, summary: &Summary) -> Summary {
        let mut summary = summary.clone();
        let plan = &mut summary.plan;
        self.optional(&mut plan.timestamp);
        self.optional(&mut plan.format_version);
        self.optional(&mut plan.terraform_version);
        summary
    }

    /// Calls `pass` with the sink and a record without secret names.
    fn safe(
        &mut self,
        record: &Record<'_>,
        pass: impl FnOnce(&mut dyn Sink, &Record<'_>) -> Result<()>,
    ) -> Result<()> {
        match record {
            Record::Summary(summary) => {
                let summary = self.summary(summary);
                return pass(self.sink, &Record::Summary(&summary));
            }
            Record::Plan(plan) => {
                let versions = [plan.terraform_version, plan.format_version];
                let [version, format] = versions.map(|text| text.map(|text| self.texts.show(text)));
                return pass(
                    self.sink,
                    &Record::Plan(Plan {
                        terraform_version: version.as_deref(),
                        format_version: format.as_deref(),
                        ..plan.clone()
                    }),
                );
            }
            _ => {}
        }
        let mut record = record.clone();
        match &mut record {
            Record::ResourceChange(change) => self.change(change, None),
            Record::ResourceDrift(change) | Record::DeferredChange(change) => {
                let address = change.resource.address.clone();
                self.change(change, address.as_deref());
            }
            Record::OutputChange(output) => {
                self.name(&mut output.name);
                self.name(&mut output.action);
                self.change_paths(&mut output.paths, None);
                attributes(&mut output.attributes.list);
            }
            Record::Check(check) => {
                self.name(&mut check.address);
                self.name(&mut check.status);
                // The view has masked the secrets in the messages.
            }
            Record::ActionInvocation(invoked) | Record::DeferredActionInvocation(invoked) => {
                self.invocation(invoked);
            }
            Record::FailedAssertion(failed) => self.assertion(failed),
            _ => {}
        }
        pass(self.sink, &record)
    }
}

/// Makes the hidden characters of paths visible. The view has masked their secrets.
fn attributes(list: &mut [Attribute]) {
    for attribute in list {
        attribute.path = visible(&attribute.path);
    }
}

impl Sink for SafeNames<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.safe(record, |sink, record| sink.record(record))
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.safe(record, |sink, record| sink.unseen(record))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        self.sink.hidden(hidden)
    }

    fn state(&mut self, label: Label<'_>, state_counts: &StateCounts) -> Result<()> {
        self.sink.state(label, state_counts)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }

    fn waiting_max(&self) -> u64 {
        self.sink.waiting_max()
    }
}
