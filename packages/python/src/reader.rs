//! Reads the inputs of a query on a thread of its own, and returns its batches one by one.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{JoinHandle, ThreadId};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use crate::inputs::{access, message, message_of, secrets};
use crate::interrupt::{WAIT, interruption};
use crate::query::{OnError, Query};
use crate::unmatched::warn;
use plansift_arrow::builder::TableBuilder;
use plansift_arrow::table::{Family, Table};
use plansift_arrow::tables::{BatchConsumer, Tables, Unread};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_fleet::run::{
    AttributeContent, AuditReader, ConfigurationReader, ConfigurationRows, Consumer, DocumentLoop,
    DocumentOutcome, Events, Opening, Passes, PlanReader, Remark, ValuesReader,
};
use plansift_fleet::source::Stop;
use plansift_plan::plan::PlanOptions;
use plansift_plan::record::values::{ValuesOptions, ValuesSource};
use plansift_plan::record::{Extent, Label, Record, RecordOptions, Show, Sink};
use plansift_redact::audit::AuditOptions;
use plansift_report::filter::RowFilter;
use plansift_report::view::Detail;

/// Batches that wait for the consumer.
const WAITING: usize = 2;

type Message = std::result::Result<RecordBatch, String>;

/// The batches of a query.
pub struct Reader {
    schema: SchemaRef,
    batches: Receiver<Message>,
    stop: Stop,
    /// The thread that reads the inputs, until its end was seen. It returns warnings.
    thread: Option<JoinHandle<Vec<String>>>,
    opener: ThreadId,
}

/// The Arrow schema of a query.
pub fn schema(query: &Query) -> SchemaRef {
    TableBuilder::new(query.table()).schema()
}

/// Starts to read the inputs of a query.
pub fn open(query: &Arc<Query>) -> Reader {
    let (sender, batches) = sync_channel(WAITING);
    let stop = Stop::default();
    let (query, stopped) = (query.clone(), stop.clone());
    let schema = schema(&query);
    let thread = std::thread::spawn(move || {
        let failed = sender.clone();
        run(&query, sender, &stopped).unwrap_or_else(|error| {
            if error.kind() != ErrorKind::Stopped {
                // Sending fails if the consumer has closed the stream.
                let _ = failed.send(Err(message(&error)));
            }
            Vec::new()
        })
    });
    Reader { schema, batches, stop, thread: Some(thread), opener: std::thread::current().id() }
}

