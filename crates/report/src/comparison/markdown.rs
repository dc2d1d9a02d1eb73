//! Writes a comparison as Markdown, for a comment on a pull or merge request.

use std::fmt::Write as _;

use super::object::{action, differences, name, other, phrase};
use super::overview::{Overview, Pair, Row, ladder, others};
use crate::Sink;
use crate::entry_store::Entry;
use crate::fit::fitting;
use crate::fleet::capitalized;
use crate::markdown::{Entries, EntryRenderer, Fit, Measure, Open};
use crate::markdown::{list, span, text_span};
use crate::overview::{Class, ERROR, NAME};
use crate::summary::Action;
use crate::tool::Tool;
use crate::view::Detail;
use plansift_core::error::{Error, Result};
use plansift_plan::record::{ComparisonSummary, Label, ObjectDifference, Record};

/// Writes one report for all pairs.
pub(super) struct Markdown<'s> {
    overview: Overview,
    entries: Entries<'s>,
    detail: Detail,
}

impl<'s> Markdown<'s> {
    pub fn new(open: Open<'s>, overview: Overview, fit: Fit, detail: Detail) -> Markdown<'s> {
        let mut entries = Entries::new(open, fit);
        entries.renderer.detail = detail;
        Markdown { overview, entries, detail }
    }

    /// Ends a pair, whose name becomes part of the identity of the report.
    fn add_to_key(&mut self, name: &str) {
        self.entries.add_to_key(&format!("compare {name}"));
    }
}

impl Sink for Markdown<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::ComparedPair(pair) => {
                self.overview.begin(pair);
                self.entries.renderer.plan = pair.workspace.map(str::to_owned);
                Ok(())
            }
            Record::ObjectDifference(object) => {
                self.overview.note(object);
                let (class, detail) = (Class::of_direction(object.direction), self.detail);
                self.entries.add(class, |renderer| entry(renderer, object, detail))
            }
            Record::ComparisonSummary(summary) => {
                let name = self.overview.end(summary).map(|(pair, _)| pair.name().to_owned());
                name.iter().for_each(|name| self.add_to_key(name));
                self.entries.mark();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.overview.fail(label, &error.to_string());
        self.add_to_key(label.workspace.unwrap_or(label.source));
        self.entries.forget()
    }

    fn finish(&mut self) -> Result<()> {
        // The overview gets half of the first page, the entries the other half.
        let Fit { max, measure, .. } = self.entries.fit();
        let text = text(&self.overview, measure, max / 2);
        self.entries.write(&text, Tool::default())
    }
}

/// Returns the entry of an object.
fn entry(renderer: &EntryRenderer, object: &ObjectDifference<'_>, detail: Detail) -> Entry {
    let head = renderer.head(action(object).symbol(), &name(object));
    let phrase = phrase(object, |text| span(text, NAME));
    let space = if phrase.is_empty() { "" } else { " " };
    let mut entry =
        Entry { count: 1, head: format!("{head}{space}{phrase}\n\n"), ..Entry::default() };
    let mut full: Option<String> = None;
    for (direction, group) in differences(object, detail) {
        let word = other(object, direction).map(|word| format!("{}:\n\n", capitalized(word)));
        let part = renderer.body(&group, Action::Update);
        let [word, body] = [word.unwrap_or_default(), part.body];
        if full.is_none() && part.full.is_some() {
            full = Some(entry.body.clone());
        }
        if let Some(full) = &mut full {
            *full += &word;
            *full += part.full.as_ref().unwrap_or(&body);
        }
        entry.body += &word;
        entry.body += &body;
    }
    Entry { full, ..entry }
}

/// Returns the first part of the report, at most `room` long.
fn text(overview: &Overview, measure: Measure, room: u64) -> String {
    let legend = overview.legend().map(str::to_owned);
    let notes: Vec<String> = overview.unlisted.sentences().into_iter().chain(legend).collect();
    let notes = notes.join(" ");
    let notes = if notes.is_empty() { notes } else { notes + "\n\n" };
    let text = match &overview.last {
        _ if overview.is_of_several() => format!("## {}\n\n", overview.verdict()),
        Some((pair, summary)) => one(pair, summary),
        None => "## Not compared\n\n".to_owned(),
    } + &warnings(overview)
        + &notes;
    let room = room.saturating_sub(measure.of(&text));
    let errors = errors(overview, measure, room / 2);
    let room = room.saturating_sub(measure.of(&errors));
    let table =
        if overview.is_of_several() { table(overview, measure, room) } else { String::new() };
    text + &errors + &table
}

/// Returns the warnings, each as a paragraph.
fn warnings(overview: &Overview) -> String {
    let warnings = overview.warnings();
    warnings.iter().map(|words| format!("**Warning:** {}\n\n", text_span(words, ERROR))).collect()
}

/// Returns the verdict, the documents and the levels of the only pair.
fn one(pair: &Pair, summary: &ComparisonSummary) -> String {
    let mut text = format!("## {}\n\n", pair.verdict(summary));
    let documents = pair.documents().map(|(word, document)| {
        let kind = if document.kind == "plan" { "" } else { document.kind };
        let space = if kind.is_empty() { "" } else { " " };
        format!("{word}: {}{space}{kind}", text_span(&document.source, NAME))
    });
    let _ = write!(text, "{}\n\n| Level | |\n| --- | --- |\n", documents.join(", "));
    for step in ladder(pair.level, summary) {
        let (name, words) = (step.level.name(), step.words());
        let _ = match step.decides {
            true => writeln!(text, "| **{name}** (decides) | **{words}** |"),
            false => writeln!(text, "| {name} | {words} |"),
        };
    }
    text.push('\n');
    text
}

/// Returns the list of pairs that failed.
fn errors(overview: &Overview, measure: Measure, room: u64) -> String {
    if overview.failed() == 0 {
        return String::new();
    }
    let line = |(name, error): &(String, String)| {
        format!("- {}: {}\n", text_span(name, NAME), text_span(error, ERROR))
    };
    let (count, lines) = (overview.failed(), overview.failures.iter().map(line));
    list(&format!("Not compared: {count}"), count, lines, measure, room)
}

/// Returns the table of the pairs that differ or failed.
fn table(overview: &Overview, measure: Measure, room: u64) -> String {
    let (rows, _) = overview.rows();
    if rows.is_empty() {
        return String::new();
    }
    let headings = Row::HEADINGS.map(capitalized).join(" | ");
    let heading = format!("| Workspace | {headings} |\n| --- | --- | ---: | ---: | ---: | --- |\n");
    let line = |row: &&Row| {
        let numbers = row.numbers().map(|number| match number {
            0 => "·".to_owned(),
            number => number.to_string(),
        });
        let (name, word) = (span(&row.name, NAME), row.verdict.word());
        format!("| {name} | {word} | {} | {} |\n", numbers.join(" | "), row.agrees())
    };
    let end = |shown: usize| match others(overview, overview.count() - shown as u64) {
        note if note.is_empty() => "\n".to_owned(),
        note => format!("\n{note}\n\n"),
    };
    let room = room.saturating_sub(measure.of(&heading) + measure.of(&end(0)));
    let (lines, shown) = fitting(rows.iter().map(line), measure, room);
    heading + &lines + &end(shown)
}
