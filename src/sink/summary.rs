//! What a plan does, for a person: a page as wide as the screen.
//!
//! The page is drawn when the plan's `summary` record comes. Until then numbers are kept, and the
//! first few of everything that deserves a name; `TYPES_MAX`, `LISTED` and `BYTES_MAX` bound them.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use unicode_width::UnicodeWidthChar;

use super::phrase::{self, Of, Warning, plan_line};
use super::short::short_group;
use super::tool::{Clues, Tool};
use super::{Sink, write_error};
use crate::error::Result;
use crate::inert::visible;
use crate::record::counts::{ByWord, PathCounts, PlanLine, Summary};
use crate::record::{Check, Record, ResourceChange};

/// Columns that a type's name has at least.
const TYPE_MIN: usize = 28;
/// Types that are counted apart; the rest is one line.
const TYPES_MAX: usize = 10_000;
/// Types that have a line of the table, unless the user says how many.
const TYPES_SHOWN: usize = 20;
/// Addresses that are listed of each kind of news, unless the user says how many.
const LISTED: usize = 8;
/// Bytes of the addresses that are kept of each kind of news.
const BYTES_MAX: usize = 2 << 20;
/// Reasons of deferred changes that are counted apart.
const REASONS_MAX: usize = 8;

/// Whether to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Escape sequences of a terminal.
    Terminal,
    /// None.
    None,
}

/// What a page is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Whether it shows colours.
    pub color: Color,
    /// Its columns: longer names are cut.
    pub width: usize,
}

impl Screen {
    /// Columns of a file or a pipe: names of any ordinary length are whole.
    pub const UNBOUNDED: usize = 1000;
    /// The fewest columns that a page is drawn for.
    pub const NARROWEST: usize = 60;

    /// A file or a pipe.
    pub const FILE: Screen = Screen { color: Color::None, width: Screen::UNBOUNDED };
}

/// Draws the summary of each plan.
pub struct View<W: Write> {
    out: W,
    screen: Screen,
    top: Option<usize>,
    plan: Draft,
    drawn: u64,
}

/// What is known of the plan so far.
#[derive(Debug, Default)]
struct Draft {
    source: String,
    clues: Clues,
    types: HashMap<String, BTreeMap<Action, u64>>,
    /// Deletions, replacements and the like.
    risks: News,
    moves: News,
    imports: News,
    drift: News,
    deferred: News,
    deferred_reasons: ByWord,
    failed_checks: News,
    unknown_checks: News,
    invocations: u64,
}

/// The first few of something, and how many there are.
#[derive(Debug, Default)]
struct News {
    lines: Vec<Line>,
    count: u64,
    bounds: Bounds,
    bytes: usize,
}

/// How much is kept of some news: lines, and columns of each.
#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    lines: usize,
    columns: usize,
}

/// A line of news.
#[derive(Debug)]
struct Line {
    symbol: &'static str,
    /// Of the symbol.
    style: &'static str,
    text: String,
}

impl News {
    fn push(&mut self, symbol: &'static str, style: &'static str, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.lines.len() < self.bounds.lines && self.bytes < BYTES_MAX {
            // No more is kept than can be shown.
            let text = fit(&text(), self.bounds.columns);
            self.bytes += text.len();
            self.lines.push(Line { symbol, style, text });
        }
    }

    fn push_change(&mut self, change: &ResourceChange<'_>, more: impl FnOnce() -> String) {
        let style = Action::of_change(change).paint();
        self.push(symbol(change), style, || visible(&change.full_name()) + &more());
    }
}

/// What happens to a resource, in the order of the table's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Action {
    Create,
    Update,
    Replace,
    Delete,
    Forget,
    Read,
    Keep,
    Other,
}

impl Action {
    /// That of a change; of several the gravest.
    pub(super) fn of_change(change: &ResourceChange<'_>) -> Action {
        Action::of(change.effects().next().unwrap_or(&change.action))
    }

