//! One row a record, for spreadsheets. Lists stand in one cell, an item a line; `plan` and
//! `summary` rows have what fits the columns, and the whole summary as JSON in its own. Every row
//! tells its source and its workspace.
//!
//! A cell that a spreadsheet would take for a formula, behind spaces too, gets an apostrophe in
//! front of it: names in a plan are chosen by whoever wrote the configuration.
//!
//! Hidden characters and commands of CI runners are escaped in every cell, raw or not: as `\u{…}`
//! in names, and as `\u…` in JSON text (`index`, `importing`, `summary`) and in the quoted keys of
//! paths.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

use super::{BUFFER, Pace, Sink, write_error};
use crate::error::{Error, Result};
use crate::inert;
use crate::path::Paths;
use crate::record::{ActionInvocation, JsonText, Record, ResourceChange};

const COLUMNS: [&str; 30] = [
    "kind",
    "source",
    "format_version",
    "terraform_version",
    "address",
    "previous_address",
    "module_address",
    "mode",
    "type",
    "name",
    "index",
    "deposed",
    "provider_name",
    "action",
    "actions",
    "action_reason",
    "deferred_reason",
    "changed",
    "unknown",
    "sensitive",
    "replace_paths",
    "importing",
    "generated_config",
    "check_kind",
    "status",
    "problems",
    "trigger",
    "triggering_address",
    "summary",
    "workspace",
];

/// What stands for the path of a value as a whole. A key of that name has quotes.
const ROOT: &str = ".";

/// Whether cells that look like formulas are written as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// They get an apostrophe in front.
    #[default]
    Quoted,
    /// As they are: for programs, not for spreadsheets.
    Raw,
}

/// Writes records as CSV.
pub struct Csv<W: Write> {
    out: ::csv::Writer<W>,
    pace: Pace,
    formulas: Formulas,
    source: String,
    workspace: String,
    begun: bool,
}

impl<W: Write> Csv<W> {
    /// Writes to `out`.
    pub fn new(out: W, formulas: Formulas) -> Csv<W> {
        let out = ::csv::WriterBuilder::new().buffer_capacity(BUFFER).from_writer(out);
        let (source, workspace) = (String::new(), String::new());
        Csv { out, pace: Pace::new(), formulas, source, workspace, begun: false }
    }

    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            self.out.write_record(COLUMNS).map_err(csv_error)?;
        }
        for column in COLUMNS {
            let cell = match column {
                "source" => self.source.as_str(),
                "workspace" => self.workspace.as_str(),
                column => row.cell(column),
            };
            let cell = self.formulas.cell(cell);
            self.out.write_field(cell.as_bytes()).map_err(csv_error)?;
        }
        self.out.write_record(None::<&[u8]>).map_err(csv_error)?;
        if self.pace.is_due(1) { self.out.flush().map_err(write_error) } else { Ok(()) }
    }
}

/// The cells of a row that are not empty.
#[derive(Default)]
struct Row<'a>(Vec<(&'static str, Cow<'a, str>)>);

impl<'a> Row<'a> {
    fn of(kind: &'static str) -> Row<'a> {
        Row(vec![("kind", kind.into())])
    }

    fn set(&mut self, column: &'static str, text: &'a str) {
        self.0.push((column, inert::text(text)));
    }

    fn set_some(&mut self, column: &'static str, text: Option<&'a str>) {
        self.0.extend(text.map(|text| (column, inert::text(text))));
    }

    fn set_json(&mut self, column: &'static str, text: Option<&'a JsonText<'_>>) {
        self.0.extend(text.map(|text| (column, inert::json(text.get()))));
    }

    fn set_list(&mut self, column: &'static str, list: &[Cow<'_, str>]) {
        let lines: Vec<Cow<'_, str>> = list.iter().map(|item| inert::text(item)).collect();
        self.0.push((column, lines.join("\n").into()));
    }

    fn set_paths(&mut self, column: &'static str, paths: &Paths) {
        let mut text = String::new();
        for (place, path) in paths.iter().enumerate() {
            text.push_str(if place > 0 { "\n" } else { "" });
            match path.steps().len() {
                // The empty text of the root would look like no path at all.
                0 => text.push_str(ROOT),
                // Writing to a string cannot fail.
                _ => drop(write!(text, "{path}")),
            }
        }
        // A key that needs escapes stands in quotes, as a string of JSON.
        self.0.push((column, inert::json(&text).into_owned().into()));
    }

