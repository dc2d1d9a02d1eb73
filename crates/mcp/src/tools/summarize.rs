//! `summarize`: the document of `plansift summary --format json`.

use plansift_plan::record::Sink;
use plansift_plan::record::schemas;
use plansift_report::summary_document::SummaryDocument;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
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

/// Says how to ask for what is left out.
const ASK: &str = "a larger max_bytes, or the tool changes, which lists every change";

impl Tool for Summarize {
    const NAME: &'static str = "summarize";
    const DESCRIPTION: &'static str = "Counts, warnings and losses of a plan. Ask this first.";
    type Parameters = Parameters;
    type Answer = Box<RawValue>;

    fn answer_schema() -> JsonObject {
        serde_json::from_str(schemas::SUMMARY).unwrap_or_default()
    }

    fn answer(context: &Context<'_>, parameters: Parameters) -> Result<Box<RawValue>, Refusal> {
        let Parameters { plan, max_bytes } = parameters;
        let max = budget(max_bytes)?;
        let place = context.settings.root.file(&plan)?;
        let mut text = Vec::new();
        let mut document = SummaryDocument::new(&mut text, max, None, &[]).with_ask(ASK);
        read_plan(context, &place, Request::new(&mut document))?;
        let written = document.finish();
        drop(document);
        let answer = written.ok().and_then(|()| serde_json::from_slice(&text).ok());
        answer.ok_or_else(|| Refusal::new("the summary has no text", "this is a bug of plansift"))
    }
}
