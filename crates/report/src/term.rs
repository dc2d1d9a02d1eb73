//! Writes every change of a plan with its values, for a person at a terminal.
//!
//! The report is ordered by module, resource and attribute, and uses Terraform's own words and
//! symbols. The sections of a plan come in any order, so the text of each report section is spooled
//! until the plan ends. The last change is kept, too: instances that change alike are written once.

mod attributes;
mod layout;
mod outputs;
mod report_section;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

pub(super) use self::attributes::AttributeWriter;
use self::attributes::Counted;
use self::outputs::{Outputs, Waiting, columns};
use self::report_section::ReportSection;
use super::alike::{Instances, NAMED};
use super::gate::{CountedRules, Rule};
use super::patterns::Patterns;
use super::phrase::{self, PlanCount, Tense, Warning, plan_line};
use super::report::ReportOptions;
use super::screen::{BOLD, Color, DIM, GREEN, NAMES, PLAIN, RED, Screen, YELLOW, width, wrapped};
use super::source_link::{SourceLink, SourceLinks};
use super::spool::Spool;
use super::summary::{Action, symbol};
use super::tool::{Clues, Tool};
use super::{Sink, write_error};
use crate::short::{given, separator};
use crate::view::Detail;
use plansift_core::error::{Error, Result};
use plansift_core::inert::{spaced_lines, visible};
use plansift_plan::record::{
    ActionInvocation, Check, Hidden, Label, OutputChange, Record, ResourceChange,
};

/// The column where resource names begin, after the symbols.
pub(super) const SYMBOLS: usize = 6;
/// Separates the old and the new value of an attribute.
const ARROW: &str = " -> ";
/// Maximum width to which attribute paths are padded, in columns.
const PATHS: usize = 32;

/// The part of the spool with the attributes of the last changes, after the report sections.
const BODY: usize = ReportSection::ALL.len();

/// Writes the changes of each plan.
pub struct Term<W: Write> {
    out: W,
    screen: Screen,
    detail: Detail,
    links: SourceLinks,
    counted_rules: CountedRules,
    patterns: Patterns,
    /// Whether the title of any plan was written.
    has_titles: bool,
    spool: Spool<{ BODY + 1 }>,
    open: Open,
    /// Number of actions that the current plan invokes.
    invocations: u64,
    clues: Clues,
    /// Number of hidden changes and attributes.
    hidden: Hidden,
}

/// The changes and outputs that are not written yet, and the current report section and modules.
struct Open {
    /// The report section of the last record. `None` before the first report section and after the
    /// last.
    section: Option<ReportSection>,
    /// The module of the last change in each report section.
    modules: [Option<String>; ReportSection::ALL.len()],
    /// The last changes, which are not written yet.
    group: Option<Group>,
    /// The last outputs, which are not written yet.
    outputs: Outputs,
    /// Whether the title of the current plan was written.
    has_title: bool,
}

/// Instances of a resource that change alike. Their attributes are in the part [`BODY`].
struct Group {
    instances: Instances,
    symbol: String,
    phrase: String,
    link: Option<SourceLink>,
}

impl<W: Write> Term<W> {
    /// Writes to `out`. The report lists which of `rules` a plan breaks.
    pub fn new(out: W, color: Color, rules: &[Rule]) -> Term<W> {
        Term {
            out,
            screen: Screen { color, ..Screen::FILE },
            detail: Detail::Excerpts,
            links: SourceLinks::default(),
            counted_rules: CountedRules::new(rules),
            patterns: Patterns::default(),
            has_titles: false,
            spool: Spool::new(),
            open: Open {
                section: None,
                modules: Default::default(),
                group: None,
                outputs: Outputs::default(),
                has_title: false,
            },
            invocations: 0,
            clues: Clues::default(),
            hidden: Hidden::default(),
        }
    }

    /// Sets the width of lines, how much of each value to show, the locations of blocks, and the
    /// patterns that must match something. With [`Detail::Full`], instances are not grouped.
    pub fn with(self, options: &ReportOptions<'_>) -> Term<W> {
        let (screen, detail, links) = (options.screen, options.detail, options.links());
        Term { screen, detail, links, patterns: Patterns::of(options.patterns.clone()), ..self }
    }

