//! Compares two texts line by line, and shows context around each difference.
//!
//! Myers' algorithm finds the shortest edit script, for lists of lines and other lists. The search
//! has a budget of steps. Texts that exceed the budget have little in common, and are shown as one
//! difference.

use std::iter;
use std::ops::Range;

use plansift_core::json::string::common_prefix;
use plansift_plan::record::{Line, Lines};

/// Number of unchanged lines that are shown before and after a difference.
pub(super) const CONTEXT: usize = 3;

/// Maximum number of removed and added lines. Texts with more are shown as one difference.
const EDITS_MAX: usize = 1 << 10;

/// The line that is shown if only one of two texts ends with a line feed.
const LINE_FEED: &str = "(a line feed at the end)";

/// The step budget of a comparison: the steps for each line, and a fixed number of steps.
const STEPS: [usize; 2] = [64, 1 << 16];

/// Compares two texts. `context` is the number of unchanged lines around a difference, and `max` is
/// the maximum total length of the shown lines, in bytes. `show` returns the displayed form of a
/// line.
pub(super) fn compared<'t>(
    texts: [&'t str; 2],
    context: usize,
    max: usize,
    show: impl Fn(&'t str) -> &'t str,
) -> Lines {
    // If both texts end with a line feed, it does not begin another line.
    let ends = texts.map(|text| text.strip_suffix('\n'));
    let texts = if let [Some(before), Some(after)] = ends { [before, after] } else { texts };
    let [before, after] = texts.map(TextLines::of);
    let edits = line_edits(&before, &after);
    let mut found = Lines::default();
    let (mut room, mut next) = (max, 0);
    for (place, edit) in edits.iter().enumerate() {
        let until = edits.get(place + 1).map_or(before.count, |next| next.before.start);
        // The number of context lines that the previous difference does not show.
        let lead = context.min(edit.before.start - next);
        let gap = until - edit.before.end;
        let shows_gap = gap <= context.saturating_mul(2).saturating_add(1);
        let trail = if shows_gap && until < before.count { gap } else { context.min(gap) };
        let [start, end] = [edit.before.start - lead, edit.before.end + trail];
        let skipped = start - next;
        let same = |range| before.range(range).map(|line| Line::Same(show(line)));
        let hunk = same(start..edit.before.start)
            .chain(before.ends(edit.before.clone()).map(|line| Line::Removed(line.shown(&show))))
            .chain(after.ends(edit.after.clone()).map(|line| Line::Added(line.shown(&show))))
            .chain(same(edit.before.end..end));
        if skipped > 0 {
            found.push(Line::Skipped(skipped as u64));
        }
        let is_whole = extend(&mut found, hunk, &mut room);
        if !is_whole {
            let rest = [before.rest(edit.before.start), after.rest(edit.after.start)];
            found.leave_out((edits.len() - place) as u64, rest);
            return found;
        }
        next = end;
    }
    if next < before.count {
        found.push(Line::Skipped((before.count - next) as u64));
    }
    found
}

/// Adds lines up to the limit `room`, and returns whether all of them fit. Cuts the first line of a
/// diff if even that line exceeds the limit.
fn extend<'t>(found: &mut Lines, lines: impl Iterator<Item = Line<'t>>, room: &mut usize) -> bool {
    for line in lines {
        match room.checked_sub(line.size() + 1) {
            Some(rest) => *room = rest,
            None => {
                if found.iter().all(|line| matches!(line, Line::Skipped(_))) {
                    push_cut(found, line, *room);
                }
                return false;
            }
        }
        found.push(line);
    }
    true
}

/// Adds a line that is cut to at most `len` bytes, and ends with `…`.
fn push_cut(found: &mut Lines, line: Line<'_>, len: usize) {
    let cut = |text: &str| format!("{}…", &text[..text.floor_char_boundary(len)]);
    match line {
        Line::Same(text) => found.push(Line::Same(&cut(text))),
        Line::Removed(text) => found.push(Line::Removed(&cut(text))),
        Line::Added(text) => found.push(Line::Added(&cut(text))),
        Line::Skipped(count) => found.push(Line::Skipped(count)),
    }
}

