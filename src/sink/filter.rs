//! Leaves out what its reader does not want to see, and counts it.
//!
//! Only reports for people stand behind it: rules and counts are about all of a plan.

use super::Sink;
use crate::error::{Error, Result};
use crate::glob::Glob;
use crate::path::{self, AddressPattern};
use crate::record::view::{Attribute, Attributes, Difference};
use crate::record::watch::Named;
use crate::record::{Hidden, Label, Record, ResourceChange};

/// What is left out.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    /// Of these, a change must match one of each kind there is.
    pub only: Vec<Only>,
    /// Attributes, and changes of nothing else.
    pub paths: Vec<path::Pattern>,
    /// Types of resources.
    pub types: Vec<Glob>,
    /// Changes of tags and labels alone.
    pub tags: bool,
    /// Attributes that differ in white space or formatting alone.
    pub format: bool,
    /// Attributes that differ in their order alone.
    pub order: bool,
    /// Everything else than one of the parts of a plan.
    pub part: Part,
}

/// What of a plan is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Everything.
    #[default]
    All,
    /// Drift alone.
    Drift,
    /// Everything but drift.
    Changes,
}

/// What a change must be to be shown.
#[derive(Clone, Debug)]
pub enum Only {
    /// Its address or its type is covered.
    Name(AddressPattern),
    /// Its address is.
    Address(AddressPattern),
    /// Its type matches.
    Type(AddressPattern),
    /// The address of its module is covered; that of the root module is empty.
    Module(AddressPattern),
    /// It does this.
    Action(Does),
    /// The path of one of its attributes that change is covered.
    Path(path::Pattern),
}

/// What a change does.
#[derive(Clone, Debug)]
pub enum Does {
    /// What a word of records says that matches.
    Word(Glob),
    /// It destroys something, to replace it or not.
    Destroy,
}

/// The words of records for what a change does.
const ACTIONS: [&str; 8] =
    ["no-op", "create", "read", "update", "replace", "delete", "forget", "open"];

impl Does {
    /// The words for what a change does.
    pub fn words() -> impl Iterator<Item = &'static str> {
        ACTIONS.into_iter().chain(["destroy"])
    }

    /// What a word says, in which `*` is any text; `None`: no change does that.
    pub fn named(text: &str) -> Option<Does> {
        if text == "destroy" {
            return Some(Does::Destroy);
        }
        let glob = Glob::new(text);
        // Lists of actions that nobody knows have joined words.
        let is_known = text.contains('+') || ACTIONS.iter().any(|it| glob.matches(it.as_bytes()));
        is_known.then_some(Does::Word(glob))
    }

    fn is_of(&self, change: &ResourceChange<'_>) -> bool {
        match self {
            Does::Word(glob) => {
                glob.matches(change.action.as_bytes())
                    || change.effects().any(|it| glob.matches(it.as_bytes()))
                    || (change.forgets() && glob.matches(b"forget"))
            }
            Does::Destroy => change.actions.iter().any(|action| action == "delete"),
        }
    }
}

/// Attributes that are tags, of the larger providers.
const TAGS: [&str; 6] =
    ["tags", "tags_all", "labels", "effective_labels", "terraform_labels", "freeform_tags"];

impl Noise {
    /// Whether nothing is left out.
    pub fn is_none(&self) -> bool {
        let Noise { only, paths, types, tags, format, order, part } = self;
        let has_lists = !(only.is_empty() && paths.is_empty() && types.is_empty());
        !(has_lists || *tags || *format || *order) && *part == Part::All
    }

    /// Whether what is no change to a resource is shown: it has no type, module or address of one.
    fn shows_others(&self) -> bool {
        self.only.is_empty() && self.part != Part::Drift
    }