    fn paint(&self, style: &str, text: &str) -> String {
        self.screen.paint(style, text)
    }

    /// Returns the location of a block as a remark.
    fn link(&self, link: Option<&SourceLink>, used: usize) -> String {
        self.writer().link(link, used)
    }

    fn line(&mut self, text: &str) -> Result<()> {
        self.text(&format!("{text}\n"))
    }

    /// Writes a sentence, wrapped into lines.
    fn sentence(&mut self, style: &str, text: &str) -> Result<()> {
        self.text(&self.screen.sentence(style, text))
    }

    /// Writes to the current report section; outside of report sections, directly to the output.
    fn text(&mut self, text: &str) -> Result<()> {
        match self.open.section {
            Some(section) => {
                // Reading the part reports an error.
                let _ = self.spool.part(section as usize).write_str(text);
                Ok(())
            }
            None => self.out.write_all(text.as_bytes()).map_err(write_error),
        }
    }

    fn title(&mut self, name: &str) -> Result<()> {
        let space = if std::mem::replace(&mut self.has_titles, true) { "\n" } else { "" };
        self.open.has_title = true;
        let title = self.paint(BOLD, &visible(name));
        self.line(&format!("{space}{title}"))
    }

    /// Writes the rules that the current plan breaks.
    fn broken_rules(&mut self) -> Result<()> {
        let (mut text, title) = (String::new(), self.counted_rules.broken_title());
        for answer in self.counted_rules.broken() {
            let style = if answer.fails() { RED } else { YELLOW };
            let severity = self.paint(style, answer.rule.severity().word());
            // Writing to a string cannot fail.
            let _ = writeln!(text, "      {}  {severity}", visible(answer.rule.text()));
            let message = answer.rule.message().map(spaced_lines).unwrap_or_default();
            for line in answer.lines(NAMED, visible).into_iter().chain(message) {
                for line in wrapped(&line, self.screen.width.saturating_sub(8)) {
                    // Each line is escaped again, because its start could be a CI runner command.
                    let _ = writeln!(text, "        {}", visible(line));
                }
            }
        }
        if text.is_empty() {
            return Ok(());
        }
        let title = self.paint(BOLD, title);
        write!(self.out, "\n{title}\n{text}").map_err(write_error)
    }

    /// Switches to a report section, if it is not the current one.
    fn enter(&mut self, section: ReportSection) -> Result<()> {
        if self.open.section != Some(section) {
            self.flush_group()?;
            self.open.section = Some(section);
        }
        Ok(())
    }

    /// Ends the current report section and writes all report sections in order.
    fn leave(&mut self, tool: Tool) -> Result<()> {
        self.flush_group()?;
        self.flush_outputs()?;
        self.open.section = None;
        for (section, _) in ReportSection::ALL {
            if !self.spool.is_empty(section as usize) {
                let title = self.paint(BOLD, section.title(tool));
                self.line(&format!("\n{title}"))?;
                self.spool.take(section as usize, &mut self.out)?;
            }
        }
        Ok(())
    }

    fn change(&mut self, section: ReportSection, change: &ResourceChange<'_>) -> Result<()> {
        self.enter(section)?;
        let module = change.resource.module_address.as_deref().map(visible);
        if self.open.modules[section as usize] != module {
            self.flush_group()?;
            if let Some(module) = &module {
                let title = self.paint(DIM, module);
                self.line(&format!("\n  {title}"))?;
            }
            self.open.modules[section as usize] = module;
        }
        let instances = Instances::of(change, self.detail);
        let action = Action::of_change(change);
        if self.open.group.as_mut().is_some_and(|group| group.instances.take(&instances)) {
            return Ok(());
        }
        self.flush_group()?;
        let symbol = self.paint(action.paint(), &format!("{:>3}", symbol(change)));
        let tense = if section == ReportSection::Drift { Tense::Happened } else { Tense::Planned };
        let phrase = phrase::description(tense, change, |_, text| visible(text));
        let link = self.links.of_change(change);
        let (writer, part) = (self.writer(), self.spool.part(BODY));
        // Reading the part reports an error.
        let _ = writer.attributes(part, &change.attributes, action);
        self.open.group = Some(Group { instances, symbol, phrase, link });
        Ok(())
    }

