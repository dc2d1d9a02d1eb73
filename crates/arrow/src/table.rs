//! The tables and their columns, derived from the JSON Schemas of the records.
//!
//! A column has the name and the type of a field:
//!
//! | field in the schema | column |
//! | --- | --- |
//! | string, or one of several words | text |
//! | integer | 64-bit integer |
//! | boolean, or present only if true | boolean |
//! | list of strings | list of text |
//! | object with named members | a column for each member, with the name of the field before it |
//! | anything else: other numbers, other lists, values | JSON text |
//!
//! Every table also has the columns `source` and `workspace`, which name the document, and
//! `schema_version`, the version of the record format. Two fields have other names, because they
//! would collide with these: the location of a block has columns `block_…`, and the version of a
//! resource's schema has the column `resource_schema_version`.

use serde_json::{Map, Value};

use plansift_plan::record::schemas;

/// The commands that write the same kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `changes` and `batch`.
    Changes,
    /// `resources`, `outputs`, `variables` and `checks`.
    Contents,
    /// `config`.
    Configuration,
    /// `audit`.
    Audit,
}

/// The name of the table with one row for each plan.
pub const PLANS: &str = "plans";
/// The name of the table with one row for each document of the other commands.
pub const DOCUMENTS: &str = "documents";
/// The name of the table with one row for each path that a change touches.
pub const PATHS: &str = "paths";

/// The lists of paths in the records of changes. The table of paths has a boolean for each.
pub(crate) const PATH_LISTS: [&str; 6] =
    ["changed", "unknown", "sensitive", "sensitive_added", "sensitive_removed", "replace_paths"];

impl Family {
    fn schema(self) -> &'static str {
        match self {
            Family::Changes => schemas::CHANGES,
            Family::Contents => schemas::CONTENTS,
            Family::Configuration => schemas::CONFIGURATION,
            Family::Audit => schemas::AUDIT,
        }
    }

    /// The names of the tables, and the definitions of their records in the schema.
    fn definitions(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Family::Changes => &[
                (PLANS, &["plan", "summary"]),
                ("resource_changes", &["resource_change", "deferred_change"]),
                ("drift", &["resource_drift"]),
                ("outputs", &["output_change"]),
                ("checks", &["check"]),
                ("invocations", &["action_invocation"]),
                ("relevant_attributes", &["relevant_attribute"]),
                ("failed_assertions", &["failed_assertion"]),
            ],
            Family::Contents => &[
                (DOCUMENTS, &["document", "summary"]),
                ("resources", &["resource"]),
                ("output_values", &["output"]),
                ("variables", &["variable"]),
                ("check_results", &["check"]),
                ("groups", &["group"]),
            ],
            Family::Configuration => &[
                (DOCUMENTS, &["configuration", "summary"]),
                (
                    "elements",
                    &["provider", "module_call", "resource", "output", "variable", "action"],
                ),
                ("references", &["reference", "dependent"]),
            ],
            Family::Audit => &[(DOCUMENTS, &["audit", "summary"]), ("findings", &["finding"])],
        }
    }

    /// All tables of the family.
    pub fn tables(self) -> Vec<Table> {
        let schema: Value = serde_json::from_str(self.schema()).unwrap_or_default();
        let definitions = self.definitions().iter();
        let mut tables: Vec<Table> =
            definitions.map(|(name, kinds)| Table::derive(name, kinds, &schema["$defs"])).collect();
        if self == Family::Changes {
            tables.push(Table::paths(&tables));
        }
        tables
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// The name, which is also the name of its file.
    pub name: &'static str,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// The kinds of records that become rows.
    pub(crate) kinds: Vec<String>,
    /// The fields whose columns have another name: objects, whose members have columns that start
    /// with this name, and one field that would collide with a column of all tables.
    pub(crate) renamed: Vec<(String, String)>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name.
    pub name: String,
    /// The type of the cells.
    pub cells: Cells,
}

/// The type of the cells of a column. Every cell may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// UTF-8 text.
    Text,
    /// A JSON value, as compact text.
    Json,
    /// A signed integer of 64 bits.
    Integer,
    /// `true` or `false`. Null if the record does not have the field.
    Boolean,
    /// A list of texts.
    Texts,
    /// A time in microseconds, UTC.
    Time,
}

