//! A short list of the addresses that are destroyed, replaced or forgotten. It is not folded, so a
//! reviewer sees possible losses without opening a section.

use super::Measure;
use super::class::Class;
use super::fit::fitting;

const LISTED: usize = 10;

/// The classes that are listed, the most severe first.
const CLASSES: [Class; 3] = [Class::Delete, Class::Replace, Class::Forget];

/// The first few addresses of each class, and the number of all addresses.
#[derive(Default)]
pub(super) struct Losses {
    lines: [Vec<String>; CLASSES.len()],
    count: u64,
    /// The lengths of the lists and the count at the end of the last plan.
    marks: ([usize; CLASSES.len()], u64),
}

impl Losses {
    /// Counts a change. `line` returns its line in the list.
    pub fn note(&mut self, class: Class, line: impl FnOnce() -> String) {
        let Some(index) = CLASSES.iter().position(|listed| *listed == class) else { return };
        self.count += 1;
        let lines = &mut self.lines[index];
        if lines.len() < LISTED {
            lines.push(line());
        }
    }

    /// Marks the end of a plan.
    pub fn mark(&mut self) {
        self.marks = (self.lines.each_ref().map(Vec::len), self.count);
    }

    /// Drops the changes since the last mark: their plan failed.
    pub fn forget(&mut self) {
        let (lens, count) = self.marks;
        self.lines.iter_mut().zip(lens).for_each(|(lines, len)| lines.truncate(len));
        self.count = count;
    }

    /// Returns the text of the list, cut to `room`.
    pub fn text(&self, measure: Measure, room: u64) -> String {
        if self.count == 0 {
            return String::new();
        }
        let title = format!("**Destroyed, replaced or forgotten: {}**\n\n", self.count);
        let more = |shown: usize| match self.count - shown as u64 {
            0 => "\n".to_owned(),
            count => format!("- … and {count} more\n\n"),
        };
        let room = room.saturating_sub(measure.of(&title) + measure.of(&more(0)));
        let lines = self.lines.iter().flatten().take(LISTED).cloned();
        let (lines, shown) = fitting(lines, measure, room);
        title + &lines + &more(shown)
    }
}
