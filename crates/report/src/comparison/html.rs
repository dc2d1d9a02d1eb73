//! Writes a comparison as a page for a browser, with the script of the page about plans: each
//! direction has a list of objects.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

use serde::Serialize;

use super::object::{action, differences, name, other, phrase};
use super::overview::{Overview, Pair, Row, Verdict, ladder, others};
use crate::Sink;
use crate::change_list::{ChangeList, ListedChange};
use crate::fleet::capitalized;
use crate::html::{
    self, Cell, FRAME as REPORT, Failed, Frame, LISTED, NAME, PageWriter, ROWS_MAX, Table,
    UNSCRIPTED, changes, cut, digits, end, push_cells, push_line, row,
};
use crate::markup::escaped;
use crate::overview::Class;
use crate::tool::Tool;
use crate::view::Detail;
use plansift_core::error::{Error, Result};
use plansift_core::path::module_address;
use plansift_plan::record::{
    ComparisonSummary, Direction, FoundIn, Label, ObjectDifference, ObjectKind, Record,
};

const PAGE: &str = include_str!("../html/page/comparison.html");

const FRAME: Frame = Frame {
    title: "Comparison",
    style: concat!(
        include_str!("../html/page/page.css"),
        include_str!("../html/page/lists.css"),
        include_str!("../html/page/comparison.css"),
    ),
    style_digest: "x032XhR98piRs1CMJavGWgdV7dxcgaTZA03Ah1dLXow=",
    ..REPORT
};

/// Writes one page for all pairs.
pub(super) struct Html<W: Write> {
    page: PageWriter<W>,
    overview: Overview,
    /// The first objects of each direction, for a browser without scripts.
    listed: [ChangeList; Direction::ALL.len()],
    /// The name of the pair whose records arrive.
    source: Option<String>,
}

/// A row in a list of the page.
#[derive(Serialize)]
struct Entry<'a> {
    kind: &'static str,
    address: String,
    /// The action that gives the row its colour, and that the filter knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'a str>,
    /// The word of the row, if it is not the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    word: Option<&'a str>,
    /// The status of a check, or the value of a fact about a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    symbol: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    type_name: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    module: &'a str,
    reason: String,
}

#[derive(Serialize)]
struct Details<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attributes: Vec<Vec<Cell<'a>>>,
}

/// The first line of a pair.
#[derive(Serialize)]
#[serde(tag = "kind", rename = "plan")]
struct PairLine<'a> {
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<&'a str>,
}

impl<W: Write> Html<W> {
    pub fn new(out: W, overview: Overview) -> Html<W> {
        Html {
            page: PageWriter::new(out, &FRAME, PAGE),
            overview,
            listed: Direction::ALL.map(|_| ChangeList::new(&[LISTED])),
            source: None,
        }
    }

    fn object(&mut self, object: &ObjectDifference<'_>) -> Result<()> {
        let plan = self.overview.workspace();
        self.listed[object.direction as usize].note(0, || ListedChange {
            plan: plan.map(|plan| cut(plan, NAME)),
            symbol: action(object).symbol(),
            name: cut(&name(object), NAME),
            phrase: phrase(object, |text| cut(text, NAME)),
        });
        let groups = differences(object, Detail::Full);
        let rows = groups.iter().flat_map(|(direction, group)| {
            let word = other(object, *direction).map(Cow::Borrowed);
            group.list.iter().map(move |attribute| {
                let mut cells = row(attribute);
                cells.extend(word.clone().map(Cell::Text));
                cells
            })
        });
        let (entry, details) = (Entry::of(object), Details { attributes: rows.collect() });
        self.page.add_lines(|out| {
            push_line(&entry, out)?;
            push_line(&details, out)
        })
    }
}

impl<'a> Entry<'a> {
    fn of(object: &'a ObjectDifference<'_>) -> Entry<'a> {
        let word = object.new_action.as_deref().or(object.old_action.as_deref());
        let (action_word, other_word, status) = match object.object {
            ObjectKind::Check | ObjectKind::Plan => (None, None, word),
            ObjectKind::Resource | ObjectKind::Output => {
                let (action, word) = match object.found_in {
                    FoundIn::New => ("create", "created"),
                    FoundIn::Both => ("update", "changed"),
                    FoundIn::Old => ("delete", "destroyed"),
                };
                (Some(action), Some(word), None)
            }
            _ => (word, None, None),
        };
        let module = match object.object {
            ObjectKind::Plan | ObjectKind::OutputChange | ObjectKind::Output => "",
            _ => module_address(&object.address),
        };
        Entry {
            kind: object.direction.name(),
            address: name(object),
            action: action_word,
            word: other_word,
            status,
            symbol: action(object).symbol().trim(),
            type_name: object.type_name.as_deref(),
            module,
            reason: phrase(object, str::to_owned),
        }
    }
}

