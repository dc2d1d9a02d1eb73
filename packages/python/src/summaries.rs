//! Counts the changes of plans.

use std::fmt::Display;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::inputs::{Inputs, access};
use plansift_core::error::Result;
use plansift_fleet::run::{
    AttributeContent, Consumer, DocumentLoop, DocumentOutcome, Events, Opening, PlanReader, Remark,
};
use plansift_fleet::source::Rule;
use plansift_plan::plan::{Accepts, PlanOptions};
use plansift_plan::record::{Label, Record, RecordOptions, Sink};
use plansift_plan::sink::write_error;

/// Returns the `plan` and `summary` records of the plans of some inputs, as JSON. Fails at the first
/// plan that cannot be read.
#[pyfunction]
pub fn summaries(py: Python<'_>, inputs: Inputs) -> PyResult<Vec<String>> {
    py.detach(|| {
        let read = PlanOptions {
            threads: std::thread::available_parallelism().ok(),
            ..PlanOptions::default()
        };
        let options = RecordOptions { read, accepts: Accepts::Plans, ..RecordOptions::default() };
        let attributes = &AttributeContent::None;
        let reader = PlanReader { options, attributes, assertions: None };
        let mut summaries = Summaries::default();
        let mut events = FirstError::default();
        let consumer = Consumer::Records(reader, &mut summaries);
        let listed = inputs.list(Rule::Path, Accepts::Plans);
        let opening = Opening::new(read, access(&read));
        let ended = DocumentLoop::new(consumer, &mut events).inputs(&listed, &opening);
        events.error.map_or(Ok(()), Err)?;
        ended.map_err(|error| error.to_string())?;
        Ok(summaries.records)
    })
    .map_err(|text: String| PyOSError::new_err(text))
}

/// Keeps the records about whole plans.
#[derive(Default)]
struct Summaries {
    records: Vec<String>,
}

impl Sink for Summaries {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if let Record::Plan(_) | Record::Summary(_) = record {
            self.records.push(serde_json::to_string(record).map_err(write_error)?);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Keeps the first error of a run.
#[derive(Default)]
pub struct FirstError {
    pub error: Option<String>,
}

impl Events for FirstError {
    fn done(&mut self, _: Label<'_>, _: DocumentOutcome) {}

    fn failed(&mut self, label: Label<'_>, error: &dyn Display) {
        self.error.get_or_insert_with(|| format!("{}: {error}", label.source));
    }

    fn remark(&mut self, _: &str, _: Remark) {}
}
