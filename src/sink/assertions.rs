//! Writes the results of assertions: for people, as records, and for pipelines.
//!
//! Results arrive document by document ([`Results::document`]). Memory holds only counts and the
//! notifications of SARIF.

use std::io::Write;

use serde::Serialize;

use super::github;
use super::junit::{self, Suite};
use super::origin::{Location, Missing, Origin, SharedOrigins};
use super::{sarif, write_error};
use crate::assertion::{
    Assertion, Assertions, FINDINGS_MAX, Finding as Failure, Outcome, Severity, Subject,
};
use crate::error::{Error, Result};
use crate::inert::{self, visible};
use crate::json::string::quoted;
use crate::record::{Finding, JsonText};

/// The JSON Schema (draft 2020-12) of a line of results.
pub const SCHEMA: &str = include_str!("assertions_schema.json");

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

/// The result of an assertion for a document, as a record.
#[derive(Serialize)]
#[serde(tag = "kind", rename = "assertion")]
struct Record<'r> {
    source: &'r str,
    name: &'r str,
    file: &'r str,
    line: usize,
    severity: &'static str,
    passed: bool,
    skipped: bool,
    asked: u64,
    failed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'r str>,
    findings: Vec<FindingRecord<'r>>,
}

#[derive(Serialize)]
struct FindingRecord<'r> {
    place: &'r str,
    path: &'r str,
    expected: &'r str,
    found: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<JsonText<'static>>,
}

/// Writes results in a format.
pub struct Results<'a, W: Write> {
    out: W,
    form: Form,
    assertions: &'a [Assertion],
    ids: Vec<String>,
    counts: Counts,
    /// Errors of inputs, as SARIF.
    notifications: Vec<String>,
    has_begun: bool,
    origins: SharedOrigins,
}

struct Counts {
    documents: u64,
    written: u64,
    passed: u64,
    skipped: u64,
    warnings: u64,
    errors: u64,
}

/// Maximum number of inputs with their own notification.
const NOTIFIED_MAX: usize = 1000;

impl<'a, W: Write> Results<'a, W> {
    /// Writes the results of these assertions to `out`.
    pub fn new(out: W, form: Form, assertions: &'a Assertions) -> Results<'a, W> {
        Results {
            out,
            form,
            assertions: assertions.list(),
            ids: assertions.ids().map(|id| visible(&id)).collect(),
            counts: Counts {
                documents: 0,
                written: 0,
                passed: 0,
                skipped: 0,
                warnings: 0,
                errors: 0,
            },
            notifications: Vec::new(),
            has_begun: false,
            origins: None,
        }
    }

    /// Adds the locations of the blocks of resources and outputs.
    pub fn with_origins(self, origins: SharedOrigins) -> Results<'a, W> {
        Results { origins, ..self }
    }

