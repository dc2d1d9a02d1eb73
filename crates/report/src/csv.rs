//! Writes records as CSV for spreadsheets, one row per record.
//!
//! The columns are the fields of the records (`cells.rs`). A list takes one cell, with one item
//! per line. The row that begins a document fills only the columns that fit it. The `summary` row
//! holds the whole summary as JSON in the column `summary`. Every row repeats the source and the
//! workspace of its document.
//!
//! In other formats, the location of a block is the member `source`. In rows of changes it takes
//! the columns `block_…`, because the column `source` names the plan. Module calls are left out.
//!
//! The author of the configuration chooses the names in a plan, so a name may be a malicious
//! formula. A cell that looks like a formula gets a leading apostrophe, even if the formula
//! follows white space.
//!
//! Hidden characters and commands of CI runners are always escaped, even with [`Formulas::Raw`]:
//! as `\u{…}` in names, and as `\u…` in JSON (`index`, `importing`, `summary`) and in the quoted
//! keys of paths.

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;

use super::cells::Row;
use super::values::Rows;
use super::{BUFFER, Pace, Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_core::inert::{self, visible};
use plansift_plan::record::{CheckInstance, Finding, Record};

// The columns, in order: one on each line.
const CHANGES: &str = include_str!("csv/changes.txt");
const RESOURCES: &str = include_str!("csv/resources.txt");
const OUTPUTS: &str = include_str!("csv/outputs.txt");
const VARIABLES: &str = include_str!("csv/variables.txt");
const CHECKS: &str = include_str!("csv/checks.txt");
const GROUPS: &str = include_str!("csv/groups.txt");
const CONFIGURATION: &str = include_str!("csv/configuration.txt");
const FINDINGS: &str = include_str!("csv/findings.txt");

/// How to write cells that look like formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// With a leading apostrophe.
    #[default]
    Quoted,
    /// Unchanged: for programs, not for spreadsheets.
    Raw,
}

/// Writes records as CSV: a header, and one row for each record.
pub struct Csv<W: Write> {
    out: ::csv::Writer<W>,
    pace: Pace,
    formulas: Formulas,
    row: Row,
    has_header: bool,
}

impl<W: Write> Csv<W> {
    /// Writes the records of changes to `out`.
    pub fn new(out: W, formulas: Formulas) -> Csv<W> {
        Csv::with(out, formulas, Row::new(CHANGES.lines()))
    }

    /// Writes rows of one kind about the contents of documents. The paths of selected values have
    /// the prefix `values.`, so that they differ from all other columns.
    pub fn values(out: W, formulas: Formulas, rows: Rows<'_>) -> Csv<W> {
        let own = match rows {
            Rows::Resources(_) => RESOURCES,
            Rows::Groups => GROUPS,
            Rows::Outputs => OUTPUTS,
            Rows::Variables => VARIABLES,
            Rows::Checks => CHECKS,
        };
        let own = own.lines().map(str::to_owned);
        let selected = rows.selected().iter().map(|text| format!("values.{text}"));
        Csv::with(out, formulas, Row::new(own.chain(selected).chain(["summary".to_owned()])))
    }

    /// Writes the entries about a configuration.
    pub fn configuration(out: W, formulas: Formulas) -> Csv<W> {
        Csv::with(out, formulas, Row::new(CONFIGURATION.lines()))
    }

    /// Writes the findings of an audit.
    pub fn findings(out: W, formulas: Formulas) -> Csv<W> {
        Csv::with(out, formulas, Row::new(FINDINGS.lines()))
    }

    fn with(out: W, formulas: Formulas, row: Row) -> Csv<W> {
        let out = ::csv::WriterBuilder::new().buffer_capacity(BUFFER).from_writer(out);
        Csv { out, pace: Pace::start(), formulas, row, has_header: false }
    }

    /// Writes the record that ends a document.
    fn summary(&mut self, summary: &impl Serialize) -> Result<()> {
        let json = serde_json::to_string(summary).map_err(write_error)?;
        self.row.clear();
        self.row.set("kind", ["summary"]);
        self.row.set("summary", [inert::json(&json)]);
        self.write()
    }

