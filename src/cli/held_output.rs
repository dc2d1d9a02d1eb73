//! The output of `--for-agent`, which appears only if an audit finds no suspects in it.

use std::fs::File;
use std::io::{self, Seek};

use super::args::Plans;
use super::messages::say;
use super::options::access;
use super::output::Output;
use plansift_core::error::{Error, Result};
use plansift_core::input::{Rereadable, nameless_file};
use plansift_plan::plan::PlanOptions;
use plansift_redact::audit;

/// Maximum number of suspects in messages.
const SHOWN: u64 = 20;

/// An output that is not visible yet: an unfinished file, or a temporary file without a name.
pub struct HeldOutput {
    file: File,
    /// Receives the bytes of the temporary file; `None` for an unfinished file.
    out: Option<File>,
}

impl HeldOutput {
    /// Holds back what is written to `output`, whose writer is `out`. Fails if the temporary file
    /// cannot be created.
    pub fn new(output: &Output, out: File) -> Result<HeldOutput> {
        match output.is_in_place() {
            true => Ok(HeldOutput { file: nameless_file()?, out: Some(out) }),
            false => Ok(HeldOutput { file: out, out: None }),
        }
    }

    /// Returns a writer. Fails if the system has no more file handles.
    pub fn writer(&self) -> Result<File> {
        self.file.try_clone().map_err(Error::write)
    }

    /// Audits the documents that were written, and prints the suspects. `sources` are the names of
    /// the documents. Returns whether there are suspects. Fails if a document cannot be read.
    pub fn has_suspects(
        &self,
        plans: &Plans,
        read: &PlanOptions,
        sources: &[String],
    ) -> Result<bool> {
        let written = Rereadable::from_file(self.writer()?, &read.limits)?;
        let access = access(plans, read);
        let mut shown = 0;
        let count = audit::suspects(
            || written.input(&access),
            read,
            |document, finding| {
                shown += 1;
                if shown > SHOWN {
                    return;
                }
                let source = sources.get(document).map_or("the output", String::as_str);
                let label = finding.address.or(finding.name);
                let place = [Some(finding.section), label, Some(finding.path)];
                let place = place.into_iter().flatten().filter(|part| !part.is_empty());
                let place = place.collect::<Vec<_>>().join(" ");
                say(&format!("{source}: {place}: this name looks secret, but has no mask"));
            },
        )?;
        if count > SHOWN {
            say(&format!("and {} more such names", count - SHOWN));
        }
        Ok(count > 0)
    }

    /// Writes the bytes to the output. Fails if the output fails.
    pub fn release(mut self) -> Result<()> {
        let Some(mut out) = self.out else { return Ok(()) };
        self.file.rewind().map_err(Error::write)?;
        io::copy(&mut self.file, &mut out).map(drop).map_err(Error::write)
    }
}
