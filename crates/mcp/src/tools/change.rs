//! `change`: one change with its values, its block, and what depends on it.

use plansift_core::error::Result as ReadResult;
use plansift_core::inert::visible;
use plansift_hcl::blocks::{Configuration, Detail, Snapshot};
use plansift_plan::record::{
    Attribute, Attributes, Difference, Excerpt, Line, Lines, Record, Shown, Sink,
};
use plansift_report::compact::{Risk, remark, stand_in};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{
    LeftOut, Refusal, Room, budget, is_false, is_zero, shortened, shortened_with, size,
};
use crate::context::{Context, NamedPlan};
use crate::reading::{Request, read_plan};
use crate::rows::{ChangeRow, DependentRow};
use crate::tool::Tool;

/// The tool.
pub struct OneChange;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// A plan file or the JSON of a plan: its path from the root.
    plan: String,
    /// The address, as `changes` writes it. For an output, `output.` and its name.
    address: String,
    /// The key of a deposed object.
    deposed: Option<String>,
    /// Number of values to skip: `next` of the answer before. By default 0.
    #[serde(default)]
    start: u64,
    /// Budget of the answer in bytes: 2000 to 200000, by default 8000.
    max_bytes: Option<u64>,
}

/// A change with its values.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The change. Its paths are in `values`.
    change: ChangeRow,
    /// The block in the configuration of the plan file.
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<BlockPlace>,
    /// What the plan says about the address elsewhere: drift, a deferred change, a check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<ChangeRow>,
    /// Number of further records about the address.
    #[serde(skip_serializing_if = "is_zero")]
    more_also: u64,
    /// The first elements of the configuration that depend on the resource. Absent if the plan does
    /// not say. References through local values are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    dependents: Option<Vec<DependentRow>>,
    /// Number of further dependents.
    #[serde(skip_serializing_if = "is_zero")]
    more_dependents: u64,
    /// The attributes that change or, for an object on one side only, have a value.
    values: Vec<ValueRow>,
    /// Number of attributes that stay as they are.
    #[serde(skip_serializing_if = "is_zero")]
    unchanged: u64,
    /// The `start` that continues `values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    /// Attributes that are not in `values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// An attribute with its values, as JSON text. `(known after apply)`, `(sensitive value)` and
/// `(repeats a sensitive value)` take the place of a value.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ValueRow {
    /// The path. Empty for a whole output.
    path: String,
    /// The value before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The value after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// The differences of two texts: lines with `+`, `-` or a space.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
    /// Number of differing lines that are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    more_lines: u64,
    /// Whether the attribute forces the replacement.
    #[serde(skip_serializing_if = "is_false")]
    replaces: bool,
    /// How the values differ, if only in form, order or marks.
    #[serde(skip_serializing_if = "str::is_empty")]
    remark: &'static str,
}

/// The place of a block.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlockPlace {
    /// The file, from the folder of the configuration.
    file: String,
    /// The first line.
    line: u32,
    /// The last line.
    end_line: u32,
}

/// Maximum length of a path, in bytes.
const PATH_MAX: usize = 400;
/// Maximum number of dependents, and of other records about the address.
const DEPENDENTS: usize = 20;
/// See [`DEPENDENTS`].
const ALSO: usize = 3;

/// Says how to ask for the rest.
const ASK: &str = "start: next, or a larger max_bytes";
const NO_CHANGE: &str = "the plan has no change at this address";
const LIST: &str = "`changes` lists the addresses; they include the key of an instance";

impl Tool for OneChange {
    const NAME: &'static str = "change";
    const DESCRIPTION: &'static str =
        "One change with its values before and after, its block, and what depends on it.";
    type Parameters = Parameters;
    type Answer = Answer;

    fn answer(context: &Context<'_>, parameters: Parameters) -> Result<Answer, Refusal> {
        let max = budget(parameters.max_bytes)?;
        let plan = context.plan(&parameters.plan)?;
        let start = usize::try_from(parameters.start).unwrap_or(usize::MAX);
        let mut found = FoundChange {
            address: visible(&parameters.address),
            deposed: parameters.deposed.as_deref().map(visible),
            start,
            max: usize::try_from(max).unwrap_or(usize::MAX),
            change: None,
            also: Vec::new(),
        };
        let request =
            Request { dependents_of: Some(&parameters.address), ..Request::new(&mut found) };
        let read = read_plan(context, &plan, request)?;
        let FoundChange { change, mut also, max: found_max, .. } = found;
        let change = change.or_else(|| match also.is_empty() {
            true => None,
            false => Some(also.remove(0)),
        });
        let Some(Kept { row, values, count, unchanged }) = change else {
            return Err(Refusal::new(NO_CHANGE, LIST));
        };
        let block = block(context, &plan, &parameters.address, found_max / 10);
        let mut answer = Answer {
            change: row,
            block,
            also: also.into_iter().map(|kept| kept.row).collect(),
            more_also: 0,
            dependents: read.dependents.as_ref().map(|_| Vec::new()),
            more_dependents: u64::MAX,
            values: Vec::new(),
            unchanged,
            next: Some(u64::MAX),
            left_out: LeftOut::most(ASK),
        };
        // Half of the answer is for the values and the dependents.
        while size(&answer) > found_max / 2 && answer.also.pop().is_some() {
            answer.more_also += 1;
        }
        let mut room = Room::new(max, &answer);
        let mut part = room.part(4);
        let dependents = read.dependents.unwrap_or_default();
        let total = dependents.len();
        let dependents: Vec<DependentRow> = dependents
            .into_iter()
            .take(DEPENDENTS)
            .take_while(|row| part.take(row) && room.take(row))
            .collect();
        answer.more_dependents = (total - dependents.len()) as u64;
        if let Some(list) = &mut answer.dependents {
            *list = dependents;
        }
        answer.values = values.into_iter().take_while(|row| room.take(row)).collect();
        let shown = start.saturating_add(answer.values.len()) as u64;
        let rest = count.saturating_sub(shown);
        answer.next = (rest > 0).then_some(shown);
        answer.left_out = LeftOut::of(rest, ASK);
        Ok(answer)
    }
}