impl Table {
    fn derive(name: &'static str, definitions: &[&str], schemas: &Value) -> Table {
        let mut table =
            Table { name, columns: Vec::new(), kinds: Vec::new(), renamed: Vec::new() };
        for common in ["source", "workspace", "kind"] {
            table.add(common, Cells::Text);
        }
        if matches!(name, PLANS | DOCUMENTS) {
            table.add("status", Cells::Text);
            table.add("error", Cells::Text);
        }
        for definition in definitions {
            let properties = members(&schemas[definition]["properties"]);
            for (field, property) in properties.into_iter().flatten() {
                match field.as_str() {
                    "kind" => table.kinds.extend(words(property)),
                    "schema_version" if property["const"].is_null() => {
                        table.renamed.push((field.clone(), "resource_schema_version".to_owned()));
                        table.add("resource_schema_version", cells(property));
                    }
                    "schema_version" => {}
                    _ => table.add_field(field, property, schemas),
                }
            }
        }
        table.add("schema_version", Cells::Integer);
        table
    }

    /// The table of paths. Its rows come from the records of the other tables.
    fn paths(others: &[Table]) -> Table {
        let has_paths = |table: &&Table| table.columns.iter().any(|it| it.name == "changed");
        let kinds = others.iter().filter(has_paths).flat_map(|table| table.kinds.clone());
        let (columns, renamed) = (Vec::new(), Vec::new());
        let mut table = Table { name: PATHS, columns, kinds: kinds.collect(), renamed };
        let names =
            ["source", "workspace", "kind", "address", "deposed", "type", "name", "action", "path"];
        names.iter().for_each(|name| table.add(name, Cells::Text));
        PATH_LISTS.iter().for_each(|name| table.add(name, Cells::Boolean));
        table.add("schema_version", Cells::Integer);
        table
    }

    fn add_field(&mut self, field: &str, property: &Value, schemas: &Value) {
        let definition = property["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        let property = definition.map_or(property, |name| &schemas[name]);
        let variants = property["anyOf"].as_array();
        let parts: Vec<&Value> = match variants {
            Some(variants) => variants.iter().collect(),
            None => vec![property],
        };
        let resolve = |part: &'_ Value| match part["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
            Some(name) => schemas[name]["properties"].clone(),
            None => part["properties"].clone(),
        };
        let nested: Vec<Value> = parts.into_iter().map(resolve).collect();
        if nested.iter().all(|it| members(it).is_none_or(Map::is_empty)) {
            let cells = if field == "timestamp" { Cells::Time } else { cells(property) };
            return self.add(field, cells);
        }
        let start = if field == "source" { "block" } else { field };
        for (name, member) in nested.iter().filter_map(members).flatten() {
            self.add(&format!("{start}_{name}"), cells(member));
        }
        self.renamed.push((field.to_owned(), start.to_owned()));
    }

    fn add(&mut self, name: &str, cells: Cells) {
        if self.columns.iter().all(|column| column.name != name) {
            self.columns.push(Column { name: name.to_owned(), cells });
        }
    }

    /// Keeps only the columns with these names. Only they are built.
    pub fn keep(&mut self, names: &[&str]) {
        self.columns.retain(|column| names.contains(&column.name.as_str()));
    }
}

fn members(value: &Value) -> Option<&Map<String, Value>> {
    value.as_object()
}

/// The words that a field may have: one constant, or several.
fn words(property: &Value) -> impl Iterator<Item = String> {
    let several = property["enum"].as_array().into_iter().flatten();
    let one = Some(&property["const"]).into_iter();
    several.chain(one).filter_map(Value::as_str).map(str::to_owned)
}

fn cells(property: &Value) -> Cells {
    let is_word = words(property).next().is_some();
    match property["type"].as_str() {
        Some("string") => Cells::Text,
        Some("integer") => Cells::Integer,
        Some("boolean") => Cells::Boolean,
        Some("array") if property["items"]["type"] == "string" => Cells::Texts,
        None if is_word => Cells::Text,
        None if property["const"] == true => Cells::Boolean,
        _ => Cells::Json,
    }
}
