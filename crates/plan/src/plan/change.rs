//! The elements of a plan's sections, parsed into their keys (docs/format/plan.md, sections 3, 4,
//! 9). Values stay borrowed from the input.

use super::section::Section;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::json::value::{Kind, Text, Value};

/// A change to a resource instance (docs/format/plan.md, section 3).
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct ResourceChange<'a> {
    /// Absent only in drift of Terraform 1.0.
    pub address: Option<Text<'a>>,
    /// Bytes from the start of the input to the address, or to the element if it has no address.
    pub offset: u64,
    pub previous_address: Option<Text<'a>>,
    pub module_address: Option<Text<'a>>,
    pub resource: ResourceName<'a>,
    /// True while the key of the instance is unknown.
    pub index_unknown: bool,
    pub change: Change<'a>,
    pub action_reason: Option<Text<'a>>,
}

/// The names of a resource, its instance key, and the key of its deposed object.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct ResourceName<'a> {
    pub mode: Option<Text<'a>>,
    pub type_name: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    pub index: Option<Index<'a>>,
    pub provider_name: Option<Text<'a>>,
    pub deposed: Option<Text<'a>>,
}

/// The key of an instance of a resource with `count` or `for_each`.
#[derive(Clone, Copy, Debug)]
pub enum Index<'a> {
    /// A number, from `count`.
    Number(Value<'a>),
    /// A string, from `for_each`.
    String(Text<'a>),
}

/// How a value changes (docs/format/plan.md, section 4). `None` means that the key is absent; a
/// value of `null` is `Some`.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct Change<'a> {
    actions: Value<'a>,
    pub before: Option<Value<'a>>,
    pub after: Option<Value<'a>>,
    pub after_unknown: Option<Value<'a>>,
    pub before_sensitive: Option<Value<'a>>,
    pub after_sensitive: Option<Value<'a>>,
    pub replace_paths: Option<Value<'a>>,
    /// `None` if the key is absent or `null`.
    pub importing: Option<Value<'a>>,
    pub generated_config: Option<Text<'a>>,
    pub before_identity: Option<Value<'a>>,
    pub after_identity: Option<Value<'a>>,
}

/// A change that a later plan will make.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct Deferred<'a> {
    pub reason: Option<Text<'a>>,
    pub resource_change: ResourceChange<'a>,
}

/// An invocation of an action that a later plan will make.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct DeferredAction<'a> {
    pub reason: Option<Text<'a>>,
    pub action_invocation: ActionInvocation<'a>,
}

/// An attribute of a resource that the plan depends on.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct RelevantAttribute<'a> {
    pub resource: Value<'a>,
    pub attribute: Value<'a>,
}

#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct ActionInvocation<'a> {
    pub address: Text<'a>,
    pub type_name: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    pub provider_name: Option<Text<'a>>,
    pub config_values: Option<Value<'a>>,
    pub config_sensitive: Option<Value<'a>>,
    pub config_unknown: Option<Value<'a>>,
    pub lifecycle_action_trigger: Option<Value<'a>>,
    pub invoke_action_trigger: Option<Value<'a>>,
}

/// When Terraform invokes an action (docs/format/plan.md, section 4: `action_trigger_event`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// Before the change that triggers it.
    Before,
    /// After the change that triggers it.
    After,
    /// The plan does not say, or the action has no trigger.
    #[default]
    Unknown,
}

/// A checkable object and the result of its conditions (docs/format/plan.md, section 9).
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct Check<'a> {
    /// `address.to_display`.
    pub address: Text<'a>,
    /// `address.kind`.
    pub kind: Option<Text<'a>>,
    pub status: Text<'a>,
    pub instances: Option<Value<'a>>,
}

/// Returns the values of the named keys of an object, and skips other keys. Fails if the value is
/// not an object, or if it has one of the keys twice.
#[inline(always)]
pub fn members<'a, const N: usize>(
    object: Value<'a>,
    names: [&str; N],
) -> Result<[Option<Value<'a>>; N]> {
    let mut values = [None; N];
    // Terraform and OpenTofu mostly write the keys in the listed order.
    let mut next = 0;
    for member in object.members()? {
        let (key, value) = member?;
        let place = (next..N).chain(0..next).find(|&place| key.is(names[place]));
        if let Some(place) = place {
            fill(&mut values[place], key, value)?;
            next = place + 1;
        }
    }
    Ok(values)
}

/// Like [`members`], but a value that is absent or not an object has no members.
fn known<'a, const N: usize>(
    object: Option<Value<'a>>,
    names: [&str; N],
) -> Result<[Option<Value<'a>>; N]> {
    match object {
        Some(object) if object.kind()? == Kind::Object => members(object, names),
        _ => Ok([None; N]),
    }
}

