//! The Python module `plansift._plansift`. The package `plansift` re-exports and documents it.

mod inputs;
mod interrupt;
mod query;
mod reader;
mod rewrite;
mod summaries;
mod unmatched;

use std::ffi::OsString;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::inputs::Inputs;
use crate::interrupt::interruptible;
use crate::query::{OnError, Query};
use crate::unmatched::UnmatchedWarning;
use plansift_fleet::source::Rule;

/// The rows of one table. Each Arrow stream reads the inputs again.
#[pyclass(frozen, module = "plansift")]
struct Records {
    query: Arc<Query>,
}

#[pymethods]
impl Records {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.query.table().columns.into_iter().map(|column| column.name).collect()
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol allows a producer to ignore the requested schema.
        drop(requested_schema);
        let query = self.query.clone();
        let reader = py.detach(|| reader::open(&query));
        PyCapsule::new_with_value(
            py,
            FFI_ArrowArrayStream::new(Box::new(reader)),
            c"arrow_array_stream",
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(reader::schema(&self.query).as_ref());
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __repr__(&self) -> String {
        format!("<plansift.Records: {}>", self.query.table)
    }
}

/// Opens the rows of a table. Fails if an argument is wrong; a broken input fails when it is read.
#[pyfunction]
#[pyo3(signature = (
    table, inputs, *, columns, filters, select, values, references, dependents, all, on_error,
    threads, limits, workspace_from,
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of a private function")]
fn records(
    table: &str,
    inputs: Inputs,
    columns: Option<Vec<String>>,
    filters: Vec<(String, Vec<String>)>,
    select: Vec<String>,
    values: bool,
    references: Option<String>,
    dependents: Option<String>,
    all: bool,
    on_error: &str,
    threads: Option<usize>,
    limits: Vec<(String, String)>,
    workspace_from: Option<String>,
) -> PyResult<Records> {
    let wrong = |text: String| PyValueError::new_err(text);
    let mut query = Query::new(table).map_err(wrong)?;
    query.inputs = inputs;
    query.filter(&filters).map_err(wrong)?;
    for path in select {
        query.select.push(&path).map_err(|error| wrong(format!("select: {error}")))?;
    }
    query.values = values;
    query.references = references;
    query.dependents = dependents;
    query.shows_all = all;
    query.on_error = OnError::parse(on_error).map_err(wrong)?;
    query.threads = threads;
    query.limits = inputs::limits(&limits).map_err(wrong)?;
    query.workspace_from = workspace_from;
    if let Some(columns) = columns {
        query.keep(columns).map_err(wrong)?;
    }
    query.check().map_err(wrong)?;
    Ok(Records { query: Arc::new(query) })
}

/// Returns the names of the inputs that some names select, and their sizes in bytes; 0 if the size
/// is unknown. A name that selects nothing is an input, too, so that whoever reads it gets the
/// error. Documents in memory have no names. Fails if there is no such table.
#[pyfunction]
fn expand(py: Python<'_>, inputs: Inputs, table: &str) -> PyResult<Vec<(OsString, u64)>> {
    let accepts = Query::new(table).map_err(PyValueError::new_err)?.accepts();
    let listed = interruptible(py, move |_| Ok(inputs.list(Rule::Path, accepts)))?;
    let entries = listed.entries.into_iter().filter_map(|entry| match entry {
        Ok(entry) => Some((entry.name()?, entry.len.unwrap_or_default())),
        Err(unlisted) => Some((unlisted.source.into(), 0)),
    });
    Ok(entries.collect())
}

#[pymodule]
fn _plansift(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Records>()?;
    module.add("UnmatchedWarning", module.py().get_type::<UnmatchedWarning>())?;
    module.add_function(wrap_pyfunction!(records, module)?)?;
    module.add_function(wrap_pyfunction!(rewrite::rewrite, module)?)?;
    module.add_function(wrap_pyfunction!(expand, module)?)?;
    module.add_function(wrap_pyfunction!(summaries::summaries, module)?)
}
