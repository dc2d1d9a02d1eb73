//! What the arguments set in motion: inputs one after the other into one sink.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use terminal_size::{Width, terminal_size_of};

use super::args::{
    self, Changes, Command, FormArgs, Format, GateArgs, GroupBy, Plans, RecordArgs, Refusal,
    SortBy, Summary, TableArgs,
};
use super::exit::Exit;
use super::gates;
use super::inputs::{self, Listed};
use super::output::Output;
use super::progress;
use super::sifting::Sifting;
use super::unmatched;
use crate::error::{Error, ErrorKind};
use crate::inert::visible;
use crate::input::{self, Mapping, Threads};
use crate::json::Validation;
use crate::plan::{self, SurroundingText};
use crate::record::schema::SCHEMA;
use crate::record::{Extent, Options, Show, Warning};
use crate::scan::Isa;
use crate::secret::Takes;
use crate::sink::csv::Formulas;
use crate::sink::fleet::{By, Column, Fleet, Shape, Single, Sort};
use crate::sink::summary::{self, Screen};
use crate::sink::{Form, Sink};

/// Runs a command and prints what it has to say.
pub fn run(command: Command) -> Exit {
    match command {
        Command::Schema(schema) => print(schema_of(&schema).as_bytes()),
        Command::Completions(args) => print(&args::completions(args.shell)),
        Command::Man(man) => match args::manual(man.command.as_deref()) {
            Some(page) => print(&page),
            None => {
                say("there is no command of this name: `plansift help` lists them");
                Exit::Usage
            }
        },
        Command::Redact(redact) => super::redact::run(&redact),
        Command::Audit(audit) => super::audit::run(&audit),
        Command::Slim(slim) => super::slim::run(&slim),
        Command::Report(report) => super::report::run(&report),
        Command::Batch(batch) => super::batch::run(&batch),
        Command::Merge(merge) => super::merge::run(&merge),
        Command::Summary(summary) => {
            let Summary { table, plans, output, gate, records } = &summary;
            let path = output.as_deref();
            let (screen, shape) = (screen(plans.color, path), shape(table));
            let is_table = table.group_by.is_some() || table.sort.is_some();
            let asked = Asked { plans, path, gate, records, extent: Extent::Paths };
            sift_all(asked, |out, listed| {
                let is_page = listed.is_single() && !is_table;
                let single = if is_page { Single::Page } else { Single::Table };
                Box::new(Fleet::new(out, screen, shape, single))
            })
        }
        Command::Changes(changes) => {
            let form = form(&changes.form);
            let extent = if changes.no_paths { Extent::Actions } else { Extent::Paths };
            let Changes { plans, output, gate, records, .. } = &changes;
            let asked = Asked { plans, path: output.as_deref(), gate, records, extent };
            sift_all(asked, |out, _| form.sink(out))
        }
    }
}

/// Prints a text to standard output.
fn print(text: &[u8]) -> Exit {
    match io::stdout().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            fail(None, &Error::io(ErrorKind::Write, error))
        }
        _ => Exit::Done,
    }
}

/// The form of records that was asked for.
pub(super) fn form(form: &FormArgs) -> Form {
    match form.format {
        Format::Ndjson => Form::Ndjson,
        Format::Json => Form::Json,
        Format::Csv if form.csv_raw => Form::Csv(Formulas::Raw),
        Format::Csv => Form::Csv(Formulas::Quoted),
    }
}

fn schema_of(schema: &args::Schema) -> &'static str {
    match schema.of {
        args::SchemaOf::Records => SCHEMA,
        args::SchemaOf::Audit => crate::audit::SCHEMA,
        args::SchemaOf::Report => crate::batch::report::SCHEMA,
        args::SchemaOf::Fleet => crate::sink::fleet::document::SCHEMA,
    }
}

/// What is asked of all inputs at once.
struct Asked<'a> {
    plans: &'a Plans,
    path: Option<&'a Path>,
    gate: &'a GateArgs,
    records: &'a RecordArgs,
    extent: Extent,
}

