//! `plansift compare`, `approve` and `digest`: is this still what was approved?

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::io::{BufWriter, Write};

use super::args::{Approve, Compare, Digest, Extra, FailOn, FilterArgs, Plans};
use super::bar::Bar;
use super::ending::end_of_output;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::inputs::{self, Listed};
use super::messages::{fail, fail_named, say, usage};
use super::options::{access, options};
use super::output::{self, Output};
use super::pairing::{Pair, pairs};
use super::reading::Printer;
use super::screen::screen;
use super::secrets::{digest_key, read_key, secret_options};
use super::stats::Stats;
use super::unmatched;
use plansift_compare::approval::{self, Approval, ApprovalKey};
use plansift_compare::collect::Facts;
use plansift_compare::digest;
use plansift_compare::join::{Extras, JoinOptions, Objects, join};
use plansift_compare::meaning::ValueKey;
use plansift_core::error::{Error, Fault, Result};
use plansift_core::input::Source;
use plansift_fleet::run::{
    DocumentObjects, DocumentOutcome, Events, KeptInput, NamedInput, ObjectReader, Opening,
    PairObjects, Remark, Reports,
};
use plansift_fleet::source::InputEntry;
use plansift_plan::plan::Accepts;
use plansift_plan::record::{
    CompareLevel, ComparedDocument, ComparedPair, ComparisonSummary, Direction, Label, Record,
    RecordOptions, SCHEMA_VERSION,
};
use plansift_plan::sink::{NullSink, Sink};
use plansift_report::comparison::{ComparisonForm, ComparisonOptions};
use plansift_report::markdown::{Fit, Measure, Rest};
use plansift_report::view::Detail;

/// Compares two inputs, or the plans of two folders.
pub fn run(arguments: &Compare) -> std::result::Result<Exit, Exit> {
    let Compare { plans, output: path, .. } = arguments;
    let path = path.as_deref();
    let [old, new] = [0, 1].map(|index| plans.inputs.get(index).cloned().unwrap_or_default());
    if old == "-" && new == "-" {
        return Err(usage("standard input is either OLD or NEW: it is named as both"));
    }
    if arguments.fit.is_some() && arguments.format != ComparisonForm::Markdown {
        return Err(usage("--fit limits Markdown: add it, as in -f markdown"));
    }
    let also = arguments.key_file.clone();
    let list = |name: &OsString| {
        inputs::list_named(plans, vec![name.clone()], Accepts::States, path, also.clone())
    };
    let listed = [list(&old)?, list(&new)?];
    let pairs = pairs([&listed[0].inputs, &listed[1].inputs], [&old, &new]);
    let pairs = pairs.map_err(|text| usage(&text))?;
    let options = RecordOptions {
        relevant: true,
        accepts: Accepts::States,
        patterns: unmatched::comparison(&arguments.filters),
        ..options(plans)?
    };
    let given = arguments.key_file.as_deref().map(|path| read_key(path, ValueKey::of_file));
    let given = given.transpose()?;
    let (sink, output) = open_sink(arguments)?;
    let messages = Messages::new(plans);
    let mut comparing = Comparing { arguments, options, given, sink, messages };
    let (mut totals, mut closed) = (Totals::default(), None);
    for pair in &pairs {
        match comparing.pair(pair) {
            Ok(Some(summary)) => totals.add(&summary),
            Ok(None) => totals.failed += 1,
            Err(Failure::Exit(exit)) => return Err(exit),
            Err(Failure::Output(error)) => {
                closed = Some(error);
                break;
            }
        }
    }
    let Comparing { options, mut sink, messages, .. } = comparing;
    if let Some(error) = closed {
        let facts = ExitFacts { output: OutputEnd::ClosedEarly, ..totals.of_exit(arguments) };
        return Err(end_of_output(path, &error, facts));
    }
    let facts = totals.of_exit(arguments);
    if facts.done == 0 {
        return Err(Exit::of(ExitFacts { output: OutputEnd::Nothing, ..facts }));
    }
    let finished = sink.finish().and_then(|()| {
        drop(sink);
        output.finish()
    });
    finished.map_err(|error| {
        end_of_output(path, &error, ExitFacts { output: OutputEnd::Closed, ..facts })
    })?;
    messages.end(&options);
    Ok(Exit::of(facts))
}

