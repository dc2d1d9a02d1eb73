//! The inputs that a user names.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use plansift_core::input::{InputOptions, Mapping, Threads};
use plansift_fleet::source::{Globs, InputEntry, Inputs as Listed, Rule, Selection};
use plansift_plan::plan::{Accepts, PlanOptions};
use plansift_redact::secret::{ECHO_MIN, EchoOf, SecretOptions};

/// Paths, globs, addresses of objects, and documents in memory.
#[derive(Clone, Default)]
pub struct Inputs {
    names: Vec<OsString>,
    texts: Vec<Arc<[u8]>>,
}

/// Reads a list of paths and `bytes`.
impl FromPyObject<'_, '_> for Inputs {
    type Error = PyErr;

    fn extract(list: Borrowed<'_, '_, PyAny>) -> PyResult<Inputs> {
        let mut inputs = Inputs::default();
        for item in list.try_iter()? {
            let item = item?;
            match item.cast::<PyBytes>() {
                Ok(bytes) => inputs.texts.push(bytes.as_bytes().into()),
                Err(_) => inputs.names.push(item.extract::<PathBuf>()?.into_os_string()),
            }
        }
        Ok(inputs)
    }
}

impl Inputs {
    /// Lists the inputs: first those with names, then those in memory. `accepts` says which kinds
    /// of documents to take from a folder.
    pub fn list(&self, rule: Rule, accepts: Accepts) -> Listed {
        let globs = match accepts {
            Accepts::Plans => Globs::default(),
            Accepts::States => Globs::default().with_states(),
        };
        // Without a name, the first input would be standard input.
        let selection = Selection { names: self.names.clone(), globs, ..Selection::default() };
        let mut listed = Listed::list(&selection, rule);
        // The rows of an input must not depend on the other inputs of its partition.
        listed.shows_workspaces = true;
        for (bytes, number) in self.texts.iter().zip(1..) {
            let name = format!("<bytes {number}>");
            listed.entries.push(Ok(InputEntry::in_memory(name, bytes.clone())));
        }
        listed
    }
}

/// How to open inputs. A file is not mapped: if another process shortened it, the signal would end
/// the process of Python.
pub fn access(read: &PlanOptions) -> InputOptions {
    let threads = match read.threads {
        Some(threads) if threads.get() > 1 => Threads::Several,
        _ => Threads::One,
    };
    InputOptions { limits: read.limits, mapping: Mapping::default(), threads }
}

/// Which values are secret, and which copies of them.
pub fn secrets(read: PlanOptions) -> SecretOptions {
    SecretOptions { read, echo_min: ECHO_MIN, echo: EchoOf::Whole, names: None }
}
