//! The blocks of a Terraform or OpenTofu configuration, and their arguments.
//!
//! The readers of the `hcl` module contain no block names. Only this table is specific to
//! Terraform. It follows the schema of Terraform 1.17.

use super::schema::Reading::{
    Expression, Expressions, Keyword, Keywords, Literal, Paths, Providers, Reference, References,
    Type, Value,
};
use super::schema::Rest::{Attributes, Open, Refused, Skipped};
use super::schema::{AttributeSchema, BlockSchema, BodySchema, Reading, Rest};

const fn value(name: &'static str) -> AttributeSchema {
    read(name, Value)
}

const fn literal(name: &'static str) -> AttributeSchema {
    read(name, Literal)
}

const fn read(name: &'static str, reading: Reading) -> AttributeSchema {
    AttributeSchema { name, required: false, reading }
}

const fn required(name: &'static str, reading: Reading) -> AttributeSchema {
    AttributeSchema { name, required: true, reading }
}

const fn block(
    name: &'static str,
    labels: &'static [&'static str],
    body: &'static BodySchema,
) -> BlockSchema {
    BlockSchema { name, labels, body }
}

const fn body(
    attributes: &'static [AttributeSchema],
    blocks: &'static [BlockSchema],
    rest: Rest,
) -> BodySchema {
    BodySchema { attributes, blocks, rest }
}

/// The top level of a file.
pub static ROOT: BodySchema = body(
    &[],
    &[
        block("terraform", &[], &TERRAFORM),
        block("required_providers", &[], &ATTRIBUTES),
        block("provider", &["name"], &PROVIDER),
        block("variable", &["name"], &VARIABLE),
        block("locals", &[], &ATTRIBUTES),
        block("output", &["name"], &OUTPUT),
        block("module", &["name"], &MODULE),
        block("resource", &["type", "name"], &RESOURCE),
        block("data", &["type", "name"], &DATA),
        block("ephemeral", &["type", "name"], &DATA),
        block("moved", &[], &MOVED),
        block("removed", &[], &REMOVED),
        block("import", &[], &IMPORT),
        block("check", &["name"], &CHECK),
        block("action", &["type", "name"], &ACTION),
    ],
    Refused,
);

/// Returns the content of a block that its address, the addresses inside it or its module call
/// need.
pub fn located(kind: &str) -> Option<&'static BodySchema> {
    match kind {
        "provider" => Some(&LOCATED_PROVIDER),
        "module" => Some(&LOCATED_MODULE),
        "check" => Some(&LOCATED_CHECK),
        _ => None,
    }
}

static LOCATED_PROVIDER: BodySchema = body(&[literal("alias")], &[], Skipped);
static LOCATED_MODULE: BodySchema = body(&[value("source")], &[], Skipped);
static LOCATED_CHECK: BodySchema = body(&[], &[block("data", &["type", "name"], &EMPTY)], Skipped);
static EMPTY: BodySchema = body(&[], &[], Skipped);

static ATTRIBUTES: BodySchema = body(&[], &[], Attributes);
static ANY: BodySchema = body(&[], &[], Open);

static TERRAFORM: BodySchema = body(
    &[literal("required_version"), read("experiments", Keywords), read("language", Keyword)],
    &[
        block("backend", &["type"], &ANY),
        block("cloud", &[], &ANY),
        block("required_providers", &[], &ATTRIBUTES),
        block("provider_meta", &["provider"], &ANY),
        block("state_store", &["type"], &ANY),
    ],
    Refused,
);

static PROVIDER: BodySchema = body(
    &[
        literal("alias"),
        literal("version"),
        value("count"),
        value("depends_on"),
        value("for_each"),
        value("source"),
    ],
    &[block("_", &[], &ANY), block("lifecycle", &[], &ANY), block("locals", &[], &ANY)],
    Open,
);

static VARIABLE: BodySchema = body(
    &[
        literal("description"),
        literal("default"),
        read("type", Type),
        literal("sensitive"),
        literal("nullable"),
        literal("ephemeral"),
        literal("deprecated"),
        literal("const"),
    ],
    &[block("validation", &[], &CONDITION)],
    Refused,
);

