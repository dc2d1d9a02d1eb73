//! Warns about arguments that match nothing.

use std::ffi::CString;
use std::thread::ThreadId;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

pyo3::create_exception!(
    plansift,
    UnmatchedWarning,
    PyUserWarning,
    "A filter, a selected path or the address of an element matches nothing in any input."
);

/// Warns with these texts. Returns a message if a warning is an exception. `opener` is the thread
/// that opened the stream. Another thread might wait in vain for the lock of the interpreter, so it
/// does not warn.
pub fn warn(opener: ThreadId, texts: &[String]) -> Option<String> {
    if texts.is_empty() || std::thread::current().id() != opener {
        return None;
    }
    let warn_of = |py: Python<'_>, text: &str| {
        let category = py.get_type::<UnmatchedWarning>();
        PyErr::warn(py, &category, &CString::new(text)?, 1)
    };
    Python::try_attach(|py| {
        texts.iter().find_map(|text| warn_of(py, text).err().map(|error| error.to_string()))
    })
    .flatten()
}