    fn flush_group(&mut self) -> Result<()> {
        let Some(group) = self.open.group.take() else { return Ok(()) };
        let Group { instances, symbol, phrase, link } = group;
        let (name, indexes) = (instances.name.as_str(), instances.indexes.join(", "));
        let alike = instances.others();
        let columns = SYMBOLS + [name, &indexes, &alike].map(width).iter().sum::<usize>();
        let [name, indexes] = [name, &indexes].map(|text| self.paint(BOLD, text));
        let mut head = format!("  {symbol} {name}{indexes}{alike}");
        let (phrase, columns) = self.screen.phrase(columns, &phrase);
        head += &phrase;
        head += &self.link(link.as_ref(), columns);
        self.line(&head)?;
        match self.open.section {
            Some(section) => self.spool.append(BODY, section as usize),
            None => self.spool.take(BODY, &mut self.out),
        }
    }

    fn writer(&self) -> AttributeWriter {
        AttributeWriter { screen: self.screen, detail: self.detail }
    }

    fn output(&mut self, output: &OutputChange<'_>) -> Result<()> {
        let action = Action::of(&output.action);
        let section = if action == Action::Keep {
            ReportSection::SameOutputs
        } else {
            ReportSection::Outputs
        };
        self.enter(section)?;
        let (name, link) = (visible(&output.name), self.links.of_output(&output.name));
        let attributes = Cow::Borrowed(&output.attributes);
        let output = Waiting { section, action, name, link, attributes };
        if output.is_large() {
            self.flush_outputs()?;
            self.write_outputs(&[output]);
            return Ok(());
        }
        self.open.outputs.push(output);
        if self.open.outputs.is_full() { self.flush_outputs() } else { Ok(()) }
    }

    fn flush_outputs(&mut self) -> Result<()> {
        let outputs = std::mem::take(&mut self.open.outputs);
        self.write_outputs(outputs.list());
        Ok(())
    }

