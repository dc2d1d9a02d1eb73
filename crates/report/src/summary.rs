//! Draws a page about one plan for a person, as wide as the screen.
//!
//! The page is drawn when the plan's `summary` record arrives. Until then, the view keeps counts
//! and the first few addresses of each list. `TYPES_MAX`, `LISTED` and `BYTES_MAX` limit its
//! memory.

mod listing;

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use self::listing::{Bounds, Line, Listing};
use super::impact::impact;
use super::loss;
use super::phrase::{self, PlanCount, Warning, counted, plan_line, replaced_note};
use super::screen::{
    BOLD, CYAN, DIM, GREEN, PLAIN, RED, Screen, YELLOW, fit, fit_end, padded, width, wrapped,
};
use super::short::{first_line, short, short_group};
use super::source_link::SourceLinks;
use super::tool::{Clues, Tool};
use super::{Sink, write_error};
use plansift_core::error::Result;
use plansift_core::inert::visible;
use plansift_plan::record::counts::{ByWord, PathCounts, PlanLine, Summary};
use plansift_plan::record::{Attribute, Check, Difference, Record, ResourceChange, Shown};

/// Minimum width of a type's name, in columns.
const TYPE_MIN: usize = 28;
/// Maximum number of types with counts of their own; all others share one line.
const TYPES_MAX: usize = 10_000;
/// Default number of rows of the table of types.
const TYPES_SHOWN: usize = 20;
const LISTED: usize = 8;
/// Begins the lines of a note.
const NOTE_INDENT: &str = "      ";
/// Maximum number of reasons of deferred changes with counts of their own.
const REASONS_MAX: usize = 8;

/// Draws the summary of each plan.
pub struct View<W: Write> {
    out: W,
    screen: Screen,
    top: Option<usize>,
    links: SourceLinks,
    plan: Draft,
    drawn: u64,
}

/// The counts and lists of the current plan so far.
#[derive(Debug, Default)]
struct Draft {
    source: String,
    clues: Clues,
    types: HashMap<String, BTreeMap<Action, u64>>,
    /// The changes that destroy, replace or forget something, by [`loss::rank`].
    losses: [Listing; loss::RANKS],
    moves: Listing,
    imports: Listing,
    /// Objects that changed outside.
    drift: Listing,
    deferred: Listing,
    deferred_reasons: ByWord,
    checks: Checks,
    invocations: u64,
    /// Changed outputs that are sensitive, wholly or in part.
    sensitive_outputs: u64,
}

/// Checks that did not pass.
#[derive(Debug, Default)]
struct Checks {
    failed: Listing,
    unknown: Listing,
}

/// The action on a resource, in the order of the table's columns.
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
    /// Each action with its word in plans, its word in a table, Terraform's symbol and its style.
    const ALL: [(Action, &str, &str, &str, &str); 8] = [
        (Action::Create, "create", "create", "+", GREEN),
        (Action::Update, "update", "update", "~", YELLOW),
        (Action::Replace, "replace", "replace", "-/+", RED),
        (Action::Delete, "delete", "delete", "-", RED),
        (Action::Forget, "forget", "forget", ".", RED),
        (Action::Read, "read", "read", "<=", CYAN),
        (Action::Keep, "no-op", "keep", " ", PLAIN),
        (Action::Other, "", "other", "?", PLAIN),
    ];

    /// Returns the action of a change: the most severe one if there are several.
    pub(super) fn of_change(change: &ResourceChange<'_>) -> Action {
        Action::of(change.effects().next().unwrap_or(&change.action))
    }

    pub(super) fn of(word: &str) -> Action {
        let known = Action::ALL.iter().find(|(_, known, ..)| *known == word);
        known.map_or(Action::Other, |(action, ..)| *action)
    }

    fn word(self) -> &'static str {
        Action::ALL[self as usize].2
    }

    /// Returns Terraform's symbol of the action.
    pub(super) fn symbol(self) -> &'static str {
        Action::ALL[self as usize].3
    }

    pub(super) fn paint(self) -> &'static str {
        Action::ALL[self as usize].4
    }
}