/// Calls `each` with the elements of an array. A value that is absent or not an array has no
/// elements.
fn each_element<'a>(
    array: Option<Value<'a>>,
    mut each: impl FnMut(Value<'a>) -> Result<()>,
) -> Result<()> {
    match array {
        Some(array) if array.kind()? == Kind::Array => {
            array.elements()?.try_for_each(|element| each(element?))
        }
        _ => Ok(()),
    }
}

#[inline]
fn fill<'a>(slot: &mut Option<Value<'a>>, key: Text<'_>, value: Value<'a>) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::at(ErrorKind::DuplicateKey, key.offset() - 1)),
    }
}

/// Treats `null` as absent.
#[inline]
pub(super) fn present(value: Option<Value<'_>>) -> Option<Value<'_>> {
    value.filter(|value| !value.is_null())
}

#[inline]
pub(super) fn text<'a>(value: Option<Value<'a>>, key: &'static str) -> Result<Option<Text<'a>>> {
    match present(value).map(Value::string) {
        Some(Ok(text)) => Ok(Some(text)),
        Some(Err(error)) => Err(error.within(key)),
        None => Ok(None),
    }
}

/// Like [`text`], but treats an empty text as absent, as programs write it for a key that has no
/// value.
#[inline]
pub(super) fn filled_text<'a>(
    value: Option<Value<'a>>,
    key: &'static str,
) -> Result<Option<Text<'a>>> {
    Ok(text(value, key)?.filter(|text| !text.raw().is_empty()))
}

pub(super) fn required<'a>(
    object: Value<'_>,
    value: Option<Value<'a>>,
    key: &'static str,
) -> Result<Value<'a>> {
    present(value).ok_or_else(|| Error::at(ErrorKind::MissingKey(key), object.offset()))
}

pub(super) fn required_text<'a>(
    object: Value<'_>,
    value: Option<Value<'a>>,
    key: &'static str,
) -> Result<Text<'a>> {
    required(object, value, key)?.string().map_err(|error| error.within(key))
}

pub(super) fn object<'a>(value: Option<Value<'a>>, key: &'static str) -> Result<Option<Value<'a>>> {
    match present(value) {
        Some(other) if other.kind()? != Kind::Object => {
            Err(other.wrong_type("an object").within(key))
        }
        object => Ok(object),
    }
}

impl<'a> ResourceChange<'a> {
    /// Parses an element of a section of changes.
    ///
    /// # Errors
    ///
    /// Fails if the element has no `change` or, outside `resource_drift`, no `address`; if a key
    /// has the wrong type; or if a key occurs twice.
    pub fn parse(section: Section, element: Value<'a>) -> Result<ResourceChange<'a>> {
        let [
            address,
            previous_address,
            module_address,
            mode,
            type_name,
            name,
            index,
            index_unknown,
            provider_name,
            deposed,
            change,
            action_reason,
        ] = members(
            element,
            [
                "address",
                "previous_address",
                "module_address",
                "mode",
                "type",
                "name",
                "index",
                "index_unknown",
                "provider_name",
                "deposed",
                "change",
                "action_reason",
            ],
        )?;
        let change = required(element, change, "change")?;
        let address = match section {
            Section::ResourceDrift => text(address, "address")?,
            _ => Some(required_text(element, address, "address")?),
        };
        Ok(ResourceChange {
            address,
            offset: address.map_or(element.offset(), |address| address.offset()),
            previous_address: filled_text(previous_address, "previous_address")?,
            module_address: filled_text(module_address, "module_address")?,
            resource: ResourceName {
                mode: text(mode, "mode")?,
                type_name: text(type_name, "type")?,
                name: text(name, "name")?,
                index: present(index)
                    .map(Index::parse)
                    .transpose()
                    .map_err(|error| error.within("index"))?,
                provider_name: text(provider_name, "provider_name")?,
                deposed: filled_text(deposed, "deposed")?,
            },
            index_unknown: index_unknown.is_some_and(Value::is_true),
            change: Change::parse(change).map_err(|error| error.within("change"))?,
            action_reason: filled_text(action_reason, "action_reason")?,
        })
    }

    /// The previous address, if it differs from the address.
    pub fn moved_from(&self) -> Option<Text<'a>> {
        moved_from(self.address, self.previous_address)
    }
}

/// Returns the previous address of a resource, if it differs from the address.
pub(crate) fn moved_from<T: PartialEq>(address: Option<T>, previous: Option<T>) -> Option<T> {
    if previous == address { None } else { previous }
}

