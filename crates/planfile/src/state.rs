//! Converts a state from its native JSON form to the form of `show -json`. The state is a state
//! file, or the member `tfstate` of a plan file, which becomes `prior_state`.
//!
//! One pass finds the address and the byte range of each instance. The values of an instance are
//! read when its JSON is written.

use std::mem::size_of;
use std::ops::Range;
use std::sync::Arc;

use super::action::Action;
use super::attributes;
use super::change::{provider_name, push, push_key, push_text, write_parts};
use super::check;
use super::fault::PlanFileFault;
use super::index::{self, Named, sort};
use super::keys::{self, Keys};
use super::member::{Member, Reader};
use super::overlay::{MarkWriter, Marks};
use super::path::Paths;
use super::protobuf::resource_address;
use super::schemas::Schemas;
use super::tool::Tool;
use super::tree::{Children, Piece, Tree};
use super::walk;
use plansift_core::budget::Budget;
use plansift_core::error::{Error, Result};
use plansift_core::input::{Input, InputOptions, Slice, Source, Threads};
use plansift_core::json::Validation;
use plansift_core::json::cursor::Cursor;
use plansift_core::json::outline::Outline;
use plansift_core::json::value::{Kind, Value};
use plansift_core::limits::Limits;
use plansift_core::path::{ResourceAddress, escape_key};
use plansift_core::scan::Isa;
use plansift_cty::json_string::write_string;
use plansift_plan::plan::WrongDocument;

/// An index of a state: the byte ranges of its outputs, instances and check results.
#[derive(Debug)]
pub(super) struct State {
    member: Arc<Member>,
    limits: Limits,
    terraform_version: String,
    outputs: Vec<Named>,
    providers: Vec<String>,
    instances: Vec<Instance>,
    tree: Tree,
    pub pieces: Vec<Piece>,
    from: From,
    /// The address and the byte range of each check result, sorted by address. Empty for a member
    /// of a plan file.
    pub checks: Vec<(String, Range<u64>)>,
}

/// Where a state comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    PlanFile,
    StateFile,
}

/// An instance of a resource, or a deposed object of an instance.
#[derive(Debug)]
struct Instance {
    resource: u32,
    address: String,
    deposed: String,
    range: Range<u64>,
}

/// The members of a resource, collected until the resource ends.
#[derive(Default)]
struct Header {
    module: String,
    mode: String,
    kind: String,
    name: String,
    provider: String,
    /// For each instance: its index key as written in an address, its deposed key, and its byte
    /// range.
    instances: Vec<(String, String, Range<u64>)>,
}

type Text = Cursor<Input>;

fn state_fault(offset: u64) -> Error {
    Error::at(PlanFileFault::State, offset)
}

impl State {
    pub(super) fn read(member: Member, from: From, limits: &Limits) -> Result<State> {
        let member = Arc::new(member);
        let options =
            InputOptions { limits: *limits, threads: Threads::One, ..InputOptions::default() };
        let input = Input::from_plain_reader(Box::new(Reader::new(member.clone())), &options);
        let mut text = Cursor::new(input, 0, Isa::default(), Validation::Grammar, *limits);
        let mut state = State {
            member,
            limits: *limits,
            terraform_version: String::new(),
            outputs: Vec::new(),
            providers: Vec::new(),
            instances: Vec::new(),
            tree: Tree::new(limits),
            pieces: Vec::new(),
            from,
            checks: Vec::new(),
        };
        let mut budget = index::budget(limits);
        state.document(&mut text, &mut budget)?;
        state.checks.sort_by(|a, b| a.0.cmp(&b.0));
        state.lay_out(&mut budget)?;
        Ok(state)
    }

    /// Whether the state has no outputs and no instances. JSON leaves an empty state out.
    pub(super) fn is_empty(&self) -> bool {
        self.outputs.is_empty() && self.instances.is_empty()
    }

    fn document(&mut self, text: &mut Text, budget: &mut Budget) -> Result<()> {
        let mut keys = Keys::of(match self.from {
            From::PlanFile => &["version", "terraform_version", "outputs", "resources"],
            From::StateFile => &[
                "version",
                "terraform_version",
                "outputs",
                "resources",
                "check_results",
                "encrypted_data",
            ],
        });
        text.enter_object()?;
        while let Some(key) = text.next_key()? {
            let offset = key.start;
            match keys.find(text.text(key), offset)? {
                Some("version") => with_value(text, |value| self.check_version(value, offset))?,
                Some("terraform_version") => self.terraform_version = string(text)?,
                Some("outputs") => self.find_outputs(text, budget)?,
                Some("resources") => self.find_resources(text, budget)?,
                Some("check_results") => self.find_checks(text, budget)?,
                Some(_) => {
                    return Err(Error::new(WrongDocument::Encrypted));
                }
                None => text.skip()?,
            }
        }
        if !keys.met("version") || !text.at_end()? {
            return Err(state_fault(text.offset()));
        }
        Ok(())
    }

