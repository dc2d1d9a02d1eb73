//! Writes a comparison for a person at a terminal.
//!
//! The objects come sorted by kind and address, and the report groups them by direction. So their
//! text is spooled until the pair ends.

use std::fmt::Write as _;
use std::io::Write;

use super::object::{action, differences, name, other, phrase};
use super::overview::{Overview, Pair, Row, Unlisted, Verdict, ladder, others};
use super::write;
use crate::overview::Class;
use crate::screen::{
    BOLD, CYAN, DIM, GREEN, NAMES, PLAIN, RED, Screen, YELLOW, fit_end, padded, width,
};
use crate::spool::Spool;
use crate::summary::Action;
use crate::term::{AttributeWriter, SYMBOLS};
use crate::tool::Tool;
use crate::view::Detail;
use crate::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_core::inert::visible;
use plansift_plan::record::{
    ComparisonSummary, Direction, DirectionCounts, Label, ObjectDifference, Record,
};

/// Maximum number of workspaces in the table.
const ROWS: usize = 1000;
/// Minimum width of a name in the table, in columns.
const NAME_MIN: usize = 12;

/// Writes each pair when it ends, and a table of all pairs at the end.
pub(super) struct Term<W: Write> {
    out: W,
    screen: Screen,
    detail: Detail,
    overview: Overview,
    /// The text about the objects of the current pair, by direction.
    spool: Spool<{ Direction::ALL.len() }>,
    has_text: bool,
}

impl<W: Write> Term<W> {
    pub fn new(out: W, overview: Overview, screen: Screen, detail: Detail) -> Term<W> {
        Term { out, screen, detail, overview, spool: Spool::new(), has_text: false }
    }

    /// Writes an empty line between two parts of the report.
    fn gap(&mut self) -> Result<()> {
        let has_text = std::mem::replace(&mut self.has_text, true);
        write(&mut self.out, if has_text { "\n" } else { "" })
    }

    fn object(&mut self, object: &ObjectDifference<'_>) {
        let (screen, action, name) = (self.screen, action(object), visible(&name(object)));
        let symbol = screen.paint(action.paint(), &format!("{:>3}", action.symbol()));
        let words = phrase(object, visible);
        let (words, _) = screen.phrase(SYMBOLS + width(&name), &words);
        let mut text = String::new();
        let _ = writeln!(text, "  {symbol} {}{words}", screen.paint(BOLD, &name));
        let writer = AttributeWriter { screen, detail: self.detail };
        for (direction, group) in differences(object, self.detail) {
            if let Some(word) = other(object, direction) {
                let _ = writeln!(text, "{:NAMES$}{}", "", screen.paint(DIM, &format!("{word}:")));
            }
            let _ = writer.attributes(&mut text, &group, Action::Update);
        }
        // Reading the part reports an error.
        let _ = self.spool.part(object.direction as usize).write_str(&text);
    }

    fn end(&mut self, summary: &ComparisonSummary) -> Result<()> {
        let Some((pair, _)) = self.overview.end(summary) else { return Ok(()) };
        let pair = pair.clone();
        // The table has the other workspaces.
        if pair.workspace.is_some() && summary.verdict.is_none() {
            return Ok(());
        }
        self.gap()?;
        let text = head(&pair, summary, self.screen);
        write(&mut self.out, &text)?;
        let DirectionCounts { more, less, resolved } = summary.differing;
        for (direction, count) in Direction::ALL.into_iter().zip([more, less, resolved]) {
            if self.spool.is_empty(direction as usize) {
                continue;
            }
            let title = Class::of_direction(direction).title(Tool::default());
            let title = self.screen.paint(BOLD, title);
            write(&mut self.out, &format!("\n{title}: {count}\n"))?;
            self.spool.take(direction as usize, &mut self.out)?;
        }
        let notes = notes(&Unlisted::from(summary), self.screen);
        write(&mut self.out, &notes)
    }

    /// Drops the text about the objects of the current pair.
    fn forget(&mut self) -> Result<()> {
        Direction::ALL
            .into_iter()
            .try_for_each(|direction| self.spool.take(direction as usize, &mut std::io::sink()))
    }
}

/// Returns the names of both documents, the verdict, and the levels.
fn head(pair: &Pair, summary: &ComparisonSummary, screen: Screen) -> String {
    let mut text = String::new();
    if let Some(workspace) = &pair.workspace {
        let _ = writeln!(text, "{}", screen.paint(BOLD, &visible(workspace)));
    }
    for (word, document) in pair.documents() {
        let kind = if document.kind == "plan" { "" } else { document.kind };
        let (kind, _) = screen.phrase(5 + width(&visible(&document.source)), kind);
        let _ = writeln!(text, "{}  {}{kind}", screen.paint(DIM, word), visible(&document.source));
    }
    text.push('\n');
    let style = style(summary.verdict.map_or(Verdict::Same, Verdict::Differs));
    let sentence = screen.sentence(BOLD, &pair.verdict(summary));
    text += &match style {
        PLAIN => sentence,
        _ => screen.sentence(style, &pair.verdict(summary)),
    };
    text.push('\n');
    for step in ladder(pair.level, summary) {
        let decides = if step.decides { screen.paint(DIM, "  decides") } else { String::new() };
        let style = if step.agrees() { GREEN } else { PLAIN };
        let words = screen.paint(style, &step.words());
        let _ = writeln!(text, "  {}  {words}{decides}", padded(step.level.name(), 7));
    }
    text
}