    fn write(&mut self) -> Result<()> {
        let Csv { out, formulas, row, .. } = self;
        if !std::mem::replace(&mut self.has_header, true) {
            let header = row.columns.iter().map(|column| inert::json(column).into_owned());
            out.write_record(header.map(String::into_bytes)).map_err(csv_error)?;
        }
        for cell in row.cells() {
            out.write_field(formulas.cell(cell).as_bytes()).map_err(csv_error)?;
        }
        out.write_record(None::<&[u8]>).map_err(csv_error)?;
        if self.pace.is_due(1) { self.finish() } else { Ok(()) }
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
        match record {
            Record::Summary(summary) => return self.summary(summary),
            Record::RowSummary(summary) => return self.summary(summary),
            Record::ConfigurationSummary(_) | Record::AuditSummary(_) => {
                return self.summary(record);
            }
            _ => self.row.fill(record)?,
        }
        set_lists(record, &mut self.row);
        self.write()
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}

/// Sets the cells of the lists of objects in a record: a line for each object.
fn set_lists(record: &Record<'_>, row: &mut Row) {
    match record {
        Record::FailedAssertion(failed) => {
            let findings = failed.findings.iter().map(Finding::words);
            let lines = findings.chain(failed.message.as_deref().map(str::to_owned));
            row.set("problems", lines.map(|it| visible(&it)));
        }
        Record::CheckResult(check) => {
            let words = |instance: CheckInstance<'_>| {
                let words = [instance.address, instance.status].into_iter().flatten();
                visible(&words.collect::<Vec<_>>().join(" "))
            };
            row.set("instances", check.instances.iter().flatten().map(words));
            let problems = check.instances.iter().flatten().flat_map(|it| it.problems.iter());
            row.set("problems", problems.flatten().map(|problem| visible(&problem)));
        }
        Record::Element(located) => {
            let lines = located.element.expressions.iter().flat_map(|expression| {
                let path = inert::json(&expression.path);
                let line = move |text: &String| format!("{path}: {}", inert::text(text));
                expression.references.iter().map(line)
            });
            row.set("references", lines);
        }
        _ => {}
    }
}

