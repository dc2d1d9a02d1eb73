//! Writes the annotations, job summary and outputs of a GitHub Actions step.
//!
//! An annotation is a command to the runner on a line of its own. Characters that could end the
//! line or a property of the command use the runner's own escapes. Outputs hold only numbers and
//! booleans.

use std::io::Write;

use super::annotate::{Annotated, Class, Remark};
use super::figures::Figures;
use super::gate::Rule;
use super::markdown::{Fit, Measure, Rest};
use super::origin::{Location, SharedOrigins, first_location};
use super::patterns::Patterns;
use super::phrase::{Warning, counted};
use super::report::ReportOptions;
use super::screen::fit;
use super::short::{given, separator};
use super::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_core::inert::{self, visible};
use plansift_plan::record::counts::Summary;
use plansift_plan::record::{Check, Label, Record, ResourceChange};

/// Maximum number of annotations of each level that GitHub shows for a step.
const SHOWN: u64 = 10;
/// Maximum width of a name, in columns.
const NAME: usize = 100;
/// Maximum width of a message, in columns.
const MESSAGE: usize = 1000;
/// Maximum number of problems listed for a check.
const PROBLEMS: usize = 10;
/// Maximum number of names listed for a broken rule.
const NAMED: usize = 3;

/// The limit of a step's summary: 99 % of the 1 MiB that GitHub allows.
pub const SUMMARY_FIT: Fit =
    Fit { max: (1 << 20) / 100 * 99, measure: Measure::Bytes, rest: Rest::LeftOut };

/// Writes annotations and, if requested, a summary and outputs.
pub struct Github<'s, W: Write> {
    commands: W,
    summary: Option<Box<dyn Sink + 's>>,
    outputs: Option<Box<dyn Write + 's>>,
    figures: Figures,
    patterns: Patterns,
    source: String,
    errors: u64,
    warnings: u64,
    origins: SharedOrigins,
    annotated: Annotated,
    /// The first remarks of each class, with the names of their plans.
    remarks: [Vec<(String, Remark)>; Class::ALL.len()],
    remarked: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    Notice,
}

