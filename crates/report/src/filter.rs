//! Hides the records and attributes that the user does not want to see.
//!
//! Reports for people hide noise and count it ([`Filter`]); rules and counts cover the whole plan.
//! Tables leave out rows ([`RowFilter`]).

use std::borrow::Cow;
use std::sync::Arc;

use super::Sink;
use plansift_core::error::{Error, Result};
use plansift_core::glob::Glob;
use plansift_core::path::{self, AddressPattern};
use plansift_plan::record::patterns::{Named, UnmatchedPatterns};
use plansift_plan::record::state_counts::StateCounts;
use plansift_plan::record::{
    Attribute, Attributes, Difference, Hidden, Label, Record, ResourceChange, ResourceName, action,
};

/// The records and attributes to hide.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    /// Conditions that a change must meet to be shown. Among several conditions of one kind, one is
    /// enough.
    pub only: Vec<Only>,
    /// Hides the attributes at these paths, and updates that change only these attributes.
    pub paths: Vec<path::Pattern>,
    /// Hides resources of these types.
    pub types: Vec<AddressPattern>,
    /// Hides updates that change only tags and labels.
    pub tags: bool,
    /// Hides attributes that differ only in white space or formatting.
    pub format: bool,
    /// Hides attributes that differ only in the order of a list.
    pub order: bool,
    /// Whether to show drift.
    pub drift: DriftFilter,
}

/// Whether to show drift, and everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DriftFilter {
    /// Everything.
    #[default]
    All,
    /// Only drift.
    Drift,
    /// Everything but drift.
    Changes,
}

/// A condition for a record to be shown. A record that lacks the part does not meet the condition.
#[derive(Clone, Debug)]
pub enum Only {
    /// The pattern covers the record's address or type.
    Name(AddressPattern),
    /// The pattern covers the record's address.
    Address(AddressPattern),
    /// The pattern covers the record's type.
    Type(AddressPattern),
    /// The pattern covers the address of the record's module. The root module's address is empty.
    Module(AddressPattern),
    /// The change of the record has this action or effect.
    Action(ActionFilter),
    /// The pattern covers the path of an attribute that changes.
    Path(path::Pattern),
}

/// An action or effect of a change.
#[derive(Clone, Debug)]
pub enum ActionFilter {
    /// An action whose word in records matches.
    Word(Glob),
    /// Destroys an object, whether or not it creates another.
    Destroy,
}

/// The words of records for the actions of a change.
const ACTIONS: [&str; 8] =
    ["no-op", "create", "read", "update", "replace", "delete", "forget", "open"];

impl ActionFilter {
    /// Returns the words that [`ActionFilter::named`] accepts, without words that are joined with
    /// `+`.
    pub fn words() -> impl Iterator<Item = &'static str> {
        ACTIONS.into_iter().chain(["destroy"])
    }

    /// Parses an action word. A `*` matches any text. Returns `None` if no change can match.
    pub fn named(text: &str) -> Option<ActionFilter> {
        if text == "destroy" {
            return Some(ActionFilter::Destroy);
        }
        let glob = Glob::new(text);
        // The word for an unknown list of actions joins their words with `+`.
        let is_known =
            text.contains('+') || ACTIONS.iter().any(|word| glob.matches(word.as_bytes()));
        is_known.then_some(ActionFilter::Word(glob))
    }

    fn matches(&self, word: &str, actions: &[Cow<'_, str>]) -> bool {
        let has = |name: &str| actions.iter().any(|action| action == name);
        match self {
            ActionFilter::Word(glob) => {
                glob.matches(word.as_bytes())
                    || action::effects(actions).any(|word| glob.matches(word.as_bytes()))
                    || (has("forget") && glob.matches(b"forget"))
            }
            ActionFilter::Destroy => has("delete"),
        }
    }
}

/// The names of the attributes that hold tags or labels, in the major providers.
const TAGS: [&str; 6] =
    ["tags", "tags_all", "labels", "effective_labels", "terraform_labels", "freeform_tags"];

impl Noise {
    /// Whether this hides nothing.
    pub fn is_none(&self) -> bool {
        let Noise { only, paths, types, tags, format, order, drift } = self;
        let has_lists = !(only.is_empty() && paths.is_empty() && types.is_empty());
        !(has_lists || *tags || *format || *order) && *drift == DriftFilter::All
    }

    /// Whether to show a record that is no resource change. A record without parts meets no
    /// condition.
    fn shows_other(&self, record: &Record<'_>) -> bool {
        self.drift != DriftFilter::Drift
            && (self.only.is_empty()
                || Parts::of(record).is_some_and(|parts| parts.meet(&self.only)))
    }

    fn shows(&self, change: &ResourceChange<'_>, is_drift: bool) -> bool {
        if (self.drift == DriftFilter::Drift && !is_drift)
            || (self.drift == DriftFilter::Changes && is_drift)
        {
            return false;
        }
        let type_name = change.resource.type_name.as_deref().unwrap_or_default();
        !self.types.iter().any(|pattern| pattern.covers(type_name))
            && Parts::of_change(change).meet(&self.only)
            && !(self.tags && updates_only(change, is_tag))
    }

