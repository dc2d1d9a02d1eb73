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
            Of::Name => matches(change.address.as_deref()) || matches(change.type_name.as_deref()),
            Of::Address => matches(change.address.as_deref()),
            Of::Type => matches(change.type_name.as_deref()),
            Of::Module => matches(change.module_address.as_deref()),
            Of::Action => {
                matches(Some(&change.action)) || change.effects().any(|it| matches(Some(it)))
            }
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

/// Whether a path, or what is above it, is like a pattern. What is said of a list holds for each of
/// its elements, and what is said of a string for all of the document in it.
fn is_at(path: &str, pattern: &Pattern) -> bool {
    std::iter::once(path).chain(string_of(path)).any(|path| {
        let is_place = |step: &&str| step.starts_with('[') && !step.starts_with("[\"");
        leads_to(steps(path), pattern)
            || (path.contains('[') && leads_to(steps(path).filter(|it| !is_place(it)), pattern))
    })
}

/// Longest text of several steps that is held to a pattern, in bytes: each end of a step is tried.
const STEPS_MAX: usize = 1024;

/// Whether the first step, or the first few, are like a pattern.
fn leads_to<'p>(steps: impl Iterator<Item = &'p str>, pattern: &Pattern) -> bool {
    let mut text = String::new();
    for step in steps {
        if !text.is_empty() && text.len() + step.len() > STEPS_MAX {
            break;
        }
        text.push_str(step);
        if pattern.matches(&text) {
            return true;
        }
    }
    false
}

/// The texts of the steps of a path: of `a.b[0]["x.y"]` these are `a`, `.b`, `[0]` and `["x.y"]`.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        let (mut is_quoted, mut is_escaped) = (false, false);
        let end = rest.bytes().enumerate().position(|(place, byte)| {
            let is_end = place > 0 && !is_quoted && matches!(byte, b'.' | b'[');
            is_quoted ^= byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        let (step, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        Some(step).filter(|step| !step.is_empty())
    })
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
        let Attributes { list, left_out, unchanged } = &change.attributes;
        let hidden = list.iter().filter(|it| ignored(it)).count();
        if hidden == 0 {
            return self.sink.record(record);
        }
        let left = list.iter().filter(|it| !ignored(it)).cloned().collect();
        self.hidden.attributes += hidden as u64;
        let attributes = Attributes { list: left, left_out: *left_out, unchanged: *unchanged };
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
            (r#"m["a.b"].c"#, r#"m["a"#, false),
            (r#"m["[0]"].c"#, r#"m[""].c"#, false),
            (r#"m["\"].x"].c"#, r#"m["\"].x"]"#, true),
            ("", "*", false),
        ] {
            assert_eq!(is_at(path, &Pattern::new(pattern)), holds, "{path} {pattern}");
        }
    }

    /// Takes minutes where every prefix of a path is looked at to its end.
    #[test]
    fn long_paths_take_linear_time() {
        let key = format!("m[\"{}\"].k", "a.".repeat(1 << 20));
        let deep = format!("m{}.k", ".a[0]".repeat(1 << 20));
        for path in [key, deep] {
            for (pattern, holds) in [("*x*y*", false), ("*a*b*", false), ("m", true)] {
                assert_eq!(is_at(&path, &Pattern::new(pattern)), holds, "{pattern}");
            }
        }
    }
}
