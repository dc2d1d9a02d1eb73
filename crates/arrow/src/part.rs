//! The part files of a folder of tables that runs on several days and machines fill.
//!
//! ```text
//! DIR/plans/dt=2026-11-28/part-1-of-2.parquet
//! DIR/plans/dt=2026-11-28/part-2-of-2.parquet
//! DIR/resource_changes/dt=2026-11-28/part-1-of-2.parquet
//! ```
//!
//! DuckDB, Spark, Athena and others read `dt` from the path as a column (Hive partitioning), so the
//! files have no such column. A path depends only on the table, the date and the shard: a repeated
//! run replaces its files, and no path contains the name of an input.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDate};

/// A day of the Gregorian calendar, with a year of four digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day(NaiveDate);

impl Day {
    /// Parses a day such as `2026-11-28`. `None` if the text is anything else.
    pub fn parse(text: &str) -> Option<Day> {
        let day = Day(NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?);
        (text.len() == "YYYY-MM-DD".len() && day.to_string() == text).then_some(day)
    }

    /// Returns the current day in UTC.
    pub fn today() -> Day {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
        Day(DateTime::from_timestamp(seconds, 0).unwrap_or_default().date_naive())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One of several runs that fill the tables of a day.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The day.
    pub day: Day,
    /// The number of this part, from 1.
    pub number: u32,
    /// The number of parts.
    pub count: u32,
}

impl Part {
    /// Returns the file of this part of a table, in a folder of tables.
    pub fn path(&self, folder: &Path, table: &str) -> PathBuf {
        self.folder(folder, table).join(format!("part-{}{}", self.number, self.end()))
    }

    /// Returns the first file that another division into parts left in the partition of a table.
    /// Queries would count its rows twice.
    ///
    /// # Errors
    ///
    /// Fails if the partition exists and cannot be read.
    pub fn other_division(&self, folder: &Path, table: &str) -> io::Result<Option<PathBuf>> {
        let entries = match self.folder(folder, table).read_dir() {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut first = None;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("part-") && !name.ends_with(&self.end()) {
                let path = entry.path();
                first = Some(first.map_or(path.clone(), |first: PathBuf| first.min(path)));
            }
        }
        Ok(first)
    }

    fn folder(&self, folder: &Path, table: &str) -> PathBuf {
        folder.join(table).join(format!("dt={}", self.day))
    }

    /// Returns the end of the names of all parts of this division.
    fn end(&self) -> String {
        format!("-of-{}.parquet", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_exactly_one_text() {
        for text in ["2026-11-28", "2024-02-29", "1970-01-01"] {
            assert_eq!(Day::parse(text).expect("a day").to_string(), text);
        }
        for text in
            ["", "2026-11-8", "2026-02-29", "2026-13-01", "26-11-28", "2026-11-28 ", "+2026-1-28"]
        {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        assert_eq!(Day::today().to_string().len(), 10);
    }

    #[test]
    fn files_of_another_division_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let day = Day::parse("2026-11-28").expect("a day");
        let [one, two] = [1, 2].map(|count| Part { day, number: 1, count });
        let path = two.path(folder.path(), "plans");
        let expected = folder.path().join("plans/dt=2026-11-28/part-1-of-2.parquet");
        assert_eq!(path, expected);
        let other = |part: Part| part.other_division(folder.path(), "plans").expect("a folder");
        assert_eq!(other(one), None);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, "").expect("a file");
        assert_eq!([other(one), other(two)], [Some(path), None]);
    }
}
