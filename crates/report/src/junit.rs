//! Writes JUnit XML, which CI systems show as tests.
//!
//! Each plan is a suite. The suite has a test for each rule, a test for each check of the plan, and
//! a test that fails if the plan cannot be read, planning failed, or the plan has no list of
//! changes. A suite `patterns` lists the patterns that match nothing in any plan as skipped tests.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::gate::{Answer, CountedRules};
use super::markup::escaped;
use super::origin::Location;
use super::patterns::Patterns;
use super::phrase::Warning;
use super::report::ReportOptions;
use super::short::{messages, short};
use super::spool::SpooledText;
use super::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_core::inert::{lines, visible};
use plansift_plan::record::patterns::Unmatched;
use plansift_plan::record::{Label, Record};

/// Maximum number of checks of a plan with their own test. One more test covers all others.
const CHECKS_MAX: u64 = 1000;

/// The text before the first suite.
pub(super) const HEAD: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plansift\">\n";
/// The text after the last suite.
pub(super) const END: &str = "</testsuites>\n";

/// Writes one suite per plan.
pub struct Junit<W: Write> {
    out: W,
    counted_rules: CountedRules,
    patterns: Patterns,
    /// The tests of the current plan.
    suite: Suite,
    /// The finished suites, one on each line. They wait for the end of the run if a rule may match
    /// nothing in any plan.
    waiting: SpooledText,
    has_begun: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Suite {
    text: String,
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
    checks: u64,
    /// Whether a check beyond [`CHECKS_MAX`] failed.
    has_more_failed: bool,
    /// The names of tests that passed, each with its offset in `text`.
    passed_rules: Vec<(usize, String)>,
}

impl Suite {
    pub fn passed(&mut self, name: &str) {
        self.tests += 1;
        // Writing to a string cannot fail.
        let _ =
            writeln!(self.text, r#"    <testcase classname="plansift" name="{}"/>"#, escaped(name));
    }

    /// Adds a test that passed, unless its rule turns out to match nothing in any plan.
    fn passed_rule(&mut self, name: &str) {
        self.passed_rules.push((self.text.len(), name.to_owned()));
    }

    /// Adds the tests of [`Suite::passed_rule`], except those in `left_out`.
    fn with_rules(mut self, left_out: &[Unmatched<'_>]) -> Suite {
        let text = std::mem::take(&mut self.text);
        let mut start = 0;
        for (end, name) in std::mem::take(&mut self.passed_rules) {
            self.text += &text[start..end];
            start = end;
            if left_out.iter().all(|pattern| pattern.argument != name) {
                self.passed(&name);
            }
        }
        self.text += &text[start..];
        self
    }

    /// Adds a test that did not pass. `outcome` is the XML element: `failure`, `error` or
    /// `skipped`.
    pub fn failed(&mut self, name: &str, outcome: &str, message: &str) {
        self.failed_at(None, name, outcome, message);
    }

    /// Like [`Suite::failed`], with the block that the test is about. A message may have several
    /// lines, so the names in it must be visible.
    pub fn failed_at(
        &mut self,
        block: Option<&Location>,
        name: &str,
        outcome: &str,
        message: &str,
    ) {
        self.tests += 1;
        match outcome {
            "error" => self.errors += 1,
            "skipped" => self.skipped += 1,
            _ => self.failures += 1,
        }
        let parts = |line: &str| line.split('\t').map(escaped).collect::<Vec<_>>().join("&#9;");
        let lines: Vec<_> = message.split('\n').map(parts).collect();
        let (name, message) = (escaped(name), lines.join("&#10;"));
        let place = block.map_or_else(String::new, |block| {
            format!(r#" file="{}" line="{}""#, escaped(&block.file), block.line)
        });
        let _ = write!(
            self.text,
            r#"    <testcase classname="plansift" name="{name}"{place}>
      <{outcome} message="{message}"/>
    </testcase>
"#
        );
    }

    pub fn end(&self, name: &str) -> String {
        let Suite { text, tests, failures, errors, skipped, .. } = self;
        let name = escaped(name);
        let counts = format!(
            r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}""#
        );
        format!("  <testsuite name=\"{name}\" {counts}>\n{text}  </testsuite>\n")
    }
}

impl<W: Write> Junit<W> {
    /// Writes to `out`. Each suite has a test for each rule.
    pub fn new(out: W, options: &ReportOptions<'_>) -> Junit<W> {
        let counted_rules = CountedRules::new(options.rules);
        let patterns = Patterns::of(options.patterns.clone());
        let suite = Suite::default();
        let waiting = SpooledText::default();
        Junit { out, counted_rules, patterns, suite, waiting, has_begun: false }
    }

    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        self.out.write_all(HEAD.as_bytes()).map_err(write_error)
    }

    fn end_suite(&mut self, name: &str) -> Result<()> {
        let suite = std::mem::take(&mut self.suite);
        if self.patterns.are_given() {
            let line = serde_json::to_string(&(name, &suite)).map_err(write_error)?;
            return self.waiting.write_all((line + "\n").as_bytes()).map_err(write_error);
        }
        self.begin()?;
        let text = suite.with_rules(&[]).end(name);
        self.out.write_all(text.as_bytes()).map_err(write_error)
    }
}

impl<W: Write> Sink for Junit<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.patterns.note(record);
        match record {
            Record::Plan(_) => self.suite = Suite::default(),
            Record::Check(check) => {
                let name = format!("check of {}", short(&check.address));
                let name = match check.address.starts_with("check.") {
                    true => short(&check.address).into_owned(),
                    false => name,
                };
                let suite = &mut self.suite;
                suite.checks += 1;
                match &*check.status {
                    status if suite.checks > CHECKS_MAX => {
                        suite.has_more_failed |= !matches!(status, "pass" | "unknown");
                    }
                    "pass" => suite.passed(&name),
                    // An unknown check has not failed.
                    "unknown" => suite.failed(&name, "skipped", "known after apply"),
                    status => {
                        let problems = lines(&messages(&check.problems));
                        let message = format!("{}: {problems}", visible(status));
                        suite.failed(&name, "failure", &message);
                    }
                }
            }
            Record::Summary(summary) => {
                let more = self.suite.checks.saturating_sub(CHECKS_MAX);
                if more > 0 {
                    let message = format!("{more} more checks are not listed");
                    let outcome = if self.suite.has_more_failed { "failure" } else { "skipped" };
                    self.suite.failed("more checks", outcome, &message);
                }
                match Warning::of(summary).next() {
                    // A plan that leaves changes for another plan is valid, so its test does not
                    // fail.
                    Some(warning) => {
                        let outcome = if warning.is_error() { "failure" } else { "skipped" };
                        self.suite.failed("plan is whole", outcome, &warning.finding());
                    }
                    None => self.suite.passed("plan is whole"),
                }
                self.counted_rules.answers().for_each(|answer| rule(&mut self.suite, &answer));
                let source = self.counted_rules.source().to_owned();
                self.end_suite(&source)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.suite.failed("plan is whole", "error", &error.to_string());
        self.end_suite(label.source)
    }

    fn finish(&mut self) -> Result<()> {
        self.begin()?;
        let unmatched = self.patterns.unmatched();
        self.waiting.take(&mut Suites {
            line: Vec::new(),
            unmatched: &unmatched,
            out: &mut self.out,
        })?;
        let mut suite = Suite::default();
        for pattern in &unmatched {
            let outcome = if pattern.fails { "failure" } else { "skipped" };
            suite.failed(pattern.argument, outcome, &pattern.sentence(str::to_owned));
        }
        if !unmatched.is_empty() {
            self.out.write_all(suite.end("patterns").as_bytes()).map_err(write_error)?;
        }
        self.out.write_all(END.as_bytes()).map_err(write_error)?;
        self.out.flush().map_err(write_error)
    }
}

/// Writes suites, which arrive as lines of JSON in pieces of any length.
struct Suites<'a, W> {
    /// The beginning of a line.
    line: Vec<u8>,
    unmatched: &'a [Unmatched<'a>],
    out: &'a mut W,
}

impl<W: Write> Write for Suites<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let (name, suite): (String, Suite) = serde_json::from_slice(&self.line)?;
                self.out.write_all(suite.with_rules(self.unmatched).end(&name).as_bytes())?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Adds the test of a rule. A broken rule with the severity `warning` becomes a skipped test,
/// because JUnit has no warnings and such a rule does not fail the run.
fn rule(suite: &mut Suite, answer: &Answer<'_>) {
    let kind = if answer.rule.assertion().is_some() { "assertion" } else { "rule" };
    let name = format!("{kind} {}", answer.rule.text());
    if !answer.is_broken() {
        return suite.passed_rule(&name);
    }
    let mut words = answer.words(usize::MAX, visible);
    words.extend(answer.rule.message().map(|message| format!(": {}", lines(message))));
    let severity = answer.rule.severity().word();
    let outcome = if answer.fails() { "failure" } else { "skipped" };
    suite.failed(&name, outcome, &format!("{severity}: {words}"));
}
