//! Reads the inputs of a query on a thread of its own, and returns its batches one by one.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use crate::inputs::access;
use crate::query::{OnError, Query};
use plansift_arrow::builder::TableBuilder;
use plansift_arrow::table::Table;
use plansift_arrow::tables::{BatchConsumer, Tables};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_fleet::run::{
    AttributeContent, Consumer, DocumentLoop, DocumentOutcome, Events, Handler, Opening, Passes,
    PlanReader, Remark, Turn, Visited,
};
use plansift_fleet::source::Stop;
use plansift_plan::plan::{Accepts, Flow, PlanOptions};
use plansift_plan::record::values::{Select, ValuesOptions, ValuesSource, read};
use plansift_plan::record::{Extent, Label, Record, RecordOptions, Show, Sink};
use plansift_report::filter::Filter;

/// Batches that wait for the consumer.
const WAITING: usize = 2;

type Message = std::result::Result<RecordBatch, String>;

/// The batches of a query.
pub struct Reader {
    schema: SchemaRef,
    batches: Receiver<Message>,
    stop: Stop,
    /// The thread that reads the inputs, until its end was seen.
    thread: Option<JoinHandle<()>>,
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
        if let Err(error) = run(&query, sender, &stopped)
            && error.kind() != ErrorKind::Stopped
        {
            // Nobody waits for the error if the consumer is gone.
            let _ = failed.send(Err(error.to_string()));
        }
    });
    Reader { schema, batches, stop, thread: Some(thread) }
}

impl Iterator for Reader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let failed = |text: String| ArrowError::ExternalError(text.into());
        match self.batches.recv() {
            Ok(batch) => Some(batch.map_err(failed)),
            // Without this check, rows that a panic lost would look like the end.
            Err(_) => match self.thread.take()?.join() {
                Ok(()) => None,
                Err(_) => Some(Err(failed("the reader of the inputs failed".to_owned()))),
            },
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

/// Ends the run at the first document that fails.
struct Raising<S> {
    sink: S,
    batches: SyncSender<Message>,
}

impl<S: Sink> Sink for Raising<S> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.sink.record(record)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        let _ = self.batches.send(Err(format!("{}: {error}", label.source)));
        Err(Error::new(ErrorKind::Stopped))
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }
}

fn run(query: &Query, batches: SyncSender<Message>, stop: &Stop) -> Result<()> {
    let tables = Tables::new(vec![query.table()], Channel { batches: batches.clone() });
    let mut sink: Box<dyn Sink> = match query.on_error {
        OnError::Raise => Box::new(Raising { sink: tables, batches }),
        OnError::Row => Box::new(tables),
    };
    let noise = query.filters.noise();
    if !noise.is_none() {
        sink = Box::new(Filter::new(sink, noise, None));
    }
    let read = PlanOptions { threads: query.threads(), ..PlanOptions::default() };
    let inputs = query.inputs.list(query.rule().unwrap_or_default());
    let opening = Opening { stop: Some(stop), ..Opening::new(read, access(&read)) };
    let mut values = Values { query, read, sink: sink.as_mut() };
    let consumer = match query.is_of_changes() {
        true => {
            let options = RecordOptions {
                read,
                show: if query.shows_all { Show::All } else { Show::Changes },
                extent: if query.needs_values() { Extent::Paths } else { Extent::Actions },
                relevant: query.table == "relevant_attributes",
                accepts: Accepts::Plans,
                patterns: None,
            };
            let reader =
                PlanReader { options, attributes: &AttributeContent::None, assertions: None };
            Consumer::Records(reader, values.sink)
        }
        false => Consumer::Documents(Passes::One, &mut values),
    };
    DocumentLoop::new(consumer, &mut Silent).inputs(&inputs, &opening)?;
    sink.finish()
}

/// Writes the rows of the contents of documents, without values.
struct Values<'a> {
    query: &'a Query,
    read: PlanOptions,
    sink: &'a mut dyn Sink,
}

impl Handler for Values<'_> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        let options = ValuesOptions {
            read: self.read,
            what: self.query.rows,
            of: ValuesSource::Auto,
            only: Vec::new(),
            all: self.query.shows_all,
            select: Select::default(),
            patterns: None,
        };
        let read = read(turn.documents, turn.label, &options, None, self.sink)?;
        Ok(Visited::Done(DocumentOutcome::from(&read.document)))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        self.sink.failed(label, error).map(|()| Flow::Continue)
    }
}

/// Ignores messages: warnings have no place in a table, and errors are rows or end the run.
struct Silent;

impl Events for Silent {
    fn done(&mut self, _: Label<'_>, _: DocumentOutcome) {}

    fn failed(&mut self, _: Label<'_>, _: &dyn Display) {}

    fn remark(&mut self, _: &str, _: Remark) {}
}