    fn ignores(&self, attribute: &Attribute) -> bool {
        match attribute.difference {
            _ if attribute.replaces => false,
            Difference::Space | Difference::Format if self.format => true,
            Difference::Order if self.order => true,
            _ => self.paths.iter().any(|pattern| pattern.covers(&attribute.path)),
        }
    }
}

impl Only {
    /// Returns the argument as the user writes it, and the objects that its pattern names. `None`
    /// for an action and for the root module.
    pub fn named(&self) -> Option<(String, Named)> {
        let (kind, text, named) = match self {
            Only::Name(pattern) => ("", pattern.text(), Named::Resource(pattern.clone())),
            Only::Address(pattern) => ("address:", pattern.text(), Named::Address(pattern.clone())),
            Only::Type(pattern) => ("type:", pattern.text(), Named::Type(pattern.clone())),
            Only::Module(pattern) => ("module:", pattern.text(), Named::Module(pattern.clone())),
            Only::Path(pattern) => ("path:", pattern.text(), Named::Attribute(pattern.clone())),
            Only::Action(_) => return None,
        };
        let named = match named {
            Named::Attribute(_) => named,
            named => Named::Row(Box::new(named)),
        };
        // The pattern for the root module is empty.
        (!text.is_empty()).then(|| (format!("{kind}{text}"), named))
    }

    fn has_kind_of(&self, other: &Only) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    fn holds(&self, parts: &Parts<'_>) -> bool {
        let covers = |pattern: &AddressPattern, part: Option<&str>| {
            part.is_some_and(|it| pattern.covers(it))
        };
        let Parts { ref address, type_name, module, actions, attributes } = *parts;
        let address = address.as_deref();
        match self {
            Only::Name(pattern) => covers(pattern, address) || covers(pattern, type_name),
            Only::Address(pattern) => covers(pattern, address),
            Only::Type(pattern) => covers(pattern, type_name),
            Only::Module(pattern) => covers(pattern, module),
            // An output that goes destroys no object, and has no module.
            Only::Action(ActionFilter::Destroy) if module.is_none() => false,
            Only::Action(does) => actions.is_some_and(|(word, list)| does.matches(word, list)),
            Only::Path(pattern) => {
                attributes.is_some_and(|Attributes { list, left_out, .. }| {
                    let changes =
                        |attribute: &&Attribute| attribute.difference != Difference::Nothing;
                    let mut changed = list.iter().filter(changes);
                    changed.any(|attribute| pattern.covers(&attribute.path)) || *left_out > 0
                })
            }
        }
    }
}

/// The parts of a record that conditions are about.
#[derive(Clone, Default)]
struct Parts<'r> {
    /// For an output, `output.` and its name.
    address: Option<Cow<'r, str>>,
    type_name: Option<&'r str>,
    /// Empty for the root module.
    module: Option<&'r str>,
    /// The word for a list of actions, and the list.
    actions: Option<(&'r str, &'r [Cow<'r, str>])>,
    attributes: Option<&'r Attributes>,
}

impl<'r> Parts<'r> {
    /// Returns the parts of a row. `None` for the records of whole documents, and for rows without
    /// parts.
    fn of(record: &'r Record<'_>) -> Option<Parts<'r>> {
        let none = Parts::default;
        let address = |address: &'r str| Parts { address: Some(Cow::Borrowed(address)), ..none() };
        Some(match record {
            Record::ResourceChange(change)
            | Record::ResourceDrift(change)
            | Record::DeferredChange(change) => Parts::of_change(change),
            Record::OutputChange(change) => {
                let address = Some(Cow::Owned(format!("output.{}", change.name)));
                Parts { address, actions: Some((&change.action, &change.actions)), ..none() }
            }
            Record::Check(check) => address(&check.address),
            Record::ActionInvocation(invocation) | Record::DeferredActionInvocation(invocation) => {
                Parts { type_name: invocation.type_name.as_deref(), ..address(&invocation.address) }
            }
            Record::Resource(resource) => Parts::of_name(&resource.resource),
            Record::CheckResult(check) => Parts {
                type_name: check.type_name.as_deref(),
                module: Some(check.module.as_deref().unwrap_or_default()),
                ..address(&check.address)
            },
            Record::Element(located) => Parts {
                type_name: located.element.names.type_name.as_deref(),
                module: Some(located.element.names.module_address.as_deref().unwrap_or_default()),
                ..address(&located.element.address)
            },
            Record::Reference(user) => address(&user.address),
            Record::Dependent(dependent) => address(dependent.address),
            Record::Finding(finding) => {
                let address = finding.address.map(Cow::Borrowed);
                Parts { address, type_name: finding.type_name, ..none() }
            }
            _ => return None,
        })
    }

    fn of_name(name: &'r ResourceName<'_>) -> Parts<'r> {
        let text = |part: &'r Option<Cow<'_, str>>| Some(part.as_deref().unwrap_or_default());
        Parts {
            address: Some(Cow::Borrowed(name.address.as_deref().unwrap_or_default())),
            type_name: text(&name.type_name),
            module: text(&name.module_address),
            ..Parts::default()
        }
    }

    fn of_change(change: &'r ResourceChange<'_>) -> Parts<'r> {
        Parts {
            actions: Some((&change.action, &change.actions)),
            attributes: Some(&change.attributes),
            ..Parts::of_name(&change.resource)
        }
    }

    /// Whether the parts meet one condition of each kind.
    fn meet(&self, only: &[Only]) -> bool {
        only.iter().all(|condition| {
            let mut same_kind = only.iter().filter(|other| other.has_kind_of(condition));
            same_kind.any(|only| only.holds(self))
        })
    }
}

