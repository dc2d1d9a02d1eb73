//! `summarize`: the document of `plansift summary --format json`.

use std::borrow::Cow;

use plansift_plan::record::Sink;
use plansift_plan::record::schemas;
use plansift_report::summary_document::SummaryDocument;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::answer::{Refusal, budget};
use crate::context::Context;
use crate::reading::{Request, read_plan};
use crate::tool::Tool;

/// The tool.
pub struct Summarize;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// A plan file or the JSON of a plan: its path from the root.
    plan: String,
    /// Budget of the answer in bytes: 2000 to 200000, by default 8000.
    max_bytes: Option<u64>,
}

/// The document, as the report writes it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Answer(Box<RawValue>);

impl JsonSchema for Answer {
    fn schema_name() -> Cow<'static, str> {
        "summary".into()
    }

    /// Returns the published schema of the document.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        serde_json::from_str(schemas::SUMMARY).unwrap_or_default()
    }
}

/// Says how to ask for what is left out.
const ASK: &str = "a larger max_bytes, or the tool changes, which lists every change";

impl Tool for Summarize {
    const NAME: &'static str = "summarize";
    const DESCRIPTION: &'static str = "Counts, warnings and losses of a plan. Ask this first.";
    type Parameters = Parameters;
    type Answer = Answer;

    fn answer(context: &Context<'_>, parameters: Parameters) -> Result<Answer, Refusal> {
        let Parameters { plan, max_bytes } = parameters;
        let max = budget(max_bytes)?;
        let plan = context.plan(&plan)?;
        let mut text = Vec::new();
        let mut document = SummaryDocument::new(&mut text, max, None, &[]).with_ask(ASK);
        read_plan(context, &plan, Request::new(&mut document))?;
        let written = document.finish();
        drop(document);
        let answer = written.ok().and_then(|()| serde_json::from_slice(&text).ok());
        answer.map(Answer).ok_or_else(Refusal::internal)
    }
}
