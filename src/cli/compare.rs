//! `plansift compare`: is this still what was approved?

use std::ffi::OsString;
use std::fmt;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use super::args::{Compare, Extra, FilterArgs};
use super::bar::Bar;
use super::documents::{Messages, NEW_IS_APPROVAL, refuse_approval};
use super::ending::end_of_output;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::inputs::{self, Takes, Wanted};
use super::messages::{fail, fail_named, say, usage};
use super::options::{access, options};
use super::output::{self, Output};
use super::pairing::{Pair, Paired, pairs};
use super::screen::screen;
use super::secrets::{read_key, secret_options};
use super::unmatched;
use plansift_compare::approval::{Approval, ApprovalFault};
use plansift_compare::collect::Facts;
use plansift_compare::join::{Extras, JoinOptions, Objects, join};
use plansift_compare::meaning::ValueKey;
use plansift_core::error::{Error, ErrorKind, Fault, Result};
use plansift_core::input::Source;
use plansift_fleet::run::{
    DocumentObjects, KeptInput, NamedInput, ObjectReader, Opening, PairObjects, Reports,
};
use plansift_fleet::source::{InputEntry, Unlisted};
use plansift_plan::plan::Accepts;
use plansift_plan::record::patterns::UnmatchedPatterns;
use plansift_plan::record::{
    CompareLevel, ComparedDocument, ComparedPair, ComparisonSummary, Direction, DirectionCounts,
    Label, Record, RecordOptions, SCHEMA_VERSION,
};
use plansift_plan::sink::Sink;
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
    let list = |name: &OsString, takes| {
        let wanted = Wanted::from(takes).strict(arguments.strict_rules);
        inputs::list_named(plans, vec![name.clone()], wanted, path, also.clone())
    };
    let listed = [list(&old, Takes::Approvals)?, list(&new, Takes::States)?];
    let paired = pairs(plans, [&listed[0].inputs, &listed[1].inputs], [&old, &new]);
    let Paired { pairs, unlisted } = paired.map_err(|text| usage(&text))?;
    let options = RecordOptions {
        relevant: true,
        accepts: Accepts::States,
        patterns: unmatched::comparison(&arguments.filters),
        ..options(plans)?
    };
    let given = arguments.key_file.as_deref().map(|path| read_key(path, ValueKey::of_file));
    let given = given.transpose()?;
    let (sink, output) = open_sink(arguments, options.patterns.clone())?;
    let messages = Messages::new(plans);
    let mut comparing = Comparing { arguments, options, given, sink, messages };
    let mut totals = Totals { failed: unlisted.len() as u64, ..Totals::default() };
    let mut closed = comparing.unlisted(&unlisted).err();
    for pair in &pairs {
        if closed.is_some() {
            break;
        }
        match comparing.pair(pair) {
            Ok(Some(summary)) => {
                totals.add(&summary);
                comparing.gate(pair, &summary);
            }
            Ok(None) => totals.failed += 1,
            Err(Failure::Exit(exit)) => return Err(exit),
            Err(Failure::Output(error)) => closed = Some(error),
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
    /// The number of pairs of which an input failed, and of inputs that cannot be opened.
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
        let is_broken = arguments.fail_on.map(|fail_on| fail_on.is_broken_by(verdict));
        let reports_changes = arguments.detailed_exitcode && verdict.is_some();
        ExitFacts { done, failed, reports_changes, is_broken, output: OutputEnd::Complete }
    }
}

/// Opens the output, and the sink that writes to it.
fn open_sink(
    arguments: &Compare,
    patterns: Option<Arc<UnmatchedPatterns>>,
) -> std::result::Result<(Box<dyn Sink>, Output), Exit> {
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
        patterns,
    };
    let mut out = Some(BufWriter::new(out));
    let pages = Box::new(move |_| match out.take() {
        Some(out) => Ok(Box::new(out) as Box<dyn Write>),
        None => Err(Error::write(std::io::ErrorKind::Unsupported.into())),
    });
    let sink = arguments.format.sink(pages, options).map_err(|error| fail(path, &error))?;
    Ok((sink, output))
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

