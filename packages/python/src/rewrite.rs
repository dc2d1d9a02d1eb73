//! Writes documents without their secrets: `redact` and `slim`.

use std::io::Write;
use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::inputs::{self, Inputs, access, message, message_of, secrets};
use crate::interrupt::interruptible;
use crate::reader::Silent;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_fleet::output::OutputFile;
use plansift_fleet::run::{
    Consumer, DocumentLoop, DocumentOutcome, Handler, Opening, Passes, Turn, Visited,
};
use plansift_fleet::source::{Inputs as Listed, Rule, Stop};
use plansift_plan::plan::{Accepts, Flow, PlanOptions};
use plansift_plan::record::Label;
use plansift_redact::redact::mask::Masking;
use plansift_redact::redact::{RedactOptions, Secrecy, redact};
use plansift_redact::slim::{SlimOptions, slim};

/// Which parts of a document to write.
enum Parts {
    All,
    Selected(SlimOptions),
}

/// Writes each document of an input to an output.
struct Rewriting<'a> {
    parts: Parts,
    options: RedactOptions,
    out: &'a mut dyn Write,
    /// The error that ended the run, with the name of its document.
    error: Option<String>,
}

impl Handler for Rewriting<'_> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        let Turn { documents, first, .. } = turn;
        let secrets = &mut first.ok_or(Error::new(ErrorKind::Spool))?.secrets;
        let collected = secrets.collect_before(documents, &self.options.secret, None)?;
        let document = match &self.parts {
            Parts::All => redact(documents, Some(&collected), &self.options, self.out)?.document,
            Parts::Selected(selected) => {
                let secrecy = Secrecy::Known(&collected);
                slim(documents, selected, secrecy, &self.options, self.out)?.redacted.document
            }
        };
        Ok(Visited::Done(DocumentOutcome::from(&document)))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        self.error = Some(message_of(label, error));
        Ok(Flow::Stop)
    }
}

/// Writes inputs without their secrets to an output, one document after the other. Without a path,
/// returns the bytes.
#[pyfunction]
pub fn rewrite<'py>(
    py: Python<'py>,
    what: &str,
    input: Inputs,
    output: Option<PathBuf>,
    limits: Vec<(String, String)>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let limits = inputs::limits(&limits).map_err(PyValueError::new_err)?;
    let read = PlanOptions { limits, ..PlanOptions::default() };
    let (parts, accepts) = match what {
        "slim" => (Parts::Selected(SlimOptions::default()), Accepts::Plans),
        _ => (Parts::All, Accepts::States),
    };
    let inputs = interruptible(py, move |_| Ok(input.list(Rule::Path, accepts)))?;
    let Some(path) = output else {
        let bytes = interruptible(py, move |stop| {
            let mut bytes = Vec::new();
            write(&inputs, parts, read, &mut bytes, stop)?.map_err(|error| message(&error))?;
            Ok(bytes)
        })?;
        return Ok(Some(PyBytes::new(py, &bytes)));
    };
    if inputs.reads(&path) {
        let name = path.display();
        let text = format!("{name}: this is an input: name another file for the output");
        return Err(PyValueError::new_err(text));
    }
    let failed = |error: Error| PyOSError::new_err(format!("{}: {error}", path.display()));
    let opened = path.clone();
    // After a signal, this function drops the output, which removes the unfinished file.
    let output = interruptible(py, move |_| Ok(OutputFile::open(Some(&opened))))?;
    let output = output.map_err(failed)?;
    let mut file = output.writer().map_err(failed)?;
    interruptible(py, move |stop| write(&inputs, parts, read, &mut file, stop))?.map_err(failed)?;
    py.detach(|| output.finish()).map_err(failed)?;
    Ok(None)
}

/// Writes all documents of the inputs. The inner result is that of the output.
fn write(
    inputs: &Listed,
    parts: Parts,
    read: PlanOptions,
    out: &mut dyn Write,
    stop: &Stop,
) -> std::result::Result<Result<()>, String> {
    let options = RedactOptions { secret: secrets(read), masking: Masking::Text };
    let mut rewriting = Rewriting { parts, options, out, error: None };
    let consumer = Consumer::Documents(Passes::Redaction, &mut rewriting);
    let opening = Opening { stop: Some(stop), ..Opening::new(read, access(&read)) };
    let ended = DocumentLoop::new(consumer, &mut Silent).inputs(inputs, &opening);
    rewriting.error.map_or(Ok(ended), Err)
}
