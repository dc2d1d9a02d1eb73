//! `plansift show`: prints the plan in a binary plan file as JSON.

use std::io::{self, Read, Write};
use std::path::Path;

use super::args::{MaskArgs, SecretArgs, ShowPlanFile};
use super::ending::end_of_output;
use super::exit::Exit;
use super::inputs;
use super::messages::{fail, fail_named, say};
use super::options::{access, options};
use super::output::{Output, write_whole};
use super::redact;
use crate::error::{Error, ErrorKind, Result};
use crate::input;
use crate::plan::Accepts;
use crate::planfile::{self, Document};
use crate::source::Entry;

/// Length of the buffer between the plan file and the output, in bytes.
const BUFFER: usize = 256 << 10;

/// Prints the plan of one plan file, or the key of its schemas.
pub fn run(arguments: &ShowPlanFile) -> Exit {
    let ShowPlanFile { plans, output, .. } = arguments;
    if arguments.redact {
        let secrets = (&SecretArgs::default(), &MaskArgs::default());
        return redact::run_with(plans, secrets, None, output.as_deref());
    }
    let listed = match inputs::list(plans, Accepts::Plans, output.as_deref(), None) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    let entry = match &listed.inputs.entries[..] {
        [Ok(entry)] => entry,
        [Err(unlisted)] => return fail_named(&unlisted.source, &unlisted.error),
        _ => {
            say("show prints one plan file: name one");
            return Exit::Usage;
        }
    };
    let read = match options(plans) {
        Ok(options) => options.read,
        Err(exit) => return exit,
    };
    let access = access(plans, &read);
    if arguments.schema_key {
        let file = entry.keep_plan_file(&access);
        let key = file.and_then(|file| planfile::schema_key(&file, &read.limits));
        return match key.map(|key| write_whole(None, format!("{key}\n").as_bytes())) {
            Ok(Ok(())) => Exit::Done,
            Ok(Err(error)) => end_of_output(None, &error, 0),
            Err(error) => fail_named(&entry.source(), &error),
        };
    }
    match entry.open_plan_file(&access) {
        Ok(document) => print(document, entry, output.as_deref()),
        Err(error) => fail_named(&entry.source(), &error),
    }
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
            Err(error) => return fail_named(&entry.source(), &error),
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
