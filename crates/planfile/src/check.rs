//! Writes check results as JSON.

use std::borrow::Cow;

use super::change::{push, push_key, push_text};
use super::fault::PlanFileFault;
use super::keys;
use super::protobuf::{Message, resource_address};
use plansift_core::error::{Error, Result};
use plansift_core::json::value::Value;
use plansift_core::path::{InstanceKey, ResourceAddress, split_module, unescape_key};
use plansift_cty::json_string::write_string;

/// The check result of a configuration object, such as a resource.
#[derive(Debug)]
pub(super) struct Check<'a> {
    kind: u64,
    address: Cow<'a, str>,
    status: u64,
    instances: Vec<Instance<'a>>,
    offset: u64,
}

/// The check result of one instance of a configuration object.
#[derive(Debug)]
struct Instance<'a> {
    address: Cow<'a, str>,
    status: u64,
    problems: Vec<Cow<'a, str>>,
}

/// The number of a resource in [`KINDS`].
const RESOURCE: u64 = 1;

/// The kinds of checked objects: the number in a plan, the word in a state, the word in plan JSON,
/// and the prefix of the address.
const KINDS: [(u64, &str, &str, &str); 4] = [
    (RESOURCE, "resource", "resource", ""),
    (2, "output", "output_value", "output."),
    (3, "check", "check", "check."),
    (4, "var", "var", "var."),
];

fn status(number: u64) -> &'static str {
    match number {
        1 => "pass",
        2 => "fail",
        3 => "error",
        _ => "unknown",
    }
}

fn status_number(word: &str) -> u64 {
    (1..4).find(|number| status(*number) == word).unwrap_or_default()
}

/// Returns the elements of an array. An absent value and `null` have no elements.
fn list(list: Option<Value<'_>>) -> Result<impl Iterator<Item = Result<Value<'_>>>> {
    let list = list.filter(|list| !list.is_null());
    Ok(list.map(Value::elements).transpose()?.into_iter().flatten())
}

impl<'a> Check<'a> {
    /// Reads a record of `checks`.
    pub(super) fn read(message: Message<'a>) -> Result<Check<'a>> {
        let (mut kind, mut address, mut status) = (None, None, None);
        let mut instances = Vec::new();
        for field in message.fields() {
            let field = field?;
            match field.number {
                1 => field.once(&mut kind, field.enumeration()?)?,
                2 => field.once(&mut address, field.text()?)?,
                3 => field.once(&mut status, field.enumeration()?)?,
                4 => instances.push(Instance::read(field.message()?)?),
                _ => {}
            }
        }
        instances.sort_by(|a, b| a.address.cmp(&b.address));
        Ok(Check {
            kind: kind.unwrap_or_default(),
            address: address.unwrap_or_default().into(),
            status: status.unwrap_or_default(),
            instances,
            offset: message.offset,
        })
    }

    /// Reads an element of `check_results` of a state file.
    pub(super) fn of_state(value: Value<'_>, offset: u64) -> Result<Check<'static>> {
        let known = &["object_kind", "config_addr", "status", "objects"];
        let [kind, address, status, objects] = keys::members(value, known)?;
        let kind = keys::text(kind)?;
        let kind = KINDS.iter().find(|(_, word, ..)| *word == kind);
        let kind = kind.ok_or_else(|| Error::at(PlanFileFault::State, offset))?.0;
        let mut instances = Vec::new();
        for object in list(objects)? {
            let known = &["object_addr", "status", "failure_messages"];
            let [address, status, problems] = keys::members(object?, known)?;
            let problems = list(problems)?.map(|problem| Ok(problem?.text()?.into()));
            instances.push(Instance {
                address: keys::text(address)?.into(),
                status: status_number(&keys::text(status)?),
                problems: problems.collect::<Result<_>>()?,
            });
        }
        instances.sort_by(|a, b| a.address.cmp(&b.address));
        let address = keys::text(address)?.into();
        let status = status_number(&keys::text(status)?);
        Ok(Check { kind, address, status, instances, offset })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let address_fault = || Error::at(PlanFileFault::Address, self.offset);
        let kind = KINDS.iter().find(|(number, ..)| *number == self.kind);
        let (kind, _, word, prefix) = *kind.ok_or_else(address_fault)?;
        let (module, rest) = split_module(&self.address).ok_or_else(address_fault)?;
        push(out, "{\"address\":{\"kind\":\"");
        push(out, word);
        push(out, "\"");
        let resource = match kind {
            RESOURCE => Some(resource_address(rest, self.offset)?),
            _ => None,
        };
        if let Some(resource) = &resource {
            push_text(out, "mode", resource.mode.word());
        }
        if !module.is_empty() {
            push_text(out, "module", module);
        }
        let name = match &resource {
            Some(resource) => resource.name,
            None => rest.strip_prefix(prefix).ok_or_else(address_fault)?,
        };
        push_text(out, "name", name);
        push_text(out, "to_display", &self.address);
        if let Some(resource) = &resource {
            push_text(out, "type", resource.type_name);
        }
        push(out, "}");
        push_text(out, "status", status(self.status));
        if !self.instances.is_empty() {
            push(out, ",\"instances\":");
            let mut separator = b'[';
            for instance in &self.instances {
                out.push(std::mem::replace(&mut separator, b','));
                instance.write(kind, out).ok_or_else(address_fault)?;
            }
            out.push(b']');
        }
        out.push(b'}');
        Ok(())
    }
}

impl<'a> Instance<'a> {
    fn read(message: Message<'a>) -> Result<Instance<'a>> {
        let (mut address, mut status) = (None, None);
        let mut problems = Vec::new();
        for field in message.fields() {
            let field = field?;
            match field.number {
                1 => field.once(&mut address, field.text()?)?,
                2 => field.once(&mut status, field.enumeration()?)?,
                3 => problems.push(field.text()?.into()),
                _ => {}
            }
        }
        let (address, status) = (address.unwrap_or_default(), status.unwrap_or_default());
        Ok(Instance { address: address.into(), status, problems })
    }

    fn write(&self, kind: u64, out: &mut Vec<u8>) -> Option<()> {
        let (module, rest) = split_module(&self.address)?;
        push(out, "{\"address\":");
        let start = out.len();
        if kind == RESOURCE {
            match ResourceAddress::parse(rest)?.key {
                InstanceKey::None | InstanceKey::Unknown => {}
                InstanceKey::Number(digits) => {
                    push_key(out, "instance_key");
                    push(out, digits);
                }
                InstanceKey::Text(text) => push_text(out, "instance_key", &unescape_key(text)),
            }
        }
        if !module.is_empty() {
            push_text(out, "module", module);
        }
        push_text(out, "to_display", &self.address);
        out[start] = b'{';
        push(out, "}");
        push_text(out, "status", status(self.status));
        if !self.problems.is_empty() {
            push(out, ",\"problems\":");
            let mut separator = b'[';
            for problem in &self.problems {
                out.push(std::mem::replace(&mut separator, b','));
                push(out, "{\"message\":");
                write_string(problem.as_bytes(), out);
                out.push(b'}');
            }
            out.push(b']');
        }
        out.push(b'}');
        Some(())
    }
}
