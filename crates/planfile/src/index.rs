//! An index of the member `tfplan`: the byte range of each message, and the order of plan JSON.
//!
//! One scan collects the range and the address of each change, and skips the values. The memory of
//! the index is a few times the total length of the addresses, up to [`Limits::plan_index`].

use std::cell::Cell;
use std::mem::size_of;
use std::ops::Range;

use super::action::Action;
use super::fault::PlanFileFault;
use super::member::{Member, Span};
use super::message::ResourceChange;
use super::protobuf::{Message, resource_address};
use super::section::key_of;
use super::tool::Evidence;
use plansift_core::budget::Budget;
use plansift_core::error::{Error, Result};
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::{Mode, ResourceAddress};

#[derive(Debug, Default)]
pub(super) struct Index {
    pub header: Header,
    /// Variables and output changes, sorted by name.
    pub variables: Vec<Named>,
    pub outputs: Vec<Named>,
    pub changes: Changes,
    pub drift: Changes,
    pub deferred: Changes,
    /// The ranges of messages, in the order of the file.
    pub relevant_attributes: Vec<Range<u64>>,
    pub checks: Vec<Range<u64>>,
    pub invocations: Vec<Range<u64>>,
    pub deferred_invocations: Vec<Range<u64>>,
    pub evidence: Evidence,
}

#[derive(Debug, Default)]
pub(super) struct Header {
    pub version: u64,
    pub terraform_version: String,
    pub timestamp: String,
    pub is_errored: bool,
    pub is_applyable: bool,
    pub is_complete: bool,
    pub is_refresh_only: bool,
}

/// The message of a variable or an output change.
#[derive(Debug)]
pub(super) struct Named {
    pub name: String,
    pub range: Range<u64>,
    pub action: Action,
}

#[derive(Debug, Default)]
pub(super) struct Changes {
    /// The changes, in the order of the file.
    pub entries: Vec<IndexedChange>,
    /// The concatenated addresses and deposed keys.
    text: String,
}

#[derive(Debug)]
pub(super) struct IndexedChange {
    address: Range<usize>,
    deposed: Range<usize>,
    pub action: Action,
    /// The number of the reason why the change is deferred; 0 for other changes.
    pub deferred_reason: u64,
    pub range: Range<u64>,
    /// True if the values are known to fit their schema, which marks nothing in them. A change is
    /// written twice, and the second time need not compare it with the schema.
    pub is_unmarked: Cell<bool>,
}

impl Changes {
    pub(super) fn address(&self, entry: &IndexedChange) -> &str {
        &self.text[entry.address.clone()]
    }

    /// Returns the key of a deposed object; empty for the current object.
    pub(super) fn deposed(&self, entry: &IndexedChange) -> &str {
        &self.text[entry.deposed.clone()]
    }

    /// Returns the indices in `entries` of the changes that plan JSON contains and that `keep`
    /// accepts. They are in the order of plan JSON: by module, mode, type, name and key, with the
    /// current object before deposed objects.
    pub(super) fn order(&self, keep: impl Fn(&IndexedChange) -> bool) -> Vec<u32> {
        let mut keys = Vec::new();
        let mut order = Vec::new();
        for (number, entry) in (0_u32..).zip(&self.entries) {
            if is_hidden(entry.action, self.address(entry)) || !keep(entry) {
                continue;
            }
            let start = keys.len();
            if let Some(address) = ResourceAddress::parse(self.address(entry)) {
                address.write_sort_key(&mut keys);
            }
            keys.extend_from_slice(self.deposed(entry).as_bytes());
            order.push((start..keys.len(), number));
        }
        order.sort_by(|(a, _), (b, _)| keys[a.clone()].cmp(&keys[b.clone()]));
        order.into_iter().map(|(_, number)| number).collect()
    }

    /// Returns the indices in `entries` of all changes, sorted by address string and deposed key.
    pub(super) fn by_address(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..).zip(&self.entries).map(|(number, _)| number).collect();
        order.sort_by_key(|number| self.key(*number));
        order
    }

    /// Finds the first change of an object. `by_address` is the result of [`Changes::by_address`].
    pub(super) fn find(
        &self,
        by_address: &[u32],
        address: &str,
        deposed: &str,
    ) -> Option<&IndexedChange> {
        let wanted = (address, deposed);
        let first = by_address.partition_point(|number| self.key(*number) < wanted);
        let number = by_address.get(first).filter(|number| self.key(**number) == wanted)?;
        self.entries.get(*number as usize)
    }

    fn key(&self, number: u32) -> (&str, &str) {
        let entry = &self.entries[number as usize];
        (self.address(entry), self.deposed(entry))
    }

    /// Adds a change, and appends its address and its deposed key to `text`.
    fn push(&mut self, entry: IndexedChange, address: &str, deposed: &str) {
        let start = self.text.len();
        self.text.push_str(address);
        let middle = self.text.len();
        self.text.push_str(deposed);
        let end = self.text.len();
        self.entries.push(IndexedChange { address: start..middle, deposed: middle..end, ..entry });
    }
}

