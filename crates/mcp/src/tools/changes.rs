//! `changes`: a page of the changes of a plan, the riskiest first.
//!
//! The place of a change among all is known only at the end of the plan. For the first page, the
//! sink keeps the first changes of each risk. For a later page, a first reading counts the changes
//! of each risk, and the second one keeps only those of the page. So a page takes memory for one
//! page of each risk at most.

use std::ops::Range;

use plansift_core::error::Result as ReadResult;
use plansift_core::path::{AddressPattern, Pattern};
use plansift_plan::record::{Attribute, Attributes, Difference, Hidden, Record, Shown, Sink};
use plansift_report::compact::{Risk, words, words_of_invocation};
use plansift_report::filter::{ActionFilter, Noise, Only};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{LeftOut, NAME_MAX, Refusal, Room, budget, is_zero, shortened, size};
use crate::context::Context;
use crate::reading::{Request, read_plan};
use crate::tool::Tool;

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
    /// Only changes at these addresses. A pattern also covers what is below it.
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
    changes: Vec<Row>,
    /// The `start` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    /// Number of changes that the filters hide.
    #[serde(skip_serializing_if = "is_zero")]
    filtered_out: u64,
    /// Changes after this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// A change of a resource, an output, a check or an action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Row {
    /// The address. For an output, `output.` and its name.
    pub address: String,
    /// The key of a deposed object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposed: Option<String>,
    /// The action, or the status of a check.
    pub action: String,
    /// The risk: destroy_data, replace_data, destroy, forget, replace, access, other, update,
    /// create, read, move, action, failed_check, drift, deferred, deferred_action, output, check.
    pub risk: &'static str,
    /// Why, and what else the change does. For a check, its first message.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The address before a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_address: Option<String>,
    /// The first paths that force a replacement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forced_by: Vec<String>,
    /// The first paths that change. Empty for a create, a delete and an output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The first paths that are known after apply. The path of a whole output is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Number of further paths.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_paths: u64,
}

