//! Writes the summary of all plans as one JSON document, as long as a budget allows.
//!
//! The document has the totals in any case. Its lists follow. Losses get at most three quarters of
//! the room that is left, and each other list gets at most half. The room that a list does not need
//! goes to the next.

use std::io::Write;

use serde::Serialize;

use crate::change_list::ChangeList;
use crate::cut::cut;
use crate::fleet::FleetGrouping;
use crate::gate::{Answer, CountedRules, Rule};
use crate::loss;
use crate::overview::Overview;
use crate::tool::Clues;
use crate::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_core::inert;
use plansift_plan::record::{
    FleetRow, Label, Record, ReportTotals, SummaryFailure, SummaryLeftOut, SummaryLoss,
    SummaryWarning,
};

/// The version of the document's format. Adding a key does not change it.
pub const SUMMARY_VERSION: u32 = 1;

/// Maximum number of rows of each list of types, modules and actions, if the user sets none.
const TOP: usize = 100;
/// Maximum number of plans that could not be read.
const FAILURES: usize = 1000;
/// Maximum number of characters of the version of a tool.
const VERSION: usize = 40;

/// Says how to ask for what is left out.
const ASK: &str = "a larger --max-bytes or --top N; every change: `plansift report -o compact` or \
                   `plansift changes`";

/// A sink that writes the document.
pub struct SummaryDocument<W: Write> {
    out: W,
    extent: Extent,
    counted_rules: CountedRules,
    overview: Overview,
    losses: ChangeList<SummaryLoss>,
    clues: Clues,
    terraform_version: Option<String>,
    plan: CurrentPlan,
    plans: u64,
    changed: u64,
    /// Number of broken rules with the severity `error`.
    broken_rules: u64,
    /// Number of broken rules with the severity `warning`.
    broken_warnings: u64,
}

/// How much of the plans the document has.
struct Extent {
    /// Maximum length in bytes.
    max: u64,
    /// Maximum number of rows of each list.
    top: Option<usize>,
    /// Says how to ask for what is left out.
    ask: &'static str,
}

/// The current plan.
#[derive(Default)]
struct CurrentPlan {
    name: String,
    is_one_of_several: bool,
    /// Whether a record so far is a change.
    has_changes: bool,
}

/// The number of elements that each list leaves out.
struct Lists {
    /// The number of bytes for the other lists.
    room: u64,
    left_out: SummaryLeftOut,
}

impl<W: Write> SummaryDocument<W> {
    /// Writes at most `max` bytes to `out`, after the last plan. Each list has at most `top` rows.
    /// The document counts the broken `rules`.
    pub fn new(out: W, max: u64, top: Option<usize>, rules: &[Rule]) -> SummaryDocument<W> {
        let losses = top.unwrap_or(loss::LISTED);
        SummaryDocument {
            out,
            extent: Extent { max, top, ask: ASK },
            counted_rules: CountedRules::new(rules),
            overview: Overview::new(cut, 0),
            losses: ChangeList::new(&[losses; loss::RANKS]),
            clues: Clues::default(),
            terraform_version: None,
            plan: CurrentPlan::default(),
            plans: 0,
            changed: 0,
            broken_rules: 0,
            broken_warnings: 0,
        }
    }

    /// Replaces the words that say how to ask for what is left out.
    pub fn with_ask(self, ask: &'static str) -> SummaryDocument<W> {
        SummaryDocument { extent: Extent { ask, ..self.extent }, ..self }
    }

