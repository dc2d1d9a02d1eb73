//! `plansift assert`: asks assertions of plans and states.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};

use super::args::{Assert, AssertFormat, Plans};
use super::assertions;
use super::auditing::{Auditing, SecretPass};
use super::bar::{self, Watched};
use super::ending::{Ending, Failure};
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::messages::{fail, say, warn};
use super::options::options;
use super::output::Output;
use super::secrets::secret_options;
use super::sources;
use super::tally::Tally;
use crate::assertion::{Assertions, Outcome, Pinned, Run, Syntax, Unmatched, parse_one};
use crate::batch::asked;
use crate::batch::documents::{Note, Turn, Visited, Visitor, numbered, visit_all};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::plan::Accepts;
use crate::record::Warning;
use crate::secret;
use crate::sink::assertions::{Form, Results};
use crate::sink::origin::SharedOrigins;

/// Length of the output buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// Asks the assertions of all inputs, in order.
pub fn run(arguments: &Assert) -> Exit {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let ready = assertions(arguments).and_then(|assertions| {
        let also = arguments.files.clone();
        let listed = inputs::list(plans, Accepts::States, path, also)?;
        if arguments.init && listed.inputs.entries.len() > 1 {
            return Err(refuse_second());
        }
        let read = options(plans)?.read;
        let origins = sources::open(&arguments.source, &read.limits, plans.quiet)?;
        Ok((assertions, listed, read, origins))
    });
    let (assertions, listed, read, origins) = match ready {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    let opened = Output::open(path);
    let opened = opened.and_then(|output| Ok((output.writer()?, output)));
    let (out, output) = match opened {
        Ok(opened) => opened,
        Err(error) => return fail(path, &error),
    };
    let out = BufWriter::with_capacity(BUFFER, out);
    let options = secret_options(&arguments.secrets, read);
    match arguments.init {
        true => init(arguments, &listed, &options, out, output),
        false => ask(arguments, (&assertions, origins), &listed, &options, out, output),
    }
}

/// Writes the assertions that one plan meets.
fn init(
    arguments: &Assert,
    listed: &Listed,
    options: &secret::Options,
    mut out: BufWriter<File>,
    output: Output,
) -> Exit {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let failure = |error| Failure::of(path, error);
    let syntax = path.map_or(Syntax::Yaml, |path| Syntax::of(&path.to_string_lossy()));
    let mut tally = Tally::new();
    let mut init = Init { syntax, text: None, is_second: false, tally: &mut tally };
    let done = each(listed, plans, options, &mut init);
    let Init { text, is_second, .. } = init;
    if is_second {
        return refuse_second();
    }
    let ending = Ending::new(plans, &tally);
    let finish = || {
        let written = out.write_all(text.unwrap_or_default().as_bytes());
        let written = written.and_then(|()| out.flush());
        drop(out);
        written.map_err(|error| failure(Error::io(ErrorKind::Write, error)))?;
        output.finish().map_err(failure)
    };
    ending.end(done.map_err(failure), finish).unwrap_or_else(|exit| exit)
}

/// Refuses to pin several plans.
fn refuse_second() -> Exit {
    say("--init pins one plan, and there is more than one");
    Exit::Usage
}

/// Asks the assertions, and writes the results.
fn ask(
    arguments: &Assert,
    (assertions, origins): (&Assertions, SharedOrigins),
    listed: &Listed,
    options: &secret::Options,
    out: BufWriter<File>,
    output: Output,
) -> Exit {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let failure = |error| Failure::of(path, error);
    let mut tally = Tally::new();
    let results = Results::new(out, form(arguments.format), assertions);
    let mut results = results.with_origins(origins.clone());
    let mut asking = Asking {
        assertions,
        origins,
        results: &mut results,
        tally: &mut tally,
        plans,
        options,
        unmatched: None,
    };
    let done = each(listed, plans, options, &mut asking);
    asking.warn_of_unmatched();
    let ending = Ending {
        is_broken: Some(results.errors() > 0),
        is_written_empty: true,
        ..Ending::new(plans, &tally)
    };
    let finish = || {
        let finished = results.finish();
        drop(results);
        finished.and_then(|()| output.finish()).map_err(failure)
    };
    ending.end(done.map_err(failure), finish).unwrap_or_else(|exit| exit)
}

fn form(format: AssertFormat) -> Form {
    match format {
        AssertFormat::Text => Form::Text,
        AssertFormat::Ndjson => Form::Ndjson,
        AssertFormat::Json => Form::Json,
        AssertFormat::Junit => Form::Junit,
        AssertFormat::Sarif => Form::Sarif,
        AssertFormat::Github => Form::Github,
    }
}

/// Reads the assertions of the arguments and of the files that they name.
fn assertions(arguments: &Assert) -> std::result::Result<Assertions, Exit> {
    let mut assertions = assertions::in_files("--file", &arguments.files)?.assertions;
    for text in &arguments.expect {
        assertions.push(parse_one(text).map_err(|error| {
            say(&format!("--expect: {}", error.text));
            Exit::Usage
        })?);
    }
    if assertions.is_empty() && !arguments.init {
        say("there is nothing to assert: name a file with --file, or write -e 'ASSERTION'");
        return Err(Exit::Usage);
    }
    Ok(Assertions::from(assertions))
}

/// What is done with each document.
trait Work {
    /// Reads a document.
    fn read(
        &mut self,
        name: &str,
        turn: Turn<'_, Watched<Input>>,
        secrets: &mut SecretPass,
    ) -> Result<Visited>;

    /// An input failed.
    fn failed(&mut self, source: &str, error: &Error) -> Result<()>;
}

/// Does the work for each document of all inputs. Fails only if the output fails.
fn each(
    listed: &Listed,
    plans: &Plans,
    options: &secret::Options,
    work: &mut impl Work,
) -> Result<()> {
    for entry in &listed.inputs.entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(unlisted) => {
                work.failed(&unlisted.source, &unlisted.error)?;
                continue;
            }
        };
        let source = &*entry.source();
        let opened = entry.keep(&options.read.limits).and_then(|kept| {
            let bar = bar::of_input(plans, entry, Some(kept.len()));
            Auditing::open(&kept, plans, &options.read, bar)
        });
        match opened {
            Ok(Auditing { mut documents, mut collecting }) => {
                let mut each = Each { source, secrets: &mut collecting, work };
                visit_all(&mut documents, &mut each)?;
            }
            Err(error) => work.failed(source, &error)?,
        }
    }
    Ok(())
}

