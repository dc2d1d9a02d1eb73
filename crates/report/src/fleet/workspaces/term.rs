//! Draws the comparison of two runs for a terminal: the number of workspaces with each transition,
//! and a list of the workspaces with each one. A workspace is listed once, at the most severe.

use super::super::Shape;
use super::{Workspace, Workspaces};
use crate::screen::{
    BOLD, CYAN, DIM, GREEN, PLAIN, RED, Screen, YELLOW, fit, fit_end, padded, wrapped,
};
use plansift_core::inert::visible;
use plansift_plan::record::{Column, Transition};

/// Maximum number of workspaces of each list, by default.
const LISTED: usize = 20;
/// Width of the words for a transition, in columns.
const WORDS: usize = 20;

impl Workspaces<'_> {
    /// Draws the comparison.
    pub fn draw(&self, shape: &Shape, screen: Screen) -> String {
        let mut text = String::new();
        for (index, sentence) in self.state_sentences().iter().enumerate() {
            text += &screen.sentence(if index == 0 { BOLD } else { PLAIN }, sentence);
        }
        for warning in self.warnings(screen.width) {
            text += &screen.sentence(RED, &format!("! {warning}"));
        }
        text.push('\n');
        let transitions: Vec<_> = self.transitions().collect();
        let digits = transitions.iter().map(|(_, number)| number.to_string().len()).max();
        for &(transition, number) in &transitions {
            let words = padded(&capitalized(self.words(transition)), WORDS);
            let number = screen.number(style(transition), number, digits.unwrap_or(1));
            text += &format!("  {words}  {number}\n");
        }
        let listed = shape.top.unwrap_or(LISTED);
        for (transition, number) in transitions {
            if transition != Transition::Unchanged {
                self.list(transition, number, listed, screen, &mut text);
            }
        }
        text
    }

    fn list(
        &self,
        transition: Transition,
        number: u64,
        listed: usize,
        screen: Screen,
        text: &mut String,
    ) {
        let rows = || self.rows.iter().filter(|row| row.worst() == transition);
        let own = rows().count();
        if own == 0 {
            return;
        }
        let above = match number - own as u64 {
            0 => String::new(),
            above => format!(", {above} of them above"),
        };
        let title = capitalized(self.words(transition));
        *text += &format!("\n{}: {number}{above}\n", screen.paint(BOLD, &title));
        let errors = self.errors();
        for row in rows().take(listed) {
            self.row(row, transition, screen, text);
            if let Some(error) = errors.get(row.name) {
                text.extend(lines(error, screen, RED));
            }
        }
        if own > listed {
            let more = format!("  and {} more", own - listed);
            *text += &format!("{}\n", screen.paint(DIM, &more));
        }
    }

    fn row(&self, row: &Workspace<'_>, transition: Transition, screen: Screen, text: &mut String) {
        let mark = if row.problems().is_empty() { " " } else { "!" };
        let name = fit_end(&visible(row.name), screen.width - 2);
        *text += &format!("{} {name}\n", screen.paint(RED, mark));
        let words = row.transitions.iter().filter(|other| **other != transition);
        let words = words.map(|other| self.words(*other).to_owned());
        let problems = row.problems().into_iter().map(str::to_owned);
        let others = row.other_changes().map(str::to_owned);
        let parts = problems.chain(differences(row)).chain(others).chain(words);
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() {
            return;
        }
        text.extend(lines(&parts.join(", "), screen, style(transition)));
    }
}

/// Returns the lines of a text below a name.
fn lines(text: &str, screen: Screen, style: &str) -> impl Iterator<Item = String> {
    wrapped(text, screen.width - 4).into_iter().map(move |line| {
        // Each line is escaped again, because its start could be a CI runner command.
        let line = fit(&visible(line), screen.width - 4);
        format!("    {}\n", screen.paint(style, &line))
    })
}

/// Returns the columns whose numbers differ, with both numbers.
fn differences(row: &Workspace<'_>) -> impl Iterator<Item = String> {
    let columns = Column::ALL.into_iter().filter(|column| *column != Column::Errors);
    columns.filter_map(|column| {
        let word = column.words()[0];
        Some(match row.numbers(column) {
            [Some(before), Some(after)] if before != after => format!("{word} {before} → {after}"),
            [None, Some(after @ 1..)] => format!("{word} {after}"),
            [Some(before @ 1..), None] => format!("{word} {before} before"),
            _ => return None,
        })
    })
}

fn style(transition: Transition) -> &'static str {
    match transition {
        Transition::NewFailure | Transition::NewDestroys | Transition::StillFailing => RED,
        Transition::NewPlannedChanges => YELLOW,
        Transition::NewDrift | Transition::Pending | Transition::New => CYAN,
        Transition::FewerChanges | Transition::Recovered => GREEN,
        Transition::Gone | Transition::Unchanged => PLAIN,
    }
}

/// Returns words with a capital at the beginning.
pub(crate) fn capitalized(words: &str) -> String {
    let (first, rest) = words.split_at(words.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}
