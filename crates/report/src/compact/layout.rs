//! Divides the budget among the entries.
//!
//! The lines of all changes come first. While there is room, all sections get the next [`Level`],
//! in the order of the sections. If a section has no room for it, its first entries get it. There a
//! body takes at most half of the room that is left, so that a long one leaves room for others.

use std::collections::BTreeMap;
use std::io::Write;

use super::Stores;
use super::entry::INDENT;
use super::risk::Risk;
use crate::entry_store::{Entry, EntryClass as _};
use crate::phrase::counted;
use crate::tool::Tool;
use crate::write_error;
use plansift_core::error::Result;

/// Room for the lines that say what is left out.
const LEFT_OUT: u64 = 480;

/// Room for the line that ends a body that is cut.
const MORE: usize = 40;

/// How much of the entries of a section is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// A line for all instances of a resource with the same action and reason.
    Runs,
    /// A line for each change.
    Lines,
    /// With the paths that change.
    Paths,
    /// With the values that differ.
    Differences,
    /// With all values.
    Values,
}

impl Level {
    /// The levels above the first.
    const HIGHER: [Level; 4] = [Level::Lines, Level::Paths, Level::Differences, Level::Values];

    fn next(self) -> Level {
        Level::HIGHER[(self as usize).min(Level::HIGHER.len() - 1)]
    }

    /// Returns the size of all entries of a section.
    fn size(self, risk: Risk, stores: &Stores) -> u64 {
        let Stores { runs, paths, values } = stores;
        match self {
            Level::Runs => runs.size(risk),
            Level::Lines => paths.heads(risk),
            Level::Paths => paths.size(risk),
            Level::Differences if !risk.has_differences() => paths.heads(risk),
            Level::Differences | Level::Values => paths.heads(risk) + values.size(risk),
        }
    }

    /// Returns the text below the line of an entry.
    fn body<'b>(self, risk: Risk, paths: &'b str, values: &'b str) -> &'b str {
        match self {
            Level::Runs | Level::Lines => "",
            Level::Paths => paths,
            Level::Differences if !risk.has_differences() => "",
            Level::Differences | Level::Values => values,
        }
    }
}

/// What is not written.
#[derive(Debug, Default)]
struct LeftOut {
    /// The numbers of items without a line.
    counts: BTreeMap<Risk, u64>,
    /// The number of items above without some of their values.
    values: u64,
    /// The number of items above without the paths that change.
    paths: u64,
}

impl LeftOut {
    /// Returns lines about what is left out, and how to ask for it.
    fn lines(&self) -> String {
        let counts = self.counts.iter().filter(|(_, count)| **count > 0);
        let each: Vec<String> = counts.map(|(risk, count)| risk.words(*count)).collect();
        let items: u64 = self.counts.values().sum();
        let lines = |each: &str| {
            let items = (items > 0).then(|| counted(items, "item") + each);
            let values = (self.values > 0).then(|| {
                let also = match self.paths {
                    0 => String::new(),
                    paths => format!(", paths of {paths}"),
                };
                format!("values of {} above{also}", counted(self.values, "item"))
            });
            let parts: Vec<String> = items.into_iter().chain(values).collect();
            match parts.is_empty() {
                true => String::new(),
                false => format!("\nLeft out: {}.\n{ASK}", parts.join("; ")),
            }
        };
        let text = lines(&format!(" ({})", each.join(", ")));
        if text.len() as u64 <= LEFT_OUT { text } else { lines("") }
    }
}

/// Says how to ask for what is left out.
const ASK: &str = "Ask for more: a larger --max-bytes, or a part: --only ADDRESS, \
                   --only action:delete, --only 'type:aws_iam_*'.\n";

/// Writes all entries in at most `room` bytes.
pub(super) fn write(
    out: &mut impl Write,
    stores: &mut Stores,
    tool: Tool,
    room: u64,
) -> Result<()> {
    let counts: BTreeMap<Risk, u64> = stores.runs.counts().collect();
    let titles: BTreeMap<Risk, String> = counts
        .iter()
        .map(|(risk, count)| (*risk, format!("\n{}: {count}\n", risk.title(tool))))
        .collect();
    let Shares { levels, left, is_complete } = shares(stores, &titles, room);
    let others = levels.iter().filter(|(_, level)| **level > Level::Runs);
    let others = others.map(|(risk, _)| stores.paths.stored(*risk)).sum();
    let left_out = LeftOut { counts, ..LeftOut::default() };
    let mut writer = Writer { out, left, others, left_out };
    for (risk, level) in levels {
        let title = &titles[&risk];
        let is_whole = match level {
            Level::Runs => writer.runs(stores, risk, title, is_complete)?,
            level => writer.entries(stores, risk, title, level)?,
        };
        if !is_whole {
            break;
        }
    }
    let lines = writer.left_out.lines();
    writer.put(&lines)
}

/// The level of each section, and the room that is left then.
struct Shares {
    levels: BTreeMap<Risk, Level>,
    left: u64,
    /// Whether there is room for the first level of all sections.
    is_complete: bool,
}

