//! The CSV columns of each kind of row, and the text of their cells.

use std::borrow::Cow;

use crate::inert;
use crate::path::Paths;
use crate::record::JsonText;
use crate::record::values::{
    Check, CheckInstance, Instances, Output, Record, Resource, RowKind, Select, Variable,
};
use crate::sink::csv::split_header;

/// The columns of every row, in CSV.
const FIRST: &str = "kind,source,workspace";

const RESOURCE: &str = "\
    section,address,module_address,mode,type,name,index,\
    deposed,provider_name,schema_version,tainted,depends_on,sensitive,identity";
const OUTPUT: &str = "section,name,type,sensitive,unknown,deprecated,value";
const VARIABLE: &str =
    "name,type,sensitive,ephemeral,required,default,description,deprecated,value";
const CHECK: &str = "address,check_kind,module,mode,type,name,status,instances,problems";
const GROUP: &str = "by,name,resources,documents";

/// Returns the columns of CSV for rows of one kind. The paths of selected values have the prefix
/// `values.`, so that they differ from all other columns.
pub(super) fn columns(what: RowKind, select: &Select, is_grouped: bool) -> Vec<Cow<'static, str>> {
    let own = match what {
        RowKind::Resources if is_grouped => GROUP,
        RowKind::Resources => RESOURCE,
        RowKind::Outputs => OUTPUT,
        RowKind::Variables => VARIABLE,
        RowKind::Checks => CHECK,
    };
    let selected = select.texts().iter().map(|text| format!("values.{text}").into());
    split_header(FIRST).chain(split_header(own)).chain(selected).chain(["summary".into()]).collect()
}