/// What the comparisons of all pairs found.
#[derive(Default)]
struct Totals {
    /// The number of pairs that were compared.
    done: u64,
    /// The number of pairs of which an input failed.
    failed: u64,
    /// The most severe verdict.
    verdict: Option<Direction>,
}

impl Totals {
    fn add(&mut self, summary: &ComparisonSummary) {
        self.done += 1;
        self.verdict = self.verdict.max(summary.verdict);
    }

    /// Returns the facts from which the exit code follows.
    fn of_exit(&self, arguments: &Compare) -> ExitFacts {
        let Totals { done, failed, verdict } = *self;
        let is_broken = arguments.fail_on.map(|fail_on| match fail_on {
            FailOn::More => verdict == Some(Direction::More),
            FailOn::Any => verdict.is_some(),
        });
        let reports_changes = arguments.detailed_exitcode && verdict.is_some();
        ExitFacts { done, failed, reports_changes, is_broken, output: OutputEnd::Complete }
    }
}

/// Opens the output, and the sink that writes to it.
fn open_sink(arguments: &Compare) -> std::result::Result<(Box<dyn Sink>, Output), Exit> {
    let path = arguments.output.as_deref();
    let (out, output) = output::open(path)?;
    let options = ComparisonOptions {
        detail: if arguments.full { Detail::Full } else { Detail::Excerpts },
        screen: screen(arguments.plans.color, path),
        fit: arguments.fit.map_or(Fit::NONE, |max| Fit {
            max,
            measure: Measure::Characters,
            rest: Rest::LeftOut,
        }),
    };
    let mut out = Some(BufWriter::new(out));
    let pages = Box::new(move |_| match out.take() {
        Some(out) => Ok(Box::new(out) as Box<dyn Write>),
        None => Err(Error::write(std::io::ErrorKind::Unsupported.into())),
    });
    let sink = arguments.format.sink(pages, options).map_err(|error| fail(path, &error))?;
    Ok((sink, output))
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

/// Prints the messages about a document once, although it may be read several times.
struct Messages<'a> {
    printer: Printer<'a>,
    stats: Stats,
    /// The names of the documents that were read.
    read: BTreeSet<String>,
}

impl<'a> Messages<'a> {
    fn new(plans: &'a Plans) -> Messages<'a> {
        Messages { printer: Printer { plans }, stats: Stats::start(), read: BTreeSet::new() }
    }

    /// Prints the messages at the end of a complete run.
    fn end(&self, options: &RecordOptions) {
        let Plans { quiet, stats, .. } = *self.printer.plans;
        if !quiet {
            unmatched::warn_of(options.patterns.as_deref());
        }
        if stats {
            say(&self.stats.line());
        }
    }
}

impl Events for Messages<'_> {
    fn done(&mut self, label: Label<'_>, outcome: DocumentOutcome) {
        if self.read.insert(label.source.to_owned()) {
            self.stats.add(outcome.bytes);
            self.printer.done(label, outcome);
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &dyn fmt::Display) {
        self.printer.failed(label, error);
    }

    fn remark(&mut self, input: &str, remark: Remark) {
        self.printer.remark(input, remark);
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
    messages: Messages<'a>,
}

/// The kinds of two documents that cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OtherKind([&'static str; 2]);

impl Fault for OtherKind {}

impl fmt::Display for OtherKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [old, new] = self.0;
        let article = if old == "approval" { "an" } else { "a" };
        write!(f, "OLD is {article} {old} and NEW is a {new}: compare two plans, or two states")
    }
}

