//! An entry of the report: a row with the name and the reason, and the attributes between fences.
//!
//! Consecutive instances of one resource that change alike share an entry, which counts them.

use std::fmt::Write as _;

use super::attributes::{Told, VALUE, tell};
use super::class::Class;
use super::quoted::{NAME, cut, fenced, span};
use crate::record::view::Detail;
use crate::record::{ActionInvocation, Attributes, Check, OutputChange, ResourceChange};
use crate::sink::phrase::{self, Tense, circumstances, what, what_else};
use crate::sink::source_link::{Place, Places};
use crate::sink::summary::{Action, symbol};
use crate::sink::term::{NAMED, likeness, names};

/// Maximum number of characters of an instance key, a word, and the name of a plan.
const WORD: usize = 60;
/// Maximum number of characters of a check's problem.
const PROBLEM: usize = 1000;
/// Maximum number of problems listed for a check.
const PROBLEMS: usize = 20;

/// The text about one item, or about several alike.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// The number of items.
    pub count: u64,
    /// The row.
    pub head: String,
    /// The text below the row.
    pub body: String,
    /// The body without any cuts, if that is longer.
    pub full: Option<String>,
    /// Whether the body was dropped because it has no room.
    pub is_cut: bool,
}

/// Turns the records of a plan into entries.
pub(super) struct Teller {
    /// The name of the plan, if there are several.
    pub plan: Option<String>,
    /// Maximum number of bytes of an entry's attributes. The last line may end beyond it.
    pub lines_max: usize,
    /// Like `lines_max`, for attributes with one side only, as of a create or a delete.
    pub plain_max: usize,
    /// Whether entries that are cut also get a full body.
    pub tells_all: bool,
    /// How much of each value is shown.
    pub detail: Detail,
    /// Makes links to source files.
    pub places: Places,
}

/// Consecutive changes to instances of a resource that are alike.
#[derive(Debug)]
pub(super) struct Alike {
    pub class: Class,
    name: String,
    /// The keys of the first few instances.
    indexes: Vec<String>,
    count: u64,
    symbol: &'static str,
    link: String,
    phrase: String,
    body: Body,
    likeness: Option<u64>,
}

impl Alike {
    /// Adds a change if it is like these. Otherwise returns it.
    pub fn take(&mut self, other: Alike) -> Option<Alike> {
        let is_alike = !self.indexes.is_empty()
            && !other.indexes.is_empty()
            && self.likeness.is_some()
            && (self.class, &self.name, self.likeness)
                == (other.class, &other.name, other.likeness);
        if !is_alike {
            return Some(other);
        }
        self.count += other.count;
        if self.indexes.len() < NAMED {
            self.indexes.extend(other.indexes);
        }
        None
    }

    /// The entry for these changes.
    pub fn entry(self, teller: &Teller) -> Entry {
        let Alike { name, indexes, count, symbol, link, phrase, body, .. } = self;
        let Body { text, full } = body;
        let shown_name = match (&indexes[..], count) {
            ([index], 1) => name.clone() + index,
            _ => name,
        };
        let mut head = teller.head(symbol, &shown_name);
        if count > 1 {
            let keys: Vec<String> = indexes.iter().map(|index| span(index, WORD)).collect();
            let _ = write!(head, " {}", keys.join(", "));
            let more = count - indexes.len() as u64;
            let _ = match more {
                0 => write!(head, " ({count} alike)"),
                _ => write!(head, " and {more} more ({count} alike)"),
            };
        }
        if !phrase.is_empty() {
            let _ = write!(head, " {phrase}");
        }
        head += &link;
        Entry { count, head: head + "\n\n", body: text, full, is_cut: false }
    }
}

/// The lines of attributes. `full` has all lines, if `text` does not.
#[derive(Debug)]
struct Body {
    text: String,
    full: Option<String>,
}

impl Teller {
    fn head(&self, symbol: &str, name: &str) -> String {
        let plan = self.plan.as_ref().map(|plan| span(plan, WORD) + ": ").unwrap_or_default();
        match symbol.trim() {
            "" => format!("{plan}**{}**", span(name, NAME)),
            symbol => format!("{plan}`{symbol}` **{}**", span(name, NAME)),
        }
    }

    /// A link to the block of an address, after a space.
    fn link(&self, address: &str) -> String {
        match self.places.of(address) {
            Some(Place { text, url: Some(url) }) => format!(" [{}]({url})", span(&text, NAME)),
            _ => String::new(),
        }
    }

