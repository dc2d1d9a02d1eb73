//! Walks a plan: the top-level keys, then the elements of the entered sections.

use super::change::{
    ActionInvocation, Change, Check, Deferred, DeferredAction, ResourceChange, members,
};
use super::documents::Part;
use super::element::Element;
use super::frame::{Frame, Welcome};
use super::head::Head;
use super::key;
use super::names::Names;
use super::place::Place;
use super::scout::Frontier;
use super::section::Section;
use super::skimming::{self, Skimming};
use super::tail::After;
use super::version;
use super::{Answer, Flow, Options, Visitor};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::json::cursor::Cursor;
use crate::json::outline::Outline;
use crate::json::value::Name;

/// Reads the document that begins at `head`, until the visitor stops.
pub(super) fn read<S: Source, V: Visitor>(
    source: S,
    head: Head,
    after: After,
    options: &Options,
    visitor: &mut V,
) -> Result<Part> {
    let cursor = Cursor::new(source, head.start, options.isa, options.validation, options.limits);
    let mut outline = Outline::new();
    let mut reader = Reader::of_elements(cursor, options, &mut outline, visitor);
    reader.frame.after = after;
    reader.frame.document.text_before = head.text;
    let flow = skimming::with_others(options, |others| reader.document(head.start, others));
    Ok((reader.frame.document, flow?, reader.frame.next))
}

/// Returns [`ErrorKind::Changed`] for a file that changed during the read: other errors are then
/// only consequences.
pub(super) fn unless_changed(source: &mut impl Source, error: Error) -> Error {
    let its_own = error.kind() != ErrorKind::Write;
    if its_own && source.changed() { Error::new(ErrorKind::Changed) } else { error }
}

pub(super) struct Reader<'v, S, V> {
    cursor: Cursor<S>,
    outline: &'v mut Outline,
    visitor: &'v mut V,
    options: Options,
    frame: Frame,
}

impl<'v, S: Source, V: Visitor> Reader<'v, S, V> {
    /// A reader of single elements, which reuses the memory of `outline`.
    pub(super) fn of_elements(
        cursor: Cursor<S>,
        options: &Options,
        outline: &'v mut Outline,
        visitor: &'v mut V,
    ) -> Self {
        Reader { cursor, outline, visitor, options: *options, frame: Frame::new(Welcome::Plans) }
    }

    pub(super) fn cursor(&mut self) -> &mut Cursor<S> {
        &mut self.cursor
    }

    /// Reads the document. Other threads may help to skip sections.
    fn document(
        &mut self,
        start: u64,
        mut skimming: Option<&mut Skimming<'_, '_>>,
    ) -> Result<Flow> {
        self.cursor.enter_object()?;
        while let Some((key, offset)) = key::next(&mut self.cursor)? {
            let section = Section::of(&key);
            self.frame.note(section, &key, offset)?;
            let skimming = skimming.as_deref_mut();
            let flow = self
                .section(section, &key, skimming)
                .map_err(|error| error.within(section.name()))?;
            if flow == Flow::Stop {
                self.frame.document.bytes = self.cursor.offset() - start;
                return Ok(Flow::Stop);
            }
        }
        self.frame.verdict()?;
        let tail = self.frame.end(&mut self.cursor, &self.options, start)?;
        tail.leave(self.cursor.source_mut()).map(|()| Flow::Continue)
    }

    fn section(
        &mut self,
        section: Section,
        key: &str,
        skimming: Option<&mut Skimming<'_, '_>>,
    ) -> Result<Flow> {
        if section == Section::FormatVersion {
            self.format_version()?;
        }
        if section == Section::Other && !self.frame.is_plan() {
            self.look_for_outputs()?;
        }
        // The check of the version has already passed its value.
        let passed = section == Section::FormatVersion;
        match self.visitor.section(section, key) {
            Answer::Stop => Ok(Flow::Stop),
            Answer::Skip if passed => Ok(Flow::Continue),
            Answer::Skip => skimming::skip(&mut self.cursor, skimming).map(|()| Flow::Continue),
            Answer::Span => {
                if !passed {
                    self.cursor.outline(self.outline)?;
                }
                self.visitor.span(&Place::new(section), self.cursor.value(self.outline))
            }
            Answer::Enter if passed => {
                self.visitor.scalar(section, self.cursor.value(self.outline))
            }
            Answer::Enter => self.enter(section),
        }
    }

    fn enter(&mut self, section: Section) -> Result<Flow> {
        match section {
            Section::ResourceChanges
            | Section::ResourceDrift
            | Section::DeferredChanges
            | Section::DeferredActionInvocations
            | Section::ActionInvocations
            | Section::Checks
            | Section::RelevantAttributes => self.elements(section),
            Section::OutputChanges | Section::Variables => self.members(section),
            Section::FormatVersion
            | Section::TerraformVersion
            | Section::Timestamp
            | Section::Applyable
            | Section::Complete
            | Section::Errored => {
                self.cursor.outline(self.outline)?;
                self.visitor.scalar(section, self.cursor.value(self.outline))
            }
            _ => self.entries(section),
        }
    }

    /// Checks that the major `format_version` is supported, and leaves the value outlined.
    fn format_version(&mut self) -> Result<()> {
        self.cursor.outline(self.outline)?;
        self.frame.document.is_newer = version::check(self.cursor.value(self.outline))?;
        Ok(())
    }

