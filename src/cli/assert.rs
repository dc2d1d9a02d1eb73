//! `plansift assert`: asks assertions of plans and states.

use std::fs::File;
use std::io::BufWriter;

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
use super::tally::Tally;
use crate::assertion::{Assertions, Outcome, Pinned, Run, parse_one};
use crate::batch::asked;
use crate::batch::documents::{Note, Turn, Visited, Visitor, numbered, visit_all};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::plan::Accepts;
use crate::record::Warning;
use crate::secret;
use crate::sink::assertions::{Form, Results};

/// Length of the output buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// Asks the assertions of all inputs, in order.
pub fn run(arguments: &Assert) -> Exit {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let ready = assertions(arguments).and_then(|assertions| {
        let also = arguments.files.clone();
        let listed = inputs::list(plans, Accepts::States, path, also)?;
        Ok((assertions, listed, options(plans)?.read))
    });
    let (assertions, listed, read) = match ready {
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
    let mut tally = Tally::new();
    let failure = |error| Failure::of(path, error);
    if arguments.init {
        let mut init = Init { out: Some(out), tally: &mut tally };
        let done = each(&listed, plans, &options, &mut init);
        let ending = Ending {
            plans,
            tally: &tally,
            is_broken: None,
            tells_changes: false,
            is_written_empty: false,
            watch: None,
        };
        let finish = || output.finish().map_err(failure);
        return ending.end(done.map_err(failure), finish).unwrap_or_else(|exit| exit);
    }
    let mut results = Results::new(out, form(arguments.format), assertions.list());
    let mut asking = Asking {
        assertions: &assertions,
        results: &mut results,
        tally: &mut tally,
        plans,
        options: &options,
    };
    let done = each(&listed, plans, &options, &mut asking);
    let ending = Ending {
        plans,
        tally: &tally,
        is_broken: Some(results.errors() > 0),
        tells_changes: false,
        is_written_empty: true,
        watch: None,
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
    results: &'r mut Results<'a, BufWriter<File>>,
    tally: &'r mut Tally,
    plans: &'r Plans,
    options: &'r secret::Options,
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
                let outcomes = answers.outcomes;
                warn(self.plans, name, Warning::of_text(&document));
                self.tally.succeed(document.bytes);
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

/// Writes the assertions that the first plan meets.
struct Init<'r> {
    /// The output, until the plan is read.
    out: Option<BufWriter<File>>,
    tally: &'r mut Tally,
}

impl Work for Init<'_> {
    fn read(
        &mut self,
        name: &str,
        turn: Turn<'_, Watched<Input>>,
        _: &mut SecretPass,
    ) -> Result<Visited> {
        let Some(out) = self.out.take() else {
            say(&format!("{name}: --init pins one plan, and this is another one"));
            return Ok(Visited::Enough);
        };
        let mut pinned = Pinned::new(out, name)?;
        let read = turn.documents.read_pieces(Accepts::Plans, &mut pinned);
        match read.and_then(|document| pinned.finish().map(|()| document)) {
            Ok(document) => {
                self.tally.succeed(document.bytes);
                Ok(Visited::Done)
            }
            Err(error) if error.kind() == ErrorKind::Write => Err(error),
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
