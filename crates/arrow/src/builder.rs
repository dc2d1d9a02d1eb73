//! Turns records into the cells of a table.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Int64Builder, ListBuilder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use serde_json::value::RawValue;

use crate::fault::LargeRow;
use crate::table::{Cells, PATH_LISTS, PATHS, Table};
use plansift_core::error::{Error, Result};
use plansift_plan::sink::write_error;

/// The members of a record, as JSON text.
pub type Members<'a> = BTreeMap<&'a str, &'a RawValue>;

/// Receives a batch of a table.
pub type Receiver<'a> = dyn FnMut(&Table, RecordBatch) -> Result<()> + 'a;

/// The rows after which a batch ends.
const ROWS: usize = 8192;
/// The bytes of cells after which a batch ends. Cells count as JSON text.
const BYTES: usize = 4 << 20;
/// The maximum size of a row. The largest batch has one byte less than `BYTES`, and such a row: as
/// many bytes as the 32-bit offsets of a column can count.
const ROW_MAX: usize = i32::MAX as usize - (BYTES - 1);

/// The rows of a table that are not yet a batch.
pub struct TableBuilder {
    table: Table,
    schema: SchemaRef,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    /// The bytes of the cells of the rows.
    bytes: usize,
    /// The maximum size of a row, in bytes. Only tests change it.
    pub(crate) row_max: usize,
}

/// The cells of all tables that do not come from the record itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Common<'a> {
    /// The input of the document.
    pub source: &'a str,
    /// The workspace of the document.
    pub workspace: Option<&'a str>,
    /// The version of the record format.
    pub schema_version: u32,
}

enum ColumnBuilder {
    Text(StringBuilder),
    Json(StringBuilder),
    Integer(Int64Builder),
    Boolean(BooleanBuilder),
    Texts(ListBuilder<StringBuilder>),
    Time(TimestampMicrosecondBuilder),
}