    fn cell(&self, column: &str) -> &str {
        self.0.iter().find(|(name, _)| *name == column).map_or("", |(_, text)| text)
    }

    fn invocation(kind: &'static str, invocation: &'a ActionInvocation<'_>) -> Row<'a> {
        let mut row = Row::of(kind);
        row.set("address", &invocation.address);
        row.set_some("type", invocation.type_name.as_deref());
        row.set_some("name", invocation.name.as_deref());
        row.set_some("trigger", invocation.trigger);
        row.set_some("triggering_address", invocation.triggering_address.as_deref());
        row.set_some("deferred_reason", invocation.deferred_reason.as_deref());
        row
    }

    fn change(kind: &'static str, change: &'a ResourceChange<'_>) -> Row<'a> {
        let mut row = Row::of(kind);
        row.set("address", change.address.as_deref().unwrap_or_default());
        row.set_some("previous_address", change.previous_address.as_deref());
        row.set_some("module_address", change.module_address.as_deref());
        row.set_some("mode", change.mode.as_deref());
        row.set_some("type", change.type_name.as_deref());
        row.set_some("name", change.name.as_deref());
        row.set_json("index", change.index.as_ref());
        row.set_some("deposed", change.deposed.as_deref());
        row.set_some("provider_name", change.provider_name.as_deref());
        row.set("action", &change.action);
        row.set_list("actions", &change.actions);
        row.set_some("action_reason", change.action_reason.as_deref());
        row.set_some("deferred_reason", change.deferred_reason.as_deref());
        row.set_paths("changed", &change.changed);
        row.set_paths("unknown", &change.unknown);
        row.set_paths("sensitive", &change.sensitive);
        row.set_paths("replace_paths", &change.replace_paths);
        row.set_json("importing", change.importing.as_ref());
        row.set_some("generated_config", change.generated_config.then_some("true"));
        row
    }
}

impl Formulas {
    /// A cell as it is written.
    pub(super) fn cell(self, cell: &str) -> Cow<'_, str> {
        match self {
            Formulas::Quoted => harmless(cell),
            Formulas::Raw => Cow::Borrowed(cell),
        }
    }
}

/// A cell that no spreadsheet takes for a formula, whatever white space it begins with and however
/// wide the first character behind that is.
fn harmless(cell: &str) -> Cow<'_, str> {
    match cell.trim_start().chars().next() {
        Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') => {
            Cow::Owned(format!("'{cell}"))
        }
        _ => Cow::Borrowed(cell),
    }
}

impl<W: Write> Sink for Csv<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let row = match record {
            Record::Plan(plan) => {
                self.source = inert::visible(plan.source);
                self.workspace = inert::visible(plan.workspace.unwrap_or_default());
                let mut row = Row::of("plan");
                row.set_some("format_version", plan.format_version);
                row.set_some("terraform_version", plan.terraform_version);
                row
            }
            Record::ResourceChange(change) => Row::change("resource_change", change),
            Record::ResourceDrift(change) => Row::change("resource_drift", change),
            Record::DeferredChange(change) => Row::change("deferred_change", change),
            Record::OutputChange(change) => {
                let mut row = Row::of("output_change");
                row.set("name", &change.name);
                row.set("action", &change.action);
                row.set_list("actions", &change.actions);
                row.set_paths("changed", &change.changed);
                row.set_paths("unknown", &change.unknown);
                row.set_paths("sensitive", &change.sensitive);
                row
            }
            Record::Check(check) => {
                let mut row = Row::of("check");
                row.set("address", &check.address);
                row.set_some("check_kind", check.check_kind.as_deref());
                row.set("status", &check.status);
                row.set_list("problems", &check.problems);
                row
            }
            Record::ActionInvocation(invocation) => {
                Row::invocation("action_invocation", invocation)
            }
            Record::DeferredActionInvocation(invocation) => {
                Row::invocation("deferred_action_invocation", invocation)
            }
            Record::Summary(summary) => {
                let mut row = Row::of("summary");
                let text = serde_json::to_string(summary).map_err(write_error)?;
                row.0.push(("summary", inert::json(&text).into_owned().into()));
                row
            }
        };
        self.row(&row)
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}

/// The system's error, apart from which writing cells cannot fail.
pub(super) fn csv_error(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => write_error(error),
        _ => write_error(std::io::ErrorKind::Other),
    }
}
