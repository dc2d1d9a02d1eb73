//! A tool: its name, its schemas, and a function that answers a call.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::Refusal;
use crate::context::Context;

/// A question that the server answers.
pub trait Tool {
    /// The name, which calls use.
    const NAME: &'static str;
    /// One or two short sentences for a model.
    const DESCRIPTION: &'static str;
    /// The arguments of a call.
    type Parameters: DeserializeOwned + JsonSchema;
    /// The answer.
    type Answer: Serialize + JsonSchema;

    /// Answers a call.
    fn answer(context: &Context<'_>, parameters: Self::Parameters)
    -> Result<Self::Answer, Refusal>;
}

/// A tool in the list of a server.
#[derive(Clone)]
pub struct Entry {
    /// The description for the client.
    pub listed: Listed,
    /// Answers a call: returns the JSON text of the answer.
    pub answer: fn(&Context<'_>, JsonObject) -> Result<String, Refusal>,
}

/// Returns the entry of a tool.
pub fn entry<T: Tool>() -> Entry {
    let annotations = ToolAnnotations::new().read_only(true).idempotent(true);
    let parameters = schema::<T::Parameters>(SchemaSettings::draft2020_12());
    // An answer leaves out members without a content, so these are optional.
    let answers = schema::<T::Answer>(SchemaSettings::draft2020_12().for_serialize());
    let listed = Listed::new(T::NAME, T::DESCRIPTION, Arc::new(parameters))
        .with_raw_output_schema(Arc::new(answers))
        .with_annotations(annotations);
    Entry { listed, answer: answer::<T> }
}

fn answer<T: Tool>(context: &Context<'_>, arguments: JsonObject) -> Result<String, Refusal> {
    let parameters = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Refusal::new(error.to_string(), "`tools/list` has the schema of the arguments")
    })?;
    let answer = T::answer(context, parameters)?;
    serde_json::to_string(&answer).map_err(|_| Refusal::internal())
}

/// Returns the JSON Schema of a type, without references and without a title.
fn schema<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        settings.transforms.push(Box::new(RecursiveTransform(simplify)));
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut object = match schema.to_value() {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    };
    object.remove("title");
    object
}

/// Removes what some clients refuse or warn about: formats of numbers, and `null` beside another
/// type. A member without a value is absent, never `null`.
fn simplify(schema: &mut Schema) {
    schema.remove("format");
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|it| it != "null");
        if let [one] = &mut types[..] {
            let one = one.take();
            schema.insert("type".to_owned(), one);
        }
    }
}
