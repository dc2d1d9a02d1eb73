//! A list of addresses on the page. Only its first lines are kept.

use super::{fit, width};
use crate::source_link::SourceLink;

/// Maximum number of bytes of the kept lines of each list.
const BYTES_MAX: usize = 1 << 20;
/// Minimum width of a name before a location, in columns. If a line has no room for both, the
/// location is left out.
const NAME_MIN: usize = 20;

/// The first lines of a list, and the length of the whole list.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub lines: Vec<Line>,
    pub count: u64,
    /// The number of losses of data that the list counts without a line.
    pub data_left_out: u64,
    bounds: Bounds,
    bytes: usize,
}

/// Maximum number of lines of a list, and maximum width of each line in columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    pub lines: usize,
    pub columns: usize,
}

/// A line of a list. Its strings have no hidden characters.
#[derive(Debug)]
pub(super) struct Line {
    pub symbol: &'static str,
    pub style: &'static str,
    pub name: String,
    pub link: Option<SourceLink>,
    /// The text after the name and the location.
    pub rest: String,
    /// Text for further lines, with at most [`NOTE`] characters. Most lines have none.
    pub note: String,
}

/// Maximum length of a note, in columns.
pub(super) const NOTE: usize = 500;

impl Listing {
    pub fn new(bounds: Bounds) -> Listing {
        Listing { bounds, ..Listing::default() }
    }

    /// Adds the lines of another list, as far as that list has room for all lines.
    pub fn joined(mut self, other: Listing) -> Listing {
        let room = other.bounds.lines.saturating_sub(self.lines.len());
        self.count += other.count;
        self.lines.extend(other.lines.into_iter().take(room));
        self
    }

    /// Returns the number of lines that the list counts without storing them.
    pub fn left_out(&self) -> u64 {
        self.count - self.lines.len() as u64
    }

    /// Counts a line, and stores it if the list is not full.
    pub fn push(&mut self, line: impl FnOnce() -> Line) {
        self.count += 1;
        if self.lines.len() < self.bounds.lines && self.bytes < BYTES_MAX {
            // Only the visible part of a line is kept.
            let columns = self.bounds.columns;
            let Line { symbol, style, name, link, rest, note } = line();
            let link = link.filter(|link| width(&link.text) <= columns);
            let (name, rest) = (fit(&name, columns), fit(&rest, columns));
            let note = fit(&note, NOTE);
            self.bytes += size_of::<Line>() + name.len() + rest.len() + note.len();
            self.bytes += link.as_ref().map_or(0, |link| link.linked().len());
            self.lines.push(Line { symbol, style, name, link, rest, note });
        }
    }
}

impl Line {
    /// Returns the name, the location in brackets and the rest, in at most `columns` columns.
    pub fn fit(&self, columns: usize) -> String {
        let Line { name, link, rest, .. } = self;
        let link = link.as_ref().map(|link| (link, width(&link.text) + " ()".len()));
        match link.filter(|(_, taken)| taken + NAME_MIN <= columns) {
            None => fit(&format!("{name}{rest}"), columns),
            Some((link, taken)) => {
                let name = fit(name, columns - taken);
                let left = columns - taken - width(&name);
                let rest = if left == 0 { String::new() } else { fit(rest, left) };
                format!("{name} ({}){rest}", link.linked())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_location_follows_the_name_if_it_fits() {
        let link = SourceLink { text: "main.tf:12".into(), url: None };
        let (name, rest) = ("aws_db_instance.main".to_owned(), ", because of x".to_owned());
        let (link, note) = (Some(link), String::new());
        let line = Line { symbol: "-", style: "", name, link, rest, note };
        for (columns, expected) in [
            (60, "aws_db_instance.main (main.tf:12), because of x"),
            (47, "aws_db_instance.main (main.tf:12), because of x"),
            (46, "aws_db_instance.main (main.tf:12), because of…"),
            (34, "aws_db_instance.main (main.tf:12)…"),
            (33, "aws_db_instance.main (main.tf:12)"),
            (32, "aws_db_instance.main, because o…"),
        ] {
            assert_eq!(line.fit(columns), expected);
        }
    }
}
