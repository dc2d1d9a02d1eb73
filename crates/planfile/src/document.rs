//! The JSON document of a plan file, written a piece at a time.
//!
//! A piece is a change, a resource or an output. The document writes a piece to a buffer after the
//! reader has taken the previous one, so memory contains only one piece of the document at a time.

use std::io::{self, Read};
use std::mem::size_of;
use std::ops::Range;

use super::action::{Action, deferred_reason};
use super::archive::PLAN;
use super::attributes::write_plain;
use super::change::{Writer, all_marks, push, push_key, push_text, write_output_change};
use super::check::Check;
use super::fault::PlanFileFault;
use super::index::{Changes, Index, Named, place};
use super::invocation::Invocation;
use super::member::Member;
use super::message::{OutputChange, ResourceChange};
use super::packed::ValueWriter;
use super::path::{Paths, dynamic_value, write_path};
use super::protobuf::Message;
use super::schemas::Schemas;
use super::section::{SECTIONS, Section};
use super::state::State;
use super::tool::{Release, Tool};
use super::tree::{Children, Piece, Tree};
use plansift_core::allocation;
use plansift_core::budget::Budget;
use plansift_core::error::{Error, Result};
use plansift_core::input::into_io_error;
use plansift_core::json::detached::Detached;
use plansift_core::limits::Limits;
use plansift_core::path::ResourceAddress;
use plansift_cty::TypeCache;
use plansift_cty::json_string::write_string;

/// The minimum size of a buffer, or of its taken bytes, to return to the system.
const RELEASED_MIN: usize = 1 << 20;

/// Length of a message from which it is large, in bytes.
const LARGE: u64 = 4 << 20;

/// The JSON document of a plan file.
pub struct Document {
    parts: Parts,
    /// The section that is being written, and the next element in it.
    section: usize,
    element: usize,
    out: Vec<u8>,
    /// The number of bytes of `out` that the reader has taken.
    taken: usize,
    /// A reused buffer for the bytes of a message.
    record: Vec<u8>,
}

/// The data from which a document is written.
struct Parts {
    plan: Member,
    index: Index,
    state: Option<State>,
    release: Release,
    limits: Limits,
    schemas: Schemas,
    types: TypeCache,
    order: Order,
    tree: Tree,
    planned: Vec<Piece>,
}

/// The order of the messages of a plan file in the document, by section.
struct Order {
    changes: Vec<u32>,
    drift: Vec<u32>,
    deferred: Vec<u32>,
    by_address: Vec<u32>,
    /// The checks, ordered by address.
    checks: Vec<usize>,
    /// The relevant attributes, in the order of the tool.
    relevant: Vec<usize>,
}

impl Document {
    /// Creates a document from the members of a plan file. `budget` is the memory budget that the
    /// index left.
    pub(super) fn new(
        plan: Member,
        index: Index,
        mut budget: Budget,
        state: State,
        schemas: Schemas,
        limits: &Limits,
    ) -> Result<Document> {
        let release = Release::new(index.evidence.tool(), &index.header.terraform_version);
        let refresh_only = index.header.is_refresh_only;
        let mut parts = Parts {
            order: Order {
                changes: index.changes.order(|_| true),
                drift: index.drift.order(|entry| refresh_only || entry.action != Action::NoOp),
                deferred: index.deferred.order(|_| true),
                by_address: index.changes.by_address(),
                checks: Vec::new(),
                relevant: Vec::new(),
            },
            tree: Tree::new(limits),
            planned: Vec::new(),
            state: Some(state).filter(|state| !state.is_empty()),
            limits: *limits,
            schemas,
            types: TypeCache::default(),
            plan,
            index,
            release,
        };
        parts.lay_out(&mut budget).map_err(|error| error.within("planned_values").within(PLAN))?;
        parts.sort(&mut budget).map_err(|error| error.within(PLAN))?;
        Ok(Document {
            parts,
            section: 0,
            element: 0,
            out: Vec::new(),
            taken: 0,
            record: Vec::new(),
        })
    }

