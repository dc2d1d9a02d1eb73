//! `plansift assert`: checks assertions against plans and states.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};

use super::args::{Assert, Plans};
use super::assertions;
use super::exit::Exit;
use super::inputs::{self, Listed, Wanted};
use super::messages::{say, usage};
use super::options::options;
use super::output::{self, Output};
use super::reading::read_all;
use super::secrets::secret_options;
use super::sources;
use plansift_check::assertion::{
    Answers, Assertions, FileError, Outcome, Pinned, Run, Syntax, Unmatched, parse_one,
};
use plansift_core::error::{Error, Result};
use plansift_core::inert::visible;
use plansift_core::path::is_attribute_name;
use plansift_fleet::run::assertions::mask;
use plansift_fleet::run::{Consumer, DocumentOutcome, Handler, Passes, Turn, Visited};
use plansift_plan::plan::{self, Accepts, Flow};
use plansift_plan::record::{Label, Record, Sink, UnreadDocument};
use plansift_redact::secret;
use plansift_report::assertions::results;
use plansift_report::origin::SharedOrigins;
use plansift_report::view::{Detail, Quotes, ViewSettings};

/// Length of the output buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// Checks the assertions against all inputs, in order. With `--init`, writes assertions instead.
pub fn run(arguments: &Assert) -> std::result::Result<Exit, Exit> {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let assertions = assertions(arguments)?;
    let wanted = Wanted::from(Accepts::States).strict(arguments.strict_rules);
    let listed = inputs::list(plans, wanted, path, arguments.files.clone())?;
    if arguments.init && listed.inputs.entries.len() > 1 {
        return Err(refuse_second());
    }
    let read = options(plans)?.read;
    let origins = sources::open(&arguments.source, &read.limits, plans.quiet)?;
    let (out, output) = output::open(path)?;
    let out = BufWriter::with_capacity(BUFFER, out);
    match arguments.init {
        true => init(arguments, &listed, &read, out, output),
        false => ask(arguments, &assertions, origins, &listed, read, out, output),
    }
}

/// Writes assertions that hold for one plan (`--init`).
fn init(
    arguments: &Assert,
    listed: &Listed,
    read: &plan::PlanOptions,
    mut out: BufWriter<File>,
    output: Output,
) -> std::result::Result<Exit, Exit> {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let syntax = path.map_or(Syntax::Yaml, |path| Syntax::of(&path.to_string_lossy()));
    let mut init = Init::new(syntax, secret_options(&arguments.secrets, *read));
    let work = Consumer::Documents(Passes::Two(Accepts::States), &mut init);
    let ending = read_all(plans, listed, read, work);
    if init.is_second {
        return Err(refuse_second());
    }
    let text = init.text.unwrap_or_default();
    ending.end_at(path, output, move || {
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::write)
    })
}

/// Refuses `--init` for several plans.
fn refuse_second() -> Exit {
    usage("--init pins one plan, and there is more than one")
}

/// Checks the assertions, and writes the results.
fn ask(
    arguments: &Assert,
    assertions: &Assertions,
    origins: SharedOrigins,
    listed: &Listed,
    read: plan::PlanOptions,
    out: BufWriter<File>,
    output: Output,
) -> std::result::Result<Exit, Exit> {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let options = secret_options(&arguments.secrets, read);
    let sink = arguments.format.sink(out, assertions);
    let (errors, unmatched) = (0, None);
    let mut reader =
        AssertionReader { assertions, origins, sink, errors, plans, options, unmatched };
    let work = Consumer::Documents(Passes::Two(Accepts::States), &mut reader);
    let mut ending = read_all(plans, listed, &read, work);
    reader.warn_of_unmatched();
    let mut sink = reader.sink;
    ending.is_broken = Some(reader.errors > 0);
    ending.is_written_empty = true;
    ending.end_at(path, output, move || sink.finish())
}

/// Reads the assertions of the arguments and of the files that they name.
fn assertions(arguments: &Assert) -> std::result::Result<Assertions, Exit> {
    let Assert { files, packs, .. } = arguments;
    let mut assertions = assertions::in_files("--file", files, packs)?.assertions;
    for text in &arguments.expect {
        let refused = |error: FileError| usage(&format!("--expect: {}", error.text));
        assertions.push(parse_one(text).map_err(refused)?);
    }
    if assertions.is_empty() && !arguments.init {
        let text = "there is nothing to assert: name a file with --file, a pack with --pack, or \
                    write -e 'ASSERTION'";
        return Err(usage(text));
    }
    Ok(Assertions::from(assertions).strict(arguments.strict_rules))
}

