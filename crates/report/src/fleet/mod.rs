//! Draws one table for many plans, for a person: a row for each workspace, the totals, the
//! workspaces whose planning failed, and the types, modules and providers with the most changes.
//!
//! A plan is counted at its `summary` record, completely or not at all. A plan that fails has a row
//! with its error. Memory holds numbers only: a row for each workspace, type, module and provider,
//! up to [`WORKSPACES_MAX`] and [`GROUPS_MAX`]. Beyond these limits, further names share one row.
//!
//! A single plan gets its own page instead ([`View`]), unless the caller wants the table. The
//! contents of states come after the table.

pub mod document;
mod plan_counts;
mod rows;
mod states;
mod table;
mod workspaces;

use std::io::Write;

pub(crate) use self::plan_counts::Failure;
pub use self::plan_counts::{PlanCounts, TotalGroups, Totals};
pub(crate) use self::rows::without_registry;
pub use self::workspaces::Workspaces;
pub(crate) use self::workspaces::{Workspace, capitalized};
use crate::screen::Screen;
use crate::source_link::SourceLinks;
use crate::summary::View;
use crate::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_plan::plan::DocumentFault;
pub use plansift_plan::record::Column;
use plansift_plan::record::state_counts::StateCounts;
use plansift_plan::record::{Label, Record};
use states::States;

/// Maximum number of workspaces with a row of their own.
pub const WORKSPACES_MAX: usize = 100_000;
/// Maximum number of types, modules or providers with a row of their own.
pub const GROUPS_MAX: usize = 10_000;
/// Maximum number of plans that could not be read and are listed with their errors.
const FAILURES_MAX: usize = 10_000;

/// The grouping of the table: what each row is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "what a row stands for")]
pub enum FleetGrouping {
    #[default]
    Workspace,
    Type,
    Module,
    Provider,
    Action,
}

/// The sort key of the rows. Larger numbers come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Errors, then changes of all kinds.
    #[default]
    Changes,
    /// The name, in alphabetical order.
    Name,
    /// The order of the input.
    Input,
    /// One column of the table. With [`Column::Destroy`], replacements count, too.
    Column(Column),
}

/// The layout of the table.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// The grouping of the rows. `None` means by workspace.
    pub by: Option<FleetGrouping>,
    /// The sort key of the rows.
    pub sort: Sort,
    /// Maximum number of rows of each table and list. `None` means the default. The rest shares one
    /// row.
    pub top: Option<usize>,
}

/// How to draw a single plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Single {
    /// As its own page.
    Page,
    /// As a table with one row.
    Table,
}

/// A sink that draws the table after the last plan.
pub struct Fleet<W: Write> {
    out: W,
    screen: Screen,
    shape: Shape,
    /// The page of the first plan. `None` as soon as a second plan begins.
    page: Option<View<Vec<u8>>>,
    workspace: String,
    plan: PlanCounts,
    all: Totals,
    /// Whether a plan or a failure was counted.
    has_plans: bool,
    states: States,
}

impl<W: Write> Fleet<W> {
    /// Creates a sink that draws to `out`.
    pub fn new(out: W, screen: Screen, shape: Shape, single: Single) -> Fleet<W> {
        let page = (single == Single::Page).then(|| View::new(Vec::new(), screen, shape.top));
        Fleet {
            out,
            screen,
            shape,
            page,
            workspace: String::new(),
            plan: PlanCounts::default(),
            all: Totals::default(),
            has_plans: false,
            states: States::default(),
        }
    }

    /// Shows the locations of blocks on the page of a single plan.
    pub fn with_links(mut self, links: SourceLinks) -> Fleet<W> {
        self.page = self.page.map(|page| page.with_links(links));
        self
    }
}

impl<W: Write> Sink for Fleet<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if let (Record::Plan(_), 1..) = (record, self.all.inputs.plans) {
            self.page = None;
        }
        if let Some(page) = &mut self.page {
            page.record(record)?;
        }
        self.plan.count(record);
        match record {
            Record::Plan(plan) => {
                self.workspace = plan.workspace.unwrap_or(plan.source).to_owned();
            }
            Record::Summary(summary) => {
                self.has_plans = true;
                self.all.add(&self.workspace, std::mem::take(&mut self.plan), summary);
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.page = None;
        self.has_plans = true;
        let text = error.to_string();
        match error.fault() {
            Some(DocumentFault::NoPlan) => self.all.fail_input(label, &text),
            _ => self.all.fail(label, &text),
        }
        Ok(())
    }

    fn state(&mut self, label: Label<'_>, state_counts: &StateCounts) -> Result<()> {
        // Drops the counts of the state's checks, which arrived as the records of a plan.
        self.plan = PlanCounts::default();
        self.states.add(label, state_counts);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let page = self.page.take().filter(|_| self.states.is_empty());
        if let Some(page) = page {
            self.out.write_all(&page.into_inner()).map_err(write_error)?;
        } else {
            let mut text = String::new();
            if self.has_plans || self.states.is_empty() {
                text += &self.all.draw(&self.shape, self.screen);
            }
            if !self.states.is_empty() {
                text += if text.is_empty() { "" } else { "\n" };
                text += &self.states.draw(self.screen, &self.shape);
            }
            self.out.write_all(text.as_bytes()).map_err(write_error)?;
        }
        self.out.flush().map_err(write_error)
    }
}
