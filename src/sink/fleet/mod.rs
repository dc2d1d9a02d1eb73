//! What many plans do, for a person: one table as wide as the screen, its totals, whose planning
//! failed, and what changes most by type, module and provider.
//!
//! A plan counts when its `summary` record has come, as a whole or not at all; one that fails is a
//! row with its error. What is kept is numbers: a row for each workspace and each type, module and
//! provider, up to [`WORKSPACES_MAX`] and [`GROUPS_MAX`]; what comes beyond that is one more row.
//! When only one plan has come and nothing else was asked for, its own page is drawn instead
//! ([`View`]).

pub mod document;
mod rows;
mod table;
mod tally;

use std::io::Write;

pub use self::rows::Column;
pub(in crate::sink) use self::rows::Row;
pub use self::tally::{Tally, Totals};
use crate::error::{Error, Result};
use crate::record::{Label, Record};
use crate::sink::summary::{Screen, View};
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
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// What its rows are.
    pub by: By,
    /// What they are sorted by.
    pub sort: Sort,
    /// How many rows each table and list has at most; `None`: an ordinary number. The rest is one
    /// more row.
    pub top: Option<usize>,
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
    screen: Screen,
    shape: Shape,
    /// The page of the only plan so far.
    page: Option<View<Vec<u8>>>,
    /// Whose plan is coming.
    workspace: String,
    plan: Tally,
    all: Totals,
}

impl<W: Write> Fleet<W> {
    /// Draws to `out`.
    pub fn new(out: W, screen: Screen, shape: Shape, single: Single) -> Fleet<W> {
        let page = (single == Single::Page).then(|| View::new(Vec::new(), screen, shape.top));
        let (workspace, plan, all) = (String::new(), Tally::default(), Totals::default());
        Fleet { out, screen, shape, page, workspace, plan, all }
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
        self.plan.count(record);
        match record {
            Record::Plan(plan) => {
                self.workspace = plan.workspace.unwrap_or(plan.source).to_owned();
            }
            Record::Summary(summary) => {
                self.all.add(&self.workspace, std::mem::take(&mut self.plan), summary);
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.page = None;
        self.all.fail(label.workspace.unwrap_or(label.source), &error.to_string());
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        if let Some(page) = self.page.take() {
            self.out.write_all(&page.into_inner()).map_err(write_error)?;
        } else {
            let text = self.all.draw(&self.shape, self.screen);
            self.out.write_all(text.as_bytes()).map_err(write_error)?;
        }
        self.out.flush().map_err(write_error)
    }
}
