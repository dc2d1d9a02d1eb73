//! Writes assertions that pin what a plan does: the actions of each resource and output that
//! changes, the sensitive places in its planned value, and the number of changes.

use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use super::facts::{Facts, is_asked};
use super::pinned_file::{Pin, PinnedFile};
use super::read::Syntax;
use super::subject::{Action, DEFERRAL_REASONS};
use crate::known::Mask;
use plansift_core::error::Result;
use plansift_core::json::value::{Text, Value, WalkEvent};
use plansift_core::path::{AttributePath, AttributeStep, ConfigAddress, without_key};
use plansift_plan::plan::{
    Answer, Change, Deferred, Document, Flow, Piece, PieceKind, ResourceChange, Section, Visitor,
};

/// Maximum number of sensitive places of a resource that are pinned.
const PLACES_MAX: usize = 100;

/// Maximum number of resources whose instances are known to exist. With more, every resource
/// without an instance key counts as one with instances.
const RESOURCES_MAX: usize = 1 << 20;

#[derive(Clone, Copy)]
enum Subject {
    Resource,
    Output,
}

/// Builds a file of assertions from the pieces of a plan.
pub struct Pinned<'s> {
    /// Whether a key is secret.
    is_secret: &'s dyn Fn(&str) -> bool,
    file: PinnedFile,
    facts: Facts,
    /// The number of resources that change.
    changed: u64,
    has_output_changes: bool,
    has_deferred_changes: bool,
    /// Digests of the addresses of resources with instance keys, without these keys.
    keyed: HashSet<u64, RandomState>,
}

