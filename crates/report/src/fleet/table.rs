//! Draws the table of many plans, and the lists around it.

use std::cmp::Reverse;
use std::fmt::Write;

use super::{Failure, FleetGrouping, Shape, Sort, Totals};
use crate::phrase::{self, PlanCount, Warning, counted, replaced_note};
use crate::screen::{
    BOLD, CYAN, DIM, GREEN, PLAIN, RED, Screen, YELLOW, fit, fit_end, padded, width, wrapped,
};
use plansift_core::inert::visible;
use plansift_plan::record::{Column, FleetRow};

/// Maximum number of rows of the table, by default.
const ROWS: usize = 20;
/// Maximum number of rows of each list below the table, by default.
const LISTED: usize = 5;
/// Minimum width of a name, in columns. If long headings leave less room, headings are short.
const NAME_MIN: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Plans,
    Resources,
    Count(Column),
}

impl Field {
    fn value(self, row: &FleetRow) -> u64 {
        match self {
            Field::Plans => row.plans,
            Field::Resources => row.resources,
            Field::Count(column) => row.counts[column],
        }
    }

    fn words(self) -> [&'static str; 2] {
        match self {
            Field::Plans => ["plans", "plans"],
            Field::Resources => ["resources", "resources"],
            Field::Count(column) => [0, 1].map(|form| column.words()[form]),
        }
    }

    fn style(self) -> &'static str {
        match self {
            Field::Plans | Field::Resources => PLAIN,
            Field::Count(Column::Add) => GREEN,
            Field::Count(Column::Change) => YELLOW,
            Field::Count(Column::Import | Column::Move | Column::Drift) => CYAN,
            Field::Count(_) => RED,
        }
    }
}

/// The columns with their widths and headings, and the width of names.
struct Layout {
    fields: Vec<(Field, usize, &'static str)>,
    room: usize,
}

impl Layout {
    /// Creates a layout of the columns that have a number in some row. Headings are long if they
    /// leave room for names, otherwise short.
    fn new(by: FleetGrouping, totals: &FleetRow, columns: usize) -> Layout {
        let is_shown = |column: &Column| match column {
            Column::Add | Column::Change | Column::Destroy => true,
            // Only workspaces have checks and errors.
            Column::Checks | Column::Errors if by != FleetGrouping::Workspace => false,
            column => totals.counts[*column] > 0,
        };
        let counts = Column::ALL.into_iter().filter(is_shown).map(Field::Count);
        let fields: Vec<Field> = match by {
            FleetGrouping::Workspace => counts.collect(),
            FleetGrouping::Action => vec![Field::Plans, Field::Resources],
            _ => [Field::Plans].into_iter().chain(counts).collect(),
        };
        let drawn = |form: usize| -> Vec<(Field, usize, &'static str)> {
            let drawn = |&field: &Field| {
                let word = field.words()[form];
                let digits = field.value(totals).to_string().len();
                (field, word.len().max(digits) + 2 - form, word)
            };
            fields.iter().map(drawn).collect()
        };
        let taken = |fields: &[(Field, usize, &str)]| -> usize {
            fields.iter().map(|(_, width, _)| width).sum()
        };
        let words = drawn(0);
        let fields = if taken(&words) + NAME_MIN + 2 <= columns { words } else { drawn(1) };
        let room = (columns - 2).saturating_sub(taken(&fields));
        Layout { fields, room }
    }

