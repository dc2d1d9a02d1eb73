//! `plansift show`: prints the plan in a binary plan file as JSON.

use std::io::{Read, Write};

use super::args::{MaskArgs, SecretArgs, ShowPlanFile};
use super::ending::{end_of_output, write_last};
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::inputs;
use super::messages::{fail_named, usage};
use super::options::{access, options};
use super::output;
use super::redact;
use plansift_core::error::Error;
use plansift_core::input;
use plansift_plan::plan::Accepts;
use plansift_planfile as planfile;

/// Length of the buffer between the plan file and the output, in bytes.
const BUFFER: u64 = 256 << 10;

/// Prints the plan of one plan file, or the key of its schemas.
pub fn run(arguments: &ShowPlanFile) -> std::result::Result<Exit, Exit> {
    let ShowPlanFile { plans, output, .. } = arguments;
    if arguments.redact {
        let (secrets, mask) = (SecretArgs::default(), MaskArgs::default());
        return redact::run_with(plans, &secrets, &mask, None, output.as_deref());
    }
    let listed = inputs::list(plans, Accepts::Plans, output.as_deref(), None)?;
    let entry = match &listed.inputs.entries[..] {
        [Ok(entry)] => entry,
        [Err(unlisted)] => return Err(fail_named(&unlisted.source, &unlisted.error)),
        _ => return Err(usage("show prints one plan file: name one")),
    };
    let failed = |error| fail_named(&entry.source(), &error);
    let read = options(plans)?.read;
    let access = access(plans, &read);
    if arguments.schema_key {
        let file = entry.keep_plan_file(&access);
        let key = file.and_then(|file| planfile::schema_key(&file, &read.limits));
        let text = format!("{}\n", key.map_err(failed)?);
        return write_last(None, text.as_bytes(), 0).map(|()| Exit::Done);
    }
    let mut document = entry.open_plan_file(&access).map_err(failed)?;
    let path = output.as_deref();
    let (mut out, output) = output::open(path)?;
    let closed = ExitFacts { output: OutputEnd::Closed, ..ExitFacts::default() };
    let unwritten = |error: Error| end_of_output(path, &error, closed);
    let mut buffer = Vec::with_capacity(BUFFER as usize);
    loop {
        buffer.clear();
        let read = document.by_ref().take(BUFFER).read_to_end(&mut buffer);
        if read.map_err(|error| failed(input::into_error(error)))? == 0 {
            break;
        }
        out.write_all(&buffer).map_err(|error| unwritten(Error::write(error)))?;
    }
    drop(out);
    output.finish().map_err(unwritten)?;
    Ok(Exit::Done)
}
