//! `plansift resources`, `outputs`, `variables` and `checks`: write what documents hold, a row for
//! each element, to one sink.
//!
//! Rows with values or messages need the secrets of the document, so its input is read twice.

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::File;
use std::io::BufWriter;

use super::args::{Checks, GateArgs, Outputs, Resources, RowArgs, RowFormat, Variables};
use super::bar::{self, Watched};
use super::ending::{Ending, Failure};
use super::exit::Exit;
use super::gates;
use super::inputs::{self, Listed};
use super::messages::{fail, say, warn};
use super::options::{access, formulas, options};
use super::output::Output;
use super::screen::screen;
use super::secrets::{secret_options, warn_of_names};
use super::tally::Tally;
use super::unmatched;
use crate::batch::documents::{Note, Turn, Visited, Visitor, numbered, visit_all};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::path;
use crate::plan::{Accepts, Documents};
use crate::record::values::{By, Held, Of, Options, Record, Select, Sink, What, read};
use crate::record::view::{Detail, Known};
use crate::record::{self, Label, Warning};
use crate::secret::{self, Collecting};
use crate::sink::json::Json;
use crate::sink::ndjson::Ndjson;
use crate::sink::values::{Csv, Grouping, Table};
use crate::source::Entry;

/// Lists or counts the resources of all inputs.
pub fn resources(arguments: &Resources) -> Exit {
    let Resources { of, select, only, all, group_by, rows } = arguments;
    let (mut selected, mut paths) = (Select::default(), Vec::new());
    for path in select {
        let parsed = selected.push(path).and_then(|()| path::Pattern::parse(path));
        match parsed {
            Ok(path) => paths.push(path),
            Err(error) => {
                say(&format!("--select: {error}"));
                return Exit::Usage;
            }
        }
    }
    let options = |options: Options| Options {
        of: Of::from(*of),
        only: only.clone(),
        all: *all,
        select: selected,
        watch: unmatched::resources(only, &paths),
        ..options
    };
    let shows_values = !select.is_empty();
    let request = Request { rows, shows_values, by: group_by.map(By::from), gate: None };
    run(request, What::Resources, options)
}

/// Lists the outputs of all inputs.
pub fn outputs(arguments: &Outputs) -> Exit {
    let Outputs { of, values, rows } = arguments;
    let options = |options: Options| Options { of: Of::from(*of), ..options };
    run(Request { rows, shows_values: *values, by: None, gate: None }, What::Outputs, options)
}

/// Lists the variables of all inputs.
pub fn variables(arguments: &Variables) -> Exit {
    let Variables { values, rows } = arguments;
    run(Request { rows, shows_values: *values, by: None, gate: None }, What::Variables, |it| it)
}

/// Lists the checks of all inputs.
pub fn checks(arguments: &Checks) -> Exit {
    let Checks { gate, rows } = arguments;
    // The messages of checks may repeat secrets.
    let request = Request { rows, shows_values: true, by: None, gate: Some(gate) };
    run(request, What::Checks, |options| options)
}

/// The arguments that all of these commands have.
struct Request<'a> {
    rows: &'a RowArgs,
    /// Whether rows have values or messages, which may be secret.
    shows_values: bool,
    by: Option<By>,
    gate: Option<&'a GateArgs>,
}

