//! Splits a piece into the values that may be marked and the overlays that mark them
//! (docs/format/plan.md, sections 3 to 8).

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::subject::Subject;
use crate::plan::{
    ActionInvocation, Change, Check, Deferred, Piece, PieceKind, ResourceChange, Section, members,
};
use plansift_core::error::{Error, Result};
use plansift_core::json::value::{Kind, Text, Value, WalkEvent};
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::{module_names, resource_names};

/// The parts of a piece that are relevant to secrets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts<'a> {
    /// The values and their overlays.
    pub subject: Subject<'a>,
    /// Values without overlays that identify the object of the piece.
    pub identities: [Option<Value<'a>>; 3],
    /// The flag `unknown` of an import. It lies inside an identity, but is never a secret.
    pub is_unknown: Option<Value<'a>>,
    /// Paths that force a replacement. A step of a path may be an element of a set, and so a value.
    pub replace_paths: Option<Value<'a>>,
    /// The resource or action that owns the marks, if there is one.
    pub owner: Option<Owner<'a>>,
}

/// The resource or action that owns the marks of a piece.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// The address. Without an address, the marks do not apply to other sections.
    pub address: Option<Text<'a>>,
    /// The address before a move.
    pub previous_address: Option<Text<'a>>,
    type_name: Option<Text<'a>>,
    name: Option<Text<'a>>,
    kind: OwnerKind,
}

/// The kind of piece that has the marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnerKind {
    /// A change, whose marks also apply to its address in other sections.
    Change,
    Values,
    Invocation,
}

/// A resource or action of the configuration.
pub(crate) struct Resource {
    /// The names of the modules around it, joined by dots.
    pub module: String,
    pub type_name: String,
    pub name: String,
}

/// The type name of an action in digests. The prefix distinguishes the action from a resource with
/// the same type and name.
pub fn type_of_action(type_name: &str) -> String {
    format!("action.{type_name}")
}

impl Owner<'_> {
    /// Whether the marks belong to a change.
    pub fn is_change(&self) -> bool {
        self.kind == OwnerKind::Change
    }

    /// Returns the resource or action of the configuration that the owner is an instance of.
    pub(crate) fn resource(&self) -> Result<Option<Resource>> {
        let Some(address) = self.address else { return Ok(None) };
        let address = address.decode()?;
        let text = |text: Option<Text<'_>>| text.map(Text::decode).transpose();
        let (mut type_name, mut name) = (text(self.type_name)?, text(self.name)?);
        if type_name.is_none() || name.is_none() {
            let (of_type, of_name) = resource_names(&address).unzip();
            type_name = type_name.or_else(|| of_type.map(str::to_owned));
            name = name.or_else(|| of_name.map(str::to_owned));
        }
        let (Some(mut type_name), Some(name)) = (type_name, name) else { return Ok(None) };
        if self.kind == OwnerKind::Invocation {
            type_name = type_of_action(&type_name);
        }
        Ok(Some(Resource { module: module_names(&address), type_name, name }))
    }
}

/// The sensitive outputs and variables of the root module, as keyed 64-bit digests of their names.
/// If the digests of two names collide, plansift hides a value that is not sensitive. It never
/// shows one that is.
#[derive(Clone, Debug)]
pub struct Declared {
    keyed: RandomState,
    variables: HashSet<u64>,
    /// Outputs that are declared sensitive next to their values.
    outputs: HashSet<u64>,
    /// True once the declarations of variables are read.
    pub is_known: bool,
    /// [`Limits::names`].
    max: u64,
}

impl Declared {
    /// Starts without declarations.
    pub fn new(limits: &Limits) -> Declared {
        let (variables, outputs) = (HashSet::new(), HashSet::new());
        let keyed = RandomState::new();
        Declared { keyed, variables, outputs, is_known: false, max: limits.names }
    }

    /// Records a sensitive variable, found at `offset`. Fails if there are too many names
    /// ([`Limit::Names`]).
    pub fn insert_variable(&mut self, name: &str, offset: u64) -> Result<()> {
        self.variables.insert(self.keyed.hash_one(name));
        self.check_limit(offset)
    }