    /// Shrinks the width of names to the longest of `names` and the `title`.
    fn fitted(self, names: &[String], title: &str) -> Layout {
        let longest = names.iter().map(|name| width(name)).max().unwrap_or(0);
        let wanted = longest.max(NAME_MIN).max(width(title).saturating_sub(2));
        Layout { room: self.room.min(wanted), ..self }
    }
}

/// Returns a name as the table shows it, cut to a width in columns.
fn shown(row: &FleetRow, by: FleetGrouping, columns: usize) -> String {
    let name = visible(&row.name);
    match by {
        FleetGrouping::Type | FleetGrouping::Action => fit(&name, columns),
        // Names of these kinds differ at the end.
        FleetGrouping::Workspace | FleetGrouping::Module | FleetGrouping::Provider => {
            fit_end(&name, columns)
        }
    }
}

impl Totals {
    /// Draws the table, its heading, and the lists of the groups with the most changes.
    pub fn draw(&self, shape: &Shape, screen: Screen) -> String {
        let mut page = Page { text: String::new(), screen, top: shape.top, has_legend: false };
        page.sentence(BOLD, &self.title());
        for warning in self.warnings(screen.width) {
            page.sentence(RED, &format!("! {warning}"));
        }
        page.line("");
        page.sentence(BOLD, &self.plan_line());
        page.table(self, shape);
        page.errors(self);
        page.named(self, "Planning failed", |row| row.is_errored);
        page.named(self, "Without a list of changes", |row| row.is_unlisted);
        page.named(self, "Fails assertions", |row| row.fails_assertions);
        page.named(self, "Leaves changes for another plan", |row| row.is_incomplete);
        if shape.by.unwrap_or_default() == FleetGrouping::Workspace {
            for by in [FleetGrouping::Type, FleetGrouping::Module, FleetGrouping::Provider] {
                page.list(self, by);
            }
        }
        page.text
    }

    /// Returns the numbers of workspaces, in words.
    pub(crate) fn title(&self) -> String {
        let count = |holds: &dyn Fn(&FleetRow) -> bool| {
            let processed = self.groups.workspaces.rows().filter(|row| row.is_processed());
            processed.filter(|row| holds(row)).count()
        };
        let inputs = count(&|row| row.plans == 0 && row.is_input);
        let failed = count(&|row| row.plans == 0) - inputs;
        let changed = count(&FleetRow::has_changes);
        let workspaces = count(&|_| true) - inputs;
        let mut title = counted(workspaces as u64, "workspace");
        let plans = (self.inputs.plans + self.inputs.failed).saturating_sub(inputs as u64);
        if plans as usize != workspaces {
            let _ = write!(title, " ({plans} plans)");
        }
        let _ = write!(title, ": {changed} with changes");
        let _ = write!(title, ", {} without", workspaces - failed - changed);
        if failed > 0 {
            let _ = write!(title, ", {failed} not read");
        }
        if inputs > 0 {
            let _ = write!(title, "; {} without a plan", counted(inputs as u64, "input"));
        }
        title
    }

    /// Returns the warnings about all plans, as sentences. A list is cut to a width in columns.
    pub(crate) fn warnings(&self, columns: usize) -> Vec<String> {
        let failed = match self.inputs.failed {
            1 => "1 plan could not be read: what it does is not counted.".to_owned(),
            many => format!("{many} plans could not be read: what they do is not counted."),
        };
        let pending = match self.inputs.pending {
            1 => "1 input is not done yet: what it does is not counted.".to_owned(),
            many => format!("{many} inputs are not done yet: what they do is not counted."),
        };
        let numbers: Vec<String> = self.inputs.missing_shards.iter().map(u32::to_string).collect();
        let missing = format!("Shards are missing: {}.", numbers.join(", "));
        let left = self.inputs.incomplete - self.inputs.errored;
        let warnings = [
            (self.inputs.missing_shards.len() as u64, fit(&missing, columns - 2)),
            (self.inputs.pending, pending),
            (self.inputs.failed, failed),
            (self.inputs.errored, Warning::Errored.words(PlanCount::Several(self.inputs.errored))),
            (
                self.inputs.unlisted,
                Warning::Unlisted.words(PlanCount::Several(self.inputs.unlisted)),
            ),
            (left, format!("{} will leave changes for another plan.", counted(left, "plan"))),
            (
                self.counts[Column::Checks],
                phrase::failed_checks(self.counts[Column::Checks]).unwrap_or_default(),
            ),
            (
                self.inputs.failed_assertions,
                format!("{} failed.", counted(self.inputs.failed_assertions, "assertion")),
            ),
            (
                self.inputs.failed_warnings,
                format!(
                    "{} failed as warnings.",
                    counted(self.inputs.failed_warnings, "assertion")
                ),
            ),
        ];
        let warnings = warnings.into_iter().filter(|(count, _)| *count > 0);
        warnings.map(|(_, warning)| warning).collect()
    }

