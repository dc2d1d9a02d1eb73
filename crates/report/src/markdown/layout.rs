//! Divides entries among pages of limited length.
//!
//! A page ends only between two entries. The open section is closed first, and the last line counts
//! the entries left out, by class. Sizes are computed before anything is written.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use super::{Open, Page};
use crate::entry_store::{Entry, EntryClass, EntryStore};
use crate::fit::{Fit, Measure, Rest};
use crate::overview::Class;
use crate::phrase::counted;
use crate::tool::Tool;
use plansift_core::error::Result;
use plansift_plan::sink::write_error;

/// Room on a page for the marker, the part number and the last line.
const FRAME: u64 = 240;

const SECTION_END: &str = "</details>\n\n";

/// Divides entries among pages.
pub(super) struct Layout<'l, 's> {
    fit: Fit,
    /// Identifies the report.
    key: u64,
    parts: u64,
    /// The tool that made the plans.
    tool: Tool,
    /// The text of the overview, for the first page.
    text: &'l str,
    open: &'l mut Open<'s>,
    page: Option<BufWriter<Page<'s>>>,
    number: u64,
    left: u64,
    reserved: Reserved,
    /// The heading of the current section.
    title: String,
    /// Whether the section is open on this page.
    section: Section,
}

/// Room on a page reserved for entries that matter more than the current attributes.
#[derive(Clone, Copy, Debug, Default)]
struct Reserved {
    /// For the rows of all changes, which take precedence over attributes.
    heads: u64,
    /// For attributes that differ, which take precedence over attributes with one side only.
    differences: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Open,
    Closed,
}

/// The entries that do not fit.
#[derive(Default)]
struct LeftOut {
    counts: BTreeMap<Class, u64>,
    /// The number of entries written without their attributes.
    cut: u64,
}

impl LeftOut {
    fn words(&self) -> String {
        let counts: Vec<_> = self.counts.iter().filter(|(_, count)| **count > 0).collect();
        let mut words = String::new();
        if !counts.is_empty() {
            let all: u64 = counts.iter().map(|(_, count)| **count).sum();
            let each: Vec<String> =
                counts.into_iter().map(|(class, count)| class.words(*count)).collect();
            words = format!("… and {all} more: {}.", each.join(", "));
        }
        if self.cut > 0 {
            let space = if words.is_empty() { "" } else { " " };
            let changes = counted(self.cut, "change");
            words += &format!("{space}The attributes of {changes} above do not fit.");
        }
        if words.is_empty() { words } else { words + "\n" }
    }
}

impl<'l, 's> Layout<'l, 's> {
    /// Creates a layout with pages up to the length `fit`. The first page begins with the overview
    /// `text`. `key` identifies the report, which has this number of `parts`.
    pub fn new(
        fit: Fit,
        [key, parts]: [u64; 2],
        tool: Tool,
        text: &'l str,
        open: &'l mut Open<'s>,
    ) -> Layout<'l, 's> {
        let (page, title, section) = (None, String::new(), Section::Closed);
        let (number, left, reserved) = (0, 0, Reserved::default());
        Layout { fit, key, parts, tool, text, open, page, number, left, reserved, title, section }
    }

