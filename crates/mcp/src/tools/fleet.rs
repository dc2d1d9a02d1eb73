//! `fleet`: a row for each plan of a folder, or of a folder that `plansift batch` wrote.

use std::path::PathBuf;

use plansift_core::error::Result as ReadResult;
use plansift_core::inert::visible;
use plansift_fleet::batch::report::Shards;
use plansift_fleet::source::{Inputs, Location, Rule, Selection};
use plansift_plan::record::counts::{PlanLine, Summary};
use plansift_plan::record::{BatchPlan, Record, Sink};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{LeftOut, NAME_MAX, Refusal, Room, budget, is_false, is_zero, shortened};
use crate::context::Context;
use crate::reading::{Request, read_plan};
use crate::root::Place;
use crate::tool::Tool;

/// The tool.
pub struct Fleet;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// A folder of plans, or the folder of a batch: its path from the root. The root is `.`.
    folder: String,
    /// Number of plans to skip: `next` of the page before. By default 0.
    #[serde(default)]
    start: u64,
    /// Maximum number of plans, by default 50.
    limit: Option<u64>,
    /// Budget of the answer in bytes: 2000 to 200000, by default 8000.
    max_bytes: Option<u64>,
}

/// A page of plans.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Page {
    /// Number of plans in the folder.
    total: u64,
    /// The plans, in the order of their paths, or of the batch.
    plans: Vec<Row>,
    /// The `start` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    /// Plans after this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// A plan.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Row {
    /// The plan: its path from the root, or its name in the batch.
    plan: String,
    /// The workspace, if a batch knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
    /// `done`, `failed` or `pending`.
    status: &'static str,
    /// The error of a plan that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// What the plan changes.
    #[serde(flatten)]
    counts: Counts,
    /// Assertions of the batch that the plan fails.
    #[serde(skip_serializing_if = "is_zero")]
    failed_assertions: u64,
    /// Whether planning failed.
    #[serde(skip_serializing_if = "is_false")]
    errored: bool,
}

/// The numbers of a plan. A number that is 0 is left out.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// Objects to import.
    #[serde(skip_serializing_if = "is_zero")]
    import: u64,
    /// Objects to create.
    #[serde(skip_serializing_if = "is_zero")]
    add: u64,
    /// Objects to update.
    #[serde(skip_serializing_if = "is_zero")]
    change: u64,
    /// Objects to delete. A replacement also counts here.
    #[serde(skip_serializing_if = "is_zero")]
    destroy: u64,
    /// Objects to forget.
    #[serde(skip_serializing_if = "is_zero")]
    forget: u64,
    /// Resources that changed outside of the tool.
    #[serde(skip_serializing_if = "is_zero")]
    drift: u64,
    /// Checks that failed.
    #[serde(skip_serializing_if = "is_zero")]
    failed_checks: u64,
}

/// Number of plans of a page without `limit`.
const LIMIT: u64 = 50;
/// Maximum number of plans of a page.
const LIMIT_MAX: u64 = 1_000;
/// Says how to ask for the rest.
const ASK: &str = "start: next, or a larger max_bytes; `summarize` has more about one plan";
const NO_PLANS: &str = "name a folder with plan files, the JSON of plans, or a batch";
const JOURNAL: &str = "journal";

impl Tool for Fleet {
    const NAME: &'static str = "fleet";
    const DESCRIPTION: &'static str =
        "One row for each plan of a folder, or of a folder that `plansift batch` wrote.";
    type Parameters = Parameters;
    type Answer = Page;

    fn answer(context: &Context<'_>, parameters: Parameters) -> Result<Page, Refusal> {
        let Parameters { folder, start, limit, max_bytes } = parameters;
        let mut paging = Paging {
            start,
            limit: limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX),
            rows: Vec::new(),
            room: Room::new(budget(max_bytes)?, &Page::frame()),
            is_full: false,
            total: 0,
        };
        let root = &context.settings.root;
        let place = root.folder(&folder)?;
        match root.regular(&place.path.join(JOURNAL)) {
            Some(_) => of_batch(place, &mut paging)?,
            None => of_plans(context, place, &mut paging)?,
        }
        Ok(paging.page())
    }
}

/// Reads the rows of a batch.
fn of_batch(place: Place, paging: &mut Paging) -> Result<(), Refusal> {
    let refused = |error: plansift_core::error::Error| Refusal::new(error.to_string(), NO_PLANS);
    let shards = Shards::open(&[place.path]).map_err(|(_, error)| refused(error))?;
    shards.write(paging).map(drop).map_err(refused)
}

