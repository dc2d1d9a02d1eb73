//! A state in its native JSON form, as values: the member `tfstate` of a plan file, as
//! `prior_state`, or a state file.
//!
//! One pass finds each instance and its address; an instance is read when it is its turn.

use std::mem::size_of;
use std::ops::Range;
use std::sync::Arc;

use super::action::Action;
use super::address::{Address, escape};
use super::attributes;
use super::change::{provider_name, push, push_key, push_text, write_parts};
use super::check;
use super::index::{Budget, Named};
use super::member::{Member, Reader};
use super::overlay;
use super::path::Paths;
use super::protobuf::fault;
use super::schemas::Schemas;
use super::tool::Tool;
use super::tree::{Children, Piece, Tree};
use crate::error::{Error, ErrorKind, PlanFileFault, Result, WrongDocument};
use crate::input::{Input, Options, Slice, Threads};
use crate::json::Validation;
use crate::json::cursor::Cursor;
use crate::json::outline::Outline;
use crate::json::value::{Kind, Value};
use crate::limits::Limits;
use crate::scan::Isa;
use crate::wire::json_string::write_string;

/// A state, and where everything in it stands.
#[derive(Debug)]
pub(super) struct State {
    member: Arc<Member>,
    limits: Limits,
    pub terraform_version: String,
    outputs: Vec<Named>,
    resources: Vec<Resource>,
    instances: Vec<Instance>,
    pub tree: Tree,
    pub pieces: Vec<Piece>,
    from: From,
    /// The addresses and places of the results of checks, ordered by address. Empty for a member.
    pub checks: Vec<(String, Range<u64>)>,
}

/// Where a state comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// A member of a plan file.
    PlanFile,
    /// A state file.
    StateFile,
}

/// What the instances of a resource share.
#[derive(Debug)]
struct Resource {
    provider: String,
}

/// An instance, or a deposed object of one.
#[derive(Debug)]
struct Instance {
    resource: u32,
    address: String,
    deposed: String,
    range: Range<u64>,
}

/// The parts of a resource that were read before its instances are complete.
#[derive(Default)]
struct Header {
    module: String,
    mode: String,
    kind: String,
    name: String,
    provider: String,
    /// The index key as it stands in an address, the deposed key, and the place.
    instances: Vec<(String, String, Range<u64>)>,
}

type Text = Cursor<Input>;

fn state_fault(offset: u64) -> crate::error::Error {
    fault(PlanFileFault::State, offset)
}

impl State {
    /// Finds everything in a state.
    pub(super) fn read(member: Member, from: From, limits: &Limits) -> Result<State> {
        let member = Arc::new(member);
        let options = Options { limits: *limits, threads: Threads::One, ..Options::default() };
        let input = Input::from_reader(Box::new(Reader::new(member.clone())), &options)?;
        let mut text = Cursor::new(input, 0, Isa::default(), Validation::Grammar, *limits);
        let mut state = State {
            member,
            limits: *limits,
            terraform_version: String::new(),
            outputs: Vec::new(),
            resources: Vec::new(),
            instances: Vec::new(),
            tree: Tree::new(),
            pieces: Vec::new(),
            from,
            checks: Vec::new(),
        };
        state.document(&mut text)?;
        state.outputs.sort_by(|a, b| a.name.cmp(&b.name));
        state.checks.sort_by(|a, b| a.0.cmp(&b.0));
        state.lay_out();
        Ok(state)
    }

    /// Whether the state has nothing; JSON then leaves it out.
    pub(super) fn is_empty(&self) -> bool {
        self.outputs.is_empty() && self.instances.is_empty()
    }

    fn document(&mut self, text: &mut Text) -> Result<()> {
        let mut budget = Budget::new(&self.limits);
        let mut met = [false; 5];
        text.enter_object()?;
        while let Some(key) = text.next_key()? {
            let offset = key.start;
            let known = match text.text(key) {
                b"version" => 0,
                b"terraform_version" => 1,
                b"outputs" => 2,
                b"resources" => 3,
                b"check_results" if self.from == From::StateFile => 4,
                b"encrypted_data" if self.from == From::StateFile => {
                    return Err(Error::new(ErrorKind::WrongDocument(WrongDocument::Encrypted)));
                }
                _ => {
                    text.skip()?;
                    continue;
                }
            };
            if std::mem::replace(&mut met[known], true) {
                return Err(state_fault(offset));
            }
            match known {
                0 => with_value(text, |value| self.check_version(value, offset))?,
                1 => self.terraform_version = string(text)?,
                2 => self.find_outputs(text, &mut budget)?,
                3 => self.find_resources(text, &mut budget)?,
                _ => self.find_checks(text, &mut budget)?,
            }
        }
        if !met[0] || !text.at_end()? {
            return Err(state_fault(text.offset()));
        }
        Ok(())
    }