/// Finds the block of a resource in the configuration of a plan file. A configuration that cannot
/// be read is no error, because the change is known.
fn block(context: &Context<'_>, plan: &NamedPlan, address: &str, max: usize) -> Option<BlockPlace> {
    let limits = &context.settings.read.limits;
    let kept = plan.entry.keep(limits).ok()?;
    let files = kept.configuration(limits).ok()??;
    let snapshot = Snapshot::new(files, limits).ok()??;
    let configuration = Configuration::read_with(&snapshot, Detail::Locations, limits).ok()?;
    let block = configuration.find(address)?.block;
    Some(BlockPlace {
        file: shortened(&visible(&block.definition.file), PATH_MAX.min(max)),
        line: block.definition.range.start.line,
        end_line: block.range.end.line,
    })
}

/// Keeps what a plan says about an address.
struct FoundChange {
    address: String,
    deposed: Option<String>,
    /// Number of values to skip.
    start: usize,
    max: usize,
    /// The element of `resource_changes` or `output_changes`.
    change: Option<Kept>,
    also: Vec<Kept>,
}

/// A record about the address.
struct Kept {
    row: ChangeRow,
    values: Vec<ValueRow>,
    /// Number of values of the record.
    count: u64,
    unchanged: u64,
}

impl FoundChange {
    fn keep(&self, risk: Risk, record: &Record<'_>) -> Kept {
        let none = Attributes::default();
        let attributes = match record {
            Record::OutputChange(output) => &output.attributes,
            Record::ActionInvocation(invoked) | Record::DeferredActionInvocation(invoked) => {
                &invoked.attributes
            }
            record => record.resource().map_or(&none, |change| &change.attributes),
        };
        let row = ChangeRow::of(risk, record).without_paths(self.max / 5);
        let shown =
            attributes.list.iter().filter(|attribute| attribute.difference != Difference::Nothing);
        let mut room = Room::new(self.max as u64, &"");
        let rows =
            shown.clone().skip(self.start).map(|attribute| ValueRow::of(attribute, self.max));
        Kept {
            row,
            values: rows.take_while(|row| room.take(row)).collect(),
            count: shown.count() as u64 + attributes.left_out,
            unchanged: attributes.unchanged,
        }
    }
}

impl Sink for FoundChange {
    fn record(&mut self, record: &Record<'_>) -> ReadResult<()> {
        let Some(risk) = Risk::of(record) else { return Ok(()) };
        let deposed = record.resource().and_then(|change| change.resource.deposed.as_deref());
        if ChangeRow::address_of(record) != self.address || deposed != self.deposed.as_deref() {
            return Ok(());
        }
        let is_change = matches!(record, Record::ResourceChange(_) | Record::OutputChange(_));
        if is_change && self.change.is_none() {
            self.change = Some(self.keep(risk, record));
        } else if self.also.len() < ALSO {
            self.also.push(self.keep(risk, record));
        }
        Ok(())
    }

    fn finish(&mut self) -> ReadResult<()> {
        Ok(())
    }
}

impl ValueRow {
    /// Returns the row of an attribute, for an answer of `max` bytes. It takes a third of them at
    /// most, so that an answer has room for it.
    fn of(attribute: &Attribute, max: usize) -> ValueRow {
        let mut value_max = max / 10;
        loop {
            let row = ValueRow::with_values(attribute, value_max);
            if size(&row) <= max / 3 || value_max < 16 {
                return row;
            }
            value_max /= 2;
        }
    }

    fn with_values(attribute: &Attribute, value_max: usize) -> ValueRow {
        let Attribute { path, before, after, replaces, lines, .. } = attribute;
        let mut row = ValueRow {
            path: shortened(path, PATH_MAX.min(value_max)),
            before: side(before, value_max),
            after: side(after, value_max),
            replaces: *replaces,
            remark: remark(attribute),
            ..ValueRow::default()
        };
        if let Some(lines) = lines {
            row.add_lines(lines, value_max * 2);
        }
        row
    }

    /// Adds the differences of two texts, up to about `max` bytes.
    fn add_lines(&mut self, lines: &Lines, max: usize) {
        self.more_lines = lines.left_out;
        let mut left = max;
        for line in lines.iter() {
            let text = match line {
                Line::Same(text) => format!(" {}", visible(text)),
                Line::Removed(text) => format!("-{}", visible(text)),
                Line::Added(text) => format!("+{}", visible(text)),
                Line::Skipped(count) => format!("@ {count} equal lines"),
            };
            let text = shortened(&text, max / 4);
            // Quotes and a comma.
            match left.checked_sub(text.len() + 3) {
                Some(rest) if self.more_lines == lines.left_out => {
                    left = rest;
                    self.lines.push(text);
                }
                _ => {
                    self.more_lines += u64::from(!matches!(line, Line::Same(_) | Line::Skipped(_)))
                }
            }
        }
    }
}

/// Returns the text of a side. `None` if it has no value.
fn side(shown: &Shown, max: usize) -> Option<String> {
    match shown {
        Shown::Absent | Shown::Withheld => None,
        Shown::Scalar(excerpt) | Shown::Container(excerpt) => {
            let Excerpt { text, left_out, .. } = excerpt;
            Some(shortened_with(&visible(text), max, *left_out))
        }
        other => Some(stand_in(other).into_owned()),
    }
}
