//! Leaves out what its reader does not want to see, and counts it.
//!
//! Only reports for people stand behind it: rules and counts are about all of a plan.

use super::Sink;
use crate::error::{Error, Result};
use crate::glob::{Glob, Pattern};
use crate::record::view::{Attribute, Attributes, DECODERS, Difference};
use crate::record::{Hidden, Label, Record, ResourceChange};

/// What is left out.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    /// Of these, a change must match one of each kind there is.
    pub only: Vec<Only>,
    /// Attributes, and changes of nothing else.
    pub paths: Vec<Pattern>,
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
pub struct Only {
    /// What of it is looked at.
    pub of: Of,
    /// What that is like.
    pub pattern: Pattern,
}

/// What of a change is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Its address or its type.
    Name,
    /// Its address.
    Address,
    /// Its type.
    Type,
    /// The address of its module; that of the root module is empty.
    Module,
    /// Its action.
    Action,
    /// The path of one of its attributes that change, or of what is above it.
    Path,
}

/// The kinds of [`Of`].
const KINDS: [Of; 6] = [Of::Name, Of::Address, Of::Type, Of::Module, Of::Action, Of::Path];

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
            && KINDS.iter().all(|kind| {
                let mut asked = self.only.iter().filter(|only| only.of == *kind).peekable();
                asked.peek().is_none() || asked.any(|only| only.holds(change))
            })
            && !(self.tags && is_of(change, is_tag))
    }

    fn ignores(&self, attribute: &Attribute) -> bool {
        match attribute.difference {
            _ if attribute.replaces => false,
            Difference::Format if self.format => true,
            Difference::Order if self.order => true,
            _ => self.paths.iter().any(|pattern| is_at(&attribute.path, pattern)),
        }
    }
}

impl Only {
    fn holds(&self, change: &ResourceChange<'_>) -> bool {
        let matches = |text: Option<&str>| self.pattern.matches(text.unwrap_or_default());
        match self.of {
            Of::Name => matches(Some(&change.address)) || matches(change.type_name.as_deref()),
            Of::Address => matches(Some(&change.address)),
            Of::Type => matches(change.type_name.as_deref()),
            Of::Module => matches(change.module_address.as_deref()),
            Of::Action => matches(Some(&change.action)),
            Of::Path => {
                let changes = |it: &&Attribute| it.difference != Difference::Nothing;
                let mut list = change.attributes.list.iter().filter(changes);
                list.any(|it| is_at(&it.path, &self.pattern)) || change.attributes.left_out > 0
            }
        }
    }
}

/// Whether a change is an update of such attributes alone, and of nothing else.
fn is_of(change: &ResourceChange<'_>, is_such: impl Fn(&Attribute) -> bool) -> bool {
    let Attributes { list, left_out } = &change.attributes;
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

/// Whether a path, or what is above it, is like a pattern. What is said of a list holds for each of
/// its elements, and what is said of a string for all of the document in it.
fn is_at(path: &str, pattern: &Pattern) -> bool {
    let above = |text: &str| {
        let ends = text.match_indices(['.', '[']).map(|(at, _)| at).chain([text.len()]);
        ends.filter(|&end| end > 0).any(|end| pattern.matches(&text[..end]))
    };
    std::iter::once(path)
        .chain(string_of(path))
        .any(|path| above(path) || (path.contains('[') && above(&without_places(path))))
}

/// The string that the document stands in to which a path leads: of `jsondecode(policy).Statement`
/// it is `policy`.
fn string_of(path: &str) -> Option<&str> {
    let inside = DECODERS.iter().find_map(|it| path.strip_prefix(it)?.strip_prefix('('))?;
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = inside.bytes().position(|byte| {
        let is_end = byte == b')' && !is_quoted;
        is_quoted ^= byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some(&inside[..end])
}

/// A path without the indexes in it.
fn without_places(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('[') {
        let index = rest[at + 1..].find(']').map(|len| &rest[at + 1..at + 1 + len]);
        let is_index =
            |index: &str| index == "*" || index.bytes().all(|byte| byte.is_ascii_digit());
        match index.filter(|index| is_index(index)) {
            Some(index) => {
                text.push_str(&rest[..at]);
                rest = &rest[at + index.len() + 2..];
            }
            None => {
                text.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
            }
        }
    }
    text + rest
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
        let Attributes { list, left_out } = &change.attributes;
        let hidden = list.iter().filter(|it| ignored(it)).count();
        if hidden == 0 {
            return self.sink.record(record);
        }
        let left = list.iter().filter(|it| !ignored(it)).cloned().collect();
        self.hidden.attributes += hidden as u64;
        let attributes = Attributes { list: left, left_out: *left_out };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_above_a_path_counts_for_it() {
        for (path, pattern, holds) in [
            ("tags", "tags", true),
            ("tags.Name", "tags", true),
            (r#"tags["a.b"]"#, "tags", true),
            ("tags_all.Name", "tags", false),
            ("a.tags.Name", "tags", false),
            ("a.tags.Name", "*.tags", true),
            ("tags.Name", "*.tags", true),
            ("ingress[0].cidr_blocks[3]", "ingress.cidr_blocks", true),
            ("ingress[0].cidr_blocks[3]", "ingress[0]", true),
            ("ingress[1].cidr_blocks[3]", "ingress[0]", false),
            ("ingress[*].port", "ingress.port", true),
            (r#"m["0"].k"#, "m.k", false),
            ("jsondecode(policy).a[1].b", "jsondecode(policy).a", true),
            ("jsondecode(policy).a[1].b", "policy", true),
            ("jsondecode(policy).a[1].b", "policy.a", false),
            ("jsondecode(policy)", "policy", true),
            ("yamldecode(set[0].values)[2]", "set.values", true),
            ("yamldecode(set[0].values)[2]", "values", false),
            (r#"jsondecode(m["a)\"b)"].k).x"#, r#"m["a)\"b)"]"#, true),
            (r#"["jsondecode(a)"].b"#, "a", false),
            ("", "*", false),
        ] {
            assert_eq!(is_at(path, &Pattern::new(pattern)), holds, "{path} {pattern}");
        }
    }
}
