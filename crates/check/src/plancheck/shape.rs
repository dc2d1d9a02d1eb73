//! The types of documents in Go's library terraform-json. Go's decoder rejects a document that does
//! not have these types.
//!
//! The library does not know every key that Terraform and OpenTofu write. A key that it does not
//! know may have any value.

/// A part of a document that checks need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CheckedPart {
    ResourceChange,
    OutputChange,
    DeferredChange,
    /// The object of a state's values.
    Values,
    RootModule,
    /// A resource of the root module of a state.
    Resource,
    Output,
}

/// The type of a value.
#[derive(Debug)]
pub(super) enum Shape {
    Any,
    Text,
    Boolean,
    /// An unsigned integer of 64 bits.
    Unsigned,
    /// A signed integer of 64 bits.
    Signed,
    /// A type of go-cty.
    Type,
    Expression,
    /// An object with these members. It is small enough to outline it as a whole.
    Struct(&'static [Field]),
    /// An object with these members. The decoder enters it.
    Section(&'static [Field]),
    /// A section with a `format_version` that must be supported.
    Document(&'static [Field]),
    List(&'static Shape),
    Map(&'static Shape),
    /// A value whose numbers must fit a float of 64 bits.
    Floats(&'static Shape),
}

/// Members of an object that have the same type.
#[derive(Debug)]
pub(super) struct Field {
    names: &'static [&'static str],
    pub shape: &'static Shape,
    /// The part that checks need: the value, or the elements of a list or map.
    pub part: Option<CheckedPart>,
}

const fn fields(names: &'static [&'static str], shape: &'static Shape) -> Field {
    Field { names, shape, part: None }
}

const fn texts(names: &'static [&'static str]) -> Field {
    fields(names, &TEXT)
}

impl Field {
    const fn part(mut self, part: CheckedPart) -> Field {
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
    texts(&["format_version", "terraform_version", "timestamp"]),
    fields(&["variables"], &Shape::Map(&Shape::Struct(&[fields(&["value"], &ANY)]))),
    fields(&["planned_values"], &ROOT_VALUES),
    fields(&["resource_drift"], &Shape::List(&RESOURCE_CHANGE)),
    fields(&["resource_changes"], &Shape::List(&RESOURCE_CHANGE)).part(CheckedPart::ResourceChange),
    fields(&["deferred_changes"], &Shape::List(&DEFERRED_CHANGE)).part(CheckedPart::DeferredChange),
    fields(&["complete"], &BOOLEAN),
    fields(&["output_changes"], &Shape::Map(&CHANGE)).part(CheckedPart::OutputChange),
    fields(&["prior_state"], &Shape::Floats(&STATE)),
    fields(&["configuration"], &Shape::Floats(&CONFIGURATION)),
    fields(&["relevant_attributes"], &Shape::List(&RELEVANT_ATTRIBUTE)),
    fields(&["checks"], &Shape::List(&CHECK)),
    fields(&["action_invocations"], &Shape::List(&ACTION_INVOCATION)),
]);

/// The output of `show -json` for a state.
pub(super) static STATE: Shape = Shape::Document(&[
    texts(&["format_version", "terraform_version"]),
    fields(&["values"], &ROOT_VALUES).part(CheckedPart::Values),
    fields(&["checks"], &Shape::List(&CHECK)),
]);

static RESOURCE_CHANGE: Shape = Shape::Struct(&[
    texts(&["address", "previous_address", "module_address", "mode", "type", "name"]),
    texts(&["provider_name", "deposed"]),
    fields(&["index"], &ANY),
    fields(&["change"], &CHANGE),
]);

static CHANGE: Shape = Shape::Struct(&[
    texts(&["generated_config"]),
    fields(&["actions"], &TEXTS),
    fields(&["before", "after", "after_unknown", "before_sensitive", "after_sensitive"], &ANY),
    fields(&["before_identity", "after_identity"], &ANY),
    fields(&["importing"], &IMPORTING),
    fields(&["replace_paths"], &VALUES),
]);

static IMPORTING: Shape =
    Shape::Struct(&[texts(&["id"]), fields(&["unknown"], &BOOLEAN), fields(&["identity"], &ANY)]);

static DEFERRED_CHANGE: Shape =
    Shape::Struct(&[texts(&["reason"]), fields(&["resource_change"], &RESOURCE_CHANGE)]);

static RELEVANT_ATTRIBUTE: Shape =
    Shape::Struct(&[texts(&["resource"]), fields(&["attribute"], &VALUES)]);

static CHECK: Shape = Shape::Struct(&[
    texts(&["status"]),
    fields(&["address"], &CHECK_ADDRESS),
    fields(&["instances"], &Shape::List(&CHECK_INSTANCE)),
]);

static CHECK_ADDRESS: Shape =
    Shape::Struct(&[texts(&["to_display", "kind", "module", "mode", "type", "name"])]);

static CHECK_INSTANCE: Shape = Shape::Struct(&[
    texts(&["status"]),
    fields(&["address"], &INSTANCE_ADDRESS),
    fields(&["problems"], &Shape::List(&Shape::Struct(&[texts(&["message"])]))),
]);

static INSTANCE_ADDRESS: Shape =
    Shape::Struct(&[texts(&["to_display", "module"]), fields(&["instance_key"], &ANY)]);

static ACTION_INVOCATION: Shape = Shape::Struct(&[
    texts(&["address", "type", "name", "provider_name"]),
    fields(&["config_values", "config_sensitive", "config_unknown"], &ANY),
    fields(&["lifecycle_action_trigger"], &LIFECYCLE_ACTION_TRIGGER),
    fields(&["invoke_action_trigger"], &Shape::Struct(&[])),
]);

static LIFECYCLE_ACTION_TRIGGER: Shape = Shape::Struct(&[
    texts(&["triggering_resource_address", "action_trigger_event"]),
    fields(&["action_trigger_block_index", "actions_list_index"], &SIGNED),
]);

static ROOT_VALUES: Shape = Shape::Section(&[
    fields(&["outputs"], &Shape::Map(&OUTPUT)).part(CheckedPart::Output),
    fields(&["root_module"], &ROOT_MODULE).part(CheckedPart::RootModule),
]);

static OUTPUT: Shape = Shape::Struct(&[
    fields(&["sensitive"], &BOOLEAN),
    fields(&["value"], &ANY),
    fields(&["type"], &TYPE),
]);

static ROOT_MODULE: Shape = Shape::Section(&[
    texts(&["address"]),
    fields(&["resources"], &Shape::List(&RESOURCE)).part(CheckedPart::Resource),
    fields(&["child_modules"], &Shape::List(&MODULE)),
]);

static MODULE: Shape = Shape::Section(&[
    texts(&["address"]),
    fields(&["resources"], &Shape::List(&RESOURCE)),
    fields(&["child_modules"], &Shape::List(&MODULE)),
]);

static RESOURCE: Shape = Shape::Struct(&[
    texts(&["address", "mode", "type", "name", "provider_name", "deposed_key"]),
    fields(&["index"], &ANY),
    fields(&["schema_version", "identity_schema_version"], &UNSIGNED),
    fields(&["values", "identity"], &MEMBERS),
    fields(&["depends_on"], &TEXTS),
    fields(&["tainted"], &BOOLEAN),
]);

static CONFIGURATION: Shape = Shape::Section(&[
    fields(&["provider_config"], &Shape::Map(&PROVIDER_CONFIG)),
    fields(&["root_module"], &CONFIG_MODULE),
]);

static PROVIDER_CONFIG: Shape = Shape::Struct(&[
    texts(&["name", "full_name", "alias", "module_address", "version_constraint"]),
    fields(&["expressions"], &EXPRESSIONS),
]);

static CONFIG_MODULE: Shape = Shape::Section(&[
    fields(&["outputs"], &Shape::Map(&CONFIG_OUTPUT)),
    fields(&["resources"], &Shape::List(&CONFIG_RESOURCE)),
    fields(&["module_calls"], &Shape::Map(&MODULE_CALL)),
    fields(&["variables"], &Shape::Map(&CONFIG_VARIABLE)),
]);

static CONFIG_OUTPUT: Shape = Shape::Struct(&[
    texts(&["description"]),
    fields(&["sensitive"], &BOOLEAN),
    fields(&["expression"], &EXPRESSION),
    fields(&["depends_on"], &TEXTS),
]);

static CONFIG_RESOURCE: Shape = Shape::Struct(&[
    texts(&["address", "mode", "type", "name", "provider_config_key"]),
    fields(&["provisioners"], &Shape::List(&PROVISIONER)),
    fields(&["expressions"], &EXPRESSIONS),
    fields(&["schema_version"], &UNSIGNED),
    fields(&["count_expression", "for_each_expression"], &EXPRESSION),
    fields(&["depends_on"], &TEXTS),
]);

static PROVISIONER: Shape =
    Shape::Struct(&[texts(&["type"]), fields(&["expressions"], &EXPRESSIONS)]);

static MODULE_CALL: Shape = Shape::Section(&[
    texts(&["source", "version_constraint"]),
    fields(&["expressions"], &EXPRESSIONS),
    fields(&["count_expression", "for_each_expression"], &EXPRESSION),
    fields(&["module"], &CONFIG_MODULE),
    fields(&["depends_on"], &TEXTS),
]);

static CONFIG_VARIABLE: Shape = Shape::Struct(&[
    texts(&["description"]),
    fields(&["default"], &ANY),
    fields(&["sensitive"], &BOOLEAN),
]);

/// An expression that is not a list of blocks.
pub(super) static EXPRESSION_DATA: Shape =
    Shape::Struct(&[fields(&["constant_value"], &ANY), fields(&["references"], &TEXTS)]);

/// Returns the field with a name. Like in Go, names match in any case.
pub(super) fn find(fields: &'static [Field], name: &str) -> Option<&'static Field> {
    let name = folded(name);
    fields.iter().find(|field| field.names.contains(&&*name))
}

/// Returns a name in lower case. Folds only ASCII letters, and the two other letters that Go folds
/// to ASCII.
pub(super) fn folded(name: &str) -> String {
    let folded = name.chars().map(|c| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => c.to_ascii_lowercase(),
    });
    folded.collect()
}
