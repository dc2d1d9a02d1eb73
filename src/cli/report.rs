//! `plansift report`: the changes of plans, in several formats at once.

use std::cell::Cell;
use std::io::{BufWriter, IsTerminal, Write, stderr, stdout};
use std::path::Path;
use std::sync::Arc;

use super::args::{AssertionArgs, Echo, Ignore, Report, Target, Values};
use super::assertions;
use super::ending::OutputFailure;
use super::exit::Exit;
use super::gates;
use super::hyperlinks;
use super::inputs::{self, Listed, Wanted};
use super::messages::{fail, say, usage};
use super::options::options;
use super::output::Output;
use super::pages::{Pages, appended};
use super::reading::read_all;
use super::screen::screen;
use super::secrets::{secret_options, warn_of_names};
use super::sources::{self, Elements};
use super::unmatched;
use plansift_check::assertion::Assertions;
use plansift_core::error::Result;
use plansift_fleet::output::is_same;
use plansift_fleet::run::assertions::AssertionSettings;
use plansift_fleet::run::{AttributeContent, Consumer, PlanReader};
use plansift_plan::plan::Accepts;
use plansift_plan::record::RecordOptions;
use plansift_plan::record::patterns::UnmatchedPatterns;
use plansift_report::gate::{Rule, document_patterns};
use plansift_report::markdown::{Fit, Measure, Rest};
use plansift_report::moves::MoveReader;
use plansift_report::origin::{Located, SharedOrigins};
use plansift_report::screen::{Color, Screen};
use plansift_report::several::Several;
use plansift_report::source_link::LinkTarget;
pub use plansift_report::{ReportForm, ReportOptions, Sink, Streams};

/// Length of the buffer of each report, in bytes.
const BUFFER: usize = 64 << 10;

/// Writes all reports in one run over the plans.
pub fn run(arguments: &Report) -> std::result::Result<Exit, Exit> {
    let plans = &arguments.plans;
    let Ready { rules, assertion_settings, listed, options, origins, elements } = ready(arguments)?;
    let (mut outputs, mut sinks) = (Vec::new(), Vec::new());
    let pages =
        Pages::new(arguments.targets.iter().filter_map(|target| target.file.clone()), &listed);
    for target in &arguments.targets {
        let path = target.file.as_deref();
        let opened = open(target, arguments, &rules, options.patterns.clone(), &origins, &pages);
        let (sink, output) = opened.map_err(|error| fail(path, &error))?;
        sinks.push(sink);
        outputs.push((path, output));
    }
    let (is_broken, failed_at) = (Cell::new(false), Cell::new(None));
    let several = located(Several::new(sinks, &failed_at), origins);
    let reports = Box::new(MoveReader::new(several));
    let mut sink = gates::before(reports, &rules, &is_broken);
    let attributes = attributes(arguments, &options);
    let (read, patterns) = (options.read, options.patterns.clone());
    let assertions = assertion_settings.as_ref();
    let impact = elements.as_ref().map(|elements| elements as _);
    let reader = PlanReader { options, attributes: &attributes, assertions, impact };
    let mut ending = read_all(plans, &listed, &read, Consumer::Records(reader, sink.as_mut()));
    ending.read = ending.read.and_then(|()| sink.finish());
    drop(sink);
    let done = ending.counts.done;
    ending.is_broken = (!rules.is_empty()).then(|| is_broken.get());
    ending.detailed_exitcode = arguments.records.detailed_exitcode;
    ending.is_written_empty = true;
    ending.patterns = patterns;
    ending.shows_patterns = shows_warnings(&arguments.targets);
    let failed_path = failed_at.get().and_then(|index| outputs.get(index)).and_then(|it| it.0);
    let finish = || {
        for (path, output) in outputs {
            output.finish().map_err(|error| OutputFailure::of(path, error))?;
        }
        pages.finish().map_err(|(path, error)| OutputFailure::of(Some(&path), error))
    };
    let ended = ending.end(failed_path, finish);
    if let AttributeContent::Values { secrets, .. } = &attributes
        && !plans.quiet
        && done > 0
    {
        warn_of_names(secrets.names.as_ref());
    }
    ended
}

/// The inputs of a run, and everything that reading them needs.
struct Ready {
    rules: Vec<Rule>,
    assertion_settings: Option<AssertionSettings>,
    listed: Listed,
    options: RecordOptions,
    origins: SharedOrigins,
    /// The configuration for `--impact`.
    elements: Option<Elements>,
}