impl<'a> Index<'a> {
    pub(super) fn parse(value: Value<'a>) -> Result<Index<'a>> {
        match value.kind()? {
            Kind::String => Ok(Index::String(value.string()?)),
            Kind::Number => Ok(Index::Number(value)),
            _ => Err(value.wrong_type("a string or a number")),
        }
    }
}

impl<'a> Change<'a> {
    /// Parses a `change` object.
    ///
    /// # Errors
    ///
    /// Fails if the object has no `actions`, a key of the wrong type, or a key twice.
    pub fn parse(element: Value<'a>) -> Result<Change<'a>> {
        let [
            actions,
            before,
            after,
            after_unknown,
            before_sensitive,
            after_sensitive,
            replace_paths,
            importing,
            generated_config,
            before_identity,
            after_identity,
        ] = members(
            element,
            [
                "actions",
                "before",
                "after",
                "after_unknown",
                "before_sensitive",
                "after_sensitive",
                "replace_paths",
                "importing",
                "generated_config",
                "before_identity",
                "after_identity",
            ],
        )?;
        Ok(Change {
            actions: required(element, actions, "actions")?,
            before,
            after,
            after_unknown,
            before_sensitive,
            after_sensitive,
            replace_paths: present(replace_paths),
            importing: object(importing, "importing")?,
            generated_config: text(generated_config, "generated_config")?,
            before_identity,
            after_identity,
        })
    }

    /// Returns a value as a change that creates it. `place` has the offset of the change.
    pub fn created(
        place: Value<'a>,
        after: Option<Value<'a>>,
        after_sensitive: Option<Value<'a>>,
    ) -> Change<'a> {
        Change {
            actions: place,
            before: None,
            after,
            after_unknown: None,
            before_sensitive: None,
            after_sensitive,
            replace_paths: None,
            importing: None,
            generated_config: None,
            before_identity: None,
            after_identity: None,
        }
    }

    /// Bytes from the start of the input to the value of `actions`.
    pub fn offset(&self) -> u64 {
        self.actions.offset()
    }

    /// The words of `actions`, in document order.
    ///
    /// # Errors
    ///
    /// Fails if `actions` is not an array of strings.
    pub fn actions(&self) -> Result<impl Iterator<Item = Result<Text<'a>>>> {
        let elements = self.actions.elements().map_err(|error| error.within("actions"))?;
        Ok(elements.map(|action| action?.string().map_err(|error| error.within("actions"))))
    }

    /// Whether `actions` contains this word. Fails if `actions` is not an array of strings.
    pub(crate) fn has_action(&self, word: &str) -> Result<bool> {
        self.actions()?.try_fold(false, |has, action| Ok(has | action?.is(word)))
    }
}

impl<'a> Deferred<'a> {
    /// Parses an element of `deferred_changes`.
    ///
    /// # Errors
    ///
    /// Fails if the element has no `resource_change`, or an invalid one.
    pub fn parse(element: Value<'a>) -> Result<Deferred<'a>> {
        let [reason, resource_change] = members(element, ["reason", "resource_change"])?;
        let resource_change = required(element, resource_change, "resource_change")?;
        Ok(Deferred {
            reason: text(reason, "reason")?,
            resource_change: ResourceChange::parse(Section::DeferredChanges, resource_change)
                .map_err(|error| error.within("resource_change"))?,
        })
    }
}

impl<'a> DeferredAction<'a> {
    /// Parses an element of `deferred_action_invocations`.
    ///
    /// # Errors
    ///
    /// Fails if the element has no `action_invocation`, or an invalid one.
    pub fn parse(element: Value<'a>) -> Result<DeferredAction<'a>> {
        let [reason, invocation] = members(element, ["reason", "action_invocation"])?;
        let invocation = required(element, invocation, "action_invocation")?;
        Ok(DeferredAction {
            reason: text(reason, "reason")?,
            action_invocation: ActionInvocation::parse(invocation)
                .map_err(|error| error.within("action_invocation"))?,
        })
    }
}

impl<'a> RelevantAttribute<'a> {
    /// Parses an element of `relevant_attributes`.
    ///
    /// # Errors
    ///
    /// Fails if the element lacks a key or has one twice.
    pub fn parse(element: Value<'a>) -> Result<RelevantAttribute<'a>> {
        let [resource, attribute] = members(element, ["resource", "attribute"])?;
        let missing = |key| Error::at(ErrorKind::MissingKey(key), element.offset());
        Ok(RelevantAttribute {
            resource: resource.ok_or_else(|| missing("resource"))?,
            attribute: attribute.ok_or_else(|| missing("attribute"))?,
        })
    }
}

impl<'a> ActionInvocation<'a> {
    /// Parses an element of `action_invocations`.
    ///
    /// # Errors
    ///
    /// Fails if the element has no `address`, a key of the wrong type, or a key twice.
    pub fn parse(element: Value<'a>) -> Result<ActionInvocation<'a>> {
        let [
            address,
            type_name,
            name,
            provider_name,
            config_values,
            config_sensitive,
            config_unknown,
            lifecycle_action_trigger,
            invoke_action_trigger,
        ] = members(
            element,
            [
                "address",
                "type",
                "name",
                "provider_name",
                "config_values",
                "config_sensitive",
                "config_unknown",
                "lifecycle_action_trigger",
                "invoke_action_trigger",
            ],
        )?;
        Ok(ActionInvocation {
            address: required_text(element, address, "address")?,
            type_name: text(type_name, "type")?,
            name: text(name, "name")?,
            provider_name: text(provider_name, "provider_name")?,
            config_values: present(config_values),
            config_sensitive: present(config_sensitive),
            config_unknown: present(config_unknown),
            lifecycle_action_trigger: object(lifecycle_action_trigger, "lifecycle_action_trigger")?,
            invoke_action_trigger: object(invoke_action_trigger, "invoke_action_trigger")?,
        })
    }

    /// The action's configuration in the form of a change; `None` if it is empty.
    pub fn config(&self) -> Option<Change<'a>> {
        let mut parts = [self.config_values, self.config_unknown].into_iter().flatten();
        let actions = parts.find(|part| !part.is_empty())?;
        let created = Change::created(actions, self.config_values, self.config_sensitive);
        Some(Change { after_unknown: self.config_unknown, ..created })
    }

