//! Walks several values in step.

use plansift_core::error::Result;
use plansift_core::json::value::{Elements, Kind, Ordered, Step, Text, Value};

/// The members and elements of several values that have one path, in the order of paths: keys by
/// their bytes, then indices.
#[derive(Debug)]
pub(super) struct Columns<'a, const N: usize> {
    columns: [Column<'a>; N],
    /// The index of the next element.
    index: u32,
}

#[derive(Debug)]
enum Column<'a> {
    Scalar,
    Members(Ordered<'a>),
    Elements(Elements<'a>),
}

impl<'a, const N: usize> Columns<'a, N> {
    /// The content of these values. If a key occurs twice, its last member counts. Fails if
    /// an object is malformed.
    pub fn of(values: [Option<Value<'a>>; N]) -> Result<Columns<'a, N>> {
        let mut columns = [const { Column::Scalar }; N];
        for (column, value) in columns.iter_mut().zip(values) {
            if let Some(value) = value {
                *column = match value.kind()? {
                    Kind::Object => Column::Members(Ordered::with_duplicates(value)?),
                    Kind::Array => Column::Elements(value.elements()?),
                    _ => Column::Scalar,
                };
            }
        }
        Ok(Columns { columns, index: 0 })
    }

    /// The next step, and the values that have it.
    pub fn next(&mut self) -> Result<Option<(Step<'a>, [Option<Value<'a>>; N])>> {
        let keys = self.columns.iter().filter_map(Column::next_key);
        let key = keys.min_by(|one, two| one.compare(*two));
        let mut values = [None; N];
        for (value, column) in values.iter_mut().zip(&mut self.columns) {
            *value = match (key, column) {
                (Some(key), Column::Members(members)) => members.take_last(key)?,
                (None, Column::Elements(elements)) => elements.next().transpose()?,
                _ => None,
            };
        }
        let step = match key {
            Some(key) => Step::Key(key),
            None if values.iter().all(Option::is_none) => return Ok(None),
            None => {
                self.index += 1;
                Step::Index(self.index - 1)
            }
        };
        Ok(Some((step, values)))
    }
}

impl<'a> Column<'a> {
    fn next_key(&self) -> Option<Text<'a>> {
        match self {
            Column::Members(members) => members.next().map(|(key, _)| key),
            _ => None,
        }
    }
}