struct Each<'a, K> {
    /// The name of the input.
    source: &'a str,
    secrets: &'a mut SecretPass,
    work: &'a mut K,
}

impl<K: Work> Visitor<Watched<Input>> for Each<'_, K> {
    type End = Error;

    fn visit(&mut self, turn: Turn<'_, Watched<Input>>) -> Result<Visited> {
        let name = numbered(self.source, turn.number);
        self.work.read(&name, turn, self.secrets)
    }

    fn note(&mut self, note: Note) {
        say(&format!("{}: {note}", self.source));
    }
}

/// Asks assertions of each document.
struct Asking<'a, 'r> {
    assertions: &'a Assertions,
    origins: SharedOrigins,
    results: &'r mut Results<'a, BufWriter<File>>,
    tally: &'r mut Tally,
    plans: &'r Plans,
    options: &'r secret::Options,
    /// The patterns that cover nothing in any document so far; `None` before the first.
    unmatched: Option<Vec<Unmatched>>,
}

impl Asking<'_, '_> {
    /// Notes the patterns that cover nothing in a document.
    fn note_unmatched(&mut self, unmatched: Vec<Unmatched>) {
        let place = |it: &Unmatched| (it.assertion, it.pattern);
        let Some(all) = &mut self.unmatched else {
            self.unmatched = Some(unmatched);
            return;
        };
        let places: HashSet<_> = unmatched.iter().map(place).collect();
        all.retain(|it| places.contains(&place(it)));
    }

