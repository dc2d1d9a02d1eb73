//! Writes assertions that pin what a plan does: the actions of each resource and output that
//! changes, the sensitive places in its planned value, and the number of changes.

use super::facts::{Facts, is_asked};
use super::pinned_file::{Pin, PinnedFile};
use super::read::Syntax;
use super::subject::{Action, DEFERRAL_REASONS};
use crate::error::Result;
use crate::json::value::{Kind, Text, Value};
use crate::path::{AttributePath, AttributeStep};
use crate::plan::{
    Answer, Change, Deferred, Document, Flow, Piece, PieceKind, PieceVisitor, ResourceChange,
    Section,
};

/// Maximum number of sensitive places of a resource that are pinned.
const PLACES_MAX: usize = 100;

/// Builds a file of assertions from the pieces of a plan.
pub struct Pinned {
    file: PinnedFile,
    facts: Facts,
    /// The number of resources that change.
    changed: u64,
    has_output_changes: bool,
}

impl Pinned {
    /// Begins a file. `source` is the name of the plan.
    pub fn new(syntax: Syntax, source: &str) -> Pinned {
        let file = PinnedFile::new(syntax, source);
        Pinned { file, facts: Facts::default(), changed: 0, has_output_changes: false }
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
        let is_empty = self.changed == 0 && !self.has_output_changes;
        match self.facts.incomplete() {
            None if is_empty => self.file.add(&[("plan", Pin::Word("empty"))]),
            _ => self.file.add(&[("count", Pin::Count(self.changed))]),
        }
        self.file.finish()
    }

    fn change(&mut self, subject: &'static str, name: &str, change: &Change<'_>) -> Result<()> {
        let actions = actions_of(change)?;
        let is_pinned = Action::WORDS.iter().find(|(_, action)| action.covers(&actions));
        let Some((word, action)) = is_pinned.filter(|(_, action)| *action != Action::NoOp) else {
            return Ok(());
        };
        let word = match action {
            // Each order of a replacement has its own word, such as `delete-then-create`.
            Action::Replace => Action::words_of(&actions),
            _ => (*word).to_owned(),
        };
        let subject = (subject, Pin::Text(name));
        self.file.add(&[subject, ("action", Pin::Word(&word))]);
        for path in marked(change.after_sensitive)? {
            let path = path.to_string();
            let place = (!path.is_empty()).then_some(("path", Pin::Text(&path)));
            let members = std::iter::once(subject).chain(place);
            let members: Vec<_> = members.chain([("sensitive", Pin::Word("true"))]).collect();
            self.file.add(&members);
        }
        Ok(())
    }

    fn resource(&mut self, resource: &ResourceChange<'_>) -> Result<()> {
        let actions = actions_of(&resource.change)?;
        self.changed += u64::from(Action::Change.covers(&actions));
        match (resource.resource.deposed, resource.address) {
            (None, Some(address)) => self.change("resource", &address.decode()?, &resource.change),
            _ => Ok(()),
        }
    }

    fn output(&mut self, name: &str, change: &Change<'_>) -> Result<()> {
        self.has_output_changes |= !Action::NoOp.covers(&actions_of(change)?);
        self.change("output", name, change)
    }

    fn deferred(&mut self, deferred: &Deferred<'_>) -> Result<()> {
        let Some(address) = deferred.resource_change.address else { return Ok(()) };
        let reason = deferred.reason.map(Text::decode).transpose()?;
        let reason = reason.filter(|reason| DEFERRAL_REASONS.contains(&reason.as_str()));
        let reason = reason.as_deref().unwrap_or("true");
        let address = address.decode()?;
        self.file.add(&[("resource", Pin::Text(&address)), ("deferred", Pin::Word(reason))]);
        Ok(())
    }
}

fn actions_of(change: &Change<'_>) -> Result<Vec<String>> {
    change.actions()?.map(|action| action?.decode()).collect()
}

impl PieceVisitor for Pinned {
    fn section(&mut self, section: Section, _: &str) -> Answer {
        if is_asked(section) { Answer::Enter } else { Answer::Skip }
    }

    fn examines_all(&self) -> bool {
        false
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
    let mut found = Vec::new();
    let mut left: Vec<(Value<'_>, Vec<AttributeStep>)> =
        overlay.map(|overlay| (overlay, Vec::new())).into_iter().collect();
    while let Some((value, steps)) = left.pop() {
        if found.len() == PLACES_MAX {
            break;
        }
        let inner = |step| steps.iter().cloned().chain([step]).collect();
        let from = left.len();
        match value.kind()? {
            Kind::True => found.push(steps.into_iter().collect()),
            Kind::Array => {
                for (index, element) in value.elements()?.enumerate() {
                    left.push((element?, inner(AttributeStep::Index(index as i64))));
                }
            }
            Kind::Object => {
                for member in value.members()? {
                    let (key, value) = member?;
                    left.push((value, inner(AttributeStep::Key(key.decode()?))));
                }
            }
            _ => {}
        }
        left[from..].reverse();
    }
    Ok(found)
}
