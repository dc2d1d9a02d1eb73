//! Writes the attributes of a change, without keeping their text: it may be many times as long as
//! the change.

use std::fmt::{self, Write};

use super::layout::{columns, is_single_line};
use super::{ARROW, NAMES, PATHS};
use crate::phrase::{remark, stand_in, suffices, unchanged};
use crate::screen::{DIM, GREEN, PLAIN, RED, Screen, YELLOW, unpainted, width};
use crate::source_link::SourceLink;
use crate::summary::{Action, sign};
use crate::view::Detail;
use crate::wrap::{self, Columns};
use plansift_core::inert::visible;
use plansift_plan::record::{Attribute, Attributes, Difference, Line, Lines, MarkChange, Shown};

/// The remark on an attribute that forces a replacement.
const REPLACES: &str = "forces replacement";
/// Begins a remark at the end of a line, as in the language of configurations.
const REMARK: &str = "# ";

/// Passes text on, and counts the columns of its last line.
pub(super) struct Counted<'o, W> {
    out: &'o mut W,
    pub columns: usize,
    /// The text to write before the next text. It loses its trailing space if the next text begins
    /// on a new line.
    pub separator: Option<String>,
}

impl<W: Write> Counted<'_, W> {
    pub fn new(out: &mut W) -> Counted<'_, W> {
        Counted { out, columns: 0, separator: None }
    }

    fn put(&mut self, text: &str) -> fmt::Result {
        let last = match text.rsplit_once('\n') {
            Some((_, last)) => {
                self.columns = 0;
                last
            }
            None => text,
        };
        self.columns += width(&unpainted(last));
        self.out.write_str(text)
    }
}

impl<W: Write> Write for Counted<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !text.is_empty()
            && let Some(separator) = self.separator.take()
        {
            self.put(if text.starts_with('\n') { separator.trim_end() } else { &separator })?;
        }
        self.put(text)
    }
}

/// Writes attributes for a screen.
#[derive(Clone, Copy)]
pub(crate) struct AttributeWriter {
    pub screen: Screen,
    pub detail: Detail,
}

impl AttributeWriter {
    fn paint(self, style: &str, text: &str) -> String {
        self.screen.paint(style, text)
    }

    /// Returns the location of a block as a remark.
    pub fn link(self, link: Option<&SourceLink>, used: usize) -> String {
        let Some(link) = link else { return String::new() };
        self.remark(used, width(&link.text), DIM, &link.linked())
    }

    /// Returns `text`, whose width is `columns`, as a comment. It follows `used` columns on the
    /// same line if it fits, and otherwise begins a new line.
    pub fn remark(self, used: usize, columns: usize, style: &str, text: &str) -> String {
        let text = self.paint(style, &format!("{REMARK}{text}"));
        self.screen.beside(used, REMARK.len() + columns, &text)
    }

    /// Writes a line for each attribute, or several lines.
    pub fn attributes(
        self,
        out: &mut impl Write,
        attributes: &Attributes,
        action: Action,
    ) -> fmt::Result {
        let paths = attributes.list.iter().map(|attribute| width(&visible(&attribute.path)));
        let columns = paths.filter(|&columns| columns <= PATHS).max().unwrap_or(0);
        for attribute in &attributes.list {
            let path = visible(&attribute.path);
            let (sign, style) = sign(attribute, action);
            let used = width(&path);
            let space = " ".repeat(columns.saturating_sub(used));
            let separator = if path.is_empty() { String::new() } else { format!("{space} = ") };
            let column = NAMES + used + separator.len();
            let mut out = Counted::new(out);
            write!(out, "        {} {path}", self.paint(style, sign))?;
            out.separator = Some(separator);
            self.values(&mut out, attribute, column)?;
            out.separator = None;
            if attribute.replaces {
                let words = self.remark(out.columns, REPLACES.len(), RED, REPLACES);
                out.write_str(&words)?;
            }
            out.write_char('\n')?;
        }
        if attributes.left_out > 0 {
            let more = format!("… and {} more", attributes.left_out);
            writeln!(out, "          {}", self.paint(DIM, &more))?;
        }
        if attributes.unchanged > 0 {
            writeln!(out, "          {}", self.paint(DIM, &unchanged(attributes)))?;
        }
        Ok(())
    }