    /// Notes whether an unknown member looks like an output value, for [`Frame::verdict`]. It
    /// examines only the first bytes, because the visitor decides how to read the member.
    fn look_for_outputs(&mut self) -> Result<()> {
        // More than the tools indent by.
        const LEN: usize = 64;
        self.cursor.peek()?;
        let member = self.cursor.lookahead(LEN).strip_prefix(b"{");
        self.frame.looks_like_outputs |=
            member.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\"sensitive\""));
        Ok(())
    }

    /// Skips a `null`, which stands for an empty section.
    fn is_null(&mut self) -> Result<bool> {
        let null = self.cursor.peek()? == Some(b'n');
        if null {
            self.cursor.skip()?;
        }
        Ok(null)
    }

    fn elements(&mut self, section: Section) -> Result<Flow> {
        if self.is_null()? {
            return Ok(Flow::Continue);
        }
        self.cursor.enter_array()?;
        let mut index = 0u64;
        while self.cursor.next_element()? {
            let passed = self.passed(section, index)?;
            if passed > 0 {
                index += passed;
                continue;
            }
            let flow = self.element(section, index);
            if flow.map_err(|error| error.within(&format!("[{index}]")))? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            index += 1;
        }
        Ok(Flow::Continue)
    }

    /// Jumps over the elements that lookahead has parsed from here on, and returns their number.
    fn passed(&mut self, section: Section, index: u64) -> Result<u64> {
        if !section.is_of_changes() {
            return Ok(0);
        }
        let (open, source) = (self.cursor.open(), self.cursor.source());
        let offset = self.cursor.offset();
        let frontier = Frontier { section, index, offset, open, source, options: self.options };
        match self.visitor.ahead(&frontier) {
            Some(end) if self.cursor.jump(end) => self.visitor.passed(),
            _ => Ok(0),
        }
    }

    pub(super) fn element(&mut self, section: Section, index: u64) -> Result<Flow> {
        self.cursor.outline(self.outline)?;
        if section.is_of_changes() {
            let text = self.cursor.outlined(self.outline);
            let element = Element { section, index, text, outline: self.outline };
            match self.visitor.element(&element)? {
                Answer::Enter => {}
                Answer::Skip => return Ok(Flow::Continue),
                Answer::Stop => return Ok(Flow::Stop),
                Answer::Span => {
                    let mut place = Place::new(section);
                    place.push_index(index);
                    return self.visitor.span(&place, self.cursor.value(self.outline));
                }
            }
        }
        let value = self.cursor.value(self.outline);
        match section {
            Section::DeferredChanges => self.visitor.deferred_change(&Deferred::parse(value)?),
            Section::DeferredActionInvocations => {
                self.visitor.deferred_action(&DeferredAction::parse(value)?)
            }
            Section::ActionInvocations => {
                self.visitor.action_invocation(&ActionInvocation::parse(value)?)
            }
            Section::Checks => self.visitor.check(&Check::parse(value)?),
            Section::RelevantAttributes => {
                let [resource, attribute] =
                    members(value, const { &Name::all(["resource", "attribute"]) })?;
                let missing = |key| Error::at(ErrorKind::MissingKey(key), value.offset());
                let resource = resource.ok_or_else(|| missing("resource"))?;
                let attribute = attribute.ok_or_else(|| missing("attribute"))?;
                self.visitor.relevant_attribute(resource, attribute)
            }
            _ => self.visitor.resource_change(section, &ResourceChange::parse(section, value)?),
        }
    }

    /// Reads the members of `output_changes` or `variables`.
    fn members(&mut self, section: Section) -> Result<Flow> {
        if self.is_null()? {
            return Ok(Flow::Continue);
        }
        self.cursor.enter_object()?;
        let mut names = Names::default();
        names.clear();
        while let Some((name, offset)) = key::next(&mut self.cursor)? {
            names.note(&name, offset, &self.options.limits).map_err(|error| error.within("*"))?;
            self.cursor.outline(self.outline)?;
            let value = self.cursor.value(self.outline);
            // Error messages never quote names of the plan.
            let flow = match section {
                Section::OutputChanges => Change::parse(value)
                    .and_then(|change| self.visitor.output_change(&name, &change)),
                _ => members(value, const { &Name::all(["value"]) })
                    .and_then(|[value]| self.visitor.variable(&name, value)),
            };
            if flow.map_err(|error| error.within("*"))? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// Walks a section without typed events, and asks the visitor about each key and element.
    fn entries(&mut self, section: Section) -> Result<Flow> {
        let mut place = Place::new(section);
        // One entry per entered container: the next index of an array, `None` for an object.
        let mut open: Vec<Option<u64>> = Vec::new();
        let mut answer = Answer::Enter;
        loop {
            match (answer, self.cursor.peek()?) {
                (Answer::Stop, _) => return Ok(Flow::Stop),
                (Answer::Skip, _) => self.cursor.skip()?,
                (Answer::Enter, Some(b'{')) => {
                    self.cursor.enter_object()?;
                    open.push(None);
                }
                (Answer::Enter, Some(b'[')) => {
                    self.cursor.enter_array()?;
                    open.push(Some(0));
                }
                (Answer::Enter | Answer::Span, _) => {
                    self.cursor.outline(self.outline)?;
                    let value = self.cursor.value(self.outline);
                    if self.visitor.span(&place, value)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
            }
            loop {
                // Leaves the place of the last value, unless that value was just entered.
                if place.depth() == open.len() && !open.is_empty() {
                    place.pop();
                }
                let Some(container) = open.last_mut() else { return Ok(Flow::Continue) };
                match container {
                    Some(index) if self.cursor.next_element()? => {
                        place.push_index(*index);
                        *index += 1;
                        break;
                    }
                    Some(_) => {}
                    None => {
                        if let Some((name, _)) = key::next(&mut self.cursor)? {
                            place.push_key(&name);
                            break;
                        }
                    }
                }
                open.pop();
            }
            answer = self.visitor.entry(&place);
        }
    }
}
