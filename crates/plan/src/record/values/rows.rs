//! Turns the elements of a document into rows.

use std::borrow::Cow;

use super::{MaskValues, ValuesOptions};
use crate::diff::marked_places;
use crate::plan::{self, Piece};
use crate::record::texts::{decoded, index};
use crate::record::{JsonText, Output, Resource, ResourceName};
use plansift_core::error::Result;
use plansift_core::json::compact::push_plain;
use plansift_core::json::string::quoted;
use plansift_core::json::value::Value;
use plansift_core::limits::Limits;
use plansift_core::path::{Paths, module_address};

/// Returns a value as compact JSON, without masks. The value must not be secret. Returns `None` if
/// the value is absent or `null`.
pub(super) fn plain(value: Option<Value<'_>>) -> Result<Option<JsonText<'static>>> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let mut json = String::new();
    push_plain(value, &mut json)?;
    Ok(Some(JsonText::new(json)))
}

/// Creates the row of a resource. The row has no values without `masked`.
pub(super) fn resource<'o>(
    section: &'static str,
    instance: &plan::ResourceInstance<'_>,
    piece: &Piece<'_>,
    options: &'o ValuesOptions,
    masked: Option<&mut (dyn MaskValues + '_)>,
) -> Result<Resource<'o>> {
    let address = instance.address.decode()?;
    let module = module_address(&address);
    let module_address = (!module.is_empty()).then(|| module.to_owned().into());
    let within = |key: &'static str| move |error: plansift_core::error::Error| error.within(key);
    Ok(Resource {
        section,
        resource: ResourceName {
            previous_address: None,
            module_address,
            address: Some(address.into()),
            mode: decoded(instance.resource.mode)?,
            type_name: decoded(instance.resource.type_name)?,
            name: decoded(instance.resource.name)?,
            index: index(instance.resource.index)?,
            deposed: decoded(instance.resource.deposed)?,
            provider_name: decoded(instance.resource.provider_name)?,
        },
        schema_version: plain(instance.schema_version).map_err(within("schema_version"))?,
        tainted: instance.tainted,
        depends_on: texts(instance.depends_on).map_err(within("depends_on"))?,
        sensitive: sensitive(instance.sensitive_values, &options.read.limits)
            .map_err(within("sensitive_values"))?,
        identity: instance.identity.is_some(),
        values: selected(instance.values, piece, options, masked).map_err(within("values"))?,
    })
}

/// Returns the paths that a sensitivity overlay marks.
pub(super) fn sensitive(overlay: Option<Value<'_>>, limits: &Limits) -> Result<Paths> {
    overlay.map_or_else(|| Ok(Paths::new()), |overlay| marked_places(overlay, limits))
}

fn texts(array: Option<Value<'_>>) -> Result<Vec<Cow<'static, str>>> {
    let elements = array.map(Value::elements).transpose()?;
    elements.into_iter().flatten().map(|text| Ok(text?.text()?.into())).collect()
}

fn selected<'o>(
    values: Option<Value<'_>>,
    piece: &Piece<'_>,
    options: &'o ValuesOptions,
    masked: Option<&mut (dyn MaskValues + '_)>,
) -> Result<Vec<(&'o str, Option<JsonText<'static>>)>> {
    let Some(masked) = masked.filter(|_| !options.select.is_empty()) else {
        return Ok(Vec::new());
    };
    masked.begin(piece)?;
    let mut selected = Vec::new();
    for (text, path) in options.select.iter() {
        let mut json = String::new();
        let is_there = match values {
            Some(values) => masked.push_at(values, path, &mut json)?,
            None => false,
        };
        selected.push((text, is_there.then(|| JsonText::new(json))));
    }
    Ok(selected)
}

/// Creates the row of an output. The row has no value without `masked`.
pub(super) fn output<'p>(
    section: &'static str,
    piece: &Piece<'p>,
    masked: Option<&mut (dyn MaskValues + '_)>,
) -> Result<Output<'p>> {
    let output = plan::OutputValue::parse(piece.value)?;
    // An object type lists the attribute names. In a sensitive value, these names are secret, too.
    let is_told = |kind: &Value<'_>| !(output.sensitive && kind.raw().contains(&b'{'));
    let type_name = output.type_name.filter(is_told);
    Ok(Output {
        section,
        name: piece.name.unwrap_or_default().into(),
        type_name: plain(type_name).map_err(|error| error.within("type"))?,
        sensitive: output.sensitive,
        unknown: section == "planned_values" && output.value.is_none(),
        deprecated: decoded(output.deprecated)?,
        value: value(output.value, piece, masked).map_err(|error| error.within("value"))?,
    })
}

/// Returns a value as compact JSON, with secrets masked. Returns `None` without `value` or
/// `masked`.
pub(super) fn value(
    value: Option<Value<'_>>,
    piece: &Piece<'_>,
    masked: Option<&mut (dyn MaskValues + '_)>,
) -> Result<Option<JsonText<'static>>> {
    let (Some(value), Some(masked)) = (value, masked) else { return Ok(None) };
    if masked.begin(piece)? {
        return Ok(Some(JsonText::new(quoted(crate::marks::MASK))));
    }
    let mut json = String::new();
    masked.push(value, &mut json)?;
    Ok(Some(JsonText::new(json)))
}
