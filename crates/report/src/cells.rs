//! Turns any record into the cells of a table, each under the name of its field.
//!
//! A [`Row`] serializes one record at a time. A list takes one cell, with one item per line.
//! `false` and absent fields are empty cells. [`inert::text`] escapes strings, [`inert::json`]
//! escapes JSON text and paths.
//!
//! The function [`place`] is the table of exceptions: fields with another column or form.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

use serde::ser::{Error as _, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct};
use serde_json::{Error, Value};

use super::write_error;
use plansift_core::inert;
use plansift_core::path::Path;
use plansift_plan::record::JsonText;

/// The notation for the empty path, which is the path of the whole value. An empty line would look
/// like no path. A key `.` is quoted, so it looks different.
const ROOT: &str = ".";

/// The column of a field that has no cell.
const NO_COLUMN: &str = "";

/// How a field becomes text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A string, also if it is in JSON text. Other JSON text stays as it is.
    Text,
    /// JSON text, or a path, verbatim.
    Json,
    /// The members of an object as separate cells, whose columns have this prefix. A string is the
    /// name of the document that begins.
    Members(&'static str),
}

/// Returns the column and the form of a field of a record of this kind. The names of members have
/// the prefix of their object.
fn place<'f>(kind: &str, field: &'f str) -> (&'f str, Form) {
    let column = match (kind, field) {
        ("relevant_attribute", "resource") => "address",
        ("relevant_attribute", "attribute") => "name",
        ("failed_assertion", "severity") => "status",
        ("reference", "reference") => "references",
        // The column has the version of a resource's schema, not the version of the records.
        ("document", "schema_version") => NO_COLUMN,
        // A list of objects. The writer sets the column.
        ("check", "instances") => NO_COLUMN,
        _ => field,
    };
    let is_of_change = matches!(kind, "resource_change" | "resource_drift" | "deferred_change");
    let form = match field {
        "path" | "of_path" => Form::Json,
        "index" if is_of_change => Form::Json,
        // The location of a block.
        "source" if is_of_change || matches!(kind, "output_change" | "check") => {
            Form::Members("block_")
        }
        "source" => Form::Members(""),
        "of" => Form::Members("of_"),
        "values" => Form::Members("values."),
        _ => Form::Text,
    };
    (column, form)
}

/// The cells of a record. The first column is `kind`.
pub(super) struct Row {
    /// The names of the columns.
    pub columns: Vec<String>,
    cells: Vec<String>,
    /// For each column, the first column with the same name. The user may select a value twice.
    firsts: Vec<usize>,
}

impl Row {
    /// Creates an empty row with these columns.
    pub fn new(columns: impl Iterator<Item: Into<String>>) -> Row {
        let columns: Vec<String> = columns.map(Into::into).collect();
        let first = |column| columns.iter().position(|it| it == column);
        let firsts = columns.iter().filter_map(first).collect();
        Row { cells: vec![String::new(); columns.len()], columns, firsts }
    }

    /// Returns the cells in the order of the columns.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        self.firsts.iter().map(|&at| self.cells[at].as_str())
    }

    /// Returns the cell of a column.
    pub fn get(&self, column: &str) -> &str {
        let cell = self.find(column).and_then(|at| self.cells.get(at));
        debug_assert!(cell.is_some(), "no column {column}");
        cell.map_or("", String::as_str)
    }

    /// Sets the cell of a column to these lines, which must be escaped. Does nothing without such a
    /// column.
    pub fn set<T: AsRef<str>>(&mut self, column: &str, lines: impl IntoIterator<Item = T>) {
        let Some(at) = self.find(column) else { return };
        self.cells[at].clear();
        for (number, line) in lines.into_iter().enumerate() {
            self.cells[at].push_str(if number > 0 { "\n" } else { "" });
            self.cells[at].push_str(line.as_ref());
        }
    }

    /// Empties the cells, except those that name the document.
    pub fn clear(&mut self) {
        let cells = self.columns.iter().zip(&mut self.cells);
        let cells = cells.filter(|(column, _)| !matches!(column.as_str(), "source" | "workspace"));
        cells.for_each(|(_, cell)| cell.clear());
    }

    /// Fills the row with the cells of a record. Records after the first of a document keep the
    /// cells that name the document.
    pub fn fill(&mut self, record: &impl Serialize) -> plansift_core::error::Result<()> {
        self.clear();
        record.serialize(Cell::new(self, None, Form::Members(""))).map_err(write_error)
    }

    fn find(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|it| it == column)
    }
}