    fn total(&self) -> FleetRow {
        FleetRow {
            name: "total".into(),
            counts: self.counts,
            plans: self.inputs.plans,
            resources: self.groups.actions.rows().map(|row| row.resources).sum(),
            ..FleetRow::default()
        }
    }

    /// Returns the rows that have something to show, sorted.
    pub(crate) fn sorted(&self, by: FleetGrouping, sort: Sort) -> Vec<&FleetRow> {
        // A row of an action may have a number of resources and no other count.
        // The list of errors has the workspaces without any plan.
        let is_shown =
            |row: &&FleetRow| by == FleetGrouping::Action || !row.is_quiet() && !row.is_unread();
        let mut rows: Vec<&FleetRow> = self.groups(by).rows().filter(is_shown).collect();
        if by != FleetGrouping::Workspace && sort != Sort::Input {
            rows.sort_by(|a, b| a.name.cmp(&b.name));
        }
        match sort {
            Sort::Input => {}
            Sort::Name => rows.sort_by(|a, b| a.name.cmp(&b.name)),
            // A replacement destroys, too.
            Sort::Column(Column::Destroy) => rows.sort_by_key(|row| {
                Reverse(row.counts[Column::Destroy] + row.counts[Column::Replace])
            }),
            Sort::Column(column) => rows.sort_by_key(|row| Reverse(row.counts[column])),
            Sort::Changes => rows.sort_by_key(|row| {
                Reverse((row.counts[Column::Errors], row.counts.changes(), row.resources))
            }),
        }
        rows
    }
}

struct Page {
    text: String,
    screen: Screen,
    top: Option<usize>,
    has_legend: bool,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn sentence(&mut self, style: &str, text: &str) {
        self.text += &self.screen.sentence(style, text);
    }

    fn table(&mut self, all: &Totals, shape: &Shape) {
        let by = shape.by.unwrap_or_default();
        let rows = all.sorted(by, shape.sort);
        let (listed, rest) = rows.split_at(rows.len().min(shape.top.unwrap_or(ROWS)));
        if rows.is_empty() {
            return;
        }
        let noun = match by {
            FleetGrouping::Workspace => "workspace",
            FleetGrouping::Type => "type",
            FleetGrouping::Module => "module",
            FleetGrouping::Provider => "provider",
            FleetGrouping::Action => "action",
        };
        let more = format!("and {}", counted(rest.len() as u64, &format!("more {noun}")));
        // Without errors in its rows, the table needs no column for them.
        let mut total = all.total();
        total.counts[Column::Errors] = rows.iter().map(|row| row.counts[Column::Errors]).sum();
        let layout = self.rows(listed, by, &total, &format!("  {more}"), "");
        if !rest.is_empty() {
            let mut row = FleetRow { name: more.into(), ..FleetRow::default() };
            for other in rest {
                row.counts.add(&other.counts);
                row.resources += other.resources;
            }
            self.row(&row, FleetGrouping::Type, &layout);
        }
        if rows.len() > 1 {
            self.row(&total, FleetGrouping::Type, &layout);
        }
        if layout.fields.iter().any(|(field, ..)| *field == Field::Count(Column::Replace)) {
            let [replaced, deleted] = [Column::Replace, Column::Destroy].map(|it| all.counts[it]);
            self.text += &self.screen.note(&replaced_note(replaced, deleted, &all.line));
        }
        self.legend(&layout);
    }

    /// Explains the short headings of a table, once a page.
    fn legend(&mut self, layout: &Layout) {
        let short = layout.fields.iter().map(|(field, _, word)| (field.words()[0], *word));
        let short = short.filter(|(long, word)| long != word);
        let words: Vec<String> = short.map(|(long, word)| format!("{word} {long}")).collect();
        if !words.is_empty() && !std::mem::replace(&mut self.has_legend, true) {
            self.text += &self.screen.note(&format!("{}.", words.join(", ")));
        }
    }