/// Reads the plans of the page.
fn of_plans(context: &Context<'_>, place: Place, paging: &mut Paging) -> Result<(), Refusal> {
    let root = &context.settings.root;
    let selection = Selection { names: vec![place.path.into_os_string()], ..Selection::default() };
    let inputs = Inputs::list(&selection, Rule::Path);
    // A link in the folder may lead to a file outside of the root.
    let file = |location: &Location| match location {
        Location::File(path) => root.regular(path).map(|_| path.clone()),
        _ => None,
    };
    let listed = inputs.entries.iter().flatten().filter_map(|entry| file(&entry.location));
    let files: Vec<PathBuf> = listed.collect();
    if files.is_empty() {
        return Err(Refusal::new("the folder has no plan", NO_PLANS));
    }
    for path in files {
        if !paging.wants() {
            continue;
        }
        let Some(place) = root.regular(&path) else { continue };
        let plan = context.file(place);
        let mut counts = Counting::default();
        let read = read_plan(context, &plan, Request::new(&mut counts));
        if context.stop.is_set() {
            return Err(Refusal::new("the call was cancelled", NO_PLANS));
        }
        let plan = short(&plan.name);
        let row = match read {
            Ok(_) => Row { plan, status: "done", ..counts.0 },
            Err(Refusal { error, .. }) => {
                Row { plan, status: "failed", error: Some(short(&error)), ..Row::default() }
            }
        };
        paging.push(row);
    }
    Ok(())
}

fn short(text: &str) -> String {
    shortened(&visible(text), NAME_MAX / 2)
}

/// Collects the rows of a page.
struct Paging {
    start: u64,
    limit: u64,
    rows: Vec<Row>,
    room: Room,
    /// Whether a row of the page had no room.
    is_full: bool,
    /// Number of plans so far.
    total: u64,
}

impl Paging {
    /// Counts a plan. Returns whether its row may be in the page.
    fn wants(&mut self) -> bool {
        self.total += 1;
        !self.is_full && self.total > self.start && (self.rows.len() as u64) < self.limit
    }

    fn push(&mut self, row: Row) {
        match self.room.take(&row) {
            true => self.rows.push(row),
            false => self.is_full = true,
        }
    }

    fn page(self) -> Page {
        let shown = self.start.saturating_add(self.rows.len() as u64);
        let rest = self.total.saturating_sub(shown);
        Page {
            total: self.total,
            plans: self.rows,
            next: (rest > 0).then_some(shown),
            left_out: LeftOut::of(rest, ASK),
        }
    }
}

impl Page {
    /// Returns a page without rows whose numbers are as long as they can become.
    fn frame() -> Page {
        Page {
            total: u64::MAX,
            plans: Vec::new(),
            next: Some(u64::MAX),
            left_out: LeftOut::most(ASK),
        }
    }
}

impl Sink for Paging {
    fn record(&mut self, record: &Record<'_>) -> ReadResult<()> {
        let Record::BatchPlan(plan) = record else { return Ok(()) };
        if self.wants() {
            self.push(Row::of(plan));
        }
        Ok(())
    }

    fn finish(&mut self) -> ReadResult<()> {
        Ok(())
    }
}

impl Row {
    fn of(plan: &BatchPlan<'_>) -> Row {
        let counted = plan.summary.map(Row::counted).unwrap_or_default();
        Row {
            plan: short(plan.source),
            workspace: plan.workspace.map(short),
            status: plan.status,
            error: plan.error.map(short),
            failed_assertions: plan.failed_assertions.len() as u64,
            ..counted
        }
    }

    /// Returns a row with the numbers of a plan.
    fn counted(summary: &Summary) -> Row {
        let PlanLine { import, add, change, destroy, forget } = summary.terraform;
        let drift = summary.resource_drift.values().sum::<u64>();
        let drift = drift.saturating_sub(summary.moved_in_drift);
        let failed_checks = summary.failed_checks();
        Row {
            counts: Counts { import, add, change, destroy, forget, drift, failed_checks },
            errored: summary.plan.errored == Some(true),
            ..Row::default()
        }
    }
}

/// Keeps the row of a plan.
#[derive(Default)]
struct Counting(Row);

impl Sink for Counting {
    fn record(&mut self, record: &Record<'_>) -> ReadResult<()> {
        if let Record::Summary(summary) = record {
            self.0 = Row::counted(summary);
        }
        Ok(())
    }

    fn finish(&mut self) -> ReadResult<()> {
        Ok(())
    }
}