    fn write_outputs(&mut self, outputs: &[Waiting<'_>]) {
        let writer = self.writer();
        let columns = [ReportSection::Outputs, ReportSection::SameOutputs]
            .map(|section| columns(outputs, section, PATHS));
        for output in outputs {
            let Waiting { section, action, name, link, attributes } = output;
            let symbol = self.paint(action.paint(), &format!("{:>3}", action.symbol()));
            let (bold, used) = (self.paint(BOLD, name), width(name));
            let link = |columns| writer.link(link.as_ref(), columns);
            let mut out = Counted::new(self.spool.part(*section as usize));
            // Reading the part reports an error.
            let _ = write!(out, "  {symbol} {bold}");
            let _ = match output.value() {
                None => {
                    let link = link(out.columns);
                    let _ = writeln!(out, "{link}");
                    writer.attributes(&mut out, attributes, *action)
                }
                Some(value) => {
                    let columns = columns[usize::from(*section == ReportSection::SameOutputs)];
                    let separator = format!("{} = ", " ".repeat(columns.saturating_sub(used)));
                    let column = SYMBOLS + used + separator.len();
                    out.separator = Some(separator);
                    let _ = writer.values(&mut out, value, column);
                    out.separator = None;
                    let link = link(out.columns);
                    writeln!(out, "{link}")
                }
            };
        }
    }

    fn invocation(&mut self, section: ReportSection, invoked: &ActionInvocation<'_>) -> Result<()> {
        self.enter(section)?;
        let words = phrase::invoked(invoked, |_, text| visible(text));
        let address = visible(&invoked.address);
        let writer = self.writer();
        let words = match width(&words) {
            0 => words,
            columns => writer.remark(SYMBOLS + width(&address), columns, PLAIN, &words),
        };
        self.line(&format!("      {address}{words}"))?;
        let part = self.spool.part(section as usize);
        // Reading the part reports an error.
        let _ = writer.attributes(part, &invoked.attributes, Action::Read);
        Ok(())
    }

    fn check(&mut self, check: &Check<'_>) -> Result<()> {
        let has_passed = check.status == "pass";
        self.enter(if has_passed { ReportSection::PassedChecks } else { ReportSection::Checks })?;
        let style = match &*check.status {
            _ if check.has_failed() => RED,
            "pass" => GREEN,
            _ => YELLOW,
        };
        let [address, status] = [&check.address, &check.status].map(|text| visible(text));
        let used = SYMBOLS + width(&address) + 2 + width(&status);
        let link = self.link(self.links.of(&check.address).as_ref(), used);
        self.line(&format!("      {address}  {}{link}", self.paint(style, &status)))?;
        let has_gaps = separator(&check.problems) == "\n\n";
        for (index, message) in given(&check.problems).enumerate() {
            let gap = (has_gaps && index > 0).then(String::new);
            for line in gap.into_iter().chain(spaced_lines(message)) {
                let space = if line.is_empty() { "" } else { "        " };
                self.line(&format!("{space}{line}"))?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Sink for Term<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.clues.note(record);
        self.counted_rules.note(record);
        self.patterns.note(record);
        match record {
            Record::Plan(plan) => {
                (self.open.section, self.open.modules, self.invocations) =
                    (None, Default::default(), 0);
                self.hidden = Hidden::default();
                self.title(plan.workspace.unwrap_or(plan.source))
            }
            Record::ResourceChange(change) => {
                let section =
                    if change.is_settled() { ReportSection::Same } else { ReportSection::Changes };
                self.change(section, change)
            }
            Record::ResourceDrift(change) => self.change(ReportSection::Drift, change),
            Record::DeferredChange(change) => self.change(ReportSection::Deferred, change),
            Record::OutputChange(output) => self.output(output),
            Record::ActionInvocation(invoked) => {
                self.invocations += 1;
                self.invocation(ReportSection::Actions, invoked)
            }
            Record::DeferredActionInvocation(deferred) => {
                self.invocation(ReportSection::DeferredActions, deferred)
            }
            Record::Check(check) => self.check(check),
            Record::Summary(summary) => {
                self.open.has_title = false;
                self.broken_rules()?;
                self.leave(self.clues.tool(summary))?;
                if let Some(words) = phrase::hidden(&self.hidden) {
                    let words = self.paint(DIM, &words);
                    self.line(&format!("\n{words}"))?;
                }
                self.line("")?;
                self.sentence(BOLD, &plan_line(summary, self.invocations))?;
                let broken = self.counted_rules.broken().count();
                if broken > 0 {
                    let fails = self.counted_rules.broken().any(|answer| answer.fails());
                    let words = format!("! {}: {broken}.", self.counted_rules.broken_title());
                    self.sentence(if fails { RED } else { YELLOW }, &words)?;
                }
                let checks = phrase::failed_checks(summary.failed_checks());
                let warnings = Warning::of(summary).map(|warning| warning.words(PlanCount::This));
                let mut words = checks.into_iter().chain(warnings);
                words.try_for_each(|words| self.sentence(RED, &format!("! {words}")))
            }
            // The list of broken rules contains failed assertions.
            _ => Ok(()),
        }
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.clues.note(record);
        self.counted_rules.note(record);
        self.invocations += u64::from(matches!(record, Record::ActionInvocation(_)));
        Ok(())
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        self.hidden = *hidden;
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.leave(self.clues.tool_so_far())?;
        let has_text = std::mem::replace(&mut self.has_titles, true);
        self.open.has_title = false;
        let space = if has_text { "\n" } else { "" };
        let text = visible(&format!("{}: {error}", label.source));
        let text = self.paint(RED, &text);
        self.line(&format!("{space}{text}"))
    }

    fn finish(&mut self) -> Result<()> {
        let patterns = self.patterns.clone();
        let unmatched = patterns.unmatched();
        if !unmatched.is_empty() {
            self.line("")?;
        }
        for pattern in unmatched {
            let color = if pattern.fails { RED } else { YELLOW };
            self.sentence(color, &format!("! {}", pattern.sentence(visible)))?;
        }
        self.out.flush().map_err(write_error)
    }
}
