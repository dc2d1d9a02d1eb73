//! An entry of the report: a row with the name and the reason, and the attributes in a fenced
//! block.
//!
//! Consecutive instances of one resource that change alike share an entry, which counts them.

use std::fmt::Write as _;

use super::attributes::{RenderedAttributes, VALUE, render};
use super::quoted::{NAME, fence, span};
use crate::alike::Instances;
use crate::change_list::ListedChange;
use crate::cut::cut_lines;
use crate::entry_store::Entry;
use crate::overview::Class;
use crate::phrase::{self, Quoted, Tense};
use crate::short::{given, separator};
use crate::source_link::{SourceLink, SourceLinks};
use crate::summary::{Action, symbol};
use crate::view::Detail;
use plansift_plan::record::{ActionInvocation, Attributes, Check, OutputChange, ResourceChange};

/// Maximum number of characters of an instance key, a word, and the name of a plan.
const WORD: usize = 60;
/// Maximum number of characters of a check's problem.
const PROBLEM: usize = 1000;
/// Maximum number of problems listed for a check.
const PROBLEMS: usize = 20;

/// Turns the records of a plan into entries.
pub(crate) struct EntryRenderer {
    /// The name of the plan, if there are several.
    pub plan: Option<String>,
    /// Maximum number of bytes of an entry's attributes. The last line may end beyond it.
    pub lines_max: usize,
    /// Like `lines_max`, for attributes that have one side only, as in a create or a delete.
    pub plain_max: usize,
    /// Whether entries that are cut also get a full body.
    pub renders_full: bool,
    /// How much of each value is shown.
    pub detail: Detail,
    pub links: SourceLinks,
}

/// Consecutive changes to instances of a resource that are alike.
#[derive(Debug)]
pub(super) struct AlikeChanges {
    pub class: Class,
    instances: Instances,
    symbol: &'static str,
    link: String,
    phrase: String,
    /// The lines of attributes, without a head.
    body: Entry,
}

impl AlikeChanges {
    /// Adds `other` if it is alike. Otherwise returns it.
    pub fn take(&mut self, other: AlikeChanges) -> Option<AlikeChanges> {
        let is_alike = self.class == other.class && self.instances.take(&other.instances);
        if is_alike { None } else { Some(other) }
    }

    pub fn entry(self, renderer: &EntryRenderer) -> Entry {
        let AlikeChanges { instances, symbol, link, phrase, body, .. } = self;
        let Instances { name, indexes, count, .. } = &instances;
        let mut head = match (&indexes[..], *count) {
            ([index], 1) => renderer.head(symbol, &(name.clone() + index)),
            _ => renderer.head(symbol, name),
        };
        if *count > 1 {
            let keys: Vec<String> = indexes.iter().map(|index| span(index, WORD)).collect();
            let _ = write!(head, " {}{}", keys.join(", "), instances.others());
        }
        if !phrase.is_empty() {
            let _ = write!(head, " {phrase}");
        }
        head += &link;
        Entry { count: *count, head: head + "\n\n", ..body }
    }
}

impl EntryRenderer {
    /// Returns the beginning of an entry: the symbol and the name.
    pub fn head(&self, symbol: &str, name: &str) -> String {
        let plan = self.plan.as_ref().map(|plan| span(plan, WORD) + ": ").unwrap_or_default();
        match symbol.trim() {
            "" => format!("{plan}**{}**", span(name, NAME)),
            symbol => format!("{plan}`{symbol}` **{}**", span(name, NAME)),
        }
    }

    /// Returns a space and a link to the block of an address, or nothing without a URL.
    fn link(&self, address: &str) -> String {
        match self.links.of(address) {
            Some(SourceLink { text, url: Some(url) }) => format!(" [{}]({url})", span(&text, NAME)),
            _ => String::new(),
        }
    }

    /// Returns a change to a resource as a group of one.
    pub(super) fn change(&self, class: Class, change: &ResourceChange<'_>) -> AlikeChanges {
        let mut instances = Instances::of(change, self.detail);
        let module = change.resource.module_address.as_deref();
        // `Instances` leaves the module out of the name.
        if let Some(module) = module.filter(|module| change.label().starts_with(*module)) {
            instances.name.insert_str(0, &format!("{module}."));
        }
        AlikeChanges {
            class,
            instances,
            symbol: symbol(change),
            link: change
                .resource
                .address
                .as_deref()
                .map_or_else(String::new, |address| self.link(address)),
            phrase: description(class, change),
            body: self.body(&change.attributes, Action::of_change(change)),
        }
    }

    /// Returns a line about a change to a resource, for the list of losses.
    pub fn loss(&self, class: Class, change: &ResourceChange<'_>) -> ListedChange {
        ListedChange {
            plan: self.plan.as_ref().map(|plan| span(plan, WORD)),
            symbol: symbol(change),
            name: span(&change.full_name(), NAME),
            phrase: description(class, change),
        }
    }

    pub fn output(&self, output: &OutputChange<'_>) -> Entry {
        let action = Action::of(&output.action);
        let link = self.link(&format!("output.{}", output.name));
        let head = self.head(action.symbol(), &output.name) + &link + "\n\n";
        Entry { head, ..self.body(&output.attributes, action) }
    }

    pub fn invocation(&self, invoked: &ActionInvocation<'_>) -> Entry {
        let words = phrase::invoked(invoked, quote);
        let space = if words.is_empty() { "" } else { " " };
        let head = self.head("", &invoked.address) + space + &words;
        Entry { head: head + "\n\n", ..self.body(&invoked.attributes, Action::Read) }
    }

    pub fn check(&self, check: &Check<'_>) -> Entry {
        let head = self.head("", &check.address);
        let link = self.link(&check.address);
        let head = format!("{head} {}{link}\n\n", span(&check.status, WORD));
        let mut lines = String::new();
        let problems = given(&check.problems);
        let has_gaps = separator(&check.problems) == "\n\n";
        for (place, problem) in problems.clone().enumerate() {
            if place == PROBLEMS || lines.len() > self.lines_max {
                let _ = writeln!(lines, "… and {} more", problems.count() - place);
                break;
            }
            if has_gaps && place > 0 {
                lines.push('\n');
            }
            // GitLab runs a line that begins with a slash, on some servers also in a fence.
            for line in cut_lines(problem, PROBLEM.min(self.lines_max)).split('\n') {
                let space = if line.is_empty() { "" } else { " " };
                let _ = writeln!(lines, "{space}{line}");
            }
        }
        if !lines.is_empty() {
            fence("", &mut lines);
            lines.push('\n');
        }
        Entry { count: 1, head, body: lines, ..Entry::default() }
    }

    /// Returns an entry that has attributes and no head.
    pub fn body(&self, attributes: &Attributes, action: Action) -> Entry {
        let lines_max = match action {
            Action::Update | Action::Replace => self.lines_max,
            _ => self.plain_max,
        };
        let render = |max| render(attributes, action, self.detail, max);
        let RenderedAttributes { text, is_all } = render(lines_max);
        let full = (self.renders_full && !is_all).then(|| render(usize::MAX).text);
        Entry { count: 1, body: text, full, ..Entry::default() }
    }
}

/// Returns a phrase about what happens to a resource, and why.
fn description(class: Class, change: &ResourceChange<'_>) -> String {
    let tense = if class == Class::Drift { Tense::Happened } else { Tense::Planned };
    phrase::description(tense, change, quote)
}

fn quote(kind: Quoted, text: &str) -> String {
    match kind {
        Quoted::Word => span(text, WORD),
        Quoted::Name => span(text, NAME),
        Quoted::Value => span(text, VALUE),
    }
}
