//! An entry of the text: a line with the action, the address and the reason, and below it the paths
//! that change or their values.

use std::fmt::Write as _;

use super::risk::Risk;
use crate::alike::{Instances, NAMED};
use crate::attribute_line::{LineFormat, line};
use crate::cut::cut;
use crate::entry_store::Entry;
use crate::impact::impact;
use crate::phrase;
use crate::short::{first_line, given};
use crate::source_link::{SourceLink, SourceLinks};
use crate::summary::{Action, sign, symbol};
use crate::view::Detail;
use plansift_plan::record::{
    ActionInvocation, Attributes, Check, Difference, OutputChange, ResourceChange,
};

/// Maximum number of characters of an address, a path and the name of a plan.
const NAME: usize = 200;
/// Maximum number of characters of a line of paths. The last path may end beyond it.
const PATHS: usize = 90;
/// Maximum number of paths that are named as reasons for a replacement.
const FORCING: usize = 3;
/// Begins the lines below the line of an entry.
pub(super) const INDENT: &str = "        ";

/// The texts about one item, or about several items that change alike.
#[derive(Debug, Default)]
pub(super) struct CompactEntry {
    pub count: u64,
    pub head: String,
    /// The paths that change. Empty for an object that has one side only.
    pub paths: String,
    /// The paths with their values.
    pub values: String,
}

/// Turns the records of a plan into entries.
pub(super) struct EntryRenderer {
    /// The name of the plan, if there are several.
    pub plan: Option<String>,
    /// Maximum number of bytes of a body. A line after it says that there are more.
    body_max: usize,
    /// Maximum number of bytes of the line of an entry.
    head_max: usize,
    /// Maximum number of characters of a value, and of a name.
    value_max: usize,
    detail: Detail,
    links: SourceLinks,
}

/// Consecutive changes to instances of a resource with the same action and reason.
#[derive(Debug)]
pub(super) struct Run {
    pub risk: Risk,
    symbol: &'static str,
    /// The address without the index.
    name: String,
    /// The first [`NAMED`] indexes.
    indexes: Vec<String>,
    count: u64,
    /// The text after the address.
    rest: String,
}

impl Run {
    /// Adds a run to the last one, or takes its place. Returns a run that has ended.
    pub fn join(last: &mut Option<Run>, next: Run) -> Option<Run> {
        if let Some(run) = last
            && !run.indexes.is_empty()
            && !next.indexes.is_empty()
            && (run.risk, run.symbol, &run.name, &run.rest)
                == (next.risk, next.symbol, &next.name, &next.rest)
        {
            run.count += 1;
            if run.indexes.len() < NAMED {
                run.indexes.extend(next.indexes);
            }
            return None;
        }
        last.replace(next)
    }
}

/// Consecutive changes to instances of a resource that are alike.
#[derive(Debug)]
pub(super) struct Group {
    /// The first instance as a run of its own.
    pub run: Run,
    instances: Instances,
    /// The paths and the values.
    bodies: [String; 2],
}

impl Group {
    /// Adds an instance if it changes alike. Returns whether it was added.
    pub fn take(&mut self, risk: Risk, instances: &Instances) -> bool {
        self.run.risk == risk && self.instances.take(instances)
    }
}

impl EntryRenderer {
    /// Renders entries of a text with at most `max` bytes.
    pub fn new(max: u64, detail: Detail, links: SourceLinks) -> EntryRenderer {
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        // Without a limit, and with full detail, values are whole.
        let value_max = match detail {
            Detail::Excerpts if max < usize::MAX => (max / 32).clamp(60, 1000),
            _ => usize::MAX,
        };
        EntryRenderer { plan: None, body_max: max, head_max: max / 5, value_max, detail, links }
    }

    fn name(&self, text: &str) -> String {
        cut(text, NAME.max(self.value_max))
    }

    /// Returns the instance that a change is about, with its module.
    pub fn instances(&self, change: &ResourceChange<'_>) -> Instances {
        let mut instances = Instances::of(change, self.detail);
        let module = change.resource.module_address.as_deref();
        // `Instances` leaves the module out of the name.
        if let Some(module) = module.filter(|module| change.label().starts_with(*module)) {
            instances.name.insert_str(0, &format!("{module}."));
        }
        instances
    }

    /// Returns a change as the only member of a run.
    pub fn run(&self, risk: Risk, change: &ResourceChange<'_>) -> Run {
        let Instances { name, indexes, count, .. } = self.instances(change);
        let words = phrase::brief(change, |_, text| self.name(text));
        let mut rest: String = words.iter().map(|words| format!(", {words}")).collect();
        let forcing = change.attributes.list.iter().filter(|attribute| attribute.replaces);
        let forcing: Vec<&str> = forcing.map(|attribute| &*attribute.path).collect();
        if !forcing.is_empty() {
            let named = forcing.iter().take(FORCING).map(|path| self.name(path));
            let _ = write!(rest, ": {}", named.collect::<Vec<_>>().join(", "));
            if forcing.len() > FORCING {
                let _ = write!(rest, " and {} more", forcing.len() - FORCING);
            }
        }
        let impact = impact(change, |text| self.name(text));
        rest.extend(impact.map(|impact| format!("; {impact}")));
        rest += &self.location(self.links.of_change(change));
        Run { risk, symbol: symbol(change), name, indexes, count, rest }
    }

    /// Returns the line of a run.
    pub fn entry_of_run(&self, run: &Run) -> Entry {
        let Run { symbol, name, indexes, count, rest, .. } = run;
        let more = match count.saturating_sub(indexes.len() as u64) {
            more if *count > 1 && more > 0 => format!(" and {more} more"),
            _ => String::new(),
        };
        let head = self.head(symbol, &format!("{}{more}{rest}", self.named(name, indexes)));
        Entry { count: *count, head, ..Entry::default() }
    }

