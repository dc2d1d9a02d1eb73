//! The output of `--format parquet`: a folder with one file for each table.

use std::path::Path;

use super::exit::Exit;
use super::output::Output;
use plansift_plan::record::Sink;

#[cfg(feature = "tables")]
pub use plansift_arrow::table::Family;

/// The commands that write the same kinds of records.
#[cfg(not(feature = "tables"))]
#[derive(Clone, Copy, Debug)]
pub enum Family {
    Changes,
    Contents,
    Configuration,
    Audit,
}

/// Opens the files of the tables of a command in a folder, and a sink that writes them.
/// `is_written` says which tables the command writes. If that fails, prints the error.
#[cfg(feature = "tables")]
pub fn open(
    folder: Option<&Path>,
    family: Family,
    is_written: impl Fn(&str) -> bool,
) -> Result<(Box<dyn Sink>, Output), Exit> {
    use super::messages::{fail, usage};
    use plansift_arrow::parquet::ParquetFiles;
    use plansift_arrow::tables::Tables;

    let Some(folder) = folder.filter(|folder| *folder != Path::new("-")) else {
        return Err(usage("--format parquet writes a file for each table: name a folder with -o"));
    };
    let opened = || {
        let mut tables = family.tables();
        tables.retain(|table| is_written(table.name));
        let mut outputs = Output::folder(folder)?;
        let files = ParquetFiles::new(&tables, |table| {
            outputs.add(&folder.join(format!("{}.parquet", table.name)))
        })?;
        let sink: Box<dyn Sink> = Box::new(Tables::new(tables, files));
        Ok((sink, Output::Folder(outputs)))
    };
    opened().map_err(|error| fail(Some(folder), &error))
}

/// Refuses to write tables, because this build of the program cannot.
#[cfg(not(feature = "tables"))]
pub fn open(
    _: Option<&Path>,
    _: Family,
    _: impl Fn(&str) -> bool,
) -> Result<(Box<dyn Sink>, Output), Exit> {
    let text = "this build of plansift has no tables: build it with `--features tables`";
    Err(super::messages::usage(text))
}
