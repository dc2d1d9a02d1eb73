//! Writes changes of resources and outputs as JSON.

use std::sync::Arc;

use super::action::reason;
use super::index::IndexedChange;
use super::message::{Change, Importing, OutputChange, ResourceChange};
use super::overlay::{MarkWriter, Marks};
use super::packed::ValueWriter;
use super::path::{Paths, write_path};
use super::protobuf::resource_address;
use super::schemas::{Schema, Schemas};
use super::tool::Tool;
use super::walk::{TextWriter, check_len};
use plansift_core::error::Result;
use plansift_core::path::{InstanceKey, ResourceAddress, unescape_key};
use plansift_cty::json_string::write_string;
use plansift_cty::msgpack::Value;
use plansift_cty::path::Step;
use plansift_cty::types::Type;

pub(super) fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Appends a comma, a key with its colon, and a string value.
pub(super) fn push_text(out: &mut Vec<u8>, key: &str, text: &str) {
    push_key(out, key);
    write_string(text.as_bytes(), out);
}

/// Appends a comma, a key and its colon.
pub(super) fn push_key(out: &mut Vec<u8>, key: &str) {
    push(out, ",\"");
    push(out, key);
    push(out, "\":");
}

/// Returns the provider's name in the address of a provider configuration.
pub(super) fn provider_name(provider: &str) -> &str {
    let start = "provider[\"";
    // Providers of the root module begin so.
    let inside = provider.strip_prefix(start);
    let inside = inside.or_else(|| provider.split_once(start).map(|(_, inside)| inside));
    inside.and_then(|inside| inside.split_once("\"]")).map_or(provider, |(name, _)| name)
}

/// Appends the parts of an address: `mode`, `type`, `name` and `index`.
pub(super) fn write_parts(address: &ResourceAddress<'_>, out: &mut Vec<u8>) {
    push_text(out, "mode", address.mode.word());
    push_text(out, "type", address.type_name);
    push_text(out, "name", address.name);
    write_index(address.key, out);
}

fn write_index(key: InstanceKey<'_>, out: &mut Vec<u8>) {
    match key {
        InstanceKey::None => {}
        InstanceKey::Number(digits) => {
            push_key(out, "index");
            push(out, digits);
        }
        InstanceKey::Text(text) => push_text(out, "index", &unescape_key(text)),
        InstanceKey::Unknown => push(out, ",\"index_unknown\":true"),
    }
}

/// Writes changes of resources.
#[derive(Clone, Copy)]
pub(super) struct Writer<'w> {
    pub schemas: &'w Schemas,
    pub values: ValueWriter<'w>,
    pub tool: Tool,
}

struct SchemaAndMarks<'a> {
    schema: Option<Arc<Schema>>,
    before_marks: Marks<'a>,
    after_marks: Marks<'a>,
}

impl SchemaAndMarks<'_> {
    fn ty(&self) -> Option<&Type> {
        self.schema.as_ref().map(|schema| &schema.ty)
    }
}

