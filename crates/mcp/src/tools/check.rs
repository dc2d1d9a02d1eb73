//! `check`: whether a plan keeps rules and assertions.

use std::sync::Arc;

use plansift_check::assertion::{self, Assertion, Assertions, Syntax};
use plansift_core::error::Result as ReadResult;
use plansift_plan::record::{FailedAssertion, Finding, Record, Sink};
use plansift_report::gate::{Rule, patterns, with_strict_rules};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{LeftOut, NAME_MAX, Refusal, Room, budget, shortened};
use crate::context::Context;
use crate::reading::{Found, Request, read_plan};
use crate::rows::{BrokenRow, UnmatchedRow};
use crate::tool::Tool;

/// The tool.
pub struct Check;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// A plan file or the JSON of a plan: its path from the root.
    plan: String,
    /// Rules as in `--fail-on`, such as `destroy:aws_db_*` or `warning update > 10`.
    #[serde(default)]
    rules: Vec<String>,
    /// A file of assertions as YAML or JSON, such as `[{resource: 'aws_db_*', action: no-op}]`.
    assertions: Option<String>,
    /// Also fail if a rule or an assertion with the severity `error` matches nothing, or if a check
    /// fails or is unknown.
    #[serde(default)]
    strict_rules: bool,
    /// Budget of the answer in bytes: 2000 to 200000, by default 8000.
    max_bytes: Option<u64>,
}

/// The result of a check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// `fail` if something with the severity `error` is broken, failed or unmatched, otherwise
    /// `pass`.
    verdict: &'static str,
    /// Number of rules and assertions that were checked.
    checked: u64,
    /// The broken rules.
    broken: Vec<BrokenRow>,
    /// The failed assertions.
    failed: Vec<FailedRow>,
    /// Patterns that match nothing in the plan, so that their rules and assertions may have checked
    /// nothing.
    unmatched: Vec<UnmatchedRow>,
    /// Further broken rules, failed assertions and patterns that match nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// An assertion that the plan fails.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FailedRow {
    /// The name of the assertion, or a short description.
    assertion: String,
    /// `error` or `warning`.
    severity: String,
    /// Number of failures.
    count: u64,
    /// The first failures.
    findings: Vec<FindingRow>,
    /// The message of the assertion.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// A failure of an assertion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FindingRow {
    /// The address, or the name of the output.
    #[serde(skip_serializing_if = "String::is_empty")]
    place: String,
    /// The path of the value.
    #[serde(skip_serializing_if = "String::is_empty")]
    path: String,
    /// The expectation.
    expected: String,
    /// What the plan has, with secrets masked.
    found: String,
}

/// Maximum number of rules, and of assertions.
const RULES_MAX: usize = 1_000;
/// Maximum number of findings of an assertion.
const FINDINGS: usize = 5;

/// A question about a part of a value, asked often enough, would tell a secret.
const NOT_EXACT: &str = "assertions: only whole values are compared here, without regex, range, \
                         size, contains, network, prefix_length, adds, removes, grows, shrinks and \
                         paths into documents";

/// Says how to ask for the rest.
const ASK: &str = "a larger max_bytes, or fewer rules and assertions in a call";

impl Tool for Check {
    const NAME: &'static str = "check";
    const DESCRIPTION: &'static str = "Whether a plan keeps rules and assertions.";
    type Parameters = Parameters;
    type Answer = Answer;

    fn answer(context: &Context<'_>, parameters: Parameters) -> Result<Answer, Refusal> {
        let max = budget(parameters.max_bytes)?;
        let plan = context.plan(&parameters.plan)?;
        let is_strict = parameters.strict_rules;
        let rules = rules(&parameters.rules)?;
        let rules = if is_strict { with_strict_rules(rules) } else { rules };
        let assertions = parameters.assertions.as_deref().map(assertions).transpose()?;
        let assertions = assertions.map(|assertions| assertions.strict(is_strict));
        let count = assertions.as_ref().map_or(0, |assertions| assertions.list().len());
        if rules.len() + count == 0 {
            return Err(Refusal::new("there is nothing to check", "give rules or assertions"));
        }
        let mut failed = Failed(Vec::new());
        let watched = patterns(&rules, is_strict, []);
        let request = Request {
            rules: &rules,
            patterns: watched.map(|watched| Arc::new(watched.as_shown())),
            assertions: assertions.as_ref(),
            ..Request::new(&mut failed)
        };
        let Found { broken, unmatched, .. } = read_plan(context, &plan, request)?;
        let failed = failed.0;
        let severities = broken.iter().map(|row| row.severity);
        let mut severities = severities
            .chain(failed.iter().map(|row| &*row.severity))
            .chain(unmatched.iter().map(|row| row.severity));
        let fails = severities.any(|severity| severity == "error");
        let mut answer = Answer {
            verdict: if fails { "fail" } else { "pass" },
            checked: (rules.len() + count) as u64,
            broken: Vec::new(),
            failed: Vec::new(),
            unmatched: Vec::new(),
            left_out: LeftOut::most(ASK),
        };
        let total = broken.len() + failed.len() + unmatched.len();
        answer.fill(max, broken, failed, unmatched);
        let shown = answer.broken.len() + answer.failed.len() + answer.unmatched.len();
        answer.left_out = LeftOut::of((total - shown) as u64, ASK);
        Ok(answer)
    }
}

