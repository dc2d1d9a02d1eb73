//! Adds to resource changes what the configuration says about their resources.

use super::Sink;
use crate::loss;
use crate::short::short;
use plansift_core::error::{Error, Result};
use plansift_plan::config::{Blocks, element_address};
use plansift_plan::record::state_counts::StateCounts;
use plansift_plan::record::{Attribute, Hidden, Impact, Impacts, Label, Record, Shown};

/// What to add to the changes of a plan.
#[derive(Clone, Copy)]
pub enum Addition<'s> {
    /// The block of each resource.
    Blocks(&'s Blocks),
    /// What depends on the resources that are destroyed, replaced or forgotten, and where unknown
    /// values come from.
    Impacts(&'s Impacts),
}

/// A sink that adds something to the changes of one plan, and passes all records on.
pub struct Joined<'s> {
    sink: &'s mut dyn Sink,
    addition: Addition<'s>,
    /// The last resource with an impact, and the impact. Its other instances share it.
    last: Option<(String, Impact)>,
}

impl<'s> Joined<'s> {
    /// Wraps `sink`. The `addition` must come from the plan whose records follow.
    pub fn new(sink: &'s mut dyn Sink, addition: Addition<'s>) -> Joined<'s> {
        Joined { sink, addition, last: None }
    }

    /// Returns the impact of a loss, with short names.
    fn impact(&mut self, impacts: &Impacts, address: &str) -> Impact {
        let resource = element_address(address);
        if let Some((last, impact)) = &self.last
            && *last == resource
        {
            return impact.clone();
        }
        let mut impact = impacts.of(address);
        let dependents = impact.dependents.iter_mut();
        let names = dependents.flat_map(|it| [&mut it.address, &mut it.through]);
        for name in names.chain(&mut impact.unread) {
            *name = short(name).into_owned();
        }
        self.last = Some((resource, impact.clone()));
        impact
    }
}

/// Names what an unknown value comes from, if the configuration says it.
fn name_origin(attribute: &mut Attribute, impacts: &Impacts, address: &str) {
    if attribute.after == Shown::Unknown
        && let Some(references) = impacts.origins.of(address, &attribute.path)
    {
        attribute.after = Shown::UnknownFrom(short(&references).into());
    }
}

impl Sink for Joined<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let Some(change) = record.resource() else { return self.sink.record(record) };
        let address = change.label();
        let address = match (&change.resource.address, &change.resource.module_address) {
            // Drift of Terraform 1.0 has no address.
            (None, Some(module)) => format!("{module}.{address}").into(),
            _ => address,
        };
        // The resource stays if the plan destroys only a deposed object of it.
        let is_lost = matches!(record, Record::ResourceChange(_))
            && loss::rank(change).is_some()
            && change.resource.deposed.is_none();
        let has_unknown = || change.attributes.list.iter().any(|it| it.after == Shown::Unknown);
        if matches!(self.addition, Addition::Impacts(_)) && !is_lost && !has_unknown() {
            return self.sink.record(record);
        }
        let mut joined = record.clone();
        let Some(added) = joined.resource_mut() else { return self.sink.record(record) };
        match self.addition {
            Addition::Blocks(blocks) => added.block = Some(Box::new(blocks.block(&address))),
            Addition::Impacts(impacts) => {
                added.impact = is_lost.then(|| Box::new(self.impact(impacts, &address)));
                for attribute in &mut added.attributes.list {
                    name_origin(attribute, impacts, &address);
                }
            }
        }
        self.sink.record(&joined)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.sink.unseen(record)
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