impl Writer<'_> {
    /// Finds the schema and the sensitivity marks of a change.
    ///
    /// For the new object of a replacement, Terraform and OpenTofu store only the marks of the
    /// configuration. They store the marks of the provider's schema only for the old object. If a
    /// value does not fit the schema, the schema belongs to another version of the provider and is
    /// ignored.
    fn know<'a>(
        self,
        record: &ResourceChange<'a>,
        entry: &IndexedChange,
        address: &ResourceAddress<'_>,
    ) -> Result<SchemaAndMarks<'a>> {
        let change = &record.change;
        if let Some(schema) = self.schemas.find(provider_name(record.provider), address) {
            let (mut before_marks, mut after_marks) =
                (change.before_marks.clone(), change.after_marks.clone());
            let mark = |value: Option<Value<'_>>, marks: &mut Paths<'a>| match value {
                Some(value) => schema.mark_packed(value.bytes(), marks, self.values, change.offset),
                None => Ok(true),
            };
            let fits = entry.is_unmarked.get()
                || [mark(change.before, &mut before_marks)?, mark(change.after, &mut after_marks)?]
                    == [true; 2];
            if fits {
                let own = change.before_marks.len() + change.after_marks.len();
                entry.is_unmarked.set(before_marks.len() + after_marks.len() == own);
                let (before_marks, after_marks) = (before_marks.into(), after_marks.into());
                return Ok(SchemaAndMarks { schema: Some(schema), before_marks, after_marks });
            }
        }
        let before_marks = change.before_marks.clone().into();
        Ok(SchemaAndMarks { schema: None, before_marks, after_marks: marks_after(change) })
    }

    /// Appends a change of a resource. `has_identities` is false for `resource_drift` of Terraform,
    /// which omits identities.
    pub(super) fn resource_change(
        self,
        record: &ResourceChange<'_>,
        entry: &IndexedChange,
        has_identities: bool,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let offset = record.change.offset;
        let address = resource_address(record.address, offset)?;
        push(out, "{\"address\":");
        write_string(record.address.as_bytes(), out);
        let previous = record.previous_address;
        if !previous.is_empty() && previous != record.address {
            push_text(out, "previous_address", previous);
        }
        if !address.module.is_empty() {
            push_text(out, "module_address", address.module);
        }
        write_parts(&address, out);
        push_text(out, "provider_name", provider_name(record.provider));
        if !record.deposed.is_empty() {
            push_text(out, "deposed", record.deposed);
        }
        push_key(out, "change");
        let known = self.know(record, entry, &address)?;
        write_change(record, &known, has_identities, self.values, out)?;
        let reason = reason(record.reason);
        if !reason.is_empty() {
            push_text(out, "action_reason", &reason);
        }
        out.push(b'}');
        Ok(())
    }

    /// Appends a resource of `planned_values`.
    pub(super) fn planned(
        self,
        record: &ResourceChange<'_>,
        entry: &IndexedChange,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let offset = record.change.offset;
        let address = resource_address(record.address, offset)?;
        push(out, "{\"address\":");
        write_string(record.address.as_bytes(), out);
        write_parts(&address, out);
        push_text(out, "provider_name", provider_name(record.provider));
        let known = self.know(record, entry, &address)?;
        if let Some(schema) = &known.schema {
            push_key(out, "schema_version");
            push(out, &schema.version.to_string());
        }
        let mut sensitive = Vec::new();
        match &record.change.after {
            Some(after) => {
                let has_values = !after.is_null() && !after.is_unknown();
                if has_values {
                    push_key(out, "values");
                }
                let mut forms = (
                    has_values.then(|| TextWriter::known(self.values.limits, out)),
                    MarkWriter::new(&known.after_marks, &mut sensitive),
                );
                self.values.write(after, known.ty(), offset, &mut forms)?;
            }
            None => push(&mut sensitive, "false"),
        }
        push_key(out, "sensitive_values");
        out.append(&mut sensitive);
        if let Some(identity) = record.change.after_identity.filter(|identity| !identity.is_null())
        {
            let version = known.schema.as_ref().and_then(|schema| schema.identity_version);
            self.planned_identity(&identity, version, offset, out)?;
        }
        out.push(b'}');
        Ok(())
    }

    /// Appends an identity and the version of its schema. Their order depends on the tool.
    fn planned_identity(
        self,
        identity: &Value<'_>,
        version: Option<u64>,
        offset: u64,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let write_version = |out: &mut Vec<u8>| {
            if let Some(version) = version {
                push_key(out, "identity_schema_version");
                push(out, &version.to_string());
            }
        };
        if self.tool != Tool::OpenTofu {
            write_version(out);
        }
        push_key(out, "identity");
        self.values.value(identity, None, offset, out)?;
        if self.tool == Tool::OpenTofu {
            write_version(out);
        }
        Ok(())
    }
}

/// The trees that follow both sides of a change. `after_unknown` is empty if the new object is
/// wholly known.
#[derive(Default)]
struct Trees {
    after_unknown: Vec<u8>,
    before_sensitive: Vec<u8>,
    after_sensitive: Vec<u8>,
}

/// Appends the opening bracket of a change, and its `actions`, `before` and `after`. Walks over
/// each side once, so the trees are returned. Without `known`, the trees of marks are left out.
fn write_sides(
    change: &Change<'_>,
    known: Option<&SchemaAndMarks<'_>>,
    values: ValueWriter<'_>,
    out: &mut Vec<u8>,
) -> Result<Trees> {
    let (offset, limits) = (change.offset, values.limits);
    let ty = known.and_then(SchemaAndMarks::ty);
    let mut trees = Trees::default();
    push(out, "{\"actions\":");
    push(out, change.action.json());
    push_key(out, "before");
    match &change.before {
        Some(before) => {
            let tree = &mut trees.before_sensitive;
            let marks = known.map(|known| MarkWriter::new(&known.before_marks, tree));
            values.write(before, ty, offset, &mut (TextWriter::known(limits, out), marks))?;
        }
        None => {
            push(out, "null");
            push(&mut trees.before_sensitive, "false");
        }
    }
    match &change.after {
        Some(after) => {
            // Plan JSON omits `after` if the whole value is unknown.
            let is_known = !after.is_unknown();
            if is_known {
                push_key(out, "after");
            }
            let is_wholly_known = after.is_wholly_known();
            let tree = &mut trees.after_sensitive;
            let mut forms = (
                is_known.then(|| TextWriter::known(limits, out)),
                (
                    (!is_wholly_known)
                        .then(|| TextWriter::unknown(limits, &mut trees.after_unknown)),
                    known.map(|known| MarkWriter::new(&known.after_marks, tree)),
                ),
            );
            values.write(after, ty, offset, &mut forms)?;
        }
        None => {
            push(out, ",\"after\":null");
            push(&mut trees.after_sensitive, "false");
        }
    }
    Ok(trees)
}

