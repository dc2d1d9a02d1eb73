//! Writes invocations of actions as JSON.

use super::change::{provider_name, push, push_key, push_text};
use super::overlay::{MarkWriter, Marks};
use super::packed::ValueWriter;
use super::path::dynamic_value;
use super::protobuf::{Field, Message, resource_address};
use super::tool::Release;
use super::walk::{TextWriter, check_len};
use plansift_core::error::Result;
use plansift_core::limits::Limits;
use plansift_core::path::split_module;
use plansift_cty::json_string::write_string;
use plansift_cty::msgpack::Value;

#[derive(Debug)]
pub(super) struct Invocation<'a> {
    address: &'a str,
    provider: &'a str,
    config: Option<Value<'a>>,
    marks: Marks<'a>,
    trigger: Trigger<'a>,
    offset: u64,
}

#[derive(Debug, Default)]
enum Trigger<'a> {
    #[default]
    None,
    /// A change of a resource.
    Lifecycle { resource: &'a str, event: u64, block: u64, list: u64, on_failure: u64 },
    /// The user invokes the action.
    Invoke,
}

impl<'a> Invocation<'a> {
    /// Reads a record of `action_invocations`.
    pub(super) fn read(message: Message<'a>, limits: &Limits) -> Result<Invocation<'a>> {
        let (mut address, mut provider, mut config, mut trigger) = (None, None, None, None);
        let mut marks = Marks::default();
        for field in message.fields() {
            let field = field?;
            match field.number {
                1 => field.once(&mut address, field.text()?)?,
                2 => field.once(&mut provider, field.text()?)?,
                4 => field.once(&mut config, dynamic_value(field.message()?)?)?,
                5 => marks.own.read(field.message()?, limits)?,
                6 => field.once(&mut trigger, lifecycle(&field)?)?,
                7 => field.once(&mut trigger, Trigger::Invoke)?,
                _ => {}
            }
        }
        let (address, provider) = (address.unwrap_or_default(), provider.unwrap_or_default());
        let (trigger, offset) = (trigger.unwrap_or_default(), message.offset);
        Ok(Invocation { address, provider, config, marks, trigger, offset })
    }

    pub(super) fn write(
        &self,
        release: Release,
        values: ValueWriter<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let offset = self.offset;
        let address = split_module(self.address).and_then(|(_, rest)| rest.strip_prefix("action."));
        let address = resource_address(address.unwrap_or_default(), offset)?;
        push(out, "{\"address\":");
        write_string(self.address.as_bytes(), out);
        push_text(out, "type", address.type_name);
        push_text(out, "name", address.name);
        if let Some(config) = &self.config {
            let (mut sensitive, mut unknown) = (Vec::new(), Vec::new());
            let is_known = !config.is_unknown();
            if is_known {
                push_key(out, "config_values");
            }
            let limits = values.limits;
            let mut forms = (
                is_known.then(|| TextWriter::known(limits, out)),
                (
                    MarkWriter::new(&self.marks, &mut sensitive),
                    TextWriter::unknown(limits, &mut unknown),
                ),
            );
            values.write(config, None, offset, &mut forms)?;
            push_key(out, "config_sensitive");
            out.append(&mut sensitive);
            push_key(out, "config_unknown");
            out.append(&mut unknown);
            check_len(out.len(), limits, offset)?;
        }
        push_text(out, "provider_name", provider_name(self.provider));
        self.write_trigger(release, out);
        out.push(b'}');
        Ok(())
    }

    fn write_trigger(&self, release: Release, out: &mut Vec<u8>) {
        match self.trigger {
            Trigger::None => {}
            Trigger::Invoke => push(out, ",\"invoke_action_trigger\":{}"),
            Trigger::Lifecycle { resource, event, block, list, on_failure } => {
                push(out, ",\"lifecycle_action_trigger\":{\"triggering_resource_address\":");
                write_string(resource.as_bytes(), out);
                push_text(out, "action_trigger_event", event_word(event));
                push_key(out, "action_trigger_block_index");
                push(out, &block.to_string());
                push_key(out, "actions_list_index");
                push(out, &list.to_string());
                if release.has_on_failure() {
                    push_text(out, "on_failure", on_failure_word(on_failure));
                }
                out.push(b'}');
            }
        }
    }
}

fn lifecycle<'a>(field: &Field<'a>) -> Result<Trigger<'a>> {
    let (mut resource, mut numbers) = (None, [None; 4]);
    for field in field.message()?.fields() {
        let field = field?;
        match field.number {
            1 => field.once(&mut resource, field.text()?)?,
            2..=5 => field.once(&mut numbers[field.number as usize - 2], field.varint()?)?,
            _ => {}
        }
    }
    let [event, block, list, on_failure] = numbers.map(Option::unwrap_or_default);
    let resource = resource.unwrap_or_default();
    Ok(Trigger::Lifecycle { resource, event, block, list, on_failure })
}

fn event_word(event: u64) -> &'static str {
    match event {
        1 => "BeforeCreate",
        2 => "AfterCreate",
        3 => "BeforeUpdate",
        4 => "AfterUpdate",
        5 => "BeforeDestroy",
        6 => "AfterDestroy",
        7 => "Invoke",
        _ => "Unknown",
    }
}

fn on_failure_word(on_failure: u64) -> &'static str {
    match on_failure {
        2 => "ActionOnFailureTaint",
        3 => "ActionOnFailureContinue",
        _ => "ActionOnFailureHalt",
    }
}
