//! Keeps the other records of a plan until its `plan` record, which comes first, can be written.

use std::borrow::Cow;
use std::io;

use super::{
    ActionInvocation, ChangePaths, Check, JsonText, OutputChange, Record, RelevantAttribute,
    ResourceChange, ResourceName, Sink,
};
use plansift_core::error::Result;
use plansift_core::path::Paths;

/// The waiting records, as owned copies.
#[derive(Debug, Default)]
pub(super) struct PendingRecords {
    records: Vec<Record<'static>>,
    /// Estimated memory of the records, in bytes.
    bytes: u64,
}

impl PendingRecords {
    /// Keeps a copy of a record. Returns `false` if the record cannot wait, because it has no copy
    /// or the records would take `max` bytes or more. The caller must then release the records.
    pub(super) fn push(&mut self, record: &Record<'_>, max: u64) -> bool {
        self.bytes += weight(record);
        let copy = owned(record).filter(|_| self.bytes < max);
        let is_kept = copy.is_some();
        self.records.extend(copy);
        is_kept
    }

    /// Sends all waiting records to the sink.
    pub(super) fn release(&mut self, sink: &mut dyn Sink) -> Result<()> {
        self.bytes = 0;
        std::mem::take(&mut self.records).iter().try_for_each(|record| sink.record(record))
    }
}

/// Estimates the memory of an owned record, in bytes. The estimate for its strings and paths is
/// four times the length of the record in JSON.
pub fn weight(record: &Record<'_>) -> u64 {
    let mut length = Length(0);
    // This cannot fail: counting bytes never fails, and all keys of a record are strings.
    let _ = serde_json::to_writer(&mut length, record);
    size_of::<Record<'static>>() as u64 + 4 * length.0 + attributes_size(record)
}

/// Returns the memory of the attributes of a record, in bytes.
fn attributes_size(record: &Record<'_>) -> u64 {
    match record {
        Record::OutputChange(output) => output.attributes.size(),
        Record::ActionInvocation(invocation) | Record::DeferredActionInvocation(invocation) => {
            invocation.attributes.size()
        }
        record => record.resource().map_or(0, |change| change.attributes.size()),
    }
}

/// A writer that only counts bytes.
struct Length(u64);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Copies the record of a row of a plan; `None` for other records. A record without a copy does not
/// wait: the reading thread writes it at once.
pub fn owned(record: &Record<'_>) -> Option<Record<'static>> {
    Some(match record {
        Record::ResourceChange(change) => Record::ResourceChange(owned_change(change)),
        Record::ResourceDrift(change) => Record::ResourceDrift(owned_change(change)),
        Record::DeferredChange(change) => Record::DeferredChange(owned_change(change)),
        Record::OutputChange(change) => Record::OutputChange(OutputChange {
            name: owned_text(&change.name),
            action: owned_text(&change.action),
            actions: owned_list(&change.actions),
            paths: owned_paths(&change.paths),
            source: change.source.clone(),
            attributes: change.attributes.clone(),
        }),
        Record::Check(check) => Record::Check(Check {
            address: owned_text(&check.address),
            check_kind: check.check_kind.as_deref().map(owned_text),
            status: owned_text(&check.status),
            problems: owned_list(&check.problems),
            source: check.source.clone(),
        }),
        Record::ActionInvocation(invocation) => {
            Record::ActionInvocation(owned_invocation(invocation))
        }
        Record::DeferredActionInvocation(invocation) => {
            Record::DeferredActionInvocation(owned_invocation(invocation))
        }
        Record::RelevantAttribute(relevant) => Record::RelevantAttribute(RelevantAttribute {
            resource: owned_text(&relevant.resource),
            attribute: relevant.attribute.as_deref().map(owned_text),
        }),
        Record::FailedAssertion(failed) => Record::FailedAssertion(failed.owned()),
        _ => return None,
    })
}

fn owned_change(change: &ResourceChange<'_>) -> ResourceChange<'static> {
    ResourceChange {
        resource: ResourceName {
            address: change.resource.address.as_deref().map(owned_text),
            previous_address: change.resource.previous_address.as_deref().map(owned_text),
            module_address: change.resource.module_address.as_deref().map(owned_text),
            mode: change.resource.mode.as_deref().map(owned_text),
            type_name: change.resource.type_name.as_deref().map(owned_text),
            name: change.resource.name.as_deref().map(owned_text),
            index: change.resource.index.as_ref().map(JsonText::owned),
            deposed: change.resource.deposed.as_deref().map(owned_text),
            provider_name: change.resource.provider_name.as_deref().map(owned_text),
        },
        action: owned_text(&change.action),
        actions: owned_list(&change.actions),
        action_reason: change.action_reason.as_deref().map(owned_text),
        deferred_reason: change.deferred_reason.as_deref().map(owned_text),
        paths: owned_paths(&change.paths),
        replace_paths: owned_path_list(&change.replace_paths),
        importing: change.importing.as_ref().map(JsonText::owned),
        generated_config: change.generated_config,
        block: change.block.clone(),
        source: change.source.clone(),
        attributes: change.attributes.clone(),
    }
}

fn owned_paths(paths: &ChangePaths<'_>) -> ChangePaths<'static> {
    ChangePaths {
        changed: owned_path_list(&paths.changed),
        unknown: owned_path_list(&paths.unknown),
        sensitive: owned_path_list(&paths.sensitive),
        sensitive_added: owned_path_list(&paths.sensitive_added),
        sensitive_removed: owned_path_list(&paths.sensitive_removed),
    }
}

fn owned_path_list(list: &Paths) -> Cow<'static, Paths> {
    Cow::Owned(list.clone())
}

fn owned_invocation(invocation: &ActionInvocation<'_>) -> ActionInvocation<'static> {
    ActionInvocation {
        address: owned_text(&invocation.address),
        type_name: invocation.type_name.as_deref().map(owned_text),
        name: invocation.name.as_deref().map(owned_text),
        trigger: invocation.trigger,
        triggering_address: invocation.triggering_address.as_deref().map(owned_text),
        deferred_reason: invocation.deferred_reason.as_deref().map(owned_text),
        timing: invocation.timing,
        attributes: invocation.attributes.clone(),
    }
}

fn owned_text(text: &str) -> Cow<'static, str> {
    Cow::Owned(text.to_owned())
}

fn owned_list(list: &[Cow<'_, str>]) -> Cow<'static, [Cow<'static, str>]> {
    Cow::Owned(list.iter().map(|text| owned_text(text)).collect())
}
