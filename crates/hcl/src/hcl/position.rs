//! Positions in a source file, counted as in HCL: lines and columns from 1, bytes from 0.
//!
//! A column is a grapheme cluster. Only a line feed ends a line. A carriage return takes a byte but
//! no column.

use std::cell::Cell;

use unicode_segmentation::UnicodeSegmentation;

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, in grapheme clusters from 1.
    pub column: u32,
    /// The offset in bytes, from 0.
    pub byte: u32,
}

impl Position {
    /// The start of a file.
    pub const START: Position = Position { line: 1, column: 1, byte: 0 };

    /// Returns the position `count` bytes further on the same line. Each of these bytes must be a
    /// column of its own, as in ASCII text.
    pub fn plus(self, count: u32) -> Position {
        let add = |number: u32| number.saturating_add(count);
        Position { line: self.line, column: add(self.column), byte: add(self.byte) }
    }
}

/// A range of a file, from its start to its exclusive end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    /// The first position.
    pub start: Position,
    /// The position after the range.
    pub end: Position,
}

impl Range {
    /// Creates the range from one position to another.
    pub const fn new(start: Position, end: Position) -> Range {
        Range { start, end }
    }

    /// Returns the range of the first byte.
    pub fn opening(&self) -> Range {
        Range::new(self.start, self.start.plus(1))
    }

    /// Returns the range of the last byte, which must be on the line of the end.
    pub fn closing(&self) -> Range {
        let Position { line, column, byte } = self.end;
        let start = Position { line, column: column.max(2) - 1, byte: byte.max(1) - 1 };
        Range::new(start, self.end)
    }

    /// Returns the range as messages show it after the name of the file: `1,5-9` or `1,5-2,3`.
    pub fn shown(&self) -> String {
        let (start, end) = (self.start, self.end);
        if start.line == end.line {
            format!("{},{}-{}", start.line, start.column, end.column)
        } else {
            format!("{},{}-{},{}", start.line, start.column, end.line, end.column)
        }
    }
}

/// Returns the position after a text that starts at `at`.
pub fn advance(mut at: Position, text: &str) -> Position {
    at.byte = at.byte.saturating_add(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let mut lines = text.split('\n');
    let mut last = lines.next().unwrap_or_default();
    for line in lines {
        at.line = at.line.saturating_add(1);
        at.column = 1;
        last = line;
    }
    at.column = at.column.saturating_add(columns(last));
    at
}

fn columns(line: &str) -> u32 {
    let returns = line.bytes().filter(|byte| *byte == b'\r').count();
    let count = if line.is_ascii() { line.len() } else { line.graphemes(true).count() };
    u32::try_from(count.saturating_sub(returns)).unwrap_or(u32::MAX)
}

/// Converts offsets in a text to positions. Each offset must be at or after the one before.
#[derive(Debug)]
pub struct Forward<'a> {
    text: &'a str,
    offset: usize,
    at: Position,
}

impl<'a> Forward<'a> {
    /// Starts at the start of a file.
    pub fn new(text: &'a str) -> Forward<'a> {
        Forward { text, offset: 0, at: Position::START }
    }

    /// Returns the position at an offset.
    pub fn position(&mut self, offset: usize) -> Position {
        self.at = advance(self.at, self.text.get(self.offset..offset).unwrap_or_default());
        self.offset = offset;
        self.at
    }

    /// Returns the range of a span of bytes.
    pub fn range(&mut self, span: std::ops::Range<usize>) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }
}

/// The line starts of a part of a file, which convert offsets in the part to positions in the file.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    first: Position,
    /// The offset in the part at which each line starts.
    starts: Vec<u32>,
    /// The last offset and its position. A later offset on the same line is counted from there, so
    /// that the positions of a long line take linear time.
    last: Cell<(usize, Position)>,
}

impl<'a> Lines<'a> {
    /// Finds the lines of a text that starts at `first` in its file.
    pub fn new(text: &'a str, first: Position) -> Lines<'a> {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let ends = ends.map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX));
        let starts = std::iter::once(0).chain(ends).collect();
        Lines { text, first, starts, last: Cell::new((0, first)) }
    }

    /// Returns the position at an offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start as usize <= offset).max(1) - 1;
        let start = self.starts.get(line).copied().unwrap_or_default();
        let mut from = (start as usize, self.first);
        if line > 0 {
            let line = self.first.line.saturating_add(u32::try_from(line).unwrap_or(u32::MAX));
            from.1 = Position { line, column: 1, byte: self.first.byte.saturating_add(start) };
        }
        let last = self.last.get();
        if (from.0..=offset).contains(&last.0) {
            from = last;
        }
        let passed = self.text.get(from.0..offset).unwrap_or_default();
        let position = advance(from.1, passed);
        self.last.set((offset, position));
        position
    }

    /// Returns the range of a span of bytes.
    pub fn range(&self, span: std::ops::Range<usize>) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }
}
