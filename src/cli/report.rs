//! `plansift report`: what plans change, in several formats at once.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::args::{Report, ReportAs, Target, Values};
use super::exit::Exit;
use super::gates;
use super::inputs;
use super::output::Output;
use super::pages::{Pages, appended};
use super::redact::secret_options;
use super::run::{closed_early, color, end_of_output, fail, options, say};
use super::sifting::{Sifting, Tally};
use crate::error::Result;
use crate::record::Options;
use crate::sink::Sink;
use crate::sink::fleet::document::Document;
use crate::sink::gate::Rule;
use crate::sink::github::Github;
use crate::sink::gitlab::Gitlab;
use crate::sink::junit::Junit;
use crate::sink::markdown::{Fit, Markdown, Measure, Rest};
use crate::sink::sarif::Sarif;
use crate::sink::several::Several;
use crate::sink::term::Term;
use crate::sink::variables::Variables;

/// Writes all that is asked for, in one pass over the plans.
pub fn run(arguments: &Report) -> Exit {
    let plans = &arguments.plans;
    let ready = gates::rules(&arguments.gate).and_then(|rules| {
        let files = arguments.targets.iter().filter_map(|target| target.file.as_deref());
        refuse_collisions(&arguments.targets)?;
        if arguments.split {
            refuse_unsplit(&arguments.targets)?;
        }
        Ok((rules, inputs::list(plans, files)?, options(plans)?))
    });
    let (rules, listed, options) = match ready {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    let (mut outputs, mut sinks) = (Vec::new(), Vec::new());
    let pages = Pages::new(arguments.targets.iter().filter_map(|it| it.file.clone()), &listed);
    for target in &arguments.targets {
        let path = target.file.as_deref();
        match open(target, arguments, &rules, &pages) {
            Ok((sink, output)) => {
                sinks.push(sink);
                outputs.push((path, output));
            }
            Err(error) => return fail(path, &error),
        }
    }
    let is_broken = Cell::new(false);
    let mut sink = gates::before(Box::new(Several::new(sinks)), &rules, &is_broken);
    let mut sifting = sifting(arguments, options, sink.as_mut());
    let sifted = sifting.all(&listed);
    let Tally { done, failed, has_changes, stats } = sifting.tally;
    if let Err(error) = sifted.and_then(|()| sink.finish()) {
        return match end_of_output(None, &error, failed) {
            Exit::Done if !rules.is_empty() => closed_early(is_broken.get()),
            exit => exit,
        };
    }
    drop(sink);
    for (path, output) in outputs {
        if let Err(error) = output.finish() {
            return fail(path, &error);
        }
    }
    if let Err((path, error)) = pages.finish() {
        return fail(Some(&path), &error);
    }
    if plans.stats {
        say(&stats.line());
    }
    match failed {
        0 if is_broken.get() => Exit::RuleBroken,
        0 if has_changes && plans.detailed_exitcode => Exit::Changes,
        0 => Exit::Done,
        _ if done == 0 => Exit::Failed,
        _ => Exit::SomeFailed,
    }
}

fn sifting<'a>(arguments: &'a Report, options: Options, sink: &'a mut dyn Sink) -> Sifting<'a> {
    let sifting = Sifting::new(&arguments.plans, options, sink);
    match arguments.values {
        Values::None => sifting,
        Values::Changed => sifting.with_values(secret_options(&arguments.secrets, options.read)),
    }
}

/// Refuses two reports for one place.
fn refuse_collisions(targets: &[Target]) -> std::result::Result<(), Exit> {
    for (place, target) in targets.iter().enumerate() {
        if targets[..place].iter().any(|other| other.file == target.file) {
            say("--output: two reports for one place: name a file for each");
            return Err(Exit::Usage);
        }
    }
    Ok(())
}

/// Refuses parts of a report that have no names.
fn refuse_unsplit(targets: &[Target]) -> std::result::Result<(), Exit> {
    let is_file = |path: &Path| path != Path::new("-") && (path.is_file() || !path.exists());
    let has_parts = |target: &&Target| target.format == ReportAs::Markdown;
    if !targets.iter().filter(has_parts).all(|it| it.file.as_deref().is_some_and(is_file)) {
        say("--split: the parts need names: write to a file, as in -o markdown=FILE");
        return Err(Exit::Usage);
    }
    Ok(())
}

/// How long Markdown may be.
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
    pages: &Pages,
) -> Result<(Box<dyn Sink>, Output)> {
    let path: Option<&Path> = target.file.as_deref();
    let output = Output::open(path)?;
    let out: File = output.writer()?;
    let sink: Box<dyn Sink> = match target.format {
        ReportAs::Term => Box::new(Term::new(out, color(arguments.plans.color, path))),
        ReportAs::Markdown => {
            let pages = pages.opener(path.map(Path::to_owned), out);
            Box::new(Markdown::new(pages, rules, fit(arguments)))
        }
        ReportAs::Github => {
            let summary = appended("GITHUB_STEP_SUMMARY", "no summary of the step")?;
            let outputs = appended("GITHUB_OUTPUT", "no outputs of the step")?;
            let summary = summary.map(|file| pages.opener(None, file));
            let outputs = outputs.map(|file| Box::new(file) as Box<dyn Write>);
            Box::new(Github::new(out, summary, outputs, rules))
        }
        ReportAs::Json => Box::new(Document::new(BufWriter::new(out), rules)),
        ReportAs::Variables => Box::new(Variables::new(out, rules)),
        ReportAs::Junit => Box::new(Junit::new(out, rules)),
        ReportAs::Sarif => Box::new(Sarif::new(out, rules)),
        ReportAs::Gitlab => Box::new(Gitlab::new(out)),
    };
    Ok((sink, output))
}
