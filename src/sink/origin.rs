//! Finds the blocks of a plan's objects in the source files of the configuration.
//!
//! A plan does not name source files, so code that has the files implements [`Origins`].
//! [`Located`] adds origins to the records. Formats that annotate files look origins up themselves.

use std::rc::Rc;

use super::Sink;
pub use crate::config::Location;
use crate::error::{Error, Result};
use crate::inert::visible;
use crate::json::string::quoted;
use crate::record::holdings::Holdings;
use crate::record::{Hidden, JsonText, Label, Record, Rendered, ResourceChange};

/// The origin of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A block, and the module calls that lead to it, outermost first.
    Block(Location, Vec<Location>),
    /// The object has no block, for this reason.
    Missing(Missing),
}

/// The reason why an object has no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The block was removed, so the plan deletes or forgets the object.
    Removed,
    /// The tool generates the block from an imported object.
    Generated,
    /// The files have no such block.
    Unknown,
}

impl Origin {
    /// Returns the location of the block.
    pub fn location(&self) -> Option<&Location> {
        match self {
            Origin::Block(location, _) => Some(location),
            Origin::Missing(_) => None,
        }
    }

    /// Returns the file and the line of the block, or the reason why there is none, in words for
    /// people.
    pub(super) fn words(&self) -> String {
        match self {
            Origin::Block(Location { file, line, .. }, _) => visible(&format!("{file}:{line}")),
            Origin::Missing(Missing::Removed) => "block removed".to_owned(),
            Origin::Missing(Missing::Generated) => "block generated".to_owned(),
            Origin::Missing(Missing::Unknown) => "no block".to_owned(),
        }
    }

    /// Returns the value of the member `source` in records, as JSON.
    pub fn json(&self) -> String {
        match self {
            Origin::Block(block, calls) if calls.is_empty() => format!("{{{}}}", block.members()),
            Origin::Block(block, calls) => {
                let calls = calls.iter().map(|call| format!("{{{}}}", call.members()));
                let calls = calls.collect::<Vec<_>>().join(",");
                format!("{{{},\"module_calls\":[{calls}]}}", block.members())
            }
            Origin::Missing(missing) => {
                let word = match missing {
                    Missing::Removed => "removed",
                    Missing::Generated => "generated",
                    Missing::Unknown => "unknown",
                };
                format!(r#"{{"missing":"{word}"}}"#)
            }
        }
    }
}

impl Location {
    fn members(&self) -> String {
        let Location { file, line, column, end_line } = self;
        let file = quoted(file);
        format!(r#""file":{file},"line":{line},"column":{column},"end_line":{end_line}"#)
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
        Origin::Missing(_) => Origin::Missing(missing(change)),
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

    fn text(&self, address: &str) -> Option<JsonText<'static>> {
        self.origins.find(address).map(|origin| JsonText::new(origin.json()))
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
                let origin = of_change(&*self.origins, change);
                change.source = origin.map(|origin| JsonText::new(origin.json()));
            }
            Record::OutputChange(output) => {
                output.source = self.text(&format!("output.{}", output.name));
            }
            Record::Check(check) => check.source = self.text(&check.address),
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

    fn state(&mut self, label: Label<'_>, holdings: &Holdings) -> Result<()> {
        self.sink.state(label, holdings)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_an_object_of_json() {
        let at = |file: &str, line| Location { file: file.into(), line, column: 1, end_line: 9 };
        let block = Origin::Block(at("m/a\"b.tf", 3), vec![at("main.tf", 7)]);
        let text = concat!(
            r#"{"file":"m/a\"b.tf","line":3,"column":1,"end_line":9,"#,
            r#""module_calls":[{"file":"main.tf","line":7,"column":1,"end_line":9}]}"#,
        );
        assert_eq!(block.json(), text);
        assert_eq!(Origin::Missing(Missing::Removed).json(), r#"{"missing":"removed"}"#);
    }
}
