//! Writes GitLab's code quality report (`artifacts:reports:codequality`): an entry for each rule
//! that a plan breaks, each check that fails, each annotated change, each plan that is incomplete
//! or cannot be read, and each pattern that matches nothing in any plan.
//!
//! The location of an entry is the block of the first object that the entry names. Without a block,
//! the location is the first line of the plan, because GitLab rejects entries without a line.
//!
//! GitLab compares fingerprints between branches, so fingerprints contain no counts, lines or file
//! names. If the run reads several inputs, fingerprints contain the workspace of the plan.

use std::io::Write;

use super::annotate::Annotated;
use super::gate::{CountedRules, Severity};
use super::origin::{Location, SharedOrigins, first_location};
use super::patterns::Patterns;
use super::phrase::{PlanCount, Warning, check_sentence};
use super::report::ReportOptions;
use super::short::short;
use super::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_core::inert::{self, visible};
use plansift_core::json::string::quoted;
use plansift_plan::record::{Label, Record};

/// Writes one array.
pub struct CodeQuality<W: Write> {
    out: inert::Json<W>,
    counted_rules: CountedRules,
    patterns: Patterns,
    origins: SharedOrigins,
    annotated: Annotated,
    source: String,
    /// Distinguishes the plans of a run in fingerprints: the workspace, or the number of the
    /// document. Empty for the first document of a single input.
    plan: String,
    documents: u64,
    entries: u64,
}

impl<W: Write> CodeQuality<W> {
    /// Writes the broken rules, failed checks and annotated changes of the plans to `out`.
    pub fn new(out: W, options: &ReportOptions<'_>) -> CodeQuality<W> {
        CodeQuality {
            out: inert::Json::new(out),
            counted_rules: CountedRules::new(options.rules),
            patterns: Patterns::of(options.patterns.clone()),
            origins: options.origins.clone(),
            annotated: options.annotated,
            source: String::new(),
            plan: String::new(),
            documents: 0,
            entries: 0,
        }
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
        check_name: &str,
        severity: &str,
        description: &str,
        names: &[String],
    ) -> Result<()> {
        let block = first_location(&self.origins, names);
        self.entry_at(block, check_name, severity, description, names)
    }

    fn entry_at(
        &mut self,
        block: Option<Location>,
        check_name: &str,
        severity: &str,
        description: &str,
        names: &[String],
    ) -> Result<()> {
        let (path, begin, end) = match block {
            Some(block) => (visible(&block.file), block.line, block.end_line),
            None => (visible(&self.source), 1, 1),
        };
        let object = names.first().map_or("", String::as_str);
        let identity = format!("{}\0{check_name}\0{object}", self.plan);
        let fingerprint = &blake3::hash(identity.as_bytes()).to_hex()[..32];
        let before = if self.entries == 0 { "[" } else { "," };
        self.entries += 1;
        let (description, name, path) = (quoted(description), quoted(check_name), quoted(&path));
        write!(
            self.out,
            "{before}\n{{\"description\":{description},\"check_name\":{name},\
             \"fingerprint\":\"{fingerprint}\",\"severity\":\"{severity}\",\
             \"location\":{{\"path\":{path},\"lines\":{{\"begin\":{begin},\"end\":{end}}}}}}}"
        )
        .map_err(write_error)
    }
}

impl<W: Write> Sink for CodeQuality<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.patterns.note(record);
        match record {
            Record::Plan(plan) => self.begin(plan.source, plan.workspace),
            Record::Check(check) if check.has_failed() => {
                let names = [short(&check.address).into_owned()];
                self.entry("plan-check", "critical", &check_sentence(check), &names)?;
            }
            Record::ResourceChange(change) => {
                if let Some(remark) = self.annotated.remark(&self.origins, change) {
                    let text = format!("{} {}", visible(&remark.name), remark.words);
                    let rule = remark.class.rule();
                    self.entry_at(remark.location, rule, "info", &text, &[remark.name])?;
                }
            }
            Record::Summary(summary) => {
                for warning in Warning::of(summary) {
                    let (name, severity) = match warning {
                        Warning::Errored => ("plan-errored", "blocker"),
                        Warning::Unlisted => ("plan-without-changes", "blocker"),
                        Warning::Incomplete | Warning::Deferred => ("plan-incomplete", "minor"),
                    };
                    self.entry(name, severity, &warning.words(PlanCount::This), &[])?;
                }
                let broken = self.counted_rules.answers().filter(|answer| answer.is_broken());
                let broken = broken.map(|answer| {
                    let severity = match answer.rule.severity() {
                        Severity::Error => "critical",
                        Severity::Warning => "minor",
                    };
                    let rule = visible(answer.rule.text());
                    (rule, severity, answer.sentence(), answer.first.to_vec())
                });
                for (rule, severity, text, names) in broken.collect::<Vec<_>>() {
                    self.entry(&rule, severity, &text, &names)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.begin(label.source, label.workspace);
        let text = visible(&format!("{}: {error}", label.source));
        self.entry("plan-not-read", "blocker", &text, &[])
    }

    fn finish(&mut self) -> Result<()> {
        // A pattern belongs to no plan.
        self.plan.clear();
        let patterns = self.patterns.clone();
        for pattern in patterns.unmatched() {
            let severity = if pattern.fails { "critical" } else { "minor" };
            let text = visible(&pattern.sentence(str::to_owned));
            self.entry(&visible(pattern.argument), severity, &text, &[])?;
        }
        let end: &[u8] = if self.entries == 0 { b"[]\n" } else { b"\n]\n" };
        self.out.write_all(end).and_then(|()| self.out.flush()).map_err(write_error)
    }
}
