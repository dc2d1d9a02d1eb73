//! The types of documents in Go's library terraform-json, by which its decoder accepts a document.
//!
//! The library does not read every key that the tools write. A key that it does not know may have
//! any value.

/// A part of a document that checks ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    ResourceChange,
    OutputChange,
    DeferredChange,
    /// The object of a state's values.
    Values,
    RootModule,
    /// A resource of the root module of a state.
    Resource,
    /// An output of a state.
    Output,
}

/// The type of a value.
#[derive(Debug)]
pub(super) enum Shape {
    /// Any value.
    Any,
    Text,
    Boolean,
    /// An integer of 64 bits without a sign.
    Unsigned,
    /// An integer of 64 bits.
    Signed,
    /// A type of go-cty.
    Type,
    /// An expression of a configuration.
    Expression,
    /// An object with these members, which is small enough to be held as a whole.
    Struct(&'static [Field]),
    /// An object with these members, which is entered.
    Section(&'static [Field]),
    /// A section with a `format_version` that must be supported.
    Document(&'static [Field]),
    List(&'static Shape),
    Map(&'static Shape),
    /// A value whose numbers must fit a float of 64 bits.
    Floats(&'static Shape),
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Field {
    pub name: &'static str,
    pub shape: &'static Shape,
    /// What checks ask about: the value, or the elements of a list or map.
    pub part: Option<Part>,
}

const fn field(name: &'static str, shape: &'static Shape) -> Field {
    Field { name, shape, part: None }
}

const fn text(name: &'static str) -> Field {
    field(name, &TEXT)
}

impl Field {
    const fn part(mut self, part: Part) -> Field {
        self.part = Some(part);
        self
    }
}

static ANY: Shape = Shape::Any;
static TEXT: Shape = Shape::Text;
static BOOLEAN: Shape = Shape::Boolean;
static UNSIGNED: Shape = Shape::Unsigned;
static SIGNED: Shape = Shape::Signed;
static TYPE: Shape = Shape::Type;
static EXPRESSION: Shape = Shape::Expression;
static TEXTS: Shape = Shape::List(&TEXT);
static VALUES: Shape = Shape::List(&ANY);
static MEMBERS: Shape = Shape::Map(&ANY);
static EXPRESSIONS: Shape = Shape::Map(&EXPRESSION);

/// The output of `show -json` for a plan.
pub(super) static PLAN: Shape = Shape::Document(&[
    text("format_version"),
    text("terraform_version"),
    field("variables", &Shape::Map(&Shape::Struct(&[field("value", &ANY)]))),
    field("planned_values", &STATE_VALUES),
    field("resource_drift", &Shape::List(&RESOURCE_CHANGE)),
    field("resource_changes", &Shape::List(&RESOURCE_CHANGE)).part(Part::ResourceChange),
    field("deferred_changes", &Shape::List(&DEFERRED_CHANGE)).part(Part::DeferredChange),
    field("complete", &BOOLEAN),
    field("output_changes", &Shape::Map(&CHANGE)).part(Part::OutputChange),
    field("prior_state", &Shape::Floats(&PRIOR_STATE)),
    field("configuration", &Shape::Floats(&CONFIGURATION)),
    field("relevant_attributes", &Shape::List(&RELEVANT_ATTRIBUTE)),
    field("checks", &Shape::List(&CHECK)),
    text("timestamp"),
    field("action_invocations", &Shape::List(&ACTION_INVOCATION)),
]);

/// The output of `show -json` for a state.
pub(super) static STATE: Shape = Shape::Document(&[
    text("format_version"),
    text("terraform_version"),
    field("values", &ROOT_VALUES).part(Part::Values),
    field("checks", &Shape::List(&CHECK)),
]);

static PRIOR_STATE: Shape = Shape::Document(&[
    text("format_version"),
    text("terraform_version"),
    field("values", &STATE_VALUES),
    field("checks", &Shape::List(&CHECK)),
]);

static RESOURCE_CHANGE: Shape = Shape::Struct(&[
    text("address"),
    text("previous_address"),
    text("module_address"),
    text("mode"),
    text("type"),
    text("name"),
    field("index", &ANY),
    text("provider_name"),
    text("deposed"),
    field("change", &CHANGE),
]);

static CHANGE: Shape = Shape::Struct(&[
    field("actions", &TEXTS),
    field("before", &ANY),
    field("after", &ANY),
    field("after_unknown", &ANY),
    field("before_sensitive", &ANY),
    field("after_sensitive", &ANY),
    field(
        "importing",
        &Shape::Struct(&[text("id"), field("unknown", &BOOLEAN), field("identity", &ANY)]),
    ),
    text("generated_config"),
    field("replace_paths", &VALUES),
    field("before_identity", &ANY),
    field("after_identity", &ANY),
]);

static DEFERRED_CHANGE: Shape =
    Shape::Struct(&[text("reason"), field("resource_change", &RESOURCE_CHANGE)]);

static RELEVANT_ATTRIBUTE: Shape = Shape::Struct(&[text("resource"), field("attribute", &VALUES)]);

static CHECK: Shape = Shape::Struct(&[
    field(
        "address",
        &Shape::Struct(&[
            text("to_display"),
            text("kind"),
            text("module"),
            text("mode"),
            text("type"),
            text("name"),
        ]),
    ),
    text("status"),
    field("instances", &Shape::List(&CHECK_INSTANCE)),
]);

static CHECK_INSTANCE: Shape = Shape::Struct(&[
    field(
        "address",
        &Shape::Struct(&[text("to_display"), text("module"), field("instance_key", &ANY)]),
    ),
    text("status"),
    field("problems", &Shape::List(&Shape::Struct(&[text("message")]))),
]);

static ACTION_INVOCATION: Shape = Shape::Struct(&[
    text("address"),
    text("type"),
    text("name"),
    field("config_values", &ANY),
    field("config_sensitive", &ANY),
    field("config_unknown", &ANY),
    text("provider_name"),
    field(
        "lifecycle_action_trigger",
        &Shape::Struct(&[
            text("triggering_resource_address"),
            text("action_trigger_event"),
            field("action_trigger_block_index", &SIGNED),
            field("actions_list_index", &SIGNED),
        ]),
    ),
    field("invoke_action_trigger", &Shape::Struct(&[])),
]);

static STATE_VALUES: Shape =
    Shape::Section(&[field("outputs", &Shape::Map(&OUTPUT)), field("root_module", &MODULE)]);

static ROOT_VALUES: Shape = Shape::Section(&[
    field("outputs", &Shape::Map(&OUTPUT)).part(Part::Output),
    field("root_module", &ROOT_MODULE).part(Part::RootModule),
]);

static OUTPUT: Shape =
    Shape::Struct(&[field("sensitive", &BOOLEAN), field("value", &ANY), field("type", &TYPE)]);

static ROOT_MODULE: Shape = Shape::Section(&[
    field("resources", &Shape::List(&RESOURCE)).part(Part::Resource),
    text("address"),
    field("child_modules", &Shape::List(&MODULE)),
]);

static MODULE: Shape = Shape::Section(&[
    field("resources", &Shape::List(&RESOURCE)),
    text("address"),
    field("child_modules", &Shape::List(&MODULE)),
]);

static RESOURCE: Shape = Shape::Struct(&[
    text("address"),
    text("mode"),
    text("type"),
    text("name"),
    field("index", &ANY),
    text("provider_name"),
    field("schema_version", &UNSIGNED),
    field("values", &MEMBERS),
    field("depends_on", &TEXTS),
    field("tainted", &BOOLEAN),
    text("deposed_key"),
    field("identity_schema_version", &UNSIGNED),
    field("identity", &MEMBERS),
]);

static CONFIGURATION: Shape = Shape::Section(&[
    field("provider_config", &Shape::Map(&PROVIDER_CONFIG)),
    field("root_module", &CONFIG_MODULE),
]);

static PROVIDER_CONFIG: Shape = Shape::Struct(&[
    text("name"),
    text("full_name"),
    text("alias"),
    text("module_address"),
    field("expressions", &EXPRESSIONS),
    text("version_constraint"),
]);

static CONFIG_MODULE: Shape = Shape::Section(&[
    field("outputs", &Shape::Map(&CONFIG_OUTPUT)),
    field("resources", &Shape::List(&CONFIG_RESOURCE)),
    field("module_calls", &Shape::Map(&MODULE_CALL)),
    field("variables", &Shape::Map(&CONFIG_VARIABLE)),
]);

static CONFIG_OUTPUT: Shape = Shape::Struct(&[
    field("sensitive", &BOOLEAN),
    field("expression", &EXPRESSION),
    text("description"),
    field("depends_on", &TEXTS),
]);

static CONFIG_RESOURCE: Shape = Shape::Struct(&[
    text("address"),
    text("mode"),
    text("type"),
    text("name"),
    text("provider_config_key"),
    field(
        "provisioners",
        &Shape::List(&Shape::Struct(&[text("type"), field("expressions", &EXPRESSIONS)])),
    ),
    field("expressions", &EXPRESSIONS),
    field("schema_version", &UNSIGNED),
    field("count_expression", &EXPRESSION),
    field("for_each_expression", &EXPRESSION),
    field("depends_on", &TEXTS),
]);

static MODULE_CALL: Shape = Shape::Section(&[
    text("source"),
    field("expressions", &EXPRESSIONS),
    field("count_expression", &EXPRESSION),
    field("for_each_expression", &EXPRESSION),
    field("module", &CONFIG_MODULE),
    text("version_constraint"),
    field("depends_on", &TEXTS),
]);

static CONFIG_VARIABLE: Shape =
    Shape::Struct(&[field("default", &ANY), text("description"), field("sensitive", &BOOLEAN)]);

/// An expression that is no list of blocks.
pub(super) static EXPRESSION_DATA: Shape =
    Shape::Struct(&[field("constant_value", &ANY), field("references", &TEXTS)]);

/// The field with a name. Go compares names in any case.
pub(super) fn find(fields: &'static [Field], name: &str) -> Option<&'static Field> {
    let name = folded(name);
    fields.iter().find(|field| field.name == name)
}

/// A name in lower case. Only ASCII has a case here, and two letters that Go folds to ASCII.
pub(super) fn folded(name: &str) -> String {
    let folded = name.chars().map(|c| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => c.to_ascii_lowercase(),
    });
    folded.collect()
}