impl<'s> Pinned<'s> {
    /// Begins a file. `source` is the name of the plan. The file contains no path with a key for
    /// which `is_secret` returns `true`.
    pub fn new(syntax: Syntax, source: &str, is_secret: &'s dyn Fn(&str) -> bool) -> Pinned<'s> {
        let file = PinnedFile::new(syntax, source);
        Pinned {
            is_secret,
            file,
            facts: Facts::default(),
            changed: 0,
            has_output_changes: false,
            has_deferred_changes: false,
            keyed: HashSet::default(),
        }
    }

    /// Ends the file, and returns its text.
    ///
    /// # Errors
    ///
    /// Fails if the plan cannot be pinned, with the reason.
    pub fn finish(mut self, document: &Document) -> std::result::Result<String, String> {
        if document.lacks_changes {
            return Err("the plan does not list its changes, so they cannot be pinned".to_owned());
        }
        let is_empty = self.changed == 0 && !self.has_output_changes && !self.has_deferred_changes;
        match self.facts.incomplete() {
            None if is_empty => self.file.add(&[("plan", Pin::Word("empty"))]),
            _ => self.file.add(&[("count", Pin::Count(self.changed))]),
        }
        // The pattern of a resource also covers its instances, which may change in other ways.
        let knows_all = self.keyed.len() < RESOURCES_MAX;
        let keyed = self.keyed;
        let has_instances = |address: &str| !knows_all || keyed.contains(&digest(&keyed, address));
        self.file.finish(|address| is_plain(address) && !has_instances(address))
    }

    fn change(&mut self, subject: Subject, name: &str, change: &Change<'_>) -> Result<()> {
        let actions = actions_of(change)?;
        let is_pinned = |(_, action): &&(&str, Action)| {
            // `destroy` is about managed resources only.
            *action != Action::Destroy && action.covers(&actions)
        };
        let pinned = Action::WORDS.iter().find(is_pinned);
        let Some((word, action)) = pinned.filter(|(_, action)| *action != Action::NoOp) else {
            return Ok(());
        };
        let word = match action {
            // Each order of a replacement has its own word, such as `delete-then-create`.
            Action::Replace => Action::words_of(&actions),
            _ => (*word).to_owned(),
        };
        let exact = format!("={name}");
        let subject = match subject {
            Subject::Resource => ("resource", Pin::Address(name)),
            Subject::Output if is_plain_output(name) => ("output", Pin::Text(name)),
            Subject::Output => ("output", Pin::Text(&exact)),
        };
        self.file.add(&[subject, ("action", Pin::Word(&word))]);
        for path in marked(change.after_sensitive)? {
            // The values of a resource are an object, so an index cannot match there.
            if subject.0 == "resource"
                && matches!(path.steps().first(), Some(AttributeStep::Index(_)))
            {
                continue;
            }
            if self.hides(&path, change) {
                continue;
            }
            let path = path.to_string();
            let place = (!path.is_empty()).then_some(("path", Pin::Text(&path)));
            let members = std::iter::once(subject).chain(place);
            let members: Vec<_> = members.chain([("sensitive", Pin::Word("true"))]).collect();
            self.file.add(&members);
        }
        Ok(())
    }

    /// Whether a path has a secret key: one that repeats a secret, or one in a map that was marked
    /// as a whole before the change.
    fn hides(&self, path: &AttributePath, change: &Change<'_>) -> bool {
        let steps = path.steps();
        let around = &steps[..steps.len().saturating_sub(1)];
        let is_key = |step: &AttributeStep| matches!(step, AttributeStep::Key(_));
        let repeats =
            |step: &AttributeStep| matches!(step, AttributeStep::Key(key) if (self.is_secret)(key));
        steps.iter().any(repeats)
            || (steps.iter().any(is_key)
                && Mask::from(change.before_sensitive).at(around).is_marked())
    }

    fn resource(&mut self, resource: &ResourceChange<'_>) -> Result<()> {
        let actions = actions_of(&resource.change)?;
        self.changed += u64::from(Action::Change.covers(&actions));
        let Some(address) = resource.address else { return Ok(()) };
        let address = address.decode()?;
        self.note(&address);
        match resource.resource.deposed {
            None => self.change(Subject::Resource, &address, &resource.change),
            Some(_) => Ok(()),
        }
    }

    fn output(&mut self, name: &str, change: &Change<'_>) -> Result<()> {
        self.has_output_changes |= !Action::NoOp.covers(&actions_of(change)?);
        self.change(Subject::Output, name, change)
    }

    fn deferred(&mut self, deferred: &Deferred<'_>) -> Result<()> {
        let Some(address) = deferred.resource_change.address else { return Ok(()) };
        let reason = deferred.reason.map(Text::decode).transpose()?;
        let reason = reason.filter(|reason| DEFERRAL_REASONS.contains(&reason.as_str()));
        let reason = reason.as_deref().unwrap_or("true");
        let address = address.decode()?;
        self.note(&address);
        let actions = actions_of(&deferred.resource_change.change)?;
        self.has_deferred_changes |= Action::Change.covers(&actions);
        self.file.add(&[("resource", Pin::Address(&address)), ("deferred", Pin::Word(reason))]);
        Ok(())
    }

    /// Records that the document has this resource.
    fn note(&mut self, address: &str) {
        if let Some(resource) = without_key(address)
            && self.keyed.len() < RESOURCES_MAX
        {
            self.keyed.insert(digest(&self.keyed, resource));
        }
    }
}

/// Whether an address, read as a pattern, covers only itself and its instances.
fn is_plain(address: &str) -> bool {
    let ConfigAddress { names, .. } = ConfigAddress::of(address);
    let is_resource = names.len() > 1 && names[0] != "module";
    is_resource && !address.contains('*') && !address.starts_with("output.")
}

/// Whether the name of an output, read as a pattern, covers only itself.
fn is_plain_output(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn digest(of: &HashSet<u64, RandomState>, address: &str) -> u64 {
    of.hasher().hash_one(address)
}

fn actions_of(change: &Change<'_>) -> Result<Vec<String>> {
    change.actions()?.map(|action| action?.decode()).collect()
}

impl Visitor for Pinned<'_> {
    fn section(&mut self, section: Section, _: &str) -> Answer {
        if is_asked(section) { Answer::Enter } else { Answer::Skip }
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        match piece.kind {
            PieceKind::ResourceChange => {
                self.resource(&ResourceChange::parse(piece.section, piece.value)?)?;
            }
            PieceKind::OutputChange => {
                self.output(piece.name.unwrap_or_default(), &Change::parse(piece.value)?)?;
            }
            PieceKind::DeferredChange => self.deferred(&Deferred::parse(piece.value)?)?,
            PieceKind::Known => self.facts.note(piece.section, piece.value)?,
            _ => {}
        }
        Ok(Flow::Continue)
    }
}

/// The outermost marked places of an overlay.
fn marked(overlay: Option<Value<'_>>) -> Result<Vec<AttributePath>> {
    let (mut found, mut steps) = (Vec::new(), Vec::new());
    for event in overlay.into_iter().flat_map(Value::walk) {
        if found.len() == PLACES_MAX {
            break;
        }
        match event? {
            WalkEvent::Key(key) => steps.push(AttributeStep::Key(key.decode()?)),
            WalkEvent::Index(index) => steps.push(AttributeStep::Index(index.into())),
            WalkEvent::Open(..) => {}
            WalkEvent::Leaf(kind, _) => {
                if kind.is_mark() {
                    found.push(steps.iter().cloned().collect());
                }
                steps.pop();
            }
            WalkEvent::Close(_) => {
                steps.pop();
            }
        }
    }
    Ok(found)
}
