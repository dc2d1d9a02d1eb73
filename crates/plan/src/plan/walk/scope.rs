//! The scopes of a document: the objects and arrays that the walk enters, and how it treats each of
//! their members and elements (docs/format/plan.md, sections 1, 6 to 8).

use smallvec::SmallVec;

use super::piece::PieceKind;
use crate::plan::Section;

/// An object or array that the walk enters, named after its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    ResourceChanges,
    DeferredChanges,
    OutputChanges,
    ActionInvocations,
    DeferredActionInvocations,
    Variables,
    State,
    Values,
    Outputs,
    Module,
    Modules,
    Resources,
    Configuration,
    RootConfiguration,
    ModuleConfiguration,
    ModuleCalls,
    ModuleCall,
    RootDeclarations,
    Declarations,
    ConfiguredResources,
    ConfiguredOutputs,
    ConfiguredActions,
    ProviderConfigs,
    /// A known section that is an array, and has no sensitivity marks.
    List,
    /// Any other known section that has no sensitivity marks.
    Plain,
    Unknown,
}

/// How the walk treats a member or element of a scope: it enters a scope, or sends a piece.
pub(super) enum NextStep {
    Enter(Scope),
    Piece(PieceKind),
}

/// Which brackets a scope may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    Array,
    Either,
}

/// An entered scope, with the bracket that it has in the document.
pub(super) type OpenScope = (Scope, Shape);

/// Entered scopes, outermost first. The scopes of a resource in 8 nested modules of a state fit
/// inline.
pub(super) type OpenScopes = SmallVec<[OpenScope; 24]>;

impl Scope {
    /// Whether the scope contains resources or their changes: most of a large document.
    pub(super) fn has_many(self) -> bool {
        matches!(self, Scope::ResourceChanges | Scope::Resources)
    }

    /// Whether the scope contains resources, changes of resources, or modules.
    pub(super) fn holds_resources(self) -> bool {
        self.has_many() || matches!(self, Scope::Module | Scope::Modules)
    }

    pub(super) fn shape(self) -> Shape {
        use Scope::*;
        match self {
            ResourceChanges
            | DeferredChanges
            | ActionInvocations
            | DeferredActionInvocations
            | List
            | Modules
            | Resources => Shape::Array,
            ConfiguredResources | ConfiguredOutputs | ConfiguredActions | ProviderConfigs
            | Plain | Unknown => Shape::Either,
            _ => Shape::Object,
        }
    }

    /// Returns how to read a top-level member.
    pub(super) fn section(section: Section, key: &str) -> NextStep {
        let scope = match section {
            Section::ResourceChanges | Section::ResourceDrift => Scope::ResourceChanges,
            Section::DeferredChanges => Scope::DeferredChanges,
            Section::DeferredActionInvocations => Scope::DeferredActionInvocations,
            Section::ActionInvocations => Scope::ActionInvocations,
            Section::OutputChanges => Scope::OutputChanges,
            Section::PlannedValues => Scope::Values,
            Section::PriorState => Scope::State,
            Section::Configuration => Scope::Configuration,
            Section::Variables => Scope::Variables,
            Section::RelevantAttributes | Section::Checks => Scope::List,
            Section::FormatVersion | Section::TerraformVersion | Section::Timestamp => {
                return NextStep::Piece(PieceKind::Scalar);
            }
            Section::Applyable | Section::Complete | Section::Errored => {
                return NextStep::Piece(PieceKind::Known);
            }
            Section::Other => match key {
                "values" => Scope::Values,
                "provider_schemas" => Scope::Plain,
                "provider_format_version" => return NextStep::Piece(PieceKind::Scalar),
                _ => Scope::Unknown,
            },
        };
        NextStep::Enter(scope)
    }

    pub(super) fn member(self, key: &str) -> NextStep {
        use Scope::*;
        let scope = match (self, key) {
            (State, "values") => Values,
            (Values, "outputs") => Outputs,
            (Values, "root_module") => Module,
            (Module, "resources") => Resources,
            (Module, "child_modules") => Modules,
            (Configuration, "root_module") => RootConfiguration,
            (Configuration, "provider_config") => ProviderConfigs,
            (RootConfiguration | ModuleConfiguration, "actions") => ConfiguredActions,
            (RootConfiguration | ModuleConfiguration, "resources") => ConfiguredResources,
            (RootConfiguration | ModuleConfiguration, "outputs") => ConfiguredOutputs,
            (RootConfiguration, "variables") => RootDeclarations,
            (ModuleConfiguration, "variables") => Declarations,
            (RootConfiguration | ModuleConfiguration, "module_calls") => ModuleCalls,
            (ModuleCalls, _) => ModuleCall,
            (ModuleCall, "module") => ModuleConfiguration,
            (ModuleCall, "expressions") => return NextStep::Piece(PieceKind::ModuleArguments),
            _ => return NextStep::Piece(self.piece()),
        };
        NextStep::Enter(scope)
    }

    pub(super) fn element(self) -> NextStep {
        match self {
            Scope::Modules => NextStep::Enter(Scope::Module),
            _ => NextStep::Piece(self.piece()),
        }
    }

    /// The kind of the members or elements that the walk sends as pieces.
    pub(super) fn piece(self) -> PieceKind {
        use Scope::*;
        match self {
            ResourceChanges => PieceKind::ResourceChange,
            DeferredChanges => PieceKind::DeferredChange,
            OutputChanges => PieceKind::OutputChange,
            ActionInvocations => PieceKind::ActionInvocation,
            DeferredActionInvocations => PieceKind::DeferredActionInvocation,
            Resources => PieceKind::Resource,
            Outputs => PieceKind::Output,
            Variables => PieceKind::Variable,
            RootDeclarations => PieceKind::RootDeclaration,
            Declarations => PieceKind::Declaration,
            ConfiguredResources => PieceKind::ConfiguredResource,
            ConfiguredOutputs => PieceKind::ConfiguredOutput,
            ConfiguredActions => PieceKind::ConfiguredAction,
            Configuration | RootConfiguration | ModuleConfiguration | ModuleCalls => {
                PieceKind::Configuration
            }
            ModuleCall => PieceKind::ModuleCallMember,
            ProviderConfigs => PieceKind::ProviderConfig,
            Unknown => PieceKind::Unknown,
            State | Values | Module | Modules | List | Plain => PieceKind::Known,
        }
    }

    /// The kind of the piece for a value that the walk cannot enter as this scope: `null`, or a
    /// value of another type.
    pub(super) fn piece_of_scalar(self) -> PieceKind {
        if self == Scope::Unknown { PieceKind::Unknown } else { PieceKind::Known }
    }
}