    fn shows(&self, change: &ResourceChange<'_>, is_drift: bool) -> bool {
        if (self.part == Part::Drift && !is_drift) || (self.part == Part::Changes && is_drift) {
            return false;
        }
        let type_name = change.type_name.as_deref().unwrap_or_default();
        !self.types.iter().any(|glob| glob.matches(type_name.as_bytes()))
            && self.only.iter().all(|asked| {
                let mut alike = self.only.iter().filter(|only| only.is_of_kind_of(asked));
                alike.any(|only| only.holds(change))
            })
            && !(self.tags && is_of(change, is_tag))
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
    /// How it is written, and what its pattern names.
    pub fn named(&self) -> Option<(String, Named)> {
        let (kind, text, named) = match self {
            Only::Name(it) => ("", it.text(), Named::Resource(it.clone())),
            Only::Address(it) => ("address:", it.text(), Named::Address(it.clone())),
            Only::Type(it) => ("type:", it.text(), Named::Type(it.clone())),
            Only::Module(it) => ("module:", it.text(), Named::Module(it.clone())),
            Only::Path(it) => ("path:", it.text(), Named::Path(it.clone(), None)),
            Only::Action(_) => return None,
        };
        // The root module has no address.
        (!text.is_empty()).then(|| (format!("{kind}{text}"), named))
    }

    fn is_of_kind_of(&self, other: &Only) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    fn holds(&self, change: &ResourceChange<'_>) -> bool {
        let covers =
            |pattern: &AddressPattern, text: Option<&str>| pattern.covers(text.unwrap_or_default());
        let (address, type_name) = (change.address.as_deref(), change.type_name.as_deref());
        match self {
            Only::Name(pattern) => covers(pattern, address) || covers(pattern, type_name),
            Only::Address(pattern) => covers(pattern, address),
            Only::Type(pattern) => covers(pattern, type_name),
            Only::Module(pattern) => covers(pattern, change.module_address.as_deref()),
            Only::Action(does) => does.is_of(change),
            Only::Path(pattern) => {
                let changes = |it: &&Attribute| it.difference != Difference::Nothing;
                let mut list = change.attributes.list.iter().filter(changes);
                list.any(|it| pattern.covers(&it.path)) || change.attributes.left_out > 0
            }
        }
    }
}

/// Whether a change is an update of such attributes alone, and of nothing else.
fn is_of(change: &ResourceChange<'_>, is_such: impl Fn(&Attribute) -> bool) -> bool {
    let Attributes { list, left_out, .. } = &change.attributes;
    let mut list = list.iter().filter(|it| it.difference != Difference::Nothing).peekable();
    change.action == "update"
        && change.moved_from().is_none()
        && change.importing.is_none()
        && *left_out == 0
        && list.peek().is_some()
        && list.all(is_such)
}

fn is_tag(attribute: &Attribute) -> bool {
    let end = attribute.path.find(['.', '[']).unwrap_or(attribute.path.len());
    !attribute.replaces && TAGS.contains(&&attribute.path[..end])
}

/// Stands before a sink.
pub struct Filter<'s> {
    sink: Box<dyn Sink + 's>,
    noise: Noise,
    hidden: Hidden,
}

impl<'s> Filter<'s> {
    /// A sink that does not see the noise.
    pub fn new(sink: Box<dyn Sink + 's>, noise: Noise) -> Filter<'s> {
        Filter { sink, noise, hidden: Hidden::default() }
    }
}

impl Sink for Filter<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if matches!(record, Record::Plan(_)) {
            self.hidden = Hidden::default();
            return self.sink.record(record);
        }
        if let Record::Summary(_) = record {
            if self.hidden != Hidden::default() {
                self.sink.hidden(&self.hidden)?;
            }
            return self.sink.record(record);
        }
        let Some(change) = record.resource() else {
            if self.noise.shows_others() {
                return self.sink.record(record);
            }
            self.hidden.others += 1;
            return self.sink.unseen(record);
        };
        let ignored = |attribute: &Attribute| self.noise.ignores(attribute);
        let is_drift = matches!(record, Record::ResourceDrift(_));
        if !self.noise.shows(change, is_drift) || is_of(change, ignored) {
            self.hidden.changes += 1;
            return self.sink.unseen(record);
        }
        let Attributes { list, .. } = &change.attributes;
        let hidden = list.iter().filter(|it| ignored(it)).count();
        if hidden == 0 {
            return self.sink.record(record);
        }
        let left = list.iter().filter(|it| !ignored(it)).cloned().collect();
        self.hidden.attributes += hidden as u64;
        let attributes = Attributes { list: left, ..change.attributes };
        let change = change.with_attributes(attributes);
        self.sink.record(&match record {
            Record::ResourceDrift(_) => Record::ResourceDrift(change),
            Record::DeferredChange(_) => Record::DeferredChange(change),
            _ => Record::ResourceChange(change),
        })
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }
}