impl<W: Write> Sink for Html<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::ComparedPair(pair) => {
                self.overview.begin(pair);
                let (source, workspace) = (pair.new.source, pair.workspace);
                self.source = Some(source.to_owned());
                self.page.plan(&PairLine { source, workspace })
            }
            Record::ObjectDifference(object) => {
                self.overview.note(object);
                self.object(object)
            }
            Record::ComparisonSummary(summary) => {
                self.source = None;
                self.overview.end(summary);
                self.listed.iter_mut().for_each(ChangeList::mark);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.overview.fail(label, &error.to_string());
        self.listed.iter_mut().for_each(ChangeList::forget);
        // The script drops the entries of the pair.
        match self.source.take() {
            Some(source) => self.page.plan(&Failed { source: &source, workspace: None }),
            None => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        let body = self.body();
        self.page.finish(&head(&self.overview), &body)
    }
}

/// Returns the title, the verdict, the levels, and what is not listed.
fn head(overview: &Overview) -> String {
    let last = overview.last.as_ref().filter(|_| !overview.is_of_several());
    let (title, line) = match last {
        Some((pair, summary)) => {
            let [old, new] = [&pair.old, &pair.new].map(|it| cut(&it.source, NAME));
            (format!("{old} → {new}"), pair.verdict(summary))
        }
        None if overview.is_of_several() => ("Workspaces".to_owned(), overview.verdict()),
        None => ("Not compared".to_owned(), String::new()),
    };
    let mut text = format!("<h1 id=\"title\">{}</h1>\n", escaped(&title));
    let _ = writeln!(text, "<p id=\"line\" class=\"line\">{}</p>", escaped(&line));
    let warnings = overview.failure().into_iter().chain(overview.warnings());
    let warnings: String =
        warnings.map(|it| format!("<li class=\"warning\">{}</li>\n", escaped(&it))).collect();
    if !warnings.is_empty() {
        let _ = writeln!(text, "<ul id=\"warnings\" aria-label=\"Warnings\">\n{warnings}</ul>");
    }
    if let Some((pair, summary)) = last {
        levels(pair, summary, &mut text);
    }
    let legend = overview.legend().map(str::to_owned);
    for note in overview.unlisted.sentences().into_iter().chain(legend) {
        let _ = writeln!(text, "<p class=\"note\">{}</p>", escaped(&note));
    }
    text
}

/// Adds the ladder of levels.
fn levels(pair: &Pair, summary: &ComparisonSummary, text: &mut String) {
    *text += "<ol id=\"levels\" aria-label=\"Levels\">\n";
    for step in ladder(pair.level, summary) {
        let class = if step.agrees() { "create" } else { "update" };
        let decides = if step.decides { "decides" } else { "" };
        let (name, words) = (step.level.name(), step.words());
        let _ = writeln!(
            text,
            "<li class=\"{class}\"><b>{name}</b> <span class=\"words\">{words}</span> \
             <span class=\"note\">{decides}</span></li>"
        );
    }
    *text += "</ol>\n";
}

impl<W: Write> Html<W> {
    /// Returns the errors, the table of workspaces, and the first objects.
    fn body(&self) -> String {
        let mut text = String::new();
        let Html { overview, listed, .. } = self;
        let failures = overview.failures.iter().map(|(name, error)| (&**name, &**error));
        html::errors("Not compared", overview.failed(), failures, &mut text);
        if overview.is_of_several() {
            table(overview, &mut text);
        }
        for direction in Direction::ALL {
            let title = Class::of_direction(direction).title(Tool::default());
            changes(title, &listed[direction as usize], &mut text);
        }
        text + UNSCRIPTED
    }
}

/// Adds the table of the pairs that differ or failed.
fn table(overview: &Overview, text: &mut String) {
    let (rows, _) = overview.rows();
    if rows.is_empty() {
        return;
    }
    let headings = Row::HEADINGS.map(capitalized);
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let [first, last] = [&headings[..4], &headings[4..]];
    let table = Table { id: "plans", title: "Workspaces", name: "Workspace" };
    table.begin(first, last.first().copied(), text);
    let listed = &rows[..rows.len().min(ROWS_MAX)];
    for row in listed {
        let class = match row.verdict {
            Verdict::Same => "no-op",
            Verdict::Failed => "delete",
            Verdict::Differs(direction) => style(direction),
        };
        let classes = Direction::ALL.map(style);
        let numbers = classes.into_iter().zip(row.numbers().map(digits));
        let numbers = [(class, row.verdict.word().to_owned())].into_iter().chain(numbers);
        *text += "<tr>";
        push_cells(text, &row.name, numbers, Some(row.agrees()));
    }
    let note = others(overview, overview.count() - listed.len() as u64);
    end(text, [note].into_iter());
}

/// Returns the class that gives a direction its colour.
fn style(direction: Direction) -> &'static str {
    match direction {
        Direction::More => "delete",
        Direction::Less => "update",
        Direction::Resolved => "read",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_style_and_the_script() {
        crate::html::check_frame(&FRAME, PAGE, &PageWriter::<Vec<u8>>::MARKS);
    }
}