    /// Accepts only version 4.
    fn check_version(&self, version: Value<'_>, offset: u64) -> Result<()> {
        let other = |document: WrongDocument| Err(Error::new(document));
        match (version.raw(), self.from) {
            (b"4", _) => Ok(()),
            ([b'1'..=b'3'], From::StateFile) => other(WrongDocument::OldState),
            ([b'0'..=b'9', ..], From::StateFile) => other(WrongDocument::NewState),
            _ => Err(state_fault(offset)),
        }
    }

    fn find_checks(&mut self, text: &mut Text, budget: &mut Budget) -> Result<()> {
        if text.peek()? == Some(b'n') {
            return text.skip();
        }
        text.enter_array()?;
        while text.next_element()? {
            let (address, range) = with_value(text, |value| {
                let [address] = keys::members(value, &["config_addr"])?;
                Ok((keys::text(address)?, value.range()))
            })?;
            budget.take(address.len() + size_of::<(String, Range<u64>)>(), range.start)?;
            self.checks.push((address, range));
        }
        Ok(())
    }

    fn find_outputs(&mut self, text: &mut Text, budget: &mut Budget) -> Result<()> {
        text.enter_object()?;
        while let Some(key) = text.next_key()? {
            let offset = key.start;
            let name = plansift_core::json::string::decode(text.text(key));
            let name = name.map_err(|_| state_fault(offset))?.into_owned();
            budget.take(name.len() + size_of::<Named>(), offset)?;
            let range = skip(text)?;
            self.outputs.push(Named { name, range, action: Action::NoOp });
        }
        sort(&mut self.outputs, PlanFileFault::State)
    }

    fn find_resources(&mut self, text: &mut Text, budget: &mut Budget) -> Result<()> {
        text.enter_array()?;
        while text.next_element()? {
            let offset = text.offset();
            let mut header = Header::default();
            let mut keys = Keys::of(&["module", "mode", "type", "name", "provider", "instances"]);
            text.enter_object()?;
            while let Some(key) = text.next_key()? {
                let at = key.start;
                match keys.find(text.text(key), at)? {
                    Some("module") => header.module = string(text)?,
                    Some("mode") => header.mode = string(text)?,
                    Some("type") => header.kind = string(text)?,
                    Some("name") => header.name = string(text)?,
                    Some("provider") => header.provider = string(text)?,
                    Some(_) => header.find_instances(text, budget)?,
                    None => text.skip()?,
                }
            }
            self.push(header, offset, budget)?;
        }
        Ok(())
    }

    fn push(&mut self, header: Header, offset: u64, budget: &mut Budget) -> Result<()> {
        let mode = match header.mode.as_str() {
            "managed" => "",
            "data" => "data.",
            "ephemeral" => "ephemeral.",
            _ => return Err(state_fault(offset)),
        };
        let dot = if header.module.is_empty() { "" } else { "." };
        let base = format!("{}{dot}{mode}{}.{}", header.module, header.kind, header.name);
        let resource = u32::try_from(self.providers.len()).unwrap_or(u32::MAX);
        budget.take(size_of::<String>() + header.provider.len(), offset)?;
        for (key, deposed, range) in header.instances {
            // Memory for the address and its sort keys.
            budget.take(3 * base.len() + key.len(), range.start)?;
            let address = format!("{base}{key}");
            resource_address(&address, range.start)?;
            self.instances.push(Instance { resource, address, deposed, range });
        }
        self.providers.push(header.provider);
        Ok(())
    }

    /// Sorts the instances, and adds them to their modules.
    fn lay_out(&mut self, budget: &mut Budget) -> Result<()> {
        let sort_key = |instance: &Instance| {
            let mut key = Vec::new();
            if let Some(address) = ResourceAddress::parse(&instance.address) {
                address.write_sort_key(&mut key);
            }
            key.extend_from_slice(instance.deposed.as_bytes());
            key
        };
        self.instances.sort_by_cached_key(sort_key);
        for pair in self.instances.windows(2) {
            if sort_key(&pair[0]) == sort_key(&pair[1]) {
                return Err(state_fault(pair[1].range.start));
            }
        }
        for (number, instance) in (0..).zip(&self.instances) {
            if let Some(address) = ResourceAddress::parse(&instance.address) {
                let module = self.tree.module(address.module, budget, instance.range.start)?;
                self.tree.push(module, number);
            }
        }
        self.tree.sort(Children::Sorted);
        self.pieces = self.tree.pieces(0..self.outputs.len() as u32);
        Ok(())
    }