struct Builder<'a> {
    plan: &'a Member,
    limits: &'a Limits,
    budget: Budget,
    /// A bit set of the fields seen so far that may occur only once.
    seen: u64,
    index: Index,
    /// A reused buffer for the bytes of a message.
    bytes: Vec<u8>,
}

impl Index {
    /// Scans a plan. Returns its index and the rest of the memory budget, for structures built from
    /// the index.
    pub(super) fn build(plan: &Member, limits: &Limits) -> Result<(Index, Budget)> {
        let budget = budget(limits);
        let mut builder =
            Builder { plan, limits, budget, seen: 0, index: Index::default(), bytes: Vec::new() };
        let mut scan = plan.scan(0..plan.len());
        while let Some(span) = scan.next()? {
            builder.field(&span).map_err(|error| error.within(key_of(span.number)))?;
        }
        let Builder { mut index, budget, .. } = builder;
        if index.header.version != 3 {
            return Err(Error::at(PlanFileFault::Version(index.header.version), 0));
        }
        sort(&mut index.variables, PlanFileFault::FieldTwice)?;
        sort(&mut index.outputs, PlanFileFault::FieldTwice)?;
        Ok((index, budget))
    }
}

impl Builder<'_> {
    fn field(&mut self, span: &Span) -> Result<()> {
        let index = &mut self.index;
        index.evidence.field(span);
        match span.number {
            1 | 14 | 17 | 20 | 21 | 25 | 26 => self.single(span)?,
            2 => {
                let named = self.named(span)?;
                self.index.variables.push(named);
            }
            3 => {
                self.with(span, |this, message| {
                    this.record(message, 0, |index| &mut index.changes).map(drop)
                })?;
            }
            4 => {
                let named = self.named(span)?;
                self.index.outputs.push(named);
            }
            18 => {
                self.with(span, |this, message| {
                    let action = this.record(message, 0, |index| &mut index.drift)?;
                    // Plan JSON omits this change unless the plan is refresh-only: check it here.
                    if action == Action::NoOp {
                        ResourceChange::read(message, this.limits)?;
                    }
                    Ok(())
                })?;
            }
            27 => self.with(span, Builder::deferred)?,
            15 | 19 | 30 | 31 => {
                let range = span.message(self.limits.change)?;
                self.budget.take(size_of::<Range<u64>>(), range.start)?;
                let index = &mut self.index;
                match span.number {
                    15 => index.relevant_attributes.push(range),
                    19 => index.checks.push(range),
                    30 => index.invocations.push(range),
                    _ => index.deferred_invocations.push(range),
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads a field that may occur only once in a plan.
    fn single(&mut self, span: &Span) -> Result<()> {
        let bit = 1 << span.number;
        if self.seen & bit != 0 {
            return Err(Error::at(PlanFileFault::FieldTwice, span.range.start));
        }
        self.seen |= bit;
        match span.number {
            14 => self.index.header.terraform_version = self.text(span)?,
            21 => self.index.header.timestamp = self.text(span)?,
            number => {
                let value = span.varint()?;
                match number {
                    1 => self.index.header.version = value,
                    17 => self.index.header.is_refresh_only = value == 2,
                    20 => self.index.header.is_errored = value != 0,
                    25 => self.index.header.is_applyable = value != 0,
                    _ => self.index.header.is_complete = value != 0,
                }
            }
        }
        Ok(())
    }

    fn text(&self, span: &Span) -> Result<String> {
        let mut bytes = Vec::new();
        self.plan.copy(span.message(self.limits.change)?, &mut bytes)?;
        String::from_utf8(bytes).map_err(|_| Error::at(PlanFileFault::Text, span.range.start))
    }

    /// Reads the message in a field of the plan.
    fn with<T>(
        &mut self,
        span: &Span,
        read: impl FnOnce(&mut Self, Message<'_>) -> Result<T>,
    ) -> Result<T> {
        let range = span.message(self.limits.change)?;
        let mut bytes = std::mem::take(&mut self.bytes);
        let copied = self.plan.copy(range.clone(), &mut bytes);
        let read = copied.and_then(|()| read(self, Message { bytes: &bytes, offset: range.start }));
        self.bytes = bytes;
        read
    }

    /// Reads a variable or an output change.
    fn named(&mut self, span: &Span) -> Result<Named> {
        self.with(span, |this, message| {
            let (mut name, mut change) = (None, None);
            for field in message.fields() {
                let field = field?;
                match field.number {
                    1 => field.once(&mut name, field.text()?)?,
                    2 if span.number == 4 => field.once(&mut change, field.message()?)?,
                    _ => {}
                }
            }
            let named = Named {
                name: name.unwrap_or_default().to_owned(),
                range: message.range(),
                action: change.map_or(Ok(Action::NoOp), action)?,
            };
            this.budget.take(named.name.len() + size_of::<Named>(), message.offset)?;
            Ok(named)
        })
    }

    /// Reads a resource change into one of the lists, and returns its action.
    fn record(
        &mut self,
        message: Message<'_>,
        deferred_reason: u64,
        list: impl FnOnce(&mut Index) -> &mut Changes,
    ) -> Result<Action> {
        let (mut address, mut deposed, mut change) = (None, None, None);
        for field in message.fields() {
            let field = field?;
            match field.number {
                7 => field.once(&mut deposed, field.text()?)?,
                8 => self.index.evidence.provider(field.text()?),
                9 => field.once(&mut change, field.message()?)?,
                12 => self.index.evidence.reason(field.enumeration()?),
                13 => field.once(&mut address, field.text()?)?,
                _ => {}
            }
        }
        let offset = message.offset;
        let (address, deposed) = (address.unwrap_or_default(), deposed.unwrap_or_default());
        if address.is_empty() {
            return Err(Error::at(PlanFileFault::NoAddress, offset));
        }
        let within = |error: Error| error.within(&place(address));
        let action = change.map_or(Ok(Action::NoOp), action).map_err(within)?;
        self.index.evidence.action(action);
        // Plan JSON omits this change, so the whole message is checked only here.
        if is_hidden(action, address) {
            ResourceChange::read(message, self.limits).map_err(within)?;
        }
        resource_address(address, offset).map_err(within)?;
        // `Changes::text` contains one copy of the address, and sort keys contain two more.
        self.budget
            .take(3 * address.len() + deposed.len() + size_of::<IndexedChange>() + 128, offset)?;
        let range = message.range();
        let entry = IndexedChange {
            address: 0..0,
            deposed: 0..0,
            action,
            deferred_reason,
            range,
            is_unmarked: Cell::new(false),
        };
        list(&mut self.index).push(entry, address, deposed);
        Ok(action)
    }

    fn deferred(&mut self, message: Message<'_>) -> Result<()> {
        let (mut deferred, mut change) = (None, None);
        for field in message.fields() {
            let field = field?;
            match field.number {
                1 => field.once(&mut deferred, field.message()?)?,
                2 => field.once(&mut change, field.message()?)?,
                _ => {}
            }
        }
        let mut reason = None;
        for field in deferred.iter().flat_map(|deferred| deferred.fields()) {
            let field = field?;
            if field.number == 1 && field.is_varint() {
                field.once(&mut reason, field.enumeration()?)?;
            }
        }
        let change = change.ok_or_else(|| Error::at(PlanFileFault::NoAddress, message.offset))?;
        self.record(change, reason.unwrap_or_default(), |index| &mut index.deferred).map(drop)
    }
}

/// Returns the memory budget for an index and for structures built from it.
pub(super) fn budget(limits: &Limits) -> Budget {
    Budget::new(Limit::PlanIndex, limits.plan_index)
}

/// Sorts messages by name. A repeated name is a fault.
pub(super) fn sort(named: &mut [Named], repeated: PlanFileFault) -> Result<()> {
    named.sort_by(|a, b| a.name.cmp(&b.name));
    match named.windows(2).find(|pair| pair[0].name == pair[1].name) {
        Some(twice) => Err(Error::at(repeated, twice[1].range.start)),
        None => Ok(()),
    }
}

/// Whether a change deletes a data source or an ephemeral resource. Plan JSON omits such changes.
fn is_hidden(action: Action, address: &str) -> bool {
    action == Action::Delete
        && ResourceAddress::parse(address).is_some_and(|address| address.mode != Mode::Managed)
}

fn action(change: Message<'_>) -> Result<Action> {
    Action::read(change.only_enumeration(1)?).map_err(|error| Error::at(error, change.offset))
}

/// Formats an address as a step in the path of an error.
pub(super) fn place(address: &str) -> String {
    format!("[{}]", plansift_core::inert::text(address))
}