    /// Draws the list of workspaces for which `holds` is true.
    fn named(&mut self, all: &Totals, title: &str, holds: impl Fn(&FleetRow) -> bool) {
        let named: Vec<&FleetRow> = all.groups.workspaces.rows().filter(|row| holds(row)).collect();
        if named.is_empty() {
            return;
        }
        self.line("");
        self.line(&format!("{}: {}", self.screen.paint(BOLD, title), named.len()));
        let listed = named.len().min(self.top.unwrap_or(ROWS));
        for row in &named[..listed] {
            let name = shown(row, FleetGrouping::Workspace, self.screen.width - 2);
            self.line(&format!("{} {name}", self.screen.paint(RED, "!")));
        }
        if named.len() > listed {
            let more = format!("  and {} more", named.len() - listed);
            self.line(&self.screen.paint(DIM, &more));
        }
    }

    /// Draws a heading and rows. The layout leaves room for the name `further` of another row.
    fn rows(
        &mut self,
        rows: &[&FleetRow],
        by: FleetGrouping,
        totals: &FleetRow,
        further: &str,
        title: &str,
    ) -> Layout {
        let names: Vec<String> = rows.iter().map(|row| shown(row, by, self.screen.width)).collect();
        let further = if title.is_empty() { further } else { title };
        let layout = Layout::new(by, totals, self.screen.width).fitted(&names, further);
        let mut heading = format!("{title:<width$}", width = layout.room + 2);
        for (_, width, word) in &layout.fields {
            let _ = write!(heading, "{word:>width$}");
        }
        self.line("");
        self.line(&self.screen.paint(DIM, heading.trim_end()));
        for row in rows {
            self.row(row, by, &layout);
        }
        layout
    }

    fn row(&mut self, row: &FleetRow, by: FleetGrouping, layout: &Layout) {
        let name = shown(row, by, layout.room);
        let is_wrong = row.is_errored
            || row.is_unlisted
            || row.fails_assertions
            || row.counts[Column::Errors] > 0;
        let mark = if is_wrong { self.screen.paint(RED, "!") } else { " ".to_owned() };
        let mut line = format!("{mark} {}", padded(&name, layout.room));
        for &(field, width, _) in &layout.fields {
            line += &match field.value(row) {
                // The number of plans of several groups is unknown, because a plan can be in
                // several groups.
                0 if field == Field::Plans => " ".repeat(width),
                number => self.screen.number(field.style(), number, width),
            };
        }
        self.line(&line);
    }

    /// Draws a short list of the rows with the most changes.
    fn list(&mut self, all: &Totals, by: FleetGrouping) {
        let rows = all.sorted(by, Sort::Changes);
        if rows.is_empty() {
            return;
        }
        let title = match by {
            FleetGrouping::Type => "Most by type",
            FleetGrouping::Module => "Most by module",
            _ => "Most by provider",
        };
        let listed = self.top.unwrap_or(LISTED);
        let title = match rows.len().saturating_sub(listed) {
            0 => title.to_owned(),
            more => format!("{title} ({more} more)"),
        };
        let layout = self.rows(&rows[..rows.len().min(listed)], by, &all.total(), "", &title);
        self.legend(&layout);
    }

    /// Draws the list of plans that could not be read, with their errors.
    fn errors(&mut self, all: &Totals) {
        if all.failures.is_empty() {
            return;
        }
        self.line("");
        self.line(&format!("{}: {}", self.screen.paint(BOLD, "Not read"), all.inputs.failed));
        let listed = all.failures.len().min(self.top.unwrap_or(ROWS));
        for Failure { source, error, .. } in &all.failures[..listed] {
            let name = fit_end(&visible(source), self.screen.width - 2);
            self.line(&format!("{} {name}", self.screen.paint(RED, "!")));
            for line in wrapped(error, self.screen.width - 4) {
                // Each line is escaped again, because its start could be a CI runner command.
                let line = fit(&visible(line), self.screen.width - 4);
                self.line(&format!("    {}", self.screen.paint(RED, &line)));
            }
        }
        let more = all.inputs.failed - listed as u64;
        if more > 0 {
            let more = format!("  and {more} more");
            self.line(&self.screen.paint(DIM, &more));
        }
    }
}
