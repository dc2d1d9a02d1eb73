//! `plansift show`: prints the plan in a binary plan file as JSON.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use super::args::{MaskArgs, SecretArgs, ShowPlanFile};
use super::ending::end_of_output;
use super::exit::Exit;
use super::inputs;
use super::messages::{fail, fail_of, say};
use super::options::{access, options};
use super::output::Output;
use super::redact;
use crate::error::{Error, ErrorKind, PlanFileFault, Result};
use crate::input;
use crate::plan::Accepts;
use crate::planfile::{Document, ProviderSchemas};
use crate::source::Entry;

/// Length of the buffer between the plan file and the output, in bytes.
const BUFFER: usize = 256 << 10;

/// Prints the plan of one plan file.
pub fn run(arguments: &ShowPlanFile) -> Exit {
    let ShowPlanFile { plans, output, schemas, .. } = arguments;
    if arguments.redact {
        let secrets = (&SecretArgs::default(), &MaskArgs::default());
        return redact::run_with(plans, secrets, None, output.as_deref());
    }
    let listed = match inputs::list(plans, Accepts::Plans, output.as_deref(), schemas.clone()) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    let entry = match &listed.inputs.entries[..] {
        [Ok(entry)] => entry,
        [Err(unlisted)] => return fail_of(&unlisted.source, &unlisted.error),
        _ => {
            say("show prints one plan file: name one");
            return Exit::Usage;
        }
    };
    let schemas = match schemas.as_deref().map(read_schemas).transpose() {
        Ok(schemas) => schemas,
        Err(error) => return fail(schemas.as_deref(), &error),
    };
    let read = match options(plans) {
        Ok(options) => options.read,
        Err(exit) => return exit,
    };
    let document = match entry.open_plan_file(schemas, &access(plans, &read)) {
        Ok(document) => document,
        Err(error) => return fail_of(&entry.source(), &error),
    };
    print(document, entry, output.as_deref())
}

fn read_schemas(path: &Path) -> Result<ProviderSchemas> {
    let text = fs::read(path).map_err(|error| Error::io(ErrorKind::Read, error))?;
    ProviderSchemas::from_json(&text).map_err(|error| {
        let offset = error.offset().unwrap_or_default() as u64;
        Error::at(ErrorKind::PlanFile(PlanFileFault::Schemas), offset)
    })
}

fn print(mut document: Document, entry: &Entry, path: Option<&Path>) -> Exit {
    let opened = Output::open(path).and_then(|output| Ok((output.writer()?, output)));
    let (mut out, output) = match opened {
        Ok(opened) => opened,
        Err(error) => return fail(path, &error),
    };
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = match fill(&mut document, &mut buffer) {
            Ok(read) => read,
            Err(error) => return fail_of(&entry.source(), &error),
        };
        if read == 0 {
            break;
        }
        if let Err(error) = out.write_all(&buffer[..read]) {
            return end_of_output(path, &Error::io(ErrorKind::Write, error), 0);
        }
    }
    drop(out);
    match output.finish() {
        Ok(()) => Exit::Done,
        Err(error) => end_of_output(path, &error, 0),
    }
}

/// Fills a buffer as far as the document goes.
fn fill(document: &mut Document, buffer: &mut [u8]) -> Result<usize> {
    let mut len = 0;
    while len < buffer.len() {
        match document.read(&mut buffer[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(input::into_error(error)),
        }
    }
    Ok(len)
}
