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

use plansift_plan::record::schemas;

use crate::schema::Node;

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
        let schema = Node::parse(self.schema());
        let definitions = self.definitions().iter();
        let mut tables: Vec<Table> =
            definitions.map(|(name, kinds)| Table::derive(name, kinds, &schema)).collect();
        if self == Family::Changes {
            tables.push(Table::paths(&tables));
        }
        tables
    }
}

/// A table.
#[derive(Clone, Debug, Default)]
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
    fn derive(name: &'static str, definitions: &[&str], schema: &Node) -> Table {
        let (columns, kinds, renamed) = (Vec::new(), Vec::new(), Vec::new());
        let mut table = Table { name, columns, kinds, renamed };
        for common in ["source", "workspace", "kind"] {
            table.add(common, Cells::Text);
        }
        if matches!(name, PLANS | DOCUMENTS) {
            table.add("status", Cells::Text);
            table.add("error", Cells::Text);
        }
        for definition in definitions {
            let fields = schema.definition(definition).into_iter().flat_map(Node::properties);
            for (field, property) in fields {
                match field {
                    "kind" => table.kinds.extend(property.words().map(str::to_owned)),
                    "schema_version" if property.constant.is_null() => {
                        let column = "resource_schema_version";
                        table.renamed.push((field.to_owned(), column.to_owned()));
                        table.add(column, cells(property));
                    }
                    "schema_version" => {}
                    _ => table.add_field(field, property, schema),
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

    fn add_field(&mut self, field: &str, property: &Node, schema: &Node) {
        let property = schema.resolve(property);
        let variants = property.variants().map(|variant| schema.resolve(variant));
        let members: Vec<(&str, &Node)> = variants.flat_map(Node::properties).collect();
        if members.is_empty() {
            let cells = if field == "timestamp" { Cells::Time } else { cells(property) };
            return self.add(field, cells);
        }
        let start = if field == "source" { "block" } else { field };
        for (name, member) in members {
            self.add(&format!("{start}_{name}"), cells(member));
        }
        self.renamed.push((field.to_owned(), start.to_owned()));
    }

    fn add(&mut self, name: &str, cells: Cells) {
        if self.columns.iter().all(|column| column.name != name) {
            self.columns.push(Column { name: name.to_owned(), cells });
        }
    }

    /// Keeps only the columns with these names, in this order. Only they are built.
    pub fn keep(&mut self, names: &[String]) {
        let mut columns = std::mem::take(&mut self.columns);
        for name in names {
            if let Some(at) = columns.iter().position(|column| column.name == *name) {
                self.columns.push(columns.remove(at));
            }
        }
    }

    /// Adds the column `error`. A document that cannot be read is then a row of this table.
    pub fn add_errors(&mut self) {
        self.add("error", Cells::Text);
    }
}

fn cells(property: &Node) -> Cells {
    match property.type_name() {
        Some("string") => Cells::Text,
        Some("integer") => Cells::Integer,
        Some("boolean") => Cells::Boolean,
        Some("array") if property.is_list_of_strings() => Cells::Texts,
        None if property.words().next().is_some() => Cells::Text,
        None if property.constant == true => Cells::Boolean,
        _ => Cells::Json,
    }
}
