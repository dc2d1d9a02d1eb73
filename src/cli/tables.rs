//! Tables as Parquet files: `--format parquet`, and the option `--tables` of `batch`. A build
//! without the feature `tables` has `no_tables.rs` instead.

use std::path::{Path, PathBuf};

use super::args::Batch;
use super::exit::Exit;
use super::messages::{fail, usage};
use super::output::{self, Output};
use plansift_arrow::parquet::{ParquetFiles, RowOrder};
use plansift_arrow::part::{Day, Part};
use plansift_arrow::tables::{Tables, Unread};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_fleet::batch::folder::Folder;
use plansift_fleet::batch::records::{self, Item};
use plansift_plan::record::Sink;
use plansift_report::Form;

pub use plansift_arrow::table::Family;

/// Opens the files of the tables of a command in a folder, and a sink that writes them.
/// `is_written` says which tables the command writes. If that fails, prints the error.
pub fn open(
    folder: Option<&Path>,
    family: Family,
    is_written: impl Fn(&str) -> bool,
) -> std::result::Result<(Box<dyn Sink>, Output), Exit> {
    let Some(folder) = folder.filter(|folder| *folder != Path::new("-")) else {
        return Err(usage("--format parquet writes a file for each table: name a folder with -o"));
    };
    let opened = || {
        let mut tables = family.tables();
        tables.retain(|table| is_written(table.name));
        let mut outputs = Output::folder(folder)?;
        let files = ParquetFiles::new(&tables, RowOrder::Records, |table| {
            outputs.add(&folder.join(format!("{}.parquet", table.name)))
        })?;
        let sink: Box<dyn Sink> = Box::new(Tables::new(tables, files));
        Ok((sink, Output::Folder(outputs)))
    };
    opened().map_err(|error| fail(Some(folder), &error))
}

/// The part files of a batch, one for each table.
pub struct PartFiles {
    folder: PathBuf,
    part: Part,
}

impl PartFiles {
    /// Returns the files that `--tables` asks for. Prints the error if these options are wrong, or
    /// if the folder has files of another division into shards.
    pub fn of(arguments: &Batch) -> std::result::Result<Option<PartFiles>, Exit> {
        let Some(folder) = arguments.tables.clone() else { return Ok(None) };
        if arguments.form.format != Form::Ndjson {
            return Err(usage("--tables reads the records as NDJSON: leave out --format"));
        }
        let day = match &arguments.date {
            None => Day::today(),
            Some(text) => Day::parse(text).ok_or_else(|| {
                usage(&format!("--date {text}: this is not a day: write it like 2026-11-28"))
            })?,
        };
        let shard = arguments.shard;
        let part = Part { day, number: shard.number, count: shard.count };
        for table in Family::Changes.tables() {
            let other = part.other_division(&folder, table.name);
            let other = other.map_err(|error| fail(Some(&folder), &Error::read(error)))?;
            if let Some(other) = other {
                return Err(usage(&format!(
                    "{}: this file comes from a run with another --shard: remove the tables of \
                     {day}, or name another folder or --date",
                    other.display()
                )));
            }
        }
        Ok(Some(PartFiles { folder, part }))
    }

    /// Writes the tables of a batch that reached its end. The files appear when all are complete.
    /// If that fails, prints the error.
    pub fn write(&self, batch: &Folder) -> std::result::Result<(), Exit> {
        self.write_files(batch).map_err(|error| {
            let is_output = error.kind() == ErrorKind::Write;
            fail(Some(if is_output { &self.folder } else { batch.path() }), &error)
        })
    }

    fn write_files(&self, batch: &Folder) -> Result<()> {
        let tables = Family::Changes.tables();
        let mut outputs = Output::folder(&self.folder)?;
        let files = ParquetFiles::new(&tables, RowOrder::Workspace, |table| {
            let path = self.part.path(&self.folder, table.name);
            output::Folder::remove_unfinished(&path)?;
            outputs.add(&path)
        })?;
        let mut tables = Tables::new(tables, files);
        records::read(batch, &mut |item| match item {
            Item::Line(line) => tables.line(line),
            Item::Failed(label, error) => {
                tables.unread(Unread { label, status: "failed", error: Some(error) })
            }
            Item::Pending(label) => tables.unread(Unread { label, status: "pending", error: None }),
        })?;
        tables.finish()?;
        drop(tables);
        Output::Folder(outputs).finish()
    }
}