    /// Returns the byte ranges of the outputs and the instances.
    pub(super) fn ranges(&self) -> impl Iterator<Item = &Range<u64>> {
        let outputs = self.outputs.iter().map(|output| &output.range);
        outputs.chain(self.instances.iter().map(|instance| &instance.range))
    }

    /// Returns the address and the deposed key of an instance.
    pub(super) fn instance(&self, number: u32) -> (&str, &str) {
        let instance = &self.instances[number as usize];
        (&instance.address, &instance.deposed)
    }

    /// Appends the JSON text before the pieces.
    pub(super) fn write_head(&self, out: &mut Vec<u8>) {
        if !self.terraform_version.is_empty() {
            push_text(out, "terraform_version", &self.terraform_version);
        }
        push(out, ",\"values\":{");
    }

    /// Appends a piece. `marks` are the paths that the plan's changes mark in the resource.
    pub(super) fn write_piece(
        &self,
        piece: Piece,
        marks: &Paths<'_>,
        schemas: &Schemas,
        tool: Tool,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match piece {
            Piece::Fixed(fixed) => push(out, fixed.text()),
            Piece::Address(module) => write_string(self.tree.address(module).as_bytes(), out),
            Piece::Output(number) => self.write_output(number, out)?,
            Piece::Item(number) => self.write_instance(number, marks, schemas, tool, out)?,
        }
        Ok(())
    }

    /// Appends an output, as a member whose key is the output's name.
    fn write_output(&self, number: u32, out: &mut Vec<u8>) -> Result<()> {
        let output = &self.outputs[number as usize];
        write_string(output.name.as_bytes(), out);
        self.with(&output.range, |value| {
            let known = &["sensitive", "deprecated", "value", "type"];
            let [is_sensitive, rest @ ..] = keys::members(value, known)?;
            let is_sensitive = keys::is_true(is_sensitive)?;
            push(out, if is_sensitive { ":{\"sensitive\":true" } else { ":{\"sensitive\":false" });
            for (key, inner) in known[1..].iter().zip(rest) {
                if let Some(inner) = inner {
                    push_key(out, key);
                    attributes::write_plain(inner, &self.limits, out)?;
                }
            }
            out.push(b'}');
            Ok(())
        })
    }

    /// Appends a resource.
    fn write_instance(
        &self,
        number: u32,
        marks: &Paths<'_>,
        schemas: &Schemas,
        tool: Tool,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let instance = &self.instances[number as usize];
        let offset = instance.range.start;
        let address = resource_address(&instance.address, offset)?;
        push(out, "{\"address\":");
        write_string(instance.address.as_bytes(), out);
        write_parts(&address, out);
        let provider = &self.providers[instance.resource as usize];
        push_text(out, "provider_name", provider_name(provider));
        self.with(&instance.range, |value| {
            let object = keys::members(value, INSTANCE)?;
            let [version, attributes, flat, sensitive, dependencies, status, ..] = object;
            push_key(out, "schema_version");
            match version.filter(|version| !version.is_null()) {
                Some(version) if version.kind()? == Kind::Number => {
                    out.extend_from_slice(version.raw());
                }
                Some(version) => return Err(version.wrong_type("a number")),
                None => push(out, "0"),
            }
            // `attributes_flat`, the form of versions before 0.12, cannot be converted without a
            // schema.
            let is_flat = flat.is_some_and(|flat| !flat.is_null()) && self.from == From::StateFile;
            if attributes.is_none() && !is_flat {
                return Err(state_fault(offset));
            }
            let attributes = attributes.filter(|attributes| !attributes.is_null());
            if let Some(attributes) = attributes {
                push_key(out, "values");
                attributes::write(attributes, &self.limits, out)?;
            }
            let mut paths = match sensitive.filter(|paths| !paths.is_null()) {
                Some(paths) => attributes::paths(paths, &self.limits)?,
                None => Paths::default(),
            };
            if let Some(schema) = schemas.find(provider_name(provider), &address)
                && let Some(attributes) = attributes
            {
                schema.mark_json(attributes, &mut paths, &self.limits, offset)?;
            }
            push_key(out, "sensitive_values");
            match attributes {
                Some(attributes) => {
                    let mut walk = attributes::Json::new(attributes);
                    let marks = Marks { own: paths, other: marks.clone(), ..Marks::default() };
                    walk::write(&mut walk, &mut MarkWriter::new(&marks, out), &self.limits)?;
                }
                None => push(out, "false"),
            }
            if let Some(list) = dependencies.filter(|list| !list.is_empty() && !list.is_null()) {
                push_key(out, "depends_on");
                attributes::write_plain(list, &self.limits, out)?;
            }
            if keys::text(status)? == "tainted" {
                push(out, ",\"tainted\":true");
            }
            self.write_identity(object, &instance.deposed, tool, out)
        })
    }

