//! Writes records as CSV for spreadsheets, one row per record.
//!
//! A list takes one cell, with one item per line. The `plan` row fills only the columns that fit
//! it. The `summary` row holds the whole summary as JSON in the column `summary`. Every row repeats
//! the source and the workspace of its plan.
//!
//! In other formats, the location of a block is the member `source`. Here it takes the columns
//! `block_…`, because the column `source` names the plan. Module calls are left out.
//!
//! The author of the configuration chooses the names in a plan, so a name may be a malicious
//! formula. A cell that looks like a formula gets a leading apostrophe, even if the formula follows
//! white space.
//!
//! Hidden characters and commands of CI runners are always escaped, even with [`Formulas::Raw`]: as
//! `\u{…}` in names, and as `\u…` in JSON (`index`, `importing`, `summary`) and in the quoted keys
//! of paths.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

use serde_json::Value;

use super::{BUFFER, Pace, Sink, write_error};
use crate::error::{Error, Result};
use crate::inert;
use crate::path::Paths;
use crate::record::{ActionInvocation, JsonText, Record, ResourceChange};

const HEADER: &str = "\
    kind,source,format_version,terraform_version,address,previous_address,module_address,\
    mode,type,name,index,deposed,provider_name,action,actions,action_reason,deferred_reason,\
    changed,unknown,sensitive,replace_paths,importing,generated_config,check_kind,status,\
    problems,trigger,triggering_address,summary,workspace,config_address,\
    provider_config_key,provider_alias,module_source,module_version_constraint,block_file,\
    block_line,block_column,block_end_line,block_missing,sensitive_added,sensitive_removed";

/// Returns the columns of a first row.
pub fn split_header(header: &'static str) -> impl Iterator<Item = Cow<'static, str>> {
    header.split(',').map(Cow::Borrowed)
}

/// The columns for the location of a block, and the members of the location's JSON form.
const PLACE: [(&str, &str); 5] = [
    ("block_file", "file"),
    ("block_line", "line"),
    ("block_column", "column"),
    ("block_end_line", "end_line"),
    ("block_missing", "missing"),
];

/// The notation for the empty path, which is the path of the whole value. A key `.` is quoted, so
/// it looks different.
const ROOT: &str = ".";

/// How to write cells that look like formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// With a leading apostrophe.
    #[default]
    Quoted,
    /// Unchanged: for programs, not for spreadsheets.
    Raw,
}

/// Writes a table: a header, and rows whose cells are identified by column. Every row repeats the
/// source and the workspace of its document.
pub(super) struct Sheet<W: Write> {
    out: ::csv::Writer<W>,
    pace: Pace,
    formulas: Formulas,
    columns: Vec<Cow<'static, str>>,
    source: String,
    workspace: String,
    has_header: bool,
}

/// The nonempty cells of a row, each with its column.
pub(super) type Cells<'a> = Vec<(&'static str, Cow<'a, str>)>;

impl<W: Write> Sheet<W> {
    /// Writes a table with these columns to `out`.
    pub fn new(out: W, formulas: Formulas, columns: Vec<Cow<'static, str>>) -> Sheet<W> {
        let out = ::csv::WriterBuilder::new().buffer_capacity(BUFFER).from_writer(out);
        let (pace, source, workspace) = (Pace::new(), String::new(), String::new());
        Sheet { out, pace, formulas, columns, source, workspace, has_header: false }
    }

    /// Begins a document. The next rows repeat its source and workspace.
    pub fn begin(&mut self, source: &str, workspace: Option<&str>) {
        self.source = inert::visible(source);
        self.workspace = inert::visible(workspace.unwrap_or_default());
    }

    /// Writes a row. `cell` returns the cell of a column.
    pub fn row<'c>(&mut self, cell: impl Fn(&str) -> Cow<'c, str>) -> Result<()> {
        let Sheet { out, formulas, columns, .. } = self;
        if !std::mem::replace(&mut self.has_header, true) {
            let header = columns.iter().map(|column| inert::json(column).into_owned());
            out.write_record(header.map(String::into_bytes)).map_err(csv_error)?;
        }
        for column in columns {
            let cell = match &**column {
                "source" => Cow::Borrowed(self.source.as_str()),
                "workspace" => Cow::Borrowed(self.workspace.as_str()),
                column => cell(column),
            };
            out.write_field(formulas.cell(&cell).as_bytes()).map_err(csv_error)?;
        }
        out.write_record(None::<&[u8]>).map_err(csv_error)?;
        if self.pace.is_due(1) { self.finish() } else { Ok(()) }
    }

    /// Writes a row with these cells.
    pub fn cells(&mut self, cells: &Cells<'_>) -> Result<()> {
        self.row(|column| {
            let cell = cells.iter().find(|(name, _)| *name == column);
            Cow::Borrowed(cell.map_or("", |(_, text)| text))
        })
    }

    pub fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}

/// Writes records as CSV.
pub struct Csv<W: Write>(Sheet<W>);

impl<W: Write> Csv<W> {
    /// Writes to `out`.
    pub fn new(out: W, formulas: Formulas) -> Csv<W> {
        Csv(Sheet::new(out, formulas, split_header(HEADER).collect()))
    }
}