/// Maximum number of offsets that [`TextLines`] keeps.
const OFFSETS_MAX: usize = 1 << 18;

/// The lines of a text.
///
/// A text may have a line for each of its bytes. So a long text keeps the offset of one in several
/// lines, and finds the lines between two offsets by their line feeds.
struct TextLines<'t> {
    text: &'t str,
    count: usize,
    /// Number of lines from one offset to the next.
    stride: usize,
    offsets: Vec<usize>,
}

/// A line that may be the last one of its text.
enum End<'t> {
    /// If only one text ends with a line feed, its last line is empty.
    LineFeed,
    Line(&'t str),
}

impl<'t> End<'t> {
    fn shown(self, show: impl Fn(&'t str) -> &'t str) -> &'t str {
        match self {
            End::LineFeed => LINE_FEED,
            End::Line(line) => show(line),
        }
    }
}

impl<'t> TextLines<'t> {
    fn of(text: &'t str) -> TextLines<'t> {
        let count = 1 + line_feeds(text.as_bytes());
        let stride = count.div_ceil(OFFSETS_MAX);
        let starts = text.match_indices('\n').map(|(end, _)| end + 1);
        let offsets = iter::once(0).chain(starts).step_by(stride).collect();
        TextLines { text, count, stride, offsets }
    }

    /// Returns the offset of a line; the length of the text after the last line.
    fn offset(&self, line: usize) -> usize {
        let Some(&offset) = self.offsets.get(line / self.stride) else { return self.text.len() };
        let behind = self.text[offset..].match_indices('\n').take(line % self.stride);
        match behind.last() {
            Some((end, _)) => offset + end + 1,
            None => offset,
        }
    }

    /// Returns the text from the start of a line on.
    fn rest(&self, line: usize) -> &'t str {
        if line < self.count { &self.text[self.offset(line)..] } else { "" }
    }

    /// Returns the text of a range of lines, which is not empty, without the last line feed.
    fn text_of(&self, range: Range<usize>) -> &'t str {
        let text = self.rest(range.start);
        match range.end < self.count {
            true => &text[..self.offset(range.end) - self.offset(range.start) - 1],
            false => text,
        }
    }

    fn range(&self, range: Range<usize>) -> impl Iterator<Item = &'t str> + use<'t> {
        self.rest(range.start).split('\n').take(range.len())
    }

    /// Like [`TextLines::range`], for lines that only this text has.
    fn ends(&self, range: Range<usize>) -> impl Iterator<Item = End<'t>> + use<'t> {
        let last = self.count - 1;
        range.clone().zip(self.range(range)).map(move |(at, line)| match line {
            "" if at > 0 && at == last => End::LineFeed,
            line => End::Line(line),
        })
    }
}

/// A replacement of one range of a list by another. Either range may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// A list that [`script`] compares with another list.
trait List {
    fn count(&self) -> usize;

    /// Returns how many items are equal, from an item of this list and an item of `other` on.
    fn common(&self, row: usize, other: &Self, column: usize) -> usize;
}

impl<T: PartialEq> List for [T] {
    fn count(&self) -> usize {
        self.len()
    }

    fn common(&self, row: usize, other: &[T], column: usize) -> usize {
        let pairs = self[row..].iter().zip(&other[column..]);
        pairs.take_while(|(one, other)| one == other).count()
    }
}

impl List for TextLines<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn common(&self, row: usize, other: &TextLines<'_>, column: usize) -> usize {
        common_lines(self.rest(row), other.rest(column))
    }
}

