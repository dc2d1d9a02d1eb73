//! What many plans do, for a person at a terminal of 80 columns: one table, its totals, and what
//! changes most by type, module and provider.
//!
//! A plan counts when its `summary` record has come, as a whole or not at all; one that fails is a
//! row with its error. What is kept is numbers: a row for each workspace and each type, module and
//! provider, up to [`WORKSPACES_MAX`] and [`GROUPS_MAX`]; what comes beyond that is one more row.
//! When only one plan has come and nothing else was asked for, its own page is drawn instead
//! ([`View`]).

mod rows;
mod table;

use std::io::Write;

pub use self::rows::Column;
use self::rows::{Counts, Groups};
use crate::error::{Error, Result};
use crate::record::counts::{PlanLine, Summary};
use crate::record::{Label, Record, ResourceChange};
use crate::sink::summary::{Color, View, visible};
use crate::sink::{Sink, write_error};

/// Workspaces that have a row of their own.
pub const WORKSPACES_MAX: usize = 100_000;
/// Types, and modules, and providers, that have a row of their own.
pub const GROUPS_MAX: usize = 10_000;

/// What the rows of the table are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "what a row stands for")]
pub enum By {
    #[default]
    Workspace,
    Type,
    Module,
    Provider,
    Action,
}

/// What the rows are sorted by: the most first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Errors, then changes of all kinds.
    #[default]
    Changes,
    /// The name, first to last.
    Name,
    /// The order in which they came.
    Input,
    /// One column of the table.
    Column(Column),
}

/// What the table shows.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What its rows are.
    pub by: By,
    /// What they are sorted by.
    pub sort: Sort,
    /// How many rows it has at most; the rest is one more.
    pub top: usize,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { by: By::default(), sort: Sort::default(), top: 20 }
    }
}

/// What is drawn of a single plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Single {
    /// Its page.
    Page,
    /// The table, with one row.
    Table,
}

/// Draws the table of all plans when they have come.
pub struct Fleet<W: Write> {
    out: W,
    color: Color,
    shape: Shape,
    /// The page of the only plan so far.
    page: Option<View<Vec<u8>>>,
    plan: Draft,
    all: Totals,
}

/// The plan that is coming.
#[derive(Debug, Default)]
struct Draft {
    workspace: String,
    types: Groups,
    modules: Groups,
    providers: Groups,
    actions: Groups,
    invocations: u64,
}

/// What came of all plans.
#[derive(Debug)]
struct Totals {
    workspaces: Groups,
    types: Groups,
    modules: Groups,
    providers: Groups,
    actions: Groups,
    counts: Counts,
    line: PlanLine,
    plans: u64,
    failed: u64,
    invocations: u64,
    /// Plans whose planning failed.
    errored: u64,
    /// Plans that leave changes for another one.
    incomplete: u64,
    /// The first few errors, with whose they are.
    errors: Vec<(String, String)>,
}

impl Default for Totals {
    fn default() -> Totals {
        let groups = || Groups::new(GROUPS_MAX);
        Totals {
            workspaces: Groups::new(WORKSPACES_MAX),
            types: groups(),
            modules: groups(),
            providers: groups(),
            actions: groups(),
            counts: Counts::default(),
            line: PlanLine::default(),
            plans: 0,
            failed: 0,
            invocations: 0,
            errored: 0,
            incomplete: 0,
            errors: Vec::new(),
        }
    }
}

impl<W: Write> Fleet<W> {
    /// Draws to `out`.
    pub fn new(out: W, color: Color, shape: Shape, single: Single) -> Fleet<W> {
        let page = (single == Single::Page).then(|| View::new(Vec::new(), color));
        Fleet { out, color, shape, page, plan: Draft::default(), all: Totals::default() }
    }
}