/// Divides `room` among the sections with these titles.
fn shares(stores: &Stores, titles: &BTreeMap<Risk, String>, room: u64) -> Shares {
    let needed = |level: Level| -> u64 {
        titles.iter().map(|(risk, title)| title.len() as u64 + level.size(*risk, stores)).sum()
    };
    let room = if needed(Level::Values) <= room { room } else { room.saturating_sub(LEFT_OUT) };
    let mut levels: BTreeMap<Risk, Level> =
        titles.keys().map(|risk| (*risk, Level::Runs)).collect();
    let Some(mut left) = room.checked_sub(needed(Level::Runs)) else {
        return Shares { levels, left: room, is_complete: false };
    };
    for higher in Level::HIGHER {
        let mut has_room = true;
        for (risk, level) in levels.iter_mut().filter(|(_, level)| level.next() == higher) {
            let size = left + level.size(*risk, stores);
            match size.checked_sub(higher.size(*risk, stores)) {
                Some(less) => (*level, left) = (higher, less),
                // Runs of many instances do not keep the other sections from their details.
                None => has_room &= higher == Level::Lines,
            }
        }
        if !has_room {
            break;
        }
    }
    Shares { levels, left, is_complete: true }
}

/// Writes the entries of the sections.
struct Writer<'o, W> {
    out: &'o mut W,
    /// Room for more than the levels of the sections need.
    left: u64,
    /// The number of entries for which the room is left.
    others: u64,
    left_out: LeftOut,
}

impl<W: Write> Writer<'_, W> {
    fn put(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(write_error)
    }

    /// Writes the runs of a section. If there is no room for all sections, writes those that fit.
    /// Returns whether all of them fit.
    fn runs(
        &mut self,
        Stores { runs, values, .. }: &mut Stores,
        risk: Risk,
        title: &str,
        is_complete: bool,
    ) -> Result<bool> {
        let (has_values, mut title) = (values.size(risk) > 0, title);
        let mut entries = runs.read(risk)?;
        while let Some(Entry { count, head, .. }) = entries.next()? {
            if !is_complete {
                let less = self.left.checked_sub((title.len() + head.len()) as u64);
                let Some(less) = less else { return Ok(false) };
                self.left = less;
            }
            self.put(std::mem::take(&mut title))?;
            self.put(&head)?;
            self.left_out.counts.entry(risk).and_modify(|left| *left -= count);
            self.left_out.values += if has_values { count } else { 0 };
            let has_paths = has_values && risk.has_differences();
            self.left_out.paths += if has_paths { count } else { 0 };
        }
        // The section may have more items than the store has room for.
        Ok(self.left_out.counts[&risk] == 0)
    }

    /// Writes the entries of a section, with more than its level as far as there is room. Returns
    /// whether all of them fit.
    fn entries(
        &mut self,
        Stores { paths, values, .. }: &mut Stores,
        risk: Risk,
        title: &str,
        level: Level,
    ) -> Result<bool> {
        self.put(title)?;
        let (mut entries, mut bodies) = (paths.read(risk)?, values.read(risk)?);
        while let (Some(entry), Some(values)) = (entries.next()?, bodies.next()?) {
            let low = level.body(risk, &entry.body, &values.body);
            let high = match values.is_cut {
                true => low,
                false => level.next().body(risk, &entry.body, &values.body),
            };
            // A later entry may need the room.
            let share = low.len() as u64 + (self.left / 2).max(self.left / self.others.max(1));
            let (shown, more) = match beginning(high, share) {
                _ if high.len() as u64 <= share => (high, String::new()),
                // A few values are worth less than all paths.
                Some((part, more)) if part.len() >= 2 * low.len() => (part, more),
                _ => (low, String::new()),
            };
            let taken = (shown.len() + more.len()) as u64;
            self.left = (self.left + low.len() as u64).saturating_sub(taken);
            self.others = self.others.saturating_sub(1);
            for text in [&entry.head, shown, &more] {
                self.put(text)?;
            }
            self.left_out.counts.entry(risk).and_modify(|left| *left -= entry.count);
            if shown != values.body || values.is_cut {
                self.left_out.values += entry.count;
                let has_paths = !shown.is_empty() || !risk.has_differences();
                self.left_out.paths += if has_paths { 0 } else { entry.count };
            }
        }
        Ok(true)
    }
}

/// Returns the first lines of a body, and a line with the number of other lines, in at most `room`
/// bytes. `None` if no line fits.
fn beginning(body: &str, room: u64) -> Option<(&str, String)> {
    let room = usize::try_from(room).unwrap_or(usize::MAX).checked_sub(MORE)?;
    let end = body[..body.floor_char_boundary(room)].rfind('\n')? + 1;
    let (part, rest) = body.split_at(end);
    let more = counted(rest.matches('\n').count() as u64, "more line");
    Some((part, format!("{INDENT}… {more}\n")))
}
