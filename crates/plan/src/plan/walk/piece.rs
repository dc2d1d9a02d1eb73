//! A piece: a value that the walk sends as a whole, and its position in the document.

use crate::plan::Section;
use plansift_core::json::value::Value;

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// An element of `resource_changes` or `resource_drift`.
    ResourceChange,
    /// An element of `deferred_changes`.
    DeferredChange,
    /// A member of `output_changes`: the change itself.
    OutputChange,
    /// An element of `action_invocations`.
    ActionInvocation,
    /// An element of `deferred_action_invocations`.
    DeferredActionInvocation,
    /// A resource of `planned_values`, `prior_state` or a state, in any module.
    Resource,
    /// An output of `planned_values`, `prior_state` or a state.
    Output,
    /// A member of `variables`.
    Variable,
    /// A variable that the root module's configuration declares.
    RootDeclaration,
    /// A variable that another module's configuration declares.
    Declaration,
    /// A resource that the configuration declares, in any module.
    ConfiguredResource,
    /// An output that the configuration declares, in any module.
    ConfiguredOutput,
    /// An action that the configuration declares, in any module.
    ConfiguredAction,
    /// The arguments of a module call.
    ModuleArguments,
    /// Another member of a module call, such as its source.
    ModuleCallMember,
    /// A provider configuration.
    ProviderConfig,
    /// Any other part of the configuration.
    Configuration,
    /// A version or the timestamp: text that Terraform or OpenTofu itself writes.
    Scalar,
    /// A part of a known section that has no sensitivity marks.
    Known,
    /// A part of an unknown section.
    Unknown,
}

impl PieceKind {
    /// Whether the key of the piece is a name from the configuration.
    pub fn is_named(self) -> bool {
        matches!(
            self,
            PieceKind::OutputChange
                | PieceKind::Output
                | PieceKind::Variable
                | PieceKind::RootDeclaration
                | PieceKind::Declaration
        )
    }

    /// Whether the piece declares a variable.
    pub fn is_declaration(self) -> bool {
        matches!(self, PieceKind::RootDeclaration | PieceKind::Declaration)
    }

    /// Whether the piece is a part of the configuration, other than a variable's declaration.
    pub fn is_configuration(self) -> bool {
        matches!(
            self,
            PieceKind::ConfiguredResource
                | PieceKind::ConfiguredOutput
                | PieceKind::ConfiguredAction
                | PieceKind::ModuleArguments
                | PieceKind::ModuleCallMember
                | PieceKind::ProviderConfig
                | PieceKind::Configuration
        )
    }
}

/// A value that has its own sensitivity marks, or no known marks at all.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The kind of the piece.
    pub kind: PieceKind,
    /// The top-level section that contains the piece. [`Section::Other`] for pieces of a state,
    /// too.
    pub section: Section,
    /// The decoded key, if the piece is a member of an object.
    pub name: Option<&'a str>,
    /// The module whose configuration contains the piece: the names of the module calls that lead
    /// to it, joined by dots. The arguments of a module call belong to the called module. Empty for
    /// the root module, and outside the configuration.
    pub module: &'a str,
    /// The value.
    pub value: Value<'a>,
}
