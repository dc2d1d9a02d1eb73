//! Finds the marked constants of the configuration (docs/format/plan.md, section 8).
//!
//! A constant is marked if one of these holds:
//! - an instance of its resource, or an invocation of its action, marks the constant's attribute;
//! - its attribute is write-only, with a name that ends in `_wo` by convention;
//! - it is the value of a sensitive output, or the argument for a sensitive variable;
//! - its key is a name that the user declared secret.
//!
//! The mark may be above the expression, at the expression, or inside the constant.
//!
//! In sections without overlays, the names that the user declared secret also mark values.
//!
//! A stack of open containers replaces recursion.

use std::borrow::Cow;

use plansift_core::error::Result;
use plansift_core::json::value::decode;
use plansift_core::json::value::{Kind, Text, Value, WalkEvent};
use plansift_core::path::resource_names;
use plansift_plan::marks::marked_paths::{MarkedPaths, ROOT};
use plansift_plan::marks::parts::type_of_action;
pub use plansift_plan::marks::{MarkSource, Marks, Step};
use plansift_plan::plan::{Piece, PieceKind, members};

/// Keys that the format defines in sections without overlays. A name that matches such a key does
/// not mark its value.
const FORMAT: [&str; 13] = [
    "kind",
    "mode",
    "module",
    "name",
    "to_display",
    "type",
    "status",
    "address",
    "instance_key",
    "instances",
    "problems",
    "message",
    "resource",
];

/// A marked constant, or a marked part of a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant<'p, 'a> {
    /// The path from the piece to the value.
    pub path: &'p [Step<'a>],
    /// The value; never `null`.
    pub value: Value<'a>,
    pub by: MarkSource,
}

/// The state of the walk at one path.
#[derive(Clone, Copy)]
struct Here {
    /// The digest of the attribute's path, below the `expressions` of a resource.
    attribute: Option<u64>,
    /// True inside a constant.
    is_constant: bool,
    /// True inside an expression, where keys are names from the configuration or a provider.
    is_named: bool,
    /// The reason why everything at and below this path is marked; `None` if it is not marked.
    by: Option<MarkSource>,
}

/// Determines which parts of a piece are marked.
struct ConstantMarks<'w> {
    marked_paths: &'w MarkedPaths,
    names: &'w Marks,
    piece: &'w Piece<'w>,
    /// The digest of the resource or action, if a value in another section marks one of its
    /// attributes.
    resource: Option<u64>,
    decoded: Vec<u8>,
}

/// Calls `each` with the marked constants of a part of the configuration. In a section without
/// overlays, calls `each` with the values whose keys are secret names. No reported value lies
/// inside another one.
pub(crate) fn marked_constants<'a>(
    piece: &Piece<'a>,
    marked_paths: &MarkedPaths,
    names: &Marks,
    mut each: impl FnMut(&Constant<'_, 'a>) -> Result<()>,
) -> Result<()> {
    let mut marks =
        ConstantMarks { marked_paths, names, piece, resource: None, decoded: Vec::new() };
    let mut path: Vec<Step<'a>> = Vec::new();
    // The state at each entered container, outermost first, and at the next value.
    let (mut around, mut here) = (Vec::new(), marks.root()?);
    let mut walk = piece.value.walk();
    while let Some(event) = walk.next().transpose()? {
        match event {
            WalkEvent::Key(key) => {
                let above = *around.last().unwrap_or(&here);
                here = marks.member(key, above, around.len() == 1)?;
                path.push(Step::Key(key));
            }
            WalkEvent::Index(index) => {
                here = *around.last().unwrap_or(&here);
                path.push(Step::Index(index));
            }
            WalkEvent::Open(_, value) | WalkEvent::Leaf(_, value)
                if let Here { is_constant: true, by: Some(by), .. } = here =>
            {
                if !value.is_null() {
                    each(&Constant { path: &path, value, by })?;
                }
                walk.skip_value();
                path.pop();
            }
            WalkEvent::Open(..) => around.push(here),
            WalkEvent::Leaf(..) => {
                path.pop();
            }
            WalkEvent::Close(_) => {
                around.pop();
                path.pop();
            }
        }
    }
    Ok(())
}