/// Whether a change is an update that changes only attributes for which `holds` is true.
fn updates_only(change: &ResourceChange<'_>, holds: impl Fn(&Attribute) -> bool) -> bool {
    let Attributes { list, left_out, .. } = &change.attributes;
    let changes = |attribute: &&Attribute| attribute.difference != Difference::Nothing;
    let mut changed = list.iter().filter(changes).peekable();
    change.action == "update"
        && change.moved_from().is_none()
        && change.importing.is_none()
        && *left_out == 0
        && changed.peek().is_some()
        && changed.all(holds)
}

fn is_tag(attribute: &Attribute) -> bool {
    let end = attribute.path.find(['.', '[']).unwrap_or(attribute.path.len());
    !attribute.replaces && TAGS.contains(&&attribute.path[..end])
}

/// Hides noise from the sink that it wraps.
pub struct Filter<'s> {
    sink: Box<dyn Sink + 's>,
    noise: Noise,
    /// Learns which patterns match an attribute.
    patterns: Option<Arc<UnmatchedPatterns>>,
    hidden: Hidden,
}

impl<'s> Filter<'s> {
    /// Wraps `sink` so that it does not receive the noise.
    pub fn new(
        sink: Box<dyn Sink + 's>,
        noise: Noise,
        patterns: Option<Arc<UnmatchedPatterns>>,
    ) -> Filter<'s> {
        Filter { sink, noise, patterns, hidden: Hidden::default() }
    }
}

impl Sink for Filter<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if matches!(record, Record::Plan(_)) {
            self.hidden = Hidden::default();
            return self.sink.record(record);
        }
        // Assertions cover the whole plan, like rules, so their failures are always shown.
        if let Record::FailedAssertion(_) = record {
            return self.sink.record(record);
        }
        if let Record::Summary(_) = record {
            if self.hidden != Hidden::default() {
                self.sink.hidden(&self.hidden)?;
            }
            return self.sink.record(record);
        }
        let Some(change) = record.resource() else {
            if let (Some(patterns), Some(parts)) = (&self.patterns, Parts::of(record)) {
                patterns.see_row([parts.address.as_deref(), parts.type_name, parts.module]);
            }
            if self.noise.shows_other(record) {
                return self.sink.record(record);
            }
            match record {
                Record::Check(check) if check.has_failed() => self.hidden.failed_checks += 1,
                _ => self.hidden.others += 1,
            }
            return self.sink.unseen(record);
        };
        if let Some(patterns) = &self.patterns {
            let paths = change.attributes.list.iter().map(|attribute| &attribute.path);
            paths.for_each(|path| patterns.see_attribute(path));
        }
        let ignored = |attribute: &Attribute| self.noise.ignores(attribute);
        let is_drift = matches!(record, Record::ResourceDrift(_));
        if !self.noise.shows(change, is_drift) || updates_only(change, ignored) {
            self.hidden.changes += 1;
            return self.sink.unseen(record);
        }
        let list = &change.attributes.list;
        let hidden = list.iter().filter(|attribute| ignored(attribute)).count();
        if hidden == 0 {
            return self.sink.record(record);
        }
        self.hidden.attributes += hidden as u64;
        let mut record = record.clone();
        if let Some(change) = record.resource_mut() {
            change.attributes.list.retain(|attribute| !self.noise.ignores(attribute));
        }
        self.sink.record(&record)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn state(&mut self, label: Label<'_>, state_counts: &StateCounts) -> Result<()> {
        self.sink.state(label, state_counts)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }
}

/// Passes on the rows that meet conditions, and the records of whole documents.
pub struct RowFilter<S> {
    sink: S,
    only: Vec<Only>,
}

impl<S: Sink> RowFilter<S> {
    /// Wraps `sink`. Among several conditions of one kind, one is enough.
    pub fn new(sink: S, only: Vec<Only>) -> RowFilter<S> {
        RowFilter { sink, only }
    }
}

impl<S: Sink> Sink for RowFilter<S> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match Parts::of(record) {
            Some(parts) if !parts.meet(&self.only) => Ok(()),
            _ => self.sink.record(record),
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }
}