impl Comparing<'_> {
    /// Compares two inputs. Returns `None` if one of them fails.
    fn pair(&mut self, pair: &Pair<'_>) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let plans = &self.arguments.plans;
        self.messages.read.clear();
        let (bar, read) = (Bar::new(plans), self.options.read);
        let opening = Opening { progress: Some(&bar), ..Opening::new(read, access(plans, &read)) };
        let workspace = pair.workspace.as_deref();
        let names = [pair.old, pair.new].map(|side| side.map_or("".into(), InputEntry::source));
        let label = |index: usize| Label { source: &names[index], workspace };
        let mut sides: [Option<NamedInput<'_>>; 2] = [None, None];
        for (index, entry) in [pair.old, pair.new].into_iter().enumerate() {
            let Some(entry) = entry else { continue };
            match KeptInput::new(entry, &opening) {
                Ok(kept) => sides[index] = Some(NamedInput { kept, label: label(index) }),
                Err(error) => return self.failed(label(index), &error),
            }
        }
        let labels = [label(0), label(1)];
        let [Some(old), new] = sides else { return self.alone(labels, sides) };
        let limits = &self.options.read.limits;
        let approval = old.kept.source().and_then(|opened| Approval::open(opened, limits));
        match (approval, new) {
            (Err(error), _) => self.failed(old.label, &error),
            (Ok(Some(approval)), new) => self.with_approval(approval, labels, new.as_ref()),
            (Ok(None), Some(new)) => self.with_document(&old, &new),
            (Ok(None), None) => self.alone(labels, [Some(old), None]),
        }
    }

    /// Reports an input that failed, unless the reader of its document has done so.
    fn failed(
        &mut self,
        label: Label<'_>,
        error: &Error,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        fail_named(label.source, error);
        self.sink.failed(label, error).map_err(Failure::Output)?;
        Ok(None)
    }

    /// Compares a document with nothing, because the workspace is in one folder only.
    fn alone(
        &mut self,
        labels: [Label<'_>; 2],
        sides: [Option<NamedInput<'_>>; 2],
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let is_old = sides[0].is_some();
        let Some(input) = sides.into_iter().flatten().next() else { return Ok(None) };
        let key = ValueKey::random().map_err(|error| fail(None, &error))?;
        let reader = self.reader(&self.arguments.filters, key.clone());
        let reports = &mut Reports { events: &mut self.messages, sink: self.sink.as_mut() };
        let Some(found) = reader.objects(&input, reports).map_err(Failure::Output)? else {
            return Ok(None);
        };
        let word = if found.facts.is_state { "state" } else { "plan" };
        let nothing = self.nothing(&found.facts);
        let options = self.join_options(key);
        let (documents, sides) = match is_old {
            true => ([word, "none"], [found, nothing]),
            false => (["none", word], [nothing, found]),
        };
        self.join(labels, documents, sides, &options).map(Some)
    }

    fn with_document(
        &mut self,
        old: &NamedInput<'_>,
        new: &NamedInput<'_>,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let key = ValueKey::random().map_err(|error| fail(None, &error))?;
        let reader = self.reader(&self.arguments.filters, key.clone());
        let reports = &mut Reports { events: &mut self.messages, sink: self.sink.as_mut() };
        let pair = reader.pair(old, new, reports).map_err(Failure::Output)?;
        let Some(PairObjects { old: before, new: after, alike }) = pair else { return Ok(None) };
        let documents = [before.facts.is_state, after.facts.is_state]
            .map(|is_state| if is_state { "state" } else { "plan" });
        if documents[0] != documents[1] {
            return self.failed(new.label, &Error::new(OtherKind(documents)));
        }
        let options = JoinOptions { alike, ..self.join_options(key) };
        self.join([old.label, new.label], documents, [before, after], &options).map(Some)
    }

    fn with_approval<S: Source>(
        &mut self,
        approval: Approval<S>,
        labels: [Label<'_>; 2],
        new: Option<&NamedInput<'_>>,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let level_max = approval.header.level;
        let filters = self.filters_of(&approval.header.filters)?;
        let extras = [Extra::RelevantAttributes, Extra::Text];
        if let Some(extra) = self.arguments.with.iter().find(|extra| extras.contains(extra)) {
            let word = if *extra == Extra::Text { "text" } else { "relevant-attributes" };
            let text = format!("--with {word}: an approval does not hold this part of its plan");
            return Err(usage(&text).into());
        }
        let (key, before) = match self.approved(approval) {
            Ok(approved) => approved,
            Err(error) => return self.failed(labels[0], &error),
        };
        let options = JoinOptions { level_max, has_text: false, ..self.join_options(key.clone()) };
        let Some(new) = new else {
            let nothing = self.nothing(&before.facts);
            return self.join(labels, ["approval", "none"], [before, nothing], &options).map(Some);
        };
        let mut reader = self.reader(&filters, key);
        reader.options.relevant = false;
        let reports = &mut Reports { events: &mut self.messages, sink: self.sink.as_mut() };
        let Some(after) = reader.objects(new, reports).map_err(Failure::Output)? else {
            return Ok(None);
        };
        if after.facts.is_state {
            return self.failed(new.label, &Error::new(OtherKind(["approval", "state"])));
        }
        self.join(labels, ["approval", "plan"], [before, after], &options).map(Some)
    }

    /// Reads the objects of an approval, and returns its key, too.
    fn approved<S: Source>(&self, approval: Approval<S>) -> Result<(ValueKey, DocumentObjects)> {
        approval.check_level(self.arguments.level)?;
        let key = approval.key(self.given.clone())?;
        let mut objects = Objects::new(self.options.read.limits.spool);
        let facts = approval.read(&mut objects)?;
        Ok((key, DocumentObjects { objects, facts }))
    }

    /// Returns a document of the same kind without an object.
    fn nothing(&self, facts: &Facts) -> DocumentObjects {
        let objects = Objects::new(self.options.read.limits.spool);
        DocumentObjects { objects, facts: facts.clone() }
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
        let arguments = self.arguments;
        let secrets = secret_options(&arguments.secrets, self.options.read);
        let secrets = arguments.shows_values().then_some(secrets);
        ObjectReader {
            options: self.options.clone(),
            noise: filters.noise(),
            ignores_moves: filters.ignores_moves(),
            key,
            secrets,
        }
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

/// Reads the objects of one input. Returns `None` if it fails.
fn objects_of(
    messages: &mut Messages<'_>,
    options: &RecordOptions,
    entry: &InputEntry,
    filters: &FilterArgs,
    key: ValueKey,
) -> std::result::Result<Option<DocumentObjects>, Exit> {
    let plans = messages.printer.plans;
    let bar = Bar::new(plans);
    let opening = Opening {
        progress: Some(&bar),
        ..Opening::new(options.read, access(plans, &options.read))
    };
    let source = entry.source();
    let kept = match KeptInput::new(entry, &opening) {
        Ok(kept) => kept,
        Err(error) => {
            fail_named(&source, &error);
            return Ok(None);
        }
    };
    let label = Label { source: &source, workspace: None };
    let (noise, ignores_moves) = (filters.noise(), filters.ignores_moves());
    let options = options.clone();
    let reader = ObjectReader { options, noise, ignores_moves, key, secrets: None };
    let reports = &mut Reports { events: messages, sink: &mut NullSink };
    reader
        .objects(&NamedInput { kept, label }, reports)
        .map_err(|error| fail_named(&source, &error))
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
    let patterns = unmatched::comparison(filters);
    let options = RecordOptions { patterns, ..options(plans)? };
    let mut messages = Messages::new(plans);
    let found = objects_of(&mut messages, &options, entry, filters, key.key().clone())?;
    let Some(found) = found else { return Err(Exit::Failed) };
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

/// Prints the digest of each input.
pub fn digest(arguments: &Digest) -> std::result::Result<Exit, Exit> {
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
    messages.end(&options);
    Ok(Exit::of(facts))
}
