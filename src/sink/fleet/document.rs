//! Writes the fleet as one JSON document for programs: a row for each plan, then the totals, and
//! the types, modules and providers with the most changes.
//!
//! If the run ends early, the document is not closed. So an incomplete document is invalid JSON.

use super::plan_counts::{InputTotals, TotalGroups};
use std::io::Write;

use serde::Serialize;

use super::plan_counts::{PlanCounts, Totals};
use super::rows::{Groups, Row};
use crate::error::{Error, Result};
use crate::inert;
use crate::record::counts::Summary;
use crate::record::{Finding, Label, Record};
use crate::sink::gate::{Answer, CountedRules, Rule};
use crate::sink::{Sink, write_error};

/// The version of the document's format. Adding a key does not change it.
pub const DOCUMENT_VERSION: u32 = 1;

/// The JSON Schema of the document, as JSON text with a final line feed.
pub const SCHEMA: &str = include_str!("schema.json");

/// Maximum number of types, modules and providers that are listed.
const TOP: usize = 100;

/// A sink that writes the document.
pub struct Document<W: Write> {
    out: inert::Json<W>,
    counted_rules: CountedRules,
    head: Head,
    plan: PlanCounts,
    totals: Totals,
    changed: u64,
    broken_rules: u64,
    broken_warnings: u64,
    rows: u64,
}

/// Properties of the current plan.
#[derive(Default, Serialize)]
struct Head {
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terraform_version: Option<String>,
    #[serde(skip)]
    has_changes: bool,
    #[serde(skip)]
    invocations: u64,
}

#[derive(Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
enum PlanRow<'a> {
    Done {
        #[serde(flatten)]
        head: &'a Head,
        has_changes: bool,
        invocations: u64,
        summary: &'a Summary,
        broken_rules: Vec<Broken<'a>>,
    },
    Failed {
        source: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        workspace: Option<&'a str>,
        error: String,
    },
}

/// A rule that a plan breaks.
#[derive(Serialize)]
struct Broken<'a> {
    rule: &'a str,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    count: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_unknown: bool,
    /// The names of the first few records that break the rule.
    names: &'a [String],
    /// Serialized only for an assertion.
    #[serde(skip_serializing_if = "Option::is_none")]
    assertion: Option<Failed<'a>>,
}

#[derive(Serialize)]
struct Failed<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// The first few failures.
    findings: &'a [Finding],
}

impl<W: Write> Document<W> {
    /// Creates a sink that writes the document to `out`. The document lists the `rules` that each
    /// plan breaks.
    pub fn new(out: W, rules: &[Rule]) -> Document<W> {
        Document {
            out: inert::Json::new(out),
            counted_rules: CountedRules::new(rules),
            head: Head::default(),
            plan: PlanCounts::default(),
            totals: Totals::default(),
            changed: 0,
            broken_rules: 0,
            broken_warnings: 0,
            rows: 0,
        }
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(write_error)
    }

    /// Writes the text before the next row.
    fn before_row(&mut self) -> Result<()> {
        self.rows += 1;
        if self.rows > 1 {
            return self.write(",\n");
        }
        let version = env!("CARGO_PKG_VERSION");
        self.write(&format!(
            "{{\"schema_version\":{DOCUMENT_VERSION},\"plansift\":\"{version}\",\"plans\":[\n"
        ))
    }

    fn end_plan(&mut self, summary: &Summary) -> Result<()> {
        let mut head = std::mem::take(&mut self.head);
        // If the plan's keys are sorted, the version comes too late for the `plan` record.
        head.terraform_version = head.terraform_version.or(summary.plan.terraform_version.clone());
        let has_changes = head.has_changes || summary.has_more();
        let broken = self.counted_rules.broken().map(|answer| {
            let Answer { rule, count, first: names, is_unknown, .. } = answer;
            let (severity, message) = (rule.severity().word(), rule.message());
            let (file, line) = rule.place().unzip();
            let assertion =
                rule.assertion().map(|_| Failed { file, line, findings: answer.findings });
            Broken { rule: rule.text(), severity, message, count, is_unknown, names, assertion }
        });
        let broken_rules: Vec<Broken<'_>> = broken.collect();
        self.changed += u64::from(has_changes);
        let fail = self.counted_rules.answers().filter(Answer::fails).count() as u64;
        self.broken_rules += fail;
        self.broken_warnings += broken_rules.len() as u64 - fail;
        let invocations = head.invocations;
        let row = PlanRow::Done { head: &head, has_changes, invocations, summary, broken_rules };
        let row = json(&row)?;
        self.before_row()?;
        self.write(&row)?;
        let name = head.workspace.as_deref().unwrap_or(&head.source);
        self.totals.add(name, std::mem::take(&mut self.plan), summary);
        Ok(())
    }
}

impl<W: Write> Sink for Document<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.plan.count(record);
        match record {
            Record::Plan(plan) => {
                self.head = Head {
                    source: plan.source.to_owned(),
                    workspace: plan.workspace.map(str::to_owned),
                    terraform_version: plan.terraform_version.map(str::to_owned),
                    ..Head::default()
                };
            }
            Record::ResourceChange(change) => self.head.has_changes |= !change.is_settled(),
            Record::ActionInvocation(_) => {
                self.head.has_changes = true;
                self.head.invocations += 1;
            }
            Record::Summary(summary) => self.end_plan(summary)?,
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        let Label { source, workspace } = label;
        let error = error.to_string();
        self.totals.fail(label, &error);
        let row = json(&PlanRow::Failed { source, workspace, error })?;
        self.before_row()?;
        self.write(&row)
    }

    fn finish(&mut self) -> Result<()> {
        if self.rows == 0 {
            self.before_row()?;
        }
        let Totals {
            inputs: InputTotals { plans, failed, errored, incomplete, bytes, .. },
            invocations,
            ..
        } = self.totals;
        let Document { changed, broken_rules, broken_warnings, .. } = *self;
        let (line, counts) = (json(&self.totals.line)?, json(&self.totals.counts)?);
        let Totals { groups: TotalGroups { types, modules, providers, .. }, .. } = &self.totals;
        let [types, modules, providers] =
            [types, modules, providers].map(|groups| json(&top(groups)));
        let (types, modules, providers) = (types?, modules?, providers?);
        self.write(&format!(
            "\n],\"totals\":{{\"plans\":{plans},\"failed\":{failed},\"changed\":{changed},\
             \"errored\":{errored},\"incomplete\":{incomplete},\"bytes\":{bytes},\
             \"terraform\":{line},\"counts\":{counts},\"invocations\":{invocations},\
             \"broken_rules\":{broken_rules},\"broken_warnings\":{broken_warnings}}},\
             \"types\":{types},\"modules\":{modules},\"providers\":{providers}}}\n"
        ))?;
        self.out.flush().map_err(write_error)
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(write_error)
}

/// Returns the rows with the most changes.
fn top(groups: &Groups) -> Vec<&Row> {
    let mut rows: Vec<&Row> = groups.rows().collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.counts.changes()), &row.name));
    rows.truncate(TOP);
    rows
}