    pub(super) fn of(word: &str) -> Action {
        match word {
            "create" => Action::Create,
            "update" => Action::Update,
            "replace" => Action::Replace,
            "delete" => Action::Delete,
            "forget" => Action::Forget,
            "read" => Action::Read,
            "no-op" => Action::Keep,
            _ => Action::Other,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Action::Create => "create",
            Action::Update => "update",
            Action::Replace => "replace",
            Action::Delete => "delete",
            Action::Forget => "forget",
            Action::Read => "read",
            Action::Keep => "keep",
            Action::Other => "other",
        }
    }

    /// Terraform's own symbol.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Action::Create => "+",
            Action::Update => "~",
            Action::Replace => "-/+",
            Action::Delete => "-",
            Action::Forget => ".",
            Action::Read => "<=",
            Action::Keep => " ",
            Action::Other => "?",
        }
    }

    pub(super) fn paint(self) -> &'static str {
        match self {
            Action::Create => GREEN,
            Action::Update => YELLOW,
            Action::Replace | Action::Delete | Action::Forget => RED,
            Action::Read => CYAN,
            Action::Keep | Action::Other => PLAIN,
        }
    }
}

/// The note below a table that counts replacements. `deleted`: the resources that the table counts
/// as destroyed. Replacements that forget their old object are not destroyed in the plan line.
pub(super) fn replaced_note(replaced: u64, deleted: u64, line: &PlanLine) -> String {
    match line.destroy.saturating_sub(deleted) {
        destroyed if destroyed < replaced => format!(
            "Replacements are counted apart here: {replaced} added, {destroyed} destroyed in the \
             plan line."
        ),
        _ => "Replacements are counted apart here, and as added and destroyed in the plan line."
            .to_owned(),
    }
}

pub(super) const PLAIN: &str = "";
pub(super) const BOLD: &str = "\x1b[1m";
pub(super) const DIM: &str = "\x1b[2m";
pub(super) const RED: &str = "\x1b[31m";
pub(super) const GREEN: &str = "\x1b[32m";
pub(super) const YELLOW: &str = "\x1b[33m";
pub(super) const CYAN: &str = "\x1b[36m";
pub(super) const RESET: &str = "\x1b[0m";

impl<W: Write> View<W> {
    /// Draws to `out`, with that many lines of each list, or an ordinary number of them.
    pub fn new(out: W, screen: Screen, top: Option<usize>) -> View<W> {
        let mut view = View { out, screen, top, plan: Draft::default(), drawn: 0 };
        view.begin();
        view
    }

    /// Begins a plan; returns what is known of the one before.
    fn begin(&mut self) -> Draft {
        let bounds = Bounds { lines: self.top.unwrap_or(LISTED), columns: self.screen.width };
        let news = || News { bounds, ..News::default() };
        let plan = Draft {
            risks: news(),
            moves: news(),
            imports: news(),
            drift: news(),
            deferred: news(),
            failed_checks: news(),
            unknown_checks: news(),
            ..Draft::default()
        };
        std::mem::replace(&mut self.plan, plan)
    }

    /// What was drawn so far, and where to.
    pub(super) fn into_inner(self) -> W {
        self.out
    }

    fn paint(&self, style: &str, text: &str) -> String {
        paint(self.screen.color, style, text)
    }

    fn draw(&mut self, summary: &Summary) -> std::io::Result<()> {
        let plan = self.begin();
        if self.drawn > 0 {
            writeln!(self.out)?;
        }
        self.drawn += 1;
        let tool = plan.clues.tool(summary);
        writeln!(self.out, "{}", self.paint(BOLD, &self.title(&plan, tool, summary)))?;
        for warning in Warning::of(summary) {
            self.draw_sentence(RED, &format!("! {}", warning.words(Of::This)))?;
        }
        writeln!(self.out)?;
        self.draw_sentence(BOLD, &plan_line(summary, plan.invocations))?;
        self.draw_types(&plan.types, &summary.terraform)?;
        self.draw_news("Destroyed, replaced or forgotten", &plan.risks)?;
        self.draw_news("Moved", &plan.moves)?;
        self.draw_news("Imported", &plan.imports)?;
        self.draw_news(tool.drift(), &plan.drift)?;
        self.draw_news(&deferred_title(&plan), &plan.deferred)?;
        self.draw_news("Checks that failed", &plan.failed_checks)?;
        self.draw_news("Checks that are not known yet", &plan.unknown_checks)?;
        self.draw_numbers(summary)
    }

