//! Writes assertions that pin what a plan does: the actions of each resource and output that
//! changes, the sensitive places in its planned value, and the number of changes.

use std::io::Write;

use super::subject::Action;
use crate::error::{Error, ErrorKind, Result};
use crate::inert::is_hidden;
use crate::json::string::push_quoted;
use crate::json::value::{Kind, Text, Value};
use crate::path::{AttributePath, AttributeStep};
use crate::plan::{Answer, Change, Flow, Piece, PieceKind, PieceVisitor, ResourceChange, Section};

/// Maximum number of sensitive places of a resource that are pinned.
const PLACES_MAX: usize = 100;

/// Writes a file of assertions in YAML while a plan is read.
pub struct Pinned<W: Write> {
    out: W,
    changed: u64,
}

impl<W: Write> Pinned<W> {
    /// Begins a file. `source` is the name of the plan.
    ///
    /// # Errors
    ///
    /// Fails if the output fails.
    pub fn new(out: W, source: &str) -> Result<Pinned<W>> {
        let mut pinned = Pinned { out, changed: 0 };
        let source = crate::inert::visible(source);
        pinned.line(&format!(
            "# What the plan {source} does. Edit the list, and check other plans with"
        ))?;
        pinned.line("# `plansift assert PLAN --file THIS_FILE`.")?;
        pinned.line("assertions:")?;
        Ok(pinned)
    }

    /// Ends the file.
    ///
    /// # Errors
    ///
    /// Fails if the output fails.
    pub fn finish(mut self) -> Result<()> {
        match self.changed {
            0 => self.line("  - plan: empty")?,
            changed => {
                self.line(&format!(
                    "  - count: {{action: change, min: {changed}, max: {changed}}}"
                ))?;
            }
        }
        self.out.flush().map_err(|error| Error::io(ErrorKind::Write, error))
    }

    fn line(&mut self, line: &str) -> Result<()> {
        writeln!(self.out, "{line}").map_err(|error| Error::io(ErrorKind::Write, error))
    }

    fn change(&mut self, subject: &str, name: &str, change: &Change<'_>) -> Result<()> {
        let mut actions = Vec::new();
        for action in change.actions()? {
            actions.push(action?.decode()?);
        }
        let is_pinned = Action::WORDS.iter().find(|(_, action)| action.covers(&actions));
        let Some((word, action)) = is_pinned.filter(|(_, action)| *action != Action::NoOp) else {
            return Ok(());
        };
        let word = match action {
            // Both orders of a replacement are named by their own words.
            Action::Replace => Action::words_of(&actions),
            _ => (*word).to_owned(),
        };
        let name = quoted(name);
        self.line(&format!("  - {subject}: {name}\n    action: {word}"))?;
        for path in marked(change.after_sensitive)? {
            self.line(&format!("  - {subject}: {name}"))?;
            if !path.is_root() {
                self.line(&format!("    path: {}", quoted(&path.to_string())))?;
            }
            self.line("    sensitive: true")?;
        }
        Ok(())
    }

    fn resource(&mut self, resource: &ResourceChange<'_>) -> Result<()> {
        let mut actions = Vec::new();
        for action in resource.change.actions()? {
            actions.push(action?.decode()?);
        }
        self.changed += u64::from(Action::Change.covers(&actions));
        match (resource.deposed, resource.address) {
            (None, Some(address)) => self.change("resource", &decoded(address)?, &resource.change),
            _ => Ok(()),
        }
    }
}

impl<W: Write> PieceVisitor for Pinned<W> {
    fn section(&mut self, section: Section, _: &str) -> Answer {
        match section {
            Section::ResourceChanges
            | Section::OutputChanges
            | Section::FormatVersion
            | Section::TerraformVersion => Answer::Enter,
            _ => Answer::Skip,
        }
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
                let change = Change::parse(piece.value)?;
                self.change("output", piece.name.unwrap_or_default(), &change)?;
            }
            _ => {}
        }
        Ok(Flow::Continue)
    }
}

fn decoded(text: Text<'_>) -> Result<String> {
    text.decode()
}

/// A text in quotes, without hidden characters and commands of CI runners. YAML has the escapes of
/// JSON, and one for characters of more than 16 bits.
fn quoted(text: &str) -> String {
    let mut json = String::new();
    push_quoted(text, &mut json);
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        match u32::from(c) {
            _ if c == '#' && quoted.ends_with('#') => quoted.push_str("\\u0023"),
            code @ ..=0xffff if is_hidden(c) => quoted.push_str(&format!("\\u{code:04x}")),
            code if is_hidden(c) => quoted.push_str(&format!("\\U{code:08x}")),
            _ => quoted.push(c),
        }
    }
    quoted
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