    /// Accepts version 4 alone.
    fn check_version(&self, version: Value<'_>, offset: u64) -> Result<()> {
        let other = |document| Err(Error::new(ErrorKind::WrongDocument(document)));
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
                let address = value.get("config_addr")?.map(Value::text).transpose()?;
                Ok((address.unwrap_or_default(), value.range()))
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
            let name = crate::json::string::decode(text.text(key));
            let name = name.map_err(|_| state_fault(offset))?.into_owned();
            budget.take(name.len() + size_of::<Named>(), offset)?;
            let range = skip(text)?;
            self.outputs.push(Named { name, range, action: Action::NoOp });
        }
        Ok(())
    }

    fn find_resources(&mut self, text: &mut Text, budget: &mut Budget) -> Result<()> {
        text.enter_array()?;
        while text.next_element()? {
            let offset = text.offset();
            let mut header = Header::default();
            text.enter_object()?;
            while let Some(key) = text.next_key()? {
                match text.text(key) {
                    b"module" => header.module = string(text)?,
                    b"mode" => header.mode = string(text)?,
                    b"type" => header.kind = string(text)?,
                    b"name" => header.name = string(text)?,
                    b"provider" => header.provider = string(text)?,
                    b"instances" => header.find_instances(text, budget)?,
                    _ => text.skip()?,
                }
            }
            self.push(header, offset)?;
        }
        Ok(())
    }

    fn push(&mut self, header: Header, offset: u64) -> Result<()> {
        let mode = match header.mode.as_str() {
            "managed" => "",
            "data" => "data.",
            "ephemeral" => "ephemeral.",
            _ => return Err(state_fault(offset)),
        };
        let dot = if header.module.is_empty() { "" } else { "." };
        let base = format!("{}{dot}{mode}{}.{}", header.module, header.kind, header.name);
        let resource = u32::try_from(self.resources.len()).unwrap_or(u32::MAX);
        for (key, deposed, range) in header.instances {
            let address = format!("{base}{key}");
            Address::read(&address).map_err(|error| fault(error, range.start))?;
            self.instances.push(Instance { resource, address, deposed, range });
        }
        self.resources.push(Resource { provider: header.provider });
        Ok(())
    }

    /// Puts the instances in order, and in their modules.
    fn lay_out(&mut self) {
        let sort_key = |instance: &Instance| {
            let mut key = Vec::new();
            if let Ok(address) = Address::read(&instance.address) {
                address.write_sort_key(&mut key);
            }
            key.extend_from_slice(instance.deposed.as_bytes());
            key
        };
        self.instances.sort_by_cached_key(sort_key);
        for (number, instance) in (0..).zip(&self.instances) {
            if let Ok(address) = Address::read(&instance.address) {
                let module = self.tree.module(address.module);
                self.tree.push(module, number);
            }
        }
        self.tree.sort(Children::Sorted);
        for number in 0..self.outputs.len() {
            let head = if number == 0 { "\"outputs\":{" } else { "," };
            self.pieces.push(Piece::Text(head));
            self.pieces.push(Piece::Output(number as u32));
        }
        let close = if self.outputs.is_empty() { "" } else { "}," };
        self.pieces.push(Piece::Text(close));
        self.pieces.push(Piece::Text("\"root_module\":"));
        self.tree.write(&mut self.pieces);
    }

    /// The address and the deposed key of an instance.
    pub(super) fn instance(&self, number: u32) -> (&str, &str) {
        let instance = &self.instances[number as usize];
        (&instance.address, &instance.deposed)
    }

    /// Appends a member with an output.
    pub(super) fn write_output(&self, number: u32, out: &mut Vec<u8>) -> Result<()> {
        let output = &self.outputs[number as usize];
        write_string(output.name.as_bytes(), out);
        self.with(&output.range, |value| {
            let is_sensitive = value.get("sensitive")?.is_some_and(Value::is_true);
            push(out, if is_sensitive { ":{\"sensitive\":true" } else { ":{\"sensitive\":false" });
            for key in ["deprecated", "value", "type"] {
                if let Some(inner) = value.get(key)? {
                    push_key(out, key);
                    attributes::write_plain(inner, out)?;
                }
            }
            out.push(b'}');
            Ok(())
        })
    }

    /// Appends a resource. `marks` are paths that are marked elsewhere in the plan.
    pub(super) fn write_instance(
        &self,
        number: u32,
        marks: &Paths<'_>,
        schemas: &Schemas,
        tool: Tool,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let instance = &self.instances[number as usize];
        let offset = instance.range.start;
        let address = Address::read(&instance.address).map_err(|error| fault(error, offset))?;
        push(out, "{\"address\":");
        write_string(instance.address.as_bytes(), out);
        write_parts(&address, out);
        let provider = &self.resources[instance.resource as usize].provider;
        push_text(out, "provider_name", provider_name(provider));
        self.with(&instance.range, |value| {
            push_key(out, "schema_version");
            match value.get("schema_version")? {
                Some(version) if version.kind()? == Kind::Number => {
                    out.extend_from_slice(version.raw());
                }
                _ => push(out, "0"),
            }
            let attributes = match (value.get("attributes")?, value.get("attributes_flat")?) {
                (Some(attributes), _) => Some(attributes),
                // The text form of versions before 0.12 has no JSON without a schema.
                (None, Some(_)) if self.from == From::StateFile => None,
                (None, _) => return Err(state_fault(offset)),
            };
            let attributes = attributes.filter(|attributes| !attributes.is_null());
            if let Some(attributes) = attributes {
                push_key(out, "values");
                attributes::write(attributes, out)?;
            }
            let mut sensitive = match value.get("sensitive_attributes")? {
                Some(paths) => attributes::paths(paths, &self.limits)?,
                None => Paths::default(),
            };
            sensitive.extend_owned(marks);
            if let Some(schema) = schemas.find(provider_name(provider), &address) {
                let text = attributes.map_or(&b"null"[..], Value::raw);
                schema.mark_json(text, &mut sensitive, &self.limits, offset)?;
            }
            push_key(out, "sensitive_values");
            match attributes {
                Some(attributes) => {
                    overlay::write(&mut attributes::Json::new(attributes), &sensitive, out)?;
                }
                None => push(out, "false"),
            }
            write_rest(value, out)?;
            if !instance.deposed.is_empty() {
                push_text(out, "deposed_key", &instance.deposed);
            }
            let is_deposed = !instance.deposed.is_empty();
            write_identity(value, tool, is_deposed, out)?;
            out.push(b'}');
            Ok(())
        })
    }

    /// Appends the result of a check.
    pub(super) fn write_check(&self, number: usize, out: &mut Vec<u8>) -> Result<()> {
        let Some((_, range)) = self.checks.get(number) else { return Ok(()) };
        self.with(range, |value| {
            let read = check::Check::of_state(value, range.start)?;
            read.write(out)
        })
    }

    /// Checks that the file of the state is unchanged.
    pub(super) fn check_unchanged(&self) -> Result<()> {
        self.member.check()
    }

    /// Reads a value of the state.
    fn with(&self, range: &Range<u64>, read: impl FnOnce(Value<'_>) -> Result<()>) -> Result<()> {
        let mut bytes = Vec::new();
        self.member.copy(range.clone(), &mut bytes)?;
        let slice = Slice(&bytes);
        let mut text = Cursor::new(slice, 0, Isa::default(), Validation::Grammar, self.limits);
        let mut outline = Outline::default();
        text.outline(&mut outline)?;
        read(text.value(&mut outline))
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
            let key = match value.get("index_key")? {
                None => String::new(),
                Some(key) if key.is_null() => String::new(),
                Some(key) if key.kind()? == Kind::Number => {
                    let digits = std::str::from_utf8(key.raw());
                    format!("[{}]", digits.map_err(|_| state_fault(offset))?)
                }
                Some(key) => format!("[\"{}\"]", escape(&key.text()?)),
            };
            let deposed = match value.get("deposed")? {
                Some(key) => key.text()?,
                None => String::new(),
            };
            let base = self.module.len() + self.kind.len() + self.name.len() + self.provider.len();
            // An address, what sorts by it, and the pieces of the JSON around it.
            budget.take(3 * (base + key.len()) + 4 * size_of::<Instance>(), offset)?;
            self.instances.push((key, deposed, value.range()));
        }
        Ok(())
    }
}