impl Iterator for Reader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let failed = |text: String| ArrowError::ExternalError(text.into());
        loop {
            match self.batches.recv_timeout(WAIT) {
                Ok(batch) => return Some(batch.map_err(failed)),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(text) = interruption(self.opener) {
                        self.stop.stop();
                        return Some(Err(failed(text)));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    // Without this check, rows that a panic lost would look like the end.
                    let text = match self.thread.take()?.join() {
                        Ok(warnings) => warn(self.opener, &warnings)?,
                        Err(_) => "the reader of the inputs failed".to_owned(),
                    };
                    return Some(Err(failed(text)));
                }
            }
        }
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// The thread ends soon after its consumer is gone.
impl Drop for Reader {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// Sends batches to the reader.
struct Channel {
    batches: SyncSender<Message>,
}

impl BatchConsumer for Channel {
    fn batch(&mut self, _: &Table, batch: RecordBatch) -> Result<()> {
        self.batches.send(Ok(batch)).map_err(|_| Error::new(ErrorKind::Stopped))
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The rows of a table. A document that cannot be read ends the run, or is a row.
struct TableRows {
    tables: Tables<Channel>,
    on_error: OnError,
    batches: SyncSender<Message>,
}

impl Sink for TableRows {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.tables.record(record)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        match self.on_error {
            OnError::Raise => {
                let _ = self.batches.send(Err(message_of(label, error)));
                Err(Error::new(ErrorKind::Stopped))
            }
            OnError::Row => {
                let error = Some(&*message(error));
                self.tables.unread(Unread { label, status: "failed", error })
            }
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.tables.finish()
    }
}

/// Reads all inputs. Returns warnings about arguments that match nothing.
fn run(query: &Query, batches: SyncSender<Message>, stop: &Stop) -> Result<Vec<String>> {
    let patterns = query.patterns();
    let mut has_element = false;
    let tables = Tables::new(vec![query.table()], Channel { batches: batches.clone() });
    let rows = TableRows { tables, on_error: query.on_error, batches };
    let sink = &mut RowFilter::new(rows, query.only.clone());
    let (threads, limits) = (query.threads(), query.limits);
    let read = PlanOptions { threads, limits, ..PlanOptions::default() };
    let inputs = query.inputs.list(query.rule().unwrap_or_default(), query.accepts());
    let opening = Opening { stop: Some(stop), ..Opening::new(read, access(&read)) };
    let mut events = Silent;
    let mut read_all =
        |consumer: Consumer<'_>| DocumentLoop::new(consumer, &mut events).inputs(&inputs, &opening);
    match query.family {
        Family::Changes => {
            let options = RecordOptions {
                read,
                show: if query.shows_all { Show::All } else { Show::Changes },
                extent: if query.needs_values() { Extent::Paths } else { Extent::Actions },
                relevant: query.table == "relevant_attributes",
                patterns: patterns.clone(),
                ..RecordOptions::default()
            };
            // The secrets of the plan, for the messages of its checks.
            let attributes = &match query.shows_messages() {
                true => {
                    let secrets = Box::new(secrets(read));
                    AttributeContent::Values { all: false, detail: Detail::default(), secrets }
                }
                false => AttributeContent::None,
            };
            read_all(Consumer::Records(
                PlanReader { options, attributes, assertions: None, impact: None },
                sink,
            ))
        }
        Family::Contents => {
            let options = ValuesOptions {
                read,
                what: query.rows(),
                of: ValuesSource::Auto,
                only: Vec::new(),
                all: query.shows_all,
                select: query.select.clone(),
                patterns: patterns.clone(),
            };
            let secrets = query.shows_values().then(|| secrets(read));
            let mut reader = ValuesReader { options: &options, secrets: secrets.as_ref(), sink };
            read_all(Consumer::Documents(reader.passes(), &mut reader))
        }
        Family::Configuration => {
            let rows = configuration_rows(query);
            let mut reader = ConfigurationReader { rows, sink, has_element: false };
            let ended = read_all(Consumer::Documents(Passes::One, &mut reader));
            has_element = reader.has_element;
            ended
        }
        Family::Audit => {
            let options = AuditOptions { secret: secrets(read), echoes: true, suspects: true };
            let mut reader = AuditReader { options: &options, sink };
            read_all(Consumer::Documents(AuditReader::PASSES, &mut reader))
        }
    }?;
    sink.finish()?;
    let unmatched = patterns.iter().flat_map(|patterns| patterns.unmatched());
    let mut warnings: Vec<_> = unmatched.map(|pattern| pattern.to_string()).collect();
    let element = query.references.as_ref().or(query.dependents.as_ref()).filter(|_| !has_element);
    warnings
        .extend(element.map(|address| format!("no configuration has anything named {address}")));
    Ok(warnings)
}

/// Returns which rows of a configuration the query asks for.
fn configuration_rows(query: &Query) -> ConfigurationRows<'_> {
    match (&query.references, &query.dependents) {
        (Some(address), _) => ConfigurationRows::References(address),
        (None, Some(address)) => ConfigurationRows::Dependents { address, files: None },
        (None, None) => ConfigurationRows::Elements(None),
    }
}

/// Ignores messages: warnings have no place in a table, and sinks receive errors.
pub struct Silent;

impl Events for Silent {
    fn done(&mut self, _: Label<'_>, _: DocumentOutcome) {}

    fn failed(&mut self, _: Label<'_>, _: &dyn Display) {}

    fn remark(&mut self, _: &str, _: Remark) {}
}