/// Gives all inputs to one sink.
fn sift_all(asked: Asked<'_>, sink: impl FnOnce(File, &Listed) -> Box<dyn Sink>) -> Exit {
    let Asked { plans, path, gate, records, extent } = asked;
    let ready = gates::rules(gate).and_then(|rules| {
        let listed = inputs::list(plans, Takes::Plans, path, gate.files())?;
        listed.warn_of_shared_workspaces(plans);
        Ok((rules, listed, options(plans)?))
    });
    let (rules, listed, options) = match ready {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    if extent == Extent::Actions
        && let Some(rule) = rules.iter().find(|rule| rule.looks_at_paths())
    {
        let rule = rule.text();
        say(&format!("--no-paths leaves out what the rule '{rule}' looks at"));
        return Exit::Usage;
    }
    let watch = unmatched::rules(&rules);
    let options = Options { extent, show: records.show(), watch, ..options };
    let opened = Output::open(path);
    let opened = opened.and_then(|output| Ok((sink(output.writer()?, &listed), output)));
    let (sink, output) = match opened {
        Ok(opened) => opened,
        Err(error) => return fail(path, &error),
    };
    let (is_broken, has_rules) = (Cell::new(false), !rules.is_empty());
    let mut sink = gates::before(sink, &rules, &is_broken);
    let mut sifting = Sifting::new(plans, options, sink.as_mut());
    let sifted = sifting.all(&listed);
    let tally = sifting.tally;
    if let Err(error) = sifted {
        return match end_of_output(path, &error, tally.failed) {
            Exit::Done if has_rules => closed_early(is_broken.get()),
            exit => exit,
        };
    }
    if tally.done == 0 {
        return Exit::Failed;
    }
    let finished = sink.finish();
    drop(sink);
    if let Err(error) = finished.and_then(|()| output.finish()) {
        return match end_of_output(path, &error, tally.failed) {
            Exit::Done if is_broken.get() => Exit::RuleBroken,
            exit => exit,
        };
    }
    if !plans.quiet {
        unmatched::tell(watch);
    }
    if plans.stats {
        say(&tally.stats.line());
    }
    tally.exit(is_broken.get(), records)
}

/// The table that was asked for.
pub(super) fn shape(table: &TableArgs) -> Shape {
    let TableArgs { group_by, sort, top } = table;
    let by = match group_by {
        None | Some(GroupBy::Workspace) => By::Workspace,
        Some(GroupBy::Type) => By::Type,
        Some(GroupBy::Module) => By::Module,
        Some(GroupBy::Provider) => By::Provider,
        Some(GroupBy::Action) => By::Action,
    };
    let sort = match sort {
        None | Some(SortBy::Changes) => Sort::Changes,
        Some(SortBy::Name) => Sort::Name,
        Some(SortBy::Input) => Sort::Input,
        Some(SortBy::Add) => Sort::Column(Column::Add),
        Some(SortBy::Change) => Sort::Column(Column::Change),
        Some(SortBy::Destroy) => Sort::Column(Column::Destroy),
        Some(SortBy::Replace) => Sort::Column(Column::Replace),
        Some(SortBy::Import) => Sort::Column(Column::Import),
        Some(SortBy::Move) => Sort::Column(Column::Move),
        Some(SortBy::Forget) => Sort::Column(Column::Forget),
        Some(SortBy::Drift) => Sort::Column(Column::Drift),
        Some(SortBy::Checks) => Sort::Column(Column::Checks),
        Some(SortBy::Errors) => Sort::Column(Column::Errors),
    };
    Shape { by, sort, top: top.map(NonZeroUsize::get) }
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
    let validation = match plans.check {
        args::Check::Structure => Validation::Structure,
        args::Check::Grammar => Validation::Grammar,
    };
    let surrounding_text = match plans.strict {
        true => SurroundingText::Refused,
        false => SurroundingText::Skipped,
    };
    Ok(Options {
        read: plan::Options {
            isa,
            validation,
            surrounding_text,
            limits: plans.limits.limits(),
            threads: threads(plans),
        },
        show: Show::Changes,
        extent: Extent::Paths,
        watch: None,
    })
}

/// How many threads to use: without a wish as many as there are processors.
pub(super) fn threads(plans: &Plans) -> Option<NonZeroUsize> {
    plans.threads.or_else(|| std::thread::available_parallelism().ok())
}

/// How to open the inputs.
pub(super) fn access(plans: &Plans, read: &plan::Options) -> input::Options {
    let mapping = if plans.no_mmap { Mapping::Never } else { Mapping::Auto };
    let threads = match read.threads.map_or(1, usize::from) {
        1 => Threads::One,
        _ => Threads::Several,
    };
    input::Options { limits: read.limits, mapping, threads }
}

/// Nobody reads on, and not all was asked of the plans that had to be asked.
pub(super) fn closed_early(is_broken: bool) -> Exit {
    if is_broken {
        return Exit::RuleBroken;
    }
    say("the output was closed before all was read: whether a rule is broken is not known");
    Exit::Failed
}

/// Nobody reads on: that is an end like any other. Anything else is an error.
pub(super) fn end_of_output(output: Option<&Path>, error: &Error, failed: u64) -> Exit {
    match error.io_error().map(io::Error::kind) {
        Some(io::ErrorKind::BrokenPipe) if failed > 0 => Exit::SomeFailed,
        Some(io::ErrorKind::BrokenPipe) => Exit::Done,
        _ => fail(output, error),
    }
}

/// What pages for that output are drawn for. A file and a pipe have room for whole names, unless
/// COLUMNS says otherwise.
pub(super) fn screen(when: args::Color, output: Option<&Path>) -> Screen {
    let set = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns = match output {
        Some(_) => None,
        None => set().or_else(|| width(output)).or_else(|| {
            const UNKNOWN: usize = 80;
            io::stdout().is_terminal().then_some(UNKNOWN)
        }),
    };
    let width = columns.map_or(Screen::UNBOUNDED, |columns: usize| {
        columns.clamp(Screen::NARROWEST, Screen::UNBOUNDED)
    });
    Screen { color: color(when, output), width }
}

/// Whether what goes to that output has colours.
pub(super) fn color(when: args::Color, output: Option<&Path>) -> summary::Color {
    let wanted = match when {
        args::Color::Always => true,
        args::Color::Never => false,
        args::Color::Auto => {
            let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let forced = std::env::var("CLICOLOR_FORCE").is_ok_and(|value| value != "0");
            !set("NO_COLOR") && (forced || (io::stdout().is_terminal() && output.is_none()))
        }
    };
    if wanted { summary::Color::Terminal } else { summary::Color::None }
}

/// Columns of the terminal that an output goes to, if it goes to one.
pub(super) fn width(output: Option<&Path>) -> Option<usize> {
    let stdout = output.is_none().then(io::stdout)?;
    let (Width(columns), _) = terminal_size_of(stdout)?;
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}

pub(super) fn fail(path: Option<&Path>, error: &Error) -> Exit {
    match path {
        Some(path) => fail_of(&path.to_string_lossy(), error),
        None => {
            say(&error.to_string());
            Exit::Failed
        }
    }
}

/// Says what is wrong with an input.
pub(super) fn fail_of(source: &str, error: &Error) -> Exit {
    say(&format!("{source}: {error}"));
    Exit::Failed
}

/// Warns of what was met in an input, unless that is not wanted.
pub(super) fn warn(plans: &Plans, source: &str, warnings: impl IntoIterator<Item = Warning>) {
    for warning in warnings.into_iter().filter(|_| !plans.quiet) {
        say(&format!("{source}: warning: {warning}"));
    }
}

/// Says what is wrong with the arguments; or prints the help, where that was asked for.
pub(super) fn refuse(refusal: &Refusal) -> Exit {
    match refusal.lines() {
        None => {
            refusal.print();
            Exit::Done
        }
        Some(lines) => {
            lines.iter().for_each(|text| line(text));
            Exit::Usage
        }
    }
}

/// Says something that is not data.
pub(super) fn say(text: &str) {
    line(&format!("plansift: {text}"));
}

/// Writes a line to standard error, with hidden characters and commands of CI runners made visible:
/// it may repeat names of files, arguments and addresses. All lines of the program go through here.
/// That standard error is gone is no reason to stop.
fn line(text: &str) {
    let text = visible(text);
    progress::aside(|| drop(writeln!(io::stderr(), "{text}")));
}
