//! Compares two texts line by line, and shows context around each difference.
//!
//! Myers' algorithm finds the shortest edit script. The search has a budget of steps. Texts that
//! exceed the budget have little in common, and are shown as one difference.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::record::{Line, Lines};

/// Number of unchanged lines that are shown before and after a difference.
pub(super) const CONTEXT: usize = 3;

/// Maximum number of removed and added lines. Texts with more are shown as one difference.
const EDITS_MAX: usize = 1 << 10;

/// The line that is shown if only one of two texts ends with a line feed.
const LINE_FEED: &str = "(a line feed at the end)";

/// The step budget of a comparison: the steps for each line, and a fixed number of steps.
const STEPS: [usize; 2] = [64, 1 << 16];

impl Lines {
    /// Compares two texts. `context` is the number of unchanged lines around a difference, and
    /// `max` is the maximum total length of the shown lines, in bytes. `show` returns the displayed
    /// form of a line.
    pub(super) fn between(
        texts: [&str; 2],
        context: usize,
        max: usize,
        show: impl Fn(&str) -> String,
    ) -> Lines {
        // If both texts end with a line feed, it does not begin another line.
        let ends = texts.map(|text| text.strip_suffix('\n'));
        let texts = if let [Some(before), Some(after)] = ends { [before, after] } else { texts };
        let [before, after] = texts.map(|text| text.split('\n').collect::<Vec<_>>());
        // If only one text ends with a line feed, its last line is empty.
        let shown = |lines: &[&str], at: usize| match lines[at] {
            "" if at > 0 && at + 1 == lines.len() => LINE_FEED.to_owned(),
            line => show(line),
        };
        let edits = edits(&before, &after);
        let mut found = Lines::default();
        let (mut room, mut next) = (max, 0);
        for (place, edit) in edits.iter().enumerate() {
            let until = edits.get(place + 1).map_or(before.len(), |next| next.before.start);
            // The number of context lines that the previous difference does not show.
            let lead = context.min(edit.before.start - next);
            let gap = until - edit.before.end;
            let shows_gap = gap <= context.saturating_mul(2).saturating_add(1);
            let trail = if shows_gap && until < before.len() { gap } else { context.min(gap) };
            let [start, end] = [edit.before.start - lead, edit.before.end + trail];
            let skipped = start - next;
            let hunk = { before[start..edit.before.start].iter().map(|it| Line::Same(show(it))) }
                .chain(edit.before.clone().map(|at| Line::Removed(shown(&before, at))))
                .chain(edit.after.clone().map(|at| Line::Added(shown(&after, at))))
                .chain(before[edit.before.end..end].iter().map(|it| Line::Same(show(it))));
            if skipped > 0 {
                found.list.push(Line::Skipped(skipped as u64));
            }
            let is_whole = found.extend(hunk, &mut room);
            if !is_whole {
                found.left_out = (edits.len() - place) as u64;
                found.digest(&before[edit.before.start..], &after[edit.after.start..]);
                return found;
            }
            next = end;
        }
        if next < before.len() {
            found.list.push(Line::Skipped((before.len() - next) as u64));
        }
        found
    }

    /// Adds lines up to the limit `room`, and returns whether all of them fit. Cuts the first line
    /// of a diff if even that line exceeds the limit.
    fn extend(&mut self, lines: impl Iterator<Item = Line>, room: &mut usize) -> bool {
        for line in lines {
            match room.checked_sub(line.size() + 1) {
                Some(rest) => *room = rest,
                None => {
                    if self.list.iter().all(|line| matches!(line, Line::Skipped(_))) {
                        self.list.push(cut(line, *room));
                    }
                    return false;
                }
            }
            self.list.push(line);
        }
        true
    }

    fn digest(&mut self, before: &[&str], after: &[&str]) {
        let mut hasher = DefaultHasher::new();
        (before, after).hash(&mut hasher);
        self.rest = hasher.finish();
    }
}

/// Cuts a line to at most `len` bytes, and appends `…`.
fn cut(line: Line, len: usize) -> Line {
    let cut = |mut text: String| {
        text.truncate(text.floor_char_boundary(len));
        text.push('…');
        text
    };
    match line {
        Line::Same(text) => Line::Same(cut(text)),
        Line::Removed(text) => Line::Removed(cut(text)),
        Line::Added(text) => Line::Added(cut(text)),
        Line::Skipped(count) => Line::Skipped(count),
    }
}

/// A replacement of one range of lines by another. Either range may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    before: Range<usize>,
    after: Range<usize>,
}

/// Returns the edits that turn `before` into `after`, in order.
fn edits(before: &[&str], after: &[&str]) -> Vec<Edit> {
    let head = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let ends = before[head..].iter().rev().zip(after[head..].iter().rev());
    let tail = ends.take_while(|(one, other)| one == other).count();
    let [inner, other] = [before, after].map(|lines| head..lines.len() - tail);
    let mut edits = Vec::new();
    match script(&before[inner.clone()], &after[other.clone()]) {
        Some(steps) => {
            for (place, counterpart, step) in steps {
                let (at, to) = (head + place, head + counterpart);
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
        }
        None => edits.push(Edit { before: inner, after: other }),
    }
    edits
}

/// A step of an edit script.
#[derive(Clone, Copy, Debug)]
enum Step {
    Remove,
    Add,
}

/// Returns the shortest edit script: the steps in order, each with its positions in both lists.
/// Returns `None` if the script is longer than [`EDITS_MAX`], or if the search exceeds its budget.
fn script(before: &[&str], after: &[&str]) -> Option<Vec<(usize, usize, Step)>> {
    let (rows, columns) = (before.len(), after.len());
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
            while row < rows && column < columns && before[row] == after[column] {
                (row, column) = (row + 1, column + 1);
                budget = budget.checked_sub(1)?;
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
        let lines = Lines::between([before, after], CONTEXT, max, str::to_owned);
        let line = |line: &Line| match line {
            Line::Same(text) => format!(" {text}"),
            Line::Removed(text) => format!("-{text}"),
            Line::Added(text) => format!("+{text}"),
            Line::Skipped(count) => format!("@{count}"),
        };
        (lines.list.iter().map(line).collect(), lines.left_out)
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
                (0..random(12)).map(|_| ["a", "b", "c"][random(3) as usize]).collect::<Vec<_>>()
            });
            let (mut made, mut next) = (Vec::<&str>::new(), 0);
            let edits = edits(&before, &after);
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
        let edits = edits(&before, &after);
        let changed = edits.iter().map(|edit| edit.before.len() + edit.after.len());
        assert_eq!(changed.sum::<usize>(), 5);
    }

    #[test]
    fn texts_with_nothing_in_common_are_one_difference() {
        let text = |word: &str| {
            (0..200_000).map(|number| format!("{word}{}", number % 7)).collect::<Vec<_>>()
        };
        let (before, after) = (text("a"), text("b"));
        let [before, after] =
            [&before, &after].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
        let edits = edits(&before, &after);
        assert_eq!(edits, [Edit { before: 0..200_000, after: 0..200_000 }]);
    }
}