/// Returns the sign of an attribute (`+`, `-`, `~` or a space) and its style.
pub(super) fn sign(attribute: &Attribute, action: Action) -> (&'static str, &'static str) {
    match (&attribute.before, &attribute.after) {
        _ if attribute.difference == Difference::Nothing => (" ", PLAIN),
        (Shown::Absent, _) if action == Action::Read => (" ", PLAIN),
        (Shown::Absent, _) => ("+", GREEN),
        (_, Shown::Absent) if action == Action::Forget => (" ", PLAIN),
        (_, Shown::Absent) => ("-", RED),
        _ => ("~", YELLOW),
    }
}

/// Explains the symbols in the headings of a table.
fn legend<'a>(actions: impl Iterator<Item = &'a Action>) -> String {
    let named = actions.filter(|action| !action.symbol().trim().is_empty());
    let named: Vec<_> =
        named.map(|action| format!("{} {}", action.symbol(), action.word())).collect();
    format!("{}.", named.join(", "))
}

impl<W: Write> View<W> {
    /// Creates a view that draws to `out`. `top` is the number of lines of each list; `None` means
    /// the default.
    pub fn new(out: W, screen: Screen, top: Option<usize>) -> View<W> {
        let (links, plan) = (SourceLinks::default(), Draft::default());
        let mut view = View { out, screen, top, links, plan, drawn: 0 };
        view.begin();
        view
    }

    /// Shows the locations of blocks after addresses.
    pub fn with_links(self, links: SourceLinks) -> View<W> {
        View { links, ..self }
    }

    /// Begins a plan, and returns the previous one.
    fn begin(&mut self) -> Draft {
        let columns = self.screen.width;
        let listing = || Listing::new(Bounds { lines: self.top.unwrap_or(LISTED), columns });
        let plan = Draft {
            losses: self.losses_max().map(|lines| Listing::new(Bounds { lines, columns })),
            moves: listing(),
            imports: listing(),
            drift: listing(),
            deferred: listing(),
            checks: Checks { failed: listing(), unknown: listing() },
            ..Draft::default()
        };
        std::mem::replace(&mut self.plan, plan)
    }

    /// Returns the maximum length of the list of losses up to each rank.
    fn losses_max(&self) -> [usize; loss::RANKS] {
        self.top.map_or_else(|| loss::maxes(usize::MAX, LISTED), |top| [top; loss::RANKS])
    }

    pub(super) fn into_inner(self) -> W {
        self.out
    }

    fn draw(&mut self, summary: &Summary) -> std::io::Result<()> {
        let mut plan = self.begin();
        if self.drawn > 0 {
            writeln!(self.out)?;
        }
        self.drawn += 1;
        let tool = plan.clues.tool(summary);
        writeln!(self.out, "{}", self.screen.paint(BOLD, &self.title(&plan, tool, summary)))?;
        let checks = phrase::failed_checks(summary.failed_checks());
        let warnings = Warning::of(summary).map(|warning| warning.words(PlanCount::This));
        for warning in checks.into_iter().chain(warnings) {
            write!(self.out, "{}", self.screen.sentence(RED, &format!("! {warning}")))?;
        }
        let line = plan_line(summary, plan.invocations);
        write!(self.out, "\n{}", self.screen.sentence(BOLD, &line))?;
        self.draw_types(&plan.types, &summary.terraform)?;
        self.draw_listing(loss::TITLE, &joined(std::mem::take(&mut plan.losses)))?;
        self.draw_listing("Moved", &plan.moves)?;
        self.draw_listing("Imported", &plan.imports)?;
        self.draw_listing(tool.drift(), &plan.drift)?;
        self.draw_listing(&deferred_title(&plan), &plan.deferred)?;
        self.draw_listing("Checks that failed", &plan.checks.failed)?;
        self.draw_listing("Checks that are not known yet", &plan.checks.unknown)?;
        self.draw_numbers(&plan, summary)
    }