/// Returns the shortest edits that turn `before` into `after`, in order. Returns `None` if there
/// are more than [`EDITS_MAX`], or if the search exceeds its budget.
pub(super) fn edits<T: PartialEq>(before: &[T], after: &[T]) -> Option<Vec<Edit>> {
    let head = before.common(0, after, 0);
    let ends = before[head..].iter().rev().zip(after[head..].iter().rev());
    let tail = ends.take_while(|(one, other)| one == other).count();
    let [inner, other] = [before, after].map(|list| &list[head..list.len() - tail]);
    Some(joined(script(inner, other)?, head))
}

/// Returns the edits that turn the lines of `before` into those of `after`, in order. Texts with
/// little in common have one edit.
fn line_edits(before: &TextLines<'_>, after: &TextLines<'_>) -> Vec<Edit> {
    let head = common_lines(before.text, after.text);
    let room = before.count.min(after.count) - head;
    let tail = common_last_lines(before.text, after.text).min(room);
    let [inner, other] = [before, after].map(|lines| head..lines.count - tail);
    if inner.is_empty() && other.is_empty() {
        return Vec::new();
    }
    let whole = vec![Edit { before: inner.clone(), after: other.clone() }];
    if inner.is_empty() || other.is_empty() {
        return whole;
    }
    let [one, two] = [before.text_of(inner), after.text_of(other)].map(TextLines::of);
    script(&one, &two).map_or(whole, |steps| joined(steps, head))
}

/// Joins neighbouring steps to edits. The first item of the compared lists has the index `head`.
fn joined(steps: Vec<(usize, usize, Step)>, head: usize) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (row, column, step) in steps {
        let (at, to) = (head + row, head + column);
        let (before, after) = match step {
            Step::Remove => (at..at + 1, to..to),
            Step::Add => (at..at, to..to + 1),
        };
        match edits.last_mut() {
            Some(Edit { before: last, after: new })
                if last.end == before.start && new.end == after.start =>
            {
                (last.end, new.end) = (before.end, after.end);
            }
            _ => edits.push(Edit { before, after }),
        }
    }
    edits
}

/// Returns the number of lines that two texts have in common at their start.
fn common_lines(one: &str, other: &str) -> usize {
    let same = common_prefix(one.as_bytes(), other.as_bytes());
    let ends_line = |text: &str| text.as_bytes().get(same).is_none_or(|byte| *byte == b'\n');
    line_feeds(&one.as_bytes()[..same]) + usize::from(ends_line(one) && ends_line(other))
}

/// Returns the number of lines that two texts have in common at their end.
fn common_last_lines(one: &str, other: &str) -> usize {
    let bytes = one.bytes().rev().zip(other.bytes().rev());
    let same = bytes.take_while(|(one, other)| one == other).count();
    let begins_line = |text: &str| {
        let before = (text.len() - same).checked_sub(1);
        before.is_none_or(|before| text.as_bytes()[before] == b'\n')
    };
    let last = &one.as_bytes()[one.len() - same..];
    line_feeds(last) + usize::from(begins_line(one) && begins_line(other))
}

