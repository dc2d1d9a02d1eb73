//! What a user asks for: a table, its columns, filters and inputs.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::inputs::Inputs;
use plansift_arrow::table::{Cells, Family, PATHS, Table};
use plansift_core::limits::Limits;
use plansift_core::path::{self, AddressPattern};
use plansift_fleet::source::Rule;
use plansift_plan::plan::Accepts;
use plansift_plan::record::patterns::{Named, NamedKind, UnmatchedPatterns};
use plansift_plan::record::values::{RowKind, Select};
use plansift_report::filter::{ActionFilter, Only};

/// The rows to read.
#[derive(Clone)]
pub struct Query {
    pub table: &'static str,
    pub family: Family,
    /// The columns, in the order of the table. `None` is all columns.
    columns: Option<Vec<String>>,
    pub inputs: Inputs,
    /// Conditions for the rows. A row meets one of each kind.
    pub only: Vec<Only>,
    /// The values in the rows of resources.
    pub select: Select,
    /// Whether the rows of outputs and variables have values.
    pub values: bool,
    /// The address of the element whose references are rows.
    pub references: Option<String>,
    /// The address of the element whose dependents are rows.
    pub dependents: Option<String>,
    pub shows_all: bool,
    pub on_error: OnError,
    pub threads: Option<usize>,
    pub limits: Limits,
    pub workspace_from: Option<String>,
}

/// What happens at a document that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// The stream fails.
    Raise,
    /// The document becomes a row with an error.
    Row,
}

/// The arguments that filter rows, and the columns that they are about. A table has one of these
/// columns.
const FILTERS: [(&str, &[&str]); 4] = [
    ("actions", &["action"]),
    ("types", &["type"]),
    ("modules", &["module_address", "module"]),
    ("addresses", &["address"]),
];

/// The tables whose rows have a value if the user asks for it.
const TABLES_WITH_VALUE: [&str; 2] = ["output_values", "variables"];

/// The columns whose cells need the values of a change, not only its actions.
const COLUMNS_OF_VALUES: [&str; 9] = [
    "changed",
    "unknown",
    "sensitive",
    "sensitive_added",
    "sensitive_removed",
    "replace_paths",
    "changed_paths",
    "unknown_paths",
    "sensitive_paths",
];

impl Query {
    /// Asks for all columns of a table. Fails if there is no such table.
    pub fn new(table: &str) -> Result<Query, String> {
        let families = [Family::Changes, Family::Contents, Family::Configuration, Family::Audit];
        let tables = families.map(|family| (family, family.tables()));
        let found = tables.iter().find_map(|(family, tables)| {
            tables.iter().find(|it| it.name == table).map(|table| (*family, table.name))
        });
        let (family, table) = found.ok_or_else(|| format!("there is no table {table}"))?;
        Ok(Query {
            table,
            family,
            columns: None,
            inputs: Inputs::default(),
            only: Vec::new(),
            select: Select::default(),
            values: false,
            references: None,
            dependents: None,
            shows_all: false,
            on_error: OnError::Raise,
            threads: None,
            limits: Limits::default(),
            workspace_from: None,
        })
    }

    /// Keeps only these columns, and the column for errors. Without it, documents that cannot be read
    /// would have no row. Fails if there is no such column.
    pub fn keep(&mut self, mut columns: Vec<String>) -> Result<(), String> {
        let known = self.table().columns;
        if let Some(name) = columns.iter().find(|name| known.iter().all(|it| it.name != **name)) {
            let known: Vec<_> = known.into_iter().map(|it| it.name).collect();
            return Err(format!("there is no column {name}: the columns are {}", known.join(", ")));
        }
        if self.on_error == OnError::Row {
            columns.push("error".to_owned());
        }
        self.columns = Some(columns);
        Ok(())
    }

    /// Adds filters: the name of an argument, and its patterns. Fails if the table has no column
    /// for them, or if there is no such action.
    pub fn filter(&mut self, filters: &[(String, Vec<String>)]) -> Result<(), String> {
        let known = self.filters();
        for (name, patterns) in filters {
            if !known.contains(&name.as_str()) {
                let others = match known.is_empty() {
                    true => "it has no filters".to_owned(),
                    false => format!("its filters are {}", known.join(", ")),
                };
                return Err(format!("{name} cannot filter the table {}: {others}", self.table));
            }
            for pattern in patterns {
                self.only.push(match name.as_str() {
                    "actions" => Only::Action(ActionFilter::named(pattern).ok_or_else(|| {
                        let words: Vec<_> = ActionFilter::words().collect();
                        format!("unknown action {pattern}: the actions are {}", words.join(", "))
                    })?),
                    "types" => Only::Type(AddressPattern::new(pattern)),
                    "modules" => Only::Module(AddressPattern::new(pattern)),
                    _ => Only::Address(AddressPattern::new(pattern)),
                });
            }
        }
        Ok(())
    }