    fn title(&self, plan: &Draft, tool: Tool, summary: &Summary) -> String {
        let columns = self.screen.width;
        let version = plan.clues.version(summary).map_or(String::new(), |version| {
            fit(&format!("  made by {} {}", tool.name(), visible(version)), columns / 2)
        });
        fit_end(&visible(&plan.source), columns - width(&version)) + &version
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
        // Headings have words if all of them fit, otherwise only symbols.
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
        let room_for_names = |headings: &[(Action, usize, String)]| {
            (self.screen.width - 2).saturating_sub(headings.iter().map(|(_, width, _)| width).sum())
        };
        let taken = headings(true).iter().map(|(_, width, _)| width).sum::<usize>();
        let has_words = taken + TYPE_MIN < self.screen.width;
        let shown_headings = headings(has_words);
        let widths: Vec<(Action, usize)> =
            shown_headings.iter().map(|(action, width, _)| (*action, *width)).collect();
        let room = room_for_names(&shown_headings);
        let mut rows: Vec<_> = types.iter().collect();
        rows.sort_by_key(|(name, numbers)| {
            (std::cmp::Reverse(numbers.values().sum::<u64>()), *name)
        });
        let shown = self.top.unwrap_or(TYPES_SHOWN);
        let longest = rows.iter().take(shown).map(|(name, _)| width(name)).max();
        let room = longest.unwrap_or(0).max("and 1000000 more types".len()).min(room);
        let mut heading = " ".repeat(room + 2);
        for (_, width, text) in &shown_headings {
            heading += &format!("{text:>width$}");
        }
        writeln!(self.out, "\n{}", self.screen.paint(DIM, heading.trim_end()))?;
        for (name, numbers) in rows.iter().take(shown) {
            self.draw_row(name, numbers, &widths, room)?;
        }
        if let Some(rest) = rows.get(shown..).filter(|rest| !rest.is_empty()) {
            let mut numbers: BTreeMap<Action, u64> = BTreeMap::new();
            for (&action, &number) in rest.iter().flat_map(|(_, numbers)| *numbers) {
                *numbers.entry(action).or_default() += number;
            }
            let more = format!("and {}", counted(rest.len() as u64, "more type"));
            self.draw_row(&more, &numbers, &widths, room)?;
        }
        if rows.len() > 1 {
            self.draw_row("total", &total, &widths, room)?;
        }
        if let Some(&replaced) = total.get(&Action::Replace) {
            let deleted = total.get(&Action::Delete).copied().unwrap_or(0);
            write!(self.out, "{}", self.screen.note(&replaced_note(replaced, deleted, line)))?;
        }
        match has_words {
            true => Ok(()),
            false => write!(self.out, "{}", self.screen.note(&legend(total.keys()))),
        }
    }

    fn draw_row(
        &mut self,
        name: &str,
        numbers: &BTreeMap<Action, u64>,
        widths: &[(Action, usize)],
        room: usize,
    ) -> std::io::Result<()> {
        let mut line = format!("  {}", padded(&fit(name, room), room));
        for &(action, width) in widths {
            let number = numbers.get(&action).copied().unwrap_or(0);
            line += &self.screen.number(action.paint(), number, width);
        }
        writeln!(self.out, "{line}")
    }