    /// Writes the values of an attribute. Their first line begins at `column`, after the separator.
    /// Writes nothing if values are not shown.
    pub(super) fn values<W: Write>(
        self,
        out: &mut Counted<'_, W>,
        attribute: &Attribute,
        column: usize,
    ) -> fmt::Result {
        let Attribute { before, after, difference, mark, lines, .. } = attribute;
        let remark = remark(attribute);
        let style = if *mark == Some(MarkChange::Removed) { YELLOW } else { DIM };
        let words = self.paint(style, remark);
        if suffices(*difference, self.detail) {
            return out.write_str(&words);
        }
        match (difference, before, after) {
            _ if lines.is_some() => lines.iter().try_for_each(|lines| self.lines(out, lines))?,
            (Difference::Nothing, _, shown) => self.value(out, shown, column)?,
            (_, Shown::Withheld, Shown::Withheld | Shown::Absent) => {}
            (_, Shown::Absent | Shown::Withheld, shown) | (_, shown, Shown::Absent) => {
                self.value(out, shown, column)?;
            }
            (_, Shown::Sensitive, Shown::Sensitive) | (_, Shown::Echo, Shown::Echo) => {
                self.value(out, after, column)?;
            }
            (_, before, after) => self.pair(out, before, after, column)?,
        }
        let is_empty = out.separator.is_some();
        if mark.is_some() {
            let (used, space) = if is_empty { (column, "") } else { (out.columns, "  ") };
            return match used + space.len() + remark.len() <= self.screen.width {
                true => write!(out, "{space}{words}"),
                false => write!(out, "\n{}{words}", " ".repeat(NAMES + 2)),
            };
        }
        match remark.is_empty() || is_empty {
            true => Ok(()),
            false => write!(out, "  {words}"),
        }
    }

    /// Writes the old and the new value, on one line if they fit.
    fn pair(
        self,
        out: &mut impl Write,
        before: &Shown,
        after: &Shown,
        column: usize,
    ) -> fmt::Result {
        let columns: usize = [before, after].map(columns).iter().sum();
        let are_single_lines = [before, after].into_iter().all(is_single_line);
        if are_single_lines && column + columns + ARROW.len() <= self.screen.width {
            self.value(out, before, 0)?;
            out.write_str(ARROW)?;
            return self.value(out, after, 0);
        }
        self.value(out, before, column)?;
        write!(out, "\n{:NAMES$}{}", "", &ARROW[1..])?;
        self.value(out, after, NAMES + ARROW.len() - 1)
    }

    /// Writes a value whose first line begins at `column`.
    fn value(self, out: &mut impl Write, shown: &Shown, column: usize) -> fmt::Result {
        match shown {
            Shown::Absent => out.write_str(&stand_in(shown)),
            Shown::Withheld => Ok(()),
            Shown::Scalar(excerpt) | Shown::Container(excerpt) => {
                wrap::value(out, excerpt, self.columns(column))
            }
            shown => {
                let words = stand_in(shown);
                let text = self.paint(DIM, &words);
                match column + width(&words) <= self.screen.width {
                    true => out.write_str(&text),
                    // The new line begins deeper than names. Otherwise, it would look like an
                    // attribute.
                    false => write!(out, "\n{}{text}", " ".repeat(NAMES + 2)),
                }
            }
        }
    }

    fn columns(self, first: usize) -> Columns {
        Columns { first, others: NAMES, end: self.screen.width }
    }

    fn lines(self, out: &mut impl Write, lines: &Lines) -> fmt::Result {
        let paint = |line: Line<'_>, text: String| {
            let style = match line {
                Line::Same(_) => PLAIN,
                Line::Removed(_) => RED,
                Line::Added(_) => GREEN,
                Line::Skipped(_) => DIM,
            };
            self.paint(style, &text)
        };
        wrap::lines(out, lines, self.columns(NAMES), paint)
    }
}