/// Returns the sentences about what is not listed, after an empty line.
fn notes(unlisted: &Unlisted, screen: Screen) -> String {
    let sentences = unlisted.sentences();
    let space = if sentences.is_empty() { "" } else { "\n" };
    let lines: String = sentences.iter().map(|words| screen.sentence(DIM, words)).collect();
    format!("{space}{lines}")
}

fn style(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Failed | Verdict::Differs(Direction::More) => RED,
        Verdict::Differs(Direction::Less) => YELLOW,
        Verdict::Differs(Direction::Resolved) => CYAN,
        Verdict::Same => GREEN,
    }
}

/// Returns the verdict of all pairs, and a table of those that differ or failed.
fn table(overview: &Overview, screen: Screen) -> String {
    let mut text = screen.sentence(BOLD, &overview.verdict());
    let (rows, _) = overview.rows();
    if rows.is_empty() {
        return text;
    }
    let listed = &rows[..rows.len().min(ROWS)];
    let [verdict, numbers @ .., agrees] = Row::HEADINGS;
    let columns: Vec<usize> = [0, 1, 2]
        .map(|index| {
            let digits = listed.iter().map(|row| row.numbers()[index].to_string().len()).max();
            digits.unwrap_or(0).max(numbers[index].len()) + 2
        })
        .to_vec();
    let words = listed.iter().map(|row| row.verdict.word().len()).chain([verdict.len()]);
    let words = words.max().unwrap_or(0);
    let taken = 2 + 2 + words + columns.iter().sum::<usize>() + 2 + agrees.len();
    let names: Vec<String> = listed.iter().map(|row| visible(&row.name)).collect();
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0).max(NAME_MIN);
    let room = longest.min(screen.width.saturating_sub(taken)).max(NAME_MIN);
    let mut heading = format!("  {:room$}  {verdict:words$}", "");
    for (word, columns) in numbers.iter().zip(&columns) {
        let _ = write!(heading, "{word:>columns$}");
    }
    heading += &format!("  {agrees}");
    let _ = writeln!(text, "\n{}", screen.paint(DIM, &heading));
    for (row, name) in listed.iter().zip(&names) {
        let mark = match row.verdict {
            Verdict::Failed => screen.paint(RED, "!"),
            _ => " ".to_owned(),
        };
        let name = padded(&fit_end(name, room), room);
        let word = screen.paint(style(row.verdict), &format!("{:words$}", row.verdict.word()));
        let mut line = format!("{mark} {name}  {word}");
        if row.verdict != Verdict::Failed {
            for (number, columns) in row.numbers().into_iter().zip(&columns) {
                line += &screen.number(PLAIN, number, *columns);
            }
            line += &format!("  {}", row.agrees());
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let note = others(overview, overview.count() - listed.len() as u64);
    if note.is_empty() { text } else { text + &screen.note(&note) }
}

impl<W: Write> Sink for Term<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::ComparedPair(pair) => self.overview.begin(pair),
            Record::ObjectDifference(object) => {
                self.overview.note(object);
                self.object(object);
            }
            Record::ComparisonSummary(summary) => return self.end(summary),
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.forget()?;
        self.overview.fail(label, &error.to_string());
        self.gap()?;
        let workspace = label.workspace.map(|name| format!("{name}: ")).unwrap_or_default();
        let words = format!("{workspace}{}: {error}", label.source);
        let text = self.screen.sentence(RED, &visible(&words));
        write(&mut self.out, &text)
    }

    fn finish(&mut self) -> Result<()> {
        if self.overview.is_of_several() {
            self.gap()?;
            let table = table(&self.overview, self.screen);
            let notes = notes(&self.overview.unlisted, self.screen);
            write(&mut self.out, &(table + &notes))?;
        }
        let legend = self.overview.legend().map(|words| self.screen.sentence(DIM, words));
        write(&mut self.out, &legend.unwrap_or_default())?;
        let warnings = self.overview.warnings();
        let warning = |words: String| self.screen.sentence(YELLOW, &visible(&format!("! {words}")));
        write(&mut self.out, &warnings.into_iter().map(warning).collect::<String>())?;
        self.out.flush().map_err(write_error)
    }
}
