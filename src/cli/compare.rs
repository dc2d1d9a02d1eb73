//! `plansift compare`, `approve` and `digest`: is this still what was approved?

use std::ffi::OsString;
use std::io::{BufWriter, Write};

use super::args::{Approve, Compare, CompareFormat, Digest, Extra, FailOn, FilterArgs, Plans};
use super::bar::Bar;
use super::ending::end_of_output;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::inputs::{self, Listed};
use super::messages::{fail, fail_named, say, usage};
use super::options::{access, options};
use super::output::{self, open_sink};
use super::reading::Printer;
use super::secrets::read_key;
use plansift_compare::approval::{self, Approval, ApprovalKey};
use plansift_compare::digest;
use plansift_compare::join::{Extras, JoinOptions, Objects, join};
use plansift_compare::meaning::ValueKey;
use plansift_core::error::{Error, Result};
use plansift_fleet::run::{
    DocumentObjects, KeptInput, NamedInput, ObjectReader, Opening, PairObjects,
};
use plansift_fleet::source::InputEntry;
use plansift_plan::plan::Accepts;
use plansift_plan::record::{
    CompareLevel, ComparedDocument, ComparedPair, ComparisonSummary, Direction, Label, Record,
    RecordOptions, SCHEMA_VERSION,
};
use plansift_plan::sink::Sink;
use plansift_plan::sink::json::Json;
use plansift_plan::sink::ndjson::Ndjson;

/// Compares two inputs.
pub fn run(arguments: &Compare) -> std::result::Result<Exit, Exit> {
    let Compare { plans, output: path, .. } = arguments;
    let path = path.as_deref();
    let [old, new] = [0, 1].map(|index| plans.inputs.get(index).cloned().unwrap_or_default());
    let also = arguments.key_file.clone();
    let list =
        |name: OsString| inputs::list_named(plans, vec![name], Accepts::States, path, also.clone());
    let (old, new) = (list(old)?, list(new)?);
    let (old, new) = (single(&old)?, single(&new)?);
    let options = RecordOptions { relevant: true, accepts: Accepts::States, ..options(plans)? };
    let given = arguments.key_file.as_deref().map(|path| read_key(path, ValueKey::of_file));
    let given = given.transpose()?;
    let bar = Bar::new(plans);
    let opening = Opening {
        progress: Some(&bar),
        ..Opening::new(options.read, access(plans, &options.read))
    };
    let kept = |entry| {
        let name = InputEntry::source(entry).into_owned();
        KeptInput::new(entry, &opening).map_err(|error| fail_named(&name, &error))
    };
    let names = [old.source(), new.source()];
    let [old, new] = [kept(old)?, kept(new)?];
    let label = |index: usize| Label { source: &names[index], workspace: None };
    let old = NamedInput { kept: old, label: label(0) };
    let new = NamedInput { kept: new, label: label(1) };
    let (sink, output) = open_sink(path, |out| sink(arguments.format, BufWriter::new(out)))?;
    let mut comparing = Comparing { arguments, options, given, sink };
    let compared = comparing.pair(&old, &new, &mut Printer { plans });
    let summary = match compared {
        Ok(Some(summary)) => summary,
        Ok(None) => return Err(Exit::Failed),
        Err(Failure::Exit(exit)) => return Err(exit),
        Err(Failure::Output(error)) => {
            return Err(end_of_output(path, &error, facts_of(None, arguments)));
        }
    };
    let Comparing { mut sink, .. } = comparing;
    let finished = sink.finish().and_then(|()| {
        drop(sink);
        output.finish()
    });
    let facts = facts_of(Some(&summary), arguments);
    finished.map_err(|error| {
        end_of_output(path, &error, ExitFacts { output: OutputEnd::Closed, ..facts })
    })?;
    Ok(Exit::of(facts))
}

/// Returns the facts from which the exit code follows. Without a summary, the output was closed
/// early.
fn facts_of(summary: Option<&ComparisonSummary>, arguments: &Compare) -> ExitFacts {
    let verdict = summary.and_then(|summary| summary.verdict);
    let is_broken = arguments.fail_on.map(|fail_on| match fail_on {
        FailOn::More => verdict == Some(Direction::More),
        FailOn::Any => verdict.is_some(),
    });
    ExitFacts {
        done: 1,
        failed: 0,
        reports_changes: arguments.detailed_exitcode && verdict.is_some(),
        is_broken,
        output: if summary.is_some() { OutputEnd::Complete } else { OutputEnd::ClosedEarly },
    }
}

fn sink<'s>(format: CompareFormat, out: impl Write + 's) -> Box<dyn Sink + 's> {
    match format {
        CompareFormat::Ndjson | CompareFormat::Term => Box::new(Ndjson::new(out)),
        CompareFormat::Json => Box::new(Json::new(out)),
    }
}