/// Converts an error of the CSV writer. Writing cells fails only with I/O errors.
fn csv_error(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => write_error(error),
        _ => write_error(std::io::ErrorKind::Other),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use plansift_plan::record::{self, schemas};

    /// The columns that writers set: a summary as JSON, and the words of lists of objects.
    const SET: [&str; 3] = ["summary", "instances", "problems"];

    /// A record with one field besides its kind.
    #[derive(Serialize)]
    struct Sample<'a> {
        kind: &'a str,
        #[serde(flatten)]
        field: &'a Value,
    }

    /// Returns a value for each part of a schema, with the name of the part: the members of an
    /// object, or the value as a whole.
    fn samples(schema: &Value, definitions: &Value) -> Vec<(String, Value)> {
        if let Some(name) = definition(schema) {
            return samples(&definitions[name], definitions);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return choices.iter().flat_map(|choice| samples(choice, definitions)).collect();
        }
        if let Some(members) = schema["properties"].as_object() {
            let member = |(name, schema): (&String, &Value)| {
                // JSON text in one cell.
                let is_whole = name == "importing";
                let schema = if is_whole { &Value::Null } else { schema };
                let parts = samples(schema, definitions).into_iter();
                let named = |(part, value): (String, Value)| {
                    let part = [name, part.as_str()].join(if part.is_empty() { "" } else { "." });
                    (part, json!({ name.as_str(): value }))
                };
                parts.map(named).collect::<Vec<_>>()
            };
            return members.iter().flat_map(member).collect();
        }
        let value = match schema["type"].as_str() {
            Some("object") => return Vec::new(),
            Some("array") => {
                samples(&schema["items"], definitions).into_iter().map(|(_, item)| item).collect()
            }
            _ => json!("text"),
        };
        vec![(String::new(), value)]
    }

    fn definition(schema: &Value) -> Option<&str> {
        schema["$ref"].as_str()?.rsplit('/').next()
    }

    /// Checks that all fields of the records of these kinds (of all, without `kinds`) have a
    /// column, except `left_out`. With `UPDATE=1`, adds the missing columns to the file. Also
    /// checks that all columns have a field.
    fn check_columns(file: &str, schema: &str, kinds: &[&str], left_out: &str) {
        let path = format!("{}/src/csv/{file}.txt", env!("CARGO_MANIFEST_DIR"));
        let mut columns = std::fs::read_to_string(&path).expect("the columns");
        let mut row = Row::new(columns.lines());
        let mut unfilled = row.columns.clone();
        unfilled.retain(|column| column != "kind" && !SET.contains(&column.as_str()));
        let left_out: BTreeSet<_> = left_out.split(' ').map(str::to_owned).collect();
        let (mut missing, mut seen) = (Vec::new(), BTreeSet::new());
        for (kind, name, field) in fields(schema, kinds) {
            let filled = filled(&mut row, &kind, &field);
            assert!(filled.len() < 2, "{kind}.{name} fills {filled:?}");
            unfilled.retain(|column| !filled.contains(column));
            if filled.is_empty() && left_out.contains(&name) {
                seen.insert(name);
            } else if filled.is_empty() {
                missing.push((kind, name, field));
            }
        }
        assert_eq!(seen, left_out, "fields without a column");
        assert!(unfilled.is_empty(), "no field fills {unfilled:?}");
        if std::env::var_os("UPDATE").is_none() {
            let missing: Vec<_> = missing.iter().map(|(kind, name, _)| [kind, name]).collect();
            assert!(missing.is_empty(), "{missing:?} have no column: run with UPDATE=1");
            return;
        }
        for (kind, name, field) in missing {
            let member = name.rsplit('.').next().expect("a name");
            let candidates = ["", "block_", "of_"].map(|prefix| format!("{prefix}{member}"));
            let is_filled =
                |column: &&String| !filled(&mut column_row(column), &kind, &field).is_empty();
            let column = candidates.iter().find(is_filled).expect("a column");
            if !columns.lines().any(|line| line == column) {
                columns += &format!("{column}\n");
            }
        }
        std::fs::write(path, columns).expect("the columns");
    }

    fn column_row(column: &str) -> Row {
        Row::new(["kind", column].into_iter())
    }

    /// Returns the columns that a field of a record fills.
    fn filled(row: &mut Row, kind: &str, field: &Value) -> Vec<String> {
        ["source", "workspace"].iter().for_each(|column| row.set(column, [""]));
        row.fill(&Sample { kind, field }).unwrap_or_else(|error| panic!("{kind}: {error}"));
        let is_filled = |column: &&String| !row.get(column).is_empty();
        row.columns[1..].iter().filter(is_filled).cloned().collect()
    }

    /// Returns the fields of the records of these kinds, or of all without `kinds`: the kind, the
    /// name and an object with a sample.
    fn fields(schema: &str, kinds: &[&str]) -> Vec<(String, String, Value)> {
        let schema: Value = serde_json::from_str(schema).expect("JSON");
        let definitions = &schema["$defs"];
        let mut fields = Vec::new();
        for name in schema["oneOf"].as_array().expect("records").iter().filter_map(definition) {
            if name == "summary" || !(kinds.is_empty() || kinds.contains(&name)) {
                continue;
            }
            let record = &definitions[name];
            let kind = &record["properties"]["kind"];
            let kind = kind["const"].as_str().or(kind["enum"][0].as_str()).expect("a kind");
            for (name, field) in samples(record, definitions) {
                if name != "kind" {
                    fields.push((kind.to_owned(), name, field));
                }
            }
        }
        fields
    }

    #[test]
    fn columns_are_fields() {
        let left_out = "failed file findings line message schema_version source.module_calls";
        check_columns("changes", schemas::CHANGES, &[], left_out);
        let left_out = "expressions schema_version source.module_calls";
        check_columns("configuration", schemas::CONFIGURATION, &[], left_out);
        check_columns("findings", schemas::AUDIT, &[], "schema_version");
        for (file, kind, left_out) in [
            ("resources", "resource", "schema_version"),
            ("outputs", "output", "schema_version"),
            ("variables", "variable", "schema_version"),
            ("checks", "check", "instances schema_version"),
            ("groups", "group", "schema_version"),
        ] {
            check_columns(file, schemas::CONTENTS, &["document", kind], left_out);
        }
    }

    #[test]
    fn a_value_that_is_selected_twice_fills_both_columns() {
        let value = || ("id", Some(record::JsonText::new("\"a\"")));
        let values = vec![value(), value()];
        let resource = record::Resource { values, ..Default::default() };
        let mut row = Row::new(["kind", "values.id", "values.id"].into_iter());
        row.fill(&record::Record::Resource(resource)).expect("cells");
        assert_eq!(row.cells().collect::<Vec<_>>(), ["resource", "a", "a"]);
    }
}