struct Row<'a>(Cells<'a>);

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
        for (index, path) in paths.iter().enumerate() {
            text.push_str(if index > 0 { "\n" } else { "" });
            match path.steps().len() {
                // An empty line would look like no path.
                0 => text.push_str(ROOT),
                // Writing to a string cannot fail.
                _ => drop(write!(text, "{path}")),
            }
        }
        // A path quotes a key that needs escapes as a JSON string.
        self.0.push((column, inert::json(&text).into_owned().into()));
    }

    /// Adds the location of a block, in the form of [`Origin::json`](super::origin::Origin).
    fn set_place(&mut self, place: Option<&JsonText<'_>>) {
        let place = place.and_then(|place| serde_json::from_str::<Value>(place.get()).ok());
        for (column, member) in PLACE {
            let cell = match place.as_ref().and_then(|place| place.get(member)) {
                Some(Value::String(text)) => inert::visible(text),
                Some(number) => number.to_string(),
                None => continue,
            };
            self.0.push((column, cell.into()));
        }
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
        row.set("address", change.resource.address.as_deref().unwrap_or_default());
        row.set_some("previous_address", change.resource.previous_address.as_deref());
        row.set_some("module_address", change.resource.module_address.as_deref());
        row.set_some("mode", change.resource.mode.as_deref());
        row.set_some("type", change.resource.type_name.as_deref());
        row.set_some("name", change.resource.name.as_deref());
        row.set_json("index", change.resource.index.as_ref());
        row.set_some("deposed", change.resource.deposed.as_deref());
        row.set_some("provider_name", change.resource.provider_name.as_deref());
        row.set("action", &change.action);
        row.set_list("actions", &change.actions);
        row.set_some("action_reason", change.action_reason.as_deref());
        row.set_some("deferred_reason", change.deferred_reason.as_deref());
        row.set_paths("changed", &change.paths.changed);
        row.set_paths("unknown", &change.paths.unknown);
        row.set_paths("sensitive", &change.paths.sensitive);
        row.set_paths("sensitive_added", &change.paths.sensitive_added);
        row.set_paths("sensitive_removed", &change.paths.sensitive_removed);
        row.set_paths("replace_paths", &change.paths.replace_paths);
        row.set_json("importing", change.importing.as_ref());
        row.set_some("generated_config", change.generated_config.then_some("true"));
        row.set_place(change.source.as_ref());
        if let Some(block) = &change.block {
            row.set_some("config_address", block.config_address.as_deref());
            row.set_some("provider_config_key", block.provider_config_key.as_deref());
            row.set_some("provider_alias", block.provider_alias.as_deref());
            row.set_some("module_source", block.module_source.as_deref());
            let version = block.module_version_constraint.as_deref();
            row.set_some("module_version_constraint", version);
        }
        row
    }
}

impl Formulas {
    fn cell(self, cell: &str) -> Cow<'_, str> {
        match self {
            Formulas::Quoted => without_formula(cell),
            Formulas::Raw => Cow::Borrowed(cell),
        }
    }
}

/// Returns `cell` with a leading apostrophe if a spreadsheet might take it for a formula.
///
/// Leading white space does not prevent that, and the full-width forms of the operators count too.
fn without_formula(cell: &str) -> Cow<'_, str> {
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
                self.0.begin(plan.source, plan.workspace);
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
                row.set_paths("sensitive_added", &change.sensitive_added);
                row.set_paths("sensitive_removed", &change.sensitive_removed);
                row.set_place(change.source.as_ref());
                row
            }
            Record::Check(check) => {
                let mut row = Row::of("check");
                row.set("address", &check.address);
                row.set_some("check_kind", check.check_kind.as_deref());
                row.set("status", &check.status);
                row.set_list("problems", &check.problems);
                row.set_place(check.source.as_ref());
                row
            }
            Record::ActionInvocation(invocation) => {
                Row::invocation("action_invocation", invocation)
            }
            Record::DeferredActionInvocation(invocation) => {
                Row::invocation("deferred_action_invocation", invocation)
            }
            Record::RelevantAttribute(relevant) => {
                let mut row = Row::of("relevant_attribute");
                row.set("address", &relevant.resource);
                row.set_some("name", relevant.attribute.as_deref());
                row
            }
            Record::FailedAssertion(failed) => {
                let mut row = Row::of("failed_assertion");
                row.set("name", &failed.name);
                row.set("status", &failed.severity);
                let findings = failed.findings.iter().map(|finding| finding.words().into());
                let message = failed.message.as_deref().map(Cow::Borrowed);
                row.set_list("problems", &findings.chain(message).collect::<Vec<_>>());
                row
            }
            Record::Summary(summary) => {
                let mut row = Row::of("summary");
                let text = serde_json::to_string(summary).map_err(write_error)?;
                row.0.push(("summary", inert::json(&text).into_owned().into()));
                row
            }
        };
        self.0.cells(&row.0)
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }
}

/// Converts an error of the CSV writer. Writing cells fails only with I/O errors.
fn csv_error(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => write_error(error),
        _ => write_error(std::io::ErrorKind::Other),
    }
}
