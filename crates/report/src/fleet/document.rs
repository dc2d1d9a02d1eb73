//! Writes the fleet as one JSON document for programs: a row for each plan, then the totals, and
//! the types, modules and providers with the most changes.
//!
//! If the run ends early, the document is not closed. So an incomplete document is invalid JSON.

use std::io::Write;

use serde::Serialize;

use super::plan_counts::{PlanCounts, TotalGroups, Totals};
use super::rows::Groups;
use crate::change_list::ChangeList;
use crate::gate::{Answer, CountedRules, Rule};
use crate::loss;
use crate::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_core::inert;
use plansift_plan::record::counts::Summary;
use plansift_plan::record::{
    BrokenAssertion, BrokenRule, FleetRow, Label, Record, ReportPlan, ReportTotals, ReportedPlan,
    SummaryLoss,
};

/// The version of the document's format. Adding a key does not change it.
pub const DOCUMENT_VERSION: u32 = 1;

/// Maximum number of types, modules and providers that are listed.
const TOP: usize = 100;

/// A sink that writes the document.
pub struct Document<W: Write> {
    out: inert::Json<W>,
    counted_rules: CountedRules,
    head: Head,
    plan: PlanCounts,
    losses: ChangeList<SummaryLoss>,
    totals: Totals,
    changed: u64,
    broken_rules: u64,
    broken_warnings: u64,
    rows: u64,
}

/// Properties of the current plan.
#[derive(Default)]
struct Head {
    source: String,
    workspace: Option<String>,
    terraform_version: Option<String>,
    has_changes: bool,
    invocations: u64,
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
            losses: no_losses(),
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
                rule.assertion().map(|_| BrokenAssertion { file, line, findings: answer.findings });
            BrokenRule { rule: rule.text(), severity, message, count, is_unknown, names, assertion }
        });
        let broken_rules: Vec<BrokenRule<'_>> = broken.collect();
        self.changed += u64::from(has_changes);
        let fail = self.counted_rules.answers().filter(Answer::fails).count() as u64;
        self.broken_rules += fail;
        self.broken_warnings += broken_rules.len() as u64 - fail;
        let invocations = head.invocations;
        let losses = std::mem::replace(&mut self.losses, no_losses());
        let listed: Vec<&SummaryLoss> = losses.changes().collect();
        let row = json(&ReportPlan::Done(ReportedPlan {
            source: &head.source,
            workspace: head.workspace.as_deref(),
            terraform_version: head.terraform_version.as_deref(),
            has_changes,
            invocations,
            summary,
            broken_rules,
            losses_left_out: losses.count() - listed.len() as u64,
            losses: listed,
        }))?;
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
                self.losses = no_losses();
            }
            Record::ResourceChange(change) => {
                self.head.has_changes |= !change.is_settled();
                if let Some(rank) = loss::rank(change).filter(|_| change.impact.is_some()) {
                    self.losses.note(rank, || loss::described(change, None));
                }
            }
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
        let row = json(&ReportPlan::Failed { source, workspace, error })?;
        self.before_row()?;
        self.write(&row)
    }

    fn finish(&mut self) -> Result<()> {
        if self.rows == 0 {
            self.before_row()?;
        }
        let totals = json(&ReportTotals {
            changed: self.changed,
            broken_rules: self.broken_rules,
            broken_warnings: self.broken_warnings,
            ..self.totals.report()
        })?;
        let TotalGroups { types, modules, providers, .. } = &self.totals.groups;
        let [types, modules, providers] =
            [types, modules, providers].map(|groups| json(&top(groups)));
        let (types, modules, providers) = (types?, modules?, providers?);
        self.write(&format!(
            "\n],\"totals\":{totals},\"types\":{types},\"modules\":{modules},\
             \"providers\":{providers}}}\n"
        ))?;
        self.out.flush().map_err(write_error)
    }
}

/// Returns an empty list of the losses of a plan.
fn no_losses() -> ChangeList<SummaryLoss> {
    ChangeList::new(&[loss::LISTED; loss::RANKS])
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(write_error)
}

/// Returns the rows with the most changes.
fn top(groups: &Groups) -> Vec<&FleetRow> {
    let mut rows: Vec<&FleetRow> = groups.rows().collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.counts.changes()), &row.name));
    rows.truncate(TOP);
    rows
}