/// Writes the rows of all inputs. `fill` sets the options of one command.
fn run(request: Request<'_>, what: What, fill: impl FnOnce(Options) -> Options) -> Exit {
    let Request { rows: arguments, shows_values, by, gate } = request;
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let accepts = if what == What::Variables { Accepts::Plans } else { Accepts::States };
    let ready = gate.map_or(Ok(Vec::new()), gates::rules).and_then(|rules| {
        let files = gate.into_iter().flat_map(GateArgs::files);
        let listed = inputs::list(plans, accepts, path, files)?;
        listed.warn_of_shared_workspaces(plans);
        Ok((rules, listed, options(plans)?.read))
    });
    let (rules, listed, read) = match ready {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    if let Some(rule) = rules.iter().find(|rule| !rule.is_of_checks()) {
        say(&format!("--fail-on: the rule '{}' is not about checks", rule.text()));
        return Exit::Usage;
    }
    let (of, only, select) = (Of::Auto, Vec::new(), Select::default());
    let options =
        fill(Options { read, what, of, only, all: false, select, watch: unmatched::rules(&rules) });
    let secrets = shows_values.then(|| secret_options(&arguments.secrets, read));
    let opened = Output::open(path).and_then(|output| {
        let sink = sink(arguments, &options, by, output.writer()?);
        Ok((sink, output))
    });
    let (sink, output) = match opened {
        Ok(opened) => opened,
        Err(error) => return fail(path, &error),
    };
    let is_broken = Cell::new(false);
    let mut sink = Gated { sink, gate: gates::before(Box::new(Nothing), &rules, &is_broken) };
    let mut tally = Tally::new();
    let reading = Reading { arguments, options: &options, secrets: secrets.as_ref() };
    let read = reading.all(&listed, &mut sink, &mut tally);
    let ending = Ending {
        is_broken: (!rules.is_empty()).then(|| is_broken.get()),
        watch: options.watch,
        ..Ending::new(plans, &tally)
    };
    let failure = |error| Failure::of(path, error);
    let finish = || {
        let finished = sink.finish();
        drop(sink);
        finished.and_then(|()| output.finish()).map_err(failure)
    };
    let ended = ending.end(read.map_err(failure), finish);
    if let Some(secrets) = secrets.as_ref().filter(|_| !plans.quiet && tally.done > 0) {
        warn_of_names(secrets.names.as_ref());
    }
    ended.unwrap_or_else(|exit| exit)
}

/// Creates the sink that the arguments ask for.
fn sink(arguments: &RowArgs, options: &Options, by: Option<By>, out: File) -> Box<dyn Sink> {
    let columns = (options.what, &options.select, by.is_some());
    let path = arguments.output.as_deref();
    let sink: Box<dyn Sink> = match arguments.format {
        RowFormat::Table => {
            let out = BufWriter::new(out);
            Box::new(Table::new(out, screen(arguments.plans.color, path), columns))
        }
        RowFormat::Ndjson => Box::new(Ndjson::new(out)),
        RowFormat::Json => Box::new(Json::new(out)),
        RowFormat::Csv => Box::new(Csv::new(out, formulas(arguments.csv_raw), columns)),
    };
    match by {
        Some(by) => Box::new(Grouping::new(by, sink)),
        None => sink,
    }
}

/// Passes rows on, and checks rules about them.
struct Gated<'s> {
    sink: Box<dyn Sink + 's>,
    gate: Box<dyn record::Sink + 's>,
}

impl Sink for Gated<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Document(document) => {
                self.gate.record(&record::Record::Plan(record::Plan {
                    schema_version: document.schema_version,
                    source: document.source,
                    workspace: document.workspace,
                    format_version: None,
                    terraform_version: None,
                }))?
            }
            Record::Check(check) => self.gate.record(&record::Record::Check(record::Check {
                address: Cow::Borrowed(&check.address),
                check_kind: None,
                status: Cow::Borrowed(&check.status),
                problems: Cow::Borrowed(&[]),
                source: None,
            }))?,
            Record::Summary(_) => {
                let summary = record::counts::Summary::default();
                self.gate.record(&record::Record::Summary(&summary))?;
            }
            _ => {}
        }
        self.sink.record(record)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }
}

/// A sink behind the rules that writes nothing.
struct Nothing;