/// Serializes a field into its cell. Without a column, only the members of an object have cells.
struct Cell<'r> {
    row: &'r mut Row,
    column: Option<usize>,
    form: Form,
    /// Whether the next string is JSON text or a path.
    is_json: bool,
    /// The key of the next member; of a list, `true` after the first item.
    key: Value,
}

impl<'r> Cell<'r> {
    fn new(row: &'r mut Row, column: Option<usize>, form: Form) -> Cell<'r> {
        Cell { row, column, form, is_json: false, key: Value::Null }
    }

    fn push(self, text: impl Display) -> Result<(), Error> {
        let cell = self.column.and_then(|column| self.row.cells.get_mut(column));
        cell.map_or(Ok(()), |cell| write!(cell, "{text}").map_err(Error::custom))
    }

    fn member(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        let name = match self.form {
            Form::Members("") => Cow::Borrowed(name),
            Form::Members(prefix) => Cow::Owned([prefix, name].concat()),
            _ => return unsupported(),
        };
        let (column, form) = place(&self.row.cells[0], &name);
        let column = self.row.find(column);
        match (column, form) {
            (_, Form::Members(_)) => {}
            (Some(column), _) => self.row.cells[column].clear(),
            (None, _) => return Ok(()),
        }
        value.serialize(Cell::new(self.row, column, form))
    }
}

fn unsupported<T>() -> Result<T, Error> {
    Err(Error::custom("a field of a record is neither a cell nor an object with cells"))
}

macro_rules! displayed {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            self.push(value)
        })*
    };
}

macro_rules! refused {
    ($($method:ident($($type:ty),*) -> $result:ty;)*) => {
        $(fn $method(self, $(_: $type),*) -> Result<$result, Error> {
            unsupported()
        })*
    };
}

impl serde::Serializer for Cell<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    displayed! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char
    }

    refused! {
        serialize_bytes(&[u8]) -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTuple;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTuple;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTuple;
    }

    /// Makes [`JsonText`] serialize its text, not a value of `serde_json`.
    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.push(if value { "true" } else { "" })
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        match (self.form, self.is_json) {
            (_, true) if text.is_empty() => self.push(ROOT),
            (Form::Members(_), _) => {
                self.row.set("workspace", [""]);
                self.row.set("source", [inert::text(text)]);
                Ok(())
            }
            (Form::Text, true) if text.starts_with('"') => {
                self.push(inert::text(&serde_json::from_str::<String>(text)?))
            }
            (Form::Text, false) => self.push(inert::text(text)),
            (Form::Text | Form::Json, _) => self.push(inert::json(text)),
        }
    }

    fn serialize_none(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &str, _: u32, word: &'static str) -> Result<(), Error> {
        self.serialize_str(word)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(Cell { is_json: matches!(name, JsonText::NAME | Path::NAME), ..self })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &str,
        _: u32,
        _: &str,
        _: &T,
    ) -> Result<(), Error> {
        unsupported()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_struct(self, _: &str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
}

macro_rules! without_end {
    () => {
        type Ok = ();
        type Error = Error;

        fn end(self) -> Result<(), Error> {
            Ok(())
        }
    };
}

impl SerializeSeq for Cell<'_> {
    without_end!();

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
        let (column, form) = (self.column, self.form);
        if self.key.take() != Value::Null {
            Cell::new(self.row, column, form).push('\n')?;
        }
        self.key = Value::Bool(true);
        item.serialize(Cell::new(self.row, column, form))
    }
}

impl SerializeStruct for Cell<'_> {
    without_end!();

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.member(name, value)
    }
}

impl SerializeMap for Cell<'_> {
    without_end!();

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = serde_json::to_value(key)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let key = std::mem::take(&mut self.key);
        self.member(key.as_str().unwrap_or_default(), value)
    }
}
