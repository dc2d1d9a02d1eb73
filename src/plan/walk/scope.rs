//! The scopes of a document: the objects and arrays that the walk enters, and what each member or
//! element of them is (docs/format/plan.md, sections 1, 6 to 8).

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
    /// An unknown section.
    Unknown,
}

/// How the walk treats a member or element of a scope: it enters a scope, or sends a piece.
pub(super) enum Next {
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

/// Entered scopes, outermost first. The scopes of a resource in 8 nested modules fit inline.
pub(super) type OpenScopes = SmallVec<[OpenScope; 24]>;

impl Scope {
    /// Whether the scope holds most of a large document: resources or their changes.
    pub(super) fn has_many(self) -> bool {
        matches!(self, Scope::ResourceChanges | Scope::Resources)
    }

    /// Whether the scope holds resources or their changes, or nests the modules below the root
    /// module.
    pub(super) fn holds_resources(self) -> bool {
        self.has_many() || matches!(self, Scope::Module | Scope::Modules)
    }

    pub(super) fn shape(self) -> Shape {
        match self {
            Scope::ResourceChanges
            | Scope::DeferredChanges
            | Scope::ActionInvocations
            | Scope::DeferredActionInvocations
            | Scope::List
            | Scope::Modules
            | Scope::Resources => Shape::Array,
            Scope::ConfiguredResources
            | Scope::ConfiguredOutputs
            | Scope::ConfiguredActions
            | Scope::ProviderConfigs
            | Scope::Plain
            | Scope::Unknown => Shape::Either,
            _ => Shape::Object,
        }
    }

    /// How to read a top-level member.
    pub(super) fn section(section: Section, key: &str) -> Next {
        match section {
            Section::ResourceChanges | Section::ResourceDrift => {
                Next::Enter(Scope::ResourceChanges)
            }
            Section::DeferredChanges => Next::Enter(Scope::DeferredChanges),
            Section::DeferredActionInvocations => Next::Enter(Scope::DeferredActionInvocations),
            Section::ActionInvocations => Next::Enter(Scope::ActionInvocations),
            Section::OutputChanges => Next::Enter(Scope::OutputChanges),
            Section::PlannedValues => Next::Enter(Scope::Values),
            Section::PriorState => Next::Enter(Scope::State),
            Section::Configuration => Next::Enter(Scope::Configuration),
            Section::Variables => Next::Enter(Scope::Variables),
            Section::RelevantAttributes | Section::Checks => Next::Enter(Scope::List),
            Section::FormatVersion | Section::TerraformVersion | Section::Timestamp => {
                Next::Piece(PieceKind::Scalar)
            }
            Section::Applyable | Section::Complete | Section::Errored => {
                Next::Piece(PieceKind::Known)
            }
            Section::Other => match key {
                "values" => Next::Enter(Scope::Values),
                "provider_schemas" => Next::Enter(Scope::Plain),
                "provider_format_version" => Next::Piece(PieceKind::Scalar),
                _ => Next::Enter(Scope::Unknown),
            },
        }
    }

    pub(super) fn member(self, key: &str) -> Next {
        match (self, key) {
            (Scope::State, "values") => Next::Enter(Scope::Values),
            (Scope::Values, "outputs") => Next::Enter(Scope::Outputs),
            (Scope::Values, "root_module") => Next::Enter(Scope::Module),
            (Scope::Module, "resources") => Next::Enter(Scope::Resources),
            (Scope::Module, "child_modules") => Next::Enter(Scope::Modules),
            (Scope::Configuration, "root_module") => Next::Enter(Scope::RootConfiguration),
            (Scope::Configuration, "provider_config") => Next::Enter(Scope::ProviderConfigs),
            (Scope::RootConfiguration | Scope::ModuleConfiguration, "actions") => {
                Next::Enter(Scope::ConfiguredActions)
            }
            (Scope::RootConfiguration | Scope::ModuleConfiguration, "resources") => {
                Next::Enter(Scope::ConfiguredResources)
            }
            (Scope::RootConfiguration | Scope::ModuleConfiguration, "outputs") => {
                Next::Enter(Scope::ConfiguredOutputs)
            }
            (Scope::RootConfiguration, "variables") => Next::Enter(Scope::RootDeclarations),
            (Scope::ModuleConfiguration, "variables") => Next::Enter(Scope::Declarations),
            (Scope::RootConfiguration | Scope::ModuleConfiguration, "module_calls") => {
                Next::Enter(Scope::ModuleCalls)
            }
            (Scope::ModuleCalls, _) => Next::Enter(Scope::ModuleCall),
            (Scope::ModuleCall, "module") => Next::Enter(Scope::ModuleConfiguration),
            (Scope::ModuleCall, "expressions") => Next::Piece(PieceKind::ModuleArguments),
            _ => Next::Piece(self.piece()),
        }
    }

    pub(super) fn element(self) -> Next {
        match self {
            Scope::Modules => Next::Enter(Scope::Module),
            _ => Next::Piece(self.piece()),
        }
    }

    /// The kind of the members or elements that the walk sends as pieces.
    pub(super) fn piece(self) -> PieceKind {
        match self {
            Scope::ResourceChanges => PieceKind::ResourceChange,
            Scope::DeferredChanges => PieceKind::DeferredChange,
            Scope::OutputChanges => PieceKind::OutputChange,
            Scope::ActionInvocations => PieceKind::ActionInvocation,
            Scope::DeferredActionInvocations => PieceKind::DeferredActionInvocation,
            Scope::Resources => PieceKind::Resource,
            Scope::Outputs => PieceKind::Output,
            Scope::Variables => PieceKind::Variable,
            Scope::RootDeclarations => PieceKind::RootDeclaration,
            Scope::Declarations => PieceKind::Declaration,
            Scope::ConfiguredResources => PieceKind::ConfiguredResource,
            Scope::ConfiguredOutputs => PieceKind::ConfiguredOutput,
            Scope::ConfiguredActions => PieceKind::ConfiguredAction,
            Scope::Configuration
            | Scope::RootConfiguration
            | Scope::ModuleConfiguration
            | Scope::ModuleCalls => PieceKind::Configuration,
            Scope::ModuleCall => PieceKind::ModuleCallMember,
            Scope::ProviderConfigs => PieceKind::ProviderConfig,
            Scope::Unknown => PieceKind::Unknown,
            Scope::State
            | Scope::Values
            | Scope::Module
            | Scope::Modules
            | Scope::List
            | Scope::Plain => PieceKind::Known,
        }
    }

    /// The kind of a scalar where the scope's object or array is expected.
    pub(super) fn piece_of_scalar(self) -> PieceKind {
        match self {
            Scope::Unknown => PieceKind::Unknown,
            _ => PieceKind::Known,
        }
    }
}
