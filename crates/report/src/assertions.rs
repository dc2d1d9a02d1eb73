//! Writes the results of assertions for people and for pipelines.
//!
//! The results of a document arrive in the order of the assertions. Memory holds only counts, the
//! suite of one document, and the notifications of SARIF.

use std::io::Write;

use super::github;
use super::junit::{self, Suite};
use super::origin::{self, Missing, Origin, SharedOrigins};
use super::{Sink, sarif, write_error};
use plansift_check::assertion::{Assertion, Assertions, FINDINGS_MAX, Finding, Outcome, Subject};
use plansift_core::error::Result;
use plansift_core::inert::{self, visible};
use plansift_plan::record::{AssertionFinding, AssertionResult, Record, UnreadDocument};
use plansift_plan::sink::json::Json;
use plansift_plan::sink::ndjson::Ndjson;

/// A format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A list for people.
    Text,
    /// One JSON object per line, for each assertion of each document.
    Ndjson,
    /// One JSON document.
    Json,
    /// Tests: a suite for each document, a test for each assertion.
    Junit,
    /// SARIF 2.1.0: a result for each assertion that fails.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
}

impl Form {
    /// Creates a sink that writes the results of these assertions to `out`.
    pub fn sink<'a>(self, out: impl Write + 'a, assertions: &'a Assertions) -> Box<dyn Sink + 'a> {
        match self {
            Form::Text => Box::new(Text { out, counts: Counts::default() }),
            Form::Ndjson => Box::new(Ndjson::new(out)),
            Form::Json => Box::new(Json::new(out)),
            Form::Junit => Box::new(Junit { out, open: None, has_begun: false }),
            Form::Sarif => Box::new(Sarif::new(out, assertions)),
            Form::Github => Box::new(Github { out }),
        }
    }
}

/// Returns the results of a document as records, in the order of the assertions. `outcomes` has one
/// outcome for each assertion.
pub fn results<'a>(
    source: &'a str,
    assertions: &'a [Assertion],
    outcomes: &'a [Outcome],
    origins: &SharedOrigins,
) -> impl Iterator<Item = AssertionResult<'a>> {
    assertions.iter().zip(outcomes).enumerate().map(move |(index, (assertion, outcome))| {
        let findings = outcome.findings.iter().map(|finding| AssertionFinding {
            place: &finding.place,
            path: &finding.path,
            expected: &finding.expected,
            found: &finding.found,
            source: find_origin(origins, assertion, finding),
        });
        AssertionResult {
            source,
            index,
            name: &assertion.name,
            file: &assertion.file,
            line: assertion.line,
            severity: assertion.severity.word(),
            passed: outcome.holds(),
            skipped: outcome.is_skipped,
            asked: outcome.asked,
            failed: outcome.failed,
            message: assertion.message.as_deref(),
            findings: findings.collect(),
        }
    })
}

/// Returns the block that a finding is about.
fn find_origin(
    origins: &SharedOrigins,
    assertion: &Assertion,
    finding: &Finding,
) -> Option<Origin> {
    let origins = origins.as_ref()?;
    if let Some(address) = &finding.address {
        return Some(match origins.find(address)? {
            Origin::Missing { .. } if finding.is_removed => {
                Origin::Missing { missing: Missing::Removed }
            }
            origin => origin,
        });
    }
    // The plan has no object with this name, but the configuration may have a block.
    let origin = match &assertion.subject {
        _ if !finding.place.is_empty() => None,
        Subject::Resource(pattern) => origins.find(pattern.text()),
        Subject::Output(pattern) => origins.find(&format!("output.{}", pattern.text())),
        Subject::Plan => None,
    };
    origin.filter(|origin| origin.location().is_some())
}

/// Returns one line for each finding of a result, with the location of its block. If all findings
/// have the same expectation, returns the expectation once, as a heading for the lines.
fn lines(result: &AssertionResult<'_>) -> (Option<String>, Vec<String>) {
    let findings = &result.findings;
    let is_shared = |expected: &str| findings.iter().all(|it| it.expected == expected);
    let shared = match &findings[..] {
        [first, _, ..] if is_shared(first.expected) => {
            Some(format!("expected {}, found", first.expected))
        }
        _ => None,
    };
    let line = |finding: &AssertionFinding<'_>| {
        let words = match shared {
            Some(_) => finding.found_words(),
            None => finding.words(),
        };
        match &finding.source {
            Some(origin) => format!("{words} ({})", origin::words(origin)),
            None => words,
        }
    };
    let mut lines: Vec<String> = findings.iter().map(line).collect();
    let more = result.failed.saturating_sub(FINDINGS_MAX as u64);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    (shared, lines)
}

