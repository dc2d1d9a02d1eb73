//! The elements of a configuration, as records.

use serde::Serialize;

use super::origin::BlockLocation;
use super::reference::traversals;

/// The kind of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ElementKind {
    /// A provider configuration.
    Provider,
    /// A call of a module.
    ModuleCall,
    /// A resource of any mode.
    #[default]
    Resource,
    /// An output value.
    Output,
    /// An input variable.
    Variable,
    /// An action.
    Action,
    /// A local value. Only source files have it.
    Local,
    /// A check. Only source files have it.
    Check,
    /// An `import` block. Only source files have it. Its address is that of the resource, which
    /// depends on what the block refers to.
    Import,
}

impl ElementKind {
    /// All kinds, in the order of the counts.
    pub const ALL: [ElementKind; 9] = [
        ElementKind::Provider,
        ElementKind::ModuleCall,
        ElementKind::Resource,
        ElementKind::Output,
        ElementKind::Variable,
        ElementKind::Action,
        ElementKind::Local,
        ElementKind::Check,
        ElementKind::Import,
    ];

    /// Returns the word for the kind in the output.
    pub fn word(self) -> &'static str {
        match self {
            ElementKind::Provider => "provider",
            ElementKind::ModuleCall => "module_call",
            ElementKind::Resource => "resource",
            ElementKind::Output => "output",
            ElementKind::Variable => "variable",
            ElementKind::Action => "action",
            ElementKind::Local => "local",
            ElementKind::Check => "check",
            ElementKind::Import => "import",
        }
    }

    /// Whether only source files have elements of this kind, and plans do not.
    pub fn is_of_files(self) -> bool {
        matches!(self, ElementKind::Local | ElementKind::Check | ElementKind::Import)
    }
}

/// An element of a configuration. Its strings are decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Element {
    /// The kind of the element.
    pub kind: ElementKind,
    /// The address without instance keys: `module.a.t.n`, `module.a.var.v`, `provider.aws.west`.
    pub address: String,
    /// The names of the element.
    #[serde(flatten)]
    pub names: ElementNames,
    /// The source of a called module, as its author wrote it.
    #[serde(rename = "module_source", skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The version constraint of a provider or a called module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_constraint: Option<String>,
    /// Whether a variable or output is declared sensitive. Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
    /// Whether a variable has no default. Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The types of the provisioners of a resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provisioners: Vec<String>,
    /// The references of `depends_on`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// The expressions, in document order. The expressions of `count` and `for_each` come last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expressions: Vec<ElementExpression>,
}

/// The names of an element. Its kind decides which of them are present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ElementNames {
    /// The address of the module that declares the element. `None` for the root module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module_address: Option<String>,
    /// The path of a resource in the configuration: `root_module.resources[0]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_address: Option<String>,
    /// The mode of a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The type of a resource or action.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// The name that the configuration gives the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The key of the provider configuration that the element is or uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_config_key: Option<String>,
    /// The source address of a provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_name: Option<String>,
    /// The alias of a provider configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
}

impl Element {
    /// Returns an element that refers to nothing. The address includes that of the module; the
    /// address of the root module is empty.
    pub fn new(kind: ElementKind, address: String, module_address: &str) -> Element {
        let module_address = (!module_address.is_empty()).then(|| module_address.to_owned());
        Element {
            kind,
            address,
            names: ElementNames { module_address, ..Element::default().names },
            ..Element::default()
        }
    }

    /// Returns the address of the module that declares the element; empty for the root module.
    pub fn module(&self) -> &str {
        self.names.module_address.as_deref().unwrap_or_default()
    }

    /// Returns the key of the provider configuration that a resource or action uses.
    pub(super) fn used_provider(&self) -> Option<&str> {
        self.names.provider_config_key.as_deref().filter(|_| self.kind != ElementKind::Provider)
    }

    /// Returns the references of each expression, with the path of the expression.
    pub fn references(&self) -> impl Iterator<Item = (&str, &[String])> {
        let expressions = self.expressions.iter().map(|it| (&*it.path, &*it.references));
        let depends_on = (!self.depends_on.is_empty()).then_some((DEPENDS_ON, &*self.depends_on));
        expressions.chain(depends_on)
    }
}

/// The path of the references of `depends_on`.
pub(super) const DEPENDS_ON: &str = "depends_on";

/// An expression of an element. Constants are not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ElementExpression {
    /// The path of the expression: `tags`, `ingress[0].from_port`, `provisioners[0].command`.
    pub path: String,
    /// The references of the expression, in document order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
}

/// An element, and the location of its block.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LocatedElement<'a> {
    /// The element.
    #[serde(flatten)]
    pub element: &'a Element,
    /// The block in the source files; `None` without source files, or if they lack the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a BlockLocation>,
}

/// An expression that refers to an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct User {
    /// The address of the element with the expression.
    pub address: String,
    /// The kind of that element.
    pub element: ElementKind,
    /// The path of the expression; `provider` for the provider configuration of a resource.
    pub path: String,
    /// The reference as the configuration writes it.
    pub reference: String,
}

/// An element that depends on another, directly or through others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Dependent<'a> {
    /// The address of the element.
    pub address: &'a str,
    /// The kind of the element.
    pub element: ElementKind,
    /// The number of references on the shortest path between the two elements.
    pub distance: u32,
    /// The address that the element refers to on that path.
    pub through: &'a str,
}

/// Counts of a configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfigurationSummary {
    /// Provider configurations.
    pub providers: u64,
    /// Module calls.
    pub module_calls: u64,
    /// Resources of any mode.
    pub resources: u64,
    /// Output values.
    pub outputs: u64,
    /// Input variables.
    pub variables: u64,
    /// Actions.
    pub actions: u64,
    /// Local values of source files.
    #[serde(skip_serializing_if = "is_zero")]
    pub locals: u64,
    /// Checks of source files.
    #[serde(skip_serializing_if = "is_zero")]
    pub checks: u64,
    /// The `import` blocks of source files.
    #[serde(skip_serializing_if = "is_zero")]
    pub imports: u64,
    /// References to local values. A plan does not contain the expressions of local values, so
    /// dependencies through local values are unknown.
    pub local_references: u64,
}

impl ConfigurationSummary {
    /// Counts an element.
    pub fn add(&mut self, element: &Element) {
        *self.count(element.kind) += 1;
        let references = element.references().flat_map(|(_, references)| traversals(references));
        self.local_references += references.filter(|it| it.starts_with("local.")).count() as u64;
    }

    /// Number of elements of a kind.
    pub fn of(mut self, kind: ElementKind) -> u64 {
        *self.count(kind)
    }

    fn count(&mut self, kind: ElementKind) -> &mut u64 {
        match kind {
            ElementKind::Provider => &mut self.providers,
            ElementKind::ModuleCall => &mut self.module_calls,
            ElementKind::Resource => &mut self.resources,
            ElementKind::Output => &mut self.outputs,
            ElementKind::Variable => &mut self.variables,
            ElementKind::Action => &mut self.actions,
            ElementKind::Local => &mut self.locals,
            ElementKind::Check => &mut self.checks,
            ElementKind::Import => &mut self.imports,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
