//! What a document plans for one object. Approval files consist of these objects, too.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::meaning::{Binding, Digest, ValueKey};
use plansift_plan::record::{CompareLevel, ObjectKind};

/// What a document plans for one object (docs/format/comparison.md, sections 2 and 3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// The kind of the object.
    pub object: ObjectKind,
    /// The address or the name. For a fact about a plan, its key.
    pub address: String,
    /// The key of a deposed object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposed: Option<String>,
    /// For an invocation: the address of the resource that triggers it, after the words for when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The address before the plan, if the plan moves the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_address: Option<String>,
    /// The type of the resource or action.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// The action word, with the words of section 4. The status of a check, or the value of a fact.
    pub action: String,
    /// What the plan imports; `None` if it imports nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<Import>,
    /// Whether the object does not exist before the change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// The reasons for the action and for its deferral.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub reasons: Vec<String>,
    /// The planned paths, and other paths of the object.
    #[serde(default, skip_serializing_if = "PlannedPaths::are_none")]
    pub paths: PlannedPaths,
    /// The digest of the JSON text, to tell objects that are planned alike and written differently.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Digest>,
}

/// The import of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Import {
    /// The digest of what is imported. Absent if that is unknown, and in an approval without
    /// values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Digest>,
}

/// The paths of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlannedPaths {
    /// The paths that force a replacement, sorted.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub causes: Vec<String>,
    /// The planned paths that are known, sorted. Empty if `digests` stands in for them.
    #[serde(rename = "changed", default, skip_serializing_if = "<[_]>::is_empty")]
    pub known: Vec<KnownPath>,
    /// The digests of `known` of a created object, in an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digests: Option<KnownDigests>,
    /// The planned paths that are unknown, sorted.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub unknown: Vec<String>,
    /// The unknown paths at which a part of a sensitive value is known, sorted.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub partial: Vec<KnownPath>,
    /// The paths that are marked as sensitive, sorted.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub sensitive: Vec<String>,
}

/// A planned path that is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KnownPath {
    /// The path, in the notation of records.
    pub path: String,
    /// The digest of the value. Absent in an approval without values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Digest>,
    /// The value as JSON text with secrets masked, if values are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
}

/// The digests of the planned paths of an object, and of their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KnownDigests {
    /// The digest of the paths.
    pub paths: Digest,
    /// The digest of the paths and their values. Absent in an approval without values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Digest>,
}

impl PlannedPaths {
    fn are_none(&self) -> bool {
        *self == PlannedPaths::default()
    }
}

/// What identifies an object. Objects are sorted by it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectKey<'a> {
    object: ObjectKind,
    address: &'a str,
    deposed: Option<&'a str>,
    trigger: Option<&'a str>,
}

impl ObjectKey<'_> {
    /// Returns what binds digests to the object.
    pub(crate) fn binding(&self, key: &ValueKey) -> Binding {
        let ObjectKey { object, address, deposed, trigger } = *self;
        key.binding([Some(object.name()), Some(address), deposed, trigger])
    }
}

impl Planned {
    /// Creates an object without a planned path.
    pub fn new(object: ObjectKind, address: impl Into<String>, action: &str) -> Planned {
        Planned {
            object,
            address: address.into(),
            deposed: None,
            trigger: None,
            previous_address: None,
            type_name: None,
            action: action.to_owned(),
            import: None,
            created: false,
            reasons: Vec::new(),
            paths: PlannedPaths::default(),
            text: None,
        }
    }