impl<'s, W: Write> Github<'s, W> {
    /// Writes annotations to `commands` as records arrive, and the outputs to `outputs` at the end.
    /// `summary` receives every record too. It should be a Markdown report limited to
    /// [`SUMMARY_FIT`].
    pub fn new(
        commands: W,
        summary: Option<Box<dyn Sink + 's>>,
        outputs: Option<Box<dyn Write + 's>>,
        options: &ReportOptions<'_>,
    ) -> Github<'s, W> {
        Github {
            commands,
            summary,
            outputs,
            figures: Figures::new(options.rules),
            patterns: Patterns::of(options.patterns.clone()),
            source: String::new(),
            errors: 0,
            warnings: 0,
            origins: options.origins.clone(),
            annotated: options.annotated,
            remarks: Default::default(),
            remarked: 0,
        }
    }

    fn annotate(&mut self, level: Level, title: &str, message: &str) -> Result<()> {
        self.annotate_at(None, level, title, message)
    }

    fn annotate_at(
        &mut self,
        location: Option<Location>,
        level: Level,
        title: &str,
        message: &str,
    ) -> Result<()> {
        let (word, count) = match level {
            Level::Error => ("error", &mut self.errors),
            Level::Warning => ("warning", &mut self.warnings),
            Level::Notice => ("notice", &mut 0),
        };
        *count += 1;
        if *count > SHOWN {
            return Ok(());
        }
        let place = location.as_ref().map_or_else(String::new, place);
        let text = command(word, &place, title, message);
        self.commands.write_all(text.as_bytes()).map_err(write_error)
    }

    /// Keeps the remark on a change until the end, when the most severe remarks are known.
    fn change(&mut self, change: &ResourceChange<'_>) {
        if let Some(remark) = self.annotated.remark(&self.origins, change) {
            self.remarked += 1;
            let remarks = &mut self.remarks[remark.class as usize];
            if (remarks.len() as u64) < SHOWN {
                remarks.push((self.source.clone(), remark));
            }
        }
    }

    /// Annotates the most severe changes, and writes the numbers of annotations that GitHub does
    /// not show.
    fn rest(&mut self) -> Result<()> {
        let mut more: Vec<String> = [(self.errors, "more error"), (self.warnings, "more warning")]
            .map(|(count, word)| (count.saturating_sub(SHOWN), word))
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, thing)| counted(count, thing))
            .collect();
        // The last notice is reserved for these numbers.
        let room = if more.is_empty() && self.remarked <= SHOWN { SHOWN } else { SHOWN - 1 };
        if self.remarked > room {
            more.push(counted(self.remarked - room, "more change"));
        }
        let remarks = std::mem::take(&mut self.remarks).into_iter().flatten();
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        for (source, Remark { class, location, name, words }) in remarks.take(room) {
            let title = format!("{}: {}", class.title(), shown(&name, NAME));
            let message = format!("{}: {}", shown(&source, NAME), fit(&words, MESSAGE));
            self.annotate_at(location, Level::Notice, &title, &message)?;
        }
        match more.is_empty() {
            true => Ok(()),
            false => {
                let text = format!("{} without an annotation", joined(&more));
                self.annotate(Level::Notice, "plansift", &text)
            }
        }
    }

    fn check(&mut self, check: &Check<'_>) -> Result<()> {
        if !check.has_failed() {
            return Ok(());
        }
        let title = format!("Check failed: {}", shown(&check.address, NAME));
        let lines = given(&check.problems)
            .take(PROBLEMS)
            .map(|problem| fit(&inert::lines(problem), MESSAGE));
        let lines: Vec<String> = lines.collect();
        let source = shown(&self.source, NAME);
        let message = match lines.is_empty() {
            true => format!("{source}: {}", shown(&check.status, NAME)),
            false => format!("{source}: {}", lines.join(separator(&check.problems))),
        };
        let location = first_location(&self.origins, &[check.address.clone().into_owned()]);
        self.annotate_at(location, Level::Error, &title, &message)
    }

    /// Annotates the patterns that match nothing in any plan.
    fn unmatched(&mut self) -> Result<()> {
        let patterns = self.patterns.clone();
        for pattern in patterns.unmatched() {
            let words = shown(&pattern.sentence(str::to_owned), MESSAGE);
            let level = if pattern.fails { Level::Error } else { Level::Warning };
            self.annotate(level, "Pattern matches nothing", &words)?;
        }
        Ok(())
    }

    /// Annotates a plan that failed or is incomplete, and the rules that it breaks.
    fn plan(&mut self, summary: &Summary) -> Result<()> {
        let source = shown(&self.source, NAME);
        for warning in Warning::of(summary) {
            let (level, title, message) = match warning {
                Warning::Errored => {
                    (Level::Error, "Planning failed", "there may be more to change")
                }
                Warning::Unlisted => {
                    (Level::Error, "Plan without a list of changes", "it has no resource_changes")
                }
                Warning::Incomplete | Warning::Deferred if summary.plan.errored == Some(true) => {
                    continue;
                }
                Warning::Incomplete | Warning::Deferred => (
                    Level::Warning,
                    "Plan is not complete",
                    "applying leaves changes for another plan",
                ),
            };
            self.annotate(level, title, &format!("{source}: {message}"))?;
        }
        let broken = self.figures.counted_rules.broken().map(|answer| {
            let level = if answer.fails() { Level::Error } else { Level::Warning };
            let width = if answer.rule.assertion().is_some() { MESSAGE } else { NAME };
            let words = answer.words(NAMED, |name| shown(name, width));
            let mut text = format!("{source}: {words}");
            let message = answer.rule.message();
            text.extend(
                message.map(|message| format!("\n{}", fit(&inert::lines(message), MESSAGE))),
            );
            let location = first_location(&self.origins, answer.first);
            let location = location.or_else(|| written_at(answer.rule));
            let (title, rule) = (answer.rule.broken_words(), shown(answer.rule.text(), NAME));
            (location, level, format!("{title}: {rule}"), text)
        });
        for (location, level, title, message) in broken.collect::<Vec<_>>() {
            self.annotate_at(location, level, &title, &message)?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for Github<'_, W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.figures.note(record);
        self.patterns.note(record);
        if let Some(summary) = &mut self.summary {
            summary.record(record)?;
        }
        match record {
            Record::Plan(plan) => {
                plan.workspace.unwrap_or(plan.source).clone_into(&mut self.source);
                Ok(())
            }
            Record::Check(check) => self.check(check),
            Record::ResourceChange(change) => {
                self.change(change);
                Ok(())
            }
            Record::Summary(summary) => self.plan(summary),
            _ => Ok(()),
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.figures.fail();
        if let Some(summary) = &mut self.summary {
            summary.failed(label, error)?;
        }
        let message = format!("{}: {}", shown(label.source, NAME), visible(&error.to_string()));
        self.annotate(Level::Error, "Plan could not be read", &message)
    }

    fn finish(&mut self) -> Result<()> {
        self.unmatched()?;
        self.rest()?;
        self.commands.flush().map_err(write_error)?;
        if let Some(summary) = &mut self.summary {
            summary.finish()?;
        }
        if let Some(outputs) = &mut self.outputs {
            let lines: String =
                self.figures.list().map(|(name, figure)| format!("{name}={figure}\n")).collect();
            outputs.write_all(lines.as_bytes()).map_err(write_error)?;
            outputs.flush().map_err(write_error)?;
        }
        Ok(())
    }
}

/// Returns the line of an assertion in its file. Unlike the plan, this file is in the repository.
fn written_at(rule: &Rule) -> Option<Location> {
    let (file, line) = rule.place()?;
    let line = u32::try_from(line).ok()?;
    Some(Location { file: file.into(), line, column: 1, end_line: line })
}

/// Joins parts with commas and `and`.
fn joined(parts: &[String]) -> String {
    match parts {
        [parts @ .., last] if !parts.is_empty() => format!("{} and {last}", parts.join(", ")),
        _ => parts.concat(),
    }
}

fn shown(text: &str, columns: usize) -> String {
    fit(&visible(text), columns)
}

/// Returns a workflow command that writes an annotation. `place` is a result of [`place`], or empty
/// if there is no location.
pub(super) fn command(level: &str, place: &str, title: &str, message: &str) -> String {
    let (title, message) = (property(title), escaped(message));
    format!("::{level} {place}title={title}::{message}\n")
}

/// Returns the command properties for the location of a block.
pub(super) fn place(Location { file, line, end_line, .. }: &Location) -> String {
    format!("file={},line={line},endLine={end_line},", property(&visible(file)))
}

/// Escapes a message for the runner, which undoes the escapes.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

pub(super) fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