    /// Returns the document.
    fn document(&self) -> Result<String> {
        let totals = ReportTotals {
            changed: self.changed,
            broken_rules: self.broken_rules,
            broken_warnings: self.broken_warnings,
            ..self.overview.totals.report()
        };
        let version = self.terraform_version.as_ref().filter(|_| self.overview.plans() == 1);
        let version =
            version.map(|version| Ok(format!("\"terraform_version\":{},", json(version)?)));
        let mut text = format!(
            "{{\"schema_version\":{SUMMARY_VERSION},\"plansift\":\"{}\",{}\"plan_line\":{},\
             \"totals\":{}",
            env!("CARGO_PKG_VERSION"),
            version.transpose()?.unwrap_or_default(),
            json(&self.overview.heading())?,
            json(&totals)?,
        );
        let most = SummaryLeftOut {
            warnings: u64::MAX,
            failures: u64::MAX,
            losses: u64::MAX,
            actions: u64::MAX,
            types: u64::MAX,
            modules: u64::MAX,
            ask: self.extent.ask,
        };
        let names = ["warnings", "failures", "losses", "actions", "types", "modules"];
        let frames: usize = names.iter().map(|name| format!(",\"{name}\":[]").len()).sum();
        let ends = frames + left_out(&most)?.len() + "}\n".len();
        let room = self.extent.max.saturating_sub((text.len() + ends) as u64);
        let mut lists =
            Lists { room, left_out: SummaryLeftOut { ask: self.extent.ask, ..Default::default() } };
        let warnings = self.overview.warnings();
        let warnings = warnings
            .into_iter()
            .map(|(severity, message)| SummaryWarning { severity: severity.word(), message });
        let failures =
            self.overview.errors().map(|(source, error)| SummaryFailure { source, error });
        let [failed, lost] = [self.overview.errors_count(), self.losses.count()];
        let (part, more) = lists.list(names[0], warnings.len() as u64, warnings)?;
        (text, lists.left_out.warnings) = (text + &part, more);
        let (part, more) = lists.list(names[1], failed, failures.take(FAILURES))?;
        (text, lists.left_out.failures) = (text + &part, more);
        let (part, more) = lists.list(names[2], lost, self.losses.changes())?;
        (text, lists.left_out.losses) = (text + &part, more);
        let rows = [FleetGrouping::Action, FleetGrouping::Type, FleetGrouping::Module]
            .map(|by| self.rows(by));
        for (place, rows) in rows.into_iter().enumerate() {
            let top = self.extent.top.unwrap_or(TOP);
            let list = lists.list(names[3 + place], rows.len() as u64, rows.iter().take(top));
            let (part, more) = list?;
            text += &part;
            let SummaryLeftOut { actions, types, modules, .. } = &mut lists.left_out;
            *[actions, types, modules][place] = more;
        }
        Ok(text + &left_out(&lists.left_out)? + "}\n")
    }

    /// Returns the rows of a grouping, those with the most changes first.
    fn rows(&self, by: FleetGrouping) -> Vec<&FleetRow> {
        let mut rows: Vec<&FleetRow> = self.overview.totals.groups(by).rows().collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.counts.changes()), &row.name));
        rows
    }
}

impl Lists {
    /// Returns a member with as many elements as fit, and the number of other elements of `count`.
    fn list(
        &mut self,
        name: &str,
        count: u64,
        elements: impl Iterator<Item = impl Serialize>,
    ) -> Result<(String, u64)> {
        let (mut list, mut shown) = (String::new(), 0);
        let share = match name {
            "losses" => self.room / 4 * 3,
            "modules" => self.room,
            _ => self.room / 2,
        };
        for element in elements {
            let comma = if shown > 0 { "," } else { "" };
            let element = json(&element)?;
            if (list.len() + comma.len() + element.len()) as u64 > share {
                break;
            }
            list += comma;
            list += &element;
            shown += 1;
        }
        self.room -= list.len() as u64;
        Ok((format!(",\"{name}\":[{list}]"), count - shown))
    }
}

/// Returns the member about what is left out. Empty if nothing is.
fn left_out(numbers: &SummaryLeftOut) -> Result<String> {
    let SummaryLeftOut { warnings, failures, losses, actions, types, modules, .. } = *numbers;
    match [warnings, failures, losses, actions, types, modules] {
        [0, 0, 0, 0, 0, 0] => Ok(String::new()),
        _ => Ok(format!(",\"left_out\":{}", json(numbers)?)),
    }
}

/// Returns JSON without hidden characters.
fn json(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(value).map_err(write_error)?;
    Ok(inert::json(&text).into_owned())
}

impl<W: Write> Sink for SummaryDocument<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.clues.note(record);
        self.counted_rules.note(record);
        self.overview.note(record, &self.counted_rules);
        self.overview.note_groups(record);
        match record {
            Record::Plan(plan) => {
                self.plan = CurrentPlan {
                    name: plan.workspace.unwrap_or(plan.source).to_owned(),
                    is_one_of_several: plan.workspace.is_some() || self.plans > 0,
                    has_changes: false,
                };
                self.plans += 1;
            }
            Record::ResourceChange(change) => {
                self.plan.has_changes |= !change.is_settled();
                if let Some(rank) = loss::rank(change) {
                    let plan = self.plan.is_one_of_several.then_some(&*self.plan.name);
                    self.losses.note(rank, || loss::described(change, plan));
                }
            }
            Record::ActionInvocation(_) => self.plan.has_changes = true,
            Record::Summary(summary) => {
                self.changed += u64::from(self.plan.has_changes || summary.has_more());
                let fail = self.counted_rules.answers().filter(Answer::fails).count() as u64;
                let broken = self.counted_rules.broken().count() as u64;
                self.broken_rules += fail;
                self.broken_warnings += broken - fail;
                let version = self.clues.version(summary).map(|version| cut(version, VERSION));
                self.terraform_version = version;
                self.losses.mark();
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.overview.fail(label, &error.to_string());
        self.losses.forget();
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.overview.end(None);
        let document = self.document()?;
        self.out.write_all(document.as_bytes()).map_err(write_error)?;
        self.out.flush().map_err(write_error)
    }
}
