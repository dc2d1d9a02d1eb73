//! Positions in a source file, counted as in HCL: lines and columns from 1, bytes from 0.
//!
//! A column is a grapheme cluster. Only a line feed ends a line. A carriage return takes a byte but
//! no column.

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

/// The line starts of a text, which convert an offset to a position.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    /// The offset at which each line starts.
    starts: Vec<u32>,
}

impl<'a> Lines<'a> {
    /// Finds the lines of a text.
    pub fn new(text: &'a str) -> Lines<'a> {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let ends = ends.map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX));
        Lines { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// Returns the position at an offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let byte = u32::try_from(offset).unwrap_or(u32::MAX);
        let line = self.starts.partition_point(|start| *start <= byte).max(1) - 1;
        let start = self.starts.get(line).map_or(0, |start| *start as usize);
        let before = self.text.get(start..offset).unwrap_or_default();
        let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
        Position { line, column: 1 + columns(before), byte }
    }

    /// Returns the range of a span of bytes.
    pub fn range(&self, span: std::ops::Range<usize>) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }
}
