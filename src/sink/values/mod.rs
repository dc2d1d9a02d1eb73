//! Output formats for the contents of documents ([`crate::record::values`]), one file for each
//! format that is not shared with other records.

mod grouping;
mod table;
mod type_words;

use std::io::Write;

pub use self::grouping::Grouping;
pub use self::table::Table;
use crate::error::Result;
use crate::inert::visible;
use crate::record::values::{CheckInstance, Record, Sink};
pub use crate::sink::csv::Csv;
use crate::sink::json::Json;
use crate::sink::ndjson::Ndjson;

impl<W: Write> Sink for Ndjson<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.line(record)
    }

    fn finish(&mut self) -> Result<()> {
        crate::sink::Sink::finish(self)
    }
}

impl<W: Write> Sink for Json<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.element(record)
    }

    fn finish(&mut self) -> Result<()> {
        crate::sink::Sink::finish(self)
    }
}

impl<W: Write> Sink for Csv<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Summary(summary) => self.summary(summary),
            Record::Check(check) => self.row_with(record, |row| {
                let words = |instance: CheckInstance<'_>| {
                    let words = [instance.address, instance.status].into_iter().flatten();
                    visible(&words.collect::<Vec<_>>().join(" "))
                };
                row.set("instances", check.instances.iter().flatten().map(words));
                let problems = check.instances.iter().flatten().flat_map(|it| it.problems.iter());
                row.set("problems", problems.flatten().map(|problem| visible(&problem)));
            }),
            _ => self.row(record),
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.flush()
    }
}