/// Checks the arguments, reads the files that they name, and lists the inputs.
fn ready(arguments: &Report) -> std::result::Result<Ready, Exit> {
    refuse_contradictions(arguments)?;
    let plans = &arguments.plans;
    let (rules, assertions) = rules(arguments)?;
    let files = arguments.targets.iter().filter_map(|target| target.file.as_deref());
    refuse_collisions(&arguments.targets)?;
    if arguments.split {
        refuse_unsplit(&arguments.targets)?;
    }
    let also = arguments.gate.files().chain(arguments.assertions.assert.clone());
    let is_strict = arguments.gate.strict_rules;
    let wanted = Wanted::from(Accepts::Plans).strict(is_strict);
    let listed = inputs::list(plans, wanted, files, also)?;
    listed.warn_of_shared_workspaces(plans);
    warn_of_unfiltered(arguments);
    // The filters apply only to reports for people.
    let is_filtered = arguments.targets.iter().any(|target| target.format.shows_attributes());
    let patterns = unmatched::report(&rules, is_strict, is_filtered.then_some(&arguments.noise));
    let (show, documents) = (arguments.records.show(), document_patterns(&rules));
    let options = RecordOptions { show, documents, patterns, ..options(plans)? };
    let limits = &options.read.limits;
    let origins = sources::open(&arguments.source, limits, plans.quiet)?;
    let elements =
        arguments.impact.then(|| Elements::open(&arguments.source, limits)).transpose()?;
    let secrets = secret_options(&arguments.secrets, options.read);
    let assertion_settings = assertions.map(|assertions| AssertionSettings { assertions, secrets });
    Ok(Ready { rules, assertion_settings, listed, options, origins, elements })
}

/// Reads the rules and the assertions. Each assertion adds one rule.
fn rules(arguments: &Report) -> std::result::Result<(Vec<Rule>, Option<Assertions>), Exit> {
    let mut rules = gates::rules(&arguments.gate)?;
    let AssertionArgs { assert, packs } = &arguments.assertions;
    let read = assertions::in_files("--assert", assert, packs)?;
    let assertions = Assertions::from(read.assertions).strict(arguments.gate.strict_rules);
    rules.extend(assertions::rules(&assertions));
    Ok((rules, (!assertions.list().is_empty()).then_some(assertions)))
}

/// Adds the locations of blocks to all reports, if there are source files.
fn located<'s>(reports: Several<'s>, origins: SharedOrigins) -> Box<dyn Sink + 's> {
    match origins {
        Some(origins) => Box::new(Located::new(Box::new(reports), origins).without_members()),
        None => Box::new(reports),
    }
}

/// Returns which paths or values of attributes the reports show.
fn attributes(arguments: &Report, options: &RecordOptions) -> AttributeContent {
    if !arguments.targets.iter().any(|target| target.format.shows_attributes()) {
        return AttributeContent::None;
    }
    let all = match arguments.values() {
        Values::None => return AttributeContent::Paths,
        Values::Changed => false,
        Values::All => true,
    };
    let secrets = Box::new(secret_options(&arguments.secrets, options.read));
    AttributeContent::Values { all, detail: arguments.detail(), secrets }
}

/// Whether a report on the terminal shows the warnings about patterns, so that standard error need
/// not repeat them.
fn shows_warnings(targets: &[Target]) -> bool {
    let is_shown = |target: &Target| {
        target.file.is_none()
            && matches!(
                target.format,
                ReportForm::Term | ReportForm::Markdown | ReportForm::Compact
            )
    };
    targets.iter().any(is_shown) && stdout().is_terminal() && stderr().is_terminal()
}

/// Refuses arguments that contradict each other.
fn refuse_contradictions(arguments: &Report) -> std::result::Result<(), Exit> {
    let ignores = |noise| arguments.noise.ignore.contains(&noise);
    let hides_values = arguments.values() == Values::None;
    let has_names = arguments.secrets.also_names.is_some();
    // Failed assertions also show values.
    let shows_none = hides_values && arguments.assertions.assert.is_empty();
    let has = |format| arguments.targets.iter().any(|target| target.format == format);
    let has_markdown = has(ReportForm::Markdown);
    let text = if hides_values && arguments.full {
        "--full shows whole values, and --values none shows none: leave one of them out"
    } else if arguments.width.is_some() && !has(ReportForm::Term) {
        "--width wraps reports for a terminal: add one, as in -o term"
    } else if arguments.fit.is_some() && !has_markdown {
        "--fit limits Markdown: add it, as in -o markdown=FILE"
    } else if arguments.budget.bytes().is_some() && !has(ReportForm::Compact) {
        "--max-bytes and --max-tokens limit the compact report: add it, as in -o compact"
    } else if shows_none && (arguments.secrets.echo != Echo::Equal || has_names) {
        "--echo and --also-names hide values, and --values none shows none"
    } else if hides_values && (ignores(Ignore::Whitespace) || ignores(Ignore::SetOrder)) {
        "--ignore whitespace,set-order compares values: leave --values none out"
    } else if let Some(refusal) = arguments.noise.refuse_document().filter(|_| hides_values) {
        return Err(usage(&format!("--values none shows a string as a whole, so {refusal}")));
    } else {
        return Ok(());
    };
    Err(usage(text))
}