    /// Returns the name of a resource with the indexes of its instances.
    fn named(&self, name: &str, indexes: &[String]) -> String {
        let indexes: Vec<String> = indexes.iter().map(|index| self.name(index)).collect();
        self.name(name) + &indexes.join(", ")
    }

    /// Returns a change as the only member of a group.
    pub fn group(&self, risk: Risk, instances: Instances, change: &ResourceChange<'_>) -> Group {
        let bodies = self.bodies(&change.attributes, Action::of_change(change));
        Group { run: self.run(risk, change), instances, bodies }
    }

    /// Returns the entry of a group.
    pub fn entry(&self, group: Group) -> CompactEntry {
        let Group { run: Run { symbol, rest, .. }, instances, bodies: [paths, values] } = group;
        let Instances { name, indexes, count, .. } = &instances;
        let named = self.named(name, indexes);
        let head = self.head(symbol, &format!("{named}{}{rest}", instances.others()));
        CompactEntry { count: *count, head, paths, values }
    }

    pub fn output(&self, output: &OutputChange<'_>) -> CompactEntry {
        let action = Action::of(&output.action);
        let location = self.location(self.links.of_output(&output.name));
        let head = self.head(action.symbol(), &(self.name(&output.name) + &location));
        let [paths, values] = self.bodies(&output.attributes, action);
        CompactEntry { count: 1, head, paths, values }
    }

    pub fn invocation(&self, invoked: &ActionInvocation<'_>) -> CompactEntry {
        let words = phrase::invoked(invoked, |_, text| self.name(text));
        let comma = if words.is_empty() { "" } else { ", " };
        let head = self.head("", &format!("{}{comma}{words}", self.name(&invoked.address)));
        let [paths, values] = self.bodies(&invoked.attributes, Action::Read);
        CompactEntry { count: 1, head, paths, values }
    }

    pub fn check(&self, check: &Check<'_>) -> CompactEntry {
        let symbol = match &*check.status {
            "unknown" => "?",
            _ if check.has_failed() => "!",
            _ => "",
        };
        let [address, status] = [&check.address, &check.status].map(|text| self.name(text));
        let location = self.location(self.links.of(&check.address));
        let first = given(&check.problems).next().map(first_line);
        let first = first.map(|words| format!(": {}", self.name(words))).unwrap_or_default();
        let head = self.head(symbol, &format!("{address} {status}{location}{first}"));
        let mut values = String::new();
        for line in given(&check.problems).flat_map(str::lines).skip(1) {
            if values.len() > self.body_max {
                break;
            }
            let _ = writeln!(values, "{INDENT}{}", cut(line, self.value_max));
        }
        CompactEntry { count: 1, head, paths: String::new(), values }
    }

    /// Returns the line of an entry.
    fn head(&self, symbol: &str, text: &str) -> String {
        let plan = self.plan.as_ref().map(|plan| self.name(plan) + ": ").unwrap_or_default();
        let mut head = format!("  {symbol:>3} {plan}{text}");
        if head.len() >= self.head_max {
            head.truncate(head.floor_char_boundary(self.head_max - '…'.len_utf8() - 1));
            head.push('…');
        }
        head + "\n"
    }

    fn location(&self, link: Option<SourceLink>) -> String {
        link.map(|link| format!(" ({})", self.name(&link.text))).unwrap_or_default()
    }

    /// Returns the paths that change, and the paths with their values.
    fn bodies(&self, attributes: &Attributes, action: Action) -> [String; 2] {
        let paths = match action {
            Action::Update | Action::Replace | Action::Other | Action::Keep => {
                self.paths(attributes, action)
            }
            _ => String::new(),
        };
        [paths, self.values(attributes, action)]
    }

    /// Returns the paths that change, several on each line.
    fn paths(&self, attributes: &Attributes, action: Action) -> String {
        let (mut lines, mut line) = (String::new(), String::new());
        // An empty path is the value of an output, whose line is enough.
        let changed = attributes.list.iter().filter(|attribute| {
            attribute.difference != Difference::Nothing && !attribute.path.is_empty()
        });
        for (number, attribute) in changed.enumerate() {
            if lines.len() > self.body_max {
                break;
            }
            let comma = if number > 0 { "," } else { "" };
            line += comma;
            if line.chars().count() > PATHS {
                let _ = writeln!(lines, "{INDENT}{}", line.trim_start());
                line.clear();
            }
            let _ = write!(line, " {} {}", sign(attribute, action).0, self.name(&attribute.path));
        }
        if attributes.left_out > 0 && !line.is_empty() {
            let _ = write!(line, ", … and {} more", attributes.left_out);
        }
        if !line.trim_start().is_empty() {
            let _ = writeln!(lines, "{INDENT}{}", line.trim_start());
        }
        lines
    }

    /// Returns the attributes with their values, one on each line.
    fn values(&self, attributes: &Attributes, action: Action) -> String {
        let format = LineFormat {
            indent: INDENT,
            changed: "~",
            path_max: NAME.max(self.value_max),
            value_max: self.value_max,
            text_max: self.value_max,
            detail: self.detail,
        };
        let (mut lines, mut left) = (String::new(), attributes.left_out);
        for (place, attribute) in attributes.list.iter().enumerate() {
            if lines.len() > self.body_max {
                left += (attributes.list.len() - place) as u64;
                break;
            }
            line(attribute, action, format, &mut lines);
        }
        if left > 0 {
            let _ = writeln!(lines, "{INDENT}… and {left} more");
        }
        lines
    }
}