/// Returns the findings of a result and its message, as one visible text.
fn explained(result: &AssertionResult<'_>) -> String {
    let (shared, lines) = lines(result);
    let shared = shared.map(|shared| format!("{shared} ")).unwrap_or_default();
    let mut text = visible(&(shared + &lines.join("; ")));
    if let Some(message) = result.message {
        text += &format!(": {}", inert::lines(message));
    }
    text
}

/// Writes text to the output of a sink.
fn write(out: &mut impl Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(write_error)
}

/// Writes the results that failed as a list, and counts all results.
struct Text<W> {
    out: W,
    counts: Counts,
}

/// The numbers of results.
#[derive(Default)]
struct Counts {
    passed: u64,
    skipped: u64,
    warnings: u64,
    errors: u64,
}

impl Counts {
    fn add(&mut self, result: &AssertionResult<'_>) {
        *match (result.passed, result.skipped) {
            (false, _) if result.is_error() => &mut self.errors,
            (false, _) => &mut self.warnings,
            (true, true) => &mut self.skipped,
            (true, false) => &mut self.passed,
        } += 1;
    }

    /// Returns the counts as a line; empty without results.
    fn line(&self) -> String {
        let Counts { passed, skipped, warnings, errors } = *self;
        if passed + skipped + warnings + errors == 0 {
            return String::new();
        }
        let mut line = format!("{passed} passed, {errors} failed");
        match warnings {
            0 => {}
            1 => line += ", 1 failed as a warning",
            warnings => line += &format!(", {warnings} failed as warnings"),
        }
        if skipped > 0 {
            line += &format!(", {skipped} skipped");
        }
        line + "\n"
    }
}

impl<W: Write> Text<W> {
    fn list(&mut self, result: &AssertionResult<'_>) -> Result<()> {
        let AssertionResult { source, severity, name, file, line, .. } = *result;
        let place = match file {
            "" => String::new(),
            file => format!(" ({}:{line})", visible(file)),
        };
        let head = format!("{}: {severity}: {}{place}\n", visible(source), visible(name));
        write(&mut self.out, &head)?;
        let (shared, lines) = lines(result);
        if let Some(shared) = &shared {
            write(&mut self.out, &format!("  {}:\n", visible(shared)))?;
        }
        let indent = if shared.is_some() { "    " } else { "  " };
        for line in lines {
            write(&mut self.out, &format!("{indent}{}\n", visible(&line)))?;
        }
        for line in result.message.into_iter().flat_map(inert::spaced_lines) {
            let space = if line.is_empty() { "" } else { "  " };
            write(&mut self.out, &format!("{space}{line}\n"))?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for Text<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let Record::Assertion(result) = record else { return Ok(()) };
        self.counts.add(result);
        if result.passed { Ok(()) } else { self.list(result) }
    }

    fn finish(&mut self) -> Result<()> {
        write(&mut self.out, &self.counts.line())?;
        self.out.flush().map_err(write_error)
    }
}

/// Writes a suite of tests for each document.
struct Junit<W> {
    out: W,
    /// The suite of the current document, and the name of the document.
    open: Option<(String, Suite)>,
    has_begun: bool,
}

impl<W: Write> Junit<W> {
    /// Writes the suite of the current document.
    fn end_suite(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.has_begun, true) {
            write(&mut self.out, junit::HEAD)?;
        }
        match self.open.take() {
            Some((source, suite)) => write(&mut self.out, &suite.end(&source)),
            None => Ok(()),
        }
    }
}

impl<W: Write> Sink for Junit<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Assertion(result) => {
                if result.index == 0 {
                    self.end_suite()?;
                }
                let new = || (result.source.to_owned(), Suite::default());
                let (_, suite) = self.open.get_or_insert_with(new);
                if result.passed && !result.skipped {
                    suite.passed(result.name);
                    return Ok(());
                }
                // JUnit has no warnings, and a warning does not fail the run.
                let element = if result.is_error() { "failure" } else { "skipped" };
                let message = match result.skipped {
                    true => "the assertion is optional, and the plan has nothing that it is about"
                        .to_owned(),
                    false => explained(result),
                };
                suite.failed_at(result.location(), result.name, element, &message);
                Ok(())
            }
            Record::Error(UnreadDocument { source, error }) => {
                self.end_suite()?;
                let mut suite = Suite::default();
                suite.failed("plan is whole", "error", error);
                write(&mut self.out, &suite.end(source))
            }
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.end_suite()?;
        write(&mut self.out, junit::END)?;
        self.out.flush().map_err(write_error)
    }
}

