//! Writes documents without their secrets: `redact` and `slim`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::inputs::{Inputs, access, secrets};
use crate::summaries::FirstError;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_fleet::run::{
    Consumer, DocumentLoop, DocumentOutcome, Handler, Opening, Passes, Turn, Visited,
};
use plansift_fleet::source::Rule;
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
    out: &'a mut File,
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

    fn failed(&mut self, _: Label<'_>, _: &Error) -> Result<Flow> {
        Ok(Flow::Stop)
    }
}

/// Writes an input without its secrets to a file, which appears only when it is complete. Without a
/// path, returns the bytes.
#[pyfunction]
pub fn rewrite<'py>(
    py: Python<'py>,
    what: &str,
    input: Inputs,
    output: Option<PathBuf>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let parts = if what == "slim" { Parts::Selected(SlimOptions::default()) } else { Parts::All };
    let bytes =
        py.detach(|| write(&input, parts, output.as_deref())).map_err(PyOSError::new_err)?;
    Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
}

fn write(
    input: &Inputs,
    parts: Parts,
    output: Option<&Path>,
) -> std::result::Result<Option<Vec<u8>>, String> {
    let failed = |error: std::io::Error| error.to_string();
    let folder = output.map(|path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    });
    let file = match folder {
        Some(folder) => tempfile::NamedTempFile::new_in(folder),
        None => tempfile::NamedTempFile::new(),
    };
    let mut file = file.map_err(failed)?;
    let accepts = match parts {
        Parts::All => Accepts::States,
        Parts::Selected(_) => Accepts::Plans,
    };
    let read = PlanOptions::default();
    let options = RedactOptions { secret: secrets(read), masking: Masking::Text };
    let mut rewriting = Rewriting { parts, options, out: file.as_file_mut() };
    let (mut events, inputs) = (FirstError::default(), input.list(Rule::Path, accepts));
    let consumer = Consumer::Documents(Passes::Redaction, &mut rewriting);
    let opening = Opening::new(read, access(&read));
    let ended = DocumentLoop::new(consumer, &mut events).inputs(&inputs, &opening);
    events.error.map_or(Ok(()), Err)?;
    ended.map_err(|error| error.to_string())?;
    let Some(path) = output else {
        let mut bytes = Vec::new();
        file.reopen().and_then(|mut file| file.read_to_end(&mut bytes)).map_err(failed)?;
        return Ok(Some(bytes));
    };
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(None)
}
