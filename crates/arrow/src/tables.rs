//! A sink that turns records into batches of tables.

use arrow_array::RecordBatch;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::builder::{Common, Members, TableBuilder};
use crate::table::Table;
use plansift_core::error::{Error, Result};
use plansift_core::inert;
use plansift_plan::record::{Label, Record, SCHEMA_VERSION, Sink};
use plansift_plan::sink::write_error;

/// Receives the batches of all tables.
pub trait BatchConsumer {
    /// Takes the next batch of a table.
    ///
    /// # Errors
    ///
    /// Fails if the output fails.
    fn batch(&mut self, table: &Table, batch: RecordBatch) -> Result<()>;

    /// Writes the end of the output.
    ///
    /// # Errors
    ///
    /// Fails if the output fails.
    fn finish(&mut self) -> Result<()>;
}

/// A sink that sends the rows of some tables to a consumer, in batches.
pub struct Tables<C> {
    pub(crate) tables: Vec<TableBuilder>,
    document: Document,
    consumer: C,
    /// The JSON text of the record.
    text: Vec<u8>,
}

/// The document that the records belong to.
#[derive(Default)]
struct Document {
    source: String,
    workspace: Option<String>,
    /// The members of its first record.
    head: Vec<u8>,
    /// The number of records so far.
    records: u64,
}

impl<C: BatchConsumer> Tables<C> {
    /// Sends the rows of these tables to `consumer`. `tables` are those of one family, without the
    /// tables and columns that nobody needs.
    pub fn new(tables: Vec<Table>, consumer: C) -> Tables<C> {
        let tables = tables.into_iter().map(TableBuilder::new).collect();
        Tables { tables, document: Document::default(), consumer, text: Vec::new() }
    }

    /// Adds the rows of a record, which is one line of NDJSON.
    ///
    /// # Errors
    ///
    /// Fails if the line is not a record, if a row is too large, or if the output fails.
    pub fn line(&mut self, line: &[u8]) -> Result<()> {
        self.add_line(line).map_err(|error| {
            let Document { records, source, .. } = &self.document;
            error.within(&format!("record {records} of {source}"))
        })
    }

    fn add_line(&mut self, line: &[u8]) -> Result<()> {
        let mut record: Members<'_> = serde_json::from_slice(line).map_err(write_error)?;
        let text = |name: &str| {
            let value = record.get(name).map(|value| serde_json::from_str::<String>(value.get()));
            value.transpose().map_err(write_error)
        };
        let kind = text("kind")?.unwrap_or_default();
        self.document.records += 1;
        match kind.as_str() {
            // The first record of a document.
            "plan" | "document" | "configuration" | "audit" => {
                let source = text("source")?.unwrap_or_default();
                let (workspace, head) = (text("workspace")?, line.to_vec());
                self.document = Document { source, workspace, head, records: 1 };
                return Ok(());
            }
            "summary" => {
                // The head has what the summary lacks.
                let head = std::mem::take(&mut self.document.head);
                let head: Members<'_> = match head.is_empty() {
                    true => Members::new(),
                    false => serde_json::from_slice(&head).map_err(write_error)?,
                };
                let status = serde_json::value::to_raw_value("done").map_err(write_error)?;
                record.insert("status", &status);
                for (name, value) in head {
                    record.entry(name).or_insert(value);
                }
                return self.add(&kind, &record);
            }
            _ => {}
        }
        self.add(&kind, &record)
    }

    /// Adds the row of a plan that has no records to each table with a column for errors.
    ///
    /// # Errors
    ///
    /// Fails if the output fails.
    pub fn unread(&mut self, plan: Unread<'_>) -> Result<()> {
        self.document = Document::default();
        let Unread { label: Label { source, workspace }, status, error } = plan;
        let kind = error.map(|_| "error");
        let cells = [("kind", kind), ("status", Some(status)), ("error", error)];
        let cells = cells.into_iter().filter_map(|(name, text)| Some((name, Value::from(text?))));
        let cells: Vec<_> = cells.map(|(name, value)| (name, value.to_string())).collect();
        let row = cells.iter().map(|(name, json)| {
            let value = serde_json::from_str::<&RawValue>(json).map_err(write_error)?;
            Ok((*name, value))
        });
        let row = row.collect::<Result<Members<'_>>>()?;
        let common = Common { source, workspace, schema_version: SCHEMA_VERSION };
        let consumer = &mut self.consumer;
        for table in &mut self.tables {
            if table.table().columns.iter().any(|column| column.name == "error") {
                table.add_row(common, &row, &mut |table, batch| consumer.batch(table, batch))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, kind: &str, record: &Members<'_>) -> Result<()> {
        let common = Common {
            source: &self.document.source,
            workspace: self.document.workspace.as_deref(),
            schema_version: SCHEMA_VERSION,
        };
        let consumer = &mut self.consumer;
        for table in &mut self.tables {
            if table.table().kinds.iter().any(|it| it == kind) {
                table.add(common, record, &mut |table, batch| consumer.batch(table, batch))?;
            }
        }
        Ok(())
    }
}

/// The row of a plan that has no records.
#[derive(Clone, Copy, Debug)]
pub struct Unread<'a> {
    /// The names of the plan.
    pub label: Label<'a>,
    /// `failed` or `pending`.
    pub status: &'a str,
    /// The error of a plan that failed.
    pub error: Option<&'a str>,
}

impl<C: BatchConsumer> Sink for Tables<C> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        // As in NDJSON, so that a cell does not depend on the way of its record.
        serde_json::to_writer(inert::Json::new(&mut text), record).map_err(write_error)?;
        let added = self.add_line(&text);
        self.text = text;
        // The whole place, because some records come from no element, or wait for the first one.
        added.map_err(|error| error.within(&format!("record {}", self.document.records)).placed())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.unread(Unread { label, status: "failed", error: Some(&error.to_string()) })
    }

    fn finish(&mut self) -> Result<()> {
        for table in &mut self.tables {
            let batch = table.take()?;
            if batch.num_rows() > 0 {
                self.consumer.batch(table.table(), batch)?;
            }
        }
        self.consumer.finish()
    }
}