    /// Writes all entries and returns the number of pages.
    pub fn write(mut self, store: &mut EntryStore<Class>) -> Result<u64> {
        let mut left_out = LeftOut { counts: store.counts().collect(), cut: u64::MAX };
        let last_line = self.fit.measure.of(&left_out.words());
        left_out.cut = 0;
        self.begin_page()?;
        if self.fit.rest == Rest::LeftOut && !has_room(self.fit, self.tool, self.text, store) {
            self.left = self.left.saturating_sub(last_line);
            let tool = self.tool;
            let frames = store
                .counts()
                .map(|(class, count)| frame(self.fit.measure, &title(class, count, tool)));
            let heads = (store.all_heads() + frames.sum::<u64>()).min(self.left / 2);
            let differences = store.differences().min(self.left - heads);
            self.reserved = Reserved { heads, differences };
        }
        'classes: for (class, count) in left_out.counts.clone() {
            self.title = title(class, count, self.tool);
            let mut entries = store.read(class)?;
            while let Some(entry) = entries.next()? {
                let count = entry.count;
                match self.entry(class, entry)? {
                    Placed::Whole => {}
                    Placed::Cut => left_out.cut += 1,
                    Placed::Nowhere => break 'classes,
                }
                left_out.counts.entry(class).and_modify(|left| *left -= count);
            }
            self.close()?;
        }
        self.close()?;
        self.put(&left_out.words())?;
        self.end_page()?;
        Ok(self.number)
    }

    /// Writes an entry. If it does not fit, [`Rest::Parts`] begins a new page. If it still does not
    /// fit, its attributes are left out.
    fn entry(&mut self, class: Class, entry: Entry) -> Result<Placed> {
        let mut placed = self.place(class, &entry)?;
        if placed == Placed::Nowhere && self.fit.rest == Rest::Parts {
            self.close()?;
            self.end_page()?;
            self.begin_page()?;
            placed = self.place(class, &entry)?;
        }
        if placed == Placed::Nowhere {
            let is_cut = !entry.body.is_empty() || entry.is_cut;
            placed = self.place(class, &Entry { body: String::new(), is_cut, ..entry })?;
        }
        Ok(placed)
    }

    /// Writes an entry if it fits on this page.
    fn place(&mut self, class: Class, entry: &Entry) -> Result<Placed> {
        let measure = self.fit.measure;
        let frame = match self.section {
            Section::Open => 0,
            Section::Closed => frame(measure, &self.title),
        };
        let [head, body] = [&entry.head, &entry.body].map(|text| measure.of(text));
        let mut reserved = self.reserved;
        reserved.heads = reserved.heads.saturating_sub(frame + head);
        let other_entries = match class.has_differences() {
            _ if body == 0 => 0,
            true => {
                reserved.differences = reserved.differences.saturating_sub(body);
                reserved.heads
            }
            false => reserved.heads + reserved.differences,
        };
        if frame + head + body + other_entries > self.left {
            return Ok(Placed::Nowhere);
        }
        self.left -= frame + head + body;
        self.reserved = reserved;
        if self.section == Section::Closed {
            self.section = Section::Open;
            let title = std::mem::take(&mut self.title);
            self.put(&title)?;
            self.title = title;
        }
        self.put(&entry.head)?;
        self.put(&entry.body)?;
        Ok(if entry.is_cut { Placed::Cut } else { Placed::Whole })
    }

    /// Ends the open section. The end always fits, because the beginning of the section reserved
    /// room for it.
    fn close(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.section, Section::Closed) {
            Section::Open => self.put(SECTION_END),
            Section::Closed => Ok(()),
        }
    }

    fn begin_page(&mut self) -> Result<()> {
        self.number += 1;
        self.page = Some(BufWriter::new((self.open)(self.number)?));
        let (number, parts) = (self.number, self.parts);
        let text = self.text;
        let part = match self.fit.rest {
            Rest::LeftOut => String::new(),
            Rest::Parts => format!(" part {number}/{parts}"),
        };
        // An invisible comment, by which programs find this report among other comments.
        self.put(&format!("<!-- plansift:report {:016x}{part} -->\n", self.key))?;
        self.left = self.fit.max.saturating_sub(FRAME);
        if number == 1 {
            self.put(text)?;
            self.left = self.left.saturating_sub(self.fit.measure.of(text));
        }
        if self.fit.rest == Rest::Parts {
            self.put(&format!("*Part {number} of {parts}*\n\n"))?;
        }
        Ok(())
    }

    fn put(&mut self, text: &str) -> Result<()> {
        match &mut self.page {
            Some(page) => page.write_all(text.as_bytes()).map_err(write_error),
            None => Ok(()),
        }
    }

    fn end_page(&mut self) -> Result<()> {
        match self.page.take() {
            Some(mut page) => page.flush().map_err(write_error),
            None => Ok(()),
        }
    }
}

/// Whether all entries fit on one page that begins with the overview `text`.
pub(super) fn has_room(fit: Fit, tool: Tool, text: &str, store: &EntryStore<Class>) -> bool {
    let title = |(class, count)| title(class, count, tool);
    let frames = store.counts().map(|section| frame(fit.measure, &title(section)));
    FRAME + fit.measure.of(text) + frames.sum::<u64>() + store.all_size() <= fit.max
}

/// Returns the size of the text that begins and ends a section.
fn frame(measure: Measure, title: &str) -> u64 {
    measure.of(title) + measure.of(SECTION_END)
}

/// Returns the text that begins a section.
fn title(class: Class, count: u64, tool: Tool) -> String {
    // The gate of an approval is about these objects.
    let open = if class == Class::More { " open" } else { "" };
    format!("<details{open}>\n<summary>{}: {count}</summary>\n\n", class.title(tool))
}

/// How much of an entry was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placed {
    Whole,
    /// The entry, without its attributes.
    Cut,
    Nowhere,
}