    /// What identifies the object.
    pub fn key(&self) -> ObjectKey<'_> {
        ObjectKey {
            object: self.object,
            address: &self.address,
            deposed: self.deposed.as_deref(),
            trigger: self.trigger.as_deref(),
        }
    }

    /// Like [`Planned::key`], with the address before the plan.
    pub fn prior_key(&self) -> ObjectKey<'_> {
        let address = self.previous_address.as_deref().unwrap_or(&self.address);
        ObjectKey { address, ..self.key() }
    }

    /// Estimates the memory of the object, in bytes.
    pub fn size(&self) -> usize {
        // Each text is named, so that a new one is not forgotten.
        let Planned {
            object: _,
            address,
            deposed,
            trigger,
            previous_address,
            type_name,
            action,
            import: _,
            created: _,
            reasons,
            paths: PlannedPaths { causes, known, digests: _, unknown, partial, sensitive },
            text: _,
        } = self;
        let lists = [reasons, causes, unknown, sensitive].into_iter().flatten();
        let lists = lists.map(|text| size_of_val(text) + text.len());
        let known = known.iter().chain(partial).map(|known| {
            let KnownPath { path, value: _, shown } = known;
            size_of_val(known) + path.len() + shown.as_ref().map_or(0, String::len)
        });
        let texts = [deposed, trigger, previous_address, type_name].into_iter().flatten();
        let texts = [address, action].into_iter().chain(texts).map(String::len);
        size_of_val(self) + lists.chain(known).chain(texts).sum::<usize>()
    }

    /// Orders objects by their keys.
    pub fn by_key(&self, other: &Planned) -> Ordering {
        self.key().cmp(&other.key())
    }

    /// Orders objects by what they plan. Their texts do not count, because they depend on the
    /// layout of the document.
    pub(crate) fn by_content(&self, other: &Planned) -> Ordering {
        fn content(it: &Planned) -> impl Ord + '_ {
            let Planned { previous_address, action, import, reasons, paths, .. } = it;
            (action, previous_address, import, reasons, paths)
        }
        content(self).cmp(&content(other))
    }

    /// Returns the object with digests that are bound to an object, as those of an approval are.
    pub(crate) fn bound(mut self, binding: &Binding) -> Planned {
        for known in self.paths.known.iter_mut().chain(&mut self.paths.partial) {
            known.value = known.value.map(|value| binding.bind(&known.path, value));
        }
        if let Some(import) = &mut self.import {
            import.identity = import.identity.map(|value| binding.bind("importing", value));
        }
        self
    }

    /// Whether the object of an approval has all digests that the level needs.
    pub(crate) fn answers(&self, level: CompareLevel) -> bool {
        let PlannedPaths { known, digests, partial, .. } = &self.paths;
        let has_values = level >= CompareLevel::Values;
        let are_digests = self.created && level >= CompareLevel::Paths;
        let values = known.iter().chain(partial).all(|known| known.value.is_some());
        let digested = digests.as_ref().is_some_and(|it| !has_values || it.values.is_some());
        (values || !has_values) && (digested || !are_digests)
    }

    /// Returns the object as an approval has it at a level: the paths of a created object become
    /// digests, and only digests of values remain.
    pub fn approved(self, level: CompareLevel, key: &ValueKey) -> Planned {
        let binding = self.key().binding(key);
        let mut planned = self.bound(&binding);
        let has_values = level >= CompareLevel::Values;
        for known in &mut planned.paths.known {
            known.shown = None;
            known.value = known.value.filter(|_| has_values);
        }
        planned.text = None;
        if !has_values {
            planned.import = planned.import.map(|_| Import { identity: None });
            planned.paths.partial = Vec::new();
        }
        if level < CompareLevel::All {
            planned.paths.sensitive = Vec::new();
        }
        if level < CompareLevel::Paths {
            (planned.paths.known, planned.paths.unknown) = (Vec::new(), Vec::new());
            (planned.reasons, planned.paths.causes) = (Vec::new(), Vec::new());
        } else if planned.created {
            let known: Vec<&KnownPath> = planned.paths.known.iter().collect();
            planned.paths.digests = Some(KnownDigests {
                paths: paths_digest(known.iter().map(|known| &*known.path), key),
                values: has_values.then(|| values_digest(known.iter().copied(), key)),
            });
            planned.paths.known = Vec::new();
        }
        planned
    }
}

/// Digests sorted paths.
pub(crate) fn paths_digest<'p>(paths: impl Iterator<Item = &'p str>, key: &ValueKey) -> Digest {
    let mut hasher = key.hasher(b'P');
    for path in paths {
        hasher.update(&(path.len() as u64).to_le_bytes());
        hasher.update(path.as_bytes());
    }
    Digest::of(hasher.finalize())
}

/// Digests sorted paths and their values.
pub(crate) fn values_digest<'p>(
    known: impl Iterator<Item = &'p KnownPath>,
    key: &ValueKey,
) -> Digest {
    let mut hasher = key.hasher(b'V');
    for known in known {
        hasher.update(&(known.path.len() as u64).to_le_bytes());
        hasher.update(known.path.as_bytes());
        hasher.update(&known.value.map_or([0; 16], |value| value.0));
    }
    Digest::of(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_as_it_was_written() {
        let digest = ValueKey::public().absent();
        let known = || vec![KnownPath { path: "p".into(), value: Some(digest), shown: None }];
        let text = |text: &str| Some(text.to_owned());
        let list = |text: &str| vec![text.to_owned()];
        let planned = Planned {
            deposed: text("deposed"),
            trigger: text("trigger"),
            previous_address: text("previous"),
            type_name: text("type"),
            import: Some(Import { identity: Some(digest) }),
            created: true,
            reasons: list("reason"),
            paths: PlannedPaths {
                causes: list("cause"),
                known: known(),
                digests: Some(KnownDigests { paths: digest, values: Some(digest) }),
                unknown: list("unknown"),
                partial: known(),
                sensitive: list("sensitive"),
            },
            text: Some(digest),
            ..Planned::new(ObjectKind::ResourceChange, "address", "create")
        };
        for planned in [planned, Planned::new(ObjectKind::Check, "address", "fail")] {
            let line = serde_json::to_string(&planned).expect("JSON");
            assert_eq!(serde_json::from_str::<Planned>(&line).expect("an object"), planned);
        }
    }

    #[test]
    fn each_text_of_an_object_counts() {
        let text = || "x".repeat(1000);
        let known = || vec![KnownPath { path: text(), value: None, shown: Some(text()) }];
        let mut planned = Planned::new(ObjectKind::ResourceChange, text(), &text());
        let mut counted = planned.size();
        assert!(counted >= 2000, "{counted}");
        let sets: [fn(&mut Planned, String); 8] = [
            |it, text| it.deposed = Some(text),
            |it, text| it.trigger = Some(text),
            |it, text| it.previous_address = Some(text),
            |it, text| it.type_name = Some(text),
            |it, text| it.reasons = vec![text],
            |it, text| it.paths.causes = vec![text],
            |it, text| it.paths.unknown = vec![text],
            |it, text| it.paths.sensitive = vec![text],
        ];
        for set in sets {
            set(&mut planned, text());
            assert!(planned.size() >= counted + 1000, "{planned:?}");
            counted = planned.size();
        }
        (planned.paths.known, planned.paths.partial) = (known(), known());
        assert!(planned.size() >= counted + 4000);
    }
}