    /// A change to a resource.
    pub fn change(&self, class: Class, change: &ResourceChange<'_>) -> Alike {
        let (name, index) = names(change);
        let module = change.module_address.as_deref();
        // `names` removes the module; put it back.
        let module = module.filter(|module| change.label().starts_with(*module));
        let name = module.map(|module| format!("{module}.{name}")).unwrap_or(name);
        Alike {
            class,
            name,
            indexes: index.into_iter().collect(),
            count: 1,
            symbol: symbol(change),
            link: change.address.as_deref().map_or_else(String::new, |address| self.link(address)),
            phrase: description(class, change),
            body: self.body(&change.attributes, Action::of_change(change)),
            likeness: likeness(change).filter(|_| self.detail == Detail::Excerpts),
        }
    }

    /// A line about a change to a resource, for the list of losses.
    pub fn loss(&self, class: Class, change: &ResourceChange<'_>) -> String {
        let (head, phrase) =
            (self.head(symbol(change), &change.full_name()), description(class, change));
        format!("- {head} {phrase}\n")
    }

    /// A change to an output.
    pub fn output(&self, output: &OutputChange<'_>) -> Entry {
        let action = Action::of(&output.action);
        let link = self.link(&format!("output.{}", output.name));
        let head = self.head(action.symbol(), &output.name) + &link + "\n\n";
        let Body { text, full } = self.body(&output.attributes, action);
        Entry { count: 1, head, body: text, full, is_cut: false }
    }

    /// An action invocation.
    pub fn invocation(&self, invoked: &ActionInvocation<'_>) -> Entry {
        let by = invoked.triggering_address.as_deref();
        let by = by.map(|by| format!("{} {}", invoked.timing_words(), span(by, NAME)));
        let deferral = invoked.deferred_reason.as_deref();
        let deferral = deferral.map(|word| plain_or_quoted(phrase::deferral(word), word));
        let words: Vec<String> = by.into_iter().chain(deferral).collect();
        let space = if words.is_empty() { "" } else { " " };
        let head = self.head("", &invoked.address) + space + &words.join(", ");
        let Body { text, full } = self.body(&invoked.attributes, Action::Read);
        Entry { count: 1, head: head + "\n\n", body: text, full, is_cut: false }
    }

    /// A check.
    pub fn check(&self, check: &Check<'_>) -> Entry {
        let head = self.head("", &check.address);
        let link = self.link(&check.address);
        let head = format!("{head} {}{link}\n\n", span(&check.status, WORD));
        let mut lines = String::new();
        let problems = check.problems.iter().filter(|problem| !problem.is_empty());
        for (place, problem) in problems.clone().enumerate() {
            if place == PROBLEMS || lines.len() > self.lines_max {
                let _ = writeln!(lines, "… and {} more", problems.count() - place);
                break;
            }
            let _ = writeln!(lines, "{}", cut(problem, PROBLEM.min(self.lines_max)));
        }
        let body = if lines.is_empty() { lines } else { fenced("", &lines) + "\n" };
        Entry { count: 1, head, body, ..Entry::default() }
    }

    fn body(&self, attributes: &Attributes, action: Action) -> Body {
        let lines_max = match action {
            Action::Update | Action::Replace => self.lines_max,
            _ => self.plain_max,
        };
        let render = |max| tell(attributes, action, self.detail, max);
        let Told { text, is_all } = render(lines_max);
        let full = (self.tells_all && !is_all).then(|| render(usize::MAX).text);
        Body { text, full }
    }
}

/// A phrase that says what happens to a resource, and why.
fn description(class: Class, change: &ResourceChange<'_>) -> String {
    let tense = if class == Class::Drift { Tense::Happened } else { Tense::Planned };
    let mut parts: Vec<String> = Vec::new();
    match what(tense, &change.action) {
        "" if change.action == "no-op" => {}
        "" => parts.push(span(&change.action, WORD)),
        what => parts.push(what.to_owned()),
    }
    parts.extend(what_else(change).map(str::to_owned));
    parts.extend(change.moved_from().map(|from| format!("moved from {}", span(from, NAME))));
    let imported = phrase::imported(change).into_iter();
    parts.extend(imported.map(|(words, text)| match text {
        Some(text) => format!("{words} {}", span(&text, VALUE)),
        None => words,
    }));
    parts.extend(circumstances(change).map(str::to_owned));
    let reason = change.action_reason.as_deref();
    parts.extend(reason.map(|word| plain_or_quoted(phrase::reason(change, word), word)));
    let deferral = change.deferred_reason.as_deref();
    parts.extend(deferral.map(|word| plain_or_quoted(phrase::deferral(word), word)));
    parts.join(", ")
}

/// The plain words for a word of the plan. An unknown word is quoted.
fn plain_or_quoted(words: Option<&str>, word: &str) -> String {
    words.map_or_else(|| span(word, WORD), str::to_owned)
}