    /// Returns the block that a finding is about.
    fn origin(&self, assertion: &Assertion, finding: &Failure) -> Option<Origin> {
        let origins = self.origins.as_ref()?;
        if let Some(address) = &finding.address {
            return Some(match origins.find(address)? {
                Origin::Missing(_) if finding.is_removed => Origin::Missing(Missing::Removed),
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

    /// Returns the location of the first block that the findings of an assertion are about.
    fn location(&self, assertion: &Assertion, outcome: &Outcome) -> Option<Location> {
        let mut origins = outcome.findings.iter().map(|finding| self.origin(assertion, finding));
        origins.find_map(|origin| origin?.location().cloned())
    }

    /// Returns one line for each finding of an assertion, with the location of its block. If all
    /// findings have the same expectation, returns the expectation once, as a heading for the
    /// lines.
    fn lines(&self, assertion: &Assertion, outcome: &Outcome) -> (Option<String>, Vec<String>) {
        let findings = &outcome.findings;
        let is_shared = |expected: &str| findings.iter().all(|it| it.expected == expected);
        let shared = match &findings[..] {
            [first, _, ..] if is_shared(&first.expected) => {
                Some(format!("expected {}, found", first.expected))
            }
            _ => None,
        };
        let line = |finding: &Failure| {
            let words = match shared {
                Some(_) => Finding::from(finding).found_words(),
                None => Finding::from(finding).words(),
            };
            match self.origin(assertion, finding) {
                Some(origin) => format!("{words} ({})", origin.words()),
                None => words,
            }
        };
        let mut lines: Vec<String> = findings.iter().map(line).collect();
        let more = outcome.failed.saturating_sub(FINDINGS_MAX as u64);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        (shared, lines)
    }

    /// Returns the findings of an assertion and its message, as one visible text.
    fn explained(&self, assertion: &Assertion, outcome: &Outcome) -> String {
        let (shared, lines) = self.lines(assertion, outcome);
        let shared = shared.map(|shared| format!("{shared} ")).unwrap_or_default();
        let mut text = visible(&(shared + &lines.join("; ")));
        if let Some(message) = &assertion.message {
            text += &format!(": {}", inert::lines(message));
        }
        text
    }

    /// Returns the number of assertions that failed with the severity `error`.
    pub fn errors(&self) -> u64 {
        self.counts.errors
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(write_error)
    }

    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        match self.form {
            Form::Json => self.write("[\n"),
            Form::Junit => self.write(junit::HEAD),
            Form::Sarif => {
                let rules = self.assertions.iter().zip(&self.ids).map(|(assertion, id)| {
                    let description = assertion.message.as_deref().unwrap_or(&assertion.name);
                    sarif::rule(id, assertion.severity.word(), &visible(description))
                });
                let head = sarif::head(&rules.collect::<Vec<_>>());
                self.write(&inert::json(&head))
            }
            Form::Text | Form::Ndjson | Form::Github => Ok(()),
        }
    }

    /// Writes the results of a document.
    ///
    /// # Errors
    ///
    /// Fails if the output fails.
    pub fn document(&mut self, source: &str, outcomes: &[Outcome]) -> Result<()> {
        self.begin()?;
        let assertions = self.assertions;
        let results = || assertions.iter().zip(outcomes);
        let failed = |severity| {
            results().filter(|(it, outcome)| it.severity == severity && !outcome.holds()).count()
        };
        let [errors, warnings] = [Severity::Error, Severity::Warning].map(failed);
        let skipped = outcomes.iter().filter(|outcome| outcome.is_skipped).count();
        self.counts.documents += 1;
        self.counts.errors += errors as u64;
        self.counts.warnings += warnings as u64;
        self.counts.skipped += skipped as u64;
        self.counts.passed += (assertions.len() - errors - warnings - skipped) as u64;
        match self.form {
            Form::Text => self.text(source, outcomes),
            Form::Ndjson | Form::Json => {
                results().try_for_each(|(it, outcome)| self.record(source, it, outcome))
            }
            Form::Junit => self.suite(source, outcomes),
            Form::Sarif => results()
                .enumerate()
                .filter(|(_, (_, outcome))| !outcome.holds())
                .try_for_each(|(place, (it, outcome))| self.finding(source, place, it, outcome)),
            Form::Github => results()
                .filter(|(_, outcome)| !outcome.holds())
                .try_for_each(|(it, outcome)| self.annotation(source, it, outcome)),
        }
    }

    /// Writes that an input could not be read.
    ///
    /// # Errors
    ///
    /// Fails if the output fails.
    pub fn failed(&mut self, source: &str, error: &Error) -> Result<()> {
        self.begin()?;
        let text = visible(&error.to_string());
        match self.form {
            // The command prints the error.
            Form::Text => Ok(()),
            Form::Ndjson | Form::Json => {
                let (source, text) = (quoted(source), quoted(&text));
                self.json(&format!(r#"{{"kind":"error","source":{source},"error":{text}}}"#))
            }
            Form::Junit => {
                let mut suite = Suite::default();
                suite.failed("plan is whole", "error", &text);
                self.write(&suite.end(source))
            }
            Form::Sarif => {
                if self.notifications.len() < NOTIFIED_MAX {
                    let text = format!("{}: {text}", visible(source));
                    self.notifications.push(sarif::notification("error", &text, None));
                }
                Ok(())
            }
            Form::Github => {
                let message = format!("{}: {text}", visible(source));
                self.write(&command("error", "", "Plan could not be read", &message))
            }
        }
    }

    /// Ends the output.
    ///
    /// # Errors
    ///
    /// Fails if the output fails.
    pub fn finish(&mut self) -> Result<()> {
        self.begin()?;
        match self.form {
            Form::Text if self.counts.documents == 0 => {}
            Form::Text => self.write(&self.counts())?,
            Form::Json => self.write("\n]\n")?,
            Form::Junit => self.write(junit::END)?,
            Form::Sarif => {
                let tail = sarif::tail(self.notifications.is_empty(), &self.notifications);
                self.write(&inert::json(&tail))?;
            }
            Form::Ndjson | Form::Github => {}
        }
        self.out.flush().map_err(write_error)
    }

    fn counts(&self) -> String {
        let mut line = format!("{} passed, {} failed", self.counts.passed, self.counts.errors);
        match self.counts.warnings {
            0 => {}
            1 => line += ", 1 failed as a warning",
            warnings => line += &format!(", {warnings} failed as warnings"),
        }
        if self.counts.skipped > 0 {
            line += &format!(", {} skipped", self.counts.skipped);
        }
        line + "\n"
    }

    fn text(&mut self, source: &str, outcomes: &[Outcome]) -> Result<()> {
        let assertions = self.assertions;
        for (assertion, outcome) in assertions.iter().zip(outcomes) {
            if outcome.holds() {
                continue;
            }
            let severity = assertion.severity.word();
            let name = visible(&assertion.name);
            let place = match assertion.file.as_str() {
                "" => String::new(),
                file => format!(" ({}:{})", visible(file), assertion.line),
            };
            self.write(&format!("{}: {severity}: {name}{place}\n", visible(source)))?;
            let (shared, lines) = self.lines(assertion, outcome);
            if let Some(shared) = &shared {
                self.write(&format!("  {}:\n", visible(shared)))?;
            }
            let indent = if shared.is_some() { "    " } else { "  " };
            for line in lines {
                self.write(&format!("{indent}{}\n", visible(&line)))?;
            }
            if let Some(message) = &assertion.message {
                for line in inert::spaced_lines(message) {
                    let space = if line.is_empty() { "" } else { "  " };
                    self.write(&format!("{space}{line}\n"))?;
                }
            }
        }
        Ok(())
    }

    fn record(&mut self, source: &str, assertion: &Assertion, outcome: &Outcome) -> Result<()> {
        let findings = outcome.findings.iter().map(|it| FindingRecord {
            place: &it.place,
            path: &it.path,
            expected: &it.expected,
            found: &it.found,
            source: self.origin(assertion, it).map(|origin| JsonText::new(origin.json())),
        });
        let record = Record {
            source,
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
        };
        let text = serde_json::to_string(&record).map_err(write_error)?;
        self.json(&text)
    }

    /// Writes a record and the separator between records.
    fn json(&mut self, text: &str) -> Result<()> {
        let text = inert::json(text).into_owned();
        let is_first = self.counts.written == 0;
        self.counts.written += 1;
        match self.form {
            Form::Json if is_first => self.write(&text),
            Form::Json => self.write(&format!(",\n{text}")),
            _ => self.write(&format!("{text}\n")),
        }
    }

    fn suite(&mut self, source: &str, outcomes: &[Outcome]) -> Result<()> {
        let mut suite = Suite::default();
        for (assertion, outcome) in self.assertions.iter().zip(outcomes) {
            if outcome.holds() && !outcome.is_skipped {
                suite.passed(&assertion.name);
                continue;
            }
            // JUnit has no warnings, and a warning does not fail the run.
            let fails = !outcome.holds() && assertion.severity == Severity::Error;
            let element = if fails { "failure" } else { "skipped" };
            let message = match outcome.is_skipped {
                true => {
                    "the assertion is optional, and the plan has nothing that it is about".into()
                }
                false => self.explained(assertion, outcome),
            };
            let block = self.location(assertion, outcome);
            suite.failed_at(block.as_ref(), &assertion.name, element, &message);
        }
        self.write(&suite.end(source))
    }

    fn finding(
        &mut self,
        source: &str,
        place: usize,
        assertion: &Assertion,
        outcome: &Outcome,
    ) -> Result<()> {
        let names = outcome.findings.iter().filter(|finding| !finding.place.is_empty());
        let names: Vec<_> = names.map(|finding| finding.place.clone()).collect();
        // The block and the file of assertions are in the repository, unlike the plan.
        let location = match (self.location(assertion, outcome), assertion.file.as_str()) {
            (None, file) if !file.is_empty() => {
                let region = format!(r#","region":{{"startLine":{}}}"#, assertion.line);
                sarif::location_of(file, &region, &names)
            }
            (block, _) => sarif::location(source, block, &names),
        };
        let message = match assertion.file.as_str() {
            "" => self.explained(assertion, outcome),
            _ => format!("{}: {}", visible(source), self.explained(assertion, outcome)),
        };
        let rule = (place, self.ids[place].as_str());
        let result = sarif::result(rule, assertion.severity.word(), &message, &location);
        let text = inert::json(&result).into_owned();
        let comma = if self.counts.written == 0 { "\n" } else { ",\n" };
        self.counts.written += 1;
        self.write(&format!("{comma}{text}"))
    }

    fn annotation(&mut self, source: &str, assertion: &Assertion, outcome: &Outcome) -> Result<()> {
        let title = format!("Assertion failed: {}", assertion.name);
        let mut message = format!("{}: {}", visible(source), self.explained(assertion, outcome));
        let level = assertion.severity.word();
        // Annotates the block if it is known, because reviewers see it. The file of assertions is
        // in the repository, too, unlike the plan.
        let Assertion { file, line, .. } = assertion;
        let at = match self.location(assertion, outcome) {
            Some(block) => {
                let origin = format!(" (asserted in {file}:{line})");
                message += &if file.is_empty() { String::new() } else { visible(&origin) };
                github::place(&block)
            }
            None if file.is_empty() => String::new(),
            None => format!("file={},line={line},", github::property(&visible(file))),
        };
        self.write(&command(level, &at, &title, &message))
    }
}

/// Returns a workflow command of GitHub Actions. `message` is visible.
fn command(level: &str, place: &str, title: &str, message: &str) -> String {
    github::command(level, place, &visible(title), message)
}
