//! `plansift digest`: one line that identifies what each plan does.

use super::args::Digest;
use super::documents::{Messages, objects_of};
use super::ending::end_of_output;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::inputs;
use super::messages::fail_named;
use super::options::options;
use super::output;
use super::secrets::digest_key;
use super::unmatched;
use plansift_compare::digest;
use plansift_core::error::Result;
use plansift_plan::plan::Accepts;
use plansift_plan::record::RecordOptions;

/// Prints the digest of each input.
pub fn run(arguments: &Digest) -> std::result::Result<Exit, Exit> {
    let Digest { level, filters, key_file, output: path, plans } = arguments;
    let path = path.as_deref();
    let listed = inputs::list(plans, Accepts::States, path, key_file.clone())?;
    let key = digest_key("--level", *level, key_file.as_deref())?;
    let (accepts, patterns) = (Accepts::States, unmatched::comparison(filters));
    let options = RecordOptions { accepts, patterns, ..options(plans)? };
    let mut messages = Messages::new(plans);
    let (mut lines, mut done, mut failed) = (String::new(), 0, 0);
    for entry in &listed.inputs.entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(unlisted) => {
                fail_named(&unlisted.source, &unlisted.error);
                failed += 1;
                continue;
            }
        };
        messages.read.clear();
        let found = objects_of(&mut messages, &options, entry, filters, key.clone())?;
        let Some(found) = found else {
            failed += 1;
            continue;
        };
        let source = entry.source();
        let digest = digest::digest(found.objects, *level, filters.texts());
        let digest = match digest {
            Ok(digest) => digest,
            Err(error) => {
                fail_named(&source, &error);
                failed += 1;
                continue;
            }
        };
        lines += &format!("{digest}  {}\n", plansift_core::inert::visible(&source));
        done += 1;
    }
    let facts = ExitFacts { done, failed, ..ExitFacts::default() };
    if done == 0 {
        return Err(Exit::of(ExitFacts { output: OutputEnd::Nothing, ..facts }));
    }
    let written: Result<()> = output::write_whole(path, lines.as_bytes());
    written.map_err(|error| {
        end_of_output(path, &error, ExitFacts { output: OutputEnd::Closed, ..facts })
    })?;
    messages.end(&options);
    Ok(Exit::of(facts))
}