/// The filters of an approval, which differ from those on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OtherFilters(Vec<String>);

impl Fault for OtherFilters {}

impl fmt::Display for OtherFilters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filters = match &self.0[..] {
            [] => "no filters".to_owned(),
            texts => texts.join(" "),
        };
        write!(
            f,
            "the approval was made with {filters}, which compare takes from it: leave filters out"
        )
    }
}

impl Comparing<'_> {
    /// Reports the inputs that cannot be opened. Fails if the output does.
    fn unlisted(&mut self, unlisted: &[&Unlisted]) -> Result<()> {
        for Unlisted { source, error } in unlisted {
            fail_named(source, error);
            self.sink.failed(Label { source, workspace: None }, error)?;
        }
        Ok(())
    }

    /// Compares two inputs. Returns `None` if one of them fails.
    fn pair(&mut self, pair: &Pair) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let plans = &self.arguments.plans;
        self.messages.read.clear();
        let (bar, read) = (Bar::new(plans), self.options.read);
        let opening = Opening { progress: Some(&bar), ..Opening::new(read, access(plans, &read)) };
        let workspace = pair.workspace.as_deref();
        let names =
            [&pair.old, &pair.new].map(|side| side.as_ref().map_or("".into(), InputEntry::source));
        let label = |index: usize| Label { source: &names[index], workspace };
        let mut sides: [Option<NamedInput<'_>>; 2] = [None, None];
        for (index, entry) in [&pair.old, &pair.new].into_iter().enumerate() {
            let Some(entry) = entry else { continue };
            match KeptInput::new(entry, &opening) {
                Ok(kept) => sides[index] = Some(NamedInput { kept, label: label(index) }),
                Err(error) => return self.failed(label(index), error),
            }
        }
        let limits = &self.options.read.limits;
        if let Some(new) = &sides[1]
            && let Err(error) = refuse_approval(&new.kept, limits, NEW_IS_APPROVAL)
        {
            return self.failed(new.label, error);
        }
        let labels = [label(0), label(1)];
        let [Some(old), new] = sides else { return self.alone(labels, sides) };
        let approval = old.kept.source().and_then(|opened| Approval::open(opened, limits));
        match (approval, new) {
            (Err(error), _) => self.failed(old.label, error),
            (Ok(Some(approval)), new) => self.with_approval(approval, labels, new.as_ref()),
            (Ok(None), Some(new)) => self.with_document(&old, &new),
            (Ok(None), None) => self.alone(labels, [Some(old), None]),
        }
    }

    /// Prints why a comparison breaks the gate.
    fn gate(&self, pair: &Pair, summary: &ComparisonSummary) {
        let Some(fail_on) = self.arguments.fail_on else { return };
        if !fail_on.is_broken_by(summary.verdict) {
            return;
        }
        let source = pair.new.as_ref().or(pair.old.as_ref()).map_or("".into(), InputEntry::source);
        let DirectionCounts { more, less, resolved } = summary.differing;
        let counts = [(more, "more"), (less, "less"), (resolved, "resolved")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
        let (rule, counts) = (fail_on.word(), counts.join(", "));
        say(&format!("{source}: rule broken: --fail-on {rule}: {counts}"));
    }

    /// Reports an input that failed, unless the reader of its document has done so. An error of the
    /// output ends the run.
    fn failed(
        &mut self,
        label: Label<'_>,
        error: Error,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        if matches!(error.kind(), ErrorKind::Write | ErrorKind::Stopped) {
            return Err(Failure::Output(error));
        }
        fail_named(label.source, &error);
        self.sink.failed(label, &error).map_err(Failure::Output)?;
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
        let found = match reader.objects(&input, reports) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(None),
            Err(error) => return self.failed(input.label, error),
        };
        let word = if found.facts.is_state { "state" } else { "plan" };
        let nothing = self.nothing(&found.facts);
        let options = self.join_options(key);
        let (documents, sides) = match is_old {
            true => ([word, "none"], [found, nothing]),
            false => (["none", word], [nothing, found]),
        };
        self.join(labels, documents, sides, &options)
    }

    fn with_document(
        &mut self,
        old: &NamedInput<'_>,
        new: &NamedInput<'_>,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let key = ValueKey::random().map_err(|error| fail(None, &error))?;
        let reader = self.reader(&self.arguments.filters, key.clone());
        let reports = &mut Reports { events: &mut self.messages, sink: self.sink.as_mut() };
        let PairObjects { old: before, new: after, alike, .. } =
            match reader.pair(old, new, reports) {
                Ok(Some(pair)) => pair,
                Ok(None) => return Ok(None),
                Err(error) => return self.failed(new.label, error),
            };
        let documents = [before.facts.is_state, after.facts.is_state]
            .map(|is_state| if is_state { "state" } else { "plan" });
        if documents[0] != documents[1] {
            return self.failed(new.label, Error::new(OtherKind(documents)));
        }
        let options = JoinOptions { alike, ..self.join_options(key) };
        self.join([old.label, new.label], documents, [before, after], &options)
    }

    fn with_approval<S: Source>(
        &mut self,
        approval: Approval<S>,
        labels: [Label<'_>; 2],
        new: Option<&NamedInput<'_>>,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let level_max = approval.header.level;
        let filters = match self.filters_of(&approval.header.filters) {
            Ok(filters) => filters,
            Err(error) => return self.failed(labels[0], error),
        };
        let extras = [Extra::RelevantAttributes, Extra::Text];
        if let Some(extra) = self.arguments.with.iter().find(|extra| extras.contains(extra)) {
            let word = if *extra == Extra::Text { "text" } else { "relevant-attributes" };
            let text = format!("--with {word}: an approval does not hold this part of its plan");
            return Err(usage(&text).into());
        }
        let (key, before) = match self.approved(approval) {
            Ok(approved) => approved,
            Err(error) => return self.failed(labels[0], error),
        };
        let options = JoinOptions { level_max, approved: true, ..self.join_options(key.clone()) };
        let Some(new) = new else {
            let nothing = self.nothing(&before.facts);
            return self.join(labels, ["approval", "none"], [before, nothing], &options);
        };
        let mut reader = self.reader(&filters, key);
        reader.options.relevant = false;
        let reports = &mut Reports { events: &mut self.messages, sink: self.sink.as_mut() };
        let after = match reader.objects(new, reports) {
            Ok(Some(after)) => after,
            Ok(None) => return Ok(None),
            Err(error) => return self.failed(new.label, error),
        };
        if after.facts.is_state {
            return self.failed(new.label, Error::new(OtherKind(["approval", "state"])));
        }
        self.join(labels, ["approval", "plan"], [before, after], &options)
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
        let Facts { is_state, ref plan, .. } = *facts;
        DocumentObjects {
            objects,
            facts: Facts { is_state, plan: plan.clone(), ..Facts::default() },
        }
    }

    /// Returns the filters that an approval was made with. The user may repeat them, but not give
    /// others.
    fn filters_of(&self, texts: &[String]) -> Result<FilterArgs> {
        let given = self.arguments.filters.texts();
        if !given.is_empty() && given != texts {
            return Err(Error::new(OtherFilters(texts.to_vec())));
        }
        FilterArgs::of_texts(texts).ok_or(Error::new(ApprovalFault::Newer))
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
            approved: false,
        }
    }

    fn join(
        &mut self,
        [old, new]: [Label<'_>; 2],
        documents: [&'static str; 2],
        [before, after]: [DocumentObjects; 2],
        options: &JoinOptions,
    ) -> std::result::Result<Option<ComparisonSummary>, Failure> {
        let pair = ComparedPair {
            schema_version: SCHEMA_VERSION,
            workspace: new.workspace,
            old: ComparedDocument { source: old.source, document: documents[0] },
            new: ComparedDocument { source: new.source, document: documents[1] },
            level: options.level,
        };
        let sink = self.sink.as_mut();
        sink.record(&Record::ComparedPair(pair)).map_err(Failure::Output)?;
        let before = (before.objects, &before.facts);
        let after = (after.objects, &after.facts);
        match join(before, after, options, sink) {
            Ok(summary) => Ok(Some(summary)),
            Err(error) => self.failed(new, error),
        }
    }
}