    /// The address of the resource whose lifecycle triggers the action.
    ///
    /// # Errors
    ///
    /// Fails if the trigger is malformed.
    pub fn triggering_address(&self) -> Result<Option<Text<'a>>> {
        let Some(trigger) = self.lifecycle_action_trigger else { return Ok(None) };
        members(trigger, ["triggering_resource_address"])
            .and_then(|[address]| text(address, "triggering_resource_address"))
            .map_err(|error| error.within("lifecycle_action_trigger"))
    }

    /// Whether the action runs before or after the change that triggers it.
    ///
    /// # Errors
    ///
    /// Fails if the trigger is malformed.
    pub fn timing(&self) -> Result<Timing> {
        let Some(trigger) = self.lifecycle_action_trigger else { return Ok(Timing::Unknown) };
        let [event] = members(trigger, ["action_trigger_event"])
            .map_err(|error| error.within("lifecycle_action_trigger"))?;
        // An unknown event is no error: only the wording of reports depends on it.
        let event = event.and_then(|event| event.string().ok()?.decode().ok());
        Ok(match event.unwrap_or_default() {
            event if event.starts_with("Before") => Timing::Before,
            event if event.starts_with("After") => Timing::After,
            _ => Timing::Unknown,
        })
    }
}

/// The `to_display` and `kind` of a check's address.
fn check_address(object: Value<'_>) -> Result<(Text<'_>, Option<Text<'_>>)> {
    let [to_display, kind] = members(object, ["to_display", "kind"])?;
    Ok((required_text(object, to_display, "to_display")?, text(kind, "kind")?))
}

impl<'a> Check<'a> {
    /// Parses an element of `checks`.
    ///
    /// # Errors
    ///
    /// Fails if the element has no `address.to_display` or no `status`, a key of the wrong type, or
    /// a key twice.
    pub fn parse(element: Value<'a>) -> Result<Check<'a>> {
        let [address, status, instances] = members(element, ["address", "status", "instances"])?;
        let address = required(element, address, "address")?;
        let (to_display, kind) = check_address(address).map_err(|error| error.within("address"))?;
        Ok(Check {
            address: to_display,
            kind,
            status: required_text(element, status, "status")?,
            instances: present(instances),
        })
    }

    /// Fails if an element of `checks` repeats a key that [`Check::parse`] or [`Check::problems`]
    /// reads. JSON readers disagree on which of the two values counts.
    pub fn refuse_duplicates(element: Value<'_>) -> Result<()> {
        let [address, _, instances] = known(Some(element), ["address", "status", "instances"])?;
        known(address, ["to_display", "kind"]).map_err(|error| error.within("address"))?;
        each_element(instances, |instance| {
            let [problems, _, _] = known(Some(instance), ["problems", "status", "address"])?;
            each_element(problems, |problem| known(Some(problem), ["message"]).map(|_| ()))
        })
        .map_err(|error| error.within("instances"))
    }

    /// Calls `each` with the problem messages of all instances, in document order.
    ///
    /// # Errors
    ///
    /// Fails if the instances are malformed or repeat a key.
    pub fn problems(&self, mut each: impl FnMut(Text<'a>)) -> Result<()> {
        let Some(instances) = self.instances else { return Ok(()) };
        for instance in instances.elements()? {
            let Some(instance) = present(Some(instance?)) else { continue };
            let [problems, _, _] = members(instance, ["problems", "status", "address"])?;
            let Some(problems) = present(problems) else { continue };
            for problem in problems.elements()? {
                let Some(problem) = present(Some(problem?)) else { continue };
                let [message] = members(problem, ["message"])?;
                if let Some(message) = present(message) {
                    each(message.string()?);
                }
            }
        }
        Ok(())
    }
}