    fn title(&self, plan: &Draft, tool: Tool, summary: &Summary) -> String {
        let columns = self.screen.width;
        let version = plan.clues.version(summary).map_or(String::new(), |version| {
            fit(&format!("  made by {} {}", tool.name(), visible(version)), columns / 2)
        });
        fit_end(&visible(&plan.source), columns - width(&version)) + &version
    }

    fn draw_sentence(&mut self, style: &str, text: &str) -> std::io::Result<()> {
        let lines = wrapped(text, self.screen.width);
        lines.iter().try_for_each(|line| writeln!(self.out, "{}", self.paint(style, line)))
    }

    fn draw_types(
        &mut self,
        types: &HashMap<String, BTreeMap<Action, u64>>,
        line: &PlanLine,
    ) -> std::io::Result<()> {
        if types.is_empty() {
            return Ok(());
        }
        let mut total: BTreeMap<Action, u64> = BTreeMap::new();
        for (&action, &number) in types.values().flatten() {
            *total.entry(action).or_default() += number;
        }
        // Words where they fit, symbols alone where there are many columns.
        let headings = |words: bool| -> Vec<(Action, usize, String)> {
            let heading = |(&action, number): (&Action, &u64)| {
                let symbol = action.symbol().trim();
                let text = match words || symbol.is_empty() {
                    true => format!("{symbol} {}", action.word()).trim().to_owned(),
                    false => symbol.to_owned(),
                };
                let width = width(&text).max(number.to_string().len()) + 2;
                (action, width, text)
            };
            total.iter().map(heading).collect()
        };
        let room_beside = |headings: &[(Action, usize, String)]| {
            (self.screen.width - 2).saturating_sub(headings.iter().map(|(_, width, _)| width).sum())
        };
        let mut headings_shown = headings(false);
        if headings(true).iter().map(|(_, width, _)| width).sum::<usize>() + TYPE_MIN
            < self.screen.width
        {
            headings_shown = headings(true);
        }
        let widths: Vec<(Action, usize)> =
            headings_shown.iter().map(|(action, width, _)| (*action, *width)).collect();
        let room = room_beside(&headings_shown);
        let mut rows: Vec<_> = types.iter().collect();
        rows.sort_by_key(|(name, numbers)| {
            (std::cmp::Reverse(numbers.values().sum::<u64>()), *name)
        });
        let shown = self.top.unwrap_or(TYPES_SHOWN);
        let longest = rows.iter().take(shown).map(|(name, _)| width(name)).max();
        let room = longest.unwrap_or(0).max("and 1000000 more types".len()).min(room);
        let mut heading = " ".repeat(room + 2);
        for (_, width, text) in &headings_shown {
            heading += &format!("{text:>width$}");
        }
        writeln!(self.out, "\n{}", self.paint(DIM, heading.trim_end()))?;
        for (name, numbers) in rows.iter().take(shown) {
            self.draw_row(name, numbers, &widths, room)?;
        }
        if let Some(rest) = rows.get(shown..).filter(|rest| !rest.is_empty()) {
            let mut numbers: BTreeMap<Action, u64> = BTreeMap::new();
            for (&action, &number) in rest.iter().flat_map(|(_, numbers)| *numbers) {
                *numbers.entry(action).or_default() += number;
            }
            let more = match rest.len() {
                1 => "and 1 more type".to_owned(),
                count => format!("and {count} more types"),
            };
            self.draw_row(&more, &numbers, &widths, room)?;
        }
        if rows.len() > 1 {
            self.draw_row("total", &total, &widths, room)?;
        }
        if let Some(&replaced) = total.get(&Action::Replace) {
            let deleted = total.get(&Action::Delete).copied().unwrap_or(0);
            let note = replaced_note(replaced, deleted, line);
            writeln!(self.out, "  {}", self.paint(DIM, &fit(&note, self.screen.width - 2)))?;
        }
        Ok(())
    }

