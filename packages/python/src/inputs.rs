//! The inputs that a user names.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use plansift_core::error::{Error, ErrorKind};
use plansift_core::input::{InputOptions, Mapping, Threads};
use plansift_core::limits::{Limit, Limits, parse_amount};
use plansift_fleet::source::{Globs, InputEntry, Inputs as Listed, Rule, Selection};
use plansift_plan::plan::{Accepts, PlanOptions};
use plansift_plan::record::Label;
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

/// The name of a limit in the argument `limits`. The options of the program have the same names.
fn name_of(limit: Limit) -> Option<&'static str> {
    limit.option().strip_prefix("--limit-")
}

/// The message of an error. It names the argument that raises a limit.
pub fn message(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Limit { limit, .. } if let Some(name) = name_of(limit) => {
            format!("{error:#}: raise it with limits={{\"{name}\": ...}}")
        }
        _ => error.to_string(),
    }
}

/// The message of an error of a document.
pub fn message_of(label: Label<'_>, error: &Error) -> String {
    format!("{}: {}", label.source, message(error))
}

/// Reads limits: their names and amounts.
pub fn limits(given: &[(String, String)]) -> Result<Limits, String> {
    let mut limits = Limits::default();
    let known = Limit::ALL.iter().filter_map(|limit| Some((*limit, name_of(*limit)?)));
    for (name, amount) in given {
        let Some((limit, _)) = known.clone().find(|(_, known)| known == name) else {
            let names: Vec<_> = known.map(|(_, name)| name).collect();
            return Err(format!(
                "limits: there is no limit {name}: the limits are {}",
                names.join(", ")
            ));
        };
        let amount = parse_amount(amount).map_err(|error| format!("limits: {name}: {error}"))?;
        limits.set(limit, amount);
    }
    Ok(limits)
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
