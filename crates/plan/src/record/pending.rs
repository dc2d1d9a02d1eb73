//! Keeps the other records of a plan until its `plan` record, which comes first, can be written.

use std::io;

use super::{Owned, Record, Sink};
use plansift_core::error::Result;

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

    /// Whether no record waits.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
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
    if let Some(impact) = record.resource().and_then(|change| change.impact.as_ref()) {
        let _ = serde_json::to_writer(&mut length, impact);
    }
    let documents = record.resource().and_then(|change| change.documents.as_ref());
    let documents = documents.map_or(0, |documents| documents.size());
    size_of::<Record<'static>>() as u64 + 4 * length.0 + attributes_size(record) + documents
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
        Record::ResourceChange(change) => Record::ResourceChange(change.owned()),
        Record::ResourceDrift(change) => Record::ResourceDrift(change.owned()),
        Record::DeferredChange(change) => Record::DeferredChange(change.owned()),
        Record::OutputChange(change) => Record::OutputChange(change.owned()),
        Record::Check(check) => Record::Check(check.owned()),
        Record::ActionInvocation(invocation) => Record::ActionInvocation(invocation.owned()),
        Record::DeferredActionInvocation(invocation) => {
            Record::DeferredActionInvocation(invocation.owned())
        }
        Record::RelevantAttribute(relevant) => Record::RelevantAttribute(relevant.owned()),
        Record::FailedAssertion(failed) => Record::FailedAssertion(failed.owned()),
        _ => return None,
    })
}