    /// The tool that wrote the plan file.
    pub fn tool(&self) -> Tool {
        self.parts.release.tool
    }

    /// Whether a change, an output or a resource takes much memory.
    pub(super) fn has_large_pieces(&self) -> bool {
        let Parts { index, state, .. } = &self.parts;
        let changes = [&index.changes, &index.drift, &index.deferred];
        let changes = changes.iter().flat_map(|changes| &changes.entries).map(|entry| &entry.range);
        let outputs = index.outputs.iter().map(|output| &output.range);
        let values = state.iter().flat_map(State::ranges);
        changes.chain(outputs).chain(values).any(|range| range.end - range.start > LARGE)
    }

    /// Writes the next piece. Returns false at the end of the document.
    fn advance(&mut self) -> Result<bool> {
        let Some((section, _, key, brackets)) = SECTIONS.get(self.section).copied() else {
            return Ok(false);
        };
        self.out.clear();
        self.taken = 0;
        let len = self.parts.len(section);
        let out = &mut self.out;
        if let (0, 1.., Some([open, _])) = (self.element, len, brackets) {
            push_key(out, key);
            out.push(open);
            self.parts.open(section, out);
        }
        if self.element < len {
            let is_list = !matches!(section, Section::PlannedValues | Section::PriorState);
            if self.element > 0 && is_list {
                out.push(b',');
            }
            let written = self.parts.write(section, self.element, &mut self.record, out);
            if let Err(error) = written {
                // A second call then fails with the same error.
                out.clear();
                return Err(error.within(key).within(section.member()));
            }
            self.element += 1;
            if self.record.capacity().max(out.capacity()) > RELEASED_MIN {
                self.record = Vec::new();
                allocation::return_freed();
            }
        }
        if self.element >= len {
            if let (1.., Some([_, close])) = (len, brackets) {
                self.parts.close(section, out);
                out.push(close);
            }
            self.section += 1;
            self.element = 0;
        }
        Ok(true)
    }

    /// Frees the bytes that the reader has taken from a large piece. The reader may keep its own
    /// copy.
    fn release(&mut self) {
        if self.taken > RELEASED_MIN.max(self.out.len() / 2) {
            self.out.drain(..self.taken);
            self.out.shrink_to_fit();
            self.taken = 0;
            allocation::return_freed();
        }
    }
}

impl Read for Document {
    /// Fills the buffer, because the reader may pass each buffer to another thread.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.release();
        let mut filled = 0;
        while filled < buffer.len() {
            if self.taken == self.out.len() {
                match self.advance() {
                    Ok(true) => continue,
                    Ok(false) => break,
                    // The next call fails with the same error.
                    Err(_) if filled > 0 => break,
                    Err(error) => return Err(into_io_error(error.placed())),
                }
            }
            let rest = &self.out[self.taken..];
            let len = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + len].copy_from_slice(&rest[..len]);
            self.taken += len;
            filled += len;
        }
        Ok(filled)
    }
}

impl Parts {
    /// Adds the resources of `planned_values` to their modules.
    fn lay_out(&mut self, budget: &mut Budget) -> Result<()> {
        let changes = &self.index.changes;
        let forgotten = self.release.plans_forgotten();
        let is_planned = |number: u32| {
            let entry = &changes.entries[number as usize];
            let is_kept = match entry.action {
                Action::Delete => false,
                Action::Forget => forgotten,
                _ => true,
            };
            is_kept && changes.deposed(entry).is_empty()
        };
        // Modules are in the order of the file. The resources in a module are sorted by address.
        for (number, entry) in (0..).zip(&changes.entries) {
            if is_planned(number) {
                let module = module(changes.address(entry));
                self.tree.module(module, budget, entry.range.start)?;
            }
        }
        for number in self.order.by_address.iter().copied().filter(|number| is_planned(*number)) {
            let entry = &changes.entries[number as usize];
            let module = module(changes.address(entry));
            let module = self.tree.module(module, budget, entry.range.start)?;
            self.tree.push(module, number);
        }
        self.tree.sort(Children::FirstUse);
        let outputs = (0..).zip(&self.index.outputs);
        let kept = outputs.filter(|(_, output)| output.action != Action::Delete);
        self.planned = self.tree.pieces(kept.map(|(number, _)| number));
        Ok(())
    }

