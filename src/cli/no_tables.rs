//! Refuses to write tables, in a build without the feature `tables`. Has the items of `tables.rs`.

use std::path::Path;

use super::args::Batch;
use super::exit::Exit;
use super::messages::usage;
use super::output::Output;
use plansift_fleet::batch::folder::Folder;
use plansift_plan::record::Sink;

/// The commands that write the same kinds of records.
#[derive(Clone, Copy, Debug)]
pub enum Family {
    Changes,
    Contents,
    Configuration,
    Audit,
}

/// Refuses `--format parquet`.
pub fn open(
    _: Option<&Path>,
    _: Family,
    _: impl Fn(&str) -> bool,
) -> Result<(Box<dyn Sink>, Output), Exit> {
    Err(refuse())
}

/// The part files of a batch. This build cannot write any.
pub enum PartFiles {}

impl PartFiles {
    /// Refuses `--tables`.
    pub fn of(arguments: &Batch) -> Result<Option<PartFiles>, Exit> {
        arguments.tables.as_ref().map(|_| Err(refuse())).transpose()
    }

    /// Writes nothing: there is no value of this type.
    pub fn write(&self, _: &Folder) -> Result<(), Exit> {
        match *self {}
    }
}

fn refuse() -> Exit {
    usage("this build of plansift has no tables: build it with `--features tables`")
}
