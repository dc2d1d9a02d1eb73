//! The objects and arrays around the pieces of a document, and what may stand in them
//! (docs/format/plan.md, sections 1, 6 to 8).

use smallvec::SmallVec;

use super::piece::PieceKind;
use crate::plan::Section;

/// An object or array that the walk enters, by what may stand in it.
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
    /// A known section without marks that is an array.
    List,
    /// Another known section without marks.
    Plain,
    /// An unknown section.
    Strange,
}

/// What to do with a member or element of a scope.
pub(super) enum Next {
    Enter(Scope),
    Hand(PieceKind),
}

/// Which brackets a scope may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    Array,
    Either,
}

/// An entered scope, with the bracket that it has in the document.
pub(super) type Around = (Scope, Shape);

/// Entered scopes, outermost first. Those of a resource in 8 nested modules need no allocation.
pub(super) type OpenScopes = SmallVec<[Around; 24]>;

impl Scope {
    /// Whether the scope holds most of a large document: resources or their changes.
    pub(super) fn has_many(self) -> bool {
        matches!(self, Scope::ResourceChanges | Scope::Resources)
    }

    /// Whether the scope holds resources or their changes, or nests the modules below the root
    /// module.
    pub(super) fn is_of_resources(self) -> bool {
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
            | Scope::Strange => Shape::Either,
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
                Next::Hand(PieceKind::Scalar)
            }
            Section::Applyable | Section::Complete | Section::Errored => {
                Next::Hand(PieceKind::Known)
            }
            Section::Other => match key {
                "values" => Next::Enter(Scope::Values),
                "provider_schemas" => Next::Enter(Scope::Plain),
                "provider_format_version" => Next::Hand(PieceKind::Scalar),
                _ => Next::Enter(Scope::Strange),
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
            (Scope::ModuleCall, "expressions") => Next::Hand(PieceKind::ModuleArguments),
            _ => Next::Hand(self.piece()),
        }
    }

    pub(super) fn element(self) -> Next {
        match self {
            Scope::Modules => Next::Enter(Scope::Module),
            _ => Next::Hand(self.piece()),
        }
    }

    /// The kind of the scope's parts that are not entered.
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
            Scope::Strange => PieceKind::Unknown,
            Scope::State
            | Scope::Values
            | Scope::Module
            | Scope::Modules
            | Scope::List
            | Scope::Plain => PieceKind::Known,
        }
    }

    /// The kind of a scalar that stands in place of the scope.
    pub(super) fn piece_of_scalar(self) -> PieceKind {
        match self {
            Scope::Strange => PieceKind::Unknown,
            _ => PieceKind::Known,
        }
    }
}