    /// Sorts the checks and, for OpenTofu, the relevant attributes. Terraform writes relevant
    /// attributes in an order that the plan file does not contain, so they keep the order of the
    /// file.
    fn sort(&mut self, budget: &mut Budget) -> Result<()> {
        self.order.checks = self.order_of(&self.index.checks, 2, budget)?;
        self.order.relevant = match self.release.tool {
            Tool::OpenTofu => self.order_of(&self.index.relevant_attributes, 1, budget)?,
            _ => (0..self.index.relevant_attributes.len()).collect(),
        };
        Ok(())
    }

    /// Returns the order of messages, sorted by the string in field `number`.
    fn order_of(
        &self,
        ranges: &[Range<u64>],
        number: u32,
        budget: &mut Budget,
    ) -> Result<Vec<usize>> {
        let mut names = Vec::new();
        let mut record = Vec::new();
        for range in ranges {
            let message = self.message(range, &mut record)?;
            let name = message.only(number)?.map_or(Ok(""), |field| field.text())?;
            budget.take(name.len() + size_of::<String>() + size_of::<usize>(), range.start)?;
            names.push(name.to_owned());
        }
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|a, b| names[*a].cmp(&names[*b]));
        Ok(order)
    }

    fn len(&self, section: Section) -> usize {
        match section {
            Section::Head | Section::Tail => 1,
            Section::Variables => self.index.variables.len(),
            Section::PlannedValues => self.planned.len(),
            Section::Drift => self.order.drift.len(),
            Section::Changes => self.order.changes.len(),
            Section::Deferred => self.order.deferred.len(),
            Section::DeferredInvocations => self.index.deferred_invocations.len(),
            Section::Outputs => self.index.outputs.len(),
            Section::Invocations => self.index.invocations.len(),
            Section::PriorState => self.state.as_ref().map_or(0, |state| state.pieces.len()),
            Section::RelevantAttributes => self.index.relevant_attributes.len(),
            Section::Checks => self.order.checks.len(),
        }
    }

    /// Writes the text before the pieces of a section.
    fn open(&self, section: Section, out: &mut Vec<u8>) {
        if let (Section::PriorState, Some(state)) = (section, &self.state) {
            push(out, "\"format_version\":\"1.0\"");
            state.write_head(out);
        }
    }

    /// Writes the text after the pieces of a section.
    fn close(&self, section: Section, out: &mut Vec<u8>) {
        if section == Section::PriorState {
            out.push(b'}');
        }
    }

    /// Writes a piece of a section.
    fn write(
        &self,
        section: Section,
        element: usize,
        record: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match section {
            Section::Head => {
                push(out, "{\"format_version\":\"");
                push(out, self.release.format_version());
                push(out, "\"");
                push_text(out, "terraform_version", &self.index.header.terraform_version);
            }
            Section::Tail => self.write_tail(out),
            Section::Variables => {
                let Named { name, range, .. } = &self.index.variables[element];
                self.write_variable(name, self.message(range, record)?, out)?;
            }
            Section::PlannedValues => self.write_planned_piece(element, record, out)?,
            Section::Drift => {
                let has_identities = self.release.drift_has_identities();
                let (changes, number) = (&self.index.drift, self.order.drift[element]);
                self.write_change(changes, number, has_identities, record, out)?;
            }
            Section::Changes => {
                let (changes, number) = (&self.index.changes, self.order.changes[element]);
                self.write_change(changes, number, true, record, out)?;
            }
            Section::Deferred => {
                let (changes, number) = (&self.index.deferred, self.order.deferred[element]);
                let reason = changes.entries[number as usize].deferred_reason;
                push(out, "{\"reason\":\"");
                push(out, deferred_reason(reason));
                push(out, "\",\"resource_change\":");
                self.write_change(changes, number, true, record, out)?;
                out.push(b'}');
            }
            Section::DeferredInvocations => {
                let range = &self.index.deferred_invocations[element];
                self.write_deferred_invocation(self.message(range, record)?, out)?;
            }
            Section::Outputs => {
                let output = &self.index.outputs[element];
                let message = self.message(&output.range, record)?;
                let read = OutputChange::read(message, &self.limits);
                let written =
                    read.and_then(|output| write_output_change(&output, self.values(), out));
                written.map_err(|error| error.within(&place(&output.name)))?;
            }
            Section::Invocations => {
                let message = self.message(&self.index.invocations[element], record)?;
                Invocation::read(message, &self.limits)?.write(self.release, self.values(), out)?;
            }
            Section::PriorState => self.write_prior_piece(element, record, out)?,
            Section::RelevantAttributes => {
                let range = &self.index.relevant_attributes[self.order.relevant[element]];
                self.write_relevant(self.message(range, record)?, out)?;
            }
            Section::Checks => {
                let range = &self.index.checks[self.order.checks[element]];
                Check::read(self.message(range, record)?)?.write(out)?;
            }
        }
        Ok(())
    }

    fn writer(&self) -> Writer<'_> {
        Writer { schemas: &self.schemas, values: self.values(), tool: self.release.tool }
    }

    fn values(&self) -> ValueWriter<'_> {
        ValueWriter { limits: &self.limits, types: &self.types }
    }

    fn message<'r>(&self, range: &Range<u64>, record: &'r mut Vec<u8>) -> Result<Message<'r>> {
        self.plan.copy(range.clone(), record)?;
        Ok(Message { bytes: record, offset: range.start })
    }

    fn write_tail(&self, out: &mut Vec<u8>) {
        let index = &self.index;
        if !index.header.timestamp.is_empty() {
            push_text(out, "timestamp", &index.header.timestamp);
        }
        if self.release.has_applyable() {
            push_key(out, "applyable");
            push(out, &index.header.is_applyable.to_string());
            push_key(out, "complete");
            push(out, &index.header.is_complete.to_string());
        }
        push_key(out, "errored");
        push(out, &index.header.is_errored.to_string());
        push(out, "}\n");
    }

    fn write_variable(&self, name: &str, message: Message<'_>, out: &mut Vec<u8>) -> Result<()> {
        write_string(name.as_bytes(), out);
        push(out, ":{\"value\":");
        let value = message.only(2)?.map(|field| dynamic_value(field.message()?)).transpose()?;
        let value = value.ok_or_else(|| Error::at(PlanFileFault::Value, message.offset))?;
        self.values().value(&value, None, message.offset, out)?;
        out.push(b'}');
        Ok(())
    }

    fn write_change(
        &self,
        changes: &Changes,
        number: u32,
        has_identities: bool,
        record: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let entry = &changes.entries[number as usize];
        let message = self.message(&entry.range, record)?;
        let read = ResourceChange::read(message, &self.limits);
        let written = read
            .and_then(|change| self.writer().resource_change(&change, entry, has_identities, out));
        written.map_err(|error| error.within(&place(changes.address(entry))))
    }

    fn write_planned_piece(
        &self,
        element: usize,
        record: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self.planned[element] {
            Piece::Fixed(fixed) => push(out, fixed.text()),
            Piece::Address(module) => write_string(self.tree.address(module).as_bytes(), out),
            Piece::Output(number) => {
                let message = self.message(&self.index.outputs[number as usize].range, record)?;
                let output = OutputChange::read(message, &self.limits)?;
                write_planned_output(&output, self.values(), out)?;
            }
            Piece::Item(number) => {
                let entry = &self.index.changes.entries[number as usize];
                let message = self.message(&entry.range, record)?;
                let read = ResourceChange::read(message, &self.limits);
                let written = read.and_then(|change| self.writer().planned(&change, entry, out));
                let address = self.index.changes.address(entry);
                written.map_err(|error| error.within(&place(address)))?;
            }
        }
        Ok(())
    }

    fn write_prior_piece(
        &self,
        element: usize,
        record: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let Some(state) = &self.state else { return Ok(()) };
        let piece = state.pieces[element];
        let Piece::Item(number) = piece else {
            return state.write_piece(piece, &Paths::default(), &self.schemas, Tool::Unknown, out);
        };
        let (address, deposed) = state.instance(number);
        let marks = self.marks(address, deposed, record);
        let written = marks.and_then(|marks| {
            state.write_piece(piece, &marks, &self.schemas, self.release.tool, out)
        });
        written.map_err(|error| error.within(&place(address)))
    }

    /// Returns the paths that the change of a resource marks.
    fn marks<'r>(
        &self,
        address: &str,
        deposed: &str,
        record: &'r mut Vec<u8>,
    ) -> Result<Paths<'r>> {
        let found = self.index.changes.find(&self.order.by_address, address, deposed);
        let Some(entry) = found else { return Ok(Paths::default()) };
        let message = self.message(&entry.range, record)?;
        Ok(all_marks(&ResourceChange::read(message, &self.limits)?.change))
    }

    fn write_relevant(&self, message: Message<'_>, out: &mut Vec<u8>) -> Result<()> {
        let resource = message.only(1)?.map_or(Ok(""), |field| field.text())?;
        push(out, "{\"resource\":");
        write_string(resource.as_bytes(), out);
        push_key(out, "attribute");
        let mut paths = Paths::default();
        match message.only(2)? {
            Some(path) => paths.read(path.message()?, &self.limits)?,
            None => paths.end(&self.limits, message.offset)?,
        }
        write_path(paths.get(0), self.values(), message.offset, out)?;
        out.push(b'}');
        Ok(())
    }

    fn write_deferred_invocation(&self, message: Message<'_>, out: &mut Vec<u8>) -> Result<()> {
        let reason =
            message.only(1)?.map(|field| field.message()?.only_enumeration(1)).transpose()?;
        push(out, "{\"reason\":\"");
        push(out, deferred_reason(reason.unwrap_or_default()));
        push(out, "\",\"action_invocation\":");
        let missing = || Error::at(PlanFileFault::Value, message.offset);
        let invocation = message.only(2)?.ok_or_else(missing)?.message()?;
        Invocation::read(invocation, &self.limits)?.write(self.release, self.values(), out)?;
        out.push(b'}');
        Ok(())
    }
}

/// Returns the module of an address, which the index has validated.
fn module(address: &str) -> &str {
    ResourceAddress::parse(address).map_or("", |address| address.module)
}

/// Appends an output of `planned_values`, as a member whose key is the output's name.
fn write_planned_output(
    output: &OutputChange<'_>,
    values: ValueWriter<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    write_string(output.name.as_bytes(), out);
    push(out, if output.is_sensitive { ":{\"sensitive\":true" } else { ":{\"sensitive\":false" });
    let offset = output.change.offset;
    if let Some(after) = output.change.after.filter(|after| after.is_wholly_known()) {
        push_key(out, "type");
        match after.declared_type() {
            Some(text) => {
                let value_fault = |_| Error::at(PlanFileFault::Value, offset);
                let mut ty = Detached::read(text, Limits::default()).map_err(value_fault)?;
                write_plain(ty.value(), &Limits::default(), out).map_err(value_fault)?;
            }
            None => push(out, "\"dynamic\""),
        }
        push_key(out, "value");
        values.value(&after, None, offset, out)?;
    }
    out.push(b'}');
    Ok(())
}