pub(super) enum Cell<'a> {
    /// A name or another string from the document.
    Text(Cow<'a, str>),
    /// JSON text, or a path, which quotes keys like JSON.
    Json(Cow<'a, str>),
    /// Items that [`Cell::shown`] joins.
    List(Vec<Cell<'a>>),
    /// The address and the status of each instance of a check.
    Instances(Instances<'a>),
    /// The messages of all instances of a check.
    Problems(Instances<'a>),
}

impl Cell<'_> {
    /// Returns the text to write. Hidden characters are escaped, and `separator` joins the items of
    /// a list.
    pub fn shown(&self, separator: &str) -> Cow<'_, str> {
        match self {
            Cell::Text(text) => inert::text(text),
            Cell::Json(json) => inert::json(json),
            Cell::List(items) => {
                let items: Vec<Cow<'_, str>> = items.iter().map(|it| it.shown(separator)).collect();
                items.join(separator).into()
            }
            Cell::Instances(instances) => {
                let parts = |instance: CheckInstance<'_>| {
                    let parts = [instance.address, instance.status].into_iter().flatten();
                    parts.collect::<Vec<_>>().join(" ")
                };
                joined(instances.iter().flatten().map(parts), separator).into()
            }
            Cell::Problems(instances) => {
                let problems = instances.iter().flatten().flat_map(|it| it.problems.iter());
                joined(problems.flatten(), separator).into()
            }
        }
    }
}

/// Joins texts without keeping them.
fn joined(texts: impl Iterator<Item = String>, separator: &str) -> String {
    let mut joined = String::new();
    for (place, text) in texts.enumerate() {
        joined.push_str(if place > 0 { separator } else { "" });
        joined.push_str(&inert::text(&text));
    }
    joined
}

/// The cells of a row, by column. Absent values have no cell.
pub(super) struct Cells<'a>(Vec<(Cow<'a, str>, Cell<'a>)>);

impl<'a> Cells<'a> {
    /// Returns the cells of a row, or `None` for a record that is not a row.
    pub fn of(record: &'a Record<'_>) -> Option<Cells<'a>> {
        let mut cells = Cells(Vec::new());
        match record {
            Record::Resource(resource) => cells.resource(resource),
            Record::Output(output) => cells.output(output),
            Record::Variable(variable) => cells.variable(variable),
            Record::Check(check) => cells.check(check),
            Record::Group(group) => {
                cells.text("kind", Some("group"));
                cells.text("by", Some(group.by));
                cells.text("name", Some(group.name));
                cells.owned("resources", group.resources.to_string());
                cells.owned("documents", group.documents.to_string());
            }
            Record::Document(_) | Record::Summary(_) => return None,
        }
        Some(cells)
    }

    /// Returns the cell of a column, if there is one.
    pub fn get(&self, column: &str) -> Option<&Cell<'a>> {
        self.0.iter().find(|(name, _)| name == column).map(|(_, cell)| cell)
    }

    fn text(&mut self, column: &'static str, text: Option<&'a str>) {
        self.0.extend(text.map(|text| (column.into(), Cell::Text(text.into()))));
    }

    fn owned(&mut self, column: &'static str, text: String) {
        self.0.push((column.into(), Cell::Text(text.into())));
    }

    fn flag(&mut self, column: &'static str, is_set: bool) {
        self.text(column, is_set.then_some("true"));
    }

    fn json(&mut self, column: impl Into<Cow<'a, str>>, json: Option<&'a JsonText<'_>>) {
        self.0.extend(json.map(|json| (column.into(), cell_of(json))));
    }

    fn list(&mut self, column: &'static str, texts: impl Iterator<Item = Cow<'a, str>>) {
        let items: Vec<Cell<'a>> = texts.map(Cell::Text).collect();
        if !items.is_empty() {
            self.0.push((column.into(), Cell::List(items)));
        }
    }

    fn paths(&mut self, column: &'static str, paths: &Paths) {
        let path = |path: crate::path::Path<'_>| match path.steps().len() {
            // The text of the root path is empty. A dot makes it visible.
            0 => Cell::Json(".".into()),
            _ => Cell::Json(path.to_string().into()),
        };
        if !paths.is_empty() {
            self.0.push((column.into(), Cell::List(paths.iter().map(path).collect())));
        }
    }

    fn resource(&mut self, resource: &'a Resource<'_>) {
        self.text("kind", Some("resource"));
        self.text("section", Some(resource.section));
        self.text("address", resource.resource.address.as_deref());
        self.text("module_address", resource.resource.module_address.as_deref());
        self.text("mode", resource.resource.mode.as_deref());
        self.text("type", resource.resource.type_name.as_deref());
        self.text("name", resource.resource.name.as_deref());
        self.json("index", resource.resource.index.as_ref());
        self.text("deposed", resource.resource.deposed.as_deref());
        self.text("provider_name", resource.resource.provider_name.as_deref());
        self.json("schema_version", resource.schema_version.as_ref());
        self.flag("tainted", resource.tainted);
        self.list("depends_on", resource.depends_on.iter().map(|it| Cow::Borrowed(&**it)));
        self.paths("sensitive", &resource.sensitive);
        self.flag("identity", resource.identity);
        for (path, value) in &resource.values {
            self.json(format!("values.{path}"), value.as_ref());
        }
    }

    fn output(&mut self, output: &'a Output<'_>) {
        self.text("kind", Some("output"));
        self.text("section", Some(output.section));
        self.text("name", Some(&output.name));
        self.json("type", output.type_name.as_ref());
        self.flag("sensitive", output.sensitive);
        self.flag("unknown", output.unknown);
        self.text("deprecated", output.deprecated.as_deref());
        self.json("value", output.value.as_ref());
    }

    fn variable(&mut self, variable: &'a Variable<'_>) {
        self.text("kind", Some("variable"));
        self.text("name", Some(&variable.name));
        self.json("type", variable.type_name.as_ref());
        self.flag("sensitive", variable.sensitive == Some(true));
        self.flag("ephemeral", variable.ephemeral);
        self.flag("required", variable.required);
        self.flag("default", variable.default == Some(true));
        self.text("description", variable.description.as_deref());
        self.text("deprecated", variable.deprecated.as_deref());
        self.json("value", variable.value.as_ref());
    }

    fn check(&mut self, check: &'a Check<'_>) {
        self.text("kind", Some("check"));
        self.text("address", Some(&check.address));
        self.text("check_kind", check.check_kind.as_deref());
        self.text("module", check.module.as_deref());
        self.text("mode", check.mode.as_deref());
        self.text("type", check.type_name.as_deref());
        self.text("name", check.name.as_deref());
        self.text("status", Some(&check.status));
        self.0.push(("instances".into(), Cell::Instances(check.instances)));
        self.0.push(("problems".into(), Cell::Problems(check.instances)));
    }
}

/// Decodes a JSON string to its text. Keeps any other JSON as it is.
fn cell_of<'a>(json: &'a JsonText<'_>) -> Cell<'a> {
    let text = json.get();
    if text.starts_with('"')
        && let Ok(text) = serde_json::from_str::<String>(text)
    {
        return Cell::Text(text.into());
    }
    Cell::Json(text.into())
}
