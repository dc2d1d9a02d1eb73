//! Writes the results of assertions: for people, as records, and for pipelines.
//!
//! Results arrive document by document ([`Results::document`]). Nothing is kept but counts, and the
//! notifications of SARIF.

use std::io::Write;

use serde::Serialize;
use serde_json::json;

use super::write_error;
use crate::assertion::{Assertion, Assertions, FINDINGS_MAX, Outcome, Severity};
use crate::error::{Error, Result};
use crate::inert::{self, visible};
use crate::record::Finding;

/// The JSON Schema (draft 2020-12) of a line of results.
pub const SCHEMA: &str = include_str!("assertions_schema.json");

/// A format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A list for people.
    Text,
    /// One JSON object a line: one for each assertion of each document.
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
struct Record<'r> {
    kind: &'static str,
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
    findings: Vec<Found<'r>>,
}

#[derive(Serialize)]
struct Found<'r> {
    place: &'r str,
    path: &'r str,
    expected: &'r str,
    found: &'r str,
}

/// Writes results in a format.
pub struct Results<'a, W: Write> {
    out: W,
    form: Form,
    assertions: &'a [Assertion],
    /// The identifiers of the assertions in SARIF.
    ids: Vec<String>,
    documents: u64,
    written: u64,
    passed: u64,
    skipped: u64,
    warnings: u64,
    errors: u64,
    /// Errors of inputs, for SARIF.
    notifications: Vec<serde_json::Value>,
    has_begun: bool,
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
            documents: 0,
            written: 0,
            passed: 0,
            skipped: 0,
            warnings: 0,
            errors: 0,
            notifications: Vec::new(),
            has_begun: false,
        }
    }

    /// The number of assertions that failed with the severity `error`.
    pub fn errors(&self) -> u64 {
        self.errors
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
            Form::Junit => self.write(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plansift\">\n",
            ),
            Form::Sarif => {
                let rules = self.assertions.iter().zip(&self.ids);
                let rules: Vec<_> = rules.map(|(assertion, id)| rule(assertion, id)).collect();
                let driver = json!({
                    "name": "plansift", "version": env!("CARGO_PKG_VERSION"), "rules": rules,
                });
                self.write(&format!(
                    "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\
                     \"version\":\"2.1.0\",\"runs\":[{{\"tool\":{},\"results\":[",
                    inert::json(&json!({ "driver": driver }).to_string())
                ))
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
        self.documents += 1;
        self.errors += errors as u64;
        self.warnings += warnings as u64;
        self.skipped += skipped as u64;
        self.passed += (assertions.len() - errors - warnings - skipped) as u64;
        match self.form {
            Form::Text => self.text(source, outcomes),
            Form::Ndjson | Form::Json => {
                results().try_for_each(|(it, outcome)| self.record(source, it, outcome))
            }
            Form::Junit => self.suite(source, outcomes, errors, warnings + skipped),
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
                let record = json!({ "kind": "error", "source": source, "error": text });
                self.json(&record.to_string())
            }
            Form::Junit => {
                let (name, message) = (xml(source), xml(&text));
                self.write(&format!(
                    "  <testsuite name=\"{name}\" tests=\"1\" failures=\"0\" errors=\"1\" \
                     skipped=\"0\">\n    <testcase classname=\"plansift\" name=\"plan is whole\">\n\
                     \x20     <error message=\"{message}\"/>\n    </testcase>\n  </testsuite>\n"
                ))
            }
            Form::Sarif => {
                if self.notifications.len() < NOTIFIED_MAX {
                    let text = format!("{}: {text}", visible(source));
                    self.notifications
                        .push(json!({ "level": "error", "message": { "text": text } }));
                }
                Ok(())
            }
            Form::Github => {
                let message = format!("{}: {text}", visible(source));
                self.write(&command("error", "Plan could not be read", &message))
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
            // Without a document, nothing passed and nothing failed.
            Form::Text if self.documents == 0 => {}
            Form::Text => self.write(&self.counts())?,
            Form::Json => self.write("\n]\n")?,
            Form::Junit => self.write("</testsuites>\n")?,
            Form::Sarif => {
                let invocation = json!([{
                    "executionSuccessful": self.notifications.is_empty(),
                    "toolExecutionNotifications": self.notifications,
                }]);
                let text = inert::json(&invocation.to_string()).into_owned();
                self.write(&format!("],\"invocations\":{text}}}]}}\n"))?;
            }
            Form::Ndjson | Form::Github => {}
        }
        self.out.flush().map_err(write_error)
    }

    /// The numbers of results, in a line.
    fn counts(&self) -> String {
        let mut line = format!("{} passed, {} failed", self.passed, self.errors);
        match self.warnings {
            0 => {}
            1 => line += ", 1 failed as a warning",
            warnings => line += &format!(", {warnings} failed as warnings"),
        }
        if self.skipped > 0 {
            line += &format!(", {} skipped", self.skipped);
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
            let (shared, lines) = lines(outcome);
            if let Some(shared) = &shared {
                self.write(&format!("  {}:\n", visible(shared)))?;
            }
            let indent = if shared.is_some() { "    " } else { "  " };
            for line in lines {
                self.write(&format!("{indent}{}\n", visible(&line)))?;
            }
            if let Some(message) = &assertion.message {
                self.write(&format!("  {}\n", visible(message)))?;
            }
        }
        Ok(())
    }

    fn record(&mut self, source: &str, assertion: &Assertion, outcome: &Outcome) -> Result<()> {
        let findings = outcome.findings.iter().map(|it| Found {
            place: &it.place,
            path: &it.path,
            expected: &it.expected,
            found: &it.found,
        });
        let record = Record {
            kind: "assertion",
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

    /// Writes a record, and what separates it from the one before.
    fn json(&mut self, text: &str) -> Result<()> {
        let text = inert::json(text).into_owned();
        let is_first = self.written == 0;
        self.written += 1;
        match self.form {
            Form::Json if is_first => self.write(&text),
            Form::Json => self.write(&format!(",\n{text}")),
            _ => self.write(&format!("{text}\n")),
        }
    }

    fn suite(
        &mut self,
        source: &str,
        outcomes: &[Outcome],
        errors: usize,
        skipped: usize,
    ) -> Result<()> {
        let (name, assertions) = (xml(source), self.assertions);
        self.write(&format!(
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{errors}\" errors=\"0\" \
             skipped=\"{skipped}\">\n",
            assertions.len()
        ))?;
        for (assertion, outcome) in assertions.iter().zip(outcomes) {
            let name = xml(&assertion.name);
            if outcome.holds() && !outcome.is_skipped {
                self.write(&format!("    <testcase classname=\"plansift\" name=\"{name}\"/>\n"))?;
                continue;
            }
            // JUnit has no warnings, and a warning does not fail the run.
            let fails = !outcome.holds() && assertion.severity == Severity::Error;
            let element = if fails { "failure" } else { "skipped" };
            let message = match outcome.is_skipped {
                true => {
                    "the assertion is optional, and the plan has nothing that it is about".into()
                }
                false => xml(&explained(assertion, outcome)),
            };
            self.write(&format!(
                "    <testcase classname=\"plansift\" name=\"{name}\">\n      <{element} \
                 message=\"{message}\"/>\n    </testcase>\n"
            ))?;
        }
        self.write("  </testsuite>\n")
    }

    fn finding(
        &mut self,
        source: &str,
        place: usize,
        assertion: &Assertion,
        outcome: &Outcome,
    ) -> Result<()> {
        let names = outcome.findings.iter().filter(|finding| !finding.place.is_empty());
        let logical: Vec<_> = names
            .map(|finding| {
                json!({ "fullyQualifiedName": visible(&finding.place), "kind": "resource" })
            })
            .collect();
        // The file of assertions is in the repository, unlike the plan.
        let physical = match assertion.file.as_str() {
            "" => json!({ "artifactLocation": { "uri": super::source_link::encoded(source) } }),
            file => json!({
                "artifactLocation": { "uri": super::source_link::encoded(file) },
                "region": { "startLine": assertion.line },
            }),
        };
        let mut location = json!({ "physicalLocation": physical });
        if !logical.is_empty() {
            location["logicalLocations"] = json!(logical);
        }
        let message = match assertion.file.as_str() {
            "" => explained(assertion, outcome),
            _ => format!("{source}: {}", explained(assertion, outcome)),
        };
        let finding = json!({
            "ruleId": self.ids[place],
            "ruleIndex": place,
            "level": assertion.severity.word(),
            "message": { "text": visible(&message) },
            "locations": [location],
        });
        let text = inert::json(&finding.to_string()).into_owned();
        let comma = if self.written == 0 { "\n" } else { ",\n" };
        self.written += 1;
        self.write(&format!("{comma}{text}"))
    }

    fn annotation(&mut self, source: &str, assertion: &Assertion, outcome: &Outcome) -> Result<()> {
        let title = format!("Assertion failed: {}", assertion.name);
        let message = format!("{source}: {}", explained(assertion, outcome));
        let level = assertion.severity.word();
        let text = command(level, &title, &message);
        if assertion.file.is_empty() {
            return self.write(&text);
        }
        // The file is in the repository, unlike the plan.
        let file = super::github::property(&visible(&assertion.file));
        let at = format!("file={file},line={},title=", assertion.line);
        self.write(&text.replacen("title=", &at, 1))
    }
}

/// The rule of SARIF for an assertion.
fn rule(assertion: &Assertion, id: &str) -> serde_json::Value {
    let description = assertion.message.as_deref().unwrap_or(&assertion.name);
    json!({
        "id": id,
        "shortDescription": { "text": visible(description) },
        "defaultConfiguration": { "level": assertion.severity.word() },
    })
}

/// The findings of an assertion, one in each line, after the expectation that all of them share.
fn lines(outcome: &Outcome) -> (Option<String>, Vec<String>) {
    let findings = &outcome.findings;
    let is_shared = |expected: &str| findings.iter().all(|finding| finding.expected == expected);
    let shared = match &findings[..] {
        [first, _, ..] if is_shared(&first.expected) => {
            Some(format!("expected {}, found", first.expected))
        }
        _ => None,
    };
    let line = |finding| match shared {
        Some(_) => Finding::from(finding).found_words(),
        None => Finding::from(finding).words(),
    };
    let mut lines: Vec<String> = findings.iter().map(line).collect();
    let more = outcome.failed.saturating_sub(FINDINGS_MAX as u64);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    (shared, lines)
}

/// The findings of an assertion and its message.
fn explained(assertion: &Assertion, outcome: &Outcome) -> String {
    let (shared, lines) = lines(outcome);
    let shared = shared.map(|shared| format!("{shared} ")).unwrap_or_default();
    let mut text = shared + &lines.join("; ");
    if let Some(message) = &assertion.message {
        text += &format!(": {message}");
    }
    text
}

fn xml(text: &str) -> String {
    super::junit::xml(text)
}

/// A workflow command of GitHub Actions.
fn command(level: &str, title: &str, message: &str) -> String {
    let title = super::github::property(&visible(title));
    let message = super::github::escaped(&visible(message));
    format!("::{level} title={title}::{message}\n")
}