/// Maximum number of inputs with their own notification.
const NOTIFIED_MAX: usize = 1000;

/// Writes a SARIF result for each assertion that fails.
struct Sarif<W> {
    out: W,
    /// The identifier of each assertion.
    ids: Vec<String>,
    /// The text before the first result, until it is written.
    head: Option<String>,
    written: u64,
    /// Errors of inputs.
    notifications: Vec<String>,
}

impl<W: Write> Sarif<W> {
    fn new(out: W, assertions: &Assertions) -> Sarif<W> {
        let ids: Vec<String> = assertions.ids().map(|id| visible(&id)).collect();
        let rules = assertions.list().iter().zip(&ids).map(|(assertion, id)| {
            let description = assertion.message.as_deref().unwrap_or(&assertion.name);
            sarif::rule(id, assertion.severity.word(), &visible(description))
        });
        let head = Some(sarif::head(&rules.collect::<Vec<_>>()));
        Sarif { out, ids, head, written: 0, notifications: Vec::new() }
    }

    fn write(&mut self, text: &str) -> Result<()> {
        if let Some(head) = self.head.take() {
            write(&mut self.out, &inert::json(&head))?;
        }
        write(&mut self.out, &inert::json(text))
    }

    fn result(&mut self, result: &AssertionResult<'_>) -> Result<()> {
        let names = result.findings.iter().filter(|finding| !finding.place.is_empty());
        let names: Vec<_> = names.map(|finding| finding.place.to_owned()).collect();
        // The block and the file of assertions are in the repository, unlike the plan.
        let location = match (result.location(), result.file) {
            (None, file) if !file.is_empty() => {
                let region = format!(r#","region":{{"startLine":{}}}"#, result.line);
                sarif::location_of(file, &region, &names)
            }
            (block, _) => sarif::location(result.source, block.cloned(), &names),
        };
        let message = match result.file {
            "" => explained(result),
            _ => format!("{}: {}", visible(result.source), explained(result)),
        };
        let rule = sarif::RuleRef { index: result.index, id: &self.ids[result.index] };
        let text = sarif::result(rule, result.severity, &message, &location);
        let comma = if self.written == 0 { "\n" } else { ",\n" };
        self.written += 1;
        self.write(&format!("{comma}{text}"))
    }
}

impl<W: Write> Sink for Sarif<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Assertion(result) if !result.passed => self.result(result),
            Record::Error(UnreadDocument { source, error }) => {
                if self.notifications.len() < NOTIFIED_MAX {
                    let text = format!("{}: {error}", visible(source));
                    self.notifications.push(sarif::notification("error", &text, None));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        let tail = sarif::tail(self.notifications.is_empty(), &self.notifications);
        self.write(&tail)?;
        self.out.flush().map_err(write_error)
    }
}

/// Writes an annotation for each assertion that fails.
struct Github<W> {
    out: W,
}

impl<W: Write> Sink for Github<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let text = match record {
            Record::Assertion(result) if !result.passed => annotation(result),
            Record::Error(UnreadDocument { source, error }) => {
                let message = format!("{}: {error}", visible(source));
                github::command("error", "", "Plan could not be read", &message)
            }
            _ => return Ok(()),
        };
        write(&mut self.out, &text)
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}

fn annotation(result: &AssertionResult<'_>) -> String {
    let AssertionResult { source, name, file, line, .. } = *result;
    let mut message = format!("{}: {}", visible(source), explained(result));
    // Annotates the block if it is known, because reviewers see it. The file of assertions is in
    // the repository, too, unlike the plan.
    let place = match result.location() {
        Some(block) => {
            let origin = format!(" (asserted in {file}:{line})");
            message += &if file.is_empty() { String::new() } else { visible(&origin) };
            github::place(block)
        }
        None if file.is_empty() => String::new(),
        None => format!("file={},line={line},", github::property(&visible(file))),
    };
    let title = visible(&format!("Assertion failed: {name}"));
    github::command(result.severity, &place, &title, &message)
}