/// Appends what follows the values of a resource.
fn write_rest(value: Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    let dependencies =
        value.get("dependencies")?.filter(|list| !list.is_empty() && !list.is_null());
    if let Some(dependencies) = dependencies {
        push_key(out, "depends_on");
        attributes::write_plain(dependencies, out)?;
    }
    if value.get("status")?.is_some_and(|status| status.raw() == b"\"tainted\"") {
        push(out, ",\"tainted\":true");
    }
    Ok(())
}

/// Appends the identity of a resource, in the order of the tool.
fn write_identity(value: Value<'_>, tool: Tool, is_deposed: bool, out: &mut Vec<u8>) -> Result<()> {
    let identity = value.get("identity")?.filter(|identity| !identity.is_null());
    // Terraform leaves out the version for deposed objects.
    let has_version = identity.is_some() && (tool == Tool::OpenTofu || !is_deposed);
    let version = value.get("identity_schema_version")?.filter(|_| has_version);
    let mut parts = [("identity_schema_version", version), ("identity", identity)];
    if tool == Tool::OpenTofu {
        parts.reverse();
    }
    for (key, part) in parts {
        if let Some(part) = part {
            push_key(out, key);
            attributes::write_plain(part, out)?;
        }
    }
    Ok(())
}

/// Reads the string at the cursor.
fn string(text: &mut Text) -> Result<String> {
    with_value(text, |value| value.text())
}

/// Reads the value at the cursor.
fn with_value<T>(text: &mut Text, read: impl FnOnce(Value<'_>) -> Result<T>) -> Result<T> {
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
