//! A place in a plan, for values without typed events.

use std::fmt;

use super::section::Section;

/// A place in a plan: a section and the steps below it.
#[derive(Clone, Debug)]
pub struct Place {
    section: Section,
    keys: String,
    steps: Vec<Packed>,
}

#[derive(Clone, Copy, Debug)]
enum Packed {
    /// The range of the key in `keys`.
    Key(usize, usize),
    Index(u64),
}

/// One step down into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The decoded key of a member.
    Key(&'a str),
    /// The index of an array element.
    Index(u64),
}

impl Place {
    pub(super) fn new(section: Section) -> Place {
        Place { section, keys: String::new(), steps: Vec::new() }
    }

    pub(super) fn push_key(&mut self, key: &str) {
        let start = self.keys.len();
        self.keys.push_str(key);
        self.steps.push(Packed::Key(start, self.keys.len()));
    }

    pub(super) fn push_index(&mut self, index: u64) {
        self.steps.push(Packed::Index(index));
    }

    pub(super) fn pop(&mut self) {
        if let Some(Packed::Key(start, _)) = self.steps.pop() {
            self.keys.truncate(start);
        }
    }

    /// The top-level section.
    pub fn section(&self) -> Section {
        self.section
    }

    /// The steps below the section, outermost first.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.steps.iter().map(|&step| self.unpacked(step))
    }

    /// The innermost step; `None` for the section itself.
    pub fn last(&self) -> Option<Step<'_>> {
        self.steps.last().map(|&step| self.unpacked(step))
    }

    fn unpacked(&self, step: Packed) -> Step<'_> {
        match step {
            Packed::Key(start, end) => Step::Key(&self.keys[start..end]),
            Packed::Index(index) => Step::Index(index),
        }
    }

    /// Number of steps below the section.
    pub fn depth(&self) -> usize {
        self.steps.len()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.section.name())?;
        for step in self.steps() {
            match step {
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