impl Answer {
    /// Adds the rows that fit into the budget of the answer. Each list gets the room that the lists
    /// before it leave, and at least its share.
    fn fill(
        &mut self,
        max: u64,
        broken: Vec<BrokenRow>,
        failed: Vec<FailedRow>,
        unmatched: Vec<UnmatchedRow>,
    ) {
        let mut room = Room::new(max, &*self);
        let later = [!failed.is_empty(), !unmatched.is_empty()].map(usize::from);
        let mut part = room.part(1 + later[0] + later[1]);
        self.broken = broken
            .into_iter()
            .map(|row| BrokenRow { rule: shortened(&row.rule, NAME_MAX), ..row })
            .take_while(|row| part.take(row) && room.take(row))
            .collect();
        let mut part = room.part(1 + later[1]);
        self.failed =
            failed.into_iter().take_while(|row| part.take(row) && room.take(row)).collect();
        self.unmatched = unmatched.into_iter().take_while(|row| room.take(row)).collect();
    }
}

fn rules(texts: &[String]) -> Result<Vec<Rule>, Refusal> {
    if texts.len() > RULES_MAX {
        return Err(Refusal::new("there are too many rules", "check fewer rules in a call"));
    }
    let rule = |(number, text): (usize, &String)| {
        Rule::parse(text).map_err(|fault| {
            let subjects: Vec<_> = Rule::subjects().collect();
            let error =
                format!("rule {}: {fault}; rules begin with {}", number + 1, subjects.join(", "));
            Refusal::new(error, "write a rule such as `destroy:aws_db_*`")
        })
    };
    texts.iter().enumerate().map(rule).collect()
}

fn assertions(text: &str) -> Result<Assertions, Refusal> {
    let syntax = match text.trim_start().starts_with('[') || text.trim_start().starts_with('{') {
        // JSON with plain keys is YAML.
        true if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => Syntax::Json,
        _ => Syntax::Yaml,
    };
    let parsed = assertion::parse(text, syntax).map_err(|error| {
        let hint = "write a list such as `[{resource: 'aws_db_*', action: no-op}]`";
        Refusal::new(format!("assertions: {error}"), hint)
    })?;
    if !parsed.iter().all(Assertion::is_exact) {
        return Err(Refusal::new(NOT_EXACT, "write a whole value, such as `known: t3.micro`"));
    }
    match parsed.len() {
        0..=RULES_MAX => Ok(Assertions::from(parsed)),
        _ => Err(Refusal::new("there are too many assertions", "check fewer in a call")),
    }
}

/// Keeps the failed assertions.
struct Failed(Vec<FailedRow>);

impl Sink for Failed {
    fn record(&mut self, record: &Record<'_>) -> ReadResult<()> {
        if let Record::FailedAssertion(failed) = record {
            self.0.push(FailedRow::of(failed));
        }
        Ok(())
    }

    fn finish(&mut self) -> ReadResult<()> {
        Ok(())
    }
}

impl FailedRow {
    /// Returns the row of an assertion. Its findings have no secrets.
    fn of(failed: &FailedAssertion<'_>) -> FailedRow {
        let FailedAssertion { name, severity, message, failed: count, findings, .. } = failed;
        let cut = |text: &str| shortened(&plansift_core::inert::visible(text), NAME_MAX / 2);
        let finding = |finding: &Finding| {
            let Finding { place, path, expected, found } = finding;
            let [place, path, expected, found] = [place, path, expected, found].map(|it| cut(it));
            FindingRow { place, path, expected, found }
        };
        FailedRow {
            assertion: cut(name),
            severity: severity.clone().into_owned(),
            count: *count,
            findings: findings.iter().take(FINDINGS).map(finding).collect(),
            message: message.as_deref().map(cut),
        }
    }
}