    fn draw_row(
        &mut self,
        name: &str,
        numbers: &BTreeMap<Action, u64>,
        widths: &[(Action, usize)],
        room: usize,
    ) -> std::io::Result<()> {
        let name = fit(name, room);
        let mut line = format!("  {name}{}", " ".repeat(room - width(&name)));
        for &(action, width) in widths {
            let cell = match numbers.get(&action) {
                Some(number) => self.paint(action.paint(), &format!("{number:>width$}")),
                None => self.paint(DIM, &format!("{:>width$}", "·")),
            };
            line += &cell;
        }
        writeln!(self.out, "{line}")
    }

    fn draw_news(&mut self, title: &str, news: &News) -> std::io::Result<()> {
        if news.count == 0 {
            return Ok(());
        }
        let title = fit(title, self.screen.width - 24);
        writeln!(self.out, "\n{}: {}", self.paint(BOLD, &title), news.count)?;
        for Line { symbol, style, text } in &news.lines {
            let symbol = self.paint(style, &format!("{symbol:>3}"));
            writeln!(self.out, "{symbol} {}", fit(text, self.screen.width - 4))?;
        }
        let rest = news.count - news.lines.len() as u64;
        if rest > 0 {
            writeln!(self.out, "    {}", self.paint(DIM, &format!("and {rest} more")))?;
        }
        Ok(())
    }