impl TableBuilder {
    /// No rows of a table.
    pub fn new(table: Table) -> TableBuilder {
        let fields = table
            .columns
            .iter()
            .map(|column| Field::new(&column.name, data_type(column.cells), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let columns = table.columns.iter().map(|column| ColumnBuilder::new(column.cells)).collect();
        TableBuilder { table, schema, columns, rows: 0, bytes: 0, row_max: ROW_MAX }
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The Arrow schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Adds the row or rows of a record. Sends each batch that is full to `receiver`.
    ///
    /// # Errors
    ///
    /// Fails with [`LargeRow`] if a row is too large, if a field does not have the type that the
    /// schema of the records gives it, or if `receiver` fails.
    pub fn add(
        &mut self,
        common: Common<'_>,
        record: &Members<'_>,
        receiver: &mut Receiver<'_>,
    ) -> Result<()> {
        if self.table.name == PATHS {
            return self.add_paths(common, record, receiver);
        }
        let renamed = self.table.renamed.iter().filter_map(|(field, start)| {
            let value = *record.get(field.as_str())?;
            Some((start.clone(), value, serde_json::from_str::<Members<'_>>(value.get())))
        });
        let renamed: Vec<_> = renamed.collect();
        let member = |name: &str| {
            renamed.iter().find_map(|(start, value, inner)| {
                let rest = name.strip_prefix(start.as_str())?;
                match inner {
                    Ok(inner) => inner.get(rest.strip_prefix('_')?).copied(),
                    Err(_) => rest.is_empty().then_some(*value),
                }
            })
        };
        self.row(common, |name| record.get(name).copied().or_else(|| member(name)), receiver)
    }

    /// Adds a row. `cells` has the cells by the names of their columns. Sends a batch that is full
    /// to `receiver`.
    ///
    /// # Errors
    ///
    /// Fails with [`LargeRow`] if the row is too large, if a cell does not have the type of its
    /// column, or if `receiver` fails.
    pub fn add_row(
        &mut self,
        common: Common<'_>,
        cells: &Members<'_>,
        receiver: &mut Receiver<'_>,
    ) -> Result<()> {
        self.row(common, |name| cells.get(name).copied(), receiver)
    }

    fn row<'v>(
        &mut self,
        common: Common<'_>,
        cell: impl Fn(&str) -> Option<&'v RawValue>,
        receiver: &mut Receiver<'_>,
    ) -> Result<()> {
        let cells = self.table.columns.iter().map(|column| match column.name.as_str() {
            "source" | "workspace" | "schema_version" => None,
            name => cell(name),
        });
        let cells: Vec<Option<&RawValue>> = cells.collect();
        let bytes: usize = cells.iter().flatten().map(|value| value.get().len()).sum();
        let bytes = bytes + common.source.len() + common.workspace.map_or(0, str::len);
        if bytes > self.row_max {
            return Err(Error::new(LargeRow { table: self.table.name, max: self.row_max }));
        }
        for ((column, builder), cell) in self.table.columns.iter().zip(&mut self.columns).zip(cells)
        {
            match column.name.as_str() {
                "source" => builder.text(Some(common.source)),
                "workspace" => builder.text(common.workspace),
                "schema_version" => builder.integer(i64::from(common.schema_version)),
                _ => builder.set(cell)?,
            }
        }
        self.bytes += bytes;
        self.rows += 1;
        if self.rows < ROWS && self.bytes < BYTES {
            return Ok(());
        }
        let batch = self.take()?;
        receiver(&self.table, batch)
    }

    /// Adds a row for each path of a change.
    fn add_paths(
        &mut self,
        common: Common<'_>,
        record: &Members<'_>,
        receiver: &mut Receiver<'_>,
    ) -> Result<()> {
        // For each path, whether it is in each list.
        let mut paths: BTreeMap<&str, [bool; PATH_LISTS.len()]> = BTreeMap::new();
        for (number, list) in PATH_LISTS.iter().enumerate() {
            let Some(value) = record.get(list) else { continue };
            for path in serde_json::from_str::<Vec<&RawValue>>(value.get()).map_err(write_error)? {
                paths.entry(path.get()).or_default()[number] = true;
            }
        }
        let [yes, no] = ["true", "false"].map(serde_json::from_str::<&RawValue>);
        let (yes, no) = (yes.map_err(write_error)?, no.map_err(write_error)?);
        for (path, lists) in paths {
            let path: &RawValue = serde_json::from_str(path).map_err(write_error)?;
            let list = |name: &str| PATH_LISTS.iter().position(|list| *list == name);
            let cell = |name: &str| match list(name) {
                Some(number) => Some(if lists[number] { yes } else { no }),
                None if name == "path" => Some(path),
                None => record.get(name).copied(),
            };
            self.row(common, cell, receiver)?;
        }
        Ok(())
    }

    /// Takes the rows as a batch.
    ///
    /// # Errors
    ///
    /// Fails if the columns differ in length.
    pub fn take(&mut self) -> Result<RecordBatch> {
        let columns = self.columns.iter_mut().map(ColumnBuilder::finish).collect();
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new_with_options(self.schema(), columns, &options)
            .map_err(|error| write_error(std::io::Error::other(error)))
    }
}

fn data_type(cells: Cells) -> DataType {
    match cells {
        Cells::Text | Cells::Json => DataType::Utf8,
        Cells::Integer => DataType::Int64,
        Cells::Boolean => DataType::Boolean,
        Cells::Texts => DataType::new_list(DataType::Utf8, true),
        Cells::Time => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
    }
}

impl ColumnBuilder {
    fn new(cells: Cells) -> ColumnBuilder {
        match cells {
            Cells::Text => ColumnBuilder::Text(StringBuilder::new()),
            Cells::Json => ColumnBuilder::Json(StringBuilder::new()),
            Cells::Integer => ColumnBuilder::Integer(Int64Builder::new()),
            Cells::Boolean => ColumnBuilder::Boolean(BooleanBuilder::new()),
            Cells::Texts => ColumnBuilder::Texts(ListBuilder::new(StringBuilder::new())),
            Cells::Time => {
                ColumnBuilder::Time(TimestampMicrosecondBuilder::new().with_timezone("UTC"))
            }
        }
    }

    fn text(&mut self, text: Option<&str>) {
        if let ColumnBuilder::Text(builder) = self {
            builder.append_option(text);
        }
    }

    fn integer(&mut self, number: i64) {
        if let ColumnBuilder::Integer(builder) = self {
            builder.append_value(number);
        }
    }

    /// Adds the cell of a field; `None` is null.
    fn set(&mut self, value: Option<&RawValue>) -> Result<()> {
        let json = value.map(RawValue::get);
        match self {
            ColumnBuilder::Text(builder) => builder.append_option(parsed::<Cow<'_, str>>(json)?),
            ColumnBuilder::Json(builder) => builder.append_option(json),
            ColumnBuilder::Integer(builder) => builder.append_option(parsed::<i64>(json)?),
            ColumnBuilder::Boolean(builder) => builder.append_option(parsed::<bool>(json)?),
            ColumnBuilder::Texts(builder) => {
                let texts = parsed::<Vec<String>>(json)?;
                builder.append_option(texts.map(|texts| texts.into_iter().map(Some)));
            }
            ColumnBuilder::Time(builder) => {
                let text = parsed::<Cow<'_, str>>(json)?;
                builder.append_option(text.and_then(|text| microseconds(&text)));
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            ColumnBuilder::Text(builder) | ColumnBuilder::Json(builder) => {
                ArrayBuilder::finish(builder)
            }
            ColumnBuilder::Integer(builder) => ArrayBuilder::finish(builder),
            ColumnBuilder::Boolean(builder) => ArrayBuilder::finish(builder),
            ColumnBuilder::Texts(builder) => ArrayBuilder::finish(builder),
            ColumnBuilder::Time(builder) => ArrayBuilder::finish(builder),
        }
    }
}

/// The time as microseconds since 1970; `None` if the text is not a time.
fn microseconds(text: &str) -> Option<i64> {
    chrono::DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_micros())
}

fn parsed<'a, T: serde::Deserialize<'a>>(json: Option<&'a str>) -> Result<Option<T>> {
    json.map(serde_json::from_str).transpose().map_err(write_error)
}