impl record::Sink for Nothing {
    fn record(&mut self, _: &record::Record<'_>) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// How to read all inputs.
#[derive(Clone, Copy)]
struct Reading<'a> {
    arguments: &'a RowArgs,
    options: &'a Options,
    /// How to find secrets; `None` if rows have no values.
    secrets: Option<&'a secret::Options>,
}

type Open = Box<dyn FnMut() -> Result<Watched<Input>>>;

impl Reading<'_> {
    /// Reads all inputs in order. Fails only if the output fails; the tally prints and counts all
    /// other errors.
    fn all(&self, listed: &Listed, sink: &mut dyn Sink, tally: &mut Tally) -> Result<()> {
        for entry in &listed.inputs.entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(unlisted) => {
                    let label = Label { source: &unlisted.source, workspace: None };
                    sink.failed(label, &unlisted.error)?;
                    tally.fail(&unlisted.source, &unlisted.error);
                    continue;
                }
            };
            let (source, workspace) = (entry.source(), listed.workspace(entry));
            let label = Label { source: &source, workspace: workspace.as_deref() };
            match self.open(entry) {
                Ok((mut documents, collecting)) => {
                    let reading = *self;
                    let mut each =
                        Each { reading, label, collecting, sink: &mut *sink, tally: &mut *tally };
                    visit_all(&mut documents, &mut each)?;
                }
                Err(error) => {
                    sink.failed(label, &error)?;
                    tally.fail(&source, &error);
                }
            }
        }
        Ok(())
    }

    /// Opens an input, for a second pass too if the rows need secrets.
    #[expect(clippy::type_complexity, reason = "the reader, and the first pass")]
    fn open(
        &self,
        entry: &Entry,
    ) -> Result<(Documents<Watched<Input>>, Option<Collecting<Open, Watched<Input>>>)> {
        let (plans, read) = (&self.arguments.plans, &self.options.read);
        let access = access(plans, read);
        if self.secrets.is_none() {
            let input = entry.open(&access)?;
            let bar = bar::of_input(plans, entry, entry.len);
            return Ok((Documents::new(bar::watched(input, bar), read), None));
        }
        let kept = entry.keep(&read.limits)?;
        let bar = bar::of_input(plans, entry, Some(kept.len()));
        let mut open: Open = Box::new(move || Ok(bar::watched(kept.input(&access)?, bar.clone())));
        let documents = Documents::new(open()?, read);
        Ok((documents, Some(Collecting::new(open, Accepts::States))))
    }
}

/// Reads each document of an input.
struct Each<'a> {
    reading: Reading<'a>,
    /// The names of the input.
    label: Label<'a>,
    /// The first pass, if the rows need secrets.
    collecting: Option<Collecting<Open, Watched<Input>>>,
    sink: &'a mut dyn Sink,
    tally: &'a mut Tally,
}

impl Each<'_> {
    fn read(
        &mut self,
        documents: &mut Documents<Watched<Input>>,
        label: Label<'_>,
    ) -> Result<Held> {
        let Reading { options, secrets, .. } = self.reading;
        let Some((collecting, secrets)) = self.collecting.as_mut().zip(secrets) else {
            return read(documents, label, options, None, self.sink);
        };
        let collected = collecting.collect_before(documents, secrets, None)?;
        let known = Known { collected: &collected, options: secrets, detail: Detail::Full };
        read(documents, label, options, Some(known), self.sink)
    }
}

impl Visitor<Watched<Input>> for Each<'_> {
    type End = Error;

    fn visit(&mut self, turn: Turn<'_, Watched<Input>>) -> Result<Visited> {
        let source = numbered(self.label.source, turn.number);
        let workspace = self.label.workspace.map(|name| numbered(name, turn.number));
        let label = Label { source: &source, workspace: workspace.as_deref() };
        match self.read(turn.documents, label) {
            Ok(held) => {
                let plans = &self.reading.arguments.plans;
                warn(plans, &source, Warning::of_text(&held.document));
                for warning in held.warnings().filter(|_| !plans.quiet) {
                    say(&format!("{source}: warning: {warning}"));
                }
                self.tally.succeed(held.document.bytes);
                Ok(Visited::Done)
            }
            Err(error) if error.kind() == ErrorKind::Write => Err(error),
            Err(error) => {
                self.sink.failed(label, &error)?;
                self.tally.fail(&source, &error);
                Ok(Visited::Failed(error.kind()))
            }
        }
    }

    fn note(&mut self, note: Note) {
        say(&format!("{}: {note}", self.label.source));
    }
}
