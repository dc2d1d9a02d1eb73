//! SARIF 2.1.0: findings for code scanning. A result for each broken rule of each plan and for each
//! check that did not pass, at the addresses of its resources: a plan is one line, so there are no
//! places in the text. What could not be read is a notification.

use std::io::Write;

use serde_json::{Value, json};

use super::gate::{Questions, Rule};
use super::summary::visible;
use super::{Sink, write_error};
use crate::error::{Error, Result};
use crate::record::{Check, Label, Record};

/// Where the schema of the format is.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The rule of checks that did not pass.
const CHECK: &str = "plan-check";

/// Inputs that failed and are named; those beyond are a number.
const FAILED_MAX: usize = 1000;

/// Writes one run.
pub struct Sarif<W: Write> {
    out: W,
    rules: Vec<Rule>,
    questions: Questions,
    source: String,
    /// Notifications.
    failed: Vec<Value>,
    failed_more: u64,
    results: u64,
    has_begun: bool,
}

impl<W: Write> Sarif<W> {
    /// Writes to `out` how plans keep these rules.
    pub fn new(out: W, rules: &[Rule]) -> Sarif<W> {
        Sarif {
            out,
            rules: rules.to_vec(),
            questions: Questions::new(rules),
            source: String::new(),
            failed: Vec::new(),
            failed_more: 0,
            results: 0,
            has_begun: false,
        }
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(write_error)
    }

    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        let described =
            |id: &str, text: String| json!({"id": id, "shortDescription": {"text": text}});
        let mut rules: Vec<Value> = Vec::new();
        rules.extend(self.rules.iter().map(|rule| {
            let text = visible(rule.text());
            described(&text, format!("No plan breaks the rule {text}"))
        }));
        rules.push(described(CHECK, "The checks of a plan pass".to_owned()));
        let version = env!("CARGO_PKG_VERSION");
        let tool = json!({"driver": {"name": "plansift", "version": version, "rules": rules}});
        self.write(&format!(
            r#"{{"$schema":"{SCHEMA}","version":"2.1.0","runs":[{{"tool":{tool},"results":["#
        ))
    }

    /// A result about a rule, by its place among them.
    fn result(&mut self, rule: usize, level: &str, text: &str, names: &[String]) -> Result<()> {
        self.begin()?;
        let id = self.rules.get(rule).map_or(CHECK.to_owned(), |rule| visible(rule.text()));
        let logical: Vec<Value> = names
            .iter()
            .map(|name| json!({"fullyQualifiedName": visible(name), "kind": "resource"}))
            .collect();
        let physical = json!({"artifactLocation": {"uri": uri(&self.source)}});
        let mut location = json!({ "physicalLocation": physical });
        if !logical.is_empty() {
            location["logicalLocations"] = Value::Array(logical);
        }
        let result = json!({
            "ruleId": id, "ruleIndex": rule, "level": level,
            "message": {"text": text}, "locations": [location],
        });
        let comma = if self.results == 0 { "" } else { "," };
        self.results += 1;
        self.write(&format!("{comma}\n{result}"))
    }

    fn check(&mut self, check: &Check<'_>) -> Result<()> {
        let level = match &*check.status {
            "pass" => return Ok(()),
            "fail" | "error" => "error",
            _ => "note",
        };
        let problems = if check.problems.is_empty() { "" } else { ": " };
        let problems = problems.to_owned() + &check.problems.join("; ");
        let text = format!("{} is {}{problems}", check.address, check.status);
        let name = check.address.clone().into_owned();
        self.result(self.rules.len(), level, &visible(&text), &[name])
    }
}

impl<W: Write> Sink for Sarif<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.questions.note(record);
        match record {
            Record::Plan(plan) => plan.source.clone_into(&mut self.source),
            Record::Check(check) => self.check(check)?,
            Record::Summary(_) => {
                let mut broken = Vec::new();
                for (place, answer) in self.questions.answers().enumerate() {
                    if answer.is_broken() {
                        let rule = visible(answer.rule.text());
                        let words = answer.words(usize::MAX, visible);
                        let text = format!("The plan breaks the rule {rule}: {words}");
                        broken.push((place, text, answer.first.to_vec()));
                    }
                }
                for (place, text, names) in broken {
                    self.result(place, "error", &text, &names)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        if self.failed.len() == FAILED_MAX {
            self.failed_more += 1;
            return Ok(());
        }
        let text = format!("{}: {error}", visible(label.source));
        let uri = uri(label.source);
        let place = json!([{"physicalLocation": {"artifactLocation": {"uri": uri}}}]);
        let told = json!({"level": "error", "message": {"text": text}, "locations": place});
        self.failed.push(told);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.begin()?;
        let mut failed = std::mem::take(&mut self.failed);
        let is_whole = failed.is_empty();
        if self.failed_more > 0 {
            let text = format!("{} more inputs failed", self.failed_more);
            failed.push(json!({"level": "error", "message": {"text": text}}));
        }
        let invocations =
            json!([{"executionSuccessful": is_whole, "toolExecutionNotifications": failed}]);
        self.write(&format!("],\"invocations\":{invocations}}}]}}\n"))?;
        self.out.flush().map_err(write_error)
    }
}

/// The name of an input as a reference: everything that has a meaning there is escaped.
fn uri(source: &str) -> String {
    let mut uri = String::with_capacity(source.len());
    for byte in source.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