/// Warns that filters and `--full` have no effect on formats for machines.
fn warn_of_unfiltered(arguments: &Report) {
    let full = arguments.full.then_some("--full");
    let options: Vec<_> = arguments.noise.names().into_iter().chain(full).collect();
    let mut formats: Vec<String> = Vec::new();
    for target in arguments.targets.iter().filter(|target| !target.format.shows_attributes()) {
        let name = format!("-o {}", target.format.name());
        if !formats.contains(&name) {
            formats.push(name);
        }
    }
    if !arguments.plans.quiet && !options.is_empty() && !formats.is_empty() {
        let (options, formats) = (options.join(", "), formats.join(", "));
        say(&format!(
            "warning: {options}: no effect on {formats}, which always cover the whole plan"
        ));
    }
}

/// Refuses two reports for one file, or for standard output.
pub fn refuse_collisions<F>(targets: &[Target<F>]) -> std::result::Result<(), Exit> {
    let files: Vec<_> = targets.iter().map(|target| target.file.as_deref()).collect();
    let collides = |place: usize| files[..place].iter().any(|file| is_same(*file, files[place]));
    match (0..files.len()).any(collides) {
        true => Err(usage("--output: two reports for one place: name a file for each")),
        false => Ok(()),
    }
}

/// Refuses `--split` for a report without a file, because its parts would have no names.
fn refuse_unsplit(targets: &[Target]) -> std::result::Result<(), Exit> {
    let is_file = |path: &Path| path != Path::new("-") && (path.is_file() || !path.exists());
    let has_parts = |target: &&Target| target.format == ReportForm::Markdown;
    if !targets.iter().filter(has_parts).all(|target| target.file.as_deref().is_some_and(is_file)) {
        let text = "--split: the parts need names: write to a file, as in -o markdown=FILE";
        return Err(usage(text));
    }
    Ok(())
}

/// Returns the limit on the length of Markdown.
fn fit(arguments: &Report) -> Fit {
    let rest = if arguments.split { Rest::Parts } else { Rest::LeftOut };
    match arguments.fit {
        Some(max) => Fit { max, measure: Measure::Characters, rest },
        None => Fit::NONE,
    }
}

fn open(
    target: &Target,
    arguments: &Report,
    rules: &[Rule],
    patterns: Option<Arc<UnmatchedPatterns>>,
    origins: &SharedOrigins,
    pages: &Pages,
) -> Result<(Box<dyn Sink>, Output)> {
    let path = target.file.as_deref();
    let output = Output::open(path)?;
    let buffered = |file| BufWriter::with_capacity(BUFFER, file);
    let mut streams = Streams {
        pages: pages.opener(path.map(Path::to_owned), buffered(output.writer()?)),
        step_summary: None,
        step_outputs: None,
    };
    if target.format == ReportForm::Github {
        let summary = appended("GITHUB_STEP_SUMMARY", "no summary of the step")?;
        streams.step_summary = summary.map(|file| pages.opener(None, buffered(file)));
        let outputs = appended("GITHUB_OUTPUT", "no outputs of the step")?;
        streams.step_outputs = outputs.map(|file| Box::new(file) as Box<dyn Write>);
    }
    let Screen { color, width } = screen(arguments.plans.color, path);
    let options = ReportOptions {
        rules,
        patterns,
        origins: origins.clone(),
        link_target: link_target(target, arguments, color),
        annotated: arguments.annotate.unwrap_or_default(),
        detail: arguments.detail(),
        screen: Screen { color, width: arguments.width.unwrap_or(width) },
        fit: fit(arguments),
        max_bytes: arguments.budget.bytes().unwrap_or(u64::MAX),
        noise: arguments.noise.noise(),
    };
    Ok((target.format.sink(streams, options)?, output))
}

/// Returns the target of links to blocks: the URL from the user. A report for a terminal has links
/// only if the terminal shows hyperlinks. Without a URL, these links lead to local files.
fn link_target(target: &Target, arguments: &Report, color: Color) -> Option<LinkTarget> {
    let url = arguments.source_url.clone().map(LinkTarget::Url);
    if target.format != ReportForm::Term {
        return url;
    }
    let local = || url.or_else(|| sources::local_target(&arguments.source));
    hyperlinks::target(color, target.file.as_deref(), local)
}