    /// Warns about patterns that cover nothing in any document.
    fn warn_of_unmatched(&self) {
        let unmatched = self.unmatched.iter().flatten().filter(|_| !self.plans.quiet);
        for Unmatched { assertion, text, .. } in unmatched {
            let name = &self.assertions.list()[*assertion].name;
            say(&format!("warning: {name}: {text}"));
        }
    }
}

impl Work for Asking<'_, '_> {
    fn read(
        &mut self,
        name: &str,
        turn: Turn<'_, Watched<Input>>,
        secrets: &mut SecretPass,
    ) -> Result<Visited> {
        let at = turn.at;
        let mut run = Run::new(self.assertions, &self.options.read.limits);
        let read = turn.documents.read_pieces(Accepts::States, &mut run);
        let read = read.and_then(|document| {
            let mut answers = run.finish(&document);
            mask(&mut answers.outcomes, at, secrets, self.options)?;
            Ok((document, answers))
        });
        match read {
            Ok((document, answers)) => {
                if let Some(plan) = answers.incomplete.filter(|_| !self.plans.quiet) {
                    say(&format!(
                        "{name}: warning: this is {plan}, and no assertion asks about that: add \
                         `plan: complete`"
                    ));
                }
                self.note_unmatched(answers.unmatched);
                let outcomes = answers.outcomes;
                warn(self.plans, name, Warning::of_text(&document));
                self.tally.succeed(document.bytes);
                // The places of blocks are wanted only if an assertion fails.
                let fails = outcomes.iter().any(|outcome| !outcome.holds());
                if let Some(origins) = self.origins.iter().find(|_| fails) {
                    origins.begin(name);
                }
                self.results.document(name, &outcomes)?;
                Ok(Visited::Done)
            }
            Err(error) => {
                self.failed(name, &error)?;
                Ok(Visited::Failed(error.kind()))
            }
        }
    }

    fn failed(&mut self, source: &str, error: &Error) -> Result<()> {
        self.tally.fail(source, error);
        self.results.failed(source, error)
    }
}

/// Masks quoted values that repeat a secret. The secrets are collected only if a finding quotes a
/// value, which most runs do not.
fn mask(
    outcomes: &mut [Outcome],
    at: u64,
    secrets: &mut SecretPass,
    options: &secret::Options,
) -> Result<()> {
    if !outcomes.iter().any(Outcome::quotes) {
        return Ok(());
    }
    asked::mask(outcomes, &secrets.collect(at, options)?);
    Ok(())
}

/// Makes the assertions that the first plan meets.
struct Init<'r> {
    syntax: Syntax,
    /// The file of assertions.
    text: Option<String>,
    /// Whether there is a second plan.
    is_second: bool,
    tally: &'r mut Tally,
}

impl Work for Init<'_> {
    fn read(
        &mut self,
        name: &str,
        turn: Turn<'_, Watched<Input>>,
        _: &mut SecretPass,
    ) -> Result<Visited> {
        if self.text.is_some() {
            self.is_second = true;
            return Ok(Visited::Enough);
        }
        let mut pinned = Pinned::new(self.syntax, name);
        match turn.documents.read_pieces(Accepts::Plans, &mut pinned) {
            Ok(document) => {
                match pinned.finish(&document) {
                    Ok(text) => {
                        self.text = Some(text);
                        self.tally.succeed(document.bytes);
                    }
                    Err(reason) => {
                        say(&format!("{name}: --init: {reason}"));
                        self.tally.failed += 1;
                    }
                }
                Ok(Visited::Done)
            }
            Err(error) => {
                self.tally.fail(name, &error);
                Ok(Visited::Failed(error.kind()))
            }
        }
    }

    fn failed(&mut self, source: &str, error: &Error) -> Result<()> {
        self.tally.fail(source, error);
        Ok(())
    }
}
