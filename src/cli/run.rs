//! What the arguments set in motion: inputs one after the other into one sink.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use super::args::{self, Command, Format, Plans};
use super::exit::Exit;
use super::output::{self, Output};
use super::progress::{self, Watched};
use super::stats::Stats;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{self, Input, Mapping, Threads};
use crate::json::Validation;
use crate::plan;
use crate::record::counts::Summary;
use crate::record::schema::SCHEMA;
use crate::record::{Options, Show, Sifted, sift};
use crate::scan::Isa;
use crate::sink::Sink;
use crate::sink::csv::{Csv, Formulas};
use crate::sink::json::Json;
use crate::sink::ndjson::Ndjson;
use crate::sink::summary::{self, View, visible};

/// Runs a command and prints what it has to say.
pub fn run(command: Command) -> Exit {
    match command {
        Command::Schema => match io::stdout().write_all(SCHEMA.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                fail(None, &Error::io(ErrorKind::Write, error))
            }
            _ => Exit::Done,
        },
        Command::Redact(redact) => super::redact::run(&redact),
        Command::Summary(plans) => {
            let color = color(&plans);
            sift_all(&plans, |out| Box::new(View::new(out, color)))
        }
        Command::Changes(changes) => {
            let formulas = if changes.csv_raw { Formulas::Raw } else { Formulas::Quoted };
            sift_all(&changes.plans, |out| match changes.format {
                Format::Ndjson => Box::new(Ndjson::new(out)),
                Format::Json => Box::new(Json::new(out)),
                Format::Csv => Box::new(Csv::new(out, formulas)),
            })
        }
    }
}

/// Gives all inputs to one sink.
fn sift_all(plans: &Plans, sink: impl FnOnce(File) -> Box<dyn Sink>) -> Exit {
    let stdin = [Path::new("-").to_owned()];
    let inputs = match &plans.inputs[..] {
        [] if io::stdin().is_terminal() => {
            say("no INPUT: name a plan (terraform show -json PLANFILE > plan.json), \
                 or - for standard input");
            return Exit::Usage;
        }
        [] => &stdin[..],
        inputs => inputs,
    };
    if let Some(path) = &plans.output
        && inputs.iter().any(|input| output::replaces(path, input))
    {
        say(&format!("{}: this is an input: name another file for --output", named(path)));
        return Exit::Usage;
    }
    let options = match options(plans) {
        Ok(options) => options,
        Err(exit) => return exit,
    };
    let opened = Output::open(plans.output.as_deref());
    let (mut sink, output) = match opened.and_then(|output| Ok((sink(output.writer()?), output))) {
        Ok(opened) => opened,
        Err(error) => return fail(plans.output.as_deref(), &error),
    };
    let mut stats = Stats::start();
    let (mut failed, mut changes) = (0, false);
    for input in inputs {
        match sift_one(input, plans, &options, sink.as_mut()) {
            Ok((sifted, changed)) => {
                changes |= changed;
                stats.add(sifted.summary.bytes);
                for warning in sifted.warnings.iter().filter(|_| !plans.quiet) {
                    say(&format!("{}: warning: {warning}", named(input)));
                }
            }
            Err(error) if error.kind() == ErrorKind::Write => {
                return end_of_output(plans, &error, failed);
            }
            Err(error) => {
                fail(Some(input), &error);
                failed += 1;
            }
        }
    }
    if failed == inputs.len() {
        return Exit::Failed;
    }
    let finished = sink.finish();
    drop(sink);
    if let Err(error) = finished.and_then(|()| output.finish()) {
        return end_of_output(plans, &error, failed);
    }
    if plans.stats {
        say(&stats.line());
    }
    match (failed, changes && plans.detailed_exitcode) {
        (0, true) => Exit::Changes,
        (0, false) => Exit::Done,
        _ => Exit::SomeFailed,
    }
}

