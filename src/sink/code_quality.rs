//! Writes GitLab's code quality report (`artifacts:reports:codequality`): an entry for each rule
//! that a plan breaks, each check that does not pass, each annotated change, and each plan that is
//! not whole.
//!
//! An entry stands at the block of the first object that it names, or else at the first line of the
//! plan, because GitLab refuses entries without a line. GitLab compares fingerprints between
//! branches, so a fingerprint has no counts and no lines. If the run reads several inputs, it has
//! the workspace of the plan, and otherwise no name of a file.

use std::io::Write;

use serde::Serialize;

use super::annotate::Annotated;
use super::gate::{CountedRules, Rule, Severity};
use super::origin::{self, SharedOrigins, first_location};
use super::phrase::{Of, Warning};
use super::short::{messages, short};
use super::{Sink, write_error};
use crate::error::{Error, Result};
use crate::inert::{self, visible};
use crate::record::{Check, Label, Record};

/// Writes one array.
pub struct CodeQuality<W: Write> {
    out: inert::Json<W>,
    counted_rules: CountedRules,
    origins: SharedOrigins,
    annotated: Annotated,
    source: String,
    /// Tells the plans of a run apart: the workspace, or the number of the second and each further
    /// document of the only input.
    plan: String,
    /// Number of documents so far.
    documents: u64,
    entries: u64,
}

#[derive(Serialize)]
struct Entry {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

impl<W: Write> CodeQuality<W> {
    /// Writes to `out` which of `rules` the plans break.
    pub fn new(out: W, rules: &[Rule]) -> CodeQuality<W> {
        CodeQuality {
            out: inert::Json::new(out),
            counted_rules: CountedRules::new(rules),
            origins: None,
            annotated: Annotated::default(),
            source: String::new(),
            plan: String::new(),
            documents: 0,
            entries: 0,
        }
    }

    /// Places entries at the lines of the source files.
    pub fn with_origins(self, origins: SharedOrigins) -> CodeQuality<W> {
        CodeQuality { origins, ..self }
    }

    /// Writes an entry for each of these changes.
    pub fn with_annotated(self, annotated: Annotated) -> CodeQuality<W> {
        CodeQuality { annotated, ..self }
    }

    fn begin(&mut self, source: &str, workspace: Option<&str>) {
        if self.documents == 0 || self.source != source {
            self.documents += 1;
        }
        source.clone_into(&mut self.source);
        self.plan = match (workspace, self.documents) {
            (Some(workspace), _) => workspace.to_owned(),
            (None, 0 | 1) => String::new(),
            (None, number) => format!("#{number}"),
        };
    }

    fn entry(
        &mut self,
        check_name: String,
        severity: &'static str,
        description: String,
        names: &[String],
    ) -> Result<()> {
        let block = first_location(&self.origins, names);
        self.entry_at(block, check_name, severity, description, names)
    }

    fn entry_at(
        &mut self,
        block: Option<origin::Location>,
        check_name: String,
        severity: &'static str,
        description: String,
        names: &[String],
    ) -> Result<()> {
        let (path, begin, end) = match block {
            Some(block) => (visible(&block.file), block.line, block.end_line),
            None => (visible(&self.source), 1, 1),
        };
        let object = names.first().map_or("", String::as_str);
        let identity = format!("{}\0{check_name}\0{object}", self.plan);
        let fingerprint = blake3::hash(identity.as_bytes()).to_hex().chars().take(32).collect();
        let location = Location { path, lines: Lines { begin, end } };
        let entry = Entry { description, check_name, fingerprint, severity, location };
        let before: &[u8] = if self.entries == 0 { b"[\n" } else { b",\n" };
        self.entries += 1;
        self.out.write_all(before).map_err(write_error)?;
        serde_json::to_writer(&mut self.out, &entry).map_err(write_error)
    }

    fn check(&mut self, check: &Check<'_>) -> Result<()> {
        let (severity, words) = match &*check.status {
            "fail" => ("critical", "failed"),
            "error" => ("critical", "could not be checked"),
            _ => return Ok(()),
        };
        let name = short(&check.address).into_owned();
        let problems = if check.problems.is_empty() { "" } else { ": " };
        let problems = problems.to_owned() + &messages(&check.problems);
        let text = visible(&format!("{name} {words}{problems}"));
        self.entry("plan-check".to_owned(), severity, text, &[name])
    }
}

impl<W: Write> Sink for CodeQuality<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        match record {
            Record::Plan(plan) => self.begin(plan.source, plan.workspace),
            Record::Check(check) => self.check(check)?,
            Record::ResourceChange(change) => {
                if let Some(remark) = self.annotated.remark(&self.origins, change) {
                    let text = format!("{} {}", visible(&remark.name), remark.words);
                    let rule = remark.class.rule().to_owned();
                    self.entry_at(remark.location, rule, "info", text, &[remark.name])?;
                }
            }
            Record::Summary(summary) => {
                for warning in Warning::of(summary) {
                    let (name, severity) = match warning {
                        Warning::Errored => ("plan-errored", "blocker"),
                        Warning::Unlisted => ("plan-without-changes", "blocker"),
                        Warning::Incomplete | Warning::Deferred => ("plan-incomplete", "minor"),
                    };
                    let text = warning.words(Of::This);
                    self.entry(name.to_owned(), severity, text, &[])?;
                }
                let broken = self.counted_rules.answers().filter(|answer| answer.is_broken());
                let broken = broken.map(|answer| {
                    let rule = visible(answer.rule.text());
                    let words = answer.words(usize::MAX, visible);
                    let mut text = format!("{}: {words}", answer.rule.broken_sentence(&rule));
                    let message = answer.rule.message();
                    text.extend(message.map(|message| format!(": {}", visible(message))));
                    let severity = match answer.rule.severity() {
                        Severity::Error => "critical",
                        Severity::Warning => "minor",
                    };
                    (rule, severity, text, answer.first.to_vec())
                });
                for (rule, severity, text, names) in broken.collect::<Vec<_>>() {
                    self.entry(rule, severity, text, &names)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.begin(label.source, label.workspace);
        let text = visible(&format!("{}: {error}", label.source));
        self.entry("plan-not-read".to_owned(), "blocker", text, &[])
    }

    fn finish(&mut self) -> Result<()> {
        let end: &[u8] = if self.entries == 0 { b"[]\n" } else { b"\n]\n" };
        self.out.write_all(end).and_then(|()| self.out.flush()).map_err(write_error)
    }
}
