//! Finds the blocks of a plan's objects in the source files of the configuration.
//!
//! A plan does not name source files, so code that has the files implements [`Origins`].
//! [`Located`] adds origins to the records. Formats that annotate files look origins up themselves.

use std::rc::Rc;

use super::Sink;
use plansift_core::error::{Error, Result};
use plansift_core::inert::visible;
pub use plansift_plan::config::{BlockLocation, Location, Missing, Origin};
use plansift_plan::record::state_counts::StateCounts;
use plansift_plan::record::{Hidden, Label, Record, Rendered, ResourceChange};

/// Returns the file and the line of a block, or the reason why there is none, in words for people.
pub(super) fn words(origin: &Origin) -> String {
    match origin {
        Origin::Block(BlockLocation { location: Location { file, line, .. }, .. }) => {
            visible(&format!("{file}:{line}"))
        }
        Origin::Missing { missing: Missing::Removed } => "block removed".to_owned(),
        Origin::Missing { missing: Missing::Generated } => "block generated".to_owned(),
        Origin::Missing { missing: Missing::Unknown } => "no block".to_owned(),
    }
}

/// Finds the origins of objects.
pub trait Origins {
    /// Begins the plan that was read from the input `source`.
    ///
    /// # Errors
    ///
    /// Fails if the plan has files that cannot be read.
    fn begin(&self, source: &str) -> Result<()>;

    /// Whether the files of the current plan are known.
    fn has_files(&self) -> bool;

    /// Returns the origin of an address, without regard to the change. `None` if the files are not
    /// known.
    fn find(&self, address: &str) -> Option<Origin>;
}

/// Optional origins that several sinks share.
pub type SharedOrigins = Option<Rc<dyn Origins>>;

/// Returns the origin of a changed object. The reason for a missing block comes from the change.
pub(super) fn of_change(origins: &dyn Origins, change: &ResourceChange<'_>) -> Option<Origin> {
    let origin = origins.find(change.resource.address.as_deref()?)?;
    Some(match origin {
        Origin::Missing { .. } => Origin::Missing { missing: missing(change) },
        block => block,
    })
}

/// Returns the location of the first address that has a block.
pub(super) fn first_location(origins: &SharedOrigins, names: &[String]) -> Option<Location> {
    let origins = origins.as_ref()?;
    names.iter().find_map(|name| origins.find(name)?.location().cloned())
}

/// A sink that adds origins to the records of changes, outputs and checks, and passes all records
/// on.
pub struct Located<'s> {
    sink: Box<dyn Sink + 's>,
    origins: Rc<dyn Origins>,
    adds: bool,
}

impl<'s> Located<'s> {
    /// Passes records to `sink`.
    pub fn new(sink: Box<dyn Sink + 's>, origins: Rc<dyn Origins>) -> Located<'s> {
        Located { sink, origins, adds: true }
    }

    /// Leaves the records unchanged, for a sink that looks origins up itself.
    pub fn without_members(self) -> Located<'s> {
        Located { adds: false, ..self }
    }

    /// Whether the records of the current plan get origins.
    fn adds_members(&self) -> bool {
        self.adds && self.origins.has_files()
    }

    fn find(&self, address: &str) -> Option<Box<Origin>> {
        self.origins.find(address).map(Box::new)
    }
}

/// Returns the reason why a change has no block.
fn missing(change: &ResourceChange<'_>) -> Missing {
    let has = |word: &str| change.actions.iter().any(|action| action == word);
    if change.generated_config {
        Missing::Generated
    } else if (has("delete") || has("forget")) && !has("create") {
        Missing::Removed
    } else {
        Missing::Unknown
    }
}

impl Sink for Located<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if let Record::Plan(plan) = record {
            self.origins.begin(plan.source)?;
        }
        if !self.adds_members() {
            return self.sink.record(record);
        }
        let mut located = match record {
            Record::ResourceChange(_)
            | Record::ResourceDrift(_)
            | Record::DeferredChange(_)
            | Record::OutputChange(_)
            | Record::Check(_) => record.clone(),
            _ => return self.sink.record(record),
        };
        match &mut located {
            Record::ResourceChange(change)
            | Record::ResourceDrift(change)
            | Record::DeferredChange(change) => {
                change.source = of_change(&*self.origins, change).map(Box::new);
            }
            Record::OutputChange(output) => {
                output.source = self.find(&format!("output.{}", output.name));
            }
            Record::Check(check) => check.source = self.find(&check.address),
            _ => {}
        }
        self.sink.record(&located)
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

    fn as_rendered(&mut self) -> Option<&mut dyn Rendered> {
        if self.adds_members() { None } else { self.sink.as_rendered() }
    }
}
