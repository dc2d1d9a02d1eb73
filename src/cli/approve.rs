//! `plansift approve`: what a plan does, without its values.

use std::io::{BufWriter, Write};

use super::args::Approve;
use super::documents::{Messages, objects_of};
use super::ending::end_of_output;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::inputs::{self, Listed};
use super::messages::{fail, fail_named, say, usage};
use super::options::options;
use super::output;
use super::secrets::read_key;
use super::unmatched;
use plansift_compare::approval::{self, ApprovalKey};
use plansift_compare::meaning::ValueKey;
use plansift_core::error::Error;
use plansift_fleet::run::DocumentObjects;
use plansift_fleet::source::InputEntry;
use plansift_plan::plan::Accepts;
use plansift_plan::record::{CompareLevel, RecordOptions};

/// Writes the approval of a plan.
pub fn run(arguments: &Approve) -> std::result::Result<Exit, Exit> {
    let Approve { level, filters, key_file, output: path, plans } = arguments;
    let path = path.as_deref();
    let listed = inputs::list(plans, Accepts::Plans, path, key_file.clone())?;
    let key = match key_file {
        Some(path) => {
            let key = read_key(path, ValueKey::of_file)?;
            ApprovalKey::of_file(&key).map_err(|error| fail(None, &error))?
        }
        None if *level < CompareLevel::Values => ApprovalKey::Public,
        None => ApprovalKey::InFile(ValueKey::random().map_err(|error| fail(None, &error))?),
    };
    let entry = single(&listed)?;
    let patterns = unmatched::comparison(filters);
    let options = RecordOptions { patterns, ..options(plans)? };
    let mut messages = Messages::new(plans);
    let found = objects_of(&mut messages, &options, entry, filters, key.key())?;
    let Some(found) = found else { return Err(Exit::Failed) };
    if !plans.quiet && found.facts.plan.errored == Some(true) {
        let source = entry.source();
        say(&format!("{source}: warning: planning failed, so the plan may lack changes"));
    }
    let (out, output) = output::open(path)?;
    let mut out = BufWriter::new(out);
    let DocumentObjects { objects, facts } = found;
    let written = approval::write(objects, &facts, *level, &key, filters.texts(), &mut out)
        .and_then(|count| out.flush().map_err(Error::write).map(|()| count))
        .and_then(|count| output.finish().map(|()| count));
    let done = ExitFacts { done: 1, output: OutputEnd::Closed, ..ExitFacts::default() };
    let count = written.map_err(|error| end_of_output(path, &error, done))?;
    if !plans.quiet && path.is_some() {
        let objects = if count == 1 { "object" } else { "objects" };
        let protection = match key {
            ApprovalKey::InFile(_) => {
                "; whoever can read the file can test guesses of values: protect it, or use \
                 --key-file"
            }
            _ => "",
        };
        say(&format!("approved {count} {objects}{protection}"));
    }
    messages.end(&options);
    Ok(Exit::Done)
}

/// Returns the only input of a command that takes one.
fn single(listed: &Listed) -> std::result::Result<&InputEntry, Exit> {
    match &listed.inputs.entries[..] {
        [Ok(entry)] => Ok(entry),
        [Err(unlisted)] => Err(fail_named(&unlisted.source, &unlisted.error)),
        [] => Err(usage("there is no plan in this folder")),
        [_, ..] => Err(usage("an approval is of one plan: name one input")),
    }
}