/// Maximum number of paths in each list of a row.
const PATHS: usize = 8;
/// Maximum length of a path, in bytes.
const PATH_MAX: usize = 200;
/// Number of changes of a page without `limit`.
const LIMIT: u64 = 100;
/// Maximum number of changes of a page.
const LIMIT_MAX: u64 = 2_000;
/// Maximum number of patterns of one kind.
const PATTERNS_MAX: usize = 100;

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
        let noise = Noise { only: parameters.conditions()?, ..Noise::default() };
        let place = context.settings.root.file(&parameters.plan)?;
        let start = parameters.start;
        let limit = parameters.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let mut windows = [const { 0..0 }; Risk::ALL.len()];
        if start == 0 {
            windows.iter_mut().for_each(|window| *window = 0..limit);
        } else {
            let mut counting = Kept::new(windows.clone(), 0);
            read_plan(
                context,
                &place,
                Request { noise: noise.clone(), ..Request::new(&mut counting) },
            )?;
            let end = start.saturating_add(limit);
            let mut before = 0;
            for (window, count) in windows.iter_mut().zip(counting.counts) {
                *window = start.saturating_sub(before)..end.saturating_sub(before);
                before += count;
            }
        }
        let mut kept = Kept::new(windows, max);
        read_plan(context, &place, Request { noise, ..Request::new(&mut kept) })?;
        Ok(kept.page(start, limit, max))
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
        only.extend(self.only.iter().map(|text| Only::Name(AddressPattern::new(text))));
        only.extend(self.address.iter().map(|text| Only::Address(AddressPattern::new(text))));
        only.extend(self.r#type.iter().map(|text| Only::Type(AddressPattern::new(text))));
        only.extend(self.module.iter().map(|text| Only::Module(AddressPattern::new(text))));
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

/// Counts the changes of each risk, and keeps those in a window.
struct Kept {
    windows: [Range<u64>; Risk::ALL.len()],
    counts: [u64; Risk::ALL.len()],
    rows: [Vec<Row>; Risk::ALL.len()],
    /// The room for the rows of each risk.
    rooms: [Room; Risk::ALL.len()],
    filtered_out: u64,
    max: usize,
}

impl Kept {
    fn new(windows: [Range<u64>; Risk::ALL.len()], max: u64) -> Kept {
        Kept {
            windows,
            counts: [0; Risk::ALL.len()],
            rows: [const { Vec::new() }; Risk::ALL.len()],
            rooms: [Room::new(max, &""); Risk::ALL.len()],
            filtered_out: 0,
            max: usize::try_from(max).unwrap_or(usize::MAX),
        }
    }

    fn note(&mut self, risk: Risk, record: &Record<'_>) {
        let place = Risk::ALL.iter().position(|other| *other == risk).unwrap_or_default();
        let number = self.counts[place];
        self.counts[place] += 1;
        let window = &mut self.windows[place];
        if !window.contains(&number) {
            return;
        }
        let row = Row::of(risk, record).fitting(self.max / 2);
        // A row that has no room ends the page, so the rows after it are not needed.
        match self.rooms[place].take(&row) {
            true => self.rows[place].push(row),
            false => window.end = number,
        }
    }

    /// Returns the page. The windows contain its rows.
    fn page(self, start: u64, limit: u64, max: u64) -> Page {
        let total: u64 = self.counts.iter().sum();
        let mut page = Page {
            total,
            changes: Vec::new(),
            next: Some(u64::MAX),
            filtered_out: self.filtered_out,
            left_out: LeftOut::most(ASK),
        };
        let mut room = Room::new(max, &page);
        let (mut before, end) = (0, start.saturating_add(limit));
        for (rows, count) in self.rows.into_iter().zip(self.counts) {
            let after = before + count;
            let expected = after.min(end).saturating_sub(before.max(start));
            let expected = usize::try_from(expected).unwrap_or(usize::MAX);
            let shown = page.changes.len();
            page.changes.extend(rows.into_iter().take(expected).take_while(|row| room.take(row)));
            if page.changes.len() - shown < expected {
                break;
            }
            before = after;
        }
        let shown = start.saturating_add(page.changes.len() as u64);
        let rest = total.saturating_sub(shown);
        page.next = (rest > 0).then_some(shown);
        page.left_out = LeftOut::of(rest, ASK);
        page
    }
}

impl Sink for Kept {
    fn record(&mut self, record: &Record<'_>) -> ReadResult<()> {
        if let Some(risk) = Risk::of(record) {
            self.note(risk, record);
        }
        Ok(())
    }

    fn hidden(&mut self, hidden: &Hidden) -> ReadResult<()> {
        let Hidden { changes, failed_checks, others, .. } = *hidden;
        self.filtered_out = changes + failed_checks + others;
        Ok(())
    }

    fn finish(&mut self) -> ReadResult<()> {
        Ok(())
    }
}

impl Row {
    /// Returns the row of a record. Its names have no secrets.
    pub fn of(risk: Risk, record: &Record<'_>) -> Row {
        let (address, risk) = (Row::address_of(record), risk.word());
        if let Some(change) = record.resource() {
            let names = &change.resource;
            let row = Row {
                address,
                deposed: names.deposed.as_deref().map(str::to_owned),
                action: change.action.clone().into_owned(),
                risk,
                why: words(change),
                previous_address: change.moved_from().map(str::to_owned),
                ..Row::default()
            };
            let is_two_sided = !matches!(&*change.action, "create" | "delete" | "forget" | "read");
            return row.with_paths(&change.attributes, is_two_sided);
        }
        match record {
            Record::OutputChange(output) => {
                Row { address, action: output.action.clone().into_owned(), risk, ..Row::default() }
                    .with_paths(&output.attributes, false)
            }
            Record::Check(check) => Row {
                address,
                action: check.status.clone().into_owned(),
                risk,
                why: check.problems.first().map(|text| inert(text)).unwrap_or_default(),
                ..Row::default()
            },
            Record::ActionInvocation(invoked) | Record::DeferredActionInvocation(invoked) => Row {
                address,
                action: "invoke".to_owned(),
                risk,
                why: words_of_invocation(invoked),
                ..Row::default()
            },
            _ => Row::default(),
        }
    }

    /// Returns the address of a record, as its row has it.
    pub fn address_of(record: &Record<'_>) -> String {
        match record {
            Record::OutputChange(output) => format!("output.{}", output.name),
            Record::Check(check) => check.address.clone().into_owned(),
            Record::ActionInvocation(invoked) | Record::DeferredActionInvocation(invoked) => {
                invoked.address.clone().into_owned()
            }
            record => record.resource().map(|it| it.label().into_owned()).unwrap_or_default(),
        }
    }

    /// Returns the row without its paths, with at most about `max` bytes.
    pub fn without_paths(self, max: usize) -> Row {
        let (paths, unknown) = (Vec::new(), Vec::new());
        Row { paths, unknown, more_paths: 0, ..self }.fitting(max)
    }

    fn with_paths(mut self, attributes: &Attributes, lists_changes: bool) -> Row {
        let path = |attribute: &Attribute| shortened(&attribute.path, PATH_MAX);
        self.more_paths = if lists_changes { attributes.left_out } else { 0 };
        for attribute in &attributes.list {
            if attribute.difference == Difference::Nothing {
                continue;
            }
            if attribute.replaces && self.forced_by.len() < PATHS {
                self.forced_by.push(path(attribute));
            }
            let list = match (&attribute.after, lists_changes) {
                (Shown::Unknown, _) => &mut self.unknown,
                (_, true) => &mut self.paths,
                (_, false) => continue,
            };
            match list.len() < PATHS {
                true => list.push(path(attribute)),
                false => self.more_paths += 1,
            }
        }
        self
    }

    /// Shortens the names of a row that is longer than `max` bytes, and leaves its paths out.
    fn fitting(mut self, max: usize) -> Row {
        if size(&self) <= max {
            return self;
        }
        let paths = self.paths.len() + self.unknown.len();
        self.more_paths += paths as u64;
        (self.paths, self.unknown, self.forced_by) = (Vec::new(), Vec::new(), Vec::new());
        if size(&self) <= max {
            return self;
        }
        // An escape takes up to twice the bytes of its character.
        let name_max = NAME_MAX.min(max / 12);
        let cut = |text: &str| shortened(text, name_max);
        Row {
            address: cut(&self.address),
            deposed: self.deposed.as_deref().map(cut),
            action: cut(&self.action),
            why: cut(&self.why),
            previous_address: self.previous_address.as_deref().map(cut),
            ..self
        }
    }
}

/// Makes the hidden characters of a message visible.
fn inert(text: &str) -> String {
    shortened(&plansift_core::inert::visible(text.trim()), NAME_MAX)
}