pub(super) fn options(plans: &Plans) -> std::result::Result<Options, Exit> {
    let isa = match std::env::var("PLANSIFT_ISA").unwrap_or_default() {
        name if name.is_empty() => Isa::best(),
        name => match Isa::named(&name) {
            Some(isa) => isa,
            None => {
                let names: Vec<_> = Isa::all().map(Isa::name).collect();
                say(&format!("PLANSIFT_ISA: this processor has {}", names.join(", ")));
                return Err(Exit::Usage);
            }
        },
    };
    let validation = if plans.strict { Validation::Everything } else { Validation::Visited };
    Ok(Options {
        read: plan::Options { isa, validation, limits: plans.limits.limits() },
        show: if plans.all { Show::All } else { Show::Changes },
        threads: threads(plans),
    })
}

/// How many threads to use: without a wish as many as there are processors.
pub(super) fn threads(plans: &Plans) -> Option<NonZeroUsize> {
    plans.threads.or_else(|| std::thread::available_parallelism().ok())
}

/// How to open the inputs.
pub(super) fn access(plans: &Plans, read: &plan::Options) -> input::Options {
    let mapping = if plans.no_mmap { Mapping::Never } else { Mapping::Auto };
    let threads = match threads(plans).map_or(1, usize::from) {
        1 => Threads::One,
        _ => Threads::Several,
    };
    input::Options { limits: read.limits, mapping, threads }
}

/// Sifts one input; says as well whether it changes anything.
fn sift_one(
    path: &Path,
    plans: &Plans,
    options: &Options,
    sink: &mut dyn Sink,
) -> Result<(Sifted, bool)> {
    let access = access(plans, &options.read);
    let (input, len) = if path == Path::new("-") {
        (Input::from_stdin(&access)?, None)
    } else {
        let len =
            std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
        (Input::open_file(path, &access)?, len)
    };
    let name = path.to_string_lossy();
    let sifted = if shows_progress(plans, len) {
        let bar = progress::bar(len, &visible(&name));
        sift(Watched::new(input, bar), &name, options, sink)
    } else {
        sift(input, &name, options, sink)
    }?;
    let changes = sifted.has_changes || has_more(&sifted.summary);
    Ok((sifted, changes))
}

/// Whether progress is worth showing: on a terminal, for what takes more than a blink.
pub(super) fn shows_progress(plans: &Plans, len: Option<u64>) -> bool {
    const SMALL: u64 = 256 << 20;
    match plans.progress {
        args::Progress::Always => true,
        args::Progress::Never => false,
        args::Progress::Auto => {
            !plans.quiet && io::stderr().is_terminal() && len.is_none_or(|len| len > SMALL)
        }
    }
}

/// Whether a plan without changes to resources has something to apply all the same, or did not get
/// as far as to know.
fn has_more(summary: &Summary) -> bool {
    summary.output_changes.keys().any(|action| action != "no-op")
        || summary.applyable == Some(true)
        || summary.complete == Some(false)
        || summary.errored == Some(true)
        || !summary.deferred_changes.is_empty()
}

/// Nobody reads on: that is an end like any other. Anything else is an error.
pub(super) fn end_of_output(plans: &Plans, error: &Error, failed: usize) -> Exit {
    match error.io_error().map(io::Error::kind) {
        Some(io::ErrorKind::BrokenPipe) if failed > 0 => Exit::SomeFailed,
        Some(io::ErrorKind::BrokenPipe) => Exit::Done,
        _ => fail(plans.output.as_deref(), error),
    }
}

fn color(plans: &Plans) -> summary::Color {
    let wanted = match plans.color {
        args::Color::Always => true,
        args::Color::Never => false,
        args::Color::Auto => {
            let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let forced = std::env::var("CLICOLOR_FORCE").is_ok_and(|value| value != "0");
            !set("NO_COLOR") && (forced || (io::stdout().is_terminal() && plans.output.is_none()))
        }
    };
    if wanted { summary::Color::Terminal } else { summary::Color::None }
}

pub(super) fn named(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

pub(super) fn fail(path: Option<&Path>, error: &Error) -> Exit {
    match path {
        Some(path) => say(&format!("{}: {error}", named(path))),
        None => say(&error.to_string()),
    }
    Exit::Failed
}

/// Everything that is not data. That standard error is gone is no reason to stop.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "plansift: {text}");
}