impl ConstantMarks<'_> {
    fn root(&mut self) -> Result<Here> {
        let Piece { kind, name, module, value, .. } = *self.piece;
        let mut here = Here {
            attribute: None,
            is_constant: false,
            is_named: kind == PieceKind::ModuleArguments,
            by: None,
        };
        match kind {
            PieceKind::Known | PieceKind::Unknown => {
                here.is_constant = true;
                here.by = name.and_then(|name| self.by_name(name));
            }
            PieceKind::ConfiguredOutput if value.kind()? == Kind::Object => {
                let is_sensitive = value.get("sensitive")?.is_some_and(Value::is_true);
                here.by = match is_sensitive {
                    true => Some(MarkSource::Mark),
                    false => name.and_then(|name| self.by_name(name)),
                };
            }
            PieceKind::ConfiguredResource | PieceKind::ConfiguredAction
                if value.kind()? == Kind::Object =>
            {
                let known = ["address", "type", "name"];
                let [address, type_name, name] = members(value, known)?.map(|value| {
                    value.and_then(|value| value.string().ok()).and_then(|text| text.decode().ok())
                });
                let of_address = address.as_deref().and_then(resource_names);
                let (type_name, name) = match (&type_name, &name, of_address) {
                    (Some(type_name), Some(name), _) => (&**type_name, &**name),
                    (_, _, Some(found)) => found,
                    _ => return Ok(here),
                };
                let type_name = match kind {
                    PieceKind::ConfiguredAction => Cow::Owned(type_of_action(type_name)),
                    _ => Cow::Borrowed(type_name),
                };
                self.resource = self.marked_paths.marked_resource(module, &type_name, name);
            }
            _ => {}
        }
        Ok(here)
    }

    /// The state of the walk at a member of an object.
    fn member(&mut self, key: Text<'_>, above: Here, is_first: bool) -> Result<Here> {
        let mut decoded = std::mem::take(&mut self.decoded);
        let below = decode(key, &mut decoded).map(|key| self.below(key, above, is_first));
        self.decoded = decoded;
        below
    }

    fn below(&self, key: &[u8], above: Here, is_first: bool) -> Here {
        let mut here = above;
        if !above.is_constant && key == b"constant_value" {
            (here.is_constant, here.is_named) = (true, true);
            return here;
        }
        if !above.is_constant && !above.is_named {
            // This key belongs to the format.
            here.is_named = key.ends_with(b"expression") || key == b"expressions";
            let is_of_owner = matches!(
                self.piece.kind,
                PieceKind::ConfiguredResource | PieceKind::ConfiguredAction
            );
            if is_first && key == b"expressions" && is_of_owner {
                here.attribute = Some(ROOT);
                here.by = self.by_attribute(ROOT);
            }
            return here;
        }
        if let Some(attribute) = above.attribute {
            let attribute = self.marked_paths.digests().key(attribute, key);
            here.attribute = Some(attribute);
            let is_write_only = key.ends_with(b"_wo");
            here.by = here.by.or(is_write_only.then_some(MarkSource::Mark));
            here.by = here.by.or_else(|| self.by_attribute(attribute));
        }
        if here.by.is_none() {
            let key = std::str::from_utf8(key).unwrap_or_default();
            let is_input = is_first
                && self.piece.kind == PieceKind::ModuleArguments
                && self.marked_paths.has_input(self.piece.module, key);
            here.by = if is_input { Some(MarkSource::Mark) } else { self.by_name(key) };
        }
        here
    }

    fn by_name(&self, key: &str) -> Option<MarkSource> {
        let is_of_format = self.piece.kind == PieceKind::Known && FORMAT.contains(&key);
        (!is_of_format && self.names.is_name(key)).then_some(MarkSource::Name)
    }

    fn by_attribute(&self, attribute: u64) -> Option<MarkSource> {
        let resource = self.resource?;
        self.marked_paths.has_attribute(resource, attribute).then_some(MarkSource::Mark)
    }
}
