//! Counts the changes of plans.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::inputs::{self, Inputs, access, message, message_of};
use crate::interrupt::interruptible;
use crate::reader::Silent;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_fleet::run::{AttributeContent, Consumer, DocumentLoop, Opening, PlanReader};
use plansift_fleet::source::{Rule, Stop};
use plansift_plan::plan::{Accepts, PlanOptions};
use plansift_plan::record::{Label, Record, RecordOptions, Sink};
use plansift_plan::sink::write_error;

/// Returns the `plan` and `summary` records of the plans of some inputs, as JSON. Fails at the first
/// plan that cannot be read.
#[pyfunction]
pub fn summaries(
    py: Python<'_>,
    given: Inputs,
    limits: Vec<(String, String)>,
) -> PyResult<Vec<String>> {
    let limits = inputs::limits(&limits).map_err(PyValueError::new_err)?;
    interruptible(py, move |stop| {
        let threads = std::thread::available_parallelism().ok();
        let read = PlanOptions { threads, limits, ..PlanOptions::default() };
        let options = RecordOptions { read, accepts: Accepts::Plans, ..RecordOptions::default() };
        let attributes = &AttributeContent::None;
        let reader = PlanReader { options, attributes, assertions: None, impact: None };
        let mut summaries = Summaries { stop, records: Vec::new(), error: None };
        let consumer = Consumer::Records(reader, &mut summaries);
        let listed = given.list(Rule::Path, Accepts::Plans);
        let opening = Opening { stop: Some(stop), ..Opening::new(read, access(&read)) };
        let ended = DocumentLoop::new(consumer, &mut Silent).inputs(&listed, &opening);
        summaries.error.map_or(Ok(()), Err)?;
        ended.map_err(|error| message(&error))?;
        Ok(summaries.records)
    })
}

/// Keeps the records about whole plans, up to the first error.
struct Summaries<'r> {
    stop: &'r Stop,
    records: Vec<String>,
    error: Option<String>,
}

impl Sink for Summaries<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if self.stop.is_set() {
            return Err(Error::new(ErrorKind::Stopped));
        }
        if let Record::Plan(_) | Record::Summary(_) = record {
            self.records.push(serde_json::to_string(record).map_err(write_error)?);
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.error = Some(message_of(label, error));
        Err(Error::new(ErrorKind::Stopped))
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