    fn draw_numbers(&mut self, summary: &Summary) -> std::io::Result<()> {
        writeln!(self.out)?;
        let all: u64 = summary.resource_changes.values().sum();
        let same = summary.resource_changes.get("no-op").copied().unwrap_or(0);
        let mut facts = vec![("Resources", format!("{all}, of which {same} stay as they are"))];
        let outputs: u64 = summary.output_changes.values().sum();
        if outputs > 0 {
            facts.push(("Outputs", words(&summary.output_changes)));
        }
        if !summary.checks.is_empty() {
            facts.push(("Checks", words(&summary.checks)));
        }
        if let Some(PathCounts { unknown, sensitive, changed }) = summary.paths {
            let paths =
                format!("{changed} change, {unknown} known after apply, {sensitive} sensitive");
            facts.push(("Paths", paths));
        }
        for (name, text) in facts {
            let heading = self.paint(DIM, &format!("{name:<10}"));
            writeln!(self.out, "{heading} {}", fit(&text, self.screen.width - 11))?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for View<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let columns = self.screen.width;
        if let Record::Plan(_) = record {
            // A plan that failed before this one leaves nothing.
            self.begin();
        }
        let plan = &mut self.plan;
        plan.clues.note(record);
        match record {
            Record::Plan(header) => header.source.clone_into(&mut plan.source),
            Record::ResourceChange(change) => plan.change(change),
            Record::ResourceDrift(change) => {
                plan.drift.push_change(change, || was(change));
            }
            Record::DeferredChange(change) => {
                let reason = change.deferred_reason.as_deref().unwrap_or("unknown");
                let reason = fit(&visible(reason), columns / 2);
                if plan.deferred_reasons.contains_key(&reason)
                    || plan.deferred_reasons.len() < REASONS_MAX
                {
                    *plan.deferred_reasons.entry(reason).or_default() += 1;
                }
                plan.deferred.push_change(change, String::new);
            }
            Record::OutputChange(_) | Record::DeferredActionInvocation(_) => {}
            Record::Check(check) => plan.check(check),
            Record::ActionInvocation(_) => plan.invocations += 1,
            Record::Summary(summary) => return self.draw(summary).map_err(write_error),
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}

impl Draft {
    fn change(&mut self, change: &ResourceChange<'_>) {
        let action = Action::of_change(change);
        if change.moved_from().is_some() {
            self.moves.push_change(change, || was(change));
        }
        if change.importing.is_some() {
            self.imports.push_change(change, String::new);
        }
        if change.is_settled() {
            return;
        }
        if matches!(action, Action::Delete | Action::Replace | Action::Forget) {
            self.risks.push_change(change, || {
                let reason = |word: &str| known(|word| phrase::reason(change, word), word);
                let reason = change.action_reason.as_deref().map(reason);
                let parts = phrase::stays(change).map(str::to_owned).into_iter().chain(reason);
                parts.map(|part| format!(", {part}")).collect()
            });
        }
        let name = visible(&short_group(change.type_name.as_deref().unwrap_or("(no type)")));
        let name = if self.types.contains_key(&name) || self.types.len() < TYPES_MAX {
            name
        } else {
            "(other types)".to_owned()
        };
        *self.types.entry(name).or_default().entry(action).or_default() += 1;
    }

    fn check(&mut self, check: &Check<'_>) {
        if check.status == "pass" {
            return;
        }
        let (news, symbol, style) = match &*check.status {
            "unknown" => (&mut self.unknown_checks, "?", YELLOW),
            _ => (&mut self.failed_checks, "!", RED),
        };
        news.push(symbol, style, || {
            let first = check.problems.first().map(|problem| format!(": {}", visible(problem)));
            format!(
                "{} {}{}",
                visible(&check.address),
                visible(&check.status),
                first.unwrap_or_default()
            )
        });
    }
}

/// Where a change comes from, in words behind its address; nothing if it was there before.
fn was(change: &ResourceChange<'_>) -> String {
    change.moved_from().map(|from| format!(" (was {})", visible(from))).unwrap_or_default()
}

/// The symbol of a change; of a replacement it says what comes first.
pub(super) fn symbol(change: &ResourceChange<'_>) -> &'static str {
    match &*change.actions {
        [first, second] if first == "create" && second == "delete" => "+/-",
        [first, second] if first == "create" && second == "forget" => "+/.",
        [first, second] if first == "forget" && second == "create" => "./+",
        _ => Action::of_change(change).symbol(),
    }
}

/// A text in a style.
pub(super) fn paint(color: Color, style: &str, text: &str) -> String {
    match color {
        Color::Terminal if !style.is_empty() => format!("{style}{text}{RESET}"),
        _ => text.to_owned(),
    }
}

fn deferred_title(plan: &Draft) -> String {
    let reason = |(word, number): (&String, &u64)| {
        let words = known(phrase::deferral, word);
        format!("{number} {}", words.strip_prefix("deferred ").unwrap_or(&words))
    };
    let reasons: Vec<String> = plan.deferred_reasons.iter().map(reason).collect();
    format!("Deferred ({})", reasons.join(", "))
}

fn words(counts: &ByWord) -> String {
    let words: Vec<String> =
        counts.iter().map(|(word, number)| format!("{number} {}", visible(word))).collect();
    words.join(", ")
}

/// A word in plain words, if these are known, or itself.
pub(super) fn known(phrase: impl Fn(&str) -> Option<&'static str>, word: &str) -> String {
    phrase(word).map_or_else(|| visible(word), str::to_owned)
}

/// A sentence of ASCII in lines of so many columns, cut at spaces.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while rest.len() > columns
        && let Some(space) = rest.get(..=columns).and_then(|line| line.rfind(' '))
    {
        lines.push(&rest[..space]);
        rest = &rest[space + 1..];
    }
    lines.push(rest);
    lines
}

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.len();
    }
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

/// Characters for each column: a letter, and what is written above and below it.
pub(super) const STACKED: usize = 4;

/// A text cut to so many columns, the end left out.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let characters = STACKED * columns;
    if width(text) <= columns && text.chars().nth(characters).is_none() {
        return text.to_owned();
    }
    let mut used = 0;
    let mut cut: String = text
        .chars()
        .take(characters)
        .take_while(|character| {
            used += character.width().unwrap_or(0);
            used < columns
        })
        .collect();
    cut.push('…');
    cut
}

/// A text cut to so many columns, the beginning left out.
pub(super) fn fit_end(text: &str, columns: usize) -> String {
    let reversed: String = text.chars().rev().collect();
    fit(&reversed, columns).chars().rev().collect()
}