impl<W: Write> Sink for Fleet<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if let (Record::Plan(_), 1..) = (record, self.all.plans) {
            self.page = None;
        }
        if let Some(page) = &mut self.page {
            page.record(record)?;
        }
        match record {
            Record::Plan(plan) => {
                // A plan that failed before this one leaves nothing.
                self.plan = Draft::default();
                self.plan.workspace = visible(plan.workspace.unwrap_or(plan.source));
            }
            Record::ResourceChange(change) => self.plan.change(change),
            Record::ResourceDrift(change) => {
                let mut counts = Counts::default();
                counts[Column::Drift] = 1;
                self.plan.count(change, &counts);
            }
            Record::ActionInvocation(_) => self.plan.invocations += 1,
            Record::DeferredChange(_) | Record::OutputChange(_) | Record::Check(_) => {}
            Record::Summary(summary) => self.all.add(std::mem::take(&mut self.plan), summary),
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.page = None;
        self.plan = Draft::default();
        self.all.fail(&visible(label.workspace.unwrap_or(label.source)), error);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        if let Some(page) = self.page.take() {
            self.out.write_all(&page.into_inner()).map_err(write_error)?;
        } else {
            let text = table::draw(&self.all, &self.shape, self.color);
            self.out.write_all(text.as_bytes()).map_err(write_error)?;
        }
        self.out.flush().map_err(write_error)
    }
}

impl Draft {
    fn change(&mut self, change: &ResourceChange<'_>) {
        if change.is_settled() {
            return;
        }
        let mut counts = Counts::default();
        if let Some(column) = Column::of(&change.action) {
            counts[column] = 1;
        }
        counts[Column::Move] = u64::from(change.moved_from().is_some());
        counts[Column::Import] = u64::from(change.importing.is_some());
        self.count(change, &counts);
        self.actions.count(&change.action, &counts);
    }

    fn count(&mut self, change: &ResourceChange<'_>, counts: &Counts) {
        self.types.count(change.type_name.as_deref().unwrap_or("(no type)"), counts);
        let provider = change.provider_name.as_deref().map(rows::without_registry);
        self.providers.count(provider.unwrap_or("(no provider)"), counts);
        let module = change.module_address.as_deref().map(rows::without_keys);
        self.modules.count(module.as_deref().unwrap_or("(root module)"), counts);
    }
}

impl Totals {
    fn add(&mut self, plan: Draft, summary: &Summary) {
        let counts = Counts::of(summary);
        let has_more = summary.output_changes.keys().any(|action| action != "no-op")
            || !summary.deferred_changes.is_empty()
            || summary.errored == Some(true)
            || summary.complete == Some(false)
            || plan.invocations > 0;
        let row = self.workspaces.row(&plan.workspace);
        row.counts.add(&counts);
        row.plans += 1;
        row.has_more |= has_more;
        self.types.add(plan.types);
        self.modules.add(plan.modules);
        self.providers.add(plan.providers);
        self.actions.add(plan.actions);
        self.counts.add(&counts);
        self.line.add(&summary.terraform);
        self.plans += 1;
        self.invocations += plan.invocations;
        self.errored += u64::from(summary.errored == Some(true));
        self.incomplete +=
            u64::from(summary.complete == Some(false) || !summary.deferred_changes.is_empty());
    }

    fn fail(&mut self, workspace: &str, error: &Error) {
        /// Errors that are told where rows are not workspaces.
        const ERRORS_MAX: usize = 8;
        let text = visible(&error.to_string());
        self.failed += 1;
        self.counts[Column::Errors] += 1;
        if self.errors.len() < ERRORS_MAX {
            self.errors.push((workspace.to_owned(), text.clone()));
        }
        let row = self.workspaces.row(workspace);
        row.counts[Column::Errors] += 1;
        row.error.get_or_insert(text);
    }

    fn groups(&self, by: By) -> &Groups {
        match by {
            By::Workspace => &self.workspaces,
            By::Type => &self.types,
            By::Module => &self.modules,
            By::Provider => &self.providers,
            By::Action => &self.actions,
        }
    }
}
