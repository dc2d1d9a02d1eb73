//! Output formats for the contents of documents that no other records have.

mod grouping;
mod table;
mod type_words;

pub use self::grouping::Grouping;
pub use self::table::Table;
use plansift_plan::record::values::Select;

/// The rows about the contents of documents, which decide the columns of a table.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// A row for each resource, with its selected values.
    Resources(&'a Select),
    /// A row for each group of resources.
    Groups,
    /// A row for each output.
    Outputs,
    /// A row for each variable.
    Variables,
    /// A row for each check.
    Checks,
}

impl<'a> Rows<'a> {
    /// Returns the paths of the selected values.
    pub(super) fn selected(self) -> &'a [String] {
        match self {
            Rows::Resources(select) => select.texts(),
            _ => &[],
        }
    }
}
