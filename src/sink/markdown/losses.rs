//! The addresses of what is destroyed, replaced or forgotten: a short list that stands unfolded, so
//! that nobody has to open a section to see what may be lost.

use super::Measure;
use super::class::Class;
use super::overview::fitting;

/// Addresses that are listed.
const LISTED: usize = 10;

/// The classes that are listed, the gravest first.
const CLASSES: [Class; 3] = [Class::Delete, Class::Replace, Class::Forget];

/// The first few of each class, and how many there are.
#[derive(Default)]
pub(super) struct Losses {
    lines: [Vec<String>; CLASSES.len()],
    count: u64,
    /// The lengths of the lists, and the count, when the last plan ended.
    marks: ([usize; CLASSES.len()], u64),
}

impl Losses {
    /// Takes note of a change; `line` tells of it.
    pub fn note(&mut self, class: Class, line: impl FnOnce() -> String) {
        let Some(place) = CLASSES.iter().position(|it| *it == class) else { return };
        self.count += 1;
        let lines = &mut self.lines[place];
        if lines.len() < LISTED {
            lines.push(line());
        }
    }

    /// Takes note that a plan ends.
    pub fn mark(&mut self) {
        self.marks = (self.lines.each_ref().map(Vec::len), self.count);
    }

    /// Forgets what came since the last plan ended.
    pub fn forget(&mut self) {
        let (lens, count) = self.marks;
        self.lines.iter_mut().zip(lens).for_each(|(lines, len)| lines.truncate(len));
        self.count = count;
    }

    /// The list, as far as it has room.
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
