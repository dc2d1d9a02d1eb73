//! `changes`: a page of the changes of a plan, the riskiest first.
//!
//! The first page takes one reading of the plan, and the next ones take none, until the window is
//! used up. A page elsewhere takes two readings: the first one counts the changes of each risk.

use std::sync::Arc;

use plansift_core::path::{AddressPattern, Pattern};
use plansift_report::filter::{ActionFilter, Noise, Only};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{LeftOut, Refusal, Room, budget, is_zero};
use crate::context::Context;
use crate::reading::{Request, read_plan};
use crate::rows::ChangeRow;
use crate::tool::Tool;
use crate::window::{Window, WindowKey, WindowSink};

/// The tool.
pub struct Changes;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// A plan file or the JSON of a plan: its path from the root.
    plan: String,
    /// Only changes whose address or type one of these patterns covers. `*` stands for any text.
    #[serde(default)]
    only: Vec<String>,
    /// Only changes at these addresses. A pattern also covers what is below it. `output.*` covers
    /// the outputs.
    #[serde(default)]
    address: Vec<String>,
    /// Only resources of these types, such as `aws_iam_*`.
    #[serde(default)]
    r#type: Vec<String>,
    /// Only resources in these modules. The root module is the empty text.
    #[serde(default)]
    module: Vec<String>,
    /// Only these actions: create, read, update, replace, delete, forget, no-op, destroy.
    #[serde(default)]
    action: Vec<String>,
    /// Only changes of attributes at these paths.
    #[serde(default)]
    path: Vec<String>,
    /// Number of changes to skip: `next` of the page before. By default 0.
    #[serde(default)]
    start: u64,
    /// Maximum number of changes, by default 100.
    limit: Option<u64>,
    /// Budget of the answer in bytes: 2000 to 200000, by default 8000.
    max_bytes: Option<u64>,
}

/// A page of changes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Page {
    /// Number of changes that meet the filters.
    total: u64,
    /// The changes of the page, the riskiest first, then in the order of the plan.
    changes: Vec<ChangeRow>,
    /// The `start` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    /// Number of changes that the filters hide.
    #[serde(skip_serializing_if = "is_zero")]
    filtered_out: u64,
    /// Says that no change meets the filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
    /// Changes after this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// Number of changes of a page without `limit`.
const LIMIT: u64 = 100;
/// Maximum number of changes of a page.
const LIMIT_MAX: u64 = 2_000;
/// Maximum number of patterns of one kind.
const PATTERNS_MAX: usize = 100;

/// The hint for filters that no change meets, perhaps because of a typo.
const NOTHING: &str = "no change meets the filters: a pattern is a whole name, with `*` for any \
                       text, such as `aws_iam_*` or `module.network`";

/// Says how to ask for the next page.
const ASK: &str = "start: next, a larger max_bytes, or a filter; `change` has the values of one";

impl Tool for Changes {
    const NAME: &'static str = "changes";
    const DESCRIPTION: &'static str =
        "One row for each change of a plan, the riskiest first, with filters and pages.";
    type Parameters = Parameters;
    type Answer = Page;

    fn answer(context: &Context<'_>, parameters: Parameters) -> Result<Page, Refusal> {
        let max = budget(parameters.max_bytes)?;
        let only = parameters.conditions()?;
        let plan = context.plan(&parameters.plan)?;
        let Parameters { only: names, address, r#type, module, action, path, start, limit, .. } =
            parameters;
        let filters = [names, address, r#type, module, action, path];
        let key = WindowKey {
            name: plan.name.clone(),
            state: plan.state.clone(),
            etag: plan.entry.etag.clone(),
            filters,
        };
        let limit = limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let known = context.windows.get(&key);
        if let Some(page) = known.and_then(|window| Page::of(&window, start, limit, max)) {
            return Ok(page);
        }
        let read = |sink: &mut WindowSink| {
            let noise = Noise { only: only.clone(), ..Noise::default() };
            read_plan(context, &plan, Request { noise, ..Request::new(sink) })
        };
        let mut sink = WindowSink::of_first();
        if start > 0 {
            let mut counts = WindowSink::of_none();
            read(&mut counts)?;
            sink = counts.after(start);
        }
        read(&mut sink)?;
        let window = Arc::new(sink.window(start));
        context.windows.keep(key, window.clone());
        Page::of(&window, start, limit, max).ok_or_else(Refusal::internal)
    }
}

impl Page {
    /// Returns a page of a window. `None` if the window lacks changes of the page; never if it
    /// begins with the page.
    fn of(window: &Window, start: u64, limit: u64, max: u64) -> Option<Page> {
        let rows = window.rows(start)?;
        let mut page = Page {
            total: window.total,
            changes: Vec::new(),
            next: Some(u64::MAX),
            filtered_out: window.filtered_out,
            hint: (window.total == 0 && window.filtered_out > 0).then_some(NOTHING),
            left_out: LeftOut::most(ASK),
        };
        let mut room = Room::new(max, &page);
        let row_max = usize::try_from(max / 2).unwrap_or(usize::MAX);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let fitting = rows.iter().take(limit).map(|row| row.clone().fitting(row_max));
        page.changes.extend(fitting.take_while(|row| room.take(row)));
        let is_cut = page.changes.len() == rows.len() && rows.len() < limit && !window.is_last();
        if is_cut && window.start != start {
            return None;
        }
        let shown = start.saturating_add(page.changes.len() as u64);
        let rest = window.total.saturating_sub(shown);
        page.next = (rest > 0).then_some(shown);
        page.left_out = LeftOut::of(rest, ASK);
        Some(page)
    }
}

impl Parameters {
    /// Returns the conditions that a change must meet.
    fn conditions(&self) -> Result<Vec<Only>, Refusal> {
        let mut only = Vec::new();
        let lists =
            [&self.only, &self.address, &self.r#type, &self.module, &self.action, &self.path];
        if lists.iter().any(|list| list.len() > PATTERNS_MAX) {
            return Err(Refusal::new("a filter has too many patterns", "write fewer, with `*`"));
        }
        if lists[..3].iter().any(|list| list.iter().any(String::is_empty)) {
            return Err(Refusal::new("a pattern is empty", "write a pattern such as `aws_iam_*`"));
        }
        let pattern = |text: &String| {
            AddressPattern::parse(text)
                .map_err(|error| Refusal::new(error.to_string(), "use a set, or a pattern"))
        };
        for (texts, make) in [
            (&self.only, Only::Name as fn(AddressPattern) -> Only),
            (&self.address, Only::Address),
            (&self.r#type, Only::Type),
            (&self.module, Only::Module),
        ] {
            let patterns = texts.iter().map(|text| pattern(text).map(make));
            only.extend(patterns.collect::<Result<Vec<_>, _>>()?);
        }
        for text in &self.action {
            let action = ActionFilter::named(text).ok_or_else(|| {
                let words: Vec<&str> = ActionFilter::words().collect();
                let error = format!("unknown action: the actions are {}", words.join(", "));
                Refusal::new(error, "use the word of an action, or `*`")
            })?;
            only.push(Only::Action(action));
        }
        for text in &self.path {
            let path = Pattern::parse(text).map_err(|_| {
                Refusal::new("a path is not well formed", "write a path such as `tags.Name`")
            })?;
            only.push(Only::Path(path));
        }
        Ok(only)
    }
}