    fn draw_listing(&mut self, title: &str, listing: &Listing) -> std::io::Result<()> {
        if listing.count == 0 {
            return Ok(());
        }
        writeln!(self.out)?;
        for line in wrapped(&format!("{title}: {}", listing.count), self.screen.width) {
            // Each line is escaped again, because its start could be a CI runner command.
            let line = fit(&visible(line), self.screen.width);
            let (words, count) = line.split_at(line.rfind(": ").unwrap_or(line.len()));
            writeln!(self.out, "{}{count}", self.screen.paint(BOLD, words))?;
        }
        for line in &listing.lines {
            let symbol = self.screen.paint(line.style, &format!("{:>3}", line.symbol));
            writeln!(self.out, "{symbol} {}", line.fit(self.screen.width - 4))?;
            let columns = self.screen.width - NOTE_INDENT.len();
            for text in wrapped(&line.note, columns).into_iter().filter(|text| !text.is_empty()) {
                let text = self.screen.paint(DIM, &fit(text, columns));
                writeln!(self.out, "{NOTE_INDENT}{text}")?;
            }
        }
        let more = match (listing.left_out(), listing.data_left_out) {
            (0, _) => return Ok(()),
            (rest, 0) => format!("and {rest} more"),
            (rest, data) => format!("and {rest} more, of which {data} hold data"),
        };
        writeln!(self.out, "    {}", self.screen.paint(DIM, &more))?;
        Ok(())
    }