    /// Records a sensitive output, found at `offset`. Fails if there are too many names
    /// ([`Limit::Names`]).
    pub fn insert_output(&mut self, name: &str, offset: u64) -> Result<()> {
        self.outputs.insert(self.keyed.hash_one(name));
        self.check_limit(offset)
    }

    fn check_limit(&self, offset: u64) -> Result<()> {
        match (self.variables.len() + self.outputs.len()) as u64 > self.max {
            true => Err(Error::limit(Limit::Names, self.max, offset)),
            false => Ok(()),
        }
    }

    /// Whether the variable with this name is sensitive.
    pub fn has_variable(&self, name: &str) -> bool {
        self.variables.contains(&self.keyed.hash_one(name))
    }

    /// Whether the output with this name is declared sensitive.
    pub fn has_output(&self, name: &str) -> bool {
        self.outputs.contains(&self.keyed.hash_one(name))
    }

    /// Whether any variable is sensitive.
    pub fn has_variables(&self) -> bool {
        !self.variables.is_empty()
    }

    /// Whether any output is declared sensitive.
    pub fn has_outputs(&self) -> bool {
        !self.outputs.is_empty()
    }
}

impl<'a> Parts<'a> {
    /// Returns the values and overlays of a piece.
    pub fn of(piece: &Piece<'a>) -> Result<Parts<'a>> {
        let value = piece.value;
        Ok(match piece.kind {
            PieceKind::ResourceChange => {
                Parts::of_resource_change(&ResourceChange::parse(piece.section, value)?)?
            }
            PieceKind::DeferredChange => {
                Parts::of_resource_change(&Deferred::parse(value)?.resource_change)?
            }
            PieceKind::OutputChange => Parts::of_change(&Change::parse(value)?)?,
            PieceKind::ActionInvocation => Parts::of_invocation(value)?,
            PieceKind::DeferredActionInvocation => match members(value, ["action_invocation"])? {
                [Some(invocation)] => Parts::of_invocation(invocation)?,
                [None] => Parts::default(),
            },
            PieceKind::Resource => Parts::of_resource(value)?,
            PieceKind::Output => {
                let [sensitive, value] = members(value, ["sensitive", "value"])?;
                Parts { subject: Subject::of_value(value, sensitive), ..Parts::default() }
            }
            PieceKind::RootDeclaration | PieceKind::Declaration => {
                let [default, sensitive] = members(value, ["default", "sensitive"])?;
                Parts { subject: Subject::of_value(default, sensitive), ..Parts::default() }
            }
            PieceKind::Variable => {
                let [value] = members(value, ["value"])?;
                Parts { subject: Subject::of_value(value, None), ..Parts::default() }
            }
            PieceKind::Known if piece.section == Section::Checks => {
                Check::refuse_duplicates(value)?;
                Parts::default()
            }
            PieceKind::ConfiguredResource
            | PieceKind::ConfiguredOutput
            | PieceKind::ConfiguredAction
            | PieceKind::ModuleArguments
            | PieceKind::ModuleCallMember
            | PieceKind::ProviderConfig
            | PieceKind::Configuration
            | PieceKind::Scalar
            | PieceKind::Known
            | PieceKind::Unknown => Parts::default(),
        })
    }

    fn of_resource(value: Value<'a>) -> Result<Parts<'a>> {
        const KEYS: [&str; 6] =
            ["address", "type", "name", "values", "sensitive_values", "identity"];
        let [address, type_name, name, values, sensitive_values, identity] = members(value, KEYS)?;
        let [address, type_name, name] =
            [address, type_name, name].map(|text| text.and_then(|it| it.string().ok()));
        let kind = OwnerKind::Values;
        Ok(Parts {
            subject: Subject::of_value(values, sensitive_values),
            identities: [identity, None, None],
            owner: Some(Owner { address, previous_address: None, type_name, name, kind }),
            ..Parts::default()
        })
    }

    fn of_resource_change(found: &ResourceChange<'a>) -> Result<Parts<'a>> {
        let owner = Owner {
            address: found.address,
            previous_address: found.previous_address,
            type_name: found.resource.type_name,
            name: found.resource.name,
            kind: OwnerKind::Change,
        };
        Ok(Parts { owner: Some(owner), ..Parts::of_change(&found.change)? })
    }

    /// Returns the address to look up in the marks of changes. `None` in `resource_changes`, and
    /// for pieces that are not resources.
    pub fn address_elsewhere(&self, section: Section) -> Option<Text<'a>> {
        let owner = self.owner.filter(|owner| owner.kind != OwnerKind::Invocation)?;
        owner.address.filter(|_| section != Section::ResourceChanges)
    }

    fn of_change(change: &Change<'a>) -> Result<Parts<'a>> {
        let is_unknown = change.importing.map_or(Ok(None), |importing| importing.get("unknown"))?;
        Ok(Parts {
            subject: Subject::of_change(change),
            identities: [change.importing, change.before_identity, change.after_identity],
            is_unknown,
            replace_paths: change.replace_paths,
            owner: None,
        })
    }

    /// All values that may be marked: the piece's own values, and its identities, which only names
    /// can mark. Each identity comes with its index in [`Parts::identities`].
    pub fn subjects(&self) -> impl Iterator<Item = (Option<usize>, Subject<'a>)> + use<'a> {
        let alone = |value| Subject { sides: [None, Some(value)], ..Subject::default() };
        let identities = self.identities.into_iter().enumerate();
        let identities =
            identities.filter_map(move |(place, value)| Some((Some(place), alone(value?))));
        std::iter::once((None, self.subject)).chain(identities)
    }

    fn of_invocation(value: Value<'a>) -> Result<Parts<'a>> {
        let invocation = ActionInvocation::parse(value)?;
        // `changes` refuses a damaged trigger, so this command must refuse it as well.
        invocation.triggering_address()?;
        let owner = Owner {
            address: Some(invocation.address),
            previous_address: None,
            type_name: invocation.type_name,
            name: invocation.name,
            kind: OwnerKind::Invocation,
        };
        Ok(Parts {
            subject: Subject {
                sides: [None, invocation.config_values],
                overlays: [None, invocation.config_sensitive],
                unknown: invocation.config_unknown,
                named: false,
            },
            owner: Some(owner),
            ..Parts::default()
        })
    }

    /// Whether a declaration in another section marks all values of the piece. This applies to
    /// variables. It also applies to output changes without overlays, which versions before 0.15
    /// write.
    pub fn are_declared(&self, piece: &Piece<'_>, declared: &Declared) -> bool {
        let name = piece.name.unwrap_or_default();
        match piece.kind {
            PieceKind::Variable => declared.has_variable(name),
            PieceKind::OutputChange => !self.subject.has_overlays() && declared.has_output(name),
            _ => false,
        }
    }

    /// Whether the piece has values but no overlay that says which are sensitive, as in plans of
    /// versions before 0.15.
    pub fn is_unmarked(&self, kind: PieceKind) -> bool {
        let is_of_values = matches!(
            kind,
            PieceKind::ResourceChange
                | PieceKind::DeferredChange
                | PieceKind::OutputChange
                | PieceKind::ActionInvocation
                | PieceKind::DeferredActionInvocation
                | PieceKind::Resource
        );
        // An output may have any value; the values of other pieces are containers.
        let is_value = |value: &Value<'_>| match value.kind() {
            Ok(Kind::Object | Kind::Array) => {
                let raw = value.raw();
                let inside = raw.get(1..raw.len().saturating_sub(1));
                inside.is_some_and(|inside| !inside.trim_ascii().is_empty())
            }
            Ok(Kind::String | Kind::Number) => kind == PieceKind::OutputChange,
            _ => false,
        };
        is_of_values
            && !self.subject.has_overlays()
            && self.subject.sides.iter().flatten().any(is_value)
    }
}

/// Calls `each` with the constants of a piece of the configuration: the values of `constant_value`,
/// or the `default` of a variable's declaration.
pub fn constants<'a>(
    piece: &Piece<'a>,
    mut each: impl FnMut(Value<'a>) -> Result<()>,
) -> Result<()> {
    if !piece.kind.is_configuration() {
        return piece.value.get("default")?.map_or(Ok(()), each);
    }
    let mut walk = piece.value.walk();
    while let Some(event) = walk.next().transpose()? {
        if let (WalkEvent::Key(key), Some(value)) = (event, walk.value())
            && key.is("constant_value")
        {
            each(value)?;
            walk.skip_value();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