fn write_change(
    record: &ResourceChange<'_>,
    known: &SchemaAndMarks<'_>,
    has_identities: bool,
    values: ValueWriter<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let change = &record.change;
    let (offset, limits) = (change.offset, values.limits);
    let Trees { mut after_unknown, before_sensitive, after_sensitive } =
        write_sides(change, Some(known), values, out)?;
    if after_unknown.is_empty() {
        push(&mut after_unknown, "{}");
    }
    for (key, mut tree) in [
        ("after_unknown", after_unknown),
        ("before_sensitive", before_sensitive),
        ("after_sensitive", after_sensitive),
    ] {
        push_key(out, key);
        out.append(&mut tree);
    }
    check_len(out.len(), limits, offset)?;
    if !record.replace_paths.is_empty() {
        push_key(out, "replace_paths");
        let mut separator = b'[';
        for path in record.replace_paths.iter() {
            out.push(std::mem::replace(&mut separator, b','));
            write_path(path, values, offset, out)?;
        }
        out.push(b']');
    }
    if let Some(importing) = &change.importing {
        push_key(out, "importing");
        write_importing(importing, values, offset, out)?;
    }
    if !change.generated_config.is_empty() {
        push_text(out, "generated_config", change.generated_config);
    }
    if has_identities {
        for (key, identity) in [
            ("before_identity", &change.before_identity),
            ("after_identity", &change.after_identity),
        ] {
            if let Some(identity) = identity {
                push_key(out, key);
                values.value(identity, None, offset, out)?;
            }
        }
    }
    out.push(b'}');
    Ok(())
}

/// Returns all paths that a change marks in the old or the new object.
pub(super) fn all_marks<'a>(change: &Change<'a>) -> Paths<'a> {
    let mut marks = change.after_marks.clone();
    change.before_marks.iter().for_each(|path| marks.add(path.iter().cloned()));
    marks
}

/// Returns the marks of the new object, for a change without a schema.
///
/// In an update, the plan stores all marks of both objects, so a mark of the old object that the
/// new one lacks is a mark that the change removes.
///
/// In a replacement, the lists and maps of the new object may have other elements than those of the
/// old object. So a marked attribute in one element of the old object marks that attribute in every
/// element of the new object. A path that ends at an element is copied unchanged: it comes from the
/// configuration, and the plan also stores the configuration's marks of the new object.
fn marks_after<'a>(change: &Change<'a>) -> Marks<'a> {
    let mut marks = Marks::from(change.after_marks.clone());
    if !change.action.is_replacement() {
        return marks;
    }
    for path in change.before_marks.iter() {
        match path.last() {
            Some(Step::Name(_)) => marks.replaced.add(path.iter().map(Step::to_every)),
            _ => marks.own.add(path.iter().cloned()),
        }
    }
    marks
}

fn write_importing(
    importing: &Importing<'_>,
    values: ValueWriter<'_>,
    offset: u64,
    out: &mut Vec<u8>,
) -> Result<()> {
    let start = out.len();
    if !importing.id.is_empty() {
        push_text(out, "id", importing.id);
    }
    if importing.is_unknown {
        push(out, ",\"unknown\":true");
    }
    if let Some(identity) = &importing.identity {
        push_key(out, "identity");
        values.value(identity, None, offset, out)?;
    }
    if out.len() == start {
        out.push(b'{');
    } else {
        out[start] = b'{';
    }
    out.push(b'}');
    Ok(())
}

/// Appends a change of an output, as a member whose key is the output's name.
pub(super) fn write_output_change(
    output: &OutputChange<'_>,
    values: ValueWriter<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    write_string(output.name.as_bytes(), out);
    out.push(b':');
    let change = &output.change;
    let Trees { mut after_unknown, .. } = write_sides(change, None, values, out)?;
    if after_unknown.is_empty() {
        push(&mut after_unknown, "false");
    }
    push_key(out, "after_unknown");
    out.append(&mut after_unknown);
    check_len(out.len(), values.limits, change.offset)?;
    let word = if output.is_sensitive { "true" } else { "false" };
    push(out, &format!(",\"before_sensitive\":{word},\"after_sensitive\":{word}}}"));
    Ok(())
}