    fn draw_numbers(&mut self, plan: &Draft, summary: &Summary) -> std::io::Result<()> {
        writeln!(self.out)?;
        let all: u64 = summary.resource_changes.values().sum();
        let same = summary.resource_changes.get("no-op").copied().unwrap_or(0);
        let mut facts = vec![("Resources", format!("{all}, of which {same} stay as they are"))];
        let outputs: u64 = summary.output_changes.values().sum();
        if outputs > 0 {
            let sensitive = match plan.sensitive_outputs {
                0 => String::new(),
                count => format!("; {count} sensitive"),
            };
            facts.push(("Outputs", words(&summary.output_changes) + &sensitive));
        }
        if !summary.checks.is_empty() {
            facts.push(("Checks", words(&summary.checks)));
        }
        let made =
            summary.plan.timestamp.as_deref().map(|time| format!("made at {}", visible(time)));
        let says: Vec<_> =
            made.into_iter().chain(phrase::flags(summary).map(str::to_owned)).collect();
        if !says.is_empty() {
            facts.push(("Plan", says.join(", ")));
        }
        if let Some(PathCounts { unknown, sensitive, changed }) = summary.paths {
            let paths =
                format!("{changed} change, {unknown} known after apply, {sensitive} sensitive");
            facts.push(("Paths", paths));
        }
        for (name, text) in facts {
            let columns = self.screen.width - 11;
            for (at, line) in wrapped(&text, columns).into_iter().enumerate() {
                let heading = format!("{:<10}", if at == 0 { name } else { "" });
                writeln!(self.out, "{} {}", self.screen.paint(DIM, &heading), fit(line, columns))?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Sink for View<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let columns = self.screen.width;
        if let Record::Plan(_) = record {
            // Discards a failed plan before this one.
            self.begin();
        }
        let (plan, links) = (&mut self.plan, &self.links);
        plan.clues.note(record);
        match record {
            Record::Plan(header) => header.source.clone_into(&mut plan.source),
            Record::ResourceChange(change) => plan.change(change, links),
            Record::ResourceDrift(change) => {
                plan.drift.push(|| line(change, links, previous_address(change)));
            }
            Record::DeferredChange(change) => {
                let reason = change.deferred_reason.as_deref().unwrap_or("unknown");
                let reason = fit(&visible(reason), columns / 2);
                if plan.deferred_reasons.contains_key(&reason)
                    || plan.deferred_reasons.len() < REASONS_MAX
                {
                    *plan.deferred_reasons.entry(reason).or_default() += 1;
                }
                plan.deferred.push(|| line(change, links, String::new()));
            }
            Record::OutputChange(output) => {
                plan.sensitive_outputs += u64::from(!output.paths.sensitive.is_empty());
            }
            Record::Check(check) => plan.check(check, links),
            Record::ActionInvocation(_) => plan.invocations += 1,
            Record::Summary(summary) => return self.draw(summary).map_err(write_error),
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}

impl Draft {
    fn change(&mut self, change: &ResourceChange<'_>, links: &SourceLinks) {
        let action = Action::of_change(change);
        if change.moved_from().is_some() {
            self.moves.push(|| line(change, links, previous_address(change)));
        }
        if change.importing.is_some() {
            self.imports.push(|| line(change, links, String::new()));
        }
        if change.is_settled() {
            return;
        }
        if let Some(rank) = loss::rank(change) {
            self.losses[rank].push(|| {
                let reason = phrase::bare_reason(change, |_, text| visible(text));
                let parts = phrase::stays(change).map(str::to_owned).into_iter().chain(reason);
                let rest = parts.map(|part| format!(", {part}")).collect();
                let note = impact(change, |text| visible(&short(text)));
                Line { note: note.unwrap_or_default(), ..line(change, links, rest) }
            });
        }
        let name =
            visible(&short_group(change.resource.type_name.as_deref().unwrap_or("(no type)")));
        let name = if self.types.contains_key(&name) || self.types.len() < TYPES_MAX {
            name
        } else {
            "(other types)".to_owned()
        };
        *self.types.entry(name).or_default().entry(action).or_default() += 1;
    }

    fn check(&mut self, check: &Check<'_>, links: &SourceLinks) {
        if check.status == "pass" {
            return;
        }
        let (listing, symbol, style) = match &*check.status {
            "unknown" => (&mut self.checks.unknown, "?", YELLOW),
            _ => (&mut self.checks.failed, "!", RED),
        };
        listing.push(|| {
            let first = check.problems.first().map(|problem| {
                let of = match check.problems.len() {
                    1 => String::new(),
                    count => format!(", first of {count} messages"),
                };
                let more = if problem.trim().contains('\n') { " …" } else { "" };
                format!("{of}: {}{more}", visible(first_line(problem)))
            });
            Line {
                symbol,
                style,
                name: visible(&check.address),
                link: links.of(&check.address),
                rest: format!(" {}{}", visible(&check.status), first.unwrap_or_default()),
                note: String::new(),
            }
        });
    }
}

/// Joins the lists of losses of all ranks. The lines of losses of data come first.
fn joined(ranks: [Listing; loss::RANKS]) -> Listing {
    let mut ranks = ranks.into_iter();
    let data = ranks.by_ref().take(loss::DATA_RANKS).reduce(Listing::joined).unwrap_or_default();
    let data_left_out = data.left_out();
    let mut all = ranks.fold(data, Listing::joined);
    all.data_left_out = data_left_out;
    all
}

/// Returns the line of a change in a list. `rest` follows the address.
fn line(change: &ResourceChange<'_>, links: &SourceLinks, rest: String) -> Line {
    Line {
        symbol: symbol(change),
        style: Action::of_change(change).paint(),
        name: visible(&change.full_name()),
        link: links.of_change(change),
        rest,
        note: String::new(),
    }
}

/// Returns the previous address of a moved resource in words, or an empty string.
fn previous_address(change: &ResourceChange<'_>) -> String {
    change.moved_from().map(|from| format!(" (was {})", visible(from))).unwrap_or_default()
}

/// Returns the symbol of a change. The symbol of a replacement shows the order of its steps.
pub(super) fn symbol(change: &ResourceChange<'_>) -> &'static str {
    match &*change.actions {
        [first, second] if first == "create" && second == "delete" => "+/-",
        [first, second] if first == "create" && second == "forget" => "+/.",
        [first, second] if first == "forget" && second == "create" => "./+",
        _ => Action::of_change(change).symbol(),
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

/// Returns the phrase for a word of the plan, or the word itself if `phrase` has none.
pub(super) fn known(phrase: impl Fn(&str) -> Option<&'static str>, word: &str) -> String {
    phrase(word).map_or_else(|| visible(word), str::to_owned)
}