    /// Appends the deposed key, the identity and the closing bracket of a resource. The order of
    /// the identity and its schema version depends on the tool.
    fn write_identity(
        &self,
        [.., identity, version]: [Option<Value<'_>>; INSTANCE.len()],
        deposed: &str,
        tool: Tool,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if !deposed.is_empty() {
            push_text(out, "deposed_key", deposed);
        }
        let identity = identity.filter(|identity| !identity.is_null());
        // Terraform leaves out the identity's schema version for deposed objects.
        let has_version = identity.is_some() && (tool == Tool::OpenTofu || deposed.is_empty());
        let version = version.filter(|_| has_version);
        let mut parts = [("identity_schema_version", version), ("identity", identity)];
        if tool == Tool::OpenTofu {
            parts.reverse();
        }
        for (key, part) in parts {
            if let Some(part) = part {
                push_key(out, key);
                attributes::write_plain(part, &self.limits, out)?;
            }
        }
        out.push(b'}');
        Ok(())
    }

    pub(super) fn write_check(&self, number: usize, out: &mut Vec<u8>) -> Result<()> {
        let Some((_, range)) = self.checks.get(number) else { return Ok(()) };
        self.with(range, |value| {
            let read = check::Check::of_state(value, range.start)?;
            read.write(out)
        })
    }

    pub(super) fn check_unchanged(&self) -> Result<()> {
        self.member.check()
    }

    fn with(&self, range: &Range<u64>, read: impl FnOnce(Value<'_>) -> Result<()>) -> Result<()> {
        let mut bytes = Vec::new();
        self.member.copy(range.clone(), &mut bytes)?;
        let (text, isa) = (Slice(&bytes), Isa::default());
        with_value(&mut Cursor::new(text, 0, isa, Validation::Grammar, self.limits), read)
    }
}

impl Header {
    fn find_instances(&mut self, text: &mut Text, budget: &mut Budget) -> Result<()> {
        let mut outline = Outline::default();
        text.enter_array()?;
        while text.next_element()? {
            text.outline(&mut outline)?;
            let value = text.value(&mut outline);
            let offset = value.offset();
            let [key, deposed] = keys::members(value, &["index_key", "deposed"])?;
            let key = match key {
                None => String::new(),
                Some(key) if key.is_null() => String::new(),
                Some(key) if key.kind()? == Kind::Number => {
                    let digits = std::str::from_utf8(key.raw());
                    format!("[{}]", digits.map_err(|_| state_fault(offset))?)
                }
                Some(key) => format!("[\"{}\"]", escape_key(&key.text()?)),
            };
            let deposed = keys::text(deposed)?;
            // Memory for sort keys, and for the pieces of JSON around the instance.
            budget.take(3 * (key.len() + deposed.len()) + 4 * size_of::<Instance>(), offset)?;
            self.instances.push((key, deposed, value.range()));
        }
        Ok(())
    }
}

const INSTANCE: &[&str; 8] = &[
    "schema_version",
    "attributes",
    "attributes_flat",
    "sensitive_attributes",
    "dependencies",
    "status",
    "identity",
    "identity_schema_version",
];

fn string(text: &mut Text) -> Result<String> {
    with_value(text, |value| value.text())
}

fn with_value<S: Source, T>(
    text: &mut Cursor<S>,
    read: impl FnOnce(Value<'_>) -> Result<T>,
) -> Result<T> {
    let mut outline = Outline::default();
    text.outline(&mut outline)?;
    read(text.value(&mut outline))
}

/// Skips the value at the cursor, and returns its range.
fn skip(text: &mut Text) -> Result<Range<u64>> {
    text.peek()?;
    let start = text.offset();
    text.skip()?;
    Ok(start..text.offset())
}