fn line_feeds(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

/// A step of an edit script.
#[derive(Clone, Copy, Debug)]
enum Step {
    Remove,
    Add,
}

/// Returns the shortest edit script: the steps in order, each with its positions in both lists.
/// Returns `None` if the script is longer than [`EDITS_MAX`], or if the search exceeds its budget.
fn script<L: List + ?Sized>(before: &L, after: &L) -> Option<Vec<(usize, usize, Step)>> {
    let (rows, columns) = (before.count(), after.count());
    let mut budget = (rows + columns) * STEPS[0] + STEPS[1];
    let edits_max = (rows + columns).min(EDITS_MAX);
    // For each number of edits, the furthest row on each diagonal. The index of diagonal `k` is `k
    // + edits`.
    let mut trace: Vec<Vec<usize>> = Vec::new();
    for edits in 0..=edits_max {
        let mut furthest = Vec::with_capacity(2 * edits + 1);
        for diagonal in 0..=2 * edits {
            // The row on the diagonal, and the row minus the column.
            let (mut row, shift) = match trace.last() {
                None => (0, 0),
                Some(last) => (reached(last, diagonal).0, diagonal as isize - edits as isize),
            };
            if row == usize::MAX {
                furthest.push(usize::MAX);
                continue;
            }
            let mut column = row.checked_add_signed(-shift)?;
            if row < rows && column < columns {
                let same = before.common(row, after, column);
                (row, column) = (row + same, column + same);
                budget = budget.checked_sub(same)?;
            }
            budget = budget.checked_sub(1)?;
            let is_inside = row <= rows && column <= columns;
            furthest.push(if is_inside { row } else { usize::MAX });
            if row == rows && column == columns {
                trace.push(furthest);
                return Some(walked_back(&trace, rows, columns));
            }
        }
        trace.push(furthest);
    }
    None
}

/// Returns the row that one more edit reaches on a diagonal, and that edit. The row is `usize::MAX`
/// if no edit reaches the diagonal.
fn reached(last: &[usize], diagonal: usize) -> (usize, Step) {
    let at = |index: Option<usize>| {
        index.and_then(|index| last.get(index)).copied().filter(|row| *row != usize::MAX)
    };
    // In `last`, which has one edit less, the index of the same diagonal is smaller by one.
    let removed = at(diagonal.checked_sub(2)).map(|row| row + 1);
    let added = at(Some(diagonal));
    match (removed, added) {
        (Some(removed), Some(added)) if removed <= added => (added, Step::Add),
        (Some(removed), _) => (removed, Step::Remove),
        (None, Some(added)) => (added, Step::Add),
        (None, None) => (usize::MAX, Step::Add),
    }
}

/// Follows the trace back from the end of both lists, and returns the steps in order.
fn walked_back(trace: &[Vec<usize>], rows: usize, columns: usize) -> Vec<(usize, usize, Step)> {
    let mut steps = Vec::with_capacity(trace.len());
    let mut shift = rows as isize - columns as isize;
    for edits in (1..trace.len()).rev() {
        let diagonal = (shift + edits as isize) as usize;
        let (row, step) = reached(&trace[edits - 1], diagonal);
        let column = (row as isize - shift) as usize;
        let (row, column) = match step {
            Step::Remove => (row - 1, column),
            Step::Add => (row, column - 1),
        };
        steps.push((row, column, step));
        shift = row as isize - column as isize;
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str, max: usize) -> (Vec<String>, u64) {
        let lines = compared([before, after], CONTEXT, max, |line| line);
        let line = |line: Line<'_>| match line {
            Line::Same(text) => format!(" {text}"),
            Line::Removed(text) => format!("-{text}"),
            Line::Added(text) => format!("+{text}"),
            Line::Skipped(count) => format!("@{count}"),
        };
        (lines.iter().map(line).collect(), lines.left_out)
    }

    fn edits_of(before: &[impl AsRef<str>], after: &[impl AsRef<str>]) -> Vec<Edit> {
        let before = before.iter().map(AsRef::as_ref).collect::<Vec<_>>().join("\n");
        let after = after.iter().map(AsRef::as_ref).collect::<Vec<_>>().join("\n");
        line_edits(&TextLines::of(&before), &TextLines::of(&after))
    }

    #[test]
    fn differences_have_lines_around_them() {
        let text = |edits: &[(usize, &str)]| {
            let line = |number: usize| {
                let edit = edits.iter().find(|(place, _)| *place == number);
                edit.map_or(number.to_string(), |(_, text)| (*text).to_owned())
            };
            (0..60).map(line).collect::<Vec<_>>().join("\n")
        };
        let (lines, left_out) = shown(&text(&[]), &text(&[(5, "x"), (52, "y")]), 1000);
        let expected = [
            "@2", " 2", " 3", " 4", "-5", "+x", " 6", " 7", " 8", "@40", " 49", " 50", " 51",
            "-52", "+y", " 53", " 54", " 55", "@4",
        ];
        assert_eq!((lines, left_out), (expected.map(str::to_owned).to_vec(), 0));
        // Adjacent differences are shown with all lines between them.
        let (lines, _) = shown(&text(&[]), &text(&[(5, "x"), (13, "y")]), 1000);
        assert!(lines.contains(&" 9".to_owned()) && lines.len() == 19, "{lines:?}");
        // Differences beyond the limit are counted.
        let (lines, left_out) = shown(&text(&[]), &text(&[(5, "x"), (30, "z"), (52, "y")]), 30);
        assert_eq!((lines.contains(&"+x".to_owned()), left_out), (true, 2), "{lines:?}");
        let (lines, _) = shown("a\nb\n", "a\nb", 1000);
        assert_eq!(lines, [" a", " b", "-(a line feed at the end)"]);
        let (lines, _) = shown("a\n\nb\n", "a\nb\nc\n", 1000);
        assert_eq!(lines[..4], [" a", "-", " b", "+c"]);
        let (lines, left_out) = shown("é", "éé", 1);
        assert_eq!((lines, left_out), (vec!["-…".to_owned()], 1));
    }

    #[test]
    fn applying_edits_turns_the_old_text_into_the_new() {
        let mut state = 7_u64;
        let mut random = |max: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % max
        };
        for _ in 0..2000 {
            let [before, after] = [(); 2].map(|()| {
                // A text has at least one line.
                (0..=random(12)).map(|_| ["a", "b", "c"][random(3) as usize]).collect::<Vec<_>>()
            });
            let (mut made, mut next) = (Vec::<&str>::new(), 0);
            let edits = edits_of(&before, &after);
            assert_eq!(super::edits(&before, &after).as_ref(), Some(&edits));
            for Edit { before: gone, after: new } in &edits {
                made.extend(&before[next..gone.start]);
                made.extend(&after[new.clone()]);
                next = gone.end;
            }
            made.extend(&before[next..]);
            assert_eq!(made, after, "{before:?} {edits:?}");
        }
        let before = ["one", "two", "three", "four", "five"];
        let after = ["one", "three", "two", "four", "six", "seven"];
        let edits = edits_of(&before, &after);
        let changed = edits.iter().map(|edit| edit.before.len() + edit.after.len());
        assert_eq!(changed.sum::<usize>(), 5);
    }

    /// A text with more lines than offsets.
    #[test]
    fn lines_of_a_long_text_are_found() {
        let text = |words: [&str; 2]| {
            let line = |number: usize| match number {
                7 => words[0].to_owned(),
                700_001 => words[1].to_owned(),
                _ if number.is_multiple_of(5) => String::new(),
                _ => number.to_string(),
            };
            (0..=700_001).map(line).collect::<Vec<_>>().join("\n")
        };
        let (before, after) = (text(["a", ""]), text(["b", "c"]));
        let (lines, left_out) = shown(&before, &after, usize::MAX);
        let expected = [
            "@4",
            " 4",
            " ",
            " 6",
            "-a",
            "+b",
            " 8",
            " 9",
            " ",
            "@699987",
            " 699998",
            " 699999",
            " ",
            "-(a line feed at the end)",
            "+c",
        ];
        assert_eq!((lines, left_out), (expected.map(str::to_owned).to_vec(), 0));
        let lines = TextLines::of(&before);
        assert!(lines.offsets.len() <= OFFSETS_MAX && lines.count == 700_002);
        assert_eq!((lines.rest(700_000), lines.rest(700_001), lines.rest(700_002)), ("\n", "", ""));
        assert_eq!(lines.text_of(699_998..700_001), "699998\n699999\n");
        assert_eq!(lines.text_of(699_999..700_002), "699999\n\n");
    }

    #[test]
    fn texts_with_nothing_in_common_are_one_difference() {
        let text = |word: &str| {
            (0..200_000).map(|number| format!("{word}{}", number % 7)).collect::<Vec<_>>()
        };
        let edits = edits_of(&text("a"), &text("b"));
        assert_eq!(edits, [Edit { before: 0..200_000, after: 0..200_000 }]);
    }
}