    /// The patterns whose matches the reader of the table records; `None` if there are none.
    pub fn patterns(&self) -> Option<Arc<UnmatchedPatterns>> {
        let thing = match self.table {
            "resource_changes" | "drift" | PATHS | "resources" => None,
            "checks" => Some(NamedKind::Check),
            "invocations" => Some(NamedKind::Action),
            _ => return None,
        };
        let filters = self.only.iter().filter_map(|only| {
            let (name, pattern) = match only {
                Only::Address(pattern) => ("addresses", pattern),
                Only::Type(pattern) => ("types", pattern),
                Only::Module(pattern) => ("modules", pattern),
                _ => return None,
            };
            let named = match thing {
                Some(thing) => Named::NonResource(thing, pattern.clone()),
                None => only.named()?.1,
            };
            Some((format!("{name}: {}", pattern.text()), named))
        });
        let paths = self.select.texts().iter().filter_map(|text| {
            let path = path::Pattern::parse(text).ok()?;
            Some((format!("select: {text}"), Named::Path(path, None)))
        });
        let mut patterns = filters.chain(paths).peekable();
        patterns.peek()?;
        Some(Arc::new(UnmatchedPatterns::new(patterns)))
    }

    /// The arguments that filter the rows of the table.
    fn filters(&self) -> Vec<&'static str> {
        let columns = self.all_columns().columns;
        // The types of outputs and variables are JSON. They are not types of resources.
        let has =
            |name: &&str| columns.iter().any(|it| it.name == *name && it.cells == Cells::Text);
        // The rows of paths have no module. The changes that they come from have one.
        let has_filter = |name: &str, columns: &[&str]| {
            columns.iter().any(has) || (self.table == PATHS && name == "modules")
        };
        let filters = FILTERS.iter().filter(|(name, columns)| has_filter(name, columns));
        filters.map(|(name, _)| *name).collect()
    }

    /// Fails if an argument is wrong.
    pub fn check(&self) -> Result<(), String> {
        if !self.select.is_empty() && self.table != "resources" {
            return Err("select is for the table resources".to_owned());
        }
        if self.values && !TABLES_WITH_VALUE.contains(&self.table) {
            return Err(format!("values is for the tables {}", TABLES_WITH_VALUE.join(", ")));
        }
        let addresses = [&self.references, &self.dependents].into_iter().flatten().count();
        if addresses != usize::from(self.table == "references") {
            return Err("the table references needs the address of an element, as references or \
                        as dependents; other tables have neither"
                .to_owned());
        }
        if self.threads == Some(0) {
            return Err("threads is a number from 1".to_owned());
        }
        self.rule().map(drop)
    }

    pub fn rule(&self) -> Result<Rule, String> {
        let Some(text) = &self.workspace_from else { return Ok(Rule::Path) };
        Rule::parse(text).map_err(|_| {
            "workspace_from: {workspace} must be in it once, as in plans/{workspace}.json"
                .to_owned()
        })
    }

    /// The table with the asked columns.
    pub fn table(&self) -> Table {
        let mut table = self.all_columns();
        if self.on_error == OnError::Row {
            table.add_errors();
        }
        if let Some(columns) = &self.columns {
            table.keep(columns);
        }
        table
    }

    fn all_columns(&self) -> Table {
        let mut tables = self.family.tables().into_iter();
        tables.find(|table| table.name == self.table).unwrap_or_default()
    }

    /// The kinds of documents that have rows of the table.
    pub fn accepts(&self) -> Accepts {
        match (self.family, self.rows()) {
            (Family::Changes | Family::Configuration, _) | (_, RowKind::Variables) => {
                Accepts::Plans
            }
            (Family::Contents | Family::Audit, _) => Accepts::States,
        }
    }

    /// The kind of rows of the contents of documents.
    pub fn rows(&self) -> RowKind {
        match self.table {
            "output_values" => RowKind::Outputs,
            "variables" => RowKind::Variables,
            "check_results" => RowKind::Checks,
            _ => RowKind::Resources,
        }
    }

    /// Whether the rows of the contents of documents have values or messages, which may be secret.
    pub fn shows_values(&self) -> bool {
        self.values || !self.select.is_empty() || self.rows() == RowKind::Checks
    }

    /// Whether the rows have the messages of checks of a plan, which may be secret.
    pub fn shows_messages(&self) -> bool {
        self.table == "checks" && self.table().columns.iter().any(|it| it.name == "problems")
    }

    /// Whether the rows need the values of changes.
    pub fn needs_values(&self) -> bool {
        let names = |name: &String| COLUMNS_OF_VALUES.contains(&name.as_str());
        self.table == "paths"
            || self.columns.as_ref().is_none_or(|columns| columns.iter().any(names))
    }

    pub fn threads(&self) -> Option<NonZeroUsize> {
        let given = self.threads.and_then(NonZeroUsize::new);
        given.or_else(|| std::thread::available_parallelism().ok())
    }
}

impl OnError {
    pub fn parse(text: &str) -> Result<OnError, String> {
        match text {
            "raise" => Ok(OnError::Raise),
            "row" => Ok(OnError::Row),
            _ => Err(format!("on_error is 'raise' or 'row', not '{text}'")),
        }
    }
}