/// Returns the only input of a name.
fn single(listed: &Listed) -> std::result::Result<&InputEntry, Exit> {
    match &listed.inputs.entries[..] {
        [Ok(entry)] => Ok(entry),
        [Err(unlisted)] => Err(fail_named(&unlisted.source, &unlisted.error)),
        [] => Err(usage("a folder has no plan")),
        _ => Err(usage("name two inputs, or two folders")),
    }
}

/// Why a comparison ends without a summary.
enum Failure {
    /// The error was printed.
    Exit(Exit),
    /// The output failed.
    Output(Error),
}

impl From<Exit> for Failure {
    fn from(exit: Exit) -> Failure {
        Failure::Exit(exit)
    }
}

/// Compares pairs of inputs, and writes the results to a sink.
struct Comparing<'a> {
    arguments: &'a Compare,
    options: RecordOptions,
    /// The key of `--key-file`.
    given: Option<ValueKey>,
    sink: Box<dyn Sink + 'a>,
}

impl Comparing<'_> {
    /// Compares two inputs. Returns `None` if one of them fails.
    fn pair(
        &mut self,
        old: &NamedInput<'_>,
        new: &NamedInput<'_>,
        events: &mut Printer<'_>,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let source = |error: Error| Failure::Exit(fail_named(old.label.source, &error));
        let limits = &self.options.read.limits;
        let opened = old.kept.source().and_then(|opened| Approval::open(opened, limits));
        match opened.map_err(source)? {
            Some(approval) => self.with_approval(approval, old, new, events),
            None => self.with_document(old, new, events),
        }
    }

    fn with_document(
        &mut self,
        old: &NamedInput<'_>,
        new: &NamedInput<'_>,
        events: &mut Printer<'_>,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let key = ValueKey::random().map_err(|error| fail(None, &error))?;
        let reader = self.reader(&self.arguments.filters, key.clone());
        let pair = reader.pair(old, new, events).map_err(Failure::Output)?;
        let Some(PairObjects { old: before, new: after, alike }) = pair else { return Ok(None) };
        if before.facts.is_state != after.facts.is_state {
            let word = |is_state| if is_state { "a state" } else { "a plan" };
            let (one, other) = (word(before.facts.is_state), word(after.facts.is_state));
            return Err(usage(&format!(
                "OLD is {one} and NEW is {other}: compare two plans, or two states"
            ))
            .into());
        }
        let documents = [before.facts.is_state, after.facts.is_state]
            .map(|is_state| if is_state { "state" } else { "plan" });
        let options = JoinOptions { alike, ..self.join_options(key) };
        self.join([old.label, new.label], documents, [before, after], &options).map(Some)
    }

    fn with_approval<S: plansift_core::input::Source>(
        &mut self,
        approval: Approval<S>,
        old: &NamedInput<'_>,
        new: &NamedInput<'_>,
        events: &mut Printer<'_>,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let source = |error: Error| Failure::Exit(fail_named(old.label.source, &error));
        let level_max = approval.header.level;
        approval.check_level(self.arguments.level).map_err(source)?;
        let key = approval.key(self.given.clone()).map_err(source)?;
        let filters = self.filters_of(&approval.header.filters)?;
        let extras = [Extra::RelevantAttributes, Extra::Text];
        if let Some(extra) = self.arguments.with.iter().find(|extra| extras.contains(extra)) {
            let word = if *extra == Extra::Text { "text" } else { "relevant-attributes" };
            let text = format!("--with {word}: an approval does not hold this part of its plan");
            return Err(usage(&text).into());
        }
        self.options.relevant = false;
        let mut objects = Objects::new(self.options.read.limits.spool);
        let facts = approval.read(&mut objects).map_err(source)?;
        let reader = self.reader(&filters, key.clone());
        let Some(after) = reader.objects(new, events).map_err(Failure::Output)? else {
            return Ok(None);
        };
        if after.facts.is_state {
            return Err(usage("OLD is an approval of a plan, and NEW is a state").into());
        }
        let options = JoinOptions { level_max, has_text: false, ..self.join_options(key) };
        let before = DocumentObjects { objects, facts };
        let documents = ["approval", "plan"];
        self.join([old.label, new.label], documents, [before, after], &options).map(Some)
    }

    /// Returns the filters that an approval was made with. The user may repeat them, but not give
    /// others.
    fn filters_of(&self, texts: &[String]) -> std::result::Result<FilterArgs, Exit> {
        let given = self.arguments.filters.texts();
        if !given.is_empty() && given != texts {
            let made = match texts {
                [] => "no filters".to_owned(),
                texts => texts.join(" "),
            };
            return Err(usage(&format!("the approval was made with {made}: leave others out")));
        }
        FilterArgs::of_texts(texts)
            .ok_or_else(|| usage("the approval has filters that this version does not know"))
    }

    fn reader(&self, filters: &FilterArgs, key: ValueKey) -> ObjectReader {
        ObjectReader { options: self.options.clone(), noise: filters.noise(), key }
    }

    fn join_options(&self, key: ValueKey) -> JoinOptions {
        let asks = |part| self.arguments.with.contains(&part);
        JoinOptions {
            level: self.arguments.level,
            level_max: CompareLevel::All,
            extras: Extras {
                timestamp: asks(Extra::Timestamp),
                versions: asks(Extra::Versions),
                applyable: asks(Extra::Applyable),
                relevant_attributes: asks(Extra::RelevantAttributes),
                text: asks(Extra::Text),
            },
            key,
            spool_max: self.options.read.limits.spool,
            alike: 0,
            has_text: true,
        }
    }

    fn join(
        &mut self,
        [old, new]: [Label<'_>; 2],
        documents: [&'static str; 2],
        [before, after]: [DocumentObjects; 2],
        options: &JoinOptions,
    ) -> std::result::Result<ComparisonSummary, Failure> {
        let pair = ComparedPair {
            schema_version: SCHEMA_VERSION,
            workspace: new.workspace,
            old: ComparedDocument { source: old.source, document: documents[0] },
            new: ComparedDocument { source: new.source, document: documents[1] },
            level: options.level,
        };
        let sink = self.sink.as_mut();
        sink.record(&Record::ComparedPair(pair)).map_err(Failure::Output)?;
        let old = (before.objects, &before.facts);
        let new = (after.objects, &after.facts);
        join(old, new, options, sink).map_err(Failure::Output)
    }
}

/// Reads the objects of one input.
fn objects_of(
    plans: &Plans,
    entry: &InputEntry,
    filters: &FilterArgs,
    key: ValueKey,
) -> std::result::Result<Option<DocumentObjects>, Exit> {
    let options = RecordOptions { accepts: Accepts::States, ..options(plans)? };
    let bar = Bar::new(plans);
    let opening = Opening {
        progress: Some(&bar),
        ..Opening::new(options.read, access(plans, &options.read))
    };
    let source = entry.source();
    let kept = KeptInput::new(entry, &opening).map_err(|error| fail_named(&source, &error))?;
    let label = Label { source: &source, workspace: None };
    let reader = ObjectReader { options, noise: filters.noise(), key };
    let read = reader.objects(&NamedInput { kept, label }, &mut Printer { plans });
    read.map_err(|error| fail_named(&source, &error))
}

/// Writes the approval of a plan.
pub fn approve(arguments: &Approve) -> std::result::Result<Exit, Exit> {
    let Approve { level, filters, key_file, output: path, plans } = arguments;
    let path = path.as_deref();
    let listed = inputs::list(plans, Accepts::Plans, path, key_file.clone())?;
    let key = match key_file {
        Some(path) => ApprovalKey::Elsewhere(read_key(path, ValueKey::of_file)?),
        None => ApprovalKey::InFile(ValueKey::random().map_err(|error| fail(None, &error))?),
    };
    let entry = single(&listed)?;
    let Some(found) = objects_of(plans, entry, filters, key.key().clone())? else {
        return Err(Exit::Failed);
    };
    if found.facts.is_state {
        return Err(usage("this is a state: approve a plan"));
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
            ApprovalKey::InFile(_) if *level >= CompareLevel::Values => {
                "; whoever can read it can test guesses of values"
            }
            _ => "",
        };
        say(&format!("approved {count} {objects}{protection}"));
    }
    Ok(Exit::Done)
}

/// Prints the digest of each input.
pub fn digest(arguments: &Digest) -> std::result::Result<Exit, Exit> {
    let Digest { level, filters, key_file, output: path, plans } = arguments;
    let path = path.as_deref();
    let listed = inputs::list(plans, Accepts::States, path, key_file.clone())?;
    let key = match key_file {
        Some(path) => read_key(path, ValueKey::of_file)?,
        None if *level < CompareLevel::Values => ValueKey::public(),
        None => {
            return Err(usage(&format!(
                "--level {}: without a key, a digest of values can be used to guess them: name a \
                 file with a key: --key-file FILE",
                level.name()
            )));
        }
    };
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
        let Some(found) = objects_of(plans, entry, filters, key.clone())? else {
            failed += 1;
            continue;
        };
        let source = entry.source();
        let digest = digest::digest(found.objects, *level, filters.texts());
        let digest = digest.map_err(|error| fail_named(&source, &error))?;
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
    Ok(Exit::of(facts))
}