/// Checks the assertions against each document.
struct AssertionReader<'a> {
    assertions: &'a Assertions,
    origins: SharedOrigins,
    sink: Box<dyn Sink + 'a>,
    /// The number of failed assertions with the severity `error`.
    errors: u64,
    plans: &'a Plans,
    options: secret::SecretOptions,
    /// The patterns that cover nothing in any document so far; `None` before the first document.
    unmatched: Option<Vec<Unmatched>>,
}

impl AssertionReader<'_> {
    /// Updates the list of patterns that cover nothing in any document. `unmatched` are the
    /// patterns that cover nothing in one document.
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

impl Handler for AssertionReader<'_> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        let Turn { label: Label { source: name, .. }, documents, at, first } = turn;
        let mut run = Run::new(self.assertions);
        let document = documents.read(Accepts::States, &mut run)?;
        let Answers { mut outcomes, unmatched, unclear, incomplete } = run.finish(&document);
        // Most runs quote no value, so the secrets are collected only if a finding quotes one.
        if outcomes.iter().any(Outcome::quotes) {
            let collected = first.map(|first| first.secrets.collect(at, &self.options));
            let collected = collected.transpose()?;
            let known = collected.as_ref().map(|collected| (collected, &self.options));
            mask(&mut outcomes, known);
        }
        if let Some(plan) = incomplete.filter(|_| !self.plans.quiet) {
            say(&format!(
                "{name}: warning: this is {plan}, and no assertion asks about that: `plan: \
                 complete` refuses such a plan"
            ));
        }
        if unclear > 0 && !self.plans.quiet {
            say(&format!(
                "{name}: warning: changes without a type, or with actions that this plansift does \
                 not know: {unclear}. Assertions about types and actions may not cover them"
            ));
        }
        // The locations of blocks are needed only if an assertion fails.
        let fails = outcomes.iter().any(|outcome| !outcome.holds());
        if let Some(origins) = self.origins.iter().find(|_| fails) {
            origins.begin(name)?;
        }
        self.note_unmatched(unmatched);
        for result in results(name, self.assertions.list(), &outcomes, &self.origins) {
            self.errors += u64::from(result.is_error());
            self.sink.record(&Record::Assertion(result))?;
        }
        Ok(Visited::Done(DocumentOutcome::from(&document)))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        let error = visible(&error.to_string());
        let unread = UnreadDocument { source: label.source, error: &error };
        self.sink.record(&Record::Error(unread)).map(|()| Flow::Continue)
    }
}

/// Generates assertions that hold for the first plan.
struct Init {
    syntax: Syntax,
    /// The content of the file of assertions; `None` before the first plan.
    text: Option<String>,
    /// Whether there is a second plan.
    is_second: bool,
    options: secret::SecretOptions,
}

impl Init {
    fn new(syntax: Syntax, options: secret::SecretOptions) -> Init {
        Init { syntax, text: None, is_second: false, options }
    }
}

impl Handler for Init {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        if self.text.is_some() {
            self.is_second = true;
            return Ok(Visited::Enough);
        }
        let Turn { label: Label { source: name, .. }, documents, at, first } = turn;
        // A key may repeat a secret of any section. Most plans pin no path with a key, so the
        // secrets are collected only for such a path.
        let first = RefCell::new(first);
        let (collected, quotes, failed) = (OnceCell::new(), OnceCell::new(), Cell::new(None));
        let collect = || {
            let mut first = first.borrow_mut();
            let secrets = &mut first.as_mut()?.secrets;
            secrets.collect(at, &self.options).map_err(|error| failed.set(Some(error))).ok()
        };
        let is_secret = |key: &str| {
            if is_attribute_name(key.as_bytes()) {
                return false;
            }
            let quotes = quotes.get_or_init(|| {
                let collected = collected.get_or_init(&collect).as_ref()?;
                let (options, detail) = (&self.options, Detail::Excerpts);
                Some(Quotes::new(ViewSettings { collected, options, detail }))
            });
            quotes.as_ref().is_none_or(|quotes| quotes.hides_key(key))
        };
        let mut pinned = Pinned::new(self.syntax, name, &is_secret);
        let document = documents.read(Accepts::Plans, &mut pinned)?;
        if let Some(error) = failed.take() {
            return Err(error);
        }
        match pinned.finish(&document) {
            Ok(text) => {
                self.text = Some(text);
                Ok(Visited::Done(DocumentOutcome::from(&document)))
            }
            Err(reason) => Ok(Visited::Refused(format!("--init: {reason}"))),
        }
    }
}