static CONDITION: BodySchema =
    body(&[required("condition", Value), required("error_message", Value)], &[], Refused);

static OUTPUT: BodySchema = body(
    &[
        literal("description"),
        required("value", Value),
        read("depends_on", References),
        literal("sensitive"),
        literal("ephemeral"),
        literal("deprecated"),
        read("type", Type),
    ],
    &[block("precondition", &[], &CONDITION), block("postcondition", &[], &CONDITION)],
    Refused,
);

static MODULE: BodySchema = body(
    &[
        required("source", Value),
        value("version"),
        value("count"),
        value("for_each"),
        read("depends_on", References),
        read("providers", Providers),
    ],
    &[
        block("_", &[], &ANY),
        block("lifecycle", &[], &ANY),
        block("locals", &[], &ANY),
        block("provider", &["type"], &ANY),
    ],
    Open,
);

static RESOURCE: BodySchema = body(
    &[
        value("count"),
        value("for_each"),
        read("provider", Reference),
        read("depends_on", References),
    ],
    &[
        block("locals", &[], &ANY),
        block("lifecycle", &[], &LIFECYCLE),
        block("connection", &[], &CONNECTION),
        block("provisioner", &["type"], &PROVISIONER),
        block("dynamic", &["type"], &DYNAMIC),
        block("_", &[], &ANY),
    ],
    Open,
);

static DATA: BodySchema = body(
    &[
        value("count"),
        value("for_each"),
        read("provider", Reference),
        read("depends_on", References),
    ],
    &[
        block("lifecycle", &[], &LIFECYCLE),
        block("locals", &[], &ANY),
        block("dynamic", &["type"], &DYNAMIC),
        block("_", &[], &ANY),
    ],
    Open,
);

static LIFECYCLE: BodySchema = body(
    &[
        literal("create_before_destroy"),
        value("prevent_destroy"),
        literal("destroy"),
        read("ignore_changes", Paths),
        read("replace_triggered_by", Expressions),
    ],
    &[
        block("precondition", &[], &CONDITION),
        block("postcondition", &[], &CONDITION),
        block("action_trigger", &[], &ACTION_TRIGGER),
    ],
    Refused,
);

static ACTION_TRIGGER: BodySchema = body(
    &[
        required("events", Keywords),
        value("condition"),
        read("on_failure", Keyword),
        required("actions", Expressions),
    ],
    &[],
    Refused,
);

static CONNECTION: BodySchema = body(&[value("type")], &[], Open);

static PROVISIONER: BodySchema = body(
    &[read("when", Keyword), read("on_failure", Keyword)],
    &[
        block("connection", &[], &CONNECTION),
        block("lifecycle", &[], &ANY),
        block("locals", &[], &ANY),
        block("dynamic", &["type"], &DYNAMIC),
        block("_", &[], &ANY),
    ],
    Open,
);

static DYNAMIC: BodySchema = body(
    &[required("for_each", Value), read("iterator", Reference), value("labels")],
    &[block("content", &[], &ANY)],
    Refused,
);

static MOVED: BodySchema =
    body(&[required("from", Reference), required("to", Reference)], &[], Refused);

static REMOVED: BodySchema = body(
    &[required("from", Reference)],
    &[
        block("lifecycle", &[], &REMOVED_LIFECYCLE),
        block("connection", &[], &CONNECTION),
        block("provisioner", &["type"], &PROVISIONER),
    ],
    Refused,
);

static REMOVED_LIFECYCLE: BodySchema = body(&[literal("destroy")], &[], Refused);

static IMPORT: BodySchema = body(
    &[
        required("to", Expression),
        value("id"),
        value("identity"),
        value("for_each"),
        read("provider", Reference),
    ],
    &[],
    Refused,
);

static CHECK: BodySchema = body(
    &[],
    &[block("data", &["type", "name"], &DATA), block("assert", &[], &CONDITION)],
    Refused,
);

static ACTION: BodySchema = body(
    &[value("count"), value("for_each"), read("provider", Reference)],
    &[block("config", &[], &ANY)],
    Refused,
);
